// Any metric by any factor, a point a trial.
"use strict";

(() => {
  const { studies } = page.data;
  const form = document.getElementById("explore-form");

  // The trials of the chosen study that have the metric.
  function points() {
    const study = studies[form.study.value];
    const values = study.metrics[form.metric.value].values;
    const level = study.factors[form.factor.value];
    return study.trials
      .map((trial, i) => ({
        trial,
        mode: study.factors.mode[i] ?? "",
        protocol: study.factors.protocol[i] ?? "",
        level: level[i],
        value: values[i],
      }))
      .filter((point) => point.value !== null && point.level !== null);
  }

  const unit = () => studies[form.study.value].metrics[form.metric.value].unit;

  async function draw() {
    const rows = points();
    page.write("explore", {
      study: form.study.value,
      metric: form.metric.value,
      factor: form.factor.value,
      ...(form.log.checked ? { log: 1 } : {}),
    });
    const numeric = rows.every((row) => row.level !== "" && !Number.isNaN(Number(row.level)));
    const shown = form.log.checked ? rows.filter((row) => row.value > 0) : rows;
    document.getElementById("explore-count").textContent = `${shown.length} trials`;
    await page.chart("explore-chart", {
      data: { values: shown.map((row) => (numeric ? { ...row, level: Number(row.level) } : row)) },
      params: [{ name: "zoom", select: "interval", bind: "scales" }].slice(numeric ? 0 : 1),
      mark: { type: "point", filled: true, opacity: 0.75, size: 45 },
      encoding: {
        x: {
          field: "level",
          type: numeric ? "quantitative" : "nominal",
          title: form.factor.value,
          axis: numeric ? {} : { labelAngle: -40 },
          scale:
            numeric &&
            rows.every((row) => Number(row.level) > 0) &&
            new Set(rows.map((row) => row.level)).size > 2
              ? { type: "log" }
              : {},
        },
        y: {
          field: "value",
          type: "quantitative",
          title: `${form.metric.value}${unit() ? `, ${unit()}` : ""}`,
          scale: form.log.checked ? { type: "log" } : { zero: false },
        },
        color: { field: "protocol", type: "nominal", scale: page.colours(), title: null },
        tooltip: [{ field: "trial" }, { field: "mode" }, { field: "value", format: ".5~s" }],
      },
    });
  }

  function fillStudy(metric, factor) {
    const study = studies[form.study.value];
    const names = Object.keys(study.metrics);
    page.fill(
      form.metric,
      names.map((name) => [
        name,
        `${name}${study.metrics[name].unit ? ` (${study.metrics[name].unit})` : ""}`,
      ]),
      names.includes(metric)
        ? metric
        : names.includes("bytes_per_message")
          ? "bytes_per_message"
          : names[0],
    );
    const factors = Object.keys(study.factors);
    page.fill(
      form.factor,
      factors.map((name) => [name, name]),
      factors.includes(factor) ? factor : "mode",
    );
  }

  page.fill(
    form.study,
    Object.keys(studies).map((name) => [name, name]),
  );
  form.study.addEventListener("input", () => fillStudy(form.metric.value, form.factor.value));
  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  document
    .getElementById("explore-csv")
    .addEventListener("click", () =>
      page.download(
        `${form.study.value}-${form.metric.value}-by-${form.factor.value}.csv`,
        page.csv([
          ["study", "trial", "mode", form.factor.value, form.metric.value, "unit"],
          ...points().map((row) => [
            form.study.value,
            row.trial,
            row.mode,
            row.level,
            row.value,
            unit(),
          ]),
        ]),
      ),
    );
  page.shows.explore = () => {
    const { state } = page.read();
    form.study.value =
      state.get("study") in studies
        ? state.get("study")
        : Object.keys(studies).includes("matrix")
          ? "matrix"
          : Object.keys(studies)[0];
    fillStudy(state.get("metric"), state.get("factor"));
    form.log.checked = state.has("log");
    draw();
  };
})();

// Any metric by any factor: a point a trial, with means, under one choice of the other factors.
"use strict";

(() => {
  const { definitions, studies } = page.data;
  const { t975 } = page.data.decide;
  const form = document.getElementById("explore-form");
  const filters = document.getElementById("explore-filters");
  const every = "(all)";
  const groups = [
    ["Bytes and frames", /bytes|frames|packets|segments|records/],
    ["Airtime, charge, radio", /airtime|charge|radio|awake|sleep|cell/],
    ["Times", /_(ms|us|s)$|delay|rtt|seconds/],
    ["Loss and delivery", /loss|lost|delivered|retrans|repe|duplicate|missing/],
  ];
  const rest = "Other";
  const modes = Object.fromEntries(page.data.decide.modes.map((mode) => [mode.name, mode.label]));
  // A label by its name, where it has one, as an expression of Vega.
  const named = (labels) => `${JSON.stringify(labels)}[datum.label] || datum.label`;
  const words = (name) => name.replaceAll("_", " ");
  // A metric's name without its unit, which stands beside it.
  const metricWords = (name) => words(name.replace(/_(us|ms|s|uc|pct)$/, ""));
  const study = () => studies[form.study.value];
  const unit = () => study().metrics[form.metric.value].unit;
  // The factors that a reader fixes: all but those on the axis and in the colour, and those that a
  // mode determines.
  function fixed() {
    const { factors } = study();
    const varies = (name) => {
      const levels = new Map();
      return factors[name].some((level, i) => {
        const mode = factors.mode[i];
        if (level === null) return false;
        if (!levels.has(mode)) levels.set(mode, level);
        return levels.get(mode) !== level;
      });
    };
    const used = [form.factor.value, form.colour.value, "mode", "protocol"];
    return Object.keys(factors).filter((name) => !used.includes(name) && varies(name));
  }

  // Whether a trial has the level; a parameter that its protocol lacks excludes none.
  const has = (name, i, wanted) => [wanted, null].includes(study().factors[name][i]);

  function chosen() {
    return [...filters.querySelectorAll("select")]
      .filter((select) => select.value !== every)
      .map((select) => [select.name.slice(2), select.value]);
  }

  // The trials of the chosen study that have the metric, under the chosen levels.
  function points() {
    const { factors, metrics, trials } = study();
    const values = metrics[form.metric.value].values;
    const level = factors[form.factor.value];
    const held = chosen();
    return trials
      .map((trial, i) => ({
        trial,
        mode: factors.mode[i] ?? "",
        protocol: factors.protocol[i] ?? "",
        colour: factors[form.colour.value][i] ?? "",
        level: level[i],
        value: values[i],
        held: held.every(([name, wanted]) => has(name, i, wanted)),
        // points of one level stand beside each other, always at the same place
        beside: ((i * 37) % 100) / 100,
      }))
      .filter((point) => point.held && point.value !== null && point.level !== null);
  }

  const t = () => `[${t975.join(",")}][min(datum.count - 2, ${t975.length - 1})]`;

  async function draw() {
    const rows = points();
    const [metric, factor] = [form.metric.value, form.factor.value];
    page.write("explore", {
      study: form.study.value,
      metric,
      factor,
      ...(form.colour.value === "protocol" ? {} : { colour: form.colour.value }),
      ...(form.log.checked ? { log: 1 } : {}),
      ...Object.fromEntries(
        [...filters.querySelectorAll("select")].map((select) => [select.name, select.value]),
      ),
    });
    document.getElementById("explore-definition").textContent = definitions[metric]
      ? `${metricWords(metric)}: ${definitions[metric]}`
      : metricWords(metric);
    const numeric = rows.every((row) => row.level !== "" && !Number.isNaN(Number(row.level)));
    const shown = form.log.checked ? rows.filter((row) => row.value > 0) : rows;
    const held = chosen().map(([name, level]) => `${words(name)} ${level}`);
    document.getElementById("explore-count").textContent =
      `${shown.length} trials${held.length ? ` with ${held.join(", ")}` : ""}`;
    if (!shown.length) {
      document.getElementById("explore-chart").replaceChildren();
      return;
    }
    const logarithmic =
      numeric &&
      rows.every((row) => Number(row.level) > 0) &&
      new Set(rows.map((row) => row.level)).size > 2;
    const x = {
      field: "level",
      type: numeric ? "quantitative" : "nominal",
      title: words(factor) + (logarithmic ? ", logarithmic" : ""),
      axis: numeric ? {} : { labelAngle: -40, labelLimit: 260, labelExpr: named(modes) },
      scale: numeric ? { ...(logarithmic ? { type: "log" } : { zero: false }), padding: 18 } : {},
    };
    const y = {
      type: "quantitative",
      title: `${metricWords(metric)}${unit() ? `, ${unit()}` : ""}${form.log.checked ? ", logarithmic" : ""}`,
      scale: form.log.checked ? { type: "log", padding: 12 } : { zero: false, padding: 12 },
    };
    const byProtocol = form.colour.value === "protocol";
    const color = {
      field: "colour",
      type: "nominal",
      title: byProtocol ? null : words(form.colour.value),
      legend: { labelExpr: named(page.data.protocols) },
      ...(byProtocol ? { scale: page.colours() } : {}),
    };
    const xOffset = {
      field: "beside",
      type: "quantitative",
      scale: { domain: [-0.5, 1.5] },
    };
    await page.chart("explore-chart", {
      data: { values: shown.map((row) => (numeric ? { ...row, level: Number(row.level) } : row)) },
      layer: [
        {
          params: [{ name: "zoom", select: "interval", bind: "scales" }].slice(numeric ? 0 : 1),
          mark: { type: "point", filled: true, opacity: 0.8, size: 40 },
          encoding: {
            x,
            y: { ...y, field: "value" },
            color,
            ...(numeric ? {} : { xOffset }),
            tooltip: [{ field: "trial" }, { field: "mode" }, { field: "value", format: ".5~s" }],
          },
        },
        {
          transform: [
            {
              aggregate: [
                { op: "mean", field: "value", as: "mean" },
                { op: "stdev", field: "value", as: "sd" },
                { op: "count", as: "count" },
              ],
              groupby: ["level", "colour"],
            },
            {
              calculate: `datum.count > 1 ? ${t()} * datum.sd / sqrt(datum.count) : 0`,
              as: "half",
            },
            { calculate: "datum.mean - datum.half", as: "low" },
            { calculate: "datum.mean + datum.half", as: "high" },
            ...(form.log.checked ? [{ filter: "datum.low > 0" }] : []),
          ],
          mark: { type: "rule", strokeWidth: 2 },
          encoding: {
            x,
            y: { ...y, field: "low" },
            y2: { field: "high" },
            color,
            tooltip: ["colour", "mean", "low", "high", "count"].map((field) => ({ field })),
          },
        },
      ],
    });
  }

  // A choice for each fixed factor: the address's, else the level of most trials that the choices
  // before leave. Repetitions belong together.
  function fillFilters(state) {
    const { factors, trials } = study();
    let left = trials.map((_, i) => i);
    const selects = fixed().map((name) => {
      const levels = [...new Set(factors[name].filter((level) => level !== null))].sort();
      const often = (level) => left.filter((i) => factors[name][i] === level).length;
      const usual =
        name === "repetition" ? every : [...levels].sort((a, b) => often(b) - often(a))[0];
      const wanted = state?.get(`f_${name}`);
      const start = [every, ...levels].includes(wanted) ? wanted : usual;
      if (start !== every) left = left.filter((i) => has(name, i, start));
      const select = page.element("select", { name: `f_${name}` });
      page.fill(
        select,
        [every, ...levels].map((level) => [level, level]),
        start,
      );
      return page.element("label", {}, words(name), select);
    });
    filters.replaceChildren(...selects);
  }

  function fillStudy(metric, factor, colour) {
    const { factors, metrics } = study();
    const names = Object.keys(metrics);
    const groupOf = (name) => groups.find(([, pattern]) => pattern.test(name))?.[0] ?? rest;
    form.metric.replaceChildren(
      ...[...groups.map(([label]) => label), rest].map((label) => {
        const made = page.element("optgroup", { label });
        for (const name of names.filter((each) => groupOf(each) === label))
          made.append(
            new Option(
              `${metricWords(name)}${metrics[name].unit ? ` (${metrics[name].unit})` : ""}`,
              name,
            ),
          );
        return made;
      }),
    );
    form.metric.value = names.includes(metric)
      ? metric
      : names.includes("bytes_per_message")
        ? "bytes_per_message"
        : names[0];
    const known = Object.keys(factors);
    page.fill(
      form.factor,
      known.map((name) => [name, words(name)]),
      known.includes(factor) ? factor : "mode",
    );
    page.fill(
      form.colour,
      known.map((name) => [name, words(name)]),
      known.includes(colour) ? colour : "protocol",
    );
  }

  page.fill(
    form.study,
    Object.keys(studies).map((name) => [name, name]),
  );
  const again = () => fillStudy(form.metric.value, form.factor.value, form.colour.value);
  form.study.addEventListener("input", () => {
    again();
    fillFilters();
  });
  for (const field of [form.factor, form.colour])
    field.addEventListener("input", () => fillFilters(page.read().state));
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
    fillStudy(state.get("metric"), state.get("factor"), state.get("colour"));
    fillFilters(state);
    form.log.checked = state.has("log");
    draw();
  };
})();

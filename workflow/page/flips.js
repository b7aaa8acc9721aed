// Where the best mode changes along payload or interval, in words and as a chart.
"use strict";

// biome-ignore lint/correctness/noUnusedVariables: decide.js uses it
const flips = (() => {
  const model = page.data.decide;
  const { quantities } = answer;
  const quantity = document.getElementById("flip-quantity");
  const by = document.getElementById("flip-by");
  const units = { payload: "bytes", interval: "s" };
  // The metric of a trial that a quantity is of, where it is one.
  const metrics = {
    bytes: "exchange_bytes_per_message",
    airtime: "airtime_per_message_us",
    ack: "rtt_median_ms",
  };
  const drawnModes = 6;
  const height = 320;

  const at = (i, steps) => {
    const [low, high] = model[by.value];
    return low * (high / low) ** (i / steps);
  };
  const asked = (question, x) => ({ ...question, [by.value]: x, weights: { [quantity.value]: 1 } });

  // The mode that is best in each range of the factor.
  function ranges(question) {
    const found = [];
    for (let i = 0; i <= 160; i++) {
      const x = at(i, 160);
      const row = decide.rank(asked(question, x))[0];
      const label = row && !row.baseline && row.score !== null ? row.mode.label : null;
      if (label && found.at(-1)?.label !== label) found.push({ label, from: x });
    }
    return found;
  }

  function inWords(steps) {
    const unit = units[by.value];
    if (!steps.length) return "No trial measured this quantity.";
    if (steps.length === 1) {
      const [low, high] = model[by.value];
      return `Best at every ${by.value} between ${low} and ${high} ${unit}: ${steps[0].label}.`;
    }
    const [first, ...later] = steps;
    const changes = later.map((step) => `from ${page.number(step.from)} ${unit} on ${step.label}`);
    return `${[`Best: ${first.label}`, ...changes].join(", ")}.`;
  }

  // The contenders: the best modes at the question itself, without baselines.
  const contenders = (question) =>
    decide
      .rank({ ...question, weights: { [quantity.value]: 1 } })
      .filter((row) => !row.baseline && row.score !== null)
      .slice(0, drawnModes)
      .map((row) => row.mode.name);

  function lines(question, modes) {
    const scale = quantities[quantity.value].scale ?? 1;
    const rows = [];
    for (let i = 0; i <= 48; i++) {
      const x = at(i, 48);
      for (const row of decide.rank(asked(question, x))) {
        const value = row.values[quantity.value];
        if (!value || !modes.includes(row.mode.name)) continue;
        rows.push({
          mode: row.mode.label,
          protocol: row.mode.protocol,
          x,
          value: value.value * scale,
          low: Number.isNaN(value.low) ? null : value.low * scale,
          high: Number.isNaN(value.high) ? null : value.high * scale,
        });
      }
    }
    return rows;
  }

  // The trials that differ from the question in the factor only.
  function trials(question, modes) {
    const metric = metrics[quantity.value];
    if (!metric) return [];
    const other = by.value === "payload" ? "interval" : "payload";
    return model.modes
      .filter((mode) => modes.includes(mode.name))
      .flatMap((mode) =>
        mode.measured
          .filter(
            (trial) =>
              trial.load === question.load &&
              Boolean(trial.sleep) === (question.sleep !== "awake") &&
              trial[other] === question[other],
          )
          .map((trial) => {
            const study = page.data.studies[trial.study];
            const value = study?.metrics[metric]?.values[study.trials.indexOf(trial.trial)];
            return { mode: mode.label, protocol: mode.protocol, x: trial[by.value], value };
          }),
      )
      .filter((trial) => trial.value > 0);
  }

  // A label at the end of each line, moved so that none covers another.
  function labels(rows, ends) {
    const last = new Map(rows.map((row) => [row.mode, row]));
    const placed = [...last.values()].sort((a, b) => a.value - b.value);
    const apart = (Math.log(ends[1] / ends[0]) * 14) / height;
    let least = Number.NEGATIVE_INFINITY;
    return placed.map((row) => {
      least = Math.max(Math.log(row.value), least + apart);
      return { ...row, y: Math.exp(least) };
    });
  }

  async function draw(question) {
    document.getElementById("flips").textContent = inWords(ranges(question));
    const modes = contenders(question);
    const rows = lines(question, modes).filter((row) => row.value > 0);
    const points = trials(question, modes);
    const all = [...rows, ...points].map((row) => row.value);
    const ends = [Math.min(...all) / 1.1, Math.max(...all) * 1.1];
    const end = model[by.value][1];
    const title = `${quantities[quantity.value].name}, ${quantities[quantity.value].unit}, logarithmic`;
    const y = { type: "quantitative", scale: { type: "log", domain: ends, nice: false }, title };
    const color = { field: "protocol", type: "nominal", scale: page.colours(), legend: null };
    const x = {
      field: "x",
      type: "quantitative",
      scale: { type: "log", domain: model[by.value], nice: false },
      title: `${by.value}, ${units[by.value]}, logarithmic`,
    };
    const detail = { field: "mode" };
    const tooltip = [
      { field: "mode" },
      { field: "x", format: ".3~s", title: by.value },
      { field: "value", format: ".4~s" },
      { field: "low", format: ".4~s" },
      { field: "high", format: ".4~s" },
    ];
    const reach = Math.max(...rows.map((row) => row.x));
    const layer = [
      {
        transform: [{ filter: "datum.low !== null && datum.high !== null" }],
        mark: { type: "area", opacity: 0.15, clip: true },
        encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" }, color, detail },
      },
      {
        mark: { type: "line", tooltip: true, clip: true },
        encoding: {
          x,
          y: { ...y, field: "value" },
          color,
          detail,
          strokeDash: { field: "mode", type: "nominal", legend: null },
          tooltip,
        },
      },
      {
        data: { values: labels(rows, ends) },
        mark: { type: "text", align: "left", dx: 5, fontSize: 11, color: page.text() },
        encoding: { x, y: { ...y, field: "y" }, text: { field: "mode" } },
      },
    ];
    // an empty layer would be an element without a name
    if (points.length)
      layer.push({
        data: { values: points },
        mark: { type: "point", filled: true, size: 50, opacity: 1, tooltip: true },
        encoding: { x, y: { ...y, field: "value" }, color, tooltip: tooltip.slice(0, 3) },
      });
    if (reach < end * 0.999)
      layer.unshift({
        data: { values: [{ from: reach, to: end }] },
        mark: { type: "rect", color: "#888888", opacity: 0.15 },
        encoding: { x: { ...x, field: "from" }, x2: { field: "to" } },
      });
    const dots = points.length
      ? `dots: ${points.length} trials that differ from the question in the ${by.value} only`
      : `no trial differs from the question in the ${by.value} only`;
    document.getElementById("flip-note").textContent =
      `Lines: the models of the ${modes.length} best modes; bands: 95 % intervals; ${dots}. ` +
      "A line ends where its mode was not measured; a part where none was is grey.";
    await page.chart("flip-chart", {
      height,
      width: Math.max(220, document.getElementById("flip-chart").clientWidth - 190),
      data: { values: rows },
      layer,
    });
  }

  page.fill(
    quantity,
    ["bytes", "battery", "charge", "airtime", "ack"].map((name) => [name, quantities[name].name]),
    "bytes",
  );
  return { by, draw, quantity };
})();

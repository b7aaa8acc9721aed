// The form of a question and its answer: ranking, commands, decision record, and where it flips.
"use strict";

(() => {
  const { leftOut, moreIsBetter, nearest, outside, rank } = decide;
  const model = page.data.decide;
  const form = document.getElementById("question");
  const columns = [
    ["battery", "battery, days"],
    ["charge", "charge a message, µC"],
    ["bytes", "wire, bytes"],
    ["airtime", "airtime, µs"],
    ["ack", "acknowledged after, ms"],
    ["delivered", "delivered, %"],
    ["ram", "RAM, bytes"],
    ["flash", "flash, bytes"],
  ];
  const usual = {
    payload: "40",
    interval: "60",
    load: model.loads.at(-1).name,
    guarantee: "at-least-once",
    sleep: "light",
    security: "none",
    battery: "1000",
    battery_w: "1",
  };

  const again = (question, rows) =>
    rows
      .filter((row) => !row.mode.baseline)
      .slice(0, 3)
      .map((row) => nearest(row.mode, question))
      .map((trial) => `thinwire trial run ${trial.study} --trial ${trial.trial} --out /tmp/again`);

  function ask(question, more = "") {
    const by = Object.entries(question.weights).map(([name, weight]) =>
      weight === 1 ? name : `${name}=${weight}`,
    );
    const options = {
      payload: question.payload,
      interval: question.interval,
      load: question.load,
      sleep: question.sleep,
      qos: question.guarantee,
      battery: question.battery,
    };
    if (by.length) options.by = by.join(" ");
    const words = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
    return `thinwire ask ${words.join(" ")}${more}`;
  }

  // The commands that run the trials of a question without an answer.
  const newTrials = (question) =>
    [
      ask(question, " --write-study mine"),
      "snakemake --cores all --config 'studies=[matrix,sensor,mine]' -- results/decide.json",
    ].join("\n");

  function current() {
    const text = Object.fromEntries(new FormData(form));
    const weights = {};
    for (const [name] of columns)
      if (Number(text[`${name}_w`]) > 0) weights[name] = Number(text[`${name}_w`]);
    return {
      payload: Number(text.payload),
      interval: Number(text.interval),
      load: text.load,
      guarantee: text.guarantee,
      sleep: text.sleep,
      security: text.security,
      battery: Number(text.battery),
      weights,
    };
  }

  function words(question) {
    const radio = question.sleep === "awake" ? "awake" : `in ${question.sleep} sleep`;
    const load = model.loads.find((each) => each.name === question.load);
    return [
      `${question.payload} bytes every ${question.interval} s`,
      question.guarantee,
      `radio ${radio} between messages`,
      `on the access point: ${load.label}`,
      `battery ${question.battery} mAh`,
    ].join(", ");
  }

  const range = (each) =>
    each.low === each.high ? "" : `${page.number(each.low)} to ${page.number(each.high)}`;

  // What a reader must know of a row: whether it is ranked, and whether a trial had its condition.
  const remark = (row) =>
    (row.mode.baseline
      ? "baseline, not ranked; "
      : row.tied
        ? "not separated from the best; "
        : "") + (row.measured ? "measured" : "between measured");

  function lines(rows, weights) {
    const scored = Object.keys(weights).length > 1;
    const head = ["mode", ...columns.map(([, label]) => label), ...(scored ? ["score"] : [])];
    const value = (each) => (each ? [page.number(each.value), range(each)] : "no data");
    return [
      head,
      ...rows.map((row) => [
        [row.mode.label, remark(row)],
        ...columns.map(([name]) => value(row.values[name])),
        ...(scored ? [row.score === null ? "no data" : page.number(row.score)] : []),
      ]),
    ];
  }

  const flat = (rows, weights) =>
    lines(rows, weights).map((row) =>
      row.map((cell) =>
        Array.isArray(cell)
          ? cell[0] + (cell[1] ? ` [${cell[1].replace(" to ", ", ")}]` : "")
          : cell,
      ),
    );

  function record(question, rows) {
    const [head, ...body] = flat(rows, question.weights);
    return [
      "# Decision: protocol and mode of a device",
      "",
      `Question: ${words(question)}.`,
      `Ranked by: ${Object.entries(question.weights)
        .map(([k, w]) => `${k} (weight ${w})`)
        .join(", ")}.`,
      `Answer: ${sentence(question, rows)}`,
      "",
      `| ${head.join(" | ")} |`,
      `| ${head.map(() => "---").join(" | ")} |`,
      ...body.map((row) => `| ${row.join(" | ")} |`),
      "",
      `Trials: SHA-256 of their values ${model.digest}.`,
      `Page: ${location.hash}`,
      "",
      "Run the nearest trials of the best three again:",
      "",
      ...again(question, rows).map((line) => `    ${line}`),
      `    ${ask(question)}`,
      "",
    ].join("\n");
  }

  // Where the mode that is best changes along payload or interval, in words.
  function flips(question, quantity, by) {
    const [low, high] = model[by];
    const steps = 160;
    const at = (i) => low * (high / low) ** (i / steps);
    const best = (x) => {
      const found = rank({ ...question, [by]: x, weights: { [quantity]: 1 } })
        .map((row) => ({ mode: row.mode, value: row.values[quantity] }))
        .filter((each) => each.value && !each.mode.baseline);
      return found.sort(
        (a, b) => (moreIsBetter.includes(quantity) ? -1 : 1) * (a.value.value - b.value.value),
      )[0];
    };
    const ranges = [];
    for (let i = 0; i <= steps; i++) {
      const label = best(at(i))?.mode.label;
      if (label && ranges.at(-1)?.label !== label) ranges.push({ label, from: at(i) });
    }
    return ranges;
  }

  function flipRows(question, quantity, by) {
    const [low, high] = model[by];
    const rows = [];
    for (let i = 0; i <= 24; i++) {
      const x = low * (high / low) ** (i / 24);
      for (const row of rank({ ...question, [by]: x, weights: { [quantity]: 1 } })) {
        const value = row.values[quantity];
        if (value) rows.push({ mode: row.mode.label, protocol: row.mode.protocol, x, ...value });
      }
    }
    return rows;
  }

  // Which mode is best over the range of a factor, in words.
  function bestOver(by, unit, steps) {
    if (!steps.length) return "No trial measured this quantity.";
    if (steps.length === 1) {
      const [low, high] = model[by];
      return `Best at every ${by} between ${low} and ${high} ${unit}: ${steps[0].label}.`;
    }
    const [first, ...later] = steps;
    const changes = later.map((step) => `from ${page.number(step.from)} ${unit} on ${step.label}`);
    return `${[`Best: ${first.label}`, ...changes].join(", ")}.`;
  }

  async function drawFlips(question) {
    const quantity = document.getElementById("flip-quantity").value;
    const by = document.getElementById("flip-by").value;
    const unit = by === "payload" ? "bytes" : "s";
    document.getElementById("flips").textContent = bestOver(
      by,
      unit,
      flips(question, quantity, by),
    );
    await page.chart("flip-chart", {
      data: { values: flipRows(question, quantity, by) },
      mark: { type: "line", tooltip: true },
      encoding: {
        x: {
          field: "x",
          type: "quantitative",
          scale: { type: "log", nice: false },
          title: `${by}, ${unit}`,
        },
        y: {
          field: "value",
          type: "quantitative",
          scale: { zero: false },
          title: columns.find(([name]) => name === quantity)[1],
        },
        color: { field: "protocol", type: "nominal", scale: page.colours(), title: null },
        detail: { field: "mode" },
        strokeDash: { field: "mode", type: "nominal", legend: null },
        tooltip: [
          { field: "mode" },
          { field: "x", format: ".3~s", title: by },
          { field: "value", format: ".4~s" },
          { field: "low", format: ".4~s" },
          { field: "high", format: ".4~s" },
        ],
      },
    });
  }

  // The best mode with its value, and those that the trials do not separate from it.
  function sentence(question, rows) {
    const by = Object.keys(question.weights);
    const ranked = rows.filter((row) => !row.mode.baseline && row.score !== null);
    if (!ranked.length) return "Only raw TCP and UDP have data, which no product speaks.";
    const value = by.length === 1 ? ranked[0].values[by[0]] : null;
    const unit = columns
      .find(([name]) => name === by[0])[1]
      .split(", ")
      .at(-1);
    const best = ranked[0].mode.label + (value ? `, ${page.number(value.value)} ${unit}` : "");
    const alike = ranked.filter((row) => row.tied).map((row) => row.mode.label);
    const apart = alike.length
      ? `The trials do not separate it from ${alike.join(", ")}.`
      : ranked.length > 1
        ? "The trials separate it from every other mode."
        : "";
    return `By ${by.join(", ")}: ${best}. ${apart}`.trim();
  }

  let answer = { question: null, rows: [] };

  function draw() {
    const question = current();
    page.write(
      "decide",
      Object.fromEntries(
        [...new FormData(form)].filter(
          ([key, value]) => !key.endsWith("_w") || value !== "0" || key in usual,
        ),
      ),
    );
    const verdict = document.getElementById("verdict");
    const commands = document.getElementById("commands");
    const problem = outside(question);
    const rows = problem ? [] : rank(question);
    answer = { question, rows };
    for (const id of ["copy-table", "copy-record"])
      document.getElementById(id).disabled = !rows.length;
    page.table(
      document.getElementById("ranking"),
      lines(rows, question.weights),
      rows.map((row) => (row.mode.baseline ? "baseline" : "")),
    );
    const missing = problem ? [] : leftOut(question);
    const notes = missing.length
      ? `; not measured at this question, so left out: ${missing.join(", ")}`
      : "";
    document.querySelector("#ranking caption").textContent = rows.length
      ? `${words(question)}; small: 95 % interval${notes}`
      : "";
    if (!rows.some((row) => row.score !== null)) {
      const possible = question.security === "none";
      const remedy = possible ? "The commands below make the trials that would." : "";
      verdict.textContent = `${problem || `No trial answers this${notes}.`} ${remedy}`;
      commands.textContent = possible ? newTrials(question) : "";
      return;
    }
    verdict.textContent = sentence(question, rows);
    commands.textContent = [...again(question, rows), ask(question)].join("\n");
    drawFlips(question);
  }

  function start() {
    page.fill(
      form.load,
      model.loads.map((load) => [load.name, load.label]),
    );
    page.fill(
      form.guarantee,
      model.guarantees.map((name) => [name, name.replaceAll("-", " ")]),
    );
    page.fill(
      document.getElementById("flip-quantity"),
      columns.filter(([name]) => !["delivered", "ram", "flash"].includes(name)),
      "bytes",
    );
    document.getElementById("weights").append(
      ...columns.map(([name, label]) =>
        page.element(
          "label",
          {},
          label.split(",")[0],
          page.element("input", {
            type: "range",
            name: `${name}_w`,
            min: 0,
            max: 3,
            step: 1,
            value: 0,
          }),
        ),
      ),
    );
    for (const name of ["payload", "interval"]) [form[name].min, form[name].max] = model[name];
    form.addEventListener("input", draw);
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const id of ["flip-quantity", "flip-by"])
      document.getElementById(id).addEventListener("change", () => drawFlips(current()));
    document.getElementById("copy-table").addEventListener("click", () =>
      page.copy(
        flat(answer.rows, answer.question.weights)
          .map((row) => row.join("\t"))
          .join("\n"),
      ),
    );
    document
      .getElementById("copy-record")
      .addEventListener("click", () => page.copy(record(answer.question, answer.rows)));
    document
      .getElementById("copy-address")
      .addEventListener("click", () => page.copy(location.href));
  }

  start();
  page.shows.decide = () => {
    const { state } = page.read();
    const isWeight = (name) => name.endsWith("_w");
    // an address that names no weight asks for the usual one
    const weighed = [...state.keys()].some(isWeight);
    for (const { name } of form.elements)
      if (name)
        form[name].value =
          state.get(name) ?? (weighed && isWeight(name) ? "0" : (usual[name] ?? "0"));
    draw();
  };
})();

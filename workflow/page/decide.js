// The answer: the regressions of data.decide, evaluated for the question of the form. The same arithmetic as
// hil/commands/recommend.py; a test holds both against R's predict().
"use strict";

const decide = (() => {
  const model = page.data.decide;
  const form = document.getElementById("question");
  const sleeps = { awake: "listen", modem: "modem_sleep", light: "light_sleep" };
  const moreIsBetter = ["battery", "delivered"];
  const columns = [
    ["battery", "battery, days"], ["charge", "charge a message, µC"], ["bytes", "wire, bytes"],
    ["airtime", "airtime, µs"], ["ack", "acknowledged after, ms"], ["delivered", "delivered, %"],
    ["ram", "RAM, bytes"], ["flash", "flash, bytes"],
  ];
  const usual = { payload: "40", interval: "60", load: model.loads.at(-1).name, guarantee: "at-least-once", sleep: "light", security: "none", battery: "1000", battery_w: "1" };
  const day = 86400;
  // What a question must lie within, and its unit; and which terms of a model depend on it.
  const asked = { payload: "bytes", interval: "s" };
  const ranges = { kilobytes: "payload", decades: "interval" };

  function design(quantity, question) {
    const known = { one: 1, kilobytes: question.payload / 1000, decades: Math.log10(question.interval), slow: Number(question.interval >= model.slow_s), sleep: Number(question.sleep !== "awake"), [question.load]: 1 };
    return model.terms[quantity].map((term) => known[term] || 0);
  }

  const within = (known, names, question) => names.every((name) => known[name][0] <= question[name] && question[name] <= known[name][1]);

  // Mean and 95 % interval, from the physical floor on, of a mode's fit in one condition; null where its trials do
  // not tell: each fit answers between its own payloads and intervals.
  function estimate(quantity, mode, question) {
    const fit = mode.fits[quantity];
    const terms = model.terms[quantity];
    if (!fit || !within(fit, Object.keys(ranges).filter((term) => terms.includes(term)).map((term) => ranges[term]), question)) return null;
    const row = design(quantity, question);
    const used = row.map((x, i) => i).filter((i) => row[i] !== 0);
    if (used.some((i) => fit.coef[i] === null)) return null;
    const mean = used.reduce((sum, i) => sum + fit.coef[i] * row[i], 0);
    let half = NaN;
    if (fit.df > 0) {
      let variance = 0;
      for (const i of used) for (const j of used) variance += row[i] * fit.cov[i][j] * row[j];
      half = model.t975[fit.df - 1] * Math.sqrt(Math.max(variance, 0));
    }
    const back = fit.scale === "log" ? Math.exp : (x) => x;
    const [base, growth] = mode.floors[quantity] ?? [0, 0];
    const floor = base + growth * question.payload;
    const [low, high] = [mean - half, mean + half].map((x) => (Number.isNaN(x) ? x : Math.max(floor, back(x))));
    return { value: Math.max(0, back(mean)), low, high };
  }

  // Frames, and listening while a message keeps a sleeping radio awake.
  function charged(frames, awake) {
    if (!frames || !awake) return null;
    return Object.fromEntries(Object.keys(frames).map((end) => [end, frames[end] + model.currents_ma.listen * awake[end]]));
  }

  function battery(question, charge) {
    if (!charge) return null;
    const idle = model.currents_ma[sleeps[question.sleep]] * 1e-3 * day;
    const days = (uc) => (question.battery * 3.6) / (idle + (uc * 1e-6 * day) / question.interval);
    return { value: days(charge.value), low: days(charge.high), high: days(charge.low) };
  }

  function delivered(mode, question) {
    const share = mode.delivered.find((each) => each.load === question.load && Boolean(each.sleep) === (question.sleep !== "awake"));
    return share ? { value: (100 * share.delivered) / share.made, low: 100 * share.low, high: 100 * share.high } : null;
  }

  // RAM by the payload: that of the least measured payload which is no smaller.
  const memory = (mode, question) => mode.ram.find((row) => row.payload >= question.payload)?.ram ?? null;

  function values(mode, question) {
    const fitted = (quantity) => estimate(quantity, mode, question);
    const charge = question.sleep === "awake" ? fitted("frames_uc") : charged(fitted("frames_uc"), fitted("awake_ms"));
    const exact = (x) => (x === null ? null : { value: x, low: x, high: x });
    return { battery: battery(question, charge), charge, bytes: fitted("bytes"), airtime: fitted("airtime_us"), ack: fitted("ack_ms"), delivered: delivered(mode, question), ram: exact(memory(mode, question)), flash: exact(mode.flash) };
  }

  function score(weights, found, best) {
    let total = 0;
    let all = 0;
    for (const [name, weight] of Object.entries(weights)) {
      if (!found[name]) return null;
      const ratio = moreIsBetter.includes(name) ? best[name] / found[name].value : found[name].value / best[name];
      if (ratio > 0) total += weight * Math.log(ratio);
      all += weight;
    }
    return Math.exp(total / all);
  }

  const promises = (question) => model.modes.filter((mode) => model.guarantees.indexOf(mode.guarantee) >= model.guarantees.indexOf(question.guarantee));

  // The modes that were not measured at this payload or interval, each with what was.
  function leftOut(question) {
    const beyond = (mode) => Object.entries(asked).filter(([name]) => !within(mode, [name], question)).map(([name, unit]) => `${[...new Set(mode[name])].join(" to ")} ${unit}`);
    return promises(question).map((mode) => [mode.label, beyond(mode)]).filter(([, measured]) => measured.length).map(([label, measured]) => `${label} (${measured.join(", ")})`);
  }

  function rank(question) {
    const rows = promises(question).filter((mode) => within(mode, Object.keys(asked), question)).map((mode) => ({ mode, values: values(mode, question) }));
    const best = {};
    for (const name of Object.keys(question.weights)) {
      const known = rows.map((row) => row.values[name]).filter(Boolean).map((each) => each.value);
      best[name] = (moreIsBetter.includes(name) ? Math.max : Math.min)(...known);
    }
    for (const row of rows) {
      row.score = score(question.weights, row.values, best);
      row.measured = row.mode.measured.some((trial) => trial.payload === question.payload && trial.interval === question.interval && trial.load === question.load && Boolean(trial.sleep) === (question.sleep !== "awake"));
    }
    return rows.sort((a, b) => (a.score ?? Infinity) - (b.score ?? Infinity));
  }

  // What keeps the question from an answer; empty if nothing does.
  function outside(question) {
    if (question.security !== "none") return "No trial of this comparison has TLS or DTLS.";
    for (const [name, unit] of Object.entries(asked)) {
      const [low, high] = model[name];
      if (!(question[name] >= low && question[name] <= high)) return `No trial has this ${name}: they go from ${low} to ${high} ${unit}.`;
    }
    if (!(question.battery > 0)) return "A battery has more than 0 mAh.";
    if (!Object.keys(question.weights).length) return "Nothing matters yet: move a slider.";
    return "";
  }

  function nearest(mode, question) {
    const far = (trial) => 10 * (trial.load !== question.load) + 10 * (Boolean(trial.sleep) !== (question.sleep !== "awake")) + Math.abs(Math.log10(trial.interval / question.interval)) + Math.abs(Math.log10(trial.payload / question.payload));
    return [...mode.measured].sort((a, b) => far(a) - far(b) || (a.trial < b.trial ? -1 : 1))[0];
  }

  const again = (question, rows) => rows.slice(0, 3).map((row) => nearest(row.mode, question)).map((trial) => `thinwire trial run ${trial.study} --trial ${trial.trial} --out /tmp/again`);

  function ask(question, more = "") {
    const by = Object.entries(question.weights).map(([name, weight]) => (weight === 1 ? name : `${name}=${weight}`));
    return `thinwire ask --payload ${question.payload} --interval ${question.interval} --load ${question.load} --sleep ${question.sleep} --qos ${question.guarantee} --battery ${question.battery}${by.length ? ` --by ${by.join(" ")}` : ""}${more}`;
  }

  function current() {
    const text = Object.fromEntries(new FormData(form));
    const weights = {};
    for (const [name] of columns) if (Number(text[`${name}_w`]) > 0) weights[name] = Number(text[`${name}_w`]);
    return { payload: Number(text.payload), interval: Number(text.interval), load: text.load, guarantee: text.guarantee, sleep: text.sleep, security: text.security, battery: Number(text.battery), weights };
  }

  const words = (question) => `${question.payload} bytes every ${question.interval} s, ${question.guarantee}, radio ${question.sleep === "awake" ? "awake" : `in ${question.sleep} sleep`} between messages, on the access point: ${model.loads.find((load) => load.name === question.load).label}, battery ${question.battery} mAh`;
  const range = (each) => (each.low === each.high ? "" : `${page.number(each.low)} to ${page.number(each.high)}`);

  function lines(rows, weights) {
    const scored = Object.keys(weights).length > 1;
    const head = ["mode", ...columns.map(([, label]) => label), ...(scored ? ["score"] : [])];
    const value = (each) => (each ? [page.number(each.value), range(each)] : "no data");
    return [head, ...rows.map((row) => [[row.mode.label, row.measured ? "measured" : "between measured"], ...columns.map(([name]) => value(row.values[name])), ...(scored ? [row.score === null ? "no data" : page.number(row.score)] : [])])];
  }

  const flat = (rows, weights) => lines(rows, weights).map((row) => row.map((cell) => (Array.isArray(cell) ? cell[0] + (cell[1] ? ` [${cell[1].replace(" to ", ", ")}]` : "") : cell)));

  function record(question, rows) {
    const [head, ...body] = flat(rows, question.weights);
    return ["# Decision: protocol and mode of a device", "", `Question: ${words(question)}.`, `Ranked by: ${Object.entries(question.weights).map(([k, w]) => `${k} (weight ${w})`).join(", ")}.`, `Answer: ${rows[0].mode.label}.`, "", `| ${head.join(" | ")} |`, `| ${head.map(() => "---").join(" | ")} |`, ...body.map((row) => `| ${row.join(" | ")} |`), "", `Trials: SHA-256 of their values ${model.digest}.`, `Page: ${location.hash}`, "", "Run the nearest trials of the best three again:", "", ...again(question, rows).map((line) => `    ${line}`), "    " + ask(question), ""].join("\n");
  }

  // Where the mode that is best changes along payload or interval, told in words.
  function flips(question, quantity, by) {
    const [low, high] = model[by];
    const steps = 160;
    const at = (i) => low * (high / low) ** (i / steps);
    const best = (x) => {
      const found = rank({ ...question, [by]: x, weights: { [quantity]: 1 } }).map((row) => ({ mode: row.mode, value: row.values[quantity] })).filter((each) => each.value);
      return found.sort((a, b) => (moreIsBetter.includes(quantity) ? -1 : 1) * (a.value.value - b.value.value))[0];
    };
    const told = [];
    for (let i = 0; i <= steps; i++) {
      const label = best(at(i))?.mode.label;
      if (label && told.at(-1)?.label !== label) told.push({ label, from: at(i) });
    }
    return told;
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

  async function drawFlips(question) {
    const quantity = document.getElementById("flip-quantity").value;
    const by = document.getElementById("flip-by").value;
    const unit = by === "payload" ? "bytes" : "s";
    const told = flips(question, quantity, by);
    document.getElementById("flips").textContent = told.length === 0 ? "No trial tells." : told.length === 1 ? `Best at every ${by} between ${model[by][0]} and ${model[by][1]} ${unit}: ${told[0].label}.` : told.map((each, i) => (i === 0 ? `Best: ${each.label}` : `from ${page.number(each.from)} ${unit} on ${each.label}`)).join(", ") + ".";
    await page.chart("flip-chart", {
      data: { values: flipRows(question, quantity, by) },
      mark: { type: "line", tooltip: true },
      encoding: {
        x: { field: "x", type: "quantitative", scale: { type: "log", nice: false }, title: `${by}, ${unit}` },
        y: { field: "value", type: "quantitative", scale: { zero: false }, title: columns.find(([name]) => name === quantity)[1] },
        color: { field: "protocol", type: "nominal", scale: page.colours(), title: null },
        detail: { field: "mode" },
        strokeDash: { field: "mode", type: "nominal", legend: null },
        tooltip: [{ field: "mode" }, { field: "x", format: ".3~s", title: by }, { field: "value", format: ".4~s" }, { field: "low", format: ".4~s" }, { field: "high", format: ".4~s" }],
      },
    });
  }

  // Which modes the trials do not tell from the best, where one quantity decides.
  function apart(question, rows) {
    const [name, ...others] = Object.keys(question.weights);
    const best = rows[0].values[name];
    if (others.length) return "";
    const alike = rows.slice(1).filter((row) => row.values[name] && row.values[name].low <= best.high && row.values[name].high >= best.low);
    return alike.length ? `By ${name}, the trials do not tell it from ${alike.map((row) => row.mode.label).join(", ")}.` : `By ${name}, its interval meets that of no other mode.`;
  }

  let answer = { question: null, rows: [] };

  function draw() {
    const question = current();
    page.write("decide", Object.fromEntries([...new FormData(form)].filter(([key, value]) => !key.endsWith("_w") || value !== "0" || key in usual)));
    const verdict = document.getElementById("verdict");
    const commands = document.getElementById("commands");
    const problem = outside(question);
    const rows = problem ? [] : rank(question);
    answer = { question, rows };
    for (const id of ["copy-table", "copy-record"]) document.getElementById(id).disabled = !rows.length;
    page.table(document.getElementById("ranking"), lines(rows, question.weights));
    const missing = problem ? [] : leftOut(question);
    const notes = missing.length ? `; not measured at this question, so left out: ${missing.join(", ")}` : "";
    document.querySelector("#ranking caption").textContent = rows.length ? `${words(question)}; small: 95 % interval${notes}` : "";
    if (!rows.length || rows[0].score === null) {
      verdict.textContent = `${problem || `No trial answers this${notes}.`} ${question.security === "none" ? "The commands below make the trials that would." : ""}`;
      commands.textContent = question.security === "none" ? `${ask(question, " --write-study mine")}\nsnakemake --cores all --config 'studies=[matrix,sensor,mine]' -- results/decide.json` : "";
      return;
    }
    verdict.textContent = `${rows[0].mode.label}. ${apart(question, rows)}`;
    commands.textContent = [...again(question, rows), ask(question)].join("\n");
    drawFlips(question);
  }

  function start() {
    page.fill(form.load, model.loads.map((load) => [load.name, load.label]));
    page.fill(form.guarantee, model.guarantees.map((name) => [name, name.replaceAll("-", " ")]));
    page.fill(document.getElementById("flip-quantity"), columns.filter(([name]) => !["delivered", "ram", "flash"].includes(name)), "bytes");
    document.getElementById("weights").append(...columns.map(([name, label]) => page.element("label", {}, label.split(",")[0], page.element("input", { type: "range", name: `${name}_w`, min: 0, max: 3, step: 1, value: 0 }))));
    for (const name of ["payload", "interval"]) [form[name].min, form[name].max] = model[name];
    form.addEventListener("input", draw);
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const id of ["flip-quantity", "flip-by"]) document.getElementById(id).addEventListener("change", () => drawFlips(current()));
    document.getElementById("copy-table").addEventListener("click", () => page.copy(flat(answer.rows, answer.question.weights).map((row) => row.join("\t")).join("\n")));
    document.getElementById("copy-record").addEventListener("click", () => page.copy(record(answer.question, answer.rows)));
    document.getElementById("copy-address").addEventListener("click", () => page.copy(location.href));
  }

  start();
  page.shows.decide = () => {
    const { state } = page.read();
    const isWeight = (name) => name.endsWith("_w");
    // an address that names no weight asks for the usual one
    const weighed = [...state.keys()].some(isWeight);
    for (const { name } of form.elements) if (name) form[name].value = state.get(name) ?? ((weighed && isWeight(name)) ? "0" : usual[name] ?? "0");
    draw();
  };
  return { rank };
})();

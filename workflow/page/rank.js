// The answer: the regressions of data.decide, evaluated for the question of the form. The same
// arithmetic as hil/commands/recommend.py; a test compares both with R's predict().
"use strict";

// biome-ignore lint/correctness/noUnusedVariables: decide.js and the tests of the page use it
const decide = (() => {
  const model = page.data.decide;
  const sleeps = { awake: "listen", modem: "modem_sleep", light: "light_sleep" };
  const moreIsBetter = ["battery", "delivered"];
  const day = 86400;
  // What a question must lie within, and its unit; and which terms of a model depend on it.
  const asked = { payload: "bytes", interval: "s" };
  const ranges = { kilobytes: "payload", decades: "interval" };

  function design(quantity, question) {
    const known = {
      one: 1,
      kilobytes: question.payload / 1000,
      decades: Math.log10(question.interval),
      slow: Number(question.interval >= model.slow_s),
      hours: Math.max(0, question.interval - model.kept_s) / 3600,
      sleep: Number(question.sleep !== "awake"),
      [question.load]: 1,
    };
    return model.terms[quantity].map((term) => known[term] || 0);
  }

  const within = (known, names, question) =>
    names.every((name) => known[name][0] <= question[name] && question[name] <= known[name][1]);

  // Mean and 95 % interval, from the physical floor on, of a mode's fit in one condition; null
  // outside the payloads and intervals of the fit, or where its trials lack the condition.
  function estimate(quantity, mode, question) {
    const fit = mode.fits[quantity];
    const terms = model.terms[quantity];
    if (
      !fit ||
      !within(
        fit,
        Object.keys(ranges)
          .filter((term) => terms.includes(term))
          .map((term) => ranges[term]),
        question,
      )
    )
      return null;
    const row = design(quantity, question);
    const used = [...row.keys()].filter((i) => row[i] !== 0);
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
    const [low, high] = [mean - half, mean + half].map((x) =>
      Number.isNaN(x) ? x : Math.max(floor, back(x)),
    );
    return { value: Math.max(0, back(mean)), low, high };
  }

  // Frames, and listening while a message keeps a sleeping radio awake.
  function charged(frames, awake) {
    if (!frames || !awake) return null;
    return Object.fromEntries(
      Object.keys(frames).map((end) => [end, frames[end] + model.currents_ma.listen * awake[end]]),
    );
  }

  function battery(question, charge) {
    if (!charge) return null;
    const idle = model.currents_ma[sleeps[question.sleep]] * 1e-3 * day;
    const days = (uc) => (question.battery * 3.6) / (idle + (uc * 1e-6 * day) / question.interval);
    return { value: days(charge.value), low: days(charge.high), high: days(charge.low) };
  }

  function delivered(mode, question) {
    const share = mode.delivered.find(
      (each) => each.load === question.load && Boolean(each.sleep) === (question.sleep !== "awake"),
    );
    return share
      ? {
          value: (100 * share.delivered) / share.made,
          low: 100 * share.low,
          high: 100 * share.high,
        }
      : null;
  }

  // RAM by the payload: that of the least measured payload which is no smaller.
  const memory = (mode, question) =>
    mode.ram.find((row) => row.payload >= question.payload)?.ram ?? null;

  function values(mode, question) {
    const fitted = (quantity) => estimate(quantity, mode, question);
    const charge =
      question.sleep === "awake"
        ? fitted("frames_uc")
        : charged(fitted("frames_uc"), fitted("awake_ms"));
    const exact = (x) => (x === null ? null : { value: x, low: x, high: x });
    return {
      battery: battery(question, charge),
      charge,
      bytes: fitted("bytes"),
      airtime: fitted("airtime_us"),
      ack: fitted("ack_ms"),
      delivered: delivered(mode, question),
      ram: exact(memory(mode, question)),
      flash: exact(mode.flash),
    };
  }

  function score(weights, found, best) {
    let total = 0;
    let all = 0;
    for (const [name, weight] of Object.entries(weights)) {
      if (!found[name]) return null;
      const ratio = moreIsBetter.includes(name)
        ? best[name] / found[name].value
        : found[name].value / best[name];
      if (ratio > 0) total += weight * Math.log(ratio);
      all += weight;
    }
    return Math.exp(total / all);
  }

  // Whether the trials do not separate a row from the best: less than the least difference apart,
  // or, where one quantity decides, their intervals meet.
  function tied(row, best, question) {
    if (row.score === null || best.score === null) return false;
    if (row.score <= best.score * (1 + model.least)) return true;
    const [name, ...others] = Object.keys(question.weights);
    const [one, other] = [row.values[name], best.values[name]];
    return !others.length && one.low <= other.high && one.high >= other.low;
  }

  const names = (question, mode) => Boolean(question.modes?.includes(mode.name));

  // The modes that the question names, or all, whose guarantee is at least its own.
  const promises = (question) =>
    model.modes.filter(
      (mode) =>
        model.guarantees.indexOf(mode.guarantee) >= model.guarantees.indexOf(question.guarantee) &&
        (!question.modes?.length || names(question, mode)),
    );

  // The modes that were not measured at this payload or interval, each with what was.
  function leftOut(question) {
    const beyond = (mode) =>
      Object.entries(asked)
        .filter(([name]) => !within(mode, [name], question))
        .map(([name, unit]) => `${[...new Set(mode[name])].join(" to ")} ${unit}`);
    return promises(question)
      .map((mode) => [mode.label, beyond(mode)])
      .filter(([, measured]) => measured.length)
      .map(([label, measured]) => `${label} (${measured.join(", ")})`);
  }

  function rank(question) {
    const rows = promises(question)
      .filter((mode) => within(mode, Object.keys(asked), question))
      .map((mode) => ({
        mode,
        // raw TCP or UDP, which no product speaks: not ranked unless the question names it
        baseline: mode.baseline && !names(question, mode),
        values: values(mode, question),
      }));
    const best = {};
    for (const name of Object.keys(question.weights)) {
      const known = rows
        .filter((row) => !row.baseline)
        .map((row) => row.values[name])
        .filter(Boolean)
        .map((each) => each.value);
      best[name] = (moreIsBetter.includes(name) ? Math.max : Math.min)(...known);
    }
    for (const row of rows) {
      row.score = score(question.weights, row.values, best);
      row.measured = row.mode.measured.some(
        (trial) =>
          trial.payload === question.payload &&
          trial.interval === question.interval &&
          trial.load === question.load &&
          Boolean(trial.sleep) === (question.sleep !== "awake"),
      );
    }
    rows.sort(
      (a, b) =>
        Number(a.baseline) - Number(b.baseline) || (a.score ?? Infinity) - (b.score ?? Infinity),
    );
    for (const row of rows) row.tied = row !== rows[0] && tied(row, rows[0], question);
    return rows;
  }

  // What keeps the question from an answer, and whether new trials would answer it; null if nothing.
  function outside(question) {
    for (const [name, unit] of Object.entries(asked)) {
      const [low, high] = model[name];
      const value = question[name];
      if (!(value > 0))
        return { text: `Enter the ${name}: ${low} to ${high} ${unit} were measured.` };
      if (value < low || value > high)
        return {
          text: `No trial has this ${name}: ${low} to ${high} ${unit} were measured.`,
          measurable: true,
        };
    }
    if (!(question.battery > 0)) return { text: "Enter a battery above 0 mAh." };
    if (!Object.keys(question.weights).length)
      return { text: "Nothing matters yet: move at least one slider above 0." };
    return null;
  }

  // The trials of a mode, those nearest to the question first.
  function nearest(mode, question) {
    const far = (trial) =>
      10 * (trial.load !== question.load) +
      10 * (Boolean(trial.sleep) !== (question.sleep !== "awake")) +
      Math.abs(Math.log10(trial.interval / question.interval)) +
      Math.abs(Math.log10(trial.payload / question.payload));
    return [...mode.measured].sort((a, b) => far(a) - far(b) || (a.trial < b.trial ? -1 : 1));
  }

  return { estimate, leftOut, moreIsBetter, nearest, outside, rank };
})();

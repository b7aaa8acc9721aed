// The form of a question, its answer, and what is copied or saved of it.
"use strict";

(() => {
  const { leftOut, nearest, outside, rank } = decide;
  const { quantities } = answer;
  const model = page.data.decide;
  const form = document.getElementById("question");
  const names = Object.keys(quantities);
  const usual = {
    payload: "40",
    interval: "60",
    load: model.loads.at(-1).name,
    guarantee: "at-least-once",
    sleep: "light",
    battery: "1000",
  };
  const several = "several";

  const again = (question, rows) =>
    rows
      .filter((row) => !row.baseline)
      .slice(0, 3)
      .map((row) => explain.again(nearest(row.mode, question)[0]));

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
    if (question.modes.length) options.modes = question.modes.join(" ");
    const words = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
    return `thinwire ask ${words.join(" ")}${more}`;
  }

  // The commands that run the trials of a question without an answer.
  const newTrials = (question) =>
    [
      ask(question, " --write-study mine"),
      "snakemake --cores all --config 'studies=[matrix,sensor,mine]' -- results/decide.json",
    ].join("\n");

  function weights(text) {
    if (text.by !== several) return { [text.by]: 1 };
    const moved = names.map((name) => [name, Number(text[`${name}_w`])]);
    return Object.fromEntries(moved.filter(([, weight]) => weight > 0));
  }

  function current() {
    const data = new FormData(form);
    const text = Object.fromEntries(data);
    return {
      payload: Number(text.payload),
      interval: Number(text.interval),
      load: text.load,
      guarantee: text.guarantee,
      sleep: text.sleep,
      battery: Number(text.battery),
      modes: data.getAll("mode"),
      weights: weights(text),
    };
  }

  function record(question, rows) {
    const [head, ...body] = ranking.flat(rows, question.weights);
    return [
      "# Decision: protocol and mode of a device",
      "",
      `Question: ${answer.words(question)}, battery ${question.battery} mAh.`,
      `Ranked by: ${Object.entries(question.weights)
        .map(([name, weight]) => `${name} (weight ${weight})`)
        .join(", ")}.`,
      `Answer: ${answer.sentence(question, rows)}`,
      answer.next(question, rows),
      answer.why(question, rows),
      answer.sure(question, rows),
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

  function state(question) {
    const { weights, modes, ...rest } = question;
    const weighed = Object.entries(weights).map(([name, weight]) => [`${name}_w`, weight]);
    if (form.by.value === several && !weighed.length) weighed.push(["battery_w", 0]);
    return {
      ...rest,
      ...Object.fromEntries(weighed),
      ...(modes.length ? { modes: modes.join(",") } : {}),
    };
  }

  let given = { question: null, rows: [] };
  const set = (id, text) => {
    document.getElementById(id).textContent = text;
  };

  function draw() {
    const question = current();
    page.write("decide", state(question));
    document.getElementById("weights").hidden = form.by.value !== several;
    for (const field of document.querySelectorAll("#weights input"))
      field.nextElementSibling.textContent = field.value;
    const problem = outside(question);
    const rows = problem ? [] : rank(question);
    const answered = rows.some((row) => row.score !== null);
    given = { question, rows };
    for (const part of document.querySelectorAll("[data-answered]")) part.hidden = !answered;
    const missing = problem ? [] : leftOut(question);
    const notes = missing.length ? ` Not measured here, so left out: ${missing.join(", ")}.` : "";
    set("asked", problem ? "" : answer.words(question));
    if (!answered) {
      const measurable = !problem || problem.measurable;
      const remedy = measurable ? " The commands below run the trials that answer it." : "";
      set("verdict", (problem?.text ?? `No trial answers this.${notes}`) + remedy);
      for (const id of ["next", "why", "sure"]) set(id, "");
      set("commands", measurable ? newTrials(question) : "");
      document.getElementById("repeat").hidden = !measurable;
      document.getElementById("repeat").open = measurable;
      return;
    }
    set("verdict", answer.sentence(question, rows));
    set("next", answer.next(question, rows));
    set("why", answer.why(question, rows));
    set("sure", answer.sure(question, rows) + notes);
    set("commands", [...again(question, rows), ask(question)].join("\n"));
    document.getElementById("repeat").hidden = false;
    ranking.draw(question, rows, ask(question));
    flips.draw(question);
  }

  const image = () =>
    picture.svg(
      given.question,
      given.rows,
      `Thinwire; trials ${model.digest.slice(0, 8)}; ${ask(given.question)}`,
    );

  function boxes() {
    const groups = new Map();
    for (const mode of model.modes)
      groups.set(mode.protocol, [...(groups.get(mode.protocol) ?? []), mode]);
    return [...groups.values()].map((modes) =>
      page.element(
        "div",
        { class: "row" },
        ...modes.map((mode) =>
          page.element(
            "label",
            { class: "box" },
            page.element("input", { type: "checkbox", name: "mode", value: mode.name }),
            mode.label,
          ),
        ),
      ),
    );
  }

  function sliders() {
    return names.map((name) =>
      page.element(
        "label",
        {},
        quantities[name].name,
        page.element("input", {
          type: "range",
          name: `${name}_w`,
          min: 0,
          max: 3,
          step: 1,
          value: 0,
        }),
        page.element("output", {}),
      ),
    );
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
    page.fill(form.by, [
      ...names.map((name) => [name, quantities[name].name]),
      [several, "several, weighed"],
    ]);
    document.getElementById("weights").append(...sliders());
    document.getElementById("modes").append(...boxes());
    for (const name of ["payload", "interval"]) [form[name].min, form[name].max] = model[name];
    form.addEventListener("input", draw);
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const field of [flips.quantity, flips.by])
      field.addEventListener("change", () => flips.draw(current()));
    const acts = {
      "copy-table": () =>
        page.copy(
          ranking
            .flat(given.rows, given.question.weights)
            .map((row) => row.join("\t"))
            .join("\n"),
        ),
      "copy-record": () => page.copy(record(given.question, given.rows)),
      "copy-address": () => page.copy(location.href),
      "save-svg": () => page.download("answer.svg", image(), "image/svg+xml"),
      "save-png": async () => page.download("answer.png", await picture.png(image()), "image/png"),
    };
    for (const [id, act] of Object.entries(acts))
      document.getElementById(id).addEventListener("click", act);
  }

  start();
  page.shows.decide = () => {
    const { state } = page.read();
    const weighed = names.filter((name) => state.has(`${name}_w`));
    const moved = weighed.filter((name) => Number(state.get(`${name}_w`)) > 0);
    const alone = moved.length === 1 && state.get(`${moved[0]}_w`) === "1";
    for (const name of Object.keys(usual)) form[name].value = state.get(name) ?? usual[name];
    for (const name of names) form[`${name}_w`].value = state.get(`${name}_w`) ?? "0";
    // an address that names no weight asks for the battery
    form.by.value = !weighed.length ? "battery" : alone ? moved[0] : several;
    const modes = (state.get("modes") ?? "").split(",");
    for (const box of form.querySelectorAll("[name=mode]")) box.checked = modes.includes(box.value);
    if (form.querySelector("[name=mode]:checked"))
      document.getElementById("contenders").open = true;
    draw();
  };
})();

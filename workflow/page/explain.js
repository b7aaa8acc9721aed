// What stands behind one number of the answer: definition, interval, trials, error and commands.
"use strict";

// biome-ignore lint/correctness/noUnusedVariables: the other scripts use it
const explain = (() => {
  const model = page.data.decide;
  const { element } = page;
  const { closest, full, quantities } = answer;
  const score =
    "How many times worse than the best mode it is: the geometric mean over the quantities, by " +
    "their weights. The best has 1.";
  // The model behind a quantity whose error was estimated.
  const modelOf = (name, question) =>
    ({
      battery: question.sleep === "awake" ? "frames_uc" : "awake_ms",
      charge: question.sleep === "awake" ? "frames_uc" : "awake_ms",
      bytes: "bytes",
      airtime: "airtime_us",
      ack: "ack_ms",
    })[name];

  const again = (trial) =>
    `thinwire trial run ${trial.study} --trial ${trial.trial} --out /tmp/again`;

  function rests(name, row, question) {
    if (name === "flash") return "The size of the image: exact, no trial.";
    if (name === "ram")
      return "The highest use of all trials up to the next measured payload: exact.";
    const asleep = question.sleep !== "awake";
    if (name === "delivered") {
      const share = row.mode.delivered.find(
        (each) => each.load === question.load && Boolean(each.sleep) === asleep,
      );
      return `${share.delivered} of ${share.made} messages, of all trials with this load and sleep; the interval is Wilson's.`;
    }
    const fit = row.mode.fits[modelOf(name, question)];
    const near = closest(row.mode, question);
    const count = fit ? `A regression over ${row.mode.measured.length} trials of this mode. ` : "";
    return `${count}${row.measured ? "Measured in exactly this condition" : "Nearest condition that was measured"}: ${near.text}, ${near.runs === 1 ? "one run" : `${near.runs} runs`}.`;
  }

  function errs(name, row, question) {
    const quantity = modelOf(name, question);
    const error = model.errors[quantity]?.modes[row.mode.name];
    if (!error) return "";
    const percent = (x) => `${page.number(100 * x)} %`;
    return `Conditions that were left out were predicted within ${percent(error.median)} in the median, ${percent(error.max)} at most.`;
  }

  const dialog = document.getElementById("explain");

  function open(title, facts) {
    const list = element("dl");
    for (const [term, text] of facts)
      if (text) list.append(element("dt", {}, term), element("dd", {}, ...[text].flat()));
    dialog.querySelector("h3").textContent = title;
    dialog.querySelector("div").replaceChildren(list);
    dialog.showModal();
  }

  // What the head of a column means.
  const term = (title, definition, unit) =>
    open(title, [
      ["definition", definition],
      ["unit", unit],
    ]);

  function column(name) {
    const { name: title, unit, means } = quantities[name];
    term(title, means, unit);
  }

  function value(name, row, question, command) {
    const each = row.values[name];
    const { trials } = closest(row.mode, question);
    const trial = trials[0];
    const bundle = `${trial.study}/${trial.trial}`;
    open(`${row.mode.label}: ${quantities[name].name}`, [
      ["value", full(name, each)],
      ["interval", each.low === each.high ? "none: exact" : "95 % of the mean over trials"],
      ["definition", quantities[name].means],
      ["rests on", rests(name, row, question)],
      ["model's error", errs(name, row, question)],
      ["trial", element("a", { href: `#provenance?trial=${encodeURIComponent(bundle)}` }, bundle)],
      ["run it again", element("code", {}, again(trial))],
      ["in a terminal", element("code", {}, command)],
    ]);
  }

  dialog.querySelector("button").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("a")) dialog.close();
  });
  return { again, column, score: () => term("score", score), term, value };
})();

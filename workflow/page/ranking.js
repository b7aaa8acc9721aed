// The ranking as a table: every number and every head is a button that explains it.
"use strict";

// biome-ignore lint/correctness/noUnusedVariables: decide.js uses it
const ranking = (() => {
  const { element } = page;
  const { quantities, scaled, spread } = answer;
  const names = Object.keys(quantities);
  const head = (name) => `${quantities[name].name}, ${quantities[name].unit}`;
  const table = document.getElementById("ranking");

  // What a reader must know of a row: whether it is ranked, and whether a trial had its condition.
  const remark = (row) =>
    [
      row.baseline ? "baseline, not ranked" : row.tied ? "not separated from the best" : "",
      row.measured ? "measured" : "",
    ]
      .filter(Boolean)
      .join("; ");

  // The cells as texts, for copies.
  function flat(rows, weights) {
    const scored = Object.keys(weights).length > 1;
    const cell = (name, each) =>
      each
        ? scaled(name, each.value) + (spread(name, each) ? ` [${spread(name, each)}]` : "")
        : "no data";
    return [
      ["mode", ...names.map(head), ...(scored ? ["score"] : [])],
      ...rows.map((row) => [
        row.mode.label + (remark(row) ? ` [${remark(row)}]` : ""),
        ...names.map((name) => cell(name, row.values[name])),
        ...(scored ? [row.score === null ? "no data" : page.number(row.score)] : []),
      ]),
    ];
  }

  const button = (text, act) => {
    const made = element("button", { type: "button", class: "number", tabindex: -1 }, text);
    made.addEventListener("click", act);
    return made;
  };

  // One stop for the tab key; arrows go from number to number.
  function move(event) {
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const step = steps[event.key];
    const cell = event.target.closest("th, td");
    if (!step || !cell) return;
    const lines = [...table.rows];
    let [i, j] = [lines.indexOf(cell.parentElement), cell.cellIndex];
    let found = null;
    do {
      [i, j] = [i + step[0], j + step[1]];
      found = lines[i]?.cells[j]?.querySelector("button");
    } while (!found && lines[i]?.cells[j]);
    if (!found) return;
    event.preventDefault();
    for (const each of table.querySelectorAll("button")) each.tabIndex = -1;
    found.tabIndex = 0;
    found.focus();
  }

  // Draw the rows; the quantity that decides comes first, with its interval and a bar.
  function draw(question, rows, command) {
    const decides = picture.shown(question);
    const order = [decides, ...names.filter((name) => name !== decides)];
    const scored = Object.keys(question.weights).length > 1;
    const values = rows.map((row) => row.values[decides]).filter(Boolean);
    const to = values.length ? picture.scale(values) : null;
    const text = (name) =>
      element(
        "th",
        { scope: "col" },
        button(head(name), () => explain.column(name)),
      );
    table.tHead.replaceChildren(
      element(
        "tr",
        {},
        element("th", { scope: "col" }, "mode"),
        ...order.map(text),
        ...(scored ? [element("th", { scope: "col" }, button("score", explain.score))] : []),
      ),
    );
    const cell = (name, row) => {
      const each = row.values[name];
      const made = element("td", { "data-label": head(name) });
      if (!each) made.append("no data");
      else {
        if (name === decides) {
          made.className = "decides";
          made.append(picture.bar(each, to, row.baseline ? "#8a8a8a" : page.ink(row.mode.colour)));
        }
        const label = `${scaled(name, each.value)} ${quantities[name].unit}, ${row.mode.label}: explain`;
        const number = button(scaled(name, each.value), () =>
          explain.value(name, row, question, command),
        );
        number.setAttribute("aria-label", label);
        made.append(number);
        if (name === decides && spread(name, each))
          made.append(element("small", {}, spread(name, each)));
      }
      return made;
    };
    table.tBodies[0].replaceChildren(
      ...rows.map((row) => {
        const mode = element("th", { scope: "row" }, row.mode.label);
        if (remark(row)) mode.append(element("small", {}, remark(row)));
        const kind = row.baseline ? "baseline" : row === rows[0] || row.tied ? "best" : "";
        return element(
          "tr",
          kind ? { class: kind } : {},
          mode,
          ...order.map((name) => cell(name, row)),
          ...(scored
            ? [
                element(
                  "td",
                  { "data-label": "score" },
                  row.score === null ? "no data" : page.number(row.score),
                ),
              ]
            : []),
        );
      }),
    );
    const first = table.querySelector("tbody button") ?? table.querySelector("button");
    if (first) first.tabIndex = 0;
  }

  table.addEventListener("keydown", move);
  return { draw, flat, head, names };
})();

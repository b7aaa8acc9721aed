// The frames of captures: one exchange as a ladder, a trial as a time line.
"use strict";

(() => {
  const { ladder, line } = page.data.frames;
  const form = document.getElementById("capture-form");
  const label = new Map(page.data.decide.modes.map((mode) => [mode.name, mode.label]));
  const sides = ["device", "access point", "server"];
  const { rowsOf } = timeline;
  const chosen = (list) => list.find((each) => each.mode === form.mode.value);
  const named = (drawn) =>
    drawn ? `Trial ${drawn.study}/${drawn.trial}` : "No trial of this mode was captured so.";

  async function drawLadder() {
    const drawn = chosen(ladder);
    document.getElementById("ladder-trial").textContent = named(drawn);
    const steps = drawn
      ? rowsOf(drawn).map((row, i) => ({
          ...row,
          step: i + 1,
          text: `${row.ms.toFixed(2)} ms  ${row.what}, ${row.bytes} bytes`,
        }))
      : [];
    page.table(document.getElementById("ladder"), [
      ["ms", "from", "to", "what", "bytes"],
      ...steps.map((row) => [row.ms.toFixed(3), row.from, row.to, row.what, String(row.bytes)]),
    ]);
    const x = {
      field: "from",
      type: "nominal",
      scale: { domain: sides, type: "point", padding: 0.4 },
      axis: { orient: "top", title: null, labelAngle: 0, grid: true },
    };
    // an empty step on top: the first label stands below the line of the heads
    const domain = [0, ...steps.map((row) => row.step)];
    const y = { field: "step", type: "ordinal", axis: null, scale: { domain } };
    const ink = getComputedStyle(document.body).color;
    await page.chart("ladder-chart", {
      height: { step: 26 },
      data: { values: steps },
      layer: [
        { mark: { type: "rule", color: ink }, encoding: { x, x2: { field: "to" }, y } },
        {
          mark: { type: "point", filled: true, size: 60, color: ink, opacity: 1 },
          encoding: {
            x: { ...x, field: "to" },
            y,
            shape: {
              condition: {
                test: "datum.to === 'server' || (datum.to === 'access point' && datum.from === 'device')",
                value: "triangle-right",
              },
              value: "triangle-left",
            },
          },
        },
        {
          transform: [
            {
              calculate:
                "datum.from === 'server' || datum.to === 'server' ? 'access point' : 'device'",
              as: "left",
            },
          ],
          mark: { type: "text", dy: -7, dx: 14, align: "left", color: ink, fontSize: 11 },
          encoding: { x: { ...x, field: "left" }, y, text: { field: "text" } },
        },
      ],
    });
  }

  async function drawLine() {
    const drawn = chosen(line);
    document.getElementById("line-trial").textContent = named(drawn);
    document.getElementById("line-csv").disabled = !drawn;
    const rows = drawn ? rowsOf(drawn) : [];
    const count = (kind) => rows.filter((row) => row.kind === kind).length;
    document.getElementById("line-words").textContent = drawn
      ? `${count("message")} messages begin; ${count("data")} frames with data, ${count("retry")} repetitions, ` +
        `${count("ack")} acknowledgements of 802.11; ${count("null")} times the radio says that it sleeps or wakes. ` +
        "To zoom, scroll or pinch over the chart; drag to move; point at a mark to read it."
      : "";
    await timeline.draw("line-chart", rows);
  }

  function draw() {
    page.write("captures", { mode: form.mode.value });
    drawLadder();
    drawLine();
  }

  page.fill(
    form.mode,
    [...new Set([...ladder, ...line].map((each) => each.mode))].map((name) => [
      name,
      label.get(name),
    ]),
  );
  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("line-csv").addEventListener("click", () => {
    const drawn = chosen(line);
    page.download(
      `${drawn.mode}-frames.csv`,
      page.csv([Object.keys(drawn.rows), ...rowsOf(drawn).map(Object.values)]),
    );
  });
  page.shows.captures = () => {
    const wanted = page.read().state.get("mode");
    if (label.has(wanted)) form.mode.value = wanted;
    if (form.mode.value) draw();
    else document.getElementById("line-csv").disabled = true;
  };
})();

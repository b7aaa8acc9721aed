// The whole time line of one bundle or capture: a window of time, a search, the frames in a table.
"use strict";

page.shows.view = (() => {
  const { facts, rows: columns } = page.data.view;
  const form = document.getElementById("view-form");
  const rows = timeline.rowsOf({ rows: columns }).map((row, i) => ({ ...row, row: i }));
  const begin = (rows.length ? rows[0].ms : 0) / 1000; // the log begins before the first frame
  const end = (rows.length ? rows[rows.length - 1].ms : 0) / 1000;
  const most = { drawn: 4000, listed: 400 };
  // An address stands in the place of "".
  const order = ["device", "air: device", "air: access point", "", "not IP", "log"];
  const rank = (lane) => order.indexOf(order.includes(lane) ? lane : "");
  const lanes = [...new Set(columns.from)].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const found = new Map(); // text -> numbers of the rows that have it
  let latest = 0;

  const seconds = (x) => Math.round(x * 1e6) / 1e6;
  const span = () => {
    const from = form.from.value === "" ? begin : Number(form.from.value);
    const to = form.to.value === "" ? end : Number(form.to.value);
    return from < to ? [from, to] : [begin, end];
  };
  const text = (row) => `${row.from} ${row.to} ${row.kind} ${row.what}`.toLowerCase();

  function selected() {
    const wanted = form.search.value.trim().toLowerCase();
    if (!found.has(wanted))
      found.set(wanted, wanted ? rows.filter((row) => text(row).includes(wanted)) : rows);
    const [from, to] = span();
    return found
      .get(wanted)
      .filter((row) => row.ms >= from * 1000 - 1e-6 && row.ms <= to * 1000 + 1e-6);
  }

  // Of frames that would fall on each other the first is drawn.
  function thinned(values) {
    if (values.length <= most.drawn) return values;
    const [from, to] = span();
    const width = ((to - from) * 1000 * lanes.length) / most.drawn;
    const seen = new Set();
    return values.filter((row) => {
      const spot = `${row.from} ${row.kind} ${Math.floor(row.ms / width)}`;
      return !seen.has(spot) && seen.add(spot);
    });
  }

  function list(values) {
    const device = columns.device !== undefined;
    const head = [
      "s",
      ...(device ? ["device's clock, s"] : []),
      "from",
      "to",
      "kind",
      "what",
      "bytes",
    ];
    const cells = (row) => [
      (row.ms / 1000).toFixed(6),
      ...(device ? [row.device === null ? "" : row.device.toFixed(6)] : []),
      row.from,
      row.to,
      row.kind,
      row.what,
      row.bytes === null ? "" : String(row.bytes),
    ];
    page.table(document.getElementById("rows"), [head, ...values.map(cells)]);
    return [head, ...values.map(cells)];
  }

  async function draw() {
    const turn = ++latest;
    const values = selected();
    const drawn = thinned(values);
    const [from, to] = span();
    form.from.value = seconds(from);
    form.to.value = seconds(to);
    document.getElementById("shown").textContent =
      `${values.length} of ${rows.length} frames and log lines` +
      (drawn.length < values.length
        ? `, ${drawn.length} of them drawn: choose a shorter time`
        : "");
    const listed = values.slice(0, most.listed);
    document.getElementById("rows-caption").textContent =
      listed.length < values.length ? `The first ${listed.length}` : "All that are selected";
    list(listed);
    const scale = { domain: [from * 1000, to * 1000], nice: false };
    const title = "ms from the first frame";
    const view = await timeline.draw("view-chart", drawn, {
      height: Math.max(120, 34 * lanes.length),
      encoding: {
        x: { field: "ms", type: "quantitative", title, scale },
        y: { field: "from", type: "nominal", title: null, scale: { domain: lanes }, sort: null },
      },
    });
    // A window that is zoomed by the mouse is the form's, too.
    view?.addSignalListener("zoom", (_name, value) => {
      if (turn !== latest || !value?.ms) return;
      form.from.value = seconds(Math.max(begin, value.ms[0] / 1000));
      form.to.value = seconds(Math.min(end, value.ms[1] / 1000));
    });
  }

  // Moves by a share of the window's length, and lengthens it by a factor around its middle.
  function move(share, factor) {
    const [from, to] = span();
    const length = Math.min(end - begin, (to - from) * factor);
    const middle = (from + to) / 2 + (to - from) * share;
    const first = Math.min(Math.max(begin, middle - length / 2), end - length);
    form.from.value = seconds(first);
    form.to.value = seconds(first + length);
    draw();
  }

  const moves = {
    earlier: [-0.5, 1],
    later: [0.5, 1],
    closer: [0, 0.5],
    wider: [0, 2],
    whole: [0, Number.MAX_VALUE],
  };
  const keys = {
    ArrowLeft: "earlier",
    ArrowRight: "later",
    ArrowUp: "closer",
    ArrowDown: "wider",
    0: "whole",
  };
  for (const [name, by] of Object.entries(moves))
    document.getElementById(name).addEventListener("click", () => move(...by));
  form.addEventListener("change", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, .scroll") || event.ctrlKey || event.altKey || event.metaKey)
      return;
    if (event.key === "/") form.search.focus();
    else if (keys[event.key]) move(...moves[keys[event.key]]);
    else return;
    event.preventDefault();
  });
  document.getElementById("view-csv").addEventListener("click", () => {
    const shown = selected().slice(0, most.listed);
    page.download("frames.csv", page.csv(list(selected())));
    list(shown);
  });
  for (const [name, value] of Object.entries(facts))
    document
      .getElementById("facts")
      .append(page.element("dt", {}, name), page.element("dd", {}, String(value)));
  return draw;
})();

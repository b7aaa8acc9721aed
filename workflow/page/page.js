// What the parts of the page share: the address, small elements, charts, copies and downloads.
"use strict";

// biome-ignore lint/correctness/noUnusedVariables: the other scripts use it
const page = (() => {
  const data = window.thinwire;
  // A page of one part, such as that of `thinwire view`, has no others.
  const links = [...document.querySelectorAll("nav a")];
  const parts = data.parts ?? links.map((link) => link.hash.slice(1));
  const shows = {}; // part -> function that draws it, called when it is shown

  // The address holds the part and its whole state: #decide?payload=40&interval=60
  function read() {
    const [part, query] = location.hash.slice(1).split("?");
    return {
      part: parts.includes(part) ? part : parts[0],
      state: new URLSearchParams(query || ""),
    };
  }

  function write(part, state) {
    history.replaceState(null, "", `#${part}?${new URLSearchParams(state)}`);
  }

  let shown = "";
  function show() {
    const { part } = read();
    for (const name of parts) document.getElementById(name).hidden = name !== part;
    for (const link of links) {
      if (link.hash === `#${part}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (shows[part]) shows[part]();
    // a part begins at its top, whatever the browser has scrolled to
    if (shown !== part) scrollTo(0, 0);
    shown = part;
  }

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function fill(select, options, chosen) {
    select.replaceChildren(
      ...options.map(([value, text]) => new Option(text, value, false, value === chosen)),
    );
  }

  // Rows of cells into the parts of a table; the first row is its head. A cell is text, or
  // [text, small text].
  function table(target, rows, classes = []) {
    const cell = (name, content, label) => {
      const made = element(name, name === "th" ? { scope: "col" } : { "data-label": label });
      const [main, small] = Array.isArray(content) ? content : [content];
      made.append(main);
      if (small) made.append(element("small", {}, small));
      return made;
    };
    target.tHead.replaceChildren(element("tr", {}, ...rows[0].map((text) => cell("th", text))));
    target.tBodies[0].replaceChildren(
      ...rows
        .slice(1)
        .map((row, i) =>
          element(
            "tr",
            classes[i] ? { class: classes[i] } : {},
            ...row.map((content, j) => cell("td", content, rows[0][j])),
          ),
        ),
    );
  }

  // Three significant digits, whole numbers whole.
  function number(x) {
    if (x === null || x === undefined || Number.isNaN(x)) return "?";
    if (x === 0 || Math.abs(x) >= 100) return x.toFixed(0);
    return x.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.abs(x)))));
  }

  const loaded = new Promise((resolve) => window.addEventListener("load", resolve));
  const views = new Map();
  let drawn = 0; // how many charts stand: tests wait for it

  // A Vega-Lite chart in the colours of the page; the latest call for a place wins.
  async function chart(place, spec) {
    await loaded;
    const colour = text();
    const target = document.getElementById(place);
    target.dataset.label ||= target.getAttribute("aria-label"); // Vega writes its own
    const config = {
      background: null,
      font: "system-ui, sans-serif",
      view: { stroke: null },
      axis: {
        labelColor: colour,
        titleColor: colour,
        gridColor: "#88888855",
        domainColor: colour,
        tickColor: colour,
      },
      legend: {
        labelColor: colour,
        titleColor: colour,
        orient: window.innerWidth < 640 ? "bottom" : "right",
        columns: window.innerWidth < 640 ? 2 : 1,
      },
    };
    const whole = {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      width: Math.max(260, target.clientWidth - (window.innerWidth < 640 ? 70 : 240)),
      height: 300,
      autosize: { type: "pad" },
      description: target.dataset.label,
      ...spec,
      config,
    };
    const turn = {};
    views.set(place, turn);
    const made = await window.vegaEmbed(target, whole, { renderer: "svg", actions: false });
    if (views.get(place) !== turn) return;
    document.body.dataset.charts = ++drawn;
    return made.view;
  }

  const text = () => getComputedStyle(document.body).color;

  // A protocol's colour on the page's ground.
  const ink = (colour) =>
    colour === "#000000" && matchMedia("(prefers-color-scheme: dark)").matches ? "#ffffff" : colour;

  const colours = () => {
    const modes = data.decide.modes;
    const seen = new Map(modes.map((mode) => [mode.protocol, ink(mode.colour)]));
    return { domain: [...seen.keys()], range: [...seen.values()] };
  };

  // From file:// some browsers refuse the clipboard: then the text is shown for copying by hand.
  async function copy(text) {
    const note = document.querySelector("section:not([hidden]) .copied");
    try {
      await navigator.clipboard.writeText(text);
      note.textContent = "copied";
    } catch {
      window.prompt("Copy this:", text);
      note.textContent = "";
    }
  }

  function csv(rows) {
    const quoted = (x) =>
      /[",\n]/.test(String(x)) ? `"${String(x).replaceAll('"', '""')}"` : String(x ?? "");
    return rows.map((row) => `${row.map(quoted).join(",")}\n`).join("");
  }

  function download(name, content, type = "text/csv") {
    const link = element("a", {
      href: URL.createObjectURL(new Blob([content], { type })),
      download: name,
    });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  addEventListener("hashchange", show);
  // A dialog with a button that opens it, if the page has these.
  function dialog(id, opener) {
    const target = document.getElementById(id);
    if (!target) return;
    document.getElementById(opener).addEventListener("click", () => target.showModal());
    target.querySelector("button").addEventListener("click", () => target.close());
  }

  // The page calls it before the script of the charts, which takes longest, is read.
  let started = false;
  function start() {
    if (started) return;
    started = true;
    dialog("licences", "show-licences");
    show();
    document.body.dataset.ready = "yes";
  }

  addEventListener("DOMContentLoaded", start);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  return {
    data,
    shows,
    read,
    write,
    element,
    fill,
    table,
    number,
    chart,
    ink,
    text,
    colours,
    copy,
    csv,
    download,
    start,
  };
})();

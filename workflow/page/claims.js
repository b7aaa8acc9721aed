// The statements of the studies: counted by verdict, filtered, each with what it rests on.
"use strict";

(() => {
  const { columns, rows } = page.data.claims;
  const { sources, verdicts: meanings } = page.data;
  const claims = rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
  const form = document.getElementById("claim-filters");
  const words = {
    mqttsn: "MQTT-SN",
    mqtt: "MQTT",
    coap: "CoAP",
    http: "HTTP",
    websocket: "WebSocket",
    amqp: "AMQP",
  };
  const facts = [
    ["published", "published"],
    ["ours", "ours"],
    ["interval", "interval"],
    ["rule", "rule"],
    ["needs", "needs"],
    ["reason", "reason"],
    ["full run", "full run"],
    ["counted", "counted"],
    ["rests on", "rests on"],
    ["bundles", "bundles"],
    ["remake", "made again by"],
  ];
  // What supports a statement comes first, then what speaks against it; others decide nothing.
  const kinds = {
    reproduced: "good",
    "reproduced in direction": "good",
    "not reproduced": "bad",
    contradicted: "bad",
  };
  const known = [...new Set(claims.map((claim) => claim.verdict))];
  const verdicts = [
    ...Object.keys(kinds).filter((verdict) => known.includes(verdict)),
    ...known.filter((verdict) => !(verdict in kinds)).sort(),
  ];
  const all = "all";
  const most = 50; // entries that are listed at once

  // MQTT-SN is not MQTT.
  const speaksOf = (claim, name) =>
    new RegExp(`\\b${words[name]}\\b(?!-SN)`, "i").test(claim.statement);

  function detail(claim) {
    const list = page.element("dl");
    for (const [key, label] of facts) {
      if (!claim[key]) continue;
      const text =
        key === "remake" || key === "bundles" ? page.element("code", {}, claim[key]) : claim[key];
      list.append(page.element("dt", {}, label), page.element("dd", {}, text));
    }
    return list;
  }

  function entry(claim) {
    const values = [
      claim.published && `published ${claim.published}`,
      claim.ours && `ours ${claim.ours}`,
    ];
    const made = page.element(
      "details",
      { id: claim.claim },
      page.element(
        "summary",
        {},
        page.element("b", { class: kinds[claim.verdict] ?? "" }, claim.verdict),
        claim.full && claim.full !== claim.verdict ? ` (full run: ${claim.full})` : "",
        ` · ${claim.source}, ${claim.section} · ${claim.statement}`,
        page.element("small", {}, values.filter(Boolean).join("; ")),
      ),
    );
    made.addEventListener(
      "toggle",
      () => made.open && made.children.length === 1 && made.append(detail(claim)),
    );
    return made;
  }

  const count = (source, verdict) =>
    claims.filter((claim) => claim.source === source && claim.verdict === verdict).length;

  // A verdict as a button that says what it means.
  function head(verdict) {
    if (!meanings[verdict]) return verdict;
    const made = page.element("button", { type: "button", class: "number" }, verdict);
    made.addEventListener("click", () => explain.term(verdict, meanings[verdict]));
    return made;
  }

  // The statements of each source by verdict; a number filters the list.
  function counts() {
    const cell = (source, verdict) => {
      const n = count(source, verdict);
      const made = page.element("td", { "data-label": verdict });
      if (!n) return made;
      const total = claims.filter((claim) => claim.source === source).length;
      const share = Math.round((35 * n) / total);
      const colour = kinds[verdict] ? `var(--${kinds[verdict]})` : "var(--line)";
      made.style.background = `color-mix(in srgb, ${colour} ${share}%, transparent)`;
      const button = page.element(
        "button",
        { type: "button", class: "number", "aria-label": `${n} ${verdict}, ${source}` },
        String(n),
      );
      button.addEventListener("click", () => {
        form.source.value = source;
        form.verdict.value = verdict;
        draw();
        document.getElementById("claim-count").scrollIntoView({ block: "start" });
      });
      made.append(button);
      return made;
    };
    const name = (source) => {
      const { text, url } = sources[source] ?? { text: source };
      const made = page.element("th", { scope: "row" }, source);
      const label = url ? page.element("a", { href: url }, text) : text;
      made.append(page.element("small", {}, label));
      return made;
    };
    const table = document.getElementById("claim-counts");
    table.tHead.replaceChildren(
      page.element(
        "tr",
        {},
        page.element("th", { scope: "col" }, "source"),
        ...verdicts.map((verdict) => page.element("th", { scope: "col" }, head(verdict))),
      ),
    );
    table.tBodies[0].replaceChildren(
      ...[...new Set(claims.map((claim) => claim.source))].map((source) =>
        page.element("tr", {}, name(source), ...verdicts.map((verdict) => cell(source, verdict))),
      ),
    );
    const sum = (kind) => claims.filter((claim) => kinds[claim.verdict] === kind).length;
    document.getElementById("claim-answer").textContent =
      `Of ${claims.length} statements, ${sum("good")} are reproduced and ${sum("bad")} are not; ` +
      `${claims.length - sum("good") - sum("bad")} cannot be decided here, each with its reason.`;
  }

  function list(found, whole) {
    const shown = whole ? found : found.slice(0, most);
    const more = page.element("button", { type: "button" }, `Show all ${found.length}`);
    more.addEventListener("click", () => list(found, true));
    document
      .getElementById("claim-list")
      .replaceChildren(...shown.map(entry), ...(shown.length < found.length ? [more] : []));
  }

  function draw() {
    const wanted = Object.fromEntries(new FormData(form));
    const kept = Object.entries(wanted).filter(([, value]) => value && value !== all);
    page.write("claims", { verdict: all, ...Object.fromEntries(kept) });
    const text = wanted.text.toLowerCase();
    const found = claims.filter(
      (claim) =>
        ["source", "verdict", "kind"].every(
          (key) => wanted[key] === all || claim[key] === wanted[key],
        ) &&
        (wanted.protocol === all || speaksOf(claim, wanted.protocol)) &&
        (!text || `${claim.claim} ${claim.statement} ${claim.rule}`.toLowerCase().includes(text)),
    );
    document.getElementById("claim-count").textContent =
      `${found.length} of ${claims.length} statements`;
    list(found, false);
  }

  for (const key of ["source", "verdict", "kind"])
    page.fill(form[key], [
      [all, all],
      ...[...new Set(claims.map((claim) => claim[key]))].map((value) => [value, value]),
    ]);
  page.fill(form.protocol, [[all, all], ...Object.entries(words)]);
  counts();
  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  page.shows.claims = () => {
    const { state } = page.read();
    for (const field of form.elements)
      field.value = state.get(field.name) ?? (field.name === "text" ? "" : all);
    // without a choice, what speaks against the studies
    if (![...state.keys()].length && verdicts.includes("contradicted"))
      form.verdict.value = "contradicted";
    draw();
  };
})();

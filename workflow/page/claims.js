// The statements of the five studies: filtered, each with what it rests on.
"use strict";

(() => {
  const { columns, rows } = page.data.claims;
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
    const made = page.element(
      "details",
      { id: claim.claim },
      page.element(
        "summary",
        {},
        page.element("b", {}, claim.verdict),
        claim.full && claim.full !== claim.verdict ? ` (full run: ${claim.full})` : "",
        ` · ${claim.source}, ${claim.section} · ${claim.statement}`,
      ),
    );
    made.addEventListener(
      "toggle",
      () => made.open && made.children.length === 1 && made.append(detail(claim)),
    );
    return made;
  }

  function draw() {
    const wanted = Object.fromEntries(new FormData(form));
    page.write("claims", Object.fromEntries(Object.entries(wanted).filter(([, value]) => value)));
    const text = wanted.text.toLowerCase();
    const found = claims.filter(
      (claim) =>
        ["source", "verdict", "kind"].every((key) => !wanted[key] || claim[key] === wanted[key]) &&
        (!wanted.protocol || speaksOf(claim, wanted.protocol)) &&
        (!text || `${claim.claim} ${claim.statement} ${claim.rule}`.toLowerCase().includes(text)),
    );
    document.getElementById("claim-count").textContent =
      `${found.length} of ${claims.length} statements`;
    document.getElementById("claim-list").replaceChildren(...found.map(entry));
  }

  for (const key of ["source", "verdict", "kind"])
    page.fill(form[key], [
      ["", "all"],
      ...[...new Set(claims.map((claim) => claim[key]))].map((value) => [value, value]),
    ]);
  page.fill(form.protocol, [["", "all"], ...Object.entries(words)]);
  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  page.shows.claims = () => {
    const { state } = page.read();
    for (const field of form.elements) field.value = state.get(field.name) ?? "";
    draw();
  };
})();

// Of each bundle: seed, image, digests, and the command that makes it again.
"use strict";

(() => {
  const { bundles } = page.data;
  const form = document.getElementById("provenance-form");
  const most = 20;

  function draw() {
    const text = form.trial.value.trim();
    page.write("provenance", text ? { trial: text } : {});
    const found = bundles.filter((each) => `${each.study}/${each.trial}`.includes(text));
    const rows = found
      .slice(0, most)
      .map((each) => [
        `${each.study}/${each.trial}`,
        String(each.seed),
        each.outcome,
        each.firmware,
        each.image,
        each.digest,
        `thinwire trial run ${each.study} --trial ${each.trial} --out /tmp/again`,
      ]);
    page.table(document.getElementById("bundle"), [
      [
        "trial",
        "seed",
        "outcome",
        "firmware, SHA-256",
        "image",
        "bundle, SHA-256",
        "made again by",
      ],
      ...rows,
    ]);
    document.querySelector("#bundle caption").textContent =
      `${found.length} of ${bundles.length} bundles${found.length > most ? `, the first ${most}` : ""}`;
  }

  document
    .getElementById("trial-names")
    .append(...bundles.map((each) => new Option("", `${each.study}/${each.trial}`)));
  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  page.shows.provenance = () => {
    form.trial.value = page.read().state.get("trial") ?? "";
    draw();
  };
})();

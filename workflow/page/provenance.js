// Of each bundle: seed, image, digests, and the command that makes it again.
"use strict";

(() => {
  const { bundles } = page.data;
  const form = document.getElementById("provenance-form");
  const most = 20;

  // The first digits of a digest, with a button that copies it whole.
  function short(digest, what) {
    if (digest.length <= 12) return digest;
    const copy = page.element(
      "button",
      { type: "button", class: "number", "aria-label": `copy ${what} ${digest}`, title: digest },
      `${digest.slice(0, 8)}…`,
    );
    copy.addEventListener("click", () => page.copy(digest));
    return copy;
  }

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
        short(each.firmware, "the firmware's SHA-256"),
        short(each.image, "the image's digest"),
        short(each.digest, "the bundle's SHA-256"),
        `thinwire trial run ${each.study} --trial ${each.trial} --out /tmp/again`,
      ]);
    page.table(document.getElementById("bundle"), [
      ["trial", "seed", "outcome", "firmware", "image", "bundle", "made again by"],
      ...rows,
    ]);
    document.querySelector("#bundle caption").textContent =
      `${found.length} of ${bundles.length} bundles${found.length > most ? `, the first ${most}` : ""}. A digest's button copies all of it.`;
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

// A time line of frames and events, which several parts of the page draw.
"use strict";

// biome-ignore lint/correctness/noUnusedVariables: the other scripts use it
const timeline = (() => {
  const kinds = {
    data: "#0072B2",
    retry: "#D55E00",
    ack: "#7F7F7F",
    null: "#CC79A7",
    log: "#009E73",
    message: "#E69F00",
  };

  // Columns to rows.
  const rowsOf = (drawn) =>
    drawn.rows.ms.map((_, i) =>
      Object.fromEntries(Object.entries(drawn.rows).map(([name, column]) => [name, column[i]])),
    );

  // The colours of the kinds that there are.
  function coloured(values) {
    const present = new Set(values.map((row) => row.kind));
    const domain = Object.keys(kinds).filter((kind) => present.has(kind));
    return { domain, range: domain.map((kind) => kinds[kind]) };
  }

  // Draws rows of `ms`, `from` (a lane), `kind`, `what` and `bytes`.
  const draw = (place, values, more = {}) =>
    page.chart(place, {
      height: 160,
      data: { values },
      params: [{ name: "zoom", select: { type: "interval", encodings: ["x"] }, bind: "scales" }],
      mark: { type: "tick", thickness: 2, clip: true },
      ...more,
      encoding: {
        x: { field: "ms", type: "quantitative", title: "ms from the first frame" },
        y: { field: "from", type: "nominal", title: null },
        color: {
          field: "kind",
          type: "nominal",
          title: null,
          scale: coloured(values),
        },
        tooltip: [{ field: "ms" }, { field: "what" }, { field: "bytes" }, { field: "kind" }],
        ...more.encoding,
      },
    });

  return { rowsOf, draw };
})();

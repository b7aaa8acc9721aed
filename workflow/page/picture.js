// The answer as a picture: a dot and its interval for each mode, in the table and as a file to share.
"use strict";

// biome-ignore lint/correctness/noUnusedVariables: the other scripts use it
const picture = (() => {
  const { full, quantities, scaled } = answer;
  const escaped = (text) =>
    String(text).replace(
      /[&<>"]/g,
      (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c],
    );

  const ends = (each) =>
    Number.isNaN(each.low) ? [each.value] : [each.low, each.value, each.high];

  // Position of a value between 0 and 1 over all values with their intervals: logarithmic where they
  // span more than a factor of 20.
  function scale(values) {
    const all = values.flatMap(ends);
    const [least, greatest] = [Math.min(...all), Math.max(...all)];
    const logarithmic = least > 0 && greatest / least > 20;
    const turn = logarithmic ? Math.log10 : (x) => x;
    const width = turn(greatest) - turn(least) || 1;
    return { at: (x) => (turn(x) - turn(least)) / width, logarithmic, least, greatest };
  }

  // Interval and dot as SVG, between `left` and `left + width`.
  function mark(each, to, colour, left, width, y) {
    const x = (value) => (left + width * to.at(value)).toFixed(1);
    const line = Number.isNaN(each.low)
      ? ""
      : `<line x1="${x(each.low)}" x2="${x(each.high)}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="3" stroke-opacity="0.55"/>`;
    return `${line}<circle cx="${x(each.value)}" cy="${y}" r="4.5" fill="${colour}"/>`;
  }

  // The SVG element for a cell of the table.
  function bar(each, to, colour) {
    const cell = document.createElement("span");
    cell.className = "bar";
    cell.setAttribute("aria-hidden", "true");
    cell.innerHTML = `<svg viewBox="0 0 150 16" width="150" height="16">${mark(each, to, colour, 6, 138, 8)}</svg>`;
    return cell;
  }

  function wrapped(text, most) {
    const lines = [""];
    for (const word of text.split(" ")) {
      if (lines.at(-1) && `${lines.at(-1)} ${word}`.length > most) lines.push("");
      lines.push(`${lines.pop()} ${word}`.trim());
    }
    return lines;
  }

  // The quantity that the picture shows: the one that decides, or the first of several.
  const shown = (question) => Object.keys(question.weights)[0];

  // The whole picture as the text of an SVG file: sentence, condition, modes, source.
  function svg(question, rows, source) {
    const name = shown(question);
    const drawn = rows.filter((row) => row.values[name]);
    const to = scale(drawn.map((row) => row.values[name]));
    const text = (x, y, content, more = "") =>
      `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`;
    const parts = [];
    let y = 36;
    for (const line of wrapped(answer.sentence(question, rows), 62)) {
      parts.push(text(24, y, line, 'font-size="22" font-weight="600"'));
      y += 29;
    }
    for (const line of wrapped(answer.words(question), 100)) {
      parts.push(text(24, y, line, 'font-size="15" fill="#444444"'));
      y += 21;
    }
    y += 20;
    for (const row of drawn) {
      const each = row.values[name];
      const colour = row.baseline ? "#8a8a8a" : row.mode.colour;
      const label = row.mode.label + (row.baseline ? " (baseline)" : "");
      parts.push(text(232, y + 5, label, 'font-size="15" text-anchor="end"'));
      parts.push(`<line x1="244" x2="640" y1="${y}" y2="${y}" stroke="#dddddd"/>`);
      parts.push(mark(each, to, colour, 250, 384, y));
      parts.push(text(654, y + 5, full(name, each), 'font-size="14"'));
      y += 27;
    }
    const axis = `${quantities[name].name}, ${quantities[name].unit}${to.logarithmic ? ", logarithmic" : ""}: ${scaled(name, to.least)} to ${scaled(name, to.greatest)}; lines are 95 % intervals`;
    parts.push(text(250, y + 8, axis, 'font-size="13" fill="#444444"'));
    for (const line of wrapped(`${answer.sure(question, rows)} ${source}`, 128)) {
      y += 19;
      parts.push(text(24, y + 24, line, 'font-size="12.5" fill="#444444"'));
    }
    const height = y + 44;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 ${height}" width="900" height="${height}" font-family="system-ui, 'DejaVu Sans', sans-serif" fill="#1b1b1b" role="img"><title>${escaped(answer.sentence(question, rows))}</title><rect width="900" height="${height}" fill="#ffffff"/>\n${parts.join("\n")}\n</svg>\n`;
  }

  // The picture as PNG, twice as large, by a canvas.
  async function png(text) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }

  return { bar, png, scale, shown, svg };
})();

// The strips: every coding of a document as a line from left to right, and the edits of the chosen pair.

const STRIP = {
  row: 22, gap: 4, edits: 26, right: 12, top: 4, axis: 20, line: 18, tall: 416,
  names: 32, left: 200, font: "system-ui, sans-serif",
};

// Characters that no XML file may hold.
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function shortened(name, most) {
  return [...name].length > most ? [...name].slice(0, most - 1).join("") + "…" : name;
}

// Letters differ in width, and those of some scripts are twice as wide as others.
const ruler = document.createElement("canvas").getContext("2d");
ruler.font = `12px ${STRIP.font}`;
const textWidth = (text) => ruler.measureText(text).width;

function fitted(name, room) {
  let most = [...name].length;
  while (most > 2 && textWidth(shortened(name, most)) > room) most--;
  return shortened(name, most);
}

// How a boundary of a type stands in a row: ranks differ in height, other types in lane and color.
function markPlace(type, height) {
  if (!isTyped) return [0, height];
  const n = typeNumbers.length, place = typePlace.get(type) || 0;
  if (data.ranks) {
    const size = Math.max(4, height * (1 - place / n));
    return [height - size, size];
  }
  return [(place * height) / n, Math.max(2, height / n)];
}

// One path for all marks of a type in a row; what falls on the same half pixel is drawn once.
function stripPath(positions, x, top, height) {
  const steps = [];
  let last = -1;
  for (const position of positions) {
    const column = Math.round(x(position) * 2) / 2;
    if (column !== last) steps.push(`M${column} ${top}v${height}`);
    last = column;
  }
  return steps.join("");
}

function positionsByType(coding) {
  const found = new Map();
  coding.p.forEach((position, i) => {
    const type = coding.t ? coding.t[i] : PLAIN_TYPE;
    if (!found.has(type)) found.set(type, []);
    found.get(type).push(position);
  });
  return found;
}

// Draw a document; `order` are the coders from top to bottom, with the edits of the first two (null: without).
function drawStrips(doc, order, edits, width, colors) {
  const room = Math.min(STRIP.left, 0.34 * width);
  const names = order.map((coder) => fitted(shortened(data.coders[coder], STRIP.names), room));
  const left = 16 + Math.ceil(Math.max(...names.map(textWidth)));
  const inner = Math.max(40, width - left - STRIP.right);
  const x = (position) => left + (inner * position) / doc.n;
  const between = edits ? STRIP.edits : 0;
  const height = STRIP.top + order.length * (STRIP.row + STRIP.gap) + between + STRIP.axis;
  const rowTop = (place) => STRIP.top + place * (STRIP.row + STRIP.gap) + (place > 1 ? between : 0);
  const svg = draw("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "font-family": STRIP.font, "font-size": "12",
    "aria-label": `Boundaries of ${doc.name} by ${plural(order.length, "coder", "coders")}`,
  });
  svg.append(draw("rect", { x: 0, y: 0, width, height, fill: colors.paper }));
  order.forEach((coder, place) => {
    const y = rowTop(place);
    const ink = place < 2 || !edits ? colors.ink : colors.faint;
    const at = { x: left - 8, y: y + STRIP.row / 2 + 4, "text-anchor": "end" };
    svg.append(draw("text", { ...at, fill: ink }, names[place]));
    svg.append(draw("rect", { x: left, y, width: inner, height: STRIP.row, fill: colors.soft, rx: 2 }));
    for (const [type, positions] of positionsByType(doc.codings.get(coder))) {
      const [offset, size] = markPlace(type, STRIP.row);
      const d = stripPath(positions, x, y + offset, size);
      svg.append(draw("path", { d, fill: "none", stroke: typeColor(type, colors), "stroke-width": 2 }));
    }
  });
  const below = rowTop(1) + STRIP.row;
  if (order.length > 1 && edits) svg.append(...editMarks(edits, x, below + 5, colors));
  const ticks = [[0, "start"], [doc.n, "end"]];
  if (doc.n > 1) ticks.push([Math.round(doc.n / 2), "middle"]);
  for (const [position, anchor] of ticks) {
    const place = { x: x(position), y: height - 5, "text-anchor": anchor, "font-size": "11" };
    svg.append(draw("text", { ...place, fill: colors.faint }, stand(doc, position)));
  }
  const ring = draw("rect", {
    y: below + 1, height: 19, rx: 6, fill: "none", stroke: colors.ink, "stroke-width": 1.5,
    visibility: "hidden",
  });
  svg.append(ring);
  return { svg, ring, x, height, position: (place) => Math.round(((place - left) / inner) * doc.n) };
}

// The edits of an alignment in the order of the document, as they are drawn and walked through.
function listEdits(found) {
  const edits = [];
  for (const [p, type] of found.missed) edits.push({ kind: "missed", start: p, end: p, type });
  for (const [p, type] of found.spurious) edits.push({ kind: "spurious", start: p, end: p, type });
  for (const [p, type, other] of found.substitutions) {
    edits.push({ kind: "type", start: p, end: p, type, other });
  }
  for (const [i, j, type] of found.transpositions) {
    edits.push({ kind: "near", start: Math.min(i, j), end: Math.max(i, j), ref: i, hyp: j, type });
  }
  return edits.sort((a, b) => a.start - b.start || a.end - b.end || a.type - b.type);
}

// Below the pair: a curve for a near miss, a sign of its own for each other kind of edit.
function editMarks(edits, x, y, colors) {
  const paths = { near: new Set(), missed: new Set(), spurious: new Set(), type: new Set() };
  for (const edit of edits) {
    const from = Math.round(x(edit.start)), to = Math.round(x(edit.end));
    const shape = {
      near: `M${from} ${y}q${(to - from) / 2} 16 ${to - from} 0`,
      missed: `M${from - 4} ${y + 5}h8`,
      spurious: `M${from - 4} ${y + 5}h8M${from} ${y + 1}v8`,
      type: `M${from - 4} ${y + 3}h8M${from - 4} ${y + 7}h8M${from - 3} ${y + 10}l6 -10`,
    }[edit.kind];
    paths[edit.kind].add(shape);
  }
  return Object.entries(paths).filter(([, shapes]) => shapes.size).map(([kind, shapes]) =>
    draw("path", { d: [...shapes].join(""), fill: "none", stroke: colors[kind], "stroke-width": 2.5 }));
}

const typesIn = (doc, coders = [...doc.codings.keys()]) => {
  const present = new Set(coders.flatMap((coder) => doc.codings.get(coder).t || [PLAIN_TYPE]));
  return typeNumbers.filter((type) => present.has(type));
};

// What the marks of types or levels look like, of those that are drawn.
function typeLegend(types) {
  if (!isTyped || !types.length) return [];
  const colors = palette();
  return [data.ranks ? "Levels: " : "Types: ", ...types.flatMap((type) => {
    const swatch = draw("svg", { width: 12, height: 16, "aria-hidden": "true" });
    const [offset, size] = data.ranks ? markPlace(type, 16) : [0, 16];
    swatch.append(draw("rect", { x: 4, y: offset, width: 4, height: size, fill: typeColor(type, colors) }));
    const name = data.ranks ? typeName(type) : `${type} ${typeName(type)}`; // a type's number stands in the margin
    return [make("span", { class: "swatch" }, swatch, ` ${name}`), " "];
  })];
}

// A drawing that stands by itself says what it shows, what its signs and colors mean, and how it was made.
function captionStrips({ svg, height }, words, kinds, types, made) {
  const colors = PALETTES.light;
  svg.prepend(draw("title", {}, words.join(" · ")));
  const keys = [...kinds].sort().map((kind) => [`${KINDS[kind].sign} ${KINDS[kind].name}`, colors[kind]]);
  if (isTyped) keys.push(...types.map((type) => [`┃ ${typeName(type)}`, typeColor(type, colors)]));
  const said = words.map((word) => [[shortened(word, 150), colors.ink]]);
  const lines = [...said, keys, [[shortened(made, 150), colors.faint]]];
  lines.forEach((line, place) => {
    const text = draw("text", { x: 8, y: height + (place + 0.7) * STRIP.line, fill: colors.ink });
    for (const [word, fill] of line) text.append(draw("tspan", { fill }, word), "\u2003");
    svg.append(text);
  });
  const all = height + lines.length * STRIP.line + 4;
  svg.setAttribute("height", all);
  svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${all}`);
  svg.querySelector("rect").setAttribute("height", all);
}

// Put the ring around an edit, or take it away.
function ringEdit({ ring, x }, edit) {
  ring.setAttribute("visibility", edit ? "visible" : "hidden");
  if (!edit) return;
  ring.setAttribute("x", x(edit.start) - 8);
  ring.setAttribute("width", x(edit.end) - x(edit.start) + 16);
}

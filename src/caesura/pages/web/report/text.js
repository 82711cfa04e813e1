// The text of a document, or only its boundaries where the text is not known, with every coder in the margin.

const WHOLE_TEXT = 400; // so many units are all in the page; of longer texts only what is near the screen
const CHUNK = 50;
const COLUMN = 22;
const MOST_COLUMNS = 16;

// Who marks which position, and with which types: position -> [[coder, types], ...] in the given order.
function collectMarks(doc, order) {
  const marks = new Map();
  for (const coder of order) {
    const { p, t } = doc.codings.get(coder);
    p.forEach((position, i) => {
      if (!marks.has(position)) marks.set(position, []);
      const here = marks.get(position), type = t ? t[i] : PLAIN_TYPE;
      const last = here[here.length - 1];
      if (last && last[0] === coder) last[1].push(type);
      else here.push([coder, [type]]);
    });
  }
  return marks;
}

function numbersByPosition(edits) {
  const found = new Map();
  edits.forEach((edit, number) => {
    for (const position of new Set([edit.start, edit.end])) {
      if (!found.has(position)) found.set(position, []);
      found.get(position).push(number);
    }
  });
  return found;
}

function showText() {
  const doc = view.doc;
  view.marks = collectMarks(doc, view.order);
  view.positions = [...view.marks.keys()].sort((x, y) => x - y);
  view.editsAt = numbersByPosition(view.shown);
  const matches = isAlone() ? [] : view.alignment.matches;
  view.matchAt = new Set(matches.map(([position]) => position));
  showMargin();
  ui.text.classList.toggle("no-text", !doc.units);
  // Of a text that is laid out already only the gaps change, so that the reader's place stays where it is.
  const layout = `${doc.index} ${view.width} ${printing}`;
  if (layout === view.layout) refillText();
  else fillText(doc.units ? doc.n : view.positions.length);
  view.layout = layout;
}

function refillText() {
  keepFocus(ui.text);
  for (const gap of ui.text.querySelectorAll(".gap")) gap.replaceWith(makeGap(Number(gap.dataset.position)));
}

// A difference that had the focus is about to go away: the text has it then.
function keepFocus(element) {
  if (element.contains(document.activeElement)) ui.text.focus({ preventScroll: true });
}

function showMargin() {
  const isNarrow = view.width < 600;
  const room = Math.floor((view.width * (isNarrow ? 0.34 : 0.45)) / COLUMN);
  const coders = view.order.slice(0, Math.max(2, Math.min(MOST_COLUMNS, room)));
  view.columns = new Map(coders.map((coder, place) => [coder, place]));
  ui.text.style.setProperty("--margin", `${coders.length * COLUMN}px`);
  ui.head.replaceChildren(...coders.map((coder, place) =>
    make("span", { class: place < 2 ? "chosen" : "" }, shortened(data.coders[coder], isNarrow ? 7 : 12))));
  const left = view.order.length - coders.length;
  if (left > 0) ui.head.append(make("em", {}, `${left} more in the strips`));
}

// Short texts are in the page as a whole, so that the browser finds and prints them; longer ones in chunks
// that are filled when they come near the screen, and before printing.
function fillText(n) {
  if (view.observer) view.observer.disconnect();
  view.observer = null;
  keepFocus(ui.text);
  view.chunks = [];
  for (let from = 0; from < n; from += CHUNK) {
    view.chunks.push({ element: make("div", {}), from, to: Math.min(n, from + CHUNK), filled: false });
  }
  ui.text.replaceChildren(...view.chunks.map((chunk) => chunk.element));
  if (n === 0) ui.text.append(make("p", { class: "note" }, "No coder marks a boundary in this document."));
  if (n <= WHOLE_TEXT || printing) {
    view.chunks.forEach(fillChunk);
    return;
  }
  for (const chunk of view.chunks) chunk.element.style.height = `${likelyHeight(chunk)}px`;
  const byElement = new Map(view.chunks.map((chunk) => [chunk.element, chunk]));
  view.observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      (isIntersecting ? fillChunk : emptyChunk)(byElement.get(target));
    }
  }, { rootMargin: "1200px 0px" });
  for (const chunk of view.chunks) view.observer.observe(chunk.element);
}

function likelyHeight(chunk) {
  if (!view.doc.units) return (chunk.to - chunk.from) * 28;
  const letters = Math.max(20, Math.min(672, view.width - view.columns.size * COLUMN - 60) / 8.2);
  let height = 0;
  for (let i = chunk.from; i < chunk.to; i++) {
    const lines = Math.max(1, Math.ceil(view.doc.units[i].length / letters));
    height += 25 * lines + 3 + (view.marks.has(i + 1) ? 28 : 0);
  }
  return height;
}

function fillChunk(chunk) {
  if (chunk.filled) return;
  chunk.filled = true;
  const rows = [];
  for (let i = chunk.from; i < chunk.to; i++) {
    if (!view.doc.units) {
      rows.push(makeGap(view.positions[i]));
      continue;
    }
    rows.push(makeUnit(i));
    if (view.marks.has(i + 1)) rows.push(makeGap(i + 1));
  }
  chunk.element.replaceChildren(...rows);
  chunk.element.style.height = "";
}

function emptyChunk(chunk) {
  if (!chunk.filled) return;
  keepFocus(chunk.element);
  chunk.element.style.height = `${chunk.element.offsetHeight}px`;
  chunk.element.replaceChildren();
  chunk.filled = false;
}

function makeUnit(i) {
  const words = make("span", { class: "words", dir: "auto" }, view.doc.units[i]);
  return make("div", { class: "unit" }, make("span", { class: "tracks" }),
    make("span", { class: "number" }, whole(i + 1)), words);
}

// A gap between two units: who marks it, and what that is for the chosen pair.
function makeGap(position) {
  const marks = view.marks.get(position);
  const numbers = view.editsAt.get(position) || [];
  const isMatch = view.matchAt.has(position);
  const kind = numbers.length ? view.shown[numbers[0]].kind : isMatch ? "match" : "other";
  const says = make("span", { class: "says" }, ...numbers.map((number) => makeEdit(number, position)));
  if (isMatch && !numbers.length) says.append(make("span", { class: "edit" }, sign("match"), " match"));
  const outside = marks.filter(([coder]) => !view.columns.has(coder)).length;
  const more = plural(outside, "more coder", "more coders");
  if (outside) says.append(make("span", { class: "edit outside" }, more));
  const names = marks.map(([coder]) => data.coders[coder]).join(", ");
  const beside = view.doc.units ? "" : where(view.doc, position);
  return make("div", {
    class: `gap ${kind}`, "data-position": position, title: `${capital(where(view.doc, position))}: ${names}`,
  }, makeMarks(marks), make("span", { class: "number" }, beside), says);
}

function makeMarks(marks) {
  const tracks = make("span", { class: "tracks" });
  const colors = palette();
  for (const [coder, types] of marks) {
    const place = view.columns.get(coder);
    if (place === undefined) continue;
    const cell = make("span", { class: "mark" });
    cell.style.gridColumn = String(place + 1);
    for (const type of types) {
      const bar = make("i", {}, isTyped ? String(type) : "");
      bar.style.setProperty("--mark", typeColor(type, colors));
      const depth = (typePlace.get(type) || 0) / (typeNumbers.length + 1);
      if (data.ranks) bar.style.setProperty("--size", String(1 - depth));
      cell.append(bar);
    }
    tracks.append(cell);
  }
  return tracks;
}

const sign = (kind) => make("span", { class: `sign ${kind}`, "aria-hidden": "true" }, KINDS[kind].sign);

// Not in the tab order: there may be thousands, and n and p go through them.
function makeEdit(number, position) {
  const edit = view.shown[number];
  return make("button", {
    type: "button", class: "edit", tabindex: -1, title: describeEdit(edit), onclick: () => goToEdit(number),
  }, sign(edit.kind), ` ${editLabel(edit, position)}`);
}

function editLabel(edit, position) {
  if (edit.kind === "near") {
    const here = position === edit.ref ? "reference" : "hypothesis";
    const other = position === edit.ref ? edit.hyp : edit.ref;
    const apart = extent(Math.abs(other - position));
    return `near miss: ${here} here, the other ${apart} ${other > position ? "below" : "above"}`;
  }
  const other = edit.kind === "type" ? `, not ${typeName(edit.other)}` : "";
  return KINDS[edit.kind].name + (isTyped ? `: ${typeName(edit.type)}${other}` : "");
}

// Bring a gap into sight and return it.
function showPosition(position) {
  const place = view.doc.units ? position - 1 : view.positions.indexOf(position);
  const chunk = view.chunks.find(({ from, to }) => from <= place && place < to);
  fillChunk(chunk);
  const gap = chunk.element.querySelector(`[data-position="${position}"]`);
  gap.scrollIntoView({ block: "center" });
  return gap;
}

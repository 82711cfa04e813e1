// The two segmentations as strips whose boundaries are moved by pointer or keys, and the windows below them.

STRIP.row = 40; // a finger's width
const SIDES = [["ref", "Reference"], ["hyp", "Hypothesis"]];
const HANDLE = 16;
const WINDOW_ROW = 16;
const CELL = 5; // pixels from which on windows are told apart

let strips = null; // as drawn last
let held = null; // the boundary that is being dragged

const rowTop = (row) => STRIP.top + row * (STRIP.row + STRIP.gap);

function drawPair({ edits, runs }) {
  const { n, k, at } = state;
  const doc = { name: "the example", n, codings: new Map([[0, plainCoding(state.ref)], [1, plainCoding(state.hyp)]]) };
  const width = Math.max(280, ui.strips.clientWidth), colors = palette();
  strips = drawStrips(doc, [0, 1], listEdits(edits), width, colors);
  strips.svg.setAttribute("role", "group");
  if (at !== null) strips.svg.append(bracket(at, k, colors));
  SIDES.forEach(([side, name], row) => strips.svg.append(...state[side].map((p) => handle(side, name, row, p))));
  const focus = document.activeElement?.dataset?.side && { ...document.activeElement.dataset };
  ui.strips.replaceChildren(strips.svg);
  if (focus) focusHandle(focus.side, focus.position);
  ui.windows.replaceChildren(drawWindows(runs, width, colors));
}

function handle(side, name, row, p) {
  const x = strips.x(p) - HANDLE / 2;
  return draw("rect", {
    class: "handle", x, y: rowTop(row), width: HANDLE, height: STRIP.row, tabindex: 0, role: "slider",
    "aria-label": `${name} boundary`, "aria-valuemin": 1, "aria-valuemax": state.n - 1, "aria-valuenow": p,
    "aria-valuetext": `after unit ${p}`, "data-side": side, "data-position": p,
  });
}

function focusHandle(side, position) {
  ui.strips.querySelector(`[data-side="${side}"][data-position="${position}"]`)?.focus();
}

// What window i covers, over both strips.
function bracket(i, k, colors) {
  const [from, to] = [strips.x(i + 0.5), strips.x(i + k + 0.5)];
  return draw("rect", {
    x: from, y: 1, width: to - from, height: rowTop(1) + STRIP.row + 1, rx: 5, fill: colors.accent, "fill-opacity": 0.08,
    stroke: colors.accent, "stroke-width": 2,
  });
}

// A cell for every window, over the middle of what it covers.
function drawWindows(runs, width, colors) {
  const { n, k } = state;
  const svg = draw("svg", {
    width, height: 2 * (WINDOW_ROW + 4), role: "img", "font-family": STRIP.font, "font-size": "12",
    "aria-label": `${plural(Math.max(0, n - k), "window", "windows")}; those in error are lit`,
  });
  const x = (window) => strips.x(window + k / 2);
  Object.entries(ERRS).forEach(([name, errs], row) => {
    const y = row * (WINDOW_ROW + 4);
    svg.append(draw("text", { x: strips.x(0) - 8, y: y + 12, "text-anchor": "end", fill: colors.ink }, name));
    for (const run of runs) {
      const fill = errs(run) ? colors.missed : colors.soft;
      svg.append(draw("rect", { x: x(run.from), y, width: x(run.to) - x(run.from), height: WINDOW_ROW, fill }));
    }
    if (x(1) - x(0) < CELL) return;
    const lines = Array.from({ length: Math.max(0, n - k + 1) }, (_, i) => `M${x(i)} ${y}v${WINDOW_ROW}`);
    svg.append(draw("path", { d: lines.join(""), stroke: colors.paper, "stroke-width": 1 }));
  });
  return svg;
}

// ---------------------------------------------------------------- moving boundaries

function move(side, from, to) {
  const position = Math.max(1, Math.min(state.n - 1, to));
  if (position === from || state[side].includes(position)) return from;
  change({ [side]: [...state[side].filter((p) => p !== from), position].sort((x, y) => x - y) });
  return position;
}

const remove = (side, position) => change({ [side]: state[side].filter((p) => p !== position) });

const pointed = (event) => strips.position(event.clientX - ui.strips.getBoundingClientRect().left);

// Press a boundary to drag it, or to take it away; press elsewhere in a strip to add one.
function press(event) {
  if (event.button || state.n < 2) return;
  const y = event.clientY - ui.strips.getBoundingClientRect().top;
  const row = [0, 1].find((each) => y >= rowTop(each) && y <= rowTop(each) + STRIP.row);
  if (row === undefined) return;
  event.preventDefault();
  const { side, position } = event.target.dataset;
  if (side) held = { side, position: Number(position), isDone: false };
  else {
    held = { side: SIDES[row][0], position: null, isDone: true };
    held.position = move(held.side, null, pointed(event)) ?? Math.max(1, Math.min(state.n - 1, pointed(event)));
  }
  ui.strips.setPointerCapture(event.pointerId);
  focusHandle(held.side, held.position);
}

function drag(event) {
  if (!held) return;
  const before = held.position;
  held.position = move(held.side, before, pointed(event));
  if (held.position === before) return;
  held.isDone = true;
  focusHandle(held.side, held.position);
}

function release() {
  if (held && !held.isDone) remove(held.side, held.position);
  held = null;
}

const STEPS_OF_KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

function pressKey(event) {
  const { side } = event.target.dataset, position = Number(event.target.dataset.position);
  const step = STEPS_OF_KEYS[event.key];
  if (!side || (!step && event.key !== "Delete" && event.key !== "Backspace")) return;
  event.preventDefault();
  if (step) focusHandle(side, move(side, position, position + step));
  else remove(side, position);
}

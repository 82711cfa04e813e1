// The reader: one document, a reference and a hypothesis, their edits, the strips and the text.

const state = { doc: 0, ref: null, hyp: null, nT: data.n_t, edit: -1, hidden: new Set() };
const view = { doc: null, order: [], alignment: null, edits: [], shown: [], strips: null, chunks: [] };
const ui = {};
const shownNT = () => (data.step ? clock(state.nT * data.step) : String(state.nT));
const isAlone = () => state.ref === state.hyp;

// ---------------------------------------------------------------- what is shown

function defaultPair(doc) {
  const present = [...doc.codings.keys()];
  const machine = data.segmenters.find((coder) => doc.codings.has(coder)); // from best to worst
  const people = present.filter((coder) => data.references.includes(coder));
  const ref = people.length ? people[0] : present[0];
  const hyp = machine === undefined ? present.find((coder) => coder !== ref) : machine;
  return [ref, hyp === undefined ? ref : hyp];
}

function describeEdit(edit) {
  const [ref, hyp] = [state.ref, state.hyp].map((coder) => shortened(data.coders[coder], 40));
  const type = isTyped && edit.kind !== "type" ? ` (${typeName(edit.type)})` : "";
  const after = where(view.doc, edit.start);
  if (edit.kind === "near") {
    return `near miss${type}: ${ref} ${where(view.doc, edit.ref)}, ${hyp} ${where(view.doc, edit.hyp)}`;
  }
  if (edit.kind === "missed") return `missed${type}: only ${ref} has a boundary ${after}`;
  if (edit.kind === "spurious") return `spurious${type}: only ${hyp} has a boundary ${after}`;
  const types = `${typeName(edit.type)} by ${ref}, ${typeName(edit.other)} by ${hyp}`;
  return `${KINDS.type.name} ${after}: ${types}`;
}

// ---------------------------------------------------------------- the controls

const MOST_NAMES = 12;
const READOUT = "Point at a strip to read a boundary; press it to go there.";

function makeButton(label, text, press) {
  return make("button", { type: "button", "aria-label": label, title: label, onclick: press }, text);
}

function makeReader(root) {
  ui.root = root;
  ui.title = make("h3", { id: "document-title", tabindex: -1, dir: "auto" });
  ui.notice = make("p", { class: "notice", role: "alert" });
  ui.place = make("p", { class: "place" });
  ui.pair = make("p", { class: "pair" });
  ui.alone = make("p", { class: "note alone" });
  ui.result = make("p", { class: "result", id: "result" });
  ui.strips = make("div", {
    class: "strips", role: "group", "aria-label": "Strips",
    onpointermove: hoverStrips, onclick: clickStrips,
    onpointerleave: () => { ui.readout.textContent = READOUT; },
  });
  ui.readout = make("p", { class: "readout" }, READOUT);
  ui.legend = make("p", { class: "legend" });
  ui.live = make("p", { class: "hidden", "aria-live": "polite", role: "status" });
  ui.head = make("div", { class: "margin-head", "aria-hidden": "true" });
  ui.text = make("div", { class: "text", role: "region", "aria-labelledby": "document-title", tabindex: 0 });
  root.append(
    ui.notice,
    data.documents.length > 1 ? make("div", { class: "title-row" },
      makeButton("Previous document ([)", "‹", () => stepDocument(-1)), ui.title,
      makeButton("Next document (])", "›", () => stepDocument(1))) : ui.title,
    ui.place, makePairControls(), ui.alone, ui.pair, ui.result, makeKindControls(),
    ui.strips, ui.readout, ui.legend,
    make("div", { class: "stay" }, makeWalkControls(), ui.head), ui.live, ui.text);
}

function makePairControls() {
  ui.ref = make("select", { id: "reference", onchange: () => choosePair(Number(ui.ref.value), state.hyp) });
  ui.hyp = make("select", { id: "hypothesis", onchange: () => choosePair(state.ref, Number(ui.hyp.value)) });
  const slide = () => setNT(Number(ui.nT.value));
  ui.nT = make("input", { type: "range", min: 1, max: data.max_n_t, id: "n-t", oninput: slide });
  ui.nTValue = make("output", { for: "n-t" });
  return make("div", { class: "bar", role: "group", "aria-label": "What is compared" },
    make("label", { class: "field" }, make("span", {}, "Reference"), ui.ref),
    makeButton("Exchange reference and hypothesis (x)", "⇄", () => choosePair(state.hyp, state.ref)),
    make("label", { class: "field" }, make("span", {}, "Hypothesis"), ui.hyp),
    make("label", { class: "field slide" },
      make("span", {}, "Near misses span fewer than n_t = ", ui.nTValue, data.step ? "" : " units"), ui.nT));
}

function makeKindControls() {
  ui.kinds = make("fieldset", { class: "kinds" }, make("legend", {}, "Differences shown"));
  ui.kindCounts = {};
  for (const kind of ["near", "missed", "spurious", ...(isTyped ? ["type"] : [])]) {
    const box = make("input", { type: "checkbox", checked: true, onchange: () => {
      state.hidden[box.checked ? "delete" : "add"](kind);
      state.edit = -1;
      showEdits();
    } });
    ui.kindCounts[kind] = make("span", { class: "count" });
    const name = ` ${KINDS[kind].many} `;
    ui.kinds.append(make("label", { class: "kind" }, box, sign(kind), name, ui.kindCounts[kind]));
  }
  return ui.kinds;
}

function makeWalkControls() {
  ui.counter = make("span", { class: "counter" });
  ui.current = make("span", { class: "current-edit" });
  return make("div", { class: "walk", role: "group", "aria-label": "Differences" },
    makeButton("Previous difference (p)", "↑", () => stepEdit(-1)),
    makeButton("Next difference (n)", "↓", () => stepEdit(1)),
    ui.counter, ui.current,
    make("span", { class: "tools" },
      make("button", { type: "button", id: "save-svg", title: "Save strips", onclick: saveStrips }, "SVG"),
      make("button", { type: "button", id: "save-edits", title: "Save list", onclick: saveEdits }, "CSV"),
      makeButton("Keys (?)", "?", showHelp)));
}

function fillSelect(control, coders, chosen) {
  const options = (some) => some.map((coder) =>
    make("option", { value: coder, selected: coder === chosen }, data.coders[coder]));
  const machines = data.segmenters.filter((coder) => coders.includes(coder));
  const people = coders.filter((coder) => !machines.includes(coder));
  control.replaceChildren(...(machines.length ? [
    make("optgroup", { label: "References" }, ...options(people)),
    make("optgroup", { label: "Segmenters" }, ...options(machines))] : options(people)));
}

// ---------------------------------------------------------------- choosing

function chooseDocument(index, { ref = null, hyp = null } = {}) {
  state.doc = index;
  const doc = (view.doc = openDocument(index));
  const present = (coder) => coder !== null && doc.codings.has(coder);
  const [first, second] = defaultPair(doc);
  const stays = ref === null && present(state.ref) && present(state.hyp);
  state.ref = present(ref) ? ref : stays ? state.ref : first;
  state.hyp = present(hyp) ? hyp : present(state.hyp) && state.hyp !== state.ref ? state.hyp : second;
  if (state.hyp === state.ref) {
    const others = [...doc.codings.keys()].filter((coder) => coder !== state.ref);
    const other = others.find((coder) => data.references.includes(coder)) ?? others[0] ?? state.ref;
    if (present(hyp)) state.ref = other; // who was asked for stays
    else state.hyp = other;
  }
  ui.title.textContent = doc.name;
  ui.place.textContent = [
    ...(data.documents.length > 1 ? [`Document ${whole(index + 1)} of ${whole(data.documents.length)}`] : []),
    extent(doc.n),
    ...whoCoded(doc), ...(doc.units ? [] : ["no text in the page"]),
  ].join(" · ");
  state.edit = -1;
  realign();
  if (!printing) markCurrent();
}

function whoCoded(doc) {
  const machines = data.segmenters.filter((coder) => doc.codings.has(coder)).length;
  const people = doc.codings.size - machines;
  if (!machines) return [plural(people, "coder", "coders")];
  return [plural(people, "reference", "references"), plural(machines, "segmenter", "segmenters")];
}

function choosePair(ref, hyp) {
  [state.ref, state.hyp] = ref === hyp ? [state.hyp, state.ref] : [ref, hyp];
  state.edit = -1;
  realign();
  ui.live.textContent = `${data.coders[state.ref]} and ${data.coders[state.hyp]}: ${ui.result.textContent}`;
}

function stepDocument(by) {
  const order = listOrder();
  const place = order.indexOf(state.doc);
  const next = order[(place + by + order.length) % order.length];
  whenLoaded(next, () => {
    visit(next);
    if (ui.title.getBoundingClientRect().top < 0) ui.title.scrollIntoView({ block: "start" });
    ui.live.textContent = `Document ${view.doc.name}`;
  });
}

// Align again and draw everything that depends on it.
function realign() {
  const doc = view.doc;
  ui.notice.textContent = "";
  const coders = [...doc.codings.keys()];
  fillSelect(ui.ref, coders, state.ref);
  fillSelect(ui.hyp, coders, state.hyp);
  ui.nT.value = state.nT;
  ui.nTValue.textContent = shownNT();
  view.order = [...new Set([state.ref, state.hyp, ...coders])];
  view.alignment = align(doc.codings.get(state.ref), doc.codings.get(state.hyp), state.nT, data.weights);
  view.edits = listEdits(view.alignment);
  showResult();
  showEdits();
}

function setNT(nT) {
  state.nT = nT;
  state.edit = -1;
  realign();
  ui.live.textContent = `n_t ${shownNT()}: ${ui.result.textContent}`;
}

// What is compared, for paper and for saved figures, where there are no controls.
function pairInWords() {
  const [ref, hyp] = [state.ref, state.hyp].map((coder) => shortened(data.coders[coder], 40));
  return `Reference ${ref}, hypothesis ${hyp}, n_t = ${shownNT()}`;
}

// The library's signature of B for the chosen pair.
function signature() {
  const parts = isAlone() ? [] : ["B", `n_t=${state.nT}`, ...data.signature];
  return [...parts, `caesura ${data.version}`].join("|");
}

function showResult() {
  const { matches, similarity } = view.alignment;
  const count = (kind) => view.edits.filter((edit) => edit.kind === kind).length;
  const parts = [plural(matches.length, "match", "matches")];
  for (const kind of Object.keys(ui.kindCounts)) {
    ui.kindCounts[kind].textContent = whole(count(kind));
    parts.push(plural(count(kind), KINDS[kind].name, KINDS[kind].many));
  }
  ui.nT.disabled = ui.kinds.disabled = isAlone();
  ui.alone.textContent = isAlone() ? "n_t and the differences shown are for two coders; here is one." : "";
  if (isAlone()) {
    ui.pair.textContent = "";
    ui.result.textContent = "One coder: there is nothing to compare.";
    return;
  }
  ui.pair.textContent = pairInWords();
  const fraction = `${Number(similarity.numerator.toFixed(4))} / ${similarity.denominator}`;
  const value = make("strong", {}, `B ${decimals(similarity.value)}`);
  ui.result.replaceChildren(value, ` = ${fraction} · ${parts.join(" · ")}`);
}

function showEdits() {
  view.shown = view.edits.filter((edit) => !state.hidden.has(edit.kind));
  if (state.edit >= view.shown.length) state.edit = view.shown.length - 1;
  showStrips();
  showText();
  showCurrent(false);
}

// ---------------------------------------------------------------- strips

// Asking for a width makes the browser lay the page out, so it is asked for once.
function measure() {
  view.width = Math.max(280, ui.strips.clientWidth);
}

function showStrips() {
  view.strips = drawStrips(view.doc, view.order, view.shown, view.width, palette());
  ringEdit(view.strips, view.shown[state.edit]);
  ui.strips.replaceChildren(view.strips.svg);
  ui.strips.tabIndex = view.strips.height > STRIP.tall ? 0 : -1; // what scrolls is reached by keyboard
  ui.legend.replaceChildren(...typeLegend(typesIn(view.doc)));
}

function nearestBoundary(event) {
  const box = ui.strips.getBoundingClientRect();
  const at = view.strips.position(event.clientX - box.left + ui.strips.scrollLeft);
  let low = 0, high = view.positions.length; // the first position that is not before the pointer
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.positions[middle] < at) low = middle + 1;
    else high = middle;
  }
  const near = view.positions.slice(Math.max(0, low - 1), low + 1);
  return near.length ? near.reduce((x, y) => (Math.abs(y - at) < Math.abs(x - at) ? y : x)) : null;
}

function hoverStrips(event) {
  const position = nearestBoundary(event);
  if (position === null) return;
  const marks = view.marks.get(position);
  const kinds = (types) => (isTyped ? ` (${types.map(typeName).join(", ")})` : "");
  const who = marks.slice(0, MOST_NAMES).map(([coder, types]) =>
    shortened(data.coders[coder], STRIP.names) + kinds(types));
  if (marks.length > MOST_NAMES) who.push(`${whole(marks.length - MOST_NAMES)} more`);
  const share = `${whole(marks.length)} of ${plural(view.doc.codings.size, "coder", "coders")}`;
  ui.readout.textContent = `${capital(where(view.doc, position))}: ${share}: ${who.join(", ")}`;
}

function clickStrips(event) {
  const position = nearestBoundary(event);
  if (position !== null) showPosition(position);
}

function saveStrips() {
  const strips = drawStrips(view.doc, view.order, view.shown, 1000, PALETTES.light);
  const words = [view.doc.name, ui.pair.textContent, ui.result.textContent].filter((word) => word);
  const kinds = new Set(view.shown.map((edit) => edit.kind));
  captionStrips(strips, words, kinds, typesIn(view.doc), signature());
  const text = new XMLSerializer().serializeToString(strips.svg).replace(NOT_XML, "\ufffd");
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  download(fileName(view.doc.name, "svg"), "image/svg+xml", `${declaration}\n${text}\n`);
}

function saveEdits() {
  const head = ["document", "reference", "hypothesis", "n_t", "kind", "reference position",
    "hypothesis position", "reference type", "hypothesis type"];
  const chosen = [view.doc.name, data.coders[state.ref], data.coders[state.hyp], state.nT];
  const rows = view.shown.map((edit) => {
    const inRef = edit.kind !== "spurious", inHyp = edit.kind !== "missed";
    const [ref, hyp] = edit.kind === "near" ? [edit.ref, edit.hyp] : [edit.start, edit.start];
    const other = edit.kind === "type" ? edit.other : edit.type;
    return [...chosen, KINDS[edit.kind].name, inRef ? ref : null, inHyp ? hyp : null,
      inRef ? typeName(edit.type) : null, inHyp ? typeName(other) : null];
  });
  download(fileName(`${view.doc.name} edits`, "csv"), "text/csv", toCsv([head, ...rows]));
}

// ---------------------------------------------------------------- moving

function goToEdit(number) {
  state.edit = number;
  ringEdit(view.strips, view.shown[number]);
  showCurrent(true);
}

function stepEdit(by) {
  const n = view.shown.length;
  if (n === 0) {
    ui.live.textContent = "No differences.";
    return;
  }
  const from = state.edit < 0 && by < 0 ? 0 : state.edit;
  goToEdit((from + by + n) % n);
}

function showCurrent(move) {
  const edit = view.shown[state.edit];
  const n = view.shown.length;
  const all = plural(n, "difference", "differences");
  ui.counter.textContent = edit ? `${whole(state.edit + 1)} of ${whole(n)}` : all;
  ui.current.textContent = edit ? describeEdit(edit) : "";
  for (const old of ui.text.querySelectorAll(".current")) old.classList.remove("current");
  if (edit) {
    const shown = ui.text.querySelector(`[data-position="${edit.start}"]`);
    const gap = move ? showPosition(edit.start) : shown;
    if (gap) gap.classList.add("current");
    if (move) ui.live.textContent = `Difference ${state.edit + 1} of ${n}: ${describeEdit(edit)}`;
  }
  writeHash();
}

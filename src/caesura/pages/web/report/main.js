// Starts the page: deep links, keys, tables and figures as files, the first picture, and the one global name.

// ---------------------------------------------------------------- #doc=NAME&ref=A&hyp=B&n_t=3&edit=4

function hashFor(index) {
  return "#" + new URLSearchParams({ doc: data.documents[index].name });
}

// Browsers refuse an address that changes some hundred times in half a minute, as it would under a held key.
const PAUSE = 400;
const times = { ready: false, written: -PAUSE, visited: -PAUSE, timer: 0 };

// A page that was only opened keeps its address.
function writeHash() {
  if (!times.ready) return;
  clearTimeout(times.timer);
  times.timer = setTimeout(saveAddress, Math.max(0, times.written + PAUSE - performance.now()));
}

// The number of a difference is that among all of them, so that it does not depend on the kinds shown here.
function saveAddress() {
  const [ref, hyp] = [state.ref, state.hyp].map((coder) => data.coders[coder]);
  const fields = { doc: view.doc.name, ref, hyp, n_t: state.nT };
  if (state.edit >= 0) fields.edit = view.edits.indexOf(view.shown[state.edit]) + 1;
  times.written = performance.now();
  history.replaceState(null, "", "#" + new URLSearchParams(fields));
}

// Go to another document; the browser's back button leads to the one before.
function visit(index, pair = {}) {
  if (performance.now() > times.visited + PAUSE) {
    saveAddress();
    history.pushState(null, "", hashFor(index));
  }
  times.visited = performance.now();
  chooseDocument(index, pair);
}

const linked = (name) => name.replace(/\p{Surrogate}/gu, "\ufffd"); // no address holds half a character

function linkedDocument() {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("doc");
  return data.documents.findIndex((stored) => linked(stored.name) === wanted);
}

// Show what the address asks for, and say what of it there is not.
function readHash() {
  clearTimeout(times.timer);
  const fields = new URLSearchParams(location.hash.slice(1));
  const wanted = fields.get("doc");
  if (wanted === null) return false;
  const absent = [];
  const index = linkedDocument();
  if (index < 0) absent.push(`a document “${shortened(wanted, 80)}”`);
  const doc = openDocument(Math.max(0, index));
  const coder = (field, role) => {
    const name = fields.get(field);
    const place = data.coders.findIndex((one) => linked(one) === name);
    if (doc.codings.has(place)) return place;
    if (name && index >= 0) absent.push(`a ${role} “${shortened(name, 80)}” for this document`);
    return null;
  };
  const number = (field, high, role) => {
    const value = Number(fields.get(field));
    if (Number.isInteger(value) && value >= 1 && value <= high) return value;
    if (fields.has(field) && index >= 0) absent.push(`${role} ${shortened(fields.get(field), 20)}`);
    return null;
  };
  const [ref, hyp] = [coder("ref", "reference"), coder("hyp", "hypothesis")];
  if (ref !== null && ref === hyp && doc.codings.size > 1) absent.push("two different coders");
  state.nT = number("n_t", data.max_n_t, "n_t =") || state.nT;
  chooseDocument(doc.index, { ref, hyp });
  const edit = number("edit", view.edits.length, "difference");
  const place = edit === null ? -1 : view.shown.indexOf(view.edits[edit - 1]);
  if (place >= 0) goToEdit(place);
  else ui.title.scrollIntoView({ block: "start" });
  ui.notice.textContent = absent.length ? `The link asks for what is not here: ${absent.join("; ")}.` : "";
  return true;
}

// ---------------------------------------------------------------- keys

const KEYS = [
  ["n or j", "next difference", ["n", "j"], () => stepEdit(1)],
  ["p or k", "previous difference", ["p", "k"], () => stepEdit(-1)],
  ["]", "next document", ["]"], () => stepDocument(1)],
  ["[", "previous document", ["["], () => stepDocument(-1)],
  ["x", "exchange reference and hypothesis", ["x"], () => choosePair(state.hyp, state.ref)],
  ["+ and −", "larger and smaller n_t", ["+"], () => slide(1)],
  [null, null, ["-", "−"], () => slide(-1)],
  ["/", "find a document", ["/"], () => list.search.focus()],
  ["?", "this help", ["?"], () => showHelp()],
];

function slide(by) {
  if (!ui.nT.disabled) setNT(Math.min(data.max_n_t, Math.max(1, state.nT + by)));
}

function pressKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.target.closest("select, input:not([type=range]):not([type=checkbox])")) return;
  const found = KEYS.find(([, , keys]) => keys.includes(event.key));
  if (!found) return;
  event.preventDefault();
  found[3]();
}

const help = make("dialog", { "aria-labelledby": "help-title" },
  make("h2", { id: "help-title" }, "Keys"),
  make("dl", {}, ...KEYS.filter(([name]) => name).flatMap(([name, meaning]) =>
    [make("dt", {}, name), make("dd", {}, meaning)])),
  make("p", {}, "The address follows the view: copy it to share a difference."),
  make("button", { type: "button", onclick: () => help.close() }, "Close"));

function showHelp() {
  help.showModal();
}

// ---------------------------------------------------------------- the fixed tables and figures

function addTableButtons() {
  const read = (cell) => (cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value));
  for (const details of document.querySelectorAll("main details:has(table)")) {
    const name = details.querySelector("summary").textContent;
    const table = details.querySelector("table");
    const save = () => {
      const rows = [...table.rows].map((row) => [...row.cells].map(read));
      download(fileName(name, "csv"), "text/csv", toCsv(rows));
    };
    const button = make("button", { type: "button", "aria-label": `${name} as CSV`, onclick: save }, "CSV");
    table.parentElement.after(make("p", { class: "table-tools" }, button));
  }
}

function addFigureButtons() {
  for (const figure of document.querySelectorAll("#figures figure")) {
    const image = figure.querySelector("img");
    const save = () => {
      const bytes = Uint8Array.from(atob(image.src.split(",")[1]), (one) => one.charCodeAt(0));
      download(fileName(image.alt, "svg"), "image/svg+xml", bytes);
    };
    const label = `Save as SVG: ${image.alt}`;
    const button = make("button", { type: "button", "aria-label": label, onclick: save }, "SVG");
    figure.append(make("p", { class: "table-tools" }, button));
  }
}

function addNavigation() {
  for (const section of document.querySelectorAll("main > section")) {
    const link = make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent);
    document.getElementById("sections").append(link);
  }
}

// ---------------------------------------------------------------- the first picture, and resizing

// The document on which people agree least, or the one on which the best segmenter is farthest off.
function showWorst() {
  const figure = document.getElementById("worst");
  if (!figure || !data.documents.length) return;
  const doc = openDocument(data.worst);
  const [ref, hyp] = defaultPair(doc);
  const coders = data.segmenters.length ? [...new Set([ref, hyp])] : [...doc.codings.keys()];
  const edits = data.segmenters.length && ref !== hyp
    ? listEdits(align(doc.codings.get(ref), doc.codings.get(hyp), data.n_t, data.weights)) : null;
  const shown = coders.slice(0, MOST_STRIPS);
  const { svg } = drawStrips(doc, shown, edits, Math.max(280, figure.clientWidth), palette());
  const link = make("a", { href: hashFor(data.worst) }, shortened(doc.name, 60));
  const kinds = Object.keys(KINDS).filter((kind) => (edits || []).some((edit) => edit.kind === kind));
  const signs = kinds.map((kind) => make("span", { class: "swatch" }, sign(kind), ` ${KINDS[kind].name}`));
  const legend = [...signs, ...typeLegend(typesIn(doc, shown))];
  figure.replaceChildren(svg, make("figcaption", {}, "Boundaries of ", link, whyWorst(coders, shown)),
    ...(legend.length ? [make("p", { class: "legend" }, ...legend)] : []));
}

function whyWorst(coders, shown) {
  const left = coders.length - shown.length;
  const more = left ? `, ${plural(left, "more coder", "more coders")} below` : "";
  if (data.documents.length < 2 || coders.length < 2 || data.worst_value === null) return more;
  const best = data.segmenters.length ? `${shortened(data.coders[coders[1]], 40)} is farthest off` : "the coders agree least";
  return `, where ${best} (${data.worst_value})${more}`;
}

const MOST_STRIPS = 14;
let lastWidth = innerWidth;

function resized() {
  if (innerWidth === lastWidth) return;
  lastWidth = innerWidth;
  measure();
  showEdits();
  showWorst();
}

// ---------------------------------------------------------------- start

addNavigation();
addTableButtons();
addFigureButtons();
document.body.append(help);
makeReader(document.getElementById("reader"));
makeList(document.getElementById("list"));
document.querySelectorAll(".scroll").forEach(addFrame);
measure();
showWorst();
const first = location.hash.includes("doc=") ? Math.max(0, linkedDocument()) : data.worst;
await loadText(first);
if (!readHash()) chooseDocument(data.worst);
times.ready = true;
addEventListener("hashchange", () => whenLoaded(Math.max(0, linkedDocument()), readHash));
addEventListener("keydown", pressKey);
addEventListener("resize", resized);
addEventListener("beforeprint", () => setPrinting(true));
addEventListener("afterprint", () => setPrinting(false));
darkness.addEventListener("change", () => {
  showEdits();
  showWorst();
});

// For tests and curious readers: align(reference, hypothesis, n_t, weights), the data, and what is shown.
window.caesuraReport = { align, data, state, view, openDocument };

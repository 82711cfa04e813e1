// Starts the page: deep links, keys, tables as CSV, printing, and the one global name.

// ---------------------------------------------------------------- #doc=NAME&ref=A&hyp=B&n_t=3&edit=4

function hashFor(index) {
  return "#" + new URLSearchParams({ doc: data.documents[index].name });
}

let ready = false; // a page that was only opened keeps its address

function writeHash() {
  if (!ready) return;
  const [ref, hyp] = [state.ref, state.hyp].map((coder) => data.coders[coder]);
  const fields = { doc: view.doc.name, ref, hyp, n_t: state.nT };
  if (state.edit >= 0) fields.edit = state.edit + 1;
  history.replaceState(null, "", "#" + new URLSearchParams(fields));
}

function readHash() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const index = data.documents.findIndex((stored) => stored.name === fields.get("doc"));
  if (index < 0) return false;
  const coder = (name) => {
    const place = data.coders.indexOf(fields.get(name));
    return place < 0 ? null : place;
  };
  const number = (name, low, high, other) => {
    const value = Number(fields.get(name));
    return Number.isInteger(value) && value >= low && value <= high ? value : other;
  };
  state.nT = number("n_t", 1, data.max_n_t, state.nT);
  chooseDocument(index, { ref: coder("ref"), hyp: coder("hyp"), edit: number("edit", 1, Infinity, 0) - 1 });
  if (state.edit >= 0) showCurrent(true);
  else ui.title.scrollIntoView({ block: "start" });
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
  setNT(Math.min(data.max_n_t, Math.max(1, state.nT + by)));
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
  make("p", {}, "The address of the page always leads back to what is shown: copy it to share a difference."),
  make("button", { type: "button", onclick: () => help.close() }, "Close"));

function showHelp() {
  help.showModal();
}

// ---------------------------------------------------------------- the fixed tables

function addTableButtons() {
  const read = (cell) => (cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value));
  for (const details of document.querySelectorAll("main details")) {
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

function addNavigation() {
  for (const section of document.querySelectorAll("main > section")) {
    const link = make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent);
    document.getElementById("sections").append(link);
  }
}

// ---------------------------------------------------------------- printing and resizing

function setPrinting(on) {
  printing = on;
  if (on) view.width = Math.min(view.width, 680);
  else measure();
  for (const details of document.querySelectorAll("main details")) {
    if (on) details.dataset.was = details.open ? "open" : "";
    details.open = on || details.dataset.was === "open";
  }
  list.first = -1;
  drawRows();
  showStrips();
  showText();
}

let lastWidth = innerWidth;

function resized() {
  if (innerWidth === lastWidth) return;
  lastWidth = innerWidth;
  measure();
  showEdits();
}

// ---------------------------------------------------------------- start

addNavigation();
addTableButtons();
document.body.append(help);
makeReader(document.getElementById("reader"));
makeList(document.getElementById("list"));
measure();
if (!readHash()) chooseDocument(0);
ready = true;
addEventListener("hashchange", readHash);
addEventListener("keydown", pressKey);
addEventListener("resize", resized);
addEventListener("beforeprint", () => setPrinting(true));
addEventListener("afterprint", () => setPrinting(false));
darkness.addEventListener("change", showEdits);

// For tests and curious readers: align(reference, hypothesis, n_t, weights), the data, and what is shown.
window.caesuraReport = { align, data, state, view, openDocument };

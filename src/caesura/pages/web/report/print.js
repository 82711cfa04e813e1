// Printing: the open document, or, if asked for, all that are listed, one after another and with their texts.

const PRINTED_CODERS = 12; // a wider grid does not fit on paper

function makePrintChoice() {
  list.print = make("select", { id: "print", onchange: preparePrinting },
    make("option", { value: "open" }, "the open document"), make("option", { value: "listed" }));
  return make("label", { class: "field" }, make("span", {}, "Print"), list.print);
}

function showPrintChoice() {
  list.print.options[1].textContent = `the ${plural(list.order.length, "document", "documents")} listed`;
  preparePrinting();
}

// A browser does not wait before it prints: what may be printed is unpacked when it is chosen.
function preparePrinting() {
  if (list.print.value === "listed") list.order.forEach(loadText);
}

function setPrinting(on) {
  printing = on;
  if (on) view.width = Math.min(view.width, 680);
  else measure();
  for (const details of document.querySelectorAll("main details:not(.unprinted)")) {
    if (on) details.dataset.was = details.open ? "open" : "";
    details.open = on || details.dataset.was === "open";
  }
  if (list.view === EACH_CODER && list.columns.length > PRINTED_CODERS) list.table.hidden = on;
  list.first = -1;
  drawRows();
  showStrips();
  showText();
  showWorst();
  for (const copy of document.querySelectorAll(".copy")) copy.remove();
  if (on && list.print.value === "listed") addCopies();
}

// Every other document is opened as the reader would, and what is seen is copied.
function addCopies() {
  const { doc, ref, hyp, edit } = state;
  const place = list.order.indexOf(doc);
  const copies = list.order.map((index) => (index === doc ? null : copyOf(index)));
  chooseDocument(doc, { ref, hyp });
  state.edit = edit;
  showCurrent(false);
  ui.root.before(...copies.slice(0, Math.max(0, place)));
  ui.root.after(...copies.slice(place + 1));
}

function copyOf(index) {
  chooseDocument(index);
  const copy = ui.root.cloneNode(true);
  copy.className = "copy";
  for (const element of [copy, ...copy.querySelectorAll("[id]")]) element.removeAttribute("id");
  return copy;
}

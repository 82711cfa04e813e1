// Starts the page: who codes, keys, undo, saving and opening files.

const state = { coder: null, documents: [], practice: [], doc: null, type: 1, tick: () => {} };

// ---------------------------------------------------------------- changes

// Keep a document's work in the browser.
function keep(doc) {
  state.work.keep(entryOf(doc), doc.coding.store());
}

function keepChanged() {
  if (!state.doc.key) state.work.setSaved(false);
  state.tick();
  keep(state.doc);
}

// One gap has changed: only it is drawn again.
function changed(position) {
  say("");
  state.doc.isCompared = false;
  state.list.refresh(position);
  keepChanged();
  showProgress();
}

function goBack(position, nothing) {
  if (position === null) {
    say(nothing);
    return;
  }
  changed(position);
  if (position) state.list.go(position);
}

const undo = () => goBack(state.doc.coding.history.undo(), "Nothing to undo.");
const redo = () => goBack(state.doc.coding.history.redo(), "Nothing to redo.");

// ---------------------------------------------------------------- files

function saveFile() {
  state.tick();
  const name = fileName(`${data.title} ${state.coder}`, "json");
  saveSealed(name, fileContent());
  state.work.setSaved(true);
  const open = state.documents.filter(({ coding }) => !coding.isFinished).map((doc) => doc.document);
  const doubtful = state.documents.filter(({ coding }) => coding.done === null && coding.isBegun && !coding.wasRead);
  const parts = [`Saved ${name}. Send it to the person who gave you this page.`];
  if (open.length) parts.push(`Not finished: ${shortList(open)}.`);
  if (doubtful.length) {
    parts.push(`Counted as finished, although its end was never on the screen: ${shortList(doubtful.map((doc) => doc.document))}.`);
  }
  say(parts.join(" "));
}

function openFile(text, name) {
  const content = parseFile(text);
  const records = new Map(content.documents.map((record) => [`${record.digest} ${record.document}`, record]));
  const recordOf = (doc) => records.get(`${doc.digest} ${doc.document}`);
  if (!data.documents.some(recordOf)) throw new Error("its texts differ from those of this page");
  if (state.coder === null) begin(content.coder);
  const found = state.documents.filter(recordOf);
  const isNew = !found.some(({ coding }) => coding.isTouched);
  if (!isNew && !confirm("Replace the work on this page by that in the file?")) {
    say(`${name} was not opened: the work on this page stays.`);
    return;
  }
  for (const doc of found) {
    doc.coding = new Coding(storedOf(recordOf(doc)));
    keep(doc);
  }
  openDocument(state.documents.find(({ coding }) => coding.done !== true) || state.documents[0]);
  const missing = content.documents.length - found.length;
  say(`Opened ${name}: the work on ${plural(found.length, "document", "documents")} is here again.`
    + (missing ? ` ${plural(missing, "document", "documents")} of it are not on this page.` : ""));
}

// ---------------------------------------------------------------- keys

const KEYS = [
  ["↓ or j", "next place for a boundary", ["ArrowDown", "j"], () => state.list.move(1)],
  ["↑ or k", "previous place", ["ArrowUp", "k"], () => state.list.move(-1)],
  ["Shift + ↓ or J", "next boundary", ["J"], () => goToBoundary(1)],
  ["Shift + ↑ or K", "previous boundary", ["K"], () => goToBoundary(-1)],
  ["l and h", "next and previous paragraph, or five units", ["l"], () => skip(1)],
  [null, null, ["h"], () => skip(-1)],
  ["PageDown and PageUp", "a screen down and up", ["PageDown"], () => state.list.page(1)],
  [null, null, ["PageUp"], () => state.list.page(-1)],
  ["/", `search, or go to a unit by its number${kinds.length ? "" : "; digits do, too"}`, ["/"], () => openFind()],
  ...(kinds.length ? [] : [[null, null, [..."123456789"], (key) => openFind(key)]]),
  ["Space or Enter", "place a boundary, or take it away", [" ", "Enter"], () => pressCurrent()],
  ...(kinds.length ? [[kinds.length > 1 ? `1 to ${kinds.length}` : "1",
    isLevels ? "boundary of this level" : "boundary of this type, or of several",
    kinds.map(({ type }) => String(type)), (key) => toggleType(state.list.current, Number(key))]] : []),
  ...(isLevels ? [["→ and ←", "a deeper and a higher level", ["ArrowRight"], () => deepen(state.list.current, 1)],
    [null, null, ["ArrowLeft"], () => deepen(state.list.current, -1)]] : []),
  ...(asks("unsure") ? [["n", "not sure about this boundary", ["n"], () => toggleUnsure(state.list.current)]] : []),
  ...(asks("title") ? [["t", "title of the segment", ["t"], () => goToField("title")]] : []),
  ...(asks("comment") ? [["c", "comment on the segment", ["c"], () => goToField("comment")]] : []),
  ["u or Ctrl + z", "undo", ["u"], () => undo()],
  ["U or Ctrl + y", "redo", ["U"], () => redo()],
  ["]", "next document", ["]"], () => stepDocument(1)],
  ["[", "previous document", ["["], () => stepDocument(-1)],
  ["d", "this document is finished", ["d"], () => finishDocument()],
  ["s", "save the file", ["s"], () => saveFile()],
  ["Escape", "from a field back to the text", [], () => {}],
  ["?", "this help", ["?"], () => ui.keys.showModal()],
];

const TAPS = [
  ["between two units", "place a boundary, or take it away"],
  ...(kinds.length ? [["a name below it", isLevels ? "boundary of this level" : "boundary of this type, or of several"]] : []),
  ...(asks("unsure") ? [["unsure", "not sure about this boundary"]] : []),
  ["↶ and ↷", "undo and redo"],
  ["‹ and ›", "previous and next document"],
  ["This document is finished", "at the end of the text"],
  ["Save file", "the file to send back"],
];

// Without paragraphs, five units.
function skip(by) {
  const { current } = state.list, { paragraphs } = state.doc;
  const found = by > 0 ? paragraphs.find((one) => one > current) : paragraphs.findLast((one) => one < current);
  if (paragraphs.length) state.list.go(found || (by > 0 ? state.list.n : 1));
  else state.list.go(current + 5 * by);
}

function goToBoundary(by) {
  const { positions } = state.doc.coding, { current } = state.list;
  const found = by > 0 ? positions.find((one) => one > current) : positions.findLast((one) => one < current);
  if (found) state.list.go(found);
  else say(`No boundary ${by > 0 ? "below" : "above"}.`);
}

function pressCurrent() {
  if (state.list.current) toggle(state.list.current);
  else state.list.move(1);
}

// The segment that starts at the current boundary, or in which the current place is.
function goToField(part) {
  const { current } = state.list;
  const start = state.doc.coding.starts.findLast((one) => one <= current);
  const field = state.list.gaps[start].querySelector(`[data-part="${part}"]`);
  field.focus({ preventScroll: true });
  state.list.reveal(start);
}

function leaveField(field) {
  const gap = field.closest(".gap");
  const position = gap ? state.list.positionOf(gap) : state.list.current;
  if (position) state.list.go(position);
}

// ---------------------------------------------------------------- start

function makeTypes() {
  ui.types.hidden = kinds.length === 0;
  const legend = isLevels ? "Level of the next boundary" : "Type of the next boundary";
  ui.types.append(make("legend", { class: "hidden" }, legend), ...kinds.map(({ type, name }) =>
    make("label", { class: "kind", "data-type": type },
      make("input", { type: "radio", name: "type", value: type, checked: type === 1, onchange: () => chooseType(type) }),
      make("b", {}, String(type)), make("span", { dir: "auto" }, name))));
}

function begin(coder) {
  state.coder = coder;
  if (data.coder === null) tabCoder.set(coder);
  state.store = new Store(coder);
  state.work = new Work(state.store, () => { state.tick(); keep(state.doc); });
  state.documents = openStored(data.coder === null ? inOrderOf(coder) : data.documents);
  state.practice = openStored(data.practice);
  state.list = new UnitList(ui.text, { press: toggle, dress: dressGap });
  listenToFind(state.list);
  state.tick = startClock((milliseconds) => { if (state.doc) state.doc.coding.milliseconds += milliseconds; });
  ui.who.hidden = true;
  ui.work.hidden = ui.bar.hidden = false;
  ui.coder.textContent = coder;
  const open = state.store.read("open");
  const all = sequence();
  openDocument(all.find((doc) => entryOf(doc) === open) || all[0], { focus: false });
  keep(state.doc);
}

ui.bar.hidden = ui.work.hidden = true;
makeTypes();
makeHelp(KEYS, TAPS, "Your work is kept in this browser as you go. The file is what you send back.");
ui.undo.onclick = undo;
ui.redo.onclick = redo;
ui.help.onclick = () => ui.keys.showModal();
ui.save.onclick = saveFile;
ui.finish.onclick = finishDocument;
ui.reopen.onclick = () => reopenDocument(state.doc, false);
ui.previous.onclick = () => stepDocument(-1);
ui.next.onclick = () => stepDocument(1);
ui.menu.onchange = () => openDocument(sequence()[Number(ui.menu.value)]);
listenToFiles(openFile);
ui.who.onsubmit = (event) => {
  event.preventDefault();
  const coder = wellFormed(ui.typed.value);
  if (!coder) return;
  begin(coder);
};
listenToKeys(KEYS, {
  isReady: () => state.doc !== null,
  undo,
  redo,
  leaves: (event) => event.key === "Enter" && event.target.matches(".title"),
  left: leaveField,
});
const known = data.coder === null ? tabCoder.get() : data.coder;
if (known !== null) begin(known);
else ui.who.hidden = false;

// For tests and curious readers.
window.caesuraAnnotation = { state, digest, inOrderOf, fileContent };

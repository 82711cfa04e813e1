// Starts the page: who codes, keys, undo, saving and opening files, and warnings before anything is lost.

const ui = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
const state = { coder: null, documents: [], practice: [], doc: null, type: 1, isSaved: true, tick: () => {} };

function say(words) {
  ui.notice.textContent = words;
}

// ---------------------------------------------------------------- changes

// Keep a document's work in the browser.
function keep(doc) {
  const isKept = state.store.write(entryOf(doc), doc.coding.store());
  ui.storage.textContent = isKept ? ""
    : `This work is not kept when the page is closed (${state.store.fault}): save the file before you leave.`;
}

// Whether all that was done is in a file, also after the page was closed and opened again.
function setSaved(isSaved) {
  if (isSaved !== state.isSaved) state.store.write("saved", isSaved);
  state.isSaved = isSaved;
}

function keepChanged() {
  if (!state.doc.key) setSaved(false);
  state.tick();
  keep(state.doc);
}

// One gap has changed: only it is drawn again.
function changed(position) {
  say("");
  state.list.refresh(position);
  keepChanged();
  showProgress();
}

function goBack(change, nothing) {
  if (!change) {
    say(nothing);
    return;
  }
  changed(change.position);
  if (change.position) state.list.go(change.position);
}

const undo = () => goBack(state.doc.coding.undo(), "There is nothing to undo.");
const redo = () => goBack(state.doc.coding.redo(), "There is nothing to redo.");

// ---------------------------------------------------------------- files

function saveFile() {
  state.tick();
  const name = fileName(`${data.title} ${state.coder}`, "json");
  download(name, "application/json", JSON.stringify(fileContent(), null, 1));
  setSaved(true);
  const open = state.documents.filter(({ coding }) => !coding.isFinished).map((doc) => doc.document);
  const doubtful = state.documents.filter(({ coding }) => coding.done === null && coding.isBegun && !coding.wasRead);
  const parts = [`Saved ${name}. Send it to whoever gave you this page.`];
  if (open.length) parts.push(`Not finished: ${shortList(open)}.`);
  if (doubtful.length) {
    parts.push(`Counted as finished, although its end was never on the screen: ${shortList(doubtful.map((doc) => doc.document))}.`);
  }
  say(parts.join(" "));
}

function shortList(names) {
  const shown = names.slice(0, 5).map((name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name));
  return shown.join(", ") + (names.length > 5 ? ` and ${whole(names.length - 5)} more` : "");
}

async function openFile() {
  const [file] = ui.earlier.files;
  if (!file) return;
  try {
    const content = parseFile(await file.text());
    if (state.coder === null) begin(content.coder);
    const isNew = !state.documents.some(({ coding }) => coding.isBegun);
    if (isNew || confirm("Replace the work on this page by that in the file?")) takeOver(content, file.name);
    else say(`${file.name} was not opened: the work on this page stays.`);
  } catch (error) {
    say(`${file.name} was not opened: ${error.message}.`);
  }
  ui.earlier.value = "";
}

function takeOver(content, name) {
  const records = new Map(content.documents.map((record) => [`${record.digest} ${record.document}`, record]));
  let n = 0;
  for (const doc of state.documents) {
    const record = records.get(`${doc.digest} ${doc.document}`);
    if (!record) continue;
    doc.coding = new Coding(storedOf(record));
    keep(doc);
    n++;
  }
  openDocument(state.documents.find(({ coding }) => coding.done !== true) || state.documents[0]);
  const missing = content.documents.length - n;
  say(`Opened ${name}: the work on ${plural(n, "document", "documents")} is here again.`
    + (missing ? ` ${plural(missing, "document", "documents")} of it are not on this page.` : ""));
}

// ---------------------------------------------------------------- keys

const KEYS = [
  ["↓ or j", "next place for a boundary", ["ArrowDown", "j"], () => state.list.move(1)],
  ["↑ or k", "previous place", ["ArrowUp", "k"], () => state.list.move(-1)],
  ["Shift + ↓ or J", "next boundary", ["J"], () => goToBoundary(1)],
  ["Shift + ↑ or K", "previous boundary", ["K"], () => goToBoundary(-1)],
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
  ["d", "this document is finished", ["d"], () => finishDocument(true)],
  ["s", "save the file", ["s"], () => saveFile()],
  ["Escape", "from a field back to the text", [], null],
  ["?", "this help", ["?"], () => ui.keys.showModal()],
];

const REPEATED = ["ArrowDown", "ArrowUp", "j", "k", "J", "K", "u", "U", "Tab", "PageDown", "PageUp", "Home", "End"];

function goToBoundary(by) {
  const { positions } = state.doc.coding, { current } = state.list;
  const found = by > 0 ? positions.find((one) => one > current) : positions.findLast((one) => one < current);
  if (found) state.list.go(found);
  else say(`There is no boundary ${by > 0 ? "below" : "above"}.`);
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
  field.focus();
  field.scrollIntoView({ block: "nearest" });
}

function pressKey(event) {
  if (state.doc === null || ui.keys.open || event.altKey || event.isComposing) return;
  const isField = event.target.closest("input:not([type=radio]):not([type=file]), textarea, select") !== null;
  if (isField) {
    const leaves = event.key === "Escape" || (event.key === "Enter" && event.target.matches(".title"));
    if (!leaves) return;
    event.preventDefault();
    event.target.blur();
    const gap = event.target.closest(".gap");
    if (gap) state.list.go(state.list.positionOf(gap));
    return;
  }
  const letter = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (letter !== "z" && letter !== "y") return;
    event.preventDefault();
    if (letter === "y" || event.shiftKey) redo();
    else undo();
    return;
  }
  const key = event.shiftKey && event.key.startsWith("Arrow") ? { ArrowDown: "J", ArrowUp: "K" }[event.key] : event.key;
  // A held key moves, and undoes; whatever else it would do is done once.
  if (event.repeat && !REPEATED.includes(key)) {
    event.preventDefault();
    return;
  }
  // A button that has the focus is pressed by the browser, and arrows choose among types.
  if ((key === " " || key === "Enter") && event.target.closest("button, a, summary, input")) return;
  if (event.target.matches("[type=radio]") && event.key.startsWith("Arrow")) return;
  const found = KEYS.find(([, , keys, act]) => act && keys.includes(key));
  if (!found) return;
  event.preventDefault();
  found[3](key);
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

function makeHelp() {
  ui.keys.append(make("h2", { id: "keys-title" }, "Keys"),
    make("dl", {}, ...KEYS.filter(([name]) => name).flatMap(([name, meaning]) =>
      [make("dt", {}, name), make("dd", {}, meaning)])),
    make("p", { class: "note" }, "Your work is kept in this browser as you go. The file is what you send back."),
    make("button", { type: "button", onclick: () => ui.keys.close() }, "Close"));
}

function begin(coder) {
  state.coder = coder;
  if (data.coder === null) tabCoder.set(coder);
  state.store = new Store(data.study, coder);
  state.documents = openStored(data.coder === null ? inOrderOf(coder) : data.documents);
  state.practice = openStored(data.practice);
  state.list = new UnitList(ui.text, { press: toggle, dress: dressGap });
  state.store.watch(() => say("This work was changed on another tab: close one of the two, and reload the other."));
  state.tick = startClock((milliseconds) => { if (state.doc) state.doc.coding.milliseconds += milliseconds; });
  ui.who.hidden = true;
  ui.work.hidden = ui.bar.hidden = false;
  ui.coder.textContent = coder;
  const open = state.store.read("open");
  const all = sequence();
  openDocument(all.find((doc) => entryOf(doc) === open) || all[0], { focus: false });
  keep(state.doc);
  state.isSaved = state.store.read("saved") !== false;
}

ui.bar.hidden = ui.work.hidden = true;
makeTypes();
makeHelp();
ui.undo.onclick = undo;
ui.redo.onclick = redo;
ui.help.onclick = () => ui.keys.showModal();
ui.save.onclick = saveFile;
ui.finish.onclick = () => finishDocument(true);
ui.reopen.onclick = () => finishDocument(false);
ui.check.onclick = checkPractice;
ui.previous.onclick = () => stepDocument(-1);
ui.next.onclick = () => stepDocument(1);
ui.menu.onchange = () => openDocument(sequence()[Number(ui.menu.value)]);
for (const opener of document.querySelectorAll(".open-file")) opener.onclick = () => ui.earlier.click();
ui.earlier.onchange = openFile;
ui.who.onsubmit = (event) => {
  event.preventDefault();
  const coder = wellFormed(ui.typed.value);
  if (!coder) return;
  begin(coder);
};
addEventListener("keydown", pressKey);
addEventListener("pagehide", () => { if (state.doc) { state.tick(); keep(state.doc); } });
document.addEventListener("visibilitychange", () => { if (state.doc) keep(state.doc); });
addEventListener("beforeunload", (event) => { if (!state.isSaved) event.preventDefault(); });
const known = data.coder === null ? tabCoder.get() : data.coder;
if (known !== null) begin(known);
else ui.who.hidden = false;

// For tests and curious readers.
window.caesuraAnnotation = { state, digest, inOrderOf, fileContent };

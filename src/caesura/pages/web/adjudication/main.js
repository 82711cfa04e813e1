// Starts the page: places one after another, keys, undo, saving and opening files.

const state = { doc: null, place: null, list: null, tick: () => {} };
const store = new Store(data.coder);
const entryOf = (doc) => `document ${doc.digest} ${doc.document}`;

// ---------------------------------------------------------------- changes

function keep(doc) {
  state.work.keep(entryOf(doc), storedOf(doc));
}

function keepChanged(doc) {
  doc.isTouched = true;
  state.work.setSaved(false);
  state.tick();
  keep(doc);
}

// Something has changed at these positions: only they are drawn again.
function changed({ doc, place, positions }) {
  say("");
  if (doc === state.doc) {
    for (const position of new Set([...positions, ...(place ? [...place.positions, ...goldOf(place).map(([one]) => one)] : [])])) {
      state.list.refresh(position);
    }
  }
  keepChanged(doc);
  showProgress();
  showQuestion();
  showLists();
}

function goBack(about, nothing) {
  if (about === null) {
    say(nothing);
    return;
  }
  if (about.place && about.place.is_contested) openPlace(about.place);
  else if (about.doc !== state.doc) showDocument(about.doc);
  changed(about);
  if (!(about.place && about.place.is_contested) && about.positions.length) state.list.go(about.positions[0]);
}

const undo = () => goBack(history.undo(), "Nothing to undo.");
const redo = () => goBack(history.redo(), "Nothing to redo.");

// ---------------------------------------------------------------- deciding

// Decide and go on to the next place that is open.
function chooseFor(place, boundaries) {
  changed(decide(place, boundaries));
  const words = `${place.doc.document}: ${written(boundaries)}.`;
  say(queue.some(isOpen) ? words : `${words} All places are decided. Save the file: it is the gold standard.`);
  openNext(place.rank);
  if (!queue.some(isOpen)) ui.save.focus();
}

function withPlace(act) {
  if (state.place) act(state.place);
  else say("Nothing to decide here.");
}

const acceptProposal = () => withPlace((place) => chooseFor(place, place.proposal));
const rejectAll = () => withPlace((place) => chooseFor(place, []));
const chooseOption = (key) => withPlace((place) => {
  const option = optionsOf(place)[Number(key) - 1];
  if (option) chooseFor(place, option.boundaries);
});
const openAgain = () => withPlace((place) => changed(leaveOpen(place)));

function movePlace(by) {
  withPlace((place) => {
    const found = moved(place, by);
    if (!found) {
      say(goldOf(place).length ? "It would leave this place." : "No boundary to move: choose one first.");
      return;
    }
    changed(decide(place, found));
    state.list.reveal(found[0][0]);
    say(`Moved: ${written(found)}.`);
  });
}

// The next type, or the next deeper level, of the boundary at hand.
function nextType() {
  const { doc, list, place } = state;
  const position = doc.gold.has(list.current) ? list.current : place && (goldOf(place)[0] || [])[0];
  if (!position) {
    say("No boundary here: choose one first.");
    return;
  }
  const at = typePlaces.get(doc.gold.get(position)[0]) || 0;
  changed(setTypes(doc, position, [data.types[(at + 1) % data.types.length].type]));
}

// ---------------------------------------------------------------- places and documents

function showDocument(doc) {
  state.tick();
  if (state.doc) keep(state.doc);
  state.doc = doc;
  state.place = null;
  ui.name.textContent = doc.document;
  const n = doc.places.filter((place) => place.is_contested).length;
  ui.about.textContent = `${plural(doc.n_units, "unit", "units")} · ${plural(doc.coders.length, "coder", "coders")} · `
    + `${plural(n, "place", "places")} to decide`;
  ui.text.classList.toggle("bare", doc.units === null);
  const units = doc.units || Array.from({ length: doc.n_units }, (_, i) => `unit ${whole(i + 1)}`);
  state.list.show(units, new Set([...doc.gold.keys(), ...doc.places.flatMap(({ positions }) => positions)]));
  ui.menu.value = String(documents.indexOf(doc));
}

function openPlace(place) {
  const { place: former } = state;
  if (place.doc !== state.doc) showDocument(place.doc);
  state.place = place;
  for (const one of [former, place]) if (one && one.doc === state.doc) redraw(one);
  store.write("open", [entryOf(place.doc), place.first]);
  showQuestion({ focus: true });
  ui.question.scrollTop = 0;
  showProgress();
  state.list.setCurrent(place.first);
  state.list.reveal(place.first, place.last);
}

function redraw(place) {
  for (const position of new Set([...place.positions, ...goldOf(place).map(([one]) => one)])) state.list.refresh(position);
}

// Show a place that needs no decision.
function showPlace(place) {
  if (place.doc !== state.doc || state.place) showDocument(place.doc);
  showQuestion();
  state.list.go(place.first);
}

// On a narrow screen the card covers the lower part.
const covered = () => (getComputedStyle(ui.work).display === "block" ? ui.question.offsetHeight : 0);

function stepPlace(by) {
  const next = queue[(state.place ? state.place.rank : -1) + by];
  if (next) openPlace(next);
  else say(by < 0 ? "This is the first place." : "This is the last place.");
}

// The next open place after this one, else the first open one; else the place stays.
function openNext(rank) {
  const next = queue.slice(rank + 1).find(isOpen) || queue.find(isOpen);
  if (next) openPlace(next);
  else showQuestion();
}

function openDocumentOf(doc) {
  const own = queue.filter((place) => place.doc === doc);
  const place = own.find(isOpen) || own[0];
  if (place) {
    openPlace(place);
    return;
  }
  showDocument(doc);
  showQuestion({ focus: true });
  showProgress();
  scrollTo(0, 0);
}

function showProgress() {
  const n = queue.length, done = queue.filter((place) => !isOpen(place)).length;
  ui.progress.max = n || 1;
  ui.progress.value = n ? done : 1;
  ui.done.textContent = `${whole(done)} of ${whole(n)}`;
  ui.count.textContent = plural(state.doc.gold.size, "boundary", "boundaries");
  ui.undo.disabled = history.done.length === 0;
  ui.redo.disabled = history.undone.length === 0;
}

// ---------------------------------------------------------------- files

function saveFile() {
  state.tick();
  const name = fileName(`${data.title} ${data.coder}`, "json");
  saveSealed(name, fileContent());
  state.work.setSaved(true);
  const open = queue.filter(isOpen);
  const where = [...new Set(open.map((place) => place.doc.document))];
  say(`Saved ${name}: ${data.coder} of ${plural(documents.length, "document", "documents")}.`
    + (open.length ? ` ${plural(open.length, "place is", "places are")} undecided and taken as proposed: ${shortList(where)}.` : ""));
}

function openFile(text, name) {
  const content = parseSealed(text);
  if (canonical(content.type_scheme) !== canonical(data.type_scheme)) throw new Error("its boundary types differ from those of this page");
  const { found, other } = takeOver(content);
  if (documents.some((doc) => doc.isTouched) && !confirm("Replace the decisions on this page with those in the file?")) {
    say(`${name} was not opened: the decisions on this page stay.`);
    return;
  }
  documents.forEach(beginAfresh);
  found.forEach(apply);
  documents.forEach(keep);
  history.forget();
  state.doc = null;
  begin();
  const n = found.filter(({ place }) => place && place.is_contested && !isOpen(place)).length;
  say(`Opened ${name}: ${plural(n, "decision is", "decisions are")} here again.`
    + (other ? ` ${plural(other, "decision of it is", "decisions of it are")} on places that are not on this page.` : ""));
}

// ---------------------------------------------------------------- keys

const KEYS = [
  ["a", "accept what is proposed", ["a"], acceptProposal],
  ["1 to 9", "choose what coders marked, in the order of the list", [..."123456789"], chooseOption],
  ["← and →", "move the boundary by one unit", ["ArrowLeft"], () => movePlace(-1)],
  [null, null, ["ArrowRight"], () => movePlace(1)],
  ["r or x", "no boundary here", ["r", "x"], rejectAll],
  ["o", "leave this place open", ["o"], openAgain],
  ...(isTyped ? [["t", data.is_levels ? "next level of the boundary" : "next type of the boundary", ["t"], nextType]] : []),
  ["c", "comment on the decision", ["c"], () => withPlace(() => document.getElementById("comment").focus())],
  ["n and p", "next and previous place", ["n", "]"], () => stepPlace(1)],
  [null, null, ["p", "["], () => stepPlace(-1)],
  ["↓ or j", "next possible boundary in the text", ["ArrowDown", "j"], () => state.list.move(1)],
  ["↑ or k", "previous possible boundary", ["ArrowUp", "k"], () => state.list.move(-1)],
  ["PageDown and PageUp", "a screen down and up", ["PageDown"], () => state.list.page(1)],
  [null, null, ["PageUp"], () => state.list.page(-1)],
  ["/", "search, or go to a unit by its number", ["/"], () => openFind()],
  ["Space or Enter", "set the boundary at hand, or take it away", [], () => {}],
  ["u or Ctrl + z", "undo", ["u"], undo],
  ["U or Ctrl + y", "redo", ["U"], redo],
  ["s", "save the file", ["s"], () => saveFile()],
  ["Escape", "from the comment back", [], () => {}],
  ["?", "this help", ["?"], () => ui.keys.showModal()],
];

const TAPS = [
  ["a line of the list", "choose what coders marked"],
  ["Accept", "take the proposal"],
  ["← and →", "move the boundary by one unit"],
  ["between two units", "set a boundary, or take it away"],
  ...(isTyped ? [["a name below it", "its type or level"]] : []),
  ["↶ and ↷", "undo and redo"],
  ["Save file", "the gold standard"],
];

// ---------------------------------------------------------------- start

// A gap that has the focus offers types; the one that had it no longer does.
let arrivedAt = 0;

function arrive(position) {
  const former = arrivedAt;
  arrivedAt = position;
  if (!isTyped) return;
  for (const one of [former, position]) if (one < state.list.n) state.list.refresh(one);
}

function begin() {
  const [entry, first] = store.read("open") || [];
  const known = queue.find((place) => entryOf(place.doc) === entry && place.first === first);
  const place = known || queue.find(isOpen) || queue[0];
  if (place) openPlace(place);
  else openDocumentOf(documents[0]);
}

for (const doc of documents) {
  const stored = store.read(entryOf(doc));
  if (stored) restore(doc, stored);
}
state.work = new Work(store, () => { state.tick(); keep(state.doc); });
state.list = new UnitList(ui.text, { press: toggle, dress: dressGap, arrive, covered });
listenToFind(state.list);
state.tick = startClock((milliseconds) => { if (state.doc) state.doc.milliseconds += milliseconds; });
ui.intro.textContent = queue.length
  ? "Decide the places one by one, most costly first. Pressing a boundary in the text is a decision, too."
  : "All coders agree on every place: gold is what they marked.";
ui.menu.append(...documents.map((doc, i) => make("option", { value: i }, doc.document)));
ui.steps.hidden = documents.length < 2;
ui.menu.onchange = () => openDocumentOf(documents[Number(ui.menu.value)]);
ui.bar.hidden = ui.work.hidden = ui.lists.hidden = false;
ui.undo.onclick = undo;
ui.redo.onclick = redo;
ui.help.onclick = () => ui.keys.showModal();
ui.save.onclick = saveFile;
makeHelp(KEYS, TAPS, "Your work is kept in this browser as you go. The file is the gold standard.");
makeLists();
listenToFiles(openFile);
listenToKeys(KEYS, {
  isReady: () => state.doc !== null,
  undo,
  redo,
  leaves: () => false,
  left: () => showQuestion({ focus: true }),
});
begin();
keep(state.doc);

// For tests and curious readers.
window.caesuraAdjudication = { state, documents, queue, fileContent, optionsOf };

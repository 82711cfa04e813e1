// The documents of a coder: which is open, which are finished, and moving among them.

const MOST_LISTED = 500; // documents in the menu; among more, buttons lead

function openStored(documents) {
  return documents.map((doc) => ({ ...doc, coding: new Coding(state.store.read(entryOf(doc))) }));
}

const entryOf = (doc) => `${doc.key ? "practice" : "document"} ${doc.digest} ${doc.document}`;

// All documents of the page in this coder's order, practice first.
const sequence = () => [...state.practice, ...state.documents];
const inOrderOf = (coder) => {
  const keyed = data.documents.map((doc) => [digest([data.seed, coder, doc.document]), doc]);
  return keyed.sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0)).map(([, doc]) => doc);
};

function openDocument(doc, { focus = true } = {}) {
  state.tick();
  state.doc = doc;
  const { coding } = doc;
  ui.name.textContent = doc.document;
  ui.name.classList.toggle("hidden", doc.document === data.title); // it stands at the top
  ui.kind.textContent = doc.key ? "Practice" : "";
  ui.about.textContent = aboutDocument(doc);
  state.list.show(doc.units, [0, ...coding.positions]);
  state.store.write("open", entryOf(doc));
  if (ui.instructions && sequence().some((one) => one.coding.done)) ui.instructions.open = false;
  showFeedback(null);
  showProgress();
  watchEnd();
  if (!focus) return;
  scrollTo(0, 0);
  ui.name.focus({ preventScroll: true });
}

function aboutDocument(doc) {
  const place = state.documents.indexOf(doc);
  const which = doc.key ? "for practice" : `document ${whole(place + 1)} of ${whole(state.documents.length)}`;
  const nothing = doc.units.length < 2 ? " · one unit, so no boundary is possible" : "";
  return `${which} · ${plural(doc.units.length, "unit", "units")}${nothing}`;
}

// The end of the text comes into sight: it has been read, as far as a page can tell.
let endObserver = null;

function watchEnd() {
  if (endObserver) endObserver.disconnect();
  const doc = state.doc;
  endObserver = new IntersectionObserver((seen) => {
    if (!seen.some((entry) => entry.isIntersecting) || doc !== state.doc || doc.coding.wasRead) return;
    doc.coding.wasRead = true;
    keep(doc);
  });
  endObserver.observe(ui.end);
}

function stepDocument(by) {
  const all = sequence();
  const next = all[all.indexOf(state.doc) + by];
  if (next) openDocument(next);
  else say(by < 0 ? "This is the first document." : "This is the last document.");
}

function setDone(doc, done) {
  doc.coding.done = done;
  if (!doc.key) state.work.setSaved(false);
  keep(doc);
  showProgress();
}

function reopenDocument(doc, done) {
  if (doc !== state.doc) openDocument(doc);
  setDone(doc, done);
  say(`“${doc.document}” is open again.`);
}

// A practice document is compared with its key first.
function finishDocument() {
  const { doc } = state, { done } = doc.coding;
  if (doc.key && !doc.isCompared) {
    checkPractice();
    return;
  }
  setDone(doc, true);
  const undone = make("button", { type: "button", class: "link", onclick: () => reopenDocument(doc, done) }, "Undo");
  const all = sequence(), place = all.indexOf(doc);
  const next = [...all.slice(place + 1), ...all.slice(0, place)].find((one) => one.coding.done !== true && !one.key);
  if (next) {
    openDocument(next);
    say(`“${doc.document}” is finished. `, undone);
  } else {
    say("All documents are finished. Save the file, and send it to the person who gave you this page. ", undone);
    ui.save.focus();
  }
}

function showProgress() {
  const n = state.documents.length;
  const done = state.documents.filter(({ coding }) => coding.done === true).length;
  ui.progress.max = n;
  ui.progress.value = done;
  ui.done.textContent = `${whole(done)} of ${whole(n)}`;
  const { coding } = state.doc;
  ui.count.textContent = plural(coding.marks.size, "boundary", "boundaries");
  ui.undo.disabled = coding.history.done.length === 0;
  ui.redo.disabled = coding.history.undone.length === 0;
  const isDone = coding.done === true;
  ui.finish.hidden = isDone;
  ui.reopen.hidden = !isDone;
  ui.finished.textContent = isDone ? "This document is finished." : "";
  const { key, isCompared } = state.doc;
  ui.finish.textContent = key ? (isCompared ? "Go on to the documents" : "Compare with the key") : "This document is finished";
  const all = sequence(), place = all.indexOf(state.doc);
  ui.previous.disabled = place === 0;
  ui.next.disabled = place === all.length - 1;
  showMenu(all, place);
}

// Where the work stands, document by document; names are as long as they are, so the menu cuts them.
function showMenu(all, place) {
  ui.steps.hidden = all.length < 2;
  ui.menu.hidden = all.length > MOST_LISTED;
  if (ui.menu.hidden) return;
  const label = ({ document, key, coding }) => `${coding.done ? "✓ " : ""}${key ? "practice: " : ""}${document}`;
  if (ui.menu.length !== all.length) {
    ui.menu.replaceChildren(...all.map((doc, i) => make("option", { value: i }, label(doc))));
  }
  all.forEach((doc, i) => {
    if (ui.menu.options[i].textContent !== label(doc)) ui.menu.options[i].textContent = label(doc);
  });
  ui.menu.value = String(place);
}

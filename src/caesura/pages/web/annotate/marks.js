// How a gap shows what its coder marked there, and what presses and keys change.

const scheme = data.scheme;
const isLevels = scheme !== null && scheme.kind === "levels";
const kinds = scheme === null ? [] : scheme.names.map((name, i) => ({ type: i + 1, name }));
const asks = (question) => data.questions.includes(question);

const markAt = (position) => state.doc.coding.marks.get(position) || null;

// ---------------------------------------------------------------- changing

function setMark(position, mark) {
  if (!position) {
    say("Choose a place between two units first.");
    return;
  }
  change("marks", position, mark);
}

function change(kind, position, value) {
  state.doc.coding.set(kind, position, value);
  changed(position);
}

// The last type that was chosen is what a press places.
function toggle(position) {
  const mark = markAt(position);
  setMark(position, mark ? null : { types: [scheme ? state.type : PLAIN_TYPE], unsure: false });
}

// A level takes the place of another; types add up, as a boundary may be of several.
function toggleType(position, type) {
  if (type > kinds.length) return;
  chooseType(type);
  const mark = markAt(position);
  const types = mark ? mark.types : [];
  const has = types.includes(type);
  const now = isLevels ? (has ? [] : [type])
    : has ? types.filter((one) => one !== type) : [...types, type].sort((x, y) => x - y);
  setMark(position, now.length ? { types: now, unsure: mark !== null && mark.unsure } : null);
}

function deepen(position, by) {
  const mark = position ? markAt(position) : null;
  if (!isLevels || !mark) return;
  const type = Math.max(1, Math.min(kinds.length, mark.types[0] + by));
  chooseType(type);
  if (type !== mark.types[0]) setMark(position, { ...mark, types: [type] });
}

function toggleUnsure(position) {
  const mark = position ? markAt(position) : null;
  if (!asks("unsure")) return;
  if (mark) setMark(position, { ...mark, unsure: !mark.unsure });
  else say("Only a boundary can be unsure: place one first.");
}

function chooseType(type) {
  state.type = type;
  for (const box of ui.types.querySelectorAll("input")) box.checked = Number(box.value) === type;
}

// ---------------------------------------------------------------- showing

function dressGap(gap, position) {
  const mark = position ? markAt(position) : null;
  gap.classList.toggle("marked", mark !== null);
  gap.classList.toggle("unsure", mark !== null && mark.unsure);
  if (position) gap.firstChild.setAttribute("aria-pressed", String(mark !== null));
  colorGap(gap, mark && scheme ? mark.types : [], isLevels && mark ? mark.types[0] - 1 : 0);
  const focused = gap.contains(document.activeElement) ? document.activeElement.dataset.part : null;
  const parts = mark || !position ? [mark && makeChoices(position, mark), makeFields(position)] : [];
  const found = [...gap.children].filter((child) => !child.classList.contains("boundary"));
  for (const old of found) old.remove();
  gap.append(...parts.filter((part) => part));
  if (focused) (gap.querySelector(`[data-part="${focused}"]`) || gap.firstChild).focus({ preventScroll: true });
}

// Which types, and whether in doubt: small buttons on a marked boundary.
function makeChoices(position, mark) {
  const choice = (part, text, pressed, press, type = null) => make("button", {
    type: "button", class: "choice", "data-part": part, "data-type": type, tabindex: -1,
    "aria-pressed": String(pressed), "aria-label": `${text} after unit ${position}`, onclick: press,
  }, text);
  const found = kinds.map(({ type, name }) =>
    choice(`type-${type}`, `${type} ${name}`, mark.types.includes(type), () => toggleType(position, type), type));
  if (asks("unsure")) found.push(choice("unsure", "unsure", mark.unsure, () => toggleUnsure(position)));
  const where = `after unit ${position}`;
  return found.length ? make("div", { class: "choices", role: "group", "aria-label": where }, ...found) : null;
}

// What is typed about the segment that starts here: kept letter by letter, undone as a whole.
function makeFields(position) {
  const fields = [makeField("title", "input", position, "Title of this segment"),
    makeField("comment", "textarea", position, "Comment")].filter((one) => one);
  return fields.length ? make("div", { class: "fields" }, ...fields) : null;
}

function makeField(question, tag, position, placeholder) {
  if (!asks(question)) return null;
  const { coding } = state.doc, kind = `${question}s`;
  const own = () => coding[kind].get(position) || null;
  let before = own();
  const input = make(tag, {
    class: question, "data-part": question, maxlength: MOST_LETTERS, dir: "auto", autocomplete: "off",
    "aria-label": `${question} of the segment from unit ${position + 1}`, placeholder, rows: tag === "textarea" && 1,
    onfocus: () => { before = own(); },
    oninput: () => {
      put(coding[kind], position, wellFormed(input.value) || null);
      keepChanged();
    },
    onchange: () => {
      if (own() !== before) {
        const change = { map: coding[kind], key: position, before, after: own() };
        coding.history.note({ about: position, changes: [change] });
      }
      before = own();
      showProgress();
    },
  });
  input.value = before || "";
  return input;
}

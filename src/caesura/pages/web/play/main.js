// The page to play: its state, its controls, what is shown of it, and the link that carries it.

const state = { n: 0, ref: [], hyp: [], nT: data.n_t, k: 2, isAuto: true, at: null, step: 0, form: "masses", chosen: "masses", isTyped: false };
const ui = {};
const PAUSE = 300; // milliseconds without a change, after which the address follows

// ---------------------------------------------------------------- changes

// All changes go through here: the page is drawn again.
function change(changes) {
  Object.assign(state, changes);
  if (changes.isTyped === undefined && (changes.ref || changes.hyp)) state.isTyped = false;
  if (state.isAuto) state.k = windowSize(state.ref, state.n);
  state.k = Math.max(1, Math.min(state.k, state.n - 1));
  if (state.at !== null) state.at = Math.max(0, Math.min(state.at, state.n - state.k - 1));
  show();
}

function chooseStep(number) {
  const { reference, hypothesis, n_t: nT } = data.steps[number];
  const { n, ref, hyp } = readPair(`${reference.join(" ")}\n${hypothesis.join(" ")}`, "masses");
  change({ n, ref, hyp, nT, isAuto: true, step: number, at: null, form: "masses", chosen: "masses" });
}

// ---------------------------------------------------------------- what is shown

const WORDS = {
  B: ["boundary similarity", "A match counts 1, a near miss in part, a full miss 0; the mean over boundary pairs."],
  S: ["segmentation similarity", "1 minus the same penalty, but over all potential boundaries."],
  F: ["boundary F", "Boundaries at exactly the same position; a near miss counts as two errors."],
  Pk: ["", "Windows that hold a boundary in one segmentation and none in the other."],
  WD: ["WindowDiff", "Windows that hold different numbers of boundaries."],
};

function fraction({ numerator, denominator }) {
  return `${Number(numerator.toFixed(4))} / ${whole(denominator)}`;
}

function showValues(values) {
  for (const [name, score] of Object.entries(values)) {
    const row = ui.rows[name];
    row.value.textContent = decimals(score.value, 4);
    row.fraction.textContent = fraction(score);
    row.bar.style.width = `${100 * score.value}%`;
  }
}

function showEdits({ matches, transpositions, missed, spurious }) {
  const parts = [["match", matches], ["near", transpositions], ["missed", missed], ["spurious", spurious]];
  ui.edits.replaceChildren(...parts.map(([kind, list]) => make("span", { class: "swatch" },
    make("span", { class: `sign ${kind}`, "aria-hidden": "true" }, KINDS[kind].sign),
    ` ${list.length} ${list.length === 1 ? KINDS[kind].name : KINDS[kind].many}`)),
    make("span", { class: "swatch" }, make("i", { class: "lit" }), " window in error"));
}

function showWindow(runs) {
  const { n, k, at } = state;
  ui.window.max = Math.max(0, n - k - 1);
  ui.window.disabled = n - k < 1;
  const run = runs.find(({ from, to }) => from <= at && at < to);
  if (at === null || !run) {
    ui.readout.textContent = "Point at a window, or move the slider, to see what it covers.";
    return;
  }
  ui.window.value = at;
  const verdicts = Object.entries(ERRS).map(([name, errs]) => `${name}: ${errs(run) ? "error" : "correct"}`);
  ui.readout.textContent = `Window ${at + 1} of ${n - k} covers positions ${at + 1} to ${at + k}: `
    + `${plural(run.r, "reference boundary", "reference boundaries")}, ${run.h} in the hypothesis. ${verdicts.join(", ")}.`;
}

function showStep() {
  const step = data.steps[state.step];
  ui.step.value = String(state.step);
  ui.says.textContent = step.says;
  ui.printed.textContent = step.printed;
  ui.before.disabled = state.step === 0;
  ui.after.disabled = state.step === data.steps.length - 1;
}

function show() {
  const { n, ref, hyp, nT, k } = state;
  const shown = scoresOf(ref, hyp, n, nT, k);
  drawPair(shown);
  showEdits(shown.edits);
  showValues(shown.values);
  showWindow(shown.runs);
  showStep();
  for (const [control, value] of [[ui.nT, nT], [ui.k, k]]) {
    control.value = value;
    control.output.textContent = value;
  }
  ui.nT.max = Math.max(10, nT);
  ui.k.max = Math.max(1, n - 1);
  ui.k.value = k;
  ui.auto.checked = state.isAuto;
  ui.units.value = n;
  for (const radio of ui.forms) radio.checked = radio.value === state.form;
  if (!state.isTyped) ui.text.value = writePair(state, state.form);
  if (!state.isTyped) ui.problem.textContent = "";
  ui.link.href = `#${address()}`;
  clearTimeout(ui.timer);
  ui.timer = setTimeout(() => {
    history.replaceState(null, "", `#${address()}`);
    ui.live.textContent = Object.entries(shown.values).map(([name, { value }]) => `${name} ${decimals(value, 4)}`).join(", ");
  }, PAUSE);
}

// ---------------------------------------------------------------- #ref=2,3,6&hyp=2,2,7&n_t=2&k=3&step=1

function address() {
  const masses = (p) => massesOf({ p, n: state.n }).join(",");
  const k = state.isAuto ? "" : `&k=${state.k}`;
  return `ref=${masses(state.ref)}&hyp=${masses(state.hyp)}&n_t=${state.nT}${k}&step=${state.step + 1}`;
}

function readAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  if (!fields.has("ref")) return false;
  const number = (name, low, high, otherwise) => {
    const value = Number(fields.get(name));
    return Number.isInteger(value) && value >= low && value <= high ? value : otherwise;
  };
  try {
    const pair = readPair(`${fields.get("ref")}\n${fields.get("hyp") ?? ""}`, "masses");
    const k = number("k", 1, MOST_UNITS, null);
    change({
      ...pair, nT: number("n_t", 1, MOST_UNITS, data.n_t), isAuto: k === null, k: k ?? state.k, at: null,
      step: number("step", 1, data.steps.length, 1) - 1,
    });
  } catch (error) {
    ui.problem.textContent = `The link cannot be read. ${error.message}`;
    return false;
  }
  return true;
}

// ---------------------------------------------------------------- text and files

// Text that came in: as what is chosen, or, where it cannot be that, as a form that cannot be mistaken.
function readText(text) {
  const form = state.chosen;
  const forms = [form, ...(/[01]/.test(text) ? ["gaps"] : []), ...(/\p{L}/u.test(text) ? ["labels"] : [])];
  const problems = [];
  for (const each of forms) {
    try {
      change({ ...readPair(text, each, state.n), form: each, at: null, isTyped: true });
      ui.problem.textContent = each === form ? "" : `Read as ${each}.`;
      return;
    } catch (error) {
      problems.push(error.message);
    }
  }
  state.isTyped = true;
  ui.problem.textContent = problems[0];
}

// Another form: what was typed is that; what the page wrote is written in it.
function chooseForm(form) {
  state.chosen = form;
  if (!state.isTyped) {
    change({ form });
    return;
  }
  state.form = form;
  try {
    change({ ...readPair(ui.text.value, form, state.n), at: null, isTyped: true });
    ui.problem.textContent = "";
  } catch (error) {
    ui.problem.textContent = error.message;
  }
}

async function readFiles(files) {
  const texts = await Promise.all([...files].slice(0, 2).map((file) => file.text()));
  const lines = texts.map(linesOf);
  const pair = lines.length === 2 ? [lines[0][0], lines[1][0]] : lines[0].slice(0, 2);
  const text = pair.map((line) => line ?? "").join("\n");
  ui.text.value = text;
  readText(text);
  const left = lines.length === 2 ? Math.max(...lines.map(({ length }) => length)) - 1 : lines[0].length - 2;
  if (left > 0) ui.problem.textContent += ` Only the first ${lines.length === 2 ? "line of each file" : "two lines"} are shown.`;
}

// ---------------------------------------------------------------- the controls

function slider(name, label, input) {
  const output = make("output", { for: name });
  const control = make("input", { type: "range", min: 1, max: 10, id: name, oninput: () => input(Number(control.value)) });
  control.output = output;
  ui[name] = control;
  return make("label", { class: "field slide" }, make("span", {}, label, output), control);
}

function makeSteps(root) {
  const groups = new Map();
  data.steps.forEach(({ group, title }, number) => {
    if (!groups.has(group)) groups.set(group, make("optgroup", { label: group }));
    groups.get(group).append(make("option", { value: number }, title));
  });
  ui.step = make("select", { id: "step", onchange: () => chooseStep(Number(ui.step.value)) }, ...groups.values());
  const button = (text, by) => make("button", { type: "button", onclick: () => chooseStep(state.step + by) }, text);
  [ui.before, ui.after] = [button("‹ Back", -1), button("Next ›", 1)];
  ui.says = make("p", { class: "step-says" });
  ui.printed = make("p", { class: "note" });
  root.append(make("div", { class: "bar" }, make("label", { class: "field" }, make("span", {}, "Example"), ui.step),
    ui.before, ui.after), ui.says, ui.printed);
}

function makePair(root) {
  ui.strips = make("div", {
    class: "strips", onpointerdown: press, onpointermove: drag, onpointerup: release, onpointercancel: release, onkeydown: pressKey,
  });
  const point = (event) => {
    const at = Math.floor(((event.clientX - ui.windows.getBoundingClientRect().left - strips.x(0)) / (strips.x(1) - strips.x(0))) - state.k / 2);
    if (at >= 0 && at < state.n - state.k && at !== state.at) change({ at });
  };
  ui.windows = make("div", { class: "windows", onpointermove: point, onpointerdown: point });
  ui.readout = make("p", { class: "readout" });
  ui.edits = make("p", { class: "legend", id: "edits" });
  root.append(
    make("p", { class: "note" }, "Drag a boundary, press it to remove it, press a strip to add one. Keys: Tab, arrows, Delete."),
    ui.strips, ui.windows, ui.readout, ui.edits);
}

function makeControls(root) {
  ui.window = make("input", { type: "range", min: 0, value: 0, id: "window", oninput: () => change({ at: Number(ui.window.value) }) });
  ui.auto = make("input", { type: "checkbox", id: "auto", onchange: () => change({ isAuto: ui.auto.checked }) });
  ui.units = make("input", { type: "number", min: 1, max: MOST_UNITS, id: "units", onchange: resize });
  const exchange = () => change({ ref: state.hyp, hyp: state.ref });
  root.append(
    make("div", { class: "bar" },
      slider("nT", "Near misses span fewer than n_t = ", (nT) => change({ nT })),
      slider("k", "Windows cover k = ", (k) => change({ k, isAuto: false })),
      make("label", { class: "field check" }, ui.auto, "k = half the mean reference segment"),
      make("label", { class: "field" }, make("span", {}, "Units"), ui.units),
      make("button", { type: "button", onclick: exchange }, "⇄ Exchange")),
    make("label", { class: "field slide" }, make("span", {}, "Window"), ui.window));
}

function resize() {
  const last = Math.max(0, ...state.ref.slice(-1), ...state.hyp.slice(-1));
  change({ n: Math.max(last + 1, Math.min(MOST_UNITS, Math.floor(Number(ui.units.value)) || 1)), ref: state.ref });
}

function makeValues(root) {
  ui.rows = {};
  const cards = Object.entries(WORDS).map(([name, [title, meaning]]) => {
    const row = (ui.rows[name] = { value: make("strong"), fraction: make("span"), bar: make("i") });
    return make("div", { class: name in ERRS ? "error" : "", "data-metric": name },
      make("dt", {}, name, title ? make("span", {}, title) : null),
      make("dd", {}, row.value, row.fraction, make("span", { class: "track" }, row.bar),
        make("small", {}, `${meaning} ${name in ERRS ? 0 : 1} is best.`)));
  });
  ui.live = make("p", { class: "hidden", "aria-live": "polite", role: "status" });
  ui.link = make("a", { id: "link" }, "Link to this state");
  root.append(make("dl", { class: "values" }, ...cards),
    make("p", { class: "note" }, ui.link, " · also in the address bar."), ui.live);
}

function makePaste(root) {
  ui.forms = Object.keys(FORMS).map((form) =>
    make("input", { type: "radio", name: "form", value: form, onchange: () => chooseForm(form) }));
  ui.text = make("textarea", { rows: 2, id: "text", spellcheck: "false", oninput: () => readText(ui.text.value) });
  ui.problem = make("p", { class: "problem", role: "alert" });
  const files = make("input", { type: "file", id: "files", multiple: true, onchange: async () => {
    await readFiles(files.files);
    files.value = ""; // so that the same files can be chosen again
  } });
  root.append(
    make("h2", {}, "Your own data"),
    make("fieldset", { class: "forms" }, make("legend", { class: "note" }, "Written as"),
      ...ui.forms.map((radio) => make("label", {}, radio, radio.value, make("code", { class: "note" }, FORMS[radio.value].example)))),
    make("label", { class: "note", for: "text" }, "Reference on the first line, hypothesis on the second"), ui.text, ui.problem,
    make("p", {}, make("label", { for: "files" }, "Or drop two files on the page, or choose them: "), files));
  const target = document.documentElement;
  addEventListener("dragover", (event) => {
    event.preventDefault();
    target.classList.add("dropping");
  });
  addEventListener("dragleave", () => target.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    target.classList.remove("dropping");
    if (event.dataTransfer.files.length) readFiles(event.dataTransfer.files);
  });
}

makeSteps(document.getElementById("steps"));
makePair(document.getElementById("pair"));
makeValues(document.getElementById("values"));
makeControls(document.getElementById("controls"));
makePaste(document.getElementById("paste"));
chooseStep(0);
readAddress();
addEventListener("hashchange", readAddress);
addEventListener("resize", show);
darkness.addEventListener("change", show);

// For tests and curious readers.
window.caesuraPlay = { scoresOf, windowSize, state };

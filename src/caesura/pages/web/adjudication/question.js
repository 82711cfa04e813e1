// The question at hand: who marked what, the proposal, and the buttons and keys that decide.

// What may be chosen by one key: what coders marked, most of them first, what is proposed, and nothing.
function optionsOf(place) {
  const found = new Map();
  const add = (boundaries, coder) => {
    const key = JSON.stringify(boundaries);
    if (!found.has(key)) found.set(key, { boundaries, coders: [] });
    if (coder !== null) found.get(key).coders.push(coder);
  };
  place.votes.forEach((vote, i) => add(vote, place.doc.coders[i]));
  add(place.proposal, null);
  const options = [...found.values()].filter(({ boundaries }) => boundaries.length);
  options.sort((one, other) => other.coders.length - one.coders.length);
  return [...options, found.get("[]") || { boundaries: [], coders: [] }];
}

function showQuestion({ focus = false } = {}) {
  const part = ui.question.contains(document.activeElement) ? document.activeElement.dataset.part : null;
  ui.question.replaceChildren(...(state.place ? makeQuestion(state.place) : makeNothing()));
  const again = focus ? "asks" : part;
  const found = again && ui.question.querySelector(`[data-part="${again}"]`);
  if (found) found.focus({ preventScroll: true });
}

function makeNothing() {
  const words = queue.length ? "All coders agree in this document." : "All coders agree on every place.";
  const next = queue.some(isOpen) && make("button", { type: "button", class: "primary", onclick: () => openNext(-1) }, "To the next question");
  return [heading("Nothing to decide here"), make("p", {}, words), next || null].filter((one) => one);
}

const heading = (words) => make("h2", { id: "asks", "data-part": "asks", tabindex: -1 }, words);

function makeQuestion(place) {
  const { doc } = place;
  const gold = goldOf(place), open = isOpen(place);
  const many = queue.length > 1;
  return [
    make("div", { class: "counted" },
      make("p", { class: "kind-of" }, `Place ${whole(place.rank + 1)} of ${whole(queue.length)}`),
      make("p", { class: "note" }, `${place.percent} % of the disagreement`)),
    heading(asking(place)),
    make("p", { class: "note where", dir: "auto" }, doc.document),
    make("ol", { class: "options" }, ...optionsOf(place).map((option, i) => makeOption(place, option, i, gold))),
    make("div", { class: "acts" },
      act("accept", "Accept", "a", () => acceptProposal(), "primary"),
      act("reject", "No boundary", "r", () => rejectAll()),
      act("earlier", "Earlier", "←", () => movePlace(-1)),
      act("later", "Later", "→", () => movePlace(1))),
    make("p", { class: "state", "data-open": String(open) },
      open ? "Undecided. The proposal stands until you decide." : `Decided: ${written(gold)}.`,
      open ? null : make("button", { type: "button", class: "link", "data-part": "open", onclick: () => openAgain() }, "Leave it open")),
    makeComment(place),
    many ? make("div", { class: "steps" },
      make("button", { type: "button", "data-part": "previous", onclick: () => stepPlace(-1), disabled: place.rank === 0, "aria-label": "Previous place", title: "Previous place (p)" }, "‹ Previous"),
      make("button", { type: "button", "data-part": "next", onclick: () => stepPlace(1), disabled: place.rank === queue.length - 1, "aria-label": "Next place", title: "Next place (n)" }, "Next ›")) : null,
  ].filter((one) => one);
}

function act(part, words, key, press, kind = null) {
  const isArrow = key in KEY_NAMES;
  return make("button", { type: "button", class: kind, "data-part": part, onclick: press, "aria-keyshortcuts": KEY_NAMES[key] || key },
    make("span", { class: isArrow ? "aside" : null }, words), " ",
    make("kbd", { class: isArrow ? "arrow" : null, "aria-hidden": "true" }, key));
}

const KEY_NAMES = { "←": "ArrowLeft", "→": "ArrowRight" };
const MOST_KEYS = 9;

function makeOption(place, { boundaries, coders }, i, gold) {
  const isProposal = isSame(boundaries, place.proposal);
  const support = `proposed, ${whole(place.supporters)} of ${whole(place.votes.length)} support it`;
  const who = coders.length ? shortNames(coders) : "no coder";
  const isChosen = !isOpen(place) && isSame(gold, boundaries);
  return make("li", {}, make("button", {
    type: "button", class: "option", "data-part": `option-${i}`, "aria-pressed": String(isChosen),
    onclick: () => chooseFor(place, boundaries),
  },
  i < MOST_KEYS ? make("kbd", { "aria-hidden": "true" }, String(i + 1)) : null,
  make("span", { class: "what" }, capital(written(boundaries))),
  make("span", { class: "who-marked", dir: "auto" }, who),
  isProposal ? make("span", { class: "tag" }, support) : null));
}

// Kept letter by letter, undone as a whole.
function makeComment(place) {
  const { comments } = place.doc;
  const own = () => comments.get(place.first) || null;
  let before = own();
  const input = make("textarea", {
    id: "comment", "data-part": "comment", rows: 2, maxlength: MOST_LETTERS, dir: "auto",
    onfocus: () => { before = own(); },
    oninput: () => { put(comments, place.first, wellFormed(input.value) || null); keepChanged(place.doc); },
    onchange: () => {
      if (own() !== before) {
        const change = { map: comments, key: place.first, before, after: own() };
        history.note({ about: { doc: place.doc, place, positions: [] }, changes: [change] });
      }
      before = own();
      showProgress();
    },
  });
  input.value = before || "";
  return make("div", { class: "comment" }, make("label", { for: "comment" }, "Comment"), input);
}

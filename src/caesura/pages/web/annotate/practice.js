// Practice: the coder's boundaries are compared with the key, boundary by boundary, by the library's alignment.

const PRACTICE_N_T = 2; // one unit off is a near miss
const PLAIN_WEIGHTS = { transposition: "scaled", substitution: "constant", w0: true, types: null };

const FEEDBACK = {
  right: "right",
  near: "near: the key has it one unit away",
  missed: "the key has a boundary here",
  spurious: "the key has none here",
  type: "the key has another type here",
};

function checkPractice() {
  const { coding, key } = state.doc;
  const found = align(key, coding.boundaries, PRACTICE_N_T, PLAIN_WEIGHTS);
  const says = new Map();
  for (const [position] of found.matches) says.set(position, "right");
  for (const [position] of found.substitutions) says.set(position, "type");
  for (const [position] of found.missed) says.set(position, "missed");
  for (const [position] of found.spurious) says.set(position, "spurious");
  for (const [, position] of found.transpositions) says.set(position, "near");
  showFeedback(says);
  const counts = [[found.matches.length, "right"], [found.transpositions.length, "near"],
    [found.substitutions.length, "of another type"], [found.missed.length, "missed"],
    [found.spurious.length, "too many"]];
  const words = counts.filter(([n], i) => n || i === 0).map(([n, word]) => `${n} ${word}`).join(", ");
  state.doc.isCompared = true;
  showProgress();
  say(`Compared with the key: ${words}.`);
}

// Put a word at each place, or take all words away.
function showFeedback(says) {
  for (const old of ui.text.querySelectorAll(".feedback")) old.remove();
  for (const gap of ui.text.querySelectorAll("[data-feedback]")) delete gap.dataset.feedback;
  for (const [position, kind] of says || []) {
    const gap = state.list.gaps[position];
    gap.dataset.feedback = kind;
    gap.firstChild.after(make("p", { class: "feedback" }, FEEDBACK[kind]));
  }
}

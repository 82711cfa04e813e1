// Boundaries, votes and decisions in words.

const isTyped = data.types.length > 1;
const typePlaces = new Map(data.types.map(({ type }, i) => [type, i]));
const typeName = (type) => (typePlaces.has(type) ? data.types[typePlaces.get(type)].name : String(type));
const isSame = (some, others) => JSON.stringify(some) === JSON.stringify(others);

const listed = (words, last) =>
  (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`);

// "after 12 (topic) and after 14 (aside)"
function written(boundaries) {
  const one = ([position, type]) => `after ${whole(position)}${isTyped ? ` (${typeName(type)})` : ""}`;
  return listed(boundaries.map(one), "and") || "no boundary";
}

const MOST_ASKED = 4; // positions that a question names one by one

// What is to be decided: near misses are one question.
function asking({ positions, votes }) {
  if (positions.length > MOST_ASKED) {
    return `Where between ${whole(positions[0])} and ${whole(positions.at(-1))}?`;
  }
  if (positions.length > 1) return `${capital(listed(positions.map((one) => `after ${whole(one)}`), "or"))}?`;
  const marked = votes.filter((vote) => vote.length);
  const kinds = [...new Set(marked.flat().map(([, type]) => type))].sort((x, y) => x - y);
  const [position] = positions;
  if (marked.length === votes.length && kinds.length > 1) {
    return `After ${whole(position)}: ${listed(kinds.map(typeName), "or")}?`;
  }
  return `A boundary after ${whole(position)}?`;
}

const DECISIONS = {
  undecided: "undecided: the proposal stands",
  accepted: "accepted",
  chosen: "chosen",
  none: "no boundary",
  unanimous: "all agree",
  "one coder": "one coder alone",
  overruled: "changed, although all agree",
  added: "added: no coder marked it",
};

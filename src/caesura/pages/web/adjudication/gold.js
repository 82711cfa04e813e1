// Gold as it stands: what is taken over, proposed or decided, place by place.

// What gold has at a place before a decision.
const standing = (place) => (place.is_contested ? place.proposal : place.votes[0]);
const isOpen = (place) => place.is_contested && !place.doc.decided.has(place.first);

// doc.gold has the types at each position; doc.decided and doc.comments go by the first position of a place.
function openDocument(given) {
  const doc = { ...given, gold: new Map(), decided: new Map(), comments: new Map(), milliseconds: 0, isTouched: false };
  doc.places = given.places.map((place, i) =>
    ({ ...place, doc, number: i, first: place.positions[0], last: place.positions.at(-1) }));
  beginAfresh(doc);
  return doc;
}

const documents = data.documents.map(openDocument);
const queue = data.queue.map(([doc, place]) => documents[doc].places[place]);
queue.forEach((place, i) => { place.rank = i; });

function beginAfresh(doc) {
  for (const map of [doc.gold, doc.decided, doc.comments]) map.clear();
  for (const place of doc.places) {
    for (const [position, types] of byPosition(standing(place))) doc.gold.set(position, types);
  }
}

function byPosition(boundaries) {
  const found = new Map();
  for (const [position, type] of boundaries) found.set(position, [...(found.get(position) || []), type]);
  return found;
}

const boundariesAt = (doc, position) => (doc.gold.get(position) || []).map((type) => [position, type]);
const goldPositions = (doc) => [...doc.gold.keys()].sort((x, y) => x - y);

// The place that a position belongs to: fewer than n_t away, the nearest; of two as near the contested, then the first.
function placeAt(doc, position) {
  const { places } = doc;
  let low = 0, high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle].first <= position) low = middle + 1;
    else high = middle;
  }
  const near = [places[low - 1], places[low]].filter((place) => place && distance(place, position) < data.n_t);
  near.sort((one, other) => distance(one, position) - distance(other, position)
    || other.is_contested - one.is_contested || one.number - other.number);
  return near[0] || null;
}

const distance = (place, position) => Math.max(0, place.first - position, position - place.last);

// All positions that belong to a place.
function reach(place) {
  const { doc, number, first, last } = place;
  const before = number ? doc.places[number - 1].last : 0;
  const after = number + 1 < doc.places.length ? doc.places[number + 1].first : doc.n_units;
  const found = [];
  for (let position = Math.max(before + 1, first - data.n_t + 1); position < Math.min(after, last + data.n_t); position++) {
    if (placeAt(doc, position) === place) found.push(position);
  }
  return found;
}

const goldOf = (place) => reach(place).flatMap((position) => boundariesAt(place.doc, position));

// What became of a place, in the word of its record.
function decisionOf(place, boundaries = goldOf(place)) {
  if (!place.is_contested) {
    if (!isSame(boundaries, place.votes[0])) return "overruled";
    return place.votes.length > 1 ? "unanimous" : "one coder";
  }
  if (isOpen(place)) return "undecided";
  if (isSame(boundaries, place.proposal)) return "accepted";
  return boundaries.length ? "chosen" : "none";
}

// The type most often given at a position, or in the whole place, or the first: as the library takes it.
function usualType(doc, position) {
  const place = placeAt(doc, position);
  const marks = place ? place.votes.flat() : [];
  const here = marks.filter(([one]) => one === position);
  const counts = new Map();
  for (const [, type] of here.length ? here : marks) counts.set(type, (counts.get(type) || 0) + 1);
  const ranked = [...counts].sort(([one, n], [other, m]) => m - n || one - other);
  if (ranked.length) return ranked[0][0];
  return data.types.length ? data.types[0].type : 1;
}

// ---------------------------------------------------------------- changes, each one step of the history

const history = new History();

// Set the types at positions, and with them that their places are decided.
function setGold(doc, place, changes) {
  const isNew = changes.filter(([position, types]) => !isSame(doc.gold.get(position) || null, types));
  const steps = isNew.map(([position, types]) => [doc.gold, position, types]);
  if (place && place.is_contested) steps.push([doc.decided, place.first, true]);
  const about = { doc, place, positions: isNew.map(([position]) => position) };
  history.take(about, steps);
  return about;
}

function decide(place, boundaries) {
  const wanted = byPosition(boundaries);
  return setGold(place.doc, place, reach(place).map((position) => [position, wanted.get(position) || null]));
}

// Back to the proposal, and undecided.
function leaveOpen(place) {
  const wanted = byPosition(standing(place));
  const changes = reach(place).map((position) => [place.doc.gold, position, wanted.get(position) || null]);
  const about = { doc: place.doc, place, positions: reach(place) };
  history.take(about, [...changes, [place.doc.decided, place.first, null]]);
  return about;
}

function setTypes(doc, position, types) {
  return setGold(doc, placeAt(doc, position), [[position, types.length ? types : null]]);
}

// Move what gold has at a place by one unit; null where it would leave the place or there is nothing to move.
function moved(place, by) {
  const boundaries = goldOf(place);
  const allowed = new Set(reach(place));
  const found = boundaries.map(([position, type]) => [position + by, type]);
  return found.length && found.every(([position]) => allowed.has(position)) ? found : null;
}

// ---------------------------------------------------------------- kept in the browser

function storedOf(doc) {
  return {
    gold: goldPositions(doc).map((position) => [position, doc.gold.get(position)]),
    decided: [...doc.decided.keys()],
    comments: [...doc.comments],
    milliseconds: Math.round(doc.milliseconds),
    isTouched: doc.isTouched,
  };
}

function restore(doc, stored) {
  const { gold, decided, comments, milliseconds, isTouched } = stored;
  Object.assign(doc, { gold: new Map(gold), comments: new Map(comments), milliseconds, isTouched });
  doc.decided = new Map(decided.map((first) => [first, true]));
}

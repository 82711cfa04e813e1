// The file: gold with a record of each decision, and what of an earlier one is taken over.

function fileContent() {
  return {
    format: data.format,
    version: data.version,
    study: data.study,
    title: data.title,
    coder: data.coder,
    signature: data.signature,
    type_scheme: data.type_scheme,
    documents: documents.map(fileRecord),
  };
}

function fileRecord(doc) {
  const boundaries = goldPositions(doc).flatMap((position) => boundariesAt(doc, position));
  const isPlain = data.type_scheme === null && boundaries.every(([, type]) => type === 1);
  return {
    document: doc.document,
    n_units: doc.n_units,
    units: doc.units,
    seconds: Math.round(doc.milliseconds / 1000),
    positions: boundaries.map(([position]) => position),
    types: isPlain ? [] : boundaries.map(([, type]) => type),
    decisions: [...doc.places.map(decisionRecord), ...addedTo(doc).map(addedRecord)].sort((x, y) => x.first - y.first),
  };
}

const votesOf = (place) =>
  place.votes.map((boundaries, i) => ({ coder: place.doc.coders[i], boundaries }));

function decisionRecord(place) {
  const boundaries = goldOf(place);
  return {
    first: place.first,
    last: place.last,
    votes: votesOf(place),
    proposal: standing(place),
    supporters: place.supporters,
    decision: decisionOf(place, boundaries),
    boundaries,
    comment: place.doc.comments.get(place.first) || "",
  };
}

// Boundaries where no coder marked any, near or far.
const addedTo = (doc) => goldPositions(doc).filter((position) => placeAt(doc, position) === null)
  .map((position) => boundariesAt(doc, position));

function addedRecord(boundaries) {
  const [[position]] = boundaries;
  return {
    first: position, last: position, votes: [], proposal: [], supporters: 0, decision: "added", boundaries, comment: "",
  };
}

// Take over what an earlier file says of the places that are the same here; return how many are not.
function takeOver(content) {
  const byName = new Map(documents.map((doc) => [doc.document, doc]));
  const found = [];
  let other = 0;
  for (const record of content.documents) {
    const doc = byName.get(record.document);
    const places = new Map(doc && doc.n_units === record.n_units ? doc.places.map((place) => [place.first, place]) : []);
    for (const decision of record.decisions) {
      const place = places.get(decision.first) || null;
      const isAdded = decision.decision === "added";
      const fits = isAdded ? places.size && placeAt(doc, decision.first) === null
        : place && canonical(votesOf(place)) === canonical(decision.votes);
      if (fits) found.push({ doc, place: isAdded ? null : place, decision, seconds: record.seconds });
      else if (!["unanimous", "one coder", "undecided"].includes(decision.decision)) other++;
    }
  }
  if (!found.length) throw new Error("its codings differ from those of this page");
  return { found, other };
}

function apply({ doc, place, decision, seconds }) {
  doc.milliseconds = seconds * 1000;
  doc.isTouched = true;
  const positions = place ? reach(place) : [decision.first];
  const wanted = byPosition(decision.boundaries);
  for (const position of positions) put(doc.gold, position, wanted.get(position) || null);
  if (!place) return;
  if (place.is_contested && decision.decision !== "undecided") doc.decided.set(place.first, true);
  if (decision.comment) doc.comments.set(place.first, decision.comment);
}

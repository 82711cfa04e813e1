// The coder's file: what is saved, what of an earlier one is taken over, and why not.

function fileContent() {
  return {
    format: data.format,
    version: data.version,
    study: data.study,
    title: data.title,
    coder: state.coder,
    scheme: data.scheme,
    questions: data.questions,
    documents: state.documents.map(fileRecord),
  };
}

function fileRecord(doc) {
  const { coding } = doc;
  const { p, t } = coding.boundaries;
  const typed = (asked, texts) =>
    (asks(asked) ? coding.starts.map((start) => texts.get(start) || "") : []);
  return {
    document: doc.document,
    digest: doc.digest,
    n_units: doc.units.length,
    units: doc.units,
    done: coding.isFinished,
    said: coding.done,
    read: coding.wasRead || coding.done === true,
    seconds: Math.round(coding.milliseconds / 1000),
    positions: p,
    types: data.scheme ? t : [],
    unsure: coding.positions.filter((position) => coding.marks.get(position).unsure),
    titles: typed("title", coding.titles),
    comments: typed("comment", coding.comments),
  };
}

// Return the content of this coder's earlier file, or say why it is not taken.
function parseFile(text) {
  const content = parseSealed(text);
  if (state.coder !== null && content.coder !== state.coder) {
    throw new Error(`it is ${content.coder}’s, and this page is ${state.coder}’s`);
  }
  if (canonical(content.scheme) !== canonical(data.scheme)) throw new Error("its boundary types differ from those of this page");
  return content;
}

// What Coding.restore takes, of a document in a file.
function storedOf(record) {
  const marks = new Map();
  record.positions.forEach((position, i) => {
    if (!marks.has(position)) marks.set(position, []);
    marks.get(position).push(data.scheme ? record.types[i] : PLAIN_TYPE);
  });
  const unsure = new Set(record.unsure);
  const starts = [0, ...marks.keys()];
  const typed = (texts) => texts.map((text, i) => [starts[i], text]).filter(([, text]) => text);
  return {
    marks: [...marks].map(([position, types]) => [position, types, unsure.has(position)]),
    titles: typed(record.titles),
    comments: typed(record.comments),
    milliseconds: record.seconds * 1000,
    done: record.said === undefined ? record.done : record.said,
    wasRead: record.read !== false,
  };
}

// The metrics of a pair of plain segmentations, from the report's alignment and from windows that slide over both.

const WEIGHTS = { transposition: "scaled", substitution: "scaled", w0: 0, types: null, method: "greedy" };

const plainCoding = (p) => ({ p, t: null });

// Half the mean segment of the reference, rounded half to even, at least 2, at most n − 1.
function windowSize(reference, n) {
  const segments = reference.length + 1;
  const whole = Math.floor(n / (2 * segments)), rest = n % (2 * segments);
  const half = whole + (rest + (whole % 2) > segments ? 1 : 0);
  return Math.max(1, Math.min(Math.max(2, half), n - 1));
}

// Runs of windows that hold as many boundaries, r and h; window i covers the positions i + 1 … i + k.
function windowRuns(reference, hypothesis, n, k) {
  const changes = [
    ...reference.flatMap((p) => [[p - k, 1, 0], [p, -1, 0]]),
    ...hypothesis.flatMap((p) => [[p - k, 0, 1], [p, 0, -1]]),
  ].sort((x, y) => x[0] - y[0]);
  const runs = [];
  let from = 0, r = 0, h = 0;
  for (const [start, ofReference, ofHypothesis] of [...changes, [n - k, 0, 0]]) {
    const to = Math.min(start, n - k);
    if (to > from) {
      runs.push({ from, to, r, h });
      from = to;
    }
    r += ofReference;
    h += ofHypothesis;
  }
  return runs;
}

const ERRS = {
  Pk: ({ r, h }) => r > 0 !== h > 0,
  WD: ({ r, h }) => r !== h,
};

function scoresOf(reference, hypothesis, n, nT, k) {
  const edits = align(plainCoding(reference), plainCoding(hypothesis), nT, WEIGHTS);
  const { numerator, denominator } = edits.similarity;
  const matches = edits.matches.length;
  const runs = windowRuns(reference, hypothesis, n, k);
  const score = (top, bottom, empty) => ({ numerator: top, denominator: bottom, value: bottom ? top / bottom : empty });
  const inError = (errs) => score(runs.filter(errs).reduce((sum, { from, to }) => sum + to - from, 0), Math.max(0, n - k), 0);
  const values = {
    B: score(numerator, denominator, 1),
    S: score(n - 1 - (denominator - numerator), n - 1, 1),
    F: score(2 * matches, reference.length + hypothesis.length, 1),
    Pk: inError(ERRS.Pk),
    WD: inError(ERRS.WD),
  };
  return { values, edits, runs };
}

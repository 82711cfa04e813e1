// Boundary edit distance: the library's alignment, greedy or optimal, and boundary similarity, for n_t from 1 on.

// A coding is {p: positions, t: types or null}; positions ascend, types ascend at one position.
// Weights are {transposition, substitution, w0, types, method}, as the library's metrics declare them.

const PLAIN_TYPE = 1;

function boundaries(coding) {
  return coding.p.map((position, i) => [position, coding.t ? coding.t[i] : PLAIN_TYPE]);
}

function plain(coding) {
  return { p: [...new Set(coding.p)], t: null };
}

// Types to positions, and positions to types, of what one side has and the other has not.
function byType(list) {
  const lanes = new Map();
  for (const [position, type] of list) {
    if (!lanes.has(type)) lanes.set(type, new Set());
    lanes.get(type).add(position);
  }
  return lanes;
}

function has(lanes, position, type) {
  const lane = lanes.get(type);
  return lane !== undefined && lane.has(position);
}

function countByPosition(list) {
  const counts = new Map();
  for (const [position] of list) counts.set(position, (counts.get(position) || 0) + 1);
  return counts;
}

const inOrder = (x, y) => x[0] - y[0] || x[1] - y[1];

// Take near misses in the order distance, left position, type. One is left out when both its positions
// still have boundaries on both sides: it would displace two substitutions.
function greedyTranspositions(onlyA, onlyB, nT) {
  const openA = byType(onlyA), openB = byType(onlyB);
  const countA = countByPosition(onlyA), countB = countByPosition(onlyB);
  const candidates = [...onlyA.map((b) => [...b, true]), ...onlyB.map((b) => [...b, false])].sort(inOrder);
  const found = [];
  for (let distance = 1; distance < nT; distance++) {
    for (const [left, type, isA] of candidates) {
      const right = left + distance;
      const [ours, theirs] = isA ? [openA, openB] : [openB, openA];
      if (!has(ours, left, type) || !has(theirs, right, type)) continue;
      if ([left, right].every((p) => countA.get(p) && countB.get(p))) continue;
      ours.get(type).delete(left);
      theirs.get(type).delete(right);
      const [a, b] = isA ? [left, right] : [right, left];
      countA.set(a, countA.get(a) - 1);
      countB.set(b, countB.get(b) - 1);
      found.push([a, b, type]);
    }
  }
  return { found, openA, openB };
}

// Pair ascending types at one position at the least total difference; the smaller list is paired completely.
function pairTypes(typesA, typesB) {
  const swapped = typesA.length > typesB.length;
  const [short, long] = swapped ? [typesB, typesA] : [typesA, typesB];
  const slack = long.length - short.length;
  const rest = Array.from({ length: short.length + 1 }, () => new Array(slack + 1).fill(0));
  const cost = (i, s) => Math.abs(short[i] - long[i + s]) + rest[i + 1][s];
  for (let i = short.length - 1; i >= 0; i--) {
    let least = Infinity;
    for (let s = slack; s >= 0; s--) rest[i][s] = least = Math.min(least, cost(i, s));
  }
  let s = 0;
  return short.map((type, i) => {
    while (cost(i, s) !== rest[i][s]) s++;
    return swapped ? [long[i + s], type] : [type, long[i + s]];
  });
}

function typesByPosition(list) {
  const types = new Map();
  for (const [position, type] of list) {
    if (!types.has(position)) types.set(position, []);
    types.get(position).push(type);
  }
  return types;
}

// Near misses are taken first, then what is left at one position is exchanged.
function greedyEdits(onlyA, onlyB, nT) {
  const { found, openA, openB } = greedyTranspositions(onlyA, onlyB, nT);
  const typesB = typesByPosition(onlyB.filter(([p, t]) => has(openB, p, t)));
  const substitutions = [];
  for (const [position, types] of typesByPosition(onlyA.filter(([p, t]) => has(openA, p, t)))) {
    if (!typesB.has(position)) continue;
    for (const [x, y] of pairTypes(types, typesB.get(position))) substitutions.push([position, x, y]);
  }
  return { transpositions: found, substitutions };
}

function align(reference, hypothesis, nT, weights) {
  const isPlain = weights.types !== null && !weights.types.length;
  const [a, b] = [reference, hypothesis].map((coding) => boundaries(isPlain ? plain(coding) : coding));
  const inA = byType(a), inB = byType(b);
  const onlyA = a.filter(([p, t]) => !has(inB, p, t)), onlyB = b.filter(([p, t]) => !has(inA, p, t));
  const range = typeRange(weights.types || [...inA.keys(), ...inB.keys()]);
  const { transpositions, substitutions } = weights.method === "optimal"
    ? optimalEdits(onlyA, onlyB, nT, weights, range) : greedyEdits(onlyA, onlyB, nT);
  const usedA = byType([...transpositions.map(([i, , t]) => [i, t]), ...substitutions.map(([p, x]) => [p, x])]);
  const usedB = byType([...transpositions.map(([, j, t]) => [j, t]), ...substitutions.map(([p, , y]) => [p, y])]);
  const result = {
    matches: a.filter(([p, t]) => has(inB, p, t)),
    missed: onlyA.filter(([p, t]) => !has(usedA, p, t)),
    spurious: onlyB.filter(([p, t]) => !has(usedB, p, t)),
    substitutions: substitutions.sort(inOrder),
    transpositions: transpositions.sort((x, y) => Math.min(x[0], x[1]) - Math.min(y[0], y[1]) || x[2] - y[2]),
  };
  result.similarity = similarity(result, nT, weights, range);
  return result;
}

function typeRange(types) {
  return types.length ? Math.max(...types) - Math.min(...types) : 0;
}

// B = 1 - penalty / (AD + S + T + M); 1 where nothing is marked.
function similarity(edits, nT, weights, range) {
  const { matches, missed, spurious, transpositions, substitutions } = edits;
  const span = transpositions.reduce((sum, [i, j]) => sum + Math.abs(i - j), 0);
  const apart = substitutions.reduce((sum, [, x, y]) => sum + Math.abs(x - y), 0);
  const moved = weigh(weights, "transposition", transpositions.length, span, nT, nT - 1);
  const exchanged = weigh(weights, "substitution", substitutions.length, apart, range + 1, range);
  const paired = matches.length + transpositions.length + substitutions.length;
  const denominator = paired + missed.length + spurious.length;
  const numerator = paired - moved - exchanged;
  return { numerator, denominator, value: denominator ? numerator / denominator : 1 };
}

// The w0 of a kind of edits: one number is that of both.
function leastWeight({ w0 }, kind) {
  return w0[kind] ?? w0;
}

// Weight of n edits over distances that add up to sum; a number is what each of them costs.
function weigh(weights, kind, n, sum, scaled, printed) {
  const weighting = weights[kind];
  if (n === 0) return 0;
  if (typeof weighting === "number") return n * weighting;
  if (weighting === "constant") return n;
  return weighting === "scaled" ? sum / scaled : n * leastWeight(weights, kind) + sum / printed;
}

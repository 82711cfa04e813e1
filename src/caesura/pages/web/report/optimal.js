// The library's optimal alignment: as few edits as possible, of the least weight, with the fewest substitutions.

// ---------------------------------------------------------------- boundaries of one type, in linear time

// Pair as many as possible from left to right: the partner's index of each of a and of b, or -1.
function leftmostPartners(a, b, reach) {
  const ofA = a.map(() => -1), ofB = b.map(() => -1);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (b[j] - a[i] > reach) i++;
    else if (a[i] - b[j] > reach) j++;
    else {
      ofA[i] = j;
      ofB[j++] = i++;
    }
  }
  return [ofA, ofB];
}

// Which of few one of many that is left over can reach, directly or by a chain of exchanges to the right.
function reachedToTheRight(few, partners, leftOver, reach) {
  let bound = few.length ? few[0] - 1 : 0, nearby = 0;
  return few.map((p, i) => {
    while (nearby < leftOver.length && leftOver[nearby] - reach <= p) {
      bound = Math.max(bound, leftOver[nearby++] + reach);
    }
    const isReached = p <= bound;
    if (isReached) bound = Math.max(bound, partners[i] + reach);
    return isReached;
  });
}

const mirrored = (positions) => positions.map((p) => -p).reverse();

function scarce(few, ofFew, many, ofMany, reach) {
  const leftOver = many.filter((_, j) => ofMany[j] < 0);
  const partners = few.map((p, i) => (ofFew[i] >= 0 ? many[ofFew[i]] : p));
  const right = reachedToTheRight(few, partners, leftOver, reach);
  const left = reachedToTheRight(mirrored(few), mirrored(partners), mirrored(leftOver), reach).reverse();
  return few.map((_, i) => right[i] || left[i]);
}

// For each of few, in order, its partner among many at the least total distance; all of few have one.
function nearestPartners(few, many, reach) {
  let first = 0, last = 0;
  const rows = [{ from: 0, cost: [0] }]; // cost of pairing the first i with some of the first from + k
  few.forEach((p, i) => {
    while (first < many.length && many[first] < p - reach) first++;
    while (last < many.length && many[last] <= p + reach) last++;
    const before = rows[i], from = Math.max(first, before.from) + 1, cost = [];
    let best = Infinity;
    for (let k = before.from; k < from - 1; k++) best = Math.min(best, costAt(before, k));
    for (let k = from; k <= last; k++) {
      best = Math.min(best, costAt(before, k - 1));
      cost.push(best + Math.abs(many[k - 1] - p));
    }
    rows.push({ from, cost });
  });
  const chosen = [];
  for (let i = few.length, bound = Infinity; i > 0; i--) {
    const { from, cost } = rows[i];
    let best = -1;
    for (let k = 0; k < cost.length && from + k < bound; k++) if (best < 0 || cost[k] < cost[best]) best = k;
    bound = from + best;
    chosen.unshift(many[bound - 1]);
  }
  return chosen;
}

const costAt = ({ from, cost }, k) => (k >= from && k < from + cost.length ? cost[k - from] : Infinity);

// Every largest pairing uses all scarce boundaries, only with those who could take a place beside them.
function optimalPairs(onlyA, onlyB, nT) {
  const reach = nT - 1;
  const [ofA, ofB] = leftmostPartners(onlyA, onlyB, reach);
  const scarceA = scarce(onlyA, ofA, onlyB, ofB, reach), scarceB = scarce(onlyB, ofB, onlyA, ofA, reach);
  const fewA = onlyA.filter((_, i) => scarceA[i]), fewB = onlyB.filter((_, j) => scarceB[j]);
  const rivalsA = onlyA.filter((_, i) => ofA[i] < 0 || scarceB[ofA[i]]);
  const rivalsB = onlyB.filter((_, j) => ofB[j] < 0 || scarceA[ofB[j]]);
  const chosenA = nearestPartners(fewB, rivalsA, reach), chosenB = nearestPartners(fewA, rivalsB, reach);
  const pairs = [...fewB.map((p, i) => [chosenA[i], p]), ...fewA.map((p, i) => [p, chosenB[i]])];
  ofA.forEach((j, i) => {
    if (j >= 0 && !scarceA[i] && !scarceB[j]) pairs.push([onlyA[i], onlyB[j]]);
  });
  return pairs;
}

// ---------------------------------------------------------------- several types: a matching of least cost

// Weights as whole numbers, so that what weighs the same is equal: [of a distance, of two types].
function wholeWeights(nT, weights, range) {
  const fine = 1e6; // w0 and costs have no more decimals
  const fraction = (kind, scaled, printed) => ({
    scaled: [0, 1, scaled],
    constant: [1, 0, 1],
    equation: [Math.round(leastWeight(weights, kind) * fine) * printed, fine, fine * printed],
  })[weights[kind]] ?? [Math.round(weights[kind] * fine), 0, fine];
  const [once, each, whole] = fraction("transposition", nT, Math.max(1, nT - 1));
  const [once2, each2, whole2] = fraction("substitution", range + 1, Math.max(1, range));
  return [
    (distance) => (once + each * distance) * whole2,
    (x, y) => (once2 + each2 * Math.abs(x - y)) * whole,
  ];
}

// Split what is unmatched where no chain of edits can connect it; parts of one side only are left out.
function connectedParts(onlyA, onlyB, nT) {
  const nodes = [...onlyA.map((b) => [...b, 0]), ...onlyB.map((b) => [...b, 1])].sort(
    (x, y) => x[0] - y[0] || x[1] - y[1] || y[2] - x[2]);
  const parent = nodes.map((_, i) => i);
  const root = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const before = new Map(); // the last boundary of each type
  nodes.forEach(([position, type], i) => {
    const same = before.get(type);
    if (same !== undefined && position - nodes[same][0] < nT) parent[root(same)] = root(i);
    if (i && nodes[i - 1][0] === position) parent[root(i - 1)] = root(i);
    before.set(type, i);
  });
  const parts = new Map();
  nodes.forEach(([position, type, side], i) => {
    if (!parts.has(root(i))) parts.set(root(i), [[], []]);
    parts.get(root(i))[side].push([position, type]);
  });
  return [...parts.values()].filter(([a, b]) => a.length && b.length);
}

// For each boundary of left its possible partners in right, [index, cost]; substitutions cost a trifle more.
function possiblePartners(left, right, nT, [moved, exchanged]) {
  const finer = Math.min(left.length, right.length) + 1;
  return left.map(([p, x]) => {
    const here = [], near = [];
    right.forEach(([q, y], j) => {
      if (p === q) here.push([j, exchanged(x, y) * finer + 1]);
      else if (x === y && Math.abs(p - q) < nT) near.push([j, moved(Math.abs(p - q)) * finer]);
    });
    return [...here, ...near];
  });
}

// A largest matching of least cost: each round adds the cheapest path that matches one more.
function leastMatching(nRight, edges) {
  const ofLeft = edges.map(() => -1), ofRight = new Array(nRight).fill(-1);
  for (;;) {
    const cost = new Map(), from = new Map(); // to get to one of right
    let changed = true;
    const leftCost = edges.map((_, i) => (ofLeft[i] < 0 ? 0 : Infinity));
    while (changed) { // Bellman and Ford: a part that is connected by near misses is small
      changed = false;
      edges.forEach((partners, i) => {
        for (const [j, price] of leftCost[i] < Infinity ? partners : []) {
          const total = leftCost[i] + price;
          if (j === ofLeft[i] || !(total < (cost.has(j) ? cost.get(j) : Infinity))) continue;
          cost.set(j, total);
          from.set(j, i);
          changed = true;
          const owner = ofRight[j];
          if (owner >= 0) leftCost[owner] = total - edges[owner].find(([other]) => other === j)[1];
        }
      });
    }
    const free = [...cost.keys()].filter((j) => ofRight[j] < 0);
    if (!free.length) return ofLeft.flatMap((j, i) => (j < 0 ? [] : [[i, j]]));
    let j = free.reduce((x, y) => (cost.get(y) < cost.get(x) ? y : x));
    while (j >= 0) {
      const i = from.get(j), next = ofLeft[i];
      ofRight[j] = i;
      ofLeft[i] = j;
      j = next;
    }
  }
}

// Near misses and substitutions of what only one side has.
function optimalEdits(onlyA, onlyB, nT, weights, range) {
  const transpositions = [], substitutions = [];
  const costs = wholeWeights(nT, weights, range);
  for (const [a, b] of connectedParts(onlyA, onlyB, nT)) {
    const type = a[0][1];
    if ([...a, ...b].every(([, other]) => other === type)) {
      const pairs = optimalPairs(a.map(([p]) => p), b.map(([p]) => p), nT);
      transpositions.push(...pairs.map(([i, j]) => [i, j, type]));
      continue;
    }
    for (const [i, j] of leastMatching(b.length, possiblePartners(a, b, nT, costs))) {
      if (a[i][0] === b[j][0]) substitutions.push([a[i][0], a[i][1], b[j][1]]);
      else transpositions.push([a[i][0], b[j][0], a[i][1]]);
    }
  }
  return { transpositions, substitutions };
}

// Segmentations as text: masses, positions, gaps or labels, read and written.

const MOST_UNITS = 100_000;

const tokensOf = (text) => text.split(/[\s,;[\]()]+/).filter(Boolean);

function wholes(text, form) {
  return tokensOf(text).map((token, i) => {
    if (/^[1-9]\d{0,8}$/.test(token)) return Number(token);
    throw new Error(`${form}[${i}] is ${shortened(token, 20)}: expected a whole number from 1 on`);
  });
}

const sums = (masses) => {
  let sum = 0;
  return masses.map((mass) => (sum += mass));
};

const massesOf = ({ p, n }) => [...p, n].map((position, i) => position - (i ? p[i - 1] : 0));

const FORMS = {
  masses: {
    example: "2 3 6",
    read(text) {
      const ends = sums(wholes(text, "masses"));
      if (!ends.length) throw new Error("there is no segment");
      return { p: ends.slice(0, -1), n: ends.at(-1) };
    },
    write: (side) => massesOf(side).join(" "),
  },
  positions: {
    example: "2 5",
    read(text, n) {
      const p = wholes(text, "positions");
      p.forEach((position, i) => {
        if (i && position <= p[i - 1]) throw new Error(`positions[${i}] is ${position}, after ${p[i - 1]}: expected ascending positions`);
      });
      if (p.length && p.at(-1) >= n) throw new Error(`positions[${p.length - 1}] is ${p.at(-1)}, and the document has ${n} units: set Units`);
      return { p, n };
    },
    write: ({ p }) => p.join(" "),
  },
  gaps: {
    example: "0100100000",
    read(text) {
      const gaps = tokensOf(text).join("");
      if (!/^[01]*$/.test(gaps)) throw new Error("gaps have a sign that is neither 0 nor 1");
      return { p: [...gaps].flatMap((gap, i) => (gap === "1" ? [i + 1] : [])), n: gaps.length + 1 };
    },
    write: ({ p, n }) => {
      const marked = new Set(p);
      return Array.from({ length: n - 1 }, (_, i) => (marked.has(i + 1) ? "1" : "0")).join("");
    },
  },
  labels: {
    example: "a a b b b c c c c c c",
    read(text) {
      const labels = tokensOf(text);
      if (!labels.length) throw new Error("there is no label");
      return { p: labels.flatMap((label, i) => (i && label !== labels[i - 1] ? [i] : [])), n: labels.length };
    },
    write: (side) => massesOf(side).flatMap((mass, i) => new Array(mass).fill(String(i + 1))).join(" "),
  },
};

// Two lines, the reference first; both have as many units. Positions need to be told how many.
function readPair(text, form, n) {
  const lines = text.split(/\r?\n/).slice(0, 2);
  const pair = ["reference", "hypothesis"].map((name, i) => {
    try {
      return FORMS[form].read(lines[i] ?? "", n);
    } catch (error) {
      throw new Error(`Line ${i + 1}, the ${name}: ${error.message}.`);
    }
  });
  const [one, other] = pair.map((side) => side.n);
  if (one !== other) throw new Error(`The reference has ${plural(one, "unit", "units")}, the hypothesis ${whole(other)}: expected as many.`);
  if (one > MOST_UNITS) throw new Error(`There are ${whole(one)} units: this page shows at most ${whole(MOST_UNITS)}.`);
  return { n: one, ref: pair[0].p, hyp: pair[1].p };
}

const writePair = ({ n, ref, hyp }, form) => [ref, hyp].map((p) => FORMS[form].write({ p, n })).join("\n");

// One line of a file for each segmentation in it; a column of labels or gaps is one segmentation.
function linesOf(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  const isColumn = lines.length > 2 && lines.every((line) => tokensOf(line).length === 1 && !/^[01]{2,}$/.test(line));
  return isColumn ? [lines.join(" ")] : lines;
}

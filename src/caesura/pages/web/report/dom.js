// What every part of the report uses: its data unpacked, cells and numbers as the library writes them, kinds of edits.

// Data are packed by zlib and base64.
async function unpacked(element) {
  const bytes = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const data = await unpacked(document.getElementById("data"));

// A cell of CSV; a text that a spreadsheet would run as a formula gets a quote before it.
function csvCell(cell) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function toCsv(rows) {
  return rows.map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
}

// Round as the library prints: what lies exactly in the middle goes to the even digit.
function decimals(value, digits = 3) {
  if (value === null || value === undefined) return "";
  const up = value.toFixed(digits);
  const isTie = /^50*$/.test(value.toFixed(digits + 30).slice(-30));
  const isOdd = Number(up.at(-1)) % 2 === 1;
  return isTie && isOdd ? (value - Math.sign(value) * 0.25 * 10 ** -digits).toFixed(digits) : up;
}

const KINDS = { // types that are ranks are the levels of a hierarchy
  near: { sign: "~", name: "near miss", many: "near misses" },
  missed: { sign: "−", name: "missed", many: "missed" },
  spurious: { sign: "+", name: "spurious", many: "spurious" },
  type: data.ranks
    ? { sign: "≠", name: "other level", many: "other levels" }
    : { sign: "≠", name: "wrong type", many: "wrong types" },
  match: { sign: "=", name: "match", many: "matches" },
};

const PALETTES = data.palettes;
const darkness = matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const palette = () => (darkness.matches && !printing ? PALETTES.dark : PALETTES.light);

const typeNumbers = Object.keys(data.types).map(Number).sort((x, y) => x - y);
const isTyped = typeNumbers.length > 1 || (typeNumbers.length === 1 && typeNumbers[0] !== PLAIN_TYPE);
const typePlace = new Map(typeNumbers.map((type, place) => [type, place]));
const typeName = (type) => (data.types[type] === undefined ? String(type) : data.types[type]);
const typeColor = (type, colors) =>
  isTyped ? [...colors.types, colors.mark][(typePlace.get(type) || 0) % (colors.types.length + 1)] : colors.mark;

// Time as m:ss, or h:mm:ss from an hour on; parts of a second where there are any.
function clock(seconds) {
  const total = Math.abs(Math.round(seconds * 1000)) / 1000;
  const minutes = Math.floor(total / 60);
  const rest = Number((total % 60).toFixed(3));
  const two = (number) => (number < 10 ? `0${number}` : `${number}`);
  const shown = minutes < 60 ? minutes : `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
  return `${seconds < 0 ? "−" : ""}${shown}:${two(rest)}`;
}

// Positions and distances are times where units are: documents on one grid in time.
const stand = (doc, position) => (data.step ? clock(doc.origin + position * data.step) : whole(position));
const where = (doc, position) => `${data.step ? "at" : "after unit"} ${stand(doc, position)}`;
const extent = (n) => (data.step ? clock(n * data.step) : plural(n, "unit", "units"));

// Texts are packed in blocks of documents, each of which is unpacked when one of its documents is opened.
const packedTexts = [...document.querySelectorAll("script.texts")];
const textBlocks = new Map();

function loadText(index) {
  const block = data.blocks.findLastIndex((first) => first <= index);
  if (block >= 0 && !textBlocks.has(block)) {
    textBlocks.set(block, unpacked(packedTexts[block]).then((texts) => texts.forEach((units, place) => {
      data.documents[data.blocks[block] + place].units = units;
    })));
  }
  return textBlocks.get(block);
}

// Do something with a document once its text is there: at once if it is, and not if another was asked for since.
let wantedText = 0;

function whenLoaded(index, act) {
  wantedText = index;
  if (!data.blocks.length || data.documents[index].units !== undefined) act();
  else loadText(index).then(() => { if (wantedText === index) act(); });
}

// Documents as the page uses them: steps between positions become positions when a document is opened.
const opened = new Map();

function openDocument(index) {
  if (!opened.has(index)) {
    const stored = data.documents[index];
    const codings = new Map();
    stored.coders.forEach((coder, place) => {
      let position = 0;
      const p = stored.codings[place].map((step) => (position += step));
      codings.set(coder, { p, t: stored.types ? stored.types[place] : null });
    });
    const { name, n, origin } = stored;
    opened.set(index, { index, name, n, origin, codings, get units() { return stored.units || null; } });
  }
  return opened.get(index);
}

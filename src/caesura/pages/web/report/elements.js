// What every page uses: elements made safely, downloads, names of files, and numbers in words.

// Make an element; text only ever becomes text, so nothing from data can run.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes = {}, text = null) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== null) element.textContent = text;
  return element;
}

function download(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// A file name out of any text.
function fileName(text, extension) {
  const plain = text.normalize("NFKD").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80);
  return `${plain || "caesura"}.${extension}`;
}

const thousands = new Intl.NumberFormat("en");
const whole = (value) => thousands.format(value);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const plural = (n, one, many) => `${whole(n)} ${n === 1 ? one : many}`;


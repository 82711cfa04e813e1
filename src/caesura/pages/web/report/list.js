// The list of documents, by coder or by metric: searched, sorted, and drawn only where it is visible.

const ROW = 36;
const FITTING = 6; // rows that the box holds without scrolling
const WHOLE_LIST = { rows: 200, cells: 4000 };
const MOST_GRID = 80; // coders
const EACH_CODER = -1; // the view that is a grid of documents and coders
const SHADES = 10;

const list = { view: 0, column: null, down: false, order: [], first: -1 };

const hasGrid = data.coders.length <= MOST_GRID && data.documents.some((doc) => doc.grid.some((b) => b !== null));

function listColumns() {
  const columns = [
    { key: "name", name: "document", csv: "document", value: (doc) => doc.name },
    { key: "units", name: "units", csv: "units", value: (doc) => doc.n, number: true },
    { key: "coders", name: "coders", csv: "coders", value: (doc) => doc.coders.length, number: true },
  ];
  if (list.view === EACH_CODER) return [...columns.slice(0, 2), ...coderColumns()];
  const better = { higher: "higher is better", lower: "lower is better", closest: "1 is best" };
  data.metrics.forEach((metric, i) => columns.push({
    key: metric.spec, csv: metric.spec, name: metric.name, number: true, digits: 3, better: metric.better,
    title: `${metric.title}, ${better[metric.better]}`,
    value: (doc) => (doc.values[list.view] ? doc.values[list.view][i] : null),
  }));
  return columns;
}

// Segmenters from best to worst, then people: each document's B against the references, or the other people.
function coderColumns() {
  const people = data.references.filter((coder) => !data.segmenters.includes(coder));
  const known = new Set(data.documents.flatMap((doc) => doc.coders.filter((_, place) => doc.grid[place] !== null)));
  return [...data.segmenters, ...people].filter((coder) => known.has(coder)).map((coder) => ({
    key: `coder ${coder}`, csv: `B of ${data.coders[coder]}`, name: data.coders[coder], title: data.coders[coder],
    number: true, digits: 2, better: "higher", coder,
    value: (doc) => {
      const place = doc.coders.indexOf(coder);
      return place < 0 ? null : doc.grid[place];
    },
  }));
}

function makeList(root) {
  list.view = hasGrid ? EACH_CODER : 0;
  list.search = make("input", { type: "search", id: "search", placeholder: "name", oninput: sortList });
  list.head = make("tr", {});
  list.body = make("tbody", {});
  list.table = make("table", { class: "list" },
    make("caption", { class: "hidden" }, "Documents with their values; press a heading to sort"),
    make("thead", {}, list.head), list.body);
  list.box = make("div", {
    class: "scroll list-box", tabindex: 0, role: "region", "aria-label": "List of documents",
    onscroll: drawRows,
  }, list.table);
  list.count = make("span", { class: "count", "aria-live": "polite" });
  list.body.addEventListener("click", pressCell);
  const find = make("label", { class: "field" }, make("span", {}, "Find"), list.search);
  const print = makePrintChoice();
  find.hidden = print.hidden = data.documents.length < 2;
  root.append(make("div", { class: "bar" }, find, makeViews(), list.count,
    make("span", { class: "right bar" }, print,
      make("button", { type: "button", id: "save-list", onclick: saveList }, "CSV"))), list.box);
  showView();
}

function showView() {
  list.columns = listColumns();
  list.column = null;
  list.table.classList.toggle("grid", list.view === EACH_CODER);
  list.head.replaceChildren(...list.columns.map((column) => {
    const kind = column.coder === undefined ? "" : " coder";
    const press = make("button", { type: "button", onclick: () => sortBy(column) }, column.name);
    const classes = (column.number ? "number" : "") + kind;
    return (column.heading = make("th", { scope: "col", class: classes, title: column.title }, press));
  }));
  sortList();
}

// Whose values the list shows: those of people among themselves, or of a segmenter.
function makeViews() {
  if (data.views.length === 0) return null;
  const grid = hasGrid ? [make("option", { value: EACH_CODER }, "each segmenter and coder: B")] : [];
  if (!data.segmenters.length && hasGrid) grid[0].textContent = "each coder: B against others";
  const options = data.views.map((name, i) => make("option", { value: i }, `${name}, pooled`));
  const choice = make("select", { id: "values", onchange: () => {
    list.view = Number(choice.value);
    showView();
  } }, ...grid, ...options);
  return make("label", { class: "field" }, make("span", {}, "Values of"), choice);
}

// The first press on a metric puts the worst on top: where 1 is best, what is farthest from it.
function sortBy(column) {
  list.down = list.column === column.key ? !list.down : ["lower", "closest"].includes(column.better);
  list.column = column.key;
  sortList();
}

const collator = new Intl.Collator("en", { numeric: true });

function sortList() {
  const wanted = list.search.value.trim().toLowerCase();
  const all = data.documents.map((_, i) => i);
  const places = all.filter((i) => data.documents[i].name.toLowerCase().includes(wanted));
  const column = list.columns.find((one) => one.key === list.column);
  if (column) {
    const shown = data.documents.map(column.value);
    const away = (value) => (value === null ? null : Math.abs(value - 1));
    const values = column.better === "closest" ? shown.map(away) : shown;
    const compare = column.number ? (x, y) => x - y : collator.compare;
    const sign = list.down ? -1 : 1;
    places.sort((i, j) => {
      const x = values[i], y = values[j];
      if (x === null || y === null) return (x === null) - (y === null) || i - j;
      return sign * compare(x, y) || i - j;
    });
  }
  list.order = places;
  for (const one of list.columns) {
    const direction = list.down ? "descending" : "ascending";
    one.heading.setAttribute("aria-sort", one.key === list.column ? direction : "none");
  }
  const isPart = places.length < all.length;
  list.count.textContent = isPart ? `${whole(places.length)} of ${whole(all.length)}` : "";
  list.table.setAttribute("aria-rowcount", places.length + 1);
  list.first = -1;
  drawRows();
  showPrintChoice();
}

const listOrder = () => (list.order.includes(state.doc) ? list.order : data.documents.map((_, i) => i));

// Few rows are all there; of many, those in sight, between two rows as high as all the others.
function drawRows() {
  const n = list.order.length;
  const isShort = n <= WHOLE_LIST.rows && n * list.columns.length <= WHOLE_LIST.cells;
  const all = isShort || printing;
  const first = all ? 0 : Math.max(0, Math.floor(list.box.scrollTop / ROW) - 10);
  const last = all ? n : Math.min(n, first + Math.ceil(list.box.clientHeight / ROW) + 25);
  if (first === list.first && last === list.last) return;
  [list.first, list.last] = [first, last];
  const focused = list.body.contains(document.activeElement) ? document.activeElement.dataset.index : null;
  const rows = list.order.slice(first, last).map((index, i) => makeRow(index, first + i));
  list.body.replaceChildren(spacer(first), ...rows, spacer(n - last));
  if (focused === null) return;
  const again = list.body.querySelector(`[data-index="${focused}"]`) || list.box;
  again.focus({ preventScroll: true });
}

function spacer(rows) {
  const row = make("tr", { class: "spacer", "aria-hidden": "true" });
  row.style.height = `${rows * ROW}px`;
  return row;
}

function makeRow(index, place) {
  const stored = data.documents[index];
  const cells = list.columns.map((column) => {
    const value = column.value(stored);
    if (column.key === "name") {
      const press = (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab or window
        event.preventDefault();
        openFromList(index);
      };
      const at = { href: hashFor(index), title: stored.name, "data-index": index };
      const link = make("a", { ...at, onclick: press }, stored.name);
      return make("th", { scope: "row" }, link);
    }
    const shown = column.digits ? decimals(value, column.digits) : whole(value);
    if (column.coder === undefined) return make("td", { class: "number" }, shown);
    const shade = value === null ? "" : ` h${Math.min(SHADES - 1, Math.floor(SHADES * Math.max(0, value)))}`;
    const title = value === null ? null : `${stored.name}, ${column.name}: B ${shown}`;
    return make("td", { class: `number${shade}`, title, "data-coder": value === null ? null : column.coder }, shown);
  });
  const isOpen = index === state.doc;
  return make("tr", { "aria-rowindex": place + 2, "aria-current": isOpen ? "true" : null }, ...cells);
}

// A cell of the grid opens its document and its coder.
function pressCell(event) {
  const cell = event.target.closest("td[data-coder]");
  if (!cell) return;
  const index = Number(cell.parentElement.querySelector("[data-index]").dataset.index);
  openFromList(index, { hyp: Number(cell.dataset.coder) });
}

function openFromList(index, pair = {}) {
  whenLoaded(index, () => {
    visit(index, pair);
    ui.title.scrollIntoView({ block: "start" });
    ui.title.focus({ preventScroll: true });
  });
}

function markCurrent() {
  if (list.order.length > FITTING) { // asking for the height makes the browser lay the page out
    const top = list.order.indexOf(state.doc) * ROW;
    const { scrollTop, clientHeight } = list.box;
    if (top < scrollTop || top > scrollTop + clientHeight - 4 * ROW) list.box.scrollTop = top - clientHeight / 3;
  }
  list.first = -1;
  drawRows();
  if (list.view === EACH_CODER) showCoders();
}

// Coders may skip documents: the coders of the open document come into sight.
function showCoders() {
  const row = list.body.querySelector("tr[aria-current]");
  const cells = row ? [...row.querySelectorAll("td[data-coder]")] : [];
  if (!cells.length || list.box.scrollWidth <= list.box.clientWidth) return;
  const names = row.firstElementChild.offsetWidth, { scrollLeft, clientWidth } = list.box;
  const from = cells[0].offsetLeft - names, to = cells.at(-1).offsetLeft + cells.at(-1).offsetWidth;
  const isSeen = from >= scrollLeft && to <= scrollLeft + clientWidth;
  if (!isSeen && to - from <= clientWidth) list.box.scrollLeft = from;
}

function saveList() {
  const head = list.columns.map((column) => column.csv);
  const rows = list.order.map((index) => list.columns.map((column) => column.value(data.documents[index])));
  const whose = list.view === EACH_CODER ? " by coder" : ` ${data.views[list.view] || ""}`;
  download(fileName(`${data.title} documents${whose}`, "csv"), "text/csv", toCsv([head, ...rows]));
}

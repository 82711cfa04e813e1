// A text as a list of units with a button at every possible boundary. The page says what a press does and how a
// gap is dressed; this part knows nothing of coders, files or studies.

const CHUNK = 50; // units whose layout the browser may put off together

class UnitList {
  // press(position) is called for a click; dress(gap, position) for gaps that are not plain; covered() returns the
  // pixels at the bottom of the screen behind which no text can be read.
  constructor(root, { press, dress, arrive = () => {}, covered = () => 0 }) {
    Object.assign(this, { root, press, dress, arrive, covered, units: [], gaps: [], current: 0 });
    const unit = make("div", { class: "unit" },
      make("span", { class: "number", "aria-hidden": "true" }), make("p", { class: "words", dir: "auto" }));
    const button = make("button", { type: "button", class: "boundary", "aria-pressed": "false", tabindex: -1 });
    this.models = { unit, gap: make("div", { class: "gap" }, button) };
    root.addEventListener("click", (event) => {
      const pressed = event.target.closest(".boundary");
      if (pressed) this.press(this.positionOf(pressed));
    });
    root.addEventListener("focusin", (event) => {
      const gap = event.target.closest(".gap");
      if (gap && this.positionOf(gap)) this.setCurrent(this.positionOf(gap));
    });
  }

  positionOf(element) {
    return Number(element.closest(".gap").dataset.position);
  }

  // Show other units; positions are those of gaps that are to be dressed.
  show(units, positions) {
    this.units = units;
    this.n = units.length;
    this.current = 0;
    this.gaps = new Array(this.n);
    const chunks = [];
    for (let from = 0; from < this.n; from += CHUNK) {
      const rows = [];
      if (from === 0) rows.push((this.gaps[0] = make("div", { class: "gap first", "data-position": 0 })));
      for (let i = from; i < Math.min(this.n, from + CHUNK); i++) {
        rows.push(this.makeUnit(i, units[i]));
        if (i + 1 < this.n) rows.push(this.makeGap(i + 1));
      }
      const chunk = make("div", { class: "chunk" }, ...rows);
      chunk.style.setProperty("--units", rows.length / 2);
      chunks.push(chunk);
    }
    this.root.replaceChildren(...chunks);
    for (const position of positions) this.refresh(position);
    if (this.n > 1) this.button(1).tabIndex = 0;
  }

  makeUnit(i, text) {
    const unit = this.models.unit.cloneNode(true);
    unit.firstChild.textContent = whole(i + 1);
    unit.lastChild.textContent = text;
    return unit;
  }

  makeGap(position) {
    const gap = this.models.gap.cloneNode(true);
    gap.dataset.position = position;
    gap.firstChild.setAttribute("aria-label", `boundary after unit ${position}`);
    this.gaps[position] = gap;
    return gap;
  }

  button(position) {
    return this.gaps[position].firstChild;
  }

  // Dress one gap again; the others stay as they are.
  refresh(position) {
    if (this.gaps[position]) this.dress(this.gaps[position], position);
  }

  setCurrent(position) {
    if (position === this.current) return;
    this.button(this.current || 1).tabIndex = -1;
    if (this.current) this.gaps[this.current].classList.remove("current");
    this.current = position;
    this.button(position).tabIndex = 0;
    this.gaps[position].classList.add("current");
    this.arrive(position);
  }

  go(position) {
    if (this.n < 2) return;
    const place = Math.max(1, Math.min(this.n - 1, position));
    this.button(place).focus({ preventScroll: true });
    this.reveal(place);
  }

  // Scroll so that the gaps stand at 40 % of the height, or of what is not covered, and the text that follows is in sight.
  reveal(first, last = first) {
    this.gaps[first].scrollIntoView({ block: "start" }); // lays out the units around it
    const { top } = this.gaps[first].getBoundingClientRect(), { bottom } = this.gaps[last].getBoundingClientRect();
    scrollBy(0, top - Math.max(this.sight() + 8, (innerHeight - this.covered() - (bottom - top)) * 0.4));
  }

  // Move on from the current gap; where it is out of sight, from what is in sight.
  move(by) {
    if (this.current && this.isInSight(this.current)) this.go(this.current + by);
    else this.go(this.firstBelow(this.sight()));
  }

  // Move on by most of a screen, so that the lines around the new place have just been read.
  page(by) {
    const next = this.firstBelow((0.4 + 0.8 * by) * innerHeight);
    this.go(by > 0 ? Math.max(next, this.current + 1) : Math.min(next, this.current - 1));
  }

  isInSight(position) {
    const { top, bottom } = this.gaps[position].getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  }

  // The first gap below a height of the screen, by halves: gaps stand one below the other.
  firstBelow(height) {
    let low = 1, high = this.n - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.gaps[middle].getBoundingClientRect().top < height) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Where what the bar at the top covers ends.
  sight() {
    return document.querySelector(".bar").offsetHeight;
  }
}

// A boundary's line has the colors of all its types, one beside the other.
function colorGap(gap, shades, depth) {
  gap.dataset.type = shades[0] || 0;
  gap.classList.toggle("several", shades.length > 1);
  const stripe = (shade, i) => `var(--type-${shade}) ${(100 * i) / shades.length}% ${(100 * (i + 1)) / shades.length}%`;
  gap.style.setProperty("--stripes", shades.map(stripe).join(", "));
  gap.style.setProperty("--depth", depth);
}

// A coder's work on one document: boundaries, what was typed about segments, time, and the way back.

// A mark is {types, unsure}; of a study without types, its types are [1]. What is typed about a segment is
// kept by the position at which it starts, also while no boundary is there: it may come back.
class Coding {
  constructor(stored = null) {
    this.marks = new Map();
    this.titles = new Map();
    this.comments = new Map();
    this.milliseconds = 0;
    this.done = null; // as long as the coder has not said
    this.wasRead = false; // whether the end was on the screen
    this.history = new History();
    if (stored) this.restore(stored);
  }

  restore(stored) {
    this.marks = new Map(stored.marks.map(([position, types, unsure]) => [position, { types, unsure }]));
    this.titles = new Map(stored.titles);
    this.comments = new Map(stored.comments);
    this.milliseconds = stored.milliseconds;
    this.done = stored.done;
    this.wasRead = stored.wasRead;
  }

  store() {
    return {
      marks: this.positions.map((position) => {
        const { types, unsure } = this.marks.get(position);
        return [position, types, unsure];
      }),
      titles: [...this.titles],
      comments: [...this.comments],
      milliseconds: Math.round(this.milliseconds),
      done: this.done,
      wasRead: this.wasRead,
    };
  }

  get positions() {
    return [...this.marks.keys()].sort((x, y) => x - y);
  }

  get isBegun() {
    return this.marks.size > 0;
  }

  // Whether there is anything that could be lost.
  get isTouched() {
    return this.isBegun || this.titles.size > 0 || this.comments.size > 0 || this.done !== null;
  }

  // A document without boundaries is finished when its coder says so; one with boundaries, unless denied.
  get isFinished() {
    return this.done === null ? this.isBegun : this.done;
  }

  // Positions and types side by side, as a segmentation has them: several types at one position repeat it.
  get boundaries() {
    const p = [], t = [];
    for (const position of this.positions) {
      for (const type of this.marks.get(position).types) {
        p.push(position);
        t.push(type);
      }
    }
    return { p, t };
  }

  get starts() {
    return [0, ...this.positions];
  }

  // kind is "marks", "titles" or "comments"; a value of null takes it away.
  set(kind, position, value) {
    this.history.take(position, [[this[kind], position, value]]);
  }
}

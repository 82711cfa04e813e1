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
    this.changes = [];
    this.undone = [];
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
    this.note({ kind, position, before: this.put(kind, position, value), after: value });
  }

  note(change) {
    this.changes.push(change);
    this.undone = [];
  }

  put(kind, position, value) {
    const before = this[kind].has(position) ? this[kind].get(position) : null;
    if (value === null) this[kind].delete(position);
    else this[kind].set(position, value);
    return before;
  }

  // Return what changed, or null where there is nothing to undo.
  undo() {
    const change = this.changes.pop();
    if (!change) return null;
    this.put(change.kind, change.position, change.before);
    this.undone.push(change);
    return change;
  }

  redo() {
    const change = this.undone.pop();
    if (!change) return null;
    this.put(change.kind, change.position, change.after);
    this.changes.push(change);
    return change;
  }
}

// The way back and forth: steps, each of which changes entries of maps together.

class History {
  constructor() {
    this.forget();
  }

  forget() {
    this.done = [];
    this.undone = [];
  }

  // A change is [map, key, value]; null takes the entry away. about is what undo and redo return: where it was.
  take(about, changes) {
    const step = { about, changes: changes.map(([map, key, after]) => ({ map, key, before: put(map, key, after), after })) };
    this.note(step);
  }

  // What has been changed already.
  note(step) {
    this.done.push(step);
    this.undone = [];
  }

  // Return where something changed, or null where there is nothing to undo.
  undo() {
    const step = this.done.pop();
    if (!step) return null;
    for (const { map, key, before } of [...step.changes].reverse()) put(map, key, before);
    this.undone.push(step);
    return step.about;
  }

  redo() {
    const step = this.undone.pop();
    if (!step) return null;
    for (const { map, key, after } of step.changes) put(map, key, after);
    this.done.push(step);
    return step.about;
  }
}

// Set an entry and return what was there.
function put(map, key, value) {
  const before = map.has(key) ? map.get(key) : null;
  if (value === null) map.delete(key);
  else map.set(key, value);
  return before;
}

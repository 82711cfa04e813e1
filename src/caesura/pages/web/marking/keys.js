// Keys: each is [how it is written, what it means, events' keys, what it does]; the help lists those with a name.

// A held key moves, and undoes; whatever else it would do is done once.
const REPEATED = ["ArrowDown", "ArrowUp", "j", "k", "J", "K", "u", "U", "Tab", "PageDown", "PageUp", "Home", "End"];

// leaves(event) says whether a key ends typing in a field; left(field) is called then.
function listenToKeys(keys, { isReady, undo, redo, leaves, left }) {
  addEventListener("keydown", (event) => {
    if (!isReady() || ui.keys.open || event.altKey || event.isComposing) return;
    if (event.target.closest("input:not([type=radio]):not([type=file]), textarea, select") !== null) {
      if (event.key !== "Escape" && !leaves(event)) return;
      event.preventDefault();
      event.target.blur();
      left(event.target);
      return;
    }
    const letter = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (letter !== "z" && letter !== "y") return;
      event.preventDefault();
      if (letter === "y" || event.shiftKey) redo();
      else undo();
      return;
    }
    const key = event.shiftKey && event.key.startsWith("Arrow") ? { ArrowDown: "J", ArrowUp: "K" }[event.key] : event.key;
    if (event.repeat && !REPEATED.includes(key)) {
      event.preventDefault();
      return;
    }
    // A button that has the focus is pressed by the browser, and arrows choose among types.
    if ((key === " " || key === "Enter") && event.target.closest("button, a, summary, input")) return;
    if (event.target.matches("[type=radio]") && event.key.startsWith("Arrow")) return;
    const found = keys.find(([, , events]) => events.includes(key));
    if (!found) return;
    event.preventDefault();
    found[3](key);
  });
}

// The help lists keys, and on a touch screen what a tap does: [where, meaning].
function makeHelp(keys, taps, note) {
  const list = (kind, entries) => make("dl", { class: kind }, ...entries.filter(([name]) => name).flatMap(([name, meaning]) =>
    [make("dt", {}, name), make("dd", {}, meaning)]));
  ui.keys.append(make("h2", { id: "keys-title" }, "Help"), list("for-keys", keys), list("for-taps", taps),
    make("p", { class: "note" }, note),
    make("button", { type: "button", onclick: () => ui.keys.close() }, "Close"));
}

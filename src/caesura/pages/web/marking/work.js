// The work on the page: its messages, whether it is kept and in a file, and a warning before it is lost.

const ui = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));

function say(...words) {
  ui.notice.replaceChildren(...words);
}

// Halves of characters, which a cut can leave, are not text that a file can hold.
const wellFormed = (text) => text.replace(/\p{Surrogate}/gu, "\ufffd").trim();
const MOST_LETTERS = 10_000; // of what is typed into a field

class Work {
  // keepOpen() keeps in the browser what is open.
  constructor(store, keepOpen) {
    this.store = store;
    this.isSaved = store.read("saved") !== false;
    store.watch(() => say("This work was changed on another tab: close one of the two and reload the other."));
    addEventListener("pagehide", keepOpen);
    document.addEventListener("visibilitychange", keepOpen);
    addEventListener("beforeunload", (event) => { if (!this.isSaved) event.preventDefault(); });
  }

  keep(name, value) {
    const isKept = this.store.write(name, value);
    ui.storage.textContent = isKept ? ""
      : `This work is not kept when the page is closed (${this.store.fault}): save the file before you leave.`;
  }

  // Whether all that was done is in a file, also after the page was closed and opened again.
  setSaved(isSaved) {
    if (isSaved !== this.isSaved) this.store.write("saved", isSaved);
    this.isSaved = isSaved;
  }
}

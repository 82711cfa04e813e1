// Autosave: the work of one person on this page, in the browser, one entry for each document.

class Store {
  constructor(coder) {
    this.prefix = `${data.format} ${data.study} ${JSON.stringify(coder)}`;
    this.fault = "";
  }

  key(name) {
    return `${this.prefix} ${name}`;
  }

  read(name) {
    try {
      return JSON.parse(localStorage.getItem(this.key(name)));
    } catch {
      return null; // no storage, or not ours
    }
  }

  // Return whether it is kept.
  write(name, value) {
    try {
      localStorage.setItem(this.key(name), JSON.stringify(value));
      this.fault = "";
    } catch (error) {
      this.fault = error.name === "QuotaExceededError" ? "the browser's storage is full" : "the browser forbids it";
    }
    return this.fault === "";
  }

  // Tell when the same work is changed on another tab: the later one would win.
  watch(tell) {
    addEventListener("storage", (event) => {
      if (event.key !== null && event.key.startsWith(`${this.prefix} `)) tell();
    });
  }
}

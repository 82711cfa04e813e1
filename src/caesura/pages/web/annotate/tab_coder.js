// Which coder this tab belongs to, on a page for all; a new tab asks again.
const tabCoder = {
  get() {
    try {
      return sessionStorage.getItem(`caesura coder ${data.study}`);
    } catch {
      return null;
    }
  },
  set(coder) {
    try {
      sessionStorage.setItem(`caesura coder ${data.study}`, coder);
    } catch {
      // then a reload asks again
    }
  },
};

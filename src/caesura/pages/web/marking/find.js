// A field to go to a unit by its number, or to the next one that contains a text.

function openFind(typed = ui.find.value) {
  ui.finding.hidden = false;
  ui.find.value = typed;
  ui.find.focus();
  if (!/^\d$/.test(typed)) ui.find.select();
}

function listenToFind(list) {
  ui.find.onblur = () => { ui.finding.hidden = true; };
  ui.finding.onsubmit = (event) => {
    event.preventDefault();
    const wanted = ui.find.value.trim().toLowerCase();
    const number = /^\d+$/.test(wanted) ? Number(wanted) : unitWith(wanted, list);
    if (number >= 1 && number <= list.n) {
      say("");
      list.go(number);
    } else {
      say(`“${ui.find.value}” is not in this document.`);
      ui.find.select();
    }
  };
}

// The next unit after the current place, from the start again after the last; NaN where none contains the text.
function unitWith(text, { units, current, n }) {
  const contains = (number) => units[number - 1].toLowerCase().includes(text);
  return Array.from({ length: n }, (_, i) => ((current + i) % n) + 1).find(contains) ?? NaN;
}

// How a gap shows what coders marked there and what gold has, and what presses change.

function toggle(position) {
  const { doc } = state;
  const types = doc.gold.has(position) ? [] : [usualType(doc, position)];
  changed(setTypes(doc, position, types));
}

// A level takes the place of another; types add up, as a boundary may be of several.
function toggleType(position, type) {
  const own = state.doc.gold.get(position) || [];
  const now = data.is_levels ? [type]
    : own.includes(type) ? own.filter((one) => one !== type) : [...own, type].sort((x, y) => x - y);
  changed(setTypes(state.doc, position, now));
}

function dressGap(gap, position) {
  if (!position) return;
  const { doc } = state, types = doc.gold.get(position) || null, place = placeAt(doc, position);
  const isVoted = place !== null && place.positions.includes(position);
  const isAsked = place !== null && place === state.place && (isVoted || types !== null);
  gap.classList.toggle("marked", types !== null);
  gap.classList.toggle("proposed", types !== null && place !== null && isOpen(place));
  gap.classList.toggle("contested", isVoted && place.is_contested);
  gap.classList.toggle("asked", isAsked);
  gap.firstChild.setAttribute("aria-pressed", String(types !== null));
  const shades = types && isTyped ? types.map((type) => ((typePlaces.get(type) ?? 6) % 9) + 1) : [];
  colorGap(gap, shades, data.is_levels && types ? types[0] - 1 : 0);
  const focused = gap.contains(document.activeElement) ? document.activeElement.dataset.part : null;
  for (const old of [...gap.children].slice(1)) old.remove();
  const canChoose = types && isTyped && (isAsked || state.list.current === position);
  const parts = [
    canChoose ? makeChoices(position, types) : types && isTyped ? makeLabel(types) : null,
    isVoted ? makeVotes(place, position) : null,
  ];
  gap.append(...parts.filter((part) => part));
  if (focused) (gap.querySelector(`[data-part="${focused}"]`) || gap.firstChild).focus({ preventScroll: true });
}

const makeLabel = (types) => make("p", { class: "label", dir: "auto" }, types.map(typeName).join(", "));

function makeChoices(position, types) {
  const choice = ({ type, name }, i) => make("button", {
    type: "button", class: "choice", "data-part": `type-${type}`, "data-type": (i % 9) + 1, tabindex: -1, dir: "auto",
    "aria-pressed": String(types.includes(type)), "aria-label": `${name} after unit ${position}`,
    onclick: () => toggleType(position, type),
  }, name);
  return make("div", { class: "choices", role: "group", "aria-label": `after unit ${position}` }, ...data.types.map(choice));
}

// Who marked this position, and what as.
function makeVotes(place, position) {
  const { coders } = place.doc;
  if (!place.is_contested) {
    return make("p", { class: "votes" }, coders.length > 1 ? `all ${whole(coders.length)} coders` : "one coder");
  }
  const byType = new Map();
  place.votes.forEach((vote, i) => {
    for (const [one, type] of vote) {
      if (one === position) byType.set(type, [...(byType.get(type) || []), coders[i]]);
    }
  });
  const chips = [...byType].sort(([x], [y]) => x - y).map(([type, names]) =>
    make("span", { class: "chip", dir: "auto" }, `${isTyped ? `${typeName(type)}: ` : ""}${shortNames(names)}`));
  const go = place === state.place ? null : make("button", {
    type: "button", class: "link", "data-part": "go", tabindex: -1, onclick: () => openPlace(place),
    "aria-label": `place ${whole(place.rank + 1)}: ${asking(place)}`,
  }, `place ${whole(place.rank + 1)}`);
  return make("p", { class: "votes" }, ...chips, go);
}

const MOST_NAMES = 12; // of coders in one line

function shortNames(names) {
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${shown} and ${whole(names.length - MOST_NAMES)} more` : shown;
}

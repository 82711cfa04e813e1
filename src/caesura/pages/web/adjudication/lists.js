// All places in two lists that are made when they are opened: those to decide, and those on which all agree.

const MOST_LISTED = 1000; // places in a list

const agreed = documents.flatMap((doc) => doc.places.filter((place) => !place.is_contested));

function makeLists() {
  ui.contested.firstElementChild.textContent = `All places to decide: ${whole(queue.length)}`;
  const n = agreed.length;
  ui.unanimous.firstElementChild.textContent = `Taken over, as all coders of the document agree: ${plural(n, "place", "places")}`;
  ui.contested.hidden = !queue.length;
  ui.unanimous.hidden = !n;
  for (const one of [ui.contested, ui.unanimous]) one.ontoggle = showLists;
}

function showLists() {
  fillList(ui.contested, queue, (place) => [asking(place), decided(place)], openPlace);
  fillList(ui.unanimous, agreed, (place) => [capital(written(goldOf(place))), DECISIONS[decisionOf(place)]], showPlace);
}

function decided(place) {
  const decision = decisionOf(place);
  return decision === "accepted" || decision === "chosen" ? `${decision}: ${written(goldOf(place))}` : DECISIONS[decision];
}

function fillList(details, places, words, press) {
  if (!details.open) return;
  const items = places.slice(0, MOST_LISTED).map((place) => {
    const [what, became] = words(place);
    return make("li", {},
      make("button", { type: "button", class: "link", dir: "auto", onclick: () => press(place) }, `${place.doc.document}: ${what}`), " ",
      make("span", { class: "note" }, became));
  });
  const more = places.length - items.length;
  if (more > 0) items.push(make("li", {}, `and ${whole(more)} more, which are in the file`));
  details.lastElementChild.replaceChildren(...items);
}

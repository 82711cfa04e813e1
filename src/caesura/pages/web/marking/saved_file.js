// Files that a page saves and opens again: sealed by a checksum, and refused with the reason.

const NOT_OURS = "it is not a file that this page has saved";

const sealed = (content) => ({ ...content, checksum: digest(content) });

function saveSealed(name, content) {
  download(name, "application/json", JSON.stringify(sealed(content), null, 1));
}

// Return the content of an earlier file, or say why it is not taken.
function parseSealed(text) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Error(NOT_OURS);
  }
  if (content === null || content.format !== data.format) throw new Error(NOT_OURS);
  if (!(content.version <= data.version)) throw new Error("a newer page has saved it");
  const { checksum, ...rest } = content;
  if (checksum !== digest(rest)) throw new Error("it was changed after it was saved, or is damaged");
  return content;
}

// Buttons that open an earlier file; take(text, name) takes it over or throws the reason why not.
function listenToFiles(take) {
  for (const opener of document.querySelectorAll(".open-file")) opener.onclick = () => ui.earlier.click();
  ui.earlier.onchange = async () => {
    const [file] = ui.earlier.files;
    if (!file) return;
    try {
      take(await file.text(), file.name);
    } catch (error) {
      say(`${file.name} was not opened: ${error.message}.`);
    }
    ui.earlier.value = "";
  };
}

function shortList(names) {
  const shown = names.slice(0, 5).map((name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name));
  return shown.join(", ") + (names.length > 5 ? ` and ${whole(names.length - 5)} more` : "");
}

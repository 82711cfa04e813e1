"""Writes docs/reference/formats.md from the declarations of the formats: run it when one changes.

The page is kept in the repository, so that it can be read there; tests/test_docs.py holds it to this.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pandas as pd

import caesura as cs
from caesura.io.base import Format
from caesura.io.options import OPTIONS
from caesura.values.corpus import Corpus

PAGE = Path(__file__).parent / "reference" / "formats.md"

HEAD = """\
# File formats

`cs.read` and all commands tell the format by the file's name and content; `format=` or `--from` names it.
`caesura convert IN OUT` turns one into another. It refuses where boundaries would be lost (their types, or
all coders but one), and says what else the new format cannot keep, such as text, names or titles. Every
format is written as well as read. Files may be packed (`x.csv.gz`, `data.zip`); a folder is read with all
below it.

A format **keeps** several documents or coders in one file, boundary types, the names of types (the type
scheme), ranks of hierarchies, the units' text, or the places where units stand in a text or in time. Formats
that hold one document per file are written to a folder. Something else? [Write your own
importer](../how-to/import.md): ten lines.

Three traps that no program can see, so check them once by eye with `caesura describe`: a mark on the last
unit of a segment or on the first of the next; ends that are inclusive or not; characters or tokens as units.
"""

OPTIONS_HEAD = """\
## What a reader may be told

Keywords of `cs.read`, and options of every command. One that says nothing of the format at hand is refused.
"""

LIBRARIES = """\
## Libraries

Read and written by libraries, which `pip install 'caesura[formats]'` brings: Parquet and Arrow (pyarrow),
data frames (narwhals), spreadsheets (python-calamine reads them, openpyxl writes `.xlsx`), XML of ELAN and
NXT (defusedxml, which refuses entity bombs) and sentences of running text (sentencex). JSON and CSV are
Python's own, strictly: a key that is there twice, NaN or a row that is too short is refused.

Subtitles, TextGrid, CoNLL-U, ELAN's tiers and RTTM have libraries, too, but caesura reads these formats
itself: a file with a fault must be refused with its line and the offending value, never be read in part. The
libraries are what the tests compare with: they must see the same times and words in the sample files, and in
what caesura writes. The last two rows only check what is written, where they are installed.

| library | formats | why it does not read them here |
|:--|:--|:--|
| srt | `srt` | names the character at which it stopped, not the line or the value |
| webvtt-py | `webvtt`, `vtt-chapters` | leaves out a cue whose time is misspelt, without a word |
| praatio | `textgrid` | says that a field is missing, not where |
| conllu | `conllu`, `disrpt` | accepts a word with three of its ten columns |
| pympi-ling | `elan` | parses with Python's plain XML parser, which expands entities |
| pyannote.database | `rttm` | brings pandas, and names no line |
| llama-index-core, langchain-core | `llamaindex`, `langchain` | many packages for plain JSON |

The exports of Label Studio, doccano, brat and WebAnno are plain JSON or lines of text, for which no library
is needed.
"""

MOST_CODINGS = 4


def page() -> str:
    """Return the whole page."""
    parts = [HEAD, _overview(), OPTIONS_HEAD, _options(), LIBRARIES, *map(_section, cs.FORMATS.values())]
    return "\n".join(parts)


def _overview() -> str:
    rows = ["| name | what it is | extensions | keeps |", "|:--|:--|:--|:--|"]
    for known in cs.FORMATS.values():
        keeps = ", ".join(sorted(known.keeps))
        extensions = " ".join(f"`{extension}`" for extension in known.extensions)
        rows.append(f"| [`{known.name}`](#{known.name}) | {known.title} | {extensions} | {keeps} |")
    return "\n".join(rows) + "\n"


def _options() -> str:
    rows = ["| keyword | option | meaning |", "|:--|:--|:--|"]
    for option in OPTIONS.values():
        choices = f" One of {', '.join(option.choices)}." if option.choices else ""
        rows.append(f"| `{option.name}` | `{option.flag}` | {option.help}{choices} |")
    return "\n".join(rows) + "\n"


def _section(known: Format) -> str:
    """Return a format's part: what it is, an example, and what is read of it."""
    parts = [f"## {known.name}\n", f"{known.title[0].upper()}{known.title[1:]}. {known.notes}\n"]
    if known.example:
        parts.append(_block(f"ch1{known.extensions[0]}", known.example))
        if known.example_beside:
            parts.append(_block("ch1.txt", known.example_beside))
        parts.append(f"{_told(known)}\n")
    elif known.is_binary:
        parts.append(_as_table(known))
    return "\n".join(parts)


def _as_table(known: Format) -> str:
    """Return the rows of a file that is no text, which caesura has written."""
    corpus = cs.Corpus.from_dict(
        {"ch1": {"ann": [2, 1], "bob": [1, 2]}}, units={"ch1": ["It rained.", "We stayed.", "Then sun."]}
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"ch1{known.extensions[0]}"
        cs.write(corpus, path)
        is_sheet = known.name == "excel"
        frame = pd.read_excel(path, engine="calamine") if is_sheet else pd.read_parquet(path)
    cells = [[_cell(value) for value in row] for row in frame.astype(object).itertuples(index=False)]
    rows = [list(frame.columns), ["--"] * len(frame.columns), *cells]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _cell(value: Any) -> str:
    """Return a cell; lists as JSON has them."""
    if value is None:
        return ""
    return str(value) if isinstance(value, (str, int)) else json.dumps(list(value), default=int)


def _block(name: str, content: str) -> str:
    fence = "````" if "```" in content else "```"
    return f'{fence}text title="{name}"\n{content.rstrip()}\n{fence}\n'


def _told(known: Format) -> str:
    """Return what caesura reads of the example, in a sentence."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        path = Path(folder) / "ann" / f"ch1{known.extensions[0]}"  # the folder names brat's coder
        path.parent.mkdir()
        path.write_text(known.example, encoding="utf-8")
        if known.example_beside:
            path.with_suffix(".txt").write_text(known.example_beside, encoding="utf-8")
        corpus = cs.read(path, **known.example_options)
    said = "".join(f', {name}="{value}"' for name, value in known.example_options.items())
    told = f'`cs.read("{path.name}"{said})`: '
    return told + "; ".join([*_units(corpus), *_codings(corpus)]) + "."


def _units(corpus: Corpus) -> list[str]:
    found = []
    for document in corpus.documents[:MOST_CODINGS]:
        n = f"{corpus.n_units(document):,} unit{'' if corpus.n_units(document) == 1 else 's'}"
        axis = f" in {corpus.spans[document].axis}" if document in corpus.spans else ""
        found.append(f"document {document} has {n}{axis}")
    return found


def _codings(corpus: Corpus) -> list[str]:
    if not corpus.n_codings:
        return ["nobody has coded it"]
    shown = []
    for number, (document, coder, coding) in enumerate(corpus):
        if number < MOST_CODINGS:
            ranks = " (ranks)" if corpus.is_hierarchical else ""
            places = " ".join(map(str, coding.positions)) or "no position"
            kinds = f" of ranks {' '.join(str(kind) for _, kind in coding.boundaries)}" if ranks else ""
            of = f" {document}" if len(corpus.documents) > 1 else ""
            shown.append(f"{coder}:{of} boundaries after {places}{kinds}")
    return shown


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

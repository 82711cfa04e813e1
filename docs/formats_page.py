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
from caesura.cli.remarks import READING
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

Keywords of `cs.read`, and options of every command. Each concerns only the inputs that it fits: `--marker`
leaves a table beside marked text alone. An option that fits none of the inputs is an error. Text is read as
UTF-8, or as UTF-16 with a byte order mark; name any other encoding with `--encoding` (`encoding=`).

Tables are written so that no spreadsheet runs a name or a text as a formula: a cell that begins with `=`,
`+`, `-` or `@` gets an apostrophe, which is removed on reading.
"""

LIBRARIES = """\
## Libraries

Read and written by libraries, which `pip install 'caesura[formats]'` brings: Parquet and Arrow (pyarrow),
data frames (narwhals), spreadsheets (python-calamine reads them, openpyxl writes `.xlsx`), XML of ELAN and
NXT (defusedxml, which refuses entity bombs), files of ELAN (pympi-ling writes them) and sentences of running
text (sentencex). JSON and CSV are Python's own, strictly: a key that is there twice, NaN or a row that is too
short is refused.

Subtitles, TextGrid, CoNLL-U, DISRPT, ELAN's tiers, RTTM and brat have libraries, too. A reader must read a
file whole or refuse it with the line and the offending value. None of these libraries does, so caesura reads
these formats itself. What each does instead is shown by a test with a small file
(`tests/io/test_why_not_libraries.py`), which fails once a newer version mends it: then the library can be
used. Versions are the newest for Python 3.11 in November 2026, with the month of their release.
"""

TRIED = [
    (
        "srt 3.5.3",
        "2023-03",
        ["srt"],
        "takes a cue with a misspelt time for text of the cue before; reads a file that is cut off",
    ),
    (
        "pysubs2 1.8.1",
        "2026-03",
        ["srt", "webvtt"],
        "takes a cue with a misspelt time for text of the cue before; reads 100:00:01 as "
        "00:00:01, and writes it as 99:59:59",
    ),
    (
        "pycaption 2.3.14",
        "2026-10",
        ["srt", "webvtt"],
        "refuses cues without numbers; takes 00:99:99 for a time; reads a WebVTT file that is cut off",
    ),
    (
        "webvtt-py 0.6.0",
        "2026-10",
        ["webvtt", "srt"],
        "leaves out a cue with a misspelt time; with `strict=True` refuses it, but reads a "
        "file that is cut off, and refuses two of ten sample files; writes `<` and `&` as "
        "they are",
    ),
    (
        "ttconv 1.2.3",
        "2026-08",
        ["webvtt"],
        "leaves out a cue with a misspelt time, with a line in the log",
    ),
    (
        "praatio 6.2.2",
        "2026-01",
        ["textgrid"],
        "reads what is there of a file that is cut off; reads −2 as 2; writes 40000001.0000003 as 40000001",
    ),
    (
        "praat-parselmouth 0.4.7",
        "2025-11",
        ["textgrid"],
        "is Praat itself, under the GPL: reads 1,5 as 1",
    ),
    (
        "tgt 1.5",
        "2023-12",
        ["textgrid"],
        "reads what is there of a file that is cut off",
    ),
    (
        "textgrid 1.6.1",
        "2024-02",
        ["textgrid"],
        "leaves out an interval that ends before it starts",
    ),
    (
        "mytextgrid 0.10.0",
        "2025-11",
        ["textgrid"],
        "does not read the short form",
    ),
    (
        "conllu 6.0.0",
        "2024-10",
        ["conllu", "disrpt"],
        "makes one sentence of the documents of a `.tok`; divides a word at two spaces and "
        "loses the last column; accepts three or eleven columns; writes a word with a tab as "
        "two columns",
    ),
    (
        "pyconll 3.3.1",
        "2025-10",
        ["conllu", "disrpt"],
        "makes one sentence of the documents of a `.tok`; accepts any number of a word; newer "
        "versions need Python 3.14",
    ),
    (
        "udapi 0.5.2",
        "2026-03",
        ["conllu", "disrpt"],
        "makes one sentence of the documents of a `.tok`; accepts three or eleven columns",
    ),
    (
        "pympi-ling 1.71",
        "2025-08",
        ["elan"],
        "keeps the last of tiers with one name; takes frames for milliseconds; does not say where a "
        "fault is; so it only writes",
    ),
    (
        "pyannote.database 6.1.1",
        "2025-12",
        ["rttm"],
        "leaves out a line that is cut off, and a turn of negative length; pyannote.core, to "
        "which it belongs, writes whole milliseconds",
    ),
    (
        "meeteval 0.4.3",
        "2025-09",
        ["rttm"],
        "takes lines of words (LEXEME) for turns; reads 1_0 as 10",
    ),
    (
        "bioc 2.1",
        "2023-08",
        ["brat"],
        "accepts a span outside the text; passes over lines of an unknown kind",
    ),
    (
        "pybrat 0.1.7",
        "2023-05",
        ["brat"],
        "accepts a span outside the text; passes over lines of an unknown kind",
    ),
]
"""Libraries that read formats which caesura reads itself: version, month of release, formats, and why not."""

AFTER_LIBRARIES = """\
Where a library writes a format without loss, ours is as short: a cue, a word or a turn is one line of code.
srt, webvtt-py, praatio, conllu and pympi-ling are what the tests compare with: they must see the same times
and words in the sample files, and in what caesura writes.

The other exports are plain JSON or lines of text:

- Label Studio: the converter of label-studio-sdk (2.1.2) turns exports into other formats, by the project's
  labeling configuration, which an export does not hold; it brings OpenCV, pandas and NLTK.
- doccano: doccano-transformer (1.0.2) has had no release since 2020.
- WebAnno TSV: we found no released package that reads it; dkpro-cassis (0.12.0) reads other exports of
  INCEpTION.
- LlamaIndex and LangChain: their own packages read what caesura writes in a test, where they are installed;
  for reading JSON they are many packages.
"""

MOST_CODINGS = 4


def page() -> str:
    """Return the whole page."""
    libraries = [LIBRARIES, _tried(), AFTER_LIBRARIES]
    sections = map(_section, cs.FORMATS.values())
    return "\n".join([HEAD, _overview(), OPTIONS_HEAD, _options(), *libraries, *sections])


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
        rows.append(f"| `{option.name}` | `{READING[option.name]}` | {option.help}{choices} |")
    return "\n".join(rows) + "\n"


def _tried() -> str:
    rows = ["| library | released | formats | what it does |", "|:--|:--|:--|:--|"]
    for library, released, formats, what in TRIED:
        rows.append(f"| {library} | {released} | {', '.join(f'`{name}`' for name in formats)} | {what} |")
    return "\n".join(rows) + "\n"


def _section(known: Format) -> str:
    """Return a format's part: what it is, an example, and what is read of it."""
    parts = [f"## {known.name}\n", f"{known.title[0].upper()}{known.title[1:]}.\n\n{known.notes}\n"]
    if known.example:
        parts.append(_block(f"ch1{known.extensions[0]}", known.example))
        if known.example_beside:
            parts.append(_block("ch1.txt", known.example_beside))
        parts.append(f"{_told(known)}\n")
    elif known.is_binary:
        parts.append(_as_table(known))
    return "\n".join(parts)


def _as_table(known: Format) -> str:
    """Return the rows of a file that is not text, which caesura has written."""
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
        return ["it has no annotations"]
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

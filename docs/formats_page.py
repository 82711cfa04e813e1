"""Write docs/reference/formats.md from the declarations of the formats: run it when one changes.

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

`cs.read` and every command detect the format from the file's name and content; `format=` or `--from` sets it.
`caesura convert IN OUT` converts one format into another. It refuses to lose boundaries (boundary types, or
all coders but one) and reports what else the new format cannot keep, such as text, names or titles. caesura
writes every format that it reads. Files may be packed (`x.csv.gz`, `data.zip`). A folder is read with all its
subfolders.

The column **keeps** lists what a file can hold: several documents or coders, boundary types, the names of
types (the type scheme), ranks of hierarchies, the text of units, or the places of units in a text or in time.
Formats with one document per file are written to a folder. Is yours missing? [Write an
importer](../how-to/import.md) in ten lines.

Check three things once by eye with `caesura describe`, because no program can: whether a mark stands on the
last unit of a segment or on the first of the next, whether ends are inclusive, and whether units are
characters or tokens.
"""

OPTIONS_HEAD = """\
## Options for reading

These are keywords of `cs.read` and options of every command. An option applies to the inputs that it fits:
`--marker` does not change a table beside marked text. An option that fits none of the inputs is an error.
Text is read as UTF-8, or as UTF-16 with a byte order mark; `--encoding` (`encoding=`) names another encoding.

Written tables are safe to open in a spreadsheet: a cell that begins with `=`, `+`, `-` or `@` gets an
apostrophe, so that it does not run as a formula. caesura removes the apostrophe when it reads the table.
"""

LIBRARIES = """\
## Libraries

`pip install 'caesura[formats]'` installs the libraries for Parquet and Arrow (pyarrow), data frames
(narwhals), spreadsheets (python-calamine reads them, openpyxl writes `.xlsx`), the XML of ELAN and NXT
(defusedxml, which refuses entity bombs), ELAN files (pympi-ling writes them) and sentences of running text
(sentencex). Python reads JSON and CSV, strictly: a repeated key, NaN or a row with missing cells is an error.

Libraries also exist for subtitles, TextGrid, CoNLL-U, DISRPT, ELAN tiers, RTTM and brat. caesura must read a
file completely or refuse it with the line and the value. None of these libraries does, so caesura reads these
formats itself. For each library a test with a small file (`tests/io/test_why_not_libraries.py`) shows what it
does instead. The test fails when a newer version fixes this; then caesura can use the library. Versions are
the newest for Python 3.11 in November 2026, with the month of their release.
"""

TRIED = [
    (
        "srt 3.5.3",
        "2023-03",
        ["srt"],
        "takes a cue with a misspelled time for text of the previous cue; reads a file that is cut off",
    ),
    (
        "pysubs2 1.8.1",
        "2026-03",
        ["srt", "webvtt"],
        "takes a cue with a misspelled time for text of the previous cue; reads 100:00:01 as "
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
        "leaves out a cue with a misspelled time; with `strict=True` refuses it, but reads a "
        "file that is cut off, and refuses two of ten sample files; writes `<` and `&` as "
        "they are",
    ),
    (
        "ttconv 1.2.3",
        "2026-08",
        ["webvtt"],
        "leaves out a cue with a misspelled time, with a line in the log",
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
- WebAnno TSV: no released package reads it; dkpro-cassis (0.12.0) reads other exports of
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
        parts.append(f"{_summary(known)}\n")
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


def _summary(known: Format) -> str:
    """Return what caesura reads of the example, in a sentence."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        path = Path(folder) / "ann" / f"ch1{known.extensions[0]}"  # the folder names brat's coder
        path.parent.mkdir()
        path.write_text(known.example, encoding="utf-8")
        if known.example_beside:
            path.with_suffix(".txt").write_text(known.example_beside, encoding="utf-8")
        corpus = cs.read(path, **known.example_options)
    options = "".join(f', {name}="{value}"' for name, value in known.example_options.items())
    call = f'`cs.read("{path.name}"{options})`: '
    return call + "; ".join([*_units(corpus), *_codings(corpus)]) + "."


def _units(corpus: Corpus) -> list[str]:
    sizes = []
    for document in corpus.documents[:MOST_CODINGS]:
        n = f"{corpus.n_units(document):,} unit{'' if corpus.n_units(document) == 1 else 's'}"
        axis = f" in {corpus.spans[document].axis}" if document in corpus.spans else ""
        sizes.append(f"document {document} has {n}{axis}")
    return sizes


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

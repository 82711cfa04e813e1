"""segeval's table with a row of masses (or positions) per coder.

The header is ``Coder`` and ``Masses``; with ``Positions`` instead (segeval's older form) each row holds the
number of its segment for each unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Document, Format, read_documents
from caesura.io.files import Source, shortened, whole_numbers
from caesura.io.tables.cells import first_rows, rows_of, table_text
from caesura.values.columns import masses_of
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

FORMS = ("masses", "positions")


def is_segeval_header(header: Sequence[str]) -> bool:
    """Return whether this is segeval's header, with names for the first two columns only."""
    names = [cell.strip().lower() for cell in header]
    return names[:1] == ["coder"] and names[1:2] in (["masses"], ["positions"]) and not any(names[2:])


def read(source: Source) -> Contents:
    """Read masses, or segment numbers, by coder."""
    (_, header), *rows = list(rows_of(source, ragged=True)) or [(1, [])]
    if not is_segeval_header(header):
        # segeval always skips the first line, and so loses a coder without a header.
        raise CorpusError(f"line 1 is {shortened(header)}: expected Coder and Masses (or Positions)")
    form = header[1].strip().lower()
    codings: dict[str, Segmentation] = {}
    for line, (coder, *cells) in rows:
        while cells and not cells[-1].strip():
            cells.pop()  # spreadsheets fill short rows
        if coder == "":
            raise CorpusError(f"line {line}: the coder is missing")
        if coder in codings:
            raise CorpusError(f"line {line}: coder {coder} is there twice; rename or remove one")
        with within(f"line {line}: coder {coder}"):
            numbers = whole_numbers(map(str.strip, cells), form)
            make = Segmentation.from_masses if form == "masses" else Segmentation.from_labels
            codings[coder] = make(numbers)
    if not codings:
        raise CorpusError("there are no rows below the header; expected one per coder")
    return read_documents(source, [Document(source.name, codings)])


def write(corpus: Corpus, extension: str) -> str:
    """Return the masses of one document, a row per coder."""
    if "" in corpus.coders:
        raise CorpusError("a coder without a name cannot stand in a table; name it")
    coders = (corpus.coders[number] for number in corpus.coder.tolist())
    rows = ([coder, *masses] for coder, masses in zip(coders, masses_of(corpus.codings), strict=True))
    return table_text(chain([["Coder", "Masses"]], rows), extension)


def sniff(source: Source) -> bool:
    """Recognize it by its header."""
    rows = first_rows(source, 1)
    return bool(rows) and is_segeval_header(rows[0])


FORMAT = Format.of(globals(), "segeval-tsv", (".tsv", ".csv", ".tab"), {"coders"})

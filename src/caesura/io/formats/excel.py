"""Spreadsheet (.xlsx, .xls, .ods) with a table of marks or labels, wide or long.

The sheet is read as a CSV file would be, by the formats labels and long; sheet= names one of several. Written
as .xlsx, with a row per unit, a column for the document, and a, b and c in turn for the segments of a coder.

Cells are read as they would stand in a CSV file: numbers without a needless ``.0``, ``true`` and ``false``. A
workbook in which several sheets hold data is refused unless ``sheet`` names one. Read by python-calamine;
written, as .xlsx, by openpyxl, with a row per unit and a label for each of its segments, a, b or c.
"""

from __future__ import annotations

from itertools import zip_longest

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format
from caesura.io.files import Source, shortened
from caesura.io.options import ReadOptions
from caesura.io.tables.cells import is_long_table
from caesura.io.tables.contents import read_table, table_rows
from caesura.io.workbooks import is_workbook, rows_of_sheet, workbook_of
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

EXTENSIONS = (".xlsx", ".xls", ".ods", ".xlsb", ".xlsm")
WRITTEN = ".xlsx"

MAX_ROWS = 2**20 - 1
"""Rows of a sheet below the header."""


def read(source: Source) -> Contents:
    """Read the sheet that holds the data."""
    rows = rows_of_sheet(source.data, source.options)
    if not rows:
        raise CorpusError("the sheet is empty")
    return read_table(rows, source)


def write(corpus: Corpus, extension: str) -> bytes:
    """Return a workbook of one sheet, with a row per unit, which has been read back."""
    if extension in EXTENSIONS and extension != WRITTEN:
        raise CorpusError(f"a spreadsheet is written as {WRITTEN} only; name it so")
    for document in corpus.documents:
        if not document or document != document.strip():
            raise CorpusError(f"document {document!r}: no cell of a table can hold this name; rename it")
        if corpus.units and document not in corpus.units:
            raise CorpusError(f"document {document} has no text where others have; add it, or write jsonl")
    rows = [[str(value) for value in row] for row in table_rows(corpus, MAX_ROWS, _alternating)]
    if is_long_table(rows[0], ReadOptions()):
        raise CorpusError("a coder is called as a column of the long table is (coder, masses ...); rename it")
    content = workbook_of(rows)
    read_back = [cells for _, cells in rows_of_sheet(content, ReadOptions())]
    for number, (row, again) in enumerate(zip_longest(rows, read_back), start=1):
        if row != again:
            raise CorpusError(f"row {number}, {shortened(row)}, would be read otherwise; use jsonl")
    return content


def _alternating(coding: Segmentation) -> list[str]:
    """Return a, b and c in turn: numbers of many documents, in a column, may look like marks or text."""
    return ["cab"[label % 3] for label in coding.to_labels()]


FORMAT = Format.of(
    globals(), "excel", EXTENSIONS, {"documents", "coders", "units"}, is_binary=True, sniff=is_workbook
)

"""Spreadsheet (.xlsx, .xls, .ods) with a table of marks or labels, wide or long.

The sheet is read like a CSV file of the formats labels and long; sheet= chooses one of several. Written as
.xlsx, with a row per unit, a column for the document, and a, b and c in turn for the segments of a coder.

Cells are read as in a CSV file: numbers without a needless ``.0``, ``true`` and ``false``. A workbook with
data on several sheets is refused unless ``sheet`` chooses one. Read by python-calamine, written by openpyxl.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from caesura.errors import CorpusError, did_you_mean, missing_extra
from caesura.io.archives import CHUNK, MAX_UNPACKED, open_zip, unpacking
from caesura.io.base import Contents, Format
from caesura.io.files import Source, shortened
from caesura.io.options import ReadOptions
from caesura.io.tables.cells import EMPTY_ROW, is_long_table, read_table, table_rows
from caesura.io.tables.rows import Row, cell_text
from caesura.io.xml_files import NO_XML
from caesura.values.corpus import Corpus
from caesura.wording import counted, listed

EXTENSIONS = (".xlsx", ".xls", ".ods", ".xlsb", ".xlsm")
WRITTEN = ".xlsx"

MAX_ROWS = 2**20 - 1
"""Rows of a sheet below the header."""


def read(source: Source) -> Contents:
    """Read the sheet that holds the data."""
    if not (rows := rows_of_sheet(source.data, source.options)):
        raise CorpusError("the sheet is empty")
    return read_table(rows, source)


def write(corpus: Corpus, extension: str) -> bytes:
    """Return a workbook of one sheet with a row per unit; check that it can be read back."""
    if extension in EXTENSIONS and extension != WRITTEN:
        raise CorpusError(f"a spreadsheet is written as {WRITTEN} only; name it so")
    for document in corpus.documents:
        if not document or document != document.strip():
            raise CorpusError(f"document {document!r}: no cell of a table can hold this name; rename it")
        if corpus.units and document not in corpus.units:
            raise CorpusError(f"document {document} has no text where others have; add it, or write jsonl")
    # Letters in turn: numbers of segments of many documents may look like marks or text.
    cells = table_rows(corpus, MAX_ROWS, lambda coding: ["cab"[label % 3] for label in coding.to_labels()])
    rows = [list(map(str, row)) for row in cells]
    if is_long_table(rows[0], ReadOptions()):
        raise CorpusError("a coder has the name of a column of the long table (coder, masses ...); rename it")
    content = workbook_of(rows)
    read_back = [cells for _, cells in rows_of_sheet(content, ReadOptions())]
    for number, (row, again) in enumerate(zip_longest(rows, read_back), start=1):
        if row != again:
            raise CorpusError(f"row {number}, {shortened(row)}, would be read otherwise; use jsonl")
    return content


# -------------------------------------------------------------------- workbooks

ZIP_MARK, OLD_MARK = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
WORKBOOKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
"""Files in the archive of a workbook, in Excel's formats and OpenDocument."""

MAX_PACKED_RATIO = 100
"""How much larger than packed the parts of a workbook may be; XML of a table shrinks to a twentieth."""

MAX_CELL = 32_767
"""Characters of a cell."""

CORE = "docProps/core.xml"
TIME = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")

FREE_BYTES = 2**26
"""Bytes below which any ratio is harmless."""

FREE_CELLS, MAX_SPARSENESS = 2**22, 50
"""Cells that any sheet may span; larger sheets may span this many per filled cell."""

TAG = re.compile(rb"<(?:[\w.-]+:)?(row|c)\b([^<]*)")
REFERENCE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,7})([0-9]{0,9})""")
"""The optional reference of a cell (XFD1048576) or of a row."""


def rows_of_sheet(data: bytes, options: ReadOptions) -> list[Row]:
    """Return the rows of the sheet that holds the data, the header first."""
    try:
        import python_calamine
    except ModuleNotFoundError:
        raise missing_extra("spreadsheets need python-calamine", "formats") from None
    _check_parts(data)
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = book.sheet_names if (sheet := options.get("sheet")) is None else [sheet]
        if sheet is not None and sheet not in book.sheet_names:
            raise CorpusError(f"sheet: unknown sheet {sheet!r}; {did_you_mean(sheet, book.sheet_names)}")
        sheets = {name: _sheet(book.get_sheet_by_name(name)) for name in names}
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        if isinstance(error, CorpusError):
            raise
        raise CorpusError(f"not a whole spreadsheet: {error}") from None
    filled = {name: rows for name, rows in sheets.items() if rows}
    if len(filled) > 1:
        sheets_of = [*map(repr, filled)]
        raise CorpusError(f"sheets {listed(sheets_of)} hold data: say which, sheet={sheets_of[0]}")
    return next(iter(filled.values()), [])


def _sheet(sheet: Any) -> list[Row]:
    """Return the rows of a sheet with their numbers, without empty rows and columns around the table."""
    rows: list[Row] = []
    empty = 0
    for number, values in enumerate(sheet.to_python(skip_empty_area=False), start=1):
        cells = [cell_text(value) for value in values]
        if not any(map(str.strip, cells)):
            empty = empty or (number if rows else 0)
            continue
        if empty:
            raise CorpusError(f"sheet {sheet.name!r}: row {empty} is empty; {EMPTY_ROW}")
        rows.append((number, cells))
    width = len(rows[0][1]) if rows else 0
    columns = [column for column in range(width) if any(cells[column].strip() for _, cells in rows)]
    return [(number, [cells[column] for column in columns]) for number, cells in rows]


def _check_parts(data: bytes) -> None:
    """Refuse a workbook that unpacks to more than memory holds."""
    if not data.startswith(ZIP_MARK):
        return
    with open_zip(io.BytesIO(data), "spreadsheet") as archive:
        n_bytes = sum(entry.file_size for entry in archive.infolist())
        if n_bytes > MAX_UNPACKED or (n_bytes > FREE_BYTES and n_bytes > MAX_PACKED_RATIO * len(data)):
            raise CorpusError(f"it unpacks to {n_bytes:,} bytes from {len(data):,}: save the sheet as CSV")
        for entry in archive.infolist():
            with unpacking(), archive.open(entry) as stream:
                _check_spread(stream, entry.filename)


def _check_spread(stream: IO[bytes], name: str) -> None:
    """Refuse a sheet with few cells far apart: calamine allocates every cell between them."""
    n_cells = row = column = height = width = 0
    for kind, attributes in _tags(stream):
        reference = REFERENCE.search(attributes)
        letters, digits = reference.groups() if reference else (b"", b"")
        if kind == b"row":
            row, column = int(digits or row + 1), 0
            continue
        row, column = int(digits or row), _column_number(letters) or column + 1
        is_empty = attributes.count(b">") == 1 and attributes.rstrip().endswith(b"/>")
        if not is_empty:
            n_cells, height, width = n_cells + 1, max(height, row), max(width, column)
    if height * width > max(FREE_CELLS, MAX_SPARSENESS * n_cells):
        size = f"{counted(n_cells, 'cell')} and spans {height:,} rows by {width:,} columns"
        raise CorpusError(f"{name} holds {size}: delete what is far from the table, or save it as CSV")


def _tags(stream: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the tags of rows and cells, each with the text before the next tag."""
    rest = b""
    while chunk := stream.read(CHUNK):
        rest += chunk
        end = max(rest.rfind(b"<"), 0)
        yield from TAG.findall(rest, 0, end)
        rest = rest[end:]
        if len(rest) > CHUNK:
            if TAG.match(rest):
                raise CorpusError(f"not a whole spreadsheet: a tag has more than {CHUNK:,} bytes")
            rest = b""  # a picture
    yield from TAG.findall(rest)


@lru_cache(maxsize=2**15)
def _column_number(letters: bytes) -> int:
    """Return the number of a column, from 1.

    >>> _column_number(b"A"), _column_number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def sniff(source: Source) -> bool:
    """Recognize a workbook by the parts of its archive, or the first bytes of old workbooks."""
    if source.data.startswith(OLD_MARK):
        return source.extension == ".xls"
    if not source.data.startswith(ZIP_MARK):
        return False
    with open_zip(io.BytesIO(source.data)) as archive:
        return not set(WORKBOOKS).isdisjoint(archive.namelist())


# -------------------------------------------------------------------- writing


def workbook_of(rows: Sequence[Sequence[str]]) -> bytes:
    """Return a workbook of one sheet with these rows, all of them texts."""
    try:
        import openpyxl  # type: ignore[import-untyped]
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, WriteOnlyCell  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise missing_extra("writing .xlsx needs openpyxl", "formats") from None
    for text in dict.fromkeys(text for row in rows for text in row):
        if len(text) > MAX_CELL:
            raise CorpusError(f"{shortened(text)} has {len(text):,} characters, over {MAX_CELL:,}; use jsonl")
        if ILLEGAL_CHARACTERS_RE.search(text) or NO_XML.search(text):
            raise CorpusError(f"{shortened(text)} has a sign that no cell can hold; use jsonl")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("segments")
    for row in rows:
        cells = [WriteOnlyCell(sheet, text) for text in row]
        for cell in cells:
            cell.data_type = "s"  # text, even if it looks like a formula
        sheet.append(cells)
    saved = io.BytesIO()
    book.save(saved)
    return _undated(saved)


def _undated(saved: io.BytesIO) -> bytes:
    """Return a workbook without its creation time: the same corpus makes the same file."""
    undated = io.BytesIO()
    with ZipFile(saved) as old, ZipFile(undated, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == CORE:
                content = TIME.sub(rb"\g<1>1980-01-01T00:00:00Z", content)
            new.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return undated.getvalue()


FORMAT = Format.of(globals(), "excel", EXTENSIONS, {"documents", "coders", "units"}, is_binary=True)

"""Delimited tables: CSV and TSV cells with their line numbers, and the writing of them."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from caesura.errors import CorpusError
from caesura.io.files import MAX_LINE, Source, check_length
from caesura.io.options import ReadOptions
from caesura.io.tables.columns import TableOptions, is_long_header, long_columns
from caesura.io.tables.wide_table import Row
from caesura.results.table import formula_safe, without_apostrophe

DELIMITERS = {".csv": ",;\t", ".tsv": "\t,;", ".tab": "\t,;"}
"""Delimiters by extension, the likeliest first; a semicolon is the comma of many spreadsheets."""

TABLE_OPTIONS = ("marks", "text", "document", "coders", "gaps")
"""Options that say something of the columns."""

EMPTY_ROW = "remove it or restore its data; if it is a unit without a mark, number units in a column 'unit'"
"""What to do about a row without any value."""

LINE = re.compile(r"[^\r\n]++(?:\r\n|\r|\n)?|\r\n|\r|\n")
SPECIAL = re.compile(r'[\r\n\t,;"]')
QUOTED = re.compile(r"'[=+\-@\t\r]")

FORMULAS = "cells that begin with =, +, - or @ got an apostrophe against formulas; caesura reads them without"
"""The notice on texts that look like formulas."""


def rows_of(source: Source, *, ragged: bool = False) -> Iterator[Row]:
    """Yield the rows, the header first; all must have its width unless the format is ragged.

    Empty rows are fine at the end only: inside a table they may be lost data.
    """
    width = empty = 0
    is_quoted = QUOTED.search(source.text) is not None
    for line, row in parsed_rows(_lines(source.text), _delimiter(source)):
        if is_quoted:
            row = list(map(without_apostrophe, row))
        if not any(map(str.strip, row)):
            empty = empty or line
            continue
        if empty:
            raise CorpusError(f"line {empty} is empty; {EMPTY_ROW}")
        if not ragged and width and len(row) != width:
            n_cells = f"line {line} has {len(row)} cells where the header has {width}"
            raise CorpusError(f"{n_cells}: {width_hint(row, width)}")
        width = width or len(row)
        yield line, row


def parsed_rows(lines: Iterable[str], delimiter: str, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of lines, each with the number of its last line; ``first`` is that of the first line."""
    # The csv module's own bound (128 KiB a cell) is one setting for all threads, so it is only ever raised.
    if csv.field_size_limit() < MAX_LINE:
        csv.field_size_limit(MAX_LINE)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for row in reader:
            yield first - 1 + reader.line_num, row
    except csv.Error as error:
        hint = "; a quoted cell is not closed" if "end of data" in str(error) else ""
        raise CorpusError(f"line {first - 1 + reader.line_num}: {error}{hint}") from None


def width_hint(row: Sequence[str], width: int) -> str:
    """Return why a row may not have the cells of the header."""
    return "a cell with the delimiter inside needs quotes" if len(row) > width else "cells are missing"


def is_well_quoted(data: bytes, delimiter: str) -> bool:
    """Whether each quote begins or ends a cell, or stands twice within one."""
    if b'"' not in data:
        return True
    signs = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(signs == ord('"'))
    around = np.concatenate((signs[quotes[::2] - 1], signs[quotes[1::2] + 1]))
    return len(quotes) % 2 == 0 and bool(np.isin(around, [ord('"'), ord("\n"), ord(delimiter)]).all())


def first_rows(source: Source, n_rows: int) -> list[list[str]]:
    """Return the first rows, or none where the file is not such a table: for formats that only look."""
    try:
        return [row for _, row in islice(rows_of(source, ragged=True), n_rows)]
    except CorpusError:
        return []


def options_of(options: ReadOptions) -> TableOptions:
    """Return what options say of a table's columns."""
    return TableOptions(**{name: options.given[name] for name in TABLE_OPTIONS if name in options.given})


def is_long_table(header: Sequence[str], options: ReadOptions) -> bool:
    """Tell the long table, which names document and coder on each row."""
    chosen = options_of(options)
    return "document" in long_columns(header, chosen) and is_long_header(header, chosen)


def check_table(source: Source) -> None:
    """Raise an error where the file is not a table."""
    for _ in rows_of(source, ragged=True):
        pass


def _lines(text: str) -> Iterator[str]:
    # Not splitlines(), which also splits at form feeds and the like, nor StringIO, which takes 4 bytes a
    # character. The ends stay, so that a line end inside quotes is kept as it is.
    for number, match in enumerate(LINE.finditer(text), start=1):
        line = match.group()
        check_length(len(line), number)
        yield line


def _delimiter(source: Source) -> str:
    first = LINE.match(source.text, 0, 100_000)  # the names of columns; a lost line end must not cost time
    bare = re.sub(r'"[^"]*"', "", first.group() if first else "")
    order = DELIMITERS.get(source.extension, "\t,;")
    return next((delimiter for delimiter in order if delimiter in bare), order[0])


def table_text(rows: Iterable[Sequence[object]], extension: str) -> str:
    """Return a table as text, tab-delimited for .tsv and .tab, comma-delimited otherwise.

    A text that a spreadsheet would run as a formula gets an apostrophe, and a UserWarning says so.

    >>> table_text([["document", "masses"], ["end, the", "2 3"]], ".csv")
    'document,masses\\n"end, the",2 3\\n'
    """
    delimiter = DELIMITERS.get(extension, ",")[0]
    lines = []
    is_changed = False
    for row in rows:
        texts = list(map(str, row))
        safe = list(map(formula_safe, texts))
        is_changed = is_changed or safe != texts
        # Every delimiter is quoted, not only the one in use, so that any reader finds the same cells.
        lines.append(delimiter.join(map(_cell, safe)))
    if is_changed:
        warnings.warn(FORMULAS, UserWarning, stacklevel=2)
    for number, line in enumerate(lines, start=1):
        check_length(len(line), number)  # or it could not be read back
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if SPECIAL.search(text) else text

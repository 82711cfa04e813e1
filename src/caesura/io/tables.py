"""Delimited tables: CSV and TSV cells with their line numbers, and the writing of them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from caesura.errors import CorpusError
from caesura.io.files import MAX_LINE, Source, check_line, shortened
from caesura.io.options import ReadOptions

DELIMITERS = {".csv": ",;\t", ".tsv": "\t,;", ".tab": "\t,;"}
"""Delimiters by extension, the likeliest first; a semicolon is the comma of many spreadsheets."""

ONE_ROW_PER_CODING = ("masses", "gaps", "positions")
"""Columns of a long table with the segmentation of a coding."""

MAX_ID_DIGITS = 18
"""Longest number of a unit, in digits."""

LINE = re.compile(r"[^\r\n]++(?:\r\n|\r|\n)?|\r\n|\r|\n")
SPECIAL = re.compile(r'[\r\n\t,;"]')

Row = tuple[int, list[str]]
"""A line number and the cells."""


def rows_of(source: Source, *, ragged: bool = False) -> Iterator[Row]:
    """Yield the rows, the header first; all must have its width unless the format is ragged.

    Empty rows are fine at the end only: inside a table they may be lost data.
    """
    # The csv module's own bound (128 KiB a cell) is one setting for all threads, so it is only ever raised.
    if csv.field_size_limit() < MAX_LINE:
        csv.field_size_limit(MAX_LINE)
    reader = csv.reader(_lines(source.text), delimiter=_delimiter(source), strict=True)
    width = 0
    empty = 0
    try:
        for row in reader:
            if not any(map(str.strip, row)):
                empty = empty or reader.line_num
                continue
            if empty:
                raise CorpusError(f"line {empty} is empty; remove it, or restore the data that was there")
            if not ragged and len(row) != width:
                if width:
                    raise CorpusError(_wrong_width(reader.line_num, len(row), width))
                width = len(row)
            yield reader.line_num, row
    except csv.Error as error:
        hint = "; a quoted cell is not closed" if "end of data" in str(error) else ""
        raise CorpusError(f"line {reader.line_num}: {error}{hint}") from None


def _wrong_width(number: int, cells: int, width: int) -> str:
    hint = "a cell with the delimiter inside needs quotes" if cells > width else "cells are missing"
    return f"line {number} has {cells} cells where the header has {width}: {hint}"


def first_rows(source: Source, n_rows: int) -> list[list[str]]:
    """Return the first rows, or none where the file is no such table: for formats that only look."""
    try:
        return [row for _, row in islice(rows_of(source, ragged=True), n_rows)]
    except CorpusError:
        return []


def check_numbers(name: str, body: Sequence[Row], place: int = 0, *, word: str = "line") -> None:
    """Check that a column, of this name, numbers the rows from 1 (or 0).

    A table that has lost a row, or is sorted otherwise, must not pass. Names of units (``s1``, ``s2``) have
    no order, but each is there once; numbers in a column ``…_id`` may begin anywhere.
    """
    first = body[0][1][place].strip()
    if not (first.isascii() and first.isdigit()):
        _check_names(name, body, place, word)
        return
    may_begin_anywhere = name.strip().lower().endswith("id") and len(first) <= MAX_ID_DIGITS
    start = int(first) if first in ("0", "1") or may_begin_anywhere else 1
    for expected, (line, row) in enumerate(body, start=start):
        if row[place].strip() != str(expected):
            raise CorpusError(
                f"{word} {line}: {name or 'the first column'} is {shortened(row[place])} where {expected} "
                "was expected: the column numbers the units; is a row missing or out of order?"
            )


def _check_names(name: str, body: Sequence[Row], place: int, word: str) -> None:
    seen = set()
    for line, row in body:
        if row[place] in seen:
            raise CorpusError(f"{word} {line}: {name} {shortened(row[place])} is there twice; remove one")
        seen.add(row[place])


def is_long_header(header: Sequence[str], options: ReadOptions) -> bool:
    """Tell the long table, which names document and coder on each row."""
    names = set(long_columns(header, options))
    has_coding = not names.isdisjoint(("coder", "label", *ONE_ROW_PER_CODING))
    return "document" in names and has_coding and "coders" not in options.given


def long_columns(header: Sequence[str], options: ReadOptions) -> list[str]:
    """Return the names of a long table's columns, with those that options choose called by their role."""
    names = [cell.strip().lower() for cell in header]
    for role in ("document", "text"):
        chosen = options.given.get(role)
        if chosen is not None and chosen.strip().lower() in names:
            place = names.index(chosen.strip().lower())
            names = [f"({name})" if name == role else name for name in names]
            names[place] = role
    return names


def check_table(source: Source) -> None:
    """Raise an error where the file is no table at all."""
    for _ in rows_of(source, ragged=True):
        pass


def _lines(text: str) -> Iterator[str]:
    # Not splitlines(), which also splits at form feeds and the like, nor StringIO, which takes 4 bytes a
    # character. The ends stay, so that a line end inside quotes is kept as it is.
    for number, match in enumerate(LINE.finditer(text), start=1):
        line = match.group()
        check_line(line, number)
        yield line


def _delimiter(source: Source) -> str:
    first = LINE.match(source.text, 0, 100_000)  # the names of columns; a lost line end must not cost time
    bare = re.sub(r'"[^"]*"', "", first.group() if first else "")
    order = DELIMITERS.get(source.extension, "\t,;")
    return next((delimiter for delimiter in order if delimiter in bare), order[0])


def table_text(rows: Iterable[Sequence[object]], extension: str) -> str:
    """Return a table as text, tab-delimited for .tsv and .tab, comma-delimited otherwise.

    >>> table_text([["document", "masses"], ["end, the", "2 3"]], ".csv")
    'document,masses\\n"end, the",2 3\\n'
    """
    delimiter = DELIMITERS.get(extension, ",")[0]
    # Every delimiter is quoted, not only the one in use, so that any reader finds the same cells.
    lines = [delimiter.join(map(_cell, row)) for row in rows]
    for number, line in enumerate(lines, start=1):
        check_line(line, number)  # or it could not be read back
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if SPECIAL.search(text) else text

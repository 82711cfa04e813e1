"""WideTable: a row per unit and a column of marks or labels per coder, of a file or a data frame.

The first column may number the units, from 1 (or 0) without a gap; others hold the units' text or the name of
the document, where there are several, the rows of each together; ``io.tables.columns`` tells them apart. What
marks mean is told by ``caesura.io.tables.marks``. A column without any value says that its coder left the
document out; one missing label is an error, and so is a blank among 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from caesura.errors import CorpusError
from caesura.io.tables.columns import TableOptions, tell_columns
from caesura.io.tables.marks import UnitValues, read_marks, rows_named
from caesura.values.forms import MarkMeaning, coding_name, is_blank, short_name
from caesura.values.making import CorpusBuilder, CorpusColumns
from caesura.wording import short

MAX_ID_DIGITS = 18
"""Longest number of a unit, in digits."""

Row: TypeAlias = tuple[int, list[str]]
"""The number of a row, or of its line, and the cells."""


class ReadTable(NamedTuple):
    """What a table with a row per unit holds, what its marks were read as, and which columns were what."""

    columns: CorpusColumns
    reading: MarkMeaning
    text: str | None = None
    """The column with the units' text."""
    left_out: Sequence[str] = ()
    """Columns with other text, and empty ones."""


def add_values(builder: CorpusBuilder, codings: Sequence[UnitValues], options: TableOptions) -> MarkMeaning:
    """Add codings, all read in one way, and return which."""
    reading, segmentations = read_marks(codings, options.marks, gaps=options.gaps)
    for coding, segmentation in zip(codings, segmentations, strict=True):
        builder.add(coding.document, coding.coder, segmentation)
    return reading


class WideTable:
    """Rows of cells, the header first.

    >>> rows = [(1, ["ann", "bob"]), (2, ["1", "1"]), (3, ["0", "1"]), (4, ["0", "0"])]
    >>> table = WideTable(rows, TableOptions(), name="d").read()
    >>> table.reading, table.columns.codings.positions.tolist()
    ('starts', [1])
    """

    def __init__(self, rows: Sequence[Row], options: TableOptions, *, name: str, word: str = "row") -> None:
        if len(rows) < 2:
            raise CorpusError("no rows below the header; expected one per unit")
        (_, header), *self._body = rows
        self._header = list(map(str.strip, header))
        self._name, self._word, self._options = name, word, options
        columns = list(zip(*(cells for _, cells in self._body), strict=True))
        _check_header(self._header, columns)
        self._roles = tell_columns(self._header, columns, options)

    @property
    def is_open(self) -> bool:
        """Whether a row may be blank throughout: there are only coders, some with blanks for no mark."""
        roles = self._roles
        tells_units = any(role is not None for role in (roles.units, roles.text, roles.document))
        blanks = (not cells[column].strip() for _, cells in self._body for column in roles.coders)
        return not tells_units and any(blanks)

    def read(self) -> ReadTable:
        """Return all codings and texts, and how they were read."""
        builder = CorpusBuilder()
        codings: list[UnitValues] = []
        roles = self._roles
        for document, part in self._documents():
            if roles.units is not None:
                check_numbers(self._header[roles.units], part, roles.units, word=self._word)
            codings += self._codings(document, part)
            if roles.text is not None:
                builder.add_text(document, [cells[roles.text] for _, cells in part])
        if not codings:
            raise CorpusError("no coder has a mark or label; expected a column of them for each coder")
        text = None if roles.text is None else self._header[roles.text]
        left_out = [self._header[column] for column in roles.left_out]
        reading = add_values(builder, codings, self._options)
        return ReadTable(builder.columns(), reading, text, left_out)

    def _documents(self) -> Iterator[tuple[str, Sequence[Row]]]:
        """Yield each document and its rows, which must stand together."""
        column, seen = self._roles.document, set()
        if column is None:
            yield self._name, self._body
            return
        for document, part in groupby(self._body, lambda row: row[1][column].strip()):
            rows = list(part)
            where = f"{self._word} {rows[0][0]}"
            if not document:
                raise CorpusError(f"{where}: the document is missing")
            if document in seen:
                twice = f"document {short_name(document)} had rows before others did"
                raise CorpusError(f"{where}: {twice}: put the rows of a document together, in order")
            seen.add(document)
            yield document, rows

    def _codings(self, document: str, body: Sequence[Row]) -> Iterator[UnitValues]:
        """Yield the values of each coder who has not left the document out."""
        numbers = [number for number, _ in body]
        for column in self._roles.coders:
            values = [cells[column].strip() for _, cells in body]
            if any(values):
                coder = self._header[column]
                is_alone = self._roles.document is None
                where = f"coder {short_name(coder)}" if is_alone else coding_name(document, coder)
                yield UnitValues(document, coder, values, rows_named(numbers, self._word, where))


def _check_header(header: Sequence[str], columns: Sequence[Sequence[str]]) -> None:
    seen = set()
    for column, name in enumerate(header):
        if not name and column and any(map(str.strip, columns[column])):
            fix = "name its coder (names stand in one row, without a title or merged cells above)"
            raise CorpusError(f"column {column + 1} has no name in the header: {fix}")
        if name and name in seen:
            raise CorpusError(f"coder {short_name(name)} has two columns; rename or remove one")
        seen.add(name)


def check_numbers(name: str, body: Sequence[Row], column: int = 0, *, word: str = "line") -> None:
    """Check that a column, of this name, numbers the rows from 1 (or 0).

    A table that has lost a row, or is sorted otherwise, must not pass. Names of units (``s1``, ``s2``) have
    no order, but each is there once; numbers in a column ``…_id`` may begin anywhere.
    """
    first = body[0][1][column].strip()
    if not (first.isascii() and first.isdigit()):
        _check_names(name, body, column, word)
        return
    may_begin_anywhere = name.strip().lower().endswith("id") and len(first) <= MAX_ID_DIGITS
    start = int(first) if first in ("0", "1") or may_begin_anywhere else 1
    for expected, (line, row) in enumerate(body, start=start):
        if row[column].strip() != str(expected):
            cell = f"{name or 'the first column'} is {short(row[column])}"
            hint = "it numbers the units; is a row missing or out of order?"
            raise CorpusError(f"{word} {line}: {cell} where {expected} was expected: {hint}")


def _check_names(name: str, body: Sequence[Row], column: int, word: str) -> None:
    seen = set()
    for line, row in body:
        if row[column] in seen:
            raise CorpusError(f"{word} {line}: {name} {short(row[column])} is there twice; remove one")
        seen.add(row[column])


def cell_text(value: Any) -> str:
    """Return a value as a CSV file would have it.

    >>> [cell_text(value) for value in (1.0, 0.5, True, None, "x")]
    ['1', '0.5', 'true', '', 'x']
    """
    if is_blank(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)

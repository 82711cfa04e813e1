"""Rows of the long table as Arrow has them, and where each of them stands in its file.

There are the columns ``document`` (string), ``coder`` (string, or a dictionary of them), ``n_units`` (int64),
``positions`` (list of int64), ``types`` (the same; missing where all boundaries are plain) and what else was
asked for. No cell of the first five is missing. Rows come as they stand: whether positions
ascend, and whether the rows of a document are together, is for others to check.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CorpusError
from caesura.values import arrow
from caesura.values.columns import Columns
from caesura.values.forms import coding_name
from caesura.wording import short

NAMES = ("document", "coder")

FORMS = ("masses", "gaps", "positions")
"""Columns that hold a segmentation; a row has one of them."""

LONG_TABLE = (*NAMES, "n_units", "positions", "types")

SEGMENTATIONS = (*NAMES, *FORMS, "n_units", "types")
"""Columns that are read as the long table, whatever the form."""

AT_ONCE = 2**15
"""Most rows of a batch that was not there before."""

MAX_NAME = 2**13
"""Longest name of a document or coder, in bytes: a batch of such names still fits."""


class RowFault(CorpusError):
    """What is wrong with one row of a table, counted from 0."""

    def __init__(self, row: int, fault: str) -> None:
        super().__init__(f"row {row}: {fault}")
        self.row, self.fault = row, fault


@dataclass(frozen=True)
class PlacedRows:
    """Some rows of a file."""

    table: Any
    """A ``pyarrow.Table``."""
    file: str
    first: int
    """The number of the first row: in its row group from 0, or of its line from 1."""
    row_group: int | None = None
    lines: IntArray | None = None
    """The lines of all rows, where some lines hold none."""
    start: int = 0
    """The byte from which on lines are counted."""

    def place(self, row: int) -> str:
        """Return where a row stands, for a message."""
        if self.row_group is not None:
            return f"{self.file}: row group {self.row_group}, row {self.first + row}"
        line = self.first + row if self.lines is None else self.lines[row]
        return f"{self.file}: line {line}{f' from byte {self.start} on' if self.start else ''}"

    @property
    def where(self) -> str:
        """Where they stand, for a message on all of them."""
        if self.row_group is not None:
            return f"{self.file}: row group {self.row_group}"
        last = len(self.table) - 1
        if last < 1:
            return self.place(0)
        lines = range(self.first, self.first + last + 1) if self.lines is None else self.lines
        start = f" from byte {self.start} on" if self.start else ""
        return f"{self.file}: lines {lines[0]} to {lines[last]}{start}"


def long_rows(table: Any, others: list[str]) -> Any:
    """Return a table's rows as described above, with further columns; or raise what is wrong with one."""
    pyarrow = arrow.load_pyarrow()
    columns = {"document": _names(pyarrow, table["document"], "document")}
    columns["coder"] = _names(pyarrow, table["coder"], "coder", may_be_coded=True)
    if _is_long(pyarrow, table):
        columns["n_units"] = in_one_piece(table["n_units"])
        columns["positions"] = in_one_piece(table["positions"])
        if "types" in table.column_names:
            columns["types"] = in_one_piece(table["types"])
    else:
        codings = arrow.read_codings(table, mixed=True)
        if codings is None:
            _refuse_codings(table)
        columns.update(coding_arrays(pyarrow, codings))
    for name in others:
        columns[name] = plain_array(pyarrow, in_one_piece(table[name]))
        columns[name].validate(full=True)
    return pyarrow.table(columns)


def coding_arrays(pyarrow: Any, codings: Columns) -> dict[str, Any]:
    """Return the columns of segmentations."""
    offsets = pyarrow.array(codings.offsets.astype(np.int32))
    found = {
        "n_units": pyarrow.array(codings.n_units),
        "positions": pyarrow.ListArray.from_arrays(offsets, pyarrow.array(codings.positions)),
    }
    if codings.types is not None:
        found["types"] = pyarrow.ListArray.from_arrays(offsets, pyarrow.array(codings.types))
    return found


def in_one_piece(column: Any) -> Any:
    """Return a column of a table as one array."""
    pyarrow = arrow.load_pyarrow()
    if column.num_chunks == 1:
        return column.chunk(0)  # combine_chunks() would copy it
    return pyarrow.concat_arrays(column.chunks) if column.num_chunks else pyarrow.array([], column.type)


def plain_type(pyarrow: Any, kind: Any) -> Any:
    """Return the type that holds the same in the plainest way: no dictionary, no large offsets, no view.

    >>> import pyarrow
    >>> plain_type(pyarrow, pyarrow.large_list(pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string())))
    ListType(list<item: string>)
    """
    types = pyarrow.types
    if types.is_dictionary(kind):
        return plain_type(pyarrow, kind.value_type)
    if types.is_large_string(kind) or types.is_string_view(kind):
        return pyarrow.string()
    if types.is_list(kind) or types.is_large_list(kind):
        return pyarrow.list_(plain_type(pyarrow, kind.value_type))
    return kind


def plain_array(pyarrow: Any, array: Any) -> Any:
    """Return an array in the plainest type."""
    kind = plain_type(pyarrow, array.type)
    return array if array.type == kind else array.cast(kind)


def _names(pyarrow: Any, column: Any, what: str, *, may_be_coded: bool = False) -> Any:
    """Return names as text; whole numbers are written out."""
    array = in_one_piece(column)
    if pyarrow.types.is_dictionary(array.type):
        array.dictionary.validate(full=True)  # they are UTF-8
        shortest = check_lengths(array.dictionary, what)  # before a long one is written out for every row
        is_plain = array.type.value_type == pyarrow.string() and shortest and not array.dictionary.null_count
        if may_be_coded and is_plain and not array.null_count:
            return array
    array = plain_array(pyarrow, array)
    if pyarrow.types.is_integer(array.type):
        array = array.cast(pyarrow.string())
    if not pyarrow.types.is_string(array.type):
        raise CorpusError(f"the column {what!r} holds {array.type}: expected text")
    if array.null_count:
        row = int(np.flatnonzero(np.asarray(array.is_null()))[0])
        raise RowFault(row, f"there is no {what}")
    if check_lengths(array, what) == 0:
        raise RowFault(int(np.argmin(_lengths(array))), f"the name of the {what} is empty")
    _check_encoding(array)
    return array


def _check_encoding(names: Any) -> None:
    """Refuse bytes that are no UTF-8; those below 128 all are."""
    data = names.buffers()[2]
    if data is not None and int(np.frombuffer(data, dtype=np.uint8).max(initial=0)) >= 128:
        names.validate(full=True)


def check_lengths(names: Any, what: str) -> int:
    """Return the bytes of the shortest name; refuse one that is longer than any name is."""
    lengths = _lengths(names)
    if len(lengths) and int(lengths.max()) > MAX_NAME:
        raise CorpusError(f"the name of the {what} has {int(lengths.max()):,} bytes, more than {MAX_NAME:,}")
    return int(lengths.min(initial=MAX_NAME))


def _lengths(names: Any) -> IntArray:
    """Return the bytes of texts; of what is no text, nothing."""
    pyarrow = arrow.load_pyarrow()
    is_large = pyarrow.types.is_large_string(names.type)
    if not len(names) or not (is_large or pyarrow.types.is_string(names.type)):
        return np.empty(0, dtype=np.int64)
    offsets = np.frombuffer(names.buffers()[1], dtype=np.int64 if is_large else np.int32)
    return np.diff(offsets[names.offset : names.offset + len(names) + 1])


def _is_long(pyarrow: Any, table: Any) -> bool:
    """Whether a table's segmentations need nothing to be done."""
    names = set(table.column_names)
    wanted = [("n_units", pyarrow.int64()), ("positions", pyarrow.list_(pyarrow.int64()))]
    if "types" in names:
        wanted.append(("types", pyarrow.list_(pyarrow.int64())))
    if names & {"masses", "gaps"} or not {"n_units", "positions"} <= names:
        return False
    for name, kind in wanted:
        column = in_one_piece(table[name])
        if column.type != kind or column.null_count or (name != "n_units" and column.values.null_count):
            return False
    return "types" not in names or _same_lengths(table["positions"], table["types"])


def _same_lengths(first: Any, second: Any) -> bool:
    first, second = (np.diff(np.asarray(in_one_piece(column).offsets)) for column in (first, second))
    return np.array_equal(first, second)


def _refuse_codings(table: Any) -> NoReturn:
    """Say which row has no segmentation that can be read, and why."""
    names = [name for name in ("n_units", *FORMS, "types") if name in table.column_names]
    forms = [name for name in FORMS if name in names]
    if not forms:
        raise CorpusError(f"there is no column {', '.join(FORMS[:-1])} or {FORMS[-1]}")
    if forms == ["positions"] and "n_units" not in names:
        raise CorpusError("the column 'positions' needs 'n_units' beside it")
    columns = {name: in_one_piece(table[name]) for name in names}
    for row in range(len(table)):
        cells = {name: column[row].as_py() for name, column in columns.items()}
        fault = _fault(cells)
        if fault:
            document, coder = (table[name][row].as_py() for name in NAMES)
            raise RowFault(row, f"{coding_name(document, coder)}: {fault}")
    kinds = ", ".join(f"{name} {column.type}" for name, column in columns.items())
    raise CorpusError(f"the columns cannot be read as segmentations ({kinds})")


def _fault(cells: dict[str, Any]) -> str:
    forms = [name for name in FORMS if cells.get(name) is not None]
    if len(forms) != 1:
        return f"there are both {forms[0]!r} and {forms[1]!r}" if forms else "there is no segmentation"
    value = cells[forms[0]]
    if forms[0] == "gaps":
        return (
            ""
            if isinstance(value, str) and set(value) <= {"0", "1"}
            else f"gaps is {short(value)}: expected 0 and 1"
        )
    if not isinstance(value, list) or not all(type(number) is int for number in value):
        return f"{forms[0]} is {short(value)}: expected a list of whole numbers"
    if forms[0] == "masses":
        return "" if value and min(value) > 0 else f"masses is {short(value)}: expected sizes of at least 1"
    if type(cells.get("n_units")) is not int:
        return f"n_units is {short(cells.get('n_units'))}: expected a whole number"
    types = cells.get("types")
    if types is not None and (not isinstance(types, list) or len(types) != len(value)):
        return f"types is {short(types)}: expected one for each of {len(value)} positions"
    return ""

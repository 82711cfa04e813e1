"""Plain rows: what files hold, as the columns that documents are made of; values are checked and never cast.

There are the columns ``document`` and ``coder`` (string), ``n_units`` (int64), ``positions`` (list of int64),
``types`` (the same; missing where all boundaries of a batch are plain) and ``stratum`` where documents are
divided. Rows come as they stand: whether positions ascend is for the corpus to check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from caesura.arrays import repeat
from caesura.errors import CorpusError
from caesura.values import arrow
from caesura.values.columns import Columns
from caesura.values.forms import coding_name, repeated, short_name
from caesura.values.segmentation import PLAIN_TYPE
from caesura.wording import short

NAMES = ("document", "coder")

FORMS = ("masses", "gaps", "positions")
"""Columns that hold a segmentation; a row has one of them."""

LONG_TABLE = (*NAMES, "n_units", "positions", "types")

SEGMENTATIONS = (*NAMES, *FORMS, "n_units", "types")
"""Columns that are read as the long table, whatever the form."""

MAX_NAME = 2**13
"""Longest name of a document or coder, in bytes: a batch of such names still fits."""

NO_STRATUM = "(none)"
"""What documents without a value in the column of strata belong to."""


class RowFault(CorpusError):
    """What is wrong with one row of a table, counted from 0."""

    def __init__(self, row: int, fault: str) -> None:
        super().__init__(f"row {row}: {fault}")
        self.row, self.fault = row, fault


def columns_of(names: Sequence[str]) -> dict[str, str]:
    """Return the column of each plain name; refuse columns that are not those of the long table."""
    columns = {name.strip().lower(): name for name in names}
    if len(columns) < len(names):
        twice = repeated([name.strip().lower() for name in names])
        raise CorpusError(f"the column {short_name(twice)!r} is there twice")
    for name in NAMES:
        if name not in columns:
            known = ", ".join(repr(short_name(column)) for column in list(columns)[:6])
            raise CorpusError(f"no column {name!r} among {known}")
    if not any(form in columns for form in FORMS):
        raise CorpusError(f"no column {', '.join(FORMS[:-1])} or {FORMS[-1]}")
    if "positions" in columns and "n_units" not in columns:
        raise CorpusError("the column 'positions' needs 'n_units' beside it")
    return columns


def compute() -> Any:
    """Return pyarrow's functions over columns, once they are needed."""
    import pyarrow.compute  # type: ignore[import-untyped]

    return pyarrow.compute


def plain_rows(table: Any, by: str | None = None, others: Sequence[str] = ()) -> Any:
    """Return a table's rows as described above, with further columns; or raise what is wrong with one."""
    pyarrow = arrow.load_pyarrow()
    columns = {name: plain_names(table[name], name) for name in NAMES}
    codings = arrow.read_codings(table, mixed=True)
    if codings is None:
        _refuse_codings(table)
    columns |= coding_arrays(pyarrow, codings)
    if by is not None:
        columns["stratum"] = _strata(pyarrow, table[by], by)
    for name in others:
        columns[name] = plain_array(pyarrow, arrow.in_one_piece(table[name]))
        columns[name].validate(full=True)
    return pyarrow.table(columns)


def coding_arrays(pyarrow: Any, codings: Columns) -> dict[str, Any]:
    """Return the columns of segmentations."""
    offsets = pyarrow.array(codings.offsets.astype(np.int32))
    arrays = {
        "n_units": pyarrow.array(codings.n_units),
        "positions": pyarrow.ListArray.from_arrays(offsets, pyarrow.array(codings.positions)),
    }
    if codings.types is not None:
        arrays["types"] = pyarrow.ListArray.from_arrays(offsets, pyarrow.array(codings.types))
    return arrays


def with_types_filled_in(table: Any) -> Any:
    """Return the table with types on all rows: where a row has none, its boundaries are plain.

    >>> import pyarrow
    >>> rows = pyarrow.table({"positions": [[2, 3], [4]], "types": [None, [2]]})
    >>> with_types_filled_in(rows)["types"].to_pylist()
    [[1, 1], [2]]
    """
    if "types" not in table.column_names or not table["types"].null_count:
        return table
    pyarrow = arrow.load_pyarrow()
    positions, types = (arrow.in_one_piece(table[name]) for name in ("positions", "types"))
    offsets = np.asarray(positions.offsets)
    lengths = np.diff(offsets)
    values = np.full(int(lengths.sum()), PLAIN_TYPE, dtype=np.int64)
    values[repeat(np.asarray(types.is_valid()), lengths)] = types.flatten().to_numpy()
    filled = pyarrow.ListArray.from_arrays(pyarrow.array(offsets - offsets[0]), pyarrow.array(values))
    return table.set_column(table.column_names.index("types"), "types", filled)


def long_fields() -> dict[str, Any]:
    """Return the types of the columns of the long table."""
    pyarrow = arrow.load_pyarrow()
    numbers = pyarrow.list_(pyarrow.int64())
    kinds = (pyarrow.string(), pyarrow.string(), pyarrow.int64(), numbers, numbers)
    return dict(zip(LONG_TABLE, kinds, strict=True))


def with_columns(table: Any, schema: Any) -> Any:
    """Return the table with these columns, in their order and types; those that it lacks hold nothing.

    >>> import pyarrow
    >>> schema = pyarrow.schema({"types": pyarrow.int64(), "coder": pyarrow.string()})
    >>> with_columns(pyarrow.table({"coder": ["ann"], "units": [3]}), schema).to_pylist()
    [{'types': None, 'coder': 'ann'}]
    """
    pyarrow = arrow.load_pyarrow()
    columns = [
        table[field.name].cast(field.type)
        if field.name in table.column_names
        else pyarrow.nulls(len(table), field.type)
        for field in schema
    ]
    return pyarrow.table(columns, schema=schema)


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
    return array.cast(plain_type(pyarrow, array.type))


def plain_names(column: Any, kind: str) -> Any:
    """Return names as text; whole numbers are written out."""
    pyarrow = arrow.load_pyarrow()
    array = arrow.in_one_piece(column)
    if pyarrow.types.is_dictionary(array.type):
        array.dictionary.validate(full=True)  # they are UTF-8
        _lengths(array.dictionary, kind)  # before a long one is written out for every row
    array = plain_array(pyarrow, array)
    if pyarrow.types.is_integer(array.type):
        array = array.cast(pyarrow.string())
    if not pyarrow.types.is_string(array.type) and array.null_count < len(array):
        raise CorpusError(f"the column {kind!r} holds {array.type}: expected text")
    if array.null_count:
        raise RowFault(compute().index(array.is_null(), True).as_py(), f"the {kind} is missing")
    lengths = _lengths(array, kind)
    if compute().min(lengths).as_py() == 0:
        raise RowFault(compute().index(lengths, 0).as_py(), f"the name of the {kind} is empty")
    data = array.buffers()[2]
    if data is not None and np.frombuffer(data, dtype=np.uint8).max(initial=0) >= 128:
        array.validate(full=True)  # bytes below 128 are all UTF-8
    return array


def _lengths(names: Any, kind: str) -> Any:
    """Return the bytes of each name; refuse a name that is too long."""
    pyarrow = arrow.load_pyarrow()
    is_text = pyarrow.types.is_string(names.type) or pyarrow.types.is_large_string(names.type)
    lengths = compute().binary_length(names if is_text else pyarrow.array([], pyarrow.string()))
    longest = compute().max(lengths).as_py() or 0
    if longest > MAX_NAME:
        raise CorpusError(f"the name of the {kind} has {longest:,} bytes, more than {MAX_NAME:,}")
    return lengths


def _strata(pyarrow: Any, column: Any, by: str) -> Any:
    """Return the stratum of each row: its value as text."""
    try:
        return arrow.in_one_piece(column).cast(pyarrow.string()).fill_null(NO_STRATUM)
    except pyarrow.ArrowException:
        raise CorpusError(f"the column {by!r} holds {column.type}, which names no stratum") from None


# -------------------------------------------------------------------- segmentations


def _refuse_codings(table: Any) -> NoReturn:
    """Say which row has no segmentation that can be read, and why."""
    forms = table.select([name for name in SEGMENTATIONS[2:] if name in table.column_names])
    for row, cells in enumerate(forms.to_pylist()):
        fault = _fault(cells)
        if fault:
            document, coder = (table[name][row].as_py() for name in NAMES)
            raise RowFault(row, f"{coding_name(document, coder)}: {fault}")
    kinds = ", ".join(f"{field.name} {field.type}" for field in forms.schema)
    raise CorpusError(f"the columns cannot be read as segmentations ({kinds})")


def _fault(cells: dict[str, Any]) -> str:
    """Return what is wrong with the segmentation of one row; nothing is an empty text."""
    forms = [name for name in FORMS if cells.get(name) is not None]
    if len(forms) != 1:
        return f"there are both {forms[0]!r} and {forms[1]!r}" if forms else "no segmentation"
    form, value = forms[0], cells[forms[0]]
    if form == "gaps":
        is_fine = isinstance(value, str) and set(value) <= {"0", "1"}
        return "" if is_fine else f"gaps is {short(value)}: expected 0 and 1"
    if not isinstance(value, list) or not all(type(number) is int for number in value):
        return f"{form} is {short(value)}: expected a list of whole numbers"
    if form == "masses":
        return "" if value and min(value) > 0 else f"masses is {short(value)}: expected sizes of at least 1"
    if type(cells.get("n_units")) is not int:
        return f"n_units is {short(cells.get('n_units'))}: expected a whole number"
    types = cells.get("types")
    if types is not None and (not isinstance(types, list) or len(types) != len(value)):
        return f"types is {short(types)}: expected one for each of {len(value)} positions"
    return ""

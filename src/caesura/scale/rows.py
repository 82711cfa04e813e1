"""Plain rows: what files hold, as the columns that documents are made of; values are checked, never cast.

The columns are ``document`` and ``coder`` (string), ``n_units`` (int64), ``positions`` (list of int64),
``types`` (the same; missing where all boundaries of a batch are plain) and ``stratum`` if documents are
divided. Rows keep their order; the corpus checks whether positions ascend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from caesura.errors import CaesuraError, CorpusError, within
from caesura.io.formats import jsonl
from caesura.io.tables.rows import record_form
from caesura.values import arrow
from caesura.values.forms import coding_name, repeated, short_name
from caesura.values.segmentation import Segmentation, as_segmentation

NAMES = ("document", "coder")

LONG_TABLE = (*NAMES, "n_units", "positions", "types")

SEGMENTATIONS = (*NAMES, "masses", "gaps", "positions", "n_units", "types")
"""Columns of the long table in any form; a row has masses, gaps or positions."""

MAX_NAME = 2**13
"""Most bytes of a name: a batch of such names still fits into memory."""

NO_STRATUM = "(none)"
"""The stratum of documents without a value in the column of strata."""


class RowFault(CorpusError):
    """What is wrong with one row of a table, counted from 0."""

    def __init__(self, row: int, fault: str) -> None:
        super().__init__(f"row {row}: {fault}")
        self.row, self.fault = row, fault


def columns_of(names: Sequence[str]) -> dict[str, str]:
    """Return the column of each plain name; refuse a table that is not the long table."""
    plain = [name.strip().lower() for name in names]
    if len(set(plain)) < len(plain):
        raise CorpusError(f"the column {short_name(repeated(plain))!r} is there twice")
    if record_form(plain) == "label":
        raise CorpusError("no column masses, gaps or positions")
    return dict(zip(plain, names, strict=True))


def plain_rows(table: Any, by: str | None = None, others: Sequence[str] = ()) -> Any:
    """Return a table's rows as plain rows, with further columns, or raise what is wrong with a row."""
    pyarrow = arrow.load_pyarrow()
    document, coder = (plain_names(table[name], name) for name in NAMES)
    columns = {"document": document.cast(pyarrow.string()), "coder": coder.dictionary_encode()}
    codings = arrow.read_codings(table, mixed=True)
    if codings is None:
        _refuse_codings(table)
    columns |= arrow.coding_arrays(codings)
    if by is not None:
        columns["stratum"] = _strata(pyarrow, table[by], by)
    for name in others:
        array = arrow.in_one_piece(table[name])
        columns[name] = array.cast(arrow.plain_type(array.type))
        columns[name].validate(full=True)
    return pyarrow.table(columns)


def with_all_types(table: Any) -> Any:
    """Return the table with types on all rows: where a row has none, its boundaries are plain.

    >>> import pyarrow
    >>> rows = pyarrow.table({"n_units": [5, 5], "positions": [[2, 3], [4]], "types": [None, [2]]})
    >>> with_all_types(rows)["types"].to_pylist()
    [[1, 1], [2]]
    """
    if "types" not in table.column_names or not table["types"].null_count:
        return table
    codings = arrow.read_codings(table, mixed=True)
    assert codings is not None  # rows are plain
    types = arrow.coding_arrays(replace(codings, types=codings.all_types))["types"]
    return table.set_column(table.column_names.index("types"), "types", types)


def plain_names(column: Any, kind: str) -> Any:
    """Return names as text, in a dictionary if they come in one; whole numbers become their digits."""
    pyarrow = arrow.load_pyarrow()
    array = arrow.in_one_piece(column)
    if pyarrow.types.is_dictionary(array.type):
        array.dictionary.validate(full=True)  # they are UTF-8
        shortest = _shortest(array.dictionary, kind)  # before a long one is written out for every row
        if shortest and not array.null_count + array.dictionary.null_count:
            names = array.dictionary.cast(pyarrow.string())
            return pyarrow.DictionaryArray.from_arrays(array.indices.cast(pyarrow.int32()), names)
    array = array.cast(arrow.plain_type(array.type))
    if pyarrow.types.is_integer(array.type):
        array = array.cast(pyarrow.string())
    if not pyarrow.types.is_string(array.type) and array.null_count < len(array):
        raise CorpusError(f"the column {kind!r} holds {array.type}: expected text")
    if array.null_count:
        raise RowFault(arrow.load_compute().index(array.is_null(), True).as_py(), f"the {kind} is missing")
    if _shortest(array, kind) == 0:
        raise RowFault(arrow.load_compute().index(array, "").as_py(), f"the name of the {kind} is empty")
    data = array.buffers()[2]
    if data is not None and np.frombuffer(data, dtype=np.uint8).max(initial=0) >= 128:
        array.validate(full=True)  # bytes below 128 are all UTF-8
    return array


def _shortest(names: Any, kind: str) -> int | None:
    """Return the bytes of the shortest name, None without any text; refuse a name that is too long."""
    pyarrow = arrow.load_pyarrow()
    is_text = pyarrow.types.is_string(names.type) or pyarrow.types.is_large_string(names.type)
    lengths = arrow.load_compute().binary_length(names if is_text else pyarrow.array([], pyarrow.string()))
    shortest: int | None
    shortest, longest = arrow.load_compute().min_max(lengths).as_py().values()
    if (longest or 0) > MAX_NAME:
        raise CorpusError(f"the name of the {kind} has {longest:,} bytes, more than {MAX_NAME:,}")
    return shortest


def _strata(pyarrow: Any, column: Any, by: str) -> Any:
    """Return the stratum of each row: its value as text."""
    try:
        return arrow.in_one_piece(column).cast(pyarrow.string()).fill_null(NO_STRATUM)
    except pyarrow.ArrowException:
        raise CorpusError(f"the column {by!r} holds {column.type}, which names no stratum") from None


# -------------------------------------------------------------------- row by row


def _refuse_codings(table: Any) -> NoReturn:
    """Raise which row has no valid segmentation, and why."""
    forms = table.select([name for name in SEGMENTATIONS if name in table.column_names])
    for row, cells in enumerate(forms.to_pylist()):
        document, coder = cells.pop("document"), cells.pop("coder")
        try:
            coding_of({name: cell for name, cell in cells.items() if cell is not None}, document, coder)
        except CaesuraError as error:
            raise RowFault(row, str(error)) from None
    kinds = ", ".join(f"{field.name} {field.type}" for field in forms.schema)
    raise CorpusError(f"the columns cannot be read as segmentations ({kinds})")


def coding_of(record: dict[str, Any], document: str, coder: str) -> Segmentation:
    """Return the segmentation of a row or line."""
    form = jsonl.form_of(record, document, coder)
    with within(coding_name(document, coder)):
        return as_segmentation(jsonl.coding_of(record, form))

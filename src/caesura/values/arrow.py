"""The columns of a corpus as an Arrow table and back: the long table, a row per coding; needs pyarrow.

Columns ``document``, ``coder``, ``n_units``, ``positions`` (and ``types``, and ``units``, a document's text
on the row of its first coding); instead of ``n_units`` and ``positions`` there may be ``masses``. Arrays of
numbers are shared, not copied, where Arrow has them in one piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CorpusError, MissingExtraError
from caesura.values.columns import Columns
from caesura.values.forms import short
from caesura.values.strings import Strings


def load_pyarrow() -> Any:
    """Return pyarrow, or say how to install it."""
    try:
        import pyarrow  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise MissingExtraError("Arrow and Parquet need pyarrow: pip install 'caesura[formats]'") from None
    return pyarrow


class TableColumns(NamedTuple):
    """What a table with a row per coding holds."""

    document: IntArray
    coder: IntArray
    codings: Columns
    document_names: Strings
    coder_names: Strings


# -------------------------------------------------------------------- writing


def to_table(columns: TableColumns, texts: Any = None) -> Any:
    """Return the Arrow table of these columns, and of texts that ``text_column`` made."""
    pyarrow = load_pyarrow()
    codings = columns.codings
    table = {
        "document": _names(pyarrow, columns.document, columns.document_names),
        "coder": _names(pyarrow, columns.coder, columns.coder_names),
        "n_units": pyarrow.array(codings.n_units),
        "positions": _lists(pyarrow, codings.offsets, codings.positions),
    }
    if codings.types is not None:
        table["types"] = _lists(pyarrow, codings.offsets, codings.types)
    if texts is not None:
        table["units"] = texts
    return pyarrow.table(table)


def text_column(starts: IntArray, texts: Strings, text_offsets: IntArray) -> Any:
    """Put each document's text on the row of its first coding; other rows have none."""
    pyarrow = load_pyarrow()
    lengths = np.zeros(int(starts[-1]), dtype=np.int64)
    lengths[starts[:-1]] = np.diff(text_offsets)
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    mask = pyarrow.array(lengths == 0)
    return pyarrow.LargeListArray.from_arrays(pyarrow.array(offsets), _strings(pyarrow, texts), mask=mask)


def _names(pyarrow: Any, numbers: IntArray, names: Strings) -> Any:
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(numbers), _strings(pyarrow, names))


def _strings(pyarrow: Any, strings: Strings) -> Any:
    buffers = [None, pyarrow.py_buffer(strings.offsets), pyarrow.py_buffer(strings.data)]
    return pyarrow.Array.from_buffers(pyarrow.large_string(), len(strings), buffers)


def _lists(pyarrow: Any, offsets: IntArray, values: IntArray) -> Any:
    return pyarrow.LargeListArray.from_arrays(pyarrow.array(offsets), pyarrow.array(values))


# -------------------------------------------------------------------- reading


def with_plain_names(table: Any) -> Any:
    """Return the table with the names of its columns in lower case, each once."""
    names = [name.strip().lower() for name in table.column_names]
    for name in names:
        if names.count(name) > 1:
            raise CorpusError(f"the column {name!r} is there twice")
    return table.rename_columns(names)


def read_table(table: Any) -> TableColumns | None:
    """Read names and lists of numbers column by column; None where they are of another kind."""
    pyarrow = load_pyarrow()
    if not {"document", "coder"} <= set(table.column_names):
        return None
    documents, coders = (_numbered(pyarrow, table[name]) for name in ("document", "coder"))
    read = _from_masses if "masses" in table.column_names else _from_positions
    codings = read(pyarrow, table)
    if documents is None or coders is None or codings is None:
        return None
    return TableColumns(documents[0], coders[0], codings, documents[1], coders[1])


def read_texts(table: Any) -> dict[str, Sequence[str]]:
    """Read the texts; they may stand on any of a document's rows, and on several if they are the same."""
    units: dict[str, Sequence[str]] = {}
    column = table["units"]
    documents = table["document"].to_pylist()
    for row in np.flatnonzero(np.asarray(column.is_valid())).tolist():
        text, document = column[row].as_py(), str(documents[row])
        if not isinstance(text, list) or not all(isinstance(unit, str) for unit in text):
            raise CorpusError(f"document {document}: units is {short(text)}: expected a list of texts")
        if units.setdefault(document, text) != text:
            raise CorpusError(f"document {document}: its units differ between rows")
    return units


def _from_positions(pyarrow: Any, table: Any) -> Columns | None:
    if not {"n_units", "positions"} <= set(table.column_names) or "gaps" in table.column_names:
        return None
    n_units = table["n_units"].combine_chunks()
    if n_units.null_count or not pyarrow.types.is_integer(n_units.type):
        return None
    found = _list_column(pyarrow, table["positions"])
    if found is None:
        return None
    offsets, positions = found
    types = None
    if "types" in table.column_names:
        typed = _list_column(pyarrow, table["types"])
        if typed is None or not np.array_equal(typed[0], offsets):
            return None
        types = typed[1]
    return Columns(_integers(pyarrow, n_units), offsets, positions, types)


def _from_masses(pyarrow: Any, table: Any) -> Columns | None:
    found = _list_column(pyarrow, table["masses"])
    if found is None:
        return None
    offsets, masses = found
    lengths = np.diff(offsets)
    if not lengths.all() or bool((masses < 1).any()) or bool((masses > 2**31).any()) or len(masses) > 2**31:
        return None  # a message about one of them, or exact sums, come from reading them one by one
    ends = np.cumsum(masses)
    before = np.concatenate(([0], ends))[offsets]  # units up to each coding's start
    positions = ends - np.repeat(before[:-1], lengths)
    is_last = np.zeros(len(masses), dtype=bool)
    is_last[offsets[1:] - 1] = True
    return Columns(np.diff(before), offsets - np.arange(len(offsets)), positions[~is_last])


def _list_column(pyarrow: Any, column: Any) -> tuple[IntArray, IntArray] | None:
    """Return the offsets and numbers of a column of lists; None where it is none, or a cell is missing."""
    array = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    if hasattr(array, "num_chunks"):
        array = array.chunk(0) if array.num_chunks == 1 else pyarrow.concat_arrays(array.chunks)
    kind = array.type
    if not (pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind)) or array.null_count:
        return None
    values = array.values
    if not pyarrow.types.is_integer(values.type):
        empty = pyarrow.types.is_null(values.type) and not len(values)
        if not empty:
            return None
        values = pyarrow.array([], pyarrow.int64())
    offsets = np.asarray(array.offsets).astype(np.int64, copy=False)
    if values.null_count:
        return None
    numbers = _integers(pyarrow, values)
    start, end = int(offsets[0]), int(offsets[-1])
    return (offsets - start if start else offsets), numbers[start:end]


def _integers(pyarrow: Any, array: Any) -> IntArray:
    if array.type != pyarrow.int64():
        array = array.cast(pyarrow.int64())
    numbers: IntArray = array.to_numpy(zero_copy_only=True) if len(array) else np.empty(0, dtype=np.int64)
    return numbers


def _numbered(pyarrow: Any, column: Any) -> tuple[IntArray, Strings] | None:
    """Return the numbers of names and the names; None where a name is missing, empty or no text."""
    if not pyarrow.types.is_dictionary(column.type):
        kind = column.type
        if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
            return None
        column = column.dictionary_encode()
    elif column.num_chunks > 1:
        column = column.unify_dictionaries()
    if column.null_count:
        return None
    array = column.combine_chunks()
    if hasattr(array, "num_chunks"):
        array = array.chunk(0) if array.num_chunks else pyarrow.array([], column.type)
    names = array.dictionary
    if not (pyarrow.types.is_string(names.type) or pyarrow.types.is_large_string(names.type)):
        return None
    if names.null_count:
        return None
    strings = _from_strings(pyarrow, names)
    if not np.diff(strings.offsets).all():
        return None
    return _integers(pyarrow, array.indices), strings


def _from_strings(pyarrow: Any, array: Any) -> Strings:
    if not pyarrow.types.is_large_string(array.type):
        array = array.cast(pyarrow.large_string())
    _, offsets, data = array.buffers()
    if not len(array):
        return Strings.of([])
    numbers = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return Strings(np.frombuffer(data or b"", dtype=np.uint8), numbers)

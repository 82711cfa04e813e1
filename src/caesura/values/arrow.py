"""The columns of a corpus as an Arrow table and back: the long table, a row per coding; needs pyarrow.

Columns ``document``, ``coder``, ``n_units``, ``positions`` (and ``types``, and ``units``, a document's texts
on the row of its first coding); ``masses`` or ``gaps`` may replace ``n_units`` and ``positions``. Arrays of
numbers are shared, not copied, if Arrow has them in one piece.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from caesura.arrays import IntArray, repeat
from caesura.errors import missing_extra
from caesura.values.columns import BoolArray, Columns
from caesura.values.forms import in_document
from caesura.values.making import CorpusColumns
from caesura.values.strings import Strings, offsets_of
from caesura.values.type_scheme import TypeScheme
from caesura.values.unit_columns import TextColumns
from caesura.wording import short

SCHEME_KEY = b"caesura.type_scheme"  # where the metadata of an Arrow table has the type scheme


def load_pyarrow(need: str = "Arrow tables need") -> Any:
    """Return pyarrow; raise MissingExtraError without it."""
    try:
        import pyarrow  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise missing_extra(f"{need} pyarrow", "formats") from None
    return pyarrow


def load_compute() -> Any:
    """Return pyarrow.compute, which is slow to import."""
    load_pyarrow()
    import pyarrow.compute  # type: ignore[import-untyped]

    return pyarrow.compute


def release_unused() -> None:
    """Release the memory that pyarrow caches after reading long texts."""
    load_pyarrow().default_memory_pool().release_unused()


# -------------------------------------------------------------------- writing


def to_table(columns: CorpusColumns, scheme: TypeScheme | None) -> Any:
    """Return the Arrow table of a corpus, each document's text on the row of its first coding."""
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
    if columns.texts is not None:
        lengths = np.zeros(len(codings), dtype=np.int64)
        lengths[columns.starts[:-1]] = columns.texts.lengths
        offsets, mask = pyarrow.array(offsets_of(lengths)), pyarrow.array(lengths == 0)
        texts = text_array(columns.texts.strings)
        table["units"] = pyarrow.LargeListArray.from_arrays(offsets, texts, mask=mask)
    metadata = None if scheme is None else {SCHEME_KEY: json.dumps(scheme.to_dict()).encode("utf-8")}
    return pyarrow.table(table, metadata=metadata)


def scheme_of_metadata(metadata: Mapping[bytes, bytes] | None) -> TypeScheme | None:
    """Return the type scheme in the metadata of an Arrow table, or None."""
    scheme = (metadata or {}).get(SCHEME_KEY)
    return None if scheme is None else TypeScheme.from_dict(json.loads(scheme))


def _names(pyarrow: Any, numbers: IntArray, names: Strings) -> Any:
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(numbers), text_array(names))


def text_array(strings: Strings) -> Any:
    """Return texts as an Arrow array, without copying their bytes."""
    pyarrow = load_pyarrow()
    buffers = [None, pyarrow.py_buffer(strings.offsets), pyarrow.py_buffer(strings.data)]
    return pyarrow.Array.from_buffers(pyarrow.large_string(), len(strings), buffers)


def _lists(pyarrow: Any, offsets: IntArray, values: IntArray) -> Any:
    return pyarrow.LargeListArray.from_arrays(pyarrow.array(offsets), pyarrow.array(values))


def coding_arrays(codings: Columns) -> dict[str, Any]:
    """Return the columns of segmentations in 32-bit lists."""
    pyarrow = load_pyarrow()
    offsets = pyarrow.array(codings.offsets.astype(np.int32))
    arrays = {
        "n_units": pyarrow.array(codings.n_units),
        "positions": pyarrow.ListArray.from_arrays(offsets, pyarrow.array(codings.positions)),
    }
    if codings.types is not None:
        arrays["types"] = pyarrow.ListArray.from_arrays(offsets, pyarrow.array(codings.types))
    return arrays


# -------------------------------------------------------------------- reading


def with_names(table: Any, names: Sequence[str]) -> Any:
    """Return the table with new names of its columns."""
    metadata = table.schema.metadata  # which not every version keeps
    return table.rename_columns(names).replace_schema_metadata(metadata)


def frame_table(frame: Any) -> Any:
    """Return a narwhals data frame as an Arrow table; None without pyarrow, or if cells do not fit."""
    try:
        import pyarrow
    except ModuleNotFoundError:
        return None
    try:
        return frame.to_arrow()
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        return None


def read_table(table: Any, *, mixed: bool = False) -> CorpusColumns | None:
    """Read names and segmentations column by column; None if cells must be read one by one.

    A table has one of the forms masses, gaps and positions; if ``mixed``, each row has one form.
    """
    pyarrow = load_pyarrow()
    if not {"document", "coder"} <= set(table.column_names):
        return None
    try:
        documents, coders = (_numbered(pyarrow, table[name]) for name in ("document", "coder"))
        codings = _codings(pyarrow, table, mixed=mixed)
    except pyarrow.ArrowException:  # such as numbers that 64 bits do not hold
        return None
    if documents is None or coders is None or codings is None:
        return None
    return CorpusColumns(codings, documents[0], coders[0], documents[1], coders[1])


def read_codings(table: Any, *, mixed: bool = False) -> Columns | None:
    """Read only the segmentations; None as in ``read_table``."""
    pyarrow = load_pyarrow()
    try:
        return _codings(pyarrow, table, mixed=mixed)
    except pyarrow.ArrowException:
        return None


def _codings(pyarrow: Any, table: Any, *, mixed: bool) -> Columns | None:
    """Read the rows of each form, and of positions with and without types; every row must have one form."""
    forms = [form for form in READERS if form in table.column_names]
    if len(forms) == 1 and "types" not in table.column_names and not table[forms[0]].null_count:
        return READERS[forms[0]](pyarrow, table)
    kinds: list[tuple[BoolArray, str]] = []
    for form in forms if mixed else forms[:1]:
        has_form: BoolArray = np.asarray(table[form].is_valid())
        subsets: list[BoolArray] = [has_form]
        if form == "positions" and "types" in table.column_names:
            has_types: BoolArray = np.asarray(table["types"].is_valid())
            subsets = [has_form & ~has_types, has_form & has_types]
        kinds += [(rows, form) for rows in subsets if rows.any()]
    if not kinds or np.any(sum(rows.astype(np.int64) for rows, _ in kinds) != 1):
        return None
    parts = []
    for rows, form in kinds:
        part = READERS[form](pyarrow, table if rows.all() else table.filter(pyarrow.array(rows)))
        if part is None:
            return None
        parts.append(part)
    if len(parts) == 1:
        return parts[0]
    order = np.argsort(np.concatenate([np.flatnonzero(rows) for rows, _ in kinds]), kind="stable")
    return Columns.concatenate(parts).take(order)


def strings_of(column: Any) -> Strings:
    """Return the texts of an Arrow array or column, without a copy if they are in one piece."""
    pyarrow = load_pyarrow()
    if isinstance(column, pyarrow.ChunkedArray):
        return Strings.concatenate([_from_strings(pyarrow, chunk) for chunk in column.chunks])
    return _from_strings(pyarrow, column)


def _from_positions(pyarrow: Any, table: Any) -> Columns | None:
    if "n_units" not in table.column_names:
        return None
    n_units = in_one_piece(table["n_units"])
    if n_units.null_count or not pyarrow.types.is_integer(n_units.type):
        return None
    lists, types = _list_column(pyarrow, table["positions"]), None
    if lists is not None and "types" in table.column_names and table["types"].null_count < len(table):
        typed = _list_column(pyarrow, table["types"])
        if typed is None or not np.array_equal(typed[0], lists[0]):
            return None
        types = typed[1]
    return None if lists is None else Columns(_integers(pyarrow, n_units), *lists, types)


def _from_masses(pyarrow: Any, table: Any) -> Columns | None:
    lists = _list_column(pyarrow, table["masses"])
    if lists is None:
        return None
    offsets, masses = lists
    lengths = np.diff(offsets)
    if not lengths.all() or bool((masses < 1).any()) or bool((masses > 2**31).any()) or len(masses) > 2**31:
        return None  # reading them one by one gives an error message or exact sums
    ends = np.cumsum(masses)
    before = np.concatenate(([0], ends))[offsets]  # units up to each coding's start
    positions = ends - repeat(before[:-1], lengths)
    is_last = np.zeros(len(masses), dtype=bool)
    is_last[offsets[1:] - 1] = True
    return Columns(np.diff(before), offsets - np.arange(len(offsets)), positions[~is_last])


def _from_gaps(pyarrow: Any, table: Any) -> Columns | None:
    column = table["gaps"]
    if not _is_text(pyarrow, column.type) or column.null_count:
        return None
    gaps = strings_of(column)
    offsets = gaps.offsets - gaps.offsets[0]
    marks = gaps.data[gaps.offsets[0] : gaps.offsets[-1]]
    where = np.flatnonzero(marks == ord("1"))
    if len(where) + np.count_nonzero(marks == ord("0")) < len(marks):
        return None
    first = np.searchsorted(where, offsets)  # boundary of each coding
    positions = where + 1 - repeat(offsets[:-1], np.diff(first))
    return Columns(np.diff(offsets) + 1, first, positions)


READERS = {"masses": _from_masses, "gaps": _from_gaps, "positions": _from_positions}
"""Forms of a segmentation; a table that has several is read by the first."""


def _list_column(pyarrow: Any, column: Any) -> tuple[IntArray, IntArray] | None:
    """Return the offsets and numbers of a column of lists; None if it has other or missing cells."""
    array = in_one_piece(column)
    if pyarrow.types.is_fixed_size_list(array.type):
        array = array.cast(pyarrow.list_(array.type.value_type))
    kind = array.type
    if not (pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind)) or array.null_count:
        return None
    values = array.values
    if not pyarrow.types.is_integer(values.type):
        empty = pyarrow.types.is_null(values.type) and not len(values)
        if not empty:
            return None
        values = pyarrow.array([], pyarrow.int64())
    if values.null_count:
        return None
    offsets = np.asarray(array.offsets).astype(np.int64, copy=False)
    start, end = int(offsets[0]), int(offsets[-1])
    return (offsets - start if start else offsets), _integers(pyarrow, values)[start:end]


def plain_type(kind: Any) -> Any:
    """Return the plainest type for the same values: no dictionary, no large offsets, no view.

    >>> import pyarrow
    >>> plain_type(pyarrow.large_list(pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string())))
    ListType(list<item: string>)
    """
    pyarrow = load_pyarrow()
    types = pyarrow.types
    if types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if types.is_large_string(kind) or types.is_string_view(kind):
        return pyarrow.string()
    if types.is_list(kind) or types.is_large_list(kind):
        return pyarrow.list_(plain_type(kind.value_type))
    return kind


def in_one_piece(column: Any) -> Any:
    """Return a column of a table as one array."""
    pyarrow = load_pyarrow()
    if column.num_chunks == 1:
        return column.chunk(0)  # combine_chunks() would copy it
    return pyarrow.concat_arrays(column.chunks) if column.num_chunks else pyarrow.array([], column.type)


def _integers(pyarrow: Any, array: Any) -> IntArray:
    if array.type != pyarrow.int64():
        array = array.cast(pyarrow.int64())
    numbers: IntArray = array.to_numpy(zero_copy_only=True) if len(array) else np.empty(0, dtype=np.int64)
    return numbers


def _numbered(pyarrow: Any, column: Any) -> tuple[IntArray, Strings] | None:
    """Return the numbers of names and the names; None if a name is missing, empty or not text."""
    if not pyarrow.types.is_dictionary(column.type):
        if not _is_text(pyarrow, column.type):
            return None
        column = column.dictionary_encode()
    elif not _is_text(pyarrow, column.type.value_type):
        return None
    elif column.num_chunks > 1:
        column = column.unify_dictionaries()
    if column.null_count or not len(column):
        return None
    array = in_one_piece(column)
    if len(array.dictionary.unique()) < len(array.dictionary):  # made by hand
        array = array.dictionary_decode().dictionary_encode()
    if array.dictionary.null_count:
        return None
    names = _from_strings(pyarrow, array.dictionary)
    return (_integers(pyarrow, array.indices), names) if np.diff(names.offsets).all() else None


def _is_text(pyarrow: Any, kind: Any) -> bool:
    return bool(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind))


def _from_strings(pyarrow: Any, array: Any) -> Strings:
    if not len(array):
        return Strings.of([])
    _, offsets, data = array.buffers()
    size = np.int64 if pyarrow.types.is_large_string(array.type) else np.int32
    numbers = np.frombuffer(offsets, dtype=size)[array.offset : array.offset + len(array) + 1]
    return Strings(np.frombuffer(data or b"", dtype=np.uint8), numbers.astype(np.int64, copy=False))


# -------------------------------------------------------------------- texts


def with_texts(columns: CorpusColumns, table: Any) -> CorpusColumns:
    """Add the texts in the column ``units`` of the table, on any or several of a document's rows."""
    if "units" not in table.column_names or table["units"].null_count == len(table):
        return columns
    pyarrow = load_pyarrow()
    column = table["units"]
    parts, lengths = [], [np.empty(0, dtype=np.int64)]
    for chunk in column.chunks:
        if chunk.null_count == len(chunk):
            continue
        part = _list_of_texts(pyarrow, chunk)
        if part is None:
            _refuse_texts(table)
        parts.append(part[1])
        lengths.append(part[0])
    rows = np.flatnonzero(np.asarray(column.is_valid()))
    numbers = {name: number for number, name in enumerate(columns.document_names)}
    document = np.array(
        [numbers[str(name)] for name in table["document"].take(rows).to_pylist()], dtype=np.int64
    )
    texts = TextColumns.of_rows(
        Strings.concatenate(parts),
        offsets_of(np.concatenate(lengths)),
        document,
        columns.document_names,
        "its units differ between rows",
    )
    columns.check_known(np.unique(document), texts.lengths[np.unique(document)], "text")
    return replace(columns, texts=texts)


def _list_of_texts(pyarrow: Any, chunk: Any) -> tuple[IntArray, Strings] | None:
    """Return the number of texts of each list, and the texts; None if something else is among them."""
    kind = chunk.type
    if not (pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind)):
        return None
    lengths, is_there = np.diff(np.asarray(chunk.offsets)), np.asarray(chunk.is_valid())
    if lengths[~is_there].any():  # texts may stand behind a missing list
        return _list_of_texts(pyarrow, chunk.drop_null())
    lengths = lengths[is_there].astype(np.int64, copy=False)
    texts = chunk.values.slice(int(chunk.offsets[0].as_py()), int(lengths.sum()))
    if not _is_text(pyarrow, texts.type) or texts.null_count:
        return None if len(texts) else (lengths, Strings.of([]))
    return lengths, _from_strings(pyarrow, texts)


def _refuse_texts(table: Any) -> NoReturn:
    for document, cell in zip(table["document"], table["units"], strict=True):
        text = cell.as_py()
        is_fine = isinstance(text, list) and all(isinstance(unit, str) for unit in text)
        if text is not None and not is_fine:
            raise in_document(document, f"units is {short(text)}: expected a list of texts")
    raise AssertionError("the texts are fine")

"""Uniform JSON Lines, read at once as an Arrow table; anything unusual is read line by line instead.

The result is the same as line by line: pyarrow finds repeated keys, and refuses numbers in names, fractions
among whole numbers and the like. It ignores line ends, so they are checked first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from caesura.errors import CorpusError
from caesura.io import files
from caesura.values import arrow
from caesura.values.corpus import Corpus
from caesura.values.making import checked_columns
from caesura.values.type_scheme import TypeScheme

BLOCK = 2**20
"""Least number of bytes that pyarrow reads at a time."""

MAX_FIELDS = 100
"""Most fields, including those without a meaning here."""


class LineTable(NamedTuple):
    """The codings on all lines, and the type scheme."""

    table: Any
    scheme: TypeScheme | None

    def corpus(self) -> Corpus | None:
        """Return the corpus, or None if it must be read line by line."""
        if (columns := arrow.read_table(self.table, mixed=True)) is None:
            return None
        try:
            columns = arrow.with_texts(checked_columns(columns), self.table)
            return Corpus.of(columns).with_type_scheme(self.scheme)
        except CorpusError:
            return None


def read_table(data: bytes) -> LineTable | None:
    """Read the lines; None without pyarrow, or if a line is broken or unlike the others."""
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.json  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        return None
    try:
        return _read(pyarrow, data)
    except (CorpusError, pyarrow.ArrowException, UnicodeError):
        return None


def _read(pyarrow: Any, data: bytes) -> LineTable | None:
    if b'"details"' in data:  # of any type
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    start, end = 0, len(data)
    while end and data[end - 1 : end] == b"\n":
        end -= 1
    record, scheme = _record(data, start, end), None
    if "type_scheme" in record:
        scheme = TypeScheme.from_dict(record["type_scheme"])
        start = data.find(b"\n", 0, end) + 1
        record = _record(data, start, end) if start else {}
    if (fields := _fields(pyarrow, record)) is None:
        return None
    if (table := parse_lines(pyarrow.py_buffer(data).slice(start, end - start), fields)) is None:
        return None
    for column, name in enumerate(table.column_names):  # numbers that are names
        if name in ("document", "coder") and pyarrow.types.is_integer(table[name].type):
            table = table.set_column(column, name, table[name].cast(pyarrow.string()))
    return LineTable(table, scheme)


def parse_lines(data: Any, fields: dict[str, Any], *, others: str = "error", threads: bool = True) -> Any:
    """Return the objects on lines as an Arrow table; None if a line is not an object, or too long.

    ``data`` is a buffer without a final line end; other fields are an "error" or "ignore"d, as ``others``.
    """
    import pyarrow
    import pyarrow.json

    lines = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(lines == LINE_FEED)
    # If each line begins and ends like an object, and there are as many objects as lines, each has one.
    starts = np.concatenate(([0], ends + 1))
    last = np.concatenate((ends, [len(lines)])) - 1
    if not len(lines) or starts[-1] == len(lines) or int(last.min()) < 0:
        return None
    if bool((lines[starts] != OPENING).any()) or bool((lines[last] != CLOSING).any()):
        return None
    if (longest := int((last - starts).max()) + 2) > files.MAX_LINE:
        return None
    table = pyarrow.json.read_json(
        pyarrow.BufferReader(data),
        pyarrow.json.ReadOptions(block_size=max(BLOCK, longest), use_threads=threads),
        pyarrow.json.ParseOptions(explicit_schema=pyarrow.schema(fields), unexpected_field_behavior=others),
    )
    table.validate(full=True)  # texts are UTF-8
    return table if len(table) == len(starts) and _are_numbers(pyarrow, table) else None


LINE_FEED, OPENING, CLOSING = b"\n{}"


def _record(data: bytes, start: int, end: int) -> dict[str, Any]:
    line_end = data.find(b"\n", start, end)
    record = files.parse_json(data[start : end if line_end < 0 else line_end].decode())
    return record if isinstance(record, dict) else {}


def coding_fields(pyarrow: Any, record: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a coding and their types; names are numbers if this record has numbers."""
    text, number = pyarrow.string(), pyarrow.int64()
    names = {name: number if type(record.get(name)) is int else text for name in ("document", "coder")}
    lists = dict.fromkeys(("masses", "positions", "types"), pyarrow.list_(number))
    return {**names, **lists, "n_units": number, "gaps": text}


def _fields(pyarrow: Any, record: dict[str, Any]) -> dict[str, Any] | None:
    """Return all fields and their types: those of a coding, and others of the first line."""
    text, number = pyarrow.string(), pyarrow.float64()
    fields = {**coding_fields(pyarrow, record), "units": pyarrow.list_(text)}
    kinds = {str: text, type(None): text, int: number, float: number, bool: pyarrow.bool_()}
    for name, value in record.items():
        if name not in fields:
            fields[name] = None if name == "labels" else kinds.get(type(value))
    has_all_types = None not in fields.values()
    return fields if has_all_types and len(fields) < MAX_FIELDS else None


def _are_numbers(pyarrow: Any, table: Any) -> bool:
    """Return whether all numbers are finite; pyarrow also reads NaN and Infinity, which are not JSON."""
    floats = [column for column in table.columns if pyarrow.types.is_floating(column.type)]
    return all(np.isfinite(column.drop_null().to_numpy()).all() for column in floats)

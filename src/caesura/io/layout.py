"""The layout of large files: the long table as Parquet, in row groups that never divide a document.

The file's metadata gives the order of rows as ``caesura.order``: ``grouped``, the rows of a document are
together; or ``sorted``, documents also ascend by the UTF-8 bytes of their names, so that two such files can
be read side by side.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CorpusError
from caesura.io.files import draft_of, naming_target
from caesura.values.arrow import SCHEME_KEY, load_pyarrow
from caesura.values.type_scheme import TypeScheme

ORDER_KEY = b"caesura.order"

GROUPED, SORTED = b"grouped", b"sorted"

GROUP_ROWS = 2**18
"""Rows of a row group, unless a single document has more."""

GROUP_BYTES = 2**25
"""Bytes of a row group in memory, unless a single document has more."""

IN_DICTIONARIES = ("coder", "n_units", "positions.list.element", "types.list.element")
"""Columns with few distinct values; names of documents are mostly distinct."""


def load_parquet() -> Any:
    """Return pyarrow with its Parquet module."""
    load_pyarrow("Parquet needs")
    import pyarrow.parquet  # type: ignore[import-untyped]

    return pyarrow


def long_fields() -> dict[str, Any]:
    """Return the columns of the long table and their types."""
    pyarrow = load_pyarrow()
    names = {"document": pyarrow.string(), "coder": pyarrow.string(), "n_units": pyarrow.int64()}
    return {**names, **dict.fromkeys(("positions", "types"), pyarrow.list_(pyarrow.int64()))}


def with_columns(table: Any, schema: Any) -> Any:
    """Return the table with the columns of a schema, in their order; missing columns are null.

    >>> import pyarrow
    >>> schema = pyarrow.schema({"types": pyarrow.int64(), "coder": pyarrow.string()})
    >>> with_columns(pyarrow.table({"coder": ["ann"], "units": [3]}), schema).to_pylist()
    [{'types': None, 'coder': 'ann'}]
    """
    pyarrow = load_pyarrow()
    missing = [name for name in schema.names if name not in table.column_names]
    for name in missing:
        table = table.append_column(schema.field(name), pyarrow.nulls(len(table), schema.field(name).type))
    return table.select(schema.names).cast(schema)


def parquet_writer(sink: Any, schema: Any, order: bytes) -> Any:
    """Return pyarrow's writer for a file of this layout."""
    metadata = {**(schema.metadata or {}), ORDER_KEY: order}
    return load_parquet().parquet.ParquetWriter(
        sink,
        schema.with_metadata(metadata),
        compression="zstd",
        use_dictionary=[name for name in IN_DICTIONARIES if name.split(".")[0] in schema.names],
    )


def row_groups(
    starts: IntArray, n_rows: int, n_bytes: int, group_rows: int | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each row group, given the first row of each document.

    >>> list(row_groups(np.array([0, 2]), 3, 0))
    [(0, 3)]
    >>> list(row_groups(np.array([0, 2, 4]), 5, 5 * GROUP_BYTES // 3))
    [(0, 2), (2, 5)]
    """
    most = max(1, min(group_rows or GROUP_ROWS, GROUP_BYTES * n_rows // max(1, n_bytes)))
    ends = np.append(starts[1:], n_rows)
    cuts = [0]
    while cuts[-1] < n_rows:
        # End with the last document that fits, or after the first if none fits.
        fitting = int(np.searchsorted(ends, cuts[-1] + most, side="right")) - 1
        if fitting < 0 or ends[fitting] <= cuts[-1]:
            fitting += 1
        cuts.append(int(ends[fitting]))
    return pairwise(cuts)


# -------------------------------------------------------------------- table by table


def write_layout(
    path: Path,
    tables: Iterable[Any],
    schema: Any,
    order: bytes,
    scheme: TypeScheme | None = None,
    group_rows: int | None = None,
) -> None:
    """Write tables of whole documents, each in one table, to a file that appears whole or not at all."""
    from pyarrow import compute

    if scheme is not None:
        declared = json.dumps(scheme.to_dict()).encode("utf-8")
        schema = schema.with_metadata({**(schema.metadata or {}), SCHEME_KEY: declared})
    check_regular(path)
    with (
        draft_of(path) as draft,
        parquet_to(path, lambda _: parquet_writer(draft, schema, order)) as write,
    ):
        for table in tables:
            ends = compute.run_end_encode(table["document"].combine_chunks(), load_pyarrow().int64()).run_ends
            starts = np.append(0, np.asarray(ends)[:-1])
            for start, end in row_groups(starts, len(table), table.nbytes, group_rows):
                write(table.slice(start, end - start))


@contextmanager
def parquet_to(path: Path, writer_of: Callable[[Any], Any]) -> Iterator[Callable[[Any], None]]:
    """Yield a function that writes a table as a row group of a draft; errors name the output."""
    pyarrow = load_parquet()
    writers: list[Any] = []

    @contextmanager
    def naming() -> Iterator[None]:
        try:
            with naming_target(path):
                yield
        except pyarrow.ArrowException as error:
            raise CorpusError(f"{path}: it cannot be written: {error}") from None

    def write(table: Any) -> None:
        with naming():
            writers[:] = writers or [writer_of(table.schema)]
            writers[0].write_table(table, row_group_size=len(table))

    try:
        yield write
        with naming():
            for writer in writers:
                writer.close()
    finally:
        for writer in writers:
            with suppress(OSError, pyarrow.ArrowException):  # a full disk cannot hold the footer
                writer.close()


def check_regular(path: Path) -> None:
    """Refuse a device or a pipe: the file would replace it."""
    if path.exists() and not path.is_file():
        raise CorpusError(f"{path}: not a regular file; Parquet can only be written to one")

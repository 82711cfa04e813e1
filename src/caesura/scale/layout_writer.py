"""Parquet written table by table, whole or not at all: files of the layout, and the values of documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import CorpusError
from caesura.io.files import draft_of, naming_target
from caesura.io.layout import GROUP_BYTES, GROUP_ROWS, load_parquet, parquet_writer, row_groups
from caesura.scale.addresses import check_here
from caesura.scale.data_files import connected
from caesura.scale.documents import DocumentRows
from caesura.values.arrow import SCHEME_KEY, load_pyarrow
from caesura.values.type_scheme import TypeScheme


@contextmanager
def parquet_to(
    draft: Path, path: Path, writer_of: Callable[[Path, Any], Any]
) -> Iterator[Callable[[Any], None]]:
    """Give what adds a table to a draft, as one row group; errors have the name that was asked for."""
    arrow_error = load_pyarrow().ArrowException
    writer: Any = None

    @contextmanager
    def naming() -> Iterator[None]:
        try:
            with naming_target(path):
                yield
        except arrow_error as error:
            raise CorpusError(f"{path}: it cannot be written: {error}") from None

    def write(table: Any) -> None:
        nonlocal writer
        with naming():
            writer = writer or writer_of(draft, table.schema)
            writer.write_table(table, row_group_size=len(table))

    try:
        yield write
        with naming():
            if writer is not None:
                writer.close()
    except BaseException:
        if writer is not None:
            with suppress(OSError, arrow_error):  # a full disk has no room for the end of the file either
                writer.close()
        raise


def write_layout(
    path: Path,
    tables: Iterable[Any],
    schema: Any,
    *,
    order: bytes,
    scheme: TypeScheme | None = None,
    group_rows: int | None = None,
) -> None:
    """Write tables of whole documents, of which none comes again, to a file that appears whole or not at all.

    A row group waits in memory until it is complete.
    """
    if scheme is not None:
        declared = json.dumps(scheme.to_dict()).encode("utf-8")
        schema = schema.with_metadata({**(schema.metadata or {}), SCHEME_KEY: declared})
    check_regular(path)
    with (
        draft_of(path) as draft,
        parquet_to(draft, path, lambda sink, _: parquet_writer(sink, schema, order)) as write,
    ):
        for group in _groups(tables, group_rows or GROUP_ROWS):
            write(group)
            del group  # or it keeps the rows of its table while the next are gathered


def _groups(tables: Iterable[Any], group_rows: int) -> Iterator[Any]:
    """Yield the rows of each row group."""
    pyarrow = load_pyarrow()
    waiting: list[Any] = []
    n_rows = n_bytes = 0
    for table in chain(tables, [None]):
        is_last = table is None
        if not is_last:
            waiting.append(table)
            n_rows, n_bytes = n_rows + len(table), n_bytes + table.nbytes
        if not n_rows or not (is_last or n_rows >= group_rows or n_bytes >= GROUP_BYTES):
            continue
        rows = pyarrow.concat_tables(waiting).combine_chunks()
        waiting, table = [], None
        begin, starts = 0, DocumentRows.of(rows).starts[:-1]
        for begin, end in row_groups(starts, len(rows), rows.nbytes, group_rows):
            if end == len(rows) and not is_last:
                break  # too little for a row group: it waits on
            yield rows.slice(begin, end - begin)
        if is_last:
            return
        rest = rows.slice(begin).take(pyarrow.array(np.arange(len(rows) - begin)))  # or it keeps the whole
        waiting, n_rows, n_bytes = [rest], len(rest), rest.nbytes
        del rows, rest


def check_regular(path: Path) -> None:
    """Refuse a device or a pipe: the file would take its place."""
    if path.exists() and not path.is_file():
        raise CorpusError(f"{path}: not a regular file; Parquet can only be written to one")


# -------------------------------------------------------------------- values of documents

SORTED_ROWS = 2**17
"""Rows that are written at a time."""


@contextmanager
def values_file(path: Path | None, *, is_ordered: bool) -> Iterator[Callable[[Any], None]]:
    """Give what adds values to a file, which takes its name when the context is left without an error.

    Where documents come in no order, they are sorted by their names, on the disk where they are many. Nothing
    is written where no path is given.
    """
    if path is None:
        yield lambda _: None
        return
    check_here(path, "values are written to a file")
    check_regular(path)
    writer_of = load_parquet().parquet.ParquetWriter
    with draft_of(path) as draft:
        with parquet_to(draft, path, writer_of) as write:
            yield lambda table: None if table is None else write(table)
        if is_ordered or not draft.stat().st_size:
            return
        with closing(connected(folder=str(draft.parent))) as connection:
            connection.execute("SET VARIABLE paths = $path", {"path": str(draft)})
            rows = connection.sql("FROM read_parquet(getvariable('paths')) ORDER BY document")
            schema = load_parquet().parquet.read_schema(draft)
            with naming_target(path), draft_of(draft) as final, parquet_to(final, path, writer_of) as write:
                for batch in rows.to_arrow_reader(SORTED_ROWS):
                    write(load_parquet().Table.from_batches([batch]).cast(schema))

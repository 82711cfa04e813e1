"""The values of single documents as Parquet, written while they are counted, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from caesura.io.files import draft_of, naming_target
from caesura.io.layout import load_parquet
from caesura.scale.addresses import check_here
from caesura.scale.data_files import connected
from caesura.scale.layout_writer import check_regular, parquet_to

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

"""The formats that a scan reads, and DuckDB, which reads them in bulk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from typing import Any

from caesura.errors import CorpusError, missing_extra
from caesura.scale import line_files, parquet_files, table_files
from caesura.scale.data_files import BadFileError, DataFile, PlacedRows, Reader, Wanted, connected, known_path
from caesura.values.arrow import load_pyarrow

READERS: dict[str, Reader] = {
    module.READER.name: module.READER for module in (parquet_files, line_files, table_files)
}
"""Every reader by name."""

VECTOR = 2048
"""Rows of which DuckDB makes its batches."""

BATCH_BYTES = 2**24
"""About as many bytes are read at a time."""


def reader_of(path: str) -> Reader:
    """Return the reader of a file, by its extension.

    >>> reader_of("part-0.parquet").name, reader_of("part-0.jsonl.gz").name, reader_of("x.tsv").name
    ('parquet', 'jsonl', 'csv')
    """
    for reader in READERS.values():
        if path.lower().endswith(reader.extensions):
            return reader
    known = ", ".join(extension for reader in READERS.values() for extension in reader.extensions)
    raise CorpusError(f"{path}: a scan reads {known}; caesura convert writes Parquet")


def look_at(path: str) -> DataFile:
    """Return what a file says of itself; its rows are not read."""
    reader = reader_of(path)
    check_extra()
    return reader.look(path)


def check_extra() -> None:
    """Say what to install where one of the packages is missing that read large data."""
    try:
        import duckdb  # noqa: F401
        import pyarrow  # type: ignore[import-untyped]  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra(f"scans need {error.name}", "scale") from None


def batches(
    files: Sequence[DataFile], wanted: Wanted, n_threads: int | None, most: int
) -> Iterator[tuple[str, Any]]:
    """Yield the reader's name and a table of what its query gives, in the order of files and rows."""
    pyarrow = load_pyarrow()
    for _, group in groupby(files, key=lambda file: (file.reader, file.shape, file.path.lower()[-4:])):
        alike = [*group]
        reader = READERS[alike[0].reader]
        size = min(most, BATCH_BYTES // max(file.row_bytes for file in alike)) // VECTOR * VECTOR
        with closing(connected(n_threads)) as connection:
            paths = [known_path(connection, file.path, number) for number, file in enumerate(alike)]
            connection.execute("SET VARIABLE paths = $paths", {"paths": paths})
            rows = connection.sql(reader.query(alike, wanted))
            for batch in rows.to_arrow_reader(max(VECTOR, size)):
                if batch.num_rows:
                    yield reader.name, pyarrow.Table.from_batches([batch])


def plain_batch(wanted: Wanted, item: tuple[str, Any]) -> Any:
    """Make plain rows of what ``batches`` yields."""
    return READERS[item[0]].plain(item[1], wanted)


def slow_rows(file: DataFile, wanted: Wanted, row_groups: range | None = None) -> Iterator[PlacedRows]:
    """Yield the rows of a file one by one, as it were: each has its place."""
    try:
        yield from READERS[file.reader].slowly(file, wanted, row_groups)
    except FileNotFoundError as error:
        raise BadFileError(f"{file.path}: {error.strerror}", file.path) from None

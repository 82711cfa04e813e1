"""The formats that a scan reads: files are looked at, and become rows that know where they stand.

Pieces are cut by one thread, which is quick, and made into rows by any. Measured with two threads, seconds of
the processor and peak of memory, beside DuckDB, which does not tell where a row stands: 2 million rows of
Parquet .27 s and 215 MB (.26 s and 240 MB), a million lines of JSON .74 s and 225 MB (.97 s and 410 MB),
packed .82 s and 210 MB (1.2 s and 410 MB), a million rows of CSV .44 s and 280 MB (.53 s and 335 MB).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from caesura.errors import CorpusError, missing_extra
from caesura.scale import line_files, parquet_files, table_files
from caesura.scale.addresses import state_of
from caesura.scale.data_files import DataFile, PlacedRows, Wanted, naming_file

READERS: dict[str, Any] = {"parquet": parquet_files, "jsonl": line_files, "csv": table_files}
"""The modules that read formats: ``look`` adds to a DataFile what the file says of itself, ``pieces`` yields
what rows are made of, in order, and ``rows`` makes plain rows of a piece, or raises what is wrong, and where.
"""


def reader_of(path: str) -> str:
    """Return the name of the reader of a file, by its extension.

    >>> reader_of("part-0.parquet"), reader_of("part-0.jsonl.gz"), reader_of("x.tsv")
    ('parquet', 'jsonl', 'csv')
    """
    for name, reader in READERS.items():
        if path.lower().endswith(reader.EXTENSIONS):
            return name
    known = ", ".join(extension for reader in READERS.values() for extension in reader.EXTENSIONS)
    raise CorpusError(f"{path}: a scan reads {known}; caesura convert writes Parquet")


def check_one_kind(paths: Sequence[str], verb: str) -> None:
    """Refuse files of two kinds."""
    first, *kinds = map(reader_of, paths)
    for path, kind in zip(paths[1:], kinds, strict=True):
        if kind != first:
            raise CorpusError(f"{path}: it is {kind} where {paths[0]} is {first}: {verb} one kind at a time")


def look_at(path: str) -> DataFile:
    """Return what a file says of itself; its rows are not read."""
    name = reader_of(path)
    try:
        import duckdb  # noqa: F401
        import pyarrow  # type: ignore[import-untyped]  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra(f"scans need {error.name}", "scale") from None
    with naming_file(path):
        file: DataFile = READERS[name].look(DataFile(path, name, *state_of(path)))
        return file


def pieces_of(
    file: DataFile, wanted: Wanted, row_groups: range | None = None
) -> Iterator[tuple[DataFile, Wanted, Any]]:
    """Yield what ``rows_of`` makes rows of, in order."""
    with naming_file(file.path):
        for piece in READERS[file.reader].pieces(file, wanted, row_groups):
            yield file, wanted, piece


def rows_of(item: tuple[DataFile, Wanted, Any]) -> PlacedRows:
    """Return the rows of a piece, plain; or raise which is wrong, in which file and where."""
    file, wanted, piece = item
    with naming_file(file.path):
        rows: PlacedRows = READERS[file.reader].rows(file, wanted, piece)
        return rows


def placed_rows(file: DataFile, wanted: Wanted) -> Iterator[PlacedRows]:
    """Yield all rows of a file."""
    return map(rows_of, pieces_of(file, wanted))

"""Parquet: what the end of a file says, and its rows, a few pages at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from caesura.errors import CorpusError, one_line
from caesura.io.archives import MAX_RATIO
from caesura.io.layout import ORDER_KEY, load_parquet
from caesura.scale.addresses import is_url, open_file
from caesura.scale.data_files import (
    BadFileError,
    DataFile,
    PlacedRows,
    Reader,
    Wanted,
    connected,
    naming_file,
)
from caesura.scale.rows import NAMES, SEGMENTATIONS, RowFault, columns_of, plain_type
from caesura.values.arrow import scheme_of_metadata

FREE_BYTES = 2**28
"""Bytes of positions up to which it does not matter how small they were packed."""

AT_ONCE = 2**15
"""Most rows that are read at a time where each must have its place."""

BYTES_AT_ONCE = 2**26
"""About as many bytes are: texts of units may be long."""

MAGIC = b"PAR1"
"""How a file begins, and ends."""

LENGTH_BYTES = 4
"""What a name takes at least that is not kept in a dictionary."""


def look(file: DataFile) -> DataFile:
    """Read the end of a file; refuse another table, and what would unpack to far more than it takes."""
    pyarrow = load_parquet()
    with _naming(file.path), closing(open_file(file.path)) as stream:
        metadata = pyarrow.parquet.ParquetFile(stream).metadata
        schema = metadata.schema.to_arrow_schema()
        chunks = _chunks(stream)
    columns = columns_of(schema.names)
    facts = dict(metadata.metadata or {}) | dict(schema.metadata or {})
    try:
        scheme = scheme_of_metadata(facts)
    except ValueError as error:  # no JSON, or no scheme
        raise CorpusError(f"its metadata: {error}") from None
    row_groups = tuple({chunk.row_group: chunk.n_rows for chunk in chunks}.values())
    wanted = {columns[name] for name in SEGMENTATIONS if name in columns}
    unpacked = sum(_unpacked(chunk) for chunk in chunks if chunk.column in wanted)
    names = {columns[name] for name in NAMES}
    repetitive = {
        chunk.column
        for chunk in chunks
        if chunk.column in names and chunk.n_unpacked < LENGTH_BYTES * chunk.n_values
    }
    further = {
        plain: plain_type(pyarrow, schema.field(name).type)
        for plain, name in columns.items()
        if plain not in SEGMENTATIONS
    }
    return replace(
        file, columns=columns, further=further, scheme=scheme, order=facts.get(ORDER_KEY),
        row_groups=row_groups, repetitive=tuple(repetitive),
        row_bytes=max(32, unpacked // max(1, sum(row_groups))),
    )  # fmt: skip


class _Chunk(NamedTuple):
    """A column of a row group, which may be a list."""

    row_group: int
    n_rows: int
    column: str
    n_values: int
    n_packed: int
    n_unpacked: int


CHUNKS = """
SELECT row_group_id, row_group_num_rows, split_part(path_in_schema, ', ', 1) AS name, num_values,
    total_compressed_size, greatest(total_uncompressed_size, if(name = path_in_schema, 0, 8 * num_values))
FROM parquet_metadata($path)
"""
"""Numbers in lists take eight bytes, however small they were packed."""


def _chunks(stream: Any) -> list[_Chunk]:
    """Return the columns of each row group, as DuckDB reads them in the end of the file.

    pyarrow ends the process where these numbers are damaged.
    """
    import duckdb

    stream.seek(stream.size() - 8)
    n_bytes = int.from_bytes(stream.read(4), "little") + 8
    stream.seek(stream.size() - n_bytes)
    with tempfile.NamedTemporaryFile(prefix="caesura-") as end, closing(connected(1)) as connection:
        end.write(MAGIC + stream.read(n_bytes))
        end.flush()
        try:
            return [_Chunk(*row) for row in connection.execute(CHUNKS, {"path": end.name}).fetchall()]
        except duckdb.Error as error:
            raise CorpusError(f"not a whole Parquet file: {one_line(str(error))}") from None


def _unpacked(chunk: _Chunk) -> int:
    """Return the bytes of a column in memory; refuse what can only be a bomb."""
    if chunk.n_unpacked > FREE_BYTES and chunk.n_unpacked > MAX_RATIO * max(1, chunk.n_packed):
        raise CorpusError(
            f"column {chunk.column} unpacks to {chunk.n_unpacked:,} bytes, more than {MAX_RATIO} times its "
            f"size ({chunk.n_packed:,} bytes); if that is no mistake, write smaller row groups"
        )
    return chunk.n_unpacked


def pieces(file: DataFile, wanted: Wanted, row_groups: range | None = None) -> Iterator[tuple[int, int, Any]]:
    """Yield rows as they stand, with the row group and the number of the first."""
    pyarrow = load_parquet()
    names = ["coder"] if wanted.coders_only else [*SEGMENTATIONS, *wanted.further]
    columns = {file.columns[name]: name for name in names if name in file.columns}
    most = max(1, min(AT_ONCE, BYTES_AT_ONCE // file.row_bytes))
    # From a disk pages are read as they are needed; from elsewhere a row group comes in few pieces.
    pages = {"pre_buffer": True} if is_url(file.path) else {"buffer_size": 2**20, "pre_buffer": False}
    with closing(open_file(file.path)) as stream:
        with _naming(file.path):
            reader = pyarrow.parquet.ParquetFile(stream, read_dictionary=[*file.repetitive], **pages)
        for group in row_groups if row_groups is not None else range(len(file.row_groups)):
            first = 0
            with _naming(file.path, group):
                batches = reader.iter_batches(most, row_groups=[group], columns=[*columns], use_threads=False)
            while True:
                with _naming(file.path, group):
                    batch = next(batches, None)
                if batch is None:
                    break
                table = pyarrow.Table.from_batches([batch]).select([*columns])
                yield group, first, table.rename_columns([*columns.values()])
                first += len(batch)


def rows(file: DataFile, wanted: Wanted, piece: tuple[int, int, Any]) -> PlacedRows:
    """Make plain rows of a piece; a fault has the file, the row group and the row."""
    group, first, table = piece
    with _naming(file.path, group, first):
        return PlacedRows(wanted.rows(table), file.path, first, row_group=group)


@contextmanager
def _naming(path: str, group: int | None = None, first: int = 0) -> Iterator[None]:
    """Put the file, and the row group, before what is wrong there."""
    where = "" if group is None else f": row group {group}"
    with naming_file(path, where):
        try:
            yield
        except RowFault as error:
            raise BadFileError(
                f"{path}{where}, row {first + error.row}: {one_line(error.fault)}", path
            ) from None
        except (load_parquet().ArrowException, OSError, UnicodeDecodeError) as error:  # a damaged name
            if isinstance(error, OSError) and error.errno is not None:
                raise  # no such file, and the like
            raise CorpusError(f"not a whole Parquet file: {one_line(str(error))}") from None


READER = Reader("parquet", (".parquet", ".pq"), look, pieces, rows)

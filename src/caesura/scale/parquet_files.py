"""Parquet: what the end of a file says, and its rows, a few pages at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from caesura.errors import CorpusError, one_line
from caesura.io.archives import MAX_RATIO
from caesura.io.layout import ORDER_KEY, load_parquet
from caesura.scale.addresses import is_url, open_file
from caesura.scale.data_files import DataFile, PlacedRows, Wanted, connected, naming_file
from caesura.scale.rows import NAMES, SEGMENTATIONS, columns_of, plain_type
from caesura.values.arrow import scheme_of_metadata

FREE_BYTES = 2**28
"""Bytes of positions up to which it does not matter how small they were packed."""

AT_ONCE = 2**15
"""Most rows that are read at a time where each must have its place."""

BYTES_AT_ONCE = 2**26
"""About as many bytes are: texts of units may be long."""

MAGIC = b"PAR1"
"""How a file begins, and ends."""

BROKEN = "not a whole Parquet file"

EXTENSIONS = (".parquet", ".pq")

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
    wanted = {columns[name] for name in SEGMENTATIONS if name in columns}
    names = {columns[name] for name in NAMES}
    row_groups, repetitive, unpacked = dict[int, int](), set[str](), 0
    for group, n_rows, column, n_values, n_packed, size in chunks:
        row_groups[group] = n_rows
        if column in names and size < LENGTH_BYTES * n_values:
            repetitive.add(column)
        if column in wanted:
            unpacked += size
            if size > max(FREE_BYTES, MAX_RATIO * max(1, n_packed)):
                raise CorpusError(
                    f"column {column} unpacks to {size:,} bytes, more than {MAX_RATIO} times its "
                    f"size ({n_packed:,} bytes); if that is right, write smaller row groups"
                )
    further = {
        plain: plain_type(pyarrow, schema.field(name).type)
        for plain, name in columns.items()
        if plain not in SEGMENTATIONS
    }
    return replace(
        file, columns=columns, further=further, scheme=scheme, order=facts.get(ORDER_KEY),
        row_groups=tuple(row_groups.values()), repetitive=tuple(repetitive),
        row_bytes=max(32, unpacked // max(1, sum(row_groups.values()))),
    )  # fmt: skip


CHUNKS = """
SELECT row_group_id, row_group_num_rows, split_part(path_in_schema, ', ', 1) AS name, num_values,
    total_compressed_size, greatest(total_uncompressed_size, if(name = path_in_schema, 0, 8 * num_values))
FROM parquet_metadata($path)
"""
"""Row group, its rows, column (which may be a list), values, bytes packed and in memory.

Numbers in lists take eight bytes, however small they were packed.
"""


def _chunks(stream: Any) -> list[Any]:
    """Return what DuckDB reads of the columns of each row group in the end of the file.

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
            return [*connection.execute(CHUNKS, {"path": end.name}).fetchall()]
        except duckdb.Error as error:
            raise CorpusError(f"{BROKEN}: {one_line(str(error))}") from None


def pieces(file: DataFile, wanted: Wanted, row_groups: range | None = None) -> Iterator[tuple[int, int, Any]]:
    """Yield rows as they are in the file, with the row group and the number of the first."""
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
                for batch in reader.iter_batches(most, [group], [*columns], use_threads=False):
                    table = pyarrow.Table.from_batches([batch]).select([*columns])
                    yield group, first, table.rename_columns([*columns.values()])
                    first += len(batch)


def rows(file: DataFile, wanted: Wanted, piece: tuple[int, int, Any]) -> PlacedRows:
    """Make plain rows of a piece; a fault has the file, the row group and the row."""
    group, first, table = piece
    return PlacedRows(table, file.path, first, row_group=group).read(wanted.rows)


@contextmanager
def _naming(path: str, group: int | None = None) -> Iterator[None]:
    """Put the file, and the row group, before what is wrong there."""
    with naming_file(path, "" if group is None else f": row group {group}"):
        try:
            yield
        except (load_parquet().ArrowException, OSError, UnicodeDecodeError) as error:  # a damaged name
            if isinstance(error, OSError) and error.errno is not None:
                raise  # no such file, and the like
            raise CorpusError(f"{BROKEN}: {one_line(str(error))}") from None

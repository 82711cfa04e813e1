"""Parquet: what the footer says, and rows, a few pages at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from caesura.errors import CorpusError, one_line
from caesura.io.addresses import is_url, open_file
from caesura.io.archives import MAX_RATIO
from caesura.io.layout import ORDER_KEY, load_parquet
from caesura.scale.data_files import DataFile, LocatedRows, Wanted, connected, naming_file
from caesura.scale.rows import NAMES, SEGMENTATIONS, columns_of
from caesura.values.arrow import plain_type, scheme_of_metadata

FREE_BYTES = 2**28
"""Columns below this size may be compressed however strongly."""

AT_ONCE, BYTES_AT_ONCE = 2**16, 2**26
"""Most rows that are read at a time, and about the most bytes: texts of units may be long."""

BROKEN = "not a whole Parquet file"

LENGTH_BYTES = 4
"""Least bytes of a name outside a dictionary."""

CHUNKS = """
SELECT row_group_id, row_group_num_rows, split_part(path_in_schema, ', ', 1) AS name, num_values,
    total_compressed_size, greatest(total_uncompressed_size, if(name = path_in_schema, 0, 8 * num_values))
FROM parquet_metadata($path)
"""
"""Row group, its rows, column (which may be a list), values, bytes compressed and in memory.

Numbers in lists take eight bytes in memory, however strongly they were compressed.
"""


@dataclass(frozen=True)
class ParquetFile(DataFile):
    """A Parquet file."""

    repetitive: tuple[str, ...] = ()
    """Columns of names that are read as dictionaries: their names may be far longer than the column."""

    kind = "parquet"
    extensions = (".parquet", ".pq")

    @classmethod
    def look(cls, path: str, n_bytes: int, state: str) -> Self:
        """Read the footer; refuse another table, and one that would unpack to far more than its size."""
        pyarrow = load_parquet()
        with naming_file(path, broken=BROKEN), closing(open_file(path)) as stream:
            metadata = pyarrow.parquet.ParquetFile(stream).metadata
            schema = metadata.schema.to_arrow_schema()
            chunks = _chunks(stream)
        columns = columns_of(schema.names)
        facts = dict(metadata.metadata or {}) | dict(schema.metadata or {})
        try:
            scheme = scheme_of_metadata(facts)
        except ValueError as error:  # not JSON, or not a scheme
            raise CorpusError(f"its metadata: {error}") from None
        row_groups, repetitive, unpacked = dict[int, int](), dict[str, None](), 0
        known = {column: plain for plain, column in columns.items() if plain in SEGMENTATIONS}
        for group, n_rows, column, n_values, n_packed, size in chunks:
            row_groups[group] = n_rows
            if known.get(column) in NAMES and size < LENGTH_BYTES * n_values:
                repetitive[column] = None
            unpacked += size if column in known else 0
            if column in known and size > max(FREE_BYTES, MAX_RATIO * max(1, n_packed)):
                raise CorpusError(
                    f"column {column} unpacks to {size:,} bytes, more than {MAX_RATIO} times its size "
                    f"({n_packed:,} bytes); if that is right, write smaller row groups"
                )
        rest = {plain: schema.field(name) for plain, name in columns.items() if name not in known}
        further = {plain: plain_type(column.type) for plain, column in rest.items()}
        sizes = tuple(row_groups.values())
        row_bytes = max(32, unpacked // max(1, sum(sizes)))
        order, names = facts.get(ORDER_KEY), tuple(repetitive)
        return cls(path, n_bytes, state, columns, further, scheme, row_bytes, order, sizes, repetitive=names)

    def pieces(self, wanted: Wanted, row_groups: range | None) -> Iterator[tuple[int, int, Any]]:
        """Yield rows as they are in the file, with the row group and the number of the first."""
        pyarrow = load_parquet()
        names = ["coder"] if wanted.coders_only else [*SEGMENTATIONS, *wanted.further]
        columns = {self.columns[name]: name for name in names if name in self.columns}
        most = max(1, min(AT_ONCE, BYTES_AT_ONCE // self.row_bytes))
        # From a disk, pages are read when they are needed; from elsewhere, row groups in few requests.
        pages = {"pre_buffer": True} if is_url(self.path) else {"buffer_size": 2**20, "pre_buffer": False}
        with closing(open_file(self.path)) as stream:
            with naming_file(self.path, broken=BROKEN):
                reader = pyarrow.parquet.ParquetFile(stream, read_dictionary=[*self.repetitive], **pages)
            for group in range(len(self.row_groups)) if row_groups is None else row_groups:
                first = 0
                with naming_file(self.path, f": row group {group}", BROKEN):
                    for batch in reader.iter_batches(most, [group], [*columns], use_threads=False):
                        table = pyarrow.Table.from_batches([batch]).select([*columns])
                        yield group, first, table.rename_columns([*columns.values()])
                        first += len(batch)

    def rows(self, wanted: Wanted, piece: tuple[int, int, Any]) -> LocatedRows:
        """Return the plain rows of a piece."""
        group, first, table = piece

        def where(row: int) -> str:
            return f"{self.path}: row group {group}, row {first + row}"

        with naming_file(self.path, f": row group {group}"):
            return wanted.located(table, where)


def _chunks(stream: Any) -> list[Any]:
    """Return what DuckDB reads in the footer about the columns of each row group.

    pyarrow ends the process where these numbers are damaged.
    """
    import duckdb

    stream.seek(stream.size() - 8)
    n_bytes = int.from_bytes(stream.read(4), "little") + 8
    stream.seek(stream.size() - n_bytes)
    with tempfile.NamedTemporaryFile(prefix="caesura-") as end, closing(_database().cursor()) as own:
        end.write(b"PAR1" + stream.read(n_bytes))
        end.flush()
        try:
            return [*own.execute(CHUNKS, {"path": end.name}).fetchall()]
        except duckdb.Error as error:
            raise CorpusError(f"{BROKEN}: {one_line(str(error))}") from None


@cache
def _database() -> Any:
    return connected(threads=1)  # which takes longer than to read a footer

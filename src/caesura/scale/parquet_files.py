"""Parquet: what the end of a file says, DuckDB's query for its columns, and its rows one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from caesura.errors import CorpusError, one_line
from caesura.io.archives import MAX_RATIO
from caesura.io.layout import ORDER_KEY, load_parquet
from caesura.scale.addresses import is_url, open_file, state_of
from caesura.scale.data_files import (
    BadFileError,
    DataFile,
    PlacedRows,
    Reader,
    Wanted,
    connected,
    known_path,
    naming_file,
    quoted,
)
from caesura.scale.rows import (
    MAX_NAME,
    NAMES,
    SEGMENTATIONS,
    RowFault,
    columns_of,
    plain_names,
    plain_rows,
    plain_type,
)
from caesura.values.arrow import scheme_of_metadata

FREE_BYTES = 2**28
"""Bytes of positions up to which it does not matter how small they were packed."""

AT_ONCE = 2**15
"""Most rows that are read at a time where each must have its place."""

BYTES_AT_ONCE = 2**26
"""About as many bytes are: texts of units may be long."""

LENGTH_BYTES = 4
"""What a name takes at least that is not kept in a dictionary."""


def look(path: str) -> DataFile:
    """Read the end of a file; refuse another table, and what would unpack to far more than it takes."""
    with naming_file(path):
        n_bytes, state = state_of(path)
        with _whole(path), closing(open_file(path)) as stream:
            metadata = load_parquet().parquet.ParquetFile(stream).metadata
            schema = metadata.schema.to_arrow_schema()
        columns = columns_of(schema.names)
        facts = dict(metadata.metadata or {}) | dict(schema.metadata or {})
        try:
            scheme = scheme_of_metadata(facts)
        except ValueError as error:  # no JSON, or no scheme
            raise CorpusError(f"its metadata: {error}") from None
        chunks = _chunks(path)
        row_groups = tuple({chunk.row_group: chunk.n_rows for chunk in chunks}.values())
        wanted = {columns[name] for name in SEGMENTATIONS if name in columns}
        unpacked = sum(_unpacked(chunk) for chunk in chunks if chunk.column in wanted)
        names = {columns[name] for name in NAMES}
        repetitive = {
            chunk.column
            for chunk in chunks
            if chunk.column in names and chunk.n_unpacked < LENGTH_BYTES * chunk.n_values
        }
        pyarrow = load_parquet()
        further = {
            plain: plain_type(pyarrow, schema.field(name).type)
            for plain, name in columns.items()
            if plain not in SEGMENTATIONS
        }
    return DataFile(
        path, "parquet", state, n_bytes, columns, further, scheme, facts.get(ORDER_KEY), row_groups,
        tuple(repetitive),
        row_bytes=max(32, unpacked // max(1, sum(row_groups))), shape=str(schema.remove_metadata()),
    )  # fmt: skip


class _Chunk(NamedTuple):
    """A column of a row group."""

    row_group: int
    n_rows: int
    path: str
    n_values: int
    n_packed: int
    n_unpacked: int

    @property
    def column(self) -> str:
        """The name of the column, which may be a list."""
        return self.path.partition(", ")[0]


def _chunks(path: str) -> list[_Chunk]:
    """Return what the end of a file says of each column of each row group, as DuckDB reads it.

    pyarrow ends the process where these numbers are damaged.
    """
    import duckdb

    fields = "row_group_id, row_group_num_rows, path_in_schema, num_values, total_compressed_size"
    with closing(connected(1)) as connection:
        known = known_path(connection, path)
        query = f"SELECT {fields}, total_uncompressed_size FROM parquet_metadata($path)"
        try:
            return [_Chunk(*row) for row in connection.execute(query, {"path": known}).fetchall()]
        except duckdb.Error as error:
            raise CorpusError(f"not a whole Parquet file: {one_line(str(error))}") from None


def _unpacked(chunk: _Chunk) -> int:
    """Return the bytes of a column in memory; refuse what can only be a bomb."""
    unpacked = max(chunk.n_unpacked, 8 * chunk.n_values if chunk.column != chunk.path else 0)
    if unpacked > FREE_BYTES and unpacked > MAX_RATIO * max(1, chunk.n_packed):
        raise CorpusError(
            f"column {chunk.column} unpacks to {unpacked:,} bytes, more than {MAX_RATIO} times its size "
            f"({chunk.n_packed:,} bytes); if that is no mistake, write smaller row groups"
        )
    return unpacked


def query(files: Sequence[DataFile], wanted: Wanted) -> str:
    """Return the query for columns as they stand; a name that is longer than any ends it."""
    columns = files[0].columns
    names = ["coder"] if wanted.coders_only else [*SEGMENTATIONS, *wanted.further]
    selected = []
    for name in names:
        if name in columns:
            column = quoted(columns[name])
            if name in (*NAMES, wanted.by):  # what is kept once would be written out for every row
                column = (
                    f"CASE WHEN typeof({column}) = 'VARCHAR' AND strlen({column}::VARCHAR) > {MAX_NAME} "
                    f"THEN error('long name') ELSE {column} END"
                )
            selected.append(f"{column} AS {quoted(name)}")
    return f"SELECT {', '.join(selected)} FROM read_parquet(getvariable('paths'), hive_partitioning=false)"


def plain(batch: Any, wanted: Wanted) -> Any:
    """Make plain rows of a batch of the query's."""
    if wanted.coders_only:
        return load_parquet().table({"coder": plain_names(batch["coder"], "coder")})
    return plain_rows(batch, wanted.by, wanted.others)


def slowly(file: DataFile, wanted: Wanted, row_groups: range | None = None) -> Iterator[PlacedRows]:
    """Yield the rows with their places; a fault has the file, the row group and the row."""
    pyarrow = load_parquet()
    names = [name for name in (*SEGMENTATIONS, *wanted.further) if name in file.columns]
    columns = [file.columns[name] for name in names]
    if wanted.by is not None and wanted.by not in file.columns:
        raise BadFileError(f"{file.path}: there is no column {wanted.by!r}", file.path)
    most = max(1, min(AT_ONCE, BYTES_AT_ONCE // file.row_bytes))
    # From a disk pages are read as they are needed; from elsewhere a row group comes in few pieces.
    pages = {"pre_buffer": True} if is_url(file.path) else {"buffer_size": 2**20, "pre_buffer": False}
    with closing(open_file(file.path)) as stream:
        with _whole(file.path):
            reader = pyarrow.parquet.ParquetFile(stream, read_dictionary=[*file.repetitive], **pages)
        for group in row_groups if row_groups is not None else range(len(file.row_groups)):
            first = 0
            with _whole(file.path, group):
                batches = reader.iter_batches(most, row_groups=[group], columns=columns, use_threads=False)
            while True:
                with _whole(file.path, group, first):
                    batch = next(batches, None)
                    if batch is None:
                        break
                    table = pyarrow.Table.from_batches([batch]).select(columns).rename_columns(names)
                    table = plain_rows(table, wanted.by, [name for name in wanted.others if name in names])
                yield PlacedRows(table, file.path, first, row_group=group)
                first += len(table)


@contextmanager
def _whole(path: str, group: int | None = None, first: int = 0) -> Iterator[None]:
    """Put the file, and the row group, before what is wrong there."""
    where = path if group is None else f"{path}: row group {group}"
    try:
        yield
    except RowFault as error:
        raise BadFileError(f"{where}, row {first + error.row}: {one_line(error.fault)}", path) from None
    except BadFileError:
        raise
    except CorpusError as error:
        raise BadFileError(f"{where}: {one_line(str(error))}", path) from None
    except (load_parquet().ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # no such file, and the like
        raise BadFileError(f"{where}: not a whole Parquet file: {one_line(str(error))}", path) from None


READER = Reader("parquet", (".parquet", ".pq"), look, query, plain, slowly)

"""Parquet in pieces: runs of row groups, and of them only the columns that are asked for.

A file is never held whole: of a row group that is larger than a batch only the pages of one batch are. What
its footer says decides how many rows are read at a time, and refuses what would unpack to far more than it
takes on the disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from caesura.errors import CorpusError
from caesura.io.archives import MAX_RATIO
from caesura.io.layout import ORDER_KEY, SORTED, load_parquet
from caesura.io.messages import one_line
from caesura.scale.addresses import is_url, open_file, state_of
from caesura.scale.parquet_footer import Chunk, chosen, chunks_of, footer_of
from caesura.scale.pieces import NEEDED, BadFileError, Batch, Piece, Reader, SortedRows
from caesura.scale.rows import (
    AT_ONCE,
    FORMS,
    MAX_NAME,
    NAMES,
    SEGMENTATIONS,
    PlacedRows,
    RowFault,
    check_lengths,
    long_rows,
    plain_type,
)
from caesura.values.arrow import scheme_of_metadata, strings_of
from caesura.values.forms import repeated, short_name
from caesura.values.strings import ENCODING, ERRORS
from caesura.values.type_scheme import TypeScheme

PIECE_ROWS = 2**18
"""Row groups are taken together up to this many rows."""

NUMBERS_AT_ONCE = 2**22
"""About as many positions are read at a time, where codings are long."""

BYTES_AT_ONCE = 2**26
"""About as many bytes are, of all columns: texts of units may be long."""

FREE_NUMBERS = 2**25
"""Positions up to which it does not matter how small they were packed."""

BUFFER = 2**20
"""Bytes of a column that are read from a local disk at a time."""


@dataclass(frozen=True, eq=False)
class Contents:
    """What the end of a file says of the rest; pieces of one file share it."""

    metadata: Any
    """As pyarrow has it."""
    columns: dict[str, str]
    """The column of each plain name: in lower case, without spaces around it."""
    chunks: tuple[tuple[Chunk, ...], ...]
    """The columns of each row group."""
    n_rows: tuple[int, ...]
    """Rows of each row group."""

    @cached_property
    def has_coded_coders(self) -> bool:
        """Whether all names of coders are kept once each, and numbered."""
        coder = [self.columns["coder"]]
        return all(chunk.is_all_in_dictionary for group in self.chunks for chunk in chosen(group, coder))


@lru_cache(maxsize=64)
def _contents_of(path: str, state: tuple[int, str]) -> Contents:
    with closing(open_file(path)) as stream:
        metadata = load_parquet().parquet.ParquetFile(stream).metadata
    names = metadata.schema.to_arrow_schema().names
    columns = {name.strip().lower(): name for name in names}
    if len(columns) < len(names):
        twice = repeated([name.strip().lower() for name in names])
        raise CorpusError(f"the column {short_name(twice)!r} is there twice")
    _check_columns(columns)
    chunks = chunks_of(path)
    if len(chunks) != metadata.num_row_groups:
        raise CorpusError("not a whole Parquet file: its end is damaged")
    n_rows = tuple(metadata.row_group(group).num_rows for group in range(len(chunks)))
    return Contents(metadata, columns, chunks, n_rows)


def _check_columns(columns: Mapping[str, str]) -> None:
    """Refuse a file that is another table."""
    for name in NAMES:
        if name not in columns:
            known = ", ".join(repr(short_name(one)) for one in list(columns)[:6])
            raise CorpusError(f"there is no column {name!r} among {known}")
    if not any(form in columns for form in FORMS):
        raise CorpusError(f"there is no column {', '.join(FORMS[:-1])} or {FORMS[-1]}")
    if "positions" in columns and "n_units" not in columns:
        raise CorpusError("the column 'positions' needs 'n_units' beside it")


class ParquetRows:
    """The rows of an open Parquet file."""

    def __init__(self, path: str) -> None:
        self.path = path
        with self._naming():
            self._contents = _contents_of(path, state_of(path))
        self._stream = open_file(path)
        with self._naming():
            coder = [self.columns["coder"]] if self._contents.has_coded_coders else []
            self._reader = self._open(coder)

    def _open(self, in_dictionary: Sequence[str]) -> Any:
        """Return pyarrow's reader; from elsewhere a row group comes in few pieces, from a disk by pages."""
        pages = (
            {"buffer_size": BUFFER, "pre_buffer": False} if not is_url(self.path) else {"pre_buffer": True}
        )
        return load_parquet().parquet.ParquetFile(
            self._stream, metadata=self._contents.metadata, read_dictionary=[*in_dictionary], **pages
        )

    @cached_property
    def _dictionaries(self) -> Any:
        """The reader that gives names as dictionaries."""
        return self._open([self.columns[name] for name in NAMES])

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()

    @property
    def columns(self) -> dict[str, str]:
        """The column of each plain name."""
        return self._contents.columns

    @property
    def further(self) -> dict[str, Any]:
        """The types of columns that are not the long table's, in the plainest way."""
        pyarrow, schema = load_parquet(), self._reader.schema_arrow
        return {
            plain: plain_type(pyarrow, schema.field(name).type)
            for plain, name in self.columns.items()
            if plain not in SEGMENTATIONS
        }

    @property
    def n_rows(self) -> tuple[int, ...]:
        """Rows of each row group."""
        return self._contents.n_rows

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """What else the file says of itself."""
        return dict(self._reader.schema_arrow.metadata or {})

    @property
    def scheme(self) -> TypeScheme | None:
        """What its metadata say of boundary types."""
        with self._naming():
            try:
                return scheme_of_metadata(self.metadata)
            except ValueError as error:  # no JSON, or no scheme
                raise CorpusError(f"its metadata: {error}") from None

    @cached_property
    def is_sorted(self) -> bool:
        """Whether it says that documents ascend by the bytes of their names."""
        return self.metadata.get(ORDER_KEY) == SORTED

    @cached_property
    def name_bounds(self) -> tuple[tuple[bytes, bytes] | None, ...]:
        """What it says of the names of documents in each row group."""
        types, kind = load_parquet().types, self._reader.schema_arrow.field(self.columns["document"]).type
        if not (types.is_string(kind) or types.is_large_string(kind)):
            return (None,) * len(self.n_rows)
        document = [self.columns["document"]]
        groups = (chosen(group, document) for group in self._contents.chunks)
        return tuple(group[0].bounds if group else None for group in groups)

    def check_bounds(self, rows: PlacedRows) -> None:
        """Refuse rows of a sorted file that are not where it says: who looks for them would miss them."""
        assert rows.row_group is not None
        bounds = self.name_bounds[rows.row_group] if self.is_sorted else None
        if bounds is None or not len(rows.table):
            return
        for row in (0, len(rows.table) - 1):
            name = strings_of(rows.table["document"].slice(row, 1))[0]
            if not bounds[0] <= name.encode(ENCODING, ERRORS) <= bounds[1]:
                least, greatest = (short_name(one.decode(ENCODING, "replace")) for one in bounds)
                raise BadFileError(
                    f"{rows.place(row)}: document {short_name(name)} is not between {least} and {greatest}, "
                    "as the end of the file says of this row group; caesura convert writes it anew"
                )

    def rows(
        self, others: Sequence[str], row_groups: Sequence[int] | None = None, most: int = AT_ONCE
    ) -> Iterator[PlacedRows]:
        """Yield the rows of these row groups, or of all, with further columns, so many at a time at most."""
        names = [name for name in (*SEGMENTATIONS, *others) if name in self.columns]
        for found in self._tables(names, row_groups, most):
            with self._naming(found.row_group, found.first):
                table = long_rows(found.table, [name for name in others if name in names])
            yield replace(found, table=table)

    def cells(self, names: Sequence[str], row_groups: Sequence[int], most: int) -> Iterator[PlacedRows]:
        """Yield some columns as they stand, and no more of the file."""
        return self._tables([name for name in names if name in self.columns], row_groups, most)

    def _tables(
        self, names: Sequence[str], row_groups: Sequence[int] | None, most: int
    ) -> Iterator[PlacedRows]:
        columns = [self.columns[name] for name in names]
        pyarrow = load_parquet()
        for group in range(len(self.n_rows)) if row_groups is None else row_groups:
            first = 0
            with self._naming(group):
                size = self._rows_at_once(group, columns, most)
                self._check_dictionaries(group, columns)
                found = self._reader.iter_batches(
                    size, row_groups=[group], columns=columns, use_threads=False
                )
            while True:
                with self._naming(group, first):
                    batch = next(found, None)
                    if batch is None:
                        break
                    table = pyarrow.Table.from_batches([batch]).select(columns).rename_columns(names)
                yield PlacedRows(table, self.path, first, row_group=group)
                first += len(table)

    def _check_dictionaries(self, group: int, columns: Sequence[str]) -> None:
        """Refuse long names that are kept once each, before they are written out for all their rows."""
        for name in NAMES:
            column = [self.columns[name]]
            chunks = chosen(self._contents.chunks[group], column)
            may_be_long = any(chunk.is_in_dictionary and chunk.n_unpacked > MAX_NAME for chunk in chunks)
            if self.columns[name] in columns and may_be_long:
                # With one row comes the whole dictionary.
                rows = self._dictionaries.iter_batches(
                    1, row_groups=[group], columns=column, use_threads=False
                )
                for batch in islice(rows, 1):
                    if load_parquet().types.is_dictionary(batch.column(0).type):
                        check_lengths(batch.column(0).dictionary, name)

    def _rows_at_once(self, group: int, columns: Sequence[str], most: int) -> int:
        """Return how many rows of a row group fit a batch, by what the footer says of it."""
        n_rows = max(1, self.n_rows[group])
        size = most
        n_bytes = 0
        for chunk in chosen(self._contents.chunks[group], columns):
            n_unpacked = max(chunk.n_unpacked, 8 * chunk.n_values if len(chunk.path) > 1 else 0)
            if n_unpacked > 8 * FREE_NUMBERS and n_unpacked > MAX_RATIO * max(1, chunk.n_packed):
                raise CorpusError(
                    f"column {chunk.path[0]} unpacks to {n_unpacked:,} bytes, more than {MAX_RATIO} times "
                    f"its size ({chunk.n_packed:,} bytes); if that is no mistake, write smaller row groups"
                )
            size = min(size, NUMBERS_AT_ONCE * n_rows // max(1, chunk.n_values))
            n_bytes += chunk.n_unpacked
        return max(1, min(size, BYTES_AT_ONCE * n_rows // max(1, n_bytes)))

    @contextmanager
    def _naming(self, group: int | None = None, first: int = 0) -> Iterator[None]:
        """Put the file, and the row group, before what is wrong there."""
        pyarrow = load_parquet()
        where = self.path if group is None else f"{self.path}: row group {group}"
        try:
            yield
        except RowFault as error:
            raise BadFileError(f"{where}, row {first + error.row}: {one_line(error.fault)}") from None
        except CorpusError as error:
            raise BadFileError(f"{where}: {one_line(str(error))}") from None
        except (pyarrow.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # no such file, and the like
            raise BadFileError(f"{where}: not a whole Parquet file: {one_line(str(error))}") from None


# -------------------------------------------------------------------- the reader


def pieces(path: str) -> list[Piece]:
    """Take row groups together until there are enough rows."""
    with closing(ParquetRows(path)) as rows:
        n_rows = rows.n_rows
    state = _state(path)
    found, start, held = [], 0, 0
    for number, n in enumerate(n_rows):
        if held and held + n > PIECE_ROWS:
            found.append(Piece(READER.name, path, start, number, held, state))
            start, held = number, 0
        held += n
    if held:
        found.append(Piece(READER.name, path, start, len(n_rows), held, state))
    return found


def _state(path: str) -> str:
    """Return size, time and the checksum of what the file says of itself, which has the size of each page."""
    size, state = state_of(path)
    return f"{state}, {hashlib.sha256(footer_of(path, size)).hexdigest()}"


def batches(piece: Piece, columns: Sequence[str], n_rows: int) -> Iterator[Batch]:
    """Read the row groups one after the other, on this thread alone."""
    others = [name for name in columns if name not in SEGMENTATIONS]
    groups = range(piece.start, piece.stop)
    with closing(ParquetRows(piece.path)) as rows:
        has_all = set(NEEDED) <= set(columns)
        read = rows.rows(others, groups, n_rows) if has_all else rows.cells(columns, groups, n_rows)
        for found in read:
            if has_all:
                rows.check_bounds(found)
            yield Batch(found.where, found.table)


def sorted_rows(piece: Piece) -> list[SortedRows] | None:
    """Return the row groups of a piece, if the file says that it is sorted and which names they hold."""
    with closing(ParquetRows(piece.path)) as rows:
        n_rows, bounds, is_sorted = rows.n_rows, rows.name_bounds, rows.is_sorted
    found = []
    for group in range(piece.start, piece.stop):
        said = bounds[group] if is_sorted else None
        if said is None and n_rows[group]:
            return None
        if said is not None:
            found.append(SortedRows(replace(piece, start=group, stop=group + 1, n_rows=n_rows[group]), *said))
    return found


def columns(path: str) -> list[str]:
    """Return the names in the schema; a segmentation is read as n_units and positions, whatever its form."""
    with closing(ParquetRows(path)) as rows:
        return [*NEEDED, *(["types"] if "types" in rows.columns else []), *rows.further]


def scheme(path: str) -> TypeScheme | None:
    """Return what the file's metadata say of types."""
    with closing(ParquetRows(path)) as rows:
        return rows.scheme


READER = Reader("parquet", (".parquet", ".pq"), pieces, batches, columns, scheme, sorted_rows)

"""Parquet in batches: row group by row group and only the columns that are asked for.

A file is never held whole: of a row group that is larger than a batch only the pages of one batch are. What
its footer says decides how many rows are read at a time, and refuses what would unpack to far more than it
takes on the disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from caesura.errors import CorpusError
from caesura.io.archives import MAX_RATIO
from caesura.io.messages import one_line
from caesura.io.parquet import load_parquet
from caesura.scale.addresses import DataFile
from caesura.scale.batches import AT_ONCE, FORMS, NAMES, SEGMENTATIONS, Batch, RowFault, long_rows, plain_type
from caesura.values.forms import repeated, short_name

NUMBERS_AT_ONCE = 2**21
"""About as many positions are read at a time, where codings are long."""

BYTES_AT_ONCE = 2**25
"""About as many bytes are, of all columns: texts of units may be long."""

FREE_NUMBERS = 2**22
"""Positions up to which it does not matter how small they were packed."""

BUFFER = 2**20
"""Bytes of a column that are read from a local disk at a time."""


@dataclass(frozen=True)
class Footer:
    """What a Parquet file says of itself."""

    columns: dict[str, str]
    """The column of each plain name: in lower case, without spaces around it."""
    kinds: dict[str, Any]
    """The type of each, in the plainest way."""
    n_rows: tuple[int, ...]
    """Rows of each row group."""
    metadata: dict[bytes, bytes]


class ParquetRows:
    """The rows of an open Parquet file."""

    def __init__(self, file: DataFile) -> None:
        self.file = file
        self._parquet = load_parquet().parquet
        self._stream = file.open()
        with self._naming():
            self._reader = self._open()
            self.footer = self._footer()
            in_dictionaries = [name for name in NAMES if self._is_in_dictionary(name)]
            if in_dictionaries:
                columns = [self.footer.columns[name] for name in in_dictionaries]
                self._reader = self._open(read_dictionary=columns, metadata=self._reader.metadata)

    def _open(self, **options: Any) -> Any:
        """Return pyarrow's reader; from elsewhere a row group comes in few pieces, from a disk by pages."""
        pages = {"buffer_size": BUFFER, "pre_buffer": False} if self.file.is_local else {"pre_buffer": True}
        return self._parquet.ParquetFile(self._stream, **pages, **options)

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()

    def batches(self, others: Sequence[str], row_groups: Sequence[int] | None = None) -> Iterator[Batch]:
        """Yield the rows of these row groups, or of all, with further columns."""
        columns = [
            self.footer.columns[name] for name in (*SEGMENTATIONS, *others) if name in self.footer.columns
        ]
        names = [name for name in (*SEGMENTATIONS, *others) if name in self.footer.columns]
        pyarrow = load_parquet()
        for group in range(len(self.footer.n_rows)) if row_groups is None else row_groups:
            first = 0
            with self._naming(group):
                size = self._rows_at_once(group, columns)
                found = self._reader.iter_batches(
                    size, row_groups=[group], columns=columns, use_threads=False
                )
                found = iter(found)
            while True:
                with self._naming(group, first):
                    batch = next(found, None)
                    if batch is None:
                        break
                    table = pyarrow.Table.from_batches([batch]).select(columns).rename_columns(names)
                    rows = long_rows(table, list(others))
                yield Batch(rows, self.file.name, first, row_group=group)
                first += len(rows)

    def _footer(self) -> Footer:
        schema = self._reader.schema_arrow
        columns = {name.strip().lower(): name for name in schema.names}
        if len(columns) < len(schema.names):
            twice = repeated([name.strip().lower() for name in schema.names])
            raise CorpusError(f"the column {short_name(twice)!r} is there twice")
        for name in NAMES:
            if name not in columns:
                raise CorpusError(
                    f"there is no column {name!r} among {', '.join(map(repr, list(columns)[:6]))}"
                )
        if not any(form in columns for form in FORMS):
            raise CorpusError(f"there is no column {', '.join(FORMS[:-1])} or {FORMS[-1]}")
        if "positions" in columns and "n_units" not in columns:
            raise CorpusError("the column 'positions' needs 'n_units' beside it")
        pyarrow = load_parquet()
        kinds = {plain: plain_type(pyarrow, schema.field(name).type) for plain, name in columns.items()}
        metadata = self._reader.metadata
        n_rows = tuple(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
        return Footer(columns, kinds, n_rows, dict(schema.metadata or {}))

    def _is_in_dictionary(self, name: str) -> bool:
        """Whether names are kept once each, which must stay so until it is known how long they are."""
        column, metadata = self.footer.columns[name], self._reader.metadata
        for group in range(metadata.num_row_groups):
            for chunk in _chunks(metadata.row_group(group), [column]):
                encodings = " ".join(map(str, chunk.encodings))
                if "DICTIONARY" in encodings and "DELTA" not in encodings:
                    return True
        return False

    def _rows_at_once(self, group: int, columns: Sequence[str]) -> int:
        """Return how many rows of a row group fit a batch, by what the footer says of it."""
        found = self._reader.metadata.row_group(group)
        n_rows = max(1, found.num_rows)
        size = AT_ONCE
        n_bytes = 0
        for chunk in _chunks(found, columns):
            n_packed = max(1, chunk.total_compressed_size)
            unpacked = max(
                chunk.total_uncompressed_size, 8 * chunk.num_values if "." in chunk.path_in_schema else 0
            )
            if unpacked > 8 * FREE_NUMBERS and unpacked > MAX_RATIO * n_packed:
                raise CorpusError(
                    f"column {chunk.path_in_schema.partition('.')[0]} unpacks to {unpacked:,} bytes, more "
                    f"than {MAX_RATIO} times its size ({n_packed:,} bytes); if that is no mistake, write "
                    "it in smaller row groups"
                )
            size = min(size, NUMBERS_AT_ONCE * n_rows // max(1, chunk.num_values))
            n_bytes += chunk.total_uncompressed_size
        return max(1, min(size, BYTES_AT_ONCE * n_rows // max(1, n_bytes)))

    @contextmanager
    def _naming(self, group: int | None = None, first: int = 0) -> Iterator[None]:
        """Put the file, and the row group, before what is wrong there."""
        pyarrow = load_parquet()
        where = self.file.name if group is None else f"{self.file.name}: row group {group}"
        try:
            yield
        except RowFault as error:
            raise CorpusError(f"{where}, row {first + error.row}: {one_line(error.fault)}") from None
        except CorpusError as error:
            raise CorpusError(f"{where}: {one_line(str(error))}") from None
        except (pyarrow.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # no such file, and the like
            raise CorpusError(f"{where}: not a whole Parquet file: {one_line(str(error))}") from None


def _chunks(group: Any, columns: Sequence[str]) -> Iterator[Any]:
    """Yield the chunks of these columns in a row group."""
    wanted = set(columns)
    for number in range(group.num_columns):
        chunk = group.column(number)
        if chunk.path_in_schema in wanted or chunk.path_in_schema.split(".")[0] in wanted:
            yield chunk

"""Bringing the rows of each document together: parts of whole documents, by a hash of their names.

Rows are written to a file for each part; each part is sorted and counted on its own. Measured with two
threads and rows in random order (2 million / 8 million rows, peak memory of the first): parts 1.6 s / 5.8 s,
440 MB; DuckDB's ORDER BY 2.9 s / 12 to 20 s, 560 MB; its COPY ... PARTITION_BY 3.5 s / 13 s, 470 MB. The hash
is that of the Poisson bootstrap, so stored parts outlive an upgrade of any library.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, groupby
from pathlib import Path
from typing import Any

import numpy as np

from caesura.arrays import bincount
from caesura.io.layout import GROUPED, SORTED, long_fields, with_columns
from caesura.scale.counting import Task
from caesura.scale.data_files import DataFile, Wanted, n_rows_of
from caesura.scale.documents import whole_documents
from caesura.scale.parts import Part
from caesura.sums.tallies import hash_strings
from caesura.values.arrow import load_compute, load_pyarrow, strings_of

PART_ROWS, PART_BYTES = 2**18, 2**25
"""About the most rows of a part, and bytes, where codings are long."""

MOST_PARTS = 256
"""Parts at a time, each with an open file; a part that is too large is divided again."""

TOO_LARGE = 4
"""Times the intended size from which a part is divided again."""

LEVELS = 4
"""Most times that a part is divided again: a single document cannot be divided."""

PIECE_ROWS = 2**18
"""Row groups are read together up to about this many rows."""


@dataclass(frozen=True)
class Piece:
    """A file, or a run of its row groups, that a worker reads."""

    side: int
    file: DataFile
    row_groups: range | None = None


@dataclass(frozen=True)
class Job:
    """Files, on one side or two, and what is counted of them."""

    task: Task
    sides: tuple[tuple[DataFile, ...], ...]

    @property
    def files(self) -> list[tuple[DataFile, Wanted]]:
        """Every file, and what is read of it."""
        return [(file, self._wanted(side)) for side, files in enumerate(self.sides) for file in files]

    def _wanted(self, side: int) -> Wanted:
        return Wanted(None if side else self.task.by)  # hypotheses have no strata

    @cached_property
    def n_rows(self) -> int | None:
        """Number of rows; None where only reading shows it."""
        return n_rows_of(file for file, _ in self.files)

    @cached_property
    def about_rows(self) -> int:
        """Approximate number of rows."""
        return sum(file.about_rows for file, _ in self.files)

    @cached_property
    def n_parts(self) -> int:
        """Number of parts that documents are divided into; the same whenever the files are the same."""
        n_bytes = sum(file.about_rows * file.row_bytes for file, _ in self.files)
        return min(MOST_PARTS, max(1, -(-n_bytes // PART_BYTES), -(-self.about_rows // PART_ROWS)))

    @property
    def is_grouped(self) -> bool:
        """Whether all files claim that the rows of a document are together."""
        return len(self.sides) == 1 and all(file.order in (GROUPED, SORTED) for file in self.sides[0])

    @cached_property
    def pieces(self) -> list[Piece]:
        """What workers read, in the order of the rows."""
        pieces: list[Piece] = []
        for side, files in enumerate(self.sides):
            for file in files:
                numbers = [start // PIECE_ROWS for start in accumulate(file.row_groups[:-1], initial=0)]
                runs = [[*run] for _, run in groupby(range(len(file.row_groups)), numbers.__getitem__)]
                pieces += [Piece(side, file, range(run[0], run[-1] + 1)) for run in runs]
                pieces += [] if runs else [Piece(side, file)]
        return pieces

    def rows(self, pieces: Iterable[Piece], mapped: Callable[..., Iterator[Any]] = map) -> Iterator[Any]:
        """Yield the plain rows of pieces."""
        unread = (
            (piece.side, read)
            for piece in pieces
            for read in piece.file.unread(self._wanted(piece.side), piece.row_groups)
        )
        return mapped(self._sided_rows, unread)

    def _sided_rows(self, item: tuple[int, Callable[[], Any]]) -> Any:
        """Read rows; if there are two sides, add theirs."""
        side, read = item
        table, pyarrow = read().table, load_pyarrow()
        if len(self.sides) == 1:
            return table
        return table.append_column("side", pyarrow.repeat(pyarrow.scalar(side, pyarrow.int8()), len(table)))

    def count_piece(self, piece: Piece) -> Part:
        """Count a piece of whole documents."""
        return sum(map(self.task, whole_documents(self.rows([piece]), self.task.batch_rows)), Part({}))

    @property
    def schema(self) -> Any:
        """The columns of rows that are written or sent."""
        pyarrow, fields = load_pyarrow(), long_fields()
        if self.task.by is not None:
            fields["stratum"] = pyarrow.string()
        if len(self.sides) > 1:
            fields["side"] = pyarrow.int8()
        return pyarrow.schema(fields)

    def blocks(
        self, tables: Iterable[Any], n_parts: int, numbers: Collection[int], level: int = 0
    ) -> Iterator[tuple[int, Any]]:
        """Yield the rows of each of these parts, which a hash of the document's name gives."""
        for table in tables:
            names = strings_of(table["document"])
            hashes = hash_strings(names.data, names.offsets)
            parts = ((hashes >> np.uint64(8 * level)) % np.uint64(n_parts)).astype(np.int64)
            rows = with_columns(table, self.schema)
            rows = rows.take(load_pyarrow().array(np.argsort(parts, kind="stable")))
            starts = [0, *np.cumsum(bincount(parts, minlength=n_parts)).tolist()]
            for number in np.unique(parts).tolist():
                if number in numbers:
                    yield number, rows.slice(starts[number], starts[number + 1] - starts[number])

    def divide(
        self, tables: Iterable[Any], folder: Path, n_parts: int, numbers: Collection[int], level: int = 0
    ) -> dict[int, Path]:
        """Write the rows of these parts to a file each, and return the files."""
        pyarrow = load_pyarrow()
        codec = "lz4" if pyarrow.Codec.is_available("lz4") else None
        options = pyarrow.ipc.IpcWriteOptions(compression=codec)
        writers: dict[int, Any] = {}
        with naming_spill(), ExitStack() as opened:
            for number, rows in self.blocks(tables, n_parts, numbers, level):
                if number not in writers:
                    stream = opened.enter_context(open(folder / f"{level}-{number}", "wb"))
                    writer = pyarrow.ipc.new_stream(stream, self.schema, options=options)
                    writers[number] = opened.enter_context(writer)
                writers[number].write_table(rows)
        return {number: folder / f"{level}-{number}" for number in writers}

    def count_file(self, file: Path, level: int = 0) -> Part:
        """Count the part in a file, and remove the file."""
        pyarrow = load_pyarrow()
        with pyarrow.OSFile(str(file)) as stream, pyarrow.ipc.open_stream(stream) as reader:
            tables = (pyarrow.Table.from_batches([batch]) for batch in reader)
            part = self.count_part(tables, file.parent, level)
        file.unlink()
        return part

    def count_part(self, tables: Iterator[Any], folder: Path, level: int = 0) -> Part:
        """Count the rows of a part, in any order; a part that is far too large is divided in files."""
        held: deque[Any] = deque()
        n_rows = n_bytes = 0
        for table in tables:
            held.append(table)
            n_rows, n_bytes = n_rows + len(table), n_bytes + table.nbytes
            if level < LEVELS and (n_rows > TOO_LARGE * PART_ROWS or n_bytes > TOO_LARGE * PART_BYTES):
                every = chain((held.popleft() for _ in range(len(held))), tables)
                inner, n_parts = Path(tempfile.mkdtemp(dir=folder)), 2 * TOO_LARGE
                files = self.divide(every, inner, n_parts, range(n_parts), level + 1)
                return sum((self.count_file(files[part], level + 1) for part in sorted(files)), Part({}))
        return self.count_together([*held])

    def count_together(self, tables: Sequence[Any]) -> Part:
        """Count the rows of whole documents, in any order."""
        if not tables:
            return Part({})
        table = load_pyarrow().concat_tables(tables, promote_options="default").combine_chunks()
        order = load_compute().sort_indices(table["document"])
        size = self.task.batch_rows
        chunks = (table.take(order.slice(start, size)) for start in range(0, len(table), size))
        parts = map(self.task, whole_documents(chunks, size))
        return sum((replace(part, edges=None) for part in parts), Part({}))


@contextmanager
def naming_spill() -> Iterator[None]:
    """Name the folder of temporary files that is full, and how to choose another."""
    try:
        yield
    except OSError as error:
        why = f"{error.strerror or error} (set TMPDIR to put temporary files into another folder)"
        raise OSError(error.errno, why, tempfile.gettempdir()) from None

"""Bringing the rows of each document together: whole documents in parts, by a hash of their names.

DuckDB reads; rows are written to a file for each part, and each part is sorted and counted by itself.
Measured on two cores with rows in random order, a list of positions on each: 2 million rows take 1.6 s and
440 MB so, 2.9 s and 560 MB with DuckDB's ORDER BY, 3.5 s and 470 MB with its COPY ... PARTITION_BY; 8 million
rows take 5.8 s, against 12 to 20 s and 13 s. The hash is that of the Poisson bootstrap, so that parts outlive
an upgrade of whatever reads and shuffles.
"""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from caesura.arrays import bincount
from caesura.io.layout import GROUPED, SORTED
from caesura.scale.counting import Task
from caesura.scale.data_files import DataFile, Wanted
from caesura.scale.documents import whole_documents
from caesura.scale.parts import Part
from caesura.scale.readers import pieces_of, rows_of
from caesura.scale.rows import compute, long_fields, with_columns
from caesura.sums.tallies import hash_strings
from caesura.values.arrow import load_pyarrow, strings_of

PART_ROWS = 2**18
"""Rows that a part has about."""

PART_BYTES = 2**25
"""Bytes that it has about, where codings are long."""

MOST_PARTS = 256
"""Parts at a time, each with an open file; one that is larger than meant is divided again."""

TOO_LARGE = 4
"""Times the size of a part from which on it is divided again."""

LEVELS = 4
"""How often a part is divided: a document that alone is too large cannot be."""

PIECE_ROWS = 2**18
"""Row groups that are read at once on a cluster are taken together up to this many rows."""


@dataclass(frozen=True)
class Piece:
    """A file, or a run of its row groups, that a worker reads by itself."""

    side: int
    file: DataFile
    row_groups: range | None = None


@dataclass(frozen=True)
class Job:
    """Files, one side or two, and what is counted of them."""

    task: Task
    sides: tuple[tuple[DataFile, ...], ...]

    @property
    def files(self) -> list[tuple[DataFile, Wanted]]:
        """Every file, and what is read of it."""
        return [(file, self.wanted(side)) for side, files in enumerate(self.sides) for file in files]

    def wanted(self, side: int) -> Wanted:
        """Return what is read of a side: hypotheses have no strata."""
        return Wanted(None if side else self.task.by)

    @cached_property
    def n_rows(self) -> int | None:
        """How many rows there are; None where only reading tells."""
        rows = [file.n_rows for file, _ in self.files]
        return None if None in rows else sum(n for n in rows if n is not None)

    @cached_property
    def about_rows(self) -> int:
        """About how many rows there are."""
        return sum(file.about_rows for file, _ in self.files)

    @cached_property
    def n_parts(self) -> int:
        """Into how many parts documents are divided: as many, whenever the same files are counted."""
        n_bytes = sum(file.about_rows * file.row_bytes for file, _ in self.files)
        return min(MOST_PARTS, max(1, -(-n_bytes // PART_BYTES), -(-self.about_rows // PART_ROWS)))

    @property
    def is_grouped(self) -> bool:
        """Whether all files say that the rows of a document are together."""
        return len(self.sides) == 1 and all(file.order in (GROUPED, SORTED) for file in self.sides[0])

    @cached_property
    def pieces(self) -> list[Piece]:
        """What workers read by themselves."""
        pieces: list[Piece] = []
        for side, files in enumerate(self.sides):
            for file in files:
                if not file.row_groups:
                    pieces.append(Piece(side, file))
                    continue
                start = held = 0
                for number, n in enumerate((*file.row_groups, PIECE_ROWS)):
                    if held and held + n > PIECE_ROWS:
                        pieces.append(Piece(side, file, range(start, number)))
                        start, held = number, 0
                    held += n
        return pieces

    def rows(
        self, pieces: Iterable[Piece] | None = None, mapped: Callable[..., Iterator[Any]] = map
    ) -> Iterator[Any]:
        """Yield the rows of pieces, or of all files in their order, plain, and with all columns."""
        if pieces is None:
            pieces = [Piece(side, file) for side, files in enumerate(self.sides) for file in files]
        unread = (
            (piece.side, item)
            for piece in pieces
            for item in pieces_of(piece.file, self.wanted(piece.side), piece.row_groups)
        )
        return mapped(self._sided_rows, unread)

    def _sided_rows(self, item: tuple[int, Any]) -> Any:
        """Return rows as a table, each with its side where there are two."""
        table = rows_of(item[1]).table
        if len(self.sides) == 1:
            return table
        pyarrow = load_pyarrow()
        side = pyarrow.repeat(pyarrow.scalar(item[0], pyarrow.int8()), len(table))
        return table.append_column("side", side)

    def count_piece(self, piece: Piece) -> Part:
        """Count a piece that holds whole documents."""
        return sum(map(self.task, whole_documents(self.rows([piece]), self.task.batch_rows)), Part({}))

    @property
    def schema(self) -> Any:
        """The columns of rows on their way."""
        pyarrow, fields = load_pyarrow(), long_fields()
        if self.task.by is not None:
            fields["stratum"] = pyarrow.string()
        if len(self.sides) > 1:
            fields["side"] = pyarrow.int8()
        return pyarrow.schema(fields)

    def on_its_way(self, table: Any) -> Any:
        """Return rows with all of these columns."""
        return with_columns(table, self.schema)

    def count_together(self, tables: Sequence[Any]) -> Part:
        """Count the rows of whole documents, in any order."""
        if not tables:
            return Part({})
        table = load_pyarrow().concat_tables(tables, promote_options="default").combine_chunks()
        order = compute().sort_indices(table["document"])
        size = self.task.batch_rows
        chunks = (table.take(order.slice(start, size)) for start in range(0, len(table), size))
        return self.task.count_all(whole_documents(chunks, size))


def blocks(table: Any, n_parts: int, level: int = 0) -> Iterator[tuple[int, Any]]:
    """Yield the rows of each part that has any, and its number, which the name of a document gives."""
    names = strings_of(table["document"])
    hashes = hash_strings(names.data, names.offsets)
    numbers = ((hashes >> np.uint64(8 * level)) % np.uint64(n_parts)).astype(np.int64)
    table = table.take(load_pyarrow().array(np.argsort(numbers, kind="stable")))
    ends = np.cumsum(bincount(numbers, minlength=n_parts))
    for number in np.unique(numbers).tolist():
        start = int(ends[number - 1]) if number else 0
        yield number, table.slice(start, int(ends[number]) - start)


# -------------------------------------------------------------------- files of parts


def divide(
    tables: Iterable[Any], schema: Any, folder: Path, n_parts: int, numbers: Collection[int], level: int = 0
) -> dict[int, Path]:
    """Write the rows of these parts to a file each, and return the files."""
    pyarrow = load_pyarrow()
    codec = "lz4" if pyarrow.Codec.is_available("lz4") else None
    options = pyarrow.ipc.IpcWriteOptions(compression=codec)
    files: dict[int, Path] = {}
    with ExitStack() as opened, naming_spill():
        writers: dict[int, Any] = {}
        for table in tables:
            for number, rows in blocks(table, n_parts, level):
                if number not in numbers:
                    continue
                if number not in writers:
                    files[number] = folder / f"{level}-{number}"
                    stream = opened.enter_context(files[number].open("wb"))
                    writers[number] = pyarrow.ipc.new_stream(stream, schema, options=options)
                writers[number].write_table(rows)
        for writer in writers.values():
            writer.close()
    return files


def count_file(job: Job, file: Path, level: int = 0) -> Part:
    """Count the part that a file holds, and remove the file."""
    pyarrow = load_pyarrow()
    with pyarrow.OSFile(str(file)) as stream, pyarrow.ipc.open_stream(stream) as reader:
        part = count_part(job, (pyarrow.Table.from_batches([batch]) for batch in reader), file.parent, level)
    os.unlink(file)
    return part


def count_part(job: Job, tables: Iterator[Any], folder: Path, level: int = 0) -> Part:
    """Count the rows of a part; one that is far too large is divided again, in files in a folder."""
    held: deque[Any] = deque()
    n_rows = n_bytes = 0
    for table in tables:
        held.append(table)
        n_rows, n_bytes = n_rows + len(table), n_bytes + table.nbytes
        if level < LEVELS and (n_rows > TOO_LARGE * PART_ROWS or n_bytes > TOO_LARGE * PART_BYTES):
            every = chain((held.popleft() for _ in range(len(held))), tables)
            inner, n_parts = Path(tempfile.mkdtemp(dir=folder)), 2 * TOO_LARGE
            files = divide(every, job.schema, inner, n_parts, range(n_parts), level + 1)
            return sum((count_file(job, files[number], level + 1) for number in sorted(files)), Part({}))
    return job.count_together([*held])


@contextmanager
def naming_spill() -> Iterator[None]:
    """Say where a temporary file found no room, and how to put it elsewhere."""
    try:
        yield
    except OSError as error:
        why = f"{error.strerror or error} (a temporary file is there; TMPDIR names another folder)"
        raise OSError(error.errno, why, tempfile.gettempdir()) from None

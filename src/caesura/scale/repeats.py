"""Documents that come again: found in bounded memory, whatever the number of documents.

Names that ascend, or count up (d9, d10), cannot repeat, and most tables are so. Of others, numbers of 64 bits
are compared, one for each name: they wait in a temporary file, if they are many, and are divided by their
first bits, so that each is looked at once with those it may be equal to. Equal numbers are looked up by name
in the data, so that chance is no error.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from caesura import kernel
from caesura.arrays import IntArray
from caesura.errors import CorpusError
from caesura.kernel.rows_python import N_PARTS
from caesura.scale.documents import whole_documents
from caesura.scale.parts import Edges, joined_edges
from caesura.scale.pieces import Batch, Piece
from caesura.scale.readers import READERS
from caesura.values.arrow import load_pyarrow
from caesura.values.forms import short_name

AT_ONCE = 1 << 16
"""Numbers that are looked at together: about so many, or a 256th of all."""

BLOCK = 1 << 17
"""Numbers that are divided by their first bits at a time."""

IN_MEMORY = 1 << 23
"""Bytes up to which nothing is written to the disk."""

WORD = 8


class Repeats:
    """Watches the names of documents, in the order in which they are counted."""

    def __enter__(self) -> Self:
        with _naming():
            self._file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)
        self._edges: Edges | None = None
        self._number = 0
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # a full disk has no room for what nobody needs any more
            self._file.close()

    def follow(self, edges: Edges | None) -> None:
        """Note the names that come next in the data."""
        self._edges = joined_edges(self._edges, edges)

    def add(self, hashes: NDArray[np.uint64]) -> None:
        """Note the numbers of names, in any order."""
        self._number += len(hashes)
        with _naming():
            self._file.write(hashes.data)

    def check(self, task: Any, pieces: Sequence[Piece]) -> None:
        """Refuse data in which a document comes again after others."""
        if self._edges is None or self._edges.differ:
            return
        twice = np.concatenate([np.empty(0, dtype=np.uint64), *self._repeated()])
        if len(twice):
            _refuse(task, pieces, twice)

    def _repeated(self) -> Iterator[NDArray[np.uint64]]:
        """Yield the numbers that are there twice, from ranges of first bits that memory can hold."""
        n_ranges = min(N_PARTS, -(-self._number // AT_ONCE))
        with _naming(), tempfile.SpooledTemporaryFile(IN_MEMORY) as file:
            blocks = [self._number_block(place, file) for place in range(0, self._number, BLOCK)]
            for one in range(n_ranges):
                first, last = (edge * N_PARTS // n_ranges for edge in (one, one + 1))
                held = [_read(file, int(starts[first]), int(starts[last])) for starts in blocks]
                yield kernel.active_rows.repeated(np.concatenate(held))

    def _number_block(self, place: int, file: IO[bytes]) -> IntArray:
        """Write some numbers by their first bits, and return where each part of them starts."""
        parts, starts = kernel.active_rows.divided(_read(self._file, place, min(place + BLOCK, self._number)))
        file.write(parts.data)
        found: IntArray = place + starts
        return found


def _read(file: IO[bytes], start: int, stop: int) -> NDArray[np.uint64]:
    file.seek(start * WORD)
    return np.frombuffer(file.read((stop - start) * WORD), dtype=np.uint64)


@contextmanager
def _naming() -> Iterator[None]:
    """Say where a temporary file found no room, and how to put it elsewhere."""
    try:
        yield
    except OSError as error:
        why = f"{error.strerror or error} (a temporary file is there; TMPDIR names another folder)"
        raise OSError(error.errno, why, tempfile.gettempdir()) from None


def _refuse(task: Any, pieces: Sequence[Piece], twice: NDArray[np.uint64]) -> None:
    """Say which document comes again and where; names that merely share a number are fine."""
    seen: dict[str, str] = {}
    for where, names, numbers in _names(task, pieces):
        for place in np.flatnonzero(np.isin(numbers, twice)).tolist():
            name = names[place]
            if name in seen:
                raise_again(name, seen[name], where)
            seen[name] = where


def _names(task: Any, pieces: Sequence[Piece]) -> Iterator[tuple[str, Any, NDArray[np.uint64]]]:
    """Read the names of all documents once more."""
    text = load_pyarrow().large_string()
    last: str | None = None
    for piece in pieces:
        for batch in READERS[piece.reader].batches(piece, ["document", "coder"], task.batch_rows):
            table = batch.table.set_column(
                batch.table.column_names.index("document"), "document", batch.table["document"].cast(text)
            )
            for rows in whole_documents(iter([Batch(batch.where, table)])):
                names, numbers = rows.names, rows.hashes
                if last is not None and names[0] == last:  # it goes on from the batch before
                    names, numbers = names[1:], numbers[1:]
                if len(names):
                    last = names[len(names) - 1]
                    yield batch.where, names, numbers


def raise_again(name: str, before: str, where: str) -> NoReturn:
    """Say that a document comes again."""
    raise CorpusError(
        f"{where}: document {short_name(name)} was already there ({before}), with others in between: "
        "the rows of a document must stand together; caesura convert sorts them"
    )

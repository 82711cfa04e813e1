"""What is done with a piece, whatever is counted: rows are read, put together to documents, and added up.

A task can be pickled and run by whoever has the rows, in any order, as often as somebody likes; sums of parts
are the sums of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from caesura.errors import CaesuraError, CorpusError
from caesura.scale.documents import DocumentRows, whole_documents, with_plain_types
from caesura.scale.joining import JoinedRows, joined
from caesura.scale.parts import Part, edges_of
from caesura.scale.pieces import NEEDED, BadFile, BadFileError, Batch, Piece, naming_file
from caesura.scale.ranges import NameRange
from caesura.scale.readers import READERS
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme

Within = Callable[[Iterator[DocumentRows]], Iterator[DocumentRows]]

BATCH_ROWS = 1 << 18
"""Rows that are read and counted at a time: a piece of Parquet, unless its codings are long."""


TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""What the GNU C library calls M_TRIM_THRESHOLD and M_MMAP_THRESHOLD."""

KEPT = 32 << 20
"""Bytes of the largest array whose memory is kept, and half of what may be kept in all."""


@cache
def keep_freed_memory() -> None:
    """Have the C library keep the memory of freed arrays for the next batch.

    Arrays of a megabyte go back to the system as soon as they are freed, and page faults of the next ones
    take a third of the time; more on Dask's workers, which have the library give back whatever it can. Other
    libraries than GNU's have no such setting.
    """
    import ctypes  # slow to import

    with suppress(AttributeError, OSError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(TRIM_THRESHOLD, 2 * KEPT)
        library.mallopt(MMAP_THRESHOLD, KEPT)


@dataclass(frozen=True, kw_only=True)
class Task:
    """Counts rows of the long table: a pure function from a piece to a part."""

    by: str | None = None
    """The column of strata."""
    scheme: TypeScheme | None = None
    with_documents: bool = False
    """Whether the values of single documents are wanted, too."""
    batch_rows: int = BATCH_ROWS

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        return [*NEEDED, "types", *([] if self.by is None else [self.by])]

    @property
    def nothing(self) -> Part:
        """The part that no rows have."""
        return Part({}, with_documents=self.with_documents)

    def read(self, piece: Piece) -> Iterator[Batch]:
        """Read the rows of a piece, in the types that all files share."""
        keep_freed_memory()
        with naming_file(piece.path):
            for batch in READERS[piece.reader].batches(piece, self.columns, self.batch_rows):
                yield with_plain_types(batch, self.by)

    def __call__(self, item: Piece | JoinedRows | NameRange) -> Part:
        """Count a piece: all of its documents but the first and the last, which may go on in others.

        Rows of references and hypotheses that were joined are whole documents, and all are counted; so are
        those of a range of names.
        """
        if isinstance(item, JoinedRows):
            return self.count(*item)
        if isinstance(item, NameRange):
            pairs = self.side_by_side(item.people, item.machine, item.within)
            return sum((self.count(*pair) for pair in pairs), self.nothing)
        return self.of_batches(self.read(item))

    def side_by_side(
        self, people: Sequence[Piece], machine: Sequence[Piece], within: Within = iter
    ) -> Iterator[JoinedRows]:
        """Read references and hypotheses side by side; ``within`` may leave out documents of either."""
        return joined(within(self._documents(people)), within(replace(self, by=None)._documents(machine)))

    def _documents(self, pieces: Iterable[Piece]) -> Iterator[DocumentRows]:
        """Read whole documents, one batch after the other."""
        return whole_documents(batch for piece in pieces for batch in self.read(piece))

    def of_batches(self, batches: Iterable[Batch]) -> Part:
        """Count batches in the order of the rows; the rows of the first and last document are kept."""
        part, head, last = self.nothing, None, None
        for found in whole_documents(iter(batches)):
            if last is not None:
                part += self.count(last)
                last = None
            start = 0
            if head is None:
                head, start = found.part(0, 1).alone(), 1
            if start < len(found):
                last = found.part(start, len(found))
        if head is None:
            return part
        self._corpus(head)  # what is wrong with rows is found where they are read
        if last is None:
            return replace(part, head=head)
        if len(last) > 1:
            part += self.count(last.part(0, len(last) - 1))
        tail = last.part(len(last) - 1, len(last)).alone()
        self._corpus(tail)
        return replace(part, head=head, tail=tail)

    def count(self, rows: DocumentRows, hypotheses: DocumentRows | None = None) -> Part:
        """Count whole documents; hypotheses may be in rows of their own."""
        try:
            corpus = self._corpus(rows)
            other = corpus if hypotheses is None else self._corpus(hypotheses)
            part = replace(
                self.nothing, hashes=rows.hashes, edges=edges_of(rows), n_rows=len(rows.table),
                coders=tuple(dict.fromkeys((*corpus.coders, *other.coders))),
            )  # fmt: skip
            return self._counted(part, rows, corpus, other)
        except CaesuraError as error:
            if isinstance(error, BadFileError):
                raise
            raise type(error)(f"{rows.where}: {error}") from None

    def _counted(self, part: Part, rows: DocumentRows, corpus: Corpus, other: Corpus) -> Part:
        """Return the part with the sums of these documents; ``other`` holds the hypotheses."""
        raise NotImplementedError

    @property
    def about(self) -> list[Any]:
        """What tells the numbers of this task from those of others."""
        raise NotImplementedError

    def check_sums(self, total: Part) -> None:
        """Refuse more sums than memory should hold, as soon as there are."""

    def check_total(self, total: Part) -> None:
        """Refuse sums that lack what was asked for."""
        raise NotImplementedError

    def _corpus(self, rows: DocumentRows) -> Corpus:
        try:
            return rows.corpus().with_type_scheme(self.scheme)
        except BadFileError:
            raise
        except CorpusError as error:  # types that are not declared
            raise BadFileError(f"{rows.where}: {error}") from None


@dataclass(frozen=True)
class Careful:
    """Counts a piece, or returns what is wrong with its file in place of raising it."""

    count: Callable[[Piece], Part]

    def __call__(self, piece: Piece) -> Part | BadFile:
        """Return the part of a piece, or the fault of its file."""
        try:
            return self.count(piece)
        except BadFileError as error:
            return BadFile(piece.path, str(error))

"""Adding up parts in the order of the pieces: documents that pieces share, and those that come again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeVar

from caesura.errors import CaesuraError, CorpusError
from caesura.scale.documents import DocumentRows, joined_places
from caesura.scale.engines.registry import engine_of
from caesura.scale.keeping import Kept, keep_parts
from caesura.scale.parts import Edges, Part, no_hashes
from caesura.scale.pieces import BadFile, Piece
from caesura.scale.ranges import NameRange
from caesura.scale.repeats import Repeats, raise_again
from caesura.scale.tasks import Careful, Task
from caesura.scale.values_file import ValuesFile
from caesura.sums.streams import Progress, Run, Total
from caesura.values.arrow import load_pyarrow
from caesura.wording import counted

T = TypeVar("T")

EDGES_AT_ONCE = 256
"""Documents from the ends of pieces that are counted together."""


def add_up(
    task: Task,
    pieces: Sequence[Piece],
    run: Run,
    *,
    hypotheses: Sequence[Piece] | None = None,
    ranges: Sequence[NameRange] | None = None,
    bad: Sequence[BadFile] | None = None,
) -> Total:
    """Count all pieces, alone or joined to those of the hypotheses, and add up the parts.

    ``ranges`` divide the pieces and those of the hypotheses by the names of documents.
    ``bad`` are files that are left out already; others may join them. None: a bad file is an error.
    """
    left_out = [*(bad or ())]
    passed = _Passed(pieces)
    counting: Any = task if run.resume is None else keep_parts(task, run.resume)
    engine = engine_of(run.engine)
    if ranges is not None:
        parts = engine(counting, ranges)
    elif hypotheses is not None:
        parts = engine.join(task, pieces, hypotheses)
    elif bad is None:
        parts = passed.noting(engine(counting, pieces))
    else:
        results = passed.noting(engine(Careful(counting), pieces))
        parts = _of_good_files(pieces, results, left_out)
    again: Counter[str] = Counter()
    all_rows = None if any(piece.n_rows is None for piece in pieces) else sum(p.n_rows or 0 for p in pieces)
    total = task.nothing
    documents = rows = 0
    with Repeats() as repeats, ValuesFile(run.documents) as values:
        for part in _whole_parts(task, _noting(parts, again), repeats):
            repeats.add(part.hashes)
            values.write(part.documents)
            documents, rows = documents + part.n_documents, rows + part.n_rows
            total = replace(total + replace(part, documents=None), hashes=no_hashes())
            task.check_sums(total)
            if run.progress is not None:
                share = rows / all_rows if all_rows else passed.share
                run.progress(Progress(documents, rows, all_rows, share))
        dropped = {one.path for one in left_out}
        repeats.check(task, [piece for piece in pieces if piece.path not in dropped])
        if not total.coders:
            raise CorpusError("the files have no rows")
        task.check_total(total)
        values.finish()
    if isinstance(counting, Kept):
        _remark(run, counting, pieces if ranges is None else ranges, again)
    return Total(total.sums, total.coders, tuple(one.message for one in left_out), total.typed)


class _Passed:
    """How much of the files has come back, as their readers count it."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._sizes = [piece.stop - piece.start for piece in pieces]
        self._done = 0

    def noting(self, results: Iterator[T]) -> Iterator[T]:
        """Yield what comes back of each piece."""
        for size, result in zip(self._sizes, results, strict=True):
            self._done += size
            yield result

    @property
    def share(self) -> float | None:
        """The share so far; None before anything has come back."""
        return self._done / sum(self._sizes) if self._done else None


def _of_good_files(
    pieces: Sequence[Piece], results: Iterator[Part | BadFile], left_out: list[BadFile]
) -> Iterator[Part]:
    """Yield the parts of files of which all parts are good; others are left out as wholes."""
    for _, group in groupby(zip(pieces, results, strict=True), key=lambda pair: pair[0].path):
        found = [result for _, result in group]
        faults = [one for one in found if isinstance(one, BadFile)]
        if faults:
            left_out.append(faults[0])
        else:
            yield from (one for one in found if isinstance(one, Part))


def _noting(parts: Iterator[Part], again: Counter[str]) -> Iterator[Part]:
    """Note why parts were counted again."""
    for part in parts:
        if part.recounted is not None:
            again[part.recounted] += 1
        yield part


def _remark(run: Run, kept: Kept, pieces: Sequence[Piece | NameRange], again: Counter[str]) -> None:
    """Say what was not taken from the parts that were kept."""
    for reason, number in again.items():
        run.remark(f"{kept.folder}: {counted(number, 'part')} counted again: {reason}")
    strangers = kept.strangers(pieces)
    if strangers:
        run.remark(
            f"{kept.folder}: {counted(strangers, 'part')} left alone: they are of other files, or of rows "
            "that are divided otherwise now"
        )


def _whole_parts(task: Task, parts: Iterator[Part], repeats: Repeats) -> Iterator[Part]:
    """Yield the parts, and between them those of documents at the ends of pieces, which they may share."""
    edges = _Edges(task, repeats)
    for part in parts:
        if part.head is not None:
            edges.add(part.head)
        if part.n_documents or part.tail is not None:
            edges.close()
        if task.with_documents or len(edges.closed) >= EDGES_AT_ONCE:
            yield from edges.counted()
        if part.n_documents:
            repeats.follow(part.edges)
            yield replace(part, head=None, tail=None)
        if part.tail is not None:
            edges.add(part.tail)
    edges.close()
    yield from edges.counted()


@dataclass
class _Edges:
    """Documents at the ends of pieces: the one that may go on, and those that are whole."""

    task: Task
    repeats: Repeats

    def __post_init__(self) -> None:
        self.open: list[DocumentRows] = []
        self.closed: list[DocumentRows] = []

    def add(self, rows: DocumentRows) -> None:
        """Add the rows of a document: those of the open one, or the first of another."""
        if self.open and self.open[-1].names != rows.names:
            self.close()
        self.open.append(rows)

    def close(self) -> None:
        """Take the open document as whole."""
        if self.open:
            name = self.open[0].names[0]
            self.repeats.follow(Edges(name, name, ascends=True, counts_up=True))
            if self.closed and self.closed[-1].names[0] == name:  # side by side they would be one
                raise_again(name, self.closed[-1].where, self.open[0].where)
            self.closed.append(_joined(self.open))
            self.open = []

    def counted(self) -> Iterator[Part]:
        """Count the documents that are whole."""
        if not self.closed:
            return
        try:
            part = self.task.count(_joined(self.closed))
        except CaesuraError:
            for rows in self.closed:  # to say where it is
                self.task.count(rows)
            raise
        yield part
        self.closed = []


def _joined(rows: Sequence[DocumentRows]) -> DocumentRows:
    if len(rows) == 1:
        return rows[0]
    where = joined_places([one.where for one in rows])
    pyarrow = load_pyarrow()
    try:
        table = pyarrow.concat_tables([one.table for one in rows])
    except pyarrow.ArrowException:
        raise CorpusError(f"{where}: the columns of the files differ") from None
    return DocumentRows.of(where, table)

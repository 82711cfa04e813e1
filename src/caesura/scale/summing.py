"""Adding up parts in the order of the pieces: documents that pieces share, and those that come again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from caesura.analyses.evaluation.streams import Progress, Run, Streamed
from caesura.errors import CaesuraError, CorpusError, UnknownNameError, did_you_mean
from caesura.scale.counting import Careful, EvaluationTask, empty_sums
from caesura.scale.documents import DocumentRows, joined_places
from caesura.scale.engines.registry import engine_of
from caesura.scale.joining import JoinedRows
from caesura.scale.keeping import Kept, keep_parts
from caesura.scale.parts import Part, no_hashes
from caesura.scale.pieces import BadFile, Piece
from caesura.scale.repeats import Repeats
from caesura.scale.values_file import ValuesFile
from caesura.values.arrow import load_pyarrow
from caesura.values.forms import short_name
from caesura.wording import counted

EDGES_AT_ONCE = 256
"""Documents from the ends of pieces that are counted together."""


def add_up(
    task: EvaluationTask,
    pieces: Sequence[Piece],
    run: Run,
    *,
    joined_rows: Iterator[JoinedRows] | None = None,
    bad: Sequence[BadFile] | None = None,
) -> Streamed:
    """Count all pieces, or the rows that they were joined to, and add up the parts.

    ``bad`` are files that are left out already; others may join them. None: a bad file is an error.
    """
    left_out = [*(bad or ())]
    counting: Any = task if run.resume is None else keep_parts(task, run.resume)
    map_all = engine_of(run.engine)
    if joined_rows is not None:
        parts = map_all(task, joined_rows)
    elif bad is None:
        parts = map_all(counting, pieces)
    else:
        parts = _of_good_files(pieces, map_all(Careful(counting), pieces), left_out)
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
            if run.progress is not None:
                run.progress(Progress(documents, rows, all_rows))
        dropped = {one.path for one in left_out}
        repeats.check(task, [piece for piece in pieces if piece.path not in dropped])
        _check_coders(task, total)
        values.finish()
    if isinstance(counting, Kept):
        _remark(run, counting, pieces, again)
    strata = {name: sums for name, sums in total.sums.items() if task.by is not None}
    total_sums = sum(total.sums.values(), empty_sums(task.question))
    return Streamed(total_sums, strata, tuple(one.message for one in left_out))


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


def _remark(run: Run, kept: Kept, pieces: Sequence[Piece], again: Counter[str]) -> None:
    """Say what was not taken from the parts that were kept."""
    for reason, number in again.items():
        run.remark(f"{kept.folder}: {counted(number, 'part')} counted again: {reason}")
    strangers = kept.strangers(pieces)
    if strangers:
        run.remark(
            f"{kept.folder}: {counted(strangers, 'part')} left alone: they are of other files, or of rows "
            "that are divided otherwise now"
        )


def _whole_parts(task: EvaluationTask, parts: Iterator[Part], repeats: Repeats) -> Iterator[Part]:
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

    task: EvaluationTask
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
            self.repeats.follow((name, name, True))
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


def _check_coders(task: EvaluationTask, total: Part) -> None:
    """Refuse references that occur nowhere, and data without any."""
    if not total.coders:
        raise CorpusError("the files have no rows")
    for coder in task.references:
        if coder not in total.coders:
            raise UnknownNameError(
                f"there is no coder {short_name(coder)!r}; {did_you_mean(coder, total.coders)}"
            )
    for coder in task.question.segmenters:
        if coder not in total.coders:
            raise UnknownNameError(
                f"there is no segmenter {short_name(coder)!r}; {did_you_mean(coder, total.coders)}"
            )

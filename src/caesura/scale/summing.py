"""Adding up parts in the order of the pieces: documents that pieces share, and those that come again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from caesura.analyses.evaluation.counting import Sums
from caesura.analyses.evaluation.streams import Progress, Run
from caesura.errors import CorpusError, UnknownNameError, did_you_mean
from caesura.scale.counting import EvaluationTask, empty_sums
from caesura.scale.documents import DocumentRows, joined_places
from caesura.scale.engines.registry import engine_of
from caesura.scale.joining import JoinedRows
from caesura.scale.parts import Part, no_hashes
from caesura.scale.pieces import Piece
from caesura.scale.repeats import Repeats
from caesura.scale.values_file import ValuesFile
from caesura.values.arrow import load_pyarrow
from caesura.values.forms import short_name

EDGES_AT_ONCE = 256
"""Documents from the ends of pieces that are counted together."""


def add_up(
    task: EvaluationTask, items: Iterable[Piece | JoinedRows], pieces: Sequence[Piece], run: Run
) -> tuple[Sums, Mapping[str, Sums]]:
    """Count all items, which are the pieces of the references or were joined with them; add up the parts."""
    parts = engine_of(run.engine)(task, items)
    all_rows = None if any(piece.n_rows is None for piece in pieces) else sum(p.n_rows or 0 for p in pieces)
    total = task.nothing
    documents = rows = 0
    with Repeats() as repeats, ValuesFile(run.documents) as values:
        for part in _whole_parts(task, parts, repeats):
            repeats.add(part.hashes)
            values.write(part.documents)
            documents, rows = documents + part.n_documents, rows + part.n_rows
            total = replace(total + replace(part, documents=None), hashes=no_hashes())
            if run.progress is not None:
                run.progress(Progress(documents, rows, all_rows))
        repeats.check(task, pieces)
        _check_coders(task, total)
        values.finish()
    strata = {name: sums for name, sums in total.sums.items() if task.by is not None}
    return sum(total.sums.values(), empty_sums(task.question)), strata


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
        if self.closed:
            yield self.task.count(_joined(self.closed))
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

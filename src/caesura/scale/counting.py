"""The whole computation on a piece: one pure function from rows of the long table to sums.

It can be pickled and run by whoever has the rows, in any order, as often as somebody likes; sums of parts are
the sums of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from caesura.analyses.evaluation.counting import Counts, Question, Sums
from caesura.analyses.evaluation.results import Size
from caesura.arrays import IntArray
from caesura.errors import CaesuraError, CorpusError
from caesura.pairs import Judged, judge
from caesura.scale.documents import DocumentRows, hashes_of, whole_documents, with_plain_types
from caesura.scale.joining import JoinedRows
from caesura.scale.parts import Part, edges_of
from caesura.scale.pieces import NEEDED, BadFile, BadFileError, Batch, Piece, naming_file
from caesura.scale.readers import READERS
from caesura.stats.exact import Tally
from caesura.values.arrow import load_pyarrow, strings_of
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme
from caesura.wording import listed

BATCH_ROWS = 1 << 16
"""Rows that are read and counted at a time."""

NO_STRATUM = "(none)"
"""What documents without a value in the column of strata belong to."""


@dataclass(frozen=True)
class EvaluationTask:
    """Counts segmenters against references in rows of the long table."""

    question: Question
    references: tuple[str, ...]
    by: str | None = None
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
        with naming_file(piece.path):
            for batch in READERS[piece.reader].batches(piece, self.columns, self.batch_rows):
                yield with_plain_types(batch, self.by)

    def __call__(self, item: Piece | JoinedRows) -> Part:
        """Count a piece: all of its documents but the first and the last, which may go on in others.

        Rows of references and hypotheses that were joined are whole documents, and all are counted.
        """
        return self.count(*item) if isinstance(item, JoinedRows) else self.of_batches(self.read(item))

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
        """Count whole documents; the hypotheses may be in rows of their own."""
        try:
            corpus = self._corpus(rows)
            return self._counted(rows, corpus, corpus if hypotheses is None else self._corpus(hypotheses))
        except CaesuraError as error:
            if isinstance(error, BadFileError):
                raise
            raise type(error)(f"{rows.where}: {error}") from None

    def _corpus(self, rows: DocumentRows) -> Corpus:
        try:
            return rows.corpus().with_type_scheme(self.scheme)
        except BadFileError:
            raise
        except CorpusError as error:  # types that are not declared
            raise BadFileError(f"{rows.where}: {error}") from None

    def _counted(self, rows: DocumentRows, corpus: Corpus, other: Corpus) -> Part:
        names = rows.names
        part = replace(
            self.nothing, hashes=hashes_of(names), edges=edges_of(rows), n_rows=len(rows.table),
            coders=tuple(dict.fromkeys((*corpus.coders, *other.coders))),
        )  # fmt: skip
        people, machine = (
            own.select(coders=[name for name in some if name in own.coder_numbers])
            for own, some in ((corpus, self.references), (other, self.question.segmenters))
        )
        judged = self._judged(people, machine)
        if judged is None:
            return part
        counts = self.question.counts(judged)
        strata = self._strata(rows, corpus, judged)
        sums = {name: self.question.sums(judged, counts, chosen) for name, chosen in strata}
        documents = self._document_table(judged, counts, strata) if self.with_documents else None
        return replace(part, sums=sums, documents=documents)

    def _judged(self, people: Corpus, machine: Corpus) -> Judged | None:
        if not len(people):
            if len(machine):
                raise CorpusError(
                    f"segmenter {machine.coders[0]} has {listed(machine.documents, 3)}, which no reference "
                    "coder has; remove them, or add references"
                )
            return None
        for name in self.question.segmenters:
            if name not in machine.coder_numbers:
                n = len(people.document_names)
                raise CorpusError(
                    f"segmenter {name} lacks {listed(people.documents, 3)}, all {n} of these reference "
                    "documents; add them, or select the documents that all segmenters have"
                )
        return judge(people, machine, self.question.segmenters)

    def _strata(
        self, rows: DocumentRows, corpus: Corpus, judged: Judged
    ) -> list[tuple[str, IntArray | None]]:
        """Return the strata and their documents, by number among the judged ones."""
        if self.by is None:
            return [("", None)]
        column = rows.table[self.by].fill_null(NO_STRATUM).combine_chunks().dictionary_encode()
        number = np.asarray(column.indices)
        first = number[rows.starts[:-1]]
        own = np.repeat(first, np.diff(rows.starts))
        if bool((number != own).any()):
            row = int(np.argmax(number != own))
            document = int(np.searchsorted(rows.starts, row, side="right")) - 1
            raise CorpusError(
                f"document {rows.names[document]}: its rows differ in {self.by}: a document belongs to one "
                "stratum"
            )
        names = [*strings_of(column.dictionary.cast("large_string"))]
        if len(judged.references.document_names) < len(first):
            known = corpus.document_numbers
            first = first[[known[name] for name in judged.references.documents]]
        return [(names[one], np.flatnonzero(first == one)) for one in np.unique(first).tolist()]

    def _document_table(
        self, judged: Judged, counts: tuple[Counts, ...], strata: list[tuple[str, IntArray | None]]
    ) -> Any:
        """Return a row per document: its length, its references, its pooled values."""
        pyarrow = load_pyarrow()
        corpus = judged.references
        columns: dict[str, Any] = {
            "document": corpus.to_arrow()["document"].combine_chunks().dictionary,
            "units": corpus.document_units,
            "references": corpus.n_coders,
        }
        if self.by is not None:
            stratum = np.empty(len(corpus.document_names), dtype=object)
            for name, chosen in strata:
                stratum[chosen] = name
            columns[self.by] = pyarrow.array(stratum, pyarrow.string())
        several = len(self.question.segmenters) > 1
        for number, one in enumerate(counts):
            segmenter, place = divmod(number, len(self.question.metrics))
            name = repr(self.question.metrics[place])
            name = f"{self.question.segmenters[segmenter]} {name}" if several else name
            columns[_free(name, columns)] = one.document_values
        return pyarrow.table(columns)


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


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """Return a name that no column has yet."""
    while name in taken:
        name = f"{name}'"
    return name


def empty_sums(question: Question) -> Sums:
    """Return the sums of no documents."""
    tallies = [
        Tally(
            (0,) * len(metric.count_names),
            resampled=np.zeros((question.n_resamples, len(metric.count_names)), dtype=object),
        )
        for _ in question.segmenters
        for metric in question.metrics
    ]
    return Sums(Size(0, 0, 0), tuple(tallies))

"""What evaluate() counts of a piece: segmenters against references, by stratum and by document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from caesura.analyses.evaluation.counting import SIZE, Counts, Question
from caesura.arrays import IntArray
from caesura.errors import CorpusError, UnknownNameError, did_you_mean
from caesura.metrics.base import signature_of
from caesura.pairs import SegmenterPairs, pair_segmenters
from caesura.scale.documents import DocumentRows
from caesura.scale.parts import Part
from caesura.scale.tasks import Task
from caesura.sums.named import Name
from caesura.sums.tallies import Tally
from caesura.values.arrow import load_pyarrow, strings_of, text_array
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.wording import listed

IF_APART = " (if they stand elsewhere in the data, caesura convert brings the rows of a document together)"

NO_STRATUM = "(none)"
"""What documents without a value in the column of strata belong to."""


@dataclass(frozen=True)
class EvaluationTask(Task):
    """Counts segmenters against references in rows of the long table."""

    question: Question
    references: tuple[str, ...]

    @property
    def about(self) -> list[Any]:
        """Metrics, coders, resamples, seed, strata and types."""
        question = self.question
        return [
            *(signature_of(metric) for metric in question.metrics),
            question.segmenters,
            self.references,
            (question.n_resamples, question.seed, self.by, self.with_documents),
            None if self.scheme is None else self.scheme.to_dict(),
        ]

    def check_total(self, total: Part) -> None:
        """Refuse references and segmenters that occur nowhere."""
        there = set(total.coders)
        for what, names in (("coder", self.references), ("segmenter", self.question.segmenters)):
            for name in names:
                if name not in there:
                    raise UnknownNameError(
                        f"there is no {what} {short_name(name)!r}; {did_you_mean(name, total.coders)}"
                    )

    def _counted(self, part: Part, rows: DocumentRows, corpus: Corpus, other: Corpus) -> Part:
        judged = self._judged(corpus, other)
        if judged is None:
            return part
        counts = self.question.counts(judged)
        strata = self._strata(rows, judged)
        sums: dict[Name, Tally] = {}
        for name, chosen in strata:
            sums |= self.question.sums(judged, counts, chosen, () if self.by is None else (name,))
        documents = self._document_table(judged, counts, strata) if self.with_documents else None
        return replace(part, sums=sums, documents=documents, typed=judged.typed)

    def _judged(self, corpus: Corpus, other: Corpus) -> SegmenterPairs | None:
        people = [name for name in self.references if name in corpus.coder_numbers]
        machine = [name for name in self.question.segmenters if name in other.coder_numbers]
        if not people:
            if machine:
                unknown = other.select(coders=machine[:1]).documents
                raise CorpusError(
                    f"segmenter {machine[0]} has {listed(unknown, 3)}, which no reference coder has; remove "
                    "them, or add references"
                )
            return None
        if len(machine) < len(self.question.segmenters):
            there = set(machine)
            name = next(name for name in self.question.segmenters if name not in there)
            lacking = corpus.select(coders=people).documents
            raise CorpusError(
                f"segmenter {name} lacks {listed(lacking, 3)}, all {len(lacking)} of these reference "
                f"documents; add them, or select the documents that all segmenters have{IF_APART}"
            )
        try:
            return pair_segmenters(corpus, other, self.question.segmenters, coders=people)
        except CorpusError as error:
            raise CorpusError(f"{error}{IF_APART}") from None

    def _strata(self, rows: DocumentRows, judged: SegmenterPairs) -> list[tuple[str, IntArray | None]]:
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
        first = first[judged.subjects.documents]
        return [(names[one], np.flatnonzero(first == one)) for one in np.unique(first).tolist()]

    def _document_table(
        self, judged: SegmenterPairs, counts: tuple[Counts, ...], strata: list[tuple[str, IntArray | None]]
    ) -> Any:
        """Return a row per document: its length, its references, its pooled values."""
        pyarrow = load_pyarrow()
        subjects = judged.subjects
        columns: dict[str, Any] = {
            "document": text_array(subjects.document_names),
            "units": subjects.document_units,
            "references": subjects.n_coders,
        }
        if self.by is not None:
            stratum = np.empty(len(subjects.documents), dtype=object)
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


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """Return a name that no column has yet."""
    while name in taken:
        name = f"{name}'"
    return name


def empty_sums(question: Question) -> dict[Name, Tally]:
    """Return the sums of no documents."""
    sums: dict[Name, Tally] = {(SIZE,): Tally((0, 0, 0))}
    for number, metric in enumerate(question.metrics * len(question.segmenters)):
        n = len(metric.count_names)
        sums[number,] = Tally((0,) * n, resampled=np.zeros((question.n_resamples, n), dtype=object))
    return sums

"""What is counted of whole documents: segmenters against references, or a question about corpora."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from caesura.analyses.evaluation.counting import SIZE, Counts
from caesura.analyses.evaluation.counting import Question as EvaluationQuestion
from caesura.arrays import IntArray, repeat
from caesura.errors import CaesuraError, CorpusError, unknown
from caesura.metrics.base import signature_of
from caesura.pairs import SegmenterPairs, pair_segmenters
from caesura.scale.data_files import BadFileError
from caesura.scale.documents import DocumentFault, DocumentRows
from caesura.scale.parts import Part
from caesura.sums.streams import Question
from caesura.sums.tallies import Name, Tally, added
from caesura.values.arrow import load_pyarrow, strings_of, text_array
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.type_scheme import TypeScheme
from caesura.wording import listed

PEOPLE, MACHINE = 0, 1
"""The sides of two scans: references and hypotheses."""

AT_ONCE = 1 << 17
"""Most rows that are counted at a time."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """Checks whole documents, and counts: a pure function from their rows to a part, which pickles."""

    by: str | None = None
    """The column of strata."""
    scheme: TypeScheme | None = None
    with_documents: bool = False
    """Whether the values of single documents are wanted, too."""
    batch_rows: int = AT_ONCE

    @property
    def about(self) -> list[Any]:
        """What tells the numbers of this task from those of others."""
        return [self.by, self.with_documents, None if self.scheme is None else self.scheme.to_dict()]

    def __call__(self, rows: DocumentRows) -> Part:
        """Count whole documents; what is wrong is looked for until it is one document's."""
        try:
            return self._part(rows)
        except CaesuraError as error:
            if len(rows) == 1:
                if isinstance(error, DocumentFault):
                    raise
                raise DocumentFault(str(error), rows.names[0], type(error)) from None
            half = len(rows) // 2
            for part in (rows.part(0, half), rows.part(half, len(rows))):
                self(part)
            raise

    def count_all(self, groups: Iterable[DocumentRows]) -> Part:
        """Count groups of documents of which none comes again; their order is none of the data's."""
        return replace(sum(map(self, groups), Part({})), edges=None)

    def _part(self, rows: DocumentRows) -> Part:
        sides = [rows] if "side" not in rows.table.column_names else [*_sides(rows)]
        try:
            corpora = [side.corpus().with_type_scheme(self.scheme) for side in sides]
        except CorpusError as error:  # of rows, whatever is asked of them
            raise BadFileError(str(error)) from None
        people, machine = corpora[0], corpora[-1]
        coders = tuple(dict.fromkeys((*people.coders, *machine.coders)))
        part = Part({}, len(rows), len(rows.table), rows.edges, coders)
        return self._counted(part, rows, people, machine)

    def _counted(self, part: Part, rows: DocumentRows, corpus: Corpus, hypotheses: Corpus) -> Part:
        """Return the part with its sums; references and hypotheses may be the same corpus."""
        return part

    def check_sums(self, total: Part) -> None:
        """Refuse more sums than memory should hold, as soon as there are."""

    def check_total(self, total: Part) -> None:
        """Refuse sums that lack what was asked for."""


def _sides(rows: DocumentRows) -> Iterator[DocumentRows]:
    """Yield the references and the hypotheses; both must have all documents."""
    side = np.asarray(rows.table["side"])
    first, n = rows.starts[:-1], np.diff(rows.starts)
    n_machine = np.add.reduceat(side, first)
    lacking = "the segmenters lack document {} of the references; add it, or remove it from the references"
    unknown = "no reference coder has document {} of the segmenters; remove it, or add references"
    for lacks, fault in ((n_machine == 0, lacking), (n_machine == n, unknown)):
        if bool(lacks.any()):
            name = rows.names[int(np.argmax(lacks))]
            raise DocumentFault(fault.format(short_name(name)), name)
    for number in (PEOPLE, MACHINE):
        yield DocumentRows.of(rows.table.filter(load_pyarrow().array(side == number)))


def _check_known(kind: str, names: Iterable[str], total: Part) -> None:
    known = set(total.coders)
    for name in names:
        if name not in known:
            raise unknown(kind, name, total.coders)


@dataclass(frozen=True)
class CorpusTask(Task):
    """Asks the same question of the documents of every part: what agreement() and describe() count."""

    question: Question
    coders: tuple[str, ...] | None = None
    """The coders who are selected; None: all."""

    @property
    def about(self) -> list[Any]:
        """The question, coders and types."""
        return [type(self.question).__name__, *self.question.about, self.coders, *super().about]

    def check_sums(self, total: Part) -> None:
        """Refuse more sums than memory should hold, as soon as there are."""
        self.question.check(total.sums)

    def check_total(self, total: Part) -> None:
        """Refuse coders that occur nowhere."""
        _check_known("coder", self.coders or (), total)

    def _counted(self, part: Part, rows: DocumentRows, corpus: Corpus, hypotheses: Corpus) -> Part:
        if self.coders is not None:
            corpus = corpus.select(coders=[name for name in self.coders if name in corpus.coder_numbers])
        return replace(part, sums=self.question.count(corpus)) if len(corpus) else part


@dataclass(frozen=True)
class EvaluationTask(Task):
    """Counts segmenters against references, by stratum and by document: what evaluate() counts."""

    question: EvaluationQuestion
    references: tuple[str, ...]

    @property
    def about(self) -> list[Any]:
        """Metrics, coders, resamples, seed, strata and types."""
        question = self.question
        return [
            *(signature_of(metric) for metric in question.metrics),
            question.segmenters,
            self.references,
            (question.n_resamples, question.seed),
            *super().about,
        ]

    def check_total(self, total: Part) -> None:
        """Refuse references and segmenters that occur nowhere."""
        _check_known("coder", self.references, total)
        _check_known("segmenter", self.question.segmenters, total)

    def _counted(self, part: Part, rows: DocumentRows, corpus: Corpus, hypotheses: Corpus) -> Part:
        paired = self._paired(corpus, hypotheses)
        if paired is None:
            return part
        counts = self.question.counts(paired)
        strata = self._strata(rows, paired)
        sums: dict[Name, Tally] = {}
        for name, chosen in strata:
            sums |= self.question.sums(paired, counts, chosen, () if self.by is None else (name,))
        documents = self._document_table(paired, counts, strata) if self.with_documents else None
        return replace(part, sums=sums, documents=documents, typed=paired.typed)

    def _paired(self, corpus: Corpus, hypotheses: Corpus) -> SegmenterPairs | None:
        people = [name for name in self.references if name in corpus.coder_numbers]
        machine = [name for name in self.question.segmenters if name in hypotheses.coder_numbers]
        if not people:
            if machine:
                unknown = hypotheses.select(coders=machine[:1]).documents
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
                "documents; add them, or select the documents that all segmenters have"
            )
        return pair_segmenters(corpus, hypotheses, self.question.segmenters, coders=people)

    def _strata(self, rows: DocumentRows, paired: SegmenterPairs) -> list[tuple[str, IntArray | None]]:
        """Return the strata and their documents, by number among those of the pairs."""
        if self.by is None:
            return [("", None)]
        table, starts = rows.table, rows.starts
        if "side" in table.column_names:  # hypotheses have no stratum
            people = DocumentRows.of(table.filter(load_pyarrow().array(np.asarray(table["side"]) == PEOPLE)))
            table, starts = people.table, people.starts
        column = table["stratum"].combine_chunks().dictionary_encode()
        number = np.asarray(column.indices)
        first = number[starts[:-1]]
        own = repeat(first, np.diff(starts))
        if bool((number != own).any()):
            row = int(np.argmax(number != own))
            document = int(np.searchsorted(starts, row, side="right")) - 1
            fault = f"its rows differ in {self.by}: a document belongs to one stratum"
            raise CorpusError(f"document {rows.names[document]}: {fault}")
        names = [*strings_of(column.dictionary)]
        first = first[paired.subjects.documents]
        return [(names[stratum], np.flatnonzero(first == stratum)) for stratum in np.unique(first).tolist()]

    def _document_table(
        self, paired: SegmenterPairs, counts: Sequence[Counts], strata: list[tuple[str, IntArray | None]]
    ) -> Any:
        """Return a row per document: its length, its references, its pooled values."""
        pyarrow = load_pyarrow()
        subjects = paired.subjects
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
        for number, count in enumerate(counts):
            segmenter, metric = divmod(number, len(self.question.metrics))
            name = repr(self.question.metrics[metric])
            name = f"{self.question.segmenters[segmenter]} {name}" if several else name
            columns[_free(name, columns)] = count.document_values
        return pyarrow.table(columns)


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """Return a name that no column has yet."""
    while name in taken:
        name = f"{name}'"
    return name


def with_total(
    question: EvaluationQuestion, sums: Mapping[Name, Tally], *, by_stratum: bool
) -> dict[Name, Tally]:
    """Return the sums of all documents, beside those of the strata where there are any; none are zeros."""
    total: dict[Name, Tally] = {(SIZE,): Tally((0, 0, 0))}
    for number, metric in enumerate(question.metrics * len(question.segmenters)):
        n = len(metric.count_names)
        total[number,] = Tally((0,) * n, resampled=np.zeros((question.n_resamples, n), dtype=object))
    for name, tally in sums.items():  # of all, or of a stratum
        total = added(total, {name[-1:]: tally})
    return {**sums, **total} if by_stratum else total

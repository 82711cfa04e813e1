"""What is counted of whole documents: segmenters against references, or a question about a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from caesura.analyses.evaluation.counting import Counts
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

Strata: TypeAlias = Mapping[tuple[str, ...], IntArray | None]
"""The documents of each stratum, by number; None: all."""

AT_ONCE = 1 << 17
"""Most rows that are counted at a time."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """Checks whole documents and counts them: a pure function from rows to a part, which pickles."""

    by: str | None = None
    """The column of strata."""
    scheme: TypeScheme | None = None
    with_documents: bool = False
    """Whether the values of single documents are wanted."""
    batch_rows: int = AT_ONCE

    @property
    def about(self) -> list[Any]:
        """What distinguishes the numbers of this task from those of others."""
        return [self.by, self.with_documents, None if self.scheme is None else self.scheme.to_dict()]

    def __call__(self, rows: DocumentRows) -> Part:
        """Count whole documents; after an error, bisect them to name the document at fault."""
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

    def _part(self, rows: DocumentRows) -> Part:
        sides = [*_sides(rows)] if "side" in rows.table.column_names else [rows]
        try:
            corpora = [side.corpus().with_type_scheme(self.scheme) for side in sides]
        except CorpusError as error:  # in the rows, whatever the question
            raise BadFileError(str(error)) from None
        coders = tuple(dict.fromkeys(coder for corpus in corpora for coder in corpus.coders))
        part = Part({}, len(rows), len(rows.table), rows.edges, coders)
        return self._counted(part, sides[0], corpora[0], corpora[-1])

    def _counted(self, part: Part, rows: DocumentRows, corpus: Corpus, hypotheses: Corpus) -> Part:
        """Return the part with its sums, given the rows of references; both corpora may be the same."""
        return part

    def check_sums(self, total: Part) -> None:
        """Refuse more sums than memory should hold, as soon as they occur."""

    def check_total(self, total: Part) -> None:
        """Refuse sums of coders who do not occur."""


def _sides(rows: DocumentRows) -> Iterator[DocumentRows]:
    """Yield references (side 0) and hypotheses (side 1); both must have all documents."""
    side = np.asarray(rows.table["side"])
    n_machine = np.add.reduceat(side, rows.starts[:-1])
    for lacks, fault in (
        (n_machine == 0, "the segmenters lack document {} of the references; add it, or leave it out"),
        (
            n_machine == np.diff(rows.starts),
            "no reference coder has document {} of the segmenters; add references, or leave it out",
        ),
    ):
        if bool(lacks.any()):
            name = rows.names[int(np.argmax(lacks))]
            raise DocumentFault(fault.format(short_name(name)), name)
    for number in (0, 1):
        yield DocumentRows.of(rows.table.filter(load_pyarrow().array(side == number)))


def _check_known(kind: str, names: Iterable[str], total: Part) -> None:
    known = set(total.coders)
    for name in names:
        if name not in known:
            raise unknown(kind, name, total.coders)


@dataclass(frozen=True)
class CorpusTask(Task):
    """Asks a question about the documents of every part: what agreement() and describe() count."""

    question: Question
    coders: tuple[str, ...] | None = None
    """The selected coders; None: all."""

    @property
    def about(self) -> list[Any]:
        """The question, coders and types."""
        return [type(self.question).__name__, *self.question.about, self.coders, *super().about]

    def check_sums(self, total: Part) -> None:
        """Refuse more sums than memory should hold, as soon as they occur."""
        self.question.check(total.sums)

    def check_total(self, total: Part) -> None:
        """Refuse coders who do not occur."""
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
        settings = question.segmenters, self.references, question.n_resamples, question.seed
        return [*map(signature_of, question.metrics), *settings, *super().about]

    def check_total(self, total: Part) -> None:
        """Refuse references and segmenters who do not occur."""
        _check_known("coder", self.references, total)
        _check_known("segmenter", self.question.segmenters, total)

    def _counted(self, part: Part, rows: DocumentRows, corpus: Corpus, hypotheses: Corpus) -> Part:
        paired = self._paired(corpus, hypotheses)
        if paired is None:
            return part
        counts = self.question.counts(paired)
        strata: Strata = {(): None} if self.by is None else self._strata(rows, paired)
        sums: dict[Name, Tally] = {}
        for stratum, chosen in strata.items():
            sums |= self.question.sums(paired, counts, chosen, stratum)
        documents = self._document_table(paired, counts, strata) if self.with_documents else None
        return replace(part, sums=sums, documents=documents, typed=paired.typed)

    def _paired(self, corpus: Corpus, hypotheses: Corpus) -> SegmenterPairs | None:
        people = [name for name in self.references if name in corpus.coder_numbers]
        machine = [name for name in self.question.segmenters if name in hypotheses.coder_numbers]
        if not people and not machine:
            return None
        if not people:
            documents = listed(hypotheses.select(coders=machine[:1]).documents, 3)
            fix = "remove them, or add references"
            raise CorpusError(f"segmenter {machine[0]} has {documents}, which no reference coder has; {fix}")
        lacking = [name for name in self.question.segmenters if name not in machine]
        if lacking:
            documents = listed(corpus.select(coders=people).documents, 3)
            fix = "add them, or select the documents that all segmenters have"
            raise CorpusError(f"segmenter {lacking[0]} lacks reference documents {documents}; {fix}")
        return pair_segmenters(corpus, hypotheses, self.question.segmenters, coders=people)

    def _strata(self, rows: DocumentRows, paired: SegmenterPairs) -> Strata:
        """Return the documents of each stratum, by their numbers among those of the pairs."""
        column = rows.table["stratum"].combine_chunks().dictionary_encode()
        number = np.asarray(column.indices)
        first = number[rows.starts[:-1]]
        differs = number != repeat(first, np.diff(rows.starts))
        if bool(differs.any()):
            document = int(np.searchsorted(rows.starts, np.argmax(differs), side="right")) - 1
            fault = f"its rows differ in {self.by}: a document belongs to one stratum"
            raise CorpusError(f"document {rows.names[document]}: {fault}")
        names = strings_of(column.dictionary)
        first = first[paired.subjects.documents]
        return {(names[stratum],): np.flatnonzero(first == stratum) for stratum in np.unique(first).tolist()}

    def _document_table(self, paired: SegmenterPairs, counts: Sequence[Counts], strata: Strata) -> Any:
        """Return a row per document: its length, number of references and pooled values."""
        pyarrow = load_pyarrow()
        subjects, segmenters = paired.subjects, self.question.segmenters
        columns: dict[str, Any] = {
            "document": text_array(subjects.document_names).cast(pyarrow.string()),
            "units": subjects.document_units,
            "references": subjects.n_coders,
        }
        if self.by is not None:
            stratum = np.empty(len(subjects.documents), dtype=object)
            for names, chosen in strata.items():
                stratum[chosen] = names[0]
            columns[self.by] = pyarrow.array(stratum, pyarrow.string())
        for number, count in enumerate(counts):
            segmenter, metric = divmod(number, len(self.question.metrics))
            name = repr(self.question.metrics[metric])
            name = f"{segmenters[segmenter]} {name}" if len(segmenters) > 1 else name
            while name in columns:
                name = f"{name}'"
            columns[name] = count.document_values
        return pyarrow.table(columns)


def with_total(sums: Mapping[Name, Tally]) -> dict[Name, Tally]:
    """Return the sums of strata, and those of all documents beside them."""
    total: dict[Name, Tally] = {}
    for name, tally in sums.items():
        total = added(total, {name[-1:]: tally})
    return {**sums, **total}

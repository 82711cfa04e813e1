"""What is counted of whole documents: segmenters against references, or a question about a corpus."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from caesura.analyses.evaluation.counting import Question as EvaluationQuestion
from caesura.analyses.evaluation.counting import Strata
from caesura.arrays import repeat
from caesura.errors import CaesuraError, CorpusError
from caesura.pairs import SegmenterPairs, pair_segmenters
from caesura.scale.data_files import BadFileError
from caesura.scale.documents import DocumentFault, DocumentRows
from caesura.scale.parts import Part
from caesura.sums.streams import Question
from caesura.sums.tallies import Name, Tally, added
from caesura.values.arrow import load_pyarrow, strings_of
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.type_scheme import TypeScheme
from caesura.wording import listed

AT_ONCE = 1 << 17
"""Most rows that are counted at a time."""


TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""The GNU C library's numbers of M_TRIM_THRESHOLD and M_MMAP_THRESHOLD."""

REUSED = 1 << 25
"""Bytes of the largest array whose memory is reused, and half of the free memory that is not given back."""


@cache
def reuse_memory() -> None:
    """Have the GNU C library reuse the memory of freed arrays.

    Without this, page faults of the next batch take a seventh of the time, and more on Dask's workers, which
    ask for as little free memory as possible. Other C libraries have no such setting.
    """
    with suppress(AttributeError, OSError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(TRIM_THRESHOLD, 2 * REUSED)
        library.mallopt(MMAP_THRESHOLD, REUSED)


@dataclass(frozen=True, kw_only=True)
class Task:
    """Checks whole documents and counts them: a pure function from rows to a part, which pickles."""

    by: str | None = None
    """The column of strata."""
    scheme: TypeScheme | None = None
    with_documents: bool = False
    """Whether the values of single documents are wanted."""
    batch_rows: int = field(default=AT_ONCE, repr=False)  # the repr tells a task from others

    def __call__(self, rows: DocumentRows) -> Part:
        """Count whole documents; after an error, bisect them to name the document at fault."""
        reuse_memory()
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

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """The names that must occur, by role."""
        return {}


def _sides(rows: DocumentRows) -> Iterator[DocumentRows]:
    """Yield references (side 0) and hypotheses (side 1); both must have all documents."""
    side = np.asarray(rows.table["side"])
    n_machine = np.add.reduceat(side, rows.starts[:-1])
    lacks = (n_machine == 0) | (n_machine == np.diff(rows.starts))
    if bool(lacks.any()):
        document = int(np.argmax(lacks))
        name = short_name(rows.names[document])
        fault = f"the segmenters lack document {name} of the references; add it, or leave it out"
        if n_machine[document]:
            fault = f"no reference coder has document {name} of the segmenters; add one, or leave it out"
        raise DocumentFault(fault, rows.names[document])
    for number in (0, 1):
        yield DocumentRows.of(rows.table.filter(load_pyarrow().array(side == number)))


@dataclass(frozen=True)
class CorpusTask(Task):
    """Asks a question about the documents of every part: what agreement() and describe() count."""

    question: Question
    coders: tuple[str, ...] | None = None
    """The selected coders; None: all."""

    def check_sums(self, total: Part) -> None:
        """Refuse more sums than memory should hold, as soon as they occur."""
        self.question.check(total.sums)

    @property
    def roles(self) -> dict[str, tuple[str, ...]]:
        """The selected coders."""
        return {"coder": self.coders or ()}

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
    def roles(self) -> dict[str, tuple[str, ...]]:
        """References and segmenters."""
        return {"coder": self.references, "segmenter": self.question.segmenters}

    def _counted(self, part: Part, rows: DocumentRows, corpus: Corpus, hypotheses: Corpus) -> Part:
        paired = self._paired(corpus, hypotheses)
        if paired is None:
            return part
        counts = self.question.counts(paired)
        strata: Strata = {(): None} if self.by is None else self._strata(rows, paired)
        sums: dict[Name, Tally] = {}
        for stratum, chosen in strata.items():
            sums |= self.question.sums(paired, counts, chosen, stratum)
        documents = (
            self.question.document_table(paired, counts, strata, self.by) if self.with_documents else None
        )
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


def with_total(sums: Mapping[Name, Tally]) -> dict[Name, Tally]:
    """Return the sums of strata, and those of all documents beside them."""
    total: dict[Name, Tally] = {}
    for name, tally in sums.items():
        total = added(total, {name[-1:]: tally})
    return {**sums, **total}

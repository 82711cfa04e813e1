"""The scores of all documents, checked, one for each gap between two units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.errors import CorpusError, did_you_mean
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.strings import offsets_of
from caesura.wording import listed

At: TypeAlias = Literal["gaps", "starts", "ends"]

AT: tuple[At, ...] = ("gaps", "starts", "ends")

IGNORED = -100.0
"""What model outputs have at tokens that do not count."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """One score for each gap of each document, document after document."""

    n_units: IntArray
    scores: FloatArray

    @classmethod
    def of(cls, corpus: Corpus, scores: Mapping[str, Sequence[float]], at: At | None) -> Gaps:
        """Check the scores of each document of a corpus; CorpusError names document, index and value."""
        if not isinstance(scores, Mapping):
            raise CorpusError(f"scores are {type(scores).__name__}: expected {{document: scores}}")
        unknown = next((str(name) for name in scores if name not in corpus.document_numbers), None)
        if unknown is not None:
            raise CorpusError(
                f"the scores have document {unknown!r}, which the reference has not; "
                f"{did_you_mean(unknown, corpus.documents)}"
            )
        missing = [name for name in corpus.documents if name not in scores]
        if missing:
            raise CorpusError(
                f"there are no scores for {listed(missing, most=3)} of {len(corpus.documents):,} documents"
            )
        lengths = corpus.document_units.tolist()
        parts = [
            _gaps_of(name, scores[name], n_units, at)
            for name, n_units in zip(corpus.documents, lengths, strict=True)
        ]
        return cls(corpus.document_units, np.concatenate([np.empty(0), *parts]))

    @cached_property
    def document(self) -> IntArray:
        """The number of each gap's document."""
        return np.repeat(np.arange(len(self.n_units)), self.n_units - 1)

    @cached_property
    def position(self) -> IntArray:
        """The position of each gap."""
        starts = offsets_of(self.n_units - 1)[:-1]
        return np.arange(len(self.scores)) - starts[self.document] + 1

    @cached_property
    def rank(self) -> IntArray:
        """How many gaps of its document come before each: those with higher scores, or as high before it."""
        order = np.lexsort((self.position, -self.scores, self.document))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - offsets_of(self.n_units - 1)[:-1][self.document[order]]
        return rank

    def reaching(self, threshold: float) -> Columns:
        """Return one segmentation per document: a boundary where a score reaches the threshold."""
        return self._marked(np.flatnonzero(self.scores >= threshold))

    def highest(self, n_segments: int) -> Columns:
        """Return one segmentation per document, with that many segments or as many as it has units."""
        return self._marked(np.flatnonzero(self.rank < n_segments - 1))

    def _marked(self, chosen: IntArray) -> Columns:
        counts = np.bincount(self.document[chosen], minlength=len(self.n_units))
        return Columns(self.n_units, offsets_of(counts), self.position[chosen])


def _gaps_of(document: str, given: Any, n_units: int, at: At | None) -> FloatArray:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise CorpusError(f"document {document}: the scores are no list of numbers") from None
    if values.ndim != 1:
        raise CorpusError(
            f"document {document}: the scores have {values.ndim} dimensions: expected one number for each "
            "gap (of a classifier the probability of a boundary)"
        )
    finite = np.isfinite(values)
    if not finite.all():
        index = int(np.argmin(finite))
        raise CorpusError(f"document {document}: scores[{index}] is {values[index]}: expected a number")
    ignored = np.flatnonzero(values == IGNORED)
    if len(ignored):
        raise CorpusError(
            f"document {document}: scores[{int(ignored[0])}] is -100, which marks tokens to ignore: keep "
            "only the scores of units, such as scores[labels != -100]"
        )
    expected = {"gaps": n_units - 1, "starts": n_units, "ends": n_units}
    if len(values) not in ([expected[at]] if at else expected.values()):
        one = (
            f"{n_units} (one for each of the {at})"
            if at in ("starts", "ends")
            else f"{n_units - 1} (one for each gap)"
        )
        other = f" or {n_units} (one for each unit that may start a segment)" if at is None else ""
        raise CorpusError(
            f"document {document}: there are {len(values)} scores for {n_units} units: expected {one}{other}"
        )
    if len(values) == n_units - 1:
        return values
    return values[:-1] if at == "ends" else values[1:]

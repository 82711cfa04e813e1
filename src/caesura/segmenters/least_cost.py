"""U00 and BayesSeg: the likeliest segmentations of words, by dynamic programming over segment costs.

Utiyama & Isahara (2001), A statistical model for domain-independent text segmentation, ACL. Eisenstein &
Barzilay (2008), Bayesian unsupervised topic segmentation, EMNLP.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray
from caesura.declaration import number, optional_whole
from caesura.kernel.segmenting_python import SegmentCosts
from caesura.segmenters.base import Searching
from caesura.segmenters.text import Terms, UnitsLike, Words, count_terms, texts_of, words_of, words_parameter


@dataclass(frozen=True, repr=False)
class LeastCost(Searching):
    """Base of U00 and BayesSeg: the longest segment, and the search."""

    cost = "time n × tokens + K n², memory tokens + K n; with longest=l time l × tokens + K n l"
    has_scores = True

    longest: int | None = optional_whole("most units of a segment; bounds time", minimum=1)

    @abstractmethod
    def costs(self, texts: Sequence[str], n_segments: int | None) -> SegmentCosts:
        """Return the terms of the units, and tables of a segment's cost from 0 on."""
        raise NotImplementedError

    def scores(self, units: UnitsLike) -> FloatArray:
        """Return the cost of the best segmentation without a boundary at each gap, minus that with one.

        The number of segments is free. Gaps above 0 are the boundaries of the best segmentation; the highest
        scores need not be the best segmentation into ``n_segments`` segments.
        """
        return kernel.active_segmenting.boundary_gains(self._tables(texts_of(units), None))

    def search(self, units: UnitsLike, n_segments: int | None) -> tuple[IntArray, float]:
        """Return the positions of the segmentation of least cost, and the cost."""
        tables = self._tables(texts_of(units), n_segments)
        return kernel.active_segmenting.least_cost(tables, n_segments or 0)

    def _tables(self, texts: Sequence[str], n_segments: int | None) -> SegmentCosts:
        """Return the counts of terms and the tables of costs, as kernels take them."""
        if n_segments is not None:
            remedy = f"fewer than {n_segments:,} segments take less, and an open number of them next to none"
            self.check_memory(len(texts), 16 * (len(texts) + 1) * (n_segments + 1), remedy)
        costs = self.costs(texts, n_segments)
        if self.longest is not None:
            costs.by_length[self.longest + 1 :] = np.inf
            self.check_longest(n_segments, self.longest, len(texts))
        return costs


@dataclass(frozen=True, repr=False)
class U00(LeastCost):
    """U00: the most probable segmentation, where each segment has its own word probabilities.

    Minimizes Σ over segments of [ln N + Σ_w n_w ln((t + V) / (n_w + 1))]: n_w occurrences of a term in a
    segment of t tokens, N tokens and V different terms in the document.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> U00()(text, 2).masses
    (3, 3)
    """

    name = "U00"
    title = "most probable segmentation, U00"
    meaning = "least sum over segments of the code length of their words and of a boundary"
    citation = "Utiyama & Isahara (2001), A statistical model for domain-independent text segmentation, ACL"

    words: str | Terms = words_parameter("utiyama")

    def costs(self, texts: Sequence[str], n_segments: int | None) -> SegmentCosts:
        counts = count_terms(texts, self.words)
        tokens = np.arange(counts.n_tokens + 1, dtype=np.float64)
        occurrences = np.arange(counts.most_frequent + 1, dtype=np.float64)
        return SegmentCosts(
            *counts.matrix,
            by_length=np.full(len(texts) + 1, np.log(max(counts.n_tokens, 1))),
            by_tokens=tokens * np.log(np.maximum(tokens + counts.n_terms, 1.0)),
            by_count=occurrences * np.log1p(occurrences),
        )


@dataclass(frozen=True, repr=False)
class BayesSeg(LeastCost):
    """BayesSeg: each segment has its own word probabilities, drawn from a symmetric Dirichlet prior.

    Maximizes Σ over segments of [ln Γ(V β) − ln Γ(t + V β) + Σ_w ln Γ(n_w + β) − ln Γ(β)]: n_w occurrences of
    a term in a segment of t tokens, V different stems in the document, including those of stop words. If the
    number of segments is not given, segment lengths have a prior, too, without which there would be far too
    many segments: length − 1 is negative binomial (``shape`` 1: geometric) around ``mean_length`` − 1.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> BayesSeg()(text, 2).masses
    (3, 3)
    """

    name = "BayesSeg"
    title = "Bayesian segmentation by lexical cohesion, BayesSeg"
    meaning = "greatest likelihood of the words, each segment a Dirichlet compound multinomial"
    citation = "Eisenstein & Barzilay (2008), Bayesian unsupervised topic segmentation, EMNLP"

    prior: float = number(0.2, "β, the pseudo-count of each term", exclusive=True)
    mean_length: float = number(10.0, "mean units of a segment if their number is not given", exclusive=True)
    shape: float = number(1.0, "shape of lengths: 1 is geometric, more is nearer to the mean", exclusive=True)
    words: str | Terms = words_parameter("mit")

    def costs(self, texts: Sequence[str], n_segments: int | None) -> SegmentCosts:
        counts = count_terms(texts, self.words)
        words = words_of(self.words)
        n_types = words.n_types(texts) if isinstance(words, Words) else counts.n_terms
        lengths = np.zeros(len(texts) + 1)
        if n_segments is None:
            lengths[1:] = -log_durations(len(texts), self.mean_length, self.shape)
        return SegmentCosts(
            *counts.matrix,
            by_length=lengths,
            by_tokens=_log_rising(max(n_types, 1) * self.prior, counts.n_tokens),
            by_count=_log_rising(self.prior, counts.most_frequent),
        )


def log_durations(longest: int, mean: float, shape: float) -> FloatArray:
    """Return the log probabilities of the lengths 1 to ``longest``; length − 1 is negative binomial."""
    success = shape / (shape + max(mean - 1.0, 1e-6))  # a mean of one unit: nearly every length is 1
    more = np.arange(longest, dtype=np.float64)
    ways = _log_gammas(more + shape) - _log_gammas(more + 1.0) - math.lgamma(shape)
    return np.asarray(ways + shape * math.log(success) + more * math.log1p(-success))


def _log_gammas(values: Iterable[float]) -> FloatArray:
    return np.array([math.lgamma(value) for value in values])


def _log_rising(start: float, most: int) -> FloatArray:
    """Return ln Γ(start + n) − ln Γ(start) for n from 0 to ``most``."""
    return _log_gammas(start + np.arange(most + 1)) - math.lgamma(start)

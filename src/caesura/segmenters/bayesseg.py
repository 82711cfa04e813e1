"""BayesSeg: the segmentation under which the words are likeliest, word probabilities integrated out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.arrays import FloatArray
from caesura.declaration import number
from caesura.segmenters.least_cost import Costs, LeastCost
from caesura.segmenters.text import TermCounts, Terms, Words, count_terms, words_of, words_parameter


@dataclass(frozen=True, repr=False)
class BayesSeg(LeastCost):
    """BayesSeg: each segment is drawn from word probabilities of its own, with a symmetric Dirichlet prior.

    Greatest Σ over segments of [ln Γ(V β) − ln Γ(t + V β) + Σ_w ln Γ(n_w + β) − ln Γ(β)]: n_w occurrences of
    a term in a segment of t tokens, V different stems in the document, those of stop words included. Where
    the number of segments is open the lengths of segments have a prior, too, or there would be far too many:
    length − 1 is negative binomial (``shape`` 1: geometric) around ``mean_length`` − 1. ``scores`` say how
    much likelier, as a logarithm, the best segmentation with a boundary at a gap is than the best without.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> BayesSeg()(text, 2).masses
    (3, 3)
    """

    name = "BayesSeg"
    title = "Bayesian segmentation by lexical cohesion, BayesSeg"
    meaning = "greatest likelihood of the words, each segment a Dirichlet compound multinomial"
    citation = "Eisenstein & Barzilay (2008), Bayesian unsupervised topic segmentation, EMNLP"
    cost = "time n × tokens + K n², memory tokens + K n; with longest=l time l × tokens + K n l"

    prior: float = number(0.2, "β, the pseudo-count of each term", exclusive=True)
    mean_length: float = number(
        10.0, "mean units of a segment where the number of segments is open", exclusive=True
    )
    shape: float = number(
        1.0, "of their distribution: 1 is geometric, more is nearer to the mean", exclusive=True
    )
    words: str | Terms = words_parameter("mit")

    def counted(self, texts: Sequence[str]) -> TermCounts:
        return count_terms(texts, self.words)

    def costs(self, texts: Sequence[str], counts: TermCounts, n_segments: int | None) -> Costs:
        words = words_of(self.words)
        n_types = words.n_types(texts) if isinstance(words, Words) else counts.n_terms
        lengths = np.zeros(len(texts) + 1)
        if n_segments is None:
            lengths[1:] = self._durations(len(texts))
        return Costs(
            by_length=lengths,
            by_tokens=_log_rising(max(n_types, 1) * self.prior, counts.n_tokens),
            by_count=_log_rising(self.prior, counts.most_frequent),
        )

    def _durations(self, longest: int) -> FloatArray:
        """Return − ln of the probabilities of the lengths 1 .. longest."""
        mean = max(self.mean_length - 1.0, 1e-6)  # a mean of one unit: nearly every length is 1
        success = self.shape / (self.shape + mean)
        more = np.arange(longest, dtype=np.float64)
        ways = _log_gammas(more + self.shape) - _log_gammas(more + 1.0) - math.lgamma(self.shape)
        return np.asarray(-(ways + self.shape * math.log(success) + more * math.log1p(-success)))


def _log_gammas(values: Iterable[float]) -> FloatArray:
    return np.array([math.lgamma(value) for value in values])


def _log_rising(start: float, most: int) -> FloatArray:
    """Return ln Γ(start + n) − ln Γ(start) for n = 0 .. most."""
    return _log_gammas(start + np.arange(most + 1)) - math.lgamma(start)

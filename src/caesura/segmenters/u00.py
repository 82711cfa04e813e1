"""U00: the segmentation that describes the words in least space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura.segmenters.least_cost import Costs, LeastCost
from caesura.segmenters.text import TermCounts, Terms, count_terms, words_parameter


@dataclass(frozen=True, repr=False)
class U00(LeastCost):
    """U00: the most probable segmentation, each segment with the word probabilities of its own.

    Least Σ over segments of [ln N + Σ_w n_w ln((t + V) / (n_w + 1))]: n_w occurrences of a term in a segment
    of t tokens, N tokens and V different terms in the document. ``scores`` say what the best segmentation
    without a boundary at a gap costs more than the best with one.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> U00()(text, 2).masses
    (3, 3)
    """

    name = "U00"
    title = "most probable segmentation, U00"
    meaning = "least sum over segments of the code length of their words and of a boundary"
    citation = "Utiyama & Isahara (2001), A statistical model for domain-independent text segmentation, ACL"
    cost = "time n × tokens + K n², memory tokens + K n; with longest=l time l × tokens + K n l"

    words: str | Terms = words_parameter("utiyama")

    def counted(self, texts: Sequence[str]) -> TermCounts:
        return count_terms(texts, self.words)

    def costs(self, texts: Sequence[str], counts: TermCounts, n_segments: int | None) -> Costs:
        tokens = np.arange(counts.n_tokens + 1, dtype=np.float64)
        occurrences = np.arange(counts.most_frequent + 1, dtype=np.float64)
        return Costs(
            by_length=np.full(len(texts) + 1, np.log(max(counts.n_tokens, 1))),
            by_tokens=tokens * np.log(np.maximum(tokens + counts.n_terms, 1.0)),
            by_count=occurrences * np.log1p(occurrences),
        )

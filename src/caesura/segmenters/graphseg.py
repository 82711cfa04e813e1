"""GraphSeg: merge adjacent related units, by the cliques of a graph of all units.

Glavaš, Nanni & Ponzetto (2016), Unsupervised text segmentation using semantic relatedness graphs, *SEM.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.declaration import optional_number, whole
from caesura.segmenters.base import Segmenter
from caesura.segmenters.similarities import Products, Range, Vectors, blocks, unit_products, vectors_parameter
from caesura.segmenters.text import Terms, UnitsLike, texts_of, words_parameter

DIGITS = 12  # decimals of compared cosines: rounding must not choose a boundary


@dataclass(frozen=True, repr=False)
class GraphSeg(Segmenter):
    """GraphSeg: merge adjacent units that share a clique of related units, then short segments.

    Two units are related if their cosine is at least ``threshold``: by default the mean of all pairs plus one
    standard deviation. Adjacent units that share a maximal clique of the graph of related units form a
    segment. Two adjacent segments are merged if a clique has a unit of each. Then each segment of less than
    ``minimum`` units, from the first on, is merged with the neighbor of the higher mean cosine. Two units
    share a maximal clique if and only if they are related, so no search for cliques is needed. The original
    aligns words to measure relatedness; here it is the cosine of vectors, or of words without vectors.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> GraphSeg()(text).masses
    (3, 3)
    """

    name = "GraphSeg"
    title = "cliques of related units, GraphSeg"
    meaning = "merges adjacent units that share a clique of related units, then short segments"
    citation = (
        "Glavaš, Nanni & Ponzetto (2016), Unsupervised text segmentation using semantic relatedness "
        "graphs, *SEM"
    )
    cost = "time n² d; with a threshold n d × units of a segment; memory n d"
    takes_n_segments = False

    threshold: float | None = optional_number(
        "least cosine of related units; auto: mean + SD of all pairs", minimum=-1.0, maximum=1.0
    )
    minimum: int = whole(3, "least units of a segment", minimum=1)
    words: str | Terms = words_parameter("choi")
    vectors: Vectors | None = vectors_parameter()

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        products = unit_products(texts_of(units), self.words, self.vectors)
        threshold = _mean_and_deviation(products) if self.threshold is None else self.threshold
        n_units = len(products.squares)

        def are_related(first: Range, second: Range) -> bool:
            return bool(np.round(products.between(first, second).max() - threshold, DIGITS) >= 0)

        def mean_cosine(first: Range, second: Range) -> float:
            return round(float(products.between(first, second).mean()), DIGITS)

        segments = [(unit, unit + 1) for unit in range(n_units)]
        for _ in range(2):  # first units, then segments
            joins = [are_related(*pair) for pair in pairwise(segments)]
            ends = [end for (_, end), is_joined in zip(segments, joins, strict=False) if not is_joined]
            segments = list(pairwise([0, *ends, n_units]))
        current = 0
        while current < len(segments) > 1:
            start, end = segments[current]
            if end - start >= self.minimum:
                current += 1
                continue
            firsts = [first for first in (current - 1, current) if 0 <= first < len(segments) - 1]
            current = max(firsts, key=lambda first: mean_cosine(*segments[first : first + 2]))  # at ties left
            segments[current : current + 2] = [(segments[current][0], segments[current + 1][1])]
        return np.array([start for start, _ in segments[1:]], dtype=np.int64)


def _mean_and_deviation(products: Products) -> float:
    """Return the mean of the cosines of all pairs plus one standard deviation."""
    n_units = len(products.squares)
    n_pairs = max(n_units * (n_units - 1) // 2, 1)
    sums: FloatArray = np.zeros(2)
    for rows in blocks(n_units):
        cosines = np.triu(products.between(rows, (rows[0], n_units)), 1)
        sums += cosines.sum(), np.einsum("ij,ij->", cosines, cosines)
    mean, square = (sums / n_pairs).tolist()
    return float(mean + math.sqrt(max(square - mean * mean, 0.0)))

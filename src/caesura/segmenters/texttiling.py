"""TextTiling: boundaries in the valleys of the similarity between the text before and after each gap.

Hearst (1997), TextTiling: segmenting text into multi-paragraph subtopic passages, Computational Linguistics
23(1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from caesura.arrays import FloatArray, IntArray, bincount, divided
from caesura.declaration import whole
from caesura.segmenters.base import Segmenter
from caesura.segmenters.similarities import TermWeights, Vectors, encoded, smoothed, vectors_parameter
from caesura.segmenters.text import Terms, UnitsLike, Words, texts_of, words_of, words_parameter

DIGITS = 12  # decimals of similarities and depths: rounding must not choose a boundary


@dataclass(frozen=True)
class Valleys:
    """Similarity and depth of each gap between two token sequences."""

    similarities: FloatArray
    depths: FloatArray  # 0 outside valleys
    positions: IntArray  # the nearest gap between units

    def cutoff(self) -> float:
        """Return mean − SD / 2 of the depths of valleys."""
        depths = self.depths[self.depths > 0.0]
        return round(float(depths.mean() - depths.std() / 2.0), DIGITS) if len(depths) else 0.0

    def by_gap(self, n_units: int) -> tuple[FloatArray, FloatArray]:
        """Return the depth of the deepest valley at each gap between units, and the least similarity.

        A gap without a valley has the similarity of the nearest gap that has one.
        """
        depths, similarities = np.zeros(n_units - 1), np.full(n_units - 1, np.inf)
        np.maximum.at(depths, self.positions - 1, self.depths)
        np.minimum.at(similarities, self.positions - 1, self.similarities)
        known = np.flatnonzero(np.isfinite(similarities))
        if len(known):
            middles = (known[1:] + known[:-1]) / 2.0
            similarities = similarities[known[np.searchsorted(middles, np.arange(n_units - 1))]]
        return depths, similarities


@dataclass(frozen=True, repr=False)
class TextTiling(Segmenter):
    """TextTiling: boundaries where the similarity of the words before and after is lower than around.

    The text is cut into token sequences of ``w`` tokens; stop words count as tokens, not as terms. The
    similarity at a gap between two sequences is the cosine of the terms of the ``k`` sequences before and the
    ``k`` after, averaged once with both neighbors. The depth of a gap is the height of the peak to its left
    plus that of the peak to its right, both above the gap; otherwise the gap is not a valley. Valleys deeper
    than mean − SD / 2 become boundaries at the nearest gap between units. For K segments the K − 1 deepest
    valleys do, and if there are too few, the gaps of least similarity.

    ``scores`` are the depths. With ``vectors`` each unit is a token sequence.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> TextTiling(w=2, k=2)(text, 2).masses
    (3, 3)
    """

    name = "TextTiling"
    title = "valleys of lexical similarity, TextTiling"
    meaning = "boundaries in the deepest valleys of the similarity of the blocks before and after"
    citation = "Hearst (1997), TextTiling: segmenting text into multi-paragraph subtopic passages, CL 23(1)"
    cost = "time and memory k × tokens"
    has_scores = True

    w: int = whole(20, "tokens of a token sequence", minimum=1)
    k: int = whole(4, "token sequences of a block: 4 in the program, 6 in the paper", minimum=1)
    words: str | Terms = words_parameter("choi")
    vectors: Vectors | None = vectors_parameter()

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        texts = texts_of(units)
        valleys = self.valleys(texts)
        if n_segments is None:
            return np.unique(valleys.positions[np.round(valleys.depths, DIGITS) > valleys.cutoff()])
        depths, similarities = valleys.by_gap(len(texts))
        order = np.lexsort((similarities, -depths))
        return np.sort(order[: n_segments - 1]).astype(np.int64) + 1

    def scores(self, units: UnitsLike) -> FloatArray:
        texts = texts_of(units)
        return self.valleys(texts).by_gap(len(texts))[0]

    def valleys(self, texts: Sequence[str]) -> Valleys:
        """Return the gaps between token sequences."""
        if self.vectors is not None:
            similarities = _between_vectors(encoded(self.vectors, texts), self.k)
            positions = np.arange(1, len(texts), dtype=np.int64)
        else:
            rows, ends = _sequences(texts, words_of(self.words), self.w)
            similarities = _between_terms(rows, self.k) if len(texts) > 1 else np.zeros(0)
            positions = _nearest(self.w * np.arange(1, len(similarities) + 1), ends[:-1])
        similarities = _averaged(similarities)
        left, right = _climbs(similarities), _climbs(similarities[::-1])[::-1]
        depths = np.where((left > 0.0) & (right > 0.0), left + right, 0.0)
        return Valleys(similarities, depths, positions)


# -------------------------------------------------------------------- token sequences


def _sequences(texts: Sequence[str], terms_of: Terms, w: int) -> tuple[TermWeights, IntArray]:
    """Return the counts of terms in each token sequence, and the number of tokens up to each unit's end.

    The rest of the text belongs to the last sequence.
    """
    numbers: dict[str, int] = {}
    token: list[int] = []
    terms: list[int] = []
    ends: list[int] = []
    n_tokens = 0
    # The terms of a function are its tokens.
    pieces_of = terms_of.divide if isinstance(terms_of, Words) else terms_of
    for text in texts:
        for piece in pieces_of(text):
            for term in terms_of(piece) if isinstance(terms_of, Words) else (piece,):
                token.append(n_tokens)
                terms.append(numbers.setdefault(term, len(numbers)))
            n_tokens += 1
        ends.append(n_tokens)
    n_sequences = max(1, n_tokens // w)
    as_array = partial(np.array, dtype=np.int64)
    sequence = np.minimum(as_array(token) // w, n_sequences - 1)
    rows = TermWeights.of(sequence, as_array(terms), np.ones(len(terms)), (n_sequences, len(numbers)))
    return rows, as_array(ends)


def _nearest(offsets: IntArray, ends: IntArray) -> IntArray:
    """Return the positions whose units end nearest to each offset; at ties the first."""
    if not len(offsets):
        return np.zeros(0, dtype=np.int64)
    after = np.minimum(np.searchsorted(ends, offsets), len(ends) - 1)
    before = np.searchsorted(ends, ends[np.maximum(after - 1, 0)])
    is_before = np.abs(ends[before] - offsets) <= np.abs(ends[after] - offsets)
    return np.asarray(np.where(is_before, before, after) + 1, dtype=np.int64)


# -------------------------------------------------------------------- similarities and depths


def _between_terms(rows: TermWeights, k: int) -> FloatArray:
    """Return the cosines of the k sequences before and after each gap."""
    within = range(1, min(k, rows.n_units))
    before = smoothed(rows, {-d: 1.0 for d in within})
    after = smoothed(rows, dict.fromkeys(within, 1.0))
    n_gaps = rows.n_units - 1
    lengths = [bincount(blocks.units, blocks.weights**2, rows.n_units) for blocks in (before, after)]
    # The block before gap p ends with sequence p, and the block after it starts with p + 1.
    keys = before.units * rows.n_terms + before.terms, (after.units - 1) * rows.n_terms + after.terms
    both, of_before, of_after = np.intersect1d(*keys, assume_unique=True, return_indices=True)
    products = before.weights[of_before] * after.weights[of_after]
    gap = both // max(rows.n_terms, 1)
    inside = (gap >= 0) & (gap < n_gaps)
    sums = bincount(gap[inside], products[inside], n_gaps)
    return divided(sums, np.sqrt(lengths[0][:-1] * lengths[1][1:]))


def _between_vectors(vectors: FloatArray, k: int) -> FloatArray:
    """Return the cosines of the sums of k vectors before and after each gap."""
    n_units = len(vectors)
    before, after = vectors.copy(), vectors.copy()
    for d in range(1, min(k, n_units)):
        before[d:] += vectors[:-d]
        after[:-d] += vectors[d:]
    left, right = before[:-1], after[1:]
    squares = np.einsum("ij,ij->i", left, left) * np.einsum("ij,ij->i", right, right)
    return divided(np.einsum("ij,ij->i", left, right), np.sqrt(squares))


def _averaged(values: FloatArray) -> FloatArray:
    """Return the means of each value and its neighbors, rounded: the last digits must not make valleys."""
    if not len(values):
        return values
    three = np.ones(3)
    means = np.convolve(values, three)[1:-1] / np.convolve(np.ones(len(values)), three)[1:-1]
    return np.round(means, DIGITS)


def _climbs(values: FloatArray) -> FloatArray:
    """Return the climb from each value to the left, up to the first descent."""
    climbs = np.zeros(len(values))
    peak = here = -np.inf
    for index, value in enumerate(values.tolist()):
        peak = peak if here >= value else value
        here = value
        climbs[index] = peak - value
    return climbs

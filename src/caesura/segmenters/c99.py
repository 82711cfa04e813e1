"""C99 and HC99: divisive clustering of the ranks of similarities between units.

Choi (2000), Advances in domain independent linear text segmentation, NAACL; as his program runs. HC99 is the
hierarchy of all its splits: Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray, divided
from caesura.checks import check_whole
from caesura.declaration import number, optional_whole, parameter
from caesura.errors import ParameterError
from caesura.segmenters.base import Segmenter, ascending, check_memory
from caesura.segmenters.similarities import Products, Range, blocks, products_of_terms, products_of_vectors
from caesura.segmenters.text import Terms, UnitsLike, count_terms, texts_of, words_parameter
from caesura.segmenters.vectors import Vectors, encoded, vectors_parameter
from caesura.values.hierarchy import Hierarchy

SMOOTHING = np.array([1.0, 2.0, 4.0, 8.0, 4.0, 2.0, 1.0])
"""Weights of the gradients around each, renormalised at both ends."""

SUGGESTED_WINDOW = 500


def _odd(name: str, value: Any) -> int:
    side = check_whole(name, value, 3)
    if not side % 2:
        raise ParameterError(f"{name} is {side}: expected an odd number, so that a cell is in the middle")
    return side


@dataclass(frozen=True, repr=False)
class C99(Segmenter):
    """C99: divide where the segments' similarities, as ranks among their neighbours, become densest.

    The rank of a cell of the matrix of cosines is the share of its neighbours in the mask that are smaller.
    The density of a segmentation is Σ rank inside segments / Σ cells inside segments. Each segment has one
    candidate, the split that makes the segment densest; the candidate that makes the document densest is
    taken, again and again. Without a number of segments the gradients of the density over the splits are
    smoothed, and splits are taken up to the first that does not exceed mean + cutoff × standard deviation.

    ``scores`` are the least smoothed gradient up to a gap's split, so that all above that limit are the
    boundaries of the automatic choice.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> C99()(text, 2).masses
    (3, 3)
    """

    name = "C99"
    title = "divisive clustering of ranked similarities, C99"
    meaning = (
        "splits that make the ranks of cosines inside segments densest, in the order in which they do most"
    )
    citation = "Choi (2000), Advances in domain independent linear text segmentation, NAACL"
    cost = "time n² mask², memory 8 n² bytes; with window=w time n w mask², memory 16 n w bytes"
    has_scores = True
    has_hierarchy = True

    mask: int = parameter(11, "side of the square of neighbours a cell is ranked among, an odd number", _odd)
    cutoff: float = number(1.2, "standard deviations above the mean gradient of a split that is taken")
    window: int | None = optional_whole("most units between two that are compared; bounds memory", minimum=1)
    words: str | Terms = words_parameter("choi")
    vectors: Vectors | None = vectors_parameter()

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        if n_segments is not None:
            return ascending(self.splits(units, n_segments - 1)[0])
        positions, densities = self.splits(units)
        return ascending(positions[: self._n_taken(_smoothed(np.diff(densities)))])

    def scores(self, units: UnitsLike) -> FloatArray:
        positions, densities = self.splits(units)
        scores = np.empty(len(positions))
        scores[positions - 1] = np.minimum.accumulate(_smoothed(np.diff(densities)))
        return scores

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return all splits (or the first), ranked in the order in which they were made (HC99)."""
        n_units, wanted = self.checked(units, n_segments)
        positions, _ = self.splits(units, None if wanted is None else wanted - 1)
        ranks = {position: rank for rank, position in enumerate(positions.tolist(), start=1)}
        return Hierarchy.from_ranks(ranks, n_units)

    def splits(self, units: UnitsLike, n_splits: int | None = None) -> tuple[IntArray, FloatArray]:
        """Return the positions of the first (None: all) splits, and the densities before and after each."""
        texts = texts_of(units)
        n_units = len(texts)
        window = n_units if self.window is None else min(self.window, n_units)
        bounded = _n_bytes(n_units, min(SUGGESTED_WINDOW, window))
        remedy = (
            f"{self.name}(window={SUGGESTED_WINDOW}) compares none further apart and takes "
            f"{bounded / 1e9:,.1f} GB"
        )
        check_memory(self.name, n_units, _n_bytes(n_units, window), remedy)
        products = (
            products_of_terms(count_terms(texts, self.words))
            if self.vectors is None
            else products_of_vectors(encoded(self.vectors, texts))
        )
        sums, starts = _summed_ranks(products, n_units, self.mask, window)
        wanted = n_units - 1 if n_splits is None else n_splits
        return kernel.active_segmenting.divide(sums, starts, window, wanted)

    def _n_taken(self, gradients: FloatArray) -> int:
        """Return how many splits are taken: up to the first that does not exceed the limit."""
        if not len(gradients):
            return 0
        limit = gradients.mean() + self.cutoff * gradients.std()
        return int(np.append(gradients <= limit, True).argmax())


@dataclass(frozen=True, repr=False)
class HC99(C99):
    """HC99: all splits of C99, ranked in their order.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> HC99().hierarchy(text).level(1).masses
    (3, 3)
    """

    name = "HC99"
    title = "hierarchy of C99's splits, HC99"
    meaning = "all splits of C99; a boundary's rank is its place in their order"
    citation = "Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL, §3"
    is_hierarchical = True


def _smoothed(gradients: FloatArray) -> FloatArray:
    if not len(gradients):
        return gradients
    inside = slice(len(SMOOTHING) // 2, len(SMOOTHING) // 2 + len(gradients))
    weights = np.convolve(np.ones(len(gradients)), SMOOTHING)[inside]
    return np.asarray(np.convolve(gradients, SMOOTHING)[inside] / weights)


# -------------------------------------------------------------------- similarities

# Ranks need the order of cosines, not their size. cos |cos| has it, and where two cosines of counts are
# equal so is this, to the last bit: it is one division of whole numbers. Square roots would break such ties.


def _signed_squares(products: Products, rows: Range, columns: Range) -> FloatArray:
    """Return cos |cos|; a unit without a single term is like nothing, itself included."""
    norms = np.outer(products.squares[slice(*rows)], products.squares[slice(*columns)])
    squares = products.between(rows, columns)
    squares *= np.abs(squares)
    return divided(squares, norms)


# -------------------------------------------------------------------- sums of ranks


def _width(n_units: int, window: int) -> int:
    """Return how many cells of a row are kept."""
    return min(n_units, 2 * window + 1)


def _n_bytes(n_units: int, window: int) -> int:
    return 8 * n_units * (_width(n_units, window) + 1)


def _summed_ranks(products: Products, n_units: int, mask: int, window: int) -> tuple[FloatArray, IntArray]:
    """Return the sums of each row's ranks up to each of its cells, and the column each row starts with."""
    width, reach = _width(n_units, window), mask // 2
    starts = np.clip(np.arange(n_units, dtype=np.int64) - window, 0, n_units - width)
    sums = np.zeros((n_units, width + 1))
    for first, last in blocks(n_units):
        # With the neighbours of all cells that are wanted, so that only the document's edges clip the mask.
        rows = max(first - reach, 0), min(last + reach, n_units)
        columns = max(int(starts[first]) - reach, 0), min(int(starts[last - 1]) + width + reach, n_units)
        similarities = _signed_squares(products, rows, columns)
        ranks = kernel.active_segmenting.ranks(similarities, mask)[first - rows[0] :]
        if width == n_units:
            np.cumsum(ranks[: last - first], axis=1, out=sums[first:last, 1:])
            continue
        for row in range(first, last):
            start = starts[row] - columns[0]
            np.cumsum(ranks[row - first, start : start + width], out=sums[row, 1:])
    return sums, starts

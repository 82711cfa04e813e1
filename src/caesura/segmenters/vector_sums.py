"""CVS and KernelCPD: segments with the longest sums of vectors, best by a dynamic program.

Alemi & Ginsparg (2015), Text segmentation based on semantic word embeddings, arXiv:1503.05543. Arlot, Celisse
& Harchaoui (2019), A kernel multiple change-point algorithm via model selection, JMLR.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.checks import check_number
from caesura.declaration import MAX_PARAMETER, optional_whole, parameter
from caesura.errors import ParameterError
from caesura.segmenters.base import Searching
from caesura.segmenters.similarities import Products, Vectors, blocks, unit_products, vectors_parameter
from caesura.segmenters.text import Terms, UnitsLike, texts_of, words_parameter
from caesura.wording import short

RANDOM = "random"  # the penalty from random cuts of the same document

NARROWEST = 1e-9  # relative width of the interval of a penalty

SUGGESTED_MAX = 500


def _penalty(name: str, value: Any) -> float | str:
    if isinstance(value, str) and value != RANDOM:
        raise ParameterError(f"{name} is {short(value)}: expected a number from 0 on, or '{RANDOM}'")
    return RANDOM if value == RANDOM else check_number(name, value, 0.0, MAX_PARAMETER)


@dataclass(frozen=True, repr=False)
class VectorSums(Searching):
    """Base of CVS and KernelCPD: longer sums of unit vectors make better segments."""

    cost = "time n² (d + K), memory 4 n² bytes; with max_segment=m time n m (d + K), memory 8 n m bytes"

    penalty: float | str = parameter(
        RANDOM, "cost of a segment if their number is not given; random: the gain of random cuts", _penalty
    )
    max_segment: int | None = optional_whole("most units of a segment; bounds time and memory", minimum=1)
    words: str | Terms = words_parameter("choi")
    vectors: Vectors | None = vectors_parameter()

    @abstractmethod
    def values(self, squares: FloatArray, n_units: IntArray) -> FloatArray:
        """Return the values of segments by their squared sums and numbers of units."""
        raise NotImplementedError

    def cost_of(self, value: float, n_units: int) -> float:
        """Return the cost of a segmentation from the value of its segments."""
        return -value

    def search(self, units: UnitsLike, n_segments: int | None) -> tuple[IntArray, float]:
        """Return the positions of the segmentation of least cost, and the cost."""
        texts = texts_of(units)
        n_units = len(texts)
        longest = min(self.max_segment or n_units, n_units)
        self.check_longest(n_segments, longest, n_units, by="max_segment")
        rows = 16 * n_units * ((n_segments or 0) + 1)
        lengths = longest, min(SUGGESTED_MAX, n_units)
        n_bytes, bounded = (8 * most * n_units - 4 * most * most + rows for most in lengths)
        remedy = f"{self.name}(max_segment={SUGGESTED_MAX}) has no longer segments and takes"
        self.check_memory(n_units, n_bytes, f"{remedy} {bounded / 1e9:,.1f} GB")
        products = unit_products(texts, self.words, self.vectors)
        sums = squared_sums(products, longest)
        columns = [self.values(squares, np.arange(len(squares), 0, -1)) for squares in sums]
        penalty = 0.0
        if n_segments is not None:
            positions = best_of_number(columns, n_segments)
        else:
            penalty = random_penalty(columns) if isinstance(self.penalty, str) else self.penalty
            positions = best_of_any(columns, penalty)
        bounds = pairwise([0, *positions.tolist(), n_units])
        value = sum(float(columns[end - 1][start - end]) for start, end in bounds)
        return positions, self.cost_of(value, n_units) + penalty * (len(positions) + 1)


@dataclass(frozen=True, repr=False)
class CVS(VectorSums):
    """CVS: the segmentation whose segments have the longest sums of vectors.

    Unit vectors are scaled to length 1 (zeros stay zeros); Σ ‖Σ v‖ over segments is maximal. A further
    segment never lowers it, so without a given number each segment costs a ``penalty``. The default penalty
    is the mean gain of one more random cut of the same document: segments are added while the best one gains
    more than chance. Without vectors words are counted.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> CVS()(text, 2).masses
    (3, 3)
    """

    name = "CVS"
    title = "content vector segmentation, CVS"
    meaning = "the segments whose vectors add up to the longest sums"
    citation = (
        "Alemi & Ginsparg (2015), Text segmentation based on semantic word embeddings, arXiv:1503.05543"
    )

    def values(self, squares: FloatArray, n_units: IntArray) -> FloatArray:
        return np.sqrt(np.maximum(squares, 0.0))


@dataclass(frozen=True, repr=False)
class KernelCPD(VectorSums):
    """KernelCPD: the segmentation whose units are nearest to the means of their segments' vectors.

    Kernel change-point detection with the cosine as kernel: unit vectors are scaled to length 1, and Σ (m −
    ‖Σ v‖² / m) over segments of m units, the squared distances to the segments' means, is minimal. A further
    segment never raises it, so without a given number each segment costs a ``penalty``. The default is the
    mean gain of one more random cut of the same document. Without vectors words are counted.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> KernelCPD()(text, 2).masses
    (3, 3)
    """

    name = "KernelCPD"
    title = "kernel change-point detection, KernelCPD"
    meaning = "the segments whose units have the least squared distances to their mean vectors"
    citation = (
        "Arlot, Celisse & Harchaoui (2019), A kernel multiple change-point algorithm via model "
        "selection, JMLR"
    )

    def values(self, squares: FloatArray, n_units: IntArray) -> FloatArray:
        return squares / n_units

    def cost_of(self, value: float, n_units: int) -> float:
        return n_units - value


# -------------------------------------------------------------------- sums of vectors


def squared_sums(products: Products, longest: int) -> Iterator[FloatArray]:
    """Yield for each end the squared lengths of the sums of all segments that end there, longest first."""
    n_units = len(products.squares)
    squares = np.zeros(n_units)
    for first, last in blocks(n_units):
        left = max(0, first + 1 - longest)
        block = products.between((first, last), (left, last))
        for unit in range(first, last):
            start = max(0, unit + 1 - longest)
            with_others = block[unit - first, start - left : unit + 1 - left]
            squares[start : unit + 1] += 2.0 * np.cumsum(with_others[::-1])[::-1] - with_others[-1]
            yield squares[start : unit + 1].copy()


# -------------------------------------------------------------------- the best segmentations


def best_of_any(columns: Sequence[FloatArray], penalty: float) -> IntArray:
    """Return the positions of the most valuable segmentation where each segment costs a penalty.

    ``columns[end − 1]`` has the values of the segments that end there, longest first.
    """
    best = np.zeros(len(columns) + 1)
    before = np.zeros(len(columns) + 1, dtype=np.int64)
    for end, column in enumerate(columns, start=1):
        start = end - len(column)
        values = best[start:end] + column
        latest = int(values.argmax())
        best[end], before[end] = values[latest] - penalty, start + latest
    positions: list[int] = []
    end = int(before[-1])
    while end:
        positions.append(end)
        end = int(before[end])
    return np.array(positions[::-1], dtype=np.int64)


def best_of_number(columns: Sequence[FloatArray], n_segments: int) -> IntArray:
    """Return the positions of the most valuable segmentation into ``n_segments`` segments."""
    best = np.full((n_segments + 1, len(columns) + 1), -np.inf)
    best[0, 0] = 0.0
    before = np.zeros((n_segments + 1, len(columns) + 1), dtype=np.int64)
    counts = np.arange(n_segments)
    for end, column in enumerate(columns, start=1):
        start = end - len(column)
        values = best[:-1, start:end] + column
        latest = values.argmax(axis=1)
        best[1:, end], before[1:, end] = values[counts, latest], start + latest
    end = len(columns)
    positions = [end := int(before[count, end]) for count in range(n_segments, 1, -1)]
    return np.array(positions[::-1], dtype=np.int64)


# -------------------------------------------------------------------- random cuts


class RandomCuts:
    """The mean value of random segmentations of a document by their number of segments.

    All choices of gaps are equally likely. With a longest segment, longer ones are excluded and the mean is
    scaled to the whole document.
    """

    def __init__(self, columns: Sequence[FloatArray]) -> None:
        self.n_units = n_units = len(columns)
        longest = min(max(map(len, columns)), n_units - 1)
        self.lengths = np.arange(1, longest + 1)
        self.inner, self.edge = np.zeros(longest), np.zeros(longest)
        for end, column in enumerate(columns, start=1):
            by_length = column[::-1][:longest]
            n_inner = 0 if end == n_units else len(by_length) - (len(column) == end)
            self.inner[:n_inner] += by_length[:n_inner]
            self.edge[n_inner : len(by_length)] += by_length[n_inner:]
        self.whole = float(columns[-1][0])

    def mean(self, n_segments: int) -> float:
        """Return the mean value of all segmentations into ``n_segments`` segments."""
        if n_segments == 1:
            return self.whole
        gaps = self.n_units - 1 - self.lengths
        logs = np.array([_log_choices(gaps, n_segments - 2), _log_choices(gaps - 1, n_segments - 3)])
        at_edge, inside = np.exp(logs - logs.max())
        values = at_edge @ self.edge + inside @ self.inner
        covered = at_edge @ (2.0 * self.lengths) + inside @ (gaps * self.lengths)
        return float(self.n_units * values / covered)

    def gain(self, n_segments: int) -> float:
        """Return the mean gain of one more random cut."""
        return self.mean(n_segments + 1) - self.mean(n_segments)


def _log_choices(of: IntArray, number: int) -> FloatArray:
    """Return the logarithms of the binomial coefficients; −∞ for 0."""
    from scipy.special import gammaln

    possible = (of >= number) & (number >= 0)
    left = np.where(possible, of - number, 0)
    logs = gammaln(left + number + 1) - gammaln(max(number, 0) + 1) - gammaln(left + 1)
    return np.where(possible, logs, -np.inf)


def random_penalty(columns: Sequence[FloatArray]) -> float:
    """Return the least penalty, up to rounding, above the mean gain of random cuts."""
    n_units = len(columns)
    if n_units == 1:
        return 0.0
    chance = RandomCuts(columns)
    low, high = 0.0, float(n_units)
    most, fewest = n_units, len(best_of_any(columns, high)) + 1
    while most > fewest and high - low > NARROWEST * n_units:
        middle = (low + high) / 2.0
        number = len(best_of_any(columns, middle)) + 1
        if number < n_units and middle > chance.gain(number):
            high, fewest = middle, number
        else:
            low, most = middle, number
    return high

"""SemanticChunker, TreeSeg and GraphSeg: segmenters made for sentence embeddings.

SemanticChunker is as in LangChain and LlamaIndex. Gklezakos, Misiak & Bishop (2024), TreeSeg: hierarchical
topic segmentation of large transcripts, arXiv:2407.12028; as the authors' program runs. Glavaš, Nanni &
Ponzetto (2016), Unsupervised text segmentation using semantic relatedness graphs, *SEM.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.checks import check_number
from caesura.declaration import choice, number, optional_number, whole
from caesura.segmenters.base import Segmenter, ascending
from caesura.segmenters.similarities import (
    Products,
    Range,
    Rows,
    Vectors,
    blocks,
    near_cosines,
    unit_products,
    unit_rows,
    vectors_parameter,
)
from caesura.segmenters.text import Terms, UnitsLike, joined, texts_of, words_parameter
from caesura.values.hierarchy import Hierarchy

DIGITS = 12  # decimals to which distances and cosines are compared: rounding must not choose a boundary


class Threshold(NamedTuple):
    """A rule for the limit that a distance exceeds before a boundary."""

    limit: Callable[[FloatArray, float], float]
    amount: float  # LangChain's default
    greatest: float = np.inf


def _interquartile(distances: FloatArray, amount: float) -> float:
    low, high = np.percentile(distances, [25, 75])
    return float(distances.mean() + amount * (high - low))


def _percentile(distances: FloatArray, amount: float) -> float:
    return float(np.percentile(distances, amount))


THRESHOLDS = {
    "percentile": Threshold(_percentile, 95, greatest=100),
    "standard_deviation": Threshold(lambda given, amount: float(given.mean() + amount * given.std()), 3),
    "interquartile": Threshold(_interquartile, 1.5),
    "gradient": Threshold(_percentile, 95, greatest=100),
}
"""The rules by LangChain's names; that of gradients is the percentile, of how distances change."""


@dataclass(frozen=True, repr=False)
class SemanticChunker(Segmenter):
    """SemanticChunker: a boundary wherever the distance to the next text is above a limit.

    Each unit is joined with ``buffer`` units before and after it, and 1 − cosine is the distance of two that
    are adjacent. A boundary is where it exceeds a limit: a percentile of the document's distances, their mean
    and ``amount`` standard deviations, or interquartile ranges; or where its gradient exceeds a percentile of
    the gradients. With a number of segments the greatest distances (or gradients) are boundaries. LlamaIndex
    has the percentile alone. Vectors that are given as an array are those of the joined texts; without
    vectors it counts words.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> SemanticChunker(buffer=0)(text).masses
    (3, 3)
    """

    name = "SemanticChunker"
    title = "distances of adjacent texts, SemanticChunker"
    meaning = "a boundary wherever the distance of adjacent texts is above a percentile, or another limit"
    citation = "Kamradt (2023), 5 levels of text splitting; as in LangChain and LlamaIndex"
    cost = "time and memory n d"
    also = ("semantic chunking", "SemanticSplitterNodeParser")
    has_scores = True

    threshold: str = choice("percentile", "the rule of the limit", tuple(THRESHOLDS))
    amount: float | None = optional_number(
        "the percentile, or how many deviations or ranges; auto: "
        + ", ".join(f"{rule.amount:g} ({name})" for name, rule in THRESHOLDS.items())
    )
    buffer: int = whole(1, "units before and after that each unit is joined with", minimum=0)
    words: str | Terms = words_parameter("choi")
    vectors: Vectors | None = vectors_parameter()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.amount is not None:
            greatest = THRESHOLDS[self.threshold].greatest
            check_number(f"{self.name}: amount", self.amount, 0.0, greatest)

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        scores = self.scores(units)
        if n_segments is not None:
            return ascending(np.argsort(-scores, kind="stable")[: n_segments - 1] + 1)
        if not len(scores):
            return np.empty(0, dtype=np.int64)
        rule = THRESHOLDS[self.threshold]
        limit = rule.limit(scores, rule.amount if self.amount is None else self.amount)
        return np.flatnonzero(scores > round(limit, DIGITS)) + 1

    def scores(self, units: UnitsLike) -> FloatArray:
        """Return the distance of each unit, joined with its neighbors, to the next, or the gradient."""
        products = unit_products(self.encoded_texts(texts_of(units)), self.words, self.vectors)
        distances = 1.0 - near_cosines(products, 1)[:-1, 1]
        if self.threshold == "gradient" and len(distances) > 1:
            distances = np.gradient(distances)
        return np.round(distances, DIGITS)

    def encoded_texts(self, texts: Sequence[str]) -> Sequence[str]:
        return joined(texts, self.buffer, self.buffer)


ERROR_DIGITS = 9  # decimals to which errors are compared: rounding must not choose a split


@dataclass(frozen=True, repr=False)
class TreeSeg(Segmenter):
    """TreeSeg: divisive clustering of units, each joined with those before it.

    Vectors are scaled to length 1. A segment of M units costs the squared distances of its vectors to their
    mean, and ``balance`` · M². Of all segments that is split whose best split into two parts of at least
    ``minimum`` units lowers the cost most; a boundary's rank is its place in the order of splits. A number of
    segments that this minimum does not allow is met by splits into shorter ones. The original needs that
    number; here its default is one for every ``length`` units. Vectors that are given as an array are those
    of the joined texts; without vectors it counts words.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> TreeSeg(before=0, minimum=1)(text, 2).masses
    (3, 3)
    """

    name = "TreeSeg"
    title = "hierarchical divisive clustering, TreeSeg"
    meaning = (
        "splits that lower the squared distances of vectors to their segments' means most, in their order"
    )
    citation = "Gklezakos, Misiak & Bishop (2024), TreeSeg, arXiv:2407.12028"
    cost = "time n d × depth of the tree (at most n), memory n d"
    has_hierarchy = True
    is_hierarchical = True

    minimum: int = whole(5, "least units of a part of a split", minimum=1)
    balance: float = number(0.0, "λ, the cost of the squared number of a segment's units")
    before: int = whole(4, "units before that each unit is joined with", minimum=0)
    length: int = whole(20, "mean units of a segment where the number of segments is open", minimum=1)
    words: str | Terms = words_parameter("choi")
    vectors: Vectors | None = vectors_parameter()

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        n_units = len(texts_of(units))
        wanted = max(1, round(n_units / self.length)) if n_segments is None else n_segments
        return ascending(self.splits(units, wanted - 1))

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return the splits that the minimum allows (or n_segments − 1), ranked in order."""
        n_units, wanted = self.checked(units, n_segments)
        positions = self.splits(units, None if wanted is None else wanted - 1)
        ranks = {position: rank for rank, position in enumerate(positions.tolist(), start=1)}
        return Hierarchy.from_ranks(ranks, n_units)

    def splits(self, units: UnitsLike, n_splits: int | None = None) -> IntArray:
        """Return the positions of ``n_splits`` splits in order; None: all that the minimum allows."""
        rows = unit_rows(self.encoded_texts(texts_of(units)), self.words, self.vectors)
        segments = {0: Segment.whole(rows)}
        positions: list[int] = []
        for minimum in (self.minimum, 1) if n_splits is not None else (self.minimum,):
            n_left = None if n_splits is None else n_splits - len(positions)
            for parts in islice(splits_of([*segments.values()], minimum, self.balance), n_left):
                segments |= {part.start: part for part in parts}
                positions.append(parts[1].start)
        return np.array(positions, dtype=np.int64)

    def encoded_texts(self, texts: Sequence[str]) -> Sequence[str]:
        return joined(texts, self.before, 0)


@dataclass(frozen=True)
class Segment:
    """A segment of rows, and the squared lengths of the sums of its first rows: 1, 2, …"""

    rows: Rows
    start: int
    sums: FloatArray

    @classmethod
    def whole(cls, rows: Rows) -> Segment:
        """Return all rows."""
        squares, total = np.empty(rows.shape[0]), np.zeros(rows.shape[1])
        for block in (slice(*bounds) for bounds in blocks(len(squares))):
            own = rows[block] if isinstance(rows, np.ndarray) else rows[block].toarray()
            sums = total + np.cumsum(own, axis=0)
            squares[block] = np.einsum("ij,ij->i", sums, sums)
            total = sums[-1]
        return cls(rows, 0, squares)

    @property
    def end(self) -> int:
        """The end of the segment."""
        return self.start + len(self.sums)

    def split(self, middle: int) -> tuple[Segment, Segment]:
        """Return both parts."""
        length = middle - self.start
        after = self.sums[length:] - 2.0 * self._products(length)[length:] + self.sums[length - 1]
        return Segment(self.rows, self.start, self.sums[:length]), Segment(self.rows, middle, after)

    def best_split(self, minimum: int, balance: float) -> list[tuple[float, int]]:
        """Return the change of cost by the best split, and its position; empty for a short segment."""
        n_units = len(self.sums)
        if n_units < 2 * minimum:
            return []
        lengths = np.arange(minimum, n_units - minimum + 1)
        before, whole = self.sums[lengths - 1], float(self.sums[-1])
        after = whole - 2.0 * self._products(n_units)[lengths - 1] + before
        # The squared lengths of the rows themselves are part of the cost both before and after.
        errors = whole / n_units - before / lengths - after / (n_units - lengths)
        sizes = lengths.astype(float) ** 2 + (n_units - lengths).astype(float) ** 2 - float(n_units) ** 2
        changes = np.round(errors + balance * sizes, ERROR_DIGITS)
        best = int(changes.argmin())
        return [(float(changes[best]), self.start + int(lengths[best]))]

    def _products(self, length: int) -> FloatArray:
        """Return the dot products of the sums of its first rows with that of its first ``length`` rows."""
        rows = self.rows[self.start : self.end]
        total = np.asarray(rows[:length].sum(axis=0)).ravel()
        return np.cumsum(rows @ total)


def splits_of(segments: Iterable[Segment], minimum: int, balance: float) -> Iterator[tuple[Segment, Segment]]:
    """Yield the parts of each split, the greatest reduction of cost first; at ties the leftmost."""
    open_segments: list[tuple[float, int, Segment]] = []

    def add(segment: Segment) -> None:
        for change, middle in segment.best_split(minimum, balance):
            heapq.heappush(open_segments, (change, middle, segment))

    for segment in segments:
        add(segment)
    while open_segments:
        _, middle, segment = heapq.heappop(open_segments)
        parts = segment.split(middle)
        yield parts
        for part in parts:
            add(part)


@dataclass(frozen=True, repr=False)
class GraphSeg(Segmenter):
    """GraphSeg: merge adjacent units that share a clique of related units, then short segments.

    Two units are related if their cosine is at least ``threshold``: by default the mean of all pairs and one
    standard deviation. Adjacent units that share a maximal clique of the graph of related units are a
    segment. Two adjacent segments are merged if a clique has a unit of each. Then, from the first on, each
    with less than ``minimum`` units is merged with the neighbor whose units are nearer, by the mean cosine.
    Two units share a maximal clique exactly if they are related, so that no clique has to be looked for.
    The relatedness of the original aligns words; here it is the cosine of vectors, or without these of words.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> GraphSeg()(text).masses
    (3, 3)
    """

    name = "GraphSeg"
    title = "cliques of related units, GraphSeg"
    meaning = (
        "adjacent units that share a clique of related units are merged, and short segments with the nearer"
    )
    citation = (
        "Glavaš, Nanni & Ponzetto (2016), Unsupervised text segmentation using semantic relatedness "
        "graphs, *SEM"
    )
    cost = "time n² d; with a threshold n d × units of a segment; memory n d"
    takes_n_segments = False

    threshold: float | None = optional_number(
        "cosine from which two units are related; auto: mean and standard deviation of all pairs",
        minimum=-1.0,
        maximum=1.0,
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
            before = mean_cosine(segments[current - 1], (start, end)) if current else -math.inf
            is_last = current + 1 == len(segments)
            after = -math.inf if is_last else mean_cosine((start, end), segments[current + 1])
            first = current - (before >= after)
            segments[first : first + 2] = [(segments[first][0], segments[first + 1][1])]
            current = first
        return np.array([start for start, _ in segments[1:]], dtype=np.int64)


def _mean_and_deviation(products: Products) -> float:
    """Return the mean and one standard deviation of the cosines of all pairs."""
    n_units = len(products.squares)
    n_pairs = max(n_units * (n_units - 1) // 2, 1)
    sums: FloatArray = np.zeros(2)
    for rows in blocks(n_units):
        cosines = np.triu(products.between(rows, (rows[0], n_units)), 1)
        sums += cosines.sum(), np.einsum("ij,ij->", cosines, cosines)
    mean, square = (sums / n_pairs).tolist()
    return float(mean + math.sqrt(max(square - mean * mean, 0.0)))

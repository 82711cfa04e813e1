"""TreeSeg: divisive clustering of sentence embeddings into a hierarchy, as the authors' program runs.

Gklezakos, Misiak & Bishop (2024), TreeSeg: hierarchical topic segmentation of large transcripts,
arXiv:2407.12028.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.declaration import number, whole
from caesura.segmenters.base import Segmenter, ascending
from caesura.segmenters.similarities import Rows, Vectors, blocks, unit_rows, vectors_parameter
from caesura.segmenters.text import Terms, UnitsLike, joined, texts_of, words_parameter
from caesura.values.hierarchy import Hierarchy

ERROR_DIGITS = 9  # decimals of compared errors: rounding must not choose a split


@dataclass(frozen=True, repr=False)
class TreeSeg(Segmenter):
    """TreeSeg: divisive clustering of units, each joined with the units before it.

    Vectors are scaled to length 1. A segment of M units costs the squared distances of its vectors to their
    mean, plus ``balance`` · M². Each step splits the segment whose best split into two parts of at least
    ``minimum`` units lowers the cost most; a boundary's rank is the number of its step. If ``minimum`` does
    not allow ``n_segments`` segments, shorter parts follow. The original needs this number; here the default
    is one segment per ``length`` units. Vectors given as an array are those of the joined texts; without
    vectors words are counted.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> TreeSeg(before=0, minimum=1)(text, 2).masses
    (3, 3)
    """

    name = "TreeSeg"
    title = "hierarchical divisive clustering, TreeSeg"
    meaning = "splits that lower the squared distances of vectors to their segments' means most, in order"
    citation = "Gklezakos, Misiak & Bishop (2024), TreeSeg, arXiv:2407.12028"
    cost = "time n d × depth of the tree (at most n), memory n d"
    has_hierarchy = True
    is_hierarchical = True

    minimum: int = whole(5, "fewest units of a part of a split", minimum=1)
    balance: float = number(0.0, "λ, the cost of the squared number of a segment's units")
    before: int = whole(4, "units before each unit that are joined with it", minimum=0)
    length: int = whole(20, "mean units of a segment if the number of segments is not given", minimum=1)
    words: str | Terms = words_parameter("choi")
    vectors: Vectors | None = vectors_parameter()

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        n_units = len(texts_of(units))
        wanted = max(1, round(n_units / self.length)) if n_segments is None else n_segments
        return ascending(self.splits(units, wanted - 1))

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return all splits that the minimum allows, or n_segments − 1, ranked in order."""
        n_units, wanted = self.checked(units, n_segments)
        positions = self.splits(units, None if wanted is None else wanted - 1)
        ranks = {position: rank for rank, position in enumerate(positions.tolist(), start=1)}
        return Hierarchy.from_ranks(ranks, n_units)

    def splits(self, units: UnitsLike, n_splits: int | None = None) -> IntArray:
        """Return the positions of ``n_splits`` splits in order, or of all that the minimum allows."""
        rows = unit_rows(self.encoded_texts(texts_of(units)), self.words, self.vectors)
        segments = {0: Segment.whole(rows)}
        positions: list[int] = []
        for minimum in (self.minimum,) if n_splits is None else (self.minimum, 1):
            new, splits = [*segments.values()], list[tuple[float, int, Segment]]()
            while n_splits is None or len(positions) < n_splits:
                for segment in new:
                    for change, middle in segment.best_split(minimum, self.balance):
                        heapq.heappush(splits, (change, middle, segment))
                if not splits:
                    break
                _, middle, segment = heapq.heappop(splits)  # at ties the leftmost
                new = segment.split(middle)
                segments |= {part.start: part for part in new}
                positions.append(middle)
        return np.array(positions, dtype=np.int64)

    def encoded_texts(self, texts: Sequence[str]) -> Sequence[str]:
        return joined(texts, self.before, 0)


@dataclass(frozen=True)
class Segment:
    """A segment of rows, and the squared lengths of the sums of its first 1, 2, … rows."""

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

    def split(self, middle: int) -> list[Segment]:
        """Return both parts."""
        length = middle - self.start
        after = self.sums[length:] - 2.0 * self._products(length)[length:] + self.sums[length - 1]
        return [Segment(self.rows, self.start, self.sums[:length]), Segment(self.rows, middle, after)]

    def best_split(self, minimum: int, balance: float) -> list[tuple[float, int]]:
        """Return the change of cost by the best split and its position; nothing for a short segment."""
        n_units = len(self.sums)
        if n_units < 2 * minimum:
            return []
        lengths = np.arange(minimum, n_units - minimum + 1)
        before, whole = self.sums[lengths - 1], float(self.sums[-1])
        after = whole - 2.0 * self._products(n_units)[lengths - 1] + before
        # The squared lengths of the rows are part of the cost before and after, so they cancel.
        errors = whole / n_units - before / lengths - after / (n_units - lengths)
        sizes = lengths.astype(float) ** 2 + (n_units - lengths).astype(float) ** 2 - float(n_units) ** 2
        changes = np.round(errors + balance * sizes, ERROR_DIGITS)
        best = int(changes.argmin())
        return [(float(changes[best]), self.start + int(lengths[best]))]

    def _products(self, length: int) -> FloatArray:
        """Return the dot products of the sums of the first 1, 2, … rows with that of ``length`` rows."""
        rows = self.rows[self.start : self.start + len(self.sums)]
        total = np.asarray(rows[:length].sum(axis=0)).ravel()
        return np.cumsum(rows @ total)

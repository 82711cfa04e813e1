"""Segmenters of least cost: a segment's cost is a sum of tables, a dynamic programme finds the least."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray
from caesura.declaration import optional_whole
from caesura.errors import ParameterError
from caesura.kernel.segmenting_python import SegmentCosts
from caesura.segmenters.bands import check_memory
from caesura.segmenters.base import Segmenter
from caesura.segmenters.text import TermCounts, UnitsLike, texts_of


@dataclass(frozen=True)
class Costs:
    """What a segment of m units with t tokens, n_w of them the term w, costs.

    by_length[m] + by_tokens[t] − Σ_w by_count[n_w]. Adding a token to a segment changes two numbers, so all
    segments together take one step for each unit and token.
    """

    by_length: FloatArray
    by_tokens: FloatArray
    by_count: FloatArray


@dataclass(frozen=True, repr=False)
class LeastCost(Segmenter):
    """What these segmenters share: the longest segment, and the search."""

    has_scores = True

    longest: int | None = optional_whole("most units of a segment; bounds time", minimum=1)

    @abstractmethod
    def counted(self, texts: Sequence[str]) -> TermCounts:
        """Return the terms of the units."""
        raise NotImplementedError

    @abstractmethod
    def costs(self, texts: Sequence[str], counts: TermCounts, n_segments: int | None) -> Costs:
        """Return the tables that make up a segment's cost; lengths and numbers start from 0."""
        raise NotImplementedError

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        return self.search(units, n_segments)[0]

    def least(self, units: UnitsLike, n_segments: int | None = None) -> float:
        """Return the cost of the segmentation that is found."""
        _, wanted = self.checked(units, n_segments)
        return self.search(units, wanted)[1]

    def scores(self, units: UnitsLike) -> FloatArray:
        """Return what the best segmentation without a boundary at a gap costs more than the best with one.

        The number of segments is open. Above 0 the segmentation that is found has a boundary, below it has
        none: so ``n_segments`` most of them need not be the best segmentation into so many.
        """
        return kernel.active_segmenting.boundary_gains(self._tables(texts_of(units), None))

    def search(self, units: UnitsLike, n_segments: int | None) -> tuple[IntArray, float]:
        """Return the positions of the segmentation of least cost, and that."""
        tables = self._tables(texts_of(units), n_segments)
        return kernel.active_segmenting.least_cost(tables, n_segments or 0)

    def _tables(self, texts: Sequence[str], n_segments: int | None) -> SegmentCosts:
        """Return the counts of terms and the tables of costs, as kernels take them."""
        if n_segments is not None:
            remedy = f"fewer than {n_segments:,} segments take less, and an open number of them next to none"
            check_memory(self.name, len(texts), 16 * (len(texts) + 1) * (n_segments + 1), remedy)
        counts = self.counted(texts)
        costs = self.costs(texts, counts, n_segments)
        by_length = costs.by_length.copy()
        if self.longest is not None:
            by_length[self.longest + 1 :] = np.inf
            if n_segments is not None and n_segments * self.longest < len(texts):
                raise ParameterError(
                    f"{self.name}: {n_segments} segments of at most {self.longest} units do not cover "
                    f"{len(texts):,} units: take more segments, or a greater longest"
                )
        matrix = (counts.offsets, counts.terms, counts.counts, counts.n_terms)
        return SegmentCosts(*matrix, costs.by_tokens, costs.by_count, by_length)

"""Packs many segmentations into a few arrays, so that one kernel call compares many pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caesura import kernel
from caesura.errors import ComparisonError
from caesura.kernel.python import FloatArray
from caesura.segmentation import IntArray, Segmentation


@dataclass(frozen=True)
class PackedPairs:
    """Pairs of segmentations: positions end to end, where each starts, and which two form each pair."""

    segmentations: Sequence[Segmentation]
    positions: IntArray  # without types: one entry per position with a boundary
    offsets: IntArray
    n_units: IntArray  # per segmentation
    first: IntArray
    second: IntArray
    is_plain: bool  # no segmentation has other types: the arrays hold all there is

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self) -> Iterator[tuple[Segmentation, Segmentation]]:
        for i, j in zip(self.first.tolist(), self.second.tolist(), strict=True):
            yield self.segmentations[i], self.segmentations[j]

    @cached_property
    def n_boundaries(self) -> IntArray:
        """Positions with a boundary, per segmentation."""
        return np.diff(self.offsets)

    @property
    def pair_n_units(self) -> IntArray:
        """Length of the document that each pair segments."""
        return self.n_units[self.first]

    def edit_counts(self, n_t: int, optimal: bool) -> IntArray:
        """Return kernel ``edit_counts``, one row per pair."""
        rows: IntArray = kernel.active.edit_counts_many(
            self.positions, self.offsets, self.first, self.second, n_t, optimal
        )
        return rows

    def window_counts(self, k: IntArray, edges: int) -> IntArray:
        """Return kernel ``window_counts``, one row per pair."""
        rows: IntArray = kernel.active.window_counts_many(*self._sides(), self.pair_n_units, k, edges)
        return rows

    def matched_within(self, tolerance: int) -> IntArray:
        """Return kernel ``matched_within`` per pair."""
        rows: IntArray = kernel.active.matched_within_many(*self._sides(), tolerance)
        return rows

    def largest_overlaps(self, *, swapped: bool = False) -> IntArray:
        """Return kernel ``largest_overlaps`` per pair; ``swapped`` exchanges the two sides."""
        sides = self._sides()
        if swapped:
            sides = sides[3:] + sides[:3]
        rows: IntArray = kernel.active.largest_overlaps_many(*sides, self.pair_n_units)
        return rows

    def nearest_distances(self) -> IntArray:
        """Return kernel ``nearest_distances`` per pair."""
        rows: IntArray = kernel.active.nearest_distances_many(*self._sides())
        return rows

    def generalized_hamming(self, insertion: float, deletion: float, shift: float) -> FloatArray:
        """Return kernel ``generalized_hamming`` per pair."""
        rows: FloatArray = kernel.active.generalized_hamming_many(*self._sides(), insertion, deletion, shift)
        return rows

    def p_mu(self, mu: FloatArray) -> FloatArray:
        """Return kernel ``p_mu`` per pair; ``mu`` is per pair."""
        rows: FloatArray = kernel.active.p_mu_many(*self._sides(), self.pair_n_units, mu)
        return rows

    def _sides(self) -> tuple[IntArray, ...]:
        """Both sides as kernels take them; here they share one array of positions."""
        return self.positions, self.offsets, self.first, self.positions, self.offsets, self.second


def pack_pairs(
    segmentations: Sequence[Segmentation], first: Sequence[int] | IntArray, second: Sequence[int] | IntArray
) -> PackedPairs:
    """Pack segmentations and the pairs of their indices that are to be compared.

    >>> one, two = Segmentation.from_masses([2, 3]), Segmentation.from_masses([3, 2])
    >>> pack_pairs([one, two], [0], [1]).edit_counts(2, False).tolist()
    [[0, 0, 0, 1, 1]]
    """
    arrays = [segmentation.position_array for segmentation in segmentations]
    offsets = np.zeros(len(arrays) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, arrays), dtype=np.int64, count=len(arrays)), out=offsets[1:])
    positions = np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64)
    n_units = np.array([segmentation.n_units for segmentation in segmentations], dtype=np.int64)
    first = np.ascontiguousarray(first, dtype=np.int64)
    second = np.ascontiguousarray(second, dtype=np.int64)
    unequal = np.flatnonzero(n_units[first] != n_units[second])
    if len(unequal):
        pair = int(unequal[0])
        raise ComparisonError(
            f"pair {pair}: the reference has {n_units[first[pair]]} units and the hypothesis "
            f"{n_units[second[pair]]}: both must segment the same units"
        )
    is_plain = all([segmentation.is_plain for segmentation in segmentations])  # noqa: C419 (a list is faster)
    return PackedPairs(segmentations, positions, offsets, n_units, first, second, is_plain)

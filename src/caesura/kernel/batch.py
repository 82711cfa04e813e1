"""Pairs of segmentations for the kernels: two sides as columns, and which two form each pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray
from caesura.errors import ComparisonError
from caesura.values.columns import Columns
from caesura.values.segmentation import Segmentation


class Documents(NamedTuple):
    """Which documents references segment: what messages call a pair by."""

    names: Sequence[str]
    of_reference: IntArray
    """The document of each coding of the reference side, by its number."""


def pair_name(pair: int) -> str:
    """Return what a pair is called that belongs to no document."""
    return f"pair {pair}"


@dataclass(frozen=True, eq=False)
class PackedPairs:
    """Pairs to be compared; the columns of both sides are read where they are, and may be the same."""

    reference: Columns
    hypothesis: Columns
    first: IntArray
    """The reference of each pair, by its number."""
    second: IntArray
    """The hypothesis of each pair."""
    documents: Documents | None = None

    @classmethod
    def among(
        cls,
        codings: Columns,
        first: Sequence[int] | IntArray,
        second: Sequence[int] | IntArray,
        documents: Documents | None = None,
    ) -> PackedPairs:
        """Return pairs whose two sides are both among these codings."""
        one, other = (np.ascontiguousarray(side, dtype=np.int64) for side in (first, second))
        return cls(codings, codings, one, other, documents)

    def name_of(self, pair: int) -> str:
        """Return what a message calls a pair: its document where that is known."""
        if self.documents is None:
            return pair_name(pair)
        return f"document {self.documents.names[int(self.documents.of_reference[self.first[pair]])]}"

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self) -> Iterator[tuple[Segmentation, Segmentation]]:
        for i, j in zip(self.first.tolist(), self.second.tolist(), strict=True):
            yield self.reference.segmentation(i), self.hypothesis.segmentation(j)

    @property
    def is_plain(self) -> bool:
        """Whether neither side has boundaries of another type than 1."""
        return self.reference.is_plain and self.hypothesis.is_plain

    @cached_property
    def n_units(self) -> IntArray:
        """Length of the document that each pair segments."""
        return self.reference.n_units[self.first]

    @cached_property
    def n_reference(self) -> IntArray:
        """Positions with a boundary in the reference of each pair."""
        return self.reference.n_positions[self.first]

    @cached_property
    def n_hypothesis(self) -> IntArray:
        """Positions with a boundary in the hypothesis of each pair."""
        return self.hypothesis.n_positions[self.second]

    @property
    def sides(self) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray, IntArray]:
        """Both sides without types, as the kernels take them."""
        one, other = self.reference.marked, self.hypothesis.marked
        return one.positions, one.offsets, self.first, other.positions, other.offsets, self.second

    def without_types(self) -> PackedPairs:
        """Return the pairs with each position that has a boundary once, whatever its types."""
        return self if self.is_plain else self._untyped

    @cached_property
    def _untyped(self) -> PackedPairs:
        return replace(self, reference=self.reference.marked, hypothesis=self.hypothesis.marked)

    def take(self, pairs: IntArray) -> PackedPairs:
        """Return these pairs."""
        return replace(self, first=self.first[pairs], second=self.second[pairs])

    def edit_counts(self, n_t: int, optimal: bool) -> IntArray:
        """Return kernel ``edit_counts``, one row per pair."""
        rows: IntArray = kernel.active.edit_counts_many(*self.sides, n_t, optimal)
        return rows

    @property
    def typed_sides(self) -> tuple[IntArray, ...]:
        """Both sides with their types, as the kernels take them."""
        one, other = self.reference, self.hypothesis
        return (
            *(one.positions, one.all_types, one.offsets, self.first),
            *(other.positions, other.all_types, other.offsets, self.second),
        )

    def typed_edit_counts(self, n_t: int) -> IntArray:
        """Return kernel ``typed_edit_counts``, one row per pair."""
        rows: IntArray = kernel.active.typed_edit_counts_many(*self.typed_sides, n_t)
        return rows

    def typed_edit_sweep(self, n_t_max: int) -> IntArray:
        """Return kernel ``typed_edit_sweep``: the edits over all pairs for every n_t up to the largest."""
        rows: IntArray = kernel.active.typed_edit_sweep_many(*self.typed_sides, n_t_max)
        return rows

    def transposition_spans(self, n_t: int, optimal: bool) -> tuple[IntArray, IntArray]:
        """Return kernel ``transposition_spans``: where each pair's distances start, and the distances."""
        found: tuple[IntArray, IntArray] = kernel.active.transposition_spans_many(*self.sides, n_t, optimal)
        return found

    def window_counts(self, k: IntArray, edges: int) -> IntArray:
        """Return kernel ``window_counts``, one row per pair; metrics with the same windows share them."""
        for known, own, counted in self._windows:
            if known == edges and np.array_equal(own, k):
                return counted
        rows: IntArray = kernel.active.window_counts_many(*self.sides, self.n_units, k, edges)
        rows.flags.writeable = False
        self._windows[:] = [(edges, k, rows)]
        return rows

    @cached_property
    def _windows(self) -> list[tuple[int, IntArray, IntArray]]:
        """The windows that were counted last: Pk and WindowDiff ask for the same ones."""
        return []

    def matched_within(self, tolerance: int) -> IntArray:
        """Return kernel ``matched_within`` per pair."""
        rows: IntArray = kernel.active.matched_within_many(*self.sides, tolerance)
        return rows

    def largest_overlaps(self, *, swapped: bool = False) -> IntArray:
        """Return kernel ``largest_overlaps`` per pair; ``swapped`` exchanges the two sides."""
        sides = self.sides
        if swapped:
            sides = sides[3:] + sides[:3]
        rows: IntArray = kernel.active.largest_overlaps_many(*sides, self.n_units)
        return rows

    def nearest_distances(self) -> IntArray:
        """Return kernel ``nearest_distances`` per pair."""
        rows: IntArray = kernel.active.nearest_distances_many(*self.sides)
        return rows

    def generalized_hamming(self, insertion: float, deletion: float, shift: float) -> FloatArray:
        """Return kernel ``generalized_hamming`` per pair."""
        rows: FloatArray = kernel.active.generalized_hamming_many(*self.sides, insertion, deletion, shift)
        return rows

    def p_mu(self, mu: FloatArray) -> FloatArray:
        """Return kernel ``p_mu`` per pair; ``mu`` is per pair."""
        rows: FloatArray = kernel.active.p_mu_many(*self.sides, self.n_units, mu)
        return rows


def pack_pairs(references: Sequence[Segmentation], hypotheses: Sequence[Segmentation]) -> PackedPairs:
    """Pair segmentations one by one.

    >>> one, two = Segmentation.from_masses([2, 3]), Segmentation.from_masses([3, 2])
    >>> pack_pairs([one], [two]).edit_counts(2, False).tolist()
    [[0, 0, 0, 1, 1]]
    """
    each = np.arange(len(references))
    pairs = PackedPairs(Columns.of(references), Columns.of(hypotheses), each, each)
    unequal = np.flatnonzero(pairs.reference.n_units != pairs.hypothesis.n_units)
    if len(unequal):
        pair = int(unequal[0])
        raise ComparisonError(
            f"pair {pair}: the reference has {pairs.reference.n_units[pair]} units and the hypothesis "
            f"{pairs.hypothesis.n_units[pair]}: both must segment the same units"
        )
    return pairs

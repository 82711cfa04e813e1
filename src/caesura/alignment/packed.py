"""Pairs of segmentations for the kernels: two sides as columns, and the two codings of each pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from caesura import kernel
from caesura.arrays import IntArray
from caesura.errors import ComparisonError
from caesura.kernel.python import Side
from caesura.values.columns import Columns
from caesura.values.segmentation import Segmentation, check_comparable


class Documents(NamedTuple):
    """The documents of references, whose names messages use for pairs."""

    names: Sequence[str]
    of_reference: IntArray  # the document of each coding of the reference side


def pair_name(pair: int) -> str:
    """Return the name of a pair without a document."""
    return f"pair {pair}"


@dataclass(frozen=True, eq=False)
class PackedPairs:
    """Pairs to compare; the two sides may share their columns, which are not copied."""

    reference: Columns
    hypothesis: Columns
    first: IntArray  # the reference of each pair
    second: IntArray  # the hypothesis of each pair
    documents: Documents | None = None

    @classmethod
    def among(
        cls,
        codings: Columns,
        first: Sequence[int] | IntArray,
        second: Sequence[int] | IntArray,
        documents: Documents | None = None,
    ) -> PackedPairs:
        """Return pairs among these codings."""
        a, b = (np.ascontiguousarray(side, dtype=np.int64) for side in (first, second))
        return cls(codings, codings, a, b, documents)

    @classmethod
    def of(cls, references: Sequence[Segmentation], hypotheses: Sequence[Segmentation]) -> PackedPairs:
        """Pair segmentations one by one.

        >>> one, two = Segmentation.from_masses([2, 3]), Segmentation.from_masses([3, 2])
        >>> PackedPairs.of([one], [two]).n_units.tolist()
        [5]
        """
        each = np.arange(len(references), dtype=np.int64)
        return cls(Columns.of(references), Columns.of(hypotheses), each, each).checked()

    def checked(self) -> PackedPairs:
        """Return the pairs; raise ComparisonError if the two sides of a pair differ in length."""
        unequal = np.flatnonzero(self.n_units != self.hypothesis.n_units[self.second])
        if len(unequal):
            i, j = (int(side[unequal[0]]) for side in (self.first, self.second))
            try:
                check_comparable(self.reference.segmentation(i), self.hypothesis.segmentation(j))
            except ComparisonError as error:
                raise ComparisonError(f"{pair_name(j)}: {error}") from None
        return self

    def name_of(self, pair: int) -> str:
        """Return the name of a pair for messages: its document, if known."""
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
        """Whether all boundaries have type 1."""
        return self.reference.is_plain and self.hypothesis.is_plain

    @cached_property
    def n_units(self) -> IntArray:
        """The number of units of each pair's document."""
        return self.reference.n_units[self.first]

    @cached_property
    def n_reference(self) -> IntArray:
        """The number of positions with a boundary in each pair's reference."""
        return self.reference.n_positions[self.first]

    @cached_property
    def n_hypothesis(self) -> IntArray:
        """The number of positions with a boundary in each pair's hypothesis."""
        return self.hypothesis.n_positions[self.second]

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sides without types, for the kernels."""
        a, b = self.reference.marked, self.hypothesis.marked
        return Side(a.positions, a.offsets, self.first), Side(b.positions, b.offsets, self.second)

    @property
    def typed_sides(self) -> tuple[Side, Side]:
        """Both sides with types, for the kernels."""
        a, b = self.reference, self.hypothesis
        first = Side(a.positions, a.offsets, self.first, a.all_types)
        return first, Side(b.positions, b.offsets, self.second, b.all_types)

    def without_types(self) -> PackedPairs:
        """Return the pairs without types, with each marked position once."""
        return self if self.is_plain else self._untyped

    @cached_property
    def _untyped(self) -> PackedPairs:
        return replace(self, reference=self.reference.marked, hypothesis=self.hypothesis.marked)

    def take(self, pairs: IntArray) -> PackedPairs:
        """Return these pairs."""
        return replace(self, first=self.first[pairs], second=self.second[pairs])

    def window_counts(self, k: IntArray, edges: int) -> IntArray:
        """Return the kernel's ``window_counts``, a row per pair; metrics with the same windows share them."""
        for known, own, counted in self._windows:
            if known == edges and np.array_equal(own, k):
                return counted
        rows = kernel.active.window_counts_many(*self.sides, self.n_units, k, edges)
        rows.flags.writeable = False
        self._windows[:] = [(edges, k, rows)]
        return rows

    @cached_property
    def _windows(self) -> list[tuple[int, IntArray, IntArray]]:
        """The last counted windows, which Pk and WindowDiff share."""
        return []

"""Boundaries by owner (a coding, a document) and type, as columns in which 0 takes no room."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.arrays import IntArray
from caesura.values.columns import Columns
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import gather


class Marks(NamedTuple):
    """Boundaries by owner (a coding, a document, a coder of a group ...) and type; 0 takes no room."""

    offsets: IntArray  # where each owner's types start, and where the last ones end
    kind: IntArray  # ascending in each owner: the type, by its place among all types of the corpus
    number: IntArray
    n_kinds: int

    @classmethod
    def of_codings(cls, codings: Columns, kinds: IntArray) -> Marks:
        """Count the boundaries of each coding."""
        if codings.types is None:
            plain = min(int(np.searchsorted(kinds, PLAIN_TYPE)), len(kinds) - 1)
            kind = np.full(len(codings), plain, dtype=np.int64)
            return cls(np.arange(len(codings) + 1), kind, codings.n_boundaries, len(kinds))
        key = codings.coding * len(kinds) + np.searchsorted(kinds, codings.types)
        keys, number = np.unique(key, return_counts=True)
        return cls.of_keys(keys, number, len(codings), len(kinds))

    @classmethod
    def of_keys(cls, keys: IntArray, number: IntArray, n_owners: int, n_kinds: int) -> Marks:
        """Take numbers in the order of their keys, owner · n_kinds + kind."""
        offsets = np.searchsorted(keys, n_kinds * np.arange(n_owners + 1))
        return cls(offsets, keys % n_kinds, number, n_kinds)

    @property
    def owner(self) -> IntArray:
        """Whose each number is."""
        return np.arange(len(self.offsets) - 1).repeat(np.diff(self.offsets))

    def pooled(self, owner: IntArray, n_owners: int) -> Marks:
        """Sum over owners who become one: ``owner`` has the new owner of each."""
        if self.n_kinds == 1:
            number = np.bincount(owner[self.owner], weights=self.number, minlength=n_owners).astype(np.int64)
            return Marks(np.arange(n_owners + 1), np.zeros(n_owners, dtype=np.int64), number, 1)
        key = owner[self.owner] * self.n_kinds + self.kind
        keys, place = np.unique(key, return_inverse=True)
        number = np.bincount(place, weights=self.number, minlength=len(keys)).astype(np.int64)
        return self.of_keys(keys, number, n_owners, self.n_kinds)

    def take(self, owners: IntArray) -> Marks:
        """Return the numbers of these owners, in this order."""
        offsets, where = gather(self.offsets, owners)
        return Marks(offsets, self.kind[where], self.number[where], self.n_kinds)


def patterns(marks: Marks) -> IntArray:
    """Return a number for each owner that is the same where all marks are.

    Owners are told apart by their first mark, those that are left by their second, and so on: all of it
    looks at each mark once.

    >>> marks = Marks(np.array([0, 2, 3, 5, 5]), np.array([0, 1, 0, 0, 1]), np.array([1, 1, 1, 1, 1]), 2)
    >>> patterns(marks).tolist()
    [2, 1, 2, 0]
    """
    codes = np.unique(marks.kind + marks.n_kinds * marks.number, return_inverse=True)[1]
    n_codes = len(codes) + 1
    lengths = np.diff(marks.offsets)
    pattern = np.zeros(len(lengths), dtype=np.int64)
    left = np.flatnonzero(lengths)
    used = 1  # the number of those without any mark
    for depth in range(int(lengths.max(initial=0))):
        left = left[lengths[left] > depth]
        key = pattern[left] * n_codes + codes[marks.offsets[left] + depth]
        found, place = np.unique(key, return_inverse=True)
        pattern[left] = used + place
        used += len(found)
    return pattern

"""Who coded what together, as columns: groups of coders, and their boundaries by coder and type.

Groups are slices of arrays that are counted once for the whole corpus, so that many small groups cost no more
than one large one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from caesura.arrays import IntArray, NumberArray
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus, Group
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import gather, offsets_of

Array = TypeVar("Array", IntArray, NumberArray)

FITS = 2**62
"""Whole numbers up to here are safe in 64 bits; beyond, sums are of Python's."""


def sum_slices(rows: Array, starts: IntArray) -> Array:
    """Sum the rows of consecutive slices.

    >>> sum_slices(np.array([1, 2, 4]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 4]
    """
    is_filled = starts[1:] > starts[:-1]
    if is_filled.all():
        return np.add.reduceat(rows, starts[:-1], axis=0)
    sums = np.zeros((len(starts) - 1, *rows.shape[1:]), dtype=rows.dtype)
    if is_filled.any():
        sums[is_filled] = np.add.reduceat(rows, starts[:-1][is_filled], axis=0)
    return sums


def summable(rows: NumberArray) -> NumberArray:
    """Return rows of which all sums are exact: whole numbers too great for 64 bits become Python's.

    >>> summable(np.array([2**62, 2**62])).sum()
    9223372036854775808
    """
    if rows.dtype.kind == "i" and rows.size and max(int(rows.max()), -int(rows.min())) > FITS // len(rows):
        return rows.astype(object)
    return rows


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
    def is_full(self) -> bool:
        """Whether each owner has one number, as it is where there is one type."""
        return self.n_kinds == 1 and len(self.number) == len(self.offsets) - 1

    @property
    def owner(self) -> IntArray:
        """Whose each number is."""
        return np.arange(len(self.offsets) - 1).repeat(np.diff(self.offsets))

    def pooled(self, owner: IntArray, n_owners: int) -> Marks:
        """Sum over owners who become one: ``owner`` has the new owner of each."""
        if self.n_kinds == 1:
            of = owner if self.is_full else owner[self.owner]
            number = np.bincount(of, weights=self.number, minlength=n_owners).astype(np.int64)
            return Marks(np.arange(n_owners + 1), np.zeros(n_owners, dtype=np.int64), number, 1)
        key = owner[self.owner] * self.n_kinds + self.kind
        keys, place = np.unique(key, return_inverse=True)
        number = np.bincount(place, weights=self.number, minlength=len(keys)).astype(np.int64)
        return self.of_keys(keys, number, n_owners, self.n_kinds)

    def take(self, owners: IntArray) -> Marks:
        """Return the numbers of these owners, in this order."""
        offsets, where = gather(self.offsets, owners)
        return Marks(offsets, self.kind[where], self.number[where], self.n_kinds)

    def powers(self, exponent: int) -> NumberArray:
        """Return the sum over types of the numbers to this power, by owner."""
        number: NumberArray = self.number
        if exponent > 1 and int(number.sum()) ** exponent > FITS:
            number = number.astype(object)
        powers = number if exponent == 1 else number**exponent
        return powers if self.is_full else sum_slices(powers, self.offsets)


@dataclass(frozen=True, eq=False)
class CoderGroups:
    """The groups of a corpus's coders: in each, all have coded the same documents.

    A *cell* is a coder in a group; the cells of a group stand together, in the corpus's order of coders.
    """

    corpus: Corpus

    @cached_property
    def groups(self) -> list[Group]:
        """The groups, in the order of their first documents."""
        return self.corpus.find_groups()

    def __len__(self) -> int:
        return len(self.groups)

    @cached_property
    def n_coders(self) -> IntArray:
        """Coders of each group."""
        return np.array([len(group.coders) for group in self.groups], dtype=np.int64)

    @cached_property
    def n_documents(self) -> IntArray:
        """Documents of each group."""
        return np.array([len(group.documents) for group in self.groups], dtype=np.int64)

    @cached_property
    def of_document(self) -> IntArray:
        """The group of each document."""
        group = np.zeros(len(self.corpus.document_names), dtype=np.int64)
        if len(self) > 1:
            group[self._documents] = np.arange(len(self)).repeat(self.n_documents)
        return group

    @cached_property
    def _documents(self) -> IntArray:
        """The documents, group after group."""
        return np.concatenate([group.documents for group in self.groups])

    def sum_documents(self, rows: Array) -> Array:
        """Sum rows, one for each document of the corpus, over the documents of each group."""
        if len(self) == 1:
            total: Array = rows.sum(axis=0, keepdims=True)
            return total
        return np.add.reduceat(rows[self._documents], self._starts, axis=0)

    @cached_property
    def _starts(self) -> IntArray:
        return offsets_of(self.n_documents)[:-1]

    def sum_cells(self, rows: Array) -> Array:
        """Sum rows, one for each cell, over the coders of each group."""
        return np.add.reduceat(rows, self.cell_starts[:-1], axis=0)

    @cached_property
    def positions(self) -> IntArray:
        """Potential boundaries of each document of the corpus."""
        return self.corpus.document_units - 1

    @cached_property
    def n_positions(self) -> list[int]:
        """Potential boundaries of all documents of each group."""
        found: list[int] = self.sum_documents(summable(self.positions)).tolist()
        return found

    # ---------------------------------------------------------------- boundaries

    @cached_property
    def kinds(self) -> IntArray:
        """All types of the corpus, ascending: those that are declared, or else occur."""
        return np.array(self.corpus.types or (PLAIN_TYPE,), dtype=np.int64)

    @cached_property
    def cell_starts(self) -> IntArray:
        """Where each group's cells start, and where the last ones end."""
        return offsets_of(self.n_coders)

    @cached_property
    def slot(self) -> IntArray:
        """The place of each coding among those of its document, in the order of coders."""
        corpus = self.corpus
        slot = np.empty(len(corpus), dtype=np.int64)
        slot[corpus.in_order] = np.arange(len(corpus)) - corpus.starts[corpus.document]
        return slot

    @cached_property
    def cell(self) -> IntArray:
        """The cell of each coding."""
        return self.cell_starts[self.of_document[self.corpus.document]] + self.slot

    @cached_property
    def marks(self) -> Marks:
        """Boundaries by coding and type."""
        return Marks.of_codings(self.corpus.codings, self.kinds)

    @cached_property
    def marks_by_document(self) -> Marks:
        """Boundaries by document and type."""
        return self.marks.pooled(self.corpus.document, len(self.corpus.document_names))

    @cached_property
    def marks_by_cell(self) -> Marks:
        """Boundaries by coder of a group and type."""
        return self.marks.pooled(self.cell, int(self.cell_starts[-1]))

    @cached_property
    def marks_by_group(self) -> Marks:
        """Boundaries by group and type."""
        return self.marks_by_cell.pooled(np.arange(len(self)).repeat(self.n_coders), len(self))

    @cached_property
    def boundaries_by_document(self) -> IntArray:
        """Boundaries of all coders of each document."""
        ends = self.corpus.codings.offsets[self.corpus.starts]
        return ends[1:] - ends[:-1]

    @cached_property
    def marked_by_document(self) -> IntArray:
        """Positions that all coders of each document have marked, whatever the number of types there."""
        return np.diff(self.corpus.codings.marked.offsets[self.corpus.starts])

    @cached_property
    def boundaries_by_cell(self) -> IntArray:
        """Boundaries of each coder of a group."""
        return np.bincount(self.cell, weights=self.corpus.codings.n_boundaries).astype(np.int64)

    @cached_property
    def n_types(self) -> IntArray:
        """Types of each group: those that are declared, or else that its coders use; at least 1."""
        if self.corpus.type_scheme is not None or len(self.kinds) == 1:
            return np.full(len(self), len(self.kinds))
        return np.maximum(1, np.diff(self.marks_by_group.offsets))

    # ---------------------------------------------------------------- names, when they are asked for

    def silent_of(self, group: int) -> tuple[str, ...]:
        """Return the coders of a group who have placed no boundary at all."""
        numbers = self.boundaries_by_cell[self.cell_starts[group] : self.cell_starts[group + 1]]
        if numbers.all():
            return ()
        silent = self.groups[group].coders[numbers == 0]
        return tuple(self.corpus.coders[i] for i in silent.tolist())

    def coders_of(self, group: int) -> tuple[str, ...]:
        """Return the coders of a group."""
        return tuple(self.corpus.coders[i] for i in self.groups[group].coders.tolist())

    def documents_of(self, group: int) -> tuple[str, ...]:
        """Return the documents of a group."""
        return tuple(self.corpus.documents[i] for i in self.groups[group].documents.tolist())

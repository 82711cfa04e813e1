"""Columns: many segmentations as a few arrays; a Segmentation is made over its slice on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray, changes, repeat
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, SegmentationError
from caesura.values.segmentation import PLAIN_TYPE, Segmentation
from caesura.values.strings import gather, offsets_of

BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Columns:
    """The boundaries of many segmentations, and the units of each.

    >>> columns = Columns.of([Segmentation.from_masses([2, 3]), Segmentation.from_masses([1, 1, 3])])
    >>> columns.positions.tolist(), columns.offsets.tolist(), columns.n_units.tolist()
    ([2, 1, 2], [0, 1, 3], [5, 5])
    >>> columns.segmentation(1).masses
    (1, 1, 3)
    """

    n_units: IntArray  # per segmentation
    offsets: IntArray  # where the boundaries of each start, and where the last end
    positions: IntArray  # ascending in each segmentation; repeated if types share a position
    types: IntArray | None = None  # parallel, ascending at one position; None: all plain

    def __post_init__(self) -> None:
        for column in (self.n_units, self.offsets, self.positions, self.types):
            if column is not None:
                column.flags.writeable = False

    @classmethod
    def of(cls, segmentations: Sequence[Segmentation]) -> Columns:
        """Lay segmentations end to end."""
        n = len(segmentations)
        positions = [segmentation.boundary_positions for segmentation in segmentations]
        offsets = offsets_of(np.fromiter(map(len, positions), dtype=np.int64, count=n))
        n_units = np.fromiter((coding.n_units for coding in segmentations), dtype=np.int64, count=n)
        types = None
        if not all([coding.is_plain for coding in segmentations]):  # noqa: C419  (a list is faster)
            types = np.concatenate([coding.boundary_types for coding in segmentations])
        return cls(n_units, offsets, np.concatenate([np.empty(0, dtype=np.int64), *positions]), types)

    @classmethod
    def of_marks(
        cls, n_units: IntArray, coding: IntArray, positions: IntArray, types: IntArray | None = None
    ) -> Columns:
        """Return segmentations of these lengths from the coding, position and type of each boundary.

        >>> made = Columns.of_marks(np.array([5, 5]), np.array([1, 0, 1]), np.array([3, 2, 1]))
        >>> [made.segmentation(i).masses for i in range(2)]
        [(2, 3), (1, 2, 2)]
        """
        if types is not None and bool((types == PLAIN_TYPE).all()):
            types = None
        order = np.lexsort((positions, coding) if types is None else (types, positions, coding))
        offsets = np.searchsorted(coding[order], np.arange(len(n_units) + 1))
        return cls(n_units, offsets, positions[order], None if types is None else types[order])

    @classmethod
    def concatenate(cls, parts: Sequence[Columns]) -> Columns:
        """Return the segmentations of all parts."""
        if len(parts) == 1:
            return parts[0]
        nothing = np.empty(0, dtype=np.int64)
        offsets = offsets_of(np.concatenate([nothing, *(part.n_boundaries for part in parts)]))
        types = None
        if any(part.types is not None for part in parts):
            types = np.concatenate([part.all_types for part in parts])
        return cls(
            np.concatenate([nothing, *(part.n_units for part in parts)]),
            offsets,
            np.concatenate([nothing, *(part.positions for part in parts)]),
            types,
        )

    def __len__(self) -> int:
        return len(self.n_units)

    @property
    def is_plain(self) -> bool:
        """Whether every boundary has type 1."""
        return self.types is None

    @cached_property
    def n_boundaries(self) -> IntArray:
        """Number of boundaries of each segmentation, one for each position and type."""
        return np.diff(self.offsets)

    @cached_property
    def n_positions(self) -> IntArray:
        """Number of positions with a boundary of each segmentation, whatever their types."""
        return np.diff(self.marked.offsets)

    @cached_property
    def coding(self) -> IntArray:
        """The number of each boundary's segmentation."""
        return repeat(np.arange(len(self)), self.n_boundaries)

    @cached_property
    def all_types(self) -> IntArray:
        """The type of each boundary."""
        return np.full(len(self.positions), PLAIN_TYPE, dtype=np.int64) if self.types is None else self.types

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The types that occur, ascending."""
        if self.types is None:
            return (PLAIN_TYPE,) if len(self.positions) else ()
        return tuple(np.unique(self.types).tolist())

    @property
    def marked(self) -> Columns:
        """The same segmentations without types: each marked position once."""
        return self if self.types is None else self._marked  # a cached self could not be freed

    @cached_property
    def _marked(self) -> Columns:
        return self.first_types().without_types()

    def first_types(self) -> Columns:
        """Return each position with the least of its types: the most prominent, if types are ranks."""
        if self.types is None:
            return self
        is_new = changes(self.positions, self.coding)
        return self if bool(is_new.all()) else self.keep(is_new)

    def without_types(self) -> Columns:
        """Return the same boundaries without types; each position must have one boundary."""
        return Columns(self.n_units, self.offsets, self.positions)

    def keep(self, chosen: BoolArray) -> Columns:
        """Return the segmentations with the chosen boundaries only."""
        types = None if self.types is None else self.types[chosen]
        return Columns(self.n_units, offsets_of(chosen)[self.offsets], self.positions[chosen], types)

    def take(self, indices: IntArray) -> Columns:
        """Return these segmentations, in this order."""
        offsets, where = gather(self.offsets, indices)
        types = None if self.types is None else self.types[where]
        if types is not None and bool((types == PLAIN_TYPE).all()):
            types = None
        return Columns(self.n_units[indices], offsets, self.positions[where], types)

    def equals(self, other: Columns) -> bool:
        """Return whether both hold the same segmentations in the same order."""
        mine, theirs = ((it.n_units, it.offsets, it.positions, it.all_types) for it in (self, other))
        return all(map(np.array_equal, mine, theirs))

    def segmentation(self, index: int) -> Segmentation:
        """Return one segmentation, over its slice of the arrays."""
        start, end = int(self.offsets[index]), int(self.offsets[index + 1])
        types = None if self.types is None else self.types[start:end]
        return Segmentation.over(int(self.n_units[index]), self.positions[start:end], types)


def check_columns(columns: Columns, name: Callable[[int], str]) -> Columns:
    """Return the checked columns of a table, types in order; raise CorpusError that names a wrong coding.

    >>> wrong = Columns(np.array([5]), np.array([0, 2]), np.array([3, 2]))
    >>> check_columns(wrong, lambda coding: f"row {coding + 1}")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    caesura.errors.CorpusError: row 1: positions[1] is 2 after 3: positions are unsorted; they must ascend...
    """
    ends = columns.offsets[1:] - 1  # the last boundary of each
    is_empty = columns.offsets[1:] == columns.offsets[:-1]
    marked = ~is_empty if is_empty.any() else slice(None)
    ends = ends[marked]
    steps = np.diff(columns.positions)  # positions descend only where the next segmentation begins
    ascends = _only_at(ends[:-1], steps <= 0 if columns.types is None else steps < 0)
    is_fine = _are_in_range(columns, ends, columns.n_units[marked]) and ascends
    if is_fine and columns.types is not None and not _types_ascend(columns, ends):
        order = np.lexsort((columns.types, columns.positions, columns.coding))
        sides = columns.positions[order], columns.types[order]
        columns = Columns(columns.n_units, columns.offsets, *sides)
        is_fine = _types_ascend(columns, ends)
    if not is_fine:
        _raise_first_fault(columns, name)
    if columns.types is not None and bool((columns.types == PLAIN_TYPE).all()):
        columns = columns.without_types()
    return columns


def _are_in_range(columns: Columns, ends: IntArray, limits: IntArray) -> bool:
    """Return whether lengths and types are valid, and all positions inside if they ascend."""
    n_units, positions, types = columns.n_units, columns.positions, columns.types
    if len(n_units) and (n_units.min() < 1 or n_units.max() > MAX_NUMBER):
        return False
    if types is not None and len(types) and (types.min() < -MAX_NUMBER or types.max() > MAX_NUMBER):
        return False
    return not len(positions) or bool(positions.min() >= 1 and (positions[ends] < limits).all())


def _types_ascend(columns: Columns, ends: IntArray) -> bool:
    """Return whether the types at one position ascend, none of them twice."""
    types = columns.all_types
    same = columns.positions[1:] == columns.positions[:-1]
    return _only_at(ends[:-1], same & (types[1:] <= types[:-1]))


def _only_at(rows: IntArray, is_so: BoolArray) -> bool:
    return int(np.count_nonzero(is_so)) == int(np.count_nonzero(is_so[rows]))


def _raise_first_fault(columns: Columns, name: Callable[[int], str]) -> NoReturn:
    """Raise the error of the first wrong segmentation."""
    for index in range(len(columns)):
        start, end = columns.offsets[index], columns.offsets[index + 1]
        types = None if columns.types is None else columns.types[start:end].tolist()
        positions, n_units = columns.positions[start:end].tolist(), int(columns.n_units[index])
        try:
            Segmentation.from_positions(positions, n_units, types)
        except SegmentationError as error:
            raise CorpusError(f"{name(index)}: {error}") from None
    raise AssertionError("the columns are fine")


BLOCK = 10_000  # codings that are Python objects at a time


def lists_of(offsets: IntArray, numbers: IntArray) -> Iterator[list[int]]:
    """Yield the slices of a column.

    >>> list(lists_of(np.array([0, 2, 2, 3]), np.array([5, 6, 7])))
    [[5, 6], [], [7]]
    """
    for start in range(0, len(offsets) - 1, BLOCK):
        part = offsets[start : start + BLOCK + 1]
        block = numbers[part[0] : part[-1]].tolist()
        for begin, end in pairwise((part - part[0]).tolist()):
            yield block[begin:end]


def masses_of(codings: Columns) -> Iterator[list[int]]:
    """Yield the masses of each coding.

    >>> list(masses_of(Columns(np.array([5, 4]), np.array([0, 1, 1]), np.array([2]))))
    [[2, 3], [4]]
    """
    marked = codings.marked
    offsets = marked.offsets + np.arange(len(marked) + 1)
    is_last = np.zeros(int(offsets[-1]), dtype=bool)
    is_last[offsets[1:] - 1] = True
    ends = np.empty(len(is_last), dtype=np.int64)
    ends[is_last], ends[~is_last] = marked.n_units, marked.positions
    masses = ends.copy()
    masses[1:] -= np.where(is_last[:-1], 0, ends[:-1])
    return lists_of(offsets, masses)


def is_typed(codings: Columns) -> BoolArray:
    """Return which codings have boundaries of types other than 1."""
    typed = np.zeros(len(codings), dtype=bool)
    if codings.types is not None:
        typed[codings.coding[codings.types != PLAIN_TYPE]] = True
    return typed

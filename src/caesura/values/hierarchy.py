"""Hierarchy: a segmentation whose boundaries carry ranks; an immutable value like Segmentation.

Rank 1 is the most prominent; several boundaries may share a rank. Positions that are not marked share one
implicit rank below all others (Carroll 2010, Evaluating hierarchical discourse segmentation, NAACL, §2).
Memory and time depend on the number of boundaries, not on the length of the document.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Self, TypeAlias

import numpy as np

from caesura.arrays import IntArray
from caesura.checks import MAX_NUMBER
from caesura.errors import ParameterError, SegmentationError
from caesura.values.forms import as_list, checked_n_units, range_fault, whole_numbers
from caesura.values.html import hierarchy_html
from caesura.values.segmentation import (
    MAX_REPR_SEGMENTS,
    Segmentation,
    SegmentationLike,
    SparseBoundaries,
    as_segmentation,
)
from caesura.wording import short

MAX_DEPTH = 1000  # deepest nesting that ``from_nested`` reads; a list may hold itself

MAX_LEVELS = 1000
"""Most levels compared one by one; each costs a plain comparison of all boundaries."""

MAX_NAMED_POSITIONS = 5  # positions that a warning names


class Hierarchy(SparseBoundaries):
    """A document's boundaries with one rank each: immutable, hashable and sparse.

    Two hierarchies are equal if their ranks are equal as given; ``normalized()`` renumbers ranks from 1.

    >>> Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11) == Hierarchy.from_nested([[2, 3], [6]])
    True
    >>> Hierarchy.from_levels([[5, 6], [2, 3, 6]])
    Hierarchy.from_ranks({2: 2, 5: 1}, n_units=11)
    """

    __slots__ = ("rank_array",)

    CONSTRUCTORS = "Hierarchy.from_ranks, from_levels, from_nested or from_segmentation"

    rank_array: IntArray
    """``ranks`` as a read-only NumPy array, parallel to ``position_array``."""

    @property
    def _arrays(self) -> tuple[IntArray, IntArray]:
        return self.position_array, self.rank_array

    # ---------------------------------------------------------------- constructors

    @classmethod
    def over(cls, n_units: int, positions: IntArray, ranks: IntArray) -> Self:
        """Return the hierarchy over valid arrays, without copying them."""
        self = object.__new__(cls)
        positions.flags.writeable = ranks.flags.writeable = False
        put = object.__setattr__
        put(self, "n_units", n_units)
        put(self, "position_array", positions)
        put(self, "rank_array", ranks)
        return self

    @classmethod
    def from_ranks(cls, ranks: Mapping[int, int], n_units: int) -> Hierarchy:
        """Read the rank of each boundary by its position, the number of units before it.

        >>> Hierarchy.from_ranks({5: 1, 2: 2, 9: 2}, n_units=11).level(1).masses
        (5, 6)
        """
        n_units = checked_n_units(n_units)
        if not isinstance(ranks, Mapping):
            raise SegmentationError(f"ranks is {short(ranks)}: expected {{position: rank}}, such as {{5: 1}}")
        for position in ranks:
            if isinstance(position, str):
                raise SegmentationError(f"ranks has the key {short(position)}: JSON has strings, use int()")
        positions = whole_numbers(list(ranks), "positions")
        levels = whole_numbers(list(ranks.values()), "ranks")
        for position, rank in zip(positions, levels, strict=True):
            if not 0 < position < n_units:
                raise SegmentationError(f"ranks[{position}] is {rank}: {range_fault(position, n_units)}")
            _check_rank(f"ranks[{position}]", rank)
        return cls._from_pairs(n_units, list(zip(positions, levels, strict=True)))

    @classmethod
    def from_levels(cls, levels: Sequence[SegmentationLike]) -> Hierarchy:
        """Read one segmentation per level, from the coarsest (rank 1) to the finest.

        A boundary has the rank of the first level that has it. Each level should keep the boundaries of the
        level above. Levels that do not are merged, with a UserWarning that names the positions. Boundary
        types are ignored.

        >>> Hierarchy.from_levels([[5, 6], [2, 3, 6]]).boundaries
        ((2, 2), (5, 1))
        """
        if isinstance(levels, Segmentation):
            raise SegmentationError("levels is one Segmentation; give a list of them, from the coarsest on")
        values = as_list(levels, "levels")
        if not values:
            raise SegmentationError("levels is empty; give at least one segmentation")
        if not isinstance(values[0], Segmentation) and not hasattr(values[0], "__len__"):
            raise SegmentationError(f"levels[0] is {short(values[0])}: expected a Segmentation per level")
        ranks: dict[int, int] = {}
        n_units = 0
        for index, value in enumerate(values):
            try:
                segmentation = as_segmentation(value)
            except SegmentationError as error:
                raise SegmentationError(f"levels[{index}]: {error}") from None
            if index and segmentation.n_units != n_units:
                raise SegmentationError(f"levels[{index}] has {segmentation.n_units} units, not {n_units}")
            n_units = segmentation.n_units
            missing = ranks.keys() - set(segmentation.positions)
            if missing:
                _notice_missing(index, sorted(missing), ranks)
            for position in segmentation.positions:
                ranks.setdefault(position, index + 1)
        return cls._from_pairs(n_units, ranks.items())

    @classmethod
    def from_nested(cls, nested: Sequence[Any]) -> Hierarchy:
        """Read masses in nested lists: a boundary's rank is the depth of the list that it divides.

        >>> Hierarchy.from_nested([[2, 3], [6]]).boundaries
        ((2, 2), (5, 1))
        >>> Hierarchy.from_nested([[[1, 1], 3], 6]).ranks
        (3, 2, 1)
        """
        ranks: dict[int, int] = {}
        position = 0
        # One iterator per open list; path has the index of the element being read in each.
        path = [-1]
        is_open = [_elements(nested, path[:0])]
        while is_open:
            element = next(is_open[-1], None)
            if element is None:
                is_open.pop()
                path.pop()
                continue
            path[-1] += 1
            if path[-1]:
                ranks[position] = len(path)
            if _is_list(element):
                if len(path) == MAX_DEPTH:
                    raise SegmentationError(f"nested holds itself or over {MAX_DEPTH} levels; use from_ranks")
                is_open.append(_elements(element, path))
                path.append(-1)
            else:
                position += _mass(element, path)
        return cls._from_pairs(checked_n_units(position), ranks.items())

    @classmethod
    def from_segmentation(cls, segmentation: SegmentationLike) -> Hierarchy:
        """Read boundary types as ranks; of several at one position, the most prominent counts.

        A segmentation without types, masses and gap indicators have one level.

        >>> typed = Segmentation.from_positions([2, 5, 5], n_units=11, types=[2, 1, 2])
        >>> Hierarchy.from_segmentation(typed).boundaries
        ((2, 2), (5, 1))
        """
        segmentation = as_segmentation(segmentation)
        positions = segmentation.position_array
        if segmentation.is_plain:
            return cls.over(segmentation.n_units, positions, np.ones(len(positions), dtype=np.int64))
        ranks: dict[int, int] = {}
        for position, kind in segmentation.boundaries:  # types ascend at one position
            if position not in ranks:
                _check_rank(f"the type at position {position}", kind)
                ranks[position] = kind
        return cls._from_pairs(segmentation.n_units, ranks.items())

    # ---------------------------------------------------------------- properties

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each boundary, in the order of ``positions``."""
        return tuple(self.rank_array.tolist())

    @property
    def levels(self) -> tuple[int, ...]:
        """The ranks that occur, from the most prominent on."""
        return tuple(np.unique(self.rank_array).tolist())

    @property
    def n_levels(self) -> int:
        """Number of ranks that occur."""
        return len(self.levels)

    # ---------------------------------------------------------------- conversions

    def level(self, number: int) -> Segmentation:
        """Return the boundaries of the ``number`` most prominent ranks that occur, as a segmentation.

        >>> Hierarchy.from_ranks({5: 10, 2: 30}, n_units=11).level(2).masses
        (2, 3, 6)
        """
        levels = self.levels
        is_whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not is_whole or not 1 <= number <= len(levels):
            allowed = f"a level is from 1 to {len(levels)}" if levels else "without boundaries there are none"
            raise ParameterError(f"level is {short(number)}: {allowed}")
        return self.up_to(levels[number - 1])

    def up_to(self, rank: int) -> Segmentation:
        """Return the boundaries of this rank and of those above, as a segmentation.

        >>> Hierarchy.from_ranks({5: 10, 2: 30}, n_units=11).up_to(29).masses
        (5, 6)
        """
        return Segmentation.from_positions(self.position_array[self.rank_array <= rank], self.n_units)

    def normalized(self) -> Hierarchy:
        """Return the same order of boundaries with ranks 1 to ``n_levels``.

        >>> Hierarchy.from_ranks({5: 10, 2: 30}, n_units=11).normalized().ranks
        (2, 1)
        """
        ranks = np.unique(self.rank_array, return_inverse=True)[1].reshape(-1).astype(np.int64) + 1
        return self.over(self.n_units, self.position_array, ranks)

    normalised = normalized  # codespell:ignore normalised
    """The name of ``normalized`` in 1.0."""

    def to_segmentation(self) -> Segmentation:
        """Return a segmentation whose boundary types are the ranks.

        >>> Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11).to_segmentation().boundaries
        ((2, 2), (5, 1))
        """
        return Segmentation.from_positions(self.position_array, n_units=self.n_units, types=self.rank_array)

    # ---------------------------------------------------------------- value semantics

    def __repr__(self) -> str:
        if self.n_boundaries >= MAX_REPR_SEGMENTS:
            numbers = f"{self.n_units} units with {self.n_boundaries} boundaries on {self.n_levels} levels"
            return f"<Hierarchy of {numbers}>"
        return f"Hierarchy.from_ranks({dict(self.boundaries)}, n_units={self.n_units})"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the boundaries on a strip, more prominent ones higher."""
        return hierarchy_html(self.n_units, self.position_array, self.rank_array)


HierarchyLike: TypeAlias = Hierarchy | SegmentationLike
"""What functions accept: a Hierarchy, or anything read as a Segmentation (its types are the ranks)."""


def as_hierarchy(value: HierarchyLike) -> Hierarchy:
    """Return the Hierarchy itself, or read a segmentation's types as ranks; plain ones have one level.

    >>> as_hierarchy([2, 3, 6])
    Hierarchy.from_ranks({2: 1, 5: 1}, n_units=11)
    """
    return value if isinstance(value, Hierarchy) else Hierarchy.from_segmentation(value)


def check_levels(ranks: Collection[int]) -> list[int]:
    """Return the ranks to compare one by one, ascending; rank 1 for none; raise for too many.

    >>> check_levels({3, 1}), check_levels(())
    ([1, 3], [1])
    """
    if len(ranks) > MAX_LEVELS:
        raise ParameterError(
            f"{len(ranks)} levels are more than {MAX_LEVELS}; use EPk or EWD, or fewer levels"
        )
    return sorted(ranks) or [1]


def _check_rank(name: str, rank: int) -> None:
    if not 1 <= rank <= MAX_NUMBER:
        fix = "; add 1 to each if yours count from 0" if rank == 0 else ""
        raise SegmentationError(f"{name} is {rank}: ranks are from 1, the most prominent, to 2**53{fix}")


def _notice_missing(index: int, missing: Sequence[int], ranks: Mapping[int, int]) -> None:
    named = [f"{position} (levels[{ranks[position] - 1}])" for position in missing[:MAX_NAMED_POSITIONS]]
    more = f" and {len(missing) - MAX_NAMED_POSITIONS} more" if len(missing) > MAX_NAMED_POSITIONS else ""
    fault = f"levels[{index}] lacks boundaries of the levels above, at positions {', '.join(named)}{more}"
    warnings.warn(f"{fault}: the levels do not nest and are united", UserWarning, stacklevel=3)


def _is_list(value: object) -> bool:
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes))


def _path_name(path: Sequence[int]) -> str:
    indices = [f"[{index}]" for index in path]
    if len(indices) > 2 * MAX_NAMED_POSITIONS:
        indices = [*indices[:MAX_NAMED_POSITIONS], "...", *indices[-MAX_NAMED_POSITIONS:]]
    return "nested" + "".join(indices)


def _elements(values: object, path: Sequence[int]) -> Iterator[Any]:
    if not _is_list(values):
        fault = f"{_path_name(path)} is {short(values)}"
        raise SegmentationError(f"{fault}: expected nested lists of masses, such as [[2, 3], [6]]")
    elements = as_list(values, _path_name(path))
    if not elements:
        raise SegmentationError(f"{_path_name(path)} is empty; a segment needs at least one unit")
    for index, element in enumerate(elements):
        if element is None:
            raise SegmentationError(f"{_path_name([*path, index])} is None: expected a mass or a list")
    return iter(elements)


def _mass(value: object, path: Sequence[int]) -> int:
    try:
        (mass,) = whole_numbers([value], "nested")
    except SegmentationError:
        fault = f"{_path_name(path)} is {short(value)}"
        raise SegmentationError(f"{fault}: expected a mass (a whole number) or a list of them") from None
    if mass < 1:
        fix = "; positions with ranks belong to Hierarchy.from_ranks" if mass == 0 else ""
        raise SegmentationError(f"{_path_name(path)} is {mass}: a segment needs at least one unit{fix}")
    return mass

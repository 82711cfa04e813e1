"""Segmentation: the immutable value that every input becomes.

A document has ``n_units`` units (words, sentences, paragraphs ...) and ``n_units - 1`` potential boundary
positions. Position ``p`` is the number of units before it: ``units[:p] | units[p:]``. A segmentation is
``n_units`` plus a sparse set of (position, type) pairs. Memory and time depend on the number of boundaries,
not on the length of the document.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Literal, NoReturn, Self, TypeAlias

import numpy as np

from caesura.arrays import IntArray, repeat
from caesura.checks import check_choice, check_number, check_whole
from caesura.errors import ComparisonError, SegmentationError
from caesura.values import forms
from caesura.values.html import segmentation_html
from caesura.wording import short

PLAIN_TYPE = 1  # the type of boundaries without a type

MAX_DENSE_UNITS = 10**8  # longest document that may be written out unit by unit

MAX_REPR_SEGMENTS = 20


class SparseBoundaries:
    """Base of segmentations and hierarchies: immutable arrays, compared and hashed by value."""

    __slots__ = ("_hash", "_positions", "n_units", "position_array")

    CONSTRUCTORS: ClassVar[str]
    """The names of the constructors, for a message."""

    n_units: int
    """Length of the document in units."""
    position_array: IntArray
    """``positions`` as a read-only NumPy array, for kernels."""
    _positions: tuple[int, ...]  # set on first use, as is the hash
    _hash: int

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise TypeError(f"choose the constructor for your form: {self.CONSTRUCTORS}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable")

    @classmethod
    def over(cls, n_units: int, positions: IntArray, numbers: IntArray) -> Self:
        """Return the value over valid arrays, without copying them."""
        raise NotImplementedError

    @classmethod
    def _from_pairs(cls, n_units: int, pairs: Collection[tuple[int, int]]) -> Self:
        array = np.array(sorted(pairs), dtype=np.int64).reshape(len(pairs), 2)
        return cls.over(n_units, array[:, 0].copy(), array[:, 1].copy())

    @property
    def _arrays(self) -> tuple[IntArray, IntArray | None]:
        """Positions, and the type or rank at each."""
        raise NotImplementedError

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions with at least one boundary, ascending."""
        try:
            return self._positions
        except AttributeError:
            object.__setattr__(self, "_positions", tuple(self.position_array.tolist()))
            return self._positions

    @property
    def boundaries(self) -> tuple[tuple[int, int], ...]:
        """All pairs of a position and the type or rank there, ascending."""
        positions, numbers = self._arrays
        kinds = [PLAIN_TYPE] * len(positions) if numbers is None else numbers.tolist()
        return tuple(zip(positions.tolist(), kinds, strict=True))

    @property
    def n_boundaries(self) -> int:
        """Number of boundaries: one for each position and type, or for each ranked position."""
        return len(self._arrays[0])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseBoundaries) or type(other) is not type(self):
            return NotImplemented
        (mine, my_numbers), (theirs, their_numbers) = self._arrays, other._arrays
        if self.n_units != other.n_units or not np.array_equal(mine, theirs):
            return False
        if my_numbers is None or their_numbers is None:
            return my_numbers is their_numbers
        return np.array_equal(my_numbers, their_numbers)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            arrays = [b"" if array is None else array.tobytes() for array in self._arrays]
            object.__setattr__(self, "_hash", hash((self.n_units, *arrays)))
            return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self).over, (self.n_units, *self._arrays))


class Segmentation(SparseBoundaries):
    """A document's boundaries: immutable, hashable and sparse.

    Use one of the constructors; each reads one way of writing a segmentation.

    >>> Segmentation.from_masses([2, 3, 6]) == Segmentation.from_gaps("0100100000")
    True
    >>> Segmentation.from_positions([2, 5], n_units=11).masses
    (2, 3, 6)
    """

    __slots__ = ("_boundary_positions", "_boundary_types", "is_plain")

    CONSTRUCTORS = (
        "Segmentation.from_masses, from_positions, from_labels, from_gaps, from_starts, from_ends, from_sets "
        "or from_spans"
    )

    is_plain: bool
    """Whether every boundary has the type 1."""
    _boundary_positions: IntArray  # ascending; repeated where several types share a position
    _boundary_types: IntArray | None  # parallel to it, ascending at one position; None: all are PLAIN_TYPE

    @property
    def _arrays(self) -> tuple[IntArray, IntArray | None]:
        return self._boundary_positions, self._boundary_types

    # ---------------------------------------------------------------- constructors

    @classmethod
    def over(cls, n_units: int, positions: IntArray, types: IntArray | None = None) -> Self:
        """Return the segmentation over valid arrays, without copying them."""
        self = object.__new__(cls)
        distinct = positions
        positions.flags.writeable = False
        if types is not None:
            if bool((types == PLAIN_TYPE).all()):
                types = None
            else:
                types.flags.writeable = False
                distinct = np.unique(positions)
                distinct.flags.writeable = False
        put = object.__setattr__
        put(self, "n_units", n_units)
        put(self, "is_plain", types is None)
        put(self, "position_array", distinct)
        put(self, "_boundary_positions", positions)
        put(self, "_boundary_types", types)
        return self

    @classmethod
    def from_masses(cls, masses: Iterable[int]) -> Segmentation:
        """Read segment lengths, in units: ``[2, 3, 6]``.

        >>> Segmentation.from_masses([2, 3, 6]).positions
        (2, 5)
        """
        values = forms.filled(masses, "masses")
        numbers = forms.whole_numbers(values, "masses")
        if min(numbers) < 1:
            index = next(i for i, mass in enumerate(numbers) if mass < 1)
            raise forms.misread(values, "masses", index, "a segment needs at least one unit")
        n_units = forms.checked_n_units(sum(numbers))
        numbers.pop()
        return cls.over(n_units, np.fromiter(accumulate(numbers), dtype=np.int64, count=len(numbers)))

    @classmethod
    def from_positions(
        cls, positions: Iterable[int], n_units: int, types: Iterable[int] | None = None
    ) -> Segmentation:
        """Read boundary positions: the number of units before each boundary, ascending.

        With ``types`` (one per position), several boundaries may share a position.

        >>> Segmentation.from_positions([2, 5], n_units=11).masses
        (2, 3, 6)
        >>> Segmentation.from_positions([2, 2, 5], n_units=11, types=[1, 2, 1]).boundaries
        ((2, 1), (2, 2), (5, 1))
        """
        n_units = forms.checked_n_units(n_units)
        values = forms.as_list(positions, "positions")
        numbers = forms.whole_numbers(values, "positions")
        ascend = operator.lt if types is None else operator.le
        is_ascending = all(map(ascend, numbers, numbers[1:]))
        if numbers and not (is_ascending and 0 < numbers[0] <= numbers[-1] < n_units):
            raise SegmentationError(forms.position_fault(numbers, n_units, types is not None))
        if types is None:
            return cls.over(n_units, np.array(numbers, dtype=np.int64))
        kinds = forms.type_numbers(forms.as_list(types, "types"), "types")
        if len(kinds) != len(numbers):
            raise SegmentationError(f"{len(numbers)} positions but {len(kinds)} types: give one each")
        boundaries = sorted(zip(numbers, kinds, strict=True))
        for first, second in pairwise(boundaries):
            if first == second:
                raise SegmentationError(f"position {first[0]} has type {first[1]} twice")
        return cls._from_pairs(n_units, boundaries)

    @classmethod
    def from_labels(cls, labels: Iterable[object]) -> Segmentation:
        """Read one label per unit; every change of label is a boundary.

        A label that recurs later starts a new segment.

        >>> Segmentation.from_labels(["a", "a", "b", "b", "b", "a"]).masses
        (2, 3, 1)
        """
        values = forms.filled(list(labels) if isinstance(labels, str) else labels, "labels")
        for index, label in enumerate(values):
            if isinstance(label, (set, frozenset)) or getattr(label, "ndim", 0) > 0:
                raise forms.misread(values, "labels", index, "expected one label")
            if label is None or label != label:
                raise SegmentationError(f"labels[{index}] is {label!r}: the unit has no label")
        try:
            changes = [i for i, (before, after) in enumerate(pairwise(values), start=1) if before != after]
        except ValueError:  # arrays in lists, which compare element by element
            raise SegmentationError(f"labels[0] is {short(values[0])}: expected one label") from None
        return cls.over(len(values), np.array(changes, dtype=np.int64))

    @classmethod
    def from_gaps(cls, gaps: str | Iterable[int]) -> Segmentation:
        """Read one 0 or 1 per potential boundary, ``n_units - 1`` in all, as NLTK writes it.

        >>> Segmentation.from_gaps("0100100000").masses
        (2, 3, 6)
        >>> Segmentation.from_gaps("").n_units
        1
        """
        if isinstance(gaps, str):
            if set(gaps) - {"0", "1"}:
                index = next(i for i, character in enumerate(gaps) if character not in "01")
                raise forms.misread(list(gaps), "gaps", index, "gap indicators are 0 or 1")
            array = np.frombuffer(gaps.encode("ascii"), dtype=np.uint8) == ord("1")
            return cls.over(forms.checked_n_units(len(gaps) + 1), np.flatnonzero(array).astype(np.int64) + 1)
        return cls._from_marks(forms.indicators(gaps, "gaps"))

    @classmethod
    def _from_marks(cls, marks: Sequence[int]) -> Segmentation:
        """Read one 0 or 1 per potential boundary."""
        positions = [index for index, mark in enumerate(marks, start=1) if mark]
        return cls.over(len(marks) + 1, np.array(positions, dtype=np.int64))

    @classmethod
    def from_starts(cls, starts: str | Iterable[int]) -> Segmentation:
        """Read one 0 or 1 per unit, 1 where the unit is the first of its segment.

        The document's first unit always starts a segment, whatever its mark.

        >>> Segmentation.from_starts([1, 0, 1, 0, 0]).masses
        (2, 3)
        """
        return cls._from_marks(forms.filled(forms.indicators(starts, "starts"), "starts")[1:])

    @classmethod
    def from_ends(cls, ends: str | Iterable[int]) -> Segmentation:
        """Read one 0 or 1 per unit, 1 where the unit is the last of its segment.

        The document's last unit always ends a segment, whatever its mark.

        >>> Segmentation.from_ends([0, 1, 0, 0, 1]).masses
        (2, 3)
        """
        return cls._from_marks(forms.filled(forms.indicators(ends, "ends"), "ends")[:-1])

    @classmethod
    def from_scores(
        cls,
        scores: Iterable[float],
        *,
        threshold: float | None = None,
        n_segments: int | None = None,
        at: Literal["gaps", "starts", "ends"] = "gaps",
    ) -> Segmentation:
        """Read a model's scores, such as probabilities: a score that reaches the threshold is a boundary.

        With ``n_segments``, the highest ``n_segments - 1`` scores are boundaries instead (of equal scores the
        first). ``at`` says what a score belongs to: each gap between two units, or each unit as the start or
        the end of a segment (then the document's first or last score is ignored).

        >>> Segmentation.from_scores([0.1, 0.9, 0.2, 0.5], threshold=0.5).positions
        (2, 4)
        >>> Segmentation.from_scores([0.1, 0.9, 0.2, 0.5], n_segments=2).masses
        (2, 3)
        """
        listed = forms.as_list(scores, "scores")
        try:
            values = np.array(listed, dtype=np.float64)
        except (OverflowError, TypeError, ValueError):
            values = np.empty((0, 0))
        if values.ndim != 1 or not np.isfinite(values).all():
            index = next(index for index, score in enumerate(listed) if not _is_finite(score))
            raise SegmentationError(f"scores[{index}] is {short(listed[index])}: expected a number")
        if (threshold is None) == (n_segments is None):
            raise SegmentationError("give either threshold or n_segments")
        check_choice("at", at, ("gaps", "starts", "ends"))
        if at != "gaps" and not len(values):
            raise SegmentationError("scores is empty; a document needs at least one unit")
        gaps = {"gaps": values, "starts": values[1:], "ends": values[:-1]}[at]
        if threshold is not None:
            marked = np.flatnonzero(gaps >= check_number("threshold", threshold, -math.inf))
        else:
            if check_whole("n_segments", n_segments, 1) > len(gaps) + 1:
                raise SegmentationError(f"n_segments is {n_segments}, more than the {len(gaps) + 1} units")
            marked = np.sort(np.argsort(-gaps, kind="stable")[: int(n_segments or 1) - 1])
        return cls.over(len(gaps) + 1, (marked + 1).astype(np.int64))

    @classmethod
    def from_sets(cls, sets: Iterable[Iterable[int]]) -> Segmentation:
        """Read the set of boundary types at each potential boundary, ``n_units - 1`` sets in all.

        >>> Segmentation.from_sets([set(), {1}, {1, 2}]).boundaries
        ((2, 1), (3, 1), (3, 2))
        """
        values = forms.as_list(sets, "sets")
        boundaries: list[tuple[int, int]] = []
        for index, types in enumerate(values):
            if isinstance(types, dict) and not types:
                continue  # Python reads {} as a dict
            if not isinstance(types, (set, frozenset, tuple, list)):
                raise forms.misread(values, "sets", index, "expected a set of boundary types")
            numbers = forms.type_numbers(list(types), f"sets[{index}]")
            for previous, number in pairwise(sorted(numbers)):
                if previous == number:
                    raise SegmentationError(f"sets[{index}] is {types!r}: it has type {number} twice")
            boundaries.extend((index + 1, number) for number in sorted(numbers))
        return cls._from_pairs(len(values) + 1, boundaries)

    @classmethod
    def from_spans(cls, spans: Iterable[tuple[int, int]]) -> Segmentation:
        """Read half-open segments ``(start, end)`` that cover the document from unit 0 on.

        >>> Segmentation.from_spans([(0, 2), (2, 5), (5, 11)]).masses
        (2, 3, 6)
        """
        values = forms.filled(spans, "spans")
        expected = 0
        ends: list[int] = []
        for index, span in enumerate(values):
            if isinstance(span, str) or not isinstance(span, Sequence) or len(span) != 2:
                raise forms.misread(values, "spans", index, "expected a pair (start, end)")
            start, end = forms.whole_numbers(list(span), f"spans[{index}]")
            if end <= start:
                raise SegmentationError(f"spans[{index}] is {span!r}: a span must end after its start")
            if start != expected:
                raise SegmentationError(forms.span_fault(values, index, start, expected))
            expected = end
            ends.append(end)
        return cls.over(forms.checked_n_units(expected), np.array(ends[:-1], dtype=np.int64))

    # ---------------------------------------------------------------- properties

    @property
    def boundary_positions(self) -> IntArray:
        """The position of each boundary, ascending; repeated where several types share it."""
        return self._boundary_positions

    @property
    def boundary_types(self) -> IntArray:
        """The type of each boundary, parallel to ``boundary_positions``."""
        if self._boundary_types is None:
            return np.full(len(self._boundary_positions), PLAIN_TYPE, dtype=np.int64)
        return self._boundary_types

    @property
    def types(self) -> tuple[int, ...]:
        """The boundary types that occur, ascending."""
        if self._boundary_types is None:
            return (PLAIN_TYPE,) if len(self._boundary_positions) else ()
        return tuple(np.unique(self._boundary_types).tolist())

    @property
    def masses(self) -> tuple[int, ...]:
        """Segment lengths in units."""
        edges = np.concatenate(([0], self.position_array, [self.n_units]))
        return tuple(np.diff(edges).tolist())

    @property
    def n_segments(self) -> int:
        """Number of segments: positions with a boundary, plus one."""
        return len(self.position_array) + 1

    # ---------------------------------------------------------------- conversions

    def without_types(self) -> Segmentation:
        """Return the same boundaries as plain ones, whatever their types or ranks.

        >>> Segmentation.from_sets([set(), {1, 2}, {3}]).without_types().boundaries
        ((2, 1), (3, 1))
        """
        return self if self.is_plain else Segmentation.over(self.n_units, self.position_array)

    def to_gaps(self) -> str:
        """Return one 0 or 1 per potential boundary; types are not kept.

        >>> Segmentation.from_masses([2, 3, 6]).to_gaps()
        '0100100000'
        """
        self._check_dense("to_gaps")
        marks = np.full(self.n_units - 1, ord("0"), dtype=np.uint8)
        marks[self.position_array - 1] = ord("1")
        return marks.tobytes().decode("ascii")

    def to_labels(self) -> tuple[int, ...]:
        """Return for each unit the number of its segment, from 1 on; types are not kept.

        >>> Segmentation.from_masses([2, 3]).to_labels()
        (1, 1, 2, 2, 2)
        """
        self._check_dense("to_labels")
        return tuple(repeat(np.arange(1, self.n_segments + 1), self.masses).tolist())

    def to_starts(self) -> tuple[int, ...]:
        """Return one 0 or 1 per unit, 1 where a segment starts."""
        self._check_dense("to_starts")
        return (1, *map(int, self.to_gaps()))

    def to_ends(self) -> tuple[int, ...]:
        """Return one 0 or 1 per unit, 1 where a segment ends."""
        self._check_dense("to_ends")
        return (*map(int, self.to_gaps()), 1)

    def to_sets(self) -> tuple[frozenset[int], ...]:
        """Return the set of boundary types at each potential boundary."""
        self._check_dense("to_sets")
        sets: list[set[int]] = [set() for _ in range(self.n_units - 1)]
        for position, kind in self.boundaries:
            sets[position - 1].add(kind)
        return tuple(map(frozenset, sets))

    def to_spans(self) -> tuple[tuple[int, int], ...]:
        """Return the segments as half-open pairs ``(start, end)``.

        >>> Segmentation.from_masses([2, 3]).to_spans()
        ((0, 2), (2, 5))
        """
        return tuple(pairwise((0, *self.positions, self.n_units)))

    def _check_dense(self, name: str) -> None:
        if self.n_units > MAX_DENSE_UNITS:
            raise SegmentationError(f"{name} would write out {self.n_units} units; use positions or masses")

    def __repr__(self) -> str:
        if self.n_segments > MAX_REPR_SEGMENTS:
            return f"<Segmentation of {self.n_units} units with {self.n_boundaries} boundaries>"
        if self._boundary_types is None:
            return f"Segmentation.from_masses({list(self.masses)})"
        positions, types = self._boundary_positions.tolist(), self._boundary_types.tolist()
        return f"Segmentation.from_positions({positions}, n_units={self.n_units}, types={types})"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the boundaries on a strip."""
        return segmentation_html(self.n_units, self._boundary_positions, self._boundary_types)


SegmentationLike: TypeAlias = Segmentation | Sequence[int] | str
"""What functions accept: a Segmentation, a plain sequence of masses, or a string of gap indicators."""


def _is_finite(score: Any) -> bool:
    try:
        return np.ndim(score) == 0 and math.isfinite(score)
    except (OverflowError, TypeError, ValueError):
        return False


def as_segmentation(value: SegmentationLike) -> Segmentation:
    """Return the Segmentation itself, or read a plain sequence as masses and a string as gap indicators.

    >>> as_segmentation([2, 3]) == as_segmentation("0100")
    True
    """
    if isinstance(value, Segmentation):
        return value
    if isinstance(value, str):
        return Segmentation.from_gaps(value)
    return Segmentation.from_masses(value)


def check_comparable(reference: Segmentation, hypothesis: Segmentation) -> None:
    """Raise ComparisonError unless both have the same number of units."""
    if reference.n_units != hypothesis.n_units:
        numbers = f"the reference has {reference.n_units} units and the hypothesis {hypothesis.n_units}"
        raise ComparisonError(f"{numbers}: both must segment the same units")

"""Segmentation: an immutable value in which every input form ends.

A document has ``n_units`` units (words, sentences, paragraphs ...) and ``n_units - 1`` potential boundary
positions. Position ``p`` is the number of units before it: ``units[:p] | units[p:]``. A segmentation is
``n_units`` plus a sparse set of (position, type) pairs, so memory and time depend on the number of
boundaries and never on the length of the document.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ComparisonError, SegmentationError

IntArray: TypeAlias = NDArray[np.int64]

PLAIN_TYPE = 1
"""The type of every boundary of a segmentation that does not say otherwise."""

MAX_UNITS = 2**53
"""Longest document: sums of positions must fit 64-bit integers, and single ones a float."""

MAX_TYPE = 2**53
"""Greatest number that may stand for a type, for the same reason."""

MAX_DENSE_UNITS = 10**8
"""Longest document that may be written out unit by unit."""

MAX_REPR_SEGMENTS = 20


class Segmentation:
    """A document's boundaries: immutable, hashable and sparse.

    Use one of the constructors; each takes one way in which segmentations are written down.

    >>> Segmentation.from_masses([2, 3, 6]) == Segmentation.from_gaps("0100100000")
    True
    >>> Segmentation.from_positions([2, 5], n_units=11).masses
    (2, 3, 6)
    """

    __slots__ = (
        "_boundary_positions",
        "_boundary_types",
        "_hash",
        "_positions",
        "is_plain",
        "n_units",
        "position_array",
    )

    n_units: int
    """Length of the document in units."""
    is_plain: bool
    """Whether every boundary has the type 1."""
    position_array: IntArray
    """``positions`` as a read-only NumPy array, for kernels."""
    _boundary_positions: IntArray  # ascending; repeated where several types share a position
    _boundary_types: IntArray | None  # parallel to it, ascending at one position; None: all are PLAIN_TYPE
    _positions: tuple[int, ...]  # distinct positions; set when first asked for, as is the hash
    _hash: int

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise TypeError(
            "say what the numbers mean: Segmentation.from_masses, from_positions, from_labels, from_gaps, "
            "from_starts, from_ends, from_sets or from_spans"
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Segmentation is immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Segmentation is immutable")

    # ---------------------------------------------------------------- constructors

    @classmethod
    def _make(cls, n_units: int, positions: IntArray, types: IntArray | None = None) -> Segmentation:
        """Build from arrays that are known to be valid."""
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
        values = _as_list(masses, "masses")
        if not values:
            raise SegmentationError("masses are empty: a document has at least one unit")
        numbers = _whole_numbers(values, "masses", _masses_hint)
        if min(numbers) < 1:
            index = next(i for i, mass in enumerate(numbers) if mass < 1)
            raise SegmentationError(
                f"masses[{index}] is {values[index]!r}: a segment has at least one unit{_masses_hint(values)}"
            )
        n_units = _checked_n_units(sum(numbers))
        numbers.pop()
        return cls._make(n_units, np.fromiter(accumulate(numbers), dtype=np.int64, count=len(numbers)))

    @classmethod
    def from_positions(
        cls, positions: Iterable[int], n_units: int, types: Iterable[int] | None = None
    ) -> Segmentation:
        """Read boundary positions: the number of units before each boundary, ascending.

        With ``types`` (one per position) several boundaries may stand at one position.

        >>> Segmentation.from_positions([2, 5], n_units=11).masses
        (2, 3, 6)
        >>> Segmentation.from_positions([2, 2, 5], n_units=11, types=[1, 2, 1]).boundaries
        ((2, 1), (2, 2), (5, 1))
        """
        n_units = _checked_n_units(_whole_number(n_units, "n_units"))
        values = _as_list(positions, "positions")
        numbers = _whole_numbers(values, "positions", _positions_hint)
        ascend = operator.lt if types is None else operator.le
        if not all(map(ascend, numbers, numbers[1:])):
            raise SegmentationError(_order_fault(numbers, ascend) + _positions_hint(values))
        if numbers and not 0 < numbers[0] <= numbers[-1] < n_units:
            raise SegmentationError(_range_fault(numbers, n_units))
        if types is None:
            return cls._make(n_units, np.array(numbers, dtype=np.int64))
        type_numbers = _whole_numbers(_as_list(types, "types"), "types", _types_hint)
        if len(type_numbers) != len(numbers):
            raise SegmentationError(f"{len(numbers)} positions but {len(type_numbers)} types: give one each")
        boundaries = sorted(zip(numbers, type_numbers, strict=True))
        for first, second in pairwise(boundaries):
            if first == second:
                raise SegmentationError(f"position {first[0]} has type {first[1]} twice")
        return cls._from_boundaries(n_units, boundaries)

    @classmethod
    def _from_boundaries(cls, n_units: int, boundaries: Sequence[tuple[int, int]]) -> Segmentation:
        for position, kind in boundaries:
            if abs(kind) > MAX_TYPE:
                raise SegmentationError(f"position {position} has type {kind}: types are at most {MAX_TYPE}")
        array = np.array(boundaries, dtype=np.int64).reshape(len(boundaries), 2)
        return cls._make(n_units, array[:, 0].copy(), array[:, 1].copy())

    @classmethod
    def from_labels(cls, labels: Iterable[object]) -> Segmentation:
        """Read one label per unit; a boundary stands wherever the label changes.

        A label that comes back later starts a new segment.

        >>> Segmentation.from_labels(["a", "a", "b", "b", "b", "a"]).masses
        (2, 3, 1)
        """
        values = list(labels) if isinstance(labels, str) else _as_list(labels, "labels")
        if not values:
            raise SegmentationError("labels are empty: a document has at least one unit")
        for index, label in enumerate(values):
            if isinstance(label, (set, frozenset)):
                raise SegmentationError(
                    f"labels[{index}] is {label!r}: sets of boundary types belong to Segmentation.from_sets"
                )
            if label is None or label != label:
                raise SegmentationError(f"labels[{index}] is {label!r}: the unit has no label")
        changes = [i for i, (before, after) in enumerate(pairwise(values), start=1) if before != after]
        return cls._make(len(values), np.array(changes, dtype=np.int64))

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
                raise SegmentationError(
                    f"gaps[{index}] is {gaps[index]!r}: gap indicators are 0 or 1{_text_hint(gaps)}"
                )
            array = np.frombuffer(gaps.encode("ascii"), dtype=np.uint8) == ord("1")
            return cls._make(_checked_n_units(len(gaps) + 1), np.flatnonzero(array).astype(np.int64) + 1)
        marks = _indicators(gaps, "gaps")
        positions = [index for index, mark in enumerate(marks, start=1) if mark]
        return cls._make(len(marks) + 1, np.array(positions, dtype=np.int64))

    @classmethod
    def from_starts(cls, starts: str | Iterable[int]) -> Segmentation:
        """Read one 0 or 1 per unit, 1 where the unit is the first of its segment.

        The document's first unit starts a segment whatever its own mark says.

        >>> Segmentation.from_starts([1, 0, 1, 0, 0]).masses
        (2, 3)
        """
        marks = _indicators(starts, "starts")
        if not marks:
            raise SegmentationError("starts are empty: a document has at least one unit")
        positions = [index for index, mark in enumerate(marks) if mark and index]
        return cls._make(len(marks), np.array(positions, dtype=np.int64))

    @classmethod
    def from_ends(cls, ends: str | Iterable[int]) -> Segmentation:
        """Read one 0 or 1 per unit, 1 where the unit is the last of its segment.

        The document's last unit ends a segment whatever its own mark says.

        >>> Segmentation.from_ends([0, 1, 0, 0, 1]).masses
        (2, 3)
        """
        marks = _indicators(ends, "ends")
        if not marks:
            raise SegmentationError("ends are empty: a document has at least one unit")
        positions = [index for index, mark in enumerate(marks[:-1], start=1) if mark]
        return cls._make(len(marks), np.array(positions, dtype=np.int64))

    @classmethod
    def from_sets(cls, sets: Iterable[Iterable[int]]) -> Segmentation:
        """Read the set of boundary types at each potential boundary, ``n_units - 1`` sets in all.

        >>> Segmentation.from_sets([set(), {1}, {1, 2}]).boundaries
        ((2, 1), (3, 1), (3, 2))
        """
        values = _as_list(sets, "sets")
        boundaries: list[tuple[int, int]] = []
        for index, types in enumerate(values):
            if types == {}:
                continue  # what Python reads where a set was meant
            if not isinstance(types, (set, frozenset, tuple, list)):
                raise SegmentationError(
                    f"sets[{index}] is {types!r}: expected a set of boundary types{_flat_hint(values)}"
                )
            numbers = _whole_numbers(list(types), f"sets[{index}]", _types_hint)
            for previous, number in pairwise(sorted(numbers)):
                if previous == number:
                    raise SegmentationError(f"sets[{index}] is {types!r}: type {number} is there twice")
            boundaries.extend((index + 1, number) for number in sorted(numbers))
        return cls._from_boundaries(len(values) + 1, boundaries)

    @classmethod
    def from_spans(cls, spans: Iterable[tuple[int, int]]) -> Segmentation:
        """Read half-open segments ``(start, end)`` that tile the document from unit 0 on.

        >>> Segmentation.from_spans([(0, 2), (2, 5), (5, 11)]).masses
        (2, 3, 6)
        """
        values = _as_list(spans, "spans")
        if not values:
            raise SegmentationError("spans are empty: a document has at least one unit")
        expected = 0
        ends: list[int] = []
        for index, span in enumerate(values):
            if isinstance(span, str) or not isinstance(span, Sequence) or len(span) != 2:
                raise SegmentationError(
                    f"spans[{index}] is {span!r}: expected a pair (start, end){_flat_hint(values)}"
                )
            start, end = _whole_numbers(list(span), f"spans[{index}]", _no_hint)
            if end <= start:
                raise SegmentationError(f"spans[{index}] is {span!r}: a span ends after its start")
            if start != expected:
                raise SegmentationError(_span_fault(values, index, start, expected))
            expected = end
            ends.append(end)
        return cls._make(_checked_n_units(expected), np.array(ends[:-1], dtype=np.int64))

    # ---------------------------------------------------------------- properties

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
        """All (position, type) pairs, ascending."""
        if self._boundary_types is None:
            return tuple((position, PLAIN_TYPE) for position in self.positions)
        return tuple(zip(self._boundary_positions.tolist(), self._boundary_types.tolist(), strict=True))

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
    def n_boundaries(self) -> int:
        """Number of (position, type) pairs."""
        return len(self._boundary_positions)

    @property
    def n_segments(self) -> int:
        """Number of segments: positions with a boundary, plus one."""
        return len(self.position_array) + 1

    # ---------------------------------------------------------------- conversions

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
        """Return the number of its segment, from 1 on, for each unit; types are not kept.

        >>> Segmentation.from_masses([2, 3]).to_labels()
        (1, 1, 2, 2, 2)
        """
        self._check_dense("to_labels")
        return tuple(np.repeat(np.arange(1, self.n_segments + 1), self.masses).tolist())

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
            raise SegmentationError(
                f"{name} would write out {self.n_units} units; use positions or masses, which are sparse"
            )

    # ---------------------------------------------------------------- value semantics

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        if self.n_units != other.n_units or not np.array_equal(
            self._boundary_positions, other._boundary_positions
        ):
            return False
        if self._boundary_types is None or other._boundary_types is None:
            return self._boundary_types is other._boundary_types
        return np.array_equal(self._boundary_types, other._boundary_types)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            types = b"" if self._boundary_types is None else self._boundary_types.tobytes()
            key = hash((self.n_units, self._boundary_positions.tobytes(), types))
            object.__setattr__(self, "_hash", key)
            return key

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickle, (self.n_units, self._boundary_positions, self._boundary_types))

    def __repr__(self) -> str:
        if self.n_segments > MAX_REPR_SEGMENTS:
            return f"<Segmentation of {self.n_units} units with {self.n_boundaries} boundaries>"
        if self._boundary_types is None:
            return f"Segmentation.from_masses({list(self.masses)})"
        positions, types = self._boundary_positions.tolist(), self._boundary_types.tolist()
        return f"Segmentation.from_positions({positions}, n_units={self.n_units}, types={types})"


SegmentationLike: TypeAlias = Segmentation | Sequence[int] | str
"""What functions take: a Segmentation, a plain sequence of masses, or a string of gap indicators."""


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
    """Raise ComparisonError when the two do not segment a document of one length."""
    if reference.n_units != hypothesis.n_units:
        raise ComparisonError(
            f"the reference has {reference.n_units} units and the hypothesis {hypothesis.n_units}: "
            "both must segment the same units"
        )


def _unpickle(n_units: int, positions: IntArray, types: IntArray | None) -> Segmentation:
    return Segmentation._make(n_units, positions, types)


# -------------------------------------------------------------------- reading values, and what went wrong


def _as_list(values: Any, name: str) -> list[Any]:
    """Return any one-dimensional collection as a list of Python objects."""
    if type(values) is list:
        return values.copy()
    if isinstance(values, str):
        raise SegmentationError(
            f"{name} is the string {_short(values)}: a string of 0 and 1 belongs to Segmentation.from_gaps"
        )
    if isinstance(values, Segmentation):
        raise SegmentationError(f"{name} is already a Segmentation")
    if hasattr(values, "tolist"):  # NumPy arrays, pandas and polars series
        values = values.tolist()
    if isinstance(values, (set, frozenset, dict)):
        raise SegmentationError(f"{name} is a {type(values).__name__}, which has no order; give a list")
    try:
        return list(values)
    except TypeError:
        raise SegmentationError(f"{name} is {_short(values)}: expected a list") from None


def _no_hint(values: list[Any]) -> str:
    return ""


def _whole_numbers(values: list[Any], name: str, hint: Any) -> list[int]:
    """Return the values as ints; a float counts when it is whole, a bool never does."""
    if set(map(type, values)) <= {int}:
        return values
    numbers = []
    for index, value in enumerate(values):
        try:
            numbers.append(_whole_number(value, ""))
        except SegmentationError:
            raise SegmentationError(
                f"{name}[{index}] is {_short(value)}: expected a whole number{hint(values)}"
            ) from None
    return numbers


def _whole_number(value: Any, name: str) -> int:
    if not isinstance(value, (bool, np.bool_)):
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            return int(value)
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise SegmentationError(f"{name} is {_short(value)}: expected a whole number")


def _indicators(values: str | Iterable[Any], name: str) -> list[int]:
    items = list(values) if isinstance(values, str) else _as_list(values, name)
    marks = []
    for index, value in enumerate(items):
        is_number = isinstance(value, (int, float, np.integer, np.floating, np.bool_))
        if (is_number and value in (0, 1)) or (isinstance(value, str) and value in ("0", "1")):
            marks.append(int(value))
        else:
            raise SegmentationError(
                f"{name}[{index}] is {_short(value)}: indicators are 0 or 1{_indicator_hint(items)}"
            )
    return marks


def _checked_n_units(n_units: int) -> int:
    if n_units < 1:
        raise SegmentationError(f"n_units is {n_units}: a document has at least one unit")
    if n_units > MAX_UNITS:
        raise SegmentationError(f"n_units is {n_units}: more than 2**53 units are not supported")
    return n_units


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _order_fault(numbers: list[int], ascend: Callable[[int, int], bool]) -> str:
    pairs = enumerate(pairwise(numbers), start=1)
    index, (before, after) = next((i, pair) for i, pair in pairs if not ascend(*pair))
    fault = "repeated" if before == after else "unsorted"
    return f"positions[{index}] is {after} after {before}: positions are {fault}; they must ascend"


def _range_fault(numbers: list[int], n_units: int) -> str:
    index = next(i for i, position in enumerate(numbers) if not 0 < position < n_units)
    where = "the document's edges are no boundaries; " if numbers[index] in (0, n_units) else ""
    allowed = f"a position is from 1 to {n_units - 1}" if n_units > 1 else "there are no positions"
    return f"positions[{index}] is {numbers[index]}: {where}with n_units={n_units} {allowed}"


def _masses_hint(values: list[Any]) -> str:
    if all(isinstance(v, (bool, np.bool_)) or v in (0, 1) for v in values if not isinstance(v, (set, list))):
        if any(isinstance(v, (set, frozenset)) for v in values):
            return "; sets of boundary types belong to Segmentation.from_sets"
        return "; this looks like gap indicators, use Segmentation.from_gaps (or from_starts, from_ends)"
    return _flat_hint(values)


def _flat_hint(values: list[Any]) -> str:
    """Guess the constructor from the look of the values."""
    first = values[0]
    if isinstance(first, (set, frozenset)):
        return "; sets of boundary types belong to Segmentation.from_sets"
    if isinstance(first, (tuple, list)):
        return "; pairs (start, end) belong to Segmentation.from_spans"
    if isinstance(first, str):
        return "; one label per unit belongs to Segmentation.from_labels"
    if all(isinstance(v, (int, np.integer)) and v in (0, 1) for v in values):
        return "; this looks like gap indicators, use Segmentation.from_gaps"
    if all(isinstance(v, (int, np.integer)) for v in values):
        if values[0] == 0 and all(a < b for a, b in pairwise(values)):
            return "; this looks like boundary positions, use Segmentation.from_positions"
        if all(v >= 1 for v in values):
            return "; this looks like masses, use Segmentation.from_masses"
    return ""


def _positions_hint(values: list[Any]) -> str:
    if values and all(isinstance(v, (bool, np.bool_)) or v in (0, 1) for v in values):
        return "; this looks like gap indicators, use Segmentation.from_gaps"
    if values and isinstance(values[0], (str, set, frozenset, tuple, list)):
        return _flat_hint(values)
    return "; segment lengths belong to Segmentation.from_masses"


def _types_hint(values: list[Any]) -> str:
    if any(isinstance(v, str) for v in values):
        return "; boundary types are integers, number yours, for example {'minor': 1, 'major': 2}"
    return "; boundary types are integers"


def _indicator_hint(values: list[Any]) -> str:
    if any(isinstance(v, (set, frozenset)) for v in values):
        return "; sets of boundary types belong to Segmentation.from_sets"
    if all(isinstance(v, (int, np.integer)) and v >= 1 for v in values):
        return "; this looks like masses (Segmentation.from_masses) or labels (from_labels)"
    return "; one label per unit belongs to Segmentation.from_labels"


def _text_hint(text: str) -> str:
    if any(separator in text for separator in " ,;\t"):
        return "; masses belong to Segmentation.from_masses as a list of numbers"
    return "; one label per unit belongs to Segmentation.from_labels"


def _span_fault(values: list[Any], index: int, start: int, expected: int) -> str:
    what = f"spans[{index}] is {values[index]!r}"
    if start < expected:
        return f"{what}: it overlaps the span before, which ends at {expected}"
    fault = f"{what}: units {expected} to {start - 1} are in no span"
    if index and start == expected + 1:
        fault += "; if the ends are inclusive, add 1 to each"
    if not index:
        fault = f"{what}: the first span must start at unit 0"
        if start == 1:
            fault += "; if units count from 1, subtract 1 from each start"
    return fault

"""Exact sums of counts and values, which do not depend on the order, the batches or the engine.

Counts are whole numbers in units of 1 / scale. Values and other counts are rounded once to the nearest
2**-50, and are whole numbers from then on.

Sums have names, such as the boundaries of a type of a coder. Names never contain documents, so their number
does not grow with the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura import kernel
from caesura.arrays import MAX_INT64, FloatArray, IntArray, NumberArray
from caesura.checks import Seed, as_generator

FIXED = 1 << 50
"""Values are whole numbers of 1 / FIXED; rounding changes them by less than 5e-16."""

MAX_SQUARED = 1 << 51
"""The kernel squares whole numbers below this."""

SMALL = 15
"""Bits of the parts of counts that the kernel weighs."""

Resampled: TypeAlias = NDArray[np.object_]
NOT_RESAMPLED: Resampled = np.zeros((0, 0), dtype=object)


def whole(counts: NumberArray, scale: int) -> tuple[NDArray[Any], int]:
    """Return counts as whole numbers, and their scale; floats are rounded.

    >>> counts, scale = whole(np.array([[0.5, 1.0]]), 1)
    >>> (counts / scale).tolist()
    [[0.5, 1.0]]
    """
    if not np.issubdtype(counts.dtype, np.floating):
        return counts, scale
    scaled = np.rint(np.asarray(counts, dtype=np.float64) * FIXED)
    if len(counts) and float(np.abs(scaled).max()) >= MAX_INT64:
        numbers = np.array([int(number) for number in scaled.ravel().tolist()], dtype=object)
        return numbers.reshape(scaled.shape), scale * FIXED
    return scaled.astype(np.int64), scale * FIXED


def column_sums(rows: NDArray[Any]) -> tuple[int, ...]:
    """Return the sums of columns as Python's integers, which cannot overflow.

    >>> column_sums(np.full((3, 2), 2**62))
    (13835058055282163712, 13835058055282163712)
    """
    if rows.dtype != np.int64:
        return tuple(sum(column) for column in rows.T.tolist())
    size = MAX_INT64 // max(1, largest(rows))  # the sums of this many rows have 64 bits
    if size >= len(rows):
        return tuple(np.ascontiguousarray(rows.T).sum(axis=1).tolist())
    parts = [rows[start : start + size].sum(axis=0).tolist() for start in range(0, len(rows), size)]
    return tuple(map(sum, zip(*parts, strict=True)))


def square_sum(numbers: NDArray[Any]) -> int:
    """Return the exact sum of squares.

    >>> square_sum(np.array([2**50, 3]))
    1267650600228229401496703205385
    """
    if numbers.dtype != np.int64 or largest(numbers) >= MAX_SQUARED:
        return sum(number * number for number in numbers.tolist())
    return int(kernel.active_resampling.square_sum(numbers))


def largest(numbers: NDArray[Any]) -> int:
    """Return the greatest absolute value, or 0 if there is none."""
    return max(int(numbers.max(initial=0)), -int(numbers.min(initial=0)))


def resampled_sums(
    seed: int, hashes: NDArray[np.uint64], rows: NDArray[Any], n_resamples: int
) -> NDArray[np.object_]:
    """Return the sums of rows (documents) in each resample of a Poisson bootstrap: resamples × columns.

    Rows of any size are split into parts of 15 bits, which the kernel weighs.
    """
    parts: list[NDArray[np.int16]] = []
    of_part: list[tuple[int, int]] = []  # column and shift
    for column, rest in enumerate(rows.T):
        shift = 0
        while largest(rest) >= 1 << SMALL:
            parts.append((rest & ((1 << SMALL) - 1)).astype(np.int16))
            of_part.append((column, shift))
            rest, shift = rest >> SMALL, shift + SMALL
        parts.append(rest.astype(np.int16))
        of_part.append((column, shift))
    weighted = kernel.active_resampling.poisson_sums(seed, hashes, np.stack(parts), n_resamples)
    sums = np.zeros((n_resamples, rows.shape[1]), dtype=object)
    for (column, shift), part in zip(of_part, weighted.astype(object), strict=True):
        sums[:, column] += part << shift
    return sums


@dataclass(frozen=True, eq=False)
class Tally:
    """Summed counts of pairs, their values and squares of values; ``+`` adds up two."""

    counts: tuple[int, ...]
    """In units of 1 / scale."""
    scale: int = 1
    n: int = 0
    """Number of values."""
    n_infinite: int = 0
    """Number of infinite values, which do not enter sums."""
    values: int = 0
    """Their sum, in units of 1 / FIXED."""
    squares: int = 0
    """The sum of their squares, in units of 1 / FIXED²."""
    resampled: Resampled = field(default_factory=lambda: NOT_RESAMPLED)
    """The counts in each resample, resamples × counts; none without a Poisson bootstrap."""

    def __post_init__(self) -> None:
        if not len(self.resampled):
            object.__setattr__(self, "resampled", np.zeros((0, len(self.counts)), dtype=object))

    @classmethod
    def of(
        cls, counts: NDArray[Any], scale: int, values: FloatArray, resampled: Resampled = NOT_RESAMPLED
    ) -> Tally:
        """Add up rows of whole counts, and the values of these rows."""
        is_finite = np.isfinite(values)
        known = values if bool(is_finite.all()) else values[is_finite]
        fixed, _ = whole(known, 1)
        return cls(
            column_sums(counts),
            scale,
            len(values),
            len(values) - len(known),
            column_sums(fixed[:, np.newaxis])[0],
            square_sum(fixed),
            resampled,
        )

    def __add__(self, other: Tally) -> Tally:
        scale = math.lcm(self.scale, other.scale)
        ours, theirs = scale // self.scale, scale // other.scale
        return Tally(
            tuple(a * ours + b * theirs for a, b in zip(self.counts, other.counts, strict=True)),
            scale,
            self.n + other.n,
            self.n_infinite + other.n_infinite,
            self.values + other.values,
            self.squares + other.squares,
            self.resampled * ours + other.resampled * theirs,
        )

    @property
    def mean(self) -> float:
        """The mean of the values; NaN if there are none."""
        if self.n_infinite or not self.n:
            return math.inf if self.n else math.nan
        return self.values / (self.n * FIXED)

    @property
    def standard_error(self) -> float:
        """The sample standard deviation / √n; NaN for fewer than two values."""
        if self.n < 2 or self.n_infinite:
            return math.nan
        spread = self.n * self.squares - self.values**2  # n (n − 1) s², exact
        return math.sqrt(spread / (self.n * self.n * (self.n - 1) * FIXED**2))


# -------------------------------------------------------------------- under names

Name: TypeAlias = tuple[str | int, ...]
"""The name of a sum, such as ("marks", "ann", 1)."""

Sums: TypeAlias = Mapping[Name, Tally]


def added(first: Sums, second: Sums) -> dict[Name, Tally]:
    """Return the sums of two parts, exact in any order.

    >>> both = added({("units",): Tally((3,))}, {("units",): Tally((4,)), ("pairs",): Tally((1,))})
    >>> {name: tally.counts for name, tally in both.items()}
    {('units',): (7,), ('pairs',): (1,)}
    """
    total = dict(first)
    for name, tally in second.items():
        total[name] = total[name] + tally if name in total else tally
    return total


class Size(NamedTuple):
    """The numbers of documents, units and codings."""

    documents: int
    units: int
    codings: int
    """Reference codings."""


def seed_of(rng: Seed) -> int:
    """Return the 64-bit seed of the Poisson bootstrap, from a number of any size or a generator."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(as_generator(rng).integers(2**64, dtype=np.uint64))
    return int(np.random.SeedSequence(int(rng)).generate_state(1, np.uint64)[0])


# -------------------------------------------------------------------- arrays of whole numbers

Array = TypeVar("Array", IntArray, NumberArray)

MAX_EXACT = 2**62
"""Larger results need Python's integers."""


def exact(values: IntArray, largest: int) -> NDArray[Any]:
    """Return the values as integers of 64 bits, or of Python if the largest result needs more.

    >>> int((exact(np.array([2**53] * 4), 2**106 * 4) ** 2).sum()) == 2**108
    True
    """
    return values if largest < MAX_EXACT else values.astype(object)


def exact_sum(values: IntArray) -> int:
    """Return the sum of non-negative numbers."""
    return int(exact(values, int(values.max(initial=0)) * len(values)).sum())


def summable(rows: NumberArray) -> NumberArray:
    """Return rows with exact sums, as Python's integers if 64 bits may be too few.

    >>> summable(np.array([2**62, 2**62])).sum()
    9223372036854775808
    """
    if (
        rows.dtype.kind == "i"
        and rows.size
        and max(int(rows.max()), -int(rows.min())) > MAX_EXACT // len(rows)
    ):
        return rows.astype(object)
    return rows


def sum_slices(rows: Array, starts: IntArray) -> Array:
    """Sum the rows of consecutive slices.

    >>> sum_slices(np.array([1, 2, 4]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 4]
    """
    is_filled = starts[1:] > starts[:-1]
    first = starts[:-1].astype(np.intp, copy=False)  # reduceat refuses 64 bits on 32-bit machines
    if is_filled.all():
        return np.add.reduceat(rows, first, axis=0)
    sums = np.zeros((len(starts) - 1, *rows.shape[1:]), dtype=rows.dtype)
    if is_filled.any():
        sums[is_filled] = np.add.reduceat(rows, first[is_filled], axis=0)
    return sums


def exact_ratios(numerator: NDArray[Any], denominator: NDArray[Any], empty: Any) -> FloatArray:
    """Return quotients of Python's integers, rounded once; ``empty`` if the denominator is 0."""
    nothing = denominator == 0
    quotients = numerator / np.where(nothing, 1, denominator)
    return np.where(nothing, empty, quotients).astype(np.float64)


def hash_strings(data: NDArray[np.uint8], offsets: IntArray) -> NDArray[np.uint64]:
    """Return the 64-bit hash of each name, which determines its bootstrap weights."""
    hashes: NDArray[np.uint64] = kernel.active_resampling.hash_names(data, offsets)
    return hashes

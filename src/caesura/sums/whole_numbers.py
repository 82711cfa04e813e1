"""Whole numbers that cannot overflow: 64 bits where they are enough, and Python's integers where not."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray, NumberArray

Array = TypeVar("Array", IntArray, NumberArray)

MAX_EXACT = 2**62
"""What may become greater is calculated with Python's integers."""


def exact(values: IntArray, largest: int) -> NDArray[Any]:
    """Return the values as integers that hold the largest number made from them.

    >>> int((exact(np.array([2**53] * 4), 2**106 * 4) ** 2).sum()) == 2**108
    True
    """
    return values if largest < MAX_EXACT else values.astype(object)


def exact_sum(values: IntArray) -> int:
    """Return the sum of numbers from 0 on."""
    return int(exact(values, int(values.max(initial=0)) * len(values)).sum())


def summable(rows: NumberArray) -> NumberArray:
    """Return rows of which all sums are exact: whole numbers too great for 64 bits become Python's.

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

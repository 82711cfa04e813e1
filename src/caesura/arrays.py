"""Types of arrays, and of numbers or arrays, that every layer shares."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
NumberArray: TypeAlias = NDArray[np.number[Any]]  # of any number of bits

Counted = TypeVar("Counted", int, IntArray, FloatArray)
"""Counts of one pair, or arrays of counts of many (floats: means of counts)."""

Number = TypeVar("Number", float, NumberArray)
"""A number, or an array of numbers."""

MAX_INT64 = 2**63 - 1


Item = TypeVar("Item", bound=np.generic)


@overload
def bincount(index: ArrayLike, weights: None = None, minlength: int = 0) -> IntArray: ...
@overload
def bincount(index: ArrayLike, weights: ArrayLike, minlength: int = 0) -> FloatArray: ...
def bincount(index: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0) -> IntArray | FloatArray:
    """Return ``np.bincount`` of any integers, as 64-bit counts.

    NumPy accepts only indices of the machine's width, and refuses a corpus's 64-bit columns where that width
    is 32 bits, as in a browser.

    >>> bincount(np.array([0, 2, 2], dtype=np.int64)).tolist()
    [1, 0, 2]
    """
    counts = np.bincount(np.asarray(index).astype(np.intp, copy=False), weights, minlength)
    if weights is None:
        return counts.astype(np.int64, copy=False)
    return counts.astype(np.float64, copy=False)  # NumPy's are integers if there are none


@overload
def repeat(values: NDArray[Item], counts: ArrayLike, axis: int | None = None) -> NDArray[Item]: ...
@overload
def repeat(values: ArrayLike, counts: ArrayLike, axis: int | None = None) -> NDArray[Any]: ...
def repeat(values: ArrayLike, counts: ArrayLike, axis: int | None = None) -> NDArray[Any]:
    """Return ``np.repeat`` by any integers; indices of the machine's width become 64-bit.

    NumPy refuses 64-bit counts on 32-bit machines. The wide result keeps ``row * width + column`` exact
    there.

    >>> repeat(np.arange(2), np.array([1, 2], dtype=np.int64)).tolist()
    [0, 1, 1]
    """
    repeated = np.repeat(values, np.asarray(counts).astype(np.intp, copy=False), axis)
    return repeated.astype(np.int64, copy=False) if repeated.dtype == np.intp else repeated


def changes(*columns: IntArray) -> NDArray[np.bool_]:
    """Return which rows differ in any column from the row before; the first does.

    >>> changes(np.array([1, 1, 2]), np.array([3, 3, 3])).tolist()
    [True, False, True]
    """
    is_new = np.ones(len(columns[0]), dtype=bool)
    is_new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return is_new


def divided(over: NDArray[Any], under: NDArray[Any], empty: float = 0.0) -> FloatArray:
    """Return quotients; ``empty`` where the divisor is 0.

    >>> divided(np.array([1.0, 1.0]), np.array([4.0, 0.0])).tolist()
    [0.25, 0.0]
    """
    quotients: FloatArray = np.full(np.broadcast_shapes(np.shape(over), np.shape(under)), empty)
    np.divide(over, under, out=quotients, where=np.not_equal(under, 0))
    return quotients

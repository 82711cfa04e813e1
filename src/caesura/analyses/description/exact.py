"""Whole numbers that cannot overflow: 64 bits where they are enough, and Python's integers where not."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.arrays import IntArray

MAX_EXACT = 2**62
"""What may become greater is calculated with Python's integers."""


def exact(values: IntArray, largest: int) -> NDArray[Any]:
    """Return the values as integers that hold the largest number made from them.

    >>> import numpy as np
    >>> int((exact(np.array([2**53] * 4), 2**106 * 4) ** 2).sum()) == 2**108
    True
    """
    return values if largest < MAX_EXACT else values.astype(object)


def exact_sum(values: IntArray) -> int:
    """Return the sum of numbers from 0 on."""
    largest = int(values.max(initial=0)) * len(values)
    return int(exact(values, largest).sum())

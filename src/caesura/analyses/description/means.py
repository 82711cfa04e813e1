"""Means with their standard deviation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class MeanSD(NamedTuple):
    """A mean with its population standard deviation, as F13t prints them, and the number of values."""

    mean: float
    sd: float
    n: int


def mean_sd(values: Sequence[float]) -> MeanSD:
    """Return the mean with its population standard deviation, the same in any order; NaN without values."""
    if all(isinstance(value, int) for value in values):
        return mean_sd_of(len(values), int(sum(values)), int(sum(value**2 for value in values)))
    n, mean = len(values), math.fsum(values) / len(values)
    return MeanSD(mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / n), n)


def mean_sd_of(n: int, total: int, squares: int) -> MeanSD:
    """Return the mean and deviation of so many whole numbers with this sum and sum of squares."""
    if not n:
        return MeanSD(math.nan, math.nan, 0)
    return MeanSD(total / n, math.sqrt(n * squares - total**2) / n, n)

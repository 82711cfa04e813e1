"""Intervals of means: Student's, and which quantiles of a bootstrap are wide enough for small samples."""

from __future__ import annotations

import math

from caesura.arrays import FloatArray


def expanded_levels(confidence: float, n: int) -> tuple[float, float]:
    """Return the levels of the expanded percentile interval (Hesterberg 2015) for n resampled items.

    Plain percentiles are too narrow for small n: resamples vary like the biased standard deviation, and the
    normal distribution stands in for Student's t. The expanded levels undo both.

    >>> low, high = expanded_levels(0.95, 20)
    >>> round(low, 4), round(high, 4)
    (0.0159, 0.9841)
    """
    from scipy import stats

    if n < 2:
        return math.nan, math.nan
    low = float(stats.norm.cdf(-math.sqrt(n / (n - 1)) * stats.t.isf((1 - confidence) / 2, n - 1)))
    return low, 1 - low


def t_interval(mean: float, standard_error: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Student's interval of a mean of n values; NaN for fewer than two.

    >>> low, high = t_interval(0.5, 0.1, 10)
    >>> round(low, 4), round(high, 4)
    (0.2738, 0.7262)
    """
    from scipy import stats

    if n < 2:
        return math.nan, math.nan
    reach = float(stats.t.isf((1 - confidence) / 2, n - 1)) * standard_error
    return mean - reach, mean + reach


def standard_error(values: FloatArray, n: float) -> float:
    """Return s / √n with the sample standard deviation; NaN for fewer than two values.

    >>> import numpy as np
    >>> round(standard_error(np.array([0.0, 1.0]), 2), 4)
    0.5
    """
    return float(values.std(ddof=1) / math.sqrt(n)) if len(values) > 1 else math.nan

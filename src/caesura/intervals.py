"""Which quantiles of a bootstrap make an interval that is wide enough for small samples."""

from __future__ import annotations

import math


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

"""Student's intervals of means, and quantiles of a bootstrap that are wide enough for small samples."""

from __future__ import annotations

import math

import numpy as np

from caesura.arrays import FloatArray
from caesura.checks import CONFIDENCE

FEWEST = 1.5
"""The smallest effective number of two or more items."""


def expanded_levels(confidence: float, n: float) -> tuple[float, float]:
    """Return the levels of the expanded percentile interval (Hesterberg 2015) for n resampled items.

    Plain percentiles are too narrow for small n: resamples vary like the biased standard deviation, and the
    normal distribution stands in for Student's t. The expanded levels undo both.

    >>> low, high = expanded_levels(0.95, 20)
    >>> round(low, 4), round(high, 4)
    (0.0159, 0.9841)
    """
    return student_levels(confidence, math.sqrt(n / (n - 1)), n - 1) if n >= FEWEST else (math.nan, math.nan)


def student_levels(confidence: float, ratio: float, df: float) -> tuple[float, float]:
    """Return the levels of resamples that give Student's interval with these degrees of freedom.

    ``ratio`` is the standard error divided by the standard deviation of the resamples.
    """
    from scipy import special

    low = float(special.ndtr(-(ratio * -float(special.stdtrit(df, (1 - confidence) / 2)))))
    return low, 1 - low


def effective_size(n: float, total: float, squares: float) -> float:
    """Return the effective number of n items with weights of these sums: (Σ w)² / Σ w² (Kish 1965).

    If some documents are long or have many coders, they dominate the value, and the plain number of documents
    would be too optimistic.

    >>> effective_size(3, 5 + 5 + 5, 3 * 5**2), round(effective_size(3, 10 + 1 + 1, 10**2 + 1 + 1), 2)
    (3.0, 1.5)
    """
    return n if not squares or n < FEWEST else max(FEWEST, total**2 / squares)


def t_interval(
    mean: float, standard_error: float, n: float, confidence: float = CONFIDENCE
) -> tuple[float, float]:
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
    """Return s / √n with the sample standard deviation; NaN for fewer than two values, or infinite ones.

    >>> import numpy as np
    >>> round(standard_error(np.array([0.0, 1.0]), 2), 4)
    0.5
    """
    is_known = len(values) > 1 and bool(np.isfinite(values).all())
    return float(values.std(ddof=1) / math.sqrt(n)) if is_known else math.nan

"""Tests of means: t tests, analysis of variance within and between subjects, Tukey's HSD.

Samples are one array of values per segmenter; within subjects, the same place is the same subject.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from caesura.arrays import FloatArray
from caesura.stats.assumptions import is_constant
from caesura.stats.outcome import Contrast, Omnibus, no_difference, undefined

Samples = Sequence[FloatArray]

DECIMALS = 12
"""Values are metrics, far coarser than this; finer differences are rounding and must not break a tie."""


def differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return first minus second, with equal differences made equal: 0.3 − 0.2 and 0.2 − 0.1 tie.

    >>> differences(np.array([0.3, 0.2]), np.array([0.2, 0.1])).tolist()
    [0.1, 0.1]
    """
    return np.round(first - second, DECIMALS)


# -------------------------------------------------------------------- within subjects


def paired_t(samples: Samples) -> Omnibus:
    """Return the paired t test of two segmenters; effect d_z = mean / SD of the differences (Cohen 1988).

    >>> paired_t([np.array([0.5, 0.6, 0.9]), np.array([0.4, 0.3, 0.7])]).df
    (2.0,)
    """
    from scipy import stats

    name, effect_name = "paired t", "Cohen's d_z"
    first, second = samples
    difference = differences(first, second)
    if len(first) < 2:
        return undefined(name, effect_name, "fewer than two subjects")
    if not difference.any():
        return no_difference(name, effect_name, (len(first) - 1.0,))
    if is_constant(difference):
        return undefined(name, effect_name, "all subjects have the same difference, so t is infinite")
    result = stats.ttest_1samp(difference, 0.0)
    t = float(result.statistic)
    return Omnibus(name, t, (len(first) - 1.0,), float(result.pvalue), standardised(difference), effect_name)


def standardised(difference: FloatArray) -> float:
    """Return d_z, the mean difference in standard deviations; 0 without and NaN with constant difference.

    >>> standardised(np.array([1.0, 2.0, 3.0]))
    2.0
    """
    if len(difference) < 2 or is_constant(difference):
        return math.nan if difference.any() else 0.0
    return float(difference.mean() / difference.std(ddof=1))


def rm_anova(samples: Samples) -> Omnibus:
    """Return the repeated-measures analysis of variance of one factor; effect partial η².

    F = [SS_segmenters / (k − 1)] / [SS_error / ((n − 1)(k − 1))], where the error is what neither the subject
    nor the segmenter explains (Cohen 1995, pp. 301–303). p is not corrected for a lack of sphericity.

    >>> rm_anova([np.array([30.0, 14, 24]), np.array([28.0, 18, 20]), np.array([16.0, 10, 18])]).df
    (2.0, 4.0)
    """
    from scipy import stats

    name, effect_name = "repeated-measures ANOVA", "partial η²"
    n, k = len(samples[0]), len(samples)
    df = (k - 1.0, (n - 1.0) * (k - 1.0))
    if n < 2:
        return undefined(name, effect_name, "fewer than two subjects")
    between, error = _sums_of_squares(np.column_stack(samples))
    if not between and not error:
        return no_difference(name, effect_name, df)
    if not error:
        return undefined(name, effect_name, "all subjects have the same differences, so F is infinite")
    f = (between / df[0]) / (error / df[1])
    return Omnibus(name, f, df, float(stats.f.sf(f, *df)), between / (between + error), effect_name)


def _sums_of_squares(table: FloatArray) -> tuple[float, float]:
    """Return the sums of squares of segmenters and of what is left, both without rounding noise."""
    effects = table.mean(0) - table.mean()
    residuals = table - table.mean(1, keepdims=True) - effects
    effects, residuals = np.round(effects, DECIMALS), np.round(residuals, DECIMALS)
    return len(table) * float((effects**2).sum()), float((residuals**2).sum())


def tukey_within(samples: Samples, names: Sequence[str]) -> tuple[Contrast, ...]:
    """Compare all pairs by Tukey's HSD with the error of ``rm_anova``; effect d_z.

    q = difference / √(MS_error / n), studentized range of k means with (n − 1)(k − 1) degrees of freedom.
    """
    table = np.column_stack(samples)
    n, k = table.shape
    df = (n - 1) * (k - 1)
    variance = _sums_of_squares(table)[1] / df / n if df else math.nan
    return tuple(
        _tukey_contrast(
            (names[i], names[j]),
            float(differences(samples[i], samples[j]).mean()),
            2 * variance,
            k,
            df,
            standardised(differences(samples[i], samples[j])),
            "Cohen's d_z",
        )
        for i, j in combinations(range(k), 2)
    )


def _tukey_contrast(
    pair: tuple[str, str],
    difference: float,
    variance: float,  # of the difference
    k: int,
    df: int,
    effect: float,
    effect_name: str,
) -> Contrast:
    from scipy import stats

    difference = round(difference, DECIMALS)
    if difference == 0:
        return Contrast(*pair, 0.0, 0.0, 1.0, 1.0, effect, effect_name)
    if not variance > 0:
        return Contrast(*pair, difference, math.nan, math.nan, math.nan, effect, effect_name)
    t = difference / math.sqrt(variance)
    q = math.sqrt(2) * t
    p_value = float(2 * stats.t.sf(abs(t), df))
    # The studentized range is integrated numerically: keep its error from leaving the possible range.
    adjusted = min(1.0, max(p_value, float(stats.studentized_range.sf(abs(q), k, df))))
    return Contrast(*pair, difference, q, p_value, adjusted, effect, effect_name)


# -------------------------------------------------------------------- between subjects


def student_t(samples: Samples) -> Omnibus:
    """Return Student's t test of two independent samples with one variance; effect Cohen's d."""
    return _unpaired_t(samples, "Student's t", equal_variances=True)


def welch_t(samples: Samples) -> Omnibus:
    """Return Welch's t test of two independent samples, whose variances may differ; effect Cohen's d."""
    return _unpaired_t(samples, "Welch's t", equal_variances=False)


def _unpaired_t(samples: Samples, name: str, equal_variances: bool) -> Omnibus:
    from scipy import stats

    first, second = samples
    n, m = len(first), len(second)
    effect_name = "Cohen's d"
    if min(n, m) < 2:
        return undefined(name, effect_name, "a segmenter has fewer than two values")
    variances = [0.0 if is_constant(sample) else float(sample.var(ddof=1)) for sample in samples]
    difference = float(np.round(first.mean() - second.mean(), DECIMALS))
    if not any(variances):
        if not difference:
            return no_difference(name, effect_name)
        return undefined(name, effect_name, "no segmenter's values vary, so t is infinite")
    result = stats.ttest_ind_from_stats(
        first.mean(), math.sqrt(variances[0]), n, second.mean(), math.sqrt(variances[1]), m, equal_variances
    )
    df = float(n + m - 2)
    if not equal_variances:
        shares = variances[0] / n, variances[1] / m
        df = sum(shares) ** 2 / (shares[0] ** 2 / (n - 1) + shares[1] ** 2 / (m - 1))
    effect = cohens_d(first, second)
    return Omnibus(name, float(result.statistic), (df,), float(result.pvalue), effect, effect_name)


def cohens_d(first: FloatArray, second: FloatArray) -> float:
    """Return the difference of means in pooled standard deviations (Cohen 1988); NaN where nothing varies.

    >>> cohens_d(np.array([2.0, 4.0]), np.array([1.0, 3.0])) == 1 / 2**0.5
    True
    """
    n, m = len(first), len(second)
    difference = float(np.round(first.mean() - second.mean(), DECIMALS))
    if difference == 0:
        return 0.0
    if n + m < 3 or (is_constant(first) and is_constant(second)):
        return math.nan
    squares = float(((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum())
    return difference / math.sqrt(squares / (n + m - 2))


def anova(samples: Samples) -> Omnibus:
    """Return the one-way analysis of variance of independent samples; effect η² = SS_segmenters / SS_total.

    >>> anova([np.array([1.0, 2, 3]), np.array([2.0, 3, 4]), np.array([6.0, 7, 8])]).df
    (2.0, 6.0)
    """
    from scipy import stats

    name, effect_name = "ANOVA", "η²"
    everything = np.concatenate(samples)
    df = (len(samples) - 1.0, float(len(everything) - len(samples)))
    if min(map(len, samples)) == 0 or df[1] < 1:
        return undefined(name, effect_name, "too few values")
    if is_constant(everything):
        return no_difference(name, effect_name, df)
    if all(is_constant(sample) for sample in samples):
        return undefined(name, effect_name, "no segmenter's values vary, so F is infinite")
    result = stats.f_oneway(*samples)
    within = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples)
    effect = 1 - within / float(((everything - everything.mean()) ** 2).sum())
    return Omnibus(name, float(result.statistic), df, float(result.pvalue), effect, effect_name)


def tukey_between(samples: Samples, names: Sequence[str]) -> tuple[Contrast, ...]:
    """Compare all pairs of independent samples by Tukey's HSD (Tukey–Kramer); effect Cohen's d.

    q = difference / √(MS_within (1/n_i + 1/n_j) / 2), studentized range of k means, N − k degrees of freedom.
    """
    k = len(samples)
    df = sum(map(len, samples)) - k
    within = sum(0.0 if is_constant(s) else float(((s - s.mean()) ** 2).sum()) for s in samples)
    mean_square = within / df if df > 0 else math.nan
    return tuple(
        _tukey_contrast(
            (names[i], names[j]),
            float(samples[i].mean() - samples[j].mean()),
            mean_square * (1 / len(samples[i]) + 1 / len(samples[j])),
            k,
            df,
            cohens_d(samples[i], samples[j]),
            "Cohen's d",
        )
        for i, j in combinations(range(k), 2)
    )

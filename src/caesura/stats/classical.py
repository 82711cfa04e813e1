"""Textbook tests of means and of ranks, within and between subjects, and of their assumptions.

Samples are an array of values per segmenter; within subjects, an index is a subject. Tied values share the
mean of their ranks. The rank tests of all segmenters correct their variance for ties. The pairwise
comparisons after them (Nemenyi, Siegel & Castellan) do not, as published, so ties make them conservative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from caesura.arrays import FloatArray
from caesura.stats.outcome import Assumption, Contrast

Samples = Sequence[FloatArray]

Compared: TypeAlias = tuple[float, float, float, float, float]
"""Difference, statistic, p, adjusted p and effect of two segmenters."""

DECIMALS = 12
"""Finer differences between values are rounding errors, and must not break ties."""

MAX_SHAPIRO = 5000
"""Beyond this many values, p of Shapiro–Wilk is not accurate (Royston 1995, algorithm AS R94)."""

MAX_EXACT = 200
"""Up to this many differences, the distribution of the signed ranks is exact."""


def differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return first minus second, rounded so that 0.3 − 0.2 and 0.2 − 0.1 tie.

    >>> differences(np.array([0.3, 0.2]), np.array([0.2, 0.1])).tolist()
    [0.1, 0.1]
    """
    return np.round(first - second, DECIMALS)


# -------------------------------------------------------------------- declarations


class Numbers(NamedTuple):
    """The result of a test of all segmenters, or why it has none."""

    statistic: float
    df: tuple[float, ...]
    p_value: float
    effect: float
    reason: str | None = None


def undefined(reason: str) -> Numbers:
    """Return the result of a test that cannot be computed."""
    return Numbers(math.nan, (), math.nan, math.nan, reason)


def no_difference(df: tuple[float, ...] = ()) -> Numbers:
    """Return the result of a test of equal values."""
    return Numbers(0.0, df, 1.0, 0.0, "the segmenters have the same values")


def _contrasts(
    names: Sequence[str], effect_name: str, compared: Callable[[int, int], Compared]
) -> tuple[Contrast, ...]:
    """Return the contrast of every pair of segmenters."""
    pairs = combinations(range(len(names)), 2)
    return tuple(Contrast(names[i], names[j], *compared(i, j), effect_name) for i, j in pairs)


# -------------------------------------------------------------------- assumptions


def is_constant(values: FloatArray) -> bool:
    """Return whether all values are equal, or there are none."""
    return len(values) == 0 or float(np.ptp(values)) == 0.0


def normality(values: FloatArray, name: str, alpha: float) -> Assumption:
    """Test normality by Shapiro–Wilk, beyond 5,000 values by D'Agostino–Pearson.

    >>> normality(np.array([0.1, 0.2, 0.2, 0.3, 0.9]), "texttiling", 0.05).holds
    False
    """
    from scipy import stats

    test, reason = "Shapiro–Wilk", None
    if len(values) < 3 or is_constant(values):
        reason = "fewer than three values" if len(values) < 3 else "all values are equal"
        return Assumption(test, name, math.nan, math.nan, None, reason)
    if len(values) > MAX_SHAPIRO:
        statistic, p_value = stats.normaltest(values)
        test, reason = "D'Agostino–Pearson", f"Shapiro–Wilk is not accurate beyond {MAX_SHAPIRO:,} values"
    else:
        statistic, p_value = stats.shapiro(values)
    return Assumption(test, name, float(statistic), float(p_value), bool(p_value >= alpha), reason)


def equal_variances(samples: Sequence[FloatArray], alpha: float) -> Assumption:
    """Test equality of variances by Bartlett."""
    from scipy import stats

    if any(is_constant(sample) for sample in samples):
        return Assumption("Bartlett", "all", math.nan, math.nan, None, "a segmenter has equal values only")
    statistic, p_value = stats.bartlett(*samples)
    return Assumption("Bartlett", "all", float(statistic), float(p_value), bool(p_value >= alpha))


def sphericity(table: FloatArray) -> float:
    """Return Greenhouse & Geisser's ε of a table subjects × segmenters; 1 if all differences vary equally.

    ε = (Σ λ)² / ((k − 1) Σ λ²) over the eigenvalues of the doubly centered covariance matrix (Greenhouse &
    Geisser 1959). It multiplies both degrees of freedom of a repeated-measures F.

    >>> round(sphericity(np.array([[1.0, 2.0], [3.0, 3.0], [2.0, 5.0]])), 9)
    1.0
    """
    k = table.shape[1]
    covariance = np.cov(table, rowvar=False)
    centered = covariance - covariance.mean(0) - covariance.mean(1)[:, None] + covariance.mean()
    squares = float((centered**2).sum())  # Σ λ² of a symmetric matrix
    return float(np.trace(centered)) ** 2 / ((k - 1) * squares) if squares else math.nan


def describe(assumption: Assumption) -> str:
    """Return the result of a test of an assumption in words."""
    tested = "equal variances" if assumption.name == "Bartlett" else f"normal values of {assumption.of}"
    if assumption.holds is None:
        return f"{assumption.name} cannot test {tested} ({assumption.reason})"
    verb = "does not reject" if assumption.holds else "rejects"
    return f"{assumption.name} {verb} {tested} (p = {assumption.p_value:.2g})"


# -------------------------------------------------------------------- means, within subjects


def paired_t(samples: Samples) -> Numbers:
    """Return the paired t test of two segmenters; effect d_z = mean / SD of the differences (Cohen 1988).

    >>> paired_t([np.array([0.5, 0.6, 0.9]), np.array([0.4, 0.3, 0.7])]).df
    (2.0,)
    """
    from scipy import stats

    difference = differences(*samples)
    df = (len(difference) - 1.0,)
    if len(difference) < 2:
        return undefined("fewer than two subjects")
    if not difference.any():
        return no_difference(df)
    if is_constant(difference):
        return undefined("all subjects have the same difference, so t is infinite")
    t, p_value = stats.ttest_1samp(difference, 0.0)
    return Numbers(float(t), df, float(p_value), standardized(difference))


def standardized(difference: FloatArray) -> float:
    """Return d_z, the mean difference in standard deviations; 0 for no difference, NaN for a constant one.

    >>> standardized(np.array([1.0, 2.0, 3.0]))
    2.0
    """
    if len(difference) < 2 or is_constant(difference):
        return math.nan if difference.any() else 0.0
    return float(difference.mean() / difference.std(ddof=1))


def rm_anova(samples: Samples) -> Numbers:
    """Return the repeated-measures analysis of variance of one factor; effect partial η².

    F = [SS_segmenters / (k − 1)] / [SS_error / ((n − 1)(k − 1))] (Cohen 1995, pp. 301–303). p is not
    corrected for sphericity.

    >>> rm_anova([np.array([30.0, 14, 24]), np.array([28.0, 18, 20]), np.array([16.0, 10, 18])]).df
    (2.0, 4.0)
    """
    from scipy import stats

    n, k = len(samples[0]), len(samples)
    df = (k - 1.0, (n - 1.0) * (k - 1.0))
    if n < 2:
        return undefined("fewer than two subjects")
    between, error = _sums_of_squares(np.column_stack(samples))
    if not between and not error:
        return no_difference(df)
    if not error:
        return undefined("all subjects have the same differences, so F is infinite")
    f = (between / df[0]) / (error / df[1])
    return Numbers(f, df, float(stats.f.sf(f, *df)), between / (between + error))


def _sums_of_squares(table: FloatArray) -> tuple[float, float]:
    """Return the sums of squares of segmenters and of the error, without rounding errors."""
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
    variance = 2 * _sums_of_squares(table)[1] / df / n if df else math.nan

    def compared(i: int, j: int) -> Compared:
        difference = differences(samples[i], samples[j])
        return *_tukey(float(difference.mean()), variance, k, df), standardized(difference)

    return _contrasts(names, "Cohen's d_z", compared)


def _tukey(difference: float, variance: float, k: int, df: int) -> tuple[float, float, float, float]:
    """Return a difference with this variance, its q, p and adjusted p."""
    from scipy import stats

    difference = round(difference, DECIMALS)
    if difference == 0:
        return 0.0, 0.0, 1.0, 1.0
    if not variance > 0:
        return difference, math.nan, math.nan, math.nan
    t = difference / math.sqrt(variance)
    return difference, *_studentized(math.sqrt(2) * t, float(2 * stats.t.sf(abs(t), df)), k, df)


def _studentized(q: float, p_value: float, k: int, df: float) -> tuple[float, float, float]:
    """Return q, its p, and p adjusted by the studentized range of k means."""
    from scipy import stats

    # The studentized range is integrated numerically, so clip its error.
    return q, p_value, min(1.0, max(p_value, float(stats.studentized_range.sf(abs(q), k, df))))


# -------------------------------------------------------------------- means, between subjects


def unpaired_t(samples: Samples, *, equal_variances: bool) -> Numbers:
    """Return the t test of two independent samples: Student's, or Welch's; effect Cohen's d."""
    from scipy import stats

    first, second = samples
    n, m = len(first), len(second)
    if min(n, m) < 2:
        return undefined("a segmenter has fewer than two values")
    variances = [0.0 if is_constant(sample) else float(sample.var(ddof=1)) for sample in samples]
    if not any(variances):
        is_same = not float(np.round(first.mean() - second.mean(), DECIMALS))
        return no_difference() if is_same else undefined("no segmenter's values vary, so t is infinite")
    t, p_value = stats.ttest_ind_from_stats(
        first.mean(), math.sqrt(variances[0]), n, second.mean(), math.sqrt(variances[1]), m, equal_variances
    )
    df = float(n + m - 2)
    if not equal_variances:
        shares = variances[0] / n, variances[1] / m
        df = sum(shares) ** 2 / (shares[0] ** 2 / (n - 1) + shares[1] ** 2 / (m - 1))
    return Numbers(float(t), (df,), float(p_value), cohens_d(first, second))


def cohens_d(first: FloatArray, second: FloatArray) -> float:
    """Return the difference of means in pooled standard deviations (Cohen 1988); NaN if nothing varies.

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


def anova(samples: Samples) -> Numbers:
    """Return the one-way analysis of variance of independent samples; effect η² = SS_segmenters / SS_total.

    >>> anova([np.array([1.0, 2, 3]), np.array([2.0, 3, 4]), np.array([6.0, 7, 8])]).df
    (2.0, 6.0)
    """
    from scipy import stats

    everything = np.concatenate(samples)
    df = (len(samples) - 1.0, float(len(everything) - len(samples)))
    if min(map(len, samples)) == 0 or df[1] < 1:
        return undefined("too few values")
    if is_constant(everything):
        return no_difference(df)
    if all(is_constant(sample) for sample in samples):
        return undefined("no segmenter's values vary, so F is infinite")
    f, p_value = stats.f_oneway(*samples)
    within = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples)
    effect = 1 - within / float(((everything - everything.mean()) ** 2).sum())
    return Numbers(float(f), df, float(p_value), effect)


def tukey_between(samples: Samples, names: Sequence[str]) -> tuple[Contrast, ...]:
    """Compare all pairs of independent samples by Tukey's HSD (Tukey–Kramer); effect Cohen's d.

    q = difference / √(MS_within (1/n_i + 1/n_j) / 2), studentized range of k means, N − k degrees of freedom.
    """
    k = len(samples)
    df = sum(map(len, samples)) - k
    within = sum(0.0 if is_constant(s) else float(((s - s.mean()) ** 2).sum()) for s in samples)
    mean_square = within / df if df > 0 else math.nan

    def compared(i: int, j: int) -> Compared:
        difference = float(samples[i].mean() - samples[j].mean())
        variance = mean_square * (1 / len(samples[i]) + 1 / len(samples[j]))
        return *_tukey(difference, variance, k, df), cohens_d(samples[i], samples[j])

    return _contrasts(names, "Cohen's d", compared)


# -------------------------------------------------------------------- ranks, within subjects


def wilcoxon(samples: Samples) -> Numbers:
    """Return Wilcoxon's signed-rank test of two segmenters; effect matched-pairs rank-biserial correlation.

    The statistic is W⁺, the sum of the ranks of positive differences (R's V). Differences of zero are dropped
    (Wilcoxon 1945); p is exact, ties included, up to 200 differences and normal, corrected for ties, beyond.
    The effect is (W⁺ − W⁻) / (W⁺ + W⁻) (Kerby 2014).

    >>> wilcoxon([np.array([0.5, 0.6, 0.9, 0.8]), np.array([0.4, 0.3, 0.7, 0.8])]).p_value
    0.25
    """
    if not len(samples[0]):
        return undefined("no subjects")
    positive, negative, p_value = signed_ranks(differences(*samples))
    if positive == negative == 0:
        return no_difference()
    return Numbers(positive, (), p_value, (positive - negative) / (positive + negative))


def signed_ranks(difference: FloatArray) -> tuple[float, float, float]:
    """Return W⁺, W⁻ and the two-sided p of Wilcoxon's test; zeros are dropped.

    Under the null hypothesis every rank has either sign with probability 1/2. Ranks are multiples of 1/2, so
    the distribution of 2W⁺ is a product of one (1 + x^2r) / 2 per rank r.

    >>> signed_ranks(np.array([1.0, 2.0, -3.0, 0.0]))
    (3.0, 3.0, 1.0)
    """
    from scipy import stats

    difference = difference[difference != 0]
    if not len(difference):
        return 0.0, 0.0, 1.0
    ranks = stats.rankdata(np.abs(difference))
    positive, negative = float(ranks[difference > 0].sum()), float(ranks[difference < 0].sum())
    least = min(positive, negative)
    if len(ranks) > MAX_EXACT:
        z = (least - ranks.sum() / 2) / math.sqrt(float((ranks**2).sum()) / 4)
        return positive, negative, float(2 * stats.norm.cdf(z))
    steps = np.rint(2 * ranks).astype(int)
    chances = np.zeros(int(steps.sum()) + 1)
    chances[0] = 1.0
    for step in steps:
        chances[step:] = (chances[step:] + chances[:-step]) / 2
        chances[:step] /= 2
    return positive, negative, min(1.0, float(2 * chances[: round(2 * least) + 1].sum()))


def friedman(samples: Samples) -> Numbers:
    """Return Friedman's rank sum test, χ² with k − 1 degrees of freedom; effect Kendall's W.

    W = χ² / (n (k − 1)), from 0 (the subjects rank the segmenters at random) to 1 (all rank them alike).

    >>> a, b, c = np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.6, 0.6])
    >>> friedman([a, b, c]).statistic
    6.0
    """
    from scipy import stats

    n, k = len(samples[0]), len(samples)
    if n < 2:
        return undefined("fewer than two subjects")
    if not np.ptp(np.column_stack(samples), axis=1).any():
        return no_difference((k - 1.0,))
    statistic, p_value = map(float, stats.friedmanchisquare(*samples))
    return Numbers(statistic, (k - 1.0,), p_value, statistic / (n * (k - 1)))


def nemenyi(samples: Samples, names: Sequence[str]) -> tuple[Contrast, ...]:
    """Compare all pairs after Friedman's test; effect rank-biserial correlation of the pair.

    This is the large-sample Wilcoxon–Nemenyi–McDonald–Thompson test (Hollander & Wolfe 1999, p. 295; Demšar
    2006): q = √2 (R̄_i − R̄_j) / √(k (k + 1) / 6n) of mean ranks within subjects, studentized range of k means.
    """
    from scipy import stats

    table = np.column_stack(samples)
    n, k = table.shape
    mean_ranks = stats.rankdata(table, axis=1).mean(0)
    error = math.sqrt(k * (k + 1) / (6 * n))

    def compared(i: int, j: int) -> Compared:
        difference = differences(samples[i], samples[j])
        z = float(np.round(mean_ranks[i] - mean_ranks[j], 12)) / error
        tested = _studentized(math.sqrt(2) * z, float(2 * stats.norm.sf(abs(z))), k, math.inf)
        positive, negative, _ = signed_ranks(difference)
        effect = (positive - negative) / (positive + negative) if positive + negative else 0.0
        return float(difference.mean()), *tested, effect

    return _contrasts(names, "rank-biserial correlation", compared)


# -------------------------------------------------------------------- ranks, between subjects


def mann_whitney(samples: Samples) -> Numbers:
    """Return the Mann–Whitney (Wilcoxon rank sum) test of two independent samples; effect Cliff's δ.

    The statistic is U of the first (R's W). p is exact if one sample has at most 8 values and there are no
    ties, else normal, corrected for ties and continuity.

    >>> mann_whitney([np.array([3.0, 4, 5]), np.array([1.0, 2])]).p_value
    0.2
    """
    from scipy import stats

    if not min(map(len, samples)):
        return undefined("a segmenter has no values")
    if is_constant(np.concatenate(samples)):
        return no_difference()
    statistic, p_value = stats.mannwhitneyu(samples[0], samples[1], alternative="two-sided")
    return Numbers(float(statistic), (), float(p_value), cliffs_delta(*samples))


def cliffs_delta(first: FloatArray, second: FloatArray) -> float:
    """Return P(first > second) − P(first < second) over all pairs of values (Cliff 1993).

    >>> cliffs_delta(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.75
    """
    ordered = np.sort(second)
    less = np.searchsorted(ordered, first, side="left").sum()
    not_greater = np.searchsorted(ordered, first, side="right").sum()
    n_pairs = len(first) * len(second)
    return float(less + not_greater - n_pairs) / n_pairs if n_pairs else math.nan


def kruskal_wallis(samples: Samples) -> Numbers:
    """Return the Kruskal–Wallis rank sum test, χ² with k − 1 degrees of freedom; effect ε² = H / (N − 1).

    >>> kruskal_wallis([np.array([1.0, 2]), np.array([3.0, 4]), np.array([5.0, 6])]).df
    (2.0,)
    """
    from scipy import stats

    everything, df = np.concatenate(samples), (len(samples) - 1.0,)
    if not min(map(len, samples)):
        return undefined("a segmenter has no values")
    if is_constant(everything):
        return no_difference(df)
    h, p_value = map(float, stats.kruskal(*samples))
    return Numbers(h, df, p_value, h / (len(everything) - 1))


def siegel_castellan(samples: Samples, names: Sequence[str]) -> tuple[Contrast, ...]:
    """Compare all pairs after the Kruskal–Wallis test; effect Cliff's δ.

    z = (R̄_i − R̄_j) / √(N (N + 1) / 12 · (1/n_i + 1/n_j)) of mean ranks among all values. A pair differs if
    |z| ≥ z_{α/(k(k−1))}: the two-sided p times the number of pairs (Siegel & Castellan 1988, pp. 213–214; R's
    pgirmess::kruskalmc).
    """
    from scipy import stats

    sizes = np.array([len(sample) for sample in samples])
    total, k = int(sizes.sum()), len(samples)
    ranks = np.split(stats.rankdata(np.concatenate(samples)), np.cumsum(sizes)[:-1])

    def compared(i: int, j: int) -> Compared:
        error = math.sqrt(total * (total + 1) / 12 * (1 / sizes[i] + 1 / sizes[j]))
        z = float(np.round(ranks[i].mean() - ranks[j].mean(), 9)) / error
        p_value = float(2 * stats.norm.sf(abs(z)))
        difference = float(np.round(samples[i].mean() - samples[j].mean(), 12))
        adjusted = min(1.0, p_value * k * (k - 1) / 2)
        return difference, z, p_value, adjusted, cliffs_delta(samples[i], samples[j])

    return _contrasts(names, "Cliff's δ", compared)

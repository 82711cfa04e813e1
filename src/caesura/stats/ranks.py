"""Tests of ranks: Wilcoxon, Friedman with Nemenyi, Mann–Whitney, Kruskal–Wallis with Siegel & Castellan.

Samples are one array of values per segmenter; within subjects, the same place is the same subject. Tied
values share the mean of their ranks. The tests for all segmenters correct their variance for ties; the
comparisons of pairs after them (Nemenyi, Siegel & Castellan) do not, as published: ties make these
conservative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from caesura.arrays import FloatArray
from caesura.stats.assumptions import is_constant
from caesura.stats.means import Samples, differences
from caesura.stats.outcome import Contrast, Omnibus, no_difference, undefined

MAX_EXACT = 200
"""Up to this many differences the distribution of the signed ranks is enumerated."""


# -------------------------------------------------------------------- within subjects


def wilcoxon(samples: Samples) -> Omnibus:
    """Return Wilcoxon's signed-rank test of two segmenters; effect matched-pairs rank-biserial correlation.

    The statistic is W⁺, the sum of the ranks of positive differences (R's V). Differences of zero are dropped
    (Wilcoxon 1945); p is exact, ties included, up to 200 differences and normal, corrected for ties, beyond.
    The effect is (W⁺ − W⁻) / (W⁺ + W⁻) (Kerby 2014).

    >>> wilcoxon([np.array([0.5, 0.6, 0.9, 0.8]), np.array([0.4, 0.3, 0.7, 0.8])]).p_value
    0.25
    """
    name, effect_name = "Wilcoxon signed-rank", "rank-biserial correlation"
    first, second = samples
    if len(first) == 0:
        return undefined(name, effect_name, "no subjects")
    positive, negative, p_value = signed_ranks(differences(first, second))
    if positive == negative == 0:
        return no_difference(name, effect_name)
    effect = (positive - negative) / (positive + negative)
    return Omnibus(name, positive, (), p_value, effect, effect_name)


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


def friedman(samples: Samples) -> Omnibus:
    """Return Friedman's rank sum test, χ² with k − 1 degrees of freedom; effect Kendall's W.

    W = χ² / (n (k − 1)), from 0 (the subjects rank the segmenters at random) to 1 (all alike).

    >>> a, b, c = np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.6, 0.6])
    >>> friedman([a, b, c]).statistic
    6.0
    """
    from scipy import stats

    name, effect_name = "Friedman", "Kendall's W"
    n, k = len(samples[0]), len(samples)
    if n < 2:
        return undefined(name, effect_name, "fewer than two subjects")
    if not np.ptp(np.column_stack(samples), axis=1).any():
        return no_difference(name, effect_name, (k - 1.0,))
    statistic, p_value = stats.friedmanchisquare(*samples)
    statistic = float(statistic)
    return Omnibus(name, statistic, (k - 1.0,), float(p_value), statistic / (n * (k - 1)), effect_name)


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
    contrasts = []
    for i, j in combinations(range(k), 2):
        difference = differences(samples[i], samples[j])
        z = float(np.round(mean_ranks[i] - mean_ranks[j], 12)) / error
        p_value = float(2 * stats.norm.sf(abs(z)))
        q = math.sqrt(2) * z
        adjusted = min(1.0, max(p_value, float(stats.studentized_range.sf(abs(q), k, math.inf))))
        positive, negative, _ = signed_ranks(difference)
        effect = (positive - negative) / (positive + negative) if positive + negative else 0.0
        mean = float(difference.mean())
        contrast = Contrast(
            names[i], names[j], mean, q, p_value, adjusted, effect, "rank-biserial correlation"
        )
        contrasts.append(contrast)
    return tuple(contrasts)


# -------------------------------------------------------------------- between subjects


def mann_whitney(samples: Samples) -> Omnibus:
    """Return the Mann–Whitney (Wilcoxon rank sum) test of two independent samples; effect Cliff's δ.

    The statistic is U of the first (R's W). p is exact where one sample has at most 8 values and none are
    tied, else normal, corrected for ties and continuity.

    >>> mann_whitney([np.array([3.0, 4, 5]), np.array([1.0, 2])]).p_value
    0.2
    """
    from scipy import stats

    name, effect_name = "Mann–Whitney", "Cliff's δ"
    first, second = samples
    if min(len(first), len(second)) == 0:
        return undefined(name, effect_name, "a segmenter has no values")
    if is_constant(np.concatenate(samples)):
        return no_difference(name, effect_name)
    statistic, p_value = stats.mannwhitneyu(first, second, alternative="two-sided")
    return Omnibus(name, float(statistic), (), float(p_value), cliffs_delta(first, second), effect_name)


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


def kruskal_wallis(samples: Samples) -> Omnibus:
    """Return the Kruskal–Wallis rank sum test, χ² with k − 1 degrees of freedom; effect ε² = H / (N − 1).

    >>> kruskal_wallis([np.array([1.0, 2]), np.array([3.0, 4]), np.array([5.0, 6])]).df
    (2.0,)
    """
    from scipy import stats

    name, effect_name = "Kruskal–Wallis", "ε²"
    everything = np.concatenate(samples)
    if min(map(len, samples)) == 0:
        return undefined(name, effect_name, "a segmenter has no values")
    if is_constant(everything):
        return no_difference(name, effect_name, (len(samples) - 1.0,))
    statistic, p_value = stats.kruskal(*samples)
    h = float(statistic)
    return Omnibus(name, h, (len(samples) - 1.0,), float(p_value), h / (len(everything) - 1), effect_name)


def siegel_castellan(samples: Samples, names: Sequence[str]) -> tuple[Contrast, ...]:
    """Compare all pairs after the Kruskal–Wallis test; effect Cliff's δ.

    z = (R̄_i − R̄_j) / √(N (N + 1) / 12 · (1/n_i + 1/n_j)) of mean ranks among all values. A pair differs
    where |z| ≥ z_{α/(k(k−1))}: the two-sided p times the number of pairs (Siegel & Castellan 1988,
    pp. 213–214; R's pgirmess::kruskalmc).
    """
    from scipy import stats

    sizes = np.array([len(sample) for sample in samples])
    total, k = int(sizes.sum()), len(samples)
    ranks = np.split(stats.rankdata(np.concatenate(samples)), np.cumsum(sizes)[:-1])
    contrasts = []
    for i, j in combinations(range(k), 2):
        error = math.sqrt(total * (total + 1) / 12 * (1 / sizes[i] + 1 / sizes[j]))
        z = float(np.round(ranks[i].mean() - ranks[j].mean(), 9)) / error
        p_value = float(2 * stats.norm.sf(abs(z)))
        adjusted = min(1.0, p_value * k * (k - 1) / 2)
        difference = float(np.round(samples[i].mean() - samples[j].mean(), 12))
        effect = cliffs_delta(samples[i], samples[j])
        contrasts.append(Contrast(names[i], names[j], difference, z, p_value, adjusted, effect, "Cliff's δ"))
    return tuple(contrasts)


def tie_share(samples: Samples) -> float:
    """Return Σ(t³ − t) / (N³ − N) over groups of t tied values: how far ties shrink the variance of ranks.

    >>> tie_share([np.array([1.0, 1.0]), np.array([2.0, 3.0])])
    0.1
    """
    _, tied = np.unique(np.concatenate(samples), return_counts=True)
    n = int(tied.sum())
    return float((tied.astype(float) ** 3 - tied).sum() / (float(n) ** 3 - n)) if n > 1 else 0.0

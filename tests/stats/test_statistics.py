"""Tests of segmenters. Sources of truth: printed examples, SciPy, statsmodels, scikit-posthocs, counting."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
import statsmodels.formula.api as smf
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.multicomp import pairwise_tukeyhsd
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from caesura.errors import ParameterError
from caesura.stats import classical
from caesura.stats.choosing import (
    PROCEDURES,
    between_subjects,
    holm,
    least_effect,
    power_note,
    within_subjects,
)

# R's data set PlantGrowth
CONTROL = [4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14]
TREATED_1 = [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69]
TREATED_2 = [6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26]
PLANTS = [np.array(group) for group in (CONTROL, TREATED_1, TREATED_2)]

# Demšar (2006), JMLR 7, table 6: AUC of C4.5, with m, with cf, with both, on 14 data sets
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)

# Four drugs, five subjects (NCSS manual, ch. 214, "Repeated Measures Analysis of Variance")
DRUGS = np.array(
    [[30, 28, 16, 34], [14, 18, 10, 22], [24, 20, 18, 30], [38, 34, 20, 44], [26, 28, 14, 30]], dtype=float
)


def columns(table):
    return [np.asarray(column, dtype=float) for column in np.asarray(table).T]


def random_table(seed: int, *, ties: bool) -> np.ndarray:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 25)), int(rng.integers(3, 6))
    table = rng.normal(size=(n, k)) + rng.normal(size=(n, 1)) + rng.normal(scale=0.4, size=k)
    return np.round(table) / 4 if ties else table


def random_groups(seed: int, *, ties: bool) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    groups = [
        rng.normal(size=int(rng.integers(3, 20))) + rng.normal() / 2 for _ in range(int(rng.integers(3, 6)))
    ]
    return [np.round(group * 2) / 4 for group in groups] if ties else groups


def names_of(samples):
    return [f"s{i}" for i in range(len(samples))]


def pair_numbers(k: int):
    return list(itertools.combinations(range(k), 2))


# -------------------------------------------------------------------- printed examples


def test_anova_and_tukey_as_r_prints_for_plant_growth():
    """R: summary(aov(weight ~ group, PlantGrowth)); TukeyHSD(...) (rpubs 174031)."""
    report = PROCEDURES["anova"](PLANTS, ["ctrl", "trt1", "trt2"])
    assert report.omnibus.statistic == pytest.approx(4.846, abs=5e-4)
    assert report.omnibus.p_value == pytest.approx(0.0159, abs=5e-5)
    assert report.omnibus.effect == pytest.approx(3.766 / (3.766 + 10.492), abs=1e-4)
    assert report.omnibus.df == (2, 27)
    assert [c.difference for c in report.contrasts] == pytest.approx([0.371, -0.494, -0.865])
    adjusted = [c.adjusted_p for c in report.contrasts]
    assert adjusted == pytest.approx([0.3908711, 0.1979960, 0.0120064], abs=5e-7)
    assert [(c.first, c.second) for c in report.significant] == [("trt1", "trt2")]
    assert report.contrasts[2].statistic < 0  # trt1 has the lower mean


def test_shapiro_wilk_as_r_prints_for_plant_growth():
    """R: shapiro.test on groups ctrl and trt1 of PlantGrowth (rpubs 1340475)."""
    report = between_subjects(PLANTS, ["ctrl", "trt1", "trt2"])
    assert report.procedure == "ANOVA, Tukey's HSD"
    ctrl, trt1 = report.assumptions[:2]
    assert (ctrl.statistic, ctrl.p_value) == pytest.approx((0.95668, 0.7475), abs=5e-5)
    assert (trt1.statistic, trt1.p_value) == pytest.approx((0.93041, 0.4519), abs=5e-5)


def test_paired_t_as_r_prints_for_sleep():
    """R: t.test(extra ~ group, sleep, paired = TRUE): t = -4.0621, df = 9, p-value = 0.002833."""
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    report = PROCEDURES["paired_t"]([first, second], ["1", "2"])
    assert report.omnibus.statistic == pytest.approx(-4.0621, abs=5e-5)
    assert report.omnibus.p_value == pytest.approx(0.002833, abs=5e-7)
    assert report.omnibus.df == (9,)
    assert report.contrasts[0].difference == pytest.approx(-1.58)
    assert report.omnibus.effect == pytest.approx(-4.0621 / math.sqrt(10), abs=1e-4)


def test_kruskal_wallis_with_ties_as_nag_prints():
    """NAG Library, example results of g08af: H = 10.537, 4 degrees of freedom, significance 0.032."""
    groups = [
        [23, 27, 26, 19, 30],
        [29, 25, 33, 36, 32, 28, 30, 31],
        [38, 31, 28, 35, 33, 36],
        [30, 27, 28, 22, 33, 34, 34, 32],
        [31, 33, 31, 28, 30, 24, 29, 30],
    ]
    omnibus = PROCEDURES["kruskal_wallis"](groups, names_of(groups)).omnibus
    assert (omnibus.statistic, omnibus.p_value) == pytest.approx((10.537, 0.032), abs=5e-4)
    assert omnibus.df == (4,)
    assert omnibus.effect == pytest.approx(10.537 / 34, abs=1e-4)


def test_friedman_as_r_prints_with_ties():
    """R on a trial of sleep aids (r-statistics.co): Friedman chi-squared = 20.167, df = 2, p = 4.177e-05."""
    table = np.array(
        [
            [5.2, 4.9, 6.0, 5.7, 4.8, 5.5, 6.1, 5.0, 5.4, 5.8, 5.1, 5.6],
            [6.1, 5.5, 6.3, 6.7, 5.9, 6.2, 6.0, 5.8, 6.0, 6.5, 5.9, 6.4],
            [6.8, 6.5, 7.0, 6.5, 6.4, 6.9, 6.8, 6.6, 7.2, 7.1, 6.3, 7.0],
        ]
    )
    omnibus = PROCEDURES["friedman"](table, ["placebo", "a", "b"]).omnibus
    assert omnibus.statistic == pytest.approx(20.167, abs=5e-4)
    assert omnibus.p_value == pytest.approx(4.177e-05, abs=5e-9)
    assert omnibus.effect == pytest.approx(20.167 / 24, abs=1e-4)


def test_friedman_of_demsar_as_in_r_and_matlab():
    """SciPy's own test, "verified with matlab and R": χ² = 10.2283464566929, p = 0.0167215803284414."""
    omnibus = PROCEDURES["friedman"](columns(DEMSAR), ["", "m", "cf", "m+cf"]).omnibus
    assert (omnibus.statistic, omnibus.p_value) == pytest.approx((10.2283464566929, 0.0167215803284414))


def test_nemenyi_of_demsar():
    """Demšar (2006), §3.2.2: no pair differs at 0.05 (CD 1.25); at 0.10 (CD 1.12) m and m+cf beat C4.5."""
    report = PROCEDURES["friedman"](columns(DEMSAR), ["C4.5", "m", "cf", "m+cf"])
    assert all(contrast.adjusted_p > 0.05 for contrast in report.contrasts)
    at_10_percent = [c for c in report.contrasts if c.adjusted_p < 0.10]
    assert {(c.first, c.second) for c in at_10_percent} == {("C4.5", "m"), ("C4.5", "m+cf")}
    assert all(contrast.statistic < 0 for contrast in at_10_percent)  # C4.5 has the lower ranks
    # the mean ranks 3.143 and 2.000 of the paper, best = 1
    error = math.sqrt(4 * 5 / (6 * 14))
    assert report.contrasts[0].statistic / math.sqrt(2) * error == pytest.approx(2.000 - 3.143, abs=6e-4)


@pytest.mark.parametrize(
    ("k", "critical"), [(3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031), (10, 3.164)]
)
def test_nemenyi_critical_values_of_demsar_table_5a(k, critical):
    """Mean ranks that differ by q_0.05 √(k (k + 1) / 6n) have an adjusted p of 0.05."""
    assert stats.studentized_range.sf(critical * math.sqrt(2), k, math.inf) == pytest.approx(0.05, abs=2e-4)
    table = random_table(k, ties=False)[:, :3]
    contrast = classical.nemenyi(columns(table), "abc")[0]
    mean_ranks = stats.rankdata(table, axis=1).mean(0)
    expected = (mean_ranks[0] - mean_ranks[1]) / math.sqrt(3 * 4 / (6 * len(table)))
    assert contrast.statistic == pytest.approx(math.sqrt(2) * expected)


def test_siegel_castellan_on_the_example_of_kruskalmc():
    """R's ?pgirmess::kruskalmc, by hand: mean ranks 25/6, 65/6, 81/6; critical difference 2.39398 × √9.5."""
    groups = [
        [0.44, 0.44, 0.54, 0.32, 0.21, 0.28],
        [0.7, 0.77, 0.48, 0.64, 0.71, 0.75],
        [0.8, 0.76, 0.34, 0.80, 0.73, 0.8],
    ]
    report = PROCEDURES["kruskal_wallis"](groups, ["A", "B", "C"])
    error = math.sqrt(18 * 19 / 12 * (1 / 6 + 1 / 6))
    observed = [contrast.statistic * error for contrast in report.contrasts]
    assert observed == pytest.approx([-40 / 6, -56 / 6, -16 / 6])
    critical = 2.39398 * math.sqrt(9.5)
    assert [c.adjusted_p < 0.05 for c in report.contrasts] == [abs(d) > critical for d in observed]
    assert [(c.first, c.second) for c in report.significant] == [("A", "C")]


def test_siegel_castellan_on_authoritarianism_scores():
    """Data of D. Wiig's tutorial on kruskalmc (dmwiig.net, 2015/03), by hand: rank sums 22, 37, 46."""
    groups = [[96, 128, 83, 61, 101], [82, 121, 132, 135, 109], [115, 149, 166, 147]]
    report = PROCEDURES["kruskal_wallis"](groups, ["teacher", "both", "administrator"])
    assert report.omnibus.statistic == pytest.approx(
        12 / (14 * 15) * (22**2 / 5 + 37**2 / 5 + 46**2 / 4) - 45
    )
    assert [(c.first, c.second) for c in report.significant] == [("teacher", "administrator")]
    assert report.contrasts[1].statistic == pytest.approx(
        (22 / 5 - 46 / 4) / math.sqrt(17.5 * (1 / 5 + 1 / 4))
    )


def test_repeated_measures_anova_of_four_drugs_by_hand():
    """Means 26.4, 25.6, 15.6, 32; SS drugs 698.2, subjects 680.8, total 1491.8, so error 112.8; F = 24.76."""
    report = PROCEDURES["rm_anova"](columns(DRUGS), names_of(DRUGS.T))
    f = (698.2 / 3) / (112.8 / 12)
    assert report.omnibus.statistic == pytest.approx(f)
    assert report.omnibus.df == (3, 12)
    assert report.omnibus.effect == pytest.approx(698.2 / (698.2 + 112.8))
    assert report.contrasts[0].statistic == pytest.approx((26.4 - 25.6) / math.sqrt(112.8 / 12 / 5))


def test_wilcoxon_of_hollander_and_wolfe_by_hand():
    """Depression scale (Hollander & Wolfe 1973, p. 29): V = 40; 10 of 512 signs have W⁻ ≤ 5."""
    first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    omnibus = PROCEDURES["wilcoxon"]([first, second], ["before", "after"]).omnibus
    assert omnibus.statistic == 40
    assert omnibus.p_value == pytest.approx(20 / 512)
    assert omnibus.effect == pytest.approx((40 - 5) / 45)


def test_wilcoxon_of_demsar_drops_zeros_and_shares_ranks():
    """Demšar (2006), table 2: of 14 differences 2 are zero and the least two tie: W⁻ = 71.5, W⁺ = 6.5."""
    report = PROCEDURES["wilcoxon"](columns(DEMSAR[:, :2]), ["C4.5", "m"])
    assert report.omnibus.statistic == 6.5
    rank = [1.5, 1.5, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    sums = [sum(itertools.compress(rank, signs)) for signs in itertools.product((0, 1), repeat=12)]
    assert report.omnibus.p_value == pytest.approx(2 * sum(s <= 6.5 for s in sums) / 2**12)
    assert report.remarks == ("p is exact; 2 of 14 subjects without a difference are dropped",)


# -------------------------------------------------------------------- other implementations

SEEDS = range(6)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_repeated_measures_anova_equals_statsmodels(seed, ties):
    table = random_table(seed, ties=ties)
    n, k = table.shape
    frame = pd.DataFrame(
        {"value": table.ravel(), "subject": np.repeat(range(n), k), "segmenter": np.tile(range(k), n)}
    )
    expected = AnovaRM(frame, "value", "subject", within=["segmenter"]).fit().anova_table.iloc[0]
    omnibus = PROCEDURES["rm_anova"].omnibus(columns(table))
    assert omnibus.statistic == pytest.approx(expected["F Value"])
    assert omnibus.p_value == pytest.approx(expected["Pr > F"])
    assert omnibus.df == (expected["Num DF"], expected["Den DF"])
    # Tukey's HSD with the error of the same model: what R's TukeyHSD(aov(value ~ segmenter + subject)) does
    fit = smf.ols("value ~ C(segmenter) + C(subject)", frame).fit()
    for contrast, (i, j) in zip(
        classical.tukey_within(columns(table), names_of(range(k))), pair_numbers(k), strict=True
    ):
        difference = table[:, i].mean() - table[:, j].mean()
        q = difference / math.sqrt(fit.mse_resid / n)
        assert contrast.statistic == pytest.approx(q, abs=1e-9)
        assert contrast.difference == pytest.approx(difference, abs=1e-9)
        expected_p = stats.studentized_range.sf(abs(q), k, fit.df_resid)
        assert contrast.adjusted_p == pytest.approx(expected_p, abs=1e-6)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_nemenyi_equals_scikit_posthocs(seed, ties):
    table = random_table(seed, ties=ties)
    k = table.shape[1]
    expected = scikit_posthocs.posthoc_nemenyi_friedman(table).to_numpy()
    contrasts = classical.nemenyi(columns(table), names_of(range(k)))
    assert [c.adjusted_p for c in contrasts] == pytest.approx([expected[pair] for pair in pair_numbers(k)])


@pytest.mark.parametrize("seed", SEEDS)
def test_siegel_castellan_without_ties_equals_dunn_with_bonferroni(seed):
    groups = random_groups(seed, ties=False)
    expected = scikit_posthocs.posthoc_dunn(groups, p_adjust="bonferroni").to_numpy()
    contrasts = classical.siegel_castellan(groups, names_of(groups))
    assert [c.adjusted_p for c in contrasts] == pytest.approx(
        [expected[pair] for pair in pair_numbers(len(groups))]
    )


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("seed", SEEDS)
def test_siegel_castellan_with_ties_decides_like_kruskalmc(seed, alpha):
    """The source of pgirmess::kruskalmc: |R_i − R_j| against z_{α/(k(k−1))} √(N(N+1)/12 (1/n_i + 1/n_j))."""
    groups = random_groups(seed, ties=True)
    k, total = len(groups), sum(map(len, groups))
    rank = np.split(stats.rankdata(np.concatenate(groups)), np.cumsum([len(g) for g in groups])[:-1])
    z = stats.norm.isf(alpha / (k * (k - 1)))
    for contrast, (i, j) in zip(
        classical.siegel_castellan(groups, names_of(groups)), pair_numbers(k), strict=True
    ):
        limit = z * math.sqrt(total * (total + 1) / 12 * (1 / len(groups[i]) + 1 / len(groups[j])))
        assert (contrast.adjusted_p < alpha) == (abs(rank[i].mean() - rank[j].mean()) > limit)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_tukey_between_equals_scipy_and_statsmodels(seed, ties):
    groups = random_groups(seed, ties=ties)
    k = len(groups)
    contrasts = classical.tukey_between(groups, names_of(groups))
    by_scipy = stats.tukey_hsd(*groups)
    assert [c.difference for c in contrasts] == pytest.approx(
        [by_scipy.statistic[pair] for pair in pair_numbers(k)], abs=1e-9
    )
    adjusted = [c.adjusted_p for c in contrasts]
    assert adjusted == pytest.approx([by_scipy.pvalue[pair] for pair in pair_numbers(k)], abs=1e-6)
    labels = np.repeat(range(k), [len(group) for group in groups])
    by_statsmodels = pairwise_tukeyhsd(np.concatenate(groups), labels)
    assert adjusted == pytest.approx(by_statsmodels.pvalues, abs=1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_unpaired_t_equals_scipy(seed):
    first, second = random_groups(seed, ties=True)[:2]
    for name, equal in (("student_t", True), ("welch_t", False)):
        expected = stats.ttest_ind(first, second, equal_var=equal)
        omnibus = PROCEDURES[name]([first, second], ["a", "b"]).omnibus
        assert (omnibus.statistic, omnibus.p_value) == pytest.approx((expected.statistic, expected.pvalue))
        assert omnibus.df == pytest.approx((expected.df,))
        pooled = math.sqrt(
            ((len(first) - 1) * first.var(ddof=1) + (len(second) - 1) * second.var(ddof=1))
            / (len(first) + len(second) - 2)
        )
        assert omnibus.effect == pytest.approx((first.mean() - second.mean()) / pooled)


@pytest.mark.parametrize("seed", SEEDS)
def test_omnibus_tests_equal_scipy(seed):
    groups, table = random_groups(seed, ties=True), random_table(seed, ties=True)
    for name, expected in (
        ("anova", stats.f_oneway(*groups)),
        ("kruskal_wallis", stats.kruskal(*groups)),
    ):
        omnibus = PROCEDURES[name](groups, names_of(groups)).omnibus
        assert (omnibus.statistic, omnibus.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    expected = stats.friedmanchisquare(*columns(table))
    omnibus = PROCEDURES["friedman"](columns(table), names_of(table.T)).omnibus
    assert (omnibus.statistic, omnibus.p_value) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_without_ties_equals_scipy_exact(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 45))
    first, second = rng.normal(size=(2, n))
    omnibus = PROCEDURES["wilcoxon"]([first, second], ["a", "b"]).omnibus
    assert omnibus.p_value == pytest.approx(stats.wilcoxon(first, second, method="exact").pvalue)
    assert omnibus.statistic == stats.wilcoxon(first, second, alternative="greater").statistic


@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_with_ties_and_zeros_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    difference = rng.integers(-3, 4, size=int(rng.integers(2, 12))).astype(float)
    positive, negative, p_value = classical.signed_ranks(difference)
    kept = difference[difference != 0]
    rank = stats.rankdata(np.abs(kept))
    assert positive == rank[kept > 0].sum()
    assert negative == rank[kept < 0].sum()
    sums = [rank[np.array(signs, dtype=bool)].sum() for signs in itertools.product((0, 1), repeat=len(kept))]
    center = rank.sum() / 2
    as_extreme = [abs(s - center) >= abs(positive - center) - 1e-9 for s in sums]
    assert p_value == pytest.approx(np.mean(as_extreme))


def test_wilcoxon_of_many_subjects_equals_scipy_normal():
    rng = np.random.default_rng(0)
    first, second = np.round(rng.normal(size=(2, 300)) + np.array([[0.15], [0]]), 1)
    difference = np.round(first - second, 9)
    expected = stats.wilcoxon(difference, zero_method="wilcox", correction=False)
    assert PROCEDURES["wilcoxon"]([first, second], ["a", "b"]).p_value == pytest.approx(expected.pvalue)
    # the exact distribution agrees
    exact = classical.signed_ranks(difference[:150])[2]
    normal = stats.wilcoxon(difference[:150], zero_method="wilcox", correction=False).pvalue
    assert exact == pytest.approx(normal, rel=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_mann_whitney_and_cliffs_delta_by_enumeration(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=5), rng.normal(size=6) + 0.5
    omnibus = PROCEDURES["mann_whitney"]([first, second], ["a", "b"]).omnibus
    rank = stats.rankdata(np.concatenate((first, second)))
    u = [sum(rank[list(chosen)]) - 15 for chosen in itertools.combinations(range(11), 5)]
    as_extreme = np.abs(np.array(u) - 15) >= abs(omnibus.statistic - 15) - 1e-9
    assert omnibus.p_value == pytest.approx(as_extreme.mean())
    tied = [np.round(values) for values in (first, second)]
    delta = np.mean([np.sign(a - b) for a in tied[0] for b in tied[1]])
    assert classical.cliffs_delta(*tied) == pytest.approx(delta)
    expected = stats.mannwhitneyu(*tied, alternative="two-sided")
    omnibus = PROCEDURES["mann_whitney"](tied, ["a", "b"]).omnibus
    assert (omnibus.statistic, omnibus.p_value) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", SEEDS)
def test_holm_equals_statsmodels(seed):
    rng = np.random.default_rng(seed)
    p_values = np.round(rng.random(int(rng.integers(1, 12))), 1)
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_holm_leaves_the_undefined_aside():
    assert holm([0.01, math.nan, 0.04]) == pytest.approx([0.02, math.nan, 0.04], nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_sphericity_by_the_formula_of_textbooks(seed):
    """Greenhouse–Geisser ε from means of the covariance matrix."""
    table = random_table(seed, ties=False)
    k = table.shape[1]
    s = np.cov(table.T)
    numerator = k**2 * (np.diag(s).mean() - s.mean()) ** 2
    denominator = (k - 1) * ((s**2).sum() - 2 * k * (s.mean(1) ** 2).sum() + k**2 * s.mean() ** 2)
    assert classical.sphericity(table) == pytest.approx(numerator / denominator)
    assert 1 / (k - 1) - 1e-9 <= classical.sphericity(table) <= 1 + 1e-9


@pytest.mark.parametrize("n", [5, 10, 20, 50, 200])
def test_least_effect_is_close_to_statsmodels(n):
    expected = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
    assert least_effect(n) == pytest.approx(expected, rel=0.02)


def test_power_note_says_when_nothing_can_be_found():
    assert power_note(3, 2).startswith("With 3 documents no difference can be significant")
    assert "use 8 or more" in power_note(5, 4)  # 2^-7 × 6 pairs < 0.05 < 2^-6 × 6
    assert "SD have less than 80 % power" in power_note(8, 4)
    assert power_note(1, 2).startswith("With 1 document no difference can")


# -------------------------------------------------------------------- the decision


def test_normal_values_are_compared_by_means_and_others_by_ranks():
    rng = np.random.default_rng(3)
    normal = rng.normal(size=(30, 3))
    names = ["a", "b", "c"]
    assert within_subjects(normal, names).procedure == "repeated-measures ANOVA, Tukey's HSD"
    assert within_subjects(normal[:, :2], names[:2]).procedure == "paired t test"
    assert between_subjects(list(normal.T), names).procedure == "ANOVA, Tukey's HSD"
    assert between_subjects(list(normal.T[:2]), names[:2]).procedure == "Student's t test"
    skewed = np.exp(2 * normal)
    assert within_subjects(skewed, names).procedure == "Friedman, Nemenyi"
    assert within_subjects(skewed[:, :2], names[:2]).procedure == "Wilcoxon signed-rank test"
    assert between_subjects(list(skewed.T), names).procedure == "Kruskal–Wallis, Siegel & Castellan"
    assert between_subjects(list(skewed.T[:2]), names[:2]).procedure == "Mann–Whitney test"
    unequal = normal * [1, 1, 9]
    report = within_subjects(unequal, names)
    assert report.procedure == "Friedman, Nemenyi"
    assert report.reason.startswith("Bartlett rejects equal variances")
    assert between_subjects(list(unequal.T[1:]), names[1:]).procedure == "Welch's t test"


def test_assumptions_are_reported_with_their_tests():
    rng = np.random.default_rng(3)
    report = within_subjects(rng.normal(size=(30, 3)), ["a", "b", "c"])
    assert [a.name for a in report.assumptions] == ["Shapiro–Wilk"] * 3 + ["Bartlett"]
    assert [a.of for a in report.assumptions] == ["a", "b", "c", "all"]
    assert report.reason == "neither normal values nor equal variances are rejected"
    assert "after Greenhouse–Geisser correction for sphericity (ε = " in report.remarks[0]
    remarks = between_subjects(list(rng.normal(size=(3, 30))), "abc").remarks
    assert "are not independent, so p is too small" in remarks[-1]
    json.dumps(report.to_dict())


def test_more_than_5000_values_are_tested_for_normality_by_another_test():
    rng = np.random.default_rng(1)
    report = between_subjects([rng.normal(size=6000), rng.normal(size=40)], ["many", "few"])
    many, few, _ = report.assumptions
    assert (many.name, few.name) == ("D'Agostino–Pearson", "Shapiro–Wilk")
    assert "5,000" in many.reason


def test_differences_that_are_equal_but_for_rounding_tie():
    first, second = np.array([0.3, 0.2, 0.9]), np.array([0.2, 0.1, 1.0])
    assert len(set(np.abs(first - second))) > 1
    assert classical.signed_ranks(classical.differences(first, second))[:2] == (4.0, 2.0)


@pytest.mark.parametrize("name", sorted(PROCEDURES))
def test_exchanging_segmenters_changes_the_sign_only(name):
    procedure = PROCEDURES[name]
    k = 2 if procedure.is_for_two else 3
    table = random_table(5, ties=True)[:, :k]
    report = procedure(columns(table), names_of(range(k)))
    swapped = procedure(columns(table)[::-1], names_of(range(k))[::-1])
    assert swapped.omnibus.p_value == pytest.approx(report.omnibus.p_value)
    mirrored = {(c.second, c.first): c for c in swapped.contrasts}
    for contrast in report.contrasts:
        other = mirrored[contrast.first, contrast.second]
        assert other.difference == pytest.approx(-contrast.difference)
        assert other.effect == pytest.approx(-contrast.effect)
        assert other.adjusted_p == pytest.approx(contrast.adjusted_p)
        if name not in ("wilcoxon", "mann_whitney"):  # W⁺ and U are sums
            assert other.statistic == pytest.approx(-contrast.statistic)


@pytest.mark.parametrize("name", sorted(PROCEDURES))
def test_the_better_segmenter_is_first_in_a_positive_contrast(name):
    procedure = PROCEDURES[name]
    k = 2 if procedure.is_for_two else 3
    rng = np.random.default_rng(2)
    table = rng.normal(size=(25, k)) + np.arange(k)[::-1] * 2
    for contrast in procedure(columns(table), names_of(range(k))).significant:
        assert contrast.difference > 0
        assert contrast.statistic > 0
        assert contrast.effect > 0
        assert contrast.adjusted_p >= contrast.p_value


# -------------------------------------------------------------------- degenerate values


@pytest.mark.parametrize("name", sorted(PROCEDURES))
@pytest.mark.parametrize("n", [2, 3, 10])
def test_equal_values_have_p_1(name, n):
    procedure = PROCEDURES[name]
    k = 2 if procedure.is_for_two else 3
    report = procedure([np.full(n, 0.1)] * k, names_of(range(k)))
    assert report.omnibus.p_value == 1
    assert report.omnibus.effect == 0
    assert report.omnibus.reason == "the segmenters have the same values"
    assert all(c.adjusted_p == 1 for c in report.contrasts)
    assert not report.significant


@pytest.mark.parametrize("name", ["paired_t", "wilcoxon", "rm_anova", "friedman"])
def test_identical_segmenters_have_p_1(name):
    procedure = PROCEDURES[name]
    k = 2 if procedure.is_for_two else 3
    values = np.array([0.1, 0.7, 0.3, 0.4])
    assert procedure([values] * k, names_of(range(k))).p_value == 1


@pytest.mark.parametrize("name", ["paired_t", "rm_anova", "anova", "student_t", "welch_t"])
def test_differences_without_variation_are_undefined(name):
    procedure = PROCEDURES[name]
    k = 2 if procedure.is_for_two else 3
    base = np.array([0.1, 0.5, 0.2]) if procedure.design == "within" else np.zeros(3)
    report = procedure([base + i / 10 for i in range(k)], names_of(range(k)))
    assert math.isnan(report.omnibus.p_value)
    assert report.omnibus.reason.endswith("infinite")
    assert not report.significant


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_subjects_give_an_answer_or_a_reason(n, k):
    table = np.random.default_rng(0).random((n, k))
    for report in (
        within_subjects(table, names_of(range(k))),
        between_subjects(list(table.T), names_of(range(k))),
        *(p(list(table.T), names_of(range(k))) for p in PROCEDURES.values() if p.is_for_two == (k == 2)),
    ):
        assert report.subjects in (n, n * k)
        assert 0 <= report.p_value <= 1 or report.omnibus.reason


@given(
    st.integers(2, 4).flatmap(
        lambda k: st.lists(st.lists(st.sampled_from([0, 0.1, 0.5, 1]), min_size=k, max_size=k), max_size=8)
    )
)
def test_any_small_table_gives_an_answer_or_a_reason(rows):
    k = len(rows[0]) if rows else 3
    table = np.array(rows, dtype=float).reshape(len(rows), k)
    names = names_of(range(k))
    for report in (within_subjects(table, names), between_subjects(list(table.T), names)):
        assert 0 <= report.p_value <= 1 or report.omnibus.reason
        for contrast in report.contrasts:
            assert math.isnan(contrast.p_value) or 0 <= contrast.p_value <= contrast.adjusted_p <= 1
            assert math.isnan(contrast.difference) or len(rows)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: within_subjects([[1.0], [2.0]], ["a"]), "at least two segmenters"),
        (lambda: within_subjects([1.0, 2.0], ["a", "b"]), "subjects × segmenters"),
        (lambda: within_subjects([[1.0, 2.0]], ["a", "b", "c"]), "2 samples but 3 names"),
        (
            lambda: within_subjects([[1.0, math.inf]], ["a", "b"]),
            "segmenter b: the value of subject 0 is inf",
        ),
        (
            lambda: between_subjects([[1.0], [math.nan]], ["a", "b"]),
            "segmenter b: the value of subject 0 is nan",
        ),
        (lambda: PROCEDURES["wilcoxon"]([[1.0, 2.0], [1.0]], ["a", "b"]), "the same subjects; got a 2, b 1"),
        (lambda: PROCEDURES["wilcoxon"]([[1.0]] * 3, ["a", "b", "c"]), "compares two segmenters, not 3"),
        (lambda: PROCEDURES["friedman"]([[1.0]] * 2, ["a", "b"]), "three or more segmenters, not 2"),
    ],
)
def test_wrong_input_is_refused(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


@pytest.mark.parametrize(("slope", "words"), [(1.0, "p < 0.001"), (0.05, "p = 0.")])
def test_p_of_all_segmenters_is_written_as_in_other_sentences(slope, words):
    table = np.random.default_rng(3).normal(size=(20, 3)) + slope * np.arange(3) * 3
    report = PROCEDURES["friedman"]([*table.T], ["a", "b", "c"])
    assert report.notes[0].text.startswith(f"All segmenters together: Friedman, {words}")
    same = PROCEDURES["anova"]([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]], ["a", "b", "c"]).notes[0].text
    assert same == "All segmenters together: ANOVA, no segmenter's values vary, so F is infinite."


@pytest.mark.exhaustive
def test_a_report_is_shown_where_no_analysis_was_imported() -> None:
    """The report of PlantGrowth in a fresh interpreter, which knows nothing but the tests."""
    code = (
        "from caesura.stats.choosing import PROCEDURES as tests; import sys; "
        f"report = tests['student_t']([{CONTROL}, {TREATED_1}], ['control', 'treated']); print(report); "
        "assert report.parts == ('main', 'assumptions') and report.to_dict()['notes']; "
        "assert not any(name.startswith('caesura.analyses') for name in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert "control   treated" in done.stdout

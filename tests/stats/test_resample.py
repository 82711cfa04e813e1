"""Resampling from counts. Sources of truth: naive loops over pooled Scores, enumeration, SciPy."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import caesura as cs
from caesura.errors import ParameterError
from caesura.metrics.base import Score
from caesura.stats import resampling
from caesura.stats.resampling import (
    bootstrap_intervals,
    bootstrap_values,
    paired_bootstrap,
    pooled,
    randomization,
)


class MeanOfValues:
    """Values as counts whose pooled value is their mean, such as SciPy's statistics are of."""

    def fraction(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        total, number = counts
        return total, number, math.nan


MEAN = MeanOfValues()


def mean_counts(values: list[list[float]]) -> np.ndarray:
    table = np.asarray(values, dtype=np.float64)
    return np.stack((table, np.ones_like(table)), axis=-1)


METRICS = ["B", "S", "WD", "Pk", "BF", "BP", "WinF", "F(tolerance=1)", "GHD"]


def random_scores(metric: cs.Metric, seed: int, n_documents: int, n_segmenters: int) -> list[list[Score]]:
    """Return the scores of segmenters, document by document."""
    rng = np.random.default_rng(seed)

    def draw(n_units: int, density: float) -> cs.Segmentation:
        return cs.Segmentation.from_gaps((rng.random(n_units - 1) < density).astype(int).tolist())

    scores = []
    for _ in range(n_documents):
        n_units = int(rng.integers(5, 30))
        reference = draw(n_units, 0.3)
        scores.append([metric(reference, draw(n_units, 0.3)) for _ in range(n_segmenters)])
    return scores


def counts_of(scores: list[list[Score]]) -> np.ndarray:
    """Return documents × segmenters × counts; all scores have one scale here."""
    assert len({score.scale for row in scores for score in row}) == 1
    return np.array([[score.counts for score in row] for row in scores], dtype=float)


def naive(scores: list[list[Score]], documents, segmenter: int) -> float:
    return float(sum(scores[d][segmenter] for d in documents))


@pytest.mark.parametrize("name", METRICS)
def test_bootstrap_equals_pooled_scores_of_the_same_draws(name):
    metric = cs.metric(name)
    scores = random_scores(metric, 1, 6, 3)
    counts = counts_of(scores)
    draws = np.random.default_rng(7).integers(6, size=(40, 6))
    expected = np.array([[naive(scores, draw, s) for s in range(3)] for draw in draws])
    found = bootstrap_values(metric, counts, n_resamples=40, rng=7)
    assert found == pytest.approx(expected, abs=1e-12)

    intervals = bootstrap_intervals(metric, counts, n_resamples=40, confidence=0.9, rng=7)
    # Hesterberg (2015): a normal interval as wide as Student's, with the variance over n − 1
    low = stats.norm.cdf(stats.t.ppf(0.05, 5) * math.sqrt(6 / 5))
    for s, interval in enumerate(intervals):
        assert interval.estimate == pytest.approx(naive(scores, range(6), s))
        assert (interval.low, interval.high) == pytest.approx(np.quantile(expected[:, s], [low, 1 - low]))
        assert interval.standard_error == pytest.approx(expected[:, s].std(ddof=1))

    report = paired_bootstrap(metric, counts, n_resamples=40, rng=7)
    for contrast, (i, j) in zip(report.contrasts, itertools.combinations(range(3), 2), strict=True):
        d = naive(scores, range(6), i) - naive(scores, range(6), j)
        as_extreme = sum(abs(e - d) >= abs(d) - 1e-9 for e in expected[:, i] - expected[:, j])
        assert contrast.p_value == pytest.approx((1 + as_extreme) / 41)
        assert contrast.difference == pytest.approx(d)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("seed", range(3))
def test_exact_randomization_equals_enumeration(name, seed):
    metric = cs.metric(name)
    scores = random_scores(metric, seed, 5, 2)
    observed = naive(scores, range(5), 0) - naive(scores, range(5), 1)
    as_extreme = 0
    for swaps in itertools.product((0, 1), repeat=5):
        first = float(sum(scores[d][swap] for d, swap in enumerate(swaps)))
        second = float(sum(scores[d][1 - swap] for d, swap in enumerate(swaps)))
        as_extreme += abs(first - second) >= abs(observed) - 1e-9
    report = randomization(metric, counts_of(scores), n_resamples=32)
    assert report.procedure == "exact randomization by document"
    assert report.contrasts[0].p_value == pytest.approx(as_extreme / 32)
    assert report.contrasts[0].difference == pytest.approx(observed)


def test_exact_randomization_counts_ties_as_exact_fractions_do():
    """Differences that are equal as fractions are equal here too, whatever the rounding of quotients."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        compared = rng.integers(1, 8, size=(7, 2))
        counts = np.stack((rng.integers(0, compared + 1), compared), axis=-1)
        (a, b), (c, d) = counts.sum(axis=0).tolist()
        observed = abs(Fraction(a, b) - Fraction(c, d))
        as_extreme = 0
        for swaps in itertools.product((0, 1), repeat=7):
            (a, b), (c, d) = (
                [int(counts[range(7), order, n].sum()) for n in (0, 1)]
                for order in (list(swaps), [1 - swap for swap in swaps])
            )
            as_extreme += abs(Fraction(a, b) - Fraction(c, d)) >= observed
        assert randomization(cs.metric("B"), counts).contrasts[0].p_value == as_extreme / 2**7


@pytest.mark.parametrize("seed", range(5))
def test_mean_of_documents_equals_scipy(seed):
    rng = np.random.default_rng(seed)
    values = np.round(rng.random((9, 2)), 1)
    expected = stats.permutation_test(
        (values[:, 0], values[:, 1]),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples",
        vectorized=True,
    )
    report = randomization(MEAN, mean_counts(values))
    assert report.contrasts[0].p_value == pytest.approx(expected.pvalue)
    assert report.contrasts[0].difference == pytest.approx(expected.statistic)


def test_bootstrap_interval_of_a_mean_is_close_to_scipy_where_documents_are_many():
    values = np.random.default_rng(3).random((400, 1))
    expected = stats.bootstrap((values[:, 0],), np.mean, method="percentile", n_resamples=20_000, rng=1)
    interval = bootstrap_intervals(MEAN, mean_counts(values), n_resamples=20_000, rng=2)[0]
    low, high = expected.confidence_interval
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.002)
    assert interval.standard_error == pytest.approx(expected.standard_error, rel=0.03)


def test_approximate_randomization_is_close_to_the_exact_one():
    counts = counts_of(random_scores(cs.metric("B"), 4, 12, 3))
    exact = randomization(cs.metric("B"), counts, n_resamples=4096, rng=1)
    sampled = randomization(cs.metric("B"), counts, n_resamples=4000, rng=1)
    assert sampled.procedure == "approximate randomization by document"
    for one, other in zip(exact.contrasts, sampled.contrasts, strict=True):
        error = math.sqrt(one.p_value * (1 - one.p_value) / 4000)
        assert other.p_value == pytest.approx(one.p_value, abs=4 * error + 1e-3)


def test_omnibus_permutation_is_close_to_enumeration():
    metric = cs.metric("B")
    scores = random_scores(metric, 2, 4, 3)
    observed = [naive(scores, range(4), s) for s in range(3)]
    largest = max(observed) - min(observed)
    orders = list(itertools.permutations(range(3)))
    as_extreme = []
    for chosen in itertools.product(orders, repeat=4):
        values = [float(sum(scores[d][order[s]] for d, order in enumerate(chosen))) for s in range(3)]
        as_extreme.append(max(values) - min(values) >= largest - 1e-9)
    expected = np.mean(as_extreme)
    omnibus = randomization(metric, counts_of(scores), n_resamples=8000, rng=5).omnibus
    assert omnibus.statistic == pytest.approx(largest)
    error = math.sqrt(expected * (1 - expected) / 8000)
    assert omnibus.p_value == pytest.approx(expected, abs=4 * error + 1e-3)


TESTS = {"paired_bootstrap": paired_bootstrap, "randomization": randomization}


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_a_seed_gives_the_same_output(test):
    counts = counts_of(random_scores(cs.metric("B"), 1, 30, 3))
    report = test(cs.metric("B"), counts, n_resamples=300, rng=9)
    assert test(cs.metric("B"), counts, n_resamples=300, rng=9) == report
    assert test(cs.metric("B"), counts, n_resamples=300, rng=np.random.default_rng(9)) == report
    assert test(cs.metric("B"), counts, n_resamples=300, rng=10) != report


@pytest.mark.parametrize("name", ["B", "GHD"])
def test_chunks_do_not_change_the_output(name, monkeypatch):
    metric = cs.metric(name)
    counts = counts_of(random_scores(metric, 1, 30, 3))
    whole = [test(metric, counts, n_resamples=300, rng=9) for test in TESTS.values()]
    intervals = bootstrap_intervals(metric, counts, n_resamples=300, rng=9)
    monkeypatch.setattr(resampling, "MAX_CELLS", 1000)
    assert [test(metric, counts, n_resamples=300, rng=9) for test in TESTS.values()] == whole
    assert bootstrap_intervals(metric, counts, n_resamples=300, rng=9) == intervals


THREADS = """
import numpy as np
from caesura.stats.resampling import bootstrap_intervals, randomization
class Mean:
    def fraction(self, counts):
        return counts[0], counts[1], float("nan")
values = np.random.default_rng(0).random((200, 4))  # floats: sums depend on their order
counts = np.stack((values, np.ones_like(values)), axis=-1)
print(bootstrap_intervals(Mean(), counts, n_resamples=2000, rng=1))
print(randomization(Mean(), counts, n_resamples=500, rng=1).numbers())
"""


@pytest.mark.exhaustive
def test_the_number_of_threads_does_not_change_the_output():
    outputs = set()
    for threads in ("1", "2", "4"):
        variables = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), threads)
        run = subprocess.run(
            [sys.executable, "-c", THREADS],
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_clear_cases(test):
    metric = cs.metric("B")
    rng = np.random.default_rng(0)
    weak = np.stack((rng.integers(0, 3, 40), np.full(40, 10)), axis=-1)
    strong = weak + np.array([6, 0])
    report = test(metric, np.stack((weak, strong, weak), axis=1), names=["weak", "strong", "same"], rng=1)
    p_values = {(c.first, c.second): c.p_value for c in report.contrasts}
    assert p_values["weak", "same"] == 1  # no difference at all
    assert p_values["weak", "strong"] == p_values["strong", "same"] == 1 / 10_000  # the least there is, not 0
    assert [c.effect for c in report.contrasts] == [-1, 0, 1]
    assert [c.adjusted_p for c in report.contrasts] == pytest.approx([3e-4, 1, 3e-4])
    assert {(c.first, c.second) for c in report.significant} == {("weak", "strong"), ("strong", "same")}
    json.dumps(report.to_dict())


@given(st.integers(0, 20), st.integers(2, 4), st.integers(0, 10**6))
def test_any_counts_give_an_answer_or_a_reason(n_documents, n_segmenters, seed):
    rng = np.random.default_rng(seed)
    compared = rng.integers(0, 4, size=(n_documents, n_segmenters))
    counts = np.stack((rng.integers(0, compared + 1), compared), axis=-1)
    for test in TESTS.values():
        report = test(cs.metric("B"), counts, n_resamples=50, rng=seed)
        assert report.subjects == n_documents
        for contrast in report.contrasts:
            if math.isnan(contrast.p_value):
                assert report.remarks[0].endswith("documents")
            else:
                assert 0 < contrast.p_value <= contrast.adjusted_p <= 1
    intervals = bootstrap_intervals(cs.metric("B"), counts, n_resamples=50, rng=seed)
    assert all(i.low <= i.high or n_documents < 2 for i in intervals)


def test_one_document_has_no_interval_and_nothing_to_find():
    counts = [[[1, 4], [3, 4]]]
    first, _ = bootstrap_intervals(cs.metric("B"), counts)
    assert math.isnan(first.low)
    assert first.estimate == 0.25
    assert randomization(cs.metric("B"), counts).p_value == 1
    assert math.isnan(paired_bootstrap(cs.metric("B"), counts).p_value)


def test_an_infinite_value_does_not_pass_for_a_difference():
    """The density ratio is infinite where only the hypothesis has boundaries: nothing can be said."""
    counts = [[[2, 0], [3, 0]], [[1, 0], [0, 0]], [[1, 0], [2, 0]]]
    report = randomization(cs.metric("Density"), counts)
    assert math.isnan(report.contrasts[0].p_value)
    assert not report.significant
    mixed = np.array([*counts, [[1, 1], [1, 2]]])
    assert 0 < paired_bootstrap(cs.metric("Density"), mixed, n_resamples=99, rng=1).p_value <= 1
    assert math.isnan(bootstrap_intervals(cs.metric("Density"), mixed, n_resamples=99, rng=1)[0].low)


def test_progress_is_told_up_to_the_end():
    counts = counts_of(random_scores(cs.metric("B"), 1, 30, 3))
    for call in (bootstrap_intervals, paired_bootstrap, randomization):
        told: list[tuple[int, int]] = []
        call(cs.metric("B"), counts, n_resamples=200, rng=1, progress=lambda *at, told=told: told.append(at))
        assert told == sorted(told)
        assert len({total for _, total in told}) == 1
        assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda b: randomization(b, [[1, 2], [1, 2]]),
            r"documents × segmenters × counts, got shape \(2, 2\)",
        ),
        (lambda b: randomization(b, [[[1, 2]]]), "at least two segmenters"),
        (
            lambda b: randomization(b, [[[1, math.nan], [1, 2]]]),
            "document 0, segmenter 0: a count is not finite",
        ),
        (lambda b: randomization(b, [[[1, 2], [1, 2]]], names=["a"]), "2 segmenters but 1 names"),
        (lambda b: paired_bootstrap(b, [[[1, 2], [1, 2]]], n_resamples=0), "n_resamples is 0"),
        (lambda b: bootstrap_intervals(b, [[[1, 2]]], confidence=95), "confidence is 95"),
    ],
)
def test_wrong_input_is_refused(call, words):
    with pytest.raises(ParameterError, match=words):
        call(cs.metric("B"))


def test_pooled_is_the_micro_average():
    metric = cs.metric("WD")
    scores = random_scores(metric, 0, 5, 2)
    assert pooled(metric, counts_of(scores).sum(axis=0)) == pytest.approx(
        [naive(scores, range(5), 0), naive(scores, range(5), 1)]
    )

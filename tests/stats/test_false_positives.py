"""Equally good segmenters are called different at a rate of about α by the default test, not by all others.

The simulation is that of ``benchmarks/false_positives.py``, which measures every test over 1,000 simulations.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from caesura.stats.choosing import PROCEDURES
from caesura.stats.resampling import randomization

pytestmark = pytest.mark.exhaustive

N = 200
ALPHA = 0.05
# So many of N may be wrong by chance (two-sided, 1 in 1,000 runs has more or fewer).
FEWEST, MOST = stats.binom.ppf([0.0005, 0.9995], N, ALPHA)


def load_benchmark():
    path = Path(__file__).parents[2] / "benchmarks" / "false_positives.py"
    spec = importlib.util.spec_from_file_location("false_positives", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for their module there
    spec.loader.exec_module(module)
    return module


benchmark = load_benchmark()


@pytest.fixture(scope="module")
def simulations():
    """Documents of varying difficulty, three coders: boundary pairs of a document are correlated."""
    setting = benchmark.SETTINGS[2]
    return [benchmark.simulate(setting, np.random.default_rng([2, number])) for number in range(N)]


@pytest.mark.parametrize("k", [2, 3])
def test_randomization_by_document_holds_its_alpha(simulations, k):
    reports = [
        randomization(benchmark.METRIC, simulation.counts[:, :k], n_resamples=199, rng=number)
        for number, simulation in enumerate(simulations)
    ]
    assert FEWEST <= sum(report.p_value < ALPHA for report in reports) <= MOST
    assert sum(bool(report.significant) for report in reports) <= MOST


@pytest.mark.parametrize("name", ["wilcoxon", "paired_t", "friedman", "rm_anova"])
def test_documents_as_subjects_hold_their_alpha(simulations, name):
    assert FEWEST <= count_wrong(simulations, name, "documents") <= MOST


@pytest.mark.parametrize("name", ["wilcoxon", "friedman", "mann_whitney", "kruskal_wallis", "anova"])
def test_subjects_that_depend_on_each_other_do_not(simulations, name):
    subjects = "codings" if PROCEDURES[name].design == "within" else "pairs"
    assert count_wrong(simulations, name, subjects) > MOST


def count_wrong(simulations, name: str, subjects: str) -> int:
    procedure = PROCEDURES[name]
    k = 2 if procedure.is_for_two else 3
    wrong = 0
    for simulation in simulations:
        values = getattr(simulation, subjects)
        samples = values if subjects == "pairs" else list(values.T)
        wrong += procedure.omnibus(samples[:k]).p_value < ALPHA
    return wrong


def test_a_simulation_is_what_its_seed_says():
    simulation, again = (
        benchmark.simulate(benchmark.SETTINGS[2], np.random.default_rng(1)) for _ in range(2)
    )
    assert (simulation.counts == again.counts).all()
    assert list(benchmark.called_different(simulation, 99, 3)) == list(
        benchmark.called_different(again, 99, 3)
    )
    # The mean correctness of all pairs is the pooled value: counts and pairs tell the same story.
    totals = simulation.counts.sum(axis=0)
    means = [pairs.mean() for pairs in simulation.pairs]
    assert means == pytest.approx((totals[:, 0] / totals[:, 1]).tolist())
    assert simulation.codings.shape == (60, 3)


@pytest.mark.parametrize(("n_segmenters", "n"), [(10, 200), (20, 150)])
def test_equally_good_segmenters_are_called_different_at_a_rate_of_alpha(monkeypatch, n_segmenters, n):
    monkeypatch.setattr(benchmark, "POINTS", [benchmark.Point(n_segmenters, 20, 0.0)])
    ((together, pairs, *_),) = benchmark.measure_curves(n, 5, points=[0]).values()
    margin = 3.3 * math.sqrt(0.05 * 0.95 / n)
    assert abs(together - 0.05) <= margin
    assert pairs <= 0.05 + margin

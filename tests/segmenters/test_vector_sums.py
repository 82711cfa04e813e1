"""CVS and KernelCPD. Sources of truth: brute force over all segmentations, and the definitions written out.

KernelCPD is the ruptures package's, too, where that is installed.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from caesura.errors import ParameterError
from caesura.segmenters.registry import SEGMENTERS, segmenter
from caesura.segmenters.similarities import products_of_vectors
from caesura.segmenters.vector_sums import RandomCuts, random_penalty, squared_sums


def length_of_sum(rows):
    return math.sqrt(float(sum(rows) @ sum(rows)))


COSTS = {
    "CVS": lambda rows: -length_of_sum(rows),
    "KernelCPD": lambda rows: len(rows) - length_of_sum(rows) ** 2 / len(rows),
}
"""What one segment costs, by the papers."""

EVERY = pytest.mark.parametrize("name", list(COSTS))


def all_segmentations(n_units, n_segments=None, longest=None):
    """Return the bounds of all segmentations."""
    gaps = range(1, n_units)
    numbers = range(n_units) if n_segments is None else [n_segments - 1]
    every = [[0, *chosen, n_units] for number in numbers for chosen in itertools.combinations(gaps, number)]
    return [bounds for bounds in every if longest is None or max(np.diff(bounds)) <= longest]


def cost_of(name, rows, bounds):
    return sum(COSTS[name](rows[start:end]) for start, end in itertools.pairwise(bounds))


def scaled(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(lengths > 0, rows / np.where(lengths > 0, lengths, 1), 0)


def rows_of(seed, n_units):
    """Return vectors of two topics, one of them zeros."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_units, 4)) * rng.uniform(0.1, 9, (n_units, 1))
    rows[: n_units // 2, 0] += 3
    rows[seed % n_units] = 0
    return rows


@EVERY
@pytest.mark.parametrize("longest", [None, 4])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_segmentations_into_so_many(name, longest, seed):
    rows = rows_of(seed, n_units := 8 + seed % 3)
    made = SEGMENTERS[name](vectors=rows, max_segment=longest)
    for n_segments in range(1 if longest is None else 3, n_units + 1):
        every = all_segmentations(n_units, n_segments, longest)
        least = min(cost_of(name, scaled(rows), bounds) for bounds in every)
        assert made.least([""] * n_units, n_segments) == pytest.approx(least, abs=1e-9)
        chosen = made([""] * n_units, n_segments)
        assert chosen.n_segments == n_segments
        bounds = [0, *chosen.positions, n_units]
        assert cost_of(name, scaled(rows), bounds) == pytest.approx(least, abs=1e-9)


@EVERY
@pytest.mark.parametrize("penalty", [0.0, 0.05, 0.4, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_all_segmentations_with_a_penalty(name, penalty, seed):
    rows = rows_of(seed, 9)
    made = SEGMENTERS[name](vectors=rows, penalty=penalty)
    least = min(
        cost_of(name, scaled(rows), bounds) + penalty * (len(bounds) - 1) for bounds in all_segmentations(9)
    )
    assert made.least([""] * 9) == pytest.approx(least, abs=1e-9)
    bounds = [0, *made([""] * 9).positions, 9]
    assert cost_of(name, scaled(rows), bounds) + penalty * (len(bounds) - 1) == pytest.approx(least, abs=1e-9)


def columns_of(name, rows, longest=None):
    """Return the values of segments as the programmes take them."""
    cls = SEGMENTERS[name]()
    squares = squared_sums(products_of_vectors(scaled(rows)), longest or len(rows))
    return [cls.values(column, np.arange(len(column), 0, -1)) for column in squares]


@pytest.mark.parametrize("longest", [1, 3, 600])
def test_squared_sums_are_those_of_plain_sums(longest):
    rows = np.random.default_rng(0).normal(size=(600, 3))
    for end, column in enumerate(squared_sums(products_of_vectors(rows), longest), start=1):
        if end % 97 == 0 or end < 5:
            first = max(0, end - longest)
            plain = [np.sum(rows[start:end].sum(axis=0) ** 2) for start in range(first, end)]
            assert column == pytest.approx(np.array(plain))


@EVERY
@pytest.mark.parametrize("n_units", [2, 3, 9])
def test_random_cuts_have_the_mean_of_all_segmentations(name, n_units):
    rows = rows_of(1, n_units)
    chance = RandomCuts(columns_of(name, rows))
    constant = float(cost_of(name, scaled(rows), range(n_units + 1)))
    whole = chance.mean(n_units)
    for n_segments in range(1, n_units + 1):
        costs = [cost_of(name, scaled(rows), bounds) for bounds in all_segmentations(n_units, n_segments)]
        assert whole - chance.mean(n_segments) == pytest.approx(np.mean(costs) - constant, abs=1e-9)


@EVERY
@pytest.mark.parametrize("seed", range(5))
def test_the_number_is_where_the_best_cut_gains_less_than_a_random_one(name, seed):
    """The best segmentations and the mean ones, from all segmentations of a small document."""
    rows = scaled(rows_of(seed, 10))
    costs = [
        [cost_of(name, rows, bounds) for bounds in all_segmentations(10, number)] for number in range(1, 11)
    ]
    penalty = random_penalty(columns_of(name, rows))
    by_number = [min(each) + penalty * number for number, each in enumerate(costs, start=1)]
    number = 1 + int(np.argmin(by_number))
    assert SEGMENTERS[name](vectors=rows)([""] * 10).n_segments == number
    gains = -np.diff([np.mean(each) for each in costs])
    # The best segmentations whose number a penalty can choose are those on the convex hull of costs.
    if number < 10:
        assert penalty >= gains[number - 1] - 1e-6
    fewer = [by_number[k] for k in range(number - 1)]
    assert not fewer or min(fewer) >= by_number[number - 1] - 1e-9


@EVERY
def test_alike_units_are_one_segment(name):
    assert SEGMENTERS[name](vectors=[[1.0, 2.0]] * 30)([""] * 30).masses == (30,)
    assert SEGMENTERS[name](vectors=[[0.0, 0.0]] * 30)([""] * 30).masses == (30,)


@EVERY
def test_vectors_are_scaled(name):
    rows = rows_of(3, 12)
    longer = rows * np.random.default_rng(0).uniform(1e-200, 1e200, (12, 1))
    for n_segments in (None, 4):
        made = [SEGMENTERS[name](vectors=each)([""] * 12, n_segments) for each in (rows, longer)]
        assert made[0] == made[1]


@EVERY
def test_a_bound_as_long_as_the_document_changes_nothing(name):
    rows = rows_of(2, 15)
    for n_segments in (None, 3):
        bounded = SEGMENTERS[name](vectors=rows, max_segment=15)([""] * 15, n_segments)
        assert bounded == SEGMENTERS[name](vectors=rows)([""] * 15, n_segments)
    assert max(SEGMENTERS[name](vectors=rows, max_segment=4)([""] * 15).masses) <= 4


@EVERY
def test_what_does_not_fit_is_refused(name):
    with pytest.raises(
        ParameterError, match="do not cover 15 units: take more segments, or a greater max_segment"
    ):
        SEGMENTERS[name](max_segment=4)(["a"] * 15, 3)
    with pytest.raises(ParameterError, match=rf"50,000 units take 10.* GB .* {name}\(max_segment=500\)"):
        SEGMENTERS[name]()(["a"] * 50_000)
    for wrong in ("elbow", -1, float("inf"), True):
        with pytest.raises(ParameterError, match="penalty is"):
            segmenter(name, penalty=wrong)


@pytest.mark.parametrize("n_segments", [2, 5, 12])
@pytest.mark.parametrize("seed", range(3))
def test_kernel_cpd_is_that_of_ruptures(n_segments, seed):
    ruptures = pytest.importorskip("ruptures", reason="ruptures is not installed")
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(120, 6)) + np.repeat(rng.normal(size=(8, 6)), 15, axis=0)
    chosen = SEGMENTERS["KernelCPD"](vectors=rows)([""] * 120, n_segments)
    theirs = ruptures.KernelCPD(kernel="linear", min_size=1).fit(scaled(rows)).predict(n_bkps=n_segments - 1)
    assert [*chosen.positions, 120] == theirs


def test_kernel_cpd_costs_squared_distances_to_the_means():
    rows = scaled(rows_of(0, 20)) + 0.0
    rows[0] = [1, 0, 0, 0]  # a row of zeros has the squared length 0, not 1
    chosen = SEGMENTERS["KernelCPD"](vectors=rows)([""] * 20, 4)
    bounds = [0, *chosen.positions, 20]
    parts = [rows[start:end] for start, end in itertools.pairwise(bounds)]
    distances = sum(float(((part - part.mean(axis=0)) ** 2).sum()) for part in parts)
    assert SEGMENTERS["KernelCPD"](vectors=rows).least([""] * 20, 4) == pytest.approx(distances)

"""Exact sums. Source of truth: Python's integers and fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.kernel import resampling_python
from caesura.sums.tallies import (
    FIXED,
    Tally,
    column_sums,
    exact_ratios,
    resampled_sums,
    square_sum,
    whole,
)

int64s = st.integers(-(2**63) + 1, 2**63 - 1)
values = st.floats(0, 1) | st.floats(0, 1e9)


@given(st.lists(st.tuples(int64s, int64s), min_size=1, max_size=30))
def test_sums_of_columns(rows):
    expected = tuple(map(sum, zip(*rows, strict=True)))
    assert column_sums(np.array(rows, dtype=np.int64)) == expected
    assert column_sums(np.array(rows, dtype=object)) == expected


def test_sums_of_many_large_rows():
    rows = np.full((10_000, 1), 2**60)
    assert column_sums(rows) == (10_000 * 2**60,)


@given(st.lists(st.integers(-(2**51), 2**51) | int64s, max_size=30))
def test_sums_of_squares(numbers):
    assert square_sum(np.array(numbers, dtype=np.int64)) == sum(n * n for n in numbers)


def test_sums_of_squares_over_blocks():
    numbers = np.full(20_000, 2**50)
    assert square_sum(numbers) == 20_000 * 2**100


@given(st.lists(values, max_size=20))
def test_floats_are_rounded_once(numbers):
    found, scale = whole(np.array(numbers, dtype=np.float64)[:, np.newaxis], 1)
    assert scale == FIXED
    for number, one in zip(numbers, found[:, 0].tolist(), strict=True):
        assert abs(Fraction(number) * FIXED - one) <= Fraction(1, 2)


@given(st.lists(values, min_size=2, max_size=40))
def test_means_and_standard_errors(numbers):
    table = np.array(numbers)
    tally = Tally.of(np.zeros((len(table), 1), dtype=np.int64), 1, table)
    rounded = [Fraction(round(Fraction(number) * FIXED), FIXED) for number in numbers]
    mean = sum(rounded) / len(rounded)
    variance = sum((one - mean) ** 2 for one in rounded) / (len(rounded) - 1)
    assert tally.mean == float(mean)
    assert tally.standard_error == pytest.approx(math.sqrt(variance / len(rounded)), rel=1e-12, abs=1e-300)


@given(st.lists(values, min_size=1, max_size=30), st.integers(0, 30), st.integers(1, 6), st.integers(1, 6))
def test_tallies_of_parts_are_those_of_the_whole(numbers, cut, one_scale, other_scale):
    cut = min(cut, len(numbers))
    rows = np.arange(len(numbers) * 2).reshape(-1, 2)
    scale = math.lcm(one_scale, other_scale)
    sums = Tally.of(rows * scale, scale, np.array(numbers))
    parts = [
        Tally.of(rows[part] * own, own, np.array(numbers[part]))
        for part, own in ((slice(cut), one_scale), (slice(cut, None), other_scale))
    ]
    total = parts[0] + parts[1]
    for name in ("counts", "scale", "n", "values", "squares"):
        assert getattr(total, name) == getattr(sums, name)
    assert (total.mean, str(total.standard_error)) == (sums.mean, str(sums.standard_error))


def test_infinite_values_have_no_sum():
    tally = Tally.of(np.zeros((3, 1), dtype=np.int64), 1, np.array([0.5, math.inf, 1.0]))
    assert (tally.n, tally.n_infinite, tally.mean) == (3, 1, math.inf)
    assert math.isnan(tally.standard_error)


def test_no_values_have_no_mean():
    assert math.isnan(Tally((0,)).mean)


@pytest.mark.parametrize("greatest", [10, 2**15, 2**40, 2**62])
def test_resampled_sums_of_counts_of_any_size(greatest):
    generator = np.random.default_rng(4)
    hashes = generator.integers(2**64, size=300, dtype=np.uint64)
    rows = generator.integers(-greatest, greatest, size=(300, 2), dtype=np.int64)
    rows[0], rows[1] = greatest, -greatest
    weights = resampling_python.poisson_weights(9, hashes, 10).tolist()
    expected = [
        [sum(w[b] * row[c] for w, row in zip(weights, rows.tolist(), strict=True)) for c in range(2)]
        for b in range(10)
    ]
    assert resampled_sums(9, hashes, rows, 10).tolist() == expected
    assert resampled_sums(9, hashes, rows.astype(object) * 2**70, 10).tolist() == [
        [one * 2**70 for one in row] for row in expected
    ]


def test_quotients_of_large_numbers_are_rounded_once():
    numerator = np.array([2**80 + 1, 5, 0], dtype=object)
    denominator = np.array([2**81, 0, 0], dtype=object)
    assert exact_ratios(numerator, denominator, 1.0).tolist() == [0.5, 1.0, 1.0]

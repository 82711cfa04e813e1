"""Checks of parameters: what they take, and that they refuse the rest in one line that names everything.

Source of truth: the issue's list of raw errors (a seed of -1, 10.5 resamples, a confidence of 1), and NumPy
for the numbers that a seed gives.
"""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from caesura.checks import as_generator, check_number, check_resamples, check_share
from caesura.errors import ParameterError


def refusal(check, *values):
    with pytest.raises(ParameterError) as caught:
        check(*values)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 200
    assert caught.value.__cause__ is None
    return message


NO_SEEDS = [-1, np.int64(-1), 1.5, 1.0, np.float64(2), math.nan, "x", "1", b"1", True, False, np.True_]
NO_SEEDS += [
    [1, 2],
    (1,),
    {},
    {1},
    np.array([1, 2]),
    object(),
    np.random,
    np.random.RandomState(1),
    "9" * 10**5,
]


@pytest.mark.parametrize("rng", NO_SEEDS, ids=lambda value: repr(value)[:20])
def test_what_is_no_seed_is_refused(rng):
    message = refusal(as_generator, rng)
    assert message.startswith("rng is ")
    assert repr(rng)[:20] in message
    assert "whole number from 0 on, a Generator or None" in message


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), np.uint8(7), 2**100])
def test_a_seed_gives_the_numbers_of_numpy(seed):
    expected = np.random.default_rng(int(seed)).random(3)
    assert as_generator(seed).random(3).tolist() == expected.tolist()


def test_a_generator_is_taken_as_it_is():
    generator = np.random.default_rng(1)
    assert as_generator(generator) is generator


def test_no_seed_is_fresh_randomness():
    assert as_generator(None).random(4).tolist() != as_generator(None).random(4).tolist()


@pytest.mark.parametrize("share", [1e-300, 0.05, 0.95, np.float64(0.5), np.float32(0.5), Fraction(1, 2)])
def test_a_share_lies_between_0_and_1(share):
    found = check_share("confidence", share)
    assert type(found) is float
    assert found == share


NO_SHARES = [0, 1, 0.0, 1.0, -0.5, 1.5, 95, math.nan, math.inf, -math.inf]
NO_SHARES += [True, False, None, "0.95", "95%", [0.95], np.array([0.5]), 0.5j, Decimal("0.5")]


@pytest.mark.parametrize("share", NO_SHARES, ids=repr)
@pytest.mark.parametrize("name", ["confidence", "alpha"])
def test_what_is_no_share_is_refused(name, share):
    message = refusal(check_share, name, share)
    assert message.startswith(f"{name} is {share!r}: expected a number between 0 and 1")


@pytest.mark.parametrize("number", [0, 1, 9999, np.int64(99), 10**7])
def test_a_number_of_resamples_is_whole(number):
    found = check_resamples("n_resamples", number)
    assert type(found) is int
    assert found == number


@pytest.mark.parametrize(
    "number", [-1, 10.5, 10.0, "10", None, True, math.nan, [10], 10**7 + 1, 2**60], ids=repr
)
def test_what_is_no_number_of_resamples_is_refused(number):
    assert refusal(check_resamples, "n_resamples", number).startswith(f"n_resamples is {number!r}: expected")


def test_a_test_may_need_one_resample_at_least():
    assert check_resamples("n_resamples", 1, 1) == 1
    assert "from 1" in refusal(check_resamples, "n_resamples", 0, 1)


@pytest.mark.parametrize("value", [10**400, -(10**400), Fraction(10**400), math.inf, math.nan])
def test_a_number_that_no_float_can_hold_is_refused(value):
    assert refusal(check_number, "beta", value).startswith("beta is ")

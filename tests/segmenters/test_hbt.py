"""HBT. Sources of truth: Dirichlet compound multinomials by lgamma, brute force over nested segmentations."""

from __future__ import annotations

import itertools
import math
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import ParameterError
from caesura.segmenters.hbt import (
    HBT,
    log_likelihoods,
    nested_tilings,
    settled_tilings,
    with_lengths,
)
from caesura.segmenters.least_cost import log_durations
from caesura.segmenters.text import count_terms

from .word_errors import choi_pk

documents = st.lists(st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join), min_size=1, max_size=9)


def positions(n_units: int):
    for number in range(n_units):
        yield from itertools.combinations(range(1, n_units), number)


def value_of(values: np.ndarray, cuts: tuple[int, ...]) -> float:
    return sum(values[a, b - a - 1] for a, b in itertools.pairwise([0, *cuts, len(values)]))


@pytest.mark.parametrize("n_levels", [1, 2, 3])
@pytest.mark.parametrize("n_segments", [None, 1, 3, 5])
def test_greatest_among_all_nested_segmentations(n_levels, n_segments):
    rng = np.random.default_rng(n_levels)
    n = 5
    values = [rng.random((n, n)) * 4 - 2.5 for _ in range(n_levels)]
    best = -math.inf
    for levels in itertools.product(positions(n), repeat=n_levels):
        nests = all(set(one) <= set(other) for one, other in itertools.pairwise(levels))
        if nests and n_segments in (None, len(levels[-1]) + 1):
            best = max(best, sum(map(value_of, values, levels)))
    found = [tuple(one.tolist()) for one in nested_tilings(values, n, n_segments)]
    assert all(set(one) <= set(other) for one, other in itertools.pairwise(found))
    assert sum(map(value_of, values, found)) == pytest.approx(best)


@pytest.mark.parametrize("n_segments", [None, 6])
def test_levels_that_are_settled_one_after_another(n_segments):
    """The finest is the best by itself, the one above it the best of its boundaries (brute force)."""
    rng = np.random.default_rng(3)
    n, number = 8, 3
    fine, coarse = (rng.random((n, n)) * 4 - 2.5 for _ in range(2))
    found = settled_tilings([coarse, fine], [number, 6], n_segments)
    assert set(found[0].tolist()) <= set(found[1].tolist())
    assert len(found[0]) + 1 <= number
    best = [
        max(value_of(values, cuts) for cuts in among if len(cuts) == len(level))
        for values, among, level in (
            (coarse, [cuts for cuts in positions(n) if set(cuts) <= set(found[1].tolist())], found[0]),
            (fine, list(positions(n)), found[1]),
        )
    ]
    assert best == pytest.approx([value_of(coarse, found[0].tolist()), value_of(fine, found[1].tolist())])


def plain_likelihood(tokens: dict[str, float], n_types: int, beta: float) -> float:
    total = math.lgamma(n_types * beta) - math.lgamma(n_types * beta + sum(tokens.values()))
    return total + sum(math.lgamma(n + beta) - math.lgamma(beta) for n in tokens.values())


@given(documents, st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_likelihoods_are_those_of_the_definition(units, seed, width):
    counts = count_terms(units, str.split)
    weights = counts.weights * np.random.default_rng(seed).random(len(counts.terms))
    found = log_likelihoods(counts, weights, 0.2, width)
    for start, m in np.ndindex(*found.shape):
        if start + m + 1 > len(units):
            assert found[start, m] == -np.inf
            continue
        tokens: dict[str, float] = {}
        for entry in range(counts.offsets[start], counts.offsets[start + m + 1]):
            term = counts.vocabulary[counts.terms[entry]]
            tokens[term] = tokens.get(term, 0.0) + weights[entry]
        wanted = plain_likelihood(tokens, max(counts.n_terms, 1), 0.2)
        assert found[start, m] == pytest.approx(wanted, abs=1e-8)


def test_durations_are_probabilities_with_the_mean():
    for mean, shape in ((5.0, 1.0), (12.0, 4.0)):
        probabilities = np.exp(log_durations(2000, mean, shape))
        assert probabilities.sum() == pytest.approx(1.0)
        assert probabilities @ np.arange(1, 2001) == pytest.approx(mean)


@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_a_level_has_no_more_segments_than_its_lengths_say(n_units, number, seed):
    values = np.random.default_rng(seed).random((n_units, n_units))
    for start in range(n_units):
        values[start, n_units - start :] = -np.inf
    priced = with_lengths([values], [number])
    assert len(nested_tilings(priced, n_units, None)[0]) + 1 <= number


@given(documents, st.integers(1, 9))
def test_levels_nest_and_the_finest_has_the_number(units, n_segments):
    levels = HBT(words=str.split, levels=3, growth=2.0).nested(units, min(n_segments, len(units)))
    assert len(levels) == 3
    assert all(set(one) <= set(other) for one, other in itertools.pairwise(map(np.ndarray.tolist, levels)))
    assert len(levels[-1]) + 1 == min(n_segments, len(units))


def test_one_level_with_the_number_known_is_likeliest():
    """Brute force over all segmentations of one level, with the same lengths."""
    units = ["a a b", "a b", "b a", "c c d", "d c", "c d e", "e f", "f f e"]
    counts = count_terms(units, str.split)
    values = log_likelihoods(counts, counts.weights, 0.2, 8) + log_durations(8, 8 / 3, 5.0)
    best = max((cuts for cuts in positions(8) if len(cuts) == 2), key=lambda cuts: value_of(values, cuts))
    assert HBT(levels=1, words=str.split)(units, 3).positions == best


def test_two_levels_of_topics_are_found():
    """Half the words of a unit are of its coarse topic, half of its fine one."""
    rng = np.random.default_rng(7)
    units = [
        " ".join([*rng.choice(coarse, 6), *rng.choice(fine, 6)])
        for coarse, fines in ((list("abc"), ("uv", "wx", "yz")), (list("def"), ("gh", "ij", "kl")))
        for fine in map(list, fines)
        for _ in range(6)
    ]
    hierarchy = HBT(words=str.split, length=6.0, growth=3.0).hierarchy(units)
    assert hierarchy.level(1).masses == (18, 18)
    assert hierarchy.up_to(2).masses == (6,) * 6


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="take more segments, or a greater longest"):
        HBT(longest=2)(["cat"] * 9, 3)
    with pytest.raises(ParameterError, match=r"100,000 units take .* GB of memory; HBT\(longest=100\)"):
        HBT()(["cat"] * 100_000, 2)


@pytest.mark.exhaustive
def test_levels_do_not_hurt_on_choi(choi):
    """No published value is at hand; BayesSeg, which is one level, is what it has to keep up with."""
    judged = choi[::10]
    values = [
        fmean(choi_pk(one.masses, HBT(levels=n)(one.units, 10).masses, one.n_words) for one in judged)
        for n in (1, 2)
    ]
    assert values[1] <= values[0] + 0.01
    assert values[1] < 0.1

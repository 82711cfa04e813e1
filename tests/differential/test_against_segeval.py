"""Source of truth: segeval 2.0.11, by the author of boundary edit distance, wherever it is right.

It takes the hypothesis first in the window metrics and raises where neither side has a boundary; where it is
wrong, test_segeval_bugs.py has the right answers.
"""

import math
import random
import warnings
from collections import Counter
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from itertools import pairwise

import pytest

import caesura as cs
from caesura import Segmentation

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)  # its `is 0`, whenever Python compiles it
    import segeval
    import segeval.data  # its metrics import this when first called
    from segeval.similarity.weight import weight_a, weight_s, weight_t

SETS = segeval.BoundaryFormat.sets
UNWEIGHTED = (weight_a, weight_s, weight_t)
DENSITIES = (0.03, 0.1, 0.3, 0.6, 0.95)


def same(theirs, ours):
    return math.isclose(float(theirs), ours, rel_tol=0, abs_tol=1e-12)


def masses(positions, n_units):
    edges = [0, *sorted(positions), n_units]
    return [end - start for start, end in pairwise(edges)]


def random_positions(rng, n_units, density):
    return {p for p in range(1, n_units) if rng.random() < density}


def jittered(rng, positions, n_units):
    """What a fair segmenter would do: some boundaries missing, some a few units off, some added."""
    moved = {p + rng.choice((-3, -2, -1, -1, 0, 0, 0, 1, 1, 2, 3)) for p in positions if rng.random() < 0.9}
    return {p for p in moved | random_positions(rng, n_units, 0.03) if 0 < p < n_units}


def mass_pairs(seed, n_pairs, least_units):
    rng = random.Random(seed)
    for _ in range(n_pairs):
        n_units = rng.randint(least_units, 60)
        ref = random_positions(rng, n_units, rng.choice(DENSITIES))
        if rng.random() < 0.6:
            hyp = jittered(rng, ref, n_units)
        else:
            hyp = random_positions(rng, n_units, rng.choice(DENSITIES))
        yield rng, masses(ref, n_units), masses(hyp, n_units)


def set_pairs(seed, n_pairs):
    """Pairs of boundary strings with few types, at least one boundary in all."""
    rng = random.Random(seed)
    for _ in range(n_pairs):
        n_positions, n_types, density = rng.randint(1, 25), rng.randint(2, 4), rng.choice((0.1, 0.25, 0.5))
        pair = [
            tuple(
                frozenset(t for t in range(1, n_types + 1) if rng.random() < density)
                for _ in range(n_positions)
            )
            for _ in "ab"
        ]
        if any(map(any, pair)):
            yield rng, *pair


def their_edits(a, b, n_t):
    additions, substitutions, transpositions = segeval.boundary_edit_distance(a, b, n_t=n_t)
    return (
        Counter((kind, {"a": "reference", "b": "hypothesis"}[side]) for kind, side in additions),
        Counter(map(tuple, substitutions)),
        Counter((start + 1, end + 1, kind) for start, end, kind in transpositions),
    )


def our_edits(a, b, n_t):
    alignment = cs.align(a, b, n_t=n_t)
    return (
        Counter((edit.type, edit.side) for edit in alignment.additions),
        Counter((edit.reference_type, edit.hypothesis_type) for edit in alignment.substitutions),
        Counter((edit.start, edit.end, edit.type) for edit in alignment.transpositions),
    )


# -------------------------------------------------------------------- boundary edit distance


@pytest.mark.parametrize("n_t", range(2, 7))
def test_edits_of_one_type(n_t):
    for _, a, b in mass_pairs(seed=n_t, n_pairs=600, least_units=2):
        strings = segeval.boundary_string_from_masses(a), segeval.boundary_string_from_masses(b)
        assert our_edits(a, b, n_t) == their_edits(*strings, n_t), (a, b)


@pytest.mark.parametrize("n_t", range(2, 7))
def test_b_and_s_of_one_type(n_t):
    for _, a, b in mass_pairs(seed=10 + n_t, n_pairs=600, least_units=2):
        if len(a) == len(b) == 1:
            continue
        assert same(segeval.boundary_similarity(a, b, n_t=n_t), cs.boundary_similarity(a, b, n_t=n_t)), (a, b)
        theirs = segeval.segmentation_similarity(a, b, n_t=n_t)
        assert same(theirs, cs.segmentation_similarity(a, b, n_t=n_t)), (a, b)


@pytest.mark.parametrize("n_t", range(2, 7))
def test_edits_and_b_of_several_types(n_t):
    for _, a, b in set_pairs(seed=20 + n_t, n_pairs=400):
        ref, hyp = Segmentation.from_sets(a), Segmentation.from_sets(b)
        assert our_edits(ref, hyp, n_t) == their_edits(a, b, n_t), (a, b)
        theirs = segeval.boundary_similarity(a, b, n_t=n_t, boundary_format=SETS)
        assert same(theirs, cs.boundary_similarity(ref, hyp, n_t=n_t)), (a, b)


def test_constant_weights():
    for rng, a, b in set_pairs(seed=30, n_pairs=600):
        n_t = rng.randint(2, 6)
        theirs = segeval.boundary_similarity(a, b, n_t=n_t, boundary_format=SETS, weight=UNWEIGHTED)
        ref, hyp = Segmentation.from_sets(a), Segmentation.from_sets(b)
        ours = cs.boundary_similarity(ref, hyp, n_t=n_t, transposition="constant", substitution="constant")
        assert same(theirs, ours), (a, b)


def test_one_minus_b_and_s():
    for rng, a, b in mass_pairs(seed=40, n_pairs=300, least_units=2):
        if len(a) == len(b) == 1:
            continue
        n_t = rng.randint(2, 6)
        theirs = segeval.boundary_similarity(a, b, n_t=n_t, one_minus=True)
        assert same(theirs, 1 - cs.boundary_similarity(a, b, n_t=n_t)), (a, b)
        theirs = segeval.segmentation_similarity(a, b, n_t=n_t, one_minus=True)
        assert same(theirs, 1 - cs.segmentation_similarity(a, b, n_t=n_t)), (a, b)


def test_matches_and_boundaries():
    for _, a, b in set_pairs(seed=50, n_pairs=300):
        statistics = segeval.boundary_statistics(a, b, boundary_format=SETS)
        ref, hyp = Segmentation.from_sets(a), Segmentation.from_sets(b)
        alignment = cs.align(ref, hyp)
        assert Counter(match.type for match in alignment.matches) == Counter(statistics["matches"])
        assert ref.n_boundaries + hyp.n_boundaries == statistics["boundaries_all"]


# -------------------------------------------------------------------- windows

METRICS = {"Pk": (segeval.pk, cs.pk), "WD": (segeval.window_diff, cs.window_diff)}
ROUNDINGS = {
    "half-even": round,
    "half-up": lambda x: x.quantize(Decimal(1), ROUND_HALF_UP),
    "half-down": lambda x: x.quantize(Decimal(1), ROUND_HALF_DOWN),
    "ceil": math.ceil,
    "floor": math.floor,
}


@pytest.mark.parametrize("metric", METRICS)
def test_window_metrics_with_the_default_k(metric):
    theirs, ours = METRICS[metric]
    for _, ref, hyp in mass_pairs(seed=60, n_pairs=1000, least_units=3):
        assert same(theirs(hyp, ref), ours(ref, hyp)), (ref, hyp)


@pytest.mark.parametrize("metric", METRICS)
def test_window_metrics_with_a_given_k(metric):
    theirs, ours = METRICS[metric]
    for rng, ref, hyp in mass_pairs(seed=70, n_pairs=1000, least_units=2):
        k = rng.randint(1, sum(ref) - 1)
        assert same(theirs(hyp, ref, window_size=k), ours(ref, hyp, k=k)), (ref, hyp, k)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_window_metrics_with_other_roundings(metric, rounding):
    theirs, ours = METRICS[metric]
    for _, ref, hyp in mass_pairs(seed=80, n_pairs=200, least_units=3):
        value = theirs(hyp, ref, fnc_round=ROUNDINGS[rounding])
        assert same(value, ours(ref, hyp, rounding=rounding)), (ref, hyp)


@pytest.mark.parametrize("metric", METRICS)
def test_one_minus_window_metrics(metric):
    theirs, ours = METRICS[metric]
    for _, ref, hyp in mass_pairs(seed=90, n_pairs=200, least_units=3):
        assert same(theirs(hyp, ref, one_minus=True), 1 - ours(ref, hyp)), (ref, hyp)


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_window_size(rounding):
    for _, ref, _ in mass_pairs(seed=100, n_pairs=500, least_units=3):
        theirs = segeval.compute_window_size(
            ref, fnc_round=ROUNDINGS[rounding], boundary_format=segeval.BoundaryFormat.mass
        )
        assert cs.window_size(ref, rounding=rounding) == theirs, ref


def test_window_size_of_several_references():
    rng = random.Random(110)
    for _ in range(300):
        coders = {
            coder: masses(random_positions(rng, 60, rng.choice(DENSITIES)), 60)
            for coder in range(rng.randint(2, 5))
        }
        theirs = segeval.compute_window_size(coders, boundary_format=segeval.BoundaryFormat.mass)
        assert cs.window_size(*coders.values()) == theirs, coders

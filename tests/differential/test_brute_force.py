"""Source of truth: naive oracles, written straight from the definitions with plain loops over all positions.

They share no code with the package. Boundary edit distance follows Algorithms 4.1 to 4.7 of F13t (Fournier
2013, the thesis); minimal edits, pairings and matchings are found by trying everything; windows are slid one
position at a time. Everything that has two kernels runs on both, and through ``metric.batch``.
"""

import math
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product
from typing import NamedTuple

import numpy as np
import pytest

import caesura as cs
from caesura import METRICS, Segmentation, kernel
from caesura.alignment.packed import PackedPairs
from caesura.metrics.classic import density_ratio
from caesura.values.columns import Columns

# -------------------------------------------------------------------- inputs


@cache
def all_strings(n_positions, types=(1,)):
    """All boundary strings: a set of types at each position."""
    subsets = [frozenset(chosen) for size in range(len(types) + 1) for chosen in combinations(types, size)]
    return list(product(subsets, repeat=n_positions))


def random_string(rng, n_positions, types, density):
    return tuple(frozenset(t for t in types if rng.random() < density) for _ in range(n_positions))


def random_string_pairs(seed, n_pairs, types, most_positions=9):
    rng = random.Random(seed)
    for _ in range(n_pairs):
        n_positions, density = rng.randint(1, most_positions), rng.choice((0.15, 0.3, 0.5, 0.8))
        yield rng, *(random_string(rng, n_positions, types, density) for _ in "ab")


@cache
def segmentation(string):
    return Segmentation.from_sets(string)


def boundaries(string):
    return [(position, t) for position, types in enumerate(string, start=1) for t in sorted(types)]


def random_positions(rng, n, density):
    return {p for p in range(1, n) if rng.random() < density}


@cache
def random_plain_pairs(seed, n_pairs, least_units=2, most_units=40):
    """(N, reference positions, hypothesis positions), the hypothesis often near the reference."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(n_pairs):
        n = rng.randint(least_units, most_units)
        ref, hyp = (random_positions(rng, n, rng.choice((0, 0.05, 0.2, 0.5, 1))) for _ in "rh")
        if rng.random() < 0.5:
            hyp = {p for q in ref if 0 < (p := q + rng.randint(-3, 3)) < n}
        pairs.append((n, sorted(ref), sorted(hyp)))
    return pairs


def plain(pairs):
    """The pairs as lists of reference and hypothesis segmentations."""
    return (
        [Segmentation.from_positions(ref, n_units=n) for n, ref, _ in pairs],
        [Segmentation.from_positions(hyp, n_units=n) for n, _, hyp in pairs],
    )


# -------------------------------------------------------------------- oracle: greedy boundary edit distance


class Edits(NamedTuple):
    """Sorted lists of edits; positions count from 1."""

    matches: list  # position, type
    missed: list  # position, type: only in a
    spurious: list  # position, type: only in b
    substitutions: list  # position, type in a, type in b
    transpositions: list  # position in a, position in b, type

    @property
    def distance(self):
        return sum(map(len, self)) - len(self.matches)


def edits_of(alignment):
    return Edits(
        [tuple(match) for match in alignment.matches],
        [(addition.position, addition.type) for addition in alignment.missed],
        [(addition.position, addition.type) for addition in alignment.spurious],
        [tuple(edit) for edit in alignment.substitutions],
        sorted(tuple(edit) for edit in alignment.transpositions),
    )


def n_substitutions(a, b):
    """Algorithm 4.6."""
    additions = abs(len(a) - len(b))
    return (len(a | b) - additions) // 2


@cache
def paired_types(a, b):
    """Algorithm 4.7: the first of all pairings with the least total difference."""
    best = None
    for first in permutations(sorted(a)):
        for second in permutations(sorted(b)):
            pairs = list(zip(first, second, strict=False))
            difference = sum(abs(x - y) for x, y in pairs)
            if best is None or difference < best[0]:
                best = difference, pairs
    return best[1]


@cache
def dense_greedy(a, b, n_t):
    """Algorithms 4.1 to 4.5, over all positions, types in ascending order."""
    n = len(a)
    only_a, only_b = [a[i] - b[i] for i in range(n)], [b[i] - a[i] for i in range(n)]
    transposed = set()
    transpositions = []
    for distance in range(1, n_t):
        for i in range(n - distance):
            j = i + distance
            for t in sorted((a[i] ^ b[i]) & (a[j] ^ b[j]) & (a[i] ^ a[j]) & (b[i] ^ b[j])):
                overlaps = (i, t) in transposed or (j, t) in transposed
                unedited = all(t in only_a[p] | only_b[p] for p in (i, j))
                displaces = unedited and all(n_substitutions(only_a[p], only_b[p]) > 0 for p in (i, j))
                if overlaps or displaces:
                    continue
                transposed |= {(i, t), (j, t)}
                transpositions.append((i + 1, j + 1, t) if t in a[i] else (j + 1, i + 1, t))
                for p in (i, j):
                    only_a[p] = only_a[p] - {t}
                    only_b[p] = only_b[p] - {t}
    matches, missed, spurious, substitutions = [], [], [], []
    for i in range(n):
        pairs = paired_types(only_a[i], only_b[i])
        matches += [(i + 1, t) for t in sorted(a[i] & b[i])]
        substitutions += [(i + 1, x, y) for x, y in sorted(pairs)]
        missed += [(i + 1, t) for t in sorted(only_a[i] - {x for x, _ in pairs})]
        spurious += [(i + 1, t) for t in sorted(only_b[i] - {y for _, y in pairs})]
    return Edits(matches, missed, spurious, substitutions, sorted(transpositions))


# -------------------------------------------------------------------- oracle: minimal edits


def best_matching(left, right, weight):
    """Most pairs, then least weight, by trying every partner of every boundary: (pairs, -weight)."""
    if not left or not right:
        return 0, 0
    best = best_matching(left[1:], right, weight)
    for j, other in enumerate(right):
        cost = weight(left[0], other)
        if cost is not None:
            n_pairs, total = best_matching(left[1:], right[:j] + right[j + 1 :], weight)
            best = max(best, (n_pairs + 1, total - cost))
    return best


@cache
def minimal(only_a, only_b, n_t, type_range=0):
    """Least number of edits, and their least penalty, between boundaries that do not match.

    Weights are scaled: d / n_t and |x - y| / (R + 1), here in units of 1 / (n_t × (R + 1)).
    """

    def weight(x, y):
        (position_a, type_a), (position_b, type_b) = x, y
        distance = abs(position_a - position_b)
        if distance == 0:
            return abs(type_a - type_b) * n_t
        return distance * (type_range + 1) if type_a == type_b and distance < n_t else None

    n_pairs, total = best_matching(only_a, only_b, weight)
    n_edits = len(only_a) + len(only_b) - n_pairs
    return n_edits, n_edits - n_pairs + Fraction(-total, n_t * (type_range + 1))


def unmatched(a, b):
    in_a, in_b = set(boundaries(a)), set(boundaries(b))
    return tuple(sorted(in_a - in_b)), tuple(sorted(in_b - in_a))


def reach_of(*types):
    return max(types) - min(types) if types else 0


def assert_turns_one_into_the_other(edits, a, b, n_t):
    """Every boundary of a and of b is in exactly one match or edit, and near misses are near."""
    in_a = [*edits.matches, *edits.missed, *((p, x) for p, x, _ in edits.substitutions)]
    in_b = [*edits.matches, *edits.spurious, *((p, y) for p, _, y in edits.substitutions)]
    assert sorted(in_a + [(p, t) for p, _, t in edits.transpositions]) == list(a)
    assert sorted(in_b + [(p, t) for _, p, t in edits.transpositions]) == list(b)
    assert all(0 < abs(p - q) < n_t for p, q, _ in edits.transpositions)
    assert all(x != y for _, x, y in edits.substitutions)


# -------------------------------------------------------------------- greedy: align


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_t", [1, 2, 3, 4])
@pytest.mark.parametrize("n_positions", range(7))
def test_greedy_one_type_all_pairs(n_positions, n_t):
    for a, b in product(all_strings(n_positions), repeat=2):
        assert edits_of(cs.align(segmentation(a), segmentation(b), n_t=n_t)) == dense_greedy(a, b, n_t), (
            a,
            b,
        )


@pytest.mark.exhaustive
def test_greedy_one_type_all_unordered_pairs_on_8_positions():
    for a, b in combinations(all_strings(8), 2):
        assert edits_of(cs.align(segmentation(a), segmentation(b), n_t=3)) == dense_greedy(a, b, 3), (a, b)


@pytest.mark.parametrize("n_t", [1, 2, 3])
def test_greedy_two_types_all_pairs_on_3_positions(n_t):
    """On 4 positions they are in ``test_finding_two_types_on_4_positions``."""
    for a, b in product(all_strings(3, (1, 2)), repeat=2):
        assert edits_of(cs.align(segmentation(a), segmentation(b), n_t=n_t)) == dense_greedy(a, b, n_t), (
            a,
            b,
        )


@pytest.mark.parametrize("types", [(1, 2, 3), (2, 5, 6), (-1, 0, 4, 5)])
def test_greedy_several_types(types):
    for rng, a, b in random_string_pairs(seed=1, n_pairs=1500, types=types):
        n_t = rng.randint(1, 5)
        assert edits_of(cs.align(segmentation(a), segmentation(b), n_t=n_t)) == dense_greedy(a, b, n_t), (
            a,
            b,
        )


@pytest.mark.parametrize("n_t", [3, 6, 64, 65, 90])
def test_greedy_one_type_on_longer_documents(kernel_module, n_t):
    for _, a, b in random_string_pairs(seed=n_t, n_pairs=120, types=(1,), most_positions=80):
        edits = dense_greedy(a, b, n_t)
        ref, hyp = segmentation(a), segmentation(b)
        span = sum(abs(p - q) for p, q, _ in edits.transpositions)
        assert edits_of(cs.align(ref, hyp, n_t=n_t)) == edits
        assert kernel_module.edit_counts(ref.position_array, hyp.position_array, n_t, False) == (
            *map(len, (edits.matches, edits.missed, edits.spurious, edits.transpositions)),
            span,
        )


# -------------------------------------------------------------------- greedy: similarities, confusion


def transposition_weight(d, n_t, weighting, w0):
    if weighting == "equation":
        return w0 + Fraction(d, n_t - 1)
    return Fraction(d, n_t) if weighting == "scaled" else Fraction(1)


def substitution_weight(d, reach, weighting, w0):
    if weighting == "equation":
        return w0 + Fraction(d, reach)
    return Fraction(d, reach + 1) if weighting == "scaled" else Fraction(1)


def similarities(a, b, edits, cost, n_types):
    """Numerator and denominator of B, Ba, Bc and S."""
    pairs = sum(map(len, edits))
    additions = len(edits.missed) + len(edits.spurious)
    placed = len(boundaries(a)) + len(boundaries(b))
    lonely = sum(len(x ^ y) for x, y in zip(a, b, strict=True))
    slots = n_types * len(a)
    return {
        "B": (pairs - cost, pairs),
        "Ba": (placed - cost, placed),
        "Bc": (placed + lonely - cost - additions, placed + lonely),
        "S": (slots - cost, slots),
    }


def value(fraction):
    numerator, denominator = fraction
    return float(numerator / denominator) if denominator else 1.0


def exact(score):
    """The counts of a score in whole units."""
    return tuple(Fraction(count, score.scale) for count in score.counts)


SIMILARITIES = ["B", "Ba", "Bc", "S"]
WEIGHTINGS = ["scaled", "equation", "constant"]


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("n_t", [1, 2, 3, 4])
def test_similarities_one_type_all_pairs_on_4_positions(n_t, weighting):
    pairs = list(product(all_strings(4), repeat=2))
    w0 = Fraction(1, 8)
    expected = []
    for a, b in pairs:
        edits = dense_greedy(a, b, n_t)
        cost = Fraction(len(edits.missed) + len(edits.spurious))
        cost += sum(transposition_weight(abs(p - q), n_t, weighting, w0) for p, q, _ in edits.transpositions)
        expected.append(similarities(a, b, edits, cost, 1))
    references, hypotheses = ([segmentation(side) for side in sides] for sides in zip(*pairs, strict=True))
    for name in SIMILARITIES:
        metric = METRICS[name](n_t=n_t, transposition=weighting, w0=float(w0))
        fractions = [fraction[name] for fraction in expected]
        scores = metric.batch(references, hypotheses)
        assert [exact(scores[i]) for i in range(len(scores))] == fractions
        assert scores.values.tolist() == pytest.approx([value(fraction) for fraction in fractions], abs=1e-12)
        assert [exact(metric(*pair)) for pair in zip(references, hypotheses, strict=True)] == fractions


@pytest.mark.exhaustive
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("declared", [None, (0, 1, 2, 4, 7)])
def test_similarities_several_types(weighting, declared):
    w0 = Fraction(1, 8)
    for rng, a, b in random_string_pairs(seed=2, n_pairs=400, types=(1, 2, 4)):
        n_t = rng.randint(1, 4)
        edits = dense_greedy(a, b, n_t)
        types = declared or frozenset().union(*a, *b)
        reach = reach_of(*types)
        cost = Fraction(len(edits.missed) + len(edits.spurious))
        cost += sum(transposition_weight(abs(p - q), n_t, weighting, w0) for p, q, _ in edits.transpositions)
        cost += sum(substitution_weight(abs(x - y), reach, weighting, w0) for _, x, y in edits.substitutions)
        expected = similarities(a, b, edits, cost, len(types) or 1)
        for name in SIMILARITIES:
            metric = METRICS[name](
                n_t=n_t, transposition=weighting, substitution=weighting, w0=float(w0), types=declared
            )
            assert exact(metric(segmentation(a), segmentation(b))) == expected[name], (a, b, n_t)
            assert exact(metric.batch([segmentation(a)], [segmentation(b)])[0]) == expected[name]


@pytest.mark.exhaustive
@pytest.mark.parametrize("credit", [False, True])
def test_confusion_several_types(credit):
    for rng, a, b in random_string_pairs(seed=3, n_pairs=400, types=(1, 2, 4)):
        n_t = rng.randint(1, 4)
        edits = dense_greedy(a, b, n_t)
        types = frozenset().union(*a, *b)
        reach = reach_of(*types)
        cells = Counter()
        for _, t in edits.matches:
            cells[t, t] += Fraction(1)
        for p, q, t in edits.transpositions:
            cells[t, t] += 1 - Fraction(abs(p - q), n_t)
        for _, t in edits.missed:
            cells[None, t] += Fraction(1)
        for _, t in edits.spurious:
            cells[t, None] += Fraction(1)
        for _, actual, predicted in edits.substitutions:
            weight = Fraction(abs(actual - predicted), reach + 1) if credit else Fraction(1)
            cells[predicted, actual] += weight
            cells[actual, actual] += 1 - weight
        matrix = cs.confusion_matrix(segmentation(a), segmentation(b), n_t=n_t, credit_substitutions=credit)
        for cell in product([*types, None], repeat=2):
            assert matrix[cell] == pytest.approx(float(cells[cell]), abs=1e-12), (a, b, n_t, cell)
        hits = sum(cells[t, t] for t in types)
        false_alarms = sum(n for (predicted, actual), n in cells.items() if predicted not in (None, actual))
        misses = sum(n for (predicted, actual), n in cells.items() if actual not in (None, predicted))
        slots = max(1, len(types)) * len(a)
        for name in ("BP", "BR", "BF", "Fallout", "ErrorRate"):
            metric = METRICS[name](n_t=n_t, credit_substitutions=credit)
            counts = exact(metric(segmentation(a), segmentation(b)))
            assert counts == (hits, false_alarms, misses, slots)[: len(counts)]
        fallout = false_alarms / (slots - hits - misses) if slots - hits - misses else 0
        for value, name in ((fallout, "Fallout"), ((false_alarms + misses) / Fraction(slots), "ErrorRate")):
            metric = METRICS[name](n_t=n_t, credit_substitutions=credit)
            assert metric(segmentation(a), segmentation(b)) == pytest.approx(float(value), abs=1e-12)
        assert matrix.fallout == pytest.approx(float(fallout), abs=1e-12)
        assert matrix.error_rate == pytest.approx(float((false_alarms + misses) / Fraction(slots)), abs=1e-12)


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("n_t", [1, 2, 3, 4])
def test_confusion_one_type_all_pairs_on_4_positions(n_t):
    pairs = list(product(all_strings(4), repeat=2))
    expected = []
    for a, b in pairs:
        edits = dense_greedy(a, b, n_t)
        near = sum(1 - Fraction(abs(p - q), n_t) for p, q, _ in edits.transpositions)
        expected.append((len(edits.matches) + near, len(edits.spurious), len(edits.missed)))
    references, hypotheses = ([segmentation(side) for side in sides] for sides in zip(*pairs, strict=True))
    scores = METRICS["BF"](n_t=n_t).batch(references, hypotheses)
    assert [exact(scores[i]) for i in range(len(scores))] == expected
    for ref, hyp, (hits, false_alarms, misses) in zip(references, hypotheses, expected, strict=True):
        matrix = cs.confusion_matrix(ref, hyp, n_t=n_t)
        assert (matrix.tp, matrix.fp, matrix.fn) == (float(hits), false_alarms, misses)
        assert matrix.tn == float(4 - hits - false_alarms - misses)


def random_costs(rng, types):
    return {pair: rng.randint(0, 8) / 8 for pair in combinations(types, 2)}


def cost_of(costs, x, y):
    return Fraction(costs[min(x, y), max(x, y)])


def test_greedy_with_a_table_of_costs():
    """Nominal types: the transpositions stay; at each position the cheapest pairing is taken."""
    types = (1, 2, 3, 4)
    for rng, a, b in random_string_pairs(seed=4, n_pairs=500, types=types, most_positions=5):
        n_t, costs = rng.randint(1, 4), random_costs(rng, types)
        by_difference = dense_greedy(a, b, n_t)
        alignment = cs.align(segmentation(a), segmentation(b), n_t=n_t, substitution=costs)
        edits = edits_of(alignment)
        assert_turns_one_into_the_other(edits, boundaries(a), boundaries(b), n_t)
        assert edits.transpositions == by_difference.transpositions
        assert len(edits.substitutions) == len(by_difference.substitutions)
        cheapest = Fraction(0)
        for position in range(1, len(a) + 1):
            left = {t for p, t in by_difference.missed if p == position}
            left |= {x for p, x, _ in by_difference.substitutions if p == position}
            right = {t for p, t in by_difference.spurious if p == position}
            right |= {y for p, _, y in by_difference.substitutions if p == position}
            cheapest += min(
                sum(cost_of(costs, x, y) for x, y in zip(first, second, strict=False))
                for first in permutations(left)
                for second in permutations(right)
            )
        assert sum(cost_of(costs, x, y) for _, x, y in edits.substitutions) == cheapest, (a, b, n_t, costs)


# -------------------------------------------------------------------- optimal


def all_unmatched(slots):
    """All ways to put each slot on side a, on side b or on neither."""
    for sides in product("ab-", repeat=len(slots)):
        yield tuple(
            tuple(slot for slot, side in zip(slots, sides, strict=True) if side == which) for which in "ab"
        )


def from_boundaries(placed, n_units):
    return Segmentation.from_positions([p for p, _ in placed], n_units, types=[t for _, t in placed])


def assert_minimal(a, b, n_units, n_t):
    alignment = cs.align(from_boundaries(a, n_units), from_boundaries(b, n_units), n_t=n_t, method="optimal")
    assert_turns_one_into_the_other(edits_of(alignment), a, b, n_t)
    types = [t for _, t in (*a, *b)]
    assert (alignment.distance, alignment.penalty) == minimal(a, b, n_t, reach_of(*types)), (a, b, n_t)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n_positions", "n_t"), [(6, 1), (6, 2), (8, 3), (6, 4), (6, 5)])
def test_optimal_one_type_all_pairs(n_positions, n_t):
    """All pairs without matches, which would not be edited anyway."""
    for a, b in all_unmatched([(p, 1) for p in range(1, n_positions + 1)]):
        assert_minimal(a, b, n_positions + 1, n_t)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n_positions", "n_t"), [(3, 1), (4, 2), (3, 3)])
def test_optimal_two_types_all_pairs(n_positions, n_t):
    for a, b in all_unmatched([(p, t) for p in range(1, n_positions + 1) for t in (1, 2)]):
        assert_minimal(a, b, n_positions + 1, n_t)


def test_optimal_several_types():
    for rng, a, b in random_string_pairs(seed=5, n_pairs=600, types=(1, 2, 5), most_positions=5):
        n_t = rng.randint(1, 4)
        alignment = cs.align(segmentation(a), segmentation(b), n_t=n_t, method="optimal")
        assert_turns_one_into_the_other(edits_of(alignment), boundaries(a), boundaries(b), n_t)
        reach = reach_of(*frozenset().union(*a, *b))
        assert (alignment.distance, alignment.penalty) == minimal(*unmatched(a, b), n_t, reach), (a, b, n_t)


def test_optimal_with_a_table_of_costs():
    types = (1, 2, 3)
    for rng, a, b in random_string_pairs(seed=6, n_pairs=300, types=types, most_positions=5):
        n_t, costs = rng.randint(1, 4), random_costs(rng, types)

        def weight(x, y, n_t=n_t, costs=costs):
            (position_a, type_a), (position_b, type_b) = x, y
            distance = abs(position_a - position_b)
            if distance == 0:
                return cost_of(costs, type_a, type_b)
            return Fraction(distance, n_t) if type_a == type_b and distance < n_t else None

        only_a, only_b = unmatched(a, b)
        n_pairs, total = best_matching(only_a, only_b, weight)
        n_edits = len(only_a) + len(only_b) - n_pairs
        alignment = cs.align(segmentation(a), segmentation(b), n_t=n_t, method="optimal", substitution=costs)
        assert (alignment.distance, alignment.penalty) == (n_edits, n_edits - n_pairs - total), (a, b, n_t)


@pytest.mark.parametrize("method", ["greedy", "optimal"])
def test_a_table_of_costs_needs_only_types_that_meet(method):
    """1 meets 2 and 3 meets 4: the cost of 3 for 2, which never share a position, plays no part."""
    a, b = Segmentation.from_sets([{1}, {3}]), Segmentation.from_sets([{2}, {4}])
    alignment = cs.align(a, b, method=method, substitution={(1, 2): 0.5, (3, 4): 0.25})
    assert edits_of(alignment).substitutions == [(1, 1, 2), (2, 3, 4)]
    assert alignment.penalty == Fraction(3, 4)


def edit_counts_of_all_unordered_pairs(n_positions, n_t, optimal):
    strings = all_strings(n_positions)
    first, second = zip(*combinations(range(len(strings)), 2), strict=True)
    codings = Columns.of([segmentation(string) for string in strings])
    pairs = PackedPairs.among(codings, first, second)
    return list(combinations(strings, 2)), kernel.active.edit_counts_many(*pairs.sides, n_t, optimal)


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("n_t", [2, 3, 4])
def test_optimal_kernels_all_unordered_pairs_on_6_positions(n_t):
    strings, rows = edit_counts_of_all_unordered_pairs(6, n_t, optimal=True)
    for (a, b), (matches, only_a, only_b, n, span) in zip(strings, rows.tolist(), strict=True):
        n_edits, cost = minimal(*unmatched(a, b), n_t)
        assert matches == sum(len(x & y) for x, y in zip(a, b, strict=True))
        assert only_a + only_b + n == n_edits, (a, b)
        assert only_a + only_b + Fraction(span, n_t) == cost, (a, b)
        assert only_a - only_b == len(unmatched(a, b)[0]) - len(unmatched(a, b)[1])


@pytest.mark.usefixtures("kernel_module")
def test_optimal_b_through_batch():
    pairs = list(product(all_strings(4), repeat=2))
    metric = METRICS["B"](n_t=4, method="optimal")
    references, hypotheses = ([segmentation(side) for side in sides] for sides in zip(*pairs, strict=True))
    scores = metric.batch(references, hypotheses)
    for i, (a, b) in enumerate(pairs):
        n_edits, cost = minimal(*unmatched(a, b), 4)
        compared = n_edits + sum(len(x & y) for x, y in zip(a, b, strict=True))
        assert exact(scores[i]) == exact(metric(references[i], hypotheses[i])) == (compared - cost, compared)


# What the thesis claims, and what is so: the published algorithm does not always find the fewest edits.


@pytest.mark.exhaustive
@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize(("n_t", "not_minimal"), [(2, 0), (3, 1211)])
def test_finding_one_type_on_8_positions(n_t, not_minimal):
    strings, rows = edit_counts_of_all_unordered_pairs(8, n_t, optimal=False)
    distances = rows[:, 1:4].sum(axis=1).tolist()
    least = [minimal(*unmatched(a, b), n_t)[0] for a, b in strings]
    assert len(strings) == 32_640
    assert all(greedy >= fewest for greedy, fewest in zip(distances, least, strict=True))
    assert sum(greedy > fewest for greedy, fewest in zip(distances, least, strict=True)) == not_minimal


@pytest.mark.exhaustive
def test_finding_two_types_on_4_positions():
    pairs = list(product(all_strings(4, (1, 2)), repeat=2))
    assert len(pairs) == 65_536
    not_minimal = 0
    for a, b in pairs:
        fewest, _ = minimal(*unmatched(a, b), 2)
        greedy = edits_of(cs.align(segmentation(a), segmentation(b), n_t=2))
        assert greedy == dense_greedy(a, b, 2), (a, b)
        assert greedy.distance >= fewest, (a, b)
        not_minimal += greedy.distance > fewest
    assert not_minimal == 864


def test_finding_printed_example_one_type():
    """{2, 3} and {4, 5}, n_t = 3: greedy joins 3 and 4, and 2 and 5 are too far apart."""
    a, b = (Segmentation.from_positions(positions, n_units=8) for positions in ([2, 3], [4, 5]))
    assert edits_of(cs.align(a, b, n_t=3)).transpositions == [(3, 4, 1)]
    assert cs.align(a, b, n_t=3).distance == 3
    assert edits_of(cs.align(a, b, n_t=3, method="optimal")).transpositions == [(2, 4, 1), (3, 5, 1)]
    assert cs.align(a, b, n_t=3, method="optimal").distance == 2


def test_finding_printed_example_two_types():
    """Greedy moves the 1 of position 2, which leaves the 2 there and the last 1 alone."""
    a = Segmentation.from_sets([set(), {1}, set(), {1}])
    b = Segmentation.from_sets([set(), {2}, {1}, set()])
    assert edits_of(cs.align(a, b)).transpositions == [(2, 3, 1)]
    assert cs.align(a, b).distance == 3
    optimal = cs.align(a, b, method="optimal")
    assert edits_of(optimal)[3:] == ([(2, 1, 2)], [(4, 3, 1)])
    assert optimal.distance == 2


# -------------------------------------------------------------------- windows

WINDOW_METRICS = {
    "Pk": ({}, lambda r, h: (r > 0) != (h > 0)),
    "PkPrime": ({}, lambda r, h: ((r > 0) != (h > 0)) + (r == 0 and h > 0)),
    "WD": ({}, lambda r, h: r != h),
    "WD weighted": ({"weighted": True}, lambda r, h: abs(r - h)),
}
EDGES = ["plain", "padded", "wrap"]


def windows(n, k, edges):
    """The positions inside each window; positions that do not exist hold no boundary."""
    if edges == "plain":
        return [range(i + 1, i + k + 1) for i in range(n - k)]
    if edges == "padded":
        return [range(i + 1, i + k + 1) for i in range(-k, n)]
    return [[p % n for p in range(i + 1, i + k + 1)] for i in range(n)]


def counts_inside(n, ref, hyp, k, edges):
    """(r, h) of each window."""
    return [(sum(p in ref for p in window), sum(p in hyp for p in window)) for window in windows(n, k, edges)]


def window_metric(name, **parameters):
    extra, _ = WINDOW_METRICS[name]
    return METRICS[name.split()[0]](**extra, **parameters)


@cache
def all_window_errors(n, k, edges):
    """For all pairs of segmentations of n units: their positions, and errors and windows per metric."""
    subsets = [[p for p in range(1, n) if number >> (p - 1) & 1] for number in range(2 ** (n - 1))]
    pairs = [(n, ref, hyp) for ref, hyp in product(subsets, repeat=2)]
    expected = {name: [] for name in WINDOW_METRICS}
    for _, ref, hyp in pairs:
        inside = counts_inside(n, ref, hyp, k, edges)
        for name, (_, error) in WINDOW_METRICS.items():
            expected[name].append([sum(error(r, h) for r, h in inside), len(inside)])
    return plain(pairs), expected


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_window_metrics_all_pairs(n, edges):
    for k in range(1, n):
        (references, hypotheses), expected = all_window_errors(n, k, edges)
        for name in WINDOW_METRICS:
            scores = window_metric(name, k=k, edges=edges).batch(references, hypotheses)
            assert scores.rows.tolist() == expected[name], (name, k)


def rate(of, over):
    return Fraction(sum(of), sum(over)) if sum(over) else Fraction(0)


def naive_cseg(inside, weight):
    """P_miss is over windows across a true boundary, P_fa over the others (Doddington 1998)."""
    miss = rate([r > 0 and h == 0 for r, h in inside], [r > 0 for r, _ in inside])
    alarm = rate([r == 0 and h > 0 for r, h in inside], [r == 0 for r, _ in inside])
    return weight * miss + (1 - weight) * alarm


def naive_pr_error(inside, weight):
    """Pr_miss is over windows with a true boundary, Pr_fa over all (Georgescul et al. 2006)."""
    miss = rate([r > h for r, h in inside], [r > 0 for r, _ in inside])
    return weight * miss + (1 - weight) * rate([r < h for r, h in inside], [True] * len(inside))


@pytest.mark.parametrize(
    ("name", "naive", "weight"), [("Cseg", naive_cseg, "3/10"), ("PrError", naive_pr_error, "1/2")]
)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_rates_of_windows_all_pairs(n, name, naive, weight):
    subsets = [[p for p in range(1, n) if number >> (p - 1) & 1] for number in range(2 ** (n - 1))]
    pairs = [(n, ref, hyp) for ref, hyp in product(subsets, repeat=2)]
    references, hypotheses = plain(pairs)
    for k in range(1, n):
        for extra, share in (({}, Fraction(weight)), ({"miss_weight": 0.25}, Fraction(1, 4))):
            metric = METRICS[name](k=k, **extra)
            expected = [float(naive(counts_inside(*pair, k, "plain"), share)) for pair in pairs]
            assert metric.batch(references, hypotheses).values.tolist() == pytest.approx(expected, abs=1e-12)
            assert metric(references[-1], hypotheses[1]) == pytest.approx(expected[-len(subsets) + 1])
            assert all(metric.low <= value <= metric.high for value in expected)


def test_rates_of_windows_pool_their_counts():
    metric, pairs = METRICS["PrError"](k=2), [([5, 6], [4, 7]), ([2, 3, 6], [11])]
    inside = [
        counts
        for ref, hyp in pairs
        for counts in counts_inside(
            11, *(list(cs.Segmentation.from_masses(m).positions) for m in (ref, hyp)), 2, "plain"
        )
    ]
    assert sum(metric(*pair) for pair in pairs) == pytest.approx(
        float(naive_pr_error(inside, Fraction(1, 2)))
    )


@pytest.mark.parametrize(("edges", "n_windows"), [("plain", 11 - 3), ("padded", 11 + 3), ("wrap", 11)])
def test_number_of_windows(edges, n_windows):
    assert len(windows(11, 3, edges)) == n_windows
    assert cs.window_diff([5, 6], [4, 7], k=3, edges=edges).denominator == n_windows


ROUNDINGS = {
    "half-even": round,  # of a Fraction: ties go to the even number
    "half-up": lambda x: math.floor(x + Fraction(1, 2)),
    "half-down": lambda x: math.ceil(x - Fraction(1, 2)),
    "ceil": math.ceil,
    "floor": math.floor,
}


def naive_k(n, n_segments, rounding="half-even", k_min=2):
    return min(max(k_min, ROUNDINGS[rounding](Fraction(n, 2 * n_segments))), n - 1)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("edges", EDGES)
def test_window_metrics_with_k_from_the_reference(edges, rounding):
    pairs = random_plain_pairs(seed=7, n_pairs=100)
    references, hypotheses = plain(pairs)
    for k_min in (1, 2, 4):
        sizes = [naive_k(n, len(ref) + 1, rounding, k_min) for n, ref, _ in pairs]
        insides = [
            counts_inside(n, ref, hyp, k, edges) for (n, ref, hyp), k in zip(pairs, sizes, strict=True)
        ]
        for name, (_, error) in WINDOW_METRICS.items():
            metric = window_metric(name, rounding=rounding, k_min=k_min, edges=edges)
            expected = [[sum(error(r, h) for r, h in inside), len(inside)] for inside in insides]
            scores = metric.batch(references, hypotheses)
            assert scores.rows.tolist() == expected
            assert scores.values.tolist() == [errors / n_windows for errors, n_windows in expected]
            singles = [metric(*pair).counts for pair in zip(references, hypotheses, strict=True)]
            assert list(map(list, singles)) == expected


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_window_size(rounding):
    for n in range(2, 41):
        for n_segments in range(1, n + 1):
            masses = [1] * (n_segments - 1) + [n - n_segments + 1]
            for k_min in (1, 2, 3):
                size = cs.window_size(masses, rounding=rounding, k_min=k_min)
                assert size == naive_k(n, n_segments, rounding, k_min), (masses, k_min)


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_window_size_of_several_references(rounding):
    rng = random.Random(8)
    for _ in range(300):
        references = [[rng.randint(1, 9) for _ in range(rng.randint(1, 5))] for _ in range(rng.randint(1, 4))]
        units, segments = sum(map(sum, references)), sum(map(len, references))
        shortest = min(map(sum, references))
        half_mean = ROUNDINGS[rounding](Fraction(units, 2 * segments))
        expected = max(1, min(max(2, half_mean), shortest - 1))
        assert cs.window_size(*references, rounding=rounding) == expected, references


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("name", WINDOW_METRICS)
def test_one_unit_has_no_error(name, edges):
    metric = window_metric(name, edges=edges)
    assert metric([1], [1]) == 0
    assert metric.batch([[1]], [[1]]).values.tolist() == [0]


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("k", [None, 1, 3])
def test_win_pr(k):
    """Σ min(r, h), Σ max(0, h - r), Σ max(0, r - h) over padded windows; TN are the other real positions."""
    pairs = random_plain_pairs(seed=9, n_pairs=300, least_units=4)
    expected = []
    for (n, ref, hyp), r_seg, h_seg in zip(pairs, *plain(pairs), strict=True):
        size = naive_k(n, len(ref) + 1) if k is None else k
        inside = counts_inside(n, ref, hyp, size, "padded")
        real = sum(0 < p < n for window in windows(n, size, "padded") for p in window)
        tp = sum(min(r, h) for r, h in inside)
        fp = sum(max(0, h - r) for r, h in inside)
        fn = sum(max(0, r - h) for r, h in inside)
        expected.append([tp, fp, fn])
        result = cs.win_pr(r_seg, h_seg, k=k, beta=2)
        assert (result.tp, result.fp, result.fn, result.tn, result.k) == (
            tp,
            fp,
            fn,
            real - tp - fp - fn,
            size,
        )
        if tp:
            precision, recall = Fraction(tp, tp + fp), Fraction(tp, tp + fn)
            assert result.precision == float(precision)
            assert result.recall == float(recall)
            assert result.f == pytest.approx(float(5 * precision * recall / (4 * precision + recall)))
    for name in ("WinP", "WinR", "WinF"):
        assert METRICS[name](k=k).batch(*plain(pairs)).rows.tolist() == expected


# -------------------------------------------------------------------- P_μ, break distance


def naive_p_mu(n, ref, hyp, mu):
    """F13t eq. 2.6 and 2.7: all pairs i ≤ j of units, γ so that their weights sum to 1."""

    def same_segment(positions, i, j):
        return not any(i < p <= j for p in positions)

    units = range(n)
    weights = {(i, j): math.exp(-mu * (j - i)) for i in units for j in units if i <= j}
    right = [
        weight for (i, j), weight in weights.items() if same_segment(ref, i, j) == same_segment(hyp, i, j)
    ]
    return math.fsum(right) / math.fsum(weights.values())


@pytest.mark.parametrize("mu", [None, 1e-7, 3e-6, 1e-4, 0.01, 0.5, 3.0, 40.0])
def test_p_mu(mu):
    pairs = random_plain_pairs(seed=10, n_pairs=60, least_units=1, most_units=30)
    references, hypotheses = plain(pairs)
    expected = [naive_p_mu(n, ref, hyp, (len(ref) + 1) / n if mu is None else mu) for n, ref, hyp in pairs]
    singles = [float(cs.p_mu(*pair, mu=mu)) for pair in zip(references, hypotheses, strict=True)]
    assert singles == pytest.approx(expected, abs=3e-11)
    assert METRICS["Pmu"](mu=mu).batch(references, hypotheses).values.tolist() == singles


@pytest.mark.usefixtures("kernel_module")
def test_break_distance():
    """Brooke et al. (2012): distances from each true break to the nearest predicted one, over the text's
    length; as far as the text is long where nothing is predicted.
    """
    pairs = random_plain_pairs(seed=11, n_pairs=500, least_units=1)
    references, hypotheses = plain(pairs)
    expected = [sum(min((abs(p - q) for q in hyp), default=n) for p in ref) / n for n, ref, hyp in pairs]
    assert [cs.break_distance(*pair) for pair in zip(references, hypotheses, strict=True)] == expected
    assert METRICS["BD"]().batch(references, hypotheses).values.tolist() == expected


# -------------------------------------------------------------------- matching, overlap, density


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("tolerance", [0, 1, 2, 3, 5])
def test_boundary_matching(tolerance):
    """As many one-to-one pairs within the tolerance as there can be."""
    pairs = [pair for pair in random_plain_pairs(seed=12, n_pairs=800) if max(map(len, pair[1:])) <= 7]
    references, hypotheses = plain(pairs)

    def near(p, q):
        return 0 if abs(p - q) <= tolerance else None

    expected = []
    for _, ref, hyp in pairs:
        matched = best_matching(ref, hyp, near)[0]
        expected.append([matched, len(hyp) - matched, len(ref) - matched])
    for name in ("P", "R", "F"):
        metric = METRICS[name](tolerance=tolerance)
        assert metric.batch(references, hypotheses).rows.tolist() == expected
        singles = [list(metric(*pair).counts) for pair in zip(references, hypotheses, strict=True)]
        assert singles == expected
    for i, (tp, fp, fn) in enumerate(expected):
        if tp:
            pair = references[i], hypotheses[i]
            assert cs.boundary_precision(*pair, tolerance=tolerance) == tp / (tp + fp)
            assert cs.boundary_recall(*pair, tolerance=tolerance) == tp / (tp + fn)
            assert cs.boundary_f(*pair, tolerance=tolerance) == 2 * tp / (2 * tp + fp + fn)


def segments(positions, n):
    return [set(range(start, end)) for start, end in pairwise([0, *positions, n])]


@pytest.mark.usefixtures("kernel_module")
def test_purity_and_coverage():
    """Coverage: units of each reference segment in its best hypothesis segment; purity swaps the roles."""
    pairs = random_plain_pairs(seed=13, n_pairs=500, least_units=1)
    references, hypotheses = plain(pairs)
    sides = [(n, segments(ref, n), segments(hyp, n)) for n, ref, hyp in pairs]
    expected = {
        "Coverage": [[sum(max(len(r & h) for h in hyp) for r in ref), n] for n, ref, hyp in sides],
        "Purity": [[sum(max(len(r & h) for r in ref) for h in hyp), n] for n, ref, hyp in sides],
    }
    for name, rows in expected.items():
        metric = METRICS[name]()
        assert metric.batch(references, hypotheses).rows.tolist() == rows
        singles = [list(metric(*pair).counts) for pair in zip(references, hypotheses, strict=True)]
        assert singles == rows


def test_density_ratio():
    pairs = random_plain_pairs(seed=14, n_pairs=200, least_units=1)
    expected = []
    for _, ref, hyp in pairs:
        expected.append(len(hyp) / len(ref) if ref else (math.inf if hyp else 1.0))
    assert [density_ratio(*pair) for pair in zip(*plain(pairs), strict=True)] == expected
    assert np.array_equal(METRICS["Density"]().batch(*plain(pairs)).values, expected)

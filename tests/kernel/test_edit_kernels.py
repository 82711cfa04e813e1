"""Boundary edit distance in batches, its distances, and minimal pairings: both kernels against oracles.

Source of truth: all pairings tried one by one, the textbook's table, the thesis's algorithms over all
positions (those of test_brute_force.py), and results worked out by hand where documents are large.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.differential.test_brute_force import all_strings, boundaries, dense_greedy, random_string_pairs
from tests.properties import strategies as own

import caesura as cs
from caesura import ParameterError, Segmentation
from caesura.kernel import native, python
from caesura.kernel.edits import nearest_partners, optimal_transpositions
from caesura.kernel.python import Side

# -------------------------------------------------------------------- inputs

plain_or_sparse = st.one_of(own.plain_pairs(40), own.sparse_pairs(2**40))
samples = st.lists(plain_or_sparse, max_size=8)
reaches = st.sampled_from([1, 2, 3, 7, 64, 65, 1000, 10**6, 2**53])


def packed(arrays: list[np.ndarray], order: list[int]) -> Side:
    """Positions end to end, where each array starts, and which is meant by each pair."""
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
    positions = np.concatenate([np.empty(0, dtype=np.int64), *arrays])
    return Side(positions, offsets, np.array(order, dtype=np.int64))


def two_sides(sample: list[tuple[Segmentation, Segmentation]]) -> tuple[Side, Side]:
    """The first members in one set of arrays and the second, in the other order, in another."""
    n = len(sample)
    first = packed([one.position_array for one, _ in sample], list(range(n)))
    second = packed([other.position_array for _, other in reversed(sample)], list(range(n - 1, -1, -1)))
    return first, second


# -------------------------------------------------------------------- many pairs at once


@given(sample=samples, n_t=reaches, optimal=st.booleans())
def test_edit_counts_many_equals_single_calls(sample, n_t, optimal, kernel_module):
    rows = kernel_module.edit_counts_many(*two_sides(sample), n_t, optimal)
    assert rows.dtype == np.int64
    assert rows.shape == (len(sample), 5)
    assert [tuple(row) for row in rows.tolist()] == [
        python.edit_counts(one.position_array, other.position_array, n_t, optimal) for one, other in sample
    ]


def test_both_sides_may_be_the_same_arrays_and_pairs_may_repeat(kernel_module):
    arrays = [np.array(positions, dtype=np.int64) for positions in ([2, 5], [2, 4], [])]
    first = packed(arrays, [2, 0, 0, 1, 0])
    second = replace(first, coding=np.array([1, 0, 1, 0, 1], dtype=np.int64))
    rows = kernel_module.edit_counts_many(first, second, 3, False)
    assert rows.tolist() == [[0, 0, 2, 0, 0], [2, 0, 0, 0, 0], *[[1, 0, 0, 1, 1]] * 3]


@given(sample=samples, n_t=reaches, optimal=st.booleans())
def test_spans_are_the_distances_of_the_pairs_that_align_lists(sample, n_t, optimal, kernel_module):
    offsets, spans = kernel_module.transposition_spans_many(*two_sides(sample), n_t, optimal)
    assert offsets.dtype == spans.dtype == np.int64
    assert [spans[start:end].tolist() for start, end in pairwise(offsets.tolist())] == [
        sorted(edit.distance for edit in alignment.transpositions)
        for alignment in (
            cs.align(one, other, n_t=n_t, method="optimal" if optimal else "greedy") for one, other in sample
        )
    ]
    rows = kernel_module.edit_counts_many(*two_sides(sample), n_t, optimal)
    assert np.diff(offsets).tolist() == rows[:, 3].tolist()
    assert [sum(spans[start:end].tolist()) for start, end in pairwise(offsets.tolist())] == rows[
        :, 4
    ].tolist()


@given(sample=samples, n_t=st.integers(1, 20))
def test_greedy_spans_below_a_smaller_reach_are_those_of_that_reach(sample, n_t, kernel_module):
    offsets, spans = kernel_module.transposition_spans_many(*two_sides(sample), 1000, False)
    narrow_offsets, narrow = kernel_module.transposition_spans_many(*two_sides(sample), n_t, False)
    kept = [[d for d in spans[start:end].tolist() if d < n_t] for start, end in pairwise(offsets.tolist())]
    assert kept == [narrow[start:end].tolist() for start, end in pairwise(narrow_offsets.tolist())]


def test_no_pairs_have_no_spans(kernel_module):
    offsets, spans = kernel_module.transposition_spans_many(*two_sides([]), 3, True)
    assert (offsets.tolist(), spans.tolist()) == ([0], [])
    assert kernel_module.edit_counts_many(*two_sides([]), 3, True).shape == (0, 5)


def test_spans_of_many_pairs_grow_the_room_for_them(kernel_module):
    """3,000 pairs of 20 near misses each: more than the compiled kernel makes room for at first."""
    a, b = packed([np.arange(10, 210, 10)], [0] * 3000), packed([np.arange(13, 213, 10)], [0] * 3000)
    for optimal in (False, True):
        offsets, spans = kernel_module.transposition_spans_many(a, b, 4, optimal)
        assert offsets.tolist() == list(range(0, 60_001, 20))
        assert set(spans.tolist()) == {3}


# -------------------------------------------------------------------- greedy at any n_t


@st.composite
def scattered(draw, largest: int) -> tuple[list[int], list[int]]:
    """Unmatched positions of a and of b, close together and far apart."""
    steps = draw(st.lists(st.one_of(st.integers(1, 4), st.integers(1, largest)), max_size=60))
    points = np.cumsum(steps, dtype=np.int64).tolist()
    sides = draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    return (
        [p for p, is_a in zip(points, sides, strict=True) if is_a],
        [p for p, is_a in zip(points, sides, strict=True) if not is_a],
    )


def nearest_first(a: list[int], b: list[int], n_t: int) -> list[int]:
    """Distances of the published pairs of one type, with all candidates written out (SPEC §2)."""
    free_a, free_b = set(a), set(b)
    candidates = sorted((abs(p - q), min(p, q), p, q) for p in a for q in b)
    distances = []
    for distance, _, p, q in candidates:
        if distance < n_t and p in free_a and q in free_b:
            free_a.remove(p)
            free_b.remove(q)
            distances.append(distance)
    return distances


@given(sides=scattered(2**40), n_t=st.one_of(st.integers(2, 100), st.integers(2, 2**45)))
def test_greedy_at_any_reach(sides, n_t, kernel_module):
    a, b = sides
    distances = nearest_first(a, b, n_t)
    n = len(distances)
    found = kernel_module.edit_counts(np.array(a, np.int64), np.array(b, np.int64), n_t, False)
    assert found == (0, len(a) - n, len(b) - n, n, sum(distances))


@pytest.mark.parametrize("optimal", [False, True])
def test_distances_beyond_64_bits_are_exact_or_refused_alike(optimal, kernel_module):
    """1,100 boundaries at the start and 1,100 at the end of the longest document: 2**63 < 1100 × 2**53."""
    n, end = 1100, 2**53
    a, b = np.arange(1, n + 1), np.arange(end - n, end)
    span = n * (end - n - 1)
    assert span > 2**63
    assert kernel_module.edit_counts(a, b, end, optimal) == (0, 0, 0, n, span)
    side_a, side_b = packed([a], [0]), packed([b], [0])
    with pytest.raises(ParameterError, match="use a smaller n_t"):
        kernel_module.edit_counts_many(side_a, side_b, end, optimal)
    # A reach that does not cover the gap between them: no pair, no sum.
    rows = kernel_module.edit_counts_many(side_a, side_b, 2**52, optimal)
    assert rows.tolist() == [[0, n, n, 0, 0]]


def test_greedy_pairs_a_cluster_with_distant_boundaries_quickly(kernel_module):
    """Every distance is different and every candidate within reach: a round per distance would be squared."""
    n = 20_000 if kernel_module.NAME == "python" else 200_000
    a, b = np.arange(1, n + 1), n + 1000 * np.arange(1, n + 1)
    started = time.process_time()
    found = kernel_module.edit_counts(a, b, 2**53, False)
    assert time.process_time() - started < 5
    assert found == (0, 0, 0, n, int(b.sum() - a.sum()))


# -------------------------------------------------------------------- optimal, one type: oracles


def best_of_all_pairings(a: list[int], b: list[int], n_t: int) -> tuple[int, int]:
    """(pairs, total distance): as many pairs as possible, then the least distance, by trying all pairings."""
    best = {0: (0, 0)}  # members of b that are used, as bits -> (-pairs, distance)
    for p in a:
        for used, (fewer, distance) in list(best.items()):
            for j, q in enumerate(b):
                if not used >> j & 1 and abs(p - q) < n_t:
                    more = used | 1 << j
                    best[more] = min(best.get(more, (0, 0)), (fewer - 1, distance + abs(p - q)))
    fewer, distance = min(best.values())
    return -fewer, distance


def best_by_table(a: list[int], b: list[int], n_t: int) -> tuple[int, int]:
    """The same by the textbook's table of the first i of a with the first j of b: squared time."""
    above = [(0, 0)] * (len(b) + 1)
    for p in a:
        row = [(0, 0)]
        for j, q in enumerate(b):
            fewer, distance = above[j]
            paired = (fewer - 1, distance + abs(p - q)) if abs(p - q) < n_t else (0, 0)
            row.append(min(row[-1], above[j + 1], paired))
        above = row
    return -above[-1][0], above[-1][1]


def assert_best_pairs(a: list[int], b: list[int], n_t: int, best: tuple[int, int]) -> None:
    """The listed pairs are a pairing, in order, and as good as ``best``."""
    pairs = optimal_transpositions(a, b, n_t)
    assert all(0 < abs(p - q) < n_t for p, q in pairs)
    assert {p for p, _ in pairs} <= set(a)
    assert {q for _, q in pairs} <= set(b)
    assert all(p < next_p and q < next_q for (p, q), (next_p, next_q) in pairwise(pairs))
    assert (len(pairs), sum(abs(p - q) for p, q in pairs)) == best, (a, b, n_t)


def as_rows(a: list[int], b: list[int], n_t: int, best: tuple[int, int]) -> list[int]:
    n, distance = best
    return [0, len(a) - n, len(b) - n, n, distance]


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_t", range(2, 9))
def test_optimal_pairs_are_the_best_of_all_pairings(n_t):
    """Exhaustive: each of 8 positions on side a, on side b or on neither."""
    cases = [
        tuple([p for p, side in enumerate(sides, start=1) if side == which] for which in "ab")
        for sides in product("ab-", repeat=8)
    ]
    expected = []
    for a, b in cases:
        best = best_of_all_pairings(a, b, n_t)
        assert best_by_table(a, b, n_t) == best  # one oracle checks the other
        assert_best_pairs(a, b, n_t, best)
        expected.append(as_rows(a, b, n_t, best))
    numbers = list(range(len(cases)))
    sides = [packed([np.array(case[side], np.int64) for case in cases], numbers) for side in (0, 1)]
    assert native.edit_counts_many(*sides, n_t, True).tolist() == expected


@given(sides=scattered(60), n_t=st.one_of(st.integers(2, 12), st.integers(2, 1000)))
def test_optimal_pairs_equal_the_table(sides, n_t, kernel_module):
    a, b = sides
    best = best_by_table(a, b, n_t)
    assert_best_pairs(a, b, n_t, best)
    found = kernel_module.edit_counts(np.array(a, np.int64), np.array(b, np.int64), n_t, True)
    assert list(found) == as_rows(a, b, n_t, best)


@pytest.mark.parametrize("density", [0.1, 0.3, 0.6])
def test_optimal_pairs_equal_the_table_where_sides_come_in_runs(density):
    """Long chains in which one left-over boundary can move every pair: what is rare elsewhere happens."""
    rng = np.random.default_rng(int(10 * density))
    for n_neighbours in [4, 8, 16] * 40:
        points = np.sort(rng.choice(int(120 / density), 120, replace=False)) + 1
        is_a = np.cumsum(rng.random(120) < 0.2) % 2 == 0
        a, b, n_t = points[is_a], points[~is_a], max(2, int(n_neighbours / density))
        best = best_by_table(a.tolist(), b.tolist(), n_t)
        assert_best_pairs(a.tolist(), b.tolist(), n_t, best)
        assert list(native.edit_counts(a, b, n_t, True)) == as_rows(a.tolist(), b.tolist(), n_t, best)


def test_a_choice_that_the_reach_forces_is_paid_for(kernel_module):
    """The reach of 63 forces b's partners to come earlier than is cheap; leaving out 3989 is still best."""
    a = [3989, 4008, 4030, 4037, 4047, 4056, 4085, 4105, 4138, 4174, 4189, 4205, 4250]
    b = [4040, 4044, 4077, 4080, 4088, 4107, 4122, 4124, 4128, 4131, 4181, 4204]
    best = best_by_table(a, b, 64)
    assert_best_pairs(a, b, 64, best)
    assert list(kernel_module.edit_counts(np.array(a), np.array(b), 64, True)) == as_rows(a, b, 64, best)


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_t", [2, 5, 17, 64, 65, 300, 10**4])
@pytest.mark.parametrize("share", [0.5, 0.3, 0.05])
def test_optimal_pairs_equal_the_table_on_long_documents(share, n_t, kernel_module):
    rng = np.random.default_rng(n_t)
    points = np.sort(rng.choice(6000, 900, replace=False)) + 1
    is_a = rng.random(len(points)) < share
    a, b = points[is_a], points[~is_a]
    best = best_by_table(a.tolist(), b.tolist(), n_t)
    assert_best_pairs(a.tolist(), b.tolist(), n_t, best)
    assert list(kernel_module.edit_counts(a, b, n_t, True)) == as_rows(a.tolist(), b.tolist(), n_t, best)


@given(few=st.sets(st.integers(0, 30), max_size=5), many=st.sets(st.integers(0, 30), max_size=9))
def test_the_nearest_partners_are_the_first_of_the_best_choices(few, many):
    """Ascending choices in lexicographic order: among equals the first one wins."""
    many -= few
    short = sorted(few)[: len(many)]
    best = min(
        combinations(sorted(many), len(short)),
        key=lambda chosen: sum(abs(p - q) for p, q in zip(short, chosen, strict=True)),
    )
    assert nearest_partners(short, sorted(many), 100) == list(best)


# -------------------------------------------------------------------- optimal, one type: size


def crowded(n: int, n_units: int) -> tuple[np.ndarray, np.ndarray]:
    """n unmatched boundaries on each side, anywhere in the document."""
    points = np.random.default_rng(n).choice(n_units - 1, 2 * n, replace=False) + 1
    return np.sort(points[:n]), np.sort(points[n:])


@pytest.mark.parametrize("n_t", [64, 5000])
def test_optimal_takes_linear_time(n_t, kernel_module):
    """A table of what is in reach would have 10**9 cells at n_t = 5,000, and growth would be squared."""
    n = 200_000 if kernel_module.NAME == "native" else 50_000
    a, b = crowded(n, 5 * n)
    started = time.process_time()
    _, only_a, only_b, n_pairs, _ = kernel_module.edit_counts(a, b, n_t, True)
    assert time.process_time() - started < 10
    assert only_a + n_pairs == only_b + n_pairs == n


def test_align_and_the_kernels_refuse_nothing_of_one_type(kernel_module):
    """36 million candidates, which a table of candidates refused in one kernel only."""
    n, n_units = 6000, 30_000
    a, b = (Segmentation.from_positions(side, n_units) for side in crowded(n, n_units))
    alignment = cs.align(a, b, n_t=n_units, method="optimal")
    distances = [edit.distance for edit in alignment.transpositions]
    found = kernel_module.edit_counts(a.position_array, b.position_array, n_units, True)
    assert found == (0, 0, 0, n, sum(distances))
    # Everything is in reach and both sides are as many: the i-th belongs to the i-th.
    assert sum(distances) == int(np.abs(a.position_array - b.position_array).sum())


# -------------------------------------------------------------------- several types


def packed_types(strings: Sequence[Sequence[frozenset[int]]]) -> Side:
    """Boundary strings end to end: positions, types, where each starts, and all of them in order."""
    placed = [boundaries(string) for string in strings]
    flat = [boundary for string in placed for boundary in string]
    positions, types = (np.array([boundary[i] for boundary in flat], dtype=np.int64) for i in (0, 1))
    offsets = np.cumsum([0, *map(len, placed)], dtype=np.int64)
    return Side(positions, offsets, np.arange(len(strings)), types)


def expected_typed_row(a: Sequence[frozenset[int]], b: Sequence[frozenset[int]], n_t: int) -> list[int]:
    """From the thesis's algorithms, over all positions."""
    edits = dense_greedy(tuple(a), tuple(b), n_t)
    types = frozenset().union(*a, *b)
    return [
        *map(len, (edits.matches, edits.missed, edits.spurious, edits.substitutions, edits.transpositions)),
        sum(abs(p - q) for p, q, _ in edits.transpositions),
        sum(abs(x - y) for _, x, y in edits.substitutions),
        max(types) - min(types) if types else 0,
        len(types),
    ]


def expected_sweep(pairs: Sequence[tuple], n_t_max: int) -> list[list[int]]:
    rows = []
    for n_t in range(1, n_t_max + 1):
        of_pairs = [expected_typed_row(a, b, n_t) for a, b in pairs]
        sums = [sum(column) for column in zip(*of_pairs, strict=True)]
        rows.append([sums[0], sums[1] + sums[2], sums[3], sums[4]])
    return rows


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n_positions", "types"), [(3, (1, 2)), (2, (-1, 3, 4))])
def test_typed_edits_of_all_short_documents(n_positions, types, kernel_module):
    pairs = list(product(all_strings(n_positions, types), repeat=2))
    sides = [packed_types(side) for side in zip(*pairs, strict=True)]
    for n_t in (1, 2, 3):
        rows = kernel_module.typed_edit_counts_many(*sides, n_t)
        assert rows.dtype == np.int64
        assert rows.tolist() == [expected_typed_row(a, b, n_t) for a, b in pairs]
    assert kernel_module.typed_edit_sweep_many(*sides, 3).tolist() == expected_sweep(pairs, 3)


@pytest.mark.parametrize("types", [(1,), (1, 2), (1, 2, 4), (-3, 0, 5, 6)])
def test_typed_edits_of_random_documents(types, kernel_module):
    drawn = random_string_pairs(seed=len(types), n_pairs=250, types=types, most_positions=16)
    pairs = [(a, b) for _, a, b in drawn]
    sides = [packed_types(side) for side in zip(*pairs, strict=True)]
    for n_t in (1, 2, 3, 5, 17, 2**53):
        rows = kernel_module.typed_edit_counts_many(*sides, n_t)
        assert rows.tolist() == [expected_typed_row(a, b, min(n_t, 17)) for a, b in pairs]
    assert kernel_module.typed_edit_sweep_many(*sides, 9).tolist() == expected_sweep(pairs, 9)


typed_samples = st.lists(st.one_of(own.typed_pairs(14), own.plain_pairs(30)), max_size=6)


def typed_sides(sample: list[tuple[Segmentation, Segmentation]]) -> list[Side]:
    """The first members in one set of arrays and the second, in the other order, in another."""
    sides = []
    for segmentations, step in (([one for one, _ in sample], 1), ([other for _, other in sample], -1)):
        placed = [segmentation.boundaries for segmentation in segmentations[::step]]
        flat = [boundary for of_one in placed for boundary in of_one]
        positions, types = (np.array([boundary[i] for boundary in flat], dtype=np.int64) for i in (0, 1))
        offsets = np.cumsum([0, *map(len, placed)], dtype=np.int64)
        sides.append(Side(positions, offsets, np.arange(len(sample))[::step].copy(), types))
    return sides


@given(sample=typed_samples, n_t=st.one_of(st.integers(1, 8), st.just(2**53)))
def test_typed_edits_are_those_that_align_lists(sample, n_t, kernel_module):
    rows = kernel_module.typed_edit_counts_many(*typed_sides(sample), n_t)
    assert rows.shape == (len(sample), 9)
    for (one, other), row in zip(sample, rows.tolist(), strict=True):
        edits = cs.align(one, other, n_t=n_t)
        types = {*one.types, *other.types}
        assert row == [
            *map(
                len, (edits.matches, edits.missed, edits.spurious, edits.substitutions, edits.transpositions)
            ),
            sum(edit.distance for edit in edits.transpositions),
            sum(abs(edit.reference_type - edit.hypothesis_type) for edit in edits.substitutions),
            max(types, default=0) - min(types, default=0),
            len(types),
        ]


@given(sample=typed_samples, n_t_max=st.integers(1, 9))
def test_a_sweep_sums_the_edits_at_every_n_t(sample, n_t_max, kernel_module):
    sides = typed_sides(sample)
    expected = []
    for n_t in range(1, n_t_max + 1):
        sums = kernel_module.typed_edit_counts_many(*sides, n_t).sum(axis=0)
        expected.append([sums[0], sums[1] + sums[2], sums[3], sums[4]])
    assert kernel_module.typed_edit_sweep_many(*sides, n_t_max).tolist() == expected


@given(sample=st.lists(own.sparse_pairs(), max_size=6), n_t=st.sampled_from([1, 2, 50, 10**6, 2**53]))
def test_typed_edits_of_one_type_are_the_plain_ones(sample, n_t, kernel_module):
    rows = kernel_module.typed_edit_counts_many(*typed_sides(sample), n_t)
    plain = kernel_module.edit_counts_many(*two_sides(sample), n_t, False)
    assert rows[:, [0, 1, 2, 4, 5]].tolist() == plain.tolist()
    assert rows[:, 3].tolist() == rows[:, 6].tolist() == rows[:, 7].tolist() == [0] * len(sample)


@pytest.mark.parametrize("n_t_max", [0, 10**6 + 1, 2**62])
def test_a_sweep_without_end_is_refused_alike(n_t_max, kernel_module):
    with pytest.raises(ParameterError, match=rf"n_t_max is {n_t_max}.*from 1 to 1,000,000"):
        kernel_module.typed_edit_sweep_many(*typed_sides([]), n_t_max)


def test_differences_of_types_beyond_64_bits_are_refused_alike(kernel_module):
    """600 types at one end of their range against 600 at the other: 2**63 < 600 × 2**54."""
    n, far = 600, 2**53
    one, other = np.arange(-far, -far + n), np.arange(far - n, far)
    offsets, numbers = np.array([0, n]), np.array([0])
    a, b = (Side(np.ones(n, np.int64), offsets, numbers, types) for types in (one, other))
    assert n * (2 * far - n) > 2**63
    with pytest.raises(ParameterError, match="sum to"):
        kernel_module.typed_edit_counts_many(a, b, 2)
    few = np.array([0, 500])  # 500 × 2**54 fits
    rows = kernel_module.typed_edit_counts_many(replace(a, offsets=few), replace(b, offsets=few), 2)
    assert rows.tolist() == [[0, 0, 0, 500, 0, 0, 500 * (2 * far - n), 2 * far - n + 499, 1000]]


# -------------------------------------------------------------------- several types: size

Boundaries = list[tuple[int, int]]


def taking_turns(n: int) -> tuple[Boundaries, Boundaries, list[int]]:
    """Types 1 and 2 in the other order: no move, as it would displace two substitutions."""
    places = range(1, 2 * n + 1)
    a, b = [(p, 1 + p % 2) for p in places], [(p, 2 - p % 2) for p in places]
    return a, b, [0, 0, 0, 2 * n, 0, 0, 2 * n, 1, 2]


def a_type_each(n: int) -> tuple[Boundaries, Boundaries, list[int]]:
    """Each boundary has its own type and moves by one: the first move frees the second, and so on."""
    return (
        [(p, p) for p in range(1, n + 1)],
        [(p + 1, p) for p in range(1, n + 1)],
        [0, 0, 0, 0, n, n, 0, n - 1, n],
    )


def a_cluster_and_distant_ones(n: int) -> tuple[Boundaries, Boundaries, list[int]]:
    """Every type 1 of a seeks one of the same distant boundaries; the 3s of b replace 2s of a."""
    a = [(p, kind) for p in range(1, n + 1) for kind in (1, 2)]
    b = [(1, 3), (2, 3), (5, 3), *((n + 1000 * p, 1) for p in range(1, n + 1))]
    span = sum(n + 1000 * p for p in range(1, n + 1)) - sum(range(1, n + 1))
    return a, b, [0, n - 3, 0, 3, n, span, 3, 2, 3]


def all_types_at_one_position(n: int) -> tuple[Boundaries, Boundaries, list[int]]:
    """Even types against twice as many odd ones, half of them above: each has a neighbor at 1."""
    a, b = [(7, 2 * t) for t in range(1, n + 1)], [(7, 2 * t + 1) for t in range(1, 2 * n + 1)]
    return a, b, [0, 0, n, n, 0, 0, n, 4 * n - 1, 3 * n]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "make", [taking_turns, a_type_each, a_cluster_and_distant_ones, all_types_at_one_position]
)
def test_greedy_edits_of_many_types_take_near_linear_time(make, kernel_module):
    """Expected by hand; with n_t without end each would have n² candidates, or n² cells, or n types × n."""
    n = 100_000 if kernel_module.NAME == "native" else 10_000
    a, b, expected = make(n)
    sides = []
    for boundaries_of_side in (a, b):
        positions, types = np.array(boundaries_of_side, dtype=np.int64).T.copy()
        sides.append(Side(positions, np.array([0, len(positions)]), np.array([0]), types))
    started = time.process_time()
    rows = kernel_module.typed_edit_counts_many(*sides, 2**53)
    assert time.process_time() - started < 10
    assert rows.tolist() == [expected]


@pytest.mark.parametrize("method", ["greedy", "optimal"])
def test_ten_thousand_types_are_aligned_in_near_linear_time(method):
    n = 10_000
    places, types = range(10, 10 * n + 10, 10), range(1, n + 1)
    one = Segmentation.from_positions(places, 20 * n, types=types)
    other = Segmentation.from_positions([p + 3 for p in places], 20 * n, types=types)
    started = time.process_time()
    edits = cs.align(one, other, n_t=2**50, method=method)
    assert time.process_time() - started < 10
    assert (len(edits.transpositions), edits.distance) == (n, n)

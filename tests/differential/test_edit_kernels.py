"""Boundary edit distance in batches, its distances, and minimal pairings: both kernels against oracles.

Source of truth: all matchings tried one by one, the banded table of the textbook, and the single calls that
test_brute_force.py checks against the thesis's algorithms.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import ParameterError, Segmentation
from caesura.kernel import python

from ..properties import strategies as own

# -------------------------------------------------------------------- inputs

plain_or_sparse = st.one_of(own.plain_pairs(40), own.sparse_pairs(2**40))
samples = st.lists(plain_or_sparse, max_size=8)
reaches = st.sampled_from([1, 2, 3, 7, 64, 65, 1000, 10**6, 2**53])

Packed = tuple[np.ndarray, np.ndarray, np.ndarray]


def packed(arrays: list[np.ndarray], order: list[int]) -> Packed:
    """Positions end to end, where each array starts, and which is meant by each pair."""
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
    positions = np.concatenate([np.empty(0, dtype=np.int64), *arrays])
    return positions, offsets, np.array(order, dtype=np.int64)


def two_sides(sample: list[tuple[Segmentation, Segmentation]]) -> tuple[np.ndarray, ...]:
    """The first members in one set of arrays and the second, in the other order, in another."""
    n = len(sample)
    first = packed([one.position_array for one, _ in sample], list(range(n)))
    second = packed([other.position_array for _, other in reversed(sample)], list(range(n - 1, -1, -1)))
    return (*first, *second)


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
    positions, offsets, first = packed(arrays, [2, 0, 0, 1, 0])
    second = np.array([1, 0, 1, 0, 1], dtype=np.int64)
    rows = kernel_module.edit_counts_many(positions, offsets, first, positions, offsets, second, 3, False)
    assert rows.tolist() == [[0, 0, 2, 0, 0], [2, 0, 0, 0, 0], *[[1, 0, 0, 1, 1]] * 3]


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
    """1,100 boundaries at the start against 1,100 at the end of the longest document: 2**63 < 1100 × 2**53."""
    n, end = 1100, 2**53
    a, b = np.arange(1, n + 1), np.arange(end - n, end)
    span = n * (end - n - 1)
    assert span > 2**63
    assert kernel_module.edit_counts(a, b, end, optimal) == (0, 0, 0, n, span)
    side_a, side_b = packed([a], [0]), packed([b], [0])
    with pytest.raises(ParameterError, match="use a smaller n_t"):
        kernel_module.edit_counts_many(*side_a, *side_b, end, optimal)
    # A reach that does not cover the gap between them: no pair, no sum.
    rows = kernel_module.edit_counts_many(*side_a, *side_b, 2**52, optimal)
    assert rows.tolist() == [[0, n, n, 0, 0]]


def test_greedy_pairs_a_cluster_with_distant_boundaries_quickly(kernel_module):
    """Every distance is different and every candidate within reach: a round per distance would be squared."""
    n = 20_000 if kernel_module.NAME == "python" else 200_000
    a, b = np.arange(1, n + 1), n + 1000 * np.arange(1, n + 1)
    started = time.perf_counter()
    found = kernel_module.edit_counts(a, b, 2**53, False)
    assert time.perf_counter() - started < 5
    assert found == (0, 0, 0, n, int(b.sum() - a.sum()))

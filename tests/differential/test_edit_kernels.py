"""Boundary edit distance in batches, its distances, and minimal pairings: both kernels against oracles.

Source of truth: all matchings tried one by one, the banded table of the textbook, and the single calls that
test_brute_force.py checks against the thesis's algorithms.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura import Segmentation
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

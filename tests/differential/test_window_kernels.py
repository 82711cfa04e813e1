"""The batch kernels of windows, matching, overlap and the classics. Source of truth: calls for single pairs.

What a single call must give is tested elsewhere, against brute force, papers and rivals; here a batch over
two sides with arrays of their own must give the same for every pair, in both kernels.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura import Segmentation
from caesura.arrays import IntArray
from caesura.kernel import python

from ..properties import strategies as own

Pair = tuple[Segmentation, Segmentation]

samples = st.lists(st.one_of(own.plain_pairs(40), own.sparse_pairs(2**40)), max_size=8)


def side(segmentations: list[Segmentation]) -> tuple[IntArray, IntArray]:
    """Positions end to end and where each segmentation starts."""
    arrays = [segmentation.position_array for segmentation in segmentations]
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
    return np.concatenate([np.empty(0, dtype=np.int64), *arrays]), offsets


def two_sides(sample: list[Pair]) -> tuple[IntArray, ...]:
    """The sample as kernels take it; side b is stored backwards, so that no index fits both sides."""
    first = np.arange(len(sample), dtype=np.int64)
    second = np.ascontiguousarray(first[::-1])
    return (
        *side([one for one, _ in sample]),
        first,
        *side([other for _, other in reversed(sample)]),
        second,
    )


def lengths(sample: list[Pair]) -> IntArray:
    return np.array([one.n_units for one, _ in sample], dtype=np.int64)


def arrays(pair: Pair) -> tuple[IntArray, IntArray]:
    return pair[0].position_array, pair[1].position_array


@given(sample=samples, k=st.integers(1, 30), edges=st.sampled_from([0, 1, 2]))
def test_window_counts(sample: list[Pair], k: int, edges: int, kernel_module: ModuleType) -> None:
    n_units = lengths(sample)
    sizes = np.maximum(1, np.minimum(k, n_units - 1))
    rows = kernel_module.window_counts_many(*two_sides(sample), n_units, sizes, edges)
    assert rows.dtype == np.int64
    assert rows.shape == (len(sample), 6)
    assert [tuple(row) for row in rows.tolist()] == [
        python.window_counts(*arrays(pair), pair[0].n_units, size, edges)
        for pair, size in zip(sample, sizes.tolist(), strict=True)
    ]


@given(sample=samples, tolerance=st.integers(0, 8))
def test_matched_within(sample: list[Pair], tolerance: int, kernel_module: ModuleType) -> None:
    rows = kernel_module.matched_within_many(*two_sides(sample), tolerance)
    assert rows.dtype == np.int64
    assert rows.tolist() == [python.matched_within(*arrays(pair), tolerance) for pair in sample]


@given(sample=samples)
def test_largest_overlaps(sample: list[Pair], kernel_module: ModuleType) -> None:
    rows = kernel_module.largest_overlaps_many(*two_sides(sample), lengths(sample))
    assert rows.dtype == np.int64
    assert rows.tolist() == [python.largest_overlaps(*arrays(pair), pair[0].n_units) for pair in sample]

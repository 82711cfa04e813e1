"""The kernels of windows, matching, overlap and the classics, single and in batches.

Source of truth: kernel/python.py's single calls, which are tested elsewhere against brute force, papers and
rivals; a batch over two sides with arrays of their own must give the same for every pair, in both kernels.
Sums beyond 64 bits are worked out by hand.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import strategies as own

import caesura as cs
from caesura import Segmentation, kernel
from caesura.alignment.packed import PackedPairs
from caesura.arrays import IntArray
from caesura.kernel import native, python
from caesura.kernel.python import Side
from caesura.metrics import classic
from caesura.metrics.multi import MultWD
from caesura.values.columns import Columns

Pair = tuple[Segmentation, Segmentation]

samples = st.lists(st.one_of(own.plain_pairs(40), own.sparse_pairs(2**40)), max_size=8)


def side(segmentations: list[Segmentation], coding: IntArray) -> Side:
    """Positions end to end, where each segmentation starts, and which one each pair has."""
    arrays = [segmentation.position_array for segmentation in segmentations]
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
    return Side(np.concatenate([np.empty(0, dtype=np.int64), *arrays]), offsets, coding)


def two_sides(sample: list[Pair]) -> tuple[Side, Side]:
    """The sample as kernels take it; side b is stored backwards, so that no index fits both sides."""
    first = np.arange(len(sample), dtype=np.int64)
    second = np.ascontiguousarray(first[::-1])
    return (
        side([one for one, _ in sample], first),
        side([other for _, other in reversed(sample)], second),
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


@given(sample=samples)
def test_nearest_distances(sample: list[Pair], kernel_module: ModuleType) -> None:
    rows = kernel_module.nearest_distances_many(*two_sides(sample))
    assert rows.dtype == np.int64
    assert rows.tolist() == [python.nearest_distances(*arrays(pair)) for pair in sample]


def test_without_a_hypothesis_boundary_there_is_no_distance(kernel_module: ModuleType) -> None:
    assert kernel_module.nearest_distances(np.array([3, 5]), np.array([], dtype=np.int64)) == 0


costs = st.floats(0, 10, allow_subnormal=False)


@given(sample=samples, insertion=costs, deletion=costs, shift=costs)
def test_generalized_hamming(
    sample: list[Pair], insertion: float, deletion: float, shift: float, kernel_module: ModuleType
) -> None:
    rows = kernel_module.generalized_hamming_many(*two_sides(sample), insertion, deletion, shift)
    assert rows.dtype == np.float64
    single = kernel_module.generalized_hamming
    assert rows.tolist() == [single(*arrays(pair), insertion, deletion, shift) for pair in sample]


rates = st.one_of(st.floats(1e-12, 50), st.sampled_from([5e-324, 1e-200, 1e-5, 1e308]))


@given(pair=st.one_of(own.plain_pairs(40), own.sparse_pairs()), mu=rates)
def test_both_kernels_have_one_p_mu(pair: Pair, mu: float) -> None:
    arguments = (*arrays(pair), pair[0].n_units, mu)
    expected = python.p_mu(*arguments)
    # The value is one minus a share: what is below 1e-12 of the whole is lost in both.
    assert native.p_mu(*arguments) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert 0 <= expected <= 1


@given(sample=samples, mu=rates)
def test_p_mu(sample: list[Pair], mu: float, kernel_module: ModuleType) -> None:
    n_units, mus = lengths(sample), np.array([mu / (i + 1) for i in range(len(sample))])
    rows = kernel_module.p_mu_many(*two_sides(sample), n_units, mus)
    assert rows.dtype == np.float64
    assert rows.tolist() == [
        kernel_module.p_mu(*arrays(pair), pair[0].n_units, rate)
        for pair, rate in zip(sample, mus.tolist(), strict=True)
    ]


# -------------------------------------------------------------------- several references


@st.composite
def crowds(draw: st.DrawFn) -> list[Segmentation]:
    """Some segmentations of one document; the last is the hypothesis."""
    pairs = draw(st.lists(own.plain_pairs(25), min_size=1, max_size=4))
    n_units = max(one.n_units for one, _ in pairs)
    return [Segmentation.from_positions(one.position_array, n_units) for pair in pairs for one in pair]


def runs(sample: list[list[Segmentation]]) -> tuple[PackedPairs, IntArray]:
    """Pairs by hypothesis, and where each one's start; hypotheses are among the references, and backwards."""
    ends = np.cumsum([0, *map(len, sample)], dtype=np.int64)
    references = [i for start, end in pairwise(ends) for i in range(start, end - 1)]
    starts = ends - np.arange(len(ends))
    pairs = PackedPairs(
        Columns.of([one for crowd in sample for one in crowd]),
        Columns.of([crowd[-1] for crowd in reversed(sample)]),
        np.array(references, dtype=np.int64),
        np.repeat(np.arange(len(sample) - 1, -1, -1, dtype=np.int64), np.diff(starts)),
    )
    return pairs, starts


@given(sample=st.lists(crowds(), max_size=5), k=st.integers(1, 30))
def test_mult_window_counts(sample: list[list[Segmentation]], k: int, kernel_module: ModuleType) -> None:
    n_units = np.array([crowd[-1].n_units for crowd in sample], dtype=np.int64)
    sizes = np.maximum(1, np.minimum(k, n_units - 1))
    pairs, starts = runs(sample)
    references, every = pairs.sides
    hypotheses = replace(every, coding=every.coding[starts[:-1]])
    rows = kernel_module.mult_window_counts_many(references, starts, hypotheses, n_units, sizes)
    assert rows.dtype == np.int64
    assert rows.shape == (len(sample), 3)
    for row, crowd, size in zip(rows.tolist(), sample, sizes.tolist(), strict=True):
        *references, hypothesis = [one.position_array for one in crowd]
        arguments = (references, hypothesis, crowd[-1].n_units, size)
        assert tuple(row) == python.mult_window_counts(*arguments)
        assert kernel_module.mult_window_counts(*arguments) == tuple(row)


@given(
    sample=st.lists(crowds(), max_size=5),
    k=st.sampled_from([None, None, 1, 3, 100]),
    rounding=st.sampled_from(["half-even", "half-up", "half-down", "ceil", "floor"]),
)
def test_runs_of_references_are_scored_as_single_documents(
    sample: list[list[Segmentation]], k: int | None, rounding: str, kernel_module: ModuleType
) -> None:
    metric = MultWD(k=k, rounding=rounding)
    sample = [crowd for crowd in sample if own.has_window(metric, crowd[-1])]
    scores = metric.over_runs(*runs(sample))
    singles = [metric(crowd[:-1], crowd[-1]) for crowd in sample]
    assert [tuple(row) for row in scores.rows.tolist()] == [single.counts for single in singles]
    batch = metric.batch([crowd[:-1] for crowd in sample], [crowd[-1] for crowd in sample])
    assert batch.rows.tolist() == scores.rows.tolist()


def test_a_batch_names_the_run_of_references_of_other_lengths() -> None:
    with pytest.raises(cs.ComparisonError, match="pair 1: the reference has 6 units and the hypothesis 5"):
        MultWD().batch([[5], [[2, 3], [2, 4]]], [[5], [5]])


# -------------------------------------------------------------------- sizes


def test_a_sum_of_references_times_windows_beyond_64_bits_is_exact(kernel_module: ModuleType) -> None:
    """N − 1 windows of one position; all references have a boundary in window 0, the hypothesis none."""
    n_units, n_references = 2**53, 2000
    references = [Segmentation.from_positions([1], n_units)] * n_references
    expected = (n_references, 0, n_references * (n_units - 1), n_references * (n_units - 1))
    hypothesis = Segmentation.from_positions([], n_units)
    metric = MultWD(k=1)
    assert metric(references, hypothesis).counts == expected
    assert metric.batch([references, [[2]]], [hypothesis, [2]]).rows.tolist()[0] == list(expected)
    # By default k is half of 2 N h / (2 h) units.
    assert MultWD().batch([references], [hypothesis])[0].counts[3] == n_references * (n_units - 2**51)


def test_a_sum_of_distances_beyond_64_bits_is_exact(kernel_module: ModuleType) -> None:
    n_units, n_boundaries = 2**53, 3000
    reference = Segmentation.from_positions(range(1, n_boundaries + 1), n_units)
    hypothesis = Segmentation.from_positions([n_units - 1], n_units)
    total = n_boundaries * (n_units - 1) - n_boundaries * (n_boundaries + 1) // 2
    assert total > 2**63
    expected = pytest.approx(total / n_units, rel=1e-15)
    assert cs.break_distance(reference, hypothesis) == expected
    assert cs.metric("BD").batch([reference], [hypothesis]).values.tolist() == [expected]


def test_too_large_a_table_is_refused_before_the_work_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("the work has started")

    monkeypatch.setattr(classic, "MAX_CELLS", 8)
    monkeypatch.setattr(kernel.active, "generalized_hamming_many", never)
    references, hypotheses = [[5], [1, 1, 1, 2]], [[2, 3], [2, 1, 1, 1]]
    with pytest.raises(cs.ParameterError, match=r"^pair 1: GHD of 3 and 3 boundaries"):
        cs.metric("GHD").batch(references, hypotheses)
    with pytest.raises(cs.ParameterError, match=r"^GHD of 3 and 3 boundaries"):
        cs.metric("GHD")(references[1], hypotheses[1])

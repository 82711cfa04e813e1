"""Both kernels of cuts, messages and tilings give the same bits; each is right.

Sources of truth: brute force over all segmentations, and message passing written from its definition.
"""

from __future__ import annotations

import importlib
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.kernel import segmenting, segmenting_python

KERNELS = ("caesura.kernel.segmenting_python", "caesura.kernel.segmenting")
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(params=KERNELS)
def cutting_kernel(request):
    """Run the test on this kernel; a missing native module is a failure, never a skip."""
    return importlib.import_module(request.param)


def segmentations(n_units: int, n_segments: int | None):
    for number in range(1, n_units + 1) if n_segments is None else [n_segments]:
        for cuts in itertools.combinations(range(1, n_units), number - 1):
            yield list(itertools.pairwise([0, *cuts, n_units]))


# -------------------------------------------------------------------- normalized cuts


def random_band(rng: np.random.Generator, n_units: int, reach: int) -> np.ndarray:
    band = rng.random((n_units, reach + 1)) + 0.1
    for unit in range(n_units):
        band[unit, n_units - unit :] = 0.0
    return band


def dense(band: np.ndarray) -> np.ndarray:
    n_units, width = band.shape
    weights = np.zeros((n_units, n_units))
    for unit, d in itertools.product(range(n_units), range(width)):
        if unit + d < n_units:
            weights[unit, unit + d] = weights[unit + d, unit] = band[unit, d]
    return weights


def plain_cut(weights: np.ndarray, segments: list[tuple[int, int]], far_only: bool) -> float:
    """Σ cut / vol of Malioutov & Barzilay (2006), equation 3, as sums over pairs."""
    distance = np.abs(np.subtract.outer(np.arange(len(weights)), np.arange(len(weights))))
    inner = np.where(distance >= 2, weights, 0.0) if far_only else weights
    return sum((weights[a:b].sum() - inner[a:b, a:b].sum()) / weights[a:b].sum() for a, b in segments)


@pytest.mark.parametrize("far_only", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_cuts_are_least_among_all_segmentations(cutting_kernel, seed, far_only):
    rng = np.random.default_rng(seed)
    n_units = int(rng.integers(1, 9))
    band = random_band(rng, n_units, int(rng.integers(0, n_units)))
    for n_segments in range(1, n_units + 1):
        longest = int(rng.integers(-(-n_units // n_segments), n_units + 2))
        positions, value = cutting_kernel.normalised_cut(band, n_segments, longest, far_only)
        ends = list(itertools.pairwise([0, *positions.tolist(), n_units]))
        costs = [
            plain_cut(dense(band), one, far_only)
            for one in segmentations(n_units, n_segments)
            if max(b - a for a, b in one) <= longest
        ]
        assert max(b - a for a, b in ends) <= longest
        assert len(ends) == n_segments
        assert value == pytest.approx(min(costs), abs=1e-9)
        assert plain_cut(dense(band), ends, far_only) == pytest.approx(value, abs=1e-9)


@given(seeds, st.integers(1, 15), st.booleans())
def test_cuts_are_the_same_on_both_kernels(seed, n_units, far_only):
    rng = np.random.default_rng(seed)
    band = random_band(rng, n_units, int(rng.integers(0, n_units)))
    n_segments = int(rng.integers(1, n_units + 1))
    longest = int(rng.integers(-(-n_units // n_segments), n_units + 2))
    found = [
        kernel.normalised_cut(band, n_segments, longest, far_only)
        for kernel in (segmenting, segmenting_python)
    ]
    assert found[0][0].tolist() == found[1][0].tolist()
    assert found[0][1] == found[1][1]


# -------------------------------------------------------------------- affinity propagation


def plain_messages(s: np.ndarray, reach: int, damping: float, n_rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Max-sum on the graph of Kazantseva & Szpakowicz (2011), every message from its definition."""
    n = len(s)
    near = [[j for j in range(n) if abs(i - j) <= reach] for i in range(n)]
    rho, alpha = np.zeros((n, n)), np.zeros((n, n))

    def blocks(j: int):
        for left in range(max(0, j - reach), j + 1):
            for right in range(j, min(n, j + reach + 1)):
                yield range(left, right + 1)

    for _ in range(n_rounds):
        for i in range(n):
            new = {j: s[i, j] - max(alpha[i, k] + s[i, k] for k in near[i] if k != j) for j in near[i]}
            for j, value in new.items():
                rho[i, j] = damping * rho[i, j] + (1 - damping) * value
        for j in range(n):
            new = {}
            for i in near[j]:
                others = [(i in block, sum(rho[k, j] for k in block if k != i)) for block in blocks(j)]
                with_i = max(value for is_in, value in others if is_in)
                without = max([0.0, *(value for is_in, value in others if not is_in)])
                new[i] = with_i - without
            for i, value in new.items():
                alpha[i, j] = damping * alpha[i, j] + (1 - damping) * value
    return rho, alpha


def by_distance(s: np.ndarray, reach: int) -> np.ndarray:
    n = len(s)
    rows = np.zeros((2 * reach + 1, n))
    for i, d in itertools.product(range(n), range(-reach, reach + 1)):
        if 0 <= i + d < n:
            rows[reach + d, i] = s[i, i + d]
    return rows


@pytest.mark.parametrize("seed", range(8))
def test_messages_are_those_of_the_plain_version(cutting_kernel, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    reach = int(rng.integers(1, n))
    s = rng.random((n, n))
    np.fill_diagonal(s, -rng.random())
    messages = [np.zeros((2 * reach + 1, n)) for _ in range(2)]
    evidence, n_rounds = cutting_kernel.propagate(by_distance(s, reach), *messages, 0.6, 12, 1000)
    rho, alpha = plain_messages(s, reach, 0.6, 12)
    assert n_rounds == 12
    assert messages[0] == pytest.approx(by_distance(rho, reach), abs=1e-9)
    assert messages[1] == pytest.approx(by_distance(alpha, reach), abs=1e-9)
    assert evidence == pytest.approx(np.diag(rho) + np.diag(alpha), abs=1e-9)


@given(seeds, st.integers(2, 12))
def test_messages_are_the_same_on_both_kernels(seed, n):
    rng = np.random.default_rng(seed)
    reach = int(rng.integers(1, n))
    s = rng.random((2 * reach + 1, n))
    s[reach] = -rng.random()
    found = []
    for kernel in (segmenting, segmenting_python):
        messages = [np.zeros_like(s), np.zeros_like(s)]
        evidence, n_rounds = kernel.propagate(s, *messages, 0.5, 60, 10)
        found.append((evidence.tobytes(), n_rounds, messages[0].tobytes(), messages[1].tobytes()))
    assert found[0] == found[1]


# -------------------------------------------------------------------- tilings


@pytest.mark.parametrize("seed", range(6))
def test_tilings_are_best_among_all_segmentations(cutting_kernel, seed):
    """Every interval, with tiles that count 0, 1 or 2."""
    rng = np.random.default_rng(seed)
    n, most = 5, 4
    values = rng.random((n, n, 3)) * 4 - 2
    found = cutting_kernel.tilings(values, n, most)
    for start, end in itertools.combinations(range(n + 1), 2):
        best = dict.fromkeys(range(most + 1), -np.inf)
        for segments in segmentations(end - start, None):
            for counts in itertools.product(range(3), repeat=len(segments)):
                total = sum(
                    values[start + a, b - a - 1, j] for (a, b), j in zip(segments, counts, strict=True)
                )
                if sum(counts) <= most:
                    best[sum(counts)] = max(best[sum(counts)], total)
        assert found[start, end - start - 1].tolist() == pytest.approx(list(best.values()))
        for count in (count for count, value in best.items() if value > -np.inf):
            starts, counts = cutting_kernel.tiling(values, start, end, count)
            ends = [*starts[1:].tolist(), end]
            total = sum(values[a, b - a - 1, j] for a, b, j in zip(starts, ends, counts, strict=True))
            assert (starts[0], counts.sum()) == (start, count)
            assert total == pytest.approx(best[count])


@given(seeds, st.integers(1, 8), st.integers(1, 3), st.integers(0, 4))
def test_tilings_are_the_same_on_both_kernels(seed, n, n_counts, most):
    rng = np.random.default_rng(seed)
    values = rng.random((n, int(rng.integers(1, n + 1)), n_counts))
    width = int(rng.integers(1, n + 1))
    found = [kernel.tilings(values, width, most) for kernel in (segmenting, segmenting_python)]
    assert np.array_equal(*found)
    traced = [kernel.tiling(values, 0, n, most) for kernel in (segmenting, segmenting_python)]
    assert [one.tolist() for one in traced[0]] == [one.tolist() for one in traced[1]]

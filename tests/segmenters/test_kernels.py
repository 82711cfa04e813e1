"""Both kernels give the same bits; each is right. Sources of truth: plain definitions and brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.kernel import segmenting, segmenting_python
from caesura.segmenters.c99 import C99
from caesura.segmenters.least_cost import U00, BayesSeg
from caesura.segmenters.text import count_terms

texts = st.lists(st.text("abcd ", max_size=8).map(" ".join), min_size=1, max_size=12)
LETTERS = str.split


def random_matrix(rng: np.random.Generator, n_rows: int, n_columns: int) -> np.ndarray:
    return rng.integers(0, 6, (n_rows, n_columns)) / 5.0


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (3, 3), (7, 20), (30, 30)])
@pytest.mark.parametrize("mask", [3, 5, 11])
def test_ranks_are_shares_of_smaller_neighbours(segmenting_kernel, shape, mask):
    matrix = random_matrix(np.random.default_rng(1), *shape)
    found = segmenting_kernel.ranks(matrix, mask)
    for row, column in np.ndindex(*shape):
        around = [
            matrix[i, j]
            for i in range(max(0, row - mask // 2), min(shape[0], row + mask // 2 + 1))
            for j in range(max(0, column - mask // 2), min(shape[1], column + mask // 2 + 1))
        ]
        smaller = sum(value < matrix[row, column] for value in around)
        assert found[row, column] == smaller / max(len(around) - 1, 1)


@given(texts)
def test_dot_products(units):
    counted = count_terms(units, LETTERS)
    dense = np.zeros((counted.n_units, counted.n_terms))
    unit = np.repeat(np.arange(counted.n_units), np.diff(counted.offsets))
    dense[unit, counted.terms] = counted.counts
    for kernel in (segmenting, segmenting_python):
        rows, columns = (0, counted.n_units), (counted.n_units // 2, counted.n_units)
        found = kernel.gram(counted.offsets, counted.terms, counted.weights, counted.n_terms, rows, columns)
        assert np.array_equal(found, dense @ dense[columns[0] :].T)


def plain_divide(ranks: np.ndarray, window: int) -> list[int]:
    """C99's splits from the definition: sums over cells, nothing remembered."""
    n = len(ranks)
    near = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= window

    def inside(*segments: tuple[int, int]) -> tuple[float, float]:
        ranked = sum(float((ranks * near)[a:b, a:b].sum()) for a, b in segments)
        return ranked, float(sum(near[a:b, a:b].sum() for a, b in segments))

    def density(*segments: tuple[int, int]) -> float:
        ranked, cells = inside(*segments)
        return ranked / cells

    ends = [0, n]
    order: list[int] = []
    while len(ends) <= n:
        candidates = []
        segments = list(itertools.pairwise(ends))
        for a, b in segments:
            if b - a > 1:
                local = max(range(a + 1, b), key=lambda p, a=a, b=b: (round(density((a, p), (p, b)), 10), p))
                rest = [one for one in segments if one != (a, b)]
                candidates.append((round(density(*rest, (a, local), (local, b)), 10), local))
        order.append(max(candidates)[1])
        ends = sorted([*ends, order[-1]])
    return order


@pytest.mark.parametrize("window", [1, 3, 50])
@pytest.mark.parametrize("seed", range(4))
def test_divisions_are_those_of_the_definition(segmenting_kernel, window, seed):
    rng = np.random.default_rng(seed)
    n = 14
    ranks = random_matrix(rng, n, n)
    ranks = (ranks + ranks.T) / 2
    sums = np.concatenate((np.zeros((n, 1)), np.cumsum(ranks, axis=1)), axis=1)
    starts = np.zeros(n, dtype=np.int64)
    positions, densities = segmenting_kernel.divide(sums, starts, window, n - 1)
    assert positions.tolist() == plain_divide(ranks, window)
    assert len(densities) == n


@given(texts, st.sampled_from([None, 1, 2, 5]), st.sampled_from([3, 11]))
def test_c99_is_the_same_on_both_kernels(units, window, mask):
    c99 = C99(mask=mask, window=window, words=LETTERS)
    found = []
    for kernel in (segmenting, segmenting_python):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("caesura.kernel.active_segmenting", kernel)
            found.append([numbers.tobytes() for numbers in c99.splits(units)])
    assert found[0] == found[1]


@given(texts, st.integers(0, 12), st.sampled_from([None, 4]))
def test_least_costs_are_the_same_on_both_kernels(units, n_segments, longest):
    wanted = min(n_segments, len(units)) or None
    if longest is not None and wanted is not None and wanted * longest < len(units):
        wanted = None
    for segmenter in (U00(words=LETTERS, longest=longest), BayesSeg(words=LETTERS, longest=longest)):
        found = []
        for kernel in (segmenting, segmenting_python):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("caesura.kernel.active_segmenting", kernel)
                positions, cost = segmenter.search(units, wanted)
                found.append((positions.tolist(), cost))
        assert found[0] == found[1]


# -------------------------------------------------------------------- optimal among all segmentations


def u00_cost(segments: list[list[str]]) -> float:
    """Utiyama & Isahara (2001), as in SPEC §13."""
    every = [token for segment in segments for token in segment]
    n, v = len(every), len(set(every))
    total = 0.0
    for segment in segments:
        total += math.log(max(n, 1))
        for term in set(segment):
            n_w = segment.count(term)
            total += n_w * math.log((len(segment) + v) / (n_w + 1))
    return total


def dcm_cost(segments: list[list[str]], beta: float = 0.2) -> float:
    """Eisenstein & Barzilay (2008): − ln of a Dirichlet compound multinomial, as in SPEC §13."""
    v = max(len({token for segment in segments for token in segment}), 1)
    total = 0.0
    for segment in segments:
        total -= math.lgamma(v * beta) - math.lgamma(len(segment) + v * beta)
        for term in set(segment):
            total -= math.lgamma(segment.count(term) + beta) - math.lgamma(beta)
    return total


def geometric_cost(segments: list[list[str]], sizes: list[int], mean: float = 10.0) -> float:
    return dcm_cost(segments) - sum(math.log((1 / mean) * (1 - 1 / mean) ** (size - 1)) for size in sizes)


def all_segmentations(units: list[str], n_segments: int | None):
    n = len(units)
    numbers = range(1, n + 1) if n_segments is None else [n_segments]
    for number in numbers:
        for cuts in itertools.combinations(range(1, n), number - 1):
            ends = [0, *cuts, n]
            yield (
                [[t for unit in units[a:b] for t in unit.split()] for a, b in itertools.pairwise(ends)],
                [b - a for a, b in itertools.pairwise(ends)],
            )


@given(st.lists(st.text("abc ", max_size=6).map(" ".join), min_size=1, max_size=7), st.integers(0, 7))
def test_u00_is_least_among_all_segmentations(units, n_segments):
    wanted = min(n_segments, len(units)) or None
    least = min(u00_cost(segments) for segments, _ in all_segmentations(units, wanted))
    u00 = U00(words=LETTERS)
    assert u00.least(units, wanted) == pytest.approx(least, abs=1e-9)
    found = u00(units, wanted)
    assert wanted is None or found.n_segments == wanted
    ends = [0, *found.positions, len(units)]
    segments = [[t for unit in units[a:b] for t in unit.split()] for a, b in itertools.pairwise(ends)]
    assert u00_cost(segments) == pytest.approx(least, abs=1e-9)


@given(st.lists(st.text("abc ", max_size=6).map(" ".join), min_size=1, max_size=7), st.integers(0, 7))
def test_bayesseg_is_likeliest_among_all_segmentations(units, n_segments):
    wanted = min(n_segments, len(units)) or None
    least = min(
        geometric_cost(segments, sizes) if wanted is None else dcm_cost(segments)
        for segments, sizes in all_segmentations(units, wanted)
    )
    assert BayesSeg(words=LETTERS).least(units, wanted) == pytest.approx(least, abs=1e-9)


@given(st.lists(st.text("abc ", max_size=6).map(" ".join), min_size=1, max_size=7))
def test_scores_are_what_the_best_without_a_boundary_costs_more_than_the_best_with(units):
    """By brute force; the boundaries that are found without a number are those above 0."""
    costs = {
        U00(words=LETTERS): lambda segments, sizes: u00_cost(segments),
        BayesSeg(words=LETTERS): geometric_cost,
    }
    for segmenter, cost in costs.items():
        best = {True: [math.inf] * (len(units) - 1), False: [math.inf] * (len(units) - 1)}
        for segments, sizes in all_segmentations(units, None):
            ends, value = set(itertools.accumulate(sizes)), cost(segments, sizes)
            for gap in range(len(units) - 1):
                least = best[gap + 1 in ends]
                least[gap] = min(least[gap], value)
        scores = segmenter.scores(units)
        gains = [without - with_one for with_one, without in zip(best[True], best[False], strict=True)]
        assert scores.tolist() == pytest.approx(gains, abs=1e-9)
        found = segmenter(units).positions
        assert all(position in found for position in (scores > 1e-9).nonzero()[0] + 1)
        assert all(position not in found for position in (scores < -1e-9).nonzero()[0] + 1)


@given(texts, st.sampled_from([None, 1, 4]))
def test_scores_are_the_same_on_both_kernels(units, longest):
    for segmenter in (U00(words=LETTERS, longest=longest), BayesSeg(words=LETTERS, longest=longest)):
        found = []
        for kernel in (segmenting, segmenting_python):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("caesura.kernel.active_segmenting", kernel)
                found.append(segmenter.scores(units).tolist())
        assert found[0] == found[1]

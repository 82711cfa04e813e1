"""The weights of the Poisson bootstrap: both kernels give the same, and each is right.

Sources of truth: the published test vectors of FNV-1a (Fowler, Noll & Vo) and of SplitMix64 (Steele, Lea &
Flood 2014, as in Java's SplittableRandom), Poisson probabilities from SciPy, and the definition written out.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from caesura.kernel import resampling, resampling_python
from caesura.kernel.resampling_python import BOUNDS, CELLS, STEP, mixed

KERNELS = ("caesura.kernel.resampling_python", "caesura.kernel.resampling")


@pytest.fixture(params=KERNELS)
def resampling_kernel(request):
    """Run the test on this kernel; a missing native module is a failure, never a skip."""
    return importlib.import_module(request.param)


def packed(names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    encoded = [name.encode() for name in names]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def some_hashes(n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(2**64, size=n, dtype=np.uint64)


# -------------------------------------------------------------------- names


def test_fowler_noll_and_vo_s_test_vectors(resampling_kernel):
    found = resampling_kernel.hash_names(*packed(["", "a", "foobar"])).tolist()
    assert found == [0xCBF29CE484222325, 0xAF63DC4C8601EC8C, 0x85944171F73967E8]


@given(st.lists(st.text(max_size=20), max_size=10))
def test_both_kernels_hash_names_alike(names):
    arrays = packed(names)
    assert resampling.hash_names(*arrays).tolist() == resampling_python.hash_names(*arrays).tolist()


def test_names_may_start_anywhere_in_the_buffer(resampling_kernel):
    data, offsets = packed(["xx", "a", "foobar"])
    assert resampling_kernel.hash_names(data, offsets[1:]).tolist() == [
        0xAF63DC4C8601EC8C,
        0x85944171F73967E8,
    ]


# -------------------------------------------------------------------- draws


def test_splitmix64_of_seed_1234567():
    counter = np.arange(1, 6, dtype=np.uint64)
    words = mixed(np.uint64(1234567) + counter * np.uint64(STEP))
    assert words.tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def weight_by_definition(seed: int, number: int, resample: int) -> int:
    """Python's integers alone, one weight at a time."""

    def mix(word: int) -> int:
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB % 2**64
        return word ^ (word >> 31)

    word = mix((mix(number ^ seed) + (resample // 4 + 1) * 0x9E3779B97F4A7C15) % 2**64)
    draw = word >> (16 * (resample % 4)) & 0xFFFF
    weight = 0
    while draw >= sum(CELLS[: weight + 1]):
        weight += 1
    return weight


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_weights_by_definition(resampling_kernel, seed):
    hashes = some_hashes(20)
    found = resampling_kernel.poisson_weights(seed, hashes, 30)
    expected = [[weight_by_definition(seed, number, b) for b in range(30)] for number in hashes.tolist()]
    assert found.tolist() == expected


@pytest.mark.parametrize("n_resamples", [1, 2, 3, 4, 5, 99])
@pytest.mark.parametrize("n_documents", [0, 1, 255, 256, 257, 600])
def test_both_kernels_draw_and_sum_alike(n_documents, n_resamples):
    hashes = some_hashes(n_documents)
    generator = np.random.default_rng(2)
    counts = generator.integers(-(2**15), 2**15, size=(3, n_documents)).astype(np.int16)
    weights = [kernel.poisson_weights(7, hashes, n_resamples) for kernel in (resampling, resampling_python)]
    assert np.array_equal(*weights)
    sums = [kernel.poisson_sums(7, hashes, counts, n_resamples) for kernel in (resampling, resampling_python)]
    assert np.array_equal(*sums)
    by_hand = [[sum(map(int, w * c)) for w in weights[0].T.astype(int)] for c in counts.astype(int)]
    assert sums[0].tolist() == by_hand


def test_the_greatest_counts_and_weights_do_not_overflow(resampling_kernel):
    hashes = some_hashes(4096)
    for extreme in (-(2**15), 2**15 - 1):
        counts = np.full((1, len(hashes)), extreme, dtype=np.int16)
        found = resampling_kernel.poisson_sums(3, hashes, counts, 8)
        weights = resampling_kernel.poisson_weights(3, hashes, 8).astype(np.int64)
        assert found[0].tolist() == (weights.sum(axis=0) * extreme).tolist()


def test_a_weight_depends_on_the_name_and_the_resample_alone(resampling_kernel):
    hashes = some_hashes(500)
    whole = resampling_kernel.poisson_weights(5, hashes, 40)
    assert np.array_equal(whole[:, :13], resampling_kernel.poisson_weights(5, hashes, 13))
    assert np.array_equal(whole[100:300], resampling_kernel.poisson_weights(5, hashes[100:300], 40))
    assert np.array_equal(whole[::-1], resampling_kernel.poisson_weights(5, hashes[::-1].copy(), 40))
    assert not np.array_equal(whole, resampling_kernel.poisson_weights(6, hashes, 40))


# -------------------------------------------------------------------- the distribution


def test_the_cells_have_mean_and_variance_1_and_are_near_poisson():
    cells = np.array(CELLS)
    numbers = np.arange(len(cells))
    assert cells.sum() == (cells * numbers).sum() == 2**16
    assert (cells * numbers**2).sum() == 2 * 2**16
    expected = stats.poisson(1).pmf(np.arange(30))
    padded = np.pad(cells / 2**16, (0, 30 - len(cells)))
    assert np.abs(padded - expected).sum() / 2 < 1e-4
    assert BOUNDS.tolist() == np.cumsum(cells)[:-1].tolist()


def test_weights_are_poisson_by_chi_square():
    """Names that differ in a digit, as those of a corpus do."""
    hashes = resampling.hash_names(*packed([f"document-{i}" for i in range(2000)]))
    weights = resampling.poisson_weights(11, hashes, 500)
    found = np.bincount(weights.ravel(), minlength=9)
    expected = stats.poisson(1).pmf(np.arange(6)) * weights.size
    observed = [*found[:6], found[6:].sum()]
    _, p_value = stats.chisquare(observed, [*expected, weights.size - expected.sum()])
    assert p_value > 1e-4


def test_weights_of_documents_and_of_resamples_do_not_hang_together():
    hashes = resampling.hash_names(*packed([f"d{i}" for i in range(400)]))
    weights = resampling.poisson_weights(2, hashes, 400).astype(float)
    for table in (weights, weights.T):
        correlations = np.corrcoef(table)[np.triu_indices(400, 1)]
        # 79,800 of them, each with a standard deviation of 1 / √400.
        assert abs(correlations.mean()) < 0.001
        assert correlations.std() == pytest.approx(0.05, rel=0.02)
        assert np.abs(correlations).max() < 0.3

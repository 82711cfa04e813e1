"""The kernels of the Poisson bootstrap and of exact sums in Python: the definition of resampling.pyx.

The weights of a document depend only on its name and the seed, so every thread, process and machine draws the
same weights, in any order. All numbers are integers; nothing is rounded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray

NAME = "python"

WORD = 2**64 - 1
FNV_START, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
STEP, FIRST_FACTOR, SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

DRAWS = 4  # draws in a word of 64 random bits, of 16 bits each

CELLS = (24107, 24113, 12055, 4017, 1004, 201, 33, 5, 1)
"""The numbers of 16-bit values (of 2**16) that stand for the weights 0, 1, 2 and so on.

Poisson(1) would have 24109.35, 24109.35, 12054.67, 4018.22, 1004.56, 200.91, 33.49, 4.78 and 0.67 (8 and
above). These integers are the nearest (by χ²) with mean and variance exactly 1, on which the standard error
of a bootstrap depends. Their total variation distance from Poisson(1) is 0.00007.
"""

BOUNDS = np.cumsum(CELLS)[:-1]  # the least 16-bit values that stand for the weights 1, 2 and so on

BLOCK = 1024  # documents whose weights are held at a time


def hash_names(data: NDArray[np.uint8], offsets: IntArray) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each name: FNV-1a of its UTF-8 bytes (Fowler, Noll & Vo).

    >>> hash_names(np.frombuffer(b"afoobar", dtype=np.uint8), np.array([0, 1, 7])).tolist()
    [12638187200555641996, 9625390261332436968]
    """
    hashes = np.empty(len(offsets) - 1, dtype=np.uint64)
    for name in range(len(hashes)):
        number = FNV_START
        for byte in data[offsets[name] : offsets[name + 1]].tobytes():
            number = (number ^ byte) * FNV_PRIME & WORD
        hashes[name] = number
    return hashes


def square_sum(numbers: IntArray) -> int:
    """Return the sum of squares of numbers below 2**51, exact, however large.

    >>> square_sum(np.array([2**50, -3]))
    1267650600228229401496703205385
    """
    return sum(number * number for number in numbers.tolist())


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix numbers so that every bit depends on every bit of the input: the last step of SplitMix64.

    Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators.
    """
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(FIRST_FACTOR)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(SECOND_FACTOR)
    return numbers ^ (numbers >> np.uint64(31))


def poisson_weights(seed: int, hashes: NDArray[np.uint64], n_resamples: int) -> NDArray[np.int16]:
    """Return the weight of each document in each resample, documents × resamples.

    SplitMix64 runs as a counter-based generator: word i of a document is ``mixed(key + (i + 1) STEP)`` with
    key ``mixed(hash ^ seed)``. The weight in resample b comes from the 16 bits of word ⌊b / 4⌋ that start at
    bit 16 (b mod 4). So it depends only on the seed, the document's name and b.
    """
    key = mixed(hashes ^ np.uint64(seed))
    counter = np.arange(1, -(-n_resamples // DRAWS) + 1, dtype=np.uint64)
    words = mixed(key[:, np.newaxis] + counter * np.uint64(STEP))
    shifts = np.arange(DRAWS, dtype=np.uint64) * np.uint64(16)
    bits = (words[:, :, np.newaxis] >> shifts) & np.uint64(0xFFFF)
    drawn = bits.reshape(len(hashes), len(counter) * DRAWS)[:, :n_resamples]
    weights: NDArray[np.int16] = np.searchsorted(BOUNDS, drawn, side="right").astype(np.int16)
    return weights


def poisson_sums(
    seed: int, hashes: NDArray[np.uint64], counts: NDArray[np.int16], n_resamples: int
) -> IntArray:
    """Return Σ weight × count over documents, columns × resamples; ``counts`` are columns × documents."""
    sums = np.zeros((len(counts), n_resamples), dtype=np.int64)
    for start in range(0, len(hashes), BLOCK):
        block = slice(start, start + BLOCK)
        weights = poisson_weights(seed, hashes[block], n_resamples).astype(np.int64)
        sums += np.einsum("cd,dr->cr", counts[:, block].astype(np.int64), weights)
    return sums

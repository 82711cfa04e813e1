"""A randomization test within blocks, for whether one member differs from the others."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from caesura.arrays import FloatArray, IntArray, bincount

MOST_STEPS = 10**7
"""Most additions for the exact distribution of a sum; beyond, it is taken as normal."""

ROUNDING = 1e-9
"""The relative difference up to which sums are equal."""


class Exchanged(NamedTuple):
    """The test of one member's total."""

    p_value: float
    """The share of permutations as far from the mean as the total, two-sided."""
    least_p: float
    """The smallest possible p of these blocks."""


def exchange_test(values: IntArray, block: IntArray, member: IntArray, n_members: int) -> list[Exchanged]:
    """Test whether the total of each member differs from those of the others in its blocks.

    Under the null hypothesis the members of a block are exchangeable: the value of a member is any of the
    block's values with equal probability, independently of other blocks. The total is compared with the
    distribution of such sums, which is exact (convolved), or normal for very many blocks. Blocks with one
    member do not count; p is NaN for a member without other blocks.

    Parameters
    ----------
    values, block, member
        Of each value the number, its block and its member.
    n_members
        The number of members.

    >>> counts, coder = np.array([9, 5, 5, 8, 4, 5, 9, 3, 3]), np.array([0, 1, 2] * 3)
    >>> [round(test.p_value, 4) for test in exchange_test(counts, np.repeat([0, 1, 2], 3), coder, 3)]
    [0.037, 0.3333, 0.4815]
    """
    _, number, sizes = np.unique(block, return_inverse=True, return_counts=True)
    blocks = np.split(values[np.argsort(number, kind="stable")], np.cumsum(sizes)[:-1])
    shared = np.flatnonzero(sizes[number] > 1)
    shared = shared[np.lexsort((number[shared], member[shared]))]
    ends = np.searchsorted(member[shared], np.arange(n_members + 1))
    sums: dict[bytes, _Sums] = {}  # members of the same blocks share a distribution
    results = []
    for start, end in pairwise(ends.tolist()):
        own = number[shared[start:end]]
        key = own.tobytes()
        if key not in sums and len(own):
            sums[key] = _Sums.of([blocks[i] for i in own.tolist()])
        total = int(values[shared[start:end]].sum())
        results.append(sums[key].test(total) if len(own) else Exchanged(math.nan, math.nan))
    return results


class _Sums(NamedTuple):
    """The distribution of sums of one value from each block."""

    mean: float
    variance: float
    distances: FloatArray | None
    """The distance of each possible sum from the mean, ascending; None: normal."""
    beyond: FloatArray
    """The probability of at least this distance."""

    @classmethod
    def of(cls, blocks: list[IntArray]) -> _Sums:
        mean = math.fsum(float(block.mean()) for block in blocks)
        variance = math.fsum(float(block.var()) for block in blocks)
        spans = [int(block.max() - block.min()) + 1 for block in blocks]
        if sum(spans) * max(spans) * len(blocks) > MOST_STEPS:
            return cls(mean, variance, None, np.empty(0))
        chances = np.ones(1)
        for block in blocks:
            counts = bincount(block - block.min())
            chances = np.convolve(chances, counts / len(block))
        distances = np.abs(sum(int(block.min()) for block in blocks) + np.arange(len(chances)) - mean)
        order = np.argsort(distances, kind="stable")
        distances, chances = distances[order], chances[order]
        possible = chances > 0
        return cls(mean, variance, distances[possible], np.cumsum(chances[possible][::-1])[::-1])

    def test(self, total: int) -> Exchanged:
        if not self.variance:
            return Exchanged(1.0, 1.0)
        distance = abs(total - self.mean)
        if self.distances is None:
            return Exchanged(math.erfc(distance / math.sqrt(2 * self.variance)), 0.0)
        slack = ROUNDING * max(1.0, abs(self.mean))
        own, last = np.searchsorted(self.distances, [distance - slack, self.distances[-1] - slack])
        return Exchanged(min(1.0, float(self.beyond[own])), float(self.beyond[last]))

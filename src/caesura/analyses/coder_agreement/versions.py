"""Bootstrap and permutation test of the difference between two versions of a corpus.

The unit is the document. A document in both versions is drawn as a whole, and a permutation may swap its two
versions. Documents in one version are drawn among themselves, and a permutation may move them to the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.coefficients import COMPARED
from caesura.analyses.coder_agreement.strata import Items, Stratum
from caesura.arrays import FloatArray, divided, repeat
from caesura.stats.intervals import student_levels
from caesura.stats.outcome import Interval
from caesura.stats.resampling import TOLERANCE, Progress, Resampling, chunks, draw, interval_of
from caesura.values.columns import BoolArray

FEWEST_DF = 0.5
"""Degrees of freedom of a kind of documents if only one of them counts."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DifferenceTest:
    """The interval of a difference, and its permutation test."""

    interval: Interval | None = None
    """Bootstrap interval of the difference over documents; None if not computed."""
    p_value: float = math.nan
    """Two-sided p of the hypothesis that both versions agree equally well; NaN if not computed.

    It is the share of permutations with at least this difference; random permutations include the data.
    """
    n_exchanges: int = 0
    """The number of permutations behind p."""
    is_exact: bool = False
    """Whether these are all permutations."""


class Moved(NamedTuple):
    """The differences of permutations, and the influence of documents on them: documents × permutations."""

    difference: FloatArray
    influence: FloatArray
    """The influence of each document on the difference."""
    corrected: FloatArray
    """The influence divided by √(1 − h) in each version, for a share h of its comparisons."""
    share: FloatArray
    """These shares, summed over both versions."""


class Kind(NamedTuple):
    """The documents in both versions, or in one of them."""

    n: int
    squares: FloatArray
    """The sum of squares around their mean, by permutation."""
    effective: FloatArray
    """The effective number of documents: (Σ h)² / Σ h²."""


@dataclass(frozen=True, eq=False)
class Versions:
    """The documents of two versions: first those in both, then the others of each version."""

    first: Items
    second: Items
    n_shared: int
    n_first: int  # of the first alone
    n_second: int

    @classmethod
    def of(cls, first: Stratum, second: Stratum) -> Versions:
        """Pair the documents of two strata by their names."""
        from scipy.sparse import csr_array

        names = first.document_names, second.document_names
        both = {*names[0]} & {*names[1]}
        shared = [name for name in names[0] if name in both]
        own = [[name for name in side if name not in both] for side in names]
        column = {name: i for i, name in enumerate((*shared, *own[0], *own[1]))}
        sums = {*first.contributions.numbers, *second.contributions.numbers}
        sides = []
        for stratum, side in zip((first, second), names, strict=True):
            items = stratum.items(stratum.expectation_of(sums))
            row, columns = np.arange(len(side)), np.array([column[name] for name in side], dtype=np.int64)
            spread = csr_array((np.ones(len(side)), (row, columns)), shape=(len(side), len(column)))
            matrix = (items.matrix @ spread).tocsr()
            matrix.sort_indices()
            sides.append(Items(items.expectation, matrix, np.ones(len(column), dtype=np.int64)))
        return cls(sides[0], sides[1], len(shared), len(own[0]), len(own[1]))

    @property
    def n_documents(self) -> int:
        """Number of documents; shared ones count once."""
        return self.n_shared + self.n_first + self.n_second

    @cached_property
    def _is_second(self) -> BoolArray:
        """Whether each document in one version is in the second."""
        return repeat([False, True], (self.n_first, self.n_second))

    @property
    def _as_it_is(self) -> BoolArray:
        """The permutation that moves no document."""
        return np.zeros((self.n_documents, 1), dtype=bool)

    @property
    def _cells(self) -> int:
        return max(self.n_documents, int(self.first.matrix.shape[0]))

    def tested(
        self, difference: float, resampling: Resampling, rng: np.random.Generator, progress: Progress | None
    ) -> DifferenceTest:
        """Return the interval of the difference, and its permutation test.

        If there are at most ``n_resamples`` permutations, the test uses all of them.
        """
        values = self._resampled(resampling.n_resamples, rng, progress)
        interval = self._interval(difference, values, resampling.confidence)
        p_value, n, is_exact = self._permuted(resampling.n_resamples, rng, progress)
        return DifferenceTest(interval=interval, p_value=p_value, n_exchanges=n, is_exact=is_exact)

    # ---------------------------------------------------------------- bootstrap

    def _interval(self, difference: float, values: FloatArray, confidence: float) -> Interval | None:
        """Return the expanded percentile interval (Hesterberg 2015); None if undefined."""
        known = values[~np.isnan(values)]
        moved = self._moved(self._as_it_is)
        # The variance of a bootstrap, without correction, and the corrected variance.
        kinds = self._kinds(moved.influence, moved.share, self._as_it_is)
        biased = sum(float(kind.squares[0]) for kind in kinds)
        (variance,), (df,) = self._variance(moved, self._as_it_is)
        if not len(known) or not biased or math.isnan(df):
            return None
        levels = student_levels(confidence, math.sqrt(variance) / math.sqrt(biased), float(df))
        return interval_of(difference, known, levels)

    def _resampled(self, n_resamples: int, rng: np.random.Generator, progress: Progress | None) -> FloatArray:
        """Return the difference in each resample; documents are drawn within their kind."""
        kinds = [np.ones(n, dtype=np.int64) for n in (self.n_shared, self.n_first, self.n_second) if n]
        values = np.empty(n_resamples)
        for start, stop in chunks(n_resamples, self._cells, progress, after=n_resamples):
            weights = np.concatenate([draw(kind, stop - start, rng) for kind in kinds], axis=1).T.copy()
            first, second = (side.values(side.sums(weights)) for side in (self.first, self.second))
            values[start:stop] = first - second
        return values

    # ---------------------------------------------------------------- permutations

    def _permuted(
        self, n_resamples: int, rng: np.random.Generator, progress: Progress | None
    ) -> tuple[float, int, bool]:
        """Return p, the number of permutations, and whether these are all.

        The statistic is p by Student's t, with the standard error and degrees of freedom of each permutation.
        The difference alone would ignore that the versions differ in coders, boundaries or documents, and t
        alone that a few documents may dominate a permutation.
        """
        within: int = 2**self.n_shared
        n_all = within * math.comb(self.n_first + self.n_second, self.n_first)
        is_exact, n = n_all <= n_resamples, min(n_all, n_resamples)
        bound = float(self._unlikely(self._as_it_is)[0]) * (1 + 1e-6)
        every = self._all_swaps() if is_exact else None
        as_extreme = 0
        for start, stop in chunks(n, self._cells, progress, before=n_resamples):
            swaps = self._random_swaps(stop - start, rng) if every is None else every[:, start:stop]
            as_extreme += int(np.count_nonzero(~(self._unlikely(swaps) > bound)))
        return (as_extreme / n if is_exact else (as_extreme + 1) / (n + 1)), n, is_exact

    def _random_swaps(self, n: int, rng: np.random.Generator) -> BoolArray:
        """Return which documents change sides: documents × permutations."""
        swaps = rng.random((self.n_shared, n)) < 0.5
        new = rng.permuted(np.tile(self._is_second, (n, 1)), axis=1).T
        return np.concatenate((swaps, new != self._is_second[:, None]))

    def _all_swaps(self) -> BoolArray:
        """Return every permutation."""
        n_own = len(self._is_second)
        firsts = combinations(range(n_own), self.n_first)
        moved = [~np.isin(np.arange(n_own), first) != self._is_second for first in firsts]
        swaps = product(product((False, True), repeat=self.n_shared), moved)
        return np.array([(*within, *between) for within, between in swaps]).T

    def _unlikely(self, swaps: BoolArray) -> FloatArray:
        """Return one-sided p by Student's t of the absolute difference of each permutation."""
        from scipy.special import stdtr

        moved = self._moved(swaps)
        variance, df = self._variance(moved, swaps)
        error, size = np.sqrt(variance), np.abs(moved.difference)
        is_sure = error <= TOLERANCE
        ratio = divided(size, np.where(is_sure, 0, error))
        # If all documents differ by the same amount, p is 0, unless that amount is 0.
        certain = np.where(size <= TOLERANCE, 0.5, 0.0)
        p = np.where(is_sure, certain, stdtr(np.where(is_sure, 1, df), -ratio))
        return np.where(np.isnan(moved.difference), np.nan, p)

    def _variance(self, moved: Moved, swaps: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the variance of the difference of each permutation, and its degrees of freedom."""
        total, below = np.zeros(len(moved.difference)), np.zeros(len(moved.difference))
        for kind in self._kinds(moved.corrected, moved.share, swaps):
            unbiased = np.maximum(kind.squares, 0) * kind.n / max(1, kind.n - 1)
            total += unbiased
            below += unbiased**2 / np.maximum(kind.effective - 1, FEWEST_DF)
        return total, divided(total**2, below, math.nan)

    def _moved(self, swaps: BoolArray) -> Moved:
        """Return the difference of each permutation, and the influence of each document on it."""
        moved = swaps.astype(np.float64)
        stays = 1 - moved

        def side(own: Items, other: Items) -> tuple[FloatArray, ...]:
            """Return the values of one version, and the influence and share of each document."""
            sums = own.matrix @ stays + other.matrix @ moved
            slopes = own.slopes(sums)
            influence = stays * (own.transposed @ slopes) + moved * (other.transposed @ slopes)
            share = divided(stays * own.compared + moved * other.compared, sums[COMPARED])
            # A document draws the value towards itself, which lowers its influence.
            rest = np.sqrt(np.maximum(1 - share, 0))
            corrected = np.divide(influence, rest, out=np.zeros_like(influence), where=rest > TOLERANCE)
            return own.values(sums), influence, corrected, share

        first, second = side(self.first, self.second), side(self.second, self.first)
        difference, influence, corrected = (one - two for one, two in zip(first[:3], second[:3], strict=True))
        return Moved(difference, influence, corrected, first[3] + second[3])

    def _kinds(self, influence: FloatArray, share: FloatArray, swaps: BoolArray) -> Iterator[Kind]:
        """Yield the documents of each kind."""
        n = self.n_shared
        if n:
            yield _kind(n, influence[:n], share[:n])
        is_second = self._is_second[:, None] ^ swaps[n:]
        for n_own, is_own in ((self.n_first, ~is_second), (self.n_second, is_second)):
            if n_own:
                yield _kind(n_own, influence[n:] * is_own, share[n:] * is_own)


def _kind(n: int, values: FloatArray, share: FloatArray) -> Kind:
    """Return the squares of n documents around their mean (of one document, around 0); other rows are 0."""
    squares: FloatArray = np.einsum("dr,dr->r", values, values)
    if n > 1:
        squares -= values.sum(axis=0) ** 2 / n
    weights: FloatArray = np.einsum("dr,dr->r", share, share)
    return Kind(n, squares, divided(share.sum(axis=0) ** 2, weights, float(n)))

"""Two versions of a corpus side by side: values when documents are resampled, or exchanged between versions.

The unit is the document. One that both versions have is drawn as a whole, and its two versions may be
exchanged; one that only one version has is drawn among its like, and may stand for a document of the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.analyses.coder_agreement.coefficients import COMPARED
from caesura.analyses.coder_agreement.strata import Items, Stratum
from caesura.arrays import FloatArray, divided, repeat
from caesura.stats.intervals import student_levels
from caesura.stats.outcome import Interval
from caesura.stats.resampling import TOLERANCE, Progress, chunks, draw, interval_of

BoolArray = NDArray[np.bool_]


class Moved(NamedTuple):
    """What exchanges lead to: the differences, and documents × exchanges."""

    difference: FloatArray
    influence: FloatArray
    """How each document moves the difference."""
    corrected: FloatArray
    """The same, divided by √(1 − h) in each version, h being the document's share of what is compared."""
    share: FloatArray
    """These shares, summed over the versions."""


class Kind(NamedTuple):
    """Documents of one kind: in both versions, or in one."""

    n: int
    squares: FloatArray
    """The sum of squares around their mean, by exchange."""
    effective: FloatArray
    """How many of them count: (Σ h)² / Σ h²."""


FEWEST_DF = 0.5
"""Degrees of freedom of a kind of which a single document counts: hardly anything is known."""


class Exchanged(NamedTuple):
    """How many exchanges differ as much as the versions do, of how many, and whether these are all."""

    as_extreme: int
    n: int
    is_exact: bool

    @property
    def p_value(self) -> float:
        """The share of such exchanges; of drawn ones the versions themselves count as one more."""
        return self.as_extreme / self.n if self.is_exact else (self.as_extreme + 1) / (self.n + 1)


@dataclass(frozen=True, eq=False)
class Versions:
    """The documents of both versions: first those that both have, then the first's own, the second's own."""

    first: Items
    second: Items
    n_shared: int
    n_first: int  # the first's own
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
            items = stratum.items(stratum.finisher.expectation_of(sums))
            row, columns = np.arange(len(side)), np.array([column[name] for name in side], dtype=np.int64)
            spread = csr_array((np.ones(len(side)), (row, columns)), shape=(len(side), len(column)))
            matrix = (items.matrix @ spread).tocsr()
            matrix.sort_indices()
            sides.append(Items(items.expectation, matrix, np.ones(len(column), dtype=np.int64)))
        return cls(sides[0], sides[1], len(shared), len(own[0]), len(own[1]))

    @property
    def n_documents(self) -> int:
        """Documents of both versions; those that both have count once."""
        return self.n_shared + self.n_first + self.n_second

    @cached_property
    def n_exchanges(self) -> int:
        """How many ways there are to exchange."""
        within: int = 2**self.n_shared
        return within * math.comb(self.n_first + self.n_second, self.n_first)

    # ---------------------------------------------------------------- bootstrap

    def interval(
        self,
        difference: float,
        n_resamples: int,
        confidence: float,
        rng: np.random.Generator,
        progress: Progress | None,
    ) -> Interval | None:
        """Return the expanded percentile interval (Hesterberg 2015) of the difference; None without one."""
        values = self.resampled(n_resamples, rng, progress)
        known = values[~np.isnan(values)]
        as_it_is = np.zeros((self.n_documents, 1), dtype=bool)
        moved = self._moved(as_it_is)
        # What a bootstrap has, without any correction, and what it should have.
        biased = sum(float(kind.squares[0]) for kind in self._kinds(moved.influence, moved.share, as_it_is))
        (variance,), (df,) = self._variance(moved, as_it_is)
        if not len(known) or not biased or math.isnan(df):
            return None
        levels = student_levels(confidence, math.sqrt(variance) / math.sqrt(biased), float(df))
        return interval_of(difference, known, levels)

    def resampled(self, n_resamples: int, rng: np.random.Generator, progress: Progress | None) -> FloatArray:
        """Return the difference in each resample of the documents, drawn among those of their kind."""
        kinds = [np.ones(n, dtype=np.int64) for n in (self.n_shared, self.n_first, self.n_second) if n]
        values = np.empty(n_resamples)
        for start, stop in chunks(n_resamples, self._cells, progress, after=n_resamples):
            weights = np.concatenate([draw(kind, stop - start, rng) for kind in kinds], axis=1).T.copy()
            first, second = (side.values(side.sums(weights)) for side in (self.first, self.second))
            values[start:stop] = first - second
        return values

    @property
    def _cells(self) -> int:
        return max(self.n_documents, int(self.first.matrix.shape[0]))

    # ---------------------------------------------------------------- exchange

    def as_extreme(self, n_resamples: int, rng: np.random.Generator, progress: Progress | None) -> Exchanged:
        """Return how many exchanges differ as much as the versions do, of how many, and whether of all.

        What is compared is how unlikely the difference would be by Student's t, with the standard error and
        degrees of freedom of each exchange: the plain difference would take versions with different numbers
        of coders, boundaries or documents as equally sure, and one over its standard error an exchange in
        which few documents decide.
        """
        observed = float(self._unlikely(np.zeros((self.n_documents, 1), dtype=bool))[0])
        bound = observed * (1 + 1e-6)
        is_exact = self.n_exchanges <= n_resamples
        n = self.n_exchanges if is_exact else n_resamples
        everything = self._all_exchanges() if is_exact else None
        count = 0
        for start, stop in chunks(n, self._cells, progress, before=n_resamples):
            swaps = (
                self._random_exchanges(stop - start, rng) if everything is None else everything[:, start:stop]
            )
            count += int(np.count_nonzero(~(self._unlikely(swaps) > bound)))
        return Exchanged(count, n, is_exact)

    def _random_exchanges(self, n: int, rng: np.random.Generator) -> BoolArray:
        """Return which documents change sides: documents × exchanges."""
        swaps = rng.random((self.n_shared, n)) < 0.5
        new = rng.permuted(np.tile(self._is_second, (n, 1)), axis=1).T
        return np.concatenate((swaps, new != self._is_second[:, None]))

    def _all_exchanges(self) -> BoolArray:
        """Return every exchange there is; the first changes nothing."""
        n_own = len(self._is_second)
        swaps = [*product((False, True), repeat=self.n_shared)]
        within = np.array(swaps, dtype=bool).reshape(len(swaps), self.n_shared).T
        firsts = [*combinations(range(n_own), self.n_first)]
        new = np.ones((len(firsts), n_own), dtype=bool)
        np.put_along_axis(new, np.array(firsts, dtype=np.int64).reshape(len(firsts), -1), False, axis=1)
        between = (new != self._is_second).T
        return np.concatenate(
            (repeat(within, between.shape[1], axis=1), np.tile(between, (1, within.shape[1])))
        )

    def _unlikely(self, swaps: BoolArray) -> FloatArray:
        """Return the one-sided p by Student's t of the difference of each exchange, whatever its sign."""
        from scipy.special import stdtr

        moved = self._moved(swaps)
        variance, df = self._variance(moved, swaps)
        error = np.sqrt(variance)
        is_sure = error <= TOLERANCE
        ratio = divided(np.abs(moved.difference), np.where(is_sure, 0, error))
        # Documents that all differ by as much: no doubt, unless that is by nothing.
        certain = np.where(np.abs(moved.difference) <= TOLERANCE, 0.5, 0.0)
        p = np.where(is_sure, certain, stdtr(np.where(is_sure, 1, df), -ratio))
        return np.where(np.isnan(moved.difference), np.nan, p)

    def _variance(self, moved: Moved, swaps: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the variance of the difference of each exchange, and its degrees of freedom."""
        total, below = np.zeros(len(moved.difference)), np.zeros(len(moved.difference))
        for kind in self._kinds(moved.corrected, moved.share, swaps):
            unbiased = np.maximum(kind.squares, 0) * kind.n / max(1, kind.n - 1)
            total += unbiased
            below += unbiased**2 / np.maximum(kind.effective - 1, FEWEST_DF)
        return total, divided(total**2, below, math.nan)

    def _moved(self, swaps: BoolArray) -> Moved:
        """Return the difference of each exchange, and how each document moves it."""
        moved = swaps.astype(np.float64)
        stays = 1 - moved

        def side(own: Items, other: Items) -> tuple[FloatArray, ...]:
            """Return the values of one side, each document's influence on them, and its share."""
            sums = own.matrix @ stays + other.matrix @ moved
            slopes = own.slopes(sums)
            influence = stays * (own.transposed @ slopes) + moved * (other.transposed @ slopes)
            share = divided(stays * own.compared + moved * other.compared, sums[COMPARED])
            return own.values(sums), influence, _corrected(influence, share), share

        (first, to_first, without_first, in_first) = side(self.first, self.second)
        (second, to_second, without_second, in_second) = side(self.second, self.first)
        return Moved(
            first - second, to_first - to_second, without_first - without_second, in_first + in_second
        )

    def _kinds(self, influence: FloatArray, share: FloatArray, swaps: BoolArray) -> Iterator[Kind]:
        """Yield the documents of each kind."""
        n = self.n_shared
        if n:
            yield _kind(n, influence[:n], share[:n])
        is_second = self._is_second[:, None] ^ swaps[n:]
        for n_own, there in ((self.n_first, ~is_second), (self.n_second, is_second)):
            if n_own:
                yield _kind(n_own, influence[n:] * there, share[n:] * there)

    @property
    def _is_second(self) -> BoolArray:
        """Whether a document that one version has is the second's."""
        return repeat([False, True], (self.n_first, self.n_second))


def _kind(n: int, values: FloatArray, share: FloatArray) -> Kind:
    """Return the squares of n documents around their mean (of one, around 0), others being 0."""
    squares: FloatArray = np.einsum("dr,dr->r", values, values)
    if n > 1:
        squares -= values.sum(axis=0) ** 2 / n
    weights: FloatArray = np.einsum("dr,dr->r", share, share)
    total = share.sum(axis=0)
    return Kind(n, squares, divided(total**2, weights, float(n)))


def _corrected(influence: FloatArray, share: FloatArray) -> FloatArray:
    """Return influences as they would be of documents that have not drawn the value towards themselves."""
    left = np.sqrt(np.maximum(1 - share, 0))
    return np.divide(influence, left, out=np.zeros_like(influence), where=left > TOLERANCE)

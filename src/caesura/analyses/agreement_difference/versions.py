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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.analyses.coder_agreement.coefficients import COMPARED, expectation_of
from caesura.analyses.coder_agreement.strata import Items, Stratum
from caesura.arrays import FloatArray, IntArray
from caesura.stats.resampling import TOLERANCE, Progress, chunks, draw

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BoolArray = NDArray[np.bool_]


class Spread(NamedTuple):
    """How much the difference varies with the documents, by the delta method."""

    error: float
    """Standard error, corrected for documents that draw the value towards themselves."""
    resampled: float
    """Standard deviation that a bootstrap has: without any correction."""
    df: float
    """Degrees of freedom (Welch & Satterthwaite), of as many documents as count."""


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
        both = (first, second)
        names = [stratum.document_names for stratum in both]
        places = [{document: place for place, document in enumerate(own)} for own in names]
        shared = [document for document in names[0] if document in places[1]]
        own = [[d for d in names[i] if d not in places[1 - i]] for i in (0, 1)]
        sizes = len(shared), len(own[0]), len(own[1])
        n = sum(sizes)
        made = []
        sums = {name for stratum in both for name in stratum.finisher.sums}
        for i, stratum in enumerate(both):
            asked, n_types = stratum.question, stratum.finisher.totals.n_types
            items = stratum.items(expectation_of(asked.coefficient, asked.chance, n_types, sums))
            start = sizes[0] + (sizes[1] if i else 0)
            into = np.concatenate((np.arange(sizes[0]), start + np.arange(sizes[1 + i]))).astype(np.int64)
            order = np.array([places[i][d] for d in (*shared, *own[i])], dtype=np.int64)
            matrix = _spread_out(items.matrix, order, into, n)
            made.append(Items(items.expectation, matrix, np.ones(n, dtype=np.int64)))
        one, other = made
        return cls(one, other, *sizes)

    @property
    def n_documents(self) -> int:
        """Documents of both versions; those that both have count once."""
        return self.n_shared + self.n_first + self.n_second

    @cached_property
    def n_exchanges(self) -> int:
        """How many ways there are to exchange."""
        within: int = 2**self.n_shared
        return within * math.comb(self.n_first + self.n_second, self.n_first)

    @cached_property
    def _strata(self) -> list[slice]:
        ends = (self.n_shared, self.n_shared + self.n_first, self.n_documents)
        starts = (0, *ends[:-1])
        return [slice(start, end) for start, end in zip(starts, ends, strict=True) if end > start]

    # ---------------------------------------------------------------- bootstrap

    def resampled(self, n_resamples: int, rng: np.random.Generator, progress: Progress | None) -> FloatArray:
        """Return the difference in each resample of the documents."""
        values = np.empty(n_resamples)
        for start, stop in chunks(n_resamples, self._cells, progress, after=n_resamples):
            weights = np.concatenate(
                [
                    draw(np.ones(part.stop - part.start, dtype=np.int64), stop - start, rng)
                    for part in self._strata
                ],
                axis=1,
            ).T.copy()
            values[start:stop] = self.first.values(self.first.sums(weights)) - self.second.values(
                self.second.sums(weights)
            )
        return values

    @property
    def _cells(self) -> int:
        return max(self.n_documents, int(self.first.matrix.shape[0]))

    # ---------------------------------------------------------------- exchange

    def spread(self) -> Spread:
        """Return how much the difference varies."""
        as_it_is = np.zeros((self.n_documents, 1), dtype=bool)
        moved = self._moved(as_it_is)
        biased = sum(float(kind.squares[0]) for kind in self._kinds(moved.influence, moved.share, as_it_is))
        variance, df = self._variance(moved, as_it_is)
        return Spread(math.sqrt(variance[0]), math.sqrt(biased), float(df[0]))

    def as_extreme(
        self, n_resamples: int, rng: np.random.Generator, progress: Progress | None
    ) -> tuple[int, int, bool]:
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
        return count, n, is_exact

    def _random_exchanges(self, n: int, rng: np.random.Generator) -> BoolArray:
        """Return which documents change sides: documents × exchanges."""
        swaps = rng.random((self.n_shared, n)) < 0.5
        labels = self._is_second
        new = rng.permuted(np.tile(labels, (n, 1)), axis=1).T
        return np.concatenate((swaps, new != labels[:, None]))

    def _all_exchanges(self) -> BoolArray:
        """Return every exchange there is; the first changes nothing."""
        swaps = [*product((False, True), repeat=self.n_shared)]
        within = np.array(swaps, dtype=bool).reshape(len(swaps), self.n_shared).T
        n_own = self.n_first + self.n_second
        labels = self._is_second
        between = np.empty((n_own, math.comb(n_own, self.n_first)), dtype=bool)
        for i, firsts in enumerate(combinations(range(n_own), self.n_first)):
            new = np.ones(n_own, dtype=bool)
            new[list(firsts)] = False
            between[:, i] = new != labels
        return np.concatenate(
            (np.repeat(within, between.shape[1], axis=1), np.tile(between, (1, within.shape[1])))
        )

    def _unlikely(self, swaps: BoolArray) -> FloatArray:
        """Return the one-sided p by Student's t of the difference of each exchange, whatever its sign."""
        from scipy.special import stdtr

        moved = self._moved(swaps)
        variance, df = self._variance(moved, swaps)
        error = np.sqrt(variance)
        is_sure = error <= TOLERANCE
        ratio = np.divide(np.abs(moved.difference), error, out=np.zeros(len(error)), where=~is_sure)
        # Documents that all differ by as much: no doubt, unless that is by nothing.
        certain = np.where(np.abs(moved.difference) <= TOLERANCE, 0.5, 0.0)
        found: FloatArray = np.where(is_sure, certain, stdtr(np.where(is_sure, 1, df), -ratio))
        return np.where(np.isnan(moved.difference), np.nan, found)

    def _variance(self, moved: Moved, swaps: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the variance of the difference of each exchange, and its degrees of freedom."""
        total, below = np.zeros(len(moved.difference)), np.zeros(len(moved.difference))
        for kind in self._kinds(moved.corrected, moved.share, swaps):
            unbiased = np.maximum(kind.squares, 0) * kind.n / max(1, kind.n - 1)
            total += unbiased
            below += unbiased**2 / np.maximum(kind.effective - 1, FEWEST_DF)
        return total, np.divide(total**2, below, out=np.full(len(total), np.nan), where=below > 0)

    def _moved(self, swaps: BoolArray) -> Moved:
        """Return the difference of each exchange, and how each document moves it."""
        moved = swaps.astype(np.float64)
        stays = 1 - moved
        one, other = self.first, self.second
        first = one.matrix @ stays + other.matrix @ moved
        second = other.matrix @ stays + one.matrix @ moved
        by_first, by_second = one.slopes(first), other.slopes(second)
        to_first = stays * (one.transposed @ by_first) + moved * (other.transposed @ by_first)
        to_second = stays * (other.transposed @ by_second) + moved * (one.transposed @ by_second)
        compared, others = (version.matrix[[COMPARED]].toarray().T for version in (one, other))
        in_first = _share(stays * compared + moved * others, first[COMPARED])
        in_second = _share(stays * others + moved * compared, second[COMPARED])
        return Moved(
            one.values(first) - other.values(second),
            to_first - to_second,
            _corrected(to_first, in_first) - _corrected(to_second, in_second),
            in_first + in_second,
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
        return np.repeat([False, True], (self.n_first, self.n_second))


def _kind(n: int, values: FloatArray, share: FloatArray) -> Kind:
    """Return the squares of n documents around their mean (of one, around 0), others being 0."""
    squares: FloatArray = np.einsum("dr,dr->r", values, values)
    if n > 1:
        squares -= values.sum(axis=0) ** 2 / n
    weights: FloatArray = np.einsum("dr,dr->r", share, share)
    total = share.sum(axis=0)
    effective = np.divide(total**2, weights, out=np.full(len(total), float(n)), where=weights > 0)
    return Kind(n, squares, effective)


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return parts of a whole; 0 of nothing."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _corrected(influence: FloatArray, share: FloatArray) -> FloatArray:
    """Return influences as they would be of documents that have not drawn the value towards themselves."""
    left = np.sqrt(np.maximum(1 - share, 0))
    return np.divide(influence, left, out=np.zeros_like(influence), where=left > TOLERANCE)


def _spread_out(matrix: csr_array, order: IntArray, into: IntArray, n: int) -> csr_array:
    """Return the matrix with its columns in this order at these places among n."""
    from scipy.sparse import csc_array

    columns = matrix.tocsc()[:, order]
    lengths = np.zeros(n, dtype=np.int64)
    lengths[into] = np.diff(columns.indptr)
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    return csc_array((columns.data, columns.indices, starts), shape=(matrix.shape[0], n)).tocsr()

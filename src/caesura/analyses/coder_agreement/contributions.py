"""What each document contributes to pooled agreement, as columns of one sparse matrix.

A coefficient is a smooth function of sums over documents. So a resample is a product of this matrix with how
often each document was drawn, and how much one document moves the value is the product of the function's
derivative with the document's column (the delta method).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient
from caesura.analyses.coder_agreement.pool import Pool
from caesura.arrays import FloatArray, IntArray
from caesura.values.strings import offsets_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SIMILAR, COMPARED, BOUNDARIES, FIRST_OF_CHANCE = range(4)
"""Rows of the matrix; what expected agreement needs follows."""


class Expectation(Protocol):
    """How expected agreement A_e follows from sums; each column of the sums is a resample."""

    def expected(self, sums: FloatArray) -> FloatArray:
        """Return A_e."""

    def derivative(self, sums: FloatArray) -> FloatArray:
        """Return the derivative of A_e by each sum."""


@dataclass(frozen=True, eq=False)
class OneRate:
    """π*: the mean over types of P(t)². Sums: potential boundaries of all codings, boundaries by type."""

    n_types: int

    def expected(self, sums: FloatArray) -> FloatArray:
        """Return Σ m² / (types · slots²)."""
        return _divided((sums[1:] ** 2).sum(axis=0), self.n_types * sums[0] ** 2)

    def derivative(self, sums: FloatArray) -> FloatArray:
        """Return its derivative."""
        found = np.empty_like(sums)
        found[0] = _divided(-2 * self.expected(sums), sums[0])
        found[1:] = _divided(2 * sums[1:], self.n_types * sums[0] ** 2)
        return found


@dataclass(frozen=True, eq=False)
class PublishedRate:
    """π* of ``chance="published"``: the square of a mean ratio. Sums: the ratios, and how many there are."""

    def expected(self, sums: FloatArray) -> FloatArray:
        """Return the square of the mean."""
        return _divided(sums[0], sums[1]) ** 2

    def derivative(self, sums: FloatArray) -> FloatArray:
        """Return its derivative."""
        rate = _divided(sums[0], sums[1])
        return np.stack((_divided(2 * rate, sums[1]), _divided(-2 * rate**2, sums[1])))


@dataclass(frozen=True, eq=False)
class OwnRates:
    """κ*: the mean over types and pairs of coders of P(t|c)·P(t|c′), weighted by what two coders share.

    Sums: potential boundaries by coder, boundaries by coder and type, shared potential boundaries by pair.
    """

    n_types: int
    owner: IntArray  # the coder of each coder and type
    pair: IntArray  # the pair of each type that two coders share
    first: IntArray  # and where their boundaries of this type are
    second: IntArray
    n_coders: int
    n_pairs: int

    def _parts(self, sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        ends = (self.n_coders, self.n_coders + len(self.owner))
        positions, marks, shared = np.split(sums, ends)
        return positions, _divided(marks, positions[self.owner]), shared

    def expected(self, sums: FloatArray) -> FloatArray:
        """Return Σ shared · Σ_t P(t|c)·P(t|c′) / (types · Σ shared)."""
        _, rates, shared = self._parts(sums)
        both = (shared[self.pair] * rates[self.first] * rates[self.second]).sum(axis=0)
        return _divided(both, self.n_types * shared.sum(axis=0))

    def derivative(self, sums: FloatArray) -> FloatArray:
        """Return its derivative."""
        positions, rates, shared = self._parts(sums)
        weight = self.n_types * shared.sum(axis=0)
        both = rates[self.first] * rates[self.second]
        of_pair = _gather(self.pair, self.n_pairs) @ both
        by_shared = _divided(of_pair - self.n_types * self.expected(sums), weight)
        n_columns = len(self.owner)
        by_rate = _gather(self.first, n_columns) @ (shared[self.pair] * rates[self.second])
        by_rate += _gather(self.second, n_columns) @ (shared[self.pair] * rates[self.first])
        by_mark = _divided(_divided(by_rate, weight), positions[self.owner])
        by_position = -(_gather(self.owner, self.n_coders) @ (by_mark * rates))
        found: FloatArray = np.concatenate((by_position, by_mark, by_shared))
        return found


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each document of a pool contributes to the sums that a coefficient is made of."""

    matrix: csr_array
    """Sums × documents."""
    expectation: Expectation

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return int(self.matrix.shape[1])

    @cached_property
    def transposed(self) -> csr_array:
        """Documents × sums."""
        return self.matrix.T.tocsr()

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return the sums where each document counts as often: documents × resamples → sums × resamples."""
        found: FloatArray = self.matrix @ weights
        return found

    def values(self, sums: FloatArray) -> FloatArray:
        """Return the coefficient of each resample; NaN where it is not defined."""
        return coefficient_values(self.expectation, sums)

    def influence(self, sums: FloatArray) -> FloatArray:
        """Return how the coefficient moves with each sum: its derivative, sums × resamples."""
        expected = self.expectation.expected(sums[FIRST_OF_CHANCE:])
        observed = _divided(sums[SIMILAR], sums[COMPARED])
        rest = 1 - expected
        found = np.zeros_like(sums)
        found[SIMILAR] = _divided(np.ones_like(rest), sums[COMPARED] * rest)
        found[COMPARED] = -observed * found[SIMILAR]
        by_chance = self.expectation.derivative(sums[FIRST_OF_CHANCE:])
        found[FIRST_OF_CHANCE:] = -_divided(1 - observed, rest**2) * by_chance
        return found


def coefficient_values(expectation: Expectation, sums: FloatArray) -> FloatArray:
    """Return the coefficient of each resample, a column of the sums; NaN where it is not defined."""
    expected = expectation.expected(sums[FIRST_OF_CHANCE:])
    is_defined = (sums[BOUNDARIES] > 0) & (sums[COMPARED] > 0) & (expected < 1)
    observed = _divided(sums[SIMILAR], sums[COMPARED])
    return np.where(is_defined, _divided(observed - expected, 1 - expected), np.nan)


def contributions(pools: Sequence[Pool], name: Coefficient, chance: Chance) -> list[Contributions]:
    """Return what the documents of each pool contribute; pools that are compared share rows of the matrix.

    Coders and types are told by name and number across pools.
    """
    coders = _numbering([pool.table.corpus.coders for pool in pools])
    kinds = _numbering([pool.table.groups.kinds.tolist() for pool in pools])
    if name == "kappa":
        return _own_rates(pools, chance, coders, kinds)
    return [_one_rate(pool, chance, kinds) for pool in pools]


def _one_rate(pool: Pool, chance: Chance, kinds: dict[Any, int]) -> Contributions:
    if chance == "published":
        ratios, number = pool.published_ratios()
        return Contributions(_matrix(pool, [(0, ratios), (1, number)], [], 2), PublishedRate())
    marks = pool.table.groups.marks_by_document.take(pool.documents)
    kind = np.array([kinds[one] for one in pool.table.groups.kinds.tolist()])[marks.kind]
    slots = (pool.n_coders * pool.positions.astype(np.float64)).astype(np.float64)
    cells = [(1 + kind, marks.owner, marks.number)]
    return Contributions(_matrix(pool, [(0, slots)], cells, 1 + len(kinds)), OneRate(pool.totals.n_types))


def _own_rates(
    pools: Sequence[Pool], chance: Chance, coders: dict[Any, int], kinds: dict[Any, int]
) -> list[Contributions]:
    """Lay out coders, their types and pairs of coders alike for all pools."""
    columns, pairs, found = [], [], []
    for pool in pools:
        marks = pool.marks_of(chance)
        coder = np.array([coders[one] for one in pool.table.corpus.coders])
        kind = np.zeros(1, dtype=np.int64)
        if chance == "boundaries":
            kind = np.array([kinds[one] for one in pool.table.groups.kinds.tolist()])
        column = coder[pool.coder[marks.owner]] * len(kinds) + kind[marks.kind]
        first, second = np.divmod(pool.pair_key, pool.n_names)
        one, other = coder[first], coder[second]
        columns.append((column, marks))
        pairs.append(np.minimum(one, other) * len(coders) + np.maximum(one, other))
        found.append(coder)
    column_keys = np.unique(np.concatenate([column for column, _ in columns]))
    pair_keys = np.unique(np.concatenate(pairs))
    owner, kind_of = np.divmod(column_keys, len(kinds))
    shared = shared_columns(pair_keys, len(coders), owner, kind_of, len(kinds), column_keys)
    n_coders, n_columns, n_pairs = len(coders), len(column_keys), len(pair_keys)
    made = []
    for pool, (column, marks), pair, coder in zip(pools, columns, pairs, found, strict=True):
        document = pool.document
        both_ways = 1 if pool.table.metric.symmetric else 2
        place = np.zeros(len(pool.table.corpus.document_names), dtype=np.int64)
        place[pool.documents] = np.arange(len(pool.documents))
        pair_document = place[pool.table.corpus.document[pool.table.pairs.first]]
        cells = [
            (coder[pool.coder], document, pool.positions[document]),
            (n_coders + np.searchsorted(column_keys, column), document[marks.owner], marks.number),
            (
                n_coders + n_columns + np.searchsorted(pair_keys, pair),
                pair_document,
                pool.pair_positions / both_ways,
            ),
        ]
        expectation = OwnRates(pool.totals.n_types, owner, *shared, n_coders, n_pairs)
        made.append(Contributions(_matrix(pool, [], cells, n_coders + n_columns + n_pairs), expectation))
    return made


def shared_columns(
    pair_keys: IntArray, n_coders: int, owner: IntArray, kind: IntArray, n_kinds: int, column_keys: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the pair, and both coders' columns, of each type that the coders of a pair share."""
    first, second = np.divmod(pair_keys, n_coders)
    starts = np.searchsorted(owner, np.arange(n_coders + 1))
    n = starts[first + 1] - starts[first]
    pair = np.arange(len(first)).repeat(n)
    column = np.arange(len(pair)) + (starts[first] - offsets_of(n)[:-1]).repeat(n)
    wanted = second[pair] * n_kinds + kind[column]
    other = np.minimum(np.searchsorted(column_keys, wanted), len(column_keys) - 1)
    is_there = column_keys[other] == wanted
    return pair[is_there], column[is_there], other[is_there]


def _matrix(
    pool: Pool,
    full: Sequence[tuple[int, FloatArray]],
    cells: Sequence[tuple[IntArray, IntArray, Any]],
    n_rows: int,
) -> csr_array:
    """Return the sparse matrix of what all coefficients need, and of these rows and cells of expectations."""
    from scipy.sparse import coo_array

    table, n = pool.table, len(pool.documents)
    similar, compared, _ = table.metric.fraction(table.by_document[pool.documents].astype(np.float64).T)
    boundaries = table.groups.boundaries_by_document[pool.documents]
    rows = [(SIMILAR, similar), (COMPARED, compared), (BOUNDARIES, boundaries)]
    rows += [(FIRST_OF_CHANCE + row, values) for row, values in full]
    each = np.arange(n)
    parts = [(np.full(n, row), each, values) for row, values in rows]
    parts += [(FIRST_OF_CHANCE + row, document, values) for row, document, values in cells]
    row, document, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    shape = (FIRST_OF_CHANCE + n_rows, n)
    return coo_array((values.astype(np.float64), (row, document)), shape=shape).tocsr()


def _numbering(names: Sequence[Sequence[Any]]) -> dict[Any, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(n for some in names for n in some))}


def _gather(into: IntArray, n: int) -> csr_array:
    """Return the matrix that sums rows into these ones."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(into)), (into, np.arange(len(into)))), shape=(n, len(into)))


def _divided(over: FloatArray, under: FloatArray) -> FloatArray:
    """Divide; 0 where there is nothing to divide by."""
    shape = np.broadcast_shapes(np.shape(over), np.shape(under))
    return np.divide(over, under, out=np.zeros(shape), where=np.not_equal(under, 0))

"""Chance-corrected coefficients: one formula, three expectations, and their significance.

coefficient = (A_o - A_e) / (1 - A_e). A_o is observed agreement, the micro-average of a similarity over all
pairs of coders and all documents. A_e is the probability that two coders both mark a random (position, type)
slot. For π*, all coders share one rate: A_e is the mean over types of P(t)². For κ*, each coder has a rate:
A_e is the mean over types and coder pairs of P(t|c)·P(t|c′). Random coders score more than A_e; see
strata.py.

Every formula works on sums by name: on Python's integers (``exact``), which stay integers until the last
division, and on arrays with a column per resample, document or omitted coder. F13t is Fournier (2013), the
thesis, §4.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias

import numpy as np

from caesura.arrays import FloatArray, IntArray, Number, divided, repeat
from caesura.errors import ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric
from caesura.sums.tallies import Name
from caesura.values.strings import gather
from caesura.wording import short

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Coefficient: TypeAlias = Literal["pi", "kappa"]
Chance: TypeAlias = Literal["boundaries", "published", "segeval"]
COEFFICIENTS: tuple[Coefficient, ...] = ("pi", "kappa")
CHANCES = ("boundaries", "published", "segeval")
SYMBOLS = {"pi": "π*", "kappa": "κ*"}
ALSO = (("Scott", "pi"), ("Fleiss", "pi"), ("multi-pi", "pi"), ("Cohen", "kappa"), ("multi-kappa", "kappa"))
"""Other names of the coefficients, for hints."""

MANY_LENGTHS = 1000
"""With more distinct lengths of documents, their mean ratio is rounded, so it is not exactly 1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Measure:
    """A coefficient of agreement by a metric: the base of results."""

    metric: Metric
    """The similarity behind observed agreement."""
    coefficient: Coefficient
    """The coefficient behind values, intervals and tests."""
    chance: Chance
    """The definition of expected agreement."""

    @property
    def label(self) -> str:
        """The coefficient's name, such as π*_B."""
        return f"{SYMBOLS[self.coefficient]}_{self.metric.name}"

    @property
    def settings(self) -> str:
        """The first part of signatures."""
        made = f"coefficient={self.coefficient}|chance={self.chance}|average=micro"
        return f"{self.metric.settings}|{made}"


class Ratio(NamedTuple, Generic[Number]):
    """A number before its division."""

    numerator: Number
    denominator: Number

    @property
    def value(self) -> Number:
        """The quotient."""
        return self.numerator / self.denominator


@dataclass(frozen=True, eq=False, kw_only=True)
class Totals:
    """Codings and comparisons of a group or of all coders, summed over documents, as Python's integers."""

    n_coders: int
    """Coders who share a document with another."""
    n_documents: int
    """Documents with at least two codings."""
    n_pairs: int
    """Compared pairs of codings: two coders on one document."""
    n_types: int
    n_positions: int
    """Potential boundaries of all documents."""
    slots: int
    """Potential boundaries of all codings: for a group, positions × coders."""
    pair_slots: int
    """Potential boundaries of all pairs of codings."""
    n_boundaries: int
    """Boundaries of all codings."""
    marked: int
    """Positions of codings with a boundary, of any number of types."""
    by_type: tuple[int, ...]
    """Boundaries of each type that occurs."""


def coefficient(observed: Ratio[Number], expected: Ratio[Number]) -> Ratio[Number]:
    """Return (A_o - A_e) / (1 - A_e), agreement beyond chance (F13t, eq. 4.38).

    >>> coefficient(Ratio(3, 4), Ratio(1, 2)).value
    0.5
    """
    similar, compared = observed
    by_chance, of = expected
    return Ratio(similar * of - by_chance * compared, compared * (of - by_chance))


# -------------------------------------------------------------------- expected agreement


SIMILAR, COMPARED, BOUNDARIES, FIRST_OF_CHANCE = range(4)
"""The first rows of the sums behind a coefficient; the rows of expected agreement follow."""


@dataclass(frozen=True, eq=False)
class OneRate:
    """π*: the mean over types of P(t)² (F13t, eq. 4.52, with a mean where it prints a sum).

    P(t) is the number of marks of all coders over the potential boundaries of all codings. The sum over types
    may exceed 1 if types share positions; for one type it equals the mean.
    """

    names: list[Name]
    """Potential boundaries of all codings, then boundaries by type."""
    n_types: int

    def exact(self, sums: Sequence[int]) -> Ratio[Any]:
        """Return the ratio of whole numbers. Two coders with 4 and 6 marks on 10 positions:

        >>> OneRate([("slots",), ("type", 1)], 1).exact([20, 10]).value
        0.25
        """
        return self.ratio(np.array(sums, dtype=object))

    def ratio(self, sums: Any) -> Ratio[Any]:
        """Return Σ m² / (types · slots²)."""
        return Ratio((sums[1:] ** 2).sum(axis=0), self.n_types * sums[0] ** 2)

    def derivative(self, sums: FloatArray) -> FloatArray:
        """Return its derivative."""
        slopes = np.empty_like(sums)
        slopes[0] = divided(-2 * divided(*self.ratio(sums)), sums[0])
        slopes[1:] = divided(2 * sums[1:], self.n_types * sums[0] ** 2)
        return slopes


@dataclass(frozen=True, eq=False)
class PublishedRate:
    """π* of segeval: the square of the mean ratio of boundaries, over both coders of all pairs of codings.

    Before 2.0.11 it was the ratio of segments, which is ``chance="published"``.
    """

    names: list[Name]
    """Boundaries or segments by length of documents, then the number of ratios."""
    lengths: IntArray

    def exact(self, sums: Sequence[int]) -> Ratio[Any]:
        """Return the square of the mean of whole numbers."""
        *segments, n = sums
        if len(segments) > MANY_LENGTHS:
            return Ratio(*map(float, self.ratio(np.array(sums, dtype=np.float64))))
        parts = map(Fraction, segments, self.lengths.tolist())
        mean = sum(parts, Fraction(0)) / max(1, n)
        return Ratio(mean.numerator**2, mean.denominator**2)

    def ratio(self, sums: FloatArray) -> Ratio[Any]:
        """Return the square of the mean."""
        return Ratio((sums[:-1].T / self.lengths).T.sum(axis=0) ** 2, sums[-1] ** 2)

    def derivative(self, sums: FloatArray) -> FloatArray:
        """Return its derivative."""
        rate = np.sqrt(divided(*self.ratio(sums)))
        by_ratio = divided(2 * rate, sums[-1]) / self.lengths[:, None]
        return np.concatenate((by_ratio, divided(-2 * rate**2, sums[-1])[None]))


@dataclass(frozen=True, eq=False)
class OwnRates:
    """κ*: the mean over types and pairs of coders of P(t|c)·P(t|c′) (F13t, eq. 4.56: a sum over types).

    P(t|c) is the number of marks of a coder over positions. A pair weighs as much as the positions it shares.
    """

    names: list[Name]
    """Potential boundaries by coder, boundaries by coder and type, shared potential boundaries by pair."""
    n_types: int
    owner: IntArray  # the coder of each coder and type
    kind: IntArray  # and the type
    pairs: IntArray  # the two coders of each pair
    n_coders: int

    @classmethod
    def of(cls, names: Iterable[Name], n_types: int) -> OwnRates:
        """Lay out coders, their types and pairs of coders by name."""
        by_kind: dict[Any, list[Name]] = {"coder": [], "marks": [], "shared": []}
        for name in names:
            if name[0] in by_kind:
                by_kind[name[0]].append(name)
        coders, marks, pairs = (sorted(by_kind[kind]) for kind in ("coder", "marks", "shared"))
        number = {name[1]: i for i, name in enumerate(coders)}
        types = {kind: i for i, kind in enumerate(sorted({name[2] for name in marks}))}
        owner = np.array([number[name[1]] for name in marks], dtype=np.int64)
        kind = np.array([types[name[2]] for name in marks], dtype=np.int64)
        both = np.array([[number[name[i]] for name in pairs] for i in (1, 2)], dtype=np.int64)
        return cls([*coders, *marks, *pairs], n_types, owner, kind, both, len(coders))

    @cached_property
    def _shared(self) -> tuple[IntArray, IntArray, IntArray]:
        """The pair and the columns of both coders, for each type that the coders of a pair share."""
        first, second = self.pairs
        n_kinds = int(self.kind.max(initial=0)) + 1
        keys = self.owner * n_kinds + self.kind  # ascending
        starts = np.searchsorted(self.owner, np.arange(self.n_coders + 1))
        pair = repeat(np.arange(len(first)), starts[first + 1] - starts[first])
        _, column = gather(starts, first)
        wanted = second[pair] * n_kinds + self.kind[column]
        partner = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        is_there = keys[partner] == wanted
        return pair[is_there], column[is_there], partner[is_there]

    def _split(self, sums: Any) -> tuple[Any, Any, Any]:
        end = self.n_coders + len(self.owner)
        return sums[: self.n_coders], sums[self.n_coders : end], sums[end:]

    def _parts(self, sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        positions, marks, shared = self._split(sums)
        return positions, divided(marks, positions[self.owner]), shared

    def exact(self, sums: Sequence[int]) -> Ratio[Any]:
        """Return the ratio, whole if all coders annotated the same documents or marked everything."""
        positions, marks, shared = self._split(sums)
        n_pairs = self.n_coders * (self.n_coders - 1)
        if 2 * len(shared) == n_pairs and len({*positions}) == len({*shared}) == 1:
            # All pairs of coders, less the pairs of a coder with itself.
            by_type = np.zeros(int(self.kind.max(initial=0)) + 1, dtype=object)
            np.add.at(by_type, self.kind, np.array(marks, dtype=object))
            both = int((by_type**2).sum()) - sum(n**2 for n in marks)
            return Ratio(both, self.n_types * n_pairs * positions[0] ** 2)
        if sum(marks) == self.n_types * sum(positions):
            return Ratio(1, 1)
        over, under = self.ratio(np.array(sums, dtype=np.float64)[:, None])
        return Ratio(float(over[0]), float(under[0]))

    def ratio(self, sums: FloatArray) -> Ratio[Any]:
        """Return Σ shared · Σ_t P(t|c)·P(t|c′) / (types · Σ shared)."""
        _, rates, shared = self._parts(sums)
        pair, first, second = self._shared
        both = (shared[pair] * rates[first] * rates[second]).sum(axis=0)
        return Ratio(both, self.n_types * shared.sum(axis=0))

    def derivative(self, sums: FloatArray) -> FloatArray:
        """Return its derivative."""
        positions, rates, shared = self._parts(sums)
        pair, first, second = self._shared
        weight = self.n_types * shared.sum(axis=0)
        of_pair = _gather(pair, self.pairs.shape[1]) @ (rates[first] * rates[second])
        by_shared = divided(of_pair - self.n_types * divided(*self.ratio(sums)), weight)
        n_columns = len(self.owner)
        by_rate = _gather(first, n_columns) @ (shared[pair] * rates[second])
        by_rate += _gather(second, n_columns) @ (shared[pair] * rates[first])
        by_mark = divided(divided(by_rate, weight), positions[self.owner])
        by_position = -(_gather(self.owner, self.n_coders) @ (by_mark * rates))
        slopes: FloatArray = np.concatenate((by_position, by_mark, by_shared))
        return slopes


Expectation: TypeAlias = OneRate | PublishedRate | OwnRates
"""How expected agreement A_e follows from sums; ``names`` are the names of its rows.

``exact`` returns A_e of whole numbers before its division, whole if possible. ``ratio`` does so for arrays
with a column per resample, and ``derivative`` returns the derivative by each sum.
"""


def expectation_of(name: Coefficient, chance: Chance, n_types: int, names: Iterable[Name]) -> Expectation:
    """Return how expected agreement follows from the sums with these names."""
    if name == "kappa":
        return OwnRates.of(names, 1 if chance == "segeval" else n_types)  # segeval adds all types up
    if chance != "boundaries":
        ratios = sorted(name for name in names if name[0] == "ratio")
        return PublishedRate([*ratios, ("rated",)], np.array([int(name[1]) for name in ratios]))
    return OneRate([("slots",), *sorted(name for name in names if name[0] == "type")], n_types)


def coefficient_values(expectation: Expectation, sums: FloatArray) -> FloatArray:
    """Return the coefficient of each column of sums; NaN if undefined."""
    expected = expectation.ratio(sums[FIRST_OF_CHANCE:])
    is_defined = sums[BOUNDARIES] > 0
    is_defined &= (sums[COMPARED] > 0) & (expected.numerator < expected.denominator)
    values = coefficient(Ratio(sums[SIMILAR], sums[COMPARED]), expected)
    return np.where(is_defined, divided(*values), np.nan)


def _gather(into: IntArray, n: int) -> csr_array:
    """Return the matrix that sums rows into these rows."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(into)), (into, np.arange(len(into)))), shape=(n, len(into)))


# -------------------------------------------------------------------- undefined cases


def undefined_group(totals: Totals) -> str | None:
    """Return why a group has no agreement, or None."""
    if totals.n_coders < 2:
        return "only one coder: agreement needs two"
    if not totals.n_positions:
        return "every document has only one unit"
    if not totals.n_boundaries:
        return "no coder placed a boundary"
    return None


def undefined_chance(expected: Ratio[float]) -> str | None:
    """Return why a coefficient is undefined at this expected agreement, or None."""
    if expected.numerator == expected.denominator:
        return "expected agreement is 1: every coder marked every position"
    if expected.numerator > expected.denominator:
        return "expected agreement exceeds 1: chance='published' finds more segments than positions"
    return None


def check_names(name: str, chance: str) -> None:
    """Raise UnknownNameError for an unknown coefficient or expectation."""
    for parameter, value, choices, also in (
        ("coefficient", name, COEFFICIENTS, ALSO),
        ("chance", chance, CHANCES, ()),
    ):
        if value not in choices:
            hint = did_you_mean(str(value)[:60], choices, also)
            raise UnknownNameError(f"{parameter} is {short(value)}; {hint}")


def check_types(n_types: int, chance: Chance) -> None:
    """Raise ParameterError for several types unless chance is "boundaries"."""
    if chance != "boundaries" and n_types > 1:
        fix = "for several use chance='boundaries', or metric=\"B(as_in='segeval')\""
        raise ParameterError(f"chance={chance!r} reproduces results for one boundary type; {fix}")


def corrected(observed: Ratio[float], expected: Ratio[float]) -> float:
    """Return the coefficient of exact sums; NaN if undefined."""
    if undefined_chance(expected) or not observed.denominator:
        return math.nan
    similar, compared = observed
    if isinstance(similar, int) and isinstance(compared, int):  # in lowest terms, whatever the units
        common = math.gcd(similar, compared)
        observed = Ratio(similar // common, compared // common)
    return coefficient(observed, expected).value


# -------------------------------------------------------------------- significance


def pi_variance(totals: Totals) -> float:
    """Return Var(π*) under chance: F13t, eq. 4.59 (Siegel & Castellan 1988), over the types and "none".

    With q = Σ p(1-p) it is 2·(q² - Σ p(1-p)(1-2p)) / (I·c·(c-1)·q²) for I positions and c coders. The shares
    p add up to 1: a mark counts once, and a position that a coder left unmarked counts once as "none". For
    one type it is 2 / (I·c·(c-1)). I·c·(c-1)/2 is the number of pairs of codings at all positions, also if
    coders annotated different documents.
    """
    none = totals.slots - totals.marked
    total = totals.n_boundaries + none
    # Everything times the fourth power of the total, so that it stays whole: with n = p · total,
    # Σ n(total - n) = total² - Σ n², Σ n(total - n)(total - 2n) = total³ - 3·total·Σ n² + 2·Σ n³.
    squares, cubes = (sum(n**power for n in (*totals.by_type, none)) for power in (2, 3))
    q = total**2 - squares
    skew = total * (total**3 - 3 * total * squares + 2 * cubes)
    if not q:
        return math.nan
    return (q * q - skew) / (totals.pair_slots * q * q)


def z_test(value: float, variance: float) -> tuple[float, float]:
    """Return z = value / √variance and the two-sided p of the hypothesis that the coefficient is 0.

    >>> z, p = z_test(0.196, 0.01)
    >>> round(z, 2), round(p, 3)
    (1.96, 0.05)
    """
    if not variance > 0 or math.isnan(value):
        return math.nan, math.nan
    z = value / math.sqrt(variance)
    return z, math.erfc(abs(z) / math.sqrt(2))

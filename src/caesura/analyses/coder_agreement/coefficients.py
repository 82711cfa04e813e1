"""Chance-corrected coefficients: one formula, several expectations, and their significance.

coefficient = (A_o - A_e) / (1 - A_e). A_o is observed agreement, the micro-average of a similarity over all
pairs of coders and all documents. A_e is the chance that two coders both mark a random (position, type)
slot: the mean over types of P(t)² for π*, where all coders share one rate, and of the mean over coder pairs
of P(t|c)·P(t|c′) for κ*, where each has their own. It is not the similarity that random coders would reach:
see baseline.py.

Every formula works on integers, which stay integers until the last division, and on arrays of floats with
one entry per resample, document or coder. F13t is Fournier (2013), the thesis, §4.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, Literal, NamedTuple, TypeAlias

import numpy as np

from caesura.analyses.coder_agreement.groups import CoderGroups, sum_slices, summable
from caesura.analyses.coder_agreement.observed import PairTable, Totals
from caesura.arrays import FloatArray, IntArray, Number, NumberArray
from caesura.errors import ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric
from caesura.values.strings import offsets_of
from caesura.wording import short

Coefficient: TypeAlias = Literal["pi", "kappa"]
Chance: TypeAlias = Literal["boundaries", "published"]
COEFFICIENTS = ("pi", "kappa")
CHANCES = ("boundaries", "published")
SYMBOLS = {"pi": "π*", "kappa": "κ*"}
ALSO = (("Scott", "pi"), ("Fleiss", "pi"), ("multi-pi", "pi"), ("Cohen", "kappa"), ("multi-kappa", "kappa"))
"""By whose names coefficients go, too: hints at a wrong name know them."""

MANY_LENGTHS = 1000
"""With more different lengths of documents, their mean ratio is rounded: no mean is just 1 by then."""


def label(metric: Metric, name: Coefficient) -> str:
    """Return a coefficient's name, such as π*_B."""
    return f"{SYMBOLS[name]}_{metric.name}"


class Ratio(NamedTuple, Generic[Number]):
    """A number before its division."""

    numerator: Number
    denominator: Number

    @property
    def value(self) -> Number:
        """The quotient."""
        return self.numerator / self.denominator


class Ratios(NamedTuple):
    """Observed agreement, and expected agreement by both coefficients."""

    observed: Ratio[float]
    expected_pi: Ratio[float]
    expected_kappa: Ratio[float]

    def expected(self, name: Coefficient) -> Ratio[float]:
        """Return expected agreement A_e for a coefficient."""
        return self.expected_pi if name == "pi" else self.expected_kappa


@dataclass(frozen=True, slots=True)
class Sums(Generic[Number]):
    """What the coefficients need, summed over documents and pairs of coders.

    ``own`` is the sum over coders and types of the square of a coder's marks, ``together`` that over types of
    the square of all coders' marks. With ``chance="published"`` marks are segments, and ``rate`` is the mean
    ratio of segments to potential boundaries that π* then goes by.
    """

    observed: Ratio[Number]
    positions: Number
    n_coders: Number
    n_types: Number
    own: Number
    together: Number
    rate: Ratio[Number] | None = None

    def expected(self, name: Coefficient) -> Ratio[Number]:
        """Return expected agreement A_e for a coefficient."""
        if name == "kappa":
            return expected_kappa(self)
        if self.rate is not None:
            over, under = self.rate
            return Ratio(over * over, under * under)
        return expected_pi(self)

    def ratios(self: Sums[float]) -> Ratios:
        """Return observed agreement, and expected agreement by both coefficients."""
        return Ratios(self.observed, self.expected("pi"), self.expected("kappa"))

    def of_segments(self, marks: Number, n_documents: Number, rate: Ratio[Number]) -> Sums[Number]:
        """Return the sums with segments in place of marks: one more for each coder on each document."""
        all_segments = marks + self.n_coders * n_documents
        own = self.own + 2 * n_documents * marks + self.n_coders * n_documents * n_documents
        return replace(self, own=own, together=all_segments * all_segments, rate=rate)


def coefficient(observed: Ratio[Number], expected: Ratio[Number]) -> Ratio[Number]:
    """Return (A_o - A_e) / (1 - A_e): agreement beyond chance, of what chance leaves (F13t, eq. 4.38).

    >>> coefficient(Ratio(3, 4), Ratio(1, 2)).value
    0.5
    """
    similar, compared = observed
    by_chance, of = expected
    return Ratio(similar * of - by_chance * compared, compared * (of - by_chance))


def expected_pi(sums: Sums[Number]) -> Ratio[Number]:
    """Return the mean over types of P(t)² (F13t, eq. 4.52, with a mean where it prints a sum).

    P(t) is the number of marks of all coders over coders × positions. The sum over types may exceed 1 when
    types share positions; for one type both are the same. Two coders with 4 and 6 marks on 10 positions:

    >>> expected_pi(Sums(Ratio(1, 1), 10, n_coders=2, n_types=1, own=4**2 + 6**2, together=10**2)).value
    0.25
    """
    slots = sums.n_coders * sums.positions
    return Ratio(sums.together, sums.n_types * slots * slots)


def expected_kappa(sums: Sums[Number]) -> Ratio[Number]:
    """Return the mean over types of the mean over coder pairs of P(t|c)·P(t|c′) (F13t, eq. 4.56).

    P(t|c) is the number of a coder's marks over positions.

    >>> expected_kappa(Sums(Ratio(1, 1), 10, n_coders=2, n_types=1, own=4**2 + 6**2, together=10**2)).value
    0.24
    """
    # All ordered pairs of coders, less those of each with themselves.
    ordered = sums.n_coders * (sums.n_coders - 1)
    return Ratio(sums.together - sums.own, sums.n_types * ordered * sums.positions * sums.positions)


def kappa_of_pairs(
    shared: FloatArray, pair: IntArray, first: FloatArray, second: FloatArray, n_types: int
) -> Ratio[float]:
    """Return the mean over types and pairs of coders of P(t|c)·P(t|c′), weighted by what two coders share.

    ``pair``, ``first`` and ``second`` are the pair, and both coders' rates, of each type that two coders
    share. In any order of the coders it is the same number, to the last bit.

    >>> kappa_of_pairs(np.array([10.0]), np.array([0]), np.array([0.4]), np.array([0.6]), 1).value
    0.24
    """
    return Ratio(math.fsum((shared[pair] * (first * second)).tolist()), n_types * math.fsum(shared.tolist()))


# -------------------------------------------------------------------- of groups and of documents


def group_sums(table: PairTable, group: int, chance: Chance) -> Sums[float]:
    """Return the exact sums of a group."""
    totals = table.totals[group]
    sums: Sums[float] = Sums(
        Ratio(totals.similar, totals.compared),
        totals.positions,
        totals.n_coders,
        totals.n_types,
        table.own[group],
        totals.together,
    )
    if chance == "boundaries":
        return sums
    documents = table.groups.groups[group].documents
    segments = table.groups.boundaries_by_document[documents] + totals.n_coders
    rate = segment_rate(segments, totals.n_coders, table.groups.positions[documents])
    return sums.of_segments(totals.boundaries, totals.n_documents, rate)


def document_sums(table: PairTable, chance: Chance) -> Sums[NumberArray]:
    """Return the sums of every document of the corpus as if it were the only one."""
    groups = table.groups
    marks = groups.marks_by_document
    similar, compared, _ = table.metric.fraction(table.by_document.astype(np.float64).T)
    n_coders = groups.corpus.n_coders.astype(np.float64)
    sums: Sums[NumberArray] = Sums(
        Ratio(similar, compared),
        groups.positions.astype(np.float64),
        n_coders,
        groups.n_types[groups.of_document].astype(np.float64),
        sum_slices(groups.marks.powers(2), groups.corpus.starts).astype(np.float64),
        marks.powers(2).astype(np.float64),
    )
    if chance == "boundaries":
        return sums
    number = groups.boundaries_by_document.astype(np.float64)
    return sums.of_segments(number, np.ones(1), Ratio(number + n_coders, n_coders * sums.positions))


def segment_rate(segments: IntArray, n_coders: int, positions: IntArray) -> Ratio[float]:
    """Return the mean over documents of segments per coder and potential boundary, where there is any.

    segeval before 2.0.11 averaged this ratio over both coders of all pairs, in which each occurs as often.

    >>> segment_rate(np.array([2, 4, 5]), 2, np.array([3, 3, 0]))
    Ratio(numerator=1, denominator=2)
    """
    lengths, place = np.unique(positions, return_inverse=True)
    sums = np.bincount(place, weights=segments).tolist()
    parts = [(int(total), of * n_coders) for total, of in zip(sums, lengths.tolist(), strict=True) if of]
    n = max(1, int(np.count_nonzero(positions)))
    if len(parts) > MANY_LENGTHS:
        return Ratio(math.fsum(total / of for total, of in parts), n)
    mean = sum((Fraction(*part) for part in parts), Fraction(0)) / n
    return Ratio(mean.numerator, mean.denominator)


# -------------------------------------------------------------------- undefined cases


def undefined_group(totals: Totals) -> str | None:
    """Return why a group has no agreement at all, or None."""
    if totals.n_coders < 2:
        return "only one coder: agreement needs two"
    if not totals.positions:
        return "every document has one unit: there is no potential boundary"
    if not totals.boundaries:
        return "no coder placed a boundary: there is nothing to agree on"
    return None


def undefined_chance(expected: Ratio[float]) -> str | None:
    """Return why a coefficient is not defined at this expected agreement, or None."""
    if expected.numerator == expected.denominator:
        return "expected agreement is 1: every coder marked every position"
    if expected.numerator > expected.denominator:
        return "expected agreement exceeds 1: chance='published' finds more segments than positions"
    return None


def check_names(name: str, chance: str) -> None:
    """Raise UnknownNameError for a coefficient or an expectation that there is not."""
    for parameter, value, choices in (("coefficient", name, COEFFICIENTS), ("chance", chance, CHANCES)):
        if value not in choices:
            also = ALSO if parameter == "coefficient" else ()
            hint = did_you_mean(str(value)[:60], choices, also)
            raise UnknownNameError(f"{parameter} is {short(value)}; {hint}")


def check_types(groups: CoderGroups, chance: Chance) -> None:
    """Raise ParameterError for ``published`` with several types: nothing was published about them."""
    if chance == "published" and bool((groups.n_types > 1).any()):
        raise ParameterError(
            "chance='published' reproduces results for one boundary type; for several use chance='boundaries'"
        )


def finish(observed: Ratio[float], expected: Ratio[float]) -> float:
    """Return the coefficient of exact sums; NaN where it is not defined."""
    if undefined_chance(expected) or not observed.denominator:
        return math.nan
    return coefficient(_reduced(observed), expected).value


def _reduced(ratio: Ratio[float]) -> Ratio[float]:
    """Return whole numbers in lowest terms: the units that counts are in do not change what is rounded."""
    over, under = ratio
    if not (isinstance(over, int) and isinstance(under, int)):
        return ratio
    common = math.gcd(over, under)
    return Ratio(over // common, under // common)


def finish_many(sums: Sums[NumberArray], marks: NumberArray, name: Coefficient) -> FloatArray:
    """Return the coefficient of many sums at once; NaN where it is not defined."""
    expected = sums.expected(name)
    values = coefficient(sums.observed, expected)
    defined = (marks > 0) & (expected.numerator < expected.denominator) & (values.denominator != 0)
    found = np.full(len(marks), np.nan)
    np.divide(values.numerator, values.denominator, out=found, where=defined)
    return found


def group_value(table: PairTable, group: int, name: Coefficient, chance: Chance) -> float:
    """Return the coefficient of a group; NaN where it is not defined."""
    if undefined_group(table.totals[group]) is not None:
        return math.nan
    sums = group_sums(table, group, chance)
    return finish(sums.observed, sums.expected(name))


# -------------------------------------------------------------------- without one coder


def values_without(table: PairTable, group: int, name: Coefficient, chance: Chance) -> list[float]:
    """Return the coefficient of a group without each of its coders; NaN where it is not defined.

    What a coder takes part in is subtracted from the sums of all.
    """
    totals = table.totals[group]
    n = totals.n_coders
    if n < 3 or not totals.positions:
        return [math.nan] * n
    counts = _counts_without(table, group)
    groups, found = table.groups, table.groups.groups[group]
    own, shared, number = _marks_of_coders(table, group)
    segments = None
    if chance == "published":
        by_coder = groups.corpus.codings.n_boundaries[found.rows]
        segments = by_coder.sum(axis=1, keepdims=True) - by_coder + n - 1
    values = []
    for coder in range(n):
        similar, compared, _ = table.metric.fraction(tuple(counts[coder]))
        rest = totals.boundaries - number[coder]
        sums: Sums[float] = Sums(
            Ratio(similar, compared),
            totals.positions,
            n - 1,
            totals.n_types,
            table.own[group] - own[coder],
            totals.together - 2 * shared[coder] + own[coder],
        )
        if segments is not None:
            rate = segment_rate(segments[:, coder], n - 1, groups.positions[found.documents])
            sums = sums.of_segments(rest, totals.n_documents, rate)
        values.append(finish(sums.observed, sums.expected(name)) if rest else math.nan)
    return values


def _counts_without(table: PairTable, group: int) -> list[list[float]]:
    """Return the metric's counts of all pairs of a group that one coder is not in, by coder."""
    rows = table.scores.rows[table.pairs_of(group)]
    n_documents, n_pairs, n_counts = rows.shape
    by_pair = summable(rows.reshape(n_documents, -1)).sum(axis=0).reshape(n_pairs, n_counts)
    first, second = table.coder_pairs(group)
    member = np.concatenate((first, second))
    order = np.argsort(member, kind="stable")
    n_coders = len(table.groups.groups[group].coders)
    by_pair = summable(by_pair)
    by_coder = sum_slices(by_pair[order % n_pairs], offsets_of(np.bincount(member, minlength=n_coders)))
    rest: list[list[float]] = (by_pair.sum(axis=0) - by_coder).tolist()
    return rest


def _marks_of_coders(table: PairTable, group: int) -> tuple[list[int], list[int], list[int]]:
    """Return the squares, the products with those of all coders, and the number of each coder's marks."""
    groups = table.groups
    if len(groups.kinds) == 1:
        number = groups.boundaries_by_cell[groups.cell_starts[group] : groups.cell_starts[group + 1]].tolist()
        return [n * n for n in number], [n * table.totals[group].boundaries for n in number], number
    cells = groups.marks_by_cell.take(np.arange(*groups.cell_starts[group : group + 2]))
    of_all = groups.marks_by_group.take(np.array([group]))
    place = np.searchsorted(of_all.kind, cells.kind)
    shared = sum_slices(of_all.number[place] * cells.number, cells.offsets)
    return cells.powers(2).tolist(), shared.tolist(), cells.powers(1).tolist()


# -------------------------------------------------------------------- significance


def pi_variance(totals: Totals) -> float:
    """Return Var(π*) under chance: F13t, eq. 4.59 (Siegel & Castellan 1988), over the types and "none".

    With q = Σ p(1-p) it is 2·(q² - Σ p(1-p)(1-2p)) / (I·c·(c-1)·q²), where I is the number of positions and
    c of coders. The shares p add up to 1: a coder's mark counts once, and a position that a coder left
    unmarked counts once as "none". For one type it is 2 / (I·c·(c-1)). I·c·(c-1)/2 is the number of pairs of
    codings at all positions, which is what stands here where coders have coded different documents.
    """
    none = totals.slots - totals.marked
    total = totals.boundaries + none
    # Everything times the fourth power of the total, so that it stays whole: with n = p · total,
    # Σ n(total - n) = total² - Σ n², Σ n(total - n)(total - 2n) = total³ - 3·total·Σ n² + 2·Σ n³.
    squares, cubes = totals.together + none**2, totals.cubes + none**3
    q = total**2 - squares
    skew = total * (total**3 - 3 * total * squares + 2 * cubes)
    if not q:
        return math.nan
    return (q * q - skew) / (totals.pair_slots * q * q)


def kappa_variance(expected: float, n_positions: int) -> float:
    """Return Var(κ) under chance: A_e / (I·(1 - A_e)) (F13t, eq. 4.62; Cohen 1960)."""
    return expected / (n_positions * (1 - expected))


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

"""Chance-corrected coefficients: one formula, several expectations, and their significance.

coefficient = (A_o - A_e) / (1 - A_e). A_o is observed agreement, the micro-average of a similarity over all
pairs of coders and all documents. A_e is the chance that two coders both mark a random (position, type)
slot: the mean over types of P(t)² for π*, where all coders share one rate, and of the mean over coder pairs
of P(t|c)·P(t|c′) for κ*, where each has their own. It is not the similarity that random coders would reach:
see baseline.py.

Every function works on integers, which stay integers until the last division, and on arrays of floats with
a leading axis, one entry per resample. F13t is Fournier (2013), the thesis, §4.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

from numpy.typing import NDArray

from caesura.analyses.coder_agreement.observed import PairCounts
from caesura.errors import ParameterError

Number: TypeAlias = Any  # an int or a Fraction, or an array of floats
Coefficient: TypeAlias = Literal["pi", "kappa"]
Chance: TypeAlias = Literal["boundaries", "published"]
COEFFICIENTS = ("pi", "kappa")
CHANCES = ("boundaries", "published")
SYMBOLS = {"pi": "π*", "kappa": "κ*"}


class Ratio(NamedTuple):
    """A number before its division."""

    numerator: Number
    denominator: Number

    @property
    def value(self) -> Number:
        """The quotient."""
        return self.numerator / self.denominator


@dataclass(frozen=True)
class Sums:
    """What one value of the coefficients needs, summed over documents and pairs of coders.

    ``marks`` are boundaries by coder and type. With ``chance="published"`` they are segments, and ``rate`` is
    the mean ratio of segments to potential boundaries that π* then goes by.
    """

    observed: Ratio
    marks: NDArray[Any]  # ..., coders, types
    positions: Number
    rate: Number | None = None

    def expected(self, name: Coefficient) -> Ratio:
        """Return expected agreement A_e for a coefficient."""
        if name == "kappa":
            return expected_kappa(self.marks, self.positions)
        if self.rate is not None:
            return Ratio(self.rate * self.rate, 1)
        return expected_pi(self.marks, self.positions)


def coefficient(observed: Ratio, expected: Ratio) -> Ratio:
    """Return (A_o - A_e) / (1 - A_e): agreement beyond chance, of what chance leaves (F13t, eq. 4.38).

    >>> coefficient(Ratio(3, 4), Ratio(1, 2)).value
    0.5
    """
    similar, compared = observed
    by_chance, of = expected
    return Ratio(similar * of - by_chance * compared, compared * (of - by_chance))


def expected_pi(marks: NDArray[Any], positions: Number) -> Ratio:
    """Return the mean over types of P(t)² (F13t, eq. 4.52, with a mean where it prints a sum).

    P(t) is the number of marks of all coders over coders × positions. The sum over types may exceed 1 when
    types share positions; for one type both are the same.

    >>> import numpy as np
    >>> float(expected_pi(np.array([[4], [6]]), 10).value)
    0.25
    """
    n_coders, n_types = marks.shape[-2:]
    of_all = marks.sum(-2)
    return Ratio((of_all * of_all).sum(-1), n_types * (n_coders * positions) ** 2)


def expected_kappa(marks: NDArray[Any], positions: Number) -> Ratio:
    """Return the mean over types of the mean over coder pairs of P(t|c)·P(t|c′) (F13t, eq. 4.56).

    P(t|c) is the number of a coder's marks over positions.

    >>> import numpy as np
    >>> float(expected_kappa(np.array([[4], [6]]), 10).value)
    0.24
    """
    n_coders, n_types = marks.shape[-2:]
    of_all = marks.sum(-2)
    # All ordered pairs of coders, less those of each with themselves.
    products = (of_all * of_all).sum(-1) - (marks * marks).sum((-2, -1))
    return Ratio(products, n_types * n_coders * (n_coders - 1) * positions**2)


def exact_sums(counts: PairCounts, chance: Chance, without: int | None = None) -> Sums:
    """Sum a group's counts exactly, all or those without one coder."""
    coders = [coder for coder in range(len(counts.coders)) if coder != without]
    totals = counts.scores.micro.counts
    if without is not None:
        shape = (len(counts.documents), len(counts.first), -1)
        rows = counts.scores.rows.reshape(shape).astype(object)
        totals = tuple(rows[:, (counts.first != without) & (counts.second != without)].sum((0, 1)))
    similar, compared, _ = counts.metric.fraction(totals)
    boundaries = counts.boundaries if without is None else counts.boundaries[:, coders]
    marks = boundaries.sum(0).astype(object)  # Python integers do not overflow
    rate = None
    if chance == "published":
        marks = marks + len(counts.documents)
        ratios = [ratio for ratio in segment_ratios(counts, coders) if ratio is not None]
        rate = sum(ratios, Fraction(0)) / len(ratios)
    return Sums(Ratio(similar, compared), marks, counts.n_positions, rate)


def segment_ratios(counts: PairCounts, coders: Sequence[int]) -> list[Fraction | None]:
    """Return each document's segments per potential boundary, on average over coders; None if it has none.

    segeval before 2.0.11 averaged this ratio over both coders of all pairs, in which each occurs as often.
    """
    n = len(coders)
    segments = (counts.boundaries[:, coders, 0].sum(1) + n).tolist()
    return [
        Fraction(n_segments, n * n_positions) if n_positions else None
        for n_segments, n_positions in zip(segments, counts.positions, strict=True)
    ]


# -------------------------------------------------------------------- undefined cases


def undefined_group(counts: PairCounts) -> str | None:
    """Return why a group has no agreement at all, or None."""
    if len(counts.coders) < 2:
        return "only one coder: agreement needs two"
    if not counts.n_positions:
        return "every document has one unit: there is no potential boundary"
    if not counts.n_boundaries:
        return "no coder placed a boundary: there is nothing to agree on"
    return None


def undefined_chance(expected: Ratio) -> str | None:
    """Return why a coefficient is not defined at this expected agreement, or None."""
    if expected.numerator == expected.denominator:
        return "expected agreement is 1: every coder marked every position"
    if expected.numerator > expected.denominator:
        return "expected agreement exceeds 1: chance='published' finds more segments than positions"
    return None


def check_chance(counts: PairCounts, chance: Chance) -> None:
    """Raise ParameterError for ``published`` with several types: nothing was published about them."""
    if chance == "published" and len(counts.types) > 1:
        raise ParameterError(
            "chance='published' reproduces results for one boundary type; for several use chance='boundaries'"
        )


def finish(observed: Ratio, expected: Ratio) -> float:
    """Return the coefficient of exact sums; NaN where it is not defined."""
    return math.nan if undefined_chance(expected) else float(coefficient(observed, expected).value)


def value_without(counts: PairCounts, coder: int, name: Coefficient, chance: Chance) -> float:
    """Return the coefficient of the other coders; NaN where it is not defined."""
    rest = counts.n_boundaries - int(counts.boundaries[:, coder].sum())
    if len(counts.coders) < 3 or not rest or not counts.n_positions:
        return math.nan
    sums = exact_sums(counts, chance, without=coder)
    return finish(sums.observed, sums.expected(name))


# -------------------------------------------------------------------- significance


def pi_variance(counts: PairCounts) -> float:
    """Return Var(π*) under chance: F13t, eq. 4.59 (Siegel & Castellan 1988), over the types and "none".

    With q = Σ p(1-p) it is 2·(q² - Σ p(1-p)(1-2p)) / (I·c·(c-1)·q²), where I is the number of positions and
    c of coders. The shares p add up to 1: a coder's mark counts once, and a position that a coder left
    unmarked counts once as "none". For one type it is 2 / (I·c·(c-1)).
    """
    n_coders = len(counts.coders)
    marked = len(counts.codings.marked.positions)  # whatever the number of types there
    by_type = [marked] if len(counts.types) == 1 else counts.boundaries.sum((0, 1)).tolist()
    tallies = [*by_type, n_coders * counts.n_positions - marked]
    total = sum(tallies)
    # Everything times the fourth power of the total, so that it stays whole.
    q = sum(n * (total - n) for n in tallies)
    skew = total * sum(n * (total - n) * (total - 2 * n) for n in tallies)
    if not q:
        return math.nan
    variance: float = 2 * (q * q - skew) / (counts.n_positions * n_coders * (n_coders - 1) * q * q)
    return variance


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

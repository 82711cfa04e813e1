"""Strict coefficients: boundary or no boundary, position by position, without credit for near misses.

Types do not matter here: a position with any boundary is marked. All of these coefficients follow from how
many positions were marked by 0, 1, ... c of the coders, so they cost no time or memory for unmarked positions
and are exact until the last division.

References
----------
Artstein & Poesio (2008), Inter-coder agreement for computational linguistics, Computational Linguistics 34
(notation); Scott (1955); Cohen (1960); Fleiss (1971), as in Kazantseva & Szpakowicz (2012), eq. 1 to 3;
Davies & Fleiss (1982); Krippendorff (2004), Content analysis; Cochran (1950).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from caesura.arrays import FloatArray


@dataclass(frozen=True)
class MarkCounts:
    """How often positions were marked.

    ``support[j]`` positions were marked by j of the coders; ``by_coder`` are each coder's marks.
    """

    support: tuple[int, ...]
    by_coder: tuple[int, ...]

    @property
    def n_coders(self) -> int:
        """Number of coders."""
        return len(self.by_coder)

    @property
    def n_positions(self) -> int:
        """Number of positions."""
        return sum(self.support)

    @property
    def n_marks(self) -> int:
        """Marks by all coders."""
        return sum(self.by_coder)


@dataclass(frozen=True)
class StrictAgreement:
    """The strict coefficients of one group; NaN where one is not defined, None where it does not apply.

    ``reasons`` says why a coefficient is NaN. Cochran's Q tests whether the coders mark equally often.
    """

    n_coders: int
    n_positions: int
    percent: float
    scott_pi: float | None
    cohen_kappa: float | None
    fleiss_kappa: float
    davies_fleiss_kappa: float
    krippendorff_alpha: float
    cochran_q: float
    cochran_df: int
    cochran_p: float
    reasons: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return dict(vars(self))


def strict_agreement(marks: MarkCounts) -> StrictAgreement:
    """Return the strict coefficients.

    Four positions, two coders: both marked one, one of them another, nobody the other two.

    >>> strict = strict_agreement(MarkCounts(support=(2, 1, 1), by_coder=(2, 1)))
    >>> strict.percent, strict.cohen_kappa, round(strict.scott_pi, 4)
    (0.75, 0.5, 0.4667)
    """
    reasons: dict[str, str] = {}
    observed = percent_agreement(marks)
    fleiss, davies = (_corrected(observed, expected(marks)) for expected in (_one_rate, _own_rates))
    alpha = krippendorff_alpha([marks])
    q, p = cochran_q(marks)
    two = marks.n_coders == 2
    values = {
        "percent": observed[0] / observed[1] if observed[1] else math.nan,
        "scott_pi": fleiss if two else None,
        "cohen_kappa": davies if two else None,
        "fleiss_kappa": fleiss,
        "davies_fleiss_kappa": davies,
        "krippendorff_alpha": alpha,
        "cochran_q": q,
        "cochran_p": p,
    }
    for name, value in values.items():
        if value is not None and math.isnan(value):
            reasons[name] = _why_undefined(marks, name)
    return StrictAgreement(
        n_coders=marks.n_coders,
        n_positions=marks.n_positions,
        cochran_df=marks.n_coders - 1,
        reasons=reasons,
        **values,  # type: ignore[arg-type]
    )


Quotient: TypeAlias = tuple[float, float]
"""Whole numbers until the last division, where they are."""


def pooled_strict_agreement(
    groups: Sequence[MarkCounts], n_coders: int, own_rates: Quotient
) -> StrictAgreement:
    """Return the strict coefficients over groups whose coders overlap, so that codings are missing.

    Percent agreement pools the pairs of all groups, Fleiss' κ all marks; ``own_rates`` is what the κ of
    Davies & Fleiss expects, over the pairs of coders who share a position. Cochran's Q needs all codings.
    """
    several = [marks for marks in groups if marks.n_coders > 1]
    parts = [percent_agreement(marks) for marks in several]
    observed = sum(part[0] for part in parts), sum(part[1] for part in parts)
    slots = sum(marks.n_positions * marks.n_coders for marks in several)
    n_marks = sum(marks.n_marks for marks in several)
    values = {
        "percent": observed[0] / observed[1] if observed[1] else math.nan,
        "fleiss_kappa": _corrected(observed, (n_marks**2 + (slots - n_marks) ** 2, slots**2)),
        "davies_fleiss_kappa": _corrected(observed, own_rates),
        "krippendorff_alpha": krippendorff_alpha(several),
    }
    why = "every position is marked by all" if n_marks else "no coder placed a boundary"
    why = why if slots else "there is no potential boundary"
    missing = "not all coders have coded all documents"
    reasons = {name: why for name, value in values.items() if math.isnan(value)}
    return StrictAgreement(
        n_coders=n_coders,
        n_positions=sum(marks.n_positions for marks in several),
        scott_pi=None,
        cohen_kappa=None,
        cochran_q=math.nan,
        cochran_df=n_coders - 1,
        cochran_p=math.nan,
        reasons=reasons | {"cochran_q": missing, "cochran_p": missing},
        **values,
    )


def own_rates_of_pairs(shared: FloatArray, one: FloatArray, other: FloatArray) -> Quotient:
    """Return expected agreement of pairs of coders with these rates, weighted by the positions they share.

    In any order of the pairs it is the same number, to the last bit.
    """
    alike = one * other + (1 - one) * (1 - other)
    return math.fsum((shared * alike).tolist()), math.fsum(shared.tolist())


def percent_agreement(marks: MarkCounts) -> Quotient:
    """Return the share of coder pairs and positions that agree (KS12, eq. 2); of 0 if there are none."""
    c = marks.n_coders
    agreeing = sum(n * (j * (j - 1) + (c - j) * (c - j - 1)) for j, n in enumerate(marks.support))
    return agreeing, marks.n_positions * c * (c - 1)


def _one_rate(marks: MarkCounts) -> Quotient:
    """Expected agreement where all coders mark at one rate: Scott, Fleiss (KS12, eq. 3)."""
    slots = marks.n_positions * marks.n_coders
    return marks.n_marks**2 + (slots - marks.n_marks) ** 2, slots**2


def _own_rates(marks: MarkCounts) -> Quotient:
    """Expected agreement where each coder has their own rate: Cohen, Davies & Fleiss; mean over pairs."""
    c, n = marks.n_coders, marks.n_positions
    # Twice the sum over pairs of x·y is the square of the sum less the sum of squares.
    both = marks.n_marks**2 - sum(own * own for own in marks.by_coder)
    neither = (c * n - marks.n_marks) ** 2 - sum((n - own) ** 2 for own in marks.by_coder)
    return both + neither, n * n * c * (c - 1)


def _corrected(observed: Quotient, expected: Quotient) -> float:
    agreeing, pairs = observed
    by_chance, of = expected
    if not pairs or not of or by_chance == of:
        return math.nan
    return (agreeing * of - by_chance * pairs) / (pairs * (of - by_chance))


def krippendorff_alpha(groups: Sequence[MarkCounts]) -> float:
    """Return Krippendorff's α for nominal data: 1 - observed / expected disagreement.

    Each group of coders counts with the positions that it coded, so a coder may have left out documents;
    positions with one coder only cannot disagree and are left out. NaN without pairs or variation.

    >>> krippendorff_alpha([MarkCounts((2, 1, 1), (2, 1))])
    0.5333333333333333
    """
    disagreement: Counter[int] = Counter()  # by number of coders
    n_values = n_marks = 0
    for marks in groups:
        c = marks.n_coders
        if c < 2:
            continue
        n_values += c * marks.n_positions
        n_marks += marks.n_marks
        disagreement[c] += sum(2 * n * j * (c - j) for j, n in enumerate(marks.support))
    expected = 2 * n_marks * (n_values - n_marks)
    if not expected:
        return math.nan
    common = math.lcm(*(c - 1 for c in disagreement))
    observed = sum(n * (common // (c - 1)) for c, n in disagreement.items()) * (n_values - 1)
    return (expected * common - observed) / (expected * common)


def cochran_q(marks: MarkCounts) -> tuple[float, float]:
    """Return Cochran's Q and its p: do the coders mark equally often? NaN where none differ anywhere.

    Q = (c-1)·(c·Σ G² - M²) / (c·M - Σ L²), with G each coder's marks, L each position's and M all marks; p is
    from χ² with c - 1 degrees of freedom.

    >>> q, p = cochran_q(MarkCounts((2, 1, 1), (2, 1)))
    >>> q, round(p, 4)
    (1.0, 0.3173)
    """
    c, total = marks.n_coders, marks.n_marks
    divisor = c * total - sum(j * j * n for j, n in enumerate(marks.support))
    if not divisor:
        return math.nan, math.nan
    from scipy.special import chdtrc

    q = (c - 1) * (c * sum(g * g for g in marks.by_coder) - total**2) / divisor
    return q, float(chdtrc(c - 1, q))


def _why_undefined(marks: MarkCounts, name: str) -> str:
    if marks.n_coders < 2:
        return "only one coder"
    if not marks.n_positions:
        return "there is no potential boundary"
    if name.startswith("cochran"):
        return "no two coders differ at any position"
    return "every position is marked by all" if marks.n_marks else "no coder placed a boundary"

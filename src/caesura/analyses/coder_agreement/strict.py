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
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from caesura.arrays import FloatArray

Support: TypeAlias = Mapping[tuple[int, int], int]
"""How many positions there are by how many coders coded them, and how many of these marked them."""

Quotient: TypeAlias = tuple[float, float]
"""Whole numbers until the last division, where they are."""


class StrictAgreement(NamedTuple):
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
        return self._asdict()


def strict_agreement(
    support: Support, by_coder: Sequence[int], own_rates: Quotient | None = None
) -> StrictAgreement:
    """Return the strict coefficients of coders with these numbers of marks.

    Where codings are missing, percent agreement pools the pairs of all positions, Fleiss' κ all marks, and
    ``own_rates`` is what the κ of Davies & Fleiss expects, over the pairs of coders who share a position;
    None: nothing is missing. Cochran's Q needs all codings.

    Four positions, two coders: both marked one, one of them another, nobody the other two.

    >>> strict = strict_agreement({(2, 0): 2, (2, 1): 1, (2, 2): 1}, [2, 1])
    >>> strict.percent, strict.cohen_kappa, round(strict.scott_pi, 4)
    (0.75, 0.5, 0.4667)
    """
    n_coders, is_complete = len(by_coder), own_rates is None
    agreeing = sum(n * (j * (j - 1) + (c - j) * (c - j - 1)) for (c, j), n in support.items())  # KS12, eq. 2
    observed = agreeing, sum(n * c * (c - 1) for (c, _), n in support.items())
    n_positions, slots = sum(support.values()), sum(n * c for (c, _), n in support.items())
    n_marks = sum(n * j for (_, j), n in support.items())
    one_rate = n_marks**2 + (slots - n_marks) ** 2, slots**2  # Scott, Fleiss (KS12, eq. 3)
    fleiss = _corrected(observed, one_rate)
    davies = _corrected(observed, own_rates or _own_rates(n_positions, by_coder))
    q, p = cochran_q(support, by_coder) if is_complete else (math.nan, math.nan)
    is_two = n_coders == 2 and is_complete
    values = {
        "percent": observed[0] / observed[1] if observed[1] else math.nan,
        "scott_pi": fleiss if is_two else None,
        "cohen_kappa": davies if is_two else None,
        "fleiss_kappa": fleiss,
        "davies_fleiss_kappa": davies,
        "krippendorff_alpha": krippendorff_alpha(support),
        "cochran_q": q,
        "cochran_p": p,
    }
    why = "every position is marked by all" if n_marks else "no coder placed a boundary"
    why_no_q = "no two coders differ at any position"
    if n_coders < 2 or not n_positions:
        why = why_no_q = "only one coder" if n_coders < 2 else "there is no potential boundary"
    if not is_complete:
        why_no_q = "not all coders have coded all documents"
    reasons = {
        name: why_no_q if name.startswith("cochran") else why
        for name, value in values.items()
        if value is not None and math.isnan(value)
    }
    return StrictAgreement(
        n_coders=n_coders,
        n_positions=n_positions,
        cochran_df=n_coders - 1,
        reasons=reasons,
        **values,  # type: ignore[arg-type]
    )


def own_rates_of_pairs(shared: FloatArray, first: FloatArray, second: FloatArray) -> Quotient:
    """Return expected agreement of pairs of coders with these rates, weighted by the positions they share.

    In any order of the pairs it is the same number, to the last bit.
    """
    alike = first * second + (1 - first) * (1 - second)
    return math.fsum((shared * alike).tolist()), math.fsum(shared.tolist())


def _own_rates(n: int, by_coder: Sequence[int]) -> Quotient:
    """Expected agreement where each coder has their own rate: Cohen, Davies & Fleiss; mean over pairs."""
    c, total = len(by_coder), sum(by_coder)
    # Twice the sum over pairs of x·y is the square of the sum less the sum of squares.
    both = total**2 - sum(own * own for own in by_coder)
    neither = (c * n - total) ** 2 - sum((n - own) ** 2 for own in by_coder)
    return both + neither, n * n * c * (c - 1)


def _corrected(observed: Quotient, expected: Quotient) -> float:
    agreeing, pairs = observed
    by_chance, of = expected
    if not pairs or not of or by_chance == of:
        return math.nan
    return (agreeing * of - by_chance * pairs) / (pairs * (of - by_chance))


def krippendorff_alpha(support: Support) -> float:
    """Return Krippendorff's α for nominal data: 1 - observed / expected disagreement.

    A coder may have left out documents; positions with one coder only cannot disagree and are left out. NaN
    without pairs or variation.

    >>> krippendorff_alpha({(2, 0): 2, (2, 1): 1, (2, 2): 1})
    0.5333333333333333
    """
    several = [(c, j, n) for (c, j), n in support.items() if c > 1]
    n_values, n_marks = sum(n * c for c, _, n in several), sum(n * j for _, j, n in several)
    expected = 2 * n_marks * (n_values - n_marks)
    if not expected:
        return math.nan
    common = math.lcm(*(c - 1 for c, _, _ in several))
    observed = sum(2 * n * j * (c - j) * (common // (c - 1)) for c, j, n in several) * (n_values - 1)
    return (expected * common - observed) / (expected * common)


def cochran_q(support: Support, by_coder: Sequence[int]) -> tuple[float, float]:
    """Return Cochran's Q and its p: do the coders mark equally often? NaN where none differ anywhere.

    Q = (c-1)·(c·Σ G² - M²) / (c·M - Σ L²), with G each coder's marks, L each position's and M all marks; p is
    from χ² with c - 1 degrees of freedom.

    >>> q, p = cochran_q({(2, 0): 2, (2, 1): 1, (2, 2): 1}, [2, 1])
    >>> q, round(p, 4)
    (1.0, 0.3173)
    """
    c, total = len(by_coder), sum(by_coder)
    divisor = c * total - sum(j * j * n for (_, j), n in support.items())
    if not divisor:
        return math.nan, math.nan
    from scipy.special import chdtrc

    q = (c - 1) * (c * sum(g * g for g in by_coder) - total**2) / divisor
    return q, float(chdtrc(c - 1, q))

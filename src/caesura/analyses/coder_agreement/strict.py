"""Strict coefficients: boundary or no boundary, position by position, without credit for near misses.

Types are ignored: a position with any boundary is marked. All these coefficients follow from the number of
positions marked by 0, 1, ... c coders. So unmarked positions cost neither time nor memory, and numbers are
exact until the last division.

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

from caesura.analyses.coder_agreement.coefficients import Ratio, coefficient
from caesura.arrays import FloatArray

Support: TypeAlias = Mapping[tuple[int, int], int]
"""The number of positions, by the numbers of coders who annotated and who marked them."""


class Cochran(NamedTuple):
    """Cochran's Q, its degrees of freedom, and its p from χ²."""

    q: float
    df: int
    p_value: float


class StrictAgreement(NamedTuple):
    """The strict coefficients of a group; NaN if undefined (see ``reasons``), None if not applicable."""

    n_coders: int
    n_positions: int
    percent: float
    majority_percent: float
    """The share of positions marked as by most coders of the document (F13t eq. 2.8)."""
    bennett_s: float
    """S of Bennett, Alpert & Goldstein (1954): chance marks every other position. It is 2·A_a - 1."""
    scott_pi: float | None
    cohen_kappa: float | None
    fleiss_kappa: float
    davies_fleiss_kappa: float
    krippendorff_alpha: float
    cochran_coders: Cochran
    """Whether all coders mark equally often."""
    cochran_positions: Cochran
    """Whether all positions are marked equally often, as without any agreement (F13t eq. 2.9)."""
    reasons: dict[str, str]

    @property
    def cochran_q(self) -> float:
        """The Q of ``cochran_coders``."""
        return self.cochran_coders.q

    @property
    def cochran_df(self) -> int:
        """The degrees of freedom of ``cochran_coders``."""
        return self.cochran_coders.df

    @property
    def cochran_p(self) -> float:
        """The p of ``cochran_coders``."""
        return self.cochran_coders.p_value

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        tests = {"cochran_coders": self.cochran_coders, "cochran_positions": self.cochran_positions}
        flat = dict(zip(("cochran_q", "cochran_df", "cochran_p"), self.cochran_coders, strict=True))
        return self._asdict() | flat | {name: test._asdict() for name, test in tests.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return self.numbers()


def strict_agreement(
    support: Support, by_coder: Sequence[int], own_rates: Ratio[float] | None = None
) -> StrictAgreement:
    """Return the strict coefficients of coders with these numbers of marks.

    If codings are missing, percent agreement pools the pairs of all positions, Fleiss' κ all marks, and
    ``own_rates`` is the expected agreement of Davies & Fleiss over pairs of coders who share a position;
    None: no coding is missing. Cochran's Q needs all codings.

    Four positions and two coders: both mark the first, one marks the second, none the other two.

    >>> strict = strict_agreement({(2, 0): 2, (2, 1): 1, (2, 2): 1}, [2, 1])
    >>> strict.percent, strict.cohen_kappa, round(strict.scott_pi, 4)
    (0.75, 0.5, 0.4667)
    """
    n_coders, is_complete = len(by_coder), own_rates is None
    n_positions = sum(support.values())
    n_marks = sum(n * j for (_, j), n in support.items())
    ratios = strict_ratios(support, by_coder, own_rates).items()
    values: dict[str, Any] = {name: of.value if of.denominator else math.nan for name, of in ratios}
    is_two = n_coders == 2 and is_complete
    of_two: dict[str, Any] = {
        "scott_pi": values["fleiss_kappa"] if is_two else None,
        "cohen_kappa": values["davies_fleiss_kappa"] if is_two else None,
    }
    squares = sum(own * own for own in by_coder), sum(j * j * n for (_, j), n in support.items())
    tests = cochran(n_coders, n_marks, *squares), cochran(n_positions, n_marks, *squares[::-1])
    if not is_complete or n_coders < 2:
        tests = Cochran(math.nan, tests[0].df, math.nan), Cochran(math.nan, tests[1].df, math.nan)
    why = "every position is marked by all" if n_marks else "no coder placed a boundary"
    why_no_q = "no two coders differ at any position", "every coder marks all positions or none"
    if n_coders < 2 or not n_positions:
        why = "only one coder" if n_coders < 2 else "every document has only one unit"
        why_no_q = why, why
    if not is_complete:
        why_no_q = ("not all coders have coded all documents",) * 2
    undefined = (name for name, value in (values | of_two).items() if value is not None and math.isnan(value))
    reasons = dict.fromkeys(undefined, why)
    if math.isnan(tests[0].q):
        reasons |= dict.fromkeys(("cochran_q", "cochran_p"), why_no_q[0])
    if math.isnan(tests[1].q):
        reasons["cochran_positions"] = why_no_q[1]
    tested: dict[str, Any] = {"cochran_coders": tests[0], "cochran_positions": tests[1], "reasons": reasons}
    return StrictAgreement(n_coders=n_coders, n_positions=n_positions, **values, **of_two, **tested)


def strict_ratios(
    support: Mapping[tuple[int, int], Any], by_coder: Sequence[Any], own_rates: Ratio[Any] | None = None
) -> dict[str, Ratio[Any]]:
    """Return each strict coefficient before its division, of whole numbers or of arrays of resamples."""
    agreeing = sum(n * (j * (j - 1) + (c - j) * (c - j - 1)) for (c, j), n in support.items())  # KS12, eq. 2
    observed = Ratio(agreeing, sum(n * c * (c - 1) for (c, _), n in support.items()))
    n_positions, slots = sum(support.values()), sum(n * c for (c, _), n in support.items())
    n_marks = sum(n * j for (_, j), n in support.items())
    one_rate = Ratio(n_marks**2 + (slots - n_marks) ** 2, slots**2)  # Scott, Fleiss (KS12, eq. 3)
    majority = [(c, j, n) for (c, j), n in support.items() if 2 * j > c > 1]
    return {
        "percent": observed,
        "majority_percent": Ratio(sum(n * j for _, j, n in majority), sum(n * c for c, _, n in majority)),
        "bennett_s": coefficient(observed, Ratio(1, 2)),
        "fleiss_kappa": coefficient(observed, one_rate),
        "davies_fleiss_kappa": coefficient(observed, own_rates or _own_rates(n_positions, by_coder)),
        "krippendorff_alpha": krippendorff_ratio(support),
    }


def own_rates_of_pairs(shared: FloatArray, first: FloatArray, second: FloatArray) -> Ratio[Any]:
    """Return expected agreement of pairs of coders with these rates, weighted by shared positions.

    The order of pairs does not change any bit. Arrays of pairs × resamples give a value per resample.
    """
    alike = first * second + (1 - first) * (1 - second)
    if shared.ndim > 1:
        return Ratio((shared * alike).sum(axis=0), shared.sum(axis=0))
    return Ratio(math.fsum((shared * alike).tolist()), math.fsum(shared.tolist()))


def _own_rates(n: Any, by_coder: Sequence[Any]) -> Ratio[Any]:
    """Return mean expected agreement of pairs with a rate per coder (Cohen; Davies & Fleiss)."""
    c, total = len(by_coder), sum(by_coder)
    # Twice the sum over pairs of x·y is the square of the sum less the sum of squares.
    both = total**2 - sum(own * own for own in by_coder)
    neither = (c * n - total) ** 2 - sum((n - own) ** 2 for own in by_coder)
    return Ratio(both + neither, n * n * c * (c - 1))


def krippendorff_ratio(support: Mapping[tuple[int, int], Any]) -> Ratio[Any]:
    """Return Krippendorff's α for nominal data before its division: 1 - observed / expected disagreement.

    Positions with one coder cannot disagree and are left out.

    >>> krippendorff_ratio({(2, 0): 2, (2, 1): 1, (2, 2): 1}).value
    0.5333333333333333
    """
    several = [(c, j, n) for (c, j), n in support.items() if c > 1]
    n_values, n_marks = sum(n * c for c, _, n in several), sum(n * j for _, j, n in several)
    expected = 2 * n_marks * (n_values - n_marks)
    common = math.lcm(*(c - 1 for c, _, _ in several))
    observed = sum(2 * n * j * (c - j) * (common // (c - 1)) for c, j, n in several) * (n_values - 1)
    return Ratio(expected * common - observed, expected * common)


def cochran(n_columns: int, n_marks: int, of_columns: int, of_rows: int) -> Cochran:
    """Return Cochran's test of equal marks in all columns; NaN if every row is marked fully or not at all.

    Q = (c-1)·(c·Σ T² - M²) / (c·M - Σ u²), with T the marks of a column, u of a row, and M all marks;
    ``of_columns`` and ``of_rows`` are the sums of squares. Columns are coders and rows are positions, or the
    other way round (F13t eq. 2.9).

    Two coders and four positions: one coder marks the first two, the other the first.

    >>> cochran(2, 3, 2**2 + 1**2, 2**2 + 1**2).q, round(cochran(4, 3, 2**2 + 1**2, 2**2 + 1**2).q, 4)
    (1.0, 4.7143)
    """
    divisor = n_columns * n_marks - of_rows
    if not divisor:
        return Cochran(math.nan, n_columns - 1, math.nan)
    from scipy.special import chdtrc

    q = (n_columns - 1) * (n_columns * of_columns - n_marks**2) / divisor
    return Cochran(q, n_columns - 1, float(chdtrc(n_columns - 1, q)))

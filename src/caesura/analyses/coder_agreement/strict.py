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
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from caesura.analyses.coder_agreement.observed import PairCounts, count_pairs
from caesura.metrics.registry import get_metric
from caesura.values.corpus import Corpus


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


def count_marks(counts: PairCounts) -> MarkCounts:
    """Count how many coders of a group marked each position."""
    marked, n = counts.codings.marked, len(counts.coders)
    document = marked.coding // max(n, 1)
    order = np.lexsort((marked.positions, document))
    position, document = marked.positions[order], document[order]
    starts = np.flatnonzero(
        np.concatenate(([True], (np.diff(position) != 0) | (np.diff(document) != 0)))[: len(position)]
    )
    support = np.bincount(np.diff(np.append(starts, len(position))), minlength=n + 1).tolist()
    support[0] = counts.n_positions - len(starts)
    by_coder = marked.n_boundaries.reshape(-1, n).sum(axis=0).tolist()
    return MarkCounts(tuple(support), tuple(by_coder))


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
    one, other = (expected(marks) if observed is not None else None for expected in (_one_rate, _own_rates))
    fleiss, davies = _corrected(observed, one), _corrected(observed, other)
    alpha = krippendorff_alpha([marks])
    q, p = cochran_q(marks)
    two = marks.n_coders == 2
    values = {
        "percent": math.nan if observed is None else float(observed),
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


def percent_agreement(marks: MarkCounts) -> Fraction | None:
    """Return the share of coder pairs and positions that agree (KS12, eq. 2); None if there are none."""
    c = marks.n_coders
    pairs = marks.n_positions * c * (c - 1)
    if not pairs:
        return None
    agreeing = sum(n * (j * (j - 1) + (c - j) * (c - j - 1)) for j, n in enumerate(marks.support))
    return Fraction(agreeing, pairs)


def _one_rate(marks: MarkCounts) -> Fraction:
    """Expected agreement where all coders mark at one rate: Scott, Fleiss (KS12, eq. 3)."""
    rate = Fraction(marks.n_marks, marks.n_positions * marks.n_coders)
    return rate**2 + (1 - rate) ** 2


def _own_rates(marks: MarkCounts) -> Fraction:
    """Expected agreement where each coder has their own rate: Cohen, Davies & Fleiss; mean over pairs."""
    rates = [Fraction(n, marks.n_positions) for n in marks.by_coder]
    c = len(rates)
    # Twice the sum over pairs of x·y is the square of the sum less the sum of squares.
    both = sum(rates) ** 2 - sum(rate**2 for rate in rates)
    neither = (c - sum(rates)) ** 2 - sum((1 - rate) ** 2 for rate in rates)
    return Fraction(both + neither) / (c * (c - 1))


def _corrected(observed: Fraction | None, expected: Fraction | None) -> float:
    if observed is None or expected is None or expected == 1:
        return math.nan
    return float((observed - expected) / (1 - expected))


def krippendorff_alpha(groups: Sequence[MarkCounts]) -> float:
    """Return Krippendorff's α for nominal data: 1 - observed / expected disagreement.

    Each group of coders counts with the positions that it coded, so a coder may have left out documents;
    positions with one coder only can not disagree and are left out. NaN without pairs or variation.

    >>> krippendorff_alpha([MarkCounts((2, 1, 1), (2, 1))])
    0.5333333333333333
    """
    disagreement = Fraction(0)
    n_values = n_marks = 0
    for marks in groups:
        c = marks.n_coders
        if c < 2:
            continue
        n_values += c * marks.n_positions
        n_marks += marks.n_marks
        disagreement += Fraction(sum(2 * n * j * (c - j) for j, n in enumerate(marks.support)), c - 1)
    expected = 2 * n_marks * (n_values - n_marks)
    if not expected:
        return math.nan
    return float(1 - disagreement * (n_values - 1) / expected)


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

    q = float(Fraction((c - 1) * (c * sum(g * g for g in marks.by_coder) - total**2), divisor))
    return q, float(chdtrc(c - 1, q))


def _why_undefined(marks: MarkCounts, name: str) -> str:
    if marks.n_coders < 2:
        return "only one coder"
    if not marks.n_positions:
        return "there is no potential boundary"
    if name.startswith("cochran"):
        return "no two coders differ at any position"
    return "every position is marked by all" if marks.n_marks else "no coder placed a boundary"


def corpus_alpha(corpus: Corpus) -> float:
    """Return Krippendorff's α over all documents of a corpus; not every coder needs to have coded all.

    >>> corpus = Corpus.from_dict({"d1": {"a": [2, 2], "b": [2, 2]}, "d2": {"b": [1, 2], "c": [2, 1]}})
    >>> round(corpus_alpha(corpus), 4)
    0.25
    """
    metric = get_metric("B")
    groups = corpus.find_groups()
    return krippendorff_alpha([count_marks(count_pairs(corpus, metric, group)) for group in groups])

"""Sentences that help to read a coefficient: scales with their sources, and when a value means little."""

from __future__ import annotations

import math
from collections.abc import Sequence

from caesura.analyses.coder_agreement.baseline import RandomAgreement
from caesura.analyses.coder_agreement.coefficients import SYMBOLS, Chance, Coefficient
from caesura.analyses.coder_agreement.observed import PairCounts
from caesura.metrics.base import Metric
from caesura.metrics.edit import B, EditMetric, S
from caesura.wording import listed

LANDIS_KOCH = (
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
"""Landis & Koch (1977), The measurement of observer agreement, Biometrics 33: up to where a name holds."""

TENTATIVE, RELIABLE = 0.667, 0.8
"""Krippendorff (2004), Content analysis: reliable from 0.8, tentative conclusions from 0.667."""

FEW_BOUNDARIES = 30
FEW_DOCUMENTS = 10
FEW_POSITIONS = 100
"""F13t, footnote 8: z assumes more than this many."""
NEAR_ONE = 0.9


def label(metric: Metric, name: Coefficient) -> str:
    """Return a coefficient's name, such as π*_B."""
    return f"{SYMBOLS[name]}_{metric.name}"


def numbered(numbers: Sequence[str]) -> str:
    """Return the groups with these numbers in words."""
    return f"group {numbers[0]}" if len(numbers) == 1 else f"groups {listed(numbers)}"


def landis_koch(value: float) -> str:
    """Return the name that Landis & Koch (1977) give to a value.

    >>> landis_koch(-0.1), landis_koch(0.46), landis_koch(1.0)
    ('poor', 'moderate', 'almost perfect')
    """
    if value < 0:
        return "poor"
    return next((name for end, name in LANDIS_KOCH if value <= end), LANDIS_KOCH[-1][1])


def read_values(values: Sequence[float], name: str) -> str:
    """Return a sentence about the coefficients of one or several groups."""
    known = sorted(value for value in values if not math.isnan(value))
    if not known:
        return f"{name} is not defined here."
    low, high = known[0], known[-1]
    names = list(dict.fromkeys((landis_koch(low), landis_koch(high))))
    shown = f"{low:.2f}" if len(known) == 1 else f"{low:.2f} to {high:.2f}"
    return f"{name} {shown}: {' to '.join(names)} (Landis & Koch 1977); {_threshold(low, high)}."


def _threshold(low: float, high: float) -> str:
    source = "(Krippendorff 2004; 0.8 also in Artstein & Poesio 2008)"
    if low >= RELIABLE:
        return f"above the 0.8 that is asked of reliable data {source}"
    if high < TENTATIVE:
        return f"below the 0.667 that allows tentative conclusions {source}"
    return f"0.667 allows tentative conclusions, 0.8 is asked of reliable data {source}"


def read_scales(metric: Metric) -> str:
    """Return a sentence about what those scales are worth here."""
    usual = "; in two segmentation studies π*_B was 0.18 to 0.44 (Fournier 2013)" if type(metric) is B else ""
    return f"Such scales are conventions for strict coefficients{usual}."


def read_near_misses(shares: Sequence[float], n_t: int) -> str:
    """Return a sentence about the share of near misses among all differences, of one or several groups."""
    known = sorted(share for share in shares if not math.isnan(share))
    if not known:
        return "The coders do not differ anywhere."
    low, high = f"{100 * known[0]:.0f}", f"{100 * known[-1]:.0f}"
    shown = low if low == high else f"{low} to {high}"
    return f"Near misses (n_t={n_t}) are {shown} % of all differences."


def read_p_values(p_values: Sequence[float]) -> str:
    """Return a sentence about the tests against 0, and what they do not say."""
    known = [p for p in p_values if not math.isnan(p)]
    if not known:
        return ""
    ends = ["< 0.001" if p < 0.001 else f"{p:.3f}" for p in (min(known), max(known))]
    shown = " to ".join(dict.fromkeys(ends))
    return (
        f"Two-sided p of z against 0: {shown}; that alone shows little, since coders who place boundaries at "
        "random get more than 0."
    )


def read_random(found: Sequence[RandomAgreement], n_rounds: int, name: str) -> str:
    """Return a sentence about what random coders would get."""
    if not found:
        return ""
    low, high = (f"{end(random.mean for random in found):.2f}" for end in (min, max))
    shown = low if low == high else f"{low} to {high}"
    p = max(random.p_value for random in found)
    each = "" if len(found) == 1 else " in every group"
    verdict = f"the coders beat that{each}" if p <= 0.05 else "not all values are safely above that"
    return (
        f"Coders who place as many boundaries at random would get {name} {shown}: {verdict} "
        f"(randomisation test, {n_rounds} rounds, p ≤ {p:.2g})."
    )


def warnings_of(
    counts: PairCounts, name: Coefficient, chance: Chance, expected: float, resampled: bool
) -> list[str]:
    """Return what a reader of a group's value should know before trusting it."""
    notes = []
    n_documents, symbol = len(counts.documents), SYMBOLS[name]
    if n_documents == 1:
        note = "one document: the value says nothing about others"
        if resampled:
            note += (
                "; the interval resamples its positions as if they were independent"
                if isinstance(counts.metric, EditMetric)
                else f"; no interval: {counts.metric.name} can not be split by positions"
            )
        notes.append(note)
    elif n_documents < FEW_DOCUMENTS and resampled:
        notes.append(f"the interval comes from only {n_documents} documents and is probably too narrow")
    if counts.n_boundaries < FEW_BOUNDARIES:
        notes.append(
            f"few boundaries: {counts.n_boundaries} by {len(counts.coders)} coders; "
            "one of them more or less changes the value a lot"
        )
    if expected >= NEAR_ONE:
        notes.append(
            f"expected agreement is {expected:.2f}: nearly every position is marked, so that {symbol} "
            "exaggerates small differences"
        )
    if counts.n_positions <= FEW_POSITIONS:
        notes.append(
            f"z and p assume more than {FEW_POSITIONS} positions (F13t, footnote 8); "
            f"there are {counts.n_positions}"
        )
    if name == "kappa" and len(counts.coders) > 2:
        notes.append("z and p of κ* use Cohen's variance for two coders (F13t, eq. 4.62)")
    silent = [
        coder
        for coder, n in zip(counts.coders, counts.boundaries.sum(axis=(0, 2)).tolist(), strict=True)
        if n == 0
    ]
    if silent:
        notes.append(f"no boundary at all by {listed(silent)}")
    if isinstance(counts.metric, S):
        notes.append("S counts positions that nobody marked as agreement: high wherever boundaries are rare")
    if chance == "published":
        notes.append(
            "chance='published' counts segments to reproduce Fournier (2013); it is not for new work"
        )
    return notes

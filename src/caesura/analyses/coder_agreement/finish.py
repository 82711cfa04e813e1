"""Finish the sums of agreement(): coefficients, their significance and intervals.

A group of coders, the whole corpus and a stream have the same sums and the same finisher.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement import coefficients
from caesura.analyses.coder_agreement.coefficients import COEFFICIENTS, Expectation, Measure, Ratio, Totals
from caesura.analyses.coder_agreement.question import AgreementQuestion
from caesura.analyses.coder_agreement.strict import StrictAgreement, own_rates_of_pairs, strict_agreement
from caesura.arrays import FloatArray, divided
from caesura.checks import CONFIDENCE
from caesura.metrics.as_in import Segeval
from caesura.metrics.base import Metric
from caesura.results.result import Result
from caesura.stats.intervals import effective_size, expanded_levels
from caesura.stats.outcome import Interval
from caesura.stats.resampling import interval_of
from caesura.sums.tallies import Name, Sums, Tally
from caesura.values.type_scheme import TypeScheme


class Differences(NamedTuple):
    """Edits between all pairs of coders."""

    additions: int
    substitutions: int
    transpositions: int


@dataclass(frozen=True)
class RandomAgreement:
    """The coefficient of random coders, and how often it reaches the observed one."""

    mean: float
    p_value: float
    """(rounds with at least the observed value + 1) / (rounds + 1)."""
    values: tuple[float, ...] = field(repr=False)

    def numbers(self) -> dict[str, Any]:
        """Return mean, p and the number of rounds as plain data."""
        return {"mean": self.mean, "p_value": self.p_value, "rounds": len(self.values)}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Coefficients(Measure, Totals, Result):
    """The numbers of a group or of all coders for one metric; NaN if undefined."""

    NUMBERS: ClassVar[tuple[str, ...]] = (
        *("coders", "n_documents", "n_pairs", "n_positions", "n_boundaries", "value", "observed", "expected"),
        *("pi", "kappa", "bias", "z", "p_value", "interval", "random", "near_miss_share", "strict", "reason"),
    )

    coders: tuple[str, ...]
    """The coders who share a document with another coder."""
    silent: tuple[str, ...]
    """The coders without any boundary."""
    is_complete: bool
    """Whether all of the coders annotated all documents."""
    n_effective: float
    """The number of documents, fewer if some of them weigh more than others (Kish 1965)."""
    differences: Differences
    """The edits between all pairs of coders."""
    observed: float
    """Observed agreement A_o."""
    expected_pi: float
    expected_kappa: float
    expected_ratio: Ratio[float]
    """Expected agreement of the coefficient before its division."""
    pi: float
    kappa: float
    reason: str | None
    """Why the value is NaN."""
    z: float
    """The statistic of the test of the coefficient against 0."""
    p_value: float
    """The two-sided p of z."""
    strict: StrictAgreement
    """The strict coefficients, which give no credit for near misses."""
    interval: Interval | None
    """Bootstrap interval over documents (over positions for a single one); None if not computed."""
    random: RandomAgreement | None = None
    """The score of random coders with the same numbers of boundaries; None if not computed.

    It is above 0 (see ``coder_agreement.strata``), so its p says more than that of z.
    """

    @property
    def value(self) -> float:
        """The coefficient; NaN if undefined."""
        return self.pi if self.coefficient == "pi" else self.kappa

    @property
    def expected(self) -> float:
        """Expected agreement A_e of the coefficient."""
        return self.expected_pi if self.coefficient == "pi" else self.expected_kappa

    @property
    def bias(self) -> float:
        """How much boundary rates differ between coders: A_e(π*) - A_e(κ*) (F13t, eq. 4.58).

        For a group it is negative only if ``chance`` is not "boundaries", which changes A_e(π*) alone.
        """
        return self.expected_pi - self.expected_kappa

    @property
    def near_miss_share(self) -> float:
        """The share of near misses among all edits, T / (AD + S + T); NaN without edits."""
        edits = self.differences
        return edits.transpositions / sum(edits) if sum(edits) else math.nan

    def __repr__(self) -> str:
        return f"<{self.label} {self.value:.4f}, {self.n_coders} coders, {self.n_documents} documents>"


def finish(
    question: AgreementQuestion,
    sums: Sums,
    scheme: TypeScheme | None,
    number: int = 0,
    order: Sequence[str] | None = None,
    confidence: float = CONFIDENCE,
) -> Coefficients:
    """Return the coefficients of a stratum for one metric of the question.

    Parameters
    ----------
    scheme
        The declared types; None: count the types that occur.
    number
        The index of the metric in the question.
    order
        The order of coders; None: by name.
    """
    total: defaultdict[Name, int] = defaultdict(int)
    by_kind: defaultdict[str | int, dict[Any, int]] = defaultdict(dict)
    for name in sorted(sums):
        total[name] = by_kind[name[0]][name[1:]] = sums[name].counts[0]
    metric, coefficient, chance = question.metrics[number], question.coefficient, question.chance
    counts = _counts(metric, sums, number)
    similarity = Ratio(*metric.fraction(tuple(tally.counts[0] for tally in counts))[:2])
    by_type = tuple(n for n in by_kind["type"].values() if n)
    n_types = max(1, len(by_type)) if scheme is None else len(scheme.types)
    if not isinstance(metric, Segeval):
        coefficients.check_types(n_types, chance)
    coders = tuple(order or sorted(coder for (coder,), n in by_kind["coded"].items() if n))
    totals = Totals(
        n_coders=len(coders),
        n_documents=total["documents",],
        n_pairs=total["pairs",],
        n_types=n_types,
        n_positions=total["positions",],
        slots=total["slots",],
        pair_slots=total["pair_slots",],
        n_boundaries=total["boundaries",],
        marked=sum(by_kind["marked"].values()),
        by_type=by_type,
    )
    ways = {name: coefficients.expectation_of(name, chance, n_types, sums) for name in COEFFICIENTS}
    expected = {name: way.exact([total[each] for each in way.names]) for name, way in ways.items()}
    is_defined, ratios = len(coders) > 1 and totals.n_boundaries > 0, (similarity, *expected.values())
    observed, expected_pi, expected_kappa = (of.value if is_defined else math.nan for of in ratios)
    reason, values = coefficients.undefined_group(totals), dict.fromkeys(COEFFICIENTS, math.nan)
    if reason is None:
        values = {name: coefficients.corrected(similarity, of) for name, of in expected.items()}
        reason = coefficients.undefined_chance(expected[coefficient])
    z = p_value = math.nan
    if reason is None:
        variance = coefficients.pi_variance(totals)
        if coefficient == "kappa":  # A_e / (I·(1 - A_e)): F13t, eq. 4.62; Cohen 1960
            variance = expected_kappa / (totals.n_positions * (1 - expected_kappa))
        z, p_value = coefficients.z_test(values[coefficient], variance)
    squares = sums["compared squared", number]
    weights = similarity.denominator / counts[0].scale, squares.counts[0] / squares.scale
    n_effective = effective_size(totals.n_documents, *weights)
    interval = None
    if question.n_resamples and reason is None and totals.n_documents > 1:
        drawn = resampled_values(question, sums, ways[coefficient], number)
        interval = expanded_interval(values[coefficient], drawn, confidence, n_effective)
    is_complete = all(n == totals.n_documents for n in by_kind["coded"].values())
    return Coefficients(
        **vars(question.measure(number)),
        **vars(totals),
        coders=coders,
        silent=tuple(coder for coder in coders if not total["marked", coder]),
        is_complete=is_complete,
        n_effective=n_effective,
        differences=Differences(*(total["edits", number, i] for i in range(len(Differences._fields)))),
        observed=observed,
        expected_pi=expected_pi,
        expected_kappa=expected_kappa,
        expected_ratio=expected[coefficient],
        pi=values["pi"],
        kappa=values["kappa"],
        reason=reason,
        z=z,
        p_value=p_value,
        strict=strict_agreement(*strict_sums(by_kind, is_complete)),
        interval=interval,
    )


def _counts(metric: Metric, sums: Sums, number: int) -> list[Tally]:
    """Return the metric's counts, with one scale."""
    tallies = [sums["count", number, index] for index in range(len(metric.count_names))]
    scale = math.lcm(*(tally.scale for tally in tallies))
    return [Tally((0,), scale, resampled=tally.resampled * 0) + tally for tally in tallies]


def strict_sums(
    by_kind: Mapping[str | int, dict[Any, Any]], is_complete: bool
) -> tuple[dict[tuple[int, int], Any], list[Any], Ratio[Any] | None]:
    """Return the sums behind strict coefficients: support, marks by coder, expected agreement of pairs.

    The sums of each kind are numbers or arrays of resamples.
    """
    marked, own_rates = by_kind["marked"], None
    if not is_complete:
        positions, pairs = by_kind["coder"], by_kind["shared"]
        rates = {coder: divided(n, positions[coder]) for coder, n in marked.items()}
        sides = (np.array([rates[pair[side : side + 1]] for pair in pairs]) for side in (0, 1))
        own_rates = own_rates_of_pairs(np.array([*pairs.values()], dtype=np.float64), *sides)
    return by_kind["support"], [*marked.values()], own_rates


# -------------------------------------------------------------------- the interval


def expanded_interval(
    estimate: float, values: FloatArray, confidence: float, n_items: float
) -> Interval | None:
    """Return the expanded percentile interval of the defined values over n items; None without values."""
    known, levels = values[~np.isnan(values)], expanded_levels(confidence, n_items)
    return interval_of(estimate, known, levels) if len(known) else None


def resampled_values(
    question: AgreementQuestion, sums: Sums, expectation: Expectation, number: int = 0
) -> FloatArray:
    """Return the coefficient in each resample of a Poisson bootstrap; NaN if undefined."""
    metric = question.metrics[number]
    counts: Any = tuple(tally.resampled[:, 0] for tally in _counts(metric, sums, number))
    similar, compared, _ = metric.fraction(counts)
    names: list[Name] = [("boundaries",), *expectation.names]
    columns = [similar, compared, *(sums[name].resampled[:, 0] for name in names)]
    return coefficients.coefficient_values(
        expectation, np.array([column.astype(np.float64) for column in columns])
    )

"""Finish the sums of agreement(): the only place where a coefficient and its interval come about.

A group of coders, the whole corpus and a stream have the same sums and the same finisher.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement import coefficients
from caesura.analyses.coder_agreement.coefficients import (
    COEFFICIENTS,
    Coefficient,
    Expectation,
    Ratio,
    Totals,
)
from caesura.analyses.coder_agreement.question import AgreementQuestion
from caesura.analyses.coder_agreement.strict import StrictAgreement, own_rates_of_pairs, strict_agreement
from caesura.arrays import FloatArray, divided
from caesura.metrics.base import Metric
from caesura.stats.intervals import effective_size, expanded_levels
from caesura.stats.outcome import Interval
from caesura.stats.resampling import interval_of
from caesura.sums.tallies import Name, Sums, Tally


class Differences(NamedTuple):
    """Edits between the coders of a group."""

    additions: int
    substitutions: int
    transpositions: int


@dataclass(frozen=True, eq=False)
class AgreementFinisher:
    """The sums of a stratum, and the results that follow for one metric of the question."""

    question: AgreementQuestion
    sums: Sums
    declared: int | None
    """The number of declared types; None: count the types that occur."""
    number: int = 0
    """The index of the metric in the question."""
    order: Sequence[str] | None = None
    """The coders in the order to list them; None: by name."""

    @property
    def metric(self) -> Metric:
        """The similarity behind observed agreement."""
        return self.question.metrics[self.number]

    def total(self, *name: str | int) -> int:
        """Return a sum; 0 for an unknown name."""
        tally = self.sums.get(name)
        return 0 if tally is None else tally.counts[0]

    @cached_property
    def by_kind(self) -> Mapping[str | int, dict[Any, int]]:
        """The sums of each kind, by the rest of their names."""
        by_kind: defaultdict[str | int, dict[Any, int]] = defaultdict(dict)
        for name in sorted(self.sums):
            by_kind[name[0]][name[1:]] = self.sums[name].counts[0]
        return by_kind

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The coders who share a document with another coder."""
        return tuple(self.order or sorted(coder for (coder,), n in self.by_kind["coded"].items() if n))

    @cached_property
    def is_complete(self) -> bool:
        """Whether all of them coded all documents."""
        return all(n == self.total("documents") for n in self.by_kind["coded"].values())

    @cached_property
    def counts(self) -> list[Tally]:
        """The metric's counts, in units of one scale."""
        tallies = [self.sums["count", self.number, index] for index in range(len(self.metric.count_names))]
        scale = math.lcm(*(tally.scale for tally in tallies))
        return [Tally((0,), scale, resampled=tally.resampled * 0) + tally for tally in tallies]

    @cached_property
    def totals(self) -> Totals:
        """Annotations and comparisons of all coders."""
        similar, compared, _ = self.metric.fraction(tuple(tally.counts[0] for tally in self.counts))
        by_type = tuple(n for n in self.by_kind["type"].values() if n)
        n_types = max(1, len(by_type)) if self.declared is None else self.declared
        coefficients.check_types(n_types, self.question.chance)
        return Totals(
            n_coders=len(self.coders),
            n_documents=self.total("documents"),
            n_pairs=self.total("pairs"),
            n_types=n_types,
            **{name: self.total(name) for name in ("positions", "slots", "pair_slots", "boundaries")},
            similar=similar,
            compared=compared,
            marked=sum(self.by_kind["marked"].values()),
            by_type=by_type,
        )

    # ---------------------------------------------------------------- the coefficients

    def expectation_of(self, names: Iterable[Name], coefficient: Coefficient | None = None) -> Expectation:
        """Return how expected agreement follows from sums, by default for the question's coefficient."""
        coefficient, chance = coefficient or self.question.coefficient, self.question.chance
        return coefficients.expectation_of(coefficient, chance, self.totals.n_types, names)

    @cached_property
    def expectation(self) -> Expectation:
        """How expected agreement follows from these sums, for the question's coefficient."""
        return self.expectation_of(self.sums)

    @cached_property
    def observed(self) -> Ratio[float]:
        """Observed agreement A_o."""
        return Ratio(self.totals.similar, self.totals.compared)

    @cached_property
    def expected(self) -> dict[Coefficient, Ratio[float]]:
        """Expected agreement A_e of both coefficients."""
        ways = {name: self.expectation_of(self.sums, name) for name in COEFFICIENTS}
        return {name: way.exact([self.total(*total) for total in way.names]) for name, way in ways.items()}

    @cached_property
    def reason(self) -> str | None:
        """Why the value is not defined; None if it is."""
        reason = coefficients.undefined_group(self.totals)
        return reason or coefficients.undefined_chance(self.expected[self.question.coefficient])

    @cached_property
    def values(self) -> dict[Coefficient, float]:
        """Both coefficients; NaN where not defined."""
        if coefficients.undefined_group(self.totals) is not None:
            return dict.fromkeys(COEFFICIENTS, math.nan)
        return {name: coefficients.corrected(self.observed, way) for name, way in self.expected.items()}

    @property
    def value(self) -> float:
        """The coefficient of the question."""
        return self.values[self.question.coefficient]

    @property
    def z_and_p(self) -> tuple[float, float]:
        """The z statistic against 0, and its two-sided p."""
        if self.reason is not None:
            return math.nan, math.nan
        variance = coefficients.pi_variance(self.totals)
        if self.question.coefficient == "kappa":
            variance = coefficients.kappa_variance(self.expected["kappa"].value, self.totals.positions)
        return coefficients.z_test(self.value, variance)

    @cached_property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give no credit for near misses."""
        return strict_agreement(*self.strict_sums(self.by_kind))

    def strict_sums(
        self, by_kind: Mapping[str | int, dict[Any, Any]]
    ) -> tuple[dict[tuple[int, int], Any], list[Any], Ratio[Any] | None]:
        """Return the ingredients of strict coefficients: support, marks by coder, chance of pairs.

        The sums of each kind are numbers, or arrays of resamples.
        """
        marked, own_rates = by_kind["marked"], None
        if not self.is_complete:
            positions, pairs = by_kind["coder"], by_kind["shared"]
            rates = {coder: divided(n, positions[coder]) for coder, n in marked.items()}
            sides = (np.array([rates[pair[side : side + 1]] for pair in pairs]) for side in (0, 1))
            own_rates = own_rates_of_pairs(np.array([*pairs.values()], dtype=np.float64), *sides)
        return by_kind["support"], [*marked.values()], own_rates

    @property
    def differences(self) -> Differences:
        """The edits between every two coders."""
        return Differences(*(self.total("edits", self.number, i) for i in range(len(Differences._fields))))

    # ---------------------------------------------------------------- the interval

    def interval_of(
        self, values: FloatArray, confidence: float, n_items: float | None = None, of: float | None = None
    ) -> Interval | None:
        """Return the expanded percentile interval of resampled values, for n items (None: documents).

        ``of`` is the number that was resampled; None: the coefficient of the question.
        """
        if n_items is None:
            squares = self.sums["compared squared", self.number]
            compared = self.totals.compared / self.counts[0].scale
            n_items = effective_size(self.totals.n_documents, compared, squares.counts[0] / squares.scale)
        known, levels = values[~np.isnan(values)], expanded_levels(confidence, n_items)
        return interval_of(self.value if of is None else of, known, levels) if len(known) else None

    def poisson_interval(self, confidence: float) -> Interval | None:
        """Return the interval from resampled sums; None without resamples or for a single document."""
        if self.reason is not None or not self.question.n_resamples or self.totals.n_documents < 2:
            return None
        return self.interval_of(self.resampled_values(), confidence)

    def resampled_values(self) -> FloatArray:
        """Return the coefficient in each resample of a Poisson bootstrap; NaN where not defined."""
        counts: Any = tuple(tally.resampled[:, 0] for tally in self.counts)
        similar, compared, _ = self.metric.fraction(counts)
        names: list[Name] = [("boundaries",), *self.expectation.names]
        columns = [similar, compared, *(self.sums[name].resampled[:, 0] for name in names)]
        sums = np.array([column.astype(np.float64) for column in columns])
        return coefficients.coefficient_values(self.expectation, sums)

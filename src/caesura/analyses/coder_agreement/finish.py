"""What follows from the sums of agreement(): the only place where a coefficient and its interval come about.

A group of coders, the whole corpus and a stream are the same sums, finished by the same class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.coefficients import (
    COEFFICIENTS,
    Coefficient,
    Expectation,
    Ratio,
    Totals,
    check_types,
    coefficient_values,
    corrected,
    expectation_of,
    kappa_variance,
    pi_variance,
    undefined_chance,
    undefined_group,
    z_test,
)
from caesura.analyses.coder_agreement.question import AgreementQuestion
from caesura.analyses.coder_agreement.strict import StrictAgreement, own_rates_of_pairs, strict_agreement
from caesura.arrays import FloatArray, divided
from caesura.metrics.base import Metric
from caesura.stats.intervals import effective_size, expanded_levels
from caesura.stats.outcome import Interval
from caesura.stats.resampling import interval_of
from caesura.sums.named import Name, Sums
from caesura.sums.tallies import Tally


class Differences(NamedTuple):
    """Edits between the coders of a group."""

    additions: int
    substitutions: int
    transpositions: int


@dataclass(frozen=True, eq=False)
class AgreementFinisher:
    """The sums of a stratum, and what they say by one metric of the question."""

    question: AgreementQuestion
    sums: Sums
    declared: int | None
    """How many types are declared; None: those that occur are counted."""
    number: int = 0
    """The metric's, among those of the question."""
    order: Sequence[str] | None = None
    """The coders, in the order in which they are listed; None: by name."""

    @property
    def metric(self) -> Metric:
        """The similarity behind observed agreement."""
        return self.question.metrics[self.number]

    def total(self, *name: str | int) -> int:
        """Return a sum; 0 of nothing."""
        tally = self.sums.get(name)
        return 0 if tally is None else tally.counts[0]

    @cached_property
    def _by_kind(self) -> dict[str | int, dict[Name, int]]:
        """The sums of each kind, by the rest of their names."""
        named: dict[str | int, dict[Name, int]] = {}
        for name in sorted(self.sums):
            named.setdefault(name[0], {})[name[1:]] = self.sums[name].counts[0]
        return named

    def named(self, kind: str) -> dict[Any, int]:
        """Return the sums of one kind, by the rest of their names."""
        return self._by_kind.get(kind, {})

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The coders who share a document with another."""
        return tuple(self.order or sorted(coder for (coder,), n in self.named("coded").items() if n))

    @cached_property
    def is_complete(self) -> bool:
        """Whether all of them have coded all documents."""
        return all(n == self.total("documents") for n in self.named("coded").values())

    @cached_property
    def counts(self) -> list[Tally]:
        """The metric's counts, in units of one scale."""
        tallies = [self.sums["count", self.number, index] for index in range(len(self.metric.count_names))]
        scale = math.lcm(*(tally.scale for tally in tallies))
        return [Tally((0,), scale, resampled=tally.resampled * 0) + tally for tally in tallies]

    @cached_property
    def totals(self) -> Totals:
        """What all coders did."""
        similar, compared, _ = self.metric.fraction(tuple(tally.counts[0] for tally in self.counts))
        by_type = [n for n in self.named("type").values() if n]
        n_types = max(1, len(by_type)) if self.declared is None else self.declared
        check_types(n_types, self.question.chance)
        return Totals(
            n_coders=len(self.coders),
            n_documents=self.total("documents"),
            n_pairs=self.total("pairs"),
            n_types=n_types,
            positions=self.total("positions"),
            slots=self.total("slots"),
            pair_slots=self.total("pair_slots"),
            similar=similar,
            compared=compared,
            boundaries=self.total("boundaries"),
            marked=sum(self.named("marked").values()),
            by_type=tuple(by_type),
        )

    # ---------------------------------------------------------------- the coefficients

    def expectation_of(self, names: Iterable[Name], coefficient: Coefficient | None = None) -> Expectation:
        """Return how expected agreement follows from sums, for a coefficient (else that of the question)."""
        question = self.question
        return expectation_of(
            coefficient or question.coefficient, question.chance, self.totals.n_types, names
        )

    @cached_property
    def expectation(self) -> Expectation:
        """How expected agreement follows from these sums, for the coefficient of the question."""
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
        """Why there is no value; None if there is one."""
        reason = undefined_group(self.totals)
        return reason or undefined_chance(self.expected[self.question.coefficient])

    @cached_property
    def values(self) -> dict[Coefficient, float]:
        """Both coefficients; NaN where they are not defined."""
        if undefined_group(self.totals) is not None:
            return dict.fromkeys(COEFFICIENTS, math.nan)
        return {name: corrected(self.observed, expected) for name, expected in self.expected.items()}

    @property
    def value(self) -> float:
        """The coefficient of the question."""
        return self.values[self.question.coefficient]

    @property
    def z_and_p(self) -> tuple[float, float]:
        """The statistic of the test that the coefficient is 0, and its two-sided p."""
        if self.reason is not None:
            return math.nan, math.nan
        if self.question.coefficient == "pi":
            return z_test(self.value, pi_variance(self.totals))
        return z_test(self.value, kappa_variance(self.expected["kappa"].value, self.totals.positions))

    @cached_property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give near misses no credit."""
        return strict_agreement(*self.strict_sums(self.named))

    def strict_sums(
        self, named: Callable[[str], dict[Any, Any]]
    ) -> tuple[dict[tuple[int, int], Any], list[Any], Ratio[Any] | None]:
        """Return what strict coefficients are made of: support, marks by coder and chance of pairs.

        ``named`` gives the sums of a kind by the rest of their names: numbers, or arrays of resamples.
        """
        marked, own_rates = named("marked"), None
        if not self.is_complete:
            positions, pairs = named("coder"), named("shared")
            rates = {coder: divided(n, positions[coder]) for coder, n in marked.items()}
            sides = (np.array([rates[pair[side : side + 1]] for pair in pairs]) for side in (0, 1))
            own_rates = own_rates_of_pairs(np.array([*pairs.values()], dtype=np.float64), *sides)
        return named("support"), [*marked.values()], own_rates

    @property
    def differences(self) -> Differences:
        """The edits between every two coders."""
        return Differences(*(self.total("edits", self.number, i) for i in range(len(Differences._fields))))

    # ---------------------------------------------------------------- the interval

    def interval_of(
        self,
        values: FloatArray,
        confidence: float,
        n_items: float | None = None,
        *,
        value: float | None = None,
    ) -> Interval | None:
        """Return the expanded percentile interval of resampled values, of n items (else of documents).

        ``value``: what was resampled; None: the coefficient of the question.
        """
        if n_items is None:
            squares = self.sums["compared squared", self.number]
            compared = self.totals.compared / self.counts[0].scale
            n_items = effective_size(self.totals.n_documents, compared, squares.counts[0] / squares.scale)
        known = values[~np.isnan(values)]
        levels = expanded_levels(confidence, n_items)
        return interval_of(self.value if value is None else value, known, levels) if len(known) else None

    def poisson_interval(self, confidence: float) -> Interval | None:
        """Return the interval of sums that were resampled; None of others, and of a single document."""
        if self.reason is not None or not self.question.n_resamples or self.totals.n_documents < 2:
            return None
        return self.interval_of(self.resampled_values(), confidence)

    def resampled_values(self) -> FloatArray:
        """Return the coefficient in each resample of a Poisson bootstrap; NaN where it is not defined."""
        counts: Any = tuple(tally.resampled[:, 0] for tally in self.counts)
        similar, compared, _ = self.metric.fraction(counts)
        names: list[Name] = [("boundaries",), *self.expectation.names]
        columns = [similar, compared, *(self.sums[name].resampled[:, 0] for name in names)]
        return coefficient_values(
            self.expectation, np.array([column.astype(np.float64) for column in columns])
        )

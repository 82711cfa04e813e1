"""What follows from the sums of agreement(): the only place where a coefficient and its interval come about.

A group of coders, the whole corpus and a stream are the same sums, finished by the same function.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.coefficients import (
    Chance,
    Coefficient,
    OneRate,
    OwnRates,
    PublishedRate,
    Ratio,
    Ratios,
    Totals,
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
from caesura.analyses.coder_agreement.strict import (
    MarkCounts,
    StrictAgreement,
    own_rates_of_pairs,
    pooled_strict_agreement,
    strict_agreement,
)
from caesura.arrays import FloatArray
from caesura.metrics.base import Metric
from caesura.stats.intervals import effective_size, expanded_levels
from caesura.stats.outcome import Interval
from caesura.stats.resampling import interval_of
from caesura.sums.named import Name, Sums
from caesura.sums.tallies import Tally

MANY_LENGTHS = 1000
"""With more different lengths of documents, their mean ratio is rounded: no mean is just 1 by then."""


class Differences(NamedTuple):
    """Edits between the coders of a group."""

    additions: int
    substitutions: int
    transpositions: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Numbers:
    """The numbers of some coders, of a group or of all; what is not defined is NaN."""

    metric: Metric
    """The similarity that observed agreement is measured with."""
    coefficient: Coefficient
    """The coefficient that was asked for: what ``value`` is, and ``expected``, ``z`` and ``p_value``."""
    chance: Chance
    """How expected agreement was found."""
    n_resamples: int
    """Bootstrap samples of the interval; 0: there is none."""
    confidence: float
    """Confidence of the interval."""
    seed: int | None
    """The seed of the bootstrap, if it was one."""
    coders: tuple[str, ...]
    silent: tuple[str, ...]
    """The coders who have placed no boundary at all."""
    totals: Totals
    """What the coders did, summed over documents."""
    ratios: Ratios
    """Observed and expected agreement before their division."""
    observed: float
    """Observed agreement A_o."""
    expected_pi: float
    expected_kappa: float
    pi: float
    kappa: float
    z: float
    """The statistic of the test that the coefficient is 0."""
    p_value: float
    """Its two-sided p."""
    reason: str | None
    """Why the value is NaN; None if it is not."""
    strict: StrictAgreement
    """The strict coefficients, which give near misses no credit."""
    differences: Differences
    """The edits between every two coders."""
    interval: Interval | None = None
    """Bootstrap interval over documents (over positions for a single one); None if there is none."""


@dataclass(frozen=True, eq=False)
class Finisher:
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
        if self.order is not None:
            return tuple(self.order)
        return tuple(sorted(coder for (coder,), n in self.named("coded").items() if n))

    @cached_property
    def is_complete(self) -> bool:
        """Whether all of them have coded all documents."""
        return all(n == self.total("documents") for n in self.named("coded").values())

    @cached_property
    def counts(self) -> list[Tally]:
        """The metric's counts, in units of one scale."""
        tallies = [self.sums["count", self.number, place] for place in range(len(self.metric.count_names))]
        scale = math.lcm(*(tally.scale for tally in tallies))
        return [Tally((0,), scale, resampled=tally.resampled * 0) + tally for tally in tallies]

    @cached_property
    def totals(self) -> Totals:
        """What all coders did."""
        similar, compared, _ = self.metric.fraction(tuple(tally.counts[0] for tally in self.counts))
        by_type = [n for n in self.named("type").values() if n]
        return Totals(
            n_coders=len(self.coders),
            n_documents=self.total("documents"),
            n_pairs=self.total("pairs"),
            n_types=max(1, len(by_type)) if self.declared is None else self.declared,
            positions=self.total("positions"),
            slots=self.total("slots"),
            pair_slots=self.total("pair_slots"),
            similar=similar,
            compared=compared,
            boundaries=self.total("boundaries"),
            marked=sum(self.named("marked").values()),
            together=sum(n**2 for n in by_type),
            cubes=sum(n**3 for n in by_type),
        )

    @cached_property
    def expectation(self) -> OneRate | PublishedRate | OwnRates:
        """How expected agreement follows from sums, for the coefficient of the question."""
        return self._expectation(self.question.coefficient)

    def _expectation(self, coefficient: Any) -> OneRate | PublishedRate | OwnRates:
        return expectation_of(coefficient, self.question.chance, self.totals.n_types, self.sums)

    @cached_property
    def ratios(self) -> Ratios:
        """Observed and expected agreement."""
        return Ratios(
            Ratio(self.totals.similar, self.totals.compared), self._expected_pi(), self._expected_kappa()
        )

    def _expected_pi(self) -> Ratio[float]:
        rates = self._expectation("pi")
        numbers = [self.total(*name) for name in rates.names]
        if isinstance(rates, OneRate):
            return rates.ratio(np.array(numbers, dtype=object))
        *segments, n = numbers
        parts = [(total, int(name[1])) for total, name in zip(segments, rates.names, strict=False)]
        if len(parts) > MANY_LENGTHS:
            rate = math.fsum(total / length for total, length in parts) / max(1, n)
            return Ratio(rate**2, 1.0)
        mean = sum((Fraction(*part) for part in parts), Fraction(0)) / max(1, n)
        return Ratio(mean.numerator**2, mean.denominator**2)

    def _expected_kappa(self) -> Ratio[float]:
        totals, marks = self.totals, self.named("marks")
        if self.is_complete:  # whole numbers: all pairs of coders, less those of each with themselves
            by_type: dict[int, int] = {}
            for (_, kind), n in marks.items():
                by_type[kind] = by_type.get(kind, 0) + n
            both = sum(n**2 for n in by_type.values()) - sum(n**2 for n in marks.values())
            n_pairs = totals.n_coders * (totals.n_coders - 1)
            return Ratio(both, totals.n_types * n_pairs * totals.positions**2)
        if sum(marks.values()) == totals.n_types * totals.slots:
            return Ratio(1, 1)  # exactly, though rates are rounded
        rates = self._expectation("kappa")
        assert isinstance(rates, OwnRates)
        numbers = np.array([[float(self.total(*name))] for name in rates.names])
        over, under = rates.ratio(numbers)
        return Ratio(float(over[0]), float(under[0]))

    # ---------------------------------------------------------------- strict coefficients

    @cached_property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give near misses no credit."""
        support = self.named("support")
        by_number = []  # how often positions were marked, by number of coders
        for n in sorted({n for n, _ in support}):
            numbers = tuple(support.get((n, j), 0) for j in range(n + 1))
            own = (sum(j * number for j, number in enumerate(numbers)), *(0 for _ in range(n - 1)))
            by_number.append(MarkCounts(numbers, own))
        marked = {coder: n for (coder,), n in self.named("marked").items()}
        if self.is_complete:
            numbers = by_number[0].support if by_number else (0,) * (len(self.coders) + 1)
            return strict_agreement(MarkCounts(numbers, tuple(marked[coder] for coder in self.coders)))
        positions = {coder: n for (coder,), n in self.named("coder").items()}
        rate = {coder: n / positions[coder] if positions[coder] else 0.0 for coder, n in marked.items()}
        pairs = self.named("shared")
        one, other = (np.array([rate[pair[side]] for pair in pairs]) for side in (0, 1))
        shared = np.array([float(n) for n in pairs.values()])
        own_rates = own_rates_of_pairs(shared, one, other)
        return pooled_strict_agreement(by_number, len(self.coders), own_rates)

    # ---------------------------------------------------------------- the interval

    def interval_of(
        self, value: float, values: FloatArray, confidence: float, n: float | None = None
    ) -> Interval | None:
        """Return the expanded percentile interval of resampled values, of n items (else of documents)."""
        squares = self.sums["compared squared", self.number]
        compared = self.totals.compared / self.counts[0].scale
        if n is None:
            n = effective_size(self.totals.n_documents, compared, squares.counts[0] / squares.scale)
        known = values[~np.isnan(values)]
        return interval_of(value, known, expanded_levels(confidence, n)) if len(known) else None

    def resampled_values(self) -> FloatArray:
        """Return the coefficient in each resample of a Poisson bootstrap; NaN where it is not defined."""
        counts: Any = tuple(tally.resampled[:, 0] for tally in self.counts)
        similar, compared, _ = self.metric.fraction(counts)
        names: list[Name] = [("boundaries",), *self.expectation.names]
        columns = [similar, compared, *(self.sums[name].resampled[:, 0] for name in names)]
        return coefficient_values(
            self.expectation, np.array([column.astype(np.float64) for column in columns])
        )

    # ---------------------------------------------------------------- all of it

    def finish(self, n_resamples: int, confidence: float, seed: int | None) -> Numbers:
        """Return the numbers; an interval where the sums were resampled."""
        totals, ratios, name = self.totals, self.ratios, self.question.coefficient
        observed = expected_pi = expected_kappa = pi = kappa = z = p_value = math.nan
        reason = undefined_group(totals)
        if reason is None:
            observed = ratios.observed.value
            expected_pi, expected_kappa = ratios.expected_pi.value, ratios.expected_kappa.value
            pi = corrected(ratios.observed, ratios.expected_pi)
            kappa = corrected(ratios.observed, ratios.expected_kappa)
            reason = undefined_chance(ratios.expected(name))
        if reason is None:
            variance = pi_variance(totals)
            if name == "kappa":
                variance = kappa_variance(expected_kappa, totals.positions)
            z, p_value = z_test(pi if name == "pi" else kappa, variance)
        interval = None
        if reason is None and self.question.n_resamples and totals.n_documents > 1:
            interval = self.interval_of(pi if name == "pi" else kappa, self.resampled_values(), confidence)
        edits = (self.total("edits", self.number, kind) for kind in range(len(Differences._fields)))
        return Numbers(
            metric=self.metric,
            coefficient=name,
            chance=self.question.chance,
            n_resamples=n_resamples,
            confidence=confidence,
            seed=seed,
            coders=self.coders,
            silent=tuple(coder for coder in self.coders if not self.total("marked", coder)),
            totals=totals,
            ratios=ratios,
            observed=observed,
            expected_pi=expected_pi,
            expected_kappa=expected_kappa,
            pi=pi,
            kappa=kappa,
            z=z,
            p_value=p_value,
            reason=reason,
            strict=self.strict,
            differences=Differences(*edits),
            interval=interval,
        )

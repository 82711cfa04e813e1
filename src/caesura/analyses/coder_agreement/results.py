"""What agreement() returns: the numbers of each group of coders, and what follows from their counts.

The numbers of the coefficient are there from the start; the rest is computed when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.baseline import RandomAgreement, random_agreement
from caesura.analyses.coder_agreement.coefficients import (
    Chance,
    Coefficient,
    Sums,
    document_sums,
    finish_many,
    label,
    values_without,
)
from caesura.analyses.coder_agreement.observed import PairTable, Totals
from caesura.analyses.coder_agreement.strict import (
    MarkCounts,
    StrictAgreement,
    count_marks,
    krippendorff_alpha,
    strict_agreement,
)
from caesura.arrays import FloatArray
from caesura.checks import Seed, as_generator, check_resamples
from caesura.errors import CorpusError
from caesura.metrics.base import Metric
from caesura.results.result import Result
from caesura.stats.outcome import Interval
from caesura.values.corpus import Corpus
from caesura.version import __version__
from caesura.wording import listed

MAX_SHOWN = 6
"""How many groups a repr or a message shows."""


class DocumentAgreement(NamedTuple):
    """Agreement on one document alone; NaN where it is not defined."""

    document: str
    n_positions: int
    n_boundaries: int
    observed: float
    value: float


class Measured(NamedTuple):
    """What was measured of one group; what is not defined is NaN, and ``reason`` says why."""

    group: int
    totals: Totals
    sums: Sums[float]
    observed: float
    expected_pi: float
    expected_kappa: float
    pi: float
    kappa: float
    z: float
    p_value: float
    interval: Interval | None
    reason: str | None


@dataclass(frozen=True, eq=False)
class Measurement:
    """What was asked for, and the counts of the whole corpus, which all groups share."""

    table: PairTable
    coefficient: Coefficient
    chance: Chance
    n_resamples: int
    confidence: float
    seed: int | None

    @property
    def corpus(self) -> Corpus:
        """Whose coders were compared."""
        return self.table.corpus

    @cached_property
    def marks(self) -> list[MarkCounts]:
        """How often positions were marked, by group."""
        return count_marks(self.table.groups)

    @cached_property
    def by_document(self) -> tuple[list[int], FloatArray, FloatArray]:
        """Boundaries, observed agreement and coefficient of each document of the corpus by itself."""
        sums = document_sums(self.table, self.chance)
        boundaries = self.table.groups.boundaries_by_document
        similar, compared = sums.observed
        observed = np.divide(similar, compared, out=np.full(len(boundaries), np.nan), where=compared != 0)
        return boundaries.tolist(), observed, finish_many(sums, boundaries, self.coefficient)

    def at_random(
        self, found: Sequence[Measured], n_rounds: int, rng: Seed
    ) -> tuple[RandomAgreement | None, ...]:
        """Return what random coders would get in place of these groups; None where there is no value."""
        check_resamples("n_rounds", n_rounds, 1)
        generator = as_generator(rng)
        known = [one for one in found if one.reason is None]
        if not known:
            return (None,) * len(found)
        corpus, groups = self.corpus, self.table.groups
        if len(known) < len(groups):
            rows = np.concatenate([groups.groups[one.group].rows.ravel() for one in known])
            corpus = corpus.take(np.sort(rows))
        expected = [one.sums.expected(self.coefficient) for one in known]
        values = [one.pi if self.coefficient == "pi" else one.kappa for one in known]
        made = random_agreement(corpus, self.table.metric, expected, values, n_rounds, generator)
        by_group = {one.group: random for one, random in zip(known, made, strict=True)}
        return tuple(by_group.get(one.group) for one in found)


@dataclass(frozen=True, eq=False, repr=False)
class OfOneGroup(Result):
    """The numbers of one group of coders, by the names that a group has, and a result with one group too."""

    measurement: Measurement

    def _one(self) -> Measured:
        """Return what was measured of the one group."""
        raise NotImplementedError

    @property
    def metric(self) -> Metric:
        """The similarity that observed agreement is measured with."""
        return self.measurement.table.metric

    @property
    def coefficient(self) -> Coefficient:
        """The coefficient that was asked for: what ``value`` is, and ``expected``, ``z`` and ``p_value``."""
        return self.measurement.coefficient

    @property
    def chance(self) -> Chance:
        """How expected agreement was found."""
        return self.measurement.chance

    @property
    def n_resamples(self) -> int:
        """Bootstrap samples of the interval; 0: there is none."""
        return self.measurement.n_resamples

    @property
    def confidence(self) -> float:
        """Confidence of the interval."""
        return self.measurement.confidence

    @property
    def value(self) -> float:
        """The coefficient that was asked for; NaN where it is not defined."""
        return self.pi if self.coefficient == "pi" else self.kappa

    @property
    def observed(self) -> float:
        """Observed agreement A_o."""
        return self._one().observed

    @property
    def expected(self) -> float:
        """Expected agreement A_e of the coefficient."""
        return self._one().expected_pi if self.coefficient == "pi" else self._one().expected_kappa

    @property
    def pi(self) -> float:
        """π*."""
        return self._one().pi

    @property
    def kappa(self) -> float:
        """κ*."""
        return self._one().kappa

    @property
    def bias(self) -> float:
        """How differently the coders are inclined to place boundaries: A_e(π*) - A_e(κ*) (F13t, eq. 4.58).

        It cannot be negative, except with ``chance="published"``, which pools only one of the two.
        """
        return self._one().expected_pi - self._one().expected_kappa

    @property
    def z(self) -> float:
        """The statistic of the test that the coefficient is 0."""
        return self._one().z

    @property
    def p_value(self) -> float:
        """Its two-sided p."""
        return self._one().p_value

    @property
    def interval(self) -> Interval | None:
        """Bootstrap interval over documents (over positions for a single one); None if there is none."""
        return self._one().interval

    @property
    def reason(self) -> str | None:
        """Why the value is NaN; None if it is not."""
        return self._one().reason

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The coders."""
        return self.measurement.table.groups.coders_of(self._one().group)

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The documents that all of them have coded."""
        return self.measurement.table.groups.documents_of(self._one().group)

    @property
    def silent(self) -> tuple[str, ...]:
        """The coders who have placed no boundary at all."""
        return self.measurement.table.groups.silent_of(self._one().group)

    @property
    def totals(self) -> Totals:
        """What the coders did, summed over documents."""
        return self._one().totals

    @property
    def n_pairs(self) -> int:
        """Number of pairs of codings that were compared: two coders on one document."""
        return self.totals.n_pairs

    @property
    def n_boundaries(self) -> int:
        """Boundaries in all codings."""
        return self.totals.boundaries

    @property
    def n_positions(self) -> int:
        """Potential boundaries of all documents."""
        return self.totals.positions

    @cached_property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give near misses no credit."""
        return strict_agreement(self.measurement.marks[self._one().group])

    @cached_property
    def influence(self) -> dict[str, float]:
        """The coefficient without each coder; NaN where fewer than two or no boundaries would remain."""
        values = values_without(self.measurement.table, self._one().group, self.coefficient, self.chance)
        return dict(zip(self.coders, values, strict=True))

    @property
    def near_miss_share(self) -> float:
        """Near misses among all differences between two coders: T / (AD + S + T); NaN if there are none."""
        edits = self.measurement.table.differences[self._one().group]
        return edits.transpositions / sum(edits) if sum(edits) else math.nan

    @cached_property
    def by_document(self) -> tuple[DocumentAgreement, ...]:
        """Agreement on each document as if it were the only one."""
        table, one = self.measurement.table, self._one()
        if one.totals.n_coders < 2:
            return ()
        boundaries, observed, values = self.measurement.by_document
        numbers = table.groups.groups[one.group].documents
        columns = (
            self.documents,
            table.groups.positions[numbers].tolist(),
            [boundaries[number] for number in numbers.tolist()],
            observed[numbers].tolist(),
            values[numbers].tolist(),
        )
        return tuple(DocumentAgreement(*row) for row in zip(*columns, strict=True))

    def at_random(self, n_rounds: int = 100, rng: Seed = None) -> RandomAgreement | None:
        """Return what coders who place as many boundaries at random would get; None if there is no value.

        It is more than 0 (see ``coder_agreement.baseline``), so its p says more than that of z.
        """
        return self.measurement.at_random([self._one()], n_rounds, rng)[0]


@dataclass(frozen=True, eq=False, repr=False)
class GroupAgreement(OfOneGroup):
    """Agreement of the coders who have all coded the same documents."""

    measured: Measured

    def _one(self) -> Measured:
        return self.measured

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "coders": list(self.coders),
            "documents": list(self.documents),
            "n_pairs": self.n_pairs,
            "n_positions": self.n_positions,
            "n_boundaries": self.n_boundaries,
            "value": self.value,
            "observed": self.observed,
            "expected": self.expected,
            "pi": self.pi,
            "kappa": self.kappa,
            "bias": self.bias,
            "z": self.z,
            "p_value": self.p_value,
            "interval": None if self.interval is None else list(self.interval),
            "near_miss_share": self.near_miss_share,
            "influence": self.influence,
            "strict": self.strict.to_dict(),
            "by_document": [row._asdict() for row in self.by_document],
            "reason": self.reason,
        }

    def __repr__(self) -> str:
        shown = f"{label(self.metric, self.coefficient)} {self.value:.4f}"
        return f"<{shown}, {self.totals.n_coders} coders, {self.totals.n_documents} documents>"


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(OfOneGroup):
    """Agreement of each group of coders; with one group, its names work here too.

    >>> from caesura import load_stargazers
    >>> from caesura.analyses.coder_agreement import agreement
    >>> result = agreement(load_stargazers(), n_resamples=0)
    >>> round(result.value, 4), round(result.observed, 4), round(result.expected, 4)
    (0.4644, 0.5301, 0.1225)
    >>> result.notes[0].text[:37]
    'π*_B 0.46: moderate (Landis & Koch 19'
    """

    groups: tuple[GroupAgreement, ...]

    def _one(self) -> Measured:
        if len(self.groups) == 1:
            return self.groups[0].measured
        members = "; ".join(f"{i}: {listed(group.coders)}" for i, group in enumerate(self.groups[:MAX_SHOWN]))
        more = "; ..." if len(self.groups) > MAX_SHOWN else ""
        raise CorpusError(
            f"there are {len(self.groups):,} groups of coders with a value each; take one of .groups: "
            f"{members}{more}"
        )

    @property
    def seed(self) -> int | None:
        """The seed of the bootstrap, if it was one."""
        return self.measurement.seed

    @cached_property
    def krippendorff_alpha(self) -> float:
        """Strict Krippendorff's α over all groups: coders need not have coded the same documents."""
        return krippendorff_alpha(self.measurement.marks)

    def each_at_random(self, n_rounds: int = 100, rng: Seed = None) -> tuple[RandomAgreement | None, ...]:
        """Return ``at_random`` of every group, from the same rounds of random codings."""
        return self.measurement.at_random([group.measured for group in self.groups], n_rounds, rng)

    @property
    def signature(self) -> str:
        """Metric, coefficient, expectation, resampling and version: the recipe of the numbers."""
        n_pairs = sum(group.n_pairs for group in self.groups)
        interval = ""
        if self.n_resamples:
            seed = "" if self.seed is None else f",seed={self.seed}"
            interval = f"|interval=bootstrap,{self.confidence:g},{self.n_resamples}{seed}"
        return (
            f"{self.metric.recipe}|coefficient={self.coefficient}|chance={self.chance}|average=micro"
            f"|pairs={n_pairs}{interval}|caesura {__version__}"
        )

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "metric": repr(self.metric),
            "coefficient": self.coefficient,
            "chance": self.chance,
            "signature": self.signature,
            "krippendorff_alpha": self.krippendorff_alpha,
            "groups": [group.numbers() for group in self.groups],
        }

    def __repr__(self) -> str:
        more = ", ..." if len(self.groups) > MAX_SHOWN else ""
        return f"<Agreement: {', '.join(map(repr, self.groups[:MAX_SHOWN]))}{more}>"

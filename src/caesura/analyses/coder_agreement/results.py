"""What agreement() returns: the numbers of the corpus and of each group of coders, and what follows.

The numbers of the coefficient are there from the start; the rest is computed when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from caesura.analyses.coder_agreement.baseline import Asked, RandomAgreement, random_agreement
from caesura.analyses.coder_agreement.coefficients import (
    Chance,
    Coefficient,
    Ratios,
    document_sums,
    finish_many,
    label,
    values_without,
)
from caesura.analyses.coder_agreement.observed import Differences, PairTable, Totals
from caesura.analyses.coder_agreement.pool import Pool
from caesura.analyses.coder_agreement.streams import PooledSums
from caesura.analyses.coder_agreement.strict import (
    MarkCounts,
    StrictAgreement,
    count_marks,
    krippendorff_alpha,
    pooled_strict_agreement,
    strict_agreement,
)
from caesura.arrays import FloatArray
from caesura.checks import Seed, as_generator, check_resamples
from caesura.metrics.base import Metric
from caesura.results.result import Result
from caesura.stats.outcome import Interval
from caesura.values.corpus import Corpus
from caesura.version import __version__


class DocumentAgreement(NamedTuple):
    """Agreement on one document alone; NaN where it is not defined."""

    document: str
    n_positions: int
    n_boundaries: int
    observed: float
    value: float


class Measured(NamedTuple):
    """What was measured of one group, or of all (None); what is not defined is NaN, ``reason`` says why."""

    group: int | None
    totals: Totals
    ratios: Ratios
    observed: float
    expected_pi: float
    expected_kappa: float
    pi: float
    kappa: float
    z: float
    p_value: float
    interval: Interval | None
    reason: str | None


class Request(Protocol):
    """What was asked for."""

    @property
    def metric(self) -> Metric: ...

    @property
    def coefficient(self) -> Coefficient: ...

    @property
    def chance(self) -> Chance: ...

    @property
    def n_resamples(self) -> int: ...

    @property
    def confidence(self) -> float: ...

    @property
    def seed(self) -> int | None: ...


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
    def metric(self) -> Metric:
        """The similarity that observed agreement is measured with."""
        return self.table.metric

    @property
    def corpus(self) -> Corpus:
        """Whose coders were compared."""
        return self.table.corpus

    @cached_property
    def pool(self) -> Pool:
        """All documents with at least two coders."""
        return Pool(self.table)

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
        """Return what random coders would get in place of these; None where there is no value."""
        check_resamples("n_rounds", n_rounds, 1)
        generator = as_generator(rng)
        known = [one for one in found if one.reason is None]
        if not known:
            return (None,) * len(found)
        groups = self.table.groups
        parts = [
            self.pool.rows if one.group is None else groups.groups[one.group].rows.ravel() for one in known
        ]
        rows = np.unique(np.concatenate(parts))
        corpus = self.corpus if len(rows) == len(self.corpus) else self.corpus.take(rows)
        # Groups keep their order where some are left out.
        wanted = sorted({one.group for one in known if one.group is not None})
        place = {group: number for number, group in enumerate(wanted)}
        if any(one.group is None for one in known):
            together = [i for i, one in enumerate(groups.groups) if len(one.coders) > 1]
            place = {group: number for number, group in enumerate(together)}
        asked = [
            Asked(
                None if one.group is None else place[one.group],
                one.ratios.expected(self.coefficient),
                one.pi if self.coefficient == "pi" else one.kappa,
            )
            for one in known
        ]
        made = iter(random_agreement(corpus, self.table.metric, asked, n_rounds, generator))
        return tuple(next(made) if one.reason is None else None for one in found)


@dataclass(frozen=True, eq=False, repr=False)
class Coefficients(Result):
    """The numbers of some coders, whether their codings are in memory or were streamed."""

    measurement: Request
    measured: Measured

    @property
    def metric(self) -> Metric:
        """The similarity that observed agreement is measured with."""
        return self.measurement.metric

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
        return self.measured.observed

    @property
    def expected(self) -> float:
        """Expected agreement A_e of the coefficient."""
        return self.measured.expected_pi if self.coefficient == "pi" else self.measured.expected_kappa

    @property
    def pi(self) -> float:
        """π*."""
        return self.measured.pi

    @property
    def kappa(self) -> float:
        """κ*."""
        return self.measured.kappa

    @property
    def bias(self) -> float:
        """How differently the coders are inclined to place boundaries: A_e(π*) - A_e(κ*) (F13t, eq. 4.58).

        Of a group it cannot be negative, except with ``chance="published"``, which pools only one of the two.
        """
        return self.measured.expected_pi - self.measured.expected_kappa

    @property
    def z(self) -> float:
        """The statistic of the test that the coefficient is 0."""
        return self.measured.z

    @property
    def p_value(self) -> float:
        """Its two-sided p."""
        return self.measured.p_value

    @property
    def interval(self) -> Interval | None:
        """Bootstrap interval over documents (over positions for a single one); None if there is none."""
        return self.measured.interval

    @property
    def reason(self) -> str | None:
        """Why the value is NaN; None if it is not."""
        return self.measured.reason

    @property
    def totals(self) -> Totals:
        """What the coders did, summed over documents."""
        return self.measured.totals

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

    # ---------------------------------------------------------------- who they are, and what follows

    @property
    def coders(self) -> tuple[str, ...]:
        """The coders."""
        raise NotImplementedError

    @property
    def silent(self) -> tuple[str, ...]:
        """The coders who have placed no boundary at all."""
        raise NotImplementedError

    @property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give near misses no credit."""
        raise NotImplementedError

    @property
    def differences(self) -> Differences:
        """The edits between every two coders."""
        raise NotImplementedError

    @property
    def near_miss_share(self) -> float:
        """Near misses among all differences between two coders: T / (AD + S + T); NaN if there are none."""
        edits = self.differences
        return edits.transpositions / sum(edits) if sum(edits) else math.nan

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "coders": list(self.coders),
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
            "strict": self.strict.to_dict(),
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False, repr=False)
class OfCoders(Coefficients):
    """The numbers of some coders whose codings are in memory: of a group, or of all."""

    measurement: Measurement

    def at_random(self, n_rounds: int = 100, rng: Seed = None) -> RandomAgreement | None:
        """Return what coders who place as many boundaries at random would get; None if there is no value.

        It is more than 0 (see ``coder_agreement.baseline``), so its p says more than that of z.
        """
        return self.measurement.at_random([self.measured], n_rounds, rng)[0]

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that they have coded."""
        raise NotImplementedError

    @property
    def influence(self) -> dict[str, float]:
        """The coefficient without each coder; NaN where fewer than two or no boundaries would remain."""
        raise NotImplementedError

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {**super().numbers(), "documents": list(self.documents), "influence": self.influence}


@dataclass(frozen=True, eq=False, repr=False)
class GroupAgreement(OfCoders):
    """Agreement of the coders who have all coded the same documents."""

    @property
    def group(self) -> int:
        """The number of the group."""
        assert self.measured.group is not None
        return self.measured.group

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The coders."""
        return self.measurement.table.groups.coders_of(self.group)

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The documents that all of them have coded."""
        return self.measurement.table.groups.documents_of(self.group)

    @property
    def silent(self) -> tuple[str, ...]:
        """The coders who have placed no boundary at all."""
        return self.measurement.table.groups.silent_of(self.group)

    @cached_property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give near misses no credit."""
        return strict_agreement(self.measurement.marks[self.group])

    @cached_property
    def influence(self) -> dict[str, float]:
        """The coefficient without each coder; NaN where fewer than two or no boundaries would remain."""
        values = values_without(self.measurement.table, self.group, self.coefficient, self.chance)
        return dict(zip(self.coders, values, strict=True))

    @property
    def differences(self) -> Differences:
        """The edits between every two coders."""
        return self.measurement.table.differences[self.group]

    @cached_property
    def by_document(self) -> tuple[DocumentAgreement, ...]:
        """Agreement on each document as if it were the only one."""
        if self.totals.n_coders < 2:
            return ()
        table = self.measurement.table
        boundaries, observed, values = self.measurement.by_document
        numbers = table.groups.groups[self.group].documents
        columns = (
            self.documents,
            table.groups.positions[numbers].tolist(),
            [boundaries[number] for number in numbers.tolist()],
            observed[numbers].tolist(),
            values[numbers].tolist(),
        )
        return tuple(DocumentAgreement(*row) for row in zip(*columns, strict=True))

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {**super().numbers(), "by_document": [row._asdict() for row in self.by_document]}

    def __repr__(self) -> str:
        return f"<{_shown(self)}>"


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(OfCoders):
    """Agreement over all documents with at least two coders, and in each group of coders.

    >>> from caesura import load_stargazers
    >>> from caesura.analyses.coder_agreement import agreement
    >>> result = agreement(load_stargazers(), n_resamples=0)
    >>> round(result.value, 4), round(result.observed, 4), round(result.expected, 4)
    (0.4644, 0.5301, 0.1225)
    >>> result.notes[0].text[:37]
    'π*_B 0.46: moderate (Landis & Koch 19'
    """

    groups: tuple[GroupAgreement, ...]
    """The groups, also those of one coder, who agrees with nobody."""

    @cached_property
    def shared_groups(self) -> tuple[GroupAgreement, ...]:
        """The groups of at least two coders."""
        return tuple(group for group in self.groups if group.totals.n_coders > 1)

    @property
    def _only(self) -> GroupAgreement | None:
        """The group that is all there is."""
        return self.shared_groups[0] if len(self.shared_groups) == 1 else None

    @property
    def single_documents(self) -> tuple[str, ...]:
        """The documents with one coding, which no number here counts."""
        names = self.measurement.corpus.documents
        return tuple(names[i] for i in self.measurement.pool.single_documents.tolist())

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The coders who share a document with another."""
        if self._only is not None:
            return self._only.coders
        return tuple(self.measurement.corpus.coders[i] for i in self.measurement.pool.coders.tolist())

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The documents with at least two codings."""
        if self._only is not None:
            return self._only.documents
        return tuple(self.measurement.corpus.documents[i] for i in self.measurement.pool.documents.tolist())

    @property
    def silent(self) -> tuple[str, ...]:
        """The coders who have placed no boundary at all."""
        return tuple(self.measurement.corpus.coders[i] for i in self.measurement.pool.silent.tolist())

    @cached_property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give near misses no credit."""
        if self._only is not None:
            return self._only.strict
        pool = self.measurement.pool
        return pooled_strict_agreement(self.measurement.marks, self.totals.n_coders, pool.strict_own_rates())

    @cached_property
    def influence(self) -> dict[str, float]:
        """The coefficient without each coder; NaN where fewer than two or no boundaries would remain."""
        if self._only is not None:
            return self._only.influence
        values = self.measurement.pool.values_without(self.coefficient, self.chance)
        return dict(zip(self.coders, values, strict=True))

    @property
    def differences(self) -> Differences:
        """The edits between every two coders."""
        return self.measurement.pool.differences

    @cached_property
    def by_document(self) -> tuple[DocumentAgreement, ...]:
        """Agreement on each document as if it were the only one."""
        found = {row.document: row for group in self.groups for row in group.by_document}
        return tuple(found[document] for document in self.documents)

    @property
    def seed(self) -> int | None:
        """The seed of the bootstrap, if it was one."""
        return self.measurement.seed

    @cached_property
    def krippendorff_alpha(self) -> float:
        """Strict Krippendorff's α over all documents: coders need not have coded the same ones."""
        return krippendorff_alpha(self.measurement.marks)

    def each_at_random(self, n_rounds: int = 100, rng: Seed = None) -> tuple[RandomAgreement | None, ...]:
        """Return ``at_random`` of every group, from the same rounds of random codings."""
        return self.measurement.at_random([group.measured for group in self.groups], n_rounds, rng)

    def all_at_random(self, n_rounds: int = 100, rng: Seed = None) -> tuple[RandomAgreement | None, ...]:
        """Return ``at_random`` of the whole and then of every group, from the same rounds."""
        found = [self.measured, *(group.measured for group in self.groups)]
        return self.measurement.at_random(found, n_rounds, rng)

    @property
    def signature(self) -> str:
        """Metric, coefficient, expectation, resampling and version: the recipe of the numbers."""
        return recipe_of(self, "bootstrap")

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "metric": repr(self.metric),
            "coefficient": self.coefficient,
            "chance": self.chance,
            "signature": self.signature,
            **super().numbers(),
            "krippendorff_alpha": self.krippendorff_alpha,
            "single_documents": list(self.single_documents),
            "groups": [group.numbers() for group in self.groups],
        }

    def __repr__(self) -> str:
        if len(self.shared_groups) == 1:
            return f"<Agreement: {_shown(self)}>"
        return f"<Agreement: {_shown(self)}, {len(self.shared_groups):,} groups>"


@dataclass(frozen=True, eq=False)
class StreamMeasurement:
    """What was asked for of a stream, and its sums."""

    sums: PooledSums
    n_resamples: int
    confidence: float
    seed: int | None
    left_out: tuple[str, ...]
    chance: Chance = "boundaries"

    @property
    def metric(self) -> Metric:
        """The similarity that observed agreement is measured with."""
        return self.sums.metric

    @property
    def coefficient(self) -> Coefficient:
        """The coefficient."""
        return self.sums.question.coefficient


@dataclass(frozen=True, eq=False, repr=False)
class StreamedAgreement(Coefficients):
    """Agreement over all documents of a stream with at least two coders: the numbers of ``Agreement``.

    What is no sum over documents is missing: groups, single documents, the influence of coders.
    """

    measurement: StreamMeasurement

    @property
    def coders(self) -> tuple[str, ...]:
        """The coders who share a document with another, by name."""
        return self.measurement.sums.coders

    @property
    def n_documents(self) -> int:
        """The number of documents with at least two codings."""
        return self.totals.n_documents

    @property
    def n_single_documents(self) -> int:
        """The number of documents with one coding, which no other number here counts."""
        return self.measurement.sums.n_single

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is wrong with each file that was left out."""
        return self.measurement.left_out

    @property
    def silent(self) -> tuple[str, ...]:
        """The coders who have placed no boundary at all."""
        return self.measurement.sums.silent

    @property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give near misses no credit."""
        return self.measurement.sums.strict

    @property
    def krippendorff_alpha(self) -> float:
        """Strict Krippendorff's α over all documents: coders need not have coded the same ones."""
        return self.measurement.sums.krippendorff_alpha

    @property
    def differences(self) -> Differences:
        """The edits between every two coders."""
        return self.measurement.sums.differences

    @property
    def signature(self) -> str:
        """Metric, coefficient, expectation, resampling and version: the recipe of the numbers."""
        return recipe_of(self, "poisson")

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "metric": repr(self.metric),
            "coefficient": self.coefficient,
            "chance": self.chance,
            "signature": self.signature,
            **super().numbers(),
            "n_documents": self.n_documents,
            "krippendorff_alpha": self.krippendorff_alpha,
            "n_single_documents": self.n_single_documents,
            "left_out": list(self.left_out),
        }

    def __repr__(self) -> str:
        return f"<StreamedAgreement: {_shown(self)}>"


def recipe_of(found: Coefficients, bootstrap: str) -> str:
    """Return the recipe of a corpus's numbers."""
    interval, asked = "", found.measurement
    if asked.n_resamples:
        seed = "" if asked.seed is None else f",seed={asked.seed}"
        interval = f"|interval={bootstrap},{asked.confidence:g},{asked.n_resamples}{seed}"
    return (
        f"{found.metric.recipe}|coefficient={found.coefficient}|chance={found.chance}|average=micro"
        f"|pairs={found.n_pairs}{interval}|caesura {__version__}"
    )


def _shown(found: Coefficients) -> str:
    value = f"{label(found.metric, found.coefficient)} {found.value:.4f}"
    return f"{value}, {found.totals.n_coders} coders, {found.totals.n_documents} documents"

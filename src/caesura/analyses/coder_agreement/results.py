"""What agreement() returns: the numbers of each group of coders, and what follows from their counts.

The numbers of the coefficient are there from the start; the rest is computed when it is asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.baseline import RandomAgreement, random_agreement
from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient, value_without
from caesura.analyses.coder_agreement.intervals import Interval, document_items, values_by_document
from caesura.analyses.coder_agreement.observed import DEFAULT_N_T, PairCounts
from caesura.analyses.coder_agreement.reading import (
    label,
    numbered,
    read_near_misses,
    read_p_values,
    read_scales,
    read_values,
    warnings_of,
)
from caesura.analyses.coder_agreement.strict import (
    StrictAgreement,
    count_marks,
    krippendorff_alpha,
    strict_agreement,
)
from caesura.errors import CorpusError
from caesura.metrics.base import Metric
from caesura.results.result import Result
from caesura.results.table import Table
from caesura.version import __version__
from caesura.wording import listed


class DocumentAgreement(NamedTuple):
    """Agreement on one document alone; NaN where it is not defined."""

    document: str
    n_positions: int
    n_boundaries: int
    observed: float
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class GroupAgreement:
    """Agreement of the coders who have all coded the same documents.

    ``value`` is the coefficient that was asked for; ``expected``, ``z`` and ``p_value`` belong to it. What is
    not defined is NaN, and ``reason`` says why.
    """

    counts: PairCounts
    coefficient: Coefficient
    chance: Chance
    n_resamples: int
    observed: float
    expected_pi: float
    expected_kappa: float
    pi: float
    kappa: float
    z: float
    p_value: float
    interval: Interval | None
    """Bootstrap interval over documents (over positions for a single one); None if there is none."""
    reason: str | None
    """Why the value is NaN; None if it is not."""

    @property
    def metric(self) -> Metric:
        """The similarity that observed agreement is measured with."""
        return self.counts.metric

    @property
    def coders(self) -> tuple[str, ...]:
        """The coders."""
        return self.counts.coders

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that all of them have coded."""
        return self.counts.documents

    @property
    def n_pairs(self) -> int:
        """Number of pairs of codings that were compared: two coders on one document."""
        return self.counts.n_pairs

    @property
    def n_boundaries(self) -> int:
        """Boundaries in all codings."""
        return self.counts.n_boundaries

    @property
    def n_positions(self) -> int:
        """Potential boundaries of all documents."""
        return self.counts.n_positions

    @property
    def value(self) -> float:
        """The coefficient that was asked for."""
        return self.pi if self.coefficient == "pi" else self.kappa

    @property
    def expected(self) -> float:
        """Expected agreement A_e of that coefficient."""
        return self.expected_pi if self.coefficient == "pi" else self.expected_kappa

    @property
    def bias(self) -> float:
        """How differently the coders are inclined to place boundaries: A_e(π*) - A_e(κ*) (F13t, eq. 4.58).

        It can not be negative, except with ``chance="published"``, which pools only one of the two.
        """
        return self.expected_pi - self.expected_kappa

    @cached_property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, which give near misses no credit."""
        return strict_agreement(count_marks(self.counts))

    @cached_property
    def influence(self) -> dict[str, float]:
        """The coefficient without each coder; NaN where fewer than two or no boundaries would remain."""
        return {
            coder: value_without(self.counts, place, self.coefficient, self.chance)
            for place, coder in enumerate(self.coders)
        }

    @cached_property
    def near_miss_share(self) -> float:
        """Near misses among all differences between two coders: T / (AD + S + T); NaN if there are none."""
        edits = self.counts.edits
        return edits[2] / sum(edits) if sum(edits) else math.nan

    @cached_property
    def by_document(self) -> tuple[DocumentAgreement, ...]:
        """Agreement on each document as if it were the only one."""
        if len(self.coders) < 2:
            return ()
        counts = self.counts
        items = document_items(counts, self.chance)
        similar, compared, _ = counts.metric.fraction(items.counts.T)
        observed = np.divide(similar, compared, out=np.full(len(compared), np.nan), where=compared != 0)
        values = values_by_document(counts, self.coefficient, self.chance)
        n_boundaries = counts.boundaries.sum(axis=(1, 2)).tolist()
        columns = (counts.documents, counts.positions, n_boundaries, observed.tolist(), values.tolist())
        return tuple(DocumentAgreement(*row) for row in zip(*columns, strict=True))

    def at_random(
        self, n_rounds: int = 100, rng: int | np.random.Generator | None = None
    ) -> RandomAgreement | None:
        """Return what coders who place as many boundaries at random would get; None if there is no value.

        It is more than 0 (see ``agreement.baseline``), so its p says more than that of z.
        """
        if self.reason is not None:
            return None
        generator = np.random.default_rng(rng)
        return random_agreement(self.counts, self.coefficient, self.chance, self.value, n_rounds, generator)

    @property
    def interpretation(self) -> str:
        """A sentence that places the value on the usual scales, with their sources."""
        if self.reason is not None:
            return f"{label(self.metric, self.coefficient)} is not defined: {self.reason}."
        return read_values([self.value], label(self.metric, self.coefficient))

    @property
    def notes(self) -> tuple[str, ...]:
        """What one should know before trusting the value; the reason, where there is no value."""
        if self.reason is not None:
            return (self.reason,)
        return tuple(
            warnings_of(self.counts, self.coefficient, self.chance, self.expected, self.n_resamples > 0)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
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
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        shown = f"{label(self.metric, self.coefficient)} {self.value:.4f}"
        return f"<{shown}, {len(self.coders)} coders, {len(self.documents)} documents>"


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """Agreement of each group of coders; with one group, its names work here too.

    >>> from caesura import load_stargazers
    >>> from caesura.analyses.coder_agreement import agreement
    >>> result = agreement(load_stargazers(), n_resamples=0)
    >>> round(result.value, 4), round(result.observed, 4), round(result.expected, 4)
    (0.4644, 0.5301, 0.1225)
    >>> result.interpretation[:37]
    'π*_B 0.46: moderate (Landis & Koch 19'
    """

    metric: Metric
    coefficient: Coefficient
    chance: Chance
    n_resamples: int
    confidence: float
    groups: tuple[GroupAgreement, ...]
    seed: int | None = None
    """The seed of the bootstrap, if it was one."""

    def _only(self) -> GroupAgreement:
        if len(self.groups) == 1:
            return self.groups[0]
        members = "; ".join(f"{i}: {listed(group.coders)}" for i, group in enumerate(self.groups))
        raise CorpusError(
            f"there are {len(self.groups)} groups of coders with a value each; take one of .groups: {members}"
        )

    @property
    def value(self) -> float:
        """The coefficient, if there is one group."""
        return self._only().value

    @property
    def observed(self) -> float:
        """Observed agreement, if there is one group."""
        return self._only().observed

    @property
    def expected(self) -> float:
        """Expected agreement, if there is one group."""
        return self._only().expected

    @property
    def pi(self) -> float:
        """π*, if there is one group."""
        return self._only().pi

    @property
    def kappa(self) -> float:
        """κ*, if there is one group."""
        return self._only().kappa

    @property
    def bias(self) -> float:
        """The coders' bias, if there is one group."""
        return self._only().bias

    @property
    def z(self) -> float:
        """The test statistic, if there is one group."""
        return self._only().z

    @property
    def p_value(self) -> float:
        """Its two-sided p, if there is one group."""
        return self._only().p_value

    @property
    def interval(self) -> Interval | None:
        """The bootstrap interval, if there is one group."""
        return self._only().interval

    @property
    def coders(self) -> tuple[str, ...]:
        """The coders, if there is one group."""
        return self._only().coders

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents, if there is one group."""
        return self._only().documents

    @property
    def n_pairs(self) -> int:
        """Number of compared pairs of codings, if there is one group."""
        return self._only().n_pairs

    @property
    def reason(self) -> str | None:
        """Why the value is NaN, if there is one group."""
        return self._only().reason

    @property
    def strict(self) -> StrictAgreement:
        """The strict coefficients, if there is one group."""
        return self._only().strict

    @property
    def influence(self) -> dict[str, float]:
        """The coefficient without each coder, if there is one group."""
        return self._only().influence

    @property
    def near_miss_share(self) -> float:
        """Near misses among all differences, if there is one group."""
        return self._only().near_miss_share

    @property
    def by_document(self) -> tuple[DocumentAgreement, ...]:
        """Agreement on each document, if there is one group."""
        return self._only().by_document

    @cached_property
    def krippendorff_alpha(self) -> float:
        """Strict Krippendorff's α over all groups: coders need not have coded the same documents."""
        return krippendorff_alpha([count_marks(group.counts) for group in self.groups])

    @property
    def interpretation(self) -> str:
        """A sentence or two on what the values mean, with the sources of the scales."""
        if len(self.groups) == 1:
            sentences = [self.groups[0].interpretation]
        else:
            name = label(self.metric, self.coefficient)
            sentences = [read_values([group.value for group in self.groups], name)]
        if not all(math.isnan(group.value) for group in self.groups):
            n_t = self.metric.parameters.get("n_t", DEFAULT_N_T)
            shares = [group.near_miss_share for group in self.groups]
            sentences += [read_scales(self.metric), read_near_misses(shares, n_t)]
        return " ".join(sentences)

    @property
    def significance(self) -> str:
        """A sentence on the tests against 0; empty where there are none."""
        return read_p_values([group.p_value for group in self.groups])

    def at_random(
        self, n_rounds: int = 100, rng: int | np.random.Generator | None = None
    ) -> RandomAgreement | None:
        """Return what random coders would get, if there is one group."""
        return self._only().at_random(n_rounds, rng)

    @property
    def notes(self) -> tuple[str, ...]:
        """The groups' notes; those that not all groups share name theirs."""
        if len(self.groups) == 1:
            return self.groups[0].notes
        holders: dict[str, list[str]] = {}
        for number, group in enumerate(self.groups, start=1):
            for note in group.notes:
                holders.setdefault(note, []).append(str(number))
        return tuple(
            note if len(numbers) == len(self.groups) else f"{numbered(numbers)}: {note}"
            for note, numbers in holders.items()
        )

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

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "metric": repr(self.metric),
            "coefficient": self.coefficient,
            "chance": self.chance,
            "signature": self.signature,
            "krippendorff_alpha": self.krippendorff_alpha,
            "interpretation": self.interpretation,
            "significance": self.significance,
            "groups": [group.to_dict() for group in self.groups],
        }

    def to_table(self) -> Table:
        """Return a table with a row for each group."""
        from caesura.analyses.coder_agreement.tables import agreement_table

        return agreement_table([self])

    def to_document_table(self) -> Table:
        """Return a table with a row for each document."""
        from caesura.analyses.coder_agreement.tables import document_table

        return document_table([self])

    def to_strict_table(self) -> Table:
        """Return a table with the strict coefficients of each group."""
        from caesura.analyses.coder_agreement.tables import strict_table

        return strict_table(self)

    def to_influence_table(self) -> Table:
        """Return a table with the coefficient without each coder."""
        from caesura.analyses.coder_agreement.tables import influence_table

        return influence_table([self])

    def __repr__(self) -> str:
        return f"<Agreement: {', '.join(map(repr, self.groups))}>"

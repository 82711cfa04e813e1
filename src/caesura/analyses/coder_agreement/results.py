"""What agreement() and agreement_drop() return: the numbers of the corpus and of each group of coders."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from caesura.analyses.coder_agreement.baseline import RandomAgreement, random_agreements
from caesura.analyses.coder_agreement.coefficients import (
    COEFFICIENTS,
    Chance,
    Coefficient,
    Totals,
    label,
    settings_of,
)
from caesura.analyses.coder_agreement.finish import AgreementFinisher, Differences
from caesura.analyses.coder_agreement.strata import Stratum
from caesura.analyses.coder_agreement.strict import StrictAgreement
from caesura.analyses.coder_agreement.subsets import AgreementSubsets, subsets_of
from caesura.arrays import divided
from caesura.checks import Seed, as_generator
from caesura.errors import CorpusError
from caesura.metrics.base import Metric
from caesura.results.as_json import plain_data, plain_fields
from caesura.results.notes import seed_part
from caesura.results.result import Result
from caesura.stats.outcome import Interval
from caesura.version import __version__

STRICT_OF_DOCUMENTS = ("percent", "fleiss_kappa", "davies_fleiss_kappa", "krippendorff_alpha")
"""The strict coefficients of single documents."""


class DocumentAgreement(NamedTuple):
    """Agreement on one document alone; NaN where it is not defined."""

    document: str
    n_positions: int
    n_boundaries: int
    observed: float
    value: float
    percent: float
    """Strict percent agreement, and below it strict coefficients (KS12 table 1)."""
    fleiss_kappa: float
    davies_fleiss_kappa: float
    krippendorff_alpha: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Coefficients(Result):
    """The numbers of some coders, of a group or of all; what is not defined is NaN."""

    NUMBERS: ClassVar[tuple[str, ...]] = (
        *("coders", "n_documents", "n_pairs", "n_positions", "n_boundaries", "value", "observed", "expected"),
        *("pi", "kappa", "bias", "z", "p_value", "interval", "random", "near_miss_share", "strict", "reason"),
    )

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
    interval: Interval | None
    """Bootstrap interval over documents (over positions for a single one); None if there is none."""
    random: RandomAgreement | None = None
    """What coders who place as many boundaries at random would get; None where that was not computed.

    It is more than 0 (see ``coder_agreement.baseline``), so its p says more than that of z.
    """
    stratum: Stratum | None = None
    """The documents, where these are in memory."""

    @classmethod
    def of(cls, finisher: AgreementFinisher, **settings: Any) -> Self:
        """Return the numbers of a stratum, with these settings and fields of its own."""
        is_defined = finisher.totals.n_coders > 1 and finisher.totals.boundaries > 0
        ratios = (finisher.observed, *(finisher.expected[name] for name in COEFFICIENTS))
        observed, *expected = (ratio.value if is_defined else math.nan for ratio in ratios)
        z, p_value = finisher.z_and_p
        return cls(
            metric=finisher.metric,
            coefficient=finisher.question.coefficient,
            chance=finisher.question.chance,
            coders=finisher.coders,
            silent=tuple(coder for coder in finisher.coders if not finisher.total("marked", coder)),
            totals=finisher.totals,
            observed=observed,
            expected_pi=expected[0],
            expected_kappa=expected[1],
            pi=finisher.values["pi"],
            kappa=finisher.values["kappa"],
            z=z,
            p_value=p_value,
            reason=finisher.reason,
            strict=finisher.strict,
            differences=finisher.differences,
            **settings,
        )

    @property
    def value(self) -> float:
        """The coefficient that was asked for; NaN where it is not defined."""
        return self.pi if self.coefficient == "pi" else self.kappa

    @property
    def expected(self) -> float:
        """Expected agreement A_e of the coefficient."""
        return self.expected_pi if self.coefficient == "pi" else self.expected_kappa

    @property
    def bias(self) -> float:
        """How differently the coders are inclined to place boundaries: A_e(π*) - A_e(κ*) (F13t, eq. 4.58).

        Of a group it cannot be negative, unless ``chance`` is other than "boundaries": then only one of the
        two is pooled.
        """
        return self.expected_pi - self.expected_kappa

    @property
    def n_coders(self) -> int:
        """Number of coders who share a document with another."""
        return self.totals.n_coders

    @property
    def n_documents(self) -> int:
        """Number of documents with at least two codings."""
        return self.totals.n_documents

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

    @property
    def near_miss_share(self) -> float:
        """Near misses among all differences between two coders: T / (AD + S + T); NaN if there are none."""
        edits = self.differences
        return edits.transpositions / sum(edits) if sum(edits) else math.nan

    @property
    def is_streamed(self) -> bool:
        """Whether only sums over documents are known."""
        return self.stratum is None

    def strict_intervals(self, rng: Seed = None) -> dict[str, Interval | None]:
        """Return the bootstrap interval over documents of each strict coefficient, by its name.

        None stands for one that is not defined; a single document has no intervals. The number of resamples
        and the confidence are those of ``interval``, and so is the seed unless ``rng`` is given.
        """
        generator = as_generator(self.seed if rng is None else rng)
        return self.in_memory.strict_intervals(self.n_resamples, self.confidence, generator)

    def at_random(self, n_rounds: int = 100, rng: Seed = None) -> RandomAgreement | None:
        """Return what random coders get in so many rounds, as in ``random``; None if there is no value."""
        return random_agreements([self.in_memory], n_rounds, rng)[0]

    @property
    def in_memory(self) -> Stratum:
        """The documents; CorpusError of a stream, which does not hold them."""
        if self.stratum is None:
            raise CorpusError("a stream does not hold the codings that this needs: read the data into memory")
        return self.stratum

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that count, where they are in memory: at least two of the coders have coded each."""
        return () if self.stratum is None else self.stratum.document_names

    @cached_property
    def influence(self) -> dict[str, float]:
        """The coefficient without each coder; NaN where fewer than two or no boundaries would remain."""
        return {} if self.stratum is None else self.stratum.values_without()

    def __repr__(self) -> str:
        value = f"{label(self.metric, self.coefficient)} {self.value:.4f}"
        return f"<{value}, {self.totals.n_coders} coders, {self.totals.n_documents} documents>"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GroupAgreement(Coefficients):
    """Agreement of the coders who have all coded the same documents."""

    NUMBERS = (*Coefficients.NUMBERS, "documents", "influence", "by_document")

    group: int
    """The number of the group, from 0."""

    @cached_property
    def by_document(self) -> tuple[DocumentAgreement, ...]:
        """Agreement on each document as if it were the only one."""
        if self.totals.n_coders < 2:
            return ()
        stratum, codings = self.in_memory, self.in_memory.own.corpus.codings
        similar, compared = stratum.observed
        observed = divided(similar, compared, math.nan)
        boundaries = np.diff(codings.offsets[stratum.own.corpus.starts])
        strict = stratum.strict_by_document()
        columns = (
            *(stratum.own.positions, boundaries, observed, stratum.items().column_values()),
            *(strict[name] for name in STRICT_OF_DOCUMENTS),
        )
        rows = zip(self.documents, *(column.tolist() for column in columns), strict=True)
        return tuple(DocumentAgreement(*row) for row in rows)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Agreement(Coefficients):
    """Agreement over all documents with at least two coders, and in each group of coders.

    Of a stream it has what are sums over documents; groups, single documents and the influence of coders are
    not listed.

    >>> from caesura import load_stargazers
    >>> from caesura.analyses.coder_agreement import agreement
    >>> result = agreement(load_stargazers(), n_resamples=0)
    >>> round(result.value, 4), round(result.observed, 4), round(result.expected, 4)
    (0.4644, 0.5301, 0.1225)
    >>> result.notes[0].text
    'π*_B 0.46: 46 % of what perfect agreement would add over chance.'
    """

    NUMBERS = (
        *("metric", "coefficient", "chance", "signature", *Coefficients.NUMBERS),
        *("krippendorff_alpha", "n_single_documents"),
    )

    groups: tuple[GroupAgreement, ...] = ()
    """The groups, also those of one coder, who agrees with nobody."""
    n_single_documents: int = 0
    """Documents with one coding, which no other number here counts."""
    left_out: tuple[str, ...] = ()
    """What is wrong with each file of a stream that was left out."""

    def with_random(self, n_rounds: int = 100, rng: Seed = None) -> Agreement:
        """Return the agreement with what random coders get, over all documents and in each group."""
        strata = [part.in_memory for part in (self, *self.groups)]
        of_all, *by_group = random_agreements(strata, n_rounds, rng)
        pairs = zip(self.groups, by_group, strict=True)
        groups = tuple(replace(group, random=random) for group, random in pairs)
        return replace(self, random=of_all, groups=groups)

    @cached_property
    def shared_groups(self) -> tuple[GroupAgreement, ...]:
        """The groups of at least two coders."""
        return tuple(group for group in self.groups if group.totals.n_coders > 1)

    @property
    def single_documents(self) -> tuple[str, ...]:
        """The documents with one coding, where they are in memory."""
        if self.stratum is None:
            return ()
        corpus = self.stratum.table.corpus
        return tuple(corpus.documents[i] for i in np.flatnonzero(corpus.n_coders == 1).tolist())

    @cached_property
    def by_document(self) -> tuple[DocumentAgreement, ...]:
        """Agreement on each document as if it were the only one."""
        rows = {row.document: row for group in self.groups for row in group.by_document}
        return tuple(rows[document] for document in self.documents)

    def subsets(self, rng: Seed = None) -> AgreementSubsets:
        """Return coders and documents that agree better, with values that did not choose them.

        >>> from caesura import load_stargazers
        >>> from caesura.analyses.coder_agreement import agreement
        >>> subsets = agreement(load_stargazers(), n_resamples=0).subsets()
        >>> [(subset.left_out, round(subset.value, 2)) for subset in subsets.by_coder[:3]]
        [((), 0.46), (('4',), 0.51), (('2',), 0.55)]
        """
        return subsets_of(self.in_memory, self.seed if rng is None else rng)

    @property
    def krippendorff_alpha(self) -> float:
        """Strict Krippendorff's α over all documents: coders need not have coded the same ones."""
        return self.strict.krippendorff_alpha

    @property
    def signature(self) -> str:
        """Metric, coefficient, expectation, resampling and version: the signature of the numbers."""
        interval = ""
        if self.n_resamples:
            bootstrap = "poisson" if self.is_streamed else "bootstrap"
            resampled = f"{self.n_resamples}{seed_part(self.seed)}"
            interval = f"|interval={bootstrap},{self.confidence:g},{resampled}"
        made = settings_of(self.metric, self.coefficient, self.chance)
        return f"{made}|pairs={self.n_pairs}{interval}|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        in_memory = ("documents", "influence", "single_documents", "groups")
        return super().numbers() | plain_fields(self, ("left_out",) if self.is_streamed else in_memory)

    def __repr__(self) -> str:
        several = len(self.shared_groups)
        groups = f", {several:,} groups" if several > 1 else ""
        return f"<Agreement: {super().__repr__()[1:-1]}{groups}>"


# -------------------------------------------------------------------- segmenters that join the coders


MAX_SHOWN = 6
"""How many drops a repr shows."""


class Drop(NamedTuple):
    """The coefficient of a group of coders without and with one segmenter."""

    segmenter: str
    coders: tuple[str, ...]
    documents: tuple[str, ...]
    without: float
    joined: float
    interval: Interval | None = None
    """Bootstrap interval of the drop over documents; None of a group, and where there is none."""
    p_value: float = math.nan
    """p of the hypothesis that the segmenter is like one more coder: that the drop is 0."""

    @property
    def drop(self) -> float:
        """How much lower the coefficient is with the segmenter; negative: it is higher."""
        return self.without - self.joined

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**plain_data(self._asdict()), "drop": self.drop}


@dataclass(frozen=True, eq=False, repr=False)
class AgreementDrop(Result):
    """The drops of all segmenters; the smaller a drop, the more a segmenter is like one more coder."""

    NUMBERS = ("signature", "whole", "drops")

    metric: Metric
    coefficient: Coefficient
    chance: Chance
    drops: tuple[Drop, ...]
    """By segmenter and group of coders."""
    whole: tuple[Drop, ...]
    """By segmenter, over all documents that it and at least two coders have, whoever these are."""
    n_resamples: int
    """Resamples of the intervals, and exchanges for p; 0: neither."""
    confidence: float
    seed: int | None

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        seed, tested = seed_part(self.seed), ""
        if any(drop.interval is not None for drop in self.whole):
            tested = f"|interval=bootstrap,{self.confidence:g},{self.n_resamples}{seed}|p=exchange{seed}"
        return f"{settings_of(self.metric, self.coefficient, self.chance)}{tested}|caesura {__version__}"

    def __repr__(self) -> str:
        shown = ", ".join(f"{drop.segmenter} {drop.drop:.4f}" for drop in self.whole[:MAX_SHOWN])
        return f"<AgreementDrop: {shown}{', ...' if len(self.whole) > MAX_SHOWN else ''}>"

"""compare_agreement(): whether the coders of one corpus agree better than those of another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from caesura.analyses.coder_agreement.analysis import agreement
from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient, label, settings_of
from caesura.analyses.coder_agreement.results import Agreement
from caesura.analyses.coder_agreement.versions import Versions
from caesura.checks import (
    CONFIDENCE,
    TEST_RESAMPLES,
    Seed,
    as_generator,
    check_resamples,
    check_share,
    known_seed,
)
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.base import Metric
from caesura.results.as_json import plain_fields
from caesura.results.notes import seed_part
from caesura.results.result import Result
from caesura.stats.outcome import Interval
from caesura.stats.resampling import Progress
from caesura.values.corpus import Corpus
from caesura.version import __version__

SIDES = ("first", "second")

OF_A_SIDE = (
    *("value", "observed", "expected", "n_coders", "n_documents", "n_pairs", "n_boundaries"),
    "single_documents",
)
"""The numbers of each of the two."""


@dataclass(frozen=True, eq=False, repr=False)
class AgreementDifference(Result):
    """The difference of two agreements: the first's value minus the second's."""

    NUMBERS = (
        *("coefficient", "signature", "difference", "interval", "p_value", "n_shared", "n_exchanges"),
        "is_exact",
    )

    first: Agreement
    second: Agreement
    names: tuple[str, str]
    """What the two are called."""
    interval: Interval | None
    """Of the difference, by a bootstrap of documents; None where there is none."""
    p_value: float
    """Two-sided p of the hypothesis that both agree equally well; NaN where there is none."""
    n_shared: int
    """Documents with at least two codings in both."""
    n_exchanges: int
    """How many exchanges p comes from."""
    is_exact: bool
    """Whether these are all there are."""
    n_resamples: int
    confidence: float
    seed: int | None
    reason: str | None
    """Why there is no difference, interval or p."""

    @property
    def difference(self) -> float:
        """The first's coefficient minus the second's."""
        return self.first.value - self.second.value

    @property
    def coefficient(self) -> str:
        """The coefficient's name, such as π*_B."""
        return label(self.first.metric, self.first.coefficient)

    @property
    def least_p(self) -> float:
        """The smallest p that so few documents allow; the opposite of an exchange is as extreme."""
        if not self.n_exchanges:
            return math.nan
        is_paired = self.n_shared == self.first.totals.n_documents == self.second.totals.n_documents
        return (2 if is_paired else 1) / self.n_exchanges if self.is_exact else 1 / (self.n_exchanges + 1)

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        first, seed = self.first, seed_part(self.seed)
        made = [settings_of(first.metric, first.coefficient, first.chance)]
        if self.n_exchanges:
            made.append(f"p=exchange,{self.n_exchanges}{'' if self.is_exact else seed}")
        if self.interval is not None:
            made.append(f"interval=bootstrap,{self.confidence:g},{self.n_resamples}{seed}")
        return "|".join([*made, f"caesura {__version__}"])

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        sides = zip(SIDES, self.names, (self.first, self.second), strict=True)
        return {
            **super().numbers(),
            **{side: {"name": name, **plain_fields(result, OF_A_SIDE)} for side, name, result in sides},
            "reason": self.reason,
        }

    def __repr__(self) -> str:
        return f"<AgreementDifference: {self.coefficient} {self.difference:+.4f}, p {self.p_value:.4f}>"


def compare_agreement(
    first: Corpus | Agreement,
    second: Corpus | Agreement,
    *,
    metric: Metric | str | None = None,
    coefficient: Coefficient | None = None,
    n_t: int | str | None = None,
    chance: Chance | None = None,
    names: tuple[str, str] = SIDES,
    n_resamples: int = TEST_RESAMPLES,
    confidence: float = CONFIDENCE,
    rng: Seed = None,
    progress: Progress | None = None,
) -> AgreementDifference:
    """Return how much better the coders of the first corpus agree than those of the second.

    Two versions of guidelines, two teams, two rounds of training: documents that both have are compared with
    themselves, which is surer than with others.

    Parameters
    ----------
    first, second
        Two corpora, or what ``agreement`` has found of them.
    metric, coefficient, n_t, chance
        As in ``agreement``; None: as the given agreements have it, else B, "pi" and "boundaries".
    names
        What the two are called in tables and sentences.
    n_resamples, confidence, rng
        Resamples of documents for the interval, and exchanges for p; 0: neither. An int as ``rng`` makes them
        reproducible. Where there are no more exchanges than this, p comes from all of them.
    progress
        Called with the steps done and the steps in all.

    Notes
    -----
    The difference is that of the values of ``agreement``. Its interval resamples documents: those that both
    corpora have (by name, with at least two codings in each) as wholes, those of one corpus among themselves.
    p is the share of exchanges with at least as great a difference: the two versions of a shared document are
    exchanged, the other documents are dealt out anew. How great a difference is, is measured by Student's t
    with the standard error and degrees of freedom of each exchange (delta method, corrected for documents
    that decide much of a value), so that p holds its level also where one corpus has more coders, boundaries
    or documents (Janssen 1997; Chung & Romano 2013; Cohen & Fogarty 2022). The interval is expanded by the
    same.

    Examples
    --------
    >>> from caesura import simulate
    >>> options = {"n_units": 60, "mean_segment": 6, "near_miss": 0.1, "reference": False}
    >>> before = simulate(12, 3, full_miss=0.4, rng=1, **options)
    >>> after = simulate(12, 3, full_miss=0.1, rng=2, **options)
    >>> result = compare_agreement(after, before, rng=0)
    >>> round(result.difference, 2), result.p_value < 0.01, result.n_shared
    (0.43, True, 12)
    """
    n_resamples = check_resamples("n_resamples", n_resamples)
    confidence = check_share("confidence", confidence)
    generator = as_generator(rng)
    agreements = _both(first, second, names, metric, coefficient, n_t, chance)
    versions = Versions.of(agreements[0].in_memory, agreements[1].in_memory)
    reason = _undefined(agreements, names)
    interval, p_value, n_exchanges, is_exact = None, math.nan, 0, False
    if reason is None and n_resamples:
        difference = agreements[0].value - agreements[1].value
        interval = versions.interval(difference, n_resamples, confidence, generator, progress)
        exchanged = versions.as_extreme(n_resamples, generator, progress)
        _, n_exchanges, is_exact = exchanged
        p_value = exchanged.p_value
    return AgreementDifference(
        *(*agreements, names, interval, p_value, versions.n_shared, n_exchanges, is_exact),
        *(n_resamples, confidence, known_seed(rng), reason),
    )


def _both(
    first: Corpus | Agreement,
    second: Corpus | Agreement,
    names: tuple[str, str],
    metric: Metric | str | None,
    coefficient: Coefficient | None,
    n_t: int | str | None,
    chance: Chance | None,
) -> tuple[Agreement, Agreement]:
    """Return the agreements; what was measured already is taken if it was measured as asked."""
    known = next((given for given in (first, second) if isinstance(given, Agreement)), None)
    if known is not None:
        metric, coefficient = metric or known.metric, coefficient or known.coefficient
        chance = chance or known.chance

    def measure(given: Corpus | Agreement, name: str) -> Agreement:
        corpus = given.in_memory.table.corpus if isinstance(given, Agreement) else given
        if not isinstance(corpus, Corpus):
            raise ParameterError(
                f"expected a corpus or an agreement, got {type(corpus).__name__}; cs.read(path) reads one"
            )
        try:
            return agreement(
                corpus,
                metric="B" if metric is None else metric,
                coefficient=coefficient or "pi",
                n_t=n_t,
                chance=chance or "boundaries",
                n_resamples=0,
            )
        except CorpusError as error:
            raise CorpusError(f"{name}: {error}") from None

    both = measure(first, names[0]), measure(second, names[1])
    if both[0].metric != both[1].metric:
        raise ParameterError(
            f"the two are not measured alike: {both[0].metric} and {both[1].metric}; they must declare the "
            "same types and stand on the same grid"
        )
    return both


def _undefined(agreements: Sequence[Agreement], names: Sequence[str]) -> str | None:
    named = [*zip(names, agreements, strict=True)]
    reasons = [f"{name}: {result.reason}" for name, result in named if result.reason is not None]
    single = [
        f"{name} has one document with two codings: others cannot be told from it"
        for name, result in named
        if result.n_documents < 2
    ]
    return next(iter((*reasons, *single)), None)

"""compare_agreement(): whether the coders of one corpus agree better than those of another."""

from __future__ import annotations

import math

import numpy as np

from caesura.analyses.agreement_difference.results import AgreementDifference
from caesura.analyses.agreement_difference.versions import Spread, Versions
from caesura.analyses.coder_agreement.analysis import agreement
from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient
from caesura.analyses.coder_agreement.results import Agreement
from caesura.checks import (
    CONFIDENCE,
    TEST_RESAMPLES,
    Seed,
    as_generator,
    check_resamples,
    check_share,
)
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.base import Metric
from caesura.stats.outcome import Interval
from caesura.stats.resampling import Progress, interval_of
from caesura.values.corpus import Corpus


def compare_agreement(
    first: Corpus | Agreement,
    second: Corpus | Agreement,
    *,
    metric: Metric | str | None = None,
    coefficient: Coefficient | None = None,
    n_t: int | str | None = None,
    chance: Chance | None = None,
    names: tuple[str, str] = ("first", "second"),
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
    >>> found = compare_agreement(after, before, rng=0)
    >>> round(found.difference, 2), found.p_value < 0.01, found.n_shared
    (0.43, True, 12)
    """
    n_resamples = check_resamples("n_resamples", n_resamples)
    confidence = check_share("confidence", confidence)
    generator = as_generator(rng)
    seed = None if rng is None or isinstance(rng, np.random.Generator) else int(rng)
    one, other = _both(first, second, names, metric, coefficient, n_t, chance)
    versions = Versions.of(one.in_memory, other.in_memory)
    reason = _undefined(one, other, names)
    interval, p_value, n_exchanges, is_exact = None, math.nan, 0, False
    if reason is None and n_resamples:
        difference = one.value - other.value
        interval = _interval(versions, difference, n_resamples, confidence, generator, progress)
        count, n_exchanges, is_exact = versions.as_extreme(n_resamples, generator, progress)
        p_value = count / n_exchanges if is_exact else (count + 1) / (n_exchanges + 1)
    return AgreementDifference(
        *(one, other, names, interval, p_value, versions.n_shared, n_exchanges, is_exact),
        *(n_resamples, confidence, seed, reason),
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
    known = next((one for one in (first, second) if isinstance(one, Agreement)), None)
    if known is not None:
        metric, coefficient = metric or known.metric, coefficient or known.coefficient
        chance = chance or known.chance

    def measured(one: Corpus | Agreement, name: str) -> Agreement:
        corpus = one.in_memory.table.corpus if isinstance(one, Agreement) else one
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

    one, other = measured(first, names[0]), measured(second, names[1])
    if one.metric != other.metric:
        raise ParameterError(
            f"the two are not measured alike: {one.metric} and {other.metric}; they must declare the same "
            "types and stand on the same grid"
        )
    return one, other


def _undefined(first: Agreement, second: Agreement, names: tuple[str, str]) -> str | None:
    for name, found in zip(names, (first, second), strict=True):
        if found.reason is not None:
            return f"{name}: {found.reason}"
    for name, found in zip(names, (first, second), strict=True):
        if found.totals.n_documents < 2:
            return f"{name} has one document with two codings: others cannot be told from it"
    return None


def _interval(
    versions: Versions,
    difference: float,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Interval | None:
    values = versions.resampled(n_resamples, rng, progress)
    known = values[~np.isnan(values)]
    spread = versions.spread()
    if not len(known) or not spread.resampled or math.isnan(spread.df):
        return None
    return interval_of(difference, known, _levels(confidence, spread))


def _levels(confidence: float, spread: Spread) -> tuple[float, float]:
    """Return the levels of the expanded percentile interval (Hesterberg 2015) for documents of kinds."""
    from scipy import special

    reach = spread.error / spread.resampled * -float(special.stdtrit(spread.df, (1 - confidence) / 2))
    low = float(special.ndtr(-reach))
    return low, 1 - low

"""agreement(): how far coders agree beyond chance, over all documents and in each group of coders."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, overload

import numpy as np

from caesura.analyses.coder_agreement.coefficients import (
    Chance,
    Coefficient,
    Ratios,
    check_names,
    check_types,
    finish,
    group_sums,
    kappa_variance,
    pi_variance,
    undefined_chance,
    undefined_group,
    z_test,
)
from caesura.analyses.coder_agreement.intervals import bootstrap, pooled_bootstrap
from caesura.analyses.coder_agreement.observed import Totals, check_similarity, count_pairs
from caesura.analyses.coder_agreement.results import (
    Agreement,
    GroupAgreement,
    Measured,
    Measurement,
    Request,
    StreamedAgreement,
    StreamMeasurement,
)
from caesura.analyses.coder_agreement.streams import AgreementQuestion, PooledSums
from caesura.checks import Seed, as_generator, check_resamples, check_share
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.base import Metric
from caesura.metrics.declared import metric_for
from caesura.stats.outcome import Interval
from caesura.sums.named import seed_of
from caesura.sums.streams import CodingStream, Run, Watch
from caesura.values.corpus import Corpus

NO_PAIR = "no document has two coders: there is no agreement to measure"


@overload
def agreement(
    corpus: Corpus,
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "pi",
    n_t: int | str | None = None,
    chance: Chance = "boundaries",
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: Seed = None,
) -> Agreement: ...


@overload
def agreement(
    corpus: CodingStream,
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "pi",
    n_t: int | str | None = None,
    chance: Chance = "boundaries",
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: Seed = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> StreamedAgreement: ...


def agreement(
    corpus: Corpus | CodingStream,
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "pi",
    n_t: int | str | None = None,
    chance: Chance = "boundaries",
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: Seed = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> Agreement | StreamedAgreement:
    """Return how far coders agree beyond chance, over the whole corpus and in each group of coders.

    Parameters
    ----------
    corpus
        Documents with the codings of at least two coders, not all of whom need to have coded everything.
        Coders who coded the same documents form a group, which has its own numbers in ``groups``. Or a scan
        (``caesura.scan``), which is read once and never held in memory: the numbers of the whole are those of
        the same data in memory, to the last bit; groups, single documents and the influence of coders, which
        are no sums over documents, are not listed.
    metric
        The similarity behind observed agreement: B, Ba, Bc, S, or any other from 0 to 1. A metric that treats
        its two sides differently compares each two coders both ways.
    coefficient
        ``"pi"``: π*, one rate of boundaries for all coders (Fleiss 1971; for two coders Scott 1955): is the
        coding scheme reliable? ``"kappa"``: κ*, a rate for each coder (Davies & Fleiss 1982; Cohen 1960).
    n_t
        Near misses span fewer than this many positions; None: as the metric has it (2 by default). On a grid
        in time it may be a duration, such as "3s".
    chance
        ``"boundaries"``, the definition; or ``"published"``, which reproduces the numbers of Fournier (2013):
        it counts segments instead of boundaries and, for π*, averages their ratio per pair and document.
    n_resamples, confidence, rng
        Bootstrap over documents (over positions where there is one document) for the interval; 0: none. An
        int as ``rng`` makes it reproducible. A scan has a Poisson bootstrap over documents: the weight of
        each is drawn from its name.
    engine, resume, progress
        Of a scan: who reads and counts it, a folder that keeps what was counted, and what is called with how
        far it has been read; as in ``evaluate``.

    Notes
    -----
    coefficient = (A_o - A_e) / (1 - A_e), with A_o = Σ numerators / Σ denominators of the metric over coder
    pairs and documents, and A_e the mean over types of P(t)² (π*) or of the mean over coder pairs of
    P(t|c)·P(t|c′) (κ*), P being boundaries per potential boundary. z and the two-sided p test the hypothesis
    that the coefficient is 0 (F13t, eq. 4.59 to 4.63); they take positions as many and independent.

    Where codings are missing, every two codings of one document are compared; P(t) is over all codings of
    documents with at least two, P(t|c) over what c has coded of these, and pairs of coders who share any
    weigh as much as their shared potential boundaries. Documents with one coding are left out; they are
    listed in ``single_documents``. Where all coders coded the same documents, it is the same number.

    References
    ----------
    F13t: Fournier (2013), Evaluating text segmentation, thesis, University of Ottawa, §4.2. Artstein & Poesio
    (2008), Inter-coder agreement for computational linguistics, Computational Linguistics 34.

    Examples
    --------
    >>> from caesura import load_stargazers
    >>> result = agreement(load_stargazers(), rng=0)
    >>> round(result.pi, 4), round(result.kappa, 4), round(result.bias, 4)
    (0.4644, 0.4653, 0.0014)

    Cy has not coded the second document; the value is that of all four pairs of codings:

    >>> corpus = Corpus.from_dict(
    ...     {"d1": {"ann": [2, 3, 6], "bob": [2, 2, 7], "cy": [5, 6]}, "d2": {"ann": [4, 4], "bob": [4, 4]}}
    ... )
    >>> found = agreement(corpus, n_resamples=0)
    >>> round(found.observed, 4), round(found.value, 4), [round(group.value, 4) for group in found.groups]
    (0.5714, 0.5603, [0.4857, 1.0])
    >>> round(agreement(load_stargazers(), chance="published", n_resamples=0).pi, 4)
    0.4405
    """
    check_names(coefficient, chance)
    if not isinstance(corpus, Corpus):
        if chance != "boundaries":
            raise ParameterError(f"chance is {chance!r}, which is for corpora: read the data into memory")
        (found,) = agreements(
            corpus,
            [metric],
            coefficient=coefficient,
            n_t=n_t,
            n_resamples=n_resamples,
            confidence=confidence,
            rng=rng,
            engine=engine,
            resume=resume,
            progress=progress,
        )
        return found
    n_resamples = check_resamples("n_resamples", n_resamples)
    confidence = check_share("confidence", confidence)
    generator = as_generator(rng) if n_resamples or rng is not None else None
    seed = None if rng is None or isinstance(rng, np.random.Generator) else int(rng)
    if engine is not None or resume is not None:
        raise ParameterError("engine and resume are for scans; a corpus is in memory already")
    chosen = metric_for(corpus.type_scheme, metric, n_t, step=corpus.step)
    check_similarity(chosen)
    table = count_pairs(corpus.coded, chosen)
    if not len(table.pairs):
        raise CorpusError(NO_PAIR)
    check_types(table.groups, chance)
    measurement = Measurement(table, coefficient, chance, n_resamples, confidence, seed)
    groups = tuple(
        GroupAgreement(measurement, _measure_group(measurement, group, generator))
        for group in range(len(table.groups))
    )
    several = [group.measured for group in groups if group.totals.n_coders > 1]
    whole = several[0] if len(several) == 1 else _measure_all(measurement, generator)
    return Agreement(measurement, whole, groups)


def _measure_group(asked: Measurement, group: int, generator: np.random.Generator | None) -> Measured:
    ratios = group_sums(asked.table, group, asked.chance).ratios()
    measured = _measure(asked, asked.table.totals[group], ratios, group)
    return _with_interval(asked, measured, generator, partial(bootstrap, asked.table, group))


def _measure_all(asked: Measurement, generator: np.random.Generator | None) -> Measured:
    measured = _measure(asked, asked.pool.totals, asked.pool.ratios(asked.chance), None)
    return _with_interval(asked, measured, generator, partial(pooled_bootstrap, asked.pool))


def agreements(
    stream: CodingStream,
    metrics: Sequence[Metric | str],
    *,
    coefficient: Coefficient = "pi",
    n_t: int | str | None = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: Seed = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> list[StreamedAgreement]:
    """Return the agreement of a scan by each of several metrics, for which it is read once.

    The numbers are those of ``agreement``, which has the other parameters as well, to the last bit.
    """
    check_names(coefficient, "boundaries")
    n_resamples = check_resamples("n_resamples", n_resamples)
    confidence = check_share("confidence", confidence)
    if isinstance(metrics, (str, Metric)) or not len(metrics):
        raise ParameterError(f"metrics is {metrics!r}: give a list of at least one")
    as_generator(rng)  # refuses what is no seed
    chosen = tuple(metric_for(stream.type_scheme, metric, n_t) for metric in metrics)
    for metric in chosen:
        check_similarity(metric)
    question = AgreementQuestion(chosen, coefficient, n_resamples, seed_of(rng) if n_resamples else 0)
    run = Run(engine, None, None, progress, None if resume is None else Path(fspath(resume)))
    found = stream.corpus_sums(question, run)
    scheme = stream.type_scheme
    seed = None if rng is None or isinstance(rng, np.random.Generator) else int(rng)
    return [
        _measure_stream(StreamMeasurement(sums, n_resamples, confidence, seed, found.left_out))
        for sums in PooledSums.of(question, None if scheme is None else len(scheme.types), found.sums)
    ]


def _measure_stream(asked: StreamMeasurement) -> StreamedAgreement:
    sums = asked.sums
    if not sums.total("documents"):
        raise CorpusError(NO_PAIR)
    measured = _measure(asked, sums.totals, sums.ratios, None)
    if measured.reason is None:
        value = measured.pi if asked.coefficient == "pi" else measured.kappa
        measured = measured._replace(interval=sums.interval(value, asked.confidence))
    return StreamedAgreement(asked, measured)


def _measure(asked: Request, totals: Totals, ratios: Ratios, group: int | None) -> Measured:
    observed = expected_pi = expected_kappa = pi = kappa = z = p_value = math.nan
    reason = undefined_group(totals)
    if reason is None:
        observed = ratios.observed.value
        expected_pi, expected_kappa = ratios.expected_pi.value, ratios.expected_kappa.value
        pi = finish(ratios.observed, ratios.expected_pi)
        kappa = finish(ratios.observed, ratios.expected_kappa)
        reason = undefined_chance(ratios.expected(asked.coefficient))
    if reason is None:
        if asked.coefficient == "pi":
            z, p_value = z_test(pi, pi_variance(totals))
        else:
            z, p_value = z_test(kappa, kappa_variance(expected_kappa, totals.positions))
    return Measured(
        group, totals, ratios, observed, expected_pi, expected_kappa, pi, kappa, z, p_value, None, reason
    )


def _with_interval(
    asked: Measurement,
    measured: Measured,
    generator: np.random.Generator | None,
    resample: Callable[..., Interval | None],
) -> Measured:
    if measured.reason is not None or generator is None or not asked.n_resamples:
        return measured
    value = measured.pi if asked.coefficient == "pi" else measured.kappa
    interval = resample(
        asked.coefficient, asked.chance, value, asked.n_resamples, asked.confidence, generator
    )
    return measured._replace(interval=interval)

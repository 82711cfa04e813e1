"""agreement(): how far coders agree beyond chance, for each group of coders who coded the same documents."""

from __future__ import annotations

import math

import numpy as np

from caesura.analyses.coder_agreement.coefficients import (
    Chance,
    Coefficient,
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
from caesura.analyses.coder_agreement.intervals import bootstrap
from caesura.analyses.coder_agreement.observed import check_similarity, count_pairs
from caesura.analyses.coder_agreement.results import Agreement, GroupAgreement, Measured, Measurement
from caesura.checks import Seed, as_generator, check_resamples, check_share
from caesura.errors import CorpusError
from caesura.metrics.base import Metric
from caesura.metrics.declared import metric_for
from caesura.values.corpus import Corpus


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
) -> Agreement:
    """Return how far coders agree beyond chance, for each group of coders who coded the same documents.

    Parameters
    ----------
    corpus
        Documents with the codings of at least two coders. Groups are found, not demanded.
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
        int as ``rng`` makes it reproducible.

    Notes
    -----
    coefficient = (A_o - A_e) / (1 - A_e), with A_o = Σ numerators / Σ denominators of the metric over coder
    pairs and documents, and A_e the mean over types of P(t)² (π*) or of the mean over coder pairs of
    P(t|c)·P(t|c′) (κ*), P being boundaries per potential boundary. z and the two-sided p test the hypothesis
    that the coefficient is 0 (F13t, eq. 4.59 to 4.63); they take positions as many and independent.

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
    >>> round(agreement(load_stargazers(), chance="published", n_resamples=0).pi, 4)
    0.4405
    """
    check_names(coefficient, chance)
    n_resamples = check_resamples("n_resamples", n_resamples)
    confidence = check_share("confidence", confidence)
    generator = as_generator(rng) if n_resamples or rng is not None else None
    chosen = metric_for(corpus.type_scheme, metric, n_t, step=corpus.step)
    check_similarity(chosen)
    table = count_pairs(corpus.coded, chosen)
    if not len(table.pairs):
        raise CorpusError("no document has two coders: there is no agreement to measure")
    check_types(table.groups, chance)
    seed = None if rng is None or isinstance(rng, np.random.Generator) else int(rng)
    measurement = Measurement(table, coefficient, chance, n_resamples, confidence, seed)
    found = (_measure(measurement, group, generator) for group in range(len(table.groups)))
    return Agreement(measurement, tuple(GroupAgreement(measurement, measured) for measured in found))


def _measure(asked: Measurement, group: int, generator: np.random.Generator | None) -> Measured:
    table, name = asked.table, asked.coefficient
    totals, sums = table.totals[group], group_sums(table, group, asked.chance)
    observed = expected_pi = expected_kappa = pi = kappa = z = p_value = math.nan
    interval = None
    reason = undefined_group(totals)
    if reason is None:
        by_pi, by_kappa = sums.expected("pi"), sums.expected("kappa")
        observed, expected_pi, expected_kappa = sums.observed.value, by_pi.value, by_kappa.value
        pi, kappa = finish(sums.observed, by_pi), finish(sums.observed, by_kappa)
        reason = undefined_chance(by_pi if name == "pi" else by_kappa)
    if reason is None:
        value = pi if name == "pi" else kappa
        variance = pi_variance(totals) if name == "pi" else kappa_variance(expected_kappa, totals.positions)
        z, p_value = z_test(value, variance)
        if asked.n_resamples and generator is not None:
            interval = bootstrap(
                table, group, name, asked.chance, value, asked.n_resamples, asked.confidence, generator
            )
    return Measured(
        group, totals, sums, observed, expected_pi, expected_kappa, pi, kappa, z, p_value, interval, reason
    )

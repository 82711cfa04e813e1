"""agreement(): how far coders agree beyond chance, for each group of coders who coded the same documents."""

from __future__ import annotations

import math

import numpy as np

from caesura.analyses.coder_agreement.coefficients import (
    CHANCES,
    COEFFICIENTS,
    Chance,
    Coefficient,
    check_chance,
    exact_sums,
    finish,
    kappa_variance,
    pi_variance,
    undefined_chance,
    undefined_group,
    z_test,
)
from caesura.analyses.coder_agreement.intervals import bootstrap
from caesura.analyses.coder_agreement.observed import PairCounts, check_similarity, count_pairs
from caesura.analyses.coder_agreement.results import Agreement, GroupAgreement
from caesura.errors import CorpusError, ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric
from caesura.metrics.declared import metric_for
from caesura.values.corpus import Corpus


def agreement(
    corpus: Corpus,
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "pi",
    n_t: int | None = None,
    chance: Chance = "boundaries",
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: int | np.random.Generator | None = None,
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
        Near misses span fewer than this many positions; None: as the metric has it (2 by default).
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
    _check_parameters(coefficient, chance, n_resamples, confidence)
    chosen = metric_for(corpus.type_scheme, metric, n_t)
    check_similarity(chosen)
    groups = corpus.find_groups()
    if all(len(group.coders) < 2 for group in groups):
        raise CorpusError("no document has two coders: there is no agreement to measure")
    generator = np.random.default_rng(rng) if n_resamples else None
    results = []
    for group in groups:
        counts = count_pairs(corpus, chosen, group)
        check_chance(counts, chance)
        results.append(_measure(counts, coefficient, chance, n_resamples, confidence, generator))
    seed = rng if isinstance(rng, int) else None
    return Agreement(chosen, coefficient, chance, n_resamples, confidence, tuple(results), seed)


def _check_parameters(name: str, chance: str, n_resamples: int, confidence: float) -> None:
    for parameter, value, choices in (("coefficient", name, COEFFICIENTS), ("chance", chance, CHANCES)):
        if value not in choices:
            raise UnknownNameError(f"{parameter} is {value!r}; {did_you_mean(str(value), choices)}")
    if n_resamples < 0:
        raise ParameterError(f"n_resamples is {n_resamples!r}: expected 0 (no interval) or more")
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence is {confidence!r}: expected more than 0 and less than 1")


def _measure(
    counts: PairCounts,
    name: Coefficient,
    chance: Chance,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator | None,
) -> GroupAgreement:
    observed = expected_pi = expected_kappa = pi = kappa = z = p_value = math.nan
    interval = None
    reason = undefined_group(counts)
    if reason is None:
        sums = exact_sums(counts, chance)
        by_pi, by_kappa = sums.expected("pi"), sums.expected("kappa")
        observed, expected_pi, expected_kappa = map(float, (sums.observed.value, by_pi.value, by_kappa.value))
        pi, kappa = finish(sums.observed, by_pi), finish(sums.observed, by_kappa)
        reason = undefined_chance(by_pi if name == "pi" else by_kappa)
    if reason is None:
        if name == "pi":
            z, p_value = z_test(pi, pi_variance(counts))
        else:
            z, p_value = z_test(kappa, kappa_variance(expected_kappa, counts.n_positions))
        if rng is not None:
            interval = bootstrap(counts, name, chance, n_resamples, confidence, rng)
    return GroupAgreement(
        counts=counts,
        coefficient=name,
        chance=chance,
        n_resamples=n_resamples,
        observed=observed,
        expected_pi=expected_pi,
        expected_kappa=expected_kappa,
        pi=pi,
        kappa=kappa,
        z=z,
        p_value=p_value,
        interval=interval,
        reason=reason,
    )

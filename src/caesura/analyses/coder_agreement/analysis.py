"""agreement(): how far coders agree beyond chance, over all documents and in each group of coders.

agreement_drop(): how that falls when an automatic segmenter joins them (F13t §4.3).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from caesura.analyses.coder_agreement.baseline import quick_rounds
from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient, check_names
from caesura.analyses.coder_agreement.finish import AgreementFinisher
from caesura.analyses.coder_agreement.question import (
    AgreementQuestion,
    Contributions,
    PairTable,
    check_similarity,
    count_pairs,
)
from caesura.analyses.coder_agreement.results import Agreement, AgreementDrop, Drop, GroupAgreement
from caesura.analyses.coder_agreement.strata import Stratum, strata_of
from caesura.analyses.coder_agreement.versions import Versions
from caesura.checks import (
    AGREEMENT_RESAMPLES,
    CONFIDENCE,
    Seed,
    as_generator,
    check_resamples,
    check_share,
    known_seed,
)
from caesura.errors import CorpusError, ParameterError, unknown
from caesura.metrics.as_in import Segeval
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric_for
from caesura.stats.outcome import Interval
from caesura.sums.named import seed_of
from caesura.sums.streams import CodingStream, Run, Watch
from caesura.values.corpus import Corpus

NO_PAIR = "no document has two coders: there is no agreement to measure"


def agreement(
    corpus: Corpus | CodingStream,
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "pi",
    n_t: int | str | None = None,
    chance: Chance = "boundaries",
    n_resamples: int = AGREEMENT_RESAMPLES,
    confidence: float = CONFIDENCE,
    rng: Seed = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> Agreement:
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
        it counts segments instead of boundaries and, for π*, averages their ratio per pair and document; or
        ``"segeval"``, which averages the ratio of boundaries. ``B(as_in='segeval')`` has the last.
    n_resamples, confidence, rng
        Bootstrap over documents (over positions where there is one document) for the interval; 0: none. An
        int as ``rng`` makes it reproducible. A scan has a Poisson bootstrap over documents: the weight of
        each is drawn from its name. With resamples, ``random`` says what random coders would get, unless that
        takes long; not of a scan.
    engine, resume, progress
        Of a scan: who reads and counts it, a folder that keeps what was counted, and what is called with how
        far it has been read; as in ``evaluate``.

    Notes
    -----
    coefficient = (A_o - A_e) / (1 - A_e), with A_o = Σ numerators / Σ denominators of the metric over coder
    pairs and documents, and A_e the mean over types of P(t)² (π*) or of the mean over coder pairs of
    P(t|c)·P(t|c′) (κ*), P being boundaries per potential boundary. F13t (eq. 4.44 to 4.56) prints a sum over
    types, which may exceed 1 where types share positions; for one type both are the same. z and the two-sided
    p test the hypothesis that the coefficient is 0 (F13t, eq. 4.59 to 4.63); they take positions as many and
    independent.

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
    >>> pooled = agreement(corpus, n_resamples=0)
    >>> round(pooled.observed, 4), round(pooled.value, 4), [round(group.value, 4) for group in pooled.groups]
    (0.5714, 0.5603, [0.4857, 1.0])
    >>> round(agreement(load_stargazers(), chance="published", n_resamples=0).pi, 4)
    0.4405
    """
    check_names(coefficient, chance)
    if not isinstance(corpus, Corpus):
        if chance != "boundaries":
            raise ParameterError(f"chance is {chance!r}, which is for corpora: read the data into memory")
        return agreements(
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
        )[0]
    n_resamples = check_resamples("n_resamples", n_resamples)
    confidence = check_share("confidence", confidence)
    generator = as_generator(rng) if n_resamples or rng is not None else None
    if engine is not None or resume is not None:
        raise ParameterError("engine and resume are for scans; a corpus is in memory already")
    chosen = metric_for(corpus.type_scheme, metric, n_t, step=corpus.step)
    check_similarity(chosen)
    chance = _chance_of(chosen, corpus.coded, chance)
    table = count_pairs(corpus.coded, chosen)
    if not len(table.pairs):
        raise CorpusError(NO_PAIR)
    of_all, strata = strata_of(table, AgreementQuestion((chosen,), coefficient, chance=chance))
    settings = {"n_resamples": n_resamples, "confidence": confidence, "seed": known_seed(rng)}

    def interval(stratum: Stratum) -> Interval | None:
        return None if generator is None else stratum.interval(n_resamples, confidence, generator)

    groups = tuple(
        GroupAgreement.of(
            stratum.finisher, **settings, interval=interval(stratum), stratum=stratum, group=number
        )
        for number, stratum in enumerate(strata)
    )
    # The whole is a stratum like the others; where one group shares documents, it is that group.
    shared = [group for group in groups if group.totals.n_coders > 1]
    if len(shared) == 1:
        of_all = shared[0].in_memory
    result = Agreement.of(
        of_all.finisher,
        **settings,
        interval=shared[0].interval if len(shared) == 1 else interval(of_all),
        stratum=of_all,
        groups=groups,
        n_single_documents=int((table.corpus.n_coders == 1).sum()),
    )
    rounds = quick_rounds(corpus) if n_resamples else 0
    # A generator's stream stays as the intervals left it.
    own = rng.spawn(1)[0] if isinstance(rng, np.random.Generator) else rng
    return result.with_random(rounds, own) if rounds else result


def _chance_of(metric: Metric, corpus: Corpus, chance: Chance) -> Chance:
    """Return how expected agreement is calculated; for segeval as there, or refuse as it does."""
    if not isinstance(metric, Segeval):
        return chance
    if chance == "published":
        raise ParameterError(f"{metric} fixes every other parameter: leave out chance")
    if lacking := np.flatnonzero(corpus.n_coders < len(corpus.coders)).tolist():
        raise ParameterError(
            f"{metric}: {metric.release} raises an Exception where codings are missing, as in document "
            f"{corpus.documents[lacking[0]]}; choose coders who have coded all documents, or "
            f"{metric.ours} with chance='segeval'"
        )
    return "segeval"


def agreements(
    stream: CodingStream,
    metrics: Sequence[Metric | str],
    *,
    coefficient: Coefficient = "pi",
    n_t: int | str | None = None,
    n_resamples: int = AGREEMENT_RESAMPLES,
    confidence: float = CONFIDENCE,
    rng: Seed = None,
    engine: Any = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> list[Agreement]:
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
        if isinstance(metric, Segeval):
            raise ParameterError(f"{metric} in agreement() is for corpora: read the data into memory")
    question = AgreementQuestion(chosen, coefficient, n_resamples, seed_of(rng) if n_resamples else 0)
    sums, _, left_out, _ = stream.corpus_sums(question, Run.of(engine, progress, resume))
    if ("documents",) not in sums:
        raise CorpusError(NO_PAIR)
    declared = None if stream.type_scheme is None else len(stream.type_scheme.types)
    finishers = (AgreementFinisher(question, sums, declared, number) for number in range(len(chosen)))
    return [
        Agreement.of(
            finisher,
            n_resamples=n_resamples,
            confidence=confidence,
            seed=known_seed(rng),
            interval=finisher.poisson_interval(confidence),
            n_single_documents=sums["single",].counts[0],
            left_out=left_out,
        )
        for finisher in finishers
    ]


def corpus_alpha(corpus: Corpus) -> float:
    """Return Krippendorff's α over all documents of a corpus; not every coder needs to have coded all.

    >>> corpus = Corpus.from_dict({"d1": {"a": [2, 2], "b": [2, 2]}, "d2": {"b": [1, 2], "c": [2, 1]}})
    >>> round(corpus_alpha(corpus), 4)
    0.25
    """
    has_pairs = bool((corpus.n_coders > 1).any())
    return agreement(corpus, n_resamples=0).krippendorff_alpha if has_pairs else math.nan


def agreement_drop(
    corpus: Corpus,
    segmenters: Sequence[str],
    *,
    metric: Metric | str = "B",
    coefficient: Coefficient = "kappa",
    n_t: int | str | None = None,
    chance: Chance = "boundaries",
    n_resamples: int = AGREEMENT_RESAMPLES,
    confidence: float = CONFIDENCE,
    rng: Seed = None,
) -> AgreementDrop:
    """Return the drop of agreement when each of these segmenters joins the other coders (F13t §4.3).

    Coders who are not among the segmenters count as people. A segmenter is measured on the documents that it
    has segmented, for all coders (``whole``) and for each group of them (``drops``). κ* is the default: a
    segmenter with other habits than the coders' should not be excused for them.

    The drop over all documents has an interval and a p, as the difference of two versions of the same
    documents: documents are resampled, and coders with and without the segmenter exchanged within documents,
    as in ``compare_agreement``. A small p: the segmenter is not like one more coder. With ``n_resamples=0``
    there is neither.

    >>> from caesura import load_stargazers
    >>> result = agreement_drop(load_stargazers(), ["4"])
    >>> round(result.drops[0].without, 4), round(result.drops[0].joined, 4), round(result.drops[0].drop, 4)
    (0.5128, 0.4653, 0.0474)
    """
    if isinstance(segmenters, str) or not segmenters:
        raise ParameterError("segmenters: expected a list of coders' names, at least one")
    for name in segmenters:
        if name not in corpus.coder_numbers:
            raise unknown("coder", name, corpus.coders)
    check_names(coefficient, chance)
    chosen = metric_for(corpus.type_scheme, metric, n_t, step=corpus.step)
    check_similarity(chosen)
    corpus = corpus.coded
    chance = _chance_of(chosen, corpus, chance)
    table = count_pairs(corpus, chosen)
    by_person = ~np.isin(corpus.coder, [corpus.coder_numbers[name] for name in segmenters])
    question = AgreementQuestion((chosen,), coefficient, chance=chance)
    n_resamples = check_resamples("n_resamples", n_resamples)
    confidence, generator = check_share("confidence", confidence), as_generator(rng)
    drops, whole = [], []
    for name in segmenters:
        by_segmenter = corpus.coder == corpus.coder_numbers[name]
        shared = np.intersect1d(corpus.document[by_segmenter], corpus.document[by_person])
        if not len(shared):
            raise CorpusError(f"no coder has coded a document that {name} has segmented")
        is_there = np.isin(corpus.document, shared)
        # The same documents, once without and once with the segmenter.
        joined = table.part(np.flatnonzero(is_there & (by_person | by_segmenter)))
        of_all, groups = strata_of(table.part(np.flatnonzero(is_there & by_person)), question)
        counted = joined.contributions(chance)
        drop = _drop(name, of_all, joined, counted)
        if n_resamples:
            drop = _tested(drop, of_all, joined, counted, n_resamples, confidence, generator)
        whole.append(drop)
        drops += [_drop(name, group, joined, counted) for group in groups]
    settings = n_resamples, confidence, known_seed(rng)
    return AgreementDrop(chosen, coefficient, chance, tuple(drops), tuple(whole), *settings)


def _drop(segmenter: str, alone: Stratum, joined: PairTable, counted: Contributions) -> Drop:
    """Return the drop over the documents of a stratum."""
    if not len(alone.documents):
        return Drop(segmenter, (), (), math.nan, math.nan)
    with_it = replace(alone, table=joined, counted=counted)
    values = alone.finisher.value, with_it.finisher.value
    return Drop(segmenter, alone.finisher.coders, alone.document_names, *values)


def _tested(
    drop: Drop,
    alone: Stratum,
    joined: PairTable,
    counted: Contributions,
    n_resamples: int,
    confidence: float,
    generator: np.random.Generator,
) -> Drop:
    """Return the drop with an interval and a p; without where it is not defined, or of a single document."""
    if len(drop.documents) < 2 or math.isnan(drop.drop):
        return drop
    versions = Versions.of(alone, replace(alone, table=joined, counted=counted))
    return drop._replace(
        interval=versions.interval(drop.drop, n_resamples, confidence, generator, None),
        p_value=versions.as_extreme(n_resamples, generator, None).p_value,
    )

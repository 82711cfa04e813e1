"""agreement(), agreements() of a scan, and agreement_drop(), which adds a segmenter (F13t §4.3)."""

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
    PairTable,
    count_pairs,
    similarity_for,
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
from caesura.stats.outcome import Interval
from caesura.sums.streams import CodingStream, Run, Watch
from caesura.sums.tallies import seed_of
from caesura.values.corpus import Corpus

NO_PAIR = "no document has two coders; agreement needs at least two per document"
IN_MEMORY = "load the data into memory with cs.read"


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
    """Return chance-corrected inter-annotator agreement of the whole corpus and of each group of coders.

    Parameters
    ----------
    corpus
        Documents annotated by at least two coders; missing annotations are fine. Coders who annotated the
        same documents form a group, listed with its own numbers in ``groups``. Alternatively a scan
        (``caesura.scan``), which is read once and never held in memory. The numbers of the whole are then
        identical to those of the same data in memory. Groups, single documents and the influence of coders
        are not sums over documents and are omitted.
    metric
        The similarity behind observed agreement: B, Ba, Bc, S, or any other from 0 to 1. A metric that treats
        its two sides differently compares each two coders both ways.
    coefficient
        ``"pi"``: π*, one boundary rate for all coders (Fleiss 1971; for two coders Scott 1955). Use it to
        judge a coding scheme. ``"kappa"``: κ*, one rate per coder (Davies & Fleiss 1982; Cohen 1960).
    n_t
        Near misses span fewer than this many positions; None: the metric's own value (2 by default). On a
        time grid this may be a duration such as "3s".
    chance
        ``"boundaries"`` follows the definition. ``"published"`` reproduces the numbers of Fournier (2013):
        it counts segments instead of boundaries and, for π*, averages their ratio over pairs and documents.
        ``"segeval"`` averages the ratio of boundaries, as ``B(as_in='segeval')`` does.
    n_resamples, confidence, rng
        Bootstrap over documents (over positions for a single document) for the interval; 0: no interval. An
        int as ``rng`` makes it reproducible. A scan uses a Poisson bootstrap that draws each document's
        weight from its name. With resamples, ``random`` holds the score of random coders, unless that
        takes long or the data are a scan.
    engine, resume, progress
        For a scan: the engine that reads and counts, a folder that stores partial counts, and a callback for
        progress; as in ``evaluate``.

    Notes
    -----
    coefficient = (A_o - A_e) / (1 - A_e), with A_o = Σ numerators / Σ denominators of the metric over coder
    pairs and documents, and A_e the mean over types of P(t)² (π*) or of the mean over coder pairs of
    P(t|c)·P(t|c′) (κ*), P being boundaries per potential boundary. F13t (eq. 4.44 to 4.56) prints a sum over
    types, which may exceed 1 where types share positions; for one type both are the same. z and the two-sided
    p test whether the coefficient is 0 (F13t, eq. 4.59 to 4.63). They assume many independent positions.

    Where annotations are missing, every two annotations of one document are compared. P(t) covers all
    annotations of documents with at least two, P(t|c) those of them by c, and pairs of coders weigh as much
    as the potential boundaries that they share. Documents with one annotation are left out and listed in
    ``single_documents``. If all coders annotated the same documents, the value is the same.

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

    Cy did not annotate the second document; the value pools all four pairs of annotations:

    >>> corpus = Corpus.from_dict(
    ...     {"d1": {"ann": [2, 3, 6], "bob": [2, 2, 7], "cy": [5, 6]}, "d2": {"ann": [4, 4], "bob": [4, 4]}}
    ... )
    >>> pooled = agreement(corpus, n_resamples=0)
    >>> round(pooled.observed, 4), round(pooled.value, 4), [round(group.value, 4) for group in pooled.groups]
    (0.5714, 0.5603, [0.4857, 1.0])
    >>> round(agreement(load_stargazers(), chance="published", n_resamples=0).pi, 4)
    0.4405
    """
    if not isinstance(corpus, Corpus):
        check_names(coefficient, chance)
        if chance != "boundaries":
            raise ParameterError(f"chance={chance!r} is not available for scans; {IN_MEMORY}")
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
        raise ParameterError("engine and resume apply to scans only; this corpus is in memory")
    table, question = _compared(corpus, metric, coefficient, n_t, chance)
    if not len(table.pairs):
        raise CorpusError(NO_PAIR)
    of_all, strata = strata_of(table, question)
    settings = {"n_resamples": n_resamples, "confidence": confidence, "seed": known_seed(rng)}

    def interval(stratum: Stratum) -> Interval | None:
        return None if generator is None else stratum.interval(n_resamples, confidence, generator)

    groups = tuple(
        GroupAgreement.of(
            stratum.finisher, **settings, interval=interval(stratum), stratum=stratum, group=number
        )
        for number, stratum in enumerate(strata)
    )
    # The whole is a stratum like any other; with one group of several coders, it is that group.
    shared = [group for group in groups if group.totals.n_coders > 1]
    of_whole = shared[0].interval if len(shared) == 1 else interval(of_all)
    of_all = shared[0].in_memory if len(shared) == 1 else of_all
    n_single = int((table.corpus.n_coders == 1).sum())
    result = Agreement.of(
        of_all.finisher,
        **settings,
        interval=of_whole,
        stratum=of_all,
        groups=groups,
        n_single_documents=n_single,
    )
    rounds = quick_rounds(corpus) if n_resamples else 0
    # Spawn, so that a generator's stream stays where the intervals left it.
    own = rng.spawn(1)[0] if isinstance(rng, np.random.Generator) else rng
    return result.with_random(rounds, own) if rounds else result


def _compared(
    corpus: Corpus, metric: Metric | str, coefficient: Coefficient, n_t: int | str | None, chance: Chance
) -> tuple[PairTable, AgreementQuestion]:
    """Compare all pairs of annotations; segeval's metric brings its expectation and its limits."""
    check_names(coefficient, chance)
    corpus, chosen = corpus.coded, similarity_for(corpus.type_scheme, metric, n_t, corpus.step)
    if isinstance(chosen, Segeval):
        if chance == "published":
            raise ParameterError(f"{chosen} fixes every other parameter: leave out chance")
        if lacking := np.flatnonzero(corpus.n_coders < len(corpus.coders)).tolist():
            raise ParameterError(
                f"{chosen}: {chosen.release} raises an Exception where annotations are missing, as in "
                f"document {corpus.documents[lacking[0]]}; select coders who annotated all documents, or use "
                f"{chosen.ours} with chance='segeval'"
            )
        chance = "segeval"
    return count_pairs(corpus, chosen), AgreementQuestion((chosen,), coefficient, chance=chance)


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
    """Return the agreement of a scan by several metrics, reading it once.

    The parameters and the numbers are those of ``agreement``.
    """
    check_names(coefficient, "boundaries")
    n_resamples = check_resamples("n_resamples", n_resamples)
    confidence = check_share("confidence", confidence)
    if isinstance(metrics, (str, Metric)) or not len(metrics):
        raise ParameterError(f"metrics is {metrics!r}: give a list of at least one")
    as_generator(rng)  # refuses anything that is not a seed
    chosen = tuple(similarity_for(stream.type_scheme, metric, n_t) for metric in metrics)
    for metric in chosen:
        if isinstance(metric, Segeval):
            raise ParameterError(f"{metric} is not available for the agreement of scans; {IN_MEMORY}")
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
    """Return Krippendorff's α over all documents of a corpus; missing annotations are fine.

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
    """Return how far agreement drops when each of these segmenters joins the other coders (F13t §4.3).

    Coders who are not named as segmenters count as people. Each segmenter is measured on the documents that
    it segmented, over all coders (``whole``) and over each group of them (``drops``). κ* is the default
    because it does not excuse a segmenter for a boundary rate unlike the coders'.

    The drop over all documents has an interval and a p. As in ``compare_agreement``, documents are resampled,
    and the versions with and without the segmenter are permuted within documents. A small p means that the
    segmenter is not like one more coder. With ``n_resamples=0`` neither is computed.

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
    n_resamples = check_resamples("n_resamples", n_resamples)
    confidence, generator = check_share("confidence", confidence), as_generator(rng)
    table, question = _compared(corpus, metric, coefficient, n_t, chance)
    corpus = table.corpus
    by_person = ~np.isin(corpus.coder, [corpus.coder_numbers[name] for name in segmenters])
    drops, whole = [], []
    for name in segmenters:
        by_segmenter = corpus.coder == corpus.coder_numbers[name]
        shared = np.intersect1d(corpus.document[by_segmenter], corpus.document[by_person])
        if not len(shared):
            raise CorpusError(f"no coder annotated a document that {name} segmented")
        is_there = np.isin(corpus.document, shared)
        # The same documents, once without and once with the segmenter.
        joined = table.part(np.flatnonzero(is_there & (by_person | by_segmenter)))
        counted = joined.contributions(question.chance)
        of_all, groups = strata_of(table.part(np.flatnonzero(is_there & by_person)), question)
        for alone in (of_all, *groups):
            with_it = replace(alone, table=joined, counted=counted)
            drop = Drop(name, (), (), math.nan, math.nan)
            if len(alone.documents):
                values = alone.finisher.value, with_it.finisher.value
                drop = Drop(name, alone.finisher.coders, alone.document_names, *values)
            if alone is not of_all:
                drops.append(drop)
                continue
            if n_resamples and len(drop.documents) > 1 and not math.isnan(drop.drop):
                versions = Versions.of(alone, with_it)
                drop = drop._replace(
                    interval=versions.interval(drop.drop, n_resamples, confidence, generator, None),
                    p_value=versions.as_extreme(n_resamples, generator, None).p_value,
                )
            whole.append(drop)
    settings = n_resamples, confidence, known_seed(rng)
    metric, chance = table.metric, question.chance
    return AgreementDrop(metric, coefficient, chance, tuple(drops), tuple(whole), *settings)

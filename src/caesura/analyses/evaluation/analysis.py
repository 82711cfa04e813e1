"""evaluate(): segmenters against one or many references, per document and over all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, overload

import numpy as np

from caesura.analyses.evaluation.counting import SIZE, Bootstrap, Counts, Question
from caesura.analyses.evaluation.results import Evaluation, MetricSummary, Stratum
from caesura.analyses.evaluation.sizes import Sizes, unit_sizes_of
from caesura.analyses.roles import cast
from caesura.arrays import IntArray
from caesura.checks import Seed, as_generator, check_choice, check_resamples, check_share
from caesura.errors import CorpusError, ParameterError, did_you_mean
from caesura.metrics.base import Metric
from caesura.metrics.declared import metric_for
from caesura.metrics.hierarchical import HierarchicalMetric
from caesura.metrics.registry import get_metric
from caesura.pairs import judge, types_lacking
from caesura.stats.outcome import Interval
from caesura.stats.resampling import bootstrap_intervals
from caesura.sums.named import Size, seed_of
from caesura.sums.streams import CodingStream, Run, Watch
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.type_scheme import unite_schemes

DEFAULT_METRICS = ("B", "F", "Pk", "WD")

BOOTSTRAPS = ("documents", "poisson")

MAX_POISSON = 100_000
"""Resamples of a Poisson bootstrap, whose sums are all kept."""


@overload
def evaluate(
    reference: Corpus,
    hypothesis: Corpus | None = None,
    metrics: Sequence[Metric | str] = DEFAULT_METRICS,
    *,
    references: Sequence[str] | None = None,
    segmenters: Sequence[str] | None = None,
    unit_sizes: Sizes | None = None,
    types: bool | None = None,
    by: str | None = None,
    bootstrap: Bootstrap | None = None,
    confidence: float = 0.95,
    n_resamples: int = 999,
    rng: Seed = None,
) -> Evaluation: ...


@overload
def evaluate(
    reference: CodingStream,
    hypothesis: CodingStream | None = None,
    metrics: Sequence[Metric | str] = DEFAULT_METRICS,
    *,
    references: Sequence[str] | None = None,
    segmenters: Sequence[str] | None = None,
    types: bool | None = None,
    by: str | None = None,
    bootstrap: Bootstrap | None = None,
    confidence: float = 0.95,
    n_resamples: int = 999,
    rng: Seed = None,
    engine: Any = None,
    documents: str | PathLike[str] | None = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> Evaluation: ...


def evaluate(
    reference: Corpus | CodingStream,
    hypothesis: Corpus | CodingStream | None = None,
    metrics: Sequence[Metric | str] = DEFAULT_METRICS,
    *,
    references: Sequence[str] | None = None,
    segmenters: Sequence[str] | None = None,
    unit_sizes: Sizes | None = None,
    types: bool | None = None,
    by: str | None = None,
    bootstrap: Bootstrap | None = None,
    confidence: float = 0.95,
    n_resamples: int = 999,
    rng: Seed = None,
    engine: Any = None,
    documents: str | PathLike[str] | None = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> Evaluation:
    """Compare segmenters with all reference codings of the same documents.

    Every coder of ``hypothesis`` is a segmenter. A metric of many references (MultWD) takes all codings of
    a document at once, other metrics one after the other. Intervals resample documents; all segmenters are
    valued on the same draws.

    Parameters
    ----------
    reference, hypothesis
        Corpora, or scans (``caesura.scan``), which are read once and never held in memory: their sums,
        means, standard errors and intervals are those of the same data in memory, to the last bit. Without
        ``hypothesis`` one of them holds both.
    metrics
        Metrics or their specifications.
    references, segmenters
        Names of coders to judge by and to judge; without ``hypothesis`` at least one of them is needed.
    unit_sizes
        Sizes by document, or "words" (those of the references' texts): the windows of E_Pk and E_WD run over
        them while boundaries stand between units (Carroll 2010). Not for scans.
    types
        Whether boundaries are compared with their types, or ranks: by default where both sides have any. True
        compares with them although one side has none, and False without them although both do. E_Pk and E_WD
        always look at ranks.
    by
        A column whose values divide the documents into strata, which are summed up each by itself: one of
        ``corpus.details``, or of a scan.
    bootstrap
        "documents" draws as many documents as there are, with replacement; "poisson" gives each document a
        weight of its own in each resample, Poisson(1) and drawn from its name, which needs no list of all
        documents. By default the first for corpora, the second for scans.
    confidence, n_resamples, rng
        Level of the intervals, resamples behind them (0: none), and the seed.
    engine
        Who reads and counts a scan: None or "threads" for all cores of this machine, or a number of threads;
        a ``dask.distributed.Client`` or the address of its scheduler, "dask://scheduler:8786"; a
        ``SparkSession``, or "spark" for the active one or one that is started.
    documents
        A Parquet file to write the values of single documents of a scan into, whole or not at all.
    resume
        A folder that keeps what was counted of a scan, part by part: a run that was stopped goes on from
        there, and counts again only what has changed.
    progress
        Called with how far a scan has been read.

    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6], "bob": [5, 6]}, "b": {"ann": [4, 4]}})
    >>> mine = Corpus.from_dict({"a": {"mine": [2, 2, 7]}, "b": {"mine": [4, 4]}})
    >>> evaluation = evaluate(gold, mine, ["B", "WD"], rng=1)
    >>> evaluation["B"].micro, evaluation["B"].n
    (<B 0.6 = 3/5, 3 pairs>, 3)
    >>> evaluate(Corpus.merge(gold, mine), references=["ann", "bob"], metrics=["B"], rng=1)["B"].micro
    <B 0.6 = 3/5, 3 pairs>
    """
    check_resamples("n_resamples", n_resamples)
    check_share("confidence", confidence)
    as_generator(rng)  # refuses what is no seed before anything is computed
    if isinstance(metrics, str) or not len(metrics):
        raise ParameterError(f"metrics is {metrics!r}: give a list of at least one")
    asked = [get_metric(metric) for metric in metrics]
    if isinstance(reference, Corpus) and (hypothesis is None or isinstance(hypothesis, Corpus)):
        if engine is not None or documents is not None or resume is not None:
            raise ParameterError("engine, documents and resume are for scans; a corpus is in memory already")
        how = _bootstrap(bootstrap, "documents", n_resamples)
        people, machine = cast(reference, hypothesis, segmenters, references, careful=hypothesis is None)
        return _in_memory(people, machine, asked, types, unit_sizes, by, how, confidence, n_resamples, rng)
    if isinstance(reference, Corpus) or isinstance(hypothesis, Corpus):
        raise ParameterError("reference and hypothesis are a corpus and a scan: read or scan both")
    if unit_sizes is not None:
        raise ParameterError("unit_sizes are for corpora, which hold texts; a scan does not")
    if _bootstrap(bootstrap, "poisson", n_resamples) != "poisson":
        raise ParameterError(
            "bootstrap is 'documents', which needs all documents at once: a scan is resampled by 'poisson'"
        )
    paths = (None if path is None else Path(fspath(path)) for path in (documents, resume))
    run = Run(engine, by, next(paths), progress, next(paths))
    sides = cast(reference, hypothesis, segmenters, references, careful=hypothesis is None)
    return _streamed(*sides, asked, types, run, confidence, n_resamples, rng)


def _bootstrap(asked: Bootstrap | None, usual: Bootstrap, n_resamples: int) -> str:
    how = usual if asked is None else check_choice("bootstrap", asked, BOOTSTRAPS)
    if how == "poisson" and n_resamples > MAX_POISSON:
        raise ParameterError(
            f"n_resamples is {n_resamples}: a Poisson bootstrap keeps the sums of all, up to {MAX_POISSON:,}"
        )
    return how


# -------------------------------------------------------------------- in memory


def _in_memory(
    people: Corpus,
    machine: Corpus,
    asked: Sequence[Metric],
    types: bool | None,
    unit_sizes: Sizes | None,
    by: str | None,
    bootstrap: str,
    confidence: float,
    n_resamples: int,
    rng: Seed,
) -> Evaluation:
    people = people.coded
    judged = judge(people, machine)
    sizes = None if unit_sizes is None else unit_sizes_of(judged, unit_sizes)
    if sizes is not None and not any(isinstance(metric, HierarchicalMetric) for metric in asked):
        raise ParameterError("unit_sizes concern E_Pk and E_WD alone: add EPk or EWD to the metrics")
    scheme = unite_schemes(people.type_scheme, machine.type_scheme)
    step = people.step if machine.step is None else machine.step
    lacking = types_lacking(asked, types, judged.typed, people.coders, judged.segmenters)
    with_types = types is not False and not lacking
    metrics = tuple(metric_for(scheme, metric, step=step, types=with_types) for metric in asked)
    n_poisson = n_resamples if bootstrap == "poisson" else 0
    question = Question(metrics, judged.segmenters, n_poisson, seed_of(rng) if n_poisson else 0)
    counts = question.counts(judged, sizes)
    documents = {} if by is None else _strata_of(people, by)

    def finished(
        stratum: tuple[str, ...] = (), chosen: IntArray | None = None
    ) -> tuple[Size, tuple[MetricSummary, ...]]:
        return question.finished(
            question.sums(judged, counts, chosen, stratum),
            asked,
            confidence,
            stratum,
            intervals=None if n_poisson else _drawn(question, counts, chosen, confidence, n_resamples, rng),
            counts=counts if chosen is None else None,
        )

    size, summaries = finished()
    return Evaluation(
        people,
        people.coders,
        judged.segmenters,
        summaries,
        size,
        confidence,
        n_resamples,
        bootstrap,
        by,
        tuple(Stratum(name, *finished((name,), chosen)) for name, chosen in documents.items()),
        types_lacking=lacking,
    )


def _drawn(
    question: Question,
    counts: Sequence[Counts],
    chosen: IntArray | None,
    confidence: float,
    n_resamples: int,
    rng: Seed,
) -> list[Interval]:
    """Return the intervals of drawn documents, by segmenter and metric; segmenters share the draws."""
    n_metrics, n_segmenters = len(question.metrics), len(question.segmenters)
    found: dict[int, Interval] = {}
    for place in range(n_metrics):
        own = [counts[segmenter * n_metrics + place] for segmenter in range(n_segmenters)]
        tables = [np.asarray(one.by_document / one.scale, dtype=np.float64) for one in own]
        table = np.stack(tables, axis=1)
        intervals = bootstrap_intervals(
            own[0].metric,
            table if chosen is None else table[chosen],
            n_resamples=n_resamples,
            confidence=confidence,
            rng=rng,
            differences=False,
        )
        for segmenter, interval in enumerate(intervals.segmenters):
            found[segmenter * n_metrics + place] = interval
    return [found[number] for number in range(len(counts))]


def _strata_of(corpus: Corpus, by: str) -> dict[str, IntArray]:
    """Return the documents of each stratum, which a column of details names."""
    if by not in corpus.details:
        raise ParameterError(
            f"by is {by!r}: the references have no such column of details; "
            f"{did_you_mean(by, [*corpus.details]) if corpus.details else 'with_details() adds one'}"
        )
    found: dict[str, list[int]] = {}
    column = corpus.details[by]
    for document, start in enumerate(corpus.starts[:-1].tolist()):
        values = {stratum_name(value) for value in column[start : int(corpus.starts[document + 1])]}
        if len(values) > 1:
            raise CorpusError(
                f"document {short_name(corpus.documents[document])}: its codings differ in {by}: a document "
                "belongs to one stratum"
            )
        found.setdefault(values.pop(), []).append(document)
    return {name: np.array(found[name], dtype=np.int64) for name in sorted(found)}


def stratum_name(value: Any) -> str:
    """Return what the stratum of a value is called."""
    return "(none)" if value is None else str(value)


# -------------------------------------------------------------------- streamed


def _streamed(
    people: CodingStream,
    machine: CodingStream,
    asked: Sequence[Metric],
    types: bool | None,
    run: Run,
    confidence: float,
    n_resamples: int,
    rng: Seed,
) -> Evaluation:
    scheme = unite_schemes(people.type_scheme, machine.type_scheme)
    metrics = tuple(metric_for(scheme, metric, types=types is not False) for metric in asked)
    question = Question(metrics, machine.coders, n_resamples, seed_of(rng))
    sums, _, left_out, typed = people.judged_sums(machine, question, run)
    lacking = types_lacking(asked, types, typed, people.coders, question.segmenters)
    if lacking:
        # Only the end of a stream tells that a side has no types: it is counted once more without them.
        question = replace(question, metrics=tuple(metric_for(scheme, one, types=False) for one in asked))
        sums, _, left_out, _ = people.judged_sums(machine, question, replace(run, resume=None))
    strata = sorted(str(name[0]) for name in sums if name[1:] == (SIZE,))
    size, summaries = question.finished(sums, asked, confidence)
    return Evaluation(
        None,
        people.coders,
        question.segmenters,
        summaries,
        size,
        confidence,
        n_resamples,
        "poisson",
        run.by,
        tuple(Stratum(name, *question.finished(sums, asked, confidence, (name,))) for name in strata),
        left_out,
        lacking,
    )

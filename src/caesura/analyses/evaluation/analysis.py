"""evaluate(): score segmenters against one or many references, per document and over all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from caesura.analyses.evaluation.counting import SIZE, Bootstrap, Counts, Question
from caesura.analyses.evaluation.results import Evaluation, Stratum
from caesura.analyses.roles import cast, leave_out_uncoded
from caesura.arrays import IntArray
from caesura.checks import (
    CONFIDENCE,
    EVALUATION_RESAMPLES,
    Seed,
    as_generator,
    check_choice,
)
from caesura.errors import CorpusError, ParameterError, did_you_mean
from caesura.metrics.base import Metric
from caesura.metrics.edit import B
from caesura.metrics.multi import Bw
from caesura.metrics.registry import get_metric, metric_for
from caesura.metrics.unit_sizes import UnitSizes, document_sizes
from caesura.metrics.window import SizedMetric
from caesura.pairs import SegmenterPairs, pair_segmenters, types_lacking
from caesura.stats.outcome import Interval
from caesura.stats.resampling import Resampling, bootstrap_intervals
from caesura.sums.streams import CodingStream, Run, Watch
from caesura.sums.tallies import seed_of
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.strings import offsets_of
from caesura.values.type_scheme import unite_schemes
from caesura.wording import short

DEFAULT_METRICS = ("B", "F", "Pk", "WD")

MAX_POISSON = 100_000
"""The most resamples of a Poisson bootstrap, whose sums memory must hold."""

Sizes: TypeAlias = Mapping[str, Sequence[int]] | Literal["words", "characters"]
"""Sizes by document, or the words (separated by white space) or characters of the units' texts."""

COUNTED_TEXT: dict[str, Callable[[str], int]] = {"words": lambda text: len(text.split()), "characters": len}
"""Units of windows that texts have, and how to count them."""


def evaluate(
    reference: Corpus | CodingStream,
    hypothesis: Corpus | CodingStream | None = None,
    metrics: Sequence[Metric | str] = DEFAULT_METRICS,
    *,
    references: Sequence[str] | None = None,
    segmenters: Sequence[str] | None = None,
    unit_sizes: Sizes | None = None,
    weights: Literal["prominence"] | None = None,
    types: bool | None = None,
    by: str | None = None,
    bootstrap: Bootstrap | None = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = EVALUATION_RESAMPLES,
    rng: Seed = None,
    engine: Any = None,
    documents: str | PathLike[str] | None = None,
    resume: str | PathLike[str] | None = None,
    progress: Watch | None = None,
) -> Evaluation:
    """Compare segmenters with all reference codings of the same documents.

    Every coder of ``hypothesis`` is a segmenter. A metric of many references (MultWD) takes all codings of
    a document at once, other metrics one after the other. Intervals resample documents, with the same draws
    for all segmenters.

    Parameters
    ----------
    reference, hypothesis
        Corpora, or scans (``caesura.scan``). A scan is read once and never held in memory; the results are
        the same to the last bit. Without ``hypothesis``, ``reference`` holds both.
    metrics
        Metrics or their specifications.
    references, segmenters
        Names of the reference coders and of the segmenters; without ``hypothesis`` give at least one list.
    unit_sizes
        Sizes by document, or "words" or "characters" (of the references' texts): windows of Pk, WD and their
        relatives run over them, while boundaries stay between units (Choi 2000; Carroll 2010). Not for scans.
    weights
        "prominence" replaces B by Bw: missing a boundary that all coders mark costs more.
    types
        Whether boundaries are compared with their types, or ranks: True, False, or by default if both sides
        have any. E_Pk and E_WD always use ranks.
    by
        A column of ``corpus.details``, or of a scan, whose values divide the documents into strata.
    bootstrap
        "documents" draws as many documents as there are, with replacement; "poisson" gives each document a
        Poisson(1) weight in each resample, drawn from its name, so that scans need no list of documents. By
        default the first for corpora, the second for scans.
    confidence, n_resamples, rng
        Level of the intervals, resamples behind them (0: none), and the seed.
    engine
        The engine of a scan: None or "threads" for all cores of this machine, or a number of threads; a
        ``dask.distributed.Client`` or the address of its scheduler, "dask://scheduler:8786"; a
        ``SparkSession``, or "spark" for the active or a new one.
    documents
        A Parquet file for the values of single documents of a scan, written whole or not at all.
    resume
        A folder for the counts of a scan, part by part: an interrupted run continues from there and counts
        only changed parts again.
    progress
        Called with the progress of reading a scan.

    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6], "bob": [5, 6]}, "b": {"ann": [4, 4]}})
    >>> mine = Corpus.from_dict({"a": {"mine": [2, 2, 7]}, "b": {"mine": [4, 4]}})
    >>> evaluation = evaluate(gold, mine, ["B", "WD"], rng=1)
    >>> evaluation["B"].micro, evaluation["B"].n
    (<B 0.6 = 3/5, 3 pairs>, 3)
    >>> evaluate(Corpus.merge(gold, mine), references=["ann", "bob"], metrics=["B"], rng=1)["B"].micro
    <B 0.6 = 3/5, 3 pairs>
    """
    resampling = Resampling.of(n_resamples, confidence, rng)
    as_generator(rng)  # refuses an invalid seed before anything is computed
    if isinstance(metrics, str) or not len(metrics):
        raise ParameterError(f"metrics is {metrics!r}: give a list of at least one")
    requested = tuple(get_metric(metric) for metric in metrics)
    if weights is not None:
        check_choice("weights", weights, ("prominence",))
        requested = tuple(Bw(**each.parameters) if type(each) is B else each for each in requested)
    is_corpus = isinstance(reference, Corpus)
    if hypothesis is not None and isinstance(hypothesis, Corpus) != is_corpus:
        raise ParameterError("reference and hypothesis are a corpus and a scan; read or scan both")
    if is_corpus and (engine is not None or documents is not None or resume is not None):
        raise ParameterError("engine, documents and resume are for scans, not for corpora")
    if not is_corpus and unit_sizes is not None:
        raise ParameterError("unit_sizes are for corpora, not for scans")
    bootstrap = bootstrap or ("documents" if is_corpus else "poisson")
    check_choice("bootstrap", bootstrap, ("documents", "poisson"))
    if not is_corpus and bootstrap != "poisson":
        raise ParameterError("bootstrap is 'documents': scans can only be resampled by 'poisson'")
    if bootstrap == "poisson" and n_resamples > MAX_POISSON:
        raise ParameterError(f"n_resamples is {n_resamples}: 'poisson' takes at most {MAX_POISSON:,}")
    plan = _Plan(requested, types, by, bootstrap, resampling, rng)
    people, machine = cast(reference, hypothesis, segmenters, references, guard=hypothesis is None)
    if isinstance(reference, Corpus) and isinstance(people, Corpus) and isinstance(machine, Corpus):
        machine, uncoded = leave_out_uncoded(reference, people, machine, references)
        return plan.in_memory(people, machine, unit_sizes, uncoded)
    assert not isinstance(people, Corpus)
    assert not isinstance(machine, Corpus)
    paths = [None if path is None else Path(fspath(path)) for path in (documents, resume)]
    return plan.streamed(people, machine, Run(engine, by, paths[0], progress, paths[1]))


@dataclass(frozen=True)
class _Plan:
    """What to compute from documents in memory or in a stream."""

    requested: tuple[Metric, ...]
    types: bool | None
    by: str | None
    bootstrap: Bootstrap
    resampling: Resampling
    rng: Seed

    def in_memory(
        self, people: Corpus, machine: Corpus, unit_sizes: Sizes | None, uncoded: tuple[str, ...]
    ) -> Evaluation:
        """Evaluate corpora."""
        people = people.coded
        paired = pair_segmenters(people, machine)
        sizes = None if unit_sizes is None else _unit_sizes(paired, unit_sizes)
        if sizes is not None:
            _check_windows_of(self.requested)
        metrics, lacking = paired.metrics(machine, self.requested, self.types)
        confidence, n = self.resampling.confidence, self.resampling.n_resamples
        n_poisson = n if self.bootstrap == "poisson" else 0
        seed = seed_of(self.rng) if n_poisson else 0
        question = Question(tuple(metrics), paired.segmenters, n_poisson, seed)
        counts = question.counts(paired, sizes)
        by_stratum = {} if self.by is None else _strata_of(people, self.by)

        def finish(stratum: tuple[str, ...]) -> Stratum:
            chosen = by_stratum[stratum[0]] if stratum else None
            sums = question.sums(paired, counts, chosen, stratum)
            intervals = None if n_poisson else self._drawn(question, counts, chosen)
            own = None if stratum else counts
            return question.finished(sums, self.requested, confidence, stratum, intervals, own)

        remarks = {"types_lacking": lacking, "uncoded": uncoded}
        strata = [finish(name) for name in [(), *((name,) for name in by_stratum)]]
        return self._evaluation(question, strata, references=people, coders=people.coders, **remarks)

    def _evaluation(self, question: Question, strata: Iterable[Stratum], **fields: Any) -> Evaluation:
        """Return the evaluation with these strata; the first has all documents."""
        whole, *parts = strata
        plan: Any = {**vars(self.resampling), "bootstrap": self.bootstrap, "by": self.by}
        plan |= {"summaries": whole.summaries, "size": whole.size, "strata": tuple(parts)}
        return Evaluation(segmenters=question.segmenters, **plan, **fields)

    def _drawn(self, question: Question, counts: Sequence[Counts], chosen: IntArray | None) -> list[Interval]:
        """Return the intervals of drawn documents, by segmenter and metric; segmenters share the draws."""
        n_metrics, rows = len(question.metrics), slice(None) if chosen is None else chosen
        n, confidence = self.resampling.n_resamples, self.resampling.confidence
        options: Any = {"n_resamples": n, "confidence": confidence, "rng": self.rng}
        by_metric = []
        for number in range(n_metrics):
            own = counts[number::n_metrics]
            table = np.stack([each.unscaled[rows] for each in own], axis=1)
            by_metric.append(bootstrap_intervals(own[0].metric, table, **options))
        return [interval for segmenter in zip(*by_metric, strict=True) for interval in segmenter]

    def streamed(self, people: CodingStream, machine: CodingStream, run: Run) -> Evaluation:
        """Evaluate scans."""
        scheme = unite_schemes(people.type_scheme, machine.type_scheme)
        metrics = tuple(metric_for(scheme, each, types=self.types is not False) for each in self.requested)
        for metric in metrics:
            metric.check_units()
        question = Question(metrics, machine.coders, self.resampling.n_resamples, seed_of(self.rng))
        sums, _, left_out, typed = people.evaluation_sums(machine, question, run)
        lacking = types_lacking(self.requested, self.types, typed, people.coders, question.segmenters)
        if lacking:
            # Only the end of a stream shows that a side has no types; count it again without them.
            metrics = tuple(metric_for(scheme, each, types=False) for each in self.requested)
            question = replace(question, metrics=metrics)
            sums, _, left_out, _ = people.evaluation_sums(machine, question, replace(run, resume=None))
        strata = [(), *sorted((str(name[0]),) for name in sums if name[1:] == (SIZE,))]
        confidence = self.resampling.confidence
        finished = (question.finished(sums, self.requested, confidence, name) for name in strata)
        remarks = {"types_lacking": lacking, "left_out": left_out}
        return self._evaluation(question, finished, references=None, coders=people.coders, **remarks)


def _strata_of(corpus: Corpus, by: str) -> dict[str, IntArray]:
    """Return the documents of each stratum, named by a column of details."""
    if by not in corpus.details:
        hint = did_you_mean(by, [*corpus.details]) if corpus.details else "with_details() adds one"
        raise ParameterError(f"by is {by!r}: the references have no such column of details; {hint}")
    strata: dict[str, list[int]] = {}
    column, starts = corpus.details[by], corpus.starts.tolist()
    for document, (start, end) in enumerate(pairwise(starts)):
        names = {"(none)" if value is None else str(value) for value in column[start:end]}
        if len(names) > 1:
            name = short_name(corpus.documents[document])
            raise CorpusError(f"document {name}: its codings differ in {by}; a document has one stratum")
        strata.setdefault(names.pop(), []).append(document)
    return {name: np.array(strata[name], dtype=np.int64) for name in sorted(strata)}


# -------------------------------------------------------------------- sizes of units


def _check_windows_of(metrics: Sequence[Metric]) -> None:
    """Refuse sizes of units that no metric uses, or windows whose own size counts units."""
    sliding = [metric for metric in metrics if isinstance(metric, SizedMetric)]
    if not sliding:
        raise ParameterError("unit_sizes need a metric with a window: Pk, WD, MultWD, EPk or EWD")
    for metric in sliding:
        if metric.k == "corpus" or metric.durations:
            raise ParameterError(f"{metric}: k={metric.k!r} counts units; with unit_sizes give a number")


def _unit_sizes(paired: SegmenterPairs, sizes: Sizes) -> UnitSizes:
    """Return the sizes of all units of the documents."""
    corpus = paired.subjects.corpus
    if isinstance(sizes, str) and sizes in COUNTED_TEXT:
        return UnitSizes(*_sizes_of_texts(corpus, sizes), corpus.document)
    if not isinstance(sizes, Mapping):
        expected = "expected 'words', 'characters', or lists of sizes by document"
        raise ParameterError(f"unit_sizes is {short(sizes)}: {expected}")
    if missing := [document for document in corpus.documents if document not in sizes]:
        raise ParameterError(f"unit_sizes lacks {len(missing)} of the documents, such as {missing[0]!r}")
    numbers: list[int] = []
    for document, n_units in zip(corpus.documents, corpus.document_units.tolist(), strict=True):
        name = f"unit_sizes[{document!r}]"
        own = document_sizes(name, sizes[document])
        if len(own) != n_units:
            raise ParameterError(f"{name} has {len(own)} sizes where the document has {n_units} units")
        numbers += own
    offsets = offsets_of(corpus.document_units)
    return UnitSizes(np.array(numbers, dtype=np.int64), offsets, corpus.document)


def _sizes_of_texts(corpus: Corpus, counted: str) -> tuple[IntArray, IntArray]:
    """Count the words or characters of each unit; refuse units without any, which stop windows."""
    needs = f"unit_sizes={counted!r} needs them; read the texts with the codings, or give sizes by document"
    if corpus.texts is None:
        raise ParameterError(f"the references have no texts: {needs}")
    for number in np.flatnonzero(~corpus.texts.is_known).tolist():
        raise ParameterError(f"document {corpus.documents[number]} has no text: {needs}")
    texts = corpus.texts.strings
    sizes = np.fromiter(map(COUNTED_TEXT[counted], texts), dtype=np.int64, count=len(texts))
    for empty in np.flatnonzero(sizes == 0).tolist():
        number = int(np.searchsorted(corpus.texts.offsets, empty, side="right")) - 1
        where = f"document {corpus.documents[number]}: unit {empty - int(corpus.texts.offsets[number])}"
        raise ParameterError(f"{where} has no {counted.removesuffix('s')}; join it to a neighbor")
    return sizes, corpus.texts.offsets

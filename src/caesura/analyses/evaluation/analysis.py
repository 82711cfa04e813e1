"""evaluate(): segmenters against one or many references, per document and over all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.analyses.evaluation.results import Evaluation, MetricSummary
from caesura.analyses.evaluation.sizes import Sizes, unit_sizes_of
from caesura.arrays import FloatArray
from caesura.checks import Seed, as_generator, check_resamples, check_share
from caesura.errors import ParameterError
from caesura.metrics.base import Metric, Scores
from caesura.metrics.declared import metric_for
from caesura.metrics.hierarchical import HierarchicalMetric, Ranked, UnitSizes
from caesura.metrics.multi import MultWD
from caesura.metrics.registry import get_metric
from caesura.pairs import Judged, judge
from caesura.stats.intervals import standard_error
from caesura.stats.resampling import bootstrap_intervals, pooled
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import unite_schemes

DEFAULT_METRICS = ("B", "F", "Pk", "WD")


def evaluate(
    reference: Corpus,
    hypothesis: Corpus,
    metrics: Sequence[Metric | str] = DEFAULT_METRICS,
    *,
    unit_sizes: Sizes | None = None,
    confidence: float = 0.95,
    n_resamples: int = 999,
    rng: Seed = None,
) -> Evaluation:
    """Compare segmenters with all reference codings of the same documents.

    Every coder of ``hypothesis`` is a segmenter. A metric of many references (MultWD) takes all codings of
    a document at once, other metrics one after the other. Intervals resample documents; all segmenters are
    valued on the same draws. With ``unit_sizes`` (by document, or "words": those of the references' texts)
    the windows of E_Pk and E_WD run over words while boundaries stand between units (Carroll 2010).

    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6], "bob": [5, 6]}, "b": {"ann": [4, 4]}})
    >>> mine = Corpus.from_dict({"a": {"mine": [2, 2, 7]}, "b": {"mine": [4, 4]}})
    >>> evaluation = evaluate(gold, mine, ["B", "WD"], rng=1)
    >>> evaluation["B"].micro, evaluation["B"].n
    (<B 0.6 = 3/5, 3 pairs>, 3)
    """
    check_resamples("n_resamples", n_resamples)
    check_share("confidence", confidence)
    as_generator(rng)  # refuses what is no seed before anything is computed
    if isinstance(metrics, str) or not len(metrics):
        raise ParameterError(f"metrics is {metrics!r}: give a list of at least one")
    asked = [get_metric(metric) for metric in metrics]
    judged = judge(reference, hypothesis)
    sizes = None if unit_sizes is None else unit_sizes_of(judged, unit_sizes)
    if sizes is not None and not any(isinstance(metric, HierarchicalMetric) for metric in asked):
        raise ParameterError("unit_sizes concern E_Pk and E_WD alone: add EPk or EWD to the metrics")
    scheme = unite_schemes(reference.type_scheme, hypothesis.type_scheme)
    step = reference.step if hypothesis.step is None else hypothesis.step
    by_metric = [
        _summaries(one, metric_for(scheme, one, step=step), judged, sizes, confidence, n_resamples, rng)
        for one in asked
    ]
    return Evaluation(
        judged.references,
        judged.segmenters,
        tuple(found[i] for i in range(len(judged.segmenters)) for found in by_metric),
        confidence,
        n_resamples,
    )


def _summaries(
    asked: Metric,
    metric: Metric,
    judged: Judged,
    sizes: UnitSizes | None,
    confidence: float,
    n_resamples: int,
    rng: Seed,
) -> list[MetricSummary]:
    """Return the summary of each segmenter."""
    scores = [scores_of(metric, judged, i, sizes) for i in range(len(judged.segmenters))]
    metric = scores[0].metric  # it says which unit sizes were taken
    tables: list[FloatArray] = [
        one.unscaled if metric.multi_reference else judged.by_document(one.unscaled) for one in scores
    ]
    intervals = bootstrap_intervals(
        metric,
        np.stack(tables, axis=1),
        n_resamples=n_resamples,
        confidence=confidence,
        rng=rng,
        differences=False,
    )
    found = []
    for name, one, table, interval in zip(
        judged.segmenters, scores, tables, intervals.segmenters, strict=True
    ):
        values = one.values
        found.append(
            MetricSummary(
                name,
                asked,
                metric,
                one.micro,
                float(values.mean()),
                len(values),
                standard_error(values, len(values)),
                interval,
                pooled(metric, table),
            )
        )
    return found


def scores_of(metric: Metric, judged: Judged, segmenter: int, sizes: UnitSizes | None = None) -> Scores:
    """Return one row per coding, or per document for a metric of many references at once."""
    pairs = judged.pairs[segmenter]
    if sizes is not None and isinstance(metric, HierarchicalMetric):
        sides = (Ranked.of(pairs.reference), pairs.first, Ranked.of(pairs.hypothesis), pairs.second)
        return metric.over_ranks(*sides, pairs.n_units, sizes, pairs.name_of)
    if not isinstance(metric, MultWD):
        return metric.over(pairs)
    starts = judged.references.starts
    positions, offsets, references, b_positions, b_offsets, second = pairs.sides
    first = starts[:-1]
    return metric.over_references(
        *(
            positions,
            offsets,
            references,
            starts,
            b_positions,
            b_offsets,
            second[first],
            pairs.n_units[first],
        ),
        name_of=lambda document: f"document {judged.references.documents[document]}",
    )

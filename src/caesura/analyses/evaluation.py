"""evaluate(): one segmenter against one or many references, per document and over all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.analyses.coder_agreement.observed import metric_for
from caesura.analyses.comparison.analysis import standard_error
from caesura.analyses.comparison.judged import Comparisons, compare_all
from caesura.arrays import FloatArray
from caesura.checks import Seed, check_whole
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.base import Metric, Score, Scores, signature
from caesura.metrics.registry import get_metric
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table
from caesura.stats.outcome import Interval
from caesura.stats.resampling import bootstrap_intervals, pooled
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme, unite_schemes

DEFAULT_METRICS = ("B", "F", "Pk", "WD")


@dataclass(frozen=True)
class MetricSummary:
    """One metric over all documents."""

    asked: Metric
    """As it was asked for."""
    metric: Metric
    """With the types that the corpora declare."""
    micro: Score
    """All codings pooled."""
    macro: float
    """Mean over codings; for a metric of many references at once, over documents."""
    n: int
    """What the mean is over."""
    se: float
    """Standard error of that mean."""
    interval: Interval
    """Bootstrap interval of the pooled value, clustered by document."""
    documents: tuple[float, ...]
    """The pooled value of each document."""


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """What evaluate() found; ``evaluation["B"]`` is the summary of a metric."""

    documents: tuple[str, ...]
    n_units: tuple[int, ...]
    n_references: tuple[int, ...]
    summaries: tuple[MetricSummary, ...]
    confidence: float

    def __getitem__(self, metric: Metric | str) -> MetricSummary:
        """Return the summary of a metric, by itself or its specification."""
        wanted = get_metric(metric)
        for summary in self.summaries:
            if wanted in (summary.asked, summary.metric):
                return summary
        raise KeyError(metric)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "documents": [
                {"document": name, "units": n, "references": references,
                 **{repr(s.asked): s.documents[i] for s in self.summaries}}
                for i, (name, n, references) in enumerate(
                    zip(self.documents, self.n_units, self.n_references, strict=True)
                )
            ],
            "metrics": {
                repr(s.asked): {
                    "micro": float(s.micro), "macro": s.macro, "n": s.n, "se": s.se,
                    "low": s.interval.low, "high": s.interval.high, "signature": s.micro.signature,
                }
                for s in self.summaries
            },
        }  # fmt: skip

    def to_table(self) -> Table:
        """Return a row for each document, and micro, macro, SE and interval below."""

        rows: list[list[Cell]] = [
            [name, n, references, *(summary.documents[i] for summary in self.summaries)]
            for i, (name, n, references) in enumerate(
                zip(self.documents, self.n_units, self.n_references, strict=True)
            )
        ]
        return Table(
            "",
            [Column("document"), Column("units"), Column("references"), *self._columns()],
            rows,
            totals=self.totals(),
            notes=self.notes(),
        )

    def _columns(self) -> list[Any]:

        return [Column(repr(summary.asked)) for summary in self.summaries]

    def totals(self) -> list[list[Cell]]:
        """Return the rows below the documents."""
        n_units, n_codings = sum(self.n_units), sum(self.n_references)
        percent = f"{self.confidence:.0%}"
        return [
            ["micro", n_units, n_codings, *(float(s.micro) for s in self.summaries)],
            [f"  low {percent}", None, None, *(s.interval.low for s in self.summaries)],
            [f"  high {percent}", None, None, *(s.interval.high for s in self.summaries)],
            ["macro", n_units, n_codings, *(s.macro for s in self.summaries)],
            ["  SE", None, None, *(s.se for s in self.summaries)],
        ]

    def notes(self) -> list[str]:
        """Return what the numbers are, and what they do not show."""
        n = len(self.documents)
        averaged = "documents" if all(s.metric.multi_reference for s in self.summaries) else "codings"
        n_averaged = max(s.n for s in self.summaries)
        averaged = averaged if n_averaged > 1 else averaged.removesuffix("s")
        resampled = f", its interval resamples the {n} documents" if n > 1 else ""
        notes = [f"micro pools all codings{resampled}; macro is the mean over {n_averaged} {averaged}"]
        if n == 1:
            notes.append("One document says nothing about others: there is no interval.")
        return notes + [signature(s.metric, s.micro.n_pairs) for s in self.summaries]

    def __repr__(self) -> str:
        shown = ", ".join(f"{s.metric} {float(s.micro):.4f}" for s in self.summaries)
        return f"<Evaluation on {len(self.documents)} documents: {shown}>"


def evaluate(
    reference: Corpus,
    hypothesis: Corpus,
    metrics: Sequence[Metric | str] = DEFAULT_METRICS,
    *,
    confidence: float = 0.95,
    n_resamples: int = 999,
    rng: Seed = None,
) -> Evaluation:
    """Compare a segmenter's output with all reference codings of the same documents.

    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6], "bob": [5, 6]}, "b": {"ann": [4, 4]}})
    >>> mine = Corpus.from_dict({"a": {"mine": [2, 2, 7]}, "b": {"mine": [4, 4]}})
    >>> evaluation = evaluate(gold, mine, ["B", "WD"], rng=1)
    >>> evaluation["B"].micro, evaluation["B"].n
    (<B 0.6 = 3/5, 3 pairs>, 3)
    """
    if len(hypothesis.coders) != 1:
        names = ", ".join(hypothesis.coders[:5])
        raise CorpusError(
            f"the hypothesis has {len(hypothesis.coders)} coders ({names}); select one, or use compare"
        )
    check_whole("n_resamples", n_resamples)
    if isinstance(metrics, str) or not len(metrics):
        raise ParameterError(f"metrics is {metrics!r}: give a list of at least one")
    compared = compare_all(reference, hypothesis)
    scheme = unite_schemes(reference.type_scheme, hypothesis.type_scheme)
    summaries = [
        _summarise(get_metric(metric), scheme, compared, reference, hypothesis, confidence, n_resamples, rng)
        for metric in metrics
    ]
    n_references = np.bincount(compared.document, minlength=len(compared.documents))
    return Evaluation(
        compared.documents,
        tuple(reference.n_units(document) for document in compared.documents),
        tuple(n_references.tolist()),
        tuple(summaries),
        confidence,
    )


def _summarise(
    asked: Metric,
    scheme: TypeScheme | None,
    compared: Comparisons,
    reference: Corpus,
    hypothesis: Corpus,
    confidence: float,
    n_resamples: int,
    rng: Seed,
) -> MetricSummary:
    metric = metric_for(scheme, asked)
    scores = _scores(metric, compared, reference, hypothesis)
    rows = scores.rows.astype(np.float64) / scores.scale
    by_document: FloatArray = rows if metric.multi_reference else compared.by_document(rows)
    interval = bootstrap_intervals(
        metric, by_document[:, np.newaxis], n_resamples=n_resamples, confidence=confidence, rng=rng
    ).segmenters[0]
    values = scores.values
    return MetricSummary(
        asked,
        metric,
        scores.micro,
        float(values.mean()),
        len(values),
        standard_error(values, len(values)),
        interval,
        tuple(pooled(metric, by_document).tolist()),
    )


def _scores(metric: Metric, compared: Comparisons, reference: Corpus, hypothesis: Corpus) -> Scores:
    """Return one row per coding, or per document for a metric of many references at once."""
    if not metric.multi_reference:
        return metric.over(compared.pairs[0])
    references = [tuple(reference[document].values()) for document in compared.documents]
    hypotheses = [next(iter(hypothesis[document].values())) for document in compared.documents]
    return metric.batch(references, hypotheses)

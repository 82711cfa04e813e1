"""The sums behind evaluate(): exact counts and values over the documents of a corpus, or of many parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.analyses.evaluation.results import MetricSummary, Stratum
from caesura.arrays import MAX_INT64, FloatArray, IntArray
from caesura.checks import MAX_NUMBER
from caesura.metrics.base import Metric, Score, Scores
from caesura.metrics.hierarchical import HierarchicalMetric
from caesura.metrics.multi import Bw, MultWD
from caesura.metrics.unit_sizes import UnitSizes
from caesura.metrics.window import WindowMetric
from caesura.pairs import SegmenterPairs
from caesura.stats.intervals import expanded_levels
from caesura.stats.outcome import Interval
from caesura.stats.resampling import interval_of
from caesura.sums.tallies import (
    NOT_RESAMPLED,
    Name,
    Size,
    Sums,
    Tally,
    exact_ratios,
    hash_strings,
    largest,
    resampled_sums,
    whole,
)
from caesura.values.arrow import load_pyarrow, text_array

Bootstrap: TypeAlias = Literal["documents", "poisson"]
"""How documents are resampled: drawn with replacement, or each with a Poisson(1) weight."""

Strata: TypeAlias = Mapping[tuple[str, ...], IntArray | None]
"""The documents of each stratum, by number; None: all."""

SIZE = "size"
"""The name of the numbers of documents, units and codings in sums."""


def scores_of(
    metric: Metric, paired: SegmenterPairs, segmenter: int, sizes: UnitSizes | None = None
) -> Scores:
    """Return one row per coding, or per document for a metric of many references at once."""
    pairs = paired.pairs[segmenter]
    if isinstance(metric, MultWD):
        names = paired.subjects.document_names
        starts = paired.subjects.starts
        return metric.over_runs(pairs, starts, lambda document: f"document {names[document]}", sizes)
    if isinstance(metric, Bw):
        return metric.over_runs(pairs, paired.subjects.starts)
    if isinstance(metric, WindowMetric | HierarchicalMetric):
        return metric.over(pairs, sizes)
    return metric.over(pairs)


@dataclass(frozen=True, eq=False)
class Counts:
    """The counts of one segmenter by one metric: whole numbers in units of 1 / scale, a row per coding."""

    metric: Metric
    rows: NDArray[Any]
    scale: int
    values: FloatArray
    """The value of each coding."""
    by_document: NDArray[Any]
    """The rows summed over the codings of each document."""

    @classmethod
    def of(cls, paired: SegmenterPairs, scores: Scores) -> Counts:
        """Return counts as whole numbers, and their sums by document."""
        rows, scale = whole(scores.rows, scores.scale)
        most = int(paired.subjects.n_coders.max(initial=1))
        if rows.dtype == np.int64 and largest(rows) > MAX_INT64 // most:
            rows = rows.astype(object)
        by_document = rows if scores.metric.multi_reference else paired.by_document(rows)
        values = scores.values
        if scores.rows.dtype == np.int64 and largest(rows) > MAX_NUMBER:  # floats do not hold them
            values = exact_ratios(*scores.metric.fraction(rows.T.astype(object)))
        return cls(scores.metric, rows, scale, values, by_document)

    @property
    def unscaled(self) -> FloatArray:
        """The counts of each document as floats."""
        return np.asarray(self.by_document / self.scale, dtype=np.float64)

    @cached_property
    def document_values(self) -> FloatArray:
        """The pooled value of each document."""
        return exact_ratios(*self.metric.fraction(self.by_document.T))


@dataclass(frozen=True)
class Question:
    """Counts and adds up documents; it is pure and pickles."""

    metrics: tuple[Metric, ...]
    segmenters: tuple[str, ...]
    n_resamples: int = 0
    """Resamples of a Poisson bootstrap."""
    seed: int = 0

    def counts(self, paired: SegmenterPairs, sizes: UnitSizes | None = None) -> tuple[Counts, ...]:
        """Compare all codings and return the counts by segmenter, then by metric."""
        each = product(range(len(paired.segmenters)), self.metrics)
        return tuple(Counts.of(paired, scores_of(metric, paired, number, sizes)) for number, metric in each)

    def sums(
        self, paired: SegmenterPairs, counts: Sequence[Counts], chosen: IntArray | None, stratum: Name
    ) -> dict[Name, Tally]:
        """Add up the counts of all documents, or of the chosen ones of a stratum."""
        subjects = paired.subjects
        documents: Any = slice(None)
        codings: Any = slice(None)
        if chosen is not None:
            documents, codings = chosen, np.isin(subjects.document, chosen)
        resampled = [NOT_RESAMPLED] * len(counts)
        if self.n_resamples:
            rows = np.concatenate([own.by_document for own in counts], axis=1)[documents]
            hashes = hash_strings(subjects.document_names.data, subjects.document_names.offsets)[documents]
            both = resampled_sums(self.seed, hashes, rows, self.n_resamples)
            ends = np.cumsum([own.by_document.shape[1] for own in counts])
            resampled = [*np.split(both, ends[:-1], axis=1)]
        sums: dict[Name, Tally] = {}
        for number, (own, of_resamples) in enumerate(zip(counts, resampled, strict=True)):
            rows = documents if own.metric.multi_reference else codings
            sums[*stratum, number] = Tally.of(own.rows[rows], own.scale, own.values[rows], of_resamples)
        units, coders = subjects.document_units[documents], subjects.n_coders[documents]
        sums[*stratum, SIZE] = Tally((len(units), int(units.sum()), int(coders.sum())))
        return sums

    def document_table(
        self, paired: SegmenterPairs, counts: Sequence[Counts], strata: Strata, by: str | None
    ) -> Any:
        """Return an Arrow table with a row per document: its length, references and pooled values."""
        pyarrow, subjects = load_pyarrow(), paired.subjects
        columns: dict[str, Any] = {
            "document": text_array(subjects.document_names).cast(pyarrow.string()),
            "units": subjects.document_units,
            "references": subjects.n_coders,
        }
        if by is not None:
            stratum = np.empty(len(subjects.documents), dtype=object)
            for names, chosen in strata.items():
                stratum[chosen] = names[0]
            columns[by] = pyarrow.array(stratum, pyarrow.string())
        several = len(self.segmenters) > 1
        for number, count in enumerate(counts):
            segmenter, metric = divmod(number, len(self.metrics))
            name = f"{self.segmenters[segmenter]} " * several + repr(self.metrics[metric])
            while name in columns:
                name = f"{name}'"
            columns[name] = count.document_values
        return pyarrow.table(columns)

    def finished(
        self,
        sums: Sums,
        requested: Sequence[Metric],
        confidence: float,
        stratum: tuple[str, ...] = (),
        intervals: Sequence[Interval] | None = None,
        counts: Sequence[Counts] | None = None,
    ) -> Stratum:
        """Finish the sums of a stratum: its size, and the summary of each metric of each segmenter.

        Intervals are given, or come from resampled sums; counts have the values of single documents.
        """
        size = Size(*sums[*stratum, SIZE].counts)
        summaries = []
        for number in range(len(self.segmenters) * len(self.metrics)):
            tally = sums[*stratum, number]
            segmenter, index = divmod(number, len(self.metrics))
            metric = self.metrics[index] if counts is None else counts[number].metric
            micro = Score(metric, tally.counts, tally.scale, tally.n)
            interval = Interval(float(micro), np.nan, np.nan, np.nan)
            if intervals is not None:
                interval = intervals[number]
            elif size.documents > 1 and len(tally.resampled):
                values = exact_ratios(*metric.fraction(tally.resampled.T))
                interval = interval_of(micro, values, expanded_levels(confidence, size.documents))
            own = self.segmenters[segmenter], requested[index], metric, micro
            averages = tally.mean, tally.n, tally.standard_error, interval
            documents = () if counts is None else (counts[number].document_values, counts[number].by_document)
            summaries.append(MetricSummary(*own, *averages, *documents))
        return Stratum(str(stratum[0]) if stratum else "", size, tuple(summaries))

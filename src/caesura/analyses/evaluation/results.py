"""The numbers of an evaluation: a summary for each segmenter and metric, and strata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import FloatArray
from caesura.checks import ALPHA, check_choice
from caesura.errors import CorpusError, unknown
from caesura.metrics.base import Metric, Score
from caesura.metrics.registry import get_metric
from caesura.results.as_json import plain_fields
from caesura.results.result import Result
from caesura.stats.choosing import PROCEDURES
from caesura.stats.outcome import Interval, TestReport
from caesura.stats.resampling import Resampling
from caesura.sums.tallies import Size
from caesura.values.corpus import Corpus


@dataclass(frozen=True, eq=False)
class MetricSummary:
    """One metric of one segmenter over all documents."""

    segmenter: str
    requested: Metric
    """The metric as given."""
    metric: Metric
    """The metric with the types that the corpora declare."""
    micro: Score
    """All codings pooled."""
    macro: float
    """Mean over codings; for a metric of many references at once, over documents."""
    n: int
    """The number of values in the mean."""
    se: float
    """Standard error of that mean."""
    interval: Interval
    """Bootstrap interval of the pooled value, clustered by document."""
    values: FloatArray | None = None
    """The pooled value of each document; None for streams and strata."""
    counts: NDArray[Any] | None = None
    """The counts of each document, in the scale of ``micro``; None for streams and strata."""

    @property
    def documents(self) -> tuple[float, ...]:
        """The pooled value of each document; empty for streams and strata."""
        return () if self.values is None else tuple(self.values.tolist())


@dataclass(frozen=True, eq=False)
class Stratum:
    """The documents with the same value in a column."""

    name: str
    size: Size
    summaries: tuple[MetricSummary, ...]


Against: TypeAlias = Literal["paired_t", "wilcoxon"]
AGAINST: tuple[Against, ...] = ("paired_t", "wilcoxon")


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Evaluation(Resampling, Result):
    """The scores of segmenters; ``evaluation["B"]`` is the summary of a metric.

    With several segmenters, name one: ``evaluation["B", "bayes"]``.
    """

    REMARKS: ClassVar[tuple[str, ...]] = ("types_lacking", "left_out", "uncoded")

    references: Corpus | None
    """The reference codings; None for streams."""
    coders: tuple[str, ...]
    """The reference coders."""
    segmenters: tuple[str, ...]
    summaries: tuple[MetricSummary, ...]
    """By segmenter, then by metric."""
    size: Size
    bootstrap: str = "documents"
    """How documents were resampled: "documents" or "poisson"."""
    by: str | None = None
    """The column that divides documents into strata."""
    strata: tuple[Stratum, ...] = ()
    left_out: tuple[str, ...] = ()
    """The error of each file of a scan that was left out."""
    types_lacking: tuple[str, ...] = ()
    """The coders without types or ranks; because of them, the evaluation ignores types."""
    uncoded: tuple[str, ...] = ()
    """The documents that none of the named references has coded; they are left out."""

    @property
    def of_intervals(self) -> str:
        """The part of signatures on the intervals; empty without intervals."""
        if not self.n_resamples or self.size.documents < 2:
            return ""
        return self.interval_part("poisson" if self.bootstrap == "poisson" else "bootstrap")

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents; empty for streams."""
        return () if self.references is None else self.references.documents

    @cached_property
    def n_units(self) -> tuple[int, ...]:
        """The length of each document."""
        return () if self.references is None else tuple(self.references.document_units.tolist())

    @cached_property
    def n_references(self) -> tuple[int, ...]:
        """The number of reference codings of each document."""
        return () if self.references is None else tuple(self.references.n_coders.tolist())

    def of_segmenter(self, name: str) -> tuple[MetricSummary, ...]:
        """Return the summaries of one segmenter."""
        if name not in self.segmenters:
            raise unknown("segmenter", name, self.segmenters)
        return tuple(summary for summary in self.summaries if summary.segmenter == name)

    def __getitem__(self, key: Metric | str | tuple[Metric | str, str | None]) -> MetricSummary:
        """Return the summary of a metric, an object or a specification, and of a segmenter."""
        metric, segmenter = key if isinstance(key, tuple) else (key, None)
        if segmenter is None:
            if len(self.segmenters) > 1:
                example = f"evaluation[{str(metric)!r}, {self.segmenters[0]!r}]"
                raise CorpusError(f"{len(self.segmenters)} segmenters; name one: {example}")
            segmenter = self.segmenters[0]
        wanted, own = get_metric(metric), self.of_segmenter(segmenter)
        for summary in own:
            if wanted in (summary.requested, summary.metric):
                return summary
        raise unknown("metric", metric, [repr(summary.requested) for summary in own])

    def test(
        self,
        metric: Metric | str,
        against: Metric | str | float,
        *,
        segmenter: str | None = None,
        procedure: Against = "paired_t",
        alpha: float = ALPHA,
    ) -> TestReport:
        """Test the values of documents against a constant, or against those of another of the metrics.

        Carroll (2010, §3.2 and §4.2) tests a metric against 50 %, and a metric that ignores the ranks of one
        side against the same metric with them. ``paired_t`` is Student's test, ``wilcoxon`` the signed-rank
        test.

        >>> import caesura as cs
        >>> gold = cs.Corpus.from_dict({name: {"ann": [4, 4, 4]} for name in "abcd"})
        >>> mine = cs.Corpus.from_dict(
        ...     {"a": {"x": [4, 8]}, "b": {"x": [4, 4, 4]}, "c": {"x": [12]}, "d": {"x": [4, 8]}}
        ... )
        >>> evaluation = cs.evaluate(gold, mine, ["B", "F"], n_resamples=0)
        >>> round(evaluation.test("B", 0.4).p_value, 3), evaluation.test("B", "F").contrasts[0].second
        (0.658, 'F')
        """
        check_choice("procedure", procedure, AGAINST)
        summary = self[metric, segmenter]
        if summary.values is None:
            raise CorpusError("a stream has no values of single documents; load the data with cs.read")
        name = repr(summary.requested)
        if isinstance(against, (Metric, str)):
            beside = self[against, segmenter]
            assert beside.values is not None
            second, values = repr(beside.requested), beside.values
        else:
            second, values = f"{against:g}", np.full(len(summary.values), float(against))
        return PROCEDURES[procedure]([summary.values, values], [name, second], alpha)

    @property
    def names(self) -> list[str]:
        """The name of each summary: its metric as given, with several segmenters also the segmenter."""
        several = len(self.segmenters) > 1
        return [f"{s.segmenter} {s.requested!r}" if several else repr(s.requested) for s in self.summaries]

    @property
    def rows(self) -> list[list[Any]]:
        """Name, units, references and the values of each document; empty for streams."""
        values = (summary.documents for summary in self.summaries)
        rows = zip(self.documents, self.n_units, self.n_references, *values, strict=True)
        return [[*row] for row in rows]

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        names = ["document", "units", "references", *self.names]
        strata = {
            stratum.name: {"size": stratum.size._asdict(), "metrics": self._metrics(stratum.summaries)}
            for stratum in self.strata
        }
        return {
            "documents": [dict(zip(names, row, strict=True)) for row in self.rows],
            "size": self.size._asdict(),
            "bootstrap": self.bootstrap,
            "metrics": self._metrics(self.summaries),
            **plain_fields(self, [name for name in self.REMARKS if getattr(self, name)]),
            **({"by": self.by, "strata": strata} if self.by is not None else {}),
        }

    def _metrics(self, summaries: Sequence[MetricSummary]) -> dict[str, Any]:
        return {
            name: {
                "segmenter": summary.segmenter,
                "micro": float(summary.micro),
                "macro": summary.macro,
                "n": summary.n,
                "se": summary.se,
                "low": summary.interval.low,
                "high": summary.interval.high,
                "signature": summary.micro.signature,
            }
            for name, summary in zip(self.names, summaries, strict=True)
        }

    def __repr__(self) -> str:
        whose = [f"{s.segmenter} " if len(self.segmenters) > 1 else "" for s in self.summaries]
        values = [f"{s.metric} {float(s.micro):.4f}" for s in self.summaries]
        shown = ", ".join(map("".join, zip(whose, values, strict=True)))
        return f"<Evaluation on {self.size.documents:,} documents: {shown}>"

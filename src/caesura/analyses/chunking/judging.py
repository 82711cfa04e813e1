"""Values of chunkings from sums over documents or questions, their intervals, and which chunking is best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from caesura.analyses.chunking.results import ChunkEvaluation
from caesura.arrays import FloatArray, IntArray, divided
from caesura.checks import CONFIDENCE
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.stats.intervals import expanded_levels
from caesura.stats.outcome import Interval, TestReport
from caesura.stats.resampling import chunks as parts
from caesura.stats.resampling import draw, interval_of, randomization


class Mean:
    """A finisher: a quotient of sums, such as the mean of values."""

    def fraction(self, counts: Any) -> tuple[Any, Any, Any]:
        return counts[0], counts[1], math.nan


def judged(
    evaluation: ChunkEvaluation,
    tables: Mapping[str, Mapping[str, FloatArray]],
    n_resamples: int,
    generator: np.random.Generator,
    documents_of_questions: IntArray | None = None,
) -> ChunkEvaluation:
    """Return the evaluation with these values, and with the test where the deciding metric is among them.

    ``tables`` has a row (numerator, denominator) for each document, or for each question: then its document
    stands in ``documents_of_questions``, and questions are drawn within documents, or as many documents.
    """
    columns = [(name, key) for name, own in tables.items() for key in own]
    counts = np.stack([tables[name][key] for name, key in columns], axis=1)
    group = np.zeros(len(counts), dtype=np.int64)
    noun = "document" if documents_of_questions is None else "question"
    if documents_of_questions is not None:
        group = documents_of_questions
        rows = [counts[group == number] for number in range(int(group.max()) + 1)]
        if len(rows) >= FEW_DOCUMENTS:
            noun, counts = "document", np.stack([own.sum(axis=0) for own in rows])
            group = np.zeros(len(rows), dtype=np.int64)
    resampled = _resampled(counts, group, n_resamples if len(counts) > 1 else 0, generator)
    values = _quotients(counts.sum(axis=0))
    levels = expanded_levels(CONFIDENCE, len(counts)) if len(counts) > 1 else (math.nan, math.nan)
    known: dict[str, dict[str, Any]] = {name: {} for name in tables}
    intervals: dict[str, dict[str, Interval]] = {name: {} for name in tables}
    for column, (name, key) in enumerate(columns):
        known[name][key] = None if math.isnan(values[column]) else float(values[column])
        if len(counts) > 1 or noun == "question":
            drawn = resampled[:, column] if len(resampled) else np.array([math.nan])
            intervals[name][key] = interval_of(values[column], drawn, levels)
    deciding = [column for column, (_, key) in enumerate(columns) if key == evaluation.metric]
    named = [columns[column][0] for column in deciding]
    best = _shares_best(resampled[:, deciding]) if deciding else []
    best_of: dict[str, float | None] = dict(zip(named, best, strict=False))
    chunkings = {
        name: replace(
            row,
            intervals={**row.intervals, **intervals[name]},
            probability_best=best_of.get(name, row.probability_best),
            **known[name],
        )
        for name, row in evaluation.chunkings.items()
    }
    evaluation = replace(evaluation, chunkings=chunkings)
    if not deciding:
        return evaluation
    report = None
    if len(deciding) > 1 and (len(counts) > 1 or noun == "question"):
        report = randomization(Mean(), counts[:, deciding], names=named, rng=generator)
        report = report if noun == "document" else _by_question(report)
    return replace(evaluation, report=report, resampled=f"{noun}s")


def _quotients(sums: FloatArray) -> FloatArray:
    """Return numerators through denominators, which stand last; NaN where there is nothing."""
    return divided(sums[..., 0], sums[..., 1], math.nan)


def _shares_best(resampled: FloatArray) -> list[float]:
    """Return in which share of resamples each is the best; ties are shared."""
    is_best = resampled == resampled.max(axis=1, keepdims=True, initial=-math.inf)
    shares = is_best / np.maximum(is_best.sum(axis=1, keepdims=True), 1)
    return [float(share) for share in shares.mean(axis=0)] if len(resampled) else []


def _by_question(report: TestReport) -> TestReport:
    """Return the report of a test whose subjects are questions, which it calls documents."""
    contrasts = tuple(
        replace(contrast, effect_name=contrast.effect_name.replace("document", "question"))
        for contrast in report.contrasts
    )
    procedure = report.procedure.replace("document", "question")
    return replace(report, procedure=procedure, contrasts=contrasts)


def _resampled(
    counts: FloatArray, group: IntArray, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    """Return the quotients of resamples, in which rows are drawn within each group."""
    strata = [counts[group == number].reshape(-1, counts[0].size) for number in range(int(group.max()) + 1)]
    quotients = [np.empty((0, counts.shape[1]))]
    for start, stop in parts(n_resamples, len(counts)):
        totals = np.zeros((stop - start, counts[0].size))
        for stratum in strata:
            drawn = draw(np.ones(len(stratum), dtype=np.int64), stop - start, generator)
            totals += np.einsum("rd,dc->rc", drawn, stratum)
        quotients.append(_quotients(totals.reshape(-1, *counts.shape[1:])))
    return np.concatenate(quotients)

"""Chunkings by questions: what the chunks that are given have of the evidence, and what they could."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from caesura.analyses.chunking.results import OF_QUESTIONS, ChunkEvaluation
from caesura.analyses.chunking.spans import Axis, Spans
from caesura.analyses.chunking.without_questions import Mean
from caesura.arrays import FloatArray, IntArray
from caesura.checks import CONFIDENCE, check_number
from caesura.errors import CorpusError, ParameterError, did_you_mean
from caesura.stats.choosing import FEW_DOCUMENTS
from caesura.stats.intervals import expanded_levels
from caesura.stats.outcome import Interval, TestReport
from caesura.stats.resampling import chunks as parts
from caesura.stats.resampling import draw, interval_of, randomization
from caesura.values.chunks import Chunks
from caesura.values.evidence import Question
from caesura.wording import counted, short

Number: TypeAlias = int | tuple[str, int]
Ranking: TypeAlias = Mapping[str, Sequence[Sequence[Number]]]
"""By chunking: for each question the numbers of its chunks, best first; of several documents, with names."""


def given_chunks(
    questions: Sequence[Question],
    chunkings: Mapping[str, Chunks],
    axis: Axis,
    placed: Mapping[str, Spans],
    ranking: Ranking | None,
    budget: float | None,
) -> dict[str, list[IntArray]]:
    """Return which chunks of all are given for each question, by chunking."""
    if ranking is None:
        if budget is not None:
            raise ParameterError("budget needs a ranking, of which it takes the first chunks")
        return {}
    if not isinstance(ranking, Mapping) or not ranking.keys() <= chunkings.keys():
        wrong = next((name for name in ranking if name not in chunkings), ranking)
        raise ParameterError(
            f"ranking: there is no chunking {short(wrong)}; {did_you_mean(str(wrong), chunkings)}"
        )
    if budget is not None:
        check_number("budget", budget, exclusive=True)
    given: dict[str, list[IntArray]] = {}
    for name, lists in ranking.items():
        if not chunkings[name].is_sorted:
            fault = "its chunks were not given in order of start, so that its numbers may mean others"
            raise ParameterError(f"ranking of {name}: {fault}; sort them first")
        if len(lists) != len(questions):
            lengths = f"{counted(len(lists), 'list')} for {counted(len(questions), 'question')}"
            raise ParameterError(f"ranking of {name}: {lengths}: expected one for each")
        amounts = axis.amounts(placed[name])
        number_of = partial(_number_of, chunks=chunkings[name], axis=axis)
        given[name] = []
        for number, own in enumerate(lists):
            try:
                chosen = np.array([number_of(each) for each in own], dtype=np.int64)
            except (TypeError, ValueError, LookupError):
                expected = f"chunks 0 to {len(chunkings[name]) - 1}"
                if len(axis.texts) > 1:
                    expected = "pairs (document, number of the chunk)"
                raise ParameterError(
                    f"ranking of {name}: question {number} has {short(own)}: expected {expected}"
                ) from None
            if budget is not None:
                chosen = chosen[np.cumsum(amounts[chosen]) <= budget]
            given[name].append(chosen)
    return given


def _number_of(value: Any, chunks: Chunks, axis: Axis) -> int:
    """Return the number among the chunks of all texts of one that a ranking names."""
    if len(axis.texts) > 1 or isinstance(value, (list, tuple)):
        document, number = value
    else:
        document, number = next(iter(axis.texts)), value
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
        raise TypeError
    before = 0
    for name in axis.texts:
        n_own = len(chunks.columns(name)[0])
        if name == document:
            return before + range(n_own).index(int(number))
        before += n_own
    raise LookupError(document)


def values_of_questions(
    axis: Axis, questions: Sequence[Question], chunks: Spans, given: list[IntArray] | None, *, touch: bool
) -> dict[str, FloatArray]:
    """Return the values of every question."""
    names = OF_QUESTIONS if given is not None else OF_QUESTIONS[:2]
    table = np.zeros((len(questions), len(names)))
    for number, question in enumerate(questions):
        pieces = [axis.placed(document, [start], [end]) for document, start, end in question.evidence]
        evidence = Spans(*map(np.concatenate, zip(*pieces, strict=True))).as_set()
        amount = axis.amount(evidence)
        if not amount:
            raise CorpusError(f"question {number} ({short(question.text)}): its evidence has no token")
        _, meeting = evidence.overlapping(chunks, touch=int(touch))
        best = chunks.take(np.unique(meeting)).as_set()
        shared = axis.amount(evidence.common(best))
        table[number, :2] = shared / (axis.amount(best) + amount - shared), shared / amount
        if given is not None:
            own = chunks.take(given[number])
            total = axis.amount(own)
            shared = axis.amount(evidence.common(own.as_set()))
            precision = shared / total if total else 0.0
            table[number, 2:] = shared / amount, precision, shared / (total + amount - shared)
    return dict(zip(names, table.T.copy(), strict=True))


def with_questions(
    evaluation: ChunkEvaluation,
    questions: Sequence[Question],
    values: Mapping[str, Mapping[str, FloatArray]],
    metric: str,
    n_resamples: int,
    generator: np.random.Generator,
) -> ChunkEvaluation:
    """Return the evaluation with means over questions, intervals, the test, and who is best how often."""
    documents = list(dict.fromkeys(question.document for question in questions))
    number = {document: i for i, document in enumerate(documents)}
    group = np.array([number[question.document] for question in questions])
    by_document = len(documents) >= FEW_DOCUMENTS
    columns = [(name, key) for name, own in values.items() for key in own]
    table = np.stack([values[name][key] for name, key in columns], axis=1)
    n_drawn = len(documents) if by_document else len(questions)
    n_resamples = n_resamples if n_drawn > 1 else 0
    resampled = _resampled(table, group, n_resamples, generator, by_document=by_document)
    levels = expanded_levels(CONFIDENCE, n_drawn)
    means = table.mean(axis=0)
    intervals: dict[str, dict[str, Interval]] = {name: {} for name in values}
    for column, (name, key) in enumerate(columns):
        known = resampled[:, column] if len(resampled) else np.array([math.nan])
        intervals[name][key] = interval_of(means[column], known, levels)
    deciding = [column for column, (_, key) in enumerate(columns) if key == metric]
    wins = resampled[:, deciding]
    is_best = wins == wins.max(axis=1, keepdims=True, initial=-math.inf)
    shares = is_best / is_best.sum(axis=1, keepdims=True)
    named = [columns[column][0] for column in deciding]
    best = dict(zip(named, shares.mean(axis=0).tolist(), strict=True)) if len(wins) else {}
    rows = {
        name: replace(
            row,
            intervals={**intervals[name], **row.intervals},
            probability_best=best.get(name),
            **{key: float(column.mean()) for key, column in values[name].items()},  # type: ignore[arg-type]
        )
        for name, row in evaluation.chunkings.items()
    }
    report = None
    if len(deciding) > 1:
        counts = np.stack((table[:, deciding], np.ones((len(table), len(deciding)))), axis=2)
        if by_document:
            counts = np.stack([counts[group == i].sum(axis=0) for i in range(len(documents))])
        report = randomization(Mean(), counts, names=named, rng=generator)
        report = report if by_document else _by_question(report)
    return replace(
        evaluation,
        chunkings=rows,
        metric=metric,
        report=report,
        questions=tuple(question.text for question in questions),
        by_question=values,
        resampled="documents" if by_document else "questions",
    )


def _by_question(report: TestReport) -> TestReport:
    """Return the report of a test whose subjects are questions, which it calls documents."""
    contrasts = tuple(
        replace(contrast, effect_name=contrast.effect_name.replace("document", "question"))
        for contrast in report.contrasts
    )
    procedure = report.procedure.replace("document", "question")
    return replace(report, procedure=procedure, contrasts=contrasts)


def _resampled(
    table: FloatArray, group: IntArray, n_resamples: int, generator: np.random.Generator, *, by_document: bool
) -> FloatArray:
    """Return means of resamples: of documents as wholes, or of the questions within each document."""
    rows = [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]
    sums = np.column_stack((table, np.ones(len(table))))
    strata = (
        [np.stack([sums[own].sum(axis=0) for own in rows])] if by_document else [sums[own] for own in rows]
    )
    means = [np.empty((0, table.shape[1]))]
    for start, stop in parts(n_resamples, len(table)):
        totals = np.zeros((stop - start, sums.shape[1]))
        for stratum in strata:
            drawn = draw(np.ones(len(stratum), dtype=np.int64), stop - start, generator)
            totals += np.einsum("rd,dc->rc", drawn, stratum)
        means.append(totals[:, :-1] / totals[:, -1:])
    return np.concatenate(means)

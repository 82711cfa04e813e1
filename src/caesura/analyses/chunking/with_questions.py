"""Chunkings by questions: what the chunks that are given have of the evidence, and what they could."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from caesura.analyses.chunking.results import OF_QUESTIONS
from caesura.analyses.chunking.spans import Axis, Spans
from caesura.arrays import FloatArray, IntArray
from caesura.checks import check_number
from caesura.errors import CorpusError, ParameterError, did_you_mean
from caesura.values.chunks import Chunks, Question
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
    if not isinstance(ranking, Mapping):
        raise ParameterError(f"ranking is {short(ranking)}: expected lists by the name of the chunking")
    for wrong in [name for name in ranking if name not in chunkings]:
        raise ParameterError(
            f"ranking: unknown chunking {short(wrong)}; {did_you_mean(str(wrong), chunkings)}"
        )
    if budget is not None:
        check_number("budget", budget, exclusive=True)
    given: dict[str, list[IntArray]] = {}
    for name, lists in ranking.items():
        if not chunkings[name].is_sorted:
            fault = "its chunks were not given in order of start, so that its numbers may mean others"
            raise ParameterError(f"ranking of {name}: {fault}; sort them first")
        if not isinstance(lists, Sized):
            raise ParameterError(f"ranking of {name} is {short(lists)}: expected a list for each question")
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
    """Return the values of every question, each with the number 1, of which their sums make means."""
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
    columns = zip(names, table.T, strict=True)
    return {name: np.stack((own, np.ones(len(own))), axis=1) for name, own in columns}

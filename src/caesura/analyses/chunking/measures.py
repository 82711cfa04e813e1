"""What chunkings have of evidence, blocks, limits and vectors: numerators and denominators of their values.

Each function returns the values by name as arrays with a row (numerator, denominator) for each document, or
for each question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from itertools import pairwise, starmap
from typing import Any, TypeAlias

import numpy as np

from caesura.analyses.chunking.results import OF_QUESTIONS, Sizes
from caesura.analyses.chunking.spans import Axis, Spans
from caesura.arrays import FloatArray, IntArray, divided, repeat
from caesura.checks import check_choice, check_number, check_whole
from caesura.errors import CorpusError, ParameterError, unknown
from caesura.segmenters.similarities import Vectors, encoded
from caesura.values.chunks import Chunks, Question
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.units import WORD, Units
from caesura.wording import counted, short

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)

Size: TypeAlias = str | Callable[[str], float]
"""The unit of sizes: characters, words, or a function of a chunk's text."""

Number: TypeAlias = int | tuple[str, int]
Ranking: TypeAlias = Mapping[str, Sequence[Sequence[Number]]]
"""By chunking: for each question the numbers of its chunks, best first; of several documents, with names."""

Tables: TypeAlias = dict[str, FloatArray]


# -------------------------------------------------------------------- sizes, blocks, limits


def measure_of(size: Size) -> Callable[[str], float]:
    """Return the function from a chunk's text to its size."""
    if callable(size):
        return lambda text: check_number("size", size(text))
    check_choice("size", size, ("characters", "words"))
    return len if size == "characters" else lambda text: len(WORD.findall(text))


def sizes_of(sizes: Mapping[str, FloatArray]) -> Sizes:
    """Return how the sizes of all chunks are distributed."""
    every = np.concatenate(list(sizes.values()))
    quantiles = dict(zip(QUANTILES, np.quantile(every, QUANTILES).tolist(), strict=True))
    return Sizes(len(every), float(every.mean()), float(every.std()), quantiles)


def blocks_of(blocks: Any, axis: Axis) -> dict[str, Spans]:
    """Return the blocks of each document as spans of its text."""
    if isinstance(blocks, Corpus):
        spans: dict[str, Any] = {}
        for name, coder, segmentation in blocks:
            if name in spans:
                raise CorpusError(f"document {short_name(name)}: blocks need one coder; {coder} is another")
            if name not in blocks.spans or blocks.spans[name].axis != "characters":
                raise CorpusError(f"document {short_name(name)}: its blocks have no positions in the text")
            units = blocks.spans[name]
            edges = [units.origin, *units.offsets(segmentation), units.end]
            spans[name] = [*pairwise(map(int, edges))]
        blocks = spans
    if isinstance(blocks, Mapping):
        own = {name: spans for name, spans in blocks.items() if name in axis.texts}
        blocks = Chunks.from_spans(own, axis.texts)
    if not isinstance(blocks, Chunks):
        raise ParameterError(f"blocks are {short(blocks)}: expected Chunks, a corpus, or spans by document")
    return {name: Spans(*blocks.columns(name)) for name in axis.texts if name in blocks.texts}


def tables_of_texts(
    axis: Axis,
    chunks: Spans,
    sizes: Mapping[str, FloatArray],
    limits: tuple[float, float] | None,
    blocks: Any,
    tolerance: int,
) -> Tables:
    """Return redundancy and coverage, and compliance with limits and blocks where these are given."""
    n_chunks = [len(own) for own in sizes.values()]
    own = [chunks.take(range(*ends)) for ends in pairwise(np.cumsum([0, *n_chunks]))]
    total = np.array([axis.amount(spans) for spans in own], dtype=float)
    union = np.array([axis.amount(spans.as_set()) for spans in own], dtype=float)
    whole = [axis.amount(axis.placed(name, [0], [len(text)])) for name, text in axis.texts.items()]
    tables = {"redundancy": np.stack((total - union, union), 1), "coverage": np.stack((union, whole), 1)}
    if limits is not None:
        if not isinstance(limits, Sequence) or len(limits) != 2:
            raise ParameterError(f"limits are {short(limits)}: expected (least, greatest)")
        least, most = (check_number("limits", limit) for limit in limits)
        if least > most:
            raise ParameterError(f"limits are {least:g} and {most:g}: expected (least, greatest)")
        complying = [np.count_nonzero((least <= each) & (each <= most)) for each in sizes.values()]
        tables["size_compliance"] = np.stack((complying, n_chunks), axis=1).astype(float)
    if blocks is not None:
        check_whole("tolerance", tolerance)
        known = blocks_of(blocks, axis)
        tables |= {name: np.zeros((len(own), 2)) for name in ("block_integrity", "covering")}
        for row, (name, spans) in enumerate(zip(axis.texts, own, strict=True)):
            if name in known:
                cuts = spans.starts[1:] - axis.bases[name]
                tables["block_integrity"][row] = _whole_blocks(known[name], cuts, tolerance)
                tables["covering"][row] = _covering(axis, chunks, axis.placed(name, *known[name]))
    return tables


def _whole_blocks(blocks: Spans, cuts: IntArray, tolerance: int) -> tuple[int, int]:
    """Return the number of blocks without a cut farther inside than the tolerance, and of all blocks."""
    first = np.searchsorted(cuts, blocks.starts + tolerance, side="right")
    last = np.searchsorted(cuts, blocks.ends - tolerance, side="left")
    return int((last <= first).sum()), len(blocks.starts)


def _covering(axis: Axis, chunks: Spans, blocks: Spans) -> tuple[float, float]:
    """Return Σ |A| max J(A, B) and Σ |A| over blocks A and chunks B (van den Burg & Williams 2020)."""
    block, chunk = blocks.overlapping(chunks)
    own, other = blocks.take(block), chunks.take(chunk)
    both = Spans(np.maximum(own.starts, other.starts), np.minimum(own.ends, other.ends))
    common = axis.amounts(both)
    either = axis.amounts(own) + axis.amounts(other) - common
    best = np.zeros(len(blocks.starts))
    np.maximum.at(best, block, common / np.maximum(either, 1))
    amounts = axis.amounts(blocks)
    return (amounts * best).sum(), amounts.sum()


# -------------------------------------------------------------------- vectors


def cosines_of(chunks: Chunks, documents: Iterable[str], vectors: Vectors) -> tuple[Tables, int]:
    """Return cohesion and coherence, and the number of chunks with fewer than two sentences."""
    within, beside, n_single = [], [], 0
    for document in documents:
        strings = chunks.strings(document)
        rows = _scaled(encoded(vectors, strings))
        units = [Units.from_text(string, by="sentence").texts if string.strip() else () for string in strings]
        several = [number for number, own in enumerate(units) if len(own) > 1]
        n_single += len(strings) - len(several)
        total = 0.0
        if several:
            every = _scaled(encoded(vectors, [text for number in several for text in units[number]]))
            n_own = [len(units[number]) for number in several]
            cosines = np.einsum("ij,ij->i", every, rows[repeat(several, n_own)])
            total = float((cosines / repeat(n_own, n_own)).sum())
        within.append((total, len(several)))
        padded = np.pad(rows, ((1, 1), (0, 0)))
        cosines = np.einsum("ij,ij->i", rows, _scaled(padded[:-2] + padded[2:]))
        beside.append((cosines.sum(), len(rows)) if len(rows) > 1 else (0.0, 0))
    return {"cohesion": np.array(within, dtype=float), "coherence": np.array(beside, dtype=float)}, n_single


def _scaled(rows: FloatArray) -> FloatArray:
    """Return rows of length 1; a row of zeros stays as it is."""
    return divided(rows, np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None])


# -------------------------------------------------------------------- questions


def tables_of_questions(
    axis: Axis, questions: Sequence[Question], chunks: Spans, given: Sequence[IntArray] | None, *, touch: bool
) -> Tables:
    """Return the values of each question, with 1 as denominator, so that sums give means.

    ``given`` holds the numbers of the chunks that a retriever gives for each question; with ``touch`` chunks
    that end where the evidence starts, or start where it ends, count as chunks with evidence.
    """
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
    return {name: np.stack((own, np.ones(len(own))), 1) for name, own in zip(names, table.T, strict=True)}


def given_chunks(
    n_questions: int,
    chunkings: Mapping[str, Chunks],
    axis: Axis,
    placed: Mapping[str, Spans],
    ranking: Ranking,
    budget: float | None,
) -> dict[str, list[IntArray]]:
    """Return, by chunking, the numbers among all chunks of those that are given for each question."""
    if not isinstance(ranking, Mapping):
        raise ParameterError(f"ranking is {short(ranking)}: expected lists by the name of the chunking")
    given: dict[str, list[IntArray]] = {}
    for name, lists in ranking.items():
        if name not in chunkings:
            raise unknown("chunking of the ranking", str(name), chunkings)
        chunks = chunkings[name]
        if not chunks.is_sorted:
            raise ParameterError(f"ranking of {name}: its chunks were not given in order of start; sort them")
        if not isinstance(lists, Sized):
            raise ParameterError(f"ranking of {name} is {short(lists)}: expected a list for each question")
        if len(lists) != n_questions:
            numbers_of = counted(len(lists), "list"), counted(n_questions, "question")
            raise ParameterError(f"ranking of {name}: {' for '.join(numbers_of)}: expected one for each")
        edges = np.cumsum([0, *(len(chunks.columns(document)[0]) for document in axis.texts)]).tolist()
        numbers = dict(zip(axis.texts, starmap(range, pairwise(edges)), strict=True))
        amounts = axis.amounts(placed[name])
        given[name] = []
        for number, own in enumerate(lists):
            try:
                chosen = np.array([_number_of(each, numbers) for each in own], dtype=np.int64)
            except (TypeError, ValueError, LookupError):
                expected = "pairs (document, chunk)" if len(numbers) > 1 else f"chunks 0 to {edges[-1] - 1}"
                fault = f"question {number} has {short(own)}: expected {expected}"
                raise ParameterError(f"ranking of {name}: {fault}") from None
            if budget is not None:
                chosen = chosen[np.cumsum(amounts[chosen]) <= budget]
            given[name].append(chosen)
    return given


def _number_of(value: Any, numbers: Mapping[str, range]) -> int:
    """Return the number of a ranked chunk among the chunks of all texts."""
    is_pair = len(numbers) > 1 or isinstance(value, (list, tuple))
    document, number = value if is_pair else (next(iter(numbers)), value)
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
        raise TypeError
    return numbers[document][number]

"""The values of chunkings by evidence, blocks, limits and vectors, as numerators and denominators.

Spans are rows (start, end) of characters, half-open, on one axis of all documents. Each function returns
arrays by the name of the value, with a row (numerator, denominator) for each document or question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from caesura.analyses.chunking.results import OF_QUESTIONS, Sizes
from caesura.arrays import FloatArray, IntArray, bincount, divided, repeat
from caesura.checks import check_choice, check_number, check_whole
from caesura.errors import CorpusError, ParameterError, unknown, within
from caesura.segmenters.similarities import Vectors, encoded, unit_vectors
from caesura.values.chunks import Chunks, Question, segment_spans
from caesura.values.corpus import Corpus
from caesura.values.units import WORD, Units
from caesura.wording import counted, listed, short

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)

Size: TypeAlias = str | Callable[[str], float]
"""The unit of sizes: characters, words, or a function of a chunk's text."""

Tokenizer: TypeAlias = Callable[[str], Sequence[Any]]
"""From a text to its tokens' spans (start, end) of characters."""

Number: TypeAlias = int | tuple[str, int]
Ranking: TypeAlias = Mapping[str, Sequence[Sequence[Number]]]
"""By chunking: the numbers of each question's chunks, best first; of several documents, with names."""

Tables: TypeAlias = dict[str, FloatArray]


# -------------------------------------------------------------------- spans


def union(spans: IntArray) -> IntArray:
    """Return the union of spans, ascending; no span of it touches the next.

    >>> union(np.array([[4, 6], [0, 2], [3, 5]])).tolist()
    [[0, 2], [3, 6]]
    """
    if not len(spans):
        return spans
    starts, ends = spans[np.argsort(spans[:, 0], kind="stable")].T
    reached = np.maximum.accumulate(ends)
    is_new = starts[1:] > reached[:-1]
    return np.stack((starts[np.append(True, is_new)], reached[np.append(is_new, True)]), axis=1)


def overlapping(spans: IntArray, others: IntArray, touch: int = 0) -> tuple[IntArray, IntArray]:
    """Return the pairs of these spans and others that overlap, as two columns of numbers.

    The others ascend by start. With ``touch`` 1 adjacent spans are pairs, too.
    """
    reached = np.maximum.accumulate(others[:, 1])
    first = np.searchsorted(reached, spans[:, 0], side="left" if touch else "right")
    last = np.searchsorted(others[:, 0], spans[:, 1], side="right" if touch else "left")
    number = np.maximum(0, last - first)
    own = repeat(np.arange(len(spans)), number)
    other = np.arange(len(own)) + repeat(first - np.cumsum(number) + number, number)
    meet = others[other, 1] + touch > spans[own, 0]
    return own[meet], other[meet]


class Axis:
    """All documents end to end, a character apart; amounts are in characters or tokens.

    A token belongs to the span that contains its first character.
    """

    def __init__(self, texts: Mapping[str, str], tokenizer: Tokenizer | None = None) -> None:
        edges = np.cumsum([0, *(len(text) + 1 for text in texts.values())])
        self.texts = texts
        self.documents = np.stack((edges[:-1], edges[1:] - 1), axis=1)
        self.bases = dict(zip(texts, edges.tolist(), strict=False))
        self.n_started: IntArray | None = None
        if tokenizer is not None:  # tokens that start before each character
            starts = np.zeros(edges[-1] + 1, dtype=np.int64)
            for name, text in texts.items():
                np.add.at(starts, self.bases[name] + 1 + _first_characters(tokenizer, text), 1)
            self.n_started = np.cumsum(starts)

    def span(self, document: str, start: int, end: int) -> tuple[int, int]:
        """Return a span of a document as a span of the axis."""
        return start + self.bases[document], end + self.bases[document]

    def chunks(self, chunks: Chunks) -> IntArray:
        """Return the chunks of all documents, in the order of the texts."""
        names = [name for name in self.texts if name in chunks.texts]
        own = [np.stack(chunks.columns(name), axis=1) + self.bases[name] for name in names]
        return np.concatenate([np.empty((0, 2), dtype=np.int64), *own])

    def amounts(self, spans: IntArray) -> IntArray:
        """Return the amount of each span."""
        ends = spans if self.n_started is None else self.n_started[spans]
        return np.asarray(ends[:, 1] - ends[:, 0])

    def amount(self, spans: IntArray) -> int:
        """Return the amount of the union of the spans."""
        return int(self.amounts(union(spans)).sum())

    def number(self, spans: IntArray) -> IntArray:
        """Return the number of the document of each span."""
        return np.asarray(np.searchsorted(self.documents[:, 0], spans[:, 0], side="right") - 1)

    def by_document(self, spans: IntArray, *values: ArrayLike) -> FloatArray:
        """Return the sums of the values of spans in each document, a column for each of the values."""
        number = self.number(spans)
        return np.stack([bincount(number, own, len(self.texts)) for own in values], axis=1)


def _first_characters(tokenizer: Tokenizer, text: str) -> IntArray:
    """Return where the tokens of a text start."""
    try:
        starts = np.array([start for start, end in tokenizer(text) if start < end], dtype=np.int64)
    except (TypeError, ValueError) as error:
        expected = "a function from a text to the spans (start, end) of its tokens"
        raise ParameterError(f"tokenizer: expected {expected} ({error})") from None
    if len(starts) and (starts.min() < 0 or starts.max() >= len(text)):
        raise ParameterError(f"tokenizer: a token starts outside the text of {len(text):,} characters")
    return starts


# -------------------------------------------------------------------- sizes, blocks, limits


def measure_of(size: Size) -> Callable[[str], float]:
    """Return the function from a chunk's text to its size."""
    if callable(size):
        return lambda text: check_number("size", size(text))
    check_choice("size", size, ("characters", "words"))
    return len if size == "characters" else lambda text: len(WORD.findall(text))


def sizes_of(sizes: FloatArray) -> Sizes:
    """Return the distribution of the sizes of all chunks."""
    quantiles = dict(zip(QUANTILES, np.quantile(sizes, QUANTILES).tolist(), strict=True))
    return Sizes(len(sizes), float(sizes.mean()), float(sizes.std()), quantiles)


def blocks_of(blocks: Any, axis: Axis) -> IntArray:
    """Return the blocks of all documents."""
    if isinstance(blocks, Corpus):
        with within("blocks"):
            blocks = segment_spans(blocks)
    if isinstance(blocks, Mapping):
        own = {name: spans for name, spans in blocks.items() if name in axis.texts}
        blocks = Chunks.from_spans(own, axis.texts)
    if not isinstance(blocks, Chunks):
        raise ParameterError(f"blocks are {short(blocks)}: expected Chunks, a corpus, or spans by document")
    return axis.chunks(blocks)


def tables_of_texts(
    axis: Axis,
    chunks: IntArray,
    sizes: FloatArray,
    limits: tuple[float, float] | None,
    blocks: Any,
    tolerance: int,
) -> Tables:
    """Return redundancy and coverage, and with limits and blocks the values that need them."""
    whole = union(chunks)
    (total,) = axis.by_document(chunks, axis.amounts(chunks)).T
    (covered,) = axis.by_document(whole, axis.amounts(whole)).T
    tables = {
        "redundancy": np.stack((total - covered, covered), axis=1),
        "coverage": np.stack((covered, axis.amounts(axis.documents)), axis=1),
    }
    if limits is not None:
        bounds = [check_number("limits", limit) for limit in limits] if isinstance(limits, Sequence) else []
        if len(bounds) != 2 or bounds[0] > bounds[1]:
            given = listed([f"{bound:g}" for bound in bounds]) if len(bounds) == 2 else short(limits)
            raise ParameterError(f"limits are {given}: expected (least, greatest)")
        complies = (bounds[0] <= sizes) & (sizes <= bounds[1])
        tables["size_compliance"] = axis.by_document(chunks, complies, np.ones(len(chunks)))
    if blocks is not None:
        check_whole("tolerance", tolerance)
        own = blocks_of(blocks, axis)
        amounts, best = axis.amounts(own), _best_jaccard(axis, own, chunks)
        cuts = chunks[1:, 0][np.diff(axis.number(chunks)) == 0]
        first = np.searchsorted(cuts, own[:, 0] + tolerance, side="right")
        is_whole = np.searchsorted(cuts, own[:, 1] - tolerance, side="left") <= first
        tables["block_integrity"] = axis.by_document(own, is_whole, np.ones(len(own)))
        tables["covering"] = axis.by_document(own, amounts * best, amounts)
    return tables


def _best_jaccard(axis: Axis, blocks: IntArray, chunks: IntArray) -> FloatArray:
    """Return max J(A, B) over chunks B for each block A (van den Burg & Williams 2020)."""
    block, chunk = overlapping(blocks, chunks)
    own, other = blocks[block], chunks[chunk]
    both = np.stack((np.maximum(own[:, 0], other[:, 0]), np.minimum(own[:, 1], other[:, 1])), axis=1)
    common = axis.amounts(both)
    best = np.zeros(len(blocks))
    np.maximum.at(best, block, common / np.maximum(axis.amounts(own) + axis.amounts(other) - common, 1))
    return best


# -------------------------------------------------------------------- vectors


def cosines_of(axis: Axis, chunks: Chunks, vectors: Vectors) -> tuple[Tables, int]:
    """Return cohesion and coherence, and the number of chunks with fewer than two sentences."""
    strings = [string for document in axis.texts for string in chunks.strings(document)]
    units = [Units.from_text(string, by="sentence").texts if string.strip() else () for string in strings]
    sentences = [text for own in units for text in own if len(own) > 1]
    n_own = np.array([len(own) if len(own) > 1 else 0 for own in units])
    spans, rows = axis.chunks(chunks), unit_vectors(encoded(vectors, strings))
    chunk, cosines = repeat(np.arange(len(rows)), n_own), np.zeros(0)
    if sentences:
        cosines = np.einsum("ij,ij->i", unit_vectors(encoded(vectors, sentences)), rows[chunk])
    means = divided(bincount(chunk, cosines, len(rows)), n_own)
    number = axis.number(spans)
    first = np.flatnonzero(np.diff(number) == 0)  # chunks before another of their document
    beside = np.zeros_like(rows)
    beside[first] += rows[first + 1]
    beside[first + 1] += rows[first]
    cosines = np.einsum("ij,ij->i", rows, unit_vectors(beside))
    cohesion = axis.by_document(spans, means, n_own > 0)
    coherence = axis.by_document(spans, cosines, bincount(number)[number] > 1)
    return {"cohesion": cohesion, "coherence": coherence}, int((n_own == 0).sum())


# -------------------------------------------------------------------- questions


def tables_of_questions(
    axis: Axis,
    questions: Sequence[Question],
    chunks: IntArray,
    given: Sequence[IntArray] | None,
    *,
    touch: bool,
) -> Tables:
    """Return the values of each question over 1, so that sums give means.

    ``given`` holds the numbers of the chunks that a retriever returns for each question. With ``touch``,
    chunks that end where the evidence starts, or start where it ends, are chunks with evidence.
    """
    names = OF_QUESTIONS if given is not None else OF_QUESTIONS[:2]
    table = np.ones((len(questions), len(names), 2))
    pieces = [np.array([axis.span(*piece) for piece in question.evidence]) for question in questions]
    piece, chunk = overlapping(np.concatenate(pieces), chunks, int(touch))
    ends = np.searchsorted(piece, np.cumsum([len(own) for own in pieces]))
    for number, (evidence, start, end) in enumerate(zip(pieces, [0, *ends[:-1]], ends, strict=True)):
        amount = axis.amount(evidence)
        if not amount:
            text = questions[number].text
            raise CorpusError(f"question {number} ({short(text)}): its evidence has no token")
        best = chunks[np.unique(chunk[start:end])]
        either = axis.amount(np.concatenate((evidence, best)))
        shared = amount + axis.amount(best) - either
        table[number, :2, 0] = shared / either, shared / amount
        if given is not None:
            own = chunks[given[number]]
            total = int(axis.amounts(own).sum())
            shared = amount + axis.amount(own) - axis.amount(np.concatenate((evidence, own)))
            precision = shared / total if total else 0.0
            table[number, 2:, 0] = shared / amount, precision, shared / (total + amount - shared)
    return dict(zip(names, table.swapaxes(0, 1), strict=True))


def given_chunks(
    n_questions: int, chunkings: Mapping[str, Chunks], axis: Axis, ranking: Ranking, budget: float | None
) -> dict[str, list[IntArray]]:
    """Return, by chunking, the numbers of each question's ranked chunks among the chunks of all texts."""
    if not isinstance(ranking, Mapping):
        raise ParameterError(f"ranking is {short(ranking)}: expected lists by the name of the chunking")
    given: dict[str, list[IntArray]] = {}
    for name, lists in ranking.items():
        if name not in chunkings:
            raise unknown("chunking of the ranking", str(name), chunkings)
        if not chunkings[name].is_sorted:
            raise ParameterError(f"ranking of {name}: its chunks were not given in order of start; sort them")
        if not isinstance(lists, Sized):
            raise ParameterError(f"ranking of {name} is {short(lists)}: expected a list for each question")
        if len(lists) != n_questions:
            numbers_of = f"{counted(len(lists), 'list')} for {counted(n_questions, 'question')}"
            raise ParameterError(f"ranking of {name}: {numbers_of}: expected one for each")
        chunks, given[name] = axis.chunks(chunkings[name]), []
        amounts = axis.amounts(chunks)
        edges = np.searchsorted(chunks[:, 0], [*axis.bases.values(), np.inf]).tolist()
        numbers = {doc: range(*own) for doc, own in zip(axis.texts, pairwise(edges), strict=True)}
        for number, own in enumerate(lists):
            try:
                chosen = np.array([_number_of(each, numbers) for each in own], dtype=np.int64)
            except (TypeError, ValueError, LookupError):
                expected = "pairs (document, chunk)" if len(numbers) > 1 else f"chunks 0 to {len(chunks) - 1}"
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

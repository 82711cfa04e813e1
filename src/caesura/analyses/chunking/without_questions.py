"""Chunkings without questions: sizes, redundancy, coverage, blocks that stay whole, and vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from caesura.analyses.chunking.results import Sizes
from caesura.analyses.chunking.spans import Axis, Spans
from caesura.arrays import FloatArray, IntArray, repeat
from caesura.checks import check_choice, check_number, check_whole
from caesura.errors import CorpusError, ParameterError
from caesura.segmenters.similarities import Vectors, encoded
from caesura.values.chunks import Chunks
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.units import WORD, Units

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
SIZES = ("characters", "words")

Size: TypeAlias = str | Callable[[str], float]
"""What the size of a chunk is: characters, words, or a function of its text."""


def measure_of(size: Size) -> Callable[[str], float]:
    """Return what gives the size of a chunk's text."""
    if callable(size):
        return lambda text: check_number("size", size(text))
    check_choice("size", size, SIZES)
    return len if size == "characters" else lambda text: sum(1 for _ in WORD.finditer(text))


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
                raise CorpusError(
                    f"document {short_name(name)}: blocks are of one coder, and {coder} is another"
                )
            if name not in blocks.spans or blocks.spans[name].axis != "characters":
                raise CorpusError(
                    f"document {short_name(name)}: where its blocks are in the text is not known"
                )
            units = blocks.spans[name]
            edges = [units.origin, *units.offsets(segmentation), units.end]
            spans[name] = np.stack((edges[:-1], edges[1:]), axis=1).astype(np.int64).tolist()
        blocks = spans
    if isinstance(blocks, Mapping):
        own = {name: spans for name, spans in blocks.items() if name in axis.texts}
        blocks = Chunks.from_spans(own, axis.texts)
    return {name: Spans(*blocks.columns(name)) for name in axis.texts if name in blocks.texts}


def quotients_of(
    axis: Axis,
    placed: Spans,
    sizes: Mapping[str, FloatArray],
    limits: tuple[float, float] | None,
    blocks: Any,
    tolerance: int,
) -> dict[str, FloatArray]:
    """Return numerators and denominators of what is a quotient of sums over documents (rows)."""
    numbers = [len(own) for own in sizes.values()]
    offsets = np.cumsum([0, *numbers])
    own = [placed.take(range(start, end)) for start, end in pairwise(offsets)]
    total = np.array([axis.amount(spans) for spans in own], dtype=float)
    union = np.array([axis.amount(spans.as_set()) for spans in own], dtype=float)
    whole = [axis.amount(axis.placed(name, [0], [len(text)])) for name, text in axis.texts.items()]
    quotients = {
        "redundancy": np.stack((total - union, union), axis=1),
        "coverage": np.stack((union, np.array(whole, dtype=float)), axis=1),
    }
    if limits is not None:
        least, most = (check_number("limits", limit) for limit in limits)
        if least > most:
            raise ParameterError(f"limits are {least:g} and {most:g}: expected (least, greatest)")
        complying = [int(((least <= each) & (each <= most)).sum()) for each in sizes.values()]
        quotients["size_compliance"] = np.stack((complying, numbers), axis=1).astype(float)
    if blocks is not None:
        check_whole("tolerance", tolerance)
        known = blocks_of(blocks, axis)
        counts = np.zeros((len(own), 2))
        for row, (name, spans) in enumerate(zip(axis.texts, own, strict=True)):
            if name in known:
                counts[row] = _whole_blocks(known[name], spans.starts[1:] - axis.bases[name], tolerance)
        quotients["block_integrity"] = counts
        quotients["covering"] = _covering(axis, placed, known)
    return quotients


def _whole_blocks(blocks: Spans, cuts: IntArray, tolerance: int) -> tuple[int, int]:
    """Return how many blocks have no cut more than the tolerance inside of them, and how many there are."""
    first = np.searchsorted(cuts, blocks.starts + tolerance, side="right")
    last = np.searchsorted(cuts, blocks.ends - tolerance, side="left")
    return int((last <= first).sum()), len(blocks.starts)


def _covering(axis: Axis, placed: Spans, blocks: Mapping[str, Spans]) -> FloatArray:
    """Return Σ |A| max J(A, B) and Σ |A| over blocks A and chunks B (van den Burg & Williams 2020)."""
    table = np.zeros((len(axis.texts), 2))
    for row, name in enumerate(axis.texts):
        if name not in blocks:
            continue
        whole = axis.placed(name, *blocks[name])
        block, chunk = whole.overlapping(placed)
        own, other = whole.take(block), placed.take(chunk)
        both = Spans(np.maximum(own.starts, other.starts), np.minimum(own.ends, other.ends))
        common = axis.amounts(both)
        either = axis.amounts(own) + axis.amounts(other) - common
        best = np.zeros(len(whole.starts))
        np.maximum.at(best, block, common / np.maximum(either, 1))
        amounts = axis.amounts(whole)
        table[row] = (amounts * best).sum(), amounts.sum()
    return table


def cosines_of(
    chunks: Chunks, documents: Iterable[str], vectors: Vectors
) -> tuple[dict[str, FloatArray], int]:
    """Return sums of cosines and their numbers by document, and how many chunks have no two sentences."""
    within, beside, n_single = [], [], 0
    for document in documents:
        strings = chunks.strings(document)
        rows = _scaled(encoded(vectors, strings))
        sentences = [_sentences(string) for string in strings]
        several = [number for number, own in enumerate(sentences) if len(own) > 1]
        n_single += len(strings) - len(several)
        total = 0.0
        if several:
            every = _scaled(encoded(vectors, [text for number in several for text in sentences[number]]))
            n_own = [len(sentences[number]) for number in several]
            cosines = np.einsum("ij,ij->i", every, rows[repeat(several, n_own)])
            total = float((cosines / repeat(n_own, n_own)).sum())
        within.append((total, len(several)))
        padded = np.pad(rows, ((1, 1), (0, 0)))
        cosines = np.einsum("ij,ij->i", rows, _scaled(padded[:-2] + padded[2:]))
        beside.append((cosines.sum(), len(rows)) if len(rows) > 1 else (0.0, 0))
    return {"cohesion": np.array(within, dtype=float), "coherence": np.array(beside, dtype=float)}, n_single


def _sentences(text: str) -> tuple[str, ...]:
    return Units.from_text(text, by="sentence").texts if text.strip() else ()


def _scaled(rows: FloatArray) -> FloatArray:
    """Return rows of length 1; a row of zeros stays one."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    scaled: FloatArray = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled

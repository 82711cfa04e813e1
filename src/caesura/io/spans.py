"""Spans: the one way from spans on an axis to a coding, by the rules that the caller named, and back.

Spans of characters are checked one by one and chosen by label; chunks, which overlap, are put together to the
running text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from caesura.arrays import FloatArray
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, did_you_mean
from caesura.io.files import Source, shortened
from caesura.io.json_files import named_only
from caesura.io.messages import within
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.segments import Gaps, Overlap, boundaries_of_segments
from caesura.values.units import UNKNOWN, Projection, Units
from caesura.wording import counted, listed

Spans = Sequence[tuple[float, float]] | FloatArray

OFFSETS = "offsets count code points (not bytes, and not the halves of UTF-16)"
LINE_ENDS = re.compile(r"[\r\n\t]")

STRIPPED = 8
"""Characters in no chunk that are still taken for white space: splitters strip it from the ends of chunks."""


def note_rules(source: Source) -> None:
    """Take note of the rules that the caller named, so that a file that happens to need none may be read."""
    source.options.get("overlap")
    source.options.get("gaps")


def placed(
    source: Source, units: Units, spans: Spans, *, overlap: Overlap = "error", gaps: Gaps = "error"
) -> Projection:
    """Return the coding whose segments are these spans, and how its boundaries got to the units' ends.

    ``overlap`` and ``gaps`` are what the format itself says of such places; what the caller of ``read`` says
    counts more.
    """
    table = np.asarray(spans, dtype=np.float64).reshape(len(spans), 2)
    rules = {"overlap": source.options.get("overlap", overlap), "gaps": source.options.get("gaps", gaps)}
    return units.place(boundaries_of_segments(table[:, 0], table[:, 1], units, **rules))


def add_segments(
    builder: CorpusBuilder,
    source: Source,
    document: str,
    coder: str,
    units: Units,
    spans: Spans,
    *,
    overlap: Overlap = "error",
    gaps: Gaps = "error",
) -> Projection:
    """Add a coding whose segments are these spans on the document's axis, as ``placed`` has them."""
    with within(f"document {document}: coder {coder}"):
        projection = placed(source, units, spans, overlap=overlap, gaps=gaps)
    return _add(builder, document, coder, units, projection)


def add_places(
    builder: CorpusBuilder, document: str, coder: str, units: Units, places: Sequence[float] | np.ndarray
) -> Projection:
    """Add a coding with boundaries at these places on the document's axis; return how they got there."""
    return _add(builder, document, coder, units, units.place(places))


def _add(
    builder: CorpusBuilder, document: str, coder: str, units: Units, projection: Projection
) -> Projection:
    if not builder.add_units(document, units):
        raise CorpusError(f"document {document}: its units or texts differ between codings")
    builder.add(document, coder, projection.segmentation)
    return projection


def segments_of(corpus: Corpus, document: str, segmentation: Segmentation) -> list[tuple[int, int]]:
    """Return the segments as spans that cover the whole running text; each begins with its first unit.

    >>> from caesura.values.corpus import Corpus
    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 1]}})
    >>> corpus = corpus.with_spans({"d": Units.from_text("One two three", by="word")})
    >>> segments_of(corpus, "d", corpus["d", "ann"])
    [(0, 8), (8, 13)]
    """
    places = map(int, corpus.spans[document].offsets(segmentation))
    segments = list(pairwise([0, *places, len(running_text(corpus, document))]))
    if any(start == end for start, end in segments):
        raise CorpusError("a segment has no characters, which a format of spans cannot hold; write jsonl")
    return segments


def running_text(corpus: Corpus, document: str) -> str:
    """Return the text in which a document's units are counted, of which formats of spans consist."""
    text = corpus.spans[document].text
    if text is None:
        raise CorpusError(
            f"document {document} has no running text in which its characters are counted; write the format "
            "spans or jsonl"
        )
    return text


# -------------------------------------------------------------------- spans of characters


def checked_span(start: Any, end: Any, length: int) -> tuple[int, int]:
    """Return a half-open span of a text of this length, or say what is wrong with it.

    >>> checked_span(3, 12, 10)
    Traceback (most recent call last):
    caesura.errors.CorpusError: it ends at 12 and the text at 10; offsets count code points (not bytes, ...
    """
    first, last = checked_offset("start", start), checked_offset("end", end)
    if last < first:
        raise CorpusError(f"it ends at {last}, before it starts at {first}")
    if last > length:
        raise CorpusError(f"it ends at {last} and the text at {length}; {OFFSETS}")
    if last == first:
        raise CorpusError(f"it starts and ends at {first}: a span has at least one character")
    return first, last


def checked_offset(name: str, value: Any) -> int:
    """Return a place in a text: a whole number from 0 on."""
    if type(value) is not int:
        raise CorpusError(f"{name} is {shortened(value)}: expected a whole number of characters")
    if value < 0:
        raise CorpusError(f"{name} is {shortened(value)}: characters are counted from 0")
    return value


def characters_of(text: Any) -> Units:
    """Return the characters of a document's text."""
    if not isinstance(text, str):
        raise CorpusError(f"the text is {shortened(text)}: expected text")
    if not text:
        raise CorpusError("the text is empty: a document has at least one character")
    return Units.from_text(text, by="character")


class SpanReader:
    """What a file's spans have in common: the labels asked for, and what is to be told of them all."""

    def __init__(self, source: Source) -> None:
        self.builder = CorpusBuilder()
        self._source = source
        wanted = source.options.get("tiers")
        self._wanted = None if wanted is None else frozenset(wanted)
        self._labels: Counter[str] = Counter()
        self._n_chosen = self._n_quotes_differ = self._n_uncoded = 0
        self._first_quote = ""

    def takes(self, labels: Iterable[str]) -> bool:
        """Whether a span with these labels was asked for (by ``tiers``; otherwise all are)."""
        if self._wanted is None:
            return True
        own = list(labels)
        self._labels.update(own)
        is_chosen = not self._wanted.isdisjoint(own)
        self._n_chosen += is_chosen
        return is_chosen

    def compare_quote(self, where: str, text: str, parts: Sequence[tuple[int, int]], quote: str) -> None:
        """Note where the text that a file gives beside the offsets is not what stands there."""
        length = sum(end - start for start, end in parts) + len(parts) - 1
        # Texts of other lengths are not even looked at: a file may quote a word for each of many long spans.
        if length == len(quote) and on_one_line(_joined(text, parts)) == on_one_line(quote):
            return
        self._n_quotes_differ += 1
        if not self._first_quote:
            self._first_quote = f"{where}: {shortened(_joined(text, parts))}, not {shortened(quote)}"

    def add(self, document: str, coder: str, units: Units, spans: Sequence[tuple[float, float]]) -> None:
        """Add a coding; without spans nobody has coded the document."""
        if spans:
            add_segments(self.builder, self._source, document, coder, units, spans)
        else:
            self._n_uncoded += 1
            self.builder.add_units(document, units)

    def notices(self, one: str, many: str) -> Iterator[str]:
        """Yield what should be known of all spans; what holds them is called so."""
        if self._labels and not self._n_chosen:
            yield (
                f"none of its {counted(self._labels.total(), 'label')} was asked for: there are "
                f"{listed([label for label, _ in self._labels.most_common(6)])}"
            )
        if self._n_uncoded:
            has = "has" if self._n_uncoded == 1 else "have"
            yield f"{counted(self._n_uncoded, one, many)} {has} no span: not coded"
        if self._n_quotes_differ:
            yield (
                f"the quoted text of {counted(self._n_quotes_differ, 'span')} differs from the document's "
                f"({self._first_quote}); the offsets count, in code points"
            )


def _joined(text: str, parts: Sequence[tuple[int, int]]) -> str:
    return " ".join(text[start:end] for start, end in parts)


def on_one_line(text: str) -> str:
    """Return a text as tools quote it, which write a line end as a space."""
    return LINE_ENDS.sub(" ", text)


# -------------------------------------------------------------------- chunks


class Chunk(NamedTuple):
    """A part of a document's text, where it starts, and where in the file it stands."""

    start: int
    text: str
    where: str

    @property
    def end(self) -> int:
        """Where it ends in the document."""
        return self.start + len(self.text)


def checked_chunk(start: Any, text: Any, where: str, name: str) -> Chunk:
    """Return a chunk, or say what is wrong with its text or its start, which the file calls so."""
    if not isinstance(text, str) or not text:
        raise CorpusError(f"{where}: its text is {shortened(text)}: expected text")
    with within(where):
        chunk = Chunk(checked_offset(name, start), text, where)
    if chunk.end > MAX_NUMBER:
        raise CorpusError(f"{where}: {name} is {shortened(start)}: no text is so long")
    return chunk


def corpus_of_chunks(source: Source, coder: str, chunks: Iterable[tuple[str, Sequence[Chunk]]]) -> Corpus:
    """Return the corpus of one coder, whose segments are the chunks of each document."""
    builder = CorpusBuilder()
    for document, own in chunks:
        _add_chunks(builder, source, document, coder, own)
    return Corpus.build(builder)


def _add_chunks(
    builder: CorpusBuilder, source: Source, document: str, coder: str, chunks: Sequence[Chunk]
) -> None:
    ordered = sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))
    with within(f"document {document}"):
        text = _put_together(ordered)
    if text is None:
        units = Units.every(1, max(chunk.end for chunk in ordered), "characters")
    else:
        units = Units.from_text(text, by="character")
    add_segments(builder, source, document, coder, units, [(chunk.start, chunk.end) for chunk in ordered])


def _put_together(chunks: Sequence[Chunk]) -> str | None:
    """Return the text that chunks cover, from character 0 on; None where most of it is in no chunk."""
    n_known = sum(len(chunk.text) for chunk in chunks)
    n_unknown = length = 0
    parts: list[str] = []
    furthest = chunks[0]  # it reaches to the end of all before, and does not start after the next one
    for chunk in chunks:
        missing = chunk.start - length
        if missing > 0:
            n_unknown += missing
            if n_unknown > n_known:  # a file may name a place that no memory holds
                return None
            parts.append((" " if missing <= STRIPPED else UNKNOWN) * missing)
            length = chunk.start
        common = min(length - chunk.start, len(chunk.text))
        if common:
            _check_agreement(furthest, chunk, common)
        if chunk.end > length:
            parts.append(chunk.text[common:])
            length, furthest = chunk.end, chunk
    return "".join(parts)


def _check_agreement(other: Chunk, chunk: Chunk, common: int) -> None:
    """Refuse a chunk that differs from one before it in the characters that both have in common."""
    first = chunk.start - other.start
    before = other.text[first : first + common]
    if not chunk.text.startswith(before):
        place = next(i for i in range(common) if before[i] != chunk.text[i])
        raise CorpusError(
            f"{chunk.where} has {shortened(chunk.text[place : place + 20])} at character "
            f"{chunk.start + place}, where a chunk before it has {shortened(before[place : place + 20])}: "
            "are these two documents of one name?"
        )


def named_in(metadata: dict[str, Any], field: str, where: str) -> str:
    """Return the name of a chunk's document from the entry of its metadata that the caller names."""
    if field not in metadata:
        hint = did_you_mean(field, metadata)
        raise CorpusError(f"{where}: metadata has no {field!r} to name the document; {hint}")
    return named_only(metadata[field], f"{field} of {where}")

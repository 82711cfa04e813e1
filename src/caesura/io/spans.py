"""Spans: from spans on an axis to a coding, and back; the offsets of units as JSON.

Spans of characters are checked one by one. Chunks, which may overlap, are joined into the running text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

import numpy as np

from caesura.arrays import FloatArray
from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, SegmentationError, did_you_mean, within
from caesura.io.files import Source, misfit, shortened
from caesura.io.json_files import named_only, shaped
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.segments import Gaps, Overlap, boundaries_of_segments
from caesura.values.units import UNKNOWN, Projection, Units

Spans = Sequence[tuple[float, float]] | FloatArray

OFFSETS = "offsets count code points (not bytes, and not the halves of UTF-16)"
LINE_ENDS = re.compile(r"[\r\n\t]")
TEXT_EXTENSION = ".txt"

MAX_DIGITS = 18
"""Most digits of a number in text; longer ones would only cost time."""

STRIPPED = 8
"""Longest gap between chunks that counts as stripped white space, in characters."""


def placed(
    source: Source, units: Units, spans: Spans, overlap: Overlap = "error", gaps: Gaps = "error"
) -> Projection:
    """Return the coding with these spans as segments, and how its boundaries moved to ends of units.

    ``overlap`` and ``gaps`` are the format's own rules; those of the caller of ``read`` override them.
    """
    table = np.asarray(spans, dtype=np.float64).reshape(len(spans), 2)
    rules = {"overlap": source.options.get("overlap", overlap), "gaps": source.options.get("gaps", gaps)}
    return units.place(boundaries_of_segments(table[:, 0], table[:, 1], units, **rules))


def segments_of(corpus: Corpus, document: str, segmentation: Segmentation) -> list[tuple[int, int, str]]:
    """Return the segments as spans that cover the whole running text, with their texts.

    >>> from caesura.values.corpus import Corpus
    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 1]}})
    >>> corpus = corpus.with_spans({"d": Units.from_text("One two three", by="word")})
    >>> segments_of(corpus, "d", corpus["d", "ann"])
    [(0, 8, 'One two '), (8, 13, 'three')]
    """
    text = running_text(corpus, document)
    edges = [0, *map(int, corpus.spans[document].offsets(segmentation)), len(text)]
    if any(start == end for start, end in pairwise(edges)):
        raise CorpusError("a segment has no characters, which a format of spans cannot hold; write jsonl")
    return [(start, end, text[start:end]) for start, end in pairwise(edges)]


def chunks_of(corpus: Corpus) -> Iterator[tuple[str, int, int, str]]:
    """Yield the document, start, end and text of each segment of a corpus of one coder."""
    for document, _, segmentation in corpus:
        for segment in segments_of(corpus, document, segmentation):
            yield document, *segment


def text_beside(source: Source, fix: str = "put it there") -> str:
    """Return the text in the .txt file of the same name, in which the offsets count."""
    path = source.path.with_suffix(TEXT_EXTENSION)
    if (beside := source.beside(path)) is None:
        raise CorpusError(f"the text {path.name} is missing beside it; {fix}")
    with within(path.name):
        characters_of(beside.text)
    return beside.text


def write_text_beside(corpus: Corpus) -> dict[str, str]:
    """Return the content of the .txt file to write beside a corpus."""
    return {TEXT_EXTENSION: running_text(corpus, corpus.documents[0])}


def running_text(corpus: Corpus, document: str) -> str:
    """Return a document's running text; refuse a document without one."""
    if (text := corpus.spans[document].text) is None:
        raise CorpusError(f"document {document} has no running text to count characters in; write jsonl")
    return text


# -------------------------------------------------------------------- spans of characters


def checked_span(start: Any, end: Any, length: int) -> tuple[int, int]:
    """Return a half-open span of a text of this length; refuse others.

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
    """Return an offset in a text: a whole number from 0 on."""
    if type(value) is not int:
        raise misfit(name, value, "a whole number of characters")
    if value < 0:
        raise CorpusError(f"{name} is {shortened(value)}: characters are counted from 0")
    return value


def span_of_turns(where: str, first: Any, last: Any, n_turns: int) -> tuple[int, int]:
    """Return a half-open span from the numbers of its first and last turn, also given as text.

    >>> span_of_turns("it", "2", "3", 3)
    Traceback (most recent call last):
    caesura.errors.CorpusError: it has '3': expected a turn from 0 to 2
    """
    turns = []
    for value in (first, last):
        digits = value.strip() if isinstance(value, str) else str(value) if type(value) is int else ""
        is_whole = digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS
        if not is_whole or int(digits) >= n_turns:
            raise CorpusError(f"{where} has {shortened(value)}: expected a turn from 0 to {n_turns - 1}")
        turns.append(int(digits))
    if turns[1] < turns[0]:
        raise CorpusError(f"{where} ends in turn {turns[1]}, before it starts in turn {turns[0]}")
    return turns[0], turns[1] + 1


def characters_of(text: Any) -> Units:
    """Return the characters of a document's text as units."""
    if not isinstance(text, str):
        raise misfit("the text", text, "text")
    if not text:
        raise CorpusError("the text is empty: a document has at least one character")
    return Units.from_text(text, by="character")


def on_one_line(text: str) -> str:
    """Return a text with spaces for line ends, as tools quote it."""
    return LINE_ENDS.sub(" ", text)


# -------------------------------------------------------------------- chunks


class Passage(NamedTuple):
    """A part of a document's text in a file; None for unknown facts."""

    document: str | None
    text: str | None
    start: int | None
    where: str
    """Its position in the file, for messages."""
    end: int | None = None
    """Where it ends; None: after its text."""
    goes_on: bool = False
    """Whether it continues the chunk of the passage before it."""
    is_named: bool = True
    """Whether the document's name is a real name and not a generated number."""

    @property
    def span(self) -> tuple[int, int]:
        """Where it starts and ends in the document."""
        start = self.start or 0
        return start, start + len(self.text or "") if self.end is None else self.end


def checked_chunk(text: Any, where: str, start: Any, end: Any, names: tuple[str, str]) -> Passage:
    """Return a chunk with this text, start and end (or None); ``names`` are the file's names for both.

    >>> checked_chunk("Rain.", "record 1", 3, 9, ("start_index", "end_index"))
    Traceback (most recent call last):
    caesura.errors.CorpusError: end_index is 9, but the text (5 characters from 3 on) ends at 8; offsets ...
    """
    if not isinstance(text, str) or not text:
        raise misfit("its text", text, "text")
    chunk = Passage(None, text, checked_offset(names[0], start), where)
    if (stop := chunk.span[1]) > MAX_NUMBER:
        raise CorpusError(f"{names[0]} is {shortened(start)}: no text is so long")
    if end not in (None, stop):
        own = f"the text ({len(text)} characters from {start} on) ends at {stop}"
        raise CorpusError(f"{names[1]} is {shortened(end)}, but {own}; {OFFSETS}")
    return chunk


def units_of_chunks(chunks: Sequence[Passage]) -> Units:
    """Return the characters of the text that ordered chunks cover; most of it must be in chunks."""
    n_known = sum(len(chunk.text or "") for chunk in chunks)
    n_unknown = length = 0
    parts: list[str] = []
    furthest = chunks[0]  # the chunk that ends last so far
    for chunk in chunks:
        text, (start, end) = chunk.text or "", chunk.span
        if (missing := start - length) > 0:
            n_unknown += missing
            if n_unknown > n_known:  # offsets may be larger than memory
                return Units.every(1, max(chunk.span[1] for chunk in chunks), "characters")
            parts.append((" " if missing <= STRIPPED else UNKNOWN) * missing)
            length = start
        if common := min(length - start, len(text)):
            _check_agreement(furthest, chunk, common)
        if end > length:
            parts.append(text[common:])
            length, furthest = end, chunk
    return Units.from_text("".join(parts), by="character")


def _check_agreement(earlier: Passage, chunk: Passage, common: int) -> None:
    """Refuse a chunk that differs from an earlier one where both overlap."""
    start, text = chunk.start or 0, chunk.text or ""
    first = start - (earlier.start or 0)
    before = (earlier.text or "")[first : first + common]
    if not text.startswith(before):
        index = next(i for i in range(common) if before[i] != text[i])
        own, others = shortened(text[index : index + 20]), shortened(before[index : index + 20])
        where = f"{chunk.where} has {own} at character {start + index}"
        raise CorpusError(f"{where}, a chunk before it {others}: are these two documents of one name?")


def name_of_chunk(metadata: dict[str, Any], field: str | None, own: str, page: str) -> str | None:
    """Return the document of a chunk, from the metadata entry ``field``, by default ``own``.

    If ``own`` comes with a page, each page is a document.
    """
    if field is not None:
        if field not in metadata:
            raise CorpusError(f"metadata has no {field!r}; {did_you_mean(field, metadata)}")
        return named_only(metadata[field], field) or None
    if metadata.get(own) in (None, ""):
        return None
    name, number = named_only(metadata[own], own), metadata.get(page)
    return name if number is None else f"{name}#page={named_only(number, page)}"


# -------------------------------------------------------------------- places as JSON


class Places(TypedDict):
    """An axis with spans or a uniform grid, and the text around them."""

    axis: Any
    spans: NotRequired[Annotated[list[Any], "a list of [start, end]"]]
    grid: NotRequired[Annotated[tuple[Any, Any, Any], "[start, end, step]"]]
    text: NotRequired[str | None]


def places_of(units: Units) -> dict[str, Any]:
    """Return the object that ``places_from`` reads.

    >>> places_of(Units.from_spans([(0, 5), (6, 9)], text="It is not so."))
    {'axis': 'characters', 'spans': [(0, 5), (6, 9)], 'text': 'It is not so.'}
    >>> places_of(Units.every(0.5, end=60))
    {'axis': 'seconds', 'grid': [0.0, 60.0, 0.5]}
    """
    is_grid = units.step is not None
    own = {"grid": [units.origin, units.end, units.step]} if is_grid else {"spans": list(units.spans)}
    return {"axis": units.axis, **own, **({} if units.text is None else {"text": units.text})}


def places_from(value: Any) -> Units:
    """Return the units that such an object describes."""
    if not isinstance(value, dict) or "axis" not in value or ("spans" in value) == ("grid" in value):
        raise SegmentationError(f"{shortened(value)}: expected an object with axis, and spans or grid")
    if unknown := sorted(map(str, value.keys() - Places.__annotations__.keys())):
        raise SegmentationError(f"there is an unknown key {shortened(unknown[0])}")
    places = shaped(value, Places)
    axis, text = places["axis"], places.get("text")
    if "spans" in places:
        return Units.from_spans(places["spans"], axis, text=text)
    start, end, step = places["grid"]
    units = Units.every(step, end, axis, start=start)
    if text is None:
        return units
    if axis != "characters" or end > len(text):
        raise SegmentationError(f"the text has {len(text):,} characters, and the grid ends at {end:g}")
    return Units(units.axis, units.n_units, units.origin, units.end, units.step, text=text)

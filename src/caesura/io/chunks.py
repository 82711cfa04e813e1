"""Chunks of documents, as splitters for retrieval give them: put together to the running text, and added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError, did_you_mean
from caesura.io.base import named_only
from caesura.io.files import Source, shortened
from caesura.io.span_codings import add_segments
from caesura.io.text_spans import checked_offset
from caesura.values.builder import CorpusBuilder
from caesura.values.units import UNKNOWN, Units

STRIPPED = 8
"""Characters in no chunk that are still taken for white space: splitters strip it from the ends of chunks."""


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
    try:
        chunk = Chunk(checked_offset(name, start), text, where)
    except CorpusError as error:
        raise CorpusError(f"{where}: {error}") from None
    if chunk.end > MAX_NUMBER:
        raise CorpusError(f"{where}: {name} is {shortened(start)}: no text is so long")
    return chunk


def add_chunks(
    builder: CorpusBuilder, source: Source, document: str, coder: str, chunks: Sequence[Chunk]
) -> None:
    """Add a coding whose segments are these chunks of a document."""
    ordered = sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))
    try:
        text = _put_together(ordered)
    except CorpusError as error:
        raise CorpusError(f"document {document}: {error}") from None
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

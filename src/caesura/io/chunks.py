"""Chunks of documents, as splitters for retrieval give them: put together to the running text, and added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from caesura.checks import MAX_NUMBER
from caesura.errors import CorpusError
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
    n_unknown = 0
    text: list[str] = []
    for chunk in chunks:
        missing = chunk.start - len(text)
        if missing > 0:
            n_unknown += missing
            if n_unknown > n_known:  # a file may name a place that no memory holds
                return None
            text += (" " if missing <= STRIPPED else UNKNOWN) * missing
        common = min(len(text) - chunk.start, len(chunk.text))
        _check_agreement(text, chunk, common)
        text += chunk.text[common:]
    return "".join(text)


def _check_agreement(text: Sequence[str], chunk: Chunk, common: int) -> None:
    """Refuse a chunk that differs from those before it in the characters that it has in common with them."""
    before = "".join(text[chunk.start : chunk.start + common])
    if not chunk.text.startswith(before):
        place = next(i for i in range(common) if before[i] != chunk.text[i])
        raise CorpusError(
            f"{chunk.where} has {shortened(chunk.text[place : place + 20])} at character "
            f"{chunk.start + place}, where a chunk before it has {shortened(before[place : place + 20])}: "
            "are these two documents of one name?"
        )

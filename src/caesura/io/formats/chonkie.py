"""Chonkie's chunks with start_index and end_index, one per line or as a list.

A chunk is ``{"text": ..., "start_index": ..., "end_index": ..., "token_count": ...}``, as ``chunk.to_dict()``
returns it. Document and coder are the file. Units are the characters of the text that the chunks cover.
Chunks that overlap need ``overlap`` (start, end or middle). Identifiers, contexts and embeddings are not
kept. Token counts are not kept; characters are written in their place.
"""

from __future__ import annotations

from collections.abc import Iterator

from caesura.errors import within
from caesura.io.base import Contents, Format, read_passages
from caesura.io.files import Source
from caesura.io.json_files import entry_in, first_record, json_records, records_of
from caesura.io.spans import Passage, checked_chunk, chunks_of
from caesura.values.corpus import Corpus

START, END = EDGES = "start_index", "end_index"


def passages(source: Source) -> Iterator[Passage]:
    """Yield the chunks; the file does not name their document."""
    for where, _, record in records_of(source):
        with within(where):
            start, text = entry_in(record, [START]), entry_in(record, ["text"])
            chunk = checked_chunk(text, where, start, record.get(END), EDGES)
        yield chunk


def read(source: Source) -> Contents:
    """Read the chunks of one document."""
    return read_passages(source, passages(source), START)


def write(corpus: Corpus, extension: str) -> str:
    """Return a chunk per segment, one per line or as a list."""
    chunks = (
        {"text": text, START: start, END: end, "token_count": end - start}
        for _, start, end, text in chunks_of(corpus)
    )
    return json_records(chunks, extension)


def sniff(source: Source) -> bool:
    """Look for text and offsets in the first chunk; LangChain's offsets are in its metadata."""
    return {"text", START, END} <= first_record(source).keys()


FORMAT = Format.of(globals(), "chonkie", (".jsonl", ".json"), needs_axis="characters")

"""Chonkie's chunks with start_index and end_index, one per line or as a list.

A chunk is ``{"text": ..., "start_index": ..., "end_index": ..., "token_count": ...}``, as ``chunk.to_dict()``
gives it. The document is the file, and so is the coder. Units are the characters of the text that the chunks
cover. Chunks that overlap need ``overlap`` (start, end or middle). Identifiers, counts of tokens, contexts
and embeddings are not kept, and written empty; counts of tokens are written as characters.
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
    """Yield the chunks, whose file names no document."""
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
    """Tell it by the offsets of the first chunk, which LangChain has in its metadata."""
    return {"text", START, END} <= first_record(source).keys()


FORMAT = Format.of(globals(), "chonkie", (".jsonl", ".json"), needs_axis="characters")

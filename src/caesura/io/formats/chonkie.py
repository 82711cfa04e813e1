"""Chonkie's chunks with start_index and end_index, one per line or as a list.

A chunk is ``{"text": ..., "start_index": ..., "end_index": ..., "token_count": ...}``, as ``chunk.to_dict()``
gives it. The document is the file, and so is the coder. Units are the characters of the text that the chunks
cover. Chunks that overlap need ``overlap`` (start, end or middle). Identifiers, counts of tokens, contexts
and embeddings are not kept, and written empty; counts of tokens are written as characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Format, Passage
from caesura.io.documents import read_chunks
from caesura.io.files import Source, shortened
from caesura.io.json_files import entry_in, first_record, json_lines, json_list, records_of
from caesura.io.spans import Chunk, checked_chunk, segments_of
from caesura.values.corpus import Corpus

START, END = "start_index", "end_index"


def passages(source: Source) -> Iterator[Passage]:
    """Yield the chunks, whose file names no document."""
    for where, _, record in records_of(source):
        with within(where):
            chunk = checked_chunk(entry_in(record, (START,)), entry_in(record, ("text",)), where, START)
            end = record.get(END, chunk.end)
            if end != chunk.end:
                text = f"the text, of {len(chunk.text)} characters from {chunk.start} on, ends at {chunk.end}"
                raise CorpusError(f"{END} is {shortened(end)} where {text}; offsets count code points")
        yield Passage(None, chunk.text, chunk.start, where)


def read(source: Source) -> Contents:
    """Read the chunks of one document."""
    chunks = [Chunk(passage.start or 0, passage.text or "", passage.where) for passage in passages(source)]
    return read_chunks(source, source.name, [(source.name, chunks)] if chunks else [])


def write(corpus: Corpus, extension: str) -> str:
    """Return a chunk per segment, one per line or, in files of JSON, as a list."""
    chunks: list[dict[str, Any]] = [
        {"text": text, START: start, END: end, "token_count": end - start}
        for document, _, segmentation in corpus
        for start, end, text in segments_of(corpus, document, segmentation)
    ]
    return json_list(chunks) if extension == ".json" else json_lines(chunks)


def sniff(source: Source) -> bool:
    """Tell it by the offsets of the first chunk, which LangChain has in its metadata."""
    return {"text", START, END} <= first_record(source).keys()


FORMAT = Format(
    "chonkie",
    __doc__,
    (".jsonl", ".json"),
    read,
    write,
    sniff,
    needs_axis="characters",
    passages=passages,
)

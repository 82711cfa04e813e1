"""LangChain's chunks with start_index, a list or one per line.

A chunk is ``{"page_content": ..., "metadata": {"source": ..., "start_index": ...}}``, as it is or inside of
``kwargs`` as LangChain serializes it; ``text`` or ``content`` may stand in place of ``page_content``. The
document is ``source`` (or the entry of metadata that ``document`` names), and where chunks have a ``page``,
that page of it, because ``start_index`` then counts from the page's start. The coder is the file. Units are
the characters of the text that the chunks cover; up to eight characters between two chunks are taken for
stripped white space. Overlapping chunks need ``overlap`` (start, end or middle). Other metadata is not kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caesura.errors import within
from caesura.io.base import Contents, Format, check_named, coded_by_file, read_passages
from caesura.io.files import Source
from caesura.io.json_files import entry_in, first_record, json_records, records_of, shaped_entry
from caesura.io.spans import Passage, checked_chunk, chunks_of, name_of_chunk
from caesura.values.corpus import Corpus

TEXT_KEYS = ("page_content", "text", "content")
START, SOURCE = "start_index", "source"
FIX = "split with add_start_index=True, or name the text with text_of="


def passages(source: Source) -> Iterator[Passage]:
    """Yield the chunks; the start of one may be unknown."""
    field = source.options.get("document")
    for where, _, record in records_of(source):
        with within(where):
            inner = _chunk_of(record)
            text = entry_in(inner, TEXT_KEYS)
            metadata = shaped_entry(inner, "metadata", dict[str, Any] | None) or {}
            start = metadata.get(START)
            name = name_of_chunk(metadata, field, SOURCE, "page")
            chunk = checked_chunk(text, where, 0 if start in (None, -1) else start, None, (START, ""))
        yield chunk._replace(document=name, start=start)


def read(source: Source) -> Contents:
    """Read all chunks, and join the texts of documents."""
    return read_passages(source, passages(source), START, FIX)


def _chunk_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the chunk inside LangChain's serialization, or the chunk itself."""
    inner = record.get("kwargs")
    return inner if isinstance(inner, dict) else record


def write(corpus: Corpus, extension: str) -> str:
    """Return a chunk per segment, as a list or one per line."""
    check_named(corpus)
    chunks = (
        {TEXT_KEYS[0]: text, "metadata": {SOURCE: document, START: start}}
        for document, start, _, text in chunks_of(corpus)
    )
    return json_records(chunks, extension)


def sniff(source: Source) -> bool:
    """Recognize it by the text and metadata of the first chunk."""
    chunk = _chunk_of(first_record(source))
    metadata = chunk.get("metadata")
    if "page_content" in chunk:
        return True
    has_text = any(isinstance(chunk.get(key), str) for key in TEXT_KEYS)
    return has_text and isinstance(metadata, dict) and (START in metadata or SOURCE in metadata)


names = coded_by_file
FORMAT = Format.of(globals(), "langchain", (".json", ".jsonl"), {"documents"}, needs_axis="characters")

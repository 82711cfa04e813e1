"""LangChain's chunks with start_index, a list or one per line.

A chunk is ``{"page_content": ..., "metadata": {"source": ..., "start_index": ...}}``, as it is or inside of
``kwargs`` as LangChain serialises it; ``text`` or ``content`` may stand in place of ``page_content``. The
document is ``source`` (or the entry of metadata that ``document`` names), and where chunks have a ``page``,
that page of it, because ``start_index`` then counts from the page's start. The coder is the file. Units are
the characters of the text that the chunks cover; up to eight characters between two chunks are taken for
stripped white space. Chunks that overlap need ``overlap`` (start, end or middle). Other metadata is not kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Format, Passage, check_named, coded_by_file
from caesura.io.documents import read_chunks
from caesura.io.files import Source
from caesura.io.json_files import entry_in, first_record, json_lines, json_list, records_of, shaped_entry
from caesura.io.spans import Chunk, checked_chunk, name_of_chunk, segments_of
from caesura.values.corpus import Corpus

TEXT_KEYS = ("page_content", "text", "content")
START, SOURCE = "start_index", "source"
FIX = "split with add_start_index=True, or name data with the text by text_of="


def passages(source: Source) -> Iterator[Passage]:
    """Yield the chunks; where their splitter has not found one in its text, its start is not known."""
    field = source.options.get("document")
    for where, _, record in records_of(source):
        with within(where):
            inner = _chunk_of(record)
            text = entry_in(inner, TEXT_KEYS)
            metadata = shaped_entry(inner, "metadata", dict[str, Any] | None) or {}
            start = metadata.get(START)
            name = name_of_chunk(metadata, field, SOURCE, "page")
            chunk = checked_chunk(0 if start in (None, -1) else start, text, where, START)
        yield Passage(name, chunk.text, start, where)


def read(source: Source) -> Contents:
    """Read all chunks, and put their documents together."""
    chunks: dict[str, list[Chunk]] = {}
    for name, text, start, where, *_ in passages(source):
        with within(where):
            if start is None:
                raise CorpusError(f"metadata has no {START}; {FIX}")
            if start == -1:
                fault = "the splitter has not found the chunk in its text; name data with it by text_of="
                raise CorpusError(f"{START} is -1: {fault}")
        chunks.setdefault(name or source.name, []).append(Chunk(start, text or "", where))
    return read_chunks(source, source.name, chunks.items())


def _chunk_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return what LangChain serialises a chunk with, or the chunk itself."""
    inner = record.get("kwargs")
    return inner if isinstance(inner, dict) else record


def write(corpus: Corpus, extension: str) -> str:
    """Return a chunk per segment, as a list or, in files of lines, one per line."""
    check_named(corpus)
    chunks = [
        {TEXT_KEYS[0]: text, "metadata": {SOURCE: document, START: start}}
        for document, _, segmentation in corpus
        for start, _, text in segments_of(corpus, document, segmentation)
    ]
    return json_lines(chunks) if extension == ".jsonl" else json_list(chunks)


def sniff(source: Source) -> bool:
    """Tell it by the text of the first chunk, and by the metadata that no other format has."""
    chunk = _chunk_of(first_record(source))
    metadata = chunk.get("metadata")
    if "page_content" in chunk:
        return True
    has_text = any(isinstance(chunk.get(key), str) for key in TEXT_KEYS)
    return has_text and isinstance(metadata, dict) and (START in metadata or SOURCE in metadata)


FORMAT = Format(
    "langchain",
    __doc__,
    (".json", ".jsonl"),
    read,
    write,
    sniff,
    {"documents"},
    needs_axis="characters",
    names=coded_by_file,
    passages=passages,
)

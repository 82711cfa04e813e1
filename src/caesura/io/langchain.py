"""LangChain's chunks: documents with their text and metadata, in a JSON list or one per line.

A chunk is ``{"page_content": ..., "metadata": {"source": ..., "start_index": ...}}``, as it is or inside of
``kwargs`` as LangChain serialises it; ``text`` or ``content`` may stand in place of ``page_content``. The
document is ``source`` (or the entry of metadata that ``document=`` names), and where chunks have a ``page``,
that page of it, because ``start_index`` then counts from the page's start. The coder is the file.
"""

from __future__ import annotations

import json
from typing import Any

from caesura.errors import CorpusError, did_you_mean
from caesura.io.base import Contents, Format, check_named, named_only
from caesura.io.chunks import Chunk, add_chunks, checked_chunk, named_in
from caesura.io.files import Source, shortened
from caesura.io.json_records import first_record, records_of
from caesura.io.span_codings import running_text, segments_of
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus

TEXT_KEYS = ("page_content", "text", "content")
START, SOURCE, PAGE = "start_index", "source", "page"
FIX = "split with add_start_index=True, so that it is known where chunks start"


def read(source: Source) -> Contents:
    """Read all chunks, and put their documents together."""
    name_field = source.options.get("document")
    chunks: dict[str, list[Chunk]] = {}
    for where, record in records_of(source):
        text, metadata = _parts(record, where)
        chunk = _chunk(text, metadata, where)
        document = _document(metadata, name_field, where) or source.name
        chunks.setdefault(document, []).append(chunk)
    if not chunks:
        raise CorpusError("there is no chunk")
    builder = CorpusBuilder()
    for document, own in chunks.items():
        add_chunks(builder, source, document, source.name, own)
    return Contents(Corpus.build(builder))


def _parts(record: dict[str, Any], where: str) -> tuple[Any, dict[str, Any]]:
    """Return text and metadata of a chunk."""
    inner = record.get("kwargs")
    chunk = inner if isinstance(inner, dict) else record
    key = next((key for key in TEXT_KEYS if key in chunk), None)
    if key is None:
        raise CorpusError(f"{where}: there is no 'page_content'; {did_you_mean('page_content', chunk)}")
    metadata = chunk.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise CorpusError(f"{where}: metadata is {shortened(metadata)}: expected an object")
    return chunk[key], metadata or {}


def _chunk(text: Any, metadata: dict[str, Any], where: str) -> Chunk:
    start = metadata.get(START)
    if start is None:
        raise CorpusError(f"{where}: metadata has no {START}; {FIX}")
    if start == -1:
        raise CorpusError(
            f"{where}: {START} is -1: the splitter has not found the chunk in its text, which it may have "
            "changed"
        )
    return checked_chunk(start, text, where, START)


def _document(metadata: dict[str, Any], name_field: str | None, where: str) -> str | None:
    """Return the name of a chunk's document; None where it has none."""
    if name_field is not None:
        return named_in(metadata, name_field, where)
    name, page = metadata.get(SOURCE), metadata.get(PAGE)
    if name is None:
        return None
    name = named_only(name, f"{SOURCE} of {where}")
    return name if page is None else f"{name}#page={named_only(page, f'{PAGE} of {where}')}"


def write(corpus: Corpus, extension: str) -> str:
    """Return a chunk per segment, as a list or, in files of lines, one per line."""
    check_named(corpus)
    chunks = []
    for document in corpus.documents:
        text = running_text(corpus, document)
        codings = list(corpus[document].values())
        if not codings:
            raise CorpusError(f"document {document}: nobody has coded it, so there are no chunks")
        for start, end in segments_of(corpus.spans[document], codings[0]):
            metadata = {SOURCE: document, START: start}
            chunks.append(
                json.dumps({TEXT_KEYS[0]: text[start:end], "metadata": metadata}, ensure_ascii=False)
            )
    if extension == ".jsonl":
        return "\n".join(chunks) + "\n"
    return "[\n" + ",\n".join(chunks) + "\n]\n"


def sniff(source: Source) -> bool:
    """Tell it by the text of the first chunk, and by the metadata that no other format has."""
    record = first_record(source)
    inner = record.get("kwargs")
    chunk = inner if isinstance(inner, dict) else record
    metadata = chunk.get("metadata")
    if "page_content" in chunk:
        return True
    has_text = any(isinstance(chunk.get(key), str) for key in TEXT_KEYS)
    return has_text and isinstance(metadata, dict) and (START in metadata or SOURCE in metadata)


EXAMPLE = """\
[{"page_content": "It rained all day.", "metadata": {"source": "rain.txt", "start_index": 0}},
 {"page_content": "We stayed at home.", "metadata": {"source": "rain.txt", "start_index": 19}}]
"""

FORMAT = Format(
    "langchain",
    "LangChain's chunks with start_index, a list or one per line",
    (".json", ".jsonl"),
    read,
    write,
    sniff,
    frozenset({"documents", "places"}),
    needs_axis="characters",
    step=1,
    names=lambda name: ("", name),
    example=EXAMPLE,
    notes=(
        "Units are the characters of the text that the chunks cover; up to eight characters between two "
        "chunks are taken for stripped white space. The document is metadata.source (and page; document= "
        "names another entry), the coder the file. Chunks that overlap need overlap= (--overlap start, end "
        "or middle). Other metadata is not kept."
    ),
)

"""LlamaIndex's document store (docstore.json) or nodes: each with a text and its place in a document.

Nodes are ``docstore/data/*/__data__``, or a list or lines of what ``node.to_dict()`` gives, with ``text``,
``start_char_idx`` and ``end_char_idx``; the source is relationship "1", and a node without one is no chunk.
Its ids are new in each run, so a document is called by ``file_name`` (and ``page_label``) of the metadata
where that belongs to one source only, or by the entry that ``document=`` names, and otherwise by the id. The
coder is the file; a file called docstore, as all are by default, stands for its folder. Written as a store
with a node per segment, called by the document and a number.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format, named_only
from caesura.io.chunks import Chunk, add_chunks, checked_chunk, named_in
from caesura.io.files import Source, parse_json, shortened
from caesura.io.json_records import first_record, records_of
from caesura.io.span_codings import running_text, segments_of
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus

DATA = "docstore/data"
SOURCE = "1"
"""The relationship of a node to the document that it is a part of."""

FILE = "docstore"
OTHER_STORES = (
    "index_store.json",
    "graph_store.json",
    "property_graph_store.json",
    "vector_store.json",
    "default__vector_store.json",
    "image__vector_store.json",
)
"""What LlamaIndex writes beside its document store."""


def read(source: Source) -> Contents:
    """Read all nodes, and put their documents together."""
    name_field = source.options.get("document")
    chunks: dict[str, list[Chunk]] = {}
    names: dict[str, str] = {}
    for where, node in _nodes(source):
        origin = _origin(node, where)
        if origin is not None:
            chunks.setdefault(origin, []).append(_chunk(node, where))
            names.setdefault(origin, _name(node, origin, name_field, where))
    if not chunks:
        raise CorpusError(f"there is no node with a source document (relationship {SOURCE!r})")
    builder = CorpusBuilder()
    documents = _distinct(names)
    for origin, own in chunks.items():
        add_chunks(builder, source, documents[origin], coder_of(source), own)
    return Contents(Corpus.build(builder))


def _nodes(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each node, and what messages call it."""
    if _is_node(first_record(source)):
        yield from records_of(source)
        return
    data = source.json
    nodes = data.get(DATA) if isinstance(data, dict) else None
    if not isinstance(nodes, dict):
        raise CorpusError(f"expected an object with {DATA!r}, or nodes, not {shortened(data)}")
    for key, entry in nodes.items():
        where = f"node {shortened(key)}"
        node = entry.get("__data__") if isinstance(entry, dict) else None
        if isinstance(node, str):  # as some versions had it
            node = parse_json(node)
        if not isinstance(node, dict):
            raise CorpusError(f"{where} is {shortened(entry)}: expected an object with __data__")
        yield where, node


def _is_node(record: dict[str, Any]) -> bool:
    return "start_char_idx" in record and "text" in record


def _origin(node: dict[str, Any], where: str) -> str | None:
    """Return the id of the document that a node is a part of, if of any."""
    relationships = node.get("relationships") or {}
    if not isinstance(relationships, dict):
        raise CorpusError(f"{where}: relationships is {shortened(relationships)}: expected an object")
    related = relationships.get(SOURCE)
    if isinstance(related, dict):
        related = related.get("node_id")
    return None if related is None else named_only(related, f"source of {where}")


def _chunk(node: dict[str, Any], where: str) -> Chunk:
    for name in ("start_char_idx", "end_char_idx"):
        if node.get(name) is None:
            raise CorpusError(
                f"{where}: {name} is not known: the parser has not found the node in its document, whose "
                "text it may have changed"
            )
    chunk = checked_chunk(node["start_char_idx"], node.get("text"), where, "start_char_idx")
    if node["end_char_idx"] != chunk.end:
        raise CorpusError(
            f"{where}: end_char_idx is {shortened(node['end_char_idx'])} where the text, of "
            f"{len(chunk.text)} characters from {chunk.start} on, ends at {chunk.end}; offsets count "
            "code points"
        )
    return chunk


def _name(node: dict[str, Any], origin: str, name_field: str | None, where: str) -> str:
    """Return what the metadata calls a node's document, or else its id."""
    metadata = node.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    if name_field is not None:
        return named_in(metadata, name_field, where)
    name, page = metadata.get("file_name"), metadata.get("page_label")
    if not isinstance(name, str) or not name:
        return origin
    return name if page is None else f"{name}#page={named_only(page, f'page_label of {where}')}"


def _distinct(names: dict[str, str]) -> dict[str, str]:
    """Return the names by id; the id itself where a name belongs to several."""
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for origin, name in names.items():
        owners[name].add(origin)
    return {origin: name if len(owners[name]) == 1 else origin for origin, name in names.items()}


def coder_of(source: Source) -> str:
    """Return the coder of a file: its name, or its folder's."""
    return source.name if source.path.stem != FILE else source.folder or source.name


def write(corpus: Corpus, extension: str) -> str:
    """Return a node per segment, as LlamaIndex itself loads them."""
    nodes: dict[str, Any] = {}
    sources: dict[str, Any] = {}
    origins: dict[str, Any] = {}
    for document, _, segmentation in corpus:
        text = running_text(corpus, document)
        metadata = {"file_name": document}
        segments = segments_of(corpus.spans[document], segmentation)
        keys = [f"{document}#{number}" for number in range(1, len(segments) + 1)]
        for key, (start, end) in zip(keys, segments, strict=True):
            if key in nodes:
                raise CorpusError(
                    f"document {document}: two nodes would be called {shortened(key)}; rename one"
                )
            nodes[key] = {"__data__": _node(key, document, metadata, text[start:end], start), "__type__": "1"}
            origins[key] = {"doc_hash": "", "ref_doc_id": document}
        sources[document] = {"node_ids": keys, "metadata": metadata}
    store = {DATA: nodes, "docstore/ref_doc_info": sources, "docstore/metadata": origins}
    return json.dumps(store, ensure_ascii=False, indent=1) + "\n"


def _node(key: str, document: str, metadata: dict[str, str], text: str, start: int) -> dict[str, Any]:
    return {
        "id_": key,
        "metadata": metadata,
        "relationships": {SOURCE: {"node_id": document, "node_type": "4", "metadata": metadata}},
        "text": text,
        "start_char_idx": start,
        "end_char_idx": start + len(text),
        "class_name": "TextNode",
    }


def companions(source: Source) -> Iterable[Path]:
    """Return the stores beside a document store."""
    return [source.path.with_name(name) for name in OTHER_STORES] if source.path.stem == FILE else []


def sniff(source: Source) -> bool:
    """Tell it by the entry that holds the nodes, or by the first node."""
    if _is_node(first_record(source)):
        return True
    data = source.json_or_none
    return isinstance(data, dict) and DATA in data


EXAMPLE = """\
{"docstore/data": {
  "n1": {"__type__": "1", "__data__": {
    "text": "It rained all day.", "start_char_idx": 0, "end_char_idx": 18,
    "metadata": {"file_name": "rain.txt"}, "relationships": {"1": {"node_id": "d1"}}}},
  "n2": {"__type__": "1", "__data__": {
    "text": "We stayed at home.", "start_char_idx": 19, "end_char_idx": 37,
    "metadata": {"file_name": "rain.txt"}, "relationships": {"1": {"node_id": "d1"}}}}}}
"""

FORMAT = Format(
    "llamaindex",
    "LlamaIndex's document store of chunks (docstore.json), or its nodes",
    (".json", ".jsonl"),
    read,
    write,
    sniff,
    frozenset({"documents", "places"}),
    needs_axis="characters",
    step=1,
    names=lambda name: ("", name),
    coder=coder_of,
    companions=companions,
    example=EXAMPLE,
    notes=(
        "A store, or the nodes in a list or one per line. Units are the characters of the text that the "
        "nodes cover; up to eight characters between two nodes "
        "are taken for stripped white space. The document is file_name where it belongs to one source "
        "(document= names another entry of the metadata), else the source's id; the coder is the file, of "
        "docstore.json the folder. Nodes that overlap need overlap= (--overlap start, end or middle). "
        "Other metadata is not kept."
    ),
)

"""LlamaIndex's document store (docstore.json): nodes with a text and its place in a document; read only.

Nodes are ``docstore/data/*/__data__`` with ``text``, ``start_char_idx`` and ``end_char_idx``; the source is
relationship "1", and a node without one is no chunk. Its ids are new in each run, so a document is called by
``file_name`` (and ``page_label``) of the metadata where that belongs to one source only, or by the entry
that ``document=`` names, and otherwise by the id. The coder is the file; a file called docstore, as all are
by default, stands for its folder.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from caesura.errors import CorpusError, did_you_mean
from caesura.io.base import Format, named_only
from caesura.io.chunks import Chunk, add_chunks, checked_chunk
from caesura.io.files import Source, shortened
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


def read(source: Source) -> Corpus:
    """Read all nodes, and put their documents together."""
    data = source.json
    nodes = data.get(DATA) if isinstance(data, dict) else None
    if not isinstance(nodes, dict):
        raise CorpusError(f"expected an object with {DATA!r}, not {shortened(data)}")
    name_field = source.options.get("document")
    chunks: dict[str, list[Chunk]] = {}
    names: dict[str, str] = {}
    for key, entry in nodes.items():
        where = f"node {shortened(key)}"
        node = entry.get("__data__") if isinstance(entry, dict) else None
        if not isinstance(node, dict):
            raise CorpusError(f"{where} is {shortened(entry)}: expected an object with __data__")
        origin = _origin(node, where)
        if origin is not None:
            chunks.setdefault(origin, []).append(_chunk(node, where))
            names.setdefault(origin, _name(node, origin, name_field, where))
    if not chunks:
        raise CorpusError(f"{DATA!r} has no node with a source document (relationship {SOURCE!r})")
    builder = CorpusBuilder()
    documents = _distinct(names)
    for origin, own in chunks.items():
        add_chunks(builder, source, documents[origin], _coder(source), own)
    return Corpus.build(builder)


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
        if name_field not in metadata:
            raise CorpusError(
                f"{where}: metadata has no {name_field!r} to name the document; "
                f"{did_you_mean(name_field, metadata)}"
            )
        return named_only(metadata[name_field], f"{name_field} of {where}")
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


def _coder(source: Source) -> str:
    if source.path.stem != FILE:
        return source.name
    return Path(os.path.abspath(source.path)).parent.name or source.name


def companions(path: Path) -> Iterable[Path]:
    """Return the stores beside a document store."""
    return [path.with_name(name) for name in OTHER_STORES] if path.stem == FILE else []


def sniff(source: Source) -> bool:
    """Tell it by the entry that holds the nodes."""
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
    "LlamaIndex's document store of chunks (docstore.json; read only)",
    (".json",),
    read,
    None,
    sniff,
    frozenset({"documents", "places"}),
    needs_axis="characters",
    companions=companions,
    example=EXAMPLE,
    notes=(
        "Units are the characters of the text that the nodes cover; up to eight characters between two nodes "
        "are taken for stripped white space. The document is file_name where it belongs to one source "
        "(document= names another entry of the metadata), else the source's id; the coder is the file, of "
        "docstore.json the folder. Nodes that overlap need overlap= (--overlap start, end or middle). "
        "Other metadata is not kept."
    ),
)

"""LlamaIndex's document store of chunks (docstore.json), or its nodes.

Nodes are ``docstore/data/*/__data__``, or a list or lines of what ``node.to_dict()`` gives, with ``text``,
``start_char_idx`` and ``end_char_idx``; the source is relationship "1", and a node without one is not a
chunk, unless no node of a list has one. Ids of sources change with each run, so a document is named by
``file_name`` (and ``page_label``) of the metadata if it belongs to one source only, or by the entry that
``document`` names, otherwise by the id or the file. The coder is the file, or the folder of a file with the
default name docstore. Units are the characters of the text that the nodes cover; up to eight characters
between two nodes count as stripped white space. Overlapping nodes need ``overlap`` (start, end or middle).
Other metadata is not kept. Written as a store with a node per segment, named by the document and a number.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypedDict

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Format, coded_by_file, read_passages
from caesura.io.files import Source, misfit, parse_json, shortened
from caesura.io.json_files import first_record, fits, named_only, records_of, shaped, the_object
from caesura.io.spans import Passage, checked_chunk, chunks_of, name_of_chunk
from caesura.values.corpus import Corpus

DATA = "docstore/data"
START, END = EDGES = "start_char_idx", "end_char_idx"
SOURCE = "1"
"""The relationship of a node to its document."""

FILE = "docstore"
OTHER_STORES = ("index", "graph", "property_graph", "vector", "default__vector", "image__vector")
"""Stores that LlamaIndex writes beside the document store, without ``_store.json``."""


Data: TypeAlias = Annotated[dict[str, Any] | str, "an object with __data__"]
Entry = TypedDict("Entry", {"__data__": Data})
Store = TypedDict("Store", {"docstore/data": dict[str, Any]})


def passages(source: Source) -> Iterator[Passage]:
    """Yield the nodes; ignore a name that belongs to several sources."""
    field = source.options.get("document")
    nodes = [(where, shaped(value, dict[str, Any], where)) for where, value in _nodes(source)]
    chunks = [(where, node, origin) for where, node in nodes if (origin := _origin(node, where)) is not None]
    if not chunks:
        if not _is_node(first_record(source)):
            raise CorpusError(f"no node has a source document (relationship {SOURCE!r})")
        for where, node in nodes:  # not from a store
            yield _passage(node, where)._replace(document=_name_of(node, where, field))
        return
    names: dict[str, str] = {}
    for where, node, origin in chunks:
        name = _name_of(node, where, field)
        names.setdefault(origin, origin if name is None else name)
    n_owners = Counter(names.values())
    for where, node, origin in chunks:
        name = names[origin] if n_owners[names[origin]] == 1 else origin
        yield _passage(node, where)._replace(document=name, is_named=name != origin)


def read(source: Source) -> Contents:
    """Read all nodes, and join the texts of documents."""
    return read_passages(source, passages(source), " or ".join(EDGES), coder=coder(source))


def _nodes(source: Source) -> Iterator[tuple[str, Any]]:
    """Yield each node with its name in messages."""
    if _is_node(first_record(source)):
        yield from ((record.where, record.value) for record in records_of(source))
        return
    if not fits(source.json, Store):
        raise CorpusError(f"expected an object with {DATA!r}, or nodes, not {shortened(source.json)}")
    for key, entry in source.json[DATA].items():
        where = f"node {shortened(key)}"
        if not fits(entry, Entry):
            raise misfit(where, entry, "an object with __data__")
        node = entry["__data__"]
        yield where, parse_json(node) if isinstance(node, str) else node  # as in some versions


def _is_node(record: dict[str, Any]) -> bool:
    return "text" in record and (START in record or {"id_", "relationships"} <= record.keys())


def _origin(node: dict[str, Any], where: str) -> str | None:
    """Return the id of a node's document, or None."""
    with within(where):
        related = shaped(node.get("relationships") or {}, dict[str, Any], "relationships")
        origin = related.get(SOURCE)
        origin = origin.get("node_id") if isinstance(origin, dict) else origin
        return None if origin is None else named_only(origin, "source")


def _name_of(node: dict[str, Any], where: str, field: str | None) -> str | None:
    """Return the document's name in the metadata of a node, or None."""
    metadata = node["metadata"] if isinstance(node.get("metadata"), dict) else {}
    has_name = field is not None or isinstance(metadata.get("file_name"), str)
    with within(where):
        return name_of_chunk(metadata, field, "file_name", "page_label") if has_name else None


def _passage(node: dict[str, Any], where: str) -> Passage:
    """Return a node as a passage; its offsets may be missing."""
    start, end = node.get(START), node.get(END)
    is_found = start is not None and end is not None
    with within(where):
        chunk = checked_chunk(node.get("text"), where, start or 0, end if is_found else None, EDGES)
    return chunk if is_found else chunk._replace(start=None)


def coder(source: Source) -> str:
    """Return the coder of a file: its name, or its folder's."""
    return source.name if source.path.stem != FILE else source.folder or source.name


def write(corpus: Corpus, extension: str) -> str:
    """Return a store with a node per segment, which LlamaIndex can load."""
    nodes: dict[str, Any] = {}
    origins: dict[str, Any] = {}
    known = {document: {"file_name": document} for document in corpus.documents}
    sources: dict[str, Any] = {name: {"node_ids": [], "metadata": own} for name, own in known.items()}
    for document, start, end, text in chunks_of(corpus):
        own = sources[document]
        own["node_ids"].append(key := f"{document}#{len(own['node_ids']) + 1}")
        if key in nodes:
            raise CorpusError(f"document {document}: two nodes would be called {shortened(key)}; rename one")
        related = {"node_id": document, "node_type": "4", "metadata": own["metadata"]}
        node = {"id_": key, "metadata": own["metadata"], "relationships": {SOURCE: related}}
        node |= {"text": text, START: start, END: end, "class_name": "TextNode"}
        nodes[key] = {"__data__": node, "__type__": "1"}
        origins[key] = {"doc_hash": "", "ref_doc_id": document}
    store = {DATA: nodes, "docstore/ref_doc_info": sources, "docstore/metadata": origins}
    return json.dumps(store, ensure_ascii=False, indent=1) + "\n"


def companions(source: Source) -> Iterable[Path]:
    """Return the stores beside a document store."""
    stores = OTHER_STORES if source.path.stem == FILE else ()
    return [source.path.with_name(f"{name}_store.json") for name in stores]


def sniff(source: Source) -> bool:
    """Recognize it by the entry that holds the nodes, or by the first node."""
    return _is_node(first_record(source)) or DATA in the_object(source)


names = coded_by_file
FORMAT = Format.of(globals(), "llamaindex", (".json", ".jsonl"), {"documents"}, needs_axis="characters")

"""Unstructured's JSON of elements, in which a Title starts a segment.

Elements are ``{"type": ..., "text": ..., "metadata": {"filename": ...}}``, a list or one per line. Units are
the elements with text. A segment starts with a ``Title`` that follows another type; each ``CompositeElement``
is already a chunk, so a segment of its own. The document is ``filename`` without its extension, or the file;
the coder is the file. Types, coordinates and other metadata are not kept; titles and narrative text are
written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Document, Format, check_named, coded_by_file, read_documents
from caesura.io.files import Source
from caesura.io.json_files import first_record, json_records, records_of, shaped_entry
from caesura.io.spans import Passage
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

TITLE, CHUNK, TEXT = "Title", "CompositeElement", "NarrativeText"
FILE = "filename"


def passages(source: Source) -> Iterator[Passage]:
    """Yield the elements with text; all but the first of a segment continue it."""
    before: tuple[str | None, str] | None = None
    for where, _, record in records_of(source):
        with within(where):
            kind, text = (shaped_entry(record, key, str) for key in ("type", "text"))
            metadata = shaped_entry(record, "metadata", dict[str, Any] | None) or {}
            file = shaped_entry(metadata, FILE, str | None)
        if not text.strip():
            continue
        name = PurePath(file).stem if file else None
        starts = kind == CHUNK or (kind == TITLE and before != (name, TITLE))
        goes_on = before is not None and before[0] == name and not starts
        before = name, kind
        yield Passage(name, text, None, where, goes_on=goes_on)


def read(source: Source) -> Contents:
    """Read the elements of each document as units, and where segments start."""
    elements: dict[str, list[Passage]] = {}
    for passage in passages(source):
        name = source.name if passage.document is None else passage.document
        elements.setdefault(name, []).append(passage)
    if not elements:
        raise CorpusError("there are no elements with text")
    documents = []
    for name, own in elements.items():
        starts = [i for i, passage in enumerate(own) if i and not passage.goes_on]
        coding = Segmentation.from_positions(starts, n_units=len(own))
        documents.append(Document(name, {source.name: coding}, [passage.text or "" for passage in own]))
    return read_documents(source, documents)


def write(corpus: Corpus, extension: str) -> str:
    """Return an element per unit; the first of each segment is a title."""
    check_named(corpus)
    elements = []
    for document, _, segmentation in corpus:
        file = f"{document}.txt"
        if PurePath(file).stem != document:
            raise CorpusError(f"document {document!r} cannot be the name of a file; write jsonl")
        starts = {0, *segmentation.positions}
        if any(position + 1 in starts for position in starts):
            raise CorpusError(f"document {document}: a segment of one unit would join the next; write jsonl")
        for number, text in enumerate(corpus.units[document]):
            if not text.strip():
                raise CorpusError(f"document {document}: unit {number + 1} has no text; write jsonl")
            kind = TITLE if number in starts else TEXT
            elements.append({"type": kind, "text": text, "metadata": {FILE: file}})
    return json_records(elements, extension)


def sniff(source: Source) -> bool:
    """Look for type, text and metadata in the first element."""
    first = first_record(source)
    return isinstance(first.get("type"), str) and "text" in first and "metadata" in first


names = coded_by_file
FORMAT = Format.of(globals(), "unstructured", (".json", ".jsonl"), {"documents"}, needs_units=True)

"""JSON of masses by document and coder, in nested lists where they are hierarchies.

Hierarchies as masses in nested lists, ``{document: {coder: [[2, 3], 6]}}``. As in ``Hierarchy.from_nested`` a
boundary's rank is the depth of the list that it divides: this one has rank 1 after five units and rank 2
after two. A file whose lists are all flat holds plain segmentations. Beside the coders, ``units`` may hold
the document's text, a list.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Document, Format, ranks_up_to, read_records, with_all_ranks
from caesura.io.files import Source
from caesura.io.formats.segeval_json import FORMAT as SEGEVAL
from caesura.io.json_files import Record, entries_of, first_entry, fits, json_of, shaped
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation

UNITS = "units"
CODED = "documents, {document: {coder: nested masses}}"

Coded: TypeAlias = Annotated[dict[str, Any], "{coder: nested masses}"]
Nested: TypeAlias = Annotated[list[Any], "nested lists of masses, such as [[2, 3], 6]"]

MAX_DEPTH = 500
"""Deepest written lists; Python's JSON reader fails below 1000."""


def read(source: Source) -> Contents:
    """Read the hierarchies of all documents and coders; if all lists are flat, plain segmentations."""
    contents = read_records(source, entries_of(source, CODED, Any), _document, CODED)
    corpus = contents.corpus
    return contents if corpus.codings.is_plain else replace(contents, corpus=with_all_ranks(corpus))


def _document(record: Record[Any]) -> Document:
    codings = dict(shaped(record.value, Coded))
    texts = codings.pop(UNITS) if fits(codings.get(UNITS), list[str]) else None
    for coder, nested in codings.items():
        with within(f"coder {coder}"):
            codings[coder] = Hierarchy.from_nested(shaped(nested, Nested)).to_segmentation()
    if not codings:
        raise CorpusError("it has no annotations")
    return Document(record.key, codings, texts)


def write(corpus: Corpus, extension: str) -> str:
    """Return the JSON with one coding per line, for readable diffs."""
    documents = []
    for document in corpus.documents:
        codings = corpus[document]
        lines = [f"{json_of(coder)}: {_nested(document, coder, own)}" for coder, own in codings.items()]
        if document in corpus.units:
            if UNITS in codings:
                raise CorpusError(f"document {document}: rename the coder {UNITS!r}, which is the text")
            lines.append(f"{json_of(UNITS)}: {json_of(corpus.units[document])}")
        documents.append(f" {json_of(document)}: {{\n  " + ",\n  ".join(lines) + "\n }")
    return "{\n" + ",\n".join(documents) + "\n}\n"


def _nested(document: str, coder: str, segmentation: Segmentation) -> str:
    """Return the lists; a segment is as deep as the deeper boundary beside it."""
    holds = f"lists are at most {MAX_DEPTH} deep"
    ranks = [*ranks_up_to(MAX_DEPTH, document, coder, segmentation, holds).values()]
    depths = [max(around) for around in pairwise([1, *ranks, 1])]
    masses = segmentation.masses
    parts = ["[" * depths[0], str(masses[0])]
    for rank, mass, (before, after) in zip(ranks, masses[1:], pairwise(depths), strict=True):
        parts += ["]" * (before - rank), ", ", "[" * (after - rank), str(mass)]
    return "".join([*parts, "]" * depths[-1]])


def sniff(source: Source) -> bool:
    """Recognize objects of lists that begin with a number at any depth, without segeval's entries."""
    coded = first_entry(source)
    if not isinstance(coded, dict) or SEGEVAL.sniff(source):
        return False
    codings = (value for key, value in coded.items() if key != UNITS or not fits(value, list[str]))
    return bool(coded) and all(map(_begins_with_number, codings))


def _begins_with_number(value: Any) -> bool:
    first = value
    while isinstance(first, list) and first:
        first = first[0]
    return isinstance(value, list) and isinstance(first, int)


FORMAT = Format.of(globals(), "nested-json", (".json", ".jsn"), {"documents", "coders", "ranks", "units"})

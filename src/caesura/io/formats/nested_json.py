"""Nested JSON: hierarchies as masses in nested lists, ``{document: {coder: [[2, 3], 6]}}``.

As in ``Hierarchy.from_nested`` a boundary's rank is the depth of the list that it divides: this one has rank
1 after five units and rank 2 after two. A file whose lists are all flat holds plain segmentations. Beside
the coders, ``units`` may hold the document's text, a list.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import Any

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format, ranks_up_to, with_all_ranks
from caesura.io.files import Source, shortened
from caesura.io.formats.segeval_json import sniff as is_segeval
from caesura.io.json_files import fits, json_of
from caesura.io.messages import within
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation

UNITS = "units"

MAX_DEPTH = 500
"""Deepest lists that are written; Python's reader of JSON ends below a thousand."""


def read(source: Source) -> Contents:
    """Read the hierarchies of all documents and coders."""
    data = source.json
    if not isinstance(data, dict) or not data:
        raise CorpusError(f"expected {{document: {{coder: nested masses}}}}, not {shortened(data)}")
    builder = CorpusBuilder()
    for document, coded in data.items():
        if not isinstance(coded, dict):
            raise CorpusError(
                f"document {document}: expected {{coder: nested masses}}, not {shortened(coded)}"
            )
        units: list[str] | None = None
        for coder, value in coded.items():
            if coder == UNITS and fits(value, list[str]):
                units = value
                continue
            if not isinstance(value, list):
                raise CorpusError(
                    f"document {document}: coder {coder}: expected nested lists of masses, "
                    f"such as [[2, 3], 6], not {shortened(value)}"
                )
            with within(f"document {document}: coder {coder}"):
                hierarchy = Hierarchy.from_nested(value)
            builder.add(document, coder, hierarchy.to_segmentation())
        if not builder.has_document(document):
            raise CorpusError(f"document {document}: nobody has coded it")
        if units is not None:
            builder.add_text(document, units)
    corpus = Corpus.build(builder)
    return Contents(corpus if corpus.codings.is_plain else with_all_ranks(corpus))


def write(corpus: Corpus, extension: str) -> str:
    """Return the JSON with one coding per line, so that differences show."""
    documents = []
    names = {coder: json_of(coder) for coder in corpus.coders}
    codings = iter(corpus)
    for document, n_coders in zip(corpus.documents, corpus.n_coders.tolist(), strict=True):
        coded = list(islice(codings, n_coders))
        lines = [f"  {names[coder]}: {_nested(document, coder, coding)}" for _, coder, coding in coded]
        if document in corpus.units:
            if any(coder == UNITS for _, coder, _ in coded):
                raise CorpusError(
                    f"document {document}: a coder called {UNITS!r} cannot stand beside the units' text; "
                    "rename it"
                )
            lines.append(f"  {json_of(UNITS)}: {json_of(corpus.units[document])}")
        documents.append(f" {json_of(document)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(documents) + "\n}\n"


def _nested(document: str, coder: str, segmentation: Segmentation) -> str:
    """Return the lists: a segment is as deep as the deeper of the two boundaries around it."""
    holds = f"lists are at most {MAX_DEPTH} deep"
    ranks = [*ranks_up_to(MAX_DEPTH, document, coder, segmentation, holds).values()]
    depths = [max(around) for around in pairwise([1, *ranks, 1])]
    masses = segmentation.masses
    parts = ["[" * depths[0], str(masses[0])]
    for rank, mass, (before, after) in zip(ranks, masses[1:], pairwise(depths), strict=True):
        parts += ["]" * (before - rank), ", ", "[" * (after - rank), str(mass)]
    return "".join([*parts, "]" * depths[-1]])


def sniff(source: Source) -> bool:
    """Tell it by objects of lists that begin with a number, however deep; not with segeval's own entries."""
    data = source.json_or_none
    if not isinstance(data, dict) or not data or is_segeval(source):
        return False
    coded = next(iter(data.values()))
    if not isinstance(coded, dict) or not coded:
        return False
    return all(
        _begins_with_number(value) or (coder == UNITS and fits(value, list[str]))
        for coder, value in coded.items()
    )


def _begins_with_number(value: Any) -> bool:
    first = value
    while isinstance(first, list) and first:
        first = first[0]
    return isinstance(value, list) and isinstance(first, int)


FORMAT = Format(
    "nested-json",
    "JSON of masses by document and coder, in nested lists where they are hierarchies",
    (".json", ".jsn"),
    read,
    write,
    sniff,
    frozenset({"documents", "coders", "ranks", "units"}),
    example='{"ch1": {"ann": [[2, 3], 6], "bob": [5, [2, 4]]}}\n',
    notes="Masses in nested lists: a boundary's rank is the depth of the list that it divides.",
)

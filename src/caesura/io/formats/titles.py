"""A language model's JSON list of segments with title, start and end, counted in units.

The list, ``[{"title": "Opening", "start": 1, "end": 4}, …]``, may stand under ``segments``, ``sections``,
``topics`` or ``chapters``, with a ``document`` beside it; several are a list or one per line; or the file is
``{document: [...]}``. Units count from 0 or 1, and the end may or may not belong to the segment. If the
segments of all documents follow each other in only one of these numberings, that one is taken; otherwise
``numbering`` names it. Segments that overlap or leave out units need ``overlap`` or ``gaps``. With
``text_of`` the last segment must end with the text. The coder is the file. Titles are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, NotRequired, TypedDict

from caesura.errors import CorpusError, within
from caesura.io import json_files
from caesura.io.base import Contents, Document, Format, coded_by_file, read_documents
from caesura.io.files import Source
from caesura.io.options import NUMBERINGS
from caesura.io.spans import placed
from caesura.values.corpus import Corpus
from caesura.values.units import Units
from caesura.wording import counted, listed

LISTS = ("segments", "sections", "topics", "chapters")
"""Names of the list."""

DOCUMENT = "document"


class Segment(TypedDict):
    """The start and end of a segment."""

    start: int
    end: int
    title: NotRequired[Any]


class Outline(NamedTuple):
    """The segments of a document in order, and its number of units, if known."""

    name: str
    segments: list[tuple[int, int]]
    n_units: int | None

    def spans(self, numbering: str) -> list[tuple[int, int]]:
        """Return the segments as half-open spans from 0."""
        first, is_inclusive = int(numbering[0]), numbering.endswith("inclusive")
        return [(start - first, end - first + is_inclusive) for start, end in self.segments]

    def fault(self, numbering: str, rules: Sequence[str] = ()) -> tuple[int, str] | None:
        """Return the number of the first segment that does not follow the one before, and the fault."""
        reached = 0
        for index, ((start, end), (own_start, own_end)) in enumerate(
            zip(self.spans(numbering), self.segments, strict=True)
        ):
            where = f"the segment from {own_start} to {own_end}"
            if start < 0:
                return index, f"{where} starts before the first unit"
            if end <= start:
                return index, f"{where} has no units"
            if start > reached and "gaps" not in rules:
                return index, f"{where} leaves out {counted(start - reached, 'unit')} before it (gaps=)"
            if start < reached and "overlap" not in rules:
                return index, f"{where} overlaps the one before (overlap=)"
            reached = max(reached, end)
        n_units = reached if self.n_units is None else self.n_units
        if reached > n_units or (reached < n_units and "gaps" not in rules):
            return len(self.segments), f"the last unit is {reached:,} of {n_units:,}"
        return None


def read(source: Source) -> Contents:
    """Read the segments of each document."""
    source.options.use("overlap", "gaps")
    outlines = list(_outlines(source))
    numbering = source.options.get("numbering") or _numbering(source, outlines)
    documents = []
    for outline in outlines:
        spans = outline.spans(numbering)
        end = outline.n_units or max(end for _, end in spans)
        with within(f"document {outline.name}: units counted as {numbering}"):
            if fault := outline.fault(numbering, ("gaps", "overlap")):
                raise CorpusError(fault[1])
            coding = placed(source, Units.every(1, end=end, axis="count"), spans)
        documents.append(Document(outline.name, {source.name: coding}))
    contents = read_documents(source, documents)
    n_documents = counted(len(documents), "document")
    return replace(contents, understood=f"{FORMAT.name}, units counted as {numbering}: {n_documents}")


def _outlines(source: Source) -> Iterator[Outline]:
    original = source.options.get("text_of")
    lists = list(_lists(source))
    for name, value in lists:
        segments = json_files.shaped(value, list[Segment], f"document {name}", each="segment")
        n_units = None
        if original is not None:
            own = original.documents[0] if len(lists) == 1 == len(original.documents) else name
            n_units = original.n_units(own) if own in original.document_numbers else None
        yield Outline(name, sorted((each["start"], each["end"]) for each in segments), n_units)


def _lists(source: Source) -> Iterator[tuple[str, Any]]:
    """Yield the name and the list of each document, unchecked."""
    key = next((key for key in LISTS if key in json_files.first_record(source)), None)
    if key is not None:
        records = list(json_files.records_of(source))
        for record in records:
            name = record.value.get(DOCUMENT, source.name if len(records) == 1 else record.key)
            yield json_files.named_only(name, DOCUMENT), record.value.get(key)
    elif json_files.the_object(source):
        yield from source.json.items()
    else:
        yield source.name, source.json


def _numbering(source: Source, outlines: Sequence[Outline]) -> str:
    """Return the only numbering in which the segments of all documents follow each other."""
    rules = [name for name in ("gaps", "overlap") if source.options.get(name) is not None]
    for allowed in ((), rules):  # a numbering that needs no rule comes first
        fitting = [own for own in NUMBERINGS if not any(each.fault(own, allowed) for each in outlines)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            ways = listed([f"numbering='{numbering}'" for numbering in fitting], last="or")
            raise CorpusError(f"its units may be counted in {len(fitting)} ways: choose {ways}")
    pairs = ((outline, numbering) for outline in outlines for numbering in NUMBERINGS)
    faults = ((*fault, own.name, way) for own, way in pairs if (fault := own.fault(way, rules)))
    _, text, name, numbering = max(faults, key=lambda each: each[0])  # the numbering that fits longest
    raise CorpusError(f"document {name}: no way of counting fits: {text}, units counted as {numbering}")


def write(corpus: Corpus, extension: str) -> str:
    """Return the first and last unit of each segment, counted from 1."""
    if all(coding.n_segments < 2 for _, _, coding in corpus):
        raise CorpusError("without boundaries its numbering would be ambiguous; write jsonl")
    records = []
    for document, _, coding in corpus:
        segments = [{"title": "", "start": start + 1, "end": end} for start, end in coding.to_spans()]
        records.append({DOCUMENT: document, LISTS[0]: segments})
    return json_files.json_records(records, extension)


def sniff(source: Source) -> bool:
    """Look for a first segment with whole start and end, and without text."""
    first = json_files.first_record(source)
    own = next((first[key] for key in LISTS if key in first), json_files.first_entry(source))
    segment = own[0] if isinstance(own, list) and own else first
    return json_files.fits(segment, Segment) and "text" not in segment


FORMAT = Format.of(globals(), "titles", (".json", ".jsonl"), {"documents"}, names=coded_by_file)

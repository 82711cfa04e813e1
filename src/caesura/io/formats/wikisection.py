"""WikiSection's JSON of articles with the offsets of their sections.

A list of articles, each a text and the sections that it consists of. Arnold et al. (2019), SECTOR: a neural
model for coherent topic segmentation and classification. Entries are ``id``, ``title``, ``text`` and
``annotations``, each with ``begin`` and ``length`` in characters; other entries and annotations of another
``class`` than SectionAnnotation are ignored. A document is named by its title, or its id if the title is not
unique. Sections are one level. Units are the lines of each section that are not blank; a section that begins
inside a line divides it. Headings and labels are not kept, and written empty.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, chain
from typing import Any, NotRequired, TypedDict

from caesura.errors import CorpusError, within
from caesura.io.base import REFERENCE, Contents, Document, Format, read_records
from caesura.io.files import Source, shortened
from caesura.io.json_files import Record, first_listed, json_list, listed_records, named_only, shaped
from caesura.io.outlines import check_lines
from caesura.io.spans import OFFSETS, checked_offset
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

SECTION_CLASS = "SectionAnnotation"
LINE_END = re.compile(r"\r\n|\r|\n")


class Article(TypedDict):
    """A text, its annotations, and its title and id."""

    text: str
    annotations: list[Any]
    title: NotRequired[Any]
    id: NotRequired[Any]


def read(source: Source) -> Contents:
    """Read all articles with their text."""
    records = list(listed_records(source, Article, "article"))
    titles = Counter(str(record.value.get("title")) for record in records)
    return read_records(source, records, lambda record: _document(titles, record), "articles")


def _document(titles: Counter[str], record: Record[Article]) -> Document:
    article = record.value
    title, name = article.get("title"), article.get("id")
    if isinstance(title, str) and titles[title] == 1:
        name = title
    name = named_only(name, f"id (title {shortened(title)})")
    with within(f"document {name}"):
        return _divided(name, article["text"], article["annotations"])


def _divided(name: str, text: str, annotations: list[Any]) -> Document:
    """Return the lines of an article, divided where sections begin; a section may have no lines."""
    if not (sections := sorted(_sections(annotations))):
        raise CorpusError(f"annotations is {shortened(annotations)}: there is no section")
    parts: list[list[str]] = []
    notices: list[str] = []
    last_end = 0
    for begin, end, index in sections:
        where = f"annotations[{index}]"
        if end > len(text):
            raise CorpusError(f"{where} ends at {end} and the text at {len(text)}; {OFFSETS}")
        if begin < last_end:
            raise CorpusError(f"{where} begins at {begin}, inside the section before (to {last_end})")
        _check_gap(text, last_end, begin)
        parts.append([line for line in LINE_END.split(text[begin:end]) if line.strip()])
        if not parts[-1]:
            notices.append(f"{where} has no text and makes no segment")
        last_end = end
    _check_gap(text, last_end, len(text))
    if not any(parts):
        raise CorpusError("there is no text")
    masses = [len(lines) for lines in parts if lines]
    return Document(name, {REFERENCE: masses}, [*chain.from_iterable(parts)], notices=notices)


def _sections(annotations: list[Any]) -> Iterator[tuple[int, int, int]]:
    """Yield the begin and end of each section, and its index."""
    for index, annotation in enumerate(annotations):
        where = f"annotations[{index}]"
        if shaped(annotation, dict[str, Any], where).get("class", SECTION_CLASS) == SECTION_CLASS:
            with within(where):
                begin, length = (checked_offset(key, annotation.get(key)) for key in ("begin", "length"))
            yield begin, begin + length, index


def _check_gap(text: str, begin: int, end: int) -> None:
    if text[begin:end].strip():
        gap = f"characters {begin} to {end} ({shortened(text[begin:end])})"
        raise CorpusError(f"{gap} are in no section; sections cover the whole text")


def write(corpus: Corpus, extension: str) -> str:
    """Return an article per document, with a line per unit."""
    codings = ((document, segmentation) for document, _, segmentation in corpus)
    return json_list(_article(number, corpus, *coding) for number, coding in enumerate(codings))


def _article(number: int, corpus: Corpus, document: str, segmentation: Segmentation) -> dict[str, Any]:
    units = corpus.units[document]
    check_lines(document, units)
    text = "\n".join(units)
    starts = [*accumulate((len(unit) + 1 for unit in units), initial=0)]
    starts[-1] = len(text)  # no line end follows the last
    sections = ((starts[first], starts[end] - starts[first]) for first, end in segmentation.to_spans())
    blank = {"sectionHeading": "", "sectionLabel": ""}
    annotations = [{"begin": begin, "length": length, **blank} for begin, length in sections]
    return {"id": str(number), "title": document, "text": text, "annotations": annotations}


def sniff(source: Source) -> bool:
    """Recognize it by the entries of the first article."""
    return {"text", "annotations"} <= first_listed(source).keys()


FORMAT = Format.of(globals(), "wikisection", (".json",), {"documents"}, needs_units=True)

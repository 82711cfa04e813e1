"""WikiSection's JSON: a list of articles, each a text and the sections that it consists of.

Arnold et al. (2019), SECTOR: a neural model for coherent topic segmentation and classification. Entries are
``id``, ``title``, ``text`` and ``annotations``, each with ``begin`` and ``length`` in characters; others are
left alone, as are annotations of another ``class`` than SectionAnnotation. A document is called by its title,
or by its id where two have the same title. Sections are one level. Units are the lines inside each section
that are not blank; a section that begins inside a line divides it. Headings and labels are not kept, and
written empty.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Format, named_only
from caesura.io.files import Source, shortened
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus

SECTION_CLASS = "SectionAnnotation"
LINE_END = re.compile(r"\r\n|\r|\n")


class Section(NamedTuple):
    """Where a section begins and ends, and its place in the list."""

    begin: int
    end: int
    place: int


def read(source: Source) -> Contents:
    """Read all articles with their text."""
    articles = source.json
    if not isinstance(articles, list) or not articles:
        raise CorpusError(f"expected a list of articles, not {shortened(articles)}")
    for index, article in enumerate(articles):
        _check_article(article, index)
    builder = CorpusBuilder()
    notices: list[str] = []
    for index, document in enumerate(_names(articles)):
        if builder.has_document(document):
            raise CorpusError(f"document {document} is there twice (again at article {index}); rename one")
        try:
            units, masses = _divided(notices, document, articles[index])
        except CorpusError as error:
            raise CorpusError(f"document {document}: {error}") from None
        builder.add(document, REFERENCE, masses)
        builder.add_text(document, units)
    return Contents(Corpus.build(builder), notices)


def _check_article(article: Any, index: int) -> None:
    if not isinstance(article, dict):
        raise CorpusError(f"article {index} is {shortened(article)}: expected an object")
    for key, kind, expected in (("text", str, "text"), ("annotations", list, "a list")):
        if not isinstance(article.get(key), kind):
            raise CorpusError(f"article {index}: {key} is {shortened(article.get(key))}: expected {expected}")


def _names(articles: list[Any]) -> list[str]:
    titles = [article.get("title") for article in articles]
    count = Counter(title for title in titles if isinstance(title, str))
    names = []
    for index, (article, title) in enumerate(zip(articles, titles, strict=True)):
        if isinstance(title, str) and count[title] == 1:
            names.append(title)
        else:
            names.append(named_only(article.get("id"), f"id of article {index} (title {shortened(title)})"))
    return names


def _divided(notices: list[str], document: str, article: Any) -> tuple[list[str], list[int]]:
    """Return the lines of an article and how many each section has."""
    text = article["text"]
    sections = sorted(_sections(article["annotations"]))
    if not sections:
        raise CorpusError(f"annotations is {shortened(article['annotations'])}: there is no section")
    units: list[str] = []
    masses: list[int] = []
    last_end = 0
    for begin, end, index in sections:
        if end > len(text):
            raise CorpusError(
                f"annotations[{index}] ends at {end} and the text at {len(text)}; "
                "begin and length count characters (not bytes, and not the halves of UTF-16)"
            )
        if begin < last_end:
            raise CorpusError(
                f"annotations[{index}] begins at {begin}, inside the section before (to {last_end})"
            )
        _check_gap(text, last_end, begin)
        lines = [line for line in LINE_END.split(text[begin:end]) if line.strip()]
        if lines:
            units += lines
            masses.append(len(lines))
        else:
            notices.append(f"document {document}: annotations[{index}] has no text and makes no segment")
        last_end = end
    _check_gap(text, last_end, len(text))
    if not units:
        raise CorpusError("there is no text")
    return units, masses


def _sections(annotations: list[Any]) -> list[Section]:
    sections = []
    for index, annotation in enumerate(annotations):
        if not isinstance(annotation, dict):
            raise CorpusError(f"annotations[{index}] is {shortened(annotation)}: expected an object")
        if annotation.get("class", SECTION_CLASS) != SECTION_CLASS:
            continue
        for key in ("begin", "length"):
            value = annotation.get(key)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise CorpusError(
                    f"annotations[{index}]: {key} is {shortened(value)}: expected a whole number from 0 on"
                )
        sections.append(Section(annotation["begin"], annotation["begin"] + annotation["length"], index))
    return sections


def _check_gap(text: str, begin: int, end: int) -> None:
    if text[begin:end].strip():
        raise CorpusError(
            f"characters {begin} to {end} ({shortened(text[begin:end])}) are in no section; "
            "sections cover the whole text"
        )


def write(corpus: Corpus, extension: str) -> str:
    """Return an article per document, with a line per unit."""
    articles = []
    for number, (document, _, segmentation) in enumerate(corpus):
        units = corpus.units[document]
        for index, unit in enumerate(units):
            if not unit.strip() or LINE_END.search(unit):
                raise CorpusError(
                    f"document {document}: unit {index + 1} is {shortened(unit)}: expected one line of text"
                )
        starts = [0, *accumulate(len(unit) + 1 for unit in units)]
        edges = [starts[place] for place in (0, *segmentation.positions)]
        text = "\n".join(units)
        annotations = [
            {"begin": begin, "length": end - begin, "sectionHeading": "", "sectionLabel": ""}
            for begin, end in pairwise((*edges, len(text)))
        ]
        article = {"id": str(number), "title": document, "text": text, "annotations": annotations}
        articles.append(json.dumps(article, ensure_ascii=False))
    return "[\n" + ",\n".join(articles) + "\n]\n"


def sniff(source: Source) -> bool:
    """Tell it by the entries of the first article."""
    data = source.json_or_none
    return (
        isinstance(data, list)
        and bool(data)
        and isinstance(data[0], dict)
        and {"text", "annotations"} <= data[0].keys()
    )


FORMAT = Format(
    "wikisection",
    "WikiSection's JSON of articles with the offsets of their sections",
    (".json",),
    read,
    write,
    sniff,
    frozenset({"documents", "units"}),
    needs_units=True,
    example=(
        '[{"id": "1", "title": "Tea", "text": "A drink.\\nIt came from China.", "annotations": [{"'
        'begin": 0, "length": 9, "sectionHeading": "Tea", "sectionLabel": "x"}, {"begin": 9, "len'
        'gth": 19, "sectionHeading": "History", "sectionLabel": "y"}]}]\n'
    ),
    notes="A line is a unit; a section is a segment. Headings and labels are not kept.",
)

"""WikiSection's JSON: a list of articles, each a text and the sections that it consists of.

Arnold et al. (2019), SECTOR: a neural model for coherent topic segmentation and classification. Entries are
``id``, ``title``, ``text`` and ``annotations``, each with ``begin`` and ``length`` in characters; others are
left alone, as are annotations of another ``class`` than SectionAnnotation. A document is called by its title,
or by its id where two have the same title. Sections are one level. Units are the lines inside each section
that are not blank; a section that begins inside a line divides it. Headings and labels are not kept, and
written empty.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate, pairwise
from typing import Annotated, Any, NamedTuple, TypeAlias, TypedDict

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Format
from caesura.io.files import Source, shortened
from caesura.io.json_files import first_listed, json_list, named_only, shaped
from caesura.io.messages import within
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus

SECTION_CLASS = "SectionAnnotation"
LINE_END = re.compile(r"\r\n|\r|\n")

Offset: TypeAlias = Annotated[int, "a whole number from 0 on"]


class Annotation(TypedDict):
    """Where a section stands, in characters."""

    begin: Offset
    length: Offset


class _Article(TypedDict):
    text: str
    annotations: list[Any]


class Article(_Article, total=False):
    """A text, its annotations, and what it may be called by."""

    title: Any
    id: Any


class Section(NamedTuple):
    """Where a section begins and ends, and its place in the list."""

    begin: int
    end: int
    place: int


def read(source: Source) -> Contents:
    """Read all articles with their text."""
    articles = shaped(source.json, list[Article], each="article")
    builder = CorpusBuilder()
    notices: list[str] = []
    for index, (document, article) in enumerate(zip(_names(articles), articles, strict=True)):
        if builder.has_document(document):
            raise CorpusError(f"document {document} is there twice (again at article {index}); rename one")
        with within(f"document {document}"):
            units, masses, empty = _divided(article)
        notices += [
            f"document {document}: annotations[{place}] has no text and makes no segment" for place in empty
        ]
        builder.add(document, REFERENCE, masses)
        builder.add_text(document, units)
    return Contents(Corpus.build(builder), notices)


def _names(articles: list[Article]) -> list[str]:
    titles = [article.get("title") for article in articles]
    count = Counter(title for title in titles if isinstance(title, str))
    return [
        title
        if isinstance(title, str) and count[title] == 1
        else named_only(article.get("id"), f"id of article {index} (title {shortened(title)})")
        for index, (article, title) in enumerate(zip(articles, titles, strict=True))
    ]


def _divided(article: Article) -> tuple[list[str], list[int], list[int]]:
    """Return the lines of an article, how many each section has, and which sections have none."""
    text = article["text"]
    sections = sorted(_sections(article["annotations"]))
    if not sections:
        raise CorpusError(f"annotations is {shortened(article['annotations'])}: there is no section")
    units: list[str] = []
    masses: list[int] = []
    empty: list[int] = []
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
        units += lines
        if lines:
            masses.append(len(lines))
        else:
            empty.append(index)
        last_end = end
    _check_gap(text, last_end, len(text))
    if not units:
        raise CorpusError("there is no text")
    return units, masses, empty


def _sections(annotations: list[Any]) -> list[Section]:
    sections = []
    for index, annotation in enumerate(annotations):
        where = f"annotations[{index}]"
        if shaped(annotation, dict[str, Any], where).get("class", SECTION_CLASS) != SECTION_CLASS:
            continue
        section = shaped(annotation, Annotation, where)
        begin, length = section["begin"], section["length"]
        for key, value in (("begin", begin), ("length", length)):
            if value < 0:
                raise CorpusError(f"{where}: {key} is {value}: expected a whole number from 0 on")
        sections.append(Section(begin, begin + length, index))
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
        articles.append({"id": str(number), "title": document, "text": text, "annotations": annotations})
    return json_list(articles)


def sniff(source: Source) -> bool:
    """Tell it by the entries of the first article."""
    return {"text", "annotations"} <= first_listed(source).keys()


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

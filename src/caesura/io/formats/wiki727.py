"""Wiki-727K's text: a sentence per line, a line ``========,level,title.`` before each section.

Koshorek et al. (2018), Text segmentation as a supervised learning task. The level is the rank; in the data
set 1 is the preface, which begins the document, and 2 the article's sections. Sections without text of their
own make no segment: of the levels between two sentences the most prominent counts. Lines such as
``***LIST***`` are units, as they stand in the data set. Titles are not kept; written ones number the
sections.
"""

from __future__ import annotations

import re

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format, only_coding, outlined, ranks_up_to
from caesura.io.files import Source, shortened
from caesura.io.formats.choi import check_lines
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import MAX_DEPTH

MARKER = "========"
SECTION = re.compile(rf"{MARKER},([0-9]{{1,9}}),.*")


def _is_marker(line: str) -> bool:
    return line.startswith(MARKER)


def read(source: Source) -> Contents:
    """Read one document with its text."""
    units: list[str] = []
    ranks: dict[int, int] = {}
    for number, line in enumerate(source.lines, start=1):
        if _is_marker(line):
            level = _level(line, number)
            ranks[len(units)] = min(level, ranks.get(len(units), level))
        elif line.strip():
            units.append(line)
    return Contents(outlined(source.name, units, ranks))


def _level(line: str, number: int) -> int:
    match = SECTION.match(line)
    level = int(match.group(1)) if match else 0
    if not 1 <= level <= MAX_DEPTH:
        raise CorpusError(
            f"line {number} is {shortened(line)}: "
            f"expected {MARKER},level,title. with a level from 1 to {MAX_DEPTH}"
        )
    return level


def write(corpus: Corpus, extension: str) -> str:
    """Return the text of one document; its first section is called preface, as in the data set."""
    document, _, segmentation = only = only_coding(corpus)
    units = corpus.units[document]
    check_lines(document, units, _is_marker)
    ranks = ranks_up_to(MAX_DEPTH, *only, f"wiki727 holds levels from 1 to {MAX_DEPTH}")
    lines = []
    for section, (start, end) in enumerate(segmentation.to_spans(), start=1):
        title = f"section {section}" if start else "preface"
        lines += [f"{MARKER},{ranks.get(start, 1)},{title}.", *units[start:end]]
    return "\n".join(lines) + "\n"


def sniff(source: Source) -> bool:
    """Tell it by the first line."""
    first = next((line for line in source.lines_or_none if line.strip()), "")
    return SECTION.match(first) is not None


FORMAT = Format(
    "wiki727",
    f"Wiki-727K's text with a sentence per line and {MARKER},level,title. before each section",
    (".txt",),
    read,
    write,
    sniff,
    frozenset({"ranks", "units"}),
    needs_units=True,
    example=(
        "========,1,preface.\n"
        "Tea is a drink.\n"
        "========,2,History.\n"
        "It came from China.\n"
        "It spread west.\n"
        "========,2,Kinds.\n"
        "There are many.\n"
    ),
    notes="A sentence is a unit; the level of a section is the rank of its boundary. Titles are not kept.",
)

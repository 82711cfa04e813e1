"""Wiki-727K's text with a sentence per line and ========,level,title. before each section.

Koshorek et al. (2018), Text segmentation as a supervised learning task. The level is the rank; in the data
set 1 is the preface, which begins the document, and 2 the article's sections. Sections without text of their
own make no segment: of the levels between two sentences the most prominent counts. Lines such as
``***LIST***`` are units, as they stand in the data set. Titles are not kept; written ones number the
sections.
"""

from __future__ import annotations

import re

from caesura.io.base import Contents, Format
from caesura.io.files import Source, misfit
from caesura.io.outlines import Outline, lines_of_units, ranked_units
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import MAX_DEPTH

MARKER = "========"
EXPECTED = f"{MARKER},level,title. with a level from 1 to {MAX_DEPTH}"
SECTION = re.compile(rf"{MARKER},([0-9]{{1,9}}),.*")


def _is_marker(line: str) -> bool:
    return line.startswith(MARKER)


def read(source: Source) -> Contents:
    """Read one document with its text."""
    outline = Outline()
    for number, line in enumerate(source.lines, start=1):
        if _is_marker(line):
            section = SECTION.match(line)
            if section is None or not 1 <= int(section[1]) <= MAX_DEPTH:
                raise misfit(f"line {number}", line, EXPECTED)
            outline.add_heading(int(section[1]))
        elif line.strip():
            outline.units.append(line)
    return outline.contents(source)


def write(corpus: Corpus, extension: str) -> str:
    """Return the text of one document; the first section is the preface, as in the data set."""
    lines_of_units(corpus, _is_marker)
    lines = [f"{MARKER},1,preface."]
    n_sections = 1
    for rank, unit in ranked_units(corpus, MAX_DEPTH, f"wiki727 holds levels from 1 to {MAX_DEPTH}"):
        if rank:
            n_sections += 1
            lines.append(f"{MARKER},{rank},section {n_sections}.")
        lines.append(unit)
    return "\n".join(lines) + "\n"


def sniff(source: Source) -> bool:
    """Recognize it by the first line."""
    first = next((line for line in source.lines if line.strip()), "")
    return SECTION.match(first) is not None


FORMAT = Format.of(globals(), "wiki727", (".txt",), {"ranks"}, needs_units=True)

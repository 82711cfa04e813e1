"""Choi's .ref files: a sentence per line, a line of ten ``=`` before, between and after the segments.

Choi (2000), Advances in domain independent linear text segmentation. The text is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Format, only_coding
from caesura.io.files import Source, shortened
from caesura.values.builder import CorpusBuilder
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation

MARKER = "=========="


def _is_marker(line: str) -> bool:
    return line.strip() == MARKER


def read(source: Source) -> Contents:
    """Read one document with its text."""
    return segments_of(source, _is_marker)


def segments_of(source: Source, is_marker: Callable[[str], bool]) -> Contents:
    """Read a unit per line that is neither blank nor a marker."""
    units: list[str] = []
    masses = [0]
    for number, line in enumerate(source.lines, start=1):
        if is_marker(line):
            if masses[-1]:
                masses.append(0)
            elif units:
                raise CorpusError(f"line {number}: there is no text between this marker and the one before")
        elif line.strip():
            units.append(line)
            masses[-1] += 1
    if not units:
        raise CorpusError("there is no text; expected a unit on each line")
    builder = CorpusBuilder()
    builder.add(source.name, REFERENCE, [mass for mass in masses if mass])
    builder.add_text(source.name, units)
    return Contents(Corpus.build(builder))


def text_lines(
    document: str,
    units: Sequence[str],
    segmentation: Segmentation,
    marker: str,
    is_marker: Callable[[str], bool],
) -> list[str]:
    """Return the lines of a text with a marker before each segment; refuse what would be read otherwise."""
    check_lines(document, units, is_marker)
    lines: list[str] = []
    for start, end in segmentation.to_spans():
        lines += [marker, *units[start:end]]
    return lines


def check_lines(document: str, units: Sequence[str], is_marker: Callable[[str], bool]) -> None:
    """Refuse units that would not be read back from a line each."""
    for index, text in enumerate(units):
        if not text.strip() or re.search(r"[\r\n]", text) or is_marker(text):
            raise CorpusError(
                f"document {document}: unit {index + 1} is {shortened(text)}: "
                "a unit is one line that is not blank and no marker"
            )


def write(corpus: Corpus, extension: str) -> str:
    """Return the text of one document, in the form of Choi's own files."""
    document, _, segmentation = only_coding(corpus)
    lines = text_lines(document, corpus.units[document], segmentation, MARKER, _is_marker)
    return "\n".join([*lines, MARKER]) + "\n"


def sniff(source: Source) -> bool:
    """Tell it by the first and the last line."""
    lines = source.lines_or_none
    return len(lines) > 2 and _is_marker(lines[0]) and _is_marker(lines[-1])


FORMAT = Format(
    "choi",
    f"text with a sentence per line and a line {MARKER} around each segment",
    (".ref", ".txt"),
    read,
    write,
    sniff,
    frozenset({"units"}),
    needs_units=True,
    example=(
        "==========\n"
        "It rained all night .\n"
        "The river rose .\n"
        "==========\n"
        "Elections are held in May .\n"
        "==========\n"
    ),
    notes="A sentence is a unit; the one coding is by the coder reference. The text is kept.",
)

"""Plain text with a unit per line, without annotations.

A line that is not blank is a unit; `onto('sentence')` (or paragraph) divides the text. Detected only if no
other format fits and half of the lines have two words; otherwise give `format='text'`.

It has no segments yet: segmenters and annotators start from it. A broken file of another format is not
detected as text.
"""

from __future__ import annotations

import re
from dataclasses import replace

from caesura.errors import CorpusError, SegmentationError
from caesura.io.base import Contents, Document, Format, read_documents
from caesura.io.files import Source
from caesura.io.outlines import lines_of_units
from caesura.io.tables.marks import look
from caesura.values.corpus import Corpus
from caesura.values.units import Units
from caesura.wording import counted

EXTENSIONS = (".txt",)

WORD = re.compile(r"[^\W\d_]{2,}")

OTHERWISE = re.compile(r"\s*(?:[\[{<]|#{1,6}\s|\[?\d+:\d|={3,}|-{3,}\s*$|\*{3,}\s*$)|.*(?:\t|-->)")
"""Lines of markup, headings, times, markers and tables."""

MOST_MARKS = 8
"""Most spellings of marks in one file."""

LEAST_PROSE = 0.5
"""Least share of lines with two words."""


def read(source: Source) -> Contents:
    """Read one document with the offsets of its lines, so that it can be divided by other units."""
    text, notices = source.legacy if source.is_named else (source.text, ())  # a named format may be legacy
    try:
        units = Units.from_text(text, by="line")
    except SegmentationError:
        raise CorpusError("there is no text; expected a unit on each line") from None
    contents = read_documents(source, [Document(source.name, {}, units=units)], notices)
    return replace(contents, understood=f"text without annotations: {counted(len(units), 'line')}")


def write(corpus: Corpus, extension: str) -> str:
    """Return the units of one document, a line each."""
    return "\n".join(lines_of_units(corpus, lambda line: False)) + "\n"


def sniff(source: Source) -> bool:
    """Recognize lines of words without markup of other formats."""
    lines = [line for line in source.lines if line.strip()]
    if source.extension not in EXTENSIONS or any(map(OTHERWISE.match, lines)) or _are_marks(lines):
        return False
    n_prose = sum(len(WORD.findall(line)) > 1 for line in lines)
    return bool(lines) and n_prose >= LEAST_PROSE * len(lines)


def _are_marks(lines: list[str]) -> bool:
    """Return whether the words are marks such as true and false, a document per line."""
    words: set[str] = set()
    for line in lines:
        words.update(line.split())
        if len(words) > MOST_MARKS:
            return False
    return look(sorted(words)) is not None


FORMAT = Format.of(globals(), "text", EXTENSIONS, needs_units=True, codings="none", is_last=True)

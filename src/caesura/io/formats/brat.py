"""brat's standoff annotation (.ann), with the .txt of the same name.

A document is named by its file, and the coder by the file's folder: ``ann/d1.ann`` and ``bob/d1.ann`` are two
codings of d1. Units are the characters of the text. Lines with T are spans; ``tiers`` chooses them by type,
and a file without spans is not coded. A span in several parts counts from its first character to its last,
and repeated spans count once. Types and the lines of events, relations, attributes, normalizations and notes
(E, R, A, M, N, *, #) are not kept. Written with a span for each segment and the .txt beside it; several
codings go into folders by coder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from caesura.errors import CorpusError, within
from caesura.io import spans
from caesura.io.base import REFERENCE, Contents, Document, Documents, Format, Segments
from caesura.io.files import Source, misfit, shortened
from caesura.values.corpus import Corpus
from caesura.wording import counted

SPAN = re.compile(r"T\S*\t(\S+) ([0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)(?:\t(.*))?")
NUMBER = re.compile("[0-9]+")
OTHER_LINES = tuple("ERAMN*#")
TYPE = "Segment"
"""The type of written spans."""

SETTINGS = ("annotation.conf", "visual.conf", "tools.conf", "kb_shortcuts.conf")
"""Settings of a brat project beside the data."""


def read(source: Source) -> Contents:
    """Read one coding of one document with its text."""
    units = spans.characters_of(spans.text_beside(source))
    documents = Documents(source)
    marked = []
    n_apart = 0
    for number, line in enumerate(source.lines, start=1):
        if not line.strip() or line.startswith(OTHER_LINES):
            continue
        with within(f"line {number}"):
            label, places, quote = _span(line)
            parts = [spans.checked_span(start, end, units.n_units) for start, end in places]
        documents.compare_quote(f"line {number}", units.text, parts, quote)
        if documents.takes([label]):
            n_apart += len(parts) > 1
            marked.append((min(start for start, _ in parts), max(end for _, end in parts)))
    if n_apart:
        apart = f"{counted(n_apart, 'span')} in parts"
        documents.notices.append(f"{apart}: each counts from its first character to its last")
    codings = {coder(source): Segments(marked)}
    documents.add(Document(names(source.name)[0], codings, units=units))
    return documents.contents()


def names(name: str) -> tuple[str, str]:
    """Return document and coder of a file of this name.

    >>> names("ann/d1")
    ('d1', 'ann')
    """
    folders, _, document = name.rpartition("/")
    return document, folders.rpartition("/")[2] or REFERENCE


def _span(line: str) -> tuple[str, list[tuple[int, int]], str | None]:
    """Return the label of a span, the offsets of its parts, and its quoted text."""
    if (match := SPAN.fullmatch(line)) is None:
        raise misfit("it", line, "a span (T1, tab, type start end, tab, text), or a line of ERAMN*#")
    for number in NUMBER.findall(match[2]):
        if len(number) > spans.MAX_DIGITS:
            raise CorpusError(f"the offset {shortened(number)} is beyond the end of any text")
    parts = [(int(start), int(end)) for start, end in (part.split(" ") for part in match[2].split(";"))]
    return match[1], parts, match[3]


def text_file(path: Path) -> Path:
    """Return the path of an annotation file's text."""
    return path.with_suffix(spans.TEXT_EXTENSION)


def coder(source: Source) -> str:
    """Return the coder of a file: its folder."""
    return source.folder or REFERENCE


def file_name(document: str, coder: str) -> str:
    """Return the name of a coding's file."""
    return f"{coder}/{document}"


def companions(source: Source) -> Iterable[Path]:
    """Return the text of an annotation file, and the settings of its project."""
    folders = source.path.parents  # those of a folder hold for all below it
    return [text_file(source.path), *(folder / name for folder in folders for name in SETTINGS)]


def write(corpus: Corpus, extension: str) -> str:
    """Return a line for each segment of the only coding."""
    segments = enumerate(spans.chunks_of(corpus), start=1)
    lines = ((i, start, end, spans.on_one_line(text)) for i, (_, start, end, text) in segments)
    return "".join(f"T{i}\t{TYPE} {start} {end}\t{text}\n" for i, start, end, text in lines)


def sniff(source: Source) -> bool:
    """Recognize it by a first line about a span, and by the text beside it."""
    return SPAN.fullmatch(source.first_line) is not None and source.beside(text_file(source.path)) is not None


write_beside = spans.write_text_beside
example_beside = "It rained all day. We stayed at home."
FORMAT = Format.of(globals(), "brat", (".ann",), needs_axis="characters", may_be_empty=True)

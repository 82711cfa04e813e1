"""Texts of one document with a unit per line or block, and segments that begin at markers or headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from caesura.errors import CorpusError
from caesura.io.base import REFERENCE, Contents, Document, only_coding, ranks_up_to, read_documents
from caesura.io.files import Source, misfit
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy

DEEPEST_HEADING = 6


@dataclass
class Outline:
    """The units so far, and the ranks of the headings before them."""

    units: list[str] = field(default_factory=list)
    ranks: dict[int, int] = field(default_factory=dict)

    def add_heading(self, rank: int) -> None:
        """Add a heading before the next unit; of several, the most prominent counts."""
        before = len(self.units)
        self.ranks[before] = min(rank, self.ranks.get(before, rank))

    def contents(self, source: Source, notices: Sequence[str] = ()) -> Contents:
        """Return the document; headings before the first unit or after the last are ignored.

        >>> from pathlib import Path
        >>> outline = Outline(["One", "Two"], {0: 1, 1: 2, 2: 2})
        >>> outline.contents(Source(Path("d.md"), "d")).corpus["d", "reference"].boundaries
        ((1, 2),)
        """
        if not self.units:
            raise CorpusError("there is no text below or between headings")
        n_units = len(self.units)
        ranks = {position: rank for position, rank in self.ranks.items() if 0 < position < n_units}
        coding = Hierarchy.from_ranks(ranks, n_units)
        return read_documents(source, [Document(source.name, {REFERENCE: coding}, self.units)], notices)


def ranked_units(
    corpus: Corpus, deepest: int = DEEPEST_HEADING, holds: str = "headings are from 1 to 6"
) -> Iterator[tuple[int, str]]:
    """Yield each unit of the only coding, with the rank of the boundary before it or 0."""
    document, coder, segmentation = only_coding(corpus)
    ranks = ranks_up_to(deepest, document, coder, segmentation, holds)
    for index, unit in enumerate(corpus.units[document]):
        yield ranks.get(index, 0), unit


def check_read_back(corpus: Corpus, units: Sequence[str], format: str) -> None:
    """Refuse a document whose written units would not be read back."""
    (document,) = corpus.documents
    for index, (unit, again) in enumerate(zip_longest(corpus.units[document], units)):
        if unit != again:
            where = f"document {document}: unit {index + 1}"
            raise misfit(where, unit, f"a text that {format} reads back; use jsonl")


# -------------------------------------------------------------------- a unit per line


def read_marked(source: Source, is_marker: Callable[[str], bool], *, may_repeat: bool = False) -> Contents:
    """Read a unit per line; a marker begins a segment, and blank lines are skipped."""
    units: list[str] = []
    masses = [0]
    for number, line in enumerate(source.lines, start=1):
        if is_marker(line):
            if masses[-1]:
                masses.append(0)
            elif units and not may_repeat:
                raise CorpusError(f"line {number}: there is no text between this marker and the one before")
        elif line.strip():
            units.append(line)
            masses[-1] += 1
    if not units:
        raise CorpusError("there is no text; expected a unit on each line")
    codings = {REFERENCE: [mass for mass in masses if mass]}
    return read_documents(source, [Document(source.name, codings, units)])


def marked_lines(corpus: Corpus, marker: str, is_marker: Callable[[str], bool]) -> list[str]:
    """Return the lines of the only document with a marker before each segment."""
    *_, segmentation = only_coding(corpus)
    units = lines_of_units(corpus, is_marker)
    return [line for start, end in segmentation.to_spans() for line in (marker, *units[start:end])]


def lines_of_units(corpus: Corpus, is_marker: Callable[[str], bool]) -> Sequence[str]:
    """Return the units of the only document; refuse units that would not be read back from lines."""
    (document,) = corpus.documents
    check_lines(document, corpus.units[document], is_marker)
    return corpus.units[document]


def check_lines(
    document: str, units: Sequence[str], is_marker: Callable[[str], bool] = lambda line: False
) -> None:
    """Refuse units that would not be read back from lines."""
    for index, text in enumerate(units):
        if not text.strip() or re.search(r"[\r\n]", text) or is_marker(text):
            raise misfit(f"document {document}: unit {index + 1}", text, "one line, not blank, not a marker")

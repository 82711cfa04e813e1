"""Chapters as descriptions of videos list them, a line with a time for each.

Units are whole seconds, or instants of 0.1 µs if a time has fractions (02:15.500), from the start of the
first chapter to the end of the last one. The end comes from end= or the last line (``12:50 - 15:00 Outro``);
otherwise the last chapter has one second, with a notice. The coder is called reference. Titles and other text
are not kept.

The time is before the title (after a bullet, a number, in brackets) or, throughout the list, after it. Lines
without a time there are description and are skipped with a notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from caesura.errors import CorpusError, within
from caesura.io.base import REFERENCE, Contents, Document, Format, only_coding, read_documents
from caesura.io.files import Source
from caesura.io.recordings import seconds_on_clock, steps_of, time_axis
from caesura.values.corpus import Corpus
from caesura.values.units import Units
from caesura.wording import clock, counted

TIME = r"([0-9]{1,5}(?::[0-9]{1,2})?:[0-9]{2}(?:\.[0-9]{3})?+)(?!\w|[:.,][0-9])"
FRONT = re.compile(rf"[\W_]*+(?:[0-9]{{1,3}}[.)]\s++[\W_]*+)?+{TIME}(?:\s*+(?:[-–—→]|to\b)\s*+{TIME})?+")
"""A time, possibly after signs and a number, and possibly with the end time."""
BEHIND = re.compile(rf"(?:^|[\s(\[{{<]){TIME}[\W_]*$")
LONGEST_END = 60
"""Characters at the end of a line that may hold a time."""

ENOUGH = 3
"""Chapters that make a list in other text, from 0:00 on; the rule of YouTube."""

TO_GRID = "corpus.onto('1s') moves boundaries to the nearest second"


class Chapter(NamedTuple):
    """The start of a chapter, and its end if given, as written."""

    line: int
    start: str
    end: str | None = None


def read(source: Source) -> Contents:
    """Read one coding of one recording."""
    if not (chapters := _chapters(source.lines)):
        raise CorpusError("there is no chapter: expected lines with a time and a title, such as 1:30 Rain")
    starts = [_seconds(chapter.line, chapter.start) for chapter in chapters]
    for (before, after), (first, second) in zip(pairwise(chapters), pairwise(starts), strict=True):
        if second <= first:
            order = f"{after.start} does not come after {before.start} (line {before.line})"
            raise CorpusError(f"line {after.line}: {order}: is one of these lines not a chapter?")
    n_others = sum(1 for line in source.lines if line.strip()) - len(chapters)
    lines = counted(n_others, "line has", "lines have")
    notices = [f"{lines} no time where the chapters have theirs: left out as description"] if n_others else []
    end = _end(source.options.get("end"), chapters[-1], starts[-1], notices)
    is_whole = all(start.is_integer() for start in starts)
    units = Units.every(1, end, start=starts[0]) if is_whole else time_axis(starts[0], end)
    coding = units.place(starts[1:])
    return read_documents(source, [Document(source.name, {REFERENCE: coding}, units=units)], notices)


def _chapters(lines: Iterable[str]) -> list[Chapter]:
    """Return the lines with a time at the usual side: in front, or behind."""
    front: list[Chapter] = []
    behind: list[Chapter] = []
    for number, line in enumerate(lines, start=1):
        if ":" not in line or "-->" in line:
            continue
        if match := FRONT.match(line):
            front.append(Chapter(number, match[1], match[2]))
        if match := BEHIND.search(line[-LONGEST_END:]):
            behind.append(Chapter(number, match[1]))
    return front if len(front) >= len(behind) else behind


def _seconds(line: int, clock: str) -> float:
    with within(f"line {line}"):
        return seconds_on_clock(clock)


def _end(given: float | None, last: Chapter, start: float, notices: list[str]) -> float:
    """Return the end of the last chapter."""
    if given is None and last.end is not None:
        given = _seconds(last.line, last.end)
    if given is None:
        notices.append("the end of the last chapter is missing, one second was taken; give end=")
        return start + 1
    if given <= start:
        raise CorpusError(f"line {last.line}: the last chapter is at {last.start}, the end at {given:g} s")
    return given


def write(corpus: Corpus, extension: str) -> str:
    """Return a numbered chapter per segment."""
    document, _, segmentation = only_coding(corpus)
    units = corpus.spans[document]
    times = [units.origin, *units.offsets(segmentation).tolist()]
    with within(f"document {document}"):
        clocks = [clock(steps_of(time, 1, FORMAT.name, TO_GRID)) for time in times]
    return "".join(f"{time} Chapter {number}\n" for number, time in enumerate(clocks, start=1))


def sniff(source: Source) -> bool:
    """Recognize it by ascending times on most lines, or on three of a longer text, the first being 0:00."""
    times = [seconds_on_clock(chapter.start) for chapter in _chapters(source.lines)]
    if len(times) < 2 or any(second <= first for first, second in pairwise(times)):
        return False
    is_most = 2 * len(times) > sum(1 for line in source.lines if line.strip())
    return is_most or (times[0] == 0 and len(times) >= ENOUGH)


lacks = "where the recording ends"
FORMAT = Format.of(globals(), "chapters", (".txt",), needs_axis="seconds", step=1)

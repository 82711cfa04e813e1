"""Cues: the parts shared by subtitle formats, from a cue's times to a document's units, and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from caesura.arrays import FloatArray
from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Document, read_documents
from caesura.io.files import Source, misfit, shortened, split_lines
from caesura.io.outlines import check_read_back
from caesura.io.recordings import clock_of_milliseconds, seconds_on_clock, steps_of
from caesura.values.corpus import Corpus
from caesura.values.units import Units

ARROW = "-->"
ROUND = "round the units' times first"
OF_TIMES = "0123456789:.,-"
"""The characters of times, valid or not."""


class Cue(NamedTuple):
    """A text shown from one time to another, in seconds."""

    start: float
    end: float
    text: str
    line: int
    """The line of its times, from 1 on; 0 in a file without lines."""


def is_number(line: str) -> bool:
    """Return whether a line is the number of a cue."""
    number = line.strip()
    return number.isascii() and number.isdigit()


CueParser: TypeAlias = Callable[[list[str], list[str]], list[Cue]]
"""Returns the cues on lines, and appends warnings to the notices."""


def cues_in(source: Source, cues_of: CueParser) -> tuple[list[Cue], list[str]]:
    """Return the cues of a file, possibly in Windows-1252, and the notices about it."""
    text, (*notices,) = source.legacy
    return cues_of(split_lines(text), notices), notices


def times_on(line: str, number: int) -> tuple[float, float]:
    """Return the start and end of a cue; settings after its times are ignored.

    >>> times_on("00:00:01,500 --> 00:00:04,000  X1:000 X2:000", 2)
    (1.5, 4.0)
    """
    before, _, after = line.partition(ARROW)
    first, last = before.strip(), after.split(maxsplit=1)
    if not last:
        raise CorpusError(f"line {number} is {shortened(line.strip())}: the cue has no end; is it cut off?")
    with within(f"line {number}"):
        start, end = seconds_on_clock(first), seconds_on_clock(last[0])
    if end < start:
        raise CorpusError(f"line {number}: the cue ends at {last[0]}, before it starts at {first}")
    return start, end


def check_end(lines: Sequence[str]) -> None:
    """Refuse a file that ends with a cue's times."""
    last = lines[-1]
    is_of_times = ":" in last and not last.strip(f"{OF_TIMES}> ")
    is_head = len(lines) < 2 or not lines[-2].strip() or is_number(lines[-2])
    if is_of_times and (is_head or ARROW in last):
        raise misfit(f"line {len(lines)}", last.strip(), "a text after a cue's times; is the file cut off?")


# -------------------------------------------------------------------- units


@dataclass(frozen=True)
class Subtitles:
    """A subtitle format, whose units are cues with texts and times."""

    name: str
    cues_of: CueParser
    cue: Callable[[int, str, str], str]
    """Return the block of a cue from its number, line of times and text."""
    mark: str
    """The sign before milliseconds."""
    first: str = ""
    """The beginning of the file."""

    def read(self, source: Source) -> Contents:
        """Return the document with a file's cues as units, not coded yet."""
        cues, notices = cues_in(source, self.cues_of)
        if not cues:
            raise CorpusError("no cue; expected lines such as 00:00:01.000 --> 00:00:04.000 with text")
        units = units_of_cues(cues, source.options.get("overlap"), notices)
        document = Document(source.name, {}, [cue.text for cue in cues], units)
        return read_documents(source, [document], notices)

    def write(self, corpus: Corpus, extension: str) -> str:
        """Return the units of one document as cues; refuse a text that would not be read back."""
        (document,) = corpus.documents
        texts = corpus.units[document]
        blocks = []
        for number, (span, text) in enumerate(zip(corpus.spans[document].spans, texts, strict=True), start=1):
            with within(f"document {document}: unit {number}"):
                blocks.append(self.cue(number, times_line(span, self.mark, self.name, ROUND), text))
        content = self.first + "\n".join(blocks)
        try:
            again = [cue.text for cue in self.cues_of(content.replace("\r", "\n").split("\n"), [])]
        except CorpusError:
            again = []
        check_read_back(corpus, again, self.name)
        return content


def units_of_cues(cues: Sequence[Cue], rule: str | None, notices: list[str]) -> Units | None:
    """Return the times of the cues as units, or None with a notice if they overlap or are not in order."""
    starts, ends = np.array([cue[:2] for cue in cues]).T
    if rule == "edges":
        raise CorpusError("overlap='edges' gives no cue a place of its own; use 'start', 'end' or 'middle'")
    is_early = np.concatenate(([False], starts[1:] < starts[:-1]))
    crosses = np.concatenate(([False], starts[1:] < ends[:-1]))
    if is_early.any():
        notices.append(_without_times(cues, is_early, "starts", "put the cues in order"))
        return None
    if crosses.any() and rule in (None, "error"):
        hint = "overlap='start', 'end' or 'middle' says where to cut"
        if rule == "error":
            raise CorpusError(f"{_first_of(cues, crosses)} starts before the previous cue ends; {hint}")
        notices.append(_without_times(cues, crosses, "ends", hint))
        return None
    if rule is not None and crosses.any():
        starts, ends = _cut(starts, ends, rule)
    return Units.from_arrays(starts, ends, "seconds")


def _without_times(cues: Sequence[Cue], is_wrong: np.ndarray, event: str, hint: str) -> str:
    first, more = _first_of(cues, is_wrong), and_more(int(is_wrong.sum()))
    return f"{first} starts before the previous cue {event}{more}: texts are read without times; {hint}"


def and_more(n: int) -> str:
    """Return in words the number of faults after the first.

    >>> and_more(1), and_more(3)
    ('', ' (and 2 more)')
    """
    return f" (and {n - 1:,} more)" if n > 1 else ""


def _first_of(cues: Sequence[Cue], is_wrong: np.ndarray) -> str:
    index = int(np.argmax(is_wrong))
    line = cues[index].line
    return f"line {line}: cue {index + 1}" if line else f"segment {index + 1}"


def _cut(starts: FloatArray, ends: FloatArray, rule: str) -> tuple[FloatArray, FloatArray]:
    """Return cues cut by the rule, so that none overlap."""
    reached = np.concatenate(([-np.inf], np.maximum.accumulate(ends)[:-1]))
    shared = np.minimum(reached, ends)  # the end of a cue's overlap with those before
    cuts = {"start": starts, "end": shared, "middle": (starts + shared) / 2}[rule]
    # A cue inside a longer one may end up without length; the order stays.
    first = np.maximum.accumulate(np.where(starts < reached, cuts, starts))
    last = np.maximum(ends, first)
    last[:-1] = np.minimum(last[:-1], first[1:])
    return first, last


# -------------------------------------------------------------------- writing


def times_line(times: Sequence[float], mark: str, name: str, hint: str) -> str:
    """Return the line with the times of a cue.

    >>> times_line((1.5, 4), ",", "srt", "round it")
    '00:00:01,500 --> 00:00:04,000'
    """
    return f" {ARROW} ".join(clock_of_milliseconds(steps_of(time, 1000, name, hint), mark) for time in times)


def without_tags(tag: re.Pattern[str], lines: Sequence[str]) -> str:
    """Return the text of a cue without tags."""
    text = "\n".join(lines)
    return tag.sub("", text) if "<" in text or "{" in text else text

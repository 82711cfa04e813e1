"""Cues: what subtitle formats share, from the line with a cue's times to the units of a document and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

import numpy as np

from caesura.arrays import FloatArray
from caesura.errors import CorpusError, within
from caesura.io.base import Contents, Document, read_documents
from caesura.io.files import Source, misfit, shortened, split_lines
from caesura.io.recordings import clock_of_milliseconds, seconds_on_clock, steps_of
from caesura.values.corpus import Corpus
from caesura.values.units import Units

ARROW = "-->"
ROUND = "round the units' times first"
OF_TIMES = "0123456789:.,-"
"""The characters of a time, right or wrong."""


class Cue(NamedTuple):
    """A text that is shown from one time to another, in seconds."""

    start: float
    end: float
    text: str
    line: int
    """Where its times stand, counted from 1; 0 in a file that is not read by lines."""


def is_number(line: str) -> bool:
    """Whether a line is the number of a cue."""
    number = line.strip()
    return number.isascii() and number.isdigit()


CueParser: TypeAlias = Callable[[list[str], list[str]], list[Cue]]
"""What returns the cues on lines, and adds to notices what should be known of them."""


def cues_in(source: Source, cues_of: CueParser) -> tuple[list[Cue], list[str]]:
    """Return the cues of a file, which may be an old one in Windows-1252, and what should be known of it."""
    text, (*notices,) = source.legacy
    return cues_of(split_lines(text), notices), notices


def times_on(line: str, number: int) -> tuple[float, float]:
    """Return when a cue starts and ends; what follows its times says where it is shown.

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
    """Refuse a file that ends inside a cue's times; its last line has no end, then."""
    last = lines[-1]
    is_of_times = ":" in last and not last.strip(f"{OF_TIMES}> ")
    is_head = len(lines) < 2 or not lines[-2].strip() or is_number(lines[-2])
    if is_of_times and (is_head or ARROW in last):
        raise misfit(f"line {len(lines)}", last.strip(), "a text after a cue's times; is the file cut off?")


# -------------------------------------------------------------------- units


@dataclass(frozen=True)
class Subtitles:
    """What a format of subtitles has of its own; its units are cues, with their text and times."""

    name: str
    cues_of: CueParser
    cue: Callable[[int, str, str], str]
    """What makes a block of a cue's number, its line of times and its text."""
    mark: str
    """What stands before milliseconds."""
    first: str = ""
    """What the file begins with."""

    def read(self, source: Source) -> Contents:
        """Return the document whose units are the cues of a file; it has no coding yet."""
        cues, notices = cues_in(source, self.cues_of)
        if not cues:
            raise CorpusError("no cue; expected lines such as 00:00:01.000 --> 00:00:04.000 with text")
        units = units_of_cues(cues, source.options.get("overlap"), notices)
        document = Document(source.name, {}, [cue.text for cue in cues], units)
        return read_documents(source, [document], notices)

    def write(self, corpus: Corpus, extension: str) -> str:
        """Return the units of one document as cues; refuse a text that would be read otherwise."""
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
        for index, (text, text_again) in enumerate(zip_longest(texts, again)):
            if text != text_again:
                last = min(index, len(texts) - 1)
                unit = f"document {document}: unit {last + 1} is {shortened(texts[last])}"
                raise CorpusError(f"{unit}: {self.name} holds no blank line, tag or line of times in a cue")
        return content


def units_of_cues(cues: Sequence[Cue], rule: str | None, notices: list[str]) -> Units | None:
    """Return where the cues stand, or None, with a notice, where they cannot be units as they are."""
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
    """Return how many there are of what the first is told of.

    >>> and_more(1), and_more(3)
    ('', ' (and 2 more)')
    """
    return f" (and {n - 1:,} more)" if n > 1 else ""


def _first_of(cues: Sequence[Cue], is_wrong: np.ndarray) -> str:
    index = int(np.argmax(is_wrong))
    line = cues[index].line
    return f"line {line}: cue {index + 1}" if line else f"segment {index + 1}"


def _cut(starts: FloatArray, ends: FloatArray, rule: str) -> tuple[FloatArray, FloatArray]:
    """Return cues that overlap no more: each is cut where the rule says the next one begins."""
    reached = np.concatenate(([-np.inf], np.maximum.accumulate(ends)[:-1]))
    shared = np.minimum(reached, ends)  # where the part ends that a cue has in common with those before
    cuts = {"start": starts, "end": shared, "middle": (starts + shared) / 2}[rule]
    # A cue inside a longer one may leave nothing of itself; then it has no length, and order is kept.
    first = np.maximum.accumulate(np.where(starts < reached, cuts, starts))
    last = np.maximum(ends, first)
    last[:-1] = np.minimum(last[:-1], first[1:])
    return first, last


# -------------------------------------------------------------------- writing


def times_line(times: Sequence[float], mark: str, name: str, hint: str) -> str:
    """Return the line that says from when to when a cue is shown.

    >>> times_line((1.5, 4), ",", "srt", "round it")
    '00:00:01,500 --> 00:00:04,000'
    """
    return f" {ARROW} ".join(clock_of_milliseconds(steps_of(time, 1000, name, hint), mark) for time in times)


def without_tags(tag: re.Pattern[str], lines: Sequence[str]) -> str:
    """Return the text of a cue."""
    text = "\n".join(lines)
    return tag.sub("", text) if "<" in text or "{" in text else text

"""Recordings: the axis of time, times in text and on a clock, and names of tiers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count

from caesura.errors import CorpusError, ParameterError, did_you_mean
from caesura.io.files import Source, shortened
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.units import Units


def time_axis(start: float, end: float) -> Units:
    """Return the axis of a recording; refuse impossible ends."""
    if not start < end:
        raise CorpusError(f"the recording starts at {start:g} and ends at {end:g}: it has no length")
    try:
        return Units.of_time(end, start=start)
    except ParameterError:
        raise CorpusError(f"the recording ends at {end:g} seconds: are these milliseconds?") from None


def time_in(text: str, label: str) -> float:
    """Return a time from a file, in the file's unit.

    >>> time_in("1.5", "onset")
    1.5
    """
    try:
        value = math.nan if "_" in text else float(text)  # float() accepts underscores
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise CorpusError(f"{label} is {shortened(text)}: expected a number, with a point for decimals")
    return value


def time_from_0(text: str, label: str) -> float:
    """Return a time from a file that must not be negative.

    >>> time_from_0("-1", "onset")
    Traceback (most recent call last):
    caesura.errors.CorpusError: onset is -1: expected a time from 0 on
    """
    if (value := time_in(text, label)) < 0:
        raise CorpusError(f"{label} is {text}: expected a time from 0 on")
    return value


def check_order(where: str, start: float, end: float) -> None:
    """Refuse an end before the start; both may be equal."""
    if end < start:
        raise CorpusError(f"{where} starts at {start:g} and ends at {end:g}: it ends before it starts")


def named_apart(names: Sequence[str], notices: list[str]) -> list[str]:
    """Return distinct, nonempty names of tiers; add notices about new names.

    >>> named_apart(["Mary", "Mary", ""], [])
    ['Mary', 'Mary (2)', 'tier 3']
    """
    given = set(names)
    apart: dict[str, None] = {}
    free: dict[str, Iterator[int]] = {}  # by name: the numbers not tried yet
    for number, name in enumerate(names, start=1):
        plain = name or f"tier {number}"
        free_name = plain
        if free_name in apart or (not name and free_name in given):
            numbers = free.setdefault(plain, count(2))
            further = (f"{plain} ({i})" for i in numbers)
            free_name = next(name for name in further if name not in given and name not in apart)
        if name and free_name != name:
            notices.append(f"tier {number} is called {shortened(name)} as one before: here {free_name}")
        elif not name:
            notices.append(f"tier {number} has no name: here {free_name}")
        apart[free_name] = None
    return list(apart)


def wanted_tiers(names: Collection[str], source: Source) -> list[str]:
    """Return the tiers that the caller names, by default all."""
    wanted = source.options.get("tiers")
    return list(names) if wanted is None else [known_tier(name, names) for name in dict.fromkeys(wanted)]


def known_tier(name: str, names: Collection[str]) -> str:
    """Return the name of a tier; refuse an unknown one."""
    if name not in names:
        raise CorpusError(f"unknown tier {shortened(name)}; {did_you_mean(name, names)}")
    return name


def tilings(
    corpus: Corpus, format: str, is_name: Callable[[str], bool] = bool
) -> tuple[Units, dict[str, list[float]]]:
    """Return the axis of the only document, and the edges of each coder's segments."""
    (document,) = corpus.documents
    units = corpus.spans[document]
    edges: dict[str, list[float]] = {}
    for _, coder, segmentation in corpus:
        if not is_name(coder):
            raise CorpusError(f"coder {coder!r}: {format} cannot hold this name; rename it")
        edges[coder] = edges_of(units, segmentation)
    return units, edges


def edges_of(units: Units, segmentation: Segmentation) -> list[float]:
    """Return the starts of the segments and the end of the last one."""
    # Rounded to remove the errors of adding instants.
    inner = [round(edge, 9) for edge in units.offsets(segmentation).tolist()]
    return [units.origin, *inner, units.end]


CLOCK = re.compile(r"(?:([0-9]{1,9}):)?([0-9]{1,5}):([0-9]{2})(?:[.,]([0-9]{1,9}))?")
"""Hours, minutes and seconds; hours and fractions are optional."""

ROUNDING = 1e-4
"""Share of a step that counts as rounding error."""


def seconds_on_clock(clock: str) -> float:
    """Return the seconds of a time such as 1:02:03.5; refuse other texts.

    >>> seconds_on_clock("01:02:03,500"), seconds_on_clock("90:00"), seconds_on_clock("27:00:00")
    (3723.5, 5400.0, 97200.0)
    >>> seconds_on_clock("00:99:99")
    Traceback (most recent call last):
    caesura.errors.CorpusError: the time is '00:99:99': minutes and seconds go up to 59
    """
    if (match := CLOCK.fullmatch(clock)) is None:
        if clock.startswith(("-", "−")) and CLOCK.fullmatch(clock[1:]):
            raise CorpusError(f"the time is {clock!r}: it is negative, and recordings start at 0")
        raise CorpusError(f"the time is {shortened(clock)}: expected one such as 00:01:02.500")
    hours, minutes, seconds, fraction = match.groups(default="")
    if int(seconds) > 59 or (hours and int(minutes) > 59):
        raise CorpusError(f"the time is {clock!r}: minutes and seconds go up to 59")
    # One division of whole numbers gives the same float as a literal.
    scale = int(10 ** len(fraction))
    whole = (int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds)
    return (whole * scale + int(fraction or 0)) / scale


STEPS = {1: "second", 1000: "millisecond"}
"""The smallest times of formats, by their number per second."""


def steps_of(seconds: float, per_second: int, name: str, hint: str) -> int:
    """Return a time in whole steps of a format; ``hint`` is the fix for finer times.

    >>> steps_of(2.5, 1000, "srt", "round it")
    2500
    """
    if seconds < 0:
        raise CorpusError(f"{seconds:.9g} s is negative, and times of {name} start at 0")
    steps = round(seconds * per_second)
    if abs(seconds * per_second - steps) > ROUNDING:
        raise CorpusError(f"{seconds:.9g} s is finer than a {STEPS[per_second]} ({name}); {hint}")
    return steps


def clock_of_milliseconds(time: int, mark: str) -> str:
    """Return a time in the form of subtitles, with this mark before the milliseconds.

    >>> clock_of_milliseconds(3_723_500, ",")
    '01:02:03,500'
    """
    seconds, milliseconds = divmod(time, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{mark}{milliseconds:03}"

"""Times as a clock shows them: read as seconds, and written as subtitles and lists of chapters do."""

from __future__ import annotations

import re

from caesura.errors import CorpusError
from caesura.io.files import shortened

CLOCK = re.compile(r"(?:([0-9]{1,9}):)?([0-9]{1,5}):([0-9]{2})(?:[.,]([0-9]{1,9}))?")
"""Hours (as many as there are), minutes and seconds; hours and parts of a second may be missing."""

ROUNDING = 1e-4
"""Share of a step that is taken for an error of rounding."""


def seconds_on_clock(clock: str) -> float:
    """Return the seconds that a time such as 1:02:03.5 is, or say what is wrong with it.

    >>> seconds_on_clock("01:02:03,500"), seconds_on_clock("90:00"), seconds_on_clock("27:00:00")
    (3723.5, 5400.0, 97200.0)
    >>> seconds_on_clock("00:99:99")
    Traceback (most recent call last):
    caesura.errors.CorpusError: the time is '00:99:99': minutes and seconds go up to 59
    """
    match = CLOCK.fullmatch(clock)
    if match is None:
        if clock.startswith(("-", "−")) and CLOCK.fullmatch(clock[1:]):
            raise CorpusError(f"the time is {clock!r}: it is negative, and recordings start at 0")
        raise CorpusError(f"the time is {shortened(clock)}: expected one such as 00:01:02.500")
    hours, minutes, seconds, fraction = match.groups(default="")
    if int(seconds) > 59 or (hours and int(minutes) > 59):
        raise CorpusError(f"the time is {clock!r}: minutes and seconds go up to 59")
    # Whole numbers up to one division: the same number as a literal of the time has.
    scale = int(10 ** len(fraction))
    whole = (int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds)
    return (whole * scale + int(fraction or 0)) / scale


STEPS = {1: "second", 1000: "millisecond"}
"""The smallest times of formats, by how many of them a second has."""


def steps_of(seconds: float, per_second: int, name: str, hint: str) -> int:
    """Return a time in whole steps of a format that has no finer ones; the hint is for those who need them.

    >>> steps_of(2.5, 1000, "srt", "round it")
    2500
    """
    if seconds < 0:
        raise CorpusError(f"{seconds:.9g} s is negative, and times of {name} start at 0")
    steps = round(seconds * per_second)
    if abs(seconds * per_second - steps) > ROUNDING:
        raise CorpusError(
            f"{seconds:.9g} s is finer than a {STEPS[per_second]}, which {name} counts in; {hint}"
        )
    return steps


def clock_of_milliseconds(time: int, mark: str) -> str:
    """Return a time as subtitles show it, with this mark before the milliseconds.

    >>> clock_of_milliseconds(3_723_500, ",")
    '01:02:03,500'
    """
    seconds, milliseconds = divmod(time, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{mark}{milliseconds:03}"


def clock_of_seconds(time: int) -> str:
    """Return a time as lists of chapters show it.

    >>> clock_of_seconds(75), clock_of_seconds(3723)
    ('1:15', '1:02:03')
    """
    hours, minutes, seconds = time // 3600, time // 60 % 60, time % 60
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"

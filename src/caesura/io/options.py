"""What a reader may be told of a file beyond its format: declared once, for Python and the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from caesura.checks import check_choice, is_duration, seconds_of
from caesura.errors import ParameterError
from caesura.values.segments import GAPS, OVERLAPS
from caesura.wording import short

MARKS = ("starts", "ends", "gaps", "labels")
TURNS = ("changes", "edges")
CLOCK = re.compile(r"(?:([0-9]{1,5}):)?([0-9]{1,2}):([0-9]{2}(?:\.[0-9]+)?)")


@dataclass(frozen=True)
class ReadOption:
    """One thing that a reader may be told."""

    name: str
    """Its keyword in ``read``."""
    help: str
    choices: tuple[str, ...] = ()
    is_list: bool = False
    """Whether it may be given several times."""

    def checked(self, value: Any) -> Any:
        """Return the value in its plain form, or say what is wrong with it."""
        if self.is_list:
            names = (value,) if isinstance(value, str) else tuple(value)
            for name in names:
                if not isinstance(name, str) or not name:
                    raise ParameterError(f"{self.name} is {short(value)}: expected a list of names")
            return names
        if self.choices:
            return check_choice(self.name, value, self.choices)
        if self.name == "end":
            return time_of(self.name, value)
        if not isinstance(value, str) or not value.strip():
            raise ParameterError(f"{self.name} is {short(value)}: expected text")
        return value


OPTIONS: dict[str, ReadOption] = {
    option.name: option
    for option in (
        ReadOption("marker", "The line between segments of marked text."),
        ReadOption("marks", "What marks in a table mean: a 1 (x, B, true) on the first unit of a "
                   "segment, on its last, for each gap, or a label per unit.", MARKS),
        ReadOption("text", "The column of a table with the units' text."),
        ReadOption("document", "The column of a table with the document's name."),
        ReadOption("coders", "A column of a table that is a coder; repeatable.",
                   is_list=True),
        ReadOption("sheet", "The sheet of a spreadsheet, where several hold data."),
        ReadOption("overlap", "Where the boundary is between spans that overlap.", OVERLAPS),
        ReadOption("gaps", "What a part is that no span covers: a segment of its own, or joined to "
                   "the span before.", GAPS),
        ReadOption("tiers", "A tier or layer to read; repeatable. Default: all that hold times or "
                   "spans.", is_list=True),
        ReadOption("turns", "Where boundaries are among speakers' turns: where the speaker "
                   "changes, or at every edge of a turn.", TURNS),
        ReadOption("end", "Where a recording ends whose file does not say it: 45:00, 2700s."),
    )
}  # fmt: skip
"""All options by name."""


class ReadOptions:
    """The options of one call, and which of them a reader has asked for.

    >>> options = ReadOptions(gaps="join", marks=None)
    >>> options.get("gaps"), options.get("overlap", "start")
    ('join', 'start')
    """

    def __init__(self, **given: Any) -> None:
        self.given: Mapping[str, Any] = MappingProxyType(
            {name: OPTIONS[name].checked(value) for name, value in given.items() if _is_given(value)}
        )
        self._asked: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        """Return an option's value, or the default of the format."""
        self._asked.add(OPTIONS[name].name)
        return self.given.get(name, default)

    def check_used(self, formats: str) -> None:
        """Refuse an option that no reader of these formats asked for: who gave it expects a change."""
        for name in self.given:
            if name not in self._asked:
                raise ParameterError(f"{name}= says nothing of the format {formats}; leave it out")


def _is_given(value: Any) -> bool:
    return value is not None and value != ()


def time_of(name: str, value: Any) -> float:
    """Return a time in seconds: a number, a duration (90s) or a clock's time (1:30, 1:02:03.5).

    >>> time_of("end", "1:02:03"), time_of("end", "90s"), time_of("end", 5)
    (3723.0, 90.0, 5.0)
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf"):
        return float(value)
    match = CLOCK.fullmatch(value) if isinstance(value, str) else None
    if match is not None:
        hours, minutes, seconds = match.groups()
        return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds)
    if is_duration(value):
        return seconds_of(name, value)
    raise ParameterError(f"{name} is {short(value)}: expected a time such as 45:00, 1:02:03 or 90s")

"""Reading options besides the format, declared once for Python and the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caesura.checks import check_choice, check_flag, check_number, is_duration, seconds_of
from caesura.errors import ParameterError
from caesura.values.segments import GAPS, OVERLAPS
from caesura.wording import listed, short

MARKS = ("starts", "ends", "gaps", "labels")
TURNS = ("changes", "edges")
NUMBERINGS = ("0-inclusive", "0-exclusive", "1-inclusive", "1-exclusive")
"""The first number, and whether the end of a segment is its last unit."""

CLOCK = re.compile(r"(?:([0-9]{1,5}):)?([0-9]{1,2}):([0-9]{2}(?:\.[0-9]+)?)")


@dataclass(frozen=True)
class ReadOption:
    """A reading option."""

    name: str
    """The keyword in ``read``."""
    help: str
    formats: tuple[str, ...]
    """The formats whose readers use it; empty: all text formats."""
    choices: tuple[str, ...] = ()
    is_list: bool = False
    """Whether it takes several values."""
    kind: type = str
    """Its type: str, float (a share), bool, or object (a corpus)."""

    def checked(self, value: Any) -> Any:
        """Return the plain value; raise ParameterError if it is not allowed."""
        if self.is_list:
            names = (value,) if isinstance(value, str) else tuple(value)
            for name in names:
                if not isinstance(name, str) or not name:
                    raise ParameterError(f"{self.name} is {short(value)}: expected a list of names")
            return names
        if self.choices:
            return check_choice(self.name, value, self.choices)
        if self.kind is bool:
            return check_flag(self.name, value)
        if self.kind is float:
            return check_number(self.name, value, 0, 1)
        if self.kind is not str:
            return value
        if self.name == "end":
            return time_of(self.name, value)
        if not isinstance(value, str) or not value.strip():
            raise ParameterError(f"{self.name} is {short(value)}: expected text")
        if self.name == "marker" and (value != value.strip() or re.search(r"[\r\n]", value)):
            raise ParameterError(f"marker is {short(value)}: expected a line without spaces around it")
        if self.name == "encoding":
            _check_encoding(value)
        return value


TABLES = ("labels", "long", "parquet", "excel")
SPANS = (
    "label-studio", "doccano", "brat", "langchain", "llamaindex", "spans", "bio", "webanno", "qmsum",
    "tinyrec", "textgrid", "elan", "vtt-chapters", "chonkie", "chunks", "titles",
)  # fmt: skip

OPTIONS: dict[str, ReadOption] = {
    option.name: option
    for option in (
        ReadOption("encoding", "Encoding of text files that are not UTF-8: cp1252, latin-1, shift_jis.",
                   ()),
        ReadOption("marker", "Line that separates segments of marked text, or its beginning ('### …'); "
                   "blank: blank lines.", ("marked",)),
        ReadOption("marks", "Meaning of marks in a table: a 1 (x, B, true) on the first unit of a "
                   "segment, on its last, for each gap, or a label per unit.",
                   (*TABLES, "jsonl", "gaps"), MARKS),
        ReadOption("text", "Table column with the text of the units.", (*TABLES, "label-studio")),
        ReadOption("document", "Table column with the name of the document.",
                   (*TABLES, "doccano", "langchain", "llamaindex")),
        ReadOption("coders", "Table column that holds a coder; repeatable.",
                   (*TABLES, "bio"), is_list=True),
        ReadOption("sheet", "Sheet of a spreadsheet, if several hold data.", ("excel",)),
        ReadOption("overlap", "Where to put the boundary between overlapping spans.",
                   (*SPANS, "srt", "webvtt", "whisper"), OVERLAPS),
        ReadOption("gaps", "What to do with parts that no span covers: make a segment, or join the span "
                   "before.", (*SPANS, *TABLES, "jsonl"), GAPS),
        ReadOption("tiers", "Tier or layer to read; repeatable. Default: all that hold times or spans.",
                   ("textgrid", "elan", "brat", "doccano", "label-studio", "webanno", "tinyrec", "conllu",
                   "ytseg"), is_list=True),
        ReadOption("turns", "Put boundaries where the speaker changes, or at every edge of a turn.",
                   ("rttm",), TURNS),
        ReadOption("end", "End of a recording whose file does not give it: 45:00, 2700s.",
                   ("rttm", "chapters", "vtt-chapters", "elan", "label-studio")),
        ReadOption("ends", "Make the end of every segment of a transcript a boundary.",
                   ("whisper",), kind=bool),
        ReadOption("numbering", "How a list of segments numbers units: from 0 or 1, end inclusive or "
                   "exclusive.", ("titles",), NUMBERINGS),
        ReadOption("text_of", "Original texts, if those of DATA are changed copies, such as a language "
                   "model's output; boundaries move to the original's units.", (), kind=object),
        ReadOption("least_kept", "Share of the original's words that a changed text must keep (0.8).",
                   (), kind=float),
    )
}  # fmt: skip
"""All options by name."""


class ReadOptions:
    """The options of a call, and a record of those that readers used.

    >>> options = ReadOptions(gaps="join", marks=None)
    >>> options.get("gaps"), options.get("overlap", "start")
    ('join', 'start')
    """

    def __init__(self, **given: Any) -> None:
        self.given: Mapping[str, Any] = {
            name: OPTIONS[name].checked(value)
            for name, value in given.items()
            if value is not None and value is not False and value != ()
        }
        self._asked: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        """Return an option's value, or the default of the format."""
        self._asked.add(OPTIONS[name].name)
        return self.given.get(name, default)

    def use(self, *names: str) -> None:
        """Record options as used, whether or not this file needs them."""
        self._asked.update(names)

    def check_used(self, inputs: Sequence[str], formats: str) -> None:
        """Refuse an option that no reader of these inputs used."""
        for name, value in self.given.items():
            if name not in self._asked:
                known = listed(OPTIONS[name].formats, most=99) or "text files"
                fault = f"{name}= is {short(value)} and fits none of the inputs"
                raise ParameterError(f"{fault}, {listed(inputs, most=3)} ({formats}): it is for {known}")


def _check_encoding(name: str) -> None:
    try:
        "a".encode(name)
    except (LookupError, ValueError):  # unknown, or not an encoding of text
        raise ParameterError(f"unknown encoding {short(name)}; try cp1252, latin-1 or utf-16") from None


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

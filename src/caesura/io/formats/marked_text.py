"""Text with a unit per line and a marker line (=====) between segments.

A line is a unit; the one coding is by the coder reference. Another marker line is named by marker=.

A marker is a line of three or more ``=``, ``-`` or ``*``; ``[CSTART]``, alone or with a title and ``[CEND]``;
or ``###`` and a title; all markers of a file are of one kind. ``marker`` names another: a whole line
(``<break>``), the beginning of lines (``Part …``), or ``blank`` for blank lines, which are otherwise ignored.
Titles are neither units nor kept. Markers before the first and after the last segment are allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format
from caesura.io.files import Source
from caesura.io.formats.choi import sniff as is_choi
from caesura.io.formats.wiki727 import sniff as is_wiki727
from caesura.io.options import OPTIONS
from caesura.io.outlines import marked_lines, read_marked
from caesura.values.corpus import Corpus

MARKER = "====="
RULE = re.compile(r"\s*(?:([=*-])\1{2,}\s*|(###)\s.*|(\[CSTART\]).*)\Z")
"""Markers that need no name; the kind is a group."""

LEVELS = re.compile(r"\s*(##?|#{4,6})\s")
"""Headings of other levels, which are not units beside headings of level three."""

TEXT_BEHIND = re.compile(r"\s*\[CSTART\](?:(?!.*\[CEND\]\s*\Z)\s*\S|.*\[CEND\]\s*\S)")
"""Text outside the title, which would be lost."""

BLANK = "blank"
"""The name of blank lines as markers."""

GOES_ON = re.compile(r"\s*(?:…|\.\.\.)\Z")
"""The end of a name that is only the beginning of marker lines."""


def read(source: Source) -> Contents:
    """Read one document with its text."""
    if has_named_marker(source):
        marker = source.options.get("marker")
        return read_marked(source, partial(_equals, marker), may_repeat=marker == BLANK)
    return read_marked(source, _rules(source.lines))


def has_named_marker(source: Source) -> bool:
    """Whether the named marker occurs in this file; it may be for another file."""
    marker = source.options.given.get("marker")
    return marker is not None and any(map(partial(_equals, marker), source.lines))


def _equals(marker: str, line: str) -> bool:
    if marker == BLANK:
        return not line.strip()
    beginning = GOES_ON.sub("", marker)
    is_whole = beginning in ("", marker)
    return line.strip() == marker if is_whole else line.lstrip().startswith(beginning)


def _is_rule(line: str) -> bool:
    return RULE.match(line) is not None


def _rules(lines: Sequence[str]) -> Callable[[str], bool]:
    """Return the test of marker lines; two kinds in one file may mean two levels, and are refused."""
    kinds: dict[str, int] = {}
    for pattern in (RULE, LEVELS):
        for number, line in enumerate(lines, start=1):
            if match := pattern.match(line):
                kinds.setdefault(match[match.lastindex or 0], number)
            if TEXT_BEHIND.match(line):
                raise CorpusError(f"line {number}: text follows [CSTART] or [CEND]; move it to the next line")
        if "###" not in kinds:
            break
    if len(kinds) > 1:
        (sign, first), (second_sign, second) = list(kinds.items())[:2]
        kinds_of = f"line {first} is a line of {sign}, line {second} one of {second_sign}"
        raise CorpusError(f"{kinds_of}: choose the marker of segments with marker=")
    return _is_rule


def write(corpus: Corpus, extension: str, marker: str = MARKER) -> str:
    """Return the text with a marker line before each segment."""
    is_marker = _is_rule if RULE.match(marker) else partial(_equals, marker)
    line = "" if marker == BLANK else marker
    return "\n".join(marked_lines(corpus, line, is_marker)) + "\n"


def sniff(source: Source) -> bool:
    """Look for a marker that needs no name."""
    return any(map(_is_rule, source.lines)) and not is_choi(source) and not is_wiki727(source)


FORMAT = Format.of(globals(), "marked", (".txt",), needs_units=True)


def with_marker(marker: str) -> Format:
    """Return the format with another marker line, for writing."""
    return replace(FORMAT, write=partial(write, marker=OPTIONS["marker"].checked(marker)))

"""WebVTT subtitles, a unit per cue.

Units are the cues, with their text (without tags) and times in seconds; where cues overlap or are not in
order, their times are kept only if overlap= says where to cut. There are no coders: subtitles still need
annotations or a segmenter. Identifiers, settings, notes and styles are not kept.

https://www.w3.org/TR/webvtt1/. The file says nothing of segments (files of chapters do: ``vtt-chapters``).
The header and the blocks NOTE, STYLE and REGION are not cues. Tags, and times inside the text, are left out
of it; a text outside of cues is left out with a notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from caesura.errors import CorpusError
from caesura.io import cues
from caesura.io.base import Format
from caesura.io.files import Source, shortened

SIGNATURE = "WEBVTT"
HEADER = re.compile(rf"{SIGNATURE}(?![^ \t\r\n])")
NO_CUE = re.compile(r"(NOTE|STYLE|REGION)(?!\S)")
TAG = re.compile(r"</?[A-Za-z0-9][^<>]*+>")
CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "nbsp": "\u00a0", "lrm": "\u200e", "rlm": "\u200f"}
ENTITY = re.compile(rf"&({'|'.join(CHARACTERS)});")


def cues_of(lines: list[str], notices: list[str]) -> list[cues.Cue]:
    """Return the cues on these lines."""
    if not HEADER.match(lines[0]):
        raise CorpusError(f"line 1 is {shortened(lines[0].strip())}: expected {SIGNATURE}")
    cues.check_end(lines)
    times = [index for index, line in enumerate(lines) if cues.ARROW in line and index]
    is_blank = [not line.strip() for line in lines]
    # A line between the times and a blank line names the cue.
    heads = [i - 1 if i > 1 and not is_blank[i - 1] and is_blank[i - 2] else i for i in times]
    shown: list[cues.Cue] = []
    blocks = [*_blocks(lines, 1, heads[0] if heads else len(lines), is_inside=True)]
    for index, end in zip(times, [*heads, len(lines)][1:], strict=True):
        text_end = next((at for at in range(index + 1, end) if is_blank[at]), end)
        text = cues.without_tags(TAG, lines[index + 1 : text_end])
        text = ENTITY.sub(lambda entity: CHARACTERS[entity[1]], text)
        shown.append(cues.Cue(*cues.times_on(lines[index], index + 1), text, index + 1))
        blocks += _blocks(lines, text_end, end)
    if stray := [(number, line) for number, line in blocks if not NO_CUE.match(line)]:
        number, line = stray[0]
        more = cues.and_more(len(stray))
        notices.append(f"line {number}: {shortened(line)} stands in no cue{more} and was left out")
    return shown


def _blocks(lines: list[str], start: int, end: int, *, is_inside: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the first line of each block and its number; one that began before the start is not one."""
    for index in range(start, end):
        is_blank = not lines[index].strip()
        if not is_blank and not is_inside:
            yield index + 1, lines[index].strip()
        is_inside = not is_blank


def _cue(number: int, times: str, text: str) -> str:
    return f"{times}\n{text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}\n"


def is_webvtt(source: Source) -> bool:
    """Recognize it by the extension or the first line; whether it holds chapters is another question."""
    return source.extension == ".vtt" or HEADER.match(source.legacy.text) is not None


def is_of_chapters(source: Source) -> bool:
    """Return whether a file holds chapters, by the kind in its header or by its name."""
    for line in source.legacy.text[:10_000].splitlines():
        key, colon, kind = line.partition(":")
        if colon and key.strip().lower() == "kind":
            return kind.strip().lower() == "chapters"
        if not line.strip() or cues.ARROW in line:
            break
    return "chapter" in source.path.name.lower()


def sniff(source: Source) -> bool:
    """Recognize it by extension or first line, if it is not a file of chapters."""
    return is_webvtt(source) and not is_of_chapters(source)


WEBVTT = cues.Subtitles("webvtt", cues_of, _cue, mark=".", first=f"{SIGNATURE}\n\n")
read, write = WEBVTT.read, WEBVTT.write
needs_axis, codings, may_be_legacy = "seconds", "none", True
FORMAT = Format.of(globals(), "webvtt", (".vtt",), {"places"}, needs_units=True)

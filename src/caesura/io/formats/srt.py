"""SubRip subtitles, a unit per cue.

Units are the cues, with their text (without tags) and times in seconds; where cues overlap or are not in
order, their times are kept only if overlap= says where to cut. There are no coders: subtitles still need
annotations or a segmenter. Numbers and places on the screen are not kept.

Numbers are ignored and may be missing.
Tags (``<i>``, ``{\\an8}``) are left out of the text. A blank line inside a cue's text is left out, too, with
a notice.
"""

from __future__ import annotations

import re

from caesura.io import cues
from caesura.io.base import Format
from caesura.io.files import Source, misfit

TAG = re.compile(r"</?[A-Za-z][^<>]*+>|\{\\[^{}]*+\}")


def cues_of(lines: list[str], notices: list[str]) -> list[cues.Cue]:
    """Return the cues on these lines."""
    times = [index for index, line in enumerate(lines) if cues.ARROW in line and _has_times(lines, index)]
    heads = [index - 1 if index and cues.is_number(lines[index - 1]) else index for index in times]
    for number, line in enumerate(lines[: heads[0] if heads else None], start=1):
        if line.strip():
            raise misfit(f"line {number}", line.strip(), "a cue's number, then 00:00:01,000 --> 00:00:04,000")
    cues.check_end(lines)
    blocks: list[cues.Cue] = []
    blanks: list[int] = []
    for index, end in zip(times, [*heads, len(lines)][1:], strict=True):
        block = lines[index + 1 : end]
        while block and not block[-1].strip():
            block.pop()
        if end == len(lines):
            _check_last_block(block, index + 2)
        blanks += [index + 2 + at for at, line in enumerate(block) if not line.strip()][:1]
        text = cues.without_tags(TAG, [line for line in block if line.strip()])
        blocks.append(cues.Cue(*cues.times_on(lines[index], index + 1), text, index + 1))
    if blanks:
        where = f"line {blanks[0]}{cues.and_more(len(blanks))}"
        notices.append(f"{where}: the text below this blank line was taken as part of the cue")
    return blocks


def _has_times(lines: list[str], index: int) -> bool:
    """Return whether a line with an arrow has times, valid or not, and is not text."""
    before = lines[index].partition(cues.ARROW)[0].strip()
    if before and not before.strip(cues.OF_TIMES):
        return True
    return not index or not lines[index - 1].strip() or cues.is_number(lines[index - 1])


def _check_last_block(block: list[str], first: int) -> None:
    """Refuse a file that ends with the number of one more cue."""
    if len(block) > 1 and cues.is_number(block[-1]) and not block[-2].strip():
        where = f"line {first + len(block) - 1}"
        raise misfit(where, block[-1].strip(), "times below the number of a cue; is the file cut off?")


def sniff(source: Source) -> bool:
    """Recognize it by the first cue's times, on the first line or below a number."""
    start = source.legacy.text[:1000].lstrip().replace("\r\n", "\n").replace("\r", "\n")
    lines = start.split("\n", 2)
    index = 1 if len(lines) > 1 and cues.is_number(lines[0]) else 0
    return cues.ARROW in lines[index] and lines[index][:1].isdigit()


SRT = cues.Subtitles("srt", cues_of, "{}\n{}\n{}\n".format, mark=",")
read, write = SRT.read, SRT.write
needs_axis, codings, may_be_legacy = "seconds", "none", True
FORMAT = Format.of(globals(), "srt", (".srt",), {"places"}, needs_units=True)

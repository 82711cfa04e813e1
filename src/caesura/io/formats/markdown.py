"""Markdown: headings begin segments and their depth as written is the rank; one document per file.

Headings are lines that begin with one to six ``#``, and text underlined with ``=`` (depth 1) or ``-``
(depth 2), by the rules of CommonMark 0.31; what looks like one inside code, comments, HTML, lists or
quotations is text. A unit is a block of lines between blank lines, headings and rules, or a block of code
between fences. A heading is no unit: it begins a segment at the next one. Of headings without text between
them the most prominent counts, and those before all text or after it make no boundary. Titles are not kept;
written ones say which unit follows. Rules (``---``), comments that stand alone, and a YAML header are no
units either.
"""

from __future__ import annotations

import re

from caesura.io.base import Contents, Format, check_read_back, only_coding, outlined, ranks_up_to
from caesura.io.files import Source
from caesura.io.formats.html_headings import BLOCK, HEADINGS, MAX_RANK
from caesura.values.corpus import Corpus

EXTENSIONS = (".md", ".markdown")

ATX = re.compile(r" {0,3}(#{1,6})(?: |$)")
UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+) *")
RULE = re.compile(r" {0,3}(?:(?:\* *+){3,}+|(?:- *+){3,}+|(?:_ *+){3,}+)")
FENCE = re.compile(r" {0,3}(`{3,}+(?=[^`]*$)|~{3,}+)")
ITEM = re.compile(r" {0,3}(?:[-+*]|[0-9]{1,9}[.)])(?: {1,4}(?! )| |$)")
FIRST_ITEM = re.compile(r" {0,3}(?:[-+*]|1[.)]) +[^ ]")
"""A list item that can follow other text without a blank line between."""
QUOTE = re.compile(r" {0,3}> ?")
COMMENT = re.compile(r" {0,3}<!--")
COMMENT_END = re.compile("-->")
RAW = re.compile(r" {0,3}<(?:pre|script|style|textarea)(?=[ >]|$)", re.IGNORECASE)
RAW_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
TAG = re.compile(r" {0,3}</?(?!pre|template)([A-Za-z][A-Za-z0-9-]*)(?=[ />]|$)")
LONE_TAG = re.compile(r" {0,3}</?[A-Za-z][A-Za-z0-9-]*(?: [^<>]*)?/?> *")
YAML = re.compile(r"[A-Za-z_][\w -]*:(?: |$)")


class _Outline:
    """Units so far, and the ranks of the headings before them."""

    def __init__(self) -> None:
        self.units: list[str] = []
        self.ranks: dict[int, int] = {}
        self.block: list[str] = []
        self.kind = "text"
        """Of the open block: text, which may be underlined, code, html, or other (lists and quotations)."""
        self.item_indent = 0
        """Indent of the text in a list item; lines indented as far belong to the list."""
        self.is_lazy = False
        """Whether a list item or quotation ends in text that a line without its indent or sign continues."""
        self.fence: re.Pattern[str] | None = None
        """What ends the code, comment or raw HTML that is open; no line in it has a meaning."""
        self.fence_line = 0
        self.fence_indent = 0

    def end_block(self) -> None:
        """Keep the open block as a unit."""
        if self.block:
            self.units.append("\n".join(self.block))
        self.block = []
        self.kind = "text"

    def add_heading(self, rank: int) -> None:
        """Note the rank of a heading before the next unit."""
        self.item_indent = 0
        self.ranks[len(self.units)] = min(rank, self.ranks.get(len(self.units), rank))

    def add_line(self, number: int, line: str) -> None:
        """Read one line."""
        flat = line.expandtabs(4)
        indent = len(flat) - len(flat.lstrip(" "))
        if self.fence is not None and flat.strip() and indent < self.fence_indent:
            self.fence = None  # the list item ends, and all in it
            self.end_block()
        if self.fence is not None:
            if self.block:  # a comment has none
                self.block.append(line)
            if self.fence.search(flat):
                self.fence = None
                self.end_block()
            return
        if not flat.strip():
            if self.block and ITEM.fullmatch(self.block[-1].rstrip()):
                self.item_indent = 0  # an item that is empty ends here
            self.end_block()
            return
        if self.kind == "code" and indent < 4:
            self.end_block()
        in_item = 0 < self.item_indent <= indent
        is_contained = in_item or ITEM.match(flat) or QUOTE.match(flat)
        if self.kind == "other" and not is_contained and not self.is_lazy:
            self.end_block()
        if not in_item and not self.block:
            self.item_indent = 0
        atx, underline = ATX.match(flat), UNDERLINE.fullmatch(flat)
        if self.kind == "html":
            self.block.append(line)
        elif fence := FENCE.match(flat, self.item_indent if in_item else 0):
            self.end_block()
            self._open(_closing(fence[1], self.item_indent if in_item else 0), number, in_item)
            self.block.append(line)
        elif atx and not in_item:
            self.end_block()
            self.add_heading(len(atx[1]))
        elif underline and self.block and self.kind == "text":
            self.block = []  # it is the title
            self.add_heading(1 if underline[1] else 2)
        elif RULE.fullmatch(flat) and not in_item:
            self.end_block()
            self.item_indent = 0
        elif COMMENT.match(flat) and not in_item:
            self.end_block()
            self.item_indent = 0
            _, end, text = flat.partition("-->")
            if not end:
                self._open(COMMENT_END, number, in_item)
            elif text.strip():
                self.units.append(line)
        else:
            self._add_text(number, line, flat, in_item)

    def _add_text(self, number: int, line: str, flat: str, in_item: bool) -> None:
        tag = TAG.match(flat)
        self.is_lazy = True
        if RAW.match(flat) and not in_item:
            self._open(RAW_END, number, in_item)
        elif (tag and BLOCK.fullmatch(tag[1].lower())) or (not self.block and LONE_TAG.fullmatch(flat)):
            self.kind = "html"
            if not in_item:
                self.item_indent = 0
        elif not self.block and flat.startswith("    ") and not in_item:
            self.kind = "code"
        elif self.kind != "code" and (in_item or QUOTE.match(flat) or self._is_item(flat)):
            self._add_contained(number, flat, in_item)
        self.block.append(line)
        if self.fence is RAW_END and RAW_END.search(flat):
            self.fence = None
            self.end_block()

    def _is_item(self, flat: str) -> bool:
        return (FIRST_ITEM if self.block and self.kind == "text" else ITEM).match(flat) is not None

    def _add_contained(self, number: int, flat: str, in_item: bool) -> None:
        """Read a line of a list item or quotation: may it be continued, and does code begin in it?"""
        self.kind = "other"
        place = self.item_indent if in_item else 0
        in_quote = False
        while sign := ITEM.match(flat, place) or QUOTE.match(flat, place):
            place = sign.end()
            in_quote = in_quote or sign[0].endswith((">", "> "))
            if not in_item:  # only the outermost item matters
                self.item_indent = 0 if in_quote else place
                in_item = True
        fence = FENCE.match(flat, place)
        is_open = flat[place:].strip() and not UNDERLINE.fullmatch(flat, place)
        self.is_lazy = bool(is_open and not fence and not ATX.match(flat, place))
        if fence and not in_quote:
            self._open(_closing(fence[1], self.item_indent if in_item else 0), number, in_item)

    def _open(self, fence: re.Pattern[str], number: int, in_item: bool) -> None:
        if not in_item:
            self.item_indent = 0
        self.fence, self.fence_line, self.fence_indent = fence, number, self.item_indent


def _closing(fence: str, indent: int) -> re.Pattern[str]:
    return re.compile(rf"^ {{0,{indent + 3}}}{re.escape(fence[0])}{{{len(fence)},}} *$")


def _outline(lines: list[str]) -> _Outline:
    outline = _Outline()
    for number, line in enumerate(lines[_header_end(lines) :], start=_header_end(lines) + 1):
        outline.add_line(number, line)
    outline.end_block()
    return outline


def _header_end(lines: list[str]) -> int:
    """Return how many lines the YAML header has, or 0."""
    if len(lines) < 3 or lines[0].rstrip() != "---" or not YAML.match(lines[1]):
        return 0
    ends = (number for number, line in enumerate(lines[1:], start=2) if line.rstrip() in ("---", "..."))
    return next(ends, 0)


def read(source: Source) -> Contents:
    """Read one document with its text."""
    outline = _outline(source.lines)
    notices = []
    if outline.fence is not None:
        notices.append(
            f"line {outline.fence_line}: the code, comment or HTML that begins here has no end and takes in "
            "all that follows"
        )
    return Contents(outlined(source.name, outline.units, outline.ranks), notices)


def write(corpus: Corpus, extension: str) -> str:
    """Return the text of one document with a heading before each segment but the first."""
    document, *_ = only = only_coding(corpus)
    units, ranks = corpus.units[document], ranks_up_to(MAX_RANK, *only, HEADINGS)
    parts = []
    for index, unit in enumerate(units):
        if index in ranks:
            parts.append(f"{'#' * ranks[index]} Segment before unit {index + 1}")
        parts.append(unit)
    text = "\n\n".join(parts) + "\n"
    read_back = _outline(re.split(r"\r\n|\r|\n", text))
    n_closed = len(units) - (read_back.fence is not None)  # an open one would go on after the last unit
    check_read_back(document, units, read_back.units[:n_closed] + read_back.units[len(units) :], "Markdown")
    return text


def sniff(source: Source) -> bool:
    """Tell it by the extension: in other files a line that begins with # may be anything."""
    return source.extension in EXTENSIONS


FORMAT = Format(
    "markdown",
    "Markdown whose headings begin segments, with a unit per paragraph",
    EXTENSIONS,
    read,
    write,
    sniff,
    frozenset({"ranks", "units"}),
    needs_units=True,
    example=("# Tea\n\nBoil water.\n\nWait.\n\n## Green tea\n\nWait less.\n\n# Coffee\n\nGrind beans.\n"),
    notes=(
        "A block of lines is a unit; the depth of a heading is the rank of its boundary. Titles are not kept."
    ),
)

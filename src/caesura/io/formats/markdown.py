"""Markdown whose headings begin segments, with a unit per paragraph.

Headings are those of CommonMark, begun with ``#`` or underlined; inside code, comments, HTML, lists or
quotations they are text. A unit is a block of lines between blank lines, headings and rules, or a block of
code between fences. A heading is not a unit: it begins a segment at the next one. Of adjacent headings the
most prominent counts; those before or after all text are ignored. Titles are not kept; written ones name the
next unit. Rules (``---``), separate comments, and a YAML header are not units either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format
from caesura.io.files import Source
from caesura.io.outlines import Outline, check_read_back, ranked_units
from caesura.values.corpus import Corpus

if TYPE_CHECKING:
    from markdown_it.token import Token

EXTENSIONS = (".md", ".markdown")
YAML = re.compile(r"[A-Za-z_][\w -]*:(?: |$)")
RAW = re.compile(r" {0,3}<(?:pre|script|style|textarea)[\s>]", re.IGNORECASE)
RAW_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
COMMENT = re.compile(r" {0,3}<!--.*?(?:(?P<end>-->)\s*(?P<text>.*)|\Z)", re.DOTALL)
DEEPEST = 50
MOST_NESTED = 4 * DEEPEST
"""A nested list is two levels: the list and its item."""
SIGN = r"(?: {0,3}+(?:[-+*] |> ?+))"
TOO_DEEP = re.compile(rf"^({SIGN}{{{DEEPEST}}}){SIGN}++")
"""Unreadably deep signs of nested lists and quotations."""
SHOWN_AS_IT_IS = ("fence", "html_block")
"""Literal blocks, which blank lines do not divide."""


def read(source: Source) -> Contents:
    """Read one document with its text."""
    outline, line = _outline(source.lines)
    fault = "the code, comment or HTML that begins here has no end and takes in all that follows"
    return outline.contents(source, [f"line {line}: {fault}"] if line else [])


def _outline(lines: Sequence[str]) -> tuple[Outline, int]:
    """Return the units and headings, and the line of a block without an end, or 0."""
    from markdown_it import MarkdownIt  # slow to import

    n_header, n_lines, without_end = _header_length(lines), len(lines), 0
    text = "\n".join([*[""] * n_header, *(TOO_DEEP.sub(r"\1", line) for line in lines[n_header:]), ""])
    parser = MarkdownIt("commonmark", {"maxNesting": MOST_NESTED}).disable(["inline", "text_join"])
    ranks: dict[int, int] = {}
    cuts, inside, left_out = set[int](), set[int](), set(range(n_header))  # of lines, counted from 0
    for token in parser.parse(text):
        if token.level >= MOST_NESTED - 1 and token.map:  # the parser skips the rest
            depth = f"lists and quotations are nested more than {MOST_NESTED // 2 - 2} deep"
            raise CorpusError(f"line {token.map[0] + 1}: {depth}; take out some levels, or save it as text")
        if token.map is None or (token.level and token.type != "fence"):
            continue
        block = range(*token.map)
        comment = COMMENT.match(token.content) if token.type == "html_block" else None
        if token.type in SHOWN_AS_IT_IS:
            inside.update(block)
            if block.stop == n_lines and not _has_end(token, len(block)):
                without_end = block.start + 1
        if token.type == "heading_open":
            ranks[block.start] = int(token.tag[1])
        if token.type in ("heading_open", "hr") or (comment and not comment["text"]):
            left_out.update(block)
        if token.type in ("paragraph_open", "fence") or comment:
            cuts.add(block.start)
        if token.type in ("code_block", *SHOWN_AS_IT_IS):
            cuts.add(block.stop)
    outline, unit = Outline(), list[str]()
    for index, line in enumerate([*lines, ""]):
        is_blank = not line.strip() and index not in inside
        if unit and (is_blank or index in cuts or index in left_out):
            outline.units.append("\n".join(unit))
            unit = []
        if index in ranks:
            outline.add_heading(ranks[index])
        if not is_blank and index not in left_out:
            unit.append(line)
    return outline, without_end


def _header_length(lines: Sequence[str]) -> int:
    """Return the number of lines of the YAML header, or 0."""
    if len(lines) < 3 or lines[0].rstrip() != "---" or not YAML.match(lines[1]):
        return 0
    ends = (number for number, line in enumerate(lines[1:], start=2) if line.rstrip() in ("---", "..."))
    return next(ends, 0)


def _has_end(token: Token, n_lines: int) -> bool:
    """Return whether code, a comment or HTML ends on its last line."""
    if token.type == "fence":
        return n_lines == token.content.count("\n") + 2
    comment = COMMENT.match(token.content)
    if comment or not RAW.match(token.content):
        return not comment or bool(comment["end"])
    return RAW_END.search(token.content) is not None


def write(corpus: Corpus, extension: str) -> str:
    """Return the text of one document with a heading before each segment but the first."""
    parts = [
        f"{'#' * rank} Segment before unit {number}\n\n{unit}" if rank else unit
        for number, (rank, unit) in enumerate(ranked_units(corpus), start=1)
    ]
    text = "\n\n".join(parts) + "\n"
    outline, without_end = _outline(re.split(r"\r\n|\r|\n", text))
    if without_end:
        del outline.units[len(parts) - 1 :]  # it would include later units
    check_read_back(corpus, outline.units, "Markdown")
    return text


def sniff(source: Source) -> bool:
    """Recognize it by the extension; elsewhere, # has other meanings."""
    return source.extension in EXTENSIONS


FORMAT = Format.of(globals(), "markdown", EXTENSIONS, {"ranks"}, needs_units=True)

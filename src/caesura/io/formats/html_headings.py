"""HTML whose headings h1 to h6 begin segments.

A unit is the text of a block (a paragraph, list item, cell ...), or text between the blocks inside it; white
space becomes one space, except in ``pre``. A heading is not a unit: it begins a segment at the next one. Of
adjacent headings the most prominent counts; those before or after all text are ignored. Titles are not kept,
nor are comments, ``nav``, ``template``, ``script``, ``style``, ``title``, ``textarea`` and frames. Written
with a paragraph per unit, or ``pre`` for white space other than single spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caesura.errors import CorpusError
from caesura.io.base import Contents, Format
from caesura.io.files import Source, shortened
from caesura.io.outlines import Outline, check_read_back, ranked_units
from caesura.values.corpus import Corpus

EXTENSIONS = (".html", ".htm")
BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|"
    "figure|footer|form|h[1-6]|header|hgroup|hr|html|legend|li|main|menu|nav|ol|optgroup|option|p|pre|search|"
    "section|summary|table|tbody|td|template|tfoot|th|thead|tr|ul"
)
LEFT_OUT = ("nav", "template")
RAW = ("iframe", "noembed", "noframes", "script", "style", "textarea", "title")
"""Elements whose content is not markup, up to their end tag."""

MARKUP = re.compile(r"<!--|<[!?]|<(/?)([A-Za-z][^\s/>]*+)")
# A quote counts after "=" only. Possessive, so that no character is read twice.
ATTRIBUTES = re.compile(r"""(?:=\s*+(?:"[^"]*+"|'[^']*+')?+|[^=>]++)*+>""")
HEADING = re.compile(r"h[1-6]")
SPACE = re.compile(r"[ \t\n\r\f]+")
START = re.compile(r"\s*+(?:<!doctype\s+html|<html)[\s>]", re.IGNORECASE)


class Tag(NamedTuple):
    """A tag: its name, whether it is an end tag, and its offset."""

    name: str
    is_end: bool
    offset: int


def read(source: Source) -> Contents:
    """Read one document with its text."""
    return _outline(source.text).contents(source)


def _outline(text: str) -> Outline:
    page = _Page(text)
    for token in _tokens(text):
        if isinstance(token, Tag):
            page.add_tag(token)
        else:
            page.pieces.append(token)
    page.check_closed()
    page.end_unit()
    return page.outline


def _not_closed(text: str, offset: int) -> CorpusError:
    line = len(re.findall(r"\r\n|\r|\n", text[:offset])) + 1
    start = shortened(text[offset : offset + 20])
    return CorpusError(f"line {line}: {start} is not closed, so it is not known which text belongs to it")


def _tokens(text: str) -> Iterator[Tag | str]:
    """Yield the tags and the text between them.

    html.parser takes quadratic time for unclosed tags.
    """
    offset = 0
    while markup := MARKUP.search(text, offset):
        start = markup.start()
        yield _unescaped(text[offset:start])
        if name := (markup[2] or "").lower():
            rest = ATTRIBUTES.match(text, markup.end())
            offset = rest.end() if rest else 0
        else:
            closing = "-->" if markup[0] == "<!--" else ">"
            offset = text.find(closing, start + 2) + len(closing)  # <!--> is a whole comment
        if offset <= start:
            raise _not_closed(text, start)
        if name:
            yield Tag(name, markup[1] == "/", start)
        if name in RAW and markup[1] == "":
            end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, offset)
            if end is None:
                raise _not_closed(text, start)
            offset = end.start()
    yield _unescaped(text[offset:])


def _unescaped(text: str) -> str:
    """Return text with its character references resolved."""
    from html import unescape  # its table of entities takes time to import

    try:
        return unescape(text)
    except ValueError:  # Python's bound on the digits of a number
        raise CorpusError("the number of a character reference has thousands of digits") from None


class _Page:
    """The page so far; not a tree, so that elements may nest to any depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.outline = Outline()
        self.pieces: list[str] = []
        self.heading: Tag | None = None
        self.left_out: list[Tag] = []
        self.n_pre = 0

    def add_tag(self, tag: Tag) -> None:
        """Begin or end a unit, a heading or a skipped part."""
        if tag.name == "br":
            self.pieces.append("\n")
        if not BLOCK.fullmatch(tag.name):
            return
        if self.heading is None:
            self.end_unit()
        if HEADING.fullmatch(tag.name) and not self.left_out:
            self._add_heading(tag)
        elif tag.name == "pre":
            self.n_pre = max(0, self.n_pre + (-1 if tag.is_end else 1))
        elif tag.name in LEFT_OUT and not tag.is_end:
            self.left_out.append(tag)
        elif self.left_out and self.left_out[-1].name == tag.name:
            self.left_out.pop()

    def _add_heading(self, tag: Tag) -> None:
        if not tag.is_end:
            self.check_closed()
            self.outline.add_heading(int(tag.name[1]))
        elif self.heading is not None:
            self.pieces.clear()  # the title
        self.heading = None if tag.is_end else tag

    def check_closed(self) -> None:
        """Refuse a heading or a skipped part without an end: all later text would be lost."""
        for tag in (self.heading, *self.left_out):
            if tag is not None:
                raise _not_closed(self.text, tag.offset)

    def end_unit(self) -> None:
        """Add the text so far as a unit, unless it is blank."""
        text = "".join(self.pieces)
        self.pieces.clear()
        text = text.strip("\r\n") if self.n_pre else SPACE.sub(" ", text).strip(" ")
        if text.strip() and not self.left_out:
            self.outline.units.append(text)


def write(corpus: Corpus, extension: str) -> str:
    """Return the text of one document with a heading before each segment but the first."""
    from html import escape  # its table of entities takes time to import

    lines = ["<!DOCTYPE html>", '<html><head><meta charset="utf-8"></head><body>']
    for number, (rank, unit) in enumerate(ranked_units(corpus), start=1):
        if rank:
            lines.append(f"<h{rank}>Segment before unit {number}</h{rank}>")
        tag = "p" if unit == SPACE.sub(" ", unit).strip(" ") else "pre"
        lines.append(f"<{tag}>{escape(unit, quote=False)}</{tag}>")
    text = "\n".join([*lines, "</body></html>"]) + "\n"
    check_read_back(corpus, _outline(text).units, "HTML")
    return text


def sniff(source: Source) -> bool:
    """Recognize it by the extension or by how it begins."""
    return source.extension in EXTENSIONS or START.match(source.text) is not None


FORMAT = Format.of(globals(), "html", EXTENSIONS, {"ranks"}, needs_units=True)

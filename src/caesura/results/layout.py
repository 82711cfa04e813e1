"""Columns of text side by side, as wide as a terminal shows them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

GAP = "   "
"""What stands between two columns."""


def cell_len(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    >>> cell_len("abc"), cell_len("日本"), cell_len("e" + chr(0x301))
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_char_len, unicodedata.normalize("NFC", text)))


@lru_cache(4096)
def _char_len(char: str) -> int:
    """Marks stand on the character before them; wide characters, such as Chinese ones, take two cells."""
    if unicodedata.category(char).startswith("M"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width_of(texts: Sequence[str]) -> int:
    """Return the width of a column of texts."""
    return max(map(cell_len, texts), default=0)


def padded(texts: Sequence[str], width: int, *, right: bool) -> list[str]:
    """Return a column of texts filled up to one width, at the left or the right edge of it."""
    fill = str.rjust if right else str.ljust
    return [
        fill(text, width if text.isascii() else width + len(text) - cell_len(text))  # fill counts characters
        for text in texts
    ]


def side_by_side(columns: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of padded columns, without spaces at their ends."""
    return [GAP.join(line).rstrip() for line in zip(*columns, strict=True)]

"""Search for strings cut from a text, in order, ignoring differences in white space and Unicode form."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray, repeat

WHITE_SPACE = re.compile(r"\s+")

COMPOSED_BACKWARDS = range(0x1160, 0x1200)
"""Vowels and final consonants of Hangul: letters that compose with the letter before them."""


@dataclass(frozen=True)
class Form:
    """A text in a form for comparison, with the start and end of each character in the text itself."""

    text: str
    starts: IntArray | range
    ends: IntArray | range

    @cached_property
    def backwards(self) -> str:
        """The reversed text: its first hit is the last hit, and ``str.rfind`` may be quadratic."""
        return self.text[::-1]

    def index(self, offset: int) -> int:
        """Return the number of characters that start before an offset of the text itself."""
        return bisect_left(self.starts, offset)

    def span(self, index: int, length: int) -> tuple[int, int]:
        """Return the span of these characters in the text itself."""
        return int(self.starts[index]), int(self.ends[index + length - 1])

    def nearest(self, string: str, start: int, end: int) -> tuple[int, int] | None:
        """Return the hit after ``start`` nearest to ``end`` (at a tie the earlier), otherwise a hit at start.

        The search reads only up to the hit, or the whole text without a hit.
        """
        n_all, length = len(self.text), len(string)
        first, middle = self.index(start + 1), self.index(end)
        turned = self.backwards.find(string[::-1], max(0, n_all - middle + 1 - length), n_all - first)
        before = None if turned < 0 else self.span(n_all - turned - length, length)
        last = n_all if before is None else self.index(2 * end - before[0]) - 1 + length
        after = self.text.find(string, middle, last)
        if after >= 0:
            return self.span(after, length)
        own = self.index(start)
        if before is None and self.text.startswith(string, own) and self.starts[own] == start:
            return self.span(own, length)
        return before


def in_form(text: str) -> str:
    """Return a string in the form of the second search: NFC, any white space as one space.

    >>> in_form("One\\n\\n  two")
    'One two'
    """
    return WHITE_SPACE.sub(" ", unicodedata.normalize("NFC", text))


def form_of(text: str) -> Form:
    """Return a text in that form, with the offsets of its characters."""
    pattern = r"\s{2,}|[^\S ]"
    if not unicodedata.is_normalized("NFC", text):
        marks = "".join(filter(_composes_backwards, set(text)))
        others = "".join(char for char in set(text) if not unicodedata.is_normalized("NFC", char))
        pattern = rf"(?:\s+|.)[\u0301{marks}]+|{pattern}|[\u212b{others}]"  # no class is empty
    lengths, ends = np.ones(len(text), dtype=np.int64), np.arange(1, len(text) + 1)

    def changed(match: re.Match[str]) -> str:
        start, end = match.span()
        form = in_form(match[0])
        lengths[start:end] = 0
        lengths[start], ends[start] = len(form), end
        return form

    form = re.sub(pattern, changed, text, flags=re.DOTALL)
    return Form(form, repeat(np.arange(len(text)), lengths), repeat(ends, lengths))


def _composes_backwards(char: str) -> bool:
    return unicodedata.category(char).startswith("M") or ord(char) in COMPOSED_BACKWARDS


def _words(text: str, step: int) -> NDArray[np.uint64]:
    """Return each eight bytes of a text in UTF-8, or every ``step``-th, as a number."""
    data = text.encode("utf-8", "surrogatepass")
    return np.ndarray(max(0, (len(data) - 8) // step + 1), "<u8", data, strides=step)


def _are_among(words: NDArray[np.uint64], known: NDArray[np.uint64]) -> bool:
    """Whether all words are known; the known words ascend, before a zero."""
    return bool((known[np.searchsorted(known[:-1], words)] == words).all())


def find_in_order(strings: Iterable[str], text: str) -> Iterator[tuple[int, int] | None]:
    """Yield the span of each string in a text, at or after the start of the previous string; None if missing.

    The search is exact first, then ignores differences in white space and Unicode form (NFC). Of several hits
    after the previous string's start, the hit nearest to its end counts, so that overlaps are found.

    >>> list(find_in_order(["One two", "two\\nthree", "three. "], "One two three. One two three."))
    [(0, 7), (4, 13), (8, 15)]
    """
    exact, loose = Form(text, range(len(text)), range(1, len(text) + 1)), None
    known = np.zeros(1, dtype=np.uint64)
    start, end = -1, 0
    for string in strings:
        # A failed search reads the whole text, so a string with other bytes is not searched for exactly.
        is_possible = loose is None or _are_among(_words(string, 8), known)
        span = exact.nearest(string, start, end) if is_possible else None
        if span is None:
            if loose is None:
                loose, known = form_of(text), np.append(np.sort(_words(text, 1)), known)
            span = loose.nearest(in_form(string), start, end)
        yield span
        if span is None:
            return
        start, end = span

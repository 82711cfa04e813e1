"""Search for strings cut from a text, in order, ignoring differences in white space."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray, repeat
from caesura.values.columns import BoolArray

WHITE_SPACE = re.compile(r"\s+")

COMPOSED_BACKWARDS = range(0x1160, 0x1200)
"""Vowels and final consonants of Hangul: letters that compose with the one before them."""


@dataclass(frozen=True)
class Form:
    """A text in a form for comparison, with the offsets of its characters in the text itself."""

    text: str
    starts: IntArray | None = None  # where each character starts; None: they are those of the text itself
    ends: IntArray | None = None

    @cached_property
    def backwards(self) -> str:
        """The reversed text: its first hit is the last hit, and ``str.rfind`` may be quadratic."""
        return self.text[::-1]

    def index(self, offset: int) -> int:
        """Return the number of characters that start before an offset of the text itself."""
        if self.starts is None:
            return min(max(offset, 0), len(self.text))
        return int(np.searchsorted(self.starts, offset))

    def span(self, index: int, length: int) -> tuple[int, int]:
        """Return the span of these characters in the text itself."""
        if self.starts is None or self.ends is None:
            return index, index + length
        return int(self.starts[index]), int(self.ends[index + length - 1])

    def nearest(self, string: str, start: int, end: int) -> tuple[int, int] | None:
        """Return the hit after ``start`` nearest to ``end`` (at a tie the earlier), otherwise a hit at start.

        The search reads only up to the hit, or the whole text without a hit.
        """
        length = len(string)
        first, middle = self.index(start + 1), self.index(end)
        turned = -1
        if first < middle:
            latest = max(0, len(self.text) - (middle - 1 + length))
            turned = self.backwards.find(string[::-1], latest, len(self.text) - first)
        before = None if turned < 0 else self.span(len(self.text) - turned - length, length)
        last = len(self.text) if before is None else self.index(2 * end - before[0]) - 1 + length
        after = self.text.find(string, middle, last)
        if after >= 0:
            return self.span(after, length)
        if before is not None:
            return before
        own = self.index(start)
        is_at_start = start >= 0 and self.text.startswith(string, own) and self.span(own, 1)[0] == start
        return self.span(own, length) if is_at_start else None


def in_form(text: str) -> str:
    """Return a string in the form of the second search: NFC, any white space as one space.

    >>> in_form("One\\n\\n  two")
    'One two'
    """
    return WHITE_SPACE.sub(" ", unicodedata.normalize("NFC", text))


def form_of(text: str) -> Form:
    """Return a text in that form, with the offsets of its characters."""
    codes = _codes(text)
    is_space = _is(str.isspace, codes)
    joins = np.zeros(len(codes), dtype=bool)
    joins[1:] = is_space[1:] & is_space[:-1]
    if not unicodedata.is_normalized("NFC", text):
        joins[1:] |= _is(_composes_backwards, codes)[1:]
    starts = np.flatnonzero(~joins)
    ends = np.append(starts[1:], len(codes))[: len(starts)]
    lengths = np.ones(len(starts), dtype=np.int64)
    parts: list[str] = []
    written = 0
    changed = (ends - starts > 1) | (is_space & (codes != ord(" ")))[starts]
    if not unicodedata.is_normalized("NFC", text):
        changed |= _is(lambda char: not unicodedata.is_normalized("NFC", char), codes)[starts]
    for number in np.flatnonzero(changed).tolist():
        start, end = int(starts[number]), int(ends[number])
        form = in_form(text[start:end])
        parts += [text[written:start], form]
        written, lengths[number] = end, len(form)
    parts.append(text[written:])
    return Form("".join(parts), repeat(starts, lengths), repeat(ends, lengths))


def _is(tell: Callable[[str], bool], codes: NDArray[np.uint64]) -> BoolArray:
    """Return for which characters a test holds, after testing each distinct character once."""
    distinct, which = np.unique(codes, return_inverse=True)
    return np.array([tell(chr(code)) for code in distinct.tolist()], dtype=bool)[which]


def _composes_backwards(char: str) -> bool:
    return unicodedata.category(char).startswith("M") or ord(char) in COMPOSED_BACKWARDS


def _codes(text: str) -> NDArray[np.uint64]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)


class Parts:
    """All short parts of a text: a string with another part is not in the text.

    >>> parts = Parts("One two three")
    >>> parts.may_hold("two three"), parts.may_hold("two  three")
    (True, False)
    """

    LENGTH, FACTOR = 8, np.uint64(0x9E3779B97F4A7C15)

    def __init__(self, text: str) -> None:
        self.hashes = np.append(np.sort(self._hashes(text)), np.uint64(0))  # never empty

    def _hashes(self, text: str) -> NDArray[np.uint64]:
        codes = _codes(text)
        hashes = np.zeros(max(0, len(codes) + 1 - self.LENGTH), dtype=np.uint64)
        for first in range(self.LENGTH):
            hashes = hashes * self.FACTOR + codes[first : first + len(hashes)]  # modulo 2**64
        return hashes

    def may_hold(self, string: str) -> bool:
        """Whether the text has all non-overlapping parts of a string."""
        own = self._hashes(string)[:: self.LENGTH]
        at = np.searchsorted(self.hashes[:-1], own)
        return bool((self.hashes[at] == own).all())


def find_in_order(strings: Iterable[str], text: str) -> Iterator[tuple[int, int] | None]:
    """Yield the span of each string in a text, at or after the start of the previous string; None if missing.

    The search is exact first, then ignores differences in white space and Unicode form (NFC). Of several hits
    after the previous string's start, the hit nearest to its end counts, so that overlaps are found.

    >>> list(find_in_order(["One two", "two\\nthree", "three. "], "One two three. One two three."))
    [(0, 7), (4, 13), (8, 15)]
    """
    exact, loose, parts = Form(text), None, None
    start, end = -1, 0
    for string in strings:
        # A failed search reads the whole text; if a string was changed, most may be.
        is_possible = parts is None or parts.may_hold(string)
        span = exact.nearest(string, start, end) if is_possible else None
        if span is None:
            if loose is None or parts is None:
                loose, parts = form_of(text), Parts(text)
            span = loose.nearest(in_form(string), start, end)
        yield span
        if span is None:
            return
        start, end = span

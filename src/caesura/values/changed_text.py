"""align_text(): map offsets in a changed text to the original by aligning their words.

A language model that copies a text changes, drops and adds words; a transcript differs from its recording.
Words are runs of letters and digits, in any case; nothing else is compared. RapidFuzz aligns them with the
fewest edits: words are kept, altered, lost (from the original) or added (in the changed text).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from caesura.arrays import FloatArray, IntArray
from caesura.errors import ParameterError, SegmentationError, missing_extra
from caesura.values.columns import BoolArray
from caesura.wording import counted, percent, short

WORD = re.compile(r"[^\W_]+")

N_DIGITS = 3  # digits of a share in words


@dataclass(frozen=True, repr=False, eq=False)
class TextAlignment:
    """The alignment of a changed text with its original: shares of words, and offsets in the original.

    An offset between two kept words that are adjacent in both texts is certain. Other offsets are
    interpolated between the nearest kept words.
    """

    kept: float
    """Share of the original's words that the changed text keeps, in their order."""
    altered: float
    """Share of the original's words that other words replace."""
    lost: float
    """Share of the original's words that the changed text lacks."""
    added: float
    """Share of the changed text's words that the original lacks."""
    n_words: int
    """Words of the original."""
    n_changed: int
    """Words of the changed text."""
    counts: tuple[int, ...]
    """Numbers of words: kept, altered, lost, added, in the original, in the changed text."""
    _edges: FloatArray  # rows of (start, end) in the changed text: its start, each kept word, its end
    _original: FloatArray  # the same in the original
    _off: FloatArray  # by how much an offset between each of these and the next may be off
    _n_lost: IntArray  # words of the original that are lost between each of these and the next

    def map(self, offsets: ArrayLike) -> IntArray:
        """Return the offsets in the original of these offsets in the changed text, in the same order.

        >>> align_text("One two. Four five", "One two. Three, four five.").map([0, 3, 9, 18])
        array([ 0,  3, 16, 26])
        """
        where = self._checked(offsets)
        mapped = np.asarray(np.interp(where, self._edges.reshape(-1), self._original.reshape(-1)))
        mapped[where <= 0] = 0
        mapped[where >= self._edges[-1, 1]] = self._original[-1, 1]
        return np.rint(mapped).astype(np.int64)

    def uncertainty(self, offsets: ArrayLike) -> IntArray:
        """Return by how many characters each mapped offset may be off.

        >>> align_text("One two. Four five", "One two. Three, four five.").uncertainty([3, 9])
        array([0, 7])
        """
        before, is_between = self._before(offsets)
        return np.where(is_between, self._off[before], 0).astype(np.int64)

    def is_in_lost(self, offsets: ArrayLike) -> BoolArray:
        """Return which offsets are inside a stretch with lost words.

        >>> align_text("One two. Four five", "One two. Three, four five.").is_in_lost([3, 9])
        array([False,  True])
        """
        before, is_between = self._before(offsets)
        return is_between & (self._n_lost[before] > 0)

    def _before(self, offsets: ArrayLike) -> tuple[IntArray, BoolArray]:
        """Return the last kept word that starts before each offset, and whether it ends there or before."""
        where = self._checked(offsets)
        before = np.maximum(np.searchsorted(self._edges[:, 0], where, side="left") - 1, 0)
        return before, (where >= self._edges[before, 1]) & (where > 0) & (where < self._edges[-1, 1])

    def _checked(self, offsets: ArrayLike) -> FloatArray:
        try:
            where = np.asarray(offsets, dtype=np.float64)
        except (TypeError, ValueError):
            raise SegmentationError(f"offsets are {short(offsets)}: expected numbers of characters") from None
        is_outside = ~((where >= 0) & (where <= self._edges[-1, 1]))
        if is_outside.any():
            text = f"the changed text has {counted(int(self._edges[-1, 1]), 'character')}"
            raise SegmentationError(f"offset {where[is_outside].flat[0]:g}: {text}")
        return where

    def __str__(self) -> str:
        return shares_shown(*self.counts)

    def __repr__(self) -> str:
        return f"<{self}>"


def align_text(changed: str, original: str) -> TextAlignment:
    """Align a changed text with its original: map offsets, and count kept, altered, lost and added words.

    Words are runs of letters and digits, in any case. RapidFuzz (extra ``chunks``) aligns them with the
    fewest substitutions, losses and additions. 100,000 words take about a second.

    Parameters
    ----------
    changed
        The text with known offsets, such as a language model's copy.
    original
        The text to which they are mapped; it needs at least one word.

    >>> alignment = align_text("one two and a half\\n---\\nthree four", "One, two three, four five.")
    >>> alignment
    <80 % kept, 0 % altered, 20 % lost of 5 words; 42.9 % added of 7 words>
    >>> alignment.map([23]), alignment.uncertainty([23])
    (array([9]), array([0]))
    """
    for name, text in (("changed", changed), ("original", original)):
        if not isinstance(text, str):
            raise ParameterError(f"{name} is {short(text)}: expected text")
    try:
        from rapidfuzz.distance import Levenshtein
    except ModuleNotFoundError:
        raise missing_extra("aligning texts needs the package rapidfuzz", "chunks") from None
    numbers: dict[str, int] = {}
    (words, spans), (own_words, own_spans) = (_words(text, numbers) for text in (changed, original))
    n_words, n_changed = len(own_words), len(words)
    if not n_words:
        raise SegmentationError("the original has no words (letters or digits) to align a text with")
    edits = Levenshtein.opcodes(words, own_words)
    blocks = edits.as_matching_blocks()  # the last is empty
    pairs = np.concatenate([np.arange(block.size)[:, None] + (block.a, block.b) for block in blocks])
    n_kept = len(pairs)
    n_altered = sum(edit.src_end - edit.src_start for edit in edits if edit.tag == "replace")
    n_lost, n_added = n_words - n_kept - n_altered, n_changed - n_kept - n_altered
    index = np.concatenate(([[-1, -1]], pairs, [[n_changed, n_words]]))
    n_between = np.diff(index, axis=0) - 1  # of both texts, between neighbors among the kept words
    edges = _with_ends(own_spans, pairs[:, 1], len(original))
    after = np.append(own_spans[:, 0], len(original))[index[:-1, 1] + 1]  # starts of words, kept or not
    return TextAlignment(
        *(n_kept / n_words, n_altered / n_words, n_lost / n_words, n_added / max(1, n_changed)),
        *(n_words, n_changed),
        (n_kept, n_altered, n_lost, n_added, n_words, n_changed),
        _with_ends(spans, pairs[:, 0], len(changed)),
        edges,
        edges[1:, 0] - after,
        np.maximum(n_between[:, 1] - n_between[:, 0], 0),
    )


def shares_shown(
    kept: float, altered: float, lost: float, added: float, n_words: float, n_changed: float
) -> str:
    """Return the shares of kept, altered, lost and added words as a sentence.

    >>> shares_shown(7, 1, 2, 1, 10, 9)
    '70 % kept, 10 % altered, 20 % lost of 10 words; 11.1 % added of 9 words'
    """
    shares = {"kept": kept / n_words, "altered": altered / n_words, "lost": lost / n_words}
    own = ", ".join(f"{percent(round(share, N_DIGITS))} {name}" for name, share in shares.items())
    share = percent(round(added / max(1, n_changed), N_DIGITS))
    words, changed = counted(int(n_words), "word"), counted(int(n_changed), "word")
    return f"{own} of {words}; {share} added of {changed}"


def _words(text: str, numbers: dict[str, int]) -> tuple[list[int], FloatArray]:
    """Return the number of each word of a text, and their spans."""
    matches = [(match.start(), match.end()) for match in WORD.finditer(text)]
    words = [numbers.setdefault(text[start:end].casefold(), len(numbers)) for start, end in matches]
    return words, np.array(matches, dtype=np.float64).reshape(len(matches), 2)


def _with_ends(spans: FloatArray, chosen: IntArray, length: int) -> FloatArray:
    """Return these spans between empty spans at the text's start and end."""
    return np.concatenate(([[0.0, 0.0]], spans[chosen], [[float(length), float(length)]]))

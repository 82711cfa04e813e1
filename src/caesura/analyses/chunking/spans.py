"""Sets of characters as spans on one axis: intersections, unions and amounts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from caesura.arrays import IntArray, repeat
from caesura.errors import ParameterError
from caesura.values.chunks import Chunks

Tokenizer = Callable[[str], Sequence[Any]]
"""From a text to its tokens' spans (start, end) of characters."""


class Spans(NamedTuple):
    """Half-open spans, ascending by start; in a set no span touches the next."""

    starts: IntArray
    ends: IntArray

    def take(self, which: ArrayLike) -> Spans:
        """Return some of them."""
        chosen = np.asarray(which, dtype=np.int64)
        return Spans(self.starts[chosen], self.ends[chosen])

    def as_set(self) -> Spans:
        """Return the union of the spans.

        >>> Spans(np.array([4, 0, 3]), np.array([6, 2, 5])).as_set().ends.tolist()
        [2, 6]
        """
        if not len(self.starts):
            return self
        order = np.argsort(self.starts, kind="stable")
        starts, reached = self.starts[order], np.maximum.accumulate(self.ends[order])
        is_new = starts[1:] > reached[:-1]
        return Spans(starts[np.append(True, is_new)], reached[np.append(is_new, True)])

    def overlapping(self, others: Spans, touch: int = 0) -> tuple[IntArray, IntArray]:
        """Return the pairs of these spans and others that overlap, as two columns of numbers.

        The others ascend by start. With ``touch`` 1 adjacent spans are pairs, too.
        """
        reached = np.maximum.accumulate(others.ends)
        first = np.searchsorted(reached, self.starts, side="left" if touch else "right")
        last = np.searchsorted(others.starts, self.ends, side="right" if touch else "left")
        number = np.maximum(0, last - first)
        own = repeat(np.arange(len(self.starts)), number)
        other = np.arange(len(own)) - repeat(np.cumsum(number) - number, number) + repeat(first, number)
        meet = others.ends[other] + touch > self.starts[own]
        return own[meet], other[meet]

    def common(self, others: Spans) -> Spans:
        """Return the intersection of two sets."""
        own, other = self.overlapping(others)
        starts = np.maximum(self.starts[own], others.starts[other])
        return Spans(starts, np.minimum(self.ends[own], others.ends[other]))


@dataclass(frozen=True)
class Axis:
    """All documents one after the other, a character apart; amounts are in characters or in tokens."""

    texts: Mapping[str, str]
    bases: Mapping[str, int]
    """Where each document starts."""
    n_started: IntArray | None = None
    """The number of tokens that start before each character, if amounts are in tokens."""

    @classmethod
    def of(cls, texts: Mapping[str, str], tokenizer: Tokenizer | None = None) -> Axis:
        """Lay out texts; a token belongs to the span that has its first character."""
        edges = np.cumsum([0, *(len(text) + 1 for text in texts.values())])
        bases = dict(zip(texts, edges[:-1].tolist(), strict=True))
        if tokenizer is None:
            return cls(texts, bases)
        starts = np.zeros(int(edges[-1]) + 1, dtype=np.int64)
        for name, text in texts.items():
            np.add.at(starts, bases[name] + 1 + _first_characters(tokenizer, text), 1)
        return cls(texts, bases, np.cumsum(starts))

    def placed(self, document: str, starts: ArrayLike, ends: ArrayLike) -> Spans:
        """Return spans of a document as spans of the axis."""
        base = self.bases[document]
        return Spans(np.asarray(starts, dtype=np.int64) + base, np.asarray(ends, dtype=np.int64) + base)

    def chunks(self, chunks: Chunks) -> Spans:
        """Return the chunks of all documents."""
        placed = [self.placed(name, *chunks.columns(name)) for name in self.texts]
        return Spans(*map(np.concatenate, zip(*placed, strict=True)))

    def amounts(self, spans: Spans) -> IntArray:
        """Return the amount of each span."""
        if self.n_started is None:
            return spans.ends - spans.starts
        return np.asarray(self.n_started[spans.ends] - self.n_started[spans.starts])

    def amount(self, spans: Spans) -> int:
        """Return the total amount of the spans."""
        return int(self.amounts(spans).sum())


def _first_characters(tokenizer: Tokenizer, text: str) -> IntArray:
    """Return where the tokens of a text start."""
    try:
        starts = np.array([start for start, end in tokenizer(text) if start < end], dtype=np.int64)
    except (TypeError, ValueError) as error:
        expected = "a function from a text to the spans (start, end) of its tokens"
        raise ParameterError(f"tokenizer: expected {expected} ({error})") from None
    if len(starts) and (starts.min() < 0 or starts.max() >= len(text)):
        raise ParameterError(f"tokenizer: a token starts outside the text of {len(text):,} characters")
    return starts

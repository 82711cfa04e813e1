"""Spans of characters that annotation tools export: checked one by one, chosen by label, added as codings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from caesura.errors import CorpusError
from caesura.io.files import Source, shortened
from caesura.io.span_codings import add_segments
from caesura.values.builder import CorpusBuilder
from caesura.values.units import Units
from caesura.wording import counted, listed

OFFSETS = "offsets count code points (not bytes, and not the halves of UTF-16)"
LINE_ENDS = re.compile(r"[\r\n\t]")


def checked_span(start: Any, end: Any, length: int) -> tuple[int, int]:
    """Return a half-open span of a text of this length, or say what is wrong with it.

    >>> checked_span(3, 12, 10)
    Traceback (most recent call last):
    caesura.errors.CorpusError: it ends at 12 and the text at 10; offsets count code points (not bytes, ...
    """
    first, last = checked_offset("start", start), checked_offset("end", end)
    if last < first:
        raise CorpusError(f"it ends at {last}, before it starts at {first}")
    if last > length:
        raise CorpusError(f"it ends at {last} and the text at {length}; {OFFSETS}")
    if last == first:
        raise CorpusError(f"it starts and ends at {first}: a span has at least one character")
    return first, last


def checked_offset(name: str, value: Any) -> int:
    """Return a place in a text: a whole number from 0 on."""
    if type(value) is not int:
        raise CorpusError(f"{name} is {shortened(value)}: expected a whole number of characters")
    if value < 0:
        raise CorpusError(f"{name} is {shortened(value)}: characters are counted from 0")
    return value


def characters_of(text: Any) -> Units:
    """Return the characters of a document's text."""
    if not isinstance(text, str):
        raise CorpusError(f"the text is {shortened(text)}: expected text")
    if not text:
        raise CorpusError("the text is empty: a document has at least one character")
    return Units.from_text(text, by="character")


class SpanReader:
    """What a file's spans have in common: the labels asked for, and what is to be told of them all."""

    def __init__(self, source: Source) -> None:
        self.builder = CorpusBuilder()
        self._source = source
        wanted = source.options.get("tiers")
        self._wanted = None if wanted is None else frozenset(wanted)
        self._labels: Counter[str] = Counter()
        self._n_chosen = self._n_quotes_differ = self._n_uncoded = 0
        self._first_quote = ""

    def takes(self, labels: Iterable[str]) -> bool:
        """Whether a span with these labels was asked for (by ``tiers``; otherwise all are)."""
        if self._wanted is None:
            return True
        own = list(labels)
        self._labels.update(own)
        is_chosen = not self._wanted.isdisjoint(own)
        self._n_chosen += is_chosen
        return is_chosen

    def compare_quote(self, where: str, text: str, parts: Sequence[tuple[int, int]], quote: str) -> None:
        """Note where the text that a file gives beside the offsets is not what stands there."""
        length = sum(end - start for start, end in parts) + len(parts) - 1
        # Texts of other lengths are not even looked at: a file may quote a word for each of many long spans.
        if length == len(quote) and on_one_line(_joined(text, parts)) == on_one_line(quote):
            return
        self._n_quotes_differ += 1
        if not self._first_quote:
            own = _joined(text, parts)
            self._first_quote = f"{where}: {shortened(own)}, not {shortened(quote)}"

    def add(self, document: str, coder: str, units: Units, spans: Sequence[tuple[float, float]]) -> None:
        """Add a coding; without spans nobody has coded the document."""
        if spans:
            add_segments(self.builder, self._source, document, coder, units, spans)
        else:
            self._n_uncoded += 1
            self.builder.add_units(document, units)

    def notices(self, one: str, many: str) -> Iterator[str]:
        """Yield what should be known of all spans; what holds them is called so."""
        if self._labels and not self._n_chosen:
            yield (
                f"none of its {counted(self._labels.total(), 'label')} was asked for: there are "
                f"{listed([label for label, _ in self._labels.most_common(6)])}"
            )
        if self._n_uncoded:
            has = "has" if self._n_uncoded == 1 else "have"
            yield f"{counted(self._n_uncoded, one, many)} {has} no span: not coded"
        if self._n_quotes_differ:
            yield (
                f"the quoted text of {counted(self._n_quotes_differ, 'span')} differs from the document's "
                f"({self._first_quote}); the offsets count, in code points"
            )


def _joined(text: str, parts: Sequence[tuple[int, int]]) -> str:
    return " ".join(text[start:end] for start, end in parts)


def on_one_line(text: str) -> str:
    """Return a text as tools quote it, which write a line end as a space."""
    return LINE_ENDS.sub(" ", text)

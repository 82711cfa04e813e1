"""Units: the spans of a document's units on its axis, and the projection of boundaries onto other units.

A document has N units; unit i is the span [start, end) on one axis: characters (code points), seconds, or a
plain count. Units ascend and do not overlap; there may be gaps between them (white space, silence). Position
p, 0 < p < N, is the gap from the end of unit p − 1 to the start of unit p. A boundary anywhere in it is at p.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.arrays import FloatArray, IntArray
from caesura.checks import MAX_NUMBER, check_choice, check_number
from caesura.errors import ParameterError, SegmentationError, missing_extra
from caesura.values.segmentation import MAX_DENSE_UNITS, Segmentation
from caesura.values.segments import (
    Fault,
    Gaps,
    Overlap,
    boundaries_of_segments,
    first_fault,
    in_order,
    sides_of,
)
from caesura.wording import short

Axis: TypeAlias = Literal["characters", "seconds", "count"]
AXES: tuple[Axis, ...] = ("characters", "seconds", "count")

Rule: TypeAlias = Literal["nearest", "before", "after", "strict"]
RULES: tuple[Rule, ...] = ("nearest", "before", "after", "strict")
"""Where a boundary inside a unit moves: ``nearest`` takes the earlier end at a tie, ``strict`` refuses it."""

BY = ("character", "word", "line", "paragraph", "sentence")  # what a text may be split by

INSTANT = 1e-7
"""The step, in seconds, of documents whose boundaries are times: finer than any annotation."""

UNKNOWN = "\N{REPLACEMENT CHARACTER}"  # stands in a running text for an unknown character

FUZZ = 1e-9  # share of a step that counts as rounding error

ROUNDING = 8 * 2.0**-52  # share of a time that counts as rounding error

WORD = re.compile(r"\S+")
LINE = re.compile(r"([^\r\n]*+)(?:\r\n|\r|\n|\Z)")
LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, repr=False, eq=False)
class Units:
    """The units of one document: N spans on an axis, or a uniform grid, which needs no memory per unit.

    >>> words = Units.from_text("It rained. We stayed.", by="word")
    >>> len(words), words.spans[1]
    (4, (3, 10))
    >>> words.place([11]).segmentation.masses                # the sentence begins with the third word
    (2, 2)
    >>> Units.every(0.5, end=60)
    <Units: 120 of 0.5 seconds>
    """

    axis: Axis
    n_units: int
    origin: float
    """Where the first unit starts."""
    end: float
    """Where the last unit ends."""
    step: float | None
    """The length of a grid's units (the last may be shorter); None: the units have spans of their own."""
    _starts: FloatArray | None = None
    _ends: FloatArray | None = None
    text: str | None = None
    """The running text, of which the units are slices, where the axis is characters."""
    tokens: IntArray | None = None
    """The first token of each unit, if units come from tokens."""

    # ---------------------------------------------------------------- constructors

    @classmethod
    def from_spans(
        cls, spans: Iterable[Sequence[float]], axis: Axis = "characters", *, text: str | None = None
    ) -> Units:
        """Read pairs (start, end), half-open, ascending, without overlaps.

        >>> Units.from_spans([(0, 5), (6, 9)]).place([5, 6, 7]).moved
        1
        """
        rows = [_pair(span, index) for index, span in enumerate(spans)]
        table = np.array(rows, dtype=np.float64).reshape(len(rows), 2)
        return cls.from_arrays(table[:, 0].copy(), table[:, 1].copy(), axis, text=text)

    @classmethod
    def from_arrays(
        cls, starts: ArrayLike, ends: ArrayLike, axis: Axis = "characters", *, text: str | None = None
    ) -> Units:
        """Read two arrays, where units start and where they end."""
        check_choice("axis", axis, AXES)
        first, last = sides_of(starts, ends)
        if not len(first):
            raise SegmentationError("there are no units; a document needs at least one")
        fault = _span_fault(first, last, axis, text)
        if fault is not None:
            raise SegmentationError(fault)
        first.flags.writeable = last.flags.writeable = False
        return cls(axis, len(first), float(first[0]), float(last[-1]), None, first, last, text)

    @classmethod
    def from_text(cls, text: str, by: str = "sentence", *, language: str = "en") -> Units:
        """Split a text by character, word (between white space), line, paragraph or sentence; keep the text.

        Blank lines are skipped. The package sentencex finds the sentences.

        >>> [text for text in Units.from_text("One line.\\n\\nAnother.", by="line").texts]
        ['One line.', 'Another.']
        """
        if by == "character":
            if not text:
                raise SegmentationError("the text is empty; a document needs at least one unit")
            return cls("characters", len(text), 0.0, float(len(text)), 1.0, text=text)
        spans = list(_parts(text, by, language))
        if not spans:
            raise SegmentationError(f"the text has no {by}; a document needs at least one unit")
        return cls.from_spans(spans, "characters", text=text)

    @classmethod
    def every(cls, step: float, end: float, axis: Axis = "seconds", *, start: float = 0.0) -> Units:
        """Return a uniform grid from ``start`` to ``end``; its last unit may be shorter.

        >>> Units.every(1, end=2.5).spans
        ((0.0, 1.0), (1.0, 2.0), (2.0, 2.5))
        """
        check_choice("axis", axis, AXES)
        step = check_number("step", step, exclusive=True)
        check_number("start", start, -math.inf)
        check_number("end", end, -math.inf)
        if end <= start:
            raise ParameterError(f"end is {end:g}: expected a number above the start, {start:g}")
        steps = (end - start) / step
        if steps > MAX_NUMBER:
            raise ParameterError(f"step is {step:g}: more than 2**53 units up to {end:g} are not supported")
        n_units = math.ceil(steps - 1e-6 - ROUNDING * steps)
        return cls(axis, max(1, n_units), float(start), float(end), float(step))

    @classmethod
    def of_time(cls, end: float, *, start: float = 0.0) -> Units:
        """Return units for boundaries that are times: instants, finer than any annotation."""
        return cls.every(INSTANT, end, "seconds", start=start)

    @classmethod
    def from_tokens(
        cls,
        offsets: Iterable[Sequence[int]],
        word_ids: Sequence[int | None] | None = None,
        *,
        text: str | None = None,
    ) -> Units:
        """Read the offsets of a fast tokenizer, and join the tokens of a word if ``word_ids`` are given.

        Special tokens are skipped: tokens without a word, or, without ``word_ids``, of length 0.
        ``of_tokens`` then maps labels or scores of tokens to the units.

        >>> offsets, word_ids = [(0, 0), (0, 3), (3, 6), (7, 9), (0, 0)], [None, 0, 0, 1, None]
        >>> words = Units.from_tokens(offsets, word_ids)
        >>> words.spans, words.of_tokens([-100, 1, -100, 0, -100])
        (((0, 6), (7, 9)), [1, 0])
        """
        pairs = [(int(start), int(end)) for start, end in offsets]
        if word_ids is not None and len(word_ids) != len(pairs):
            raise SegmentationError(f"{len(pairs)} offsets but {len(word_ids)} word_ids: give one each")
        spans: list[tuple[int, int]] = []
        first: list[int] = []
        word: int | None = None
        for index, (start, end) in enumerate(pairs):
            own = index if word_ids is None else word_ids[index]
            if own is None or (word_ids is None and start == end):
                continue
            if spans and own == word:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
                first.append(index)
            word = own
        units = cls.from_spans(spans, "characters", text=text)
        return replace(units, tokens=np.array(first, dtype=np.int64))

    @classmethod
    def located(cls, texts: Iterable[str], text: str) -> Units:
        """Find texts, one after the other, in the running text that they are slices of.

        Differences in white space do not matter.

        >>> Units.located(["One  two.", "Three."], "One two.\\n\\nThree.").spans
        ((0, 8), (10, 16))
        """
        spans: list[tuple[int, int]] = []
        cursor = 0
        for index, own in enumerate(texts):
            words = map(re.escape, own.split())
            match = re.compile(r"\s+".join(words)).search(text, cursor)
            if match is None:
                where = f"unit {index} ({short(own)}) is not in the text after character {cursor}"
                raise SegmentationError(f"{where}; check that both are the same text")
            spans.append(match.span())
            cursor = match.end()
        return cls.from_spans(spans, "characters", text=text)

    @classmethod
    def joined(cls, texts: Iterable[str]) -> Units:
        """Join texts by line ends into one running text.

        >>> Units.joined(["One two.", "Three."]).spans
        ((0, 8), (9, 15))
        """
        lines = [text or " " for text in texts]  # an empty unit needs a position, too
        ends = np.cumsum([len(line) + 1 for line in lines]) - 1
        return cls.from_arrays(ends - [len(line) for line in lines], ends, text="\n".join(lines))

    def divided(self, by: str, *, also: Iterable[Units] = ()) -> Units:
        """Split the text of each unit further; no new unit crosses the start of a unit.

        Nor does it cross the start of a unit of ``also``, other units of the same running text.

        >>> Units.joined(["One two. Three", "four."]).divided("sentence").texts
        ('One two.', 'Three', 'four.')
        """
        if self.text is None or by == "character":
            return Units.from_text(self.text or "", by=by)
        starts = np.unique(np.concatenate([units.starts for units in (self, *also)]))
        spans: list[tuple[int, int]] = []
        for start, end in pairwise([0, *starts.tolist(), len(self.text)]):
            parts = list(_parts(self.text[start:end], by))
            if not parts and start < end and start in starts:
                parts = [(0, 1)]  # a blank unit stays a unit
            spans += [(start + first, start + last) for first, last in parts]
        return Units.from_spans(spans, "characters", text=self.text)

    # ---------------------------------------------------------------- properties

    def __len__(self) -> int:
        return self.n_units

    @property
    def is_grid(self) -> bool:
        """Whether all units have one length."""
        return self.step is not None

    @property
    def starts(self) -> NDArray[Any]:
        """Where each unit starts: whole numbers unless the axis is seconds."""
        return self._numbers(self._start_of(self._all_units()))

    @property
    def ends(self) -> NDArray[Any]:
        """Where each unit ends."""
        return self._numbers(self._end_of(self._all_units()))

    @property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """The pairs (start, end)."""
        return tuple(zip(self.starts.tolist(), self.ends.tolist(), strict=True))

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each unit, where the running text is known."""
        if self.text is None:
            raise SegmentationError("no running text is stored; give it to from_spans, or use from_text")
        return tuple(self.text[start:end] for start, end in zip(self.starts, self.ends, strict=True))

    def offsets(self, segmentation: Segmentation) -> NDArray[Any]:
        """Return the offset of each boundary of a segmentation of these units: the start of its next unit."""
        self._check_length(segmentation)
        return self._numbers(self._start_of(segmentation.boundary_positions))

    def of_tokens(self, values: Sequence[Any]) -> list[Any]:
        """Return the label or score of each unit's first token."""
        if self.tokens is None:
            raise SegmentationError("these units do not come from tokens; use Units.from_tokens")
        return [values[index] for index in self.tokens.tolist()]

    def _all_units(self) -> IntArray:
        if self.n_units > MAX_DENSE_UNITS:
            raise SegmentationError(f"this would write out {self.n_units} units; ask for offsets instead")
        return np.arange(self.n_units)

    def _numbers(self, values: FloatArray) -> NDArray[Any]:
        return values if self.axis == "seconds" else values.astype(np.int64)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same spans on the same axis; texts may differ."""
        if not isinstance(other, Units):
            return NotImplemented
        if (self.axis, self.n_units) != (other.axis, other.n_units):
            return False
        if self.is_grid and other.is_grid:
            return (self.origin, self.end, self.step) == (other.origin, other.end, other.step)
        if self.n_units > MAX_DENSE_UNITS:
            return False
        return np.array_equal(self.starts, other.starts) and np.array_equal(self.ends, other.ends)

    __hash__ = None  # type: ignore[assignment]  # arrays are not hashed

    def __repr__(self) -> str:
        if self.step is not None:
            unit = f"{self.step:g} {self.axis}" if self.step != 1 else self.axis
            return f"<Units: {self.n_units:,} of {unit}>"
        return f"<Units: {self.n_units:,} spans of {self.axis}, {self.origin:g} to {self.end:g}>"

    # ---------------------------------------------------------------- boundaries

    def place(
        self, offsets: ArrayLike, *, types: ArrayLike | None = None, rule: Rule = "nearest"
    ) -> Projection:
        """Return the segmentation with a boundary at each of these offsets on the axis.

        >>> sentences = Units.from_spans([(0, 10), (11, 21)])
        >>> placed = sentences.place([8])
        >>> placed.segmentation.positions, placed.moved, placed.largest_move
        ((1,), 1, 2.0)
        """
        check_choice("rule", rule, RULES)
        where = np.array(offsets, dtype=np.float64).reshape(-1)
        if not np.isfinite(where).all():
            raise SegmentationError(f"offsets[{int(np.argmin(np.isfinite(where)))}] is not a number")
        kinds = None if types is None else np.array(types, dtype=np.int64)
        if kinds is not None and len(kinds) != len(where):
            raise SegmentationError(f"{len(where)} offsets but {len(kinds)} types: give one each")
        order = np.argsort(where, kind="stable")
        position, move = self.find(where[order], where[order], rule)
        return _projection(self.n_units, position, move, None if kinds is None else kinds[order])

    def divide(
        self,
        segments: Iterable[Sequence[float]],
        *,
        overlap: Overlap = "error",
        gaps: Gaps = "error",
        rule: Rule = "nearest",
    ) -> Projection:
        """Return the segmentation into these segments, pairs (start, end) on the axis.

        ``overlap`` chooses the boundary between overlapping segments: the "start" of the later one, the "end"
        of the earlier one, the "middle", or all "edges". ``gaps`` makes a part that no segment covers, except
        white space, a "segment", or "join"s it to the segment before. By default both are refused.

        >>> text = Units.from_text("One two. Three four.", by="word")
        >>> text.divide([(0, 12), (6, 20)], overlap="middle").segmentation.masses    # chunks that overlap
        (2, 2)
        """
        pairs = [_pair(span, index, "segments") for index, span in enumerate(segments)]
        starts, ends = np.array(pairs, dtype=np.float64).reshape(len(pairs), 2).T
        return self.place(boundaries_of_segments(starts, ends, self, overlap=overlap, gaps=gaps), rule=rule)

    def find(self, low: FloatArray, high: FloatArray, rule: Rule) -> tuple[IntArray, FloatArray]:
        """Return the position of each boundary between low and high, and how far it moved.

        A boundary that meets a gap does not move (of several gaps the last counts); inside a unit it moves
        from ``high``. Position 0 or N means at or beyond an end of the document, so not a boundary.
        """
        n = self.n_units
        if n == 1:
            return np.zeros(len(high), dtype=np.int64), np.zeros(len(high))
        last = np.clip(self._n_ended(high), 1, n - 1)  # the last gap that begins before high
        slack = self._slack
        is_there = (self._end_of(last - 1) <= high + slack) & (low - slack <= self._start_of(last))
        is_outside = ~is_there & ((high <= self.origin) | (high >= self.end))
        position = np.where(is_there, last, np.where(high <= self.origin, 0, n))
        move = np.zeros(len(high))
        inside = np.flatnonzero(~is_there & ~is_outside)
        if len(inside):
            position[inside], move[inside] = self._moved(high[inside], rule)
        return position, move

    def _moved(self, offset: FloatArray, rule: Rule) -> tuple[IntArray, FloatArray]:
        """Return the positions to which offsets inside units move, and how far."""
        unit = self._n_started(offset) - 1
        before, after = offset - self._start_of(unit), self._end_of(unit) - offset
        if rule == "strict":
            start, end = self._start_of(unit[:1])[0], self._end_of(unit[:1])[0]
            where = f"offset {offset[0]:g} is inside unit {unit[0]} (from {start:g} to {end:g})"
            raise SegmentationError(f"{where}; move it with rule='nearest', 'before' or 'after'")
        goes_back = before <= after if rule == "nearest" else np.full(len(offset), rule == "before")
        return np.where(goes_back, unit, unit + 1), np.where(goes_back, before, after)

    def between(self, positions: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the gap of each position: the end of the unit before and the start of the unit after."""
        return self._end_of(positions - 1), self._start_of(positions)

    @property
    def _slack(self) -> float:
        """The distance from a grid line up to which a time counts as on it: 0.3 / 0.1 is not 3.

        Less than half a step, even of instants in seconds since 1970.
        """
        if self.step is None:
            return 0.0
        rounded = ROUNDING * max(abs(self.origin), abs(self.end))
        return min(FUZZ * self.step + rounded, 0.499 * self.step)

    def _start_of(self, unit: IntArray) -> FloatArray:
        if self._starts is not None:
            return self._starts[unit]
        return np.asarray(self.origin + unit * (self.step or 1.0), dtype=np.float64)

    def _end_of(self, unit: IntArray) -> FloatArray:
        if self._ends is not None:
            return self._ends[unit]
        return np.asarray(np.minimum(self._start_of(unit + 1), self.end), dtype=np.float64)

    def _n_ended(self, offset: FloatArray) -> IntArray:
        """Return the number of units that end at or before an offset."""
        if self._ends is not None:
            return np.searchsorted(self._ends, offset, side="right")
        return np.where(offset >= self.end, self.n_units, self._lines_before(offset))

    def _n_started(self, offset: FloatArray) -> IntArray:
        """Return the number of units that start at or before an offset."""
        if self._starts is not None:
            return np.searchsorted(self._starts, offset, side="right")
        return np.minimum(self._lines_before(offset) + 1, self.n_units)

    def _lines_before(self, offset: FloatArray) -> IntArray:
        """Return the number of grid lines, without the first, at or before an offset."""
        lines = np.floor((offset - self.origin + self._slack) / (self.step or 1.0))
        return np.asarray(np.clip(lines, 0, self.n_units), dtype=np.int64)

    def _check_length(self, segmentation: Segmentation) -> None:
        if segmentation.n_units != self.n_units:
            raise SegmentationError(f"the segmentation has {segmentation.n_units} units, not {self.n_units}")


@dataclass(frozen=True)
class Projection:
    """A segmentation of other units, and how its boundaries moved."""

    segmentation: Segmentation
    moved: int
    """Boundaries that were inside a unit and moved to one of its ends."""
    total_move: float
    """How far they moved in all, on the axis."""
    largest_move: float
    merged: int
    """Boundaries that merged with another boundary at their position."""
    at_edge: int
    """Dropped boundaries: at or beyond the document's ends, or moved there."""

    @property
    def mean_move(self) -> float:
        """The mean distance of the boundaries that moved."""
        return self.total_move / self.moved if self.moved else 0.0


def project(segmentation: Segmentation, source: Units, target: Units, rule: Rule = "nearest") -> Projection:
    """Project a segmentation from one document's units onto other units of the same document.

    A boundary is in the gap between two units of the source. If this gap meets a gap of the target, it does
    not move; otherwise it moves from the start of its next unit by the rule of ``Units.place``.

    >>> words = Units.from_text("One two. Three four.", by="word")
    >>> sentences = Units.from_spans([(0, 8), (9, 20)])
    >>> project(Segmentation.from_masses([2, 2]), words, sentences).segmentation.masses
    (1, 1)
    """
    check_choice("rule", rule, RULES)
    source._check_length(segmentation)
    if source.axis != target.axis:
        raise SegmentationError(f"the source's axis is {source.axis}, the target's {target.axis}")
    low, high = source.between(segmentation.boundary_positions)
    position, move = target.find(low, high, rule)
    types = None if segmentation.is_plain else segmentation.boundary_types
    return _projection(target.n_units, position, move, types)


def _projection(n_units: int, position: IntArray, move: FloatArray, types: IntArray | None) -> Projection:
    is_inside = (position > 0) & (position < n_units)
    inner, moves = position[is_inside], move[is_inside]
    moved = moves[moves > 0]
    if types is None:
        distinct = in_order(inner)
        segmentation = Segmentation.over(n_units, distinct)
    else:
        boundaries = np.unique(np.stack((inner, types[is_inside]), axis=1), axis=0)
        distinct = boundaries[:, 0].copy()
        segmentation = Segmentation.over(n_units, distinct, boundaries[:, 1].copy())
    return Projection(
        segmentation,
        len(moved),
        float(moved.sum()),
        float(moved.max(initial=0.0)),
        len(inner) - len(distinct),
        int(len(position) - len(inner)),
    )


# -------------------------------------------------------------------- reading


def _pair(span: Sequence[float], index: int, name: str = "spans") -> tuple[float, float]:
    try:
        start, end = span
        return float(start), float(end)
    except (TypeError, ValueError):
        raise SegmentationError(f"{name}[{index}] is {short(span)}: expected a pair (start, end)") from None


def _span_fault(starts: FloatArray, ends: FloatArray, axis: Axis, text: str | None) -> str | None:
    """Return the message for the first faulty unit."""
    descends = np.concatenate(([False], np.diff(starts) < 0))
    overlaps = np.concatenate(([False], starts[1:] < ends[:-1])) & ~descends
    faults: list[Fault] = [
        (descends, lambda i: f"units must ascend, and the unit before starts at {starts[i - 1]:g}"),
        (overlaps, lambda i: f"it starts before the unit before ends, at {ends[i - 1]:g}"),
    ]
    if axis != "seconds":
        whole = (starts == np.floor(starts)) & (ends == np.floor(ends))
        faults.append((~whole, lambda i: f"{axis} are counted in whole numbers"))
    if axis == "characters":
        faults.append((starts < 0, lambda i: "characters are counted from 0"))
    if text is not None:
        faults.append((ends > len(text), lambda i: f"the text has {len(text):,} characters"))
    return first_fault(starts, ends, faults)


def _parts(text: str, by: str, language: str = "en") -> Iterable[tuple[int, int]]:
    """Return the spans of a text's words, lines, paragraphs or sentences."""
    dividers: dict[str, Callable[[str], Iterable[tuple[int, int]]]] = {
        "word": lambda text: (match.span() for match in WORD.finditer(text)),
        "line": _lines,
        "paragraph": _paragraphs,
        "sentence": partial(_sentences, language=language),
    }
    check_choice("by", by, BY)
    return dividers[by](text)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of lines that are not blank."""
    for match in LINE.finditer(text):
        if match[1] and not match[1].isspace():
            yield match.span(1)


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Return the spans of lines that follow each other without a blank line between."""
    paragraphs: list[tuple[int, int]] = []
    for start, end in _lines(text):
        if paragraphs and LINE_END.fullmatch(text, paragraphs[-1][1], start):
            start = paragraphs.pop()[0]
        paragraphs.append((start, end))
    return paragraphs


def _sentences(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences, without the white space around them."""
    try:
        import sentencex  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise missing_extra("sentences need the package sentencex", "formats") from None
    cursor = 0
    for sentence in sentencex.segment(language, text):
        stripped = sentence.strip()
        if stripped:
            start = text.index(stripped, cursor)
            cursor = start + len(stripped)
            yield start, cursor

"""align(): boundary edit distance as matches and edits, the correctness of boundary pairs, and a drawing.

The correctness of a match is 1, of a full miss 0, of another edit 1 minus its weight. F13 is Fournier
(2013), ACL; F13t is Fournier (2013), the thesis.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from operator import itemgetter
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from caesura import kernel
from caesura.alignment.counts import count_edits_many, typed_edits
from caesura.alignment.packed import PackedPairs
from caesura.alignment.weights import METHODS, LeastWeight, Method, Substitutions, Transpositions, Weights
from caesura.arrays import FloatArray, IntArray, repeat
from caesura.checks import N_T, check_choice
from caesura.kernel.edits import TypedEdits, optimal_transpositions, transpositions
from caesura.values.segmentation import (
    PLAIN_TYPE,
    Segmentation,
    SegmentationLike,
    as_segmentation,
    check_comparable,
)
from caesura.wording import counted


class Match(NamedTuple):
    """A boundary of the same type at the same position on both sides."""

    position: int
    type: int


class Addition(NamedTuple):
    """A full miss: a boundary on one side only (an addition or deletion)."""

    position: int
    type: int
    side: Literal["reference", "hypothesis"]


class Substitution(NamedTuple):
    """Different types at the same position."""

    position: int
    reference_type: int
    hypothesis_type: int


class Transposition(NamedTuple):
    """A near miss: the same type at nearby positions."""

    reference_position: int
    hypothesis_position: int
    type: int

    @property
    def start(self) -> int:
        """The left position."""
        return min(self.reference_position, self.hypothesis_position)

    @property
    def end(self) -> int:
        """The right position."""
        return max(self.reference_position, self.hypothesis_position)

    @property
    def distance(self) -> int:
        """The difference of the two positions."""
        return self.end - self.start


Edit: TypeAlias = Addition | Substitution | Transposition


@dataclass(frozen=True)
class Alignment:
    """Two segmentations, their matches, and the edits that turn one into the other.

    Print it to see both segmentations and the edits.
    """

    reference: Segmentation
    hypothesis: Segmentation
    method: Method
    weights: Weights
    matches: tuple[Match, ...]
    additions: tuple[Addition, ...]
    substitutions: tuple[Substitution, ...]
    transpositions: tuple[Transposition, ...]

    @property
    def n_t(self) -> int:
        """Near misses span fewer than this many positions."""
        return self.weights.n_t

    @property
    def missed(self) -> tuple[Addition, ...]:
        """Boundaries that only the reference has (false negatives)."""
        return tuple(addition for addition in self.additions if addition.side == "reference")

    @property
    def spurious(self) -> tuple[Addition, ...]:
        """Boundaries that only the hypothesis has (false positives)."""
        return tuple(addition for addition in self.additions if addition.side == "hypothesis")

    @property
    def distance(self) -> int:
        """Boundary edit distance: the number of edits."""
        return len(self.additions) + len(self.substitutions) + len(self.transpositions)

    def weight(self, edit: Edit) -> Fraction:
        """Return the penalty of an edit."""
        if isinstance(edit, Addition):
            return Fraction(1)
        if isinstance(edit, Transposition):
            return Fraction(*self.weights.of_distance(edit.distance))
        return self.weights.of_substitution(edit.reference_type, edit.hypothesis_type, self._type_range)

    @cached_property
    def _type_range(self) -> int:
        """The range of types over all boundaries."""
        return self.weights.type_range(self.reference, self.hypothesis)

    @property
    def penalty(self) -> Fraction:
        """The total weight of the edits."""
        edits: list[Edit] = [*self.additions, *self.substitutions, *self.transpositions]
        return sum((self.weight(edit) for edit in edits), Fraction(0))

    @property
    def correctness(self) -> tuple[float, ...]:
        """The correctness of each boundary pair from left to right: 1 - weight. B is the mean."""
        pairs: list[tuple[int, float]] = [(match.position, 1.0) for match in self.matches]
        pairs += [(addition.position, 0.0) for addition in self.additions]
        pairs += [(edit.position, float(1 - self.weight(edit))) for edit in self.substitutions]
        pairs += [(edit.start, float(1 - self.weight(edit))) for edit in self.transpositions]
        return tuple(value for _, value in sorted(pairs))

    def __str__(self) -> str:
        return draw_alignment(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def align(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    n_t: int = N_T,
    method: Method = "greedy",
    transposition: Transpositions = "scaled",
    substitution: Substitutions = "scaled",
    w0: LeastWeight = 0.0,
    types: Sequence[int] | None = None,
) -> Alignment:
    """Return the matches and edits between two segmentations: boundary edit distance (F13 §3.1).

    Edits are additions (full misses, with their side), substitutions (wrong types) and transpositions (near
    misses: the same type, fewer than ``n_t`` positions apart). ``greedy`` is the published algorithm;
    ``optimal`` finds a minimal set, which ``greedy`` may miss for n_t > 2 or several types.

    ``transposition`` and ``substitution`` are the costs of near misses and wrong types: the name of a rule,
    a number from 0 to 1, or a table ``{distance: cost}``.

    >>> edits = align([2, 3, 6], [2, 2, 7])
    >>> edits.matches, edits.transpositions
    ((Match(position=2, type=1),), (Transposition(reference_position=5, hypothesis_position=4, type=1),))
    >>> edits.distance, edits.correctness
    (1, (1.0, 0.5))
    """
    weights = Weights(n_t, transposition, substitution, w0, types)
    check_choice("method", method, METHODS)
    return align_pair(as_segmentation(reference), as_segmentation(hypothesis), method, weights)


def align_pair(
    reference: Segmentation, hypothesis: Segmentation, method: Method, weights: Weights
) -> Alignment:
    """Return ``align`` of two segmentations with checked parameters."""
    check_comparable(reference, hypothesis)
    if weights.ignores_types:
        reference, hypothesis = reference.without_types(), hypothesis.without_types()
    is_by_distance = method == "greedy" or weights.nearest_is_cheapest
    if reference.is_plain and hypothesis.is_plain and is_by_distance:
        edits = _plain_edits(reference, hypothesis, method, weights.n_t)
    else:
        edits = typed_edits(reference, hypothesis, method, weights)
    additions = [Addition(position, kind, "reference") for position, kind in edits.only_a]
    additions += [Addition(position, kind, "hypothesis") for position, kind in edits.only_b]
    return Alignment(
        reference,
        hypothesis,
        method,
        weights,
        tuple(Match(*match) for match in edits.matches),
        tuple(sorted(additions)),
        tuple(Substitution(*edit) for edit in edits.substitutions),
        tuple(sorted((Transposition(*edit) for edit in edits.transpositions), key=lambda t: t.start)),
    )


def _plain_edits(reference: Segmentation, hypothesis: Segmentation, method: Method, n_t: int) -> TypedEdits:
    a, b = set(reference.positions), set(hypothesis.positions)
    only_a, only_b = sorted(a - b), sorted(b - a)
    pair = optimal_transpositions if method == "optimal" else transpositions
    pairs = pair(only_a, only_b, n_t)
    paired_a, paired_b = {i for i, _ in pairs}, {j for _, j in pairs}
    return TypedEdits(
        [(position, PLAIN_TYPE) for position in sorted(a & b)],
        [(position, PLAIN_TYPE) for position in only_a if position not in paired_a],
        [(position, PLAIN_TYPE) for position in only_b if position not in paired_b],
        [],
        [(i, j, PLAIN_TYPE) for i, j in pairs],
    )


@dataclass(frozen=True, eq=False)
class PairCorrectness:
    """The correctness of every boundary pair, and the compared codings that it is from; B is the mean."""

    values: FloatArray
    coding: IntArray


def pair_correctness(pairs: PackedPairs, method: Method, weights: Weights) -> PairCorrectness:
    """Return the correctness of the boundary pairs of many compared codings."""
    if weights.ignores_types:
        pairs = pairs.without_types()
    is_optimal = method == "optimal"
    if not pairs.is_plain or (is_optimal and not weights.nearest_is_cheapest):
        rows = [align_pair(*pair, method, weights).correctness for pair in pairs]
        coding = repeat(np.arange(len(rows)), list(map(len, rows)))
        return PairCorrectness(np.array([value for row in rows for value in row], dtype=float), coding)
    edits = count_edits_many(pairs, method, weights)
    offsets, spans = kernel.active.transposition_spans_many(*pairs.sides, weights.n_t, is_optimal)
    weight, scale = weights.of_distance(spans)
    each = np.arange(len(pairs))
    parts = (edits.matches, edits.additions, np.diff(offsets))
    coding = np.concatenate([repeat(each, n) for n in parts])
    values = np.concatenate((np.ones(parts[0].sum()), np.zeros(parts[1].sum()), 1 - weight / scale))
    order = np.argsort(coding, kind="stable")
    return PairCorrectness(values[order], coding[order])


WIDTH = 80
MARGIN = 7  # "  ref  "
WIDEST_UNIT = 4
MAX_ROWS = 40
MAX_SIGN_LINES = 60
MAX_TYPES = 5
MAX_SPANS_WIDTH = 24

MATCH, NEAR_LEFT, NEAR, NEAR_RIGHT, MISSED, SPURIOUS, WRONG_TYPE = "=", "╰", "~", "╯", "−", "+", "≠"
ERRING = "░"
SIGN_COLORS = {"=": "green", **dict.fromkeys("╰~╯", "yellow"), "−": "red", "+": "blue", "≠": "magenta"}
"""The terminal colors of signs, similar to those of the pages."""
LEGEND = "= match  ╰~╯ near miss  − missed  + spurious  ≠ wrong type"


Erring: TypeAlias = tuple[str, Sequence[tuple[int, int]]]
"""The name of a metric, and the ranges (first, last position) that its windows in error cover."""


def draw_alignment(
    alignment: Alignment,
    *,
    width: int = WIDTH,
    max_rows: int | None = MAX_ROWS,
    legend: bool = True,
    erring: Sequence[Erring] = (),
) -> str:
    """Return the drawing, with at least one column per potential boundary, wrapped at ``width`` columns.

    A row for each of ``erring`` shades the positions that a metric's windows in error cover.

    Notes replace rows without boundaries, rows beyond ``max_rows``, and overlapping edits that would need
    more than 60 lines in a row.
    """
    n_units = alignment.reference.n_units
    columns = max(20, width - MARGIN)
    unit = max(1, min(WIDEST_UNIT, columns // n_units))
    positions_per_row = max(1, (columns - 1) // unit)
    positions = {*alignment.reference.positions, *alignment.hypothesis.positions}
    busy = sorted({(position - 1) // positions_per_row for position in positions})
    lines = [f"{counted(n_units, 'unit')} · n_t={alignment.n_t}" + _type_note(alignment)]
    last_row = (max(1, n_units - 1) - 1) // positions_per_row
    rows = _Rows(alignment, unit, erring)
    shown, expected = 0, 0
    for row in busy or [0]:
        if max_rows is not None and shown == max_rows:
            lines.append(f"  ⋮ {len(busy) - shown:,} more rows with boundaries")
            expected = last_row + 1
            break
        if row > expected:
            lines.append(_gap_note(expected * positions_per_row, row * positions_per_row))
        lines += rows.draw(row * positions_per_row, positions_per_row)
        shown, expected = shown + 1, row + 1
    if expected <= last_row:
        lines.append(_gap_note(expected * positions_per_row, n_units - 1))
    lines.append("  " + summary(alignment))
    if legend:
        lines.append("  " + LEGEND)
    return "\n".join(line.rstrip() for line in lines)


def summary(alignment: Alignment) -> str:
    """Return the numbers of matches and edits as text."""
    near = alignment.transpositions
    spans = sorted({edit.distance for edit in near})
    listed = ", ".join(map(str, spans[:5])) + (", …" if len(spans) > 5 else "")
    if len(listed) > MAX_SPANS_WIDTH:
        listed = f"up to {spans[-1]}"
    span = f" (span {listed})" if near else ""
    parts = [
        counted(len(alignment.matches), "match", "matches"),
        counted(len(near), "near miss", "near misses") + span,
        f"{len(alignment.missed)} missed",
        f"{len(alignment.spurious)} spurious",
    ]
    if alignment.substitutions:
        parts.append(f"{len(alignment.substitutions)} wrong type")
    return " · ".join(parts)


def _type_note(alignment: Alignment) -> str:
    if _is_plain(alignment):
        return ""
    types = [str(kind) for kind in sorted({*alignment.reference.types, *alignment.hypothesis.types})]
    shown = ", ".join(types[:MAX_TYPES]) + (f" … {types[-1][:20]}" if len(types) > MAX_TYPES else "")
    return f" · types {shown} (& several, # above 9)"


def _is_plain(alignment: Alignment) -> bool:
    return alignment.reference.is_plain and alignment.hypothesis.is_plain


def _gap_note(start: int, end: int) -> str:
    return f"  ⋮ positions {start + 1:,} to {end:,}: no boundaries"


Mark: TypeAlias = tuple[int, str]  # a position and its sign
Sign: TypeAlias = tuple[int, int, str, int]  # first column, last column, text, number of times


class _Rows:
    """Draw rows from left to right."""

    def __init__(self, alignment: Alignment, unit: int, erring: Sequence[Erring]) -> None:
        self.erring = erring
        self.n_positions = alignment.reference.n_units - 1
        self.unit = unit
        is_plain = _is_plain(alignment)
        self.sides = [
            (name, _marks(segmentation, is_plain))
            for name, segmentation in (("ref", alignment.reference), ("hyp", alignment.hypothesis))
        ]
        points: list[Mark] = [(match.position, MATCH) for match in alignment.matches]
        points += [(addition.position, MISSED) for addition in alignment.missed]
        points += [(addition.position, SPURIOUS) for addition in alignment.spurious]
        points += [(wrong.position, WRONG_TYPE) for wrong in alignment.substitutions]
        self.points = sorted(points)
        self.near = sorted((near.start, near.end) for near in alignment.transpositions)
        self.open_ends: list[int] = []  # a heap: the ends of near misses from earlier rows

    def draw(self, start: int, n_positions: int) -> list[str]:
        """Draw positions start+1 .. start+n_positions; position p ends at column (p - start) × unit."""
        end = min(start + n_positions, self.n_positions)
        length = (end - start) * self.unit + (self.unit if end == self.n_positions else 1)
        rows = []
        if start or end < self.n_positions:
            rows.append(f"  {start + 1:,}")
        for name, marks in self.sides:
            line = ["─"] * length
            for position, mark in _between(marks, start, end):
                line[(position - start) * self.unit - 1] = mark
            rows.append(f"  {name}  " + "".join(line))
        for name, stretches in self.erring:
            line = [" "] * length
            for first, last in _overlapping(stretches, start, end):
                columns = slice((first - start - 1) * self.unit, (last - start) * self.unit)
                line[columns] = ERRING * len(line[columns])
            rows.append(f"  {name:<{MARGIN - 2}}" + "".join(line))
        signs = [*self._points(start, end), *self._arcs(start, end, length)]
        rows += [" " * MARGIN + line for line in _sign_lines(signs, length)]
        return rows

    def _points(self, start: int, end: int) -> Iterator[Sign]:
        """Yield the matches, full misses and wrong types of a row."""
        for position, sign in _between(self.points, start, end):
            column = (position - start) * self.unit - 1
            yield column, column, sign, 1

    def _arcs(self, start: int, end: int, length: int) -> Iterator[Sign]:
        """Yield the near misses of a row; one may span several rows."""
        while self.open_ends and self.open_ends[0] <= end:
            last = (heappop(self.open_ends) - start) * self.unit - 1
            yield 0, last, NEAR * last + NEAR_RIGHT, 1
        yield 0, length - 1, NEAR * length, len(self.open_ends)
        for left, right in _between(self.near, start, end):
            first, last = (left - start) * self.unit - 1, (right - start) * self.unit - 1
            if right <= end:
                yield first, last, NEAR_LEFT + NEAR * (last - first - 1) + NEAR_RIGHT, 1
            else:
                heappush(self.open_ends, right)
                yield first, length - 1, NEAR_LEFT + NEAR * (length - 1 - first), 1


Placed = TypeVar("Placed", bound=tuple[int, object])


def _between(placed: Sequence[Placed], start: int, end: int) -> Sequence[Placed]:
    """Return the items at positions start+1 .. end of a sequence sorted by position."""
    first = bisect_right(placed, start, key=itemgetter(0))
    return placed[first : bisect_right(placed, end, lo=first, key=itemgetter(0))]


def _overlapping(stretches: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of ascending stretches within the positions start+1 .. end."""
    for first, last in stretches[bisect_right(stretches, start, key=itemgetter(1)) :]:
        if first > end:
            return
        yield max(first, start + 1), min(last, end)


def _marks(segmentation: Segmentation, is_plain: bool) -> list[Mark]:
    if is_plain:
        return [(position, "┃") for position in segmentation.positions]
    marks: dict[int, str] = {}
    for position, kind in segmentation.boundaries:
        single = str(kind) if 0 <= kind <= 9 else "#"
        marks[position] = "&" if position in marks else single
    return list(marks.items())


def _sign_lines(signs: Iterable[Sign], length: int) -> list[str]:
    """Place each sign on the first line where it does not overlap others; count the rest."""
    lines: list[list[str]] = []
    free_from: list[int] = []
    n_left = 0
    for first, last, text, times in sorted(signs):
        for placed in range(times):
            line = next((i for i, free in enumerate(free_from) if first >= free), len(lines))
            if line == MAX_SIGN_LINES:
                n_left += times - placed
                break
            if line == len(lines):
                lines.append([" "] * length)
                free_from.append(0)
            lines[line][first : last + 1] = text
            free_from[line] = last + 1
    drawn = ["".join(line) for line in lines]
    return [*drawn, f"⋮ {n_left:,} more edits"] if n_left else drawn

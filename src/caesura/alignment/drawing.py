"""Draws an alignment in plain text: both segmentations as lines, and the edits below them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from operator import itemgetter
from typing import TypeAlias, TypeVar

from caesura.alignment.edits import AlignedPair
from caesura.values.segmentation import Segmentation
from caesura.wording import counted

WIDTH = 80
MARGIN = 7  # "  ref  "
WIDEST_UNIT = 4
MAX_ROWS = 40
MAX_SIGN_LINES = 60
MAX_TYPES = 5
MAX_SPANS_WIDTH = 24

MATCH, NEAR_LEFT, NEAR, NEAR_RIGHT, MISSED, SPURIOUS, WRONG_TYPE = "=", "╰", "~", "╯", "−", "+", "≠"
ERRING = "░"
LEGEND = "= match  ╰~╯ near miss  − missed  + spurious  ≠ wrong type"


Erring: TypeAlias = tuple[str, Sequence[tuple[int, int]]]
"""The name of a metric, and the stretches (first, last position) that its windows in error cover."""


def draw_alignment(
    alignment: AlignedPair,
    *,
    width: int = WIDTH,
    max_rows: int | None = MAX_ROWS,
    legend: bool = True,
    erring: Sequence[Erring] = (),
) -> str:
    """Return the drawing: one column per potential boundary or more, wrapped at ``width`` columns.

    Below, a row for each of ``erring`` shades the positions that a metric's windows in error cover.

    Rows without any boundary are left out with a note, and so are rows beyond ``max_rows`` and edits that
    overlap so many others that they would need more than 60 lines of a row.
    """
    n_units = alignment.reference.n_units
    columns = max(20, width - MARGIN)
    unit = max(1, min(WIDEST_UNIT, columns // n_units))
    positions_per_row = max(1, (columns - 1) // unit)
    busy = _busy_rows(alignment, positions_per_row)
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


def summary(alignment: AlignedPair) -> str:
    """Return the numbers of matches and edits in words."""
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


def _type_note(alignment: AlignedPair) -> str:
    if _is_plain(alignment):
        return ""
    types = [str(kind) for kind in sorted({*alignment.reference.types, *alignment.hypothesis.types})]
    shown = ", ".join(types[:MAX_TYPES]) + (f" … {types[-1][:20]}" if len(types) > MAX_TYPES else "")
    return f" · types {shown} (& several, # above 9)"


def _is_plain(alignment: AlignedPair) -> bool:
    return alignment.reference.is_plain and alignment.hypothesis.is_plain


def _gap_note(start: int, end: int) -> str:
    return f"  ⋮ positions {start + 1:,} to {end:,}: no boundaries"


def _busy_rows(alignment: AlignedPair, positions_per_row: int) -> list[int]:
    positions = {*alignment.reference.positions, *alignment.hypothesis.positions}
    return sorted({(position - 1) // positions_per_row for position in positions})


Mark: TypeAlias = tuple[int, str]  # a position and what is drawn there
Sign: TypeAlias = tuple[int, int, str, int]  # first column, last column, text, how many times


class _Rows:
    """Draws rows from left to right; everything is sorted once, and a row takes what stands in it."""

    def __init__(self, alignment: AlignedPair, unit: int, erring: Sequence[Erring]) -> None:
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
        self.open_ends: list[int] = []  # a heap: where near misses end that rows before began

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
        """Matches and full misses of a row, and wrong types."""
        for position, sign in _between(self.points, start, end):
            column = (position - start) * self.unit - 1
            yield column, column, sign, 1

    def _arcs(self, start: int, end: int, length: int) -> Iterator[Sign]:
        """Near misses of a row: each may reach over several, and only what is on this one is drawn."""
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
    """Take what stands at positions start+1 .. end of a sequence that is sorted by position."""
    first = bisect_right(placed, start, key=itemgetter(0))
    return placed[first : bisect_right(placed, end, lo=first, key=itemgetter(0))]


def _overlapping(stretches: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut what ascending stretches have of the positions start+1 .. end."""
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
    """Place each sign on the first line where it overlaps no other; say how many need too many lines."""
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

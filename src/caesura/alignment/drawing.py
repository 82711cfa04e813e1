"""Draws an alignment in plain text: both segmentations as lines, and the edits below them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from caesura.alignment.edits import Addition, Match, Substitution, Transposition
from caesura.values.segmentation import Segmentation
from caesura.wording import counted

WIDTH = 80
MARGIN = 7  # "  ref  "
WIDEST_UNIT = 4
MAX_ROWS = 40
MAX_TYPES = 5
MAX_SPANS_WIDTH = 24

MATCH, NEAR_LEFT, NEAR, NEAR_RIGHT, MISSED, SPURIOUS, WRONG_TYPE = "=", "╰", "~", "╯", "−", "+", "≠"
LEGEND = "= match  ╰~╯ near miss  − missed  + spurious  ≠ wrong type"


class Aligned(Protocol):
    """What is drawn: two segmentations, and what matches and differs between them."""

    @property
    def reference(self) -> Segmentation: ...
    @property
    def hypothesis(self) -> Segmentation: ...
    @property
    def n_t(self) -> int: ...
    @property
    def matches(self) -> Sequence[Match]: ...
    @property
    def missed(self) -> Sequence[Addition]: ...
    @property
    def spurious(self) -> Sequence[Addition]: ...
    @property
    def substitutions(self) -> Sequence[Substitution]: ...
    @property
    def transpositions(self) -> Sequence[Transposition]: ...


def draw_alignment(
    alignment: Aligned, *, width: int = WIDTH, max_rows: int | None = MAX_ROWS, legend: bool = True
) -> str:
    """Return the drawing: one column per potential boundary or more, wrapped at ``width`` columns.

    Rows without any boundary are left out with a note, and so are rows beyond ``max_rows``.
    """
    n_units = alignment.reference.n_units
    columns = max(20, width - MARGIN)
    unit = max(1, min(WIDEST_UNIT, columns // n_units))
    positions_per_row = max(1, (columns - 1) // unit)
    busy = _busy_rows(alignment, positions_per_row)
    lines = [f"{counted(n_units, 'unit')} · n_t={alignment.n_t}" + _type_note(alignment)]
    last_row = (max(1, n_units - 1) - 1) // positions_per_row
    shown, expected = 0, 0
    for row in busy or [0]:
        if max_rows is not None and shown == max_rows:
            lines.append(f"  ⋮ {len(busy) - shown:,} more rows with boundaries")
            expected = last_row + 1
            break
        if row > expected:
            lines.append(_gap_note(expected * positions_per_row, row * positions_per_row))
        lines += _draw_row(alignment, row * positions_per_row, positions_per_row, unit)
        shown, expected = shown + 1, row + 1
    if expected <= last_row:
        lines.append(_gap_note(expected * positions_per_row, n_units - 1))
    lines.append("  " + summary(alignment))
    if legend:
        lines.append("  " + LEGEND)
    return "\n".join(line.rstrip() for line in lines)


def summary(alignment: Aligned) -> str:
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


def _type_note(alignment: Aligned) -> str:
    if _is_plain(alignment):
        return ""
    types = [str(kind) for kind in sorted({*alignment.reference.types, *alignment.hypothesis.types})]
    shown = ", ".join(types[:MAX_TYPES]) + (f" … {types[-1][:20]}" if len(types) > MAX_TYPES else "")
    return f" · types {shown} (& several, # above 9)"


def _is_plain(alignment: Aligned) -> bool:
    return alignment.reference.is_plain and alignment.hypothesis.is_plain


def _gap_note(start: int, end: int) -> str:
    return f"  ⋮ positions {start + 1:,} to {end:,}: no boundaries"


def _busy_rows(alignment: Aligned, positions_per_row: int) -> list[int]:
    positions = {*alignment.reference.positions, *alignment.hypothesis.positions}
    return sorted({(position - 1) // positions_per_row for position in positions})


def _draw_row(alignment: Aligned, start: int, n_positions: int, unit: int) -> list[str]:
    """Draw positions start+1 .. start+n_positions; position p ends at column (p - start) × unit."""
    end = min(start + n_positions, alignment.reference.n_units - 1)
    length = (end - start) * unit + (unit if end == alignment.reference.n_units - 1 else 1)
    rows = []
    if start or end < alignment.reference.n_units - 1:
        rows.append(f"  {start + 1:,}")
    for name, segmentation in (("ref", alignment.reference), ("hyp", alignment.hypothesis)):
        line = ["─"] * length
        for position, mark in _marks(segmentation, start, end, _is_plain(alignment)):
            line[(position - start) * unit - 1] = mark
        rows.append(f"  {name}  " + "".join(line))
    rows += [" " * MARGIN + line for line in _edit_lines(alignment, start, end, unit, length)]
    return rows


def _marks(segmentation: Segmentation, start: int, end: int, is_plain: bool) -> Iterable[tuple[int, str]]:
    if is_plain:
        yield from ((position, "┃") for position in segmentation.positions if start < position <= end)
        return
    types: dict[int, list[int]] = {}
    for position, kind in segmentation.boundaries:
        if start < position <= end:
            types.setdefault(position, []).append(kind)
    for position, kinds in types.items():
        single = str(kinds[0]) if 0 <= kinds[0] <= 9 else "#"
        yield position, single if len(kinds) == 1 else "&"


def _edit_lines(alignment: Aligned, start: int, end: int, unit: int, length: int) -> list[str]:
    """Place the signs of matches and edits, on further lines where they would overlap."""
    signs: list[tuple[int, int, str]] = []  # first column, last column, text

    def column(position: int) -> int:
        return (position - start) * unit - 1

    for sign, places in (
        (MATCH, alignment.matches),
        (MISSED, alignment.missed),
        (SPURIOUS, alignment.spurious),
        (WRONG_TYPE, alignment.substitutions),
    ):
        signs += [(column(p.position), column(p.position), sign) for p in places if start < p.position <= end]
    for near in alignment.transpositions:
        if near.end <= start or near.start > end:
            continue
        # A near miss may reach over several rows: only what is on this one is drawn.
        first, last = max(0, column(near.start)), min(length - 1, column(near.end))
        arc = [NEAR] * (last - first + 1)
        if near.start > start:
            arc[0] = NEAR_LEFT
        if near.end <= end:
            arc[-1] = NEAR_RIGHT
        signs.append((first, last, "".join(arc)))
    lines: list[list[str]] = []
    free_from: list[int] = []
    for first, last, text in sorted(signs):
        line = next((i for i, free in enumerate(free_from) if first >= free), len(lines))
        if line == len(lines):
            lines.append([" "] * length)
            free_from.append(0)
        lines[line][first : last + 1] = text
        free_from[line] = last + 1
    return ["".join(line) for line in lines]

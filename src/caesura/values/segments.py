"""Boundaries between segments that are spans on an axis.

Spans from annotation tools and chunkers may overlap, nest, and leave parts uncovered. The caller names a rule
for both. White space between spans needs no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from caesura.arrays import FloatArray, IntArray
from caesura.checks import check_choice
from caesura.errors import SegmentationError
from caesura.values.columns import BoolArray
from caesura.wording import counted, short

Overlap: TypeAlias = Literal["error", "start", "end", "middle", "edges"]
OVERLAPS: tuple[Overlap, ...] = ("error", "start", "end", "middle", "edges")
"""Where the boundary between overlapping spans is: the later start, the earlier end, the middle between both,
or every edge of both."""

Gaps: TypeAlias = Literal["error", "segment", "join"]
GAPS: tuple[Gaps, ...] = ("error", "segment", "join")
"""What a part without a span becomes: a segment, or part of the span before (at the start: after)."""


A = TypeVar("A", FloatArray, IntArray)

Fault: TypeAlias = tuple[BoolArray, Callable[[int], str]]  # the faulty spans, and the message for a span


class Stretch(Protocol):
    """The stretch of an axis that spans divide, and its text if known. ``Units`` implements it."""

    @property
    def axis(self) -> str: ...
    @property
    def origin(self) -> float: ...
    @property
    def end(self) -> float: ...
    @property
    def text(self) -> str | None: ...


def boundaries_of_segments(
    starts: ArrayLike, ends: ArrayLike, units: Stretch, *, overlap: Overlap = "error", gaps: Gaps = "error"
) -> FloatArray:
    """Return the offsets of the boundaries between spans, ascending.

    >>> from caesura.values.units import Units
    >>> document = Units.from_text("One two. Three four.", by="character")
    >>> boundaries_of_segments([0, 9], [8, 20], document).tolist()      # white space between
    [9.0]
    >>> boundaries_of_segments([0, 15], [8, 20], document, gaps="segment").tolist()
    [8.0, 15.0]
    >>> boundaries_of_segments([0, 6], [11, 20], document, overlap="middle").tolist()
    [8.0]
    """
    check_choice("overlap", overlap, OVERLAPS)
    check_choice("gaps", gaps, GAPS)
    first, last = _checked(starts, ends, units)
    if not len(first):
        raise SegmentationError("there are no spans, so no segments")
    # For each gap: where all spans before have ended, and where the next span starts.
    reached = np.maximum.accumulate(np.concatenate(([units.origin], last)))
    before, after = reached, np.concatenate((first, [units.end]))
    boundaries: list[FloatArray] = []
    is_open = _is_uncovered(before, after, units)
    if is_open.any() and gaps == "error":
        rule: Overlap = "start" if overlap == "error" else overlap
        n_boundaries = [
            len(boundaries_of_segments(first, last, units, overlap=rule, gaps=each)) for each in GAPS[1:]
        ]
        raise SegmentationError(_gap_fault(before[is_open], after[is_open], units, n_boundaries))
    if gaps == "segment":
        boundaries += [before[is_open], after[is_open]]
    inner = np.arange(1, len(first))
    crosses = first[inner] < before[inner]
    if crosses.any() and overlap == "error":
        index = inner[crosses][0]
        spans = f"the span from {first[index]:g} to {last[index]:g} overlaps an earlier one"
        end = f"which ends at {before[index]:g} ({units.axis})"
        raise SegmentationError(f"{spans}, {end}: choose overlap='start', 'end', 'middle' or 'edges'")
    if overlap == "edges":
        boundaries += [first, last]
    else:
        boundaries += [first[inner[~crosses]], _between(first, last, before, inner[crosses], overlap, units)]
    distinct = in_order(np.concatenate(boundaries))
    return distinct[(distinct > units.origin) & (distinct < units.end)]


def _checked(starts: ArrayLike, ends: ArrayLike, units: Stretch) -> tuple[FloatArray, FloatArray]:
    """Return the distinct spans by start; raise SegmentationError for impossible spans."""
    first, last = sides_of(starts, ends)
    slack = 1e-6 if units.axis == "seconds" else 0.0
    faults: list[Fault] = [
        (first < units.origin - slack, lambda i: f"the document starts at {units.origin:g}"),
        (last > units.end + slack, lambda i: f"the document ends at {units.end:g}"),
    ]
    fault = first_fault(first, last, faults)
    if fault is not None:
        hint = "; offsets count code points, not bytes" if units.axis == "characters" else ""
        raise SegmentationError(f"{fault}{hint}")
    if bool((first[1:] > first[:-1]).all()):
        return first, last
    distinct = np.unique(np.stack((first, last), axis=1), axis=0)
    return distinct[:, 0], distinct[:, 1]


def sides_of(starts: ArrayLike, ends: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return where spans start and where they end, as new arrays."""
    first, last = (np.array(side, dtype=np.float64).reshape(-1) for side in (starts, ends))
    if len(first) != len(last):
        raise SegmentationError(f"{len(first)} starts but {len(last)} ends: give one each")
    return first, last


def first_fault(starts: FloatArray, ends: FloatArray, faults: Sequence[Fault]) -> str | None:
    """Return the message for the first faulty span, by the usual faults and by these."""
    every: list[Fault] = [
        (~(np.isfinite(starts) & np.isfinite(ends)), lambda i: "both must be numbers"),
        (ends < starts, lambda i: "it ends before it starts"),
        *faults,
    ]
    wrong = [(int(np.argmax(is_wrong)), say) for is_wrong, say in every if is_wrong.any()]
    if not wrong:
        return None
    index, say = min(wrong, key=lambda pair: pair[0])
    return f"spans[{index}] is ({starts[index]:g}, {ends[index]:g}): {say(index)}"


def in_order(values: A) -> A:
    """Return the distinct values, ascending; checking is cheaper than sorting, and most ascend already."""
    return values if bool((values[1:] > values[:-1]).all()) else np.unique(values)


def _is_uncovered(before: FloatArray, after: FloatArray, units: Stretch) -> BoolArray:
    """Return where more than white space is between the end of spans and the start of the next."""
    is_open: BoolArray = after > before
    if units.text is not None:
        for gap in np.flatnonzero(is_open).tolist():
            is_open[gap] = bool(units.text[int(before[gap]) : int(after[gap])].strip())
    return is_open


def _between(
    first: FloatArray, last: FloatArray, before: FloatArray, which: IntArray, overlap: Overlap, units: Stretch
) -> FloatArray:
    """Return the boundary between each of these spans and the earlier spans that it overlaps."""
    if overlap == "start":
        return first[which]
    ends = np.minimum(before[which], last[which])
    if overlap == "end":
        return ends
    middle: FloatArray = (first[which] + ends) / 2
    return middle if units.axis == "seconds" else np.floor(middle)


def _gap_fault(starts: FloatArray, ends: FloatArray, units: Stretch, n_boundaries: Sequence[int]) -> str:
    """Return which parts no span covers, and the number of boundaries of each rule."""
    start, end = starts[0], ends[0]
    text = "" if units.text is None else f" ({short(units.text[int(start) : int(end)])})"
    more = f", and {len(starts) - 1} more parts" if len(starts) > 1 else ""
    axis = "units" if units.axis == "count" else units.axis
    segment, join = (counted(n, "boundary", "boundaries") for n in n_boundaries)
    fix = f"gaps='segment' makes each a segment ({segment}), gaps='join' joins it to the one before ({join})"
    return f"{axis} {start:g} to {end:g}{text}{more} are in no span: {fix}"

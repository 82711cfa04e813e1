"""Segments that are spans on an axis: where the boundaries between them are, by rules that somebody named.

Spans that annotation tools and chunkers give may overlap, nest, and leave a part uncovered: they are no
segmentation until a rule says what such places mean. White space between spans needs no rule.
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
"""Where the boundary is between two spans that overlap: at the start of the later, at the end of the earlier,
in the middle between both, or at every edge of both."""

Gaps: TypeAlias = Literal["error", "segment", "join"]
GAPS: tuple[Gaps, ...] = ("error", "segment", "join")
"""What a part is that no span covers: a segment of its own, or a part of the span before (at the very start:
of the one after)."""


A = TypeVar("A", FloatArray, IntArray)

Fault: TypeAlias = tuple[BoolArray, Callable[[int], str]]  # which spans have it, and what to say of one


class Stretch(Protocol):
    """What is divided: a stretch of an axis, and the text there if it is known. ``Units`` are one."""

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
    """Return the boundaries between spans as places on the axis, ascending.

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
        raise SegmentationError("there is no span: nobody has segmented it")
    # Position by position: where all spans before have ended, and where the next one starts.
    reached = np.maximum.accumulate(np.concatenate(([units.origin], last)))
    before, after = reached, np.concatenate((first, [units.end]))
    boundaries: list[FloatArray] = []
    is_open = _is_uncovered(before, after, units)
    if is_open.any() and gaps == "error":
        raise SegmentationError(_gap_fault(before, after, is_open, units, first, last, overlap))
    if gaps == "segment":
        boundaries += [before[is_open], after[is_open]]
    inner = np.arange(1, len(first))
    crosses = first[inner] < before[inner]
    if crosses.any() and overlap == "error":
        raise SegmentationError(_overlap_fault(inner[crosses][0], first, last, before, units))
    if overlap == "edges":
        boundaries += [first, last]
    else:
        boundaries += [first[inner[~crosses]], _between(first, last, before, inner[crosses], overlap, units)]
    distinct = in_order(np.concatenate(boundaries))
    return distinct[(distinct > units.origin) & (distinct < units.end)]


def _checked(starts: ArrayLike, ends: ArrayLike, units: Stretch) -> tuple[FloatArray, FloatArray]:
    """Return the distinct spans in order of their starts, or say which is impossible."""
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
    """Return where spans start and where they end, as arrays of their own."""
    first, last = (np.array(side, dtype=np.float64).reshape(-1) for side in (starts, ends))
    if len(first) != len(last):
        raise SegmentationError(f"{len(first)} starts but {len(last)} ends: give one each")
    return first, last


def first_fault(starts: FloatArray, ends: FloatArray, faults: Sequence[Fault]) -> str | None:
    """Return what is wrong with the first span with which something is; these faults are looked for, too."""
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
    """Return the distinct values, ascending; most are so already, which is seen sooner than sorted."""
    return values if bool((values[1:] > values[:-1]).all()) else np.unique(values)


def _is_uncovered(before: FloatArray, after: FloatArray, units: Stretch) -> BoolArray:
    """Return where something but white space stands between the end of spans and the start of the next."""
    is_open: BoolArray = after > before
    if units.text is not None:
        for gap in np.flatnonzero(is_open).tolist():
            is_open[gap] = bool(units.text[int(before[gap]) : int(after[gap])].strip())
    return is_open


def _between(
    first: FloatArray, last: FloatArray, before: FloatArray, which: IntArray, overlap: Overlap, units: Stretch
) -> FloatArray:
    """Return the boundary between each of these spans and those before it, which it overlaps."""
    if overlap == "start":
        return first[which]
    ends = np.minimum(before[which], last[which])
    if overlap == "end":
        return ends
    middle: FloatArray = (first[which] + ends) / 2
    return middle if units.axis == "seconds" else np.floor(middle)


def _gap_fault(
    before: FloatArray,
    after: FloatArray,
    is_open: BoolArray,
    units: Stretch,
    first: FloatArray,
    last: FloatArray,
    overlap: Overlap,
) -> str:
    gap = int(np.argmax(is_open))
    start, end = before[gap], after[gap]
    text = "" if units.text is None else f" ({short(units.text[int(start) : int(end)])})"
    rule: Overlap = "start" if overlap == "error" else overlap
    readings = [
        counted(
            len(boundaries_of_segments(first, last, units, overlap=rule, gaps=gaps)), "boundary", "boundaries"
        )
        for gaps in ("segment", "join")
    ]
    more = f", and {int(is_open.sum()) - 1} more parts" if is_open.sum() > 1 else ""
    return (
        f"{_word(units)} {start:g} to {end:g}{text}{more} are in no span: gaps='segment' "
        f"makes such a part a segment of its own ({readings[0]}), gaps='join' a part of the span before "
        f"({readings[1]})"
    )


def _word(units: Stretch) -> str:
    return "units" if units.axis == "count" else units.axis


def _overlap_fault(
    index: int, first: FloatArray, last: FloatArray, before: FloatArray, units: Stretch
) -> str:
    return (
        f"the span from {first[index]:g} to {last[index]:g} overlaps one before, which ends at "
        f"{before[index]:g} ({units.axis}): overlap='start', 'end', 'middle' or 'edges' says "
        "where the boundary is"
    )

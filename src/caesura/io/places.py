"""Where units stand on their axis, as a small JSON object: spans or a grid, and the running text."""

from __future__ import annotations

from typing import Any

from caesura.errors import SegmentationError
from caesura.io.files import shortened
from caesura.values.units import Units

KEYS = {"axis", "spans", "grid", "text"}


def places_of(units: Units) -> dict[str, Any]:
    """Return the object that ``places_from`` reads.

    >>> places_of(Units.from_spans([(0, 5), (6, 9)], text="It is not so."))
    {'axis': 'characters', 'spans': [(0, 5), (6, 9)], 'text': 'It is not so.'}
    >>> places_of(Units.every(0.5, end=60))
    {'axis': 'seconds', 'grid': [0.0, 60.0, 0.5]}
    """
    places: dict[str, Any] = {"axis": units.axis}
    if units.step is None:
        places["spans"] = list(units.spans)
    else:
        places["grid"] = [units.origin, units.end, units.step]
    if units.text is not None:
        places["text"] = units.text
    return places


def places_from(value: Any) -> Units:
    """Read such an object, or say what is wrong with it."""
    if not isinstance(value, dict) or "axis" not in value or ("spans" in value) == ("grid" in value):
        raise SegmentationError(f"{shortened(value)}: expected an object with axis, and spans or grid")
    unknown = sorted(map(str, value.keys() - KEYS))
    if unknown:
        raise SegmentationError(f"there is an unknown key {shortened(unknown[0])}")
    text = value.get("text")
    if text is not None and not isinstance(text, str):
        raise SegmentationError(f"text is {shortened(text)}: expected text")
    if "spans" in value:
        if not isinstance(value["spans"], list):
            raise SegmentationError(f"spans is {shortened(value['spans'])}: expected a list of [start, end]")
        return Units.from_spans(value["spans"], value["axis"], text=text)
    return _grid(value["grid"], value["axis"], text)


def _grid(grid: Any, axis: Any, text: str | None) -> Units:
    if not isinstance(grid, list) or len(grid) != 3:
        raise SegmentationError(f"grid is {shortened(grid)}: expected [start, end, step]")
    start, end, step = grid
    units = Units.every(step, end, axis, start=start)
    if text is None:
        return units
    if axis != "characters" or end > len(text):
        raise SegmentationError(f"the text has {len(text):,} characters, and the grid ends at {end:g}")
    return Units(units.axis, units.n_units, units.origin, units.end, units.step, text=text)

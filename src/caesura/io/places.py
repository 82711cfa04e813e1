"""Where units stand on their axis, as a small JSON object: spans or a grid, and the running text."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from caesura.errors import SegmentationError
from caesura.io.files import shortened
from caesura.io.json_files import shaped
from caesura.values.units import Units

KEYS = {"axis", "spans", "grid", "text"}


class Places(TypedDict, total=False):
    """An axis with spans or a grid of one length, and the text that they are in."""

    axis: Any
    spans: Annotated[list[Any], "a list of [start, end]"]
    grid: Annotated[tuple[Any, Any, Any], "[start, end, step]"]
    text: str | None


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
    places = shaped(value, Places)
    axis, text = places["axis"], places.get("text")
    if "spans" in places:
        return Units.from_spans(places["spans"], axis, text=text)
    start, end, step = places["grid"]
    units = Units.every(step, end, axis, start=start)
    if text is None:
        return units
    if axis != "characters" or end > len(text):
        raise SegmentationError(f"the text has {len(text):,} characters, and the grid ends at {end:g}")
    return Units(units.axis, units.n_units, units.origin, units.end, units.step, text=text)

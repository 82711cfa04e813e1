"""Numbers of results as plain data, and plain data as JSON with a line per row, without a copy."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from types import GeneratorType, NoneType
from typing import Any

NESTED = (dict, list, tuple, GeneratorType)

SCALARS = (str, int, float, NoneType)

USUAL = frozenset((*SCALARS, bool))
"""The exact types of most values, which are faster to test."""


def plain_fields(value: object, names: Iterable[str]) -> dict[str, Any]:
    """Return these fields and properties of a value as plain data."""
    return {name: plain_data(getattr(value, name)) for name in names}


def plain_data(value: Any) -> Any:
    """Return rows, intervals, results and named tuples as plain data, recursively.

    >>> from fractions import Fraction
    >>> plain_data({"share": Fraction(1, 2), "ends": (0.25, None)})
    {'share': '1/2', 'ends': [0.25, None]}
    """
    if isinstance(value, SCALARS):
        return value
    if hasattr(value, "numbers"):
        return value.numbers()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: item if type(item) in USUAL else plain_data(item) for key, item in value.items()}
    if not hasattr(value, "__iter__"):
        return str(value)
    return [item if type(item) in USUAL else plain_data(item) for item in value]


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def json_text(value: Any) -> str:
    """Return plain data as JSON, with null for NaN and infinities; generators become lists.

    Lists of lists or dictionaries are indented; a list of values is one line, so a row is a line.

    >>> print(json_text({"metric": "B", "rows": [{"document": "d", "B": 0.5}, {"document": "e", "B": None}]}))
    {
      "metric": "B",
      "rows": [
        {"document": "d", "B": 0.5},
        {"document": "e", "B": null}
      ]
    }
    """
    return "".join(_json_parts(value, "\n"))


def _json_parts(value: Any, line: str) -> Iterator[str]:
    """Yield pieces of JSON; ``line`` is a line feed with the indentation of the value."""
    if not _holds_nested(value):
        try:
            yield _encode(value)
        except ValueError:  # NaN or an infinity
            yield _encode(json_safe(value))
        return
    is_dict = isinstance(value, dict)
    start, end = "{}" if is_dict else "[]"
    before, deeper = start, f"{line}  "
    for part in value.items() if is_dict else value:
        key, item = (f"{_encode(str(part[0]))}: ", part[1]) if is_dict else ("", part)
        yield f"{before}{deeper}{key}"
        yield from _json_parts(item, deeper)
        before = ","
    yield f"{line}{end}" if before == "," else f"{start}{end}"


def _holds_nested(value: Any) -> bool:
    if isinstance(value, GeneratorType):
        return True
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return any(isinstance(item, NESTED) for item in items)


def json_safe(value: Any) -> Any:
    """Replace NaN and infinities by None, recursively."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: json_safe(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_safe(item) for item in value]
    return value

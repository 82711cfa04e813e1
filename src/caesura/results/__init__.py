"""Results: tables, notes, plain data; and who draws them, by name.

It imports nothing of caesura, so that to name what draws costs nothing, and results never know it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

DRAWERS: dict[str, str] = {}
"""What is drawn, such as "page", by which ``module:function``."""


def drawer(name: str) -> Callable[..., Any]:
    """Return the function that draws this of a result; it is imported when it is needed."""
    module, _, function = DRAWERS[name].partition(":")
    draw: Callable[..., Any] = getattr(import_module(module), function)
    return draw

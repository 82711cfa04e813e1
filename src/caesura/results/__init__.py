"""Results: tables, notes and plain data, and the functions that draw results, by name.

This module imports nothing of caesura, so that results depend on no drawing function.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

DRAWERS: dict[str, str] = {}
"""The drawing functions by name, such as "page", as ``module:function``."""


def drawer(name: str) -> Callable[..., Any]:
    """Import and return a drawing function."""
    module, _, function = DRAWERS[name].partition(":")
    draw: Callable[..., Any] = getattr(import_module(module), function)
    return draw

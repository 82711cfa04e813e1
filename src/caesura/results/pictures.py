"""Pictures below the tables of results in notebooks: who draws them is registered here by name.

It imports nothing, so that to register costs nothing.
"""

from __future__ import annotations

from importlib import import_module

_DRAWERS: list[str] = []


def show_below(drawer: str) -> None:
    """Let notebooks show below a result what ``module:function`` draws of it as HTML."""
    _DRAWERS.append(drawer)


def pictures_of(result: object) -> str:
    """Return what is drawn of a result; nothing where it has no figure."""
    drawn = ""
    for drawer in _DRAWERS:
        module, _, function = drawer.partition(":")
        drawn += getattr(import_module(module), function)(result)
    return drawn

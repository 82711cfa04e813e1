"""Who draws results, by name: pictures below their tables in notebooks, and pages.

It imports nothing, so that to register costs nothing, and results never know who draws them.
"""

from __future__ import annotations

from importlib import import_module

_PICTURES: list[str] = []
_PAGES: list[str] = []


def show_below(drawer: str) -> None:
    """Let notebooks show below a result what ``module:function`` draws of it as HTML."""
    _PICTURES.append(drawer)


def show_on(module: str) -> None:
    """Let this module, once it is imported, say which results it draws as pages."""
    _PAGES.append(module)


def pictures_of(result: object) -> str:
    """Return what is drawn of a result; nothing where it has no figure."""
    drawn = ""
    for drawer in _PICTURES:
        module, _, function = drawer.partition(":")
        drawn += getattr(import_module(module), function)(result)
    return drawn


def load_pages() -> None:
    """Import what draws pages."""
    for module in _PAGES:
        import_module(module)

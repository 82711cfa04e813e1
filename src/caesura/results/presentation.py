"""How results are shown: the tables, notes and pages of each kind, registered beside its numbers.

A result is numbers only. What makes tables, sentences and pages from them registers here, so that numbers
never know how they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from caesura.errors import UnknownNameError, did_you_mean
from caesura.results.notes import Note
from caesura.results.pictures import load_pages
from caesura.results.table import Table

R = TypeVar("R")

MAIN = "main"
"""The table that a result shows when none is named."""


@dataclass(frozen=True)
class Presentation(Generic[R]):
    """The tables of one kind of result, by name, and what its numbers mean in words."""

    tables: Mapping[str, Callable[[R], Table]]
    notes: Callable[[R], Sequence[Note]]
    words: Callable[[R], Mapping[str, Any]] = lambda result: {}
    """Sentences that plain data has under names of their own, such as the conclusion."""
    latex: Callable[[R, bool], str] | None = None
    """The main table for a paper, where it is more than the main table; signatures short or in full."""


Image: TypeAlias = tuple[str, str] | tuple[str, str, str]
"""Title, SVG, and perhaps another SVG for narrow screens."""


@dataclass(frozen=True)
class Drawing(Generic[R]):
    """What draws one kind of result as an HTML page: its charts, the page, and the page as a file."""

    charts: Callable[[R], Sequence[Image]]
    page: Callable[[R], str]
    save: Callable[[R, Path], None]


_PRESENTATIONS: dict[type, Presentation[Any]] = {}
_DRAWINGS: dict[type, Drawing[Any]] = {}


def present(kind: type[R], presentation: Presentation[R]) -> None:
    """Say how results of this kind are shown."""
    _PRESENTATIONS[kind] = presentation


def draw_by(kind: type[R], drawing: Drawing[R]) -> None:
    """Say what draws results of this kind."""
    _DRAWINGS[kind] = drawing


def drawing_of(result: R) -> Drawing[R]:
    """Return what draws a result."""
    load_pages()
    return _DRAWINGS[type(result)]


def presentation_of(result: object) -> Presentation[Any]:
    """Return how a result is shown."""
    for kind in type(result).__mro__:
        if kind in _PRESENTATIONS:
            return _PRESENTATIONS[kind]
    raise NotImplementedError(f"{type(result).__name__} has no presentation")


def table_of(result: object, part: str = MAIN) -> Table:
    """Return one of a result's tables."""
    tables = presentation_of(result).tables
    if part not in tables:
        raise UnknownNameError(f"there is no table {part!r}; {did_you_mean(part, tables)}")
    return tables[part](result)

"""Result: the base of what analyses return, and the presentation of each kind of result.

A result is numbers only. A module that makes tables and sentences from them calls ``present``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from caesura.errors import CaesuraError, unknown
from caesura.frames import make_frame
from caesura.results import DRAWERS, drawer
from caesura.results.as_json import plain_fields
from caesura.results.notes import Note
from caesura.results.table import Table, plain

if TYPE_CHECKING:
    from rich.console import RenderableType


R = TypeVar("R", bound="Result")

MAIN = "main"
"""The default table of a result."""


@dataclass(frozen=True)
class Presentation(Generic[R]):
    """The tables of one kind of result, by name, and its notes and sentences."""

    tables: Mapping[str, Callable[[R], Table]]
    notes: Callable[[R], Sequence[Note]]
    words: Callable[[R], Mapping[str, Any]]
    latex: Callable[[R, bool], str] | None


def present(
    kind: type[R],
    notes: Callable[[R], Sequence[Note]],
    words: Callable[[R], Mapping[str, Any]] = lambda result: {},
    latex: Callable[[R, bool], str] | None = None,
    **tables: Callable[[R], Table],
) -> None:
    """Register the presentation of a kind of result: its notes, and its tables by name, "main" first.

    Parameters
    ----------
    words
        Named sentences in plain data, such as the conclusion.
    latex
        The main table for a paper, if it differs from the main table; signatures short or in full.
    """
    kind.presentation = Presentation(tables, notes, words, latex)


class Result:
    """Base of all results: numbers, with tables and words from their presentation."""

    NUMBERS: ClassVar[tuple[str, ...]]
    """The fields and properties in plain data, in this order, unless ``numbers`` is overridden."""

    presentation: ClassVar[Presentation[Any]]
    """Set by ``present``."""

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return plain_fields(self, self.NUMBERS)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data: the numbers, the sentences, and the notes with their kinds."""
        words = self.presentation.words(self)
        return {**self.numbers(), **words, "notes": [note.to_dict() for note in self.notes]}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Findings, caveats, readings and signatures."""
        return tuple(self.presentation.notes(self))

    @property
    def findings(self) -> tuple[str, ...]:
        """The findings in words."""
        return tuple(note.text for note in self.notes if note.kind == "finding")

    @property
    def caveats(self) -> tuple[str, ...]:
        """The caveats in words."""
        return tuple(note.text for note in self.notes if note.kind == "caveat")

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the tables."""
        return tuple(self.presentation.tables)

    def to_table(self, part: str = MAIN) -> Table:
        """Return the main table, or another of ``parts``."""
        if part not in self.presentation.tables:
            raise unknown("table", part, self.presentation.tables)
        return self.presentation.tables[part](self)

    def to_frame(self, backend: str = "pandas", *, part: str = MAIN) -> Any:
        """Return the rows of a table as a pandas or polars data frame."""
        table = self.to_table(part)
        columns = {
            column.name: [plain(row[i]) for row in table.rows] for i, column in enumerate(table.columns)
        }
        return make_frame(columns, backend)

    def to_markdown(self, part: str = MAIN) -> str:
        """Return a table in Markdown."""
        return self.to_table(part).to_markdown()

    def to_latex(self, part: str = MAIN, *, full_signatures: bool = False) -> str:
        """Return a table in LaTeX (booktabs), with signatures short or in full."""
        latex = self.presentation.latex
        if latex is not None and part == MAIN:
            return latex(self, full_signatures)
        return replace(self.to_table(part), full_signatures=full_signatures).to_latex()

    def __rich__(self) -> RenderableType:
        return self.to_table()

    def _repr_html_(self) -> str:
        """Return the table, with a figure below it if one can be drawn, for a notebook."""
        table = self.to_table()._repr_html_()
        try:
            return table + (drawer("picture")(self) if "picture" in DRAWERS else "")
        except CaesuraError:  # Altair is missing, or there is too little or too much to draw
            return table

    def __str__(self) -> str:
        return self.to_table().to_text()

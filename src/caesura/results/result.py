"""Result: what every analysis returns, as plain data and as a table in any format.

The table is made when it is asked for; analyses themselves know no presentation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from caesura.errors import CaesuraError
from caesura.frames import make_frame
from caesura.results.notes import Note
from caesura.results.pictures import pictures_of
from caesura.results.presentation import MAIN, presentation_of, table_of
from caesura.results.table import Table, plain

if TYPE_CHECKING:
    from rich.console import RenderableType


class Result:
    """Base of all results: numbers only; ``presentation`` knows their tables and what they mean in words."""

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data: the numbers, what they mean, and the notes with their kinds."""
        words = presentation_of(self).words(self)
        return {**self.numbers(), **words, "notes": [note.to_dict() for note in self.notes]}

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the numbers show, what they do not, and how they were made."""
        return tuple(presentation_of(self).notes(self))

    @property
    def findings(self) -> tuple[str, ...]:
        """What the numbers show, in words."""
        return tuple(note.text for note in self.notes if note.kind == "finding")

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show, or when to distrust them."""
        return tuple(note.text for note in self.notes if note.kind == "caveat")

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the tables that ``to_table`` gives."""
        return tuple(presentation_of(self).tables)

    def to_table(self, part: str = MAIN) -> Table:
        """Return the main table, or another of ``parts``."""
        return table_of(self, part)

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
        """Return a table in LaTeX (booktabs); signatures with what differs from the defaults, or in full."""
        latex = presentation_of(self).latex
        if latex is not None and part == MAIN:
            return latex(self, full_signatures)
        return replace(self.to_table(part), full_signatures=full_signatures).to_latex()

    def __rich__(self) -> RenderableType:
        return self.to_table()

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the table, and a figure below it where one helps and can be drawn."""
        table = self.to_table()._repr_html_()
        try:
            return table + pictures_of(self)
        except CaesuraError:  # Altair is not installed, or there is too little or too much to draw
            return table

    def __str__(self) -> str:
        return self.to_table().to_text()

"""Result: what every analysis returns, as plain data and as a table in any format.

The table is made when it is asked for; analyses themselves know no presentation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from caesura.errors import CaesuraError, MissingExtraError
from caesura.results.table import Table, plain

if TYPE_CHECKING:
    from rich.console import RenderableType


Picture: TypeAlias = Callable[["Result"], str]
"""Draws a result as HTML; nothing where it has no figure."""

_PICTURES: list[Picture] = []


def show_below(draw: Picture) -> None:
    """Let notebooks show what this draws below the table of a result."""
    _PICTURES.append(draw)


class Result:
    """Base of all results: a subclass says what its data and its table are."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        raise NotImplementedError

    def to_table(self) -> Table:
        """Return the main table."""
        raise NotImplementedError

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the rows of the main table as a pandas or polars data frame."""
        table = self.to_table()
        columns = {
            column.name: [plain(row[i]) for row in table.rows] for i, column in enumerate(table.columns)
        }
        return make_frame(columns, backend)

    def to_markdown(self) -> str:
        """Return the main table in Markdown."""
        return self.to_table().to_markdown()

    def to_latex(self) -> str:
        """Return the main table in LaTeX (booktabs)."""
        return self.to_table().to_latex()

    def __rich__(self) -> RenderableType:
        return self.to_table()

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the table, and a figure below it where one helps and can be drawn."""
        return self.to_table()._repr_html_() + self._picture()

    def _picture(self) -> str:
        try:
            return "".join(draw(self) for draw in _PICTURES)
        except CaesuraError:  # Altair is not installed, or there is too little or too much to draw
            return ""

    def __str__(self) -> str:
        return self.to_table().to_text()


def make_frame(columns: dict[str, list[Any]], backend: Any) -> Any:
    """Return columns as a native data frame of the backend."""
    try:
        import narwhals
    except ModuleNotFoundError:
        raise MissingExtraError("data frames need narwhals: pip install 'caesura[formats]'") from None
    try:
        return narwhals.from_dict(columns, backend=backend).to_native()
    except ModuleNotFoundError:
        raise MissingExtraError(f"to_frame needs {backend}: pip install {backend}") from None

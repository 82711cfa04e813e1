"""Result: what every analysis returns, as plain data and as a table in any format.

The table is made when it is asked for; analyses themselves know no presentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caesura.errors import CaesuraError, MissingExtraError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from caesura.report.table import Table


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
        columns = {column.name: [row[i] for row in table.rows] for i, column in enumerate(table.columns)}
        return make_frame(columns, backend)

    def to_markdown(self) -> str:
        """Return the main table in Markdown."""
        return self.to_table().to_markdown()

    def to_latex(self) -> str:
        """Return the main table in LaTeX (booktabs)."""
        return self.to_table().to_latex()

    def __rich__(self) -> RenderableType:
        return self.to_table().__rich__()

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the table, and a figure below it where one helps and can be drawn."""
        return self.to_table()._repr_html_() + self._picture()

    def _picture(self) -> str:
        try:
            from caesura.report.figures.notebook import picture

            return picture(self)
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

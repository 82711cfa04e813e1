"""Table: one result as text, Markdown, LaTeX, CSV or JSON, with everything from data escaped."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from caesura.errors import UnknownNameError, did_you_mean
from caesura.results.notes import Kind, Note, in_order
from caesura.wording import listed

if TYPE_CHECKING:
    from rich.console import RenderableType

Cell: TypeAlias = str | int | float | tuple[str, ...] | None
"""What a cell holds. Of a tuple of names readers see the first few; CSV, JSON and data frames have all."""

Format: TypeAlias = Literal["text", "json", "csv", "markdown", "latex"]


COLUMN_GAP = 3
"""Spaces between two columns of text."""

FEW_NAMES = 4
"""How many names of a list are shown in a cell."""

NOTE_WIDTH = 80
"""Notes are wrapped at this width or at that of the table, whichever is more."""


@dataclass(frozen=True)
class Column:
    """A column: its name, and how many decimals its numbers show."""

    name: str
    digits: int = 4


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns, totals below them, and notes that say what the numbers are.

    Whatever the order in which they are given, notes stand by kind: findings, caveats, how to read the
    columns, recipes.

    >>> from caesura.results.notes import finding
    >>> table = Table("", [Column("coder"), Column("B", 2)], [["a", 0.5]], notes=[finding("n = 1")])
    >>> print(table.to_markdown())
    | coder | B |
    |:---|---:|
    | a | 0.50 |
    <BLANKLINE>
    n = 1
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    totals: Sequence[Sequence[Cell]] = ()
    notes: Sequence[Note] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", in_order(self.notes))
        repeated = [name for name, n in Counter(column.name for column in self.columns).items() if n > 1]
        if repeated:  # JSON and data frames find columns by name
            raise ValueError(f"several columns are called {listed(repeated)}: give each its own name")

    def of_kind(self, kind: Kind) -> tuple[Note, ...]:
        """Return the notes of one kind."""
        return tuple(note for note in self.notes if note.kind == kind)

    def render(self, format: Format) -> str:
        """Return the table in one of the formats."""
        if format not in RENDERERS:
            raise UnknownNameError(f"there is no format {format!r}; {did_you_mean(format, RENDERERS)}")
        return RENDERERS[format](self)

    def to_text(self) -> str:
        """Return the table for a terminal, without colour, as wide as it needs to be; notes are wrapped."""
        from rich.console import Console

        stream = io.StringIO()
        console = Console(file=stream, width=10_000, color_system=None, highlight=False)
        console.print(replace(self, notes=()))
        lines = [line.rstrip() for line in stream.getvalue().splitlines()]
        width = max(NOTE_WIDTH, *(len(line) for line in lines))
        for note in self.notes:
            text = terminal_safe(note.text)  # a recipe is to be copied: it stays on its line
            lines += [text] if note.kind == "recipe" else wrap(text, width, break_on_hyphens=False)
        return "\n".join(lines)

    def split(self, width: int) -> list[Table]:
        """Return tables of some columns each that fit the width, the first column in all of them.

        No number is cut off: a column that is too wide by itself stays as it is.

        >>> wide = Table("", [Column("coder"), Column("B", 2), Column("WD", 2)], [["a", 0.5, 0.25]])
        >>> [[column.name for column in table.columns] for table in wide.split(12)]
        [['coder', 'B'], ['coder', 'WD']]
        """
        shown = [[column.name for column in self.columns], *map(self._shown, [*self.rows, *self.totals])]
        widths = [max(cell_len(row[i]) for row in shown) + COLUMN_GAP for i in self._indices]
        groups: list[list[int]] = [[]]
        used = widths[0]
        for index in self._indices[1:]:
            if groups[-1] and used + widths[index] - COLUMN_GAP > width:
                groups.append([])
                used = widths[0]
            groups[-1].append(index)
            used += widths[index]
        return [
            Table(
                self.title if place == 0 else "",
                [self.columns[i] for i in (0, *group)],
                [[row[i] for i in (0, *group)] for row in self.rows],
                [[row[i] for i in (0, *group)] for row in self.totals],
                self.notes if place == len(groups) - 1 else (),
            )
            for place, group in enumerate(groups)
        ]

    def __rich__(self) -> RenderableType:
        """Return what rich prints."""
        from rich import box
        from rich.console import Group
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for index, column in enumerate(self.columns):
            justify: Literal["left", "right"] = "right" if self._is_numeric(index) else "left"
            table.add_column(Text(terminal_safe(column.name)), justify=justify, no_wrap=True)
        for row in self.rows:
            table.add_row(*self._rich_cells(row))
        if self.totals:
            table.add_section()
        for row in self.totals:
            table.add_row(*self._rich_cells(row), style="bold")
        parts: list[RenderableType] = [Text(terminal_safe(self.title), style="bold")] if self.title else []
        parts.append(table)
        parts += [Text(terminal_safe(note.text), style="dim") for note in self.notes]
        return Group(*parts)

    def _rich_cells(self, row: Sequence[Cell]) -> list[RenderableType]:
        from rich.text import Text

        return [Text(terminal_safe(cell)) for cell in self._shown(row)]

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        lines = [_markdown_row([column.name for column in self.columns])]
        lines.append("|" + "|".join("---:" if self._is_numeric(i) else ":---" for i in self._indices) + "|")
        lines += [_markdown_row(self._shown(row)) for row in [*self.rows, *self.totals]]
        if self.title:
            lines = [f"**{_markdown_text(self.title)}**", "", *lines]
        lines += [line for note in self.notes for line in ("", _markdown_text(note.text, table=False))]
        return "\n".join(lines)

    def to_latex(self) -> str:
        """Return a LaTeX table for the booktabs package.

        The caption has the recipe; what the numbers mean stands above, in comments that can be copied.
        """
        specification = "".join("r" if self._is_numeric(i) else "l" for i in self._indices)
        lines = [f"% {latex_escape(note.text)}" for note in self.notes if note.kind != "recipe"]
        lines += [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{specification}}}", r"\toprule"]
        lines += [_latex_row([column.name for column in self.columns]), r"\midrule"]
        lines += [_latex_row(self._shown(row)) for row in self.rows]
        if self.totals:
            lines.append(r"\midrule")
            lines += [_latex_row(self._shown(row)) for row in self.totals]
        lines += [r"\bottomrule", r"\end{tabular}"]
        recipes = [note.text for note in self.of_kind("recipe")]
        caption = ". ".join(part.rstrip(".") for part in [self.title, *recipes] if part)
        if caption:
            lines.append(rf"\caption{{{latex_escape(caption)}.}}")
        return "\n".join([*lines, r"\end{table}"])

    def to_csv(self) -> str:
        """Return CSV with numbers in full precision; totals follow the rows, notes are left out."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([csv_safe(column.name) for column in self.columns])
        for row in [*self.rows, *self.totals]:
            writer.writerow([csv_safe(", ".join(cell) if isinstance(cell, tuple) else cell) for cell in row])
        return stream.getvalue().rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        names = [column.name for column in self.columns]

        def records(rows: Sequence[Sequence[Cell]]) -> list[dict[str, Any]]:
            return [dict(zip(names, map(plain, row), strict=True)) for row in rows]

        return {
            "title": self.title,
            "rows": records(self.rows),
            "totals": records(self.totals),
            "notes": [note.to_dict() for note in self.notes],
        }

    def to_json(self) -> str:
        """Return the table as JSON; what is not a number there becomes null."""
        return json.dumps(json_safe(self.to_dict()), indent=2, ensure_ascii=False, allow_nan=False)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(column.name)}</th>" for column in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in self._shown(row)) + "</tr>"
            for row in [*self.rows, *self.totals]
        )
        notes = "".join(f"<p><small>{html.escape(note.text)}</small></p>" for note in self.notes)
        title = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"

    def __str__(self) -> str:
        return self.to_text()

    @property
    def _indices(self) -> range:
        return range(len(self.columns))

    def _is_numeric(self, index: int) -> bool:
        cells = [row[index] for row in [*self.rows, *self.totals] if row[index] is not None]
        return bool(cells) and all(isinstance(cell, (int, float)) for cell in cells)

    def _shown(self, row: Sequence[Cell]) -> list[str]:
        return [show_cell(cell, column.digits) for cell, column in zip(row, self.columns, strict=True)]


def cell_len(text: str) -> int:
    """Return how many columns of a terminal a text takes; wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in terminal_safe(text))


def show_cell(cell: Cell, digits: int = 4) -> str:
    """Return what a reader sees: decimals cut to ``digits``, nothing where there is no value."""
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        return listed(cell, most=FEW_NAMES)
    if isinstance(cell, float):
        if not math.isfinite(cell):
            return {math.inf: "∞", -math.inf: "−∞"}.get(cell, "n/a")
        return f"{cell:.{digits}f}"
    return str(cell)


def plain(cell: Cell) -> str | int | float | list[str] | None:
    """Return a cell as JSON and data frames hold it."""
    return list(cell) if isinstance(cell, tuple) else cell


def distinct(names: Sequence[str], beside: Sequence[str] = ()) -> list[str]:
    """Return names from data that differ from each other and from those of the columns beside them.

    >>> distinct(["ann", "mean"], beside=["coder", "mean"])
    ['ann', 'mean (2)']
    """
    found: list[str] = []
    taken = set(beside)
    for name in names:
        own, number = name, 2
        while own in taken:
            own, number = f"{name} ({number})", number + 1
        taken.add(own)
        found.append(own)
    return found


RENDERERS: dict[str, Callable[[Table], str]] = {
    "text": Table.to_text,
    "json": Table.to_json,
    "csv": Table.to_csv,
    "markdown": Table.to_markdown,
    "latex": Table.to_latex,
}
"""Every output format by name."""


# -------------------------------------------------------------------- escaping


INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of control, format and surrogate characters and of line and paragraph separators."""


def terminal_safe(text: str) -> str:
    """Write control and format characters out, so that data can not move the cursor or hide itself.

    >>> print(terminal_safe("a" + chr(27) + "[31m"))
    a\\x1b[31m
    """
    return "".join(
        char.encode("unicode_escape").decode() if unicodedata.category(char) in INVISIBLE else char
        for char in text
    )


def csv_safe(cell: Cell) -> Cell:
    """Keep spreadsheets from running text as a formula."""
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + cell
    return cell


LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": r"$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "≠": r"$\neq$",
    "π": r"$\pi$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "μ": r"$\mu$",
    "·": r"$\cdot$",
    "′": r"$'$",
}


def latex_escape(text: str) -> str:
    """Write text so that LaTeX prints it and does nothing else.

    >>> latex_escape("50% of a_b")
    '50\\\\% of a\\\\_b'
    >>> latex_escape("π*_B")
    '$\\\\pi^*_{\\\\mathrm{B}}$'
    """
    return "".join(
        rf"${LATEX_GREEK[part[0]]}^*{_latex_index(part[3:])}$"
        if COEFFICIENT.fullmatch(part)
        else "".join(LATEX_SPECIAL.get(char, char) for char in part)
        for part in COEFFICIENT.split(terminal_safe(text))
    )


COEFFICIENT = re.compile(r"([πκ]\*(?:_[A-Za-z]+)?)")
LATEX_GREEK = {"π": r"\pi", "κ": r"\kappa"}


def _latex_index(metric: str) -> str:
    return rf"_{{\mathrm{{{metric}}}}}" if metric else ""


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_escape, cells)) + r" \\"


def _markdown_text(text: str, *, table: bool = True) -> str:
    safe = html.escape(terminal_safe(text), quote=False)
    for special in "\\`*_[]":
        safe = safe.replace(special, "\\" + special)
    return safe.replace("|", "\\|") if table else safe


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_markdown_text, cells)) + " |"


def json_safe(value: Any) -> Any:
    """Replace floats that JSON does not know by None, all the way down."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: json_safe(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_safe(item) for item in value]
    return value

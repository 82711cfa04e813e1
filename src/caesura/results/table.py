"""Table: one result as text, Markdown, LaTeX, CSV or JSON, with everything from data escaped."""

from __future__ import annotations

import csv
import html
import io
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from textwrap import wrap
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from caesura.errors import UnknownNameError, did_you_mean
from caesura.results.as_json import json_text
from caesura.results.notes import Kind, Note, in_order
from caesura.wording import counted, listed, terminal_safe

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType


GAP = "   "
"""What stands between two columns."""


def cell_len(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    >>> cell_len("abc"), cell_len("日本"), cell_len("e" + chr(0x301))
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_char_len, unicodedata.normalize("NFC", text)))


@lru_cache(4096)
def _char_len(char: str) -> int:
    """Marks stand on the character before them; wide characters, such as Chinese ones, take two cells."""
    if unicodedata.category(char).startswith("M"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width_of(texts: Sequence[str]) -> int:
    """Return the width of a column of texts."""
    return max(map(cell_len, texts), default=0)


def padded(texts: Sequence[str], width: int, *, right: bool) -> list[str]:
    """Return a column of texts filled up to one width, at the left or the right edge of it."""
    fill = str.rjust if right else str.ljust
    return [
        fill(text, width if text.isascii() else width + len(text) - cell_len(text))  # fill counts characters
        for text in texts
    ]


def side_by_side(columns: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of padded columns, without spaces at their ends."""
    return [GAP.join(line).rstrip() for line in zip(*columns, strict=True)]


Cell: TypeAlias = str | int | float | tuple[str, ...] | None
"""What a cell holds. Of a tuple of names readers see the first few; CSV, JSON and data frames have all."""

Image: TypeAlias = tuple[str, str] | tuple[str, str, str]
"""A figure of a report: title, SVG, and perhaps another SVG for narrow screens."""

Format: TypeAlias = Literal["text", "json", "csv", "markdown", "latex"]

FEW_NAMES = 4
"""How many names of a list are shown in a cell."""

SHOWN_ROWS = 200
"""Of a longer table a terminal or notebook shows only the first rows; files, pipes and ``str`` have all."""

SEE_ALL = "all are in print(), to_csv() and to_frame()"

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
    columns, signatures. Of signatures readers see what differs from the defaults, or with ``full_signatures``
    everything, as in JSON.

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
    full_signatures: bool = False
    see_all: str = SEE_ALL
    """Where rows are that a terminal or notebook does not show."""

    @classmethod
    def under(
        cls, names: Iterable[str], rows: Iterable[Sequence[Cell]], notes: Sequence[Note] = (), title: str = ""
    ) -> Table:
        """Return a table with columns of these names, which all show as many decimals as usual."""
        return cls(title, [*map(Column, names)], [*rows], notes=notes)

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", in_order(self.notes))
        repeated = [name for name, n in Counter(column.name for column in self.columns).items() if n > 1]
        if repeated:  # JSON and data frames find columns by name
            raise ValueError(f"several columns are called {listed(repeated)}: give each its own name")
        n_columns = len(self.columns)
        for row in chain(self.rows, self.totals):
            if len(row) != n_columns:
                cells = counted(len(row), "cell")
                raise ValueError(f"a row has {cells} for {counted(n_columns, 'column')}: {row!r:.60}")

    def of_kind(self, kind: Kind) -> tuple[Note, ...]:
        """Return the notes of one kind."""
        return tuple(note for note in self.notes if note.kind == kind)

    def shown(self, note: Note) -> str:
        """Return the words of a note as readers see them."""
        return note.text if self.full_signatures else note.short

    def render(self, format: Format) -> str:
        """Return the table in one of the formats."""
        if format not in RENDERERS:
            raise UnknownNameError(f"there is no format {format!r}; {did_you_mean(format, RENDERERS)}")
        return RENDERERS[format](self)

    # ---------------------------------------------------------------- text

    def to_text(self) -> str:
        """Return all rows without colour, as wide as they need; notes are wrapped, signatures are not."""
        title, above, rows, totals = self._lines()
        width = len(above[-1])
        lines = [*title, *above, *rows, *([""] if rows and totals else []), *totals]
        note_width = max(NOTE_WIDTH, width, *map(cell_len, title))
        for note in self.notes:
            text = terminal_safe(self.shown(note))  # a signature is to be copied: it stays on its line
            lines += [text] if note.kind == "signature" else wrap(text, note_width, break_on_hyphens=False)
        return "\n".join(lines)

    def _lines(self) -> tuple[list[str], list[str], list[str], list[str]]:
        """Return the lines of the title, of the names of columns with a rule below, of rows and of totals."""
        columns, width = [], -len(GAP)
        for index in self._indices:
            texts = self._texts(index)
            columns.append(padded(texts, width_of(texts), right=self._is_numeric(index)))
            width += len(GAP) + width_of(texts)
        head, *body = side_by_side(columns)
        title = [terminal_safe(self.title)] if self.title else []
        return title, [head, "─" * width], body[: len(self.rows)], body[len(self.rows) :]

    def split(self, width: int) -> list[Table]:
        """Return tables of some columns each that fit the width, the first column in all of them.

        No number is cut off: a column that is too wide by itself stays as it is.

        >>> wide = Table("", [Column("coder"), Column("B", 2), Column("WD", 2)], [["a", 0.5, 0.25]])
        >>> [[column.name for column in table.columns] for table in wide.split(12)]
        [['coder', 'B'], ['coder', 'WD']]
        """
        widths = [width_of(self._texts(index)) + len(GAP) for index in self._indices]
        groups: list[list[int]] = [[]]
        used = widths[0]
        for index in self._indices[1:]:
            if groups[-1] and used + widths[index] - len(GAP) > width:
                groups.append([])
                used = widths[0]
            groups[-1].append(index)
            used += widths[index]
        return [
            replace(
                self,
                title=self.title if number == 0 else "",
                columns=[self.columns[i] for i in (0, *group)],
                rows=[[row[i] for i in (0, *group)] for row in self.rows],
                totals=[[row[i] for i in (0, *group)] for row in self.totals],
                notes=self.notes if number == len(groups) - 1 else (),
            )
            for number, group in enumerate(groups)
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Yield parts that fit the width: on a terminal the first rows in colour, elsewhere all as text."""
        from rich.text import Text

        if not options.is_terminal:
            yield Text("\n".join(part.to_text() for part in self.split(options.max_width)))
            return
        shown = replace(self, rows=self.rows[:SHOWN_ROWS], notes=())
        for part in shown.split(options.max_width):
            title, above, rows, totals = part._lines()
            body = [*rows, *(["…"] if self._n_hidden else []), *([""] if rows and totals else [])]
            for lines, style in ((title, "bold"), (above, "bold"), (body, ""), (totals, "bold")):
                yield from (Text(line, style=style, no_wrap=True) for line in lines)
        for text in chain(self._cut_line(), map(self.shown, self.notes)):
            yield Text(terminal_safe(text), style="dim")

    # ---------------------------------------------------------------- markup

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        lines = [_markdown_row([column.name for column in self.columns])]
        lines.append("|" + "|".join("---:" if self._is_numeric(i) else ":---" for i in self._indices) + "|")
        lines += [_markdown_row(self._shown(row)) for row in self._all_rows()]
        if self.title:
            lines = [f"**{_markdown_text(self.title)}**", "", *lines]
        lines += [line for note in self.notes for line in ("", _markdown_text(self.shown(note), table=False))]
        return "\n".join(lines)

    def to_latex(self) -> str:
        """Return a LaTeX table for the booktabs package.

        The caption has the signatures; the other notes stand above, in comments that can be copied.
        """
        specification = "".join("r" if self._is_numeric(i) else "l" for i in self._indices)
        lines = [f"% {latex_escape(note.text)}" for note in self.notes if note.kind != "signature"]
        cells = [[*map(latex_escape, self._shown(row))] for row in self._all_rows()]
        head = [latex_escape(column.name) for column in self.columns]
        signatures = map(self.shown, self.of_kind("signature"))
        caption = ". ".join(part.rstrip(".") for part in [self.title, *signatures] if part)
        n = len(self.rows)
        return "\n".join([*lines, *latex_table(specification, head, cells[:n], cells[n:], caption)])

    def _repr_html_(self) -> str:
        def lines(rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
            for row in rows:
                yield "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in self._shown(row)) + "</tr>"

        head = "".join(f"<th>{html.escape(column.name)}</th>" for column in self.columns)
        cut = ["<tr><td>…</td></tr>"] if self._n_hidden else []
        body = "".join(chain(lines(self.rows[:SHOWN_ROWS]), cut, lines(self.totals)))
        below = chain(self._cut_line(), map(self.shown, self.notes))
        notes = "".join(f"<p><small>{html.escape(text)}</small></p>" for text in below)
        title = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"

    # ---------------------------------------------------------------- data

    def to_csv(self) -> str:
        """Return CSV with numbers in full precision; totals follow the rows, notes are left out."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([csv_safe(column.name) for column in self.columns])
        for row in self._all_rows():
            writer.writerow([csv_safe(cell) for cell in row])
        return stream.getvalue().rstrip("\n")

    def written_out(self) -> Table:
        """Return the table with control characters in names and texts written out, for a terminal."""

        def safe(cell: Cell) -> Cell:
            if isinstance(cell, tuple):
                return tuple(map(terminal_safe, cell))
            return terminal_safe(cell) if isinstance(cell, str) else cell

        names = distinct([terminal_safe(column.name) for column in self.columns])
        return replace(
            self,
            columns=[replace(column, name=name) for column, name in zip(self.columns, names, strict=True)],
            rows=[[*map(safe, row)] for row in self.rows],
            totals=[[*map(safe, row)] for row in self.totals],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {
            "title": self.title,
            "rows": list(self._records(self.rows)),
            "totals": list(self._records(self.totals)),
            "notes": [note.to_dict() for note in self.notes],
        }

    def to_json(self) -> str:
        """Return the table as JSON; what is not a number there becomes null."""
        rows, totals = self._records(self.rows), self._records(self.totals)
        return json_text({**replace(self, rows=(), totals=()).to_dict(), "rows": rows, "totals": totals})

    def _records(self, rows: Sequence[Sequence[Cell]]) -> Iterator[dict[str, Any]]:
        names = [column.name for column in self.columns]
        return (dict(zip(names, map(plain, row), strict=True)) for row in rows)

    def __str__(self) -> str:
        return self.to_text()

    # ---------------------------------------------------------------- parts

    @property
    def _indices(self) -> range:
        return range(len(self.columns))

    @property
    def _n_hidden(self) -> int:
        """How many rows a terminal or notebook does not show."""
        return max(0, len(self.rows) - SHOWN_ROWS)

    def _cut_line(self) -> list[str]:
        """Say how to see the rows that are not shown."""
        return [f"… {counted(self._n_hidden, 'more row')}: {self.see_all}"] if self._n_hidden else []

    def _all_rows(self) -> Iterator[Sequence[Cell]]:
        return chain(self.rows, self.totals)

    def _is_numeric(self, index: int) -> bool:
        kinds = {type(row[index]) for row in self._all_rows()} - {NoneType}
        return bool(kinds) and all(issubclass(kind, (int, float)) for kind in kinds)

    def _texts(self, index: int) -> list[str]:
        """Return what a terminal shows of a column, its name first."""
        column = self.columns[index]
        shown = (show_cell(row[index], column.digits) for row in self._all_rows())
        return [*map(terminal_safe, chain([column.name], shown))]

    def _shown(self, row: Sequence[Cell]) -> list[str]:
        return [show_cell(cell, column.digits) for cell, column in zip(row, self.columns, strict=True)]


def show_cell(cell: Cell, digits: int = 4) -> str:
    """Return what a reader sees: decimals cut to ``digits``, nothing where there is no value."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, float):
        if not math.isfinite(cell):
            return {math.inf: "∞", -math.inf: "−∞"}.get(cell, "n/a")
        return f"{cell:.{digits}f}"
    if isinstance(cell, tuple):
        return listed(cell, most=FEW_NAMES)
    return "" if cell is None else str(cell)


def plain(cell: Cell) -> str | int | float | list[str] | None:
    """Return a cell as JSON and data frames hold it."""
    return list(cell) if isinstance(cell, tuple) else cell


def distinct(names: Sequence[str], beside: Sequence[str] = ()) -> list[str]:
    """Return names from data that differ from each other and from those of the columns beside them.

    >>> distinct(["ann", "mean"], beside=["coder", "mean"])
    ['ann', 'mean (2)']
    """
    taken = dict.fromkeys(beside)
    n_beside = len(taken)
    for name in names:
        own, number = name, 2
        while own in taken:
            own, number = f"{name} ({number})", number + 1
        taken[own] = None
    return [*taken][n_beside:]


RENDERERS: dict[str, Callable[[Table], str]] = {
    "text": Table.to_text,
    "json": Table.to_json,
    "csv": Table.to_csv,
    "markdown": Table.to_markdown,
    "latex": Table.to_latex,
}
"""Every output format by name."""


# -------------------------------------------------------------------- escaping


def csv_safe(cell: Cell) -> str | int | float | None:
    """Return a cell for CSV, names in one string; spreadsheets are kept from running text as a formula."""
    if isinstance(cell, tuple):
        cell = ", ".join(cell)
    return formula_safe(cell) if isinstance(cell, str) else cell


FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""How a text begins that a spreadsheet takes for a formula, whether it has an apostrophe already or not."""


def formula_safe(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    >>> formula_safe("=cmd()"), formula_safe("'=cmd()"), formula_safe("It's -1")
    ("'=cmd()", "''=cmd()", "It's -1")
    """
    return f"'{text}" if FORMULA.match(text) else text


def without_apostrophe(text: str) -> str:
    """Return the text that ``formula_safe`` was given.

    >>> without_apostrophe("'=cmd()"), without_apostrophe("''=cmd()"), without_apostrophe("'tis")
    ('=cmd()', "'=cmd()", "'tis")
    """
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


LATEX_MATH = {
    "−": "-",
    "±": r"\pm",
    "×": r"\times",
    "·": r"\cdot",
    "∞": r"\infty",
    "′": "'",
    "≥": r"\geq",
    "≤": r"\leq",
    "≠": r"\neq",
    "π": r"\pi",
    "κ": r"\kappa",
    "α": r"\alpha",
    "β": r"\beta",
    "μ": r"\mu",
}

LATEX_SPECIAL = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    | {char: f"${name}$" for char, name in LATEX_MATH.items()}
)


def latex_escape(text: str) -> str:
    """Write text so that LaTeX prints it and does nothing else.

    >>> latex_escape("50% of a_b")
    '50\\\\% of a\\\\_b'
    >>> latex_escape("π*_B")
    '$\\\\pi^*_{\\\\mathrm{B}}$'
    """
    return "".join(
        rf"${LATEX_MATH[part[0]]}^*{_latex_index(part[3:])}$"
        if COEFFICIENT.fullmatch(part)
        else part.translate(LATEX_SPECIAL)
        for part in COEFFICIENT.split(terminal_safe(text))
    )


COEFFICIENT = re.compile(r"([πκ]\*(?:_[A-Za-z]+)?)")


def _latex_index(metric: str) -> str:
    return rf"_{{\mathrm{{{metric}}}}}" if metric else ""


def latex_table(
    specification: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    totals: Sequence[Sequence[str]],
    caption: str,
) -> list[str]:
    """Return the lines of a table for the booktabs package; all but the caption is LaTeX already."""

    def lines(part: Sequence[Sequence[str]]) -> Iterator[str]:
        return (" & ".join(cells) + r" \\" for cells in part)

    return [
        *[r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{specification}}}", r"\toprule"],
        *[*lines([head]), r"\midrule", *lines(rows)],
        *([r"\midrule", *lines(totals)] if totals else []),
        *[r"\bottomrule", r"\end{tabular}"],
        *([rf"\caption{{{latex_escape(caption)}.}}"] if caption else []),
        r"\end{table}",
    ]


def _markdown_text(text: str, *, table: bool = True) -> str:
    safe = html.escape(terminal_safe(text), quote=False)
    for special in "\\`*_[]":
        safe = safe.replace(special, "\\" + special)
    return safe.replace("|", "\\|") if table else safe


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_markdown_text, cells)) + " |"

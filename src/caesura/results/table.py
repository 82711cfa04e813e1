"""Table: a result as text, Markdown, LaTeX, CSV or JSON, with data escaped."""

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
from itertools import chain, islice, pairwise, zip_longest
from textwrap import wrap
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from caesura.errors import unknown
from caesura.results.as_json import json_text
from caesura.results.notes import Kind, Note, folded, in_order
from caesura.wording import counted, listed, terminal_safe

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType


GAP = "   "
"""The space between two columns."""


def cell_len(text: str) -> int:
    """Return the width of a text in terminal cells.

    >>> cell_len("abc"), cell_len("日本"), cell_len("e" + chr(0x301))
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_char_len, unicodedata.normalize("NFC", text)))


@lru_cache(4096)
def _char_len(char: str) -> int:
    """Return 0 for combining marks, 2 for wide characters such as Chinese ones, else 1."""
    if unicodedata.category(char).startswith("M"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width_of(texts: Sequence[str]) -> int:
    """Return the width of a column of texts."""
    return max(map(cell_len, texts), default=0)


def padded(texts: Sequence[str], width: int, *, right: bool) -> list[str]:
    """Return a column of texts padded to one width, aligned left or right."""
    spaces = (" " * (width - cell_len(text)) for text in texts)
    return [space + text if right else text + space for text, space in zip(texts, spaces, strict=True)]


Cell: TypeAlias = str | int | float | tuple[str, ...] | None
"""The value of a cell. Readers see the first few of a tuple of names; CSV, JSON and data frames have all."""


class Interval(str):
    """An interval as readers see it."""

    @classmethod
    def of(cls, low: Cell, high: Cell) -> Interval | None:
        """Return the ends with two decimals, or with four if these are equal.

        >>> Interval.of(0.25, 0.3719), Interval.of(-0.05, 0.3), Interval.of(0.8431, 0.8442)
        ('0.25–0.37', '-0.05 to 0.30', '0.8431–0.8442')
        """
        if low is None or high is None:
            return None
        ends = [[show_cell(end, digits) for end in (low, high)] for digits in (2, 4)]
        first, last = ends[0] if len({*ends[0]}) > 1 or low == high else ends[1]
        if first == "n/a":
            return cls(first)
        return cls(f"{first} to {last}" if first[0] in "-−" else f"{first}–{last}")


Image: TypeAlias = tuple[str, str] | tuple[str, str, str]
"""A figure of a report: title, SVG, and optionally an SVG for narrow screens."""

Format: TypeAlias = Literal["text", "json", "csv", "markdown", "latex"]

FEW_NAMES = 4
"""The most names that a cell shows."""

SHOWN_ROWS = 200
"""The most rows on a terminal or in a notebook; files, pipes and ``str`` have all."""

SEE_ALL = "to_csv() and to_frame() have all"

NOTE_WIDTH = 80
"""The width of wrapped notes, unless the terminal is narrower."""

LEAST_WRAPPED, FEWEST_COLUMNS = 20, 3
"""The narrowest wrapped column of words, and the columns that are shown at any width."""


@dataclass(frozen=True)
class Column:
    """A column: its name, and the decimals of its numbers."""

    name: str
    digits: int = 4


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns, totals below them, and notes.

    Notes are sorted by kind: findings, readings, caveats, signatures. In text the first finding, the verdict,
    comes before the table. Readers see the parts of a signature that differ from the defaults, or all with
    ``full_signatures``, as in JSON.

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
    """A hint at the rows and columns that are not shown."""

    width: int | None = NOTE_WIDTH
    """The width of text in terminal cells; None: unlimited."""

    @classmethod
    def under(
        cls,
        names: Iterable[str],
        rows: Iterable[Sequence[Cell]],
        notes: Sequence[Note] = (),
        title: str = "",
        digits: int = Column.digits,
    ) -> Table:
        """Return a table from names of columns, with the same decimals in all."""
        return cls(title, [Column(name, digits) for name in names], [*rows], notes=notes)

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", in_order(self.notes))
        repeated = [name for name, n in Counter(column.name for column in self.columns).items() if n > 1]
        if repeated:  # JSON and data frames look columns up by name
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
        """Return a note as readers see it."""
        return note.text if self.full_signatures else note.short

    def render(self, format: Format) -> str:
        """Return the table in one of the formats."""
        if format not in RENDERERS:
            raise unknown("format", format, RENDERERS)
        return RENDERERS[format](self)

    # ---------------------------------------------------------------- text

    def to_text(self) -> str:
        """Return all rows without color: the verdict, the columns that fit ``width``, notes."""
        return "\n".join(line for line, _ in self._lines(self.width))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Yield lines that fit the console; on a terminal with color, and only the first rows."""
        from rich.text import Text

        rows = self.rows[:SHOWN_ROWS] if options.is_terminal and self.width else self.rows
        shown = replace(self, rows=rows)
        for line, style in shown._lines(self.width and options.max_width, len(self.rows) - len(rows)):
            yield Text(line, style=style)

    def _lines(self, width: int | None, n_hidden: int = 0) -> Iterator[tuple[str, str]]:
        """Yield each line with its style: the verdict first, caveats and signatures last."""

        def wrapped(*texts: str) -> list[str]:
            room = min(width or NOTE_WIDTH, NOTE_WIDTH)
            return [*chain(*(wrap(terminal_safe(text), room, break_on_hyphens=False) for text in texts))]

        def notes(kind: Kind) -> list[str]:
            return [note.text for note in self.of_kind(kind)]

        above, body, left_out = self._with_intervals()._columns(width)
        rows, totals = body[: len(self.rows)], body[len(self.rows) :]
        more = [f"… {counted(n_hidden, 'more row')}: {self.see_all}"] if n_hidden else []
        if left_out:
            names = listed(left_out, most=FEW_NAMES)
            more.append(f"{counted(len(left_out), 'more column')} ({names}): {self.see_all}")
        verdict, findings = notes("finding")[:1], notes("finding")[1:]
        for lines, style in (
            ([*wrapped(*verdict), ""] if verdict else [], "bold"),
            ([terminal_safe(self.title)] if self.title else [], "bold"),
            (above, "bold cyan"),
            ([*chain(*rows), *["…"] * bool(n_hidden), *[""] * bool(rows and totals)], ""),
            (chain(*totals), "bold"),
            (wrapped(*more), "dim"),
            (wrapped(*findings), ""),
            ([*wrapped(*notes("reading"), *notes("caveat")), *self._signatures(width)], "dim"),
        ):
            yield from ((line, style) for line in lines)

    def _signatures(self, width: int | None) -> list[str]:
        """Return signatures in full, or folded to one line; never wrapped, so that they can be copied."""
        shown = [terminal_safe(self.shown(note)) for note in self.of_kind("signature")]
        if self.full_signatures or len(shown) < 2:
            return shown
        line = folded(shown)
        fits = width is None or cell_len(line) <= width
        return [line if fits else f"{shown[0]} and {len(shown) - 1} more"]

    def _columns(self, width: int | None) -> tuple[list[str], list[list[str]], list[str]]:
        """Return the head and the lines of rows of the columns that fit, and the names of the others.

        Columns of words are wrapped if that is enough, otherwise columns are left out from the right.
        """
        columns, numeric = [*map(self._texts, self._indices)], [*map(self._is_numeric, self._indices)]
        natural = [*map(width_of, columns)]
        # First columns and names without spaces, which users type, are never broken.
        least = [
            width
            if i == 0 or numeric[i]
            else min(width, max(LEAST_WRAPPED, width_of(" ".join(texts).split())))
            for i, (texts, width) in enumerate(zip(columns, natural, strict=True))
        ]
        widths, n = list(natural), len(columns)
        while width and sum(widths[:n]) + len(GAP) * (n - 1) > width:
            if sum(least[:n]) + len(GAP) * (n - 1) <= width:
                widths[max(range(n), key=lambda i: (widths[i] > least[i], widths[i]))] -= 1
            elif n > FEWEST_COLUMNS:
                n -= 1
            else:
                break
        rows: list[list[tuple[str, ...]]] = [[cells] for cells in zip(*columns[:n], strict=True)]
        if widths[:n] != natural[:n]:
            rows = [[*zip_longest(*map(wrap, row[0], widths), fillvalue="")] for row in rows]
        lines = zip(*chain(*rows), strict=True)
        full = [padded(line, widths[i], right=numeric[i]) for i, line in enumerate(lines)]
        text = (GAP.join(line).rstrip() for line in zip(*full, strict=True))
        head, *body = ([*islice(text, len(row))] for row in rows)
        rule = "─" * (sum(widths[:n]) + len(GAP) * (n - 1))
        return [*head, rule], body, [terminal_safe(column.name) for column in self.columns[n:]]

    def _with_intervals(self) -> Table:
        """Return the table with one column for the two ends of an interval.

        >>> ends = Table.under(["B", "low 95 %", "high 95 %"], [[0.5, 0.25, 0.75]])
        >>> [column.name for column in ends._with_intervals().columns], ends._with_intervals().rows
        (['B', '95 %'], [[0.5, '0.25–0.75']])
        """
        names = [column.name for column in self.columns]
        low = {i for i, (a, b) in enumerate(pairwise(names)) if "low" in a and b == a.replace("low", "high")}
        if not low:
            return self
        columns = [
            Column(" ".join(names[i].replace("low", "").split()) or "interval") if i in low else column
            for i, column in enumerate(self.columns)
            if i - 1 not in low
        ]

        def merged(row: Sequence[Cell]) -> list[Cell]:
            cells = (Interval.of(*row[i : i + 2]) if i in low else cell for i, cell in enumerate(row))
            return [cell for i, cell in enumerate(cells) if i - 1 not in low]

        rows, totals = ([*map(merged, part)] for part in (self.rows, self.totals))
        return replace(self, columns=columns, rows=rows, totals=totals)

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

        The caption has the signatures; the other notes are comments above the table.
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
        n_hidden = max(0, len(self.rows) - SHOWN_ROWS)
        cut = ["<tr><td>…</td></tr>"] if n_hidden else []
        body = "".join(chain(lines(self.rows[:SHOWN_ROWS]), cut, lines(self.totals)))
        more = [f"{counted(n_hidden, 'more row')}: {self.see_all}"] if n_hidden else []
        below = chain(more, map(self.shown, self.notes))
        notes = "".join(f"<p><small>{html.escape(text)}</small></p>" for text in below)
        title = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"

    # ---------------------------------------------------------------- data

    def to_csv(self, *, terminal: bool = False) -> str:
        """Return CSV with numbers in full precision and totals after the rows, without notes.

        ``terminal`` escapes control characters, such as a line feed in a cell.
        """
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        for row in chain([[column.name for column in self.columns]], self._all_rows()):
            cells = map(csv_safe, row)
            writer.writerow(terminal_safe(c) if terminal and isinstance(c, str) else c for c in cells)
        return stream.getvalue().rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {
            "title": self.title,
            "rows": list(self._records(self.rows)),
            "totals": list(self._records(self.totals)),
            "notes": [note.to_dict() for note in self.notes],
        }

    def to_json(self) -> str:
        """Return the table as JSON, with null for NaN and infinities."""
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

    def _all_rows(self) -> Iterator[Sequence[Cell]]:
        return chain(self.rows, self.totals)

    def _is_numeric(self, index: int) -> bool:
        kinds = {type(row[index]) for row in self._all_rows()} - {NoneType}
        return bool(kinds) and all(issubclass(kind, (int, float, Interval)) for kind in kinds)

    def _texts(self, index: int) -> list[str]:
        """Return the texts of a column on a terminal, its name first."""
        column = self.columns[index]
        shown = (show_cell(row[index], column.digits) for row in self._all_rows())
        return [*map(terminal_safe, chain([column.name], shown))]

    def _shown(self, row: Sequence[Cell]) -> list[str]:
        return [show_cell(cell, column.digits) for cell, column in zip(row, self.columns, strict=True)]


def show_cell(cell: Cell, digits: int = 4) -> str:
    """Return a cell as readers see it: rounded to ``digits``, empty if missing."""
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
    """Return names made different from each other and from those of other columns.

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
    name: getattr(Table, f"to_{name}") for name in get_args(Format)
}
"""Every output format by name."""


# -------------------------------------------------------------------- escaping


def csv_safe(cell: Cell) -> str | int | float | None:
    """Return a cell for CSV: names as one string, and no text that a spreadsheet runs as a formula."""
    if isinstance(cell, tuple):
        cell = ", ".join(cell)
    return formula_safe(cell) if isinstance(cell, str) else cell


FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""The start of a text that spreadsheets take for a formula, after any apostrophes."""


def formula_safe(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    >>> formula_safe("=cmd()"), formula_safe("'=cmd()"), formula_safe("It's -1")
    ("'=cmd()", "''=cmd()", "It's -1")
    """
    return f"'{text}" if FORMULA.match(text) else text


def without_apostrophe(text: str) -> str:
    """Return the text before ``formula_safe``.

    >>> without_apostrophe("'=cmd()"), without_apostrophe("''=cmd()"), without_apostrophe("'tis")
    ('=cmd()', "'=cmd()", "'tis")
    """
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


GREEK = {char: rf"\{unicodedata.name(char).split()[-1].lower()}" for char in "πκαβμδηρχ"}
LATEX_MATH = GREEK | {
    "−": "-",
    "±": r"\pm",
    "×": r"\times",
    "·": r"\cdot",
    "∞": r"\infty",
    "′": "'",
    "≥": r"\geq",
    "≤": r"\leq",
    "≠": r"\neq",
    "ε": r"\varepsilon",
    "Σ": r"\Sigma",
    "Ω": r"\Omega",
    "∪": r"\cup",
    "∩": r"\cap",
}

LATEX_SPECIAL = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    | {char: f"${name}$" for char, name in LATEX_MATH.items()}
)


def latex_escape(text: str) -> str:
    """Escape text for LaTeX.

    >>> latex_escape("50% of a_b")
    '50\\\\% of a\\\\_b'
    >>> latex_escape("π*_B")
    '$\\\\pi^*_{\\\\mathrm{B}}$'
    """
    escaped, end = "", 0
    text = terminal_safe(text)
    for name in COEFFICIENT.finditer(text):
        index = rf"_{{\mathrm{{{name[2]}}}}}" if name[2] else ""
        escaped += text[end : name.start()].translate(LATEX_SPECIAL) + f"${LATEX_MATH[name[1][0]]}^*{index}$"
        end = name.end()
    return escaped + text[end:].translate(LATEX_SPECIAL)


COEFFICIENT = re.compile(r"([πκ]\*)(?:_([A-Za-z]+))?")


def latex_table(
    specification: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    totals: Sequence[Sequence[str]],
    caption: str,
) -> list[str]:
    """Return the lines of a booktabs table; all but the caption must be LaTeX already."""

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

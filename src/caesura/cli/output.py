"""Results of commands, printed on the terminal or written to a file, in any format."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import click

from caesura.cli.remarks import as_flags, noting, say_understood, say_written
from caesura.io.files import write_whole
from caesura.io.writing import write
from caesura.results.as_json import json_text
from caesura.results.notes import Note
from caesura.results.result import MAIN, Result
from caesura.results.table import NOTE_WIDTH, Format, Table
from caesura.values.corpus import Corpus
from caesura.wording import INVISIBLE

Shown: TypeAlias = Result | Table | Sequence[Table]

SEE_ALL = "--wide shows all"


@dataclass(frozen=True)
class Output:
    """The options for the format and destination of a result."""

    format: Format
    path: Path | None
    full_signatures: bool
    """In files, and with --signature."""

    width: int | None = NOTE_WIDTH
    """None in files and with --wide: all columns and rows."""

    see_all: str = SEE_ALL

    def emit(
        self, shown: Shown | Callable[[], Shown], *parts: str, data: Callable[[], Any] | None = None
    ) -> None:
        """Show a result, some of its tables, or other tables.

        JSON has the whole result, or ``data``.
        """
        if self.format == "json" and (data is not None or isinstance(shown, Result)):
            self.write(json_text(data() if data is not None else shown.to_dict()))  # type: ignore[union-attr]
            return
        if callable(shown):
            shown = shown()
        if isinstance(shown, Result):
            if self.format == "latex" and parts in ((), (MAIN,)) and shown.presentation.latex is not None:
                self.write(shown.to_latex(full_signatures=self.full_signatures))
                return
            shown = [shown.to_table(part) for part in parts or (MAIN,)]
        tables = [self._table(table) for table in ([shown] if isinstance(shown, Table) else shown)]
        if self.path is None and self.format == "text" and sys.stdout.isatty():
            self._print(tables)
            return
        escaped = self.path is None and self.format == "csv" and sys.stdout.isatty()
        texts = (table.to_csv(terminal=True) if escaped else table.render(self.format) for table in tables)
        self.write("\n\n".join(texts))

    def _table(self, table: Table) -> Table:
        """Return the table with flags in its notes and this output's width and signatures."""
        notes = [
            note if note.kind == "signature" else Note(note.kind, as_flags(note.text)) for note in table.notes
        ]
        return replace(
            table, notes=notes, see_all=self.see_all, full_signatures=self.full_signatures, width=self.width
        )

    @staticmethod
    def _print(tables: Sequence[Table]) -> None:
        """Print tables in color on a terminal."""
        from rich.console import Console

        say_understood()
        for number, table in enumerate(tables):
            if number:
                click.echo()
            Console(highlight=False).print(table, soft_wrap=True)

    def write(self, text: str, colors: Mapping[str, str] | None = None) -> None:
        """Print text, or write it to a file; on a terminal invisible characters are escaped.

        On a terminal, signs have these colors in lines that begin with one of them.
        """
        if self.path is not None:
            write_whole(self.path, text + "\n")
            say_written("result", f"{self.path} ({self.format})")
            return
        say_understood()
        if not sys.stdout.isatty():
            click.echo(text, color=True)  # click would strip what looks like colors from names
        elif colors is None:
            click.echo(_visible(text), color=True)
        else:
            _print_colored(_visible(text), colors)


def _print_colored(text: str, colors: Mapping[str, str]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in text.split("\n"):
        shown = Text(line)
        if line.lstrip()[:1] in colors:
            for sign, color in colors.items():
                shown.highlight_regex(re.escape(sign), color)
        console.print(shown, soft_wrap=True)


def _visible(text: str) -> str:
    """Escape invisible characters as JSON does, except line feeds."""
    return "".join(
        json.dumps(char)[1:-1] if unicodedata.category(char) in INVISIBLE and char != "\n" else char
        for char in text
    )


def write_corpus(corpus: Corpus, target: str | Path, format: str | None) -> None:
    """Write a corpus, with the writers' warnings as notes, and print the pending lines."""
    with noting():
        write(corpus, target, format)
    say_understood()

"""What commands share: the options, the reading of segmentation files, and the writing of results."""

from __future__ import annotations

import functools
import json
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click

from caesura.checks import MAX_RESAMPLES, is_duration
from caesura.cli.flags import as_flags
from caesura.cli.remarks import say_understood
from caesura.errors import CaesuraError
from caesura.io.files import write_whole
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric
from caesura.results.as_json import json_text
from caesura.results.notes import Note
from caesura.results.result import MAIN, Result, presentation_of
from caesura.results.table import RENDERERS, Format, Table
from caesura.wording import INVISIBLE

C = TypeVar("C", bound=Callable[..., Any])
Shown: TypeAlias = Result | Table | Sequence[Table]

FORCE = "caesura.force"
"""Where a command's context keeps whether --force was given."""

MAX_DIGITS = 15

SEE_ALL = "all are in --output FILE, --format csv or a pipe"


class MetricType(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A metric specification such as ``B`` or ``WD(edges='wrap')``."""

    name = "metric"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Metric:
        """Parse the specification; what is wrong with it is a usage error."""
        if isinstance(value, Metric):
            return value
        try:
            return metric(value)
        except CaesuraError as error:
            self.fail(str(error), param, ctx)


def seed_option(command: C) -> C:
    """Add --seed."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Seed of everything random.",
    )(command)


def resamples_option(default: int, help: str, *, minimum: int = 0) -> Callable[[C], C]:
    """Add --resamples."""
    return click.option(
        "--resamples",
        type=click.IntRange(minimum, MAX_RESAMPLES),
        default=default,
        show_default=True,
        help=help,
    )


def n_t_option(help: str, default: int | None = None) -> Callable[[C], C]:
    """Add -n/--n-t: a number of units, or a duration."""
    return click.option(
        "-n", "--n-t", type=ExtentType(), default=default, show_default=default is not None, help=help
    )


def metric_options(default: Sequence[str]) -> Callable[[C], C]:
    """Add -m/--metric (repeatable) and -n/--n-t."""

    def add(command: C) -> C:
        command = n_t_option(
            "Near misses span fewer than this many positions (on a grid in time: 3s), in every metric that "
            "knows them."
        )(command)
        return click.option(
            "-m",
            "--metric",
            "metrics",
            type=MetricType(),
            multiple=True,
            default=default,
            show_default=True,
            metavar="SPEC",
            help="A metric, such as B or \"WD(edges='wrap')\"; repeatable. `caesura metrics` lists them.",
        )(command)

    return add


def types_option(command: C) -> C:
    """Add --types and --no-types: whether types and ranks are compared."""
    return click.option(
        "--types/--no-types",
        default=None,
        help="Compare boundaries with their types and ranks, or without; default: with them where both sides "
        "have any.",
    )(command)


def coder_option(command: C) -> C:
    """Add -c/--coder (repeatable): people and segmenters may stand in one file."""
    return click.option(
        "-c", "--coder", "coders", multiple=True, help="Look at this coder only; repeatable. Default: all."
    )(command)


def document_option(command: C) -> C:
    """Add -d/--document (repeatable)."""
    return click.option(
        "-d",
        "--document",
        "documents",
        multiple=True,
        help="Only this document, or those of a pattern ('talk*'); repeatable. Default: all.",
    )(command)


class ExtentType(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A number of units from 1 on, or on a grid in time a duration such as 3s."""

    name = "units|duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Read the number, or check the duration."""
        if isinstance(value, int):
            return value
        if is_duration(value):
            return str(value)
        if not str(value).isdecimal() or len(str(value)) > MAX_DIGITS or int(value) < 1:
            self.fail(f"{value!r} is neither a whole number from 1 on nor a duration such as 3s", param, ctx)
        return int(value)


def output_option(*, help: str, required: bool = False, type: Any = None) -> Callable[[C], C]:
    """Add -o/--output, which does not overwrite a file that is there, and --force, which does."""

    def add(command: C) -> C:
        command = click.option(
            "--force",
            is_flag=True,
            is_eager=True,  # before the file is looked at
            expose_value=False,
            callback=lambda context, _, value: context.meta.__setitem__(FORCE, value),
            help="Overwrite the file if it is there already.",
        )(command)
        return click.option(
            "-o",
            "--output",
            type=type or click.Path(dir_okay=False, path_type=Path),
            required=required,
            callback=check_new,
            help=help,
        )(command)

    return add


def check_new(context: click.Context, parameter: click.Parameter, output: Any) -> Any:
    """Refuse to overwrite a file unless --force is given."""
    if output is not None and Path(output).is_file() and not context.meta.get(FORCE):
        raise click.UsageError(f"{output} is there already; --force overwrites it")
    return output


@dataclass(frozen=True)
class Output:
    """How a result is shown and where it goes, as the options say."""

    format: Format
    path: Path | None
    full_signatures: bool
    """In files always, elsewhere with --signature."""

    def emit(
        self, shown: Shown | Callable[[], Shown], *parts: str, data: Callable[[], Any] | None = None
    ) -> None:
        """Show a result, or some of its tables, or tables that were made beside it.

        JSON has everything that a result holds, or ``data``.
        """
        if self.format == "json" and (data is not None or isinstance(shown, Result)):
            self.write(json_text(data() if data is not None else shown.to_dict()))  # type: ignore[union-attr]
            return
        if callable(shown):
            shown = shown()
        if isinstance(shown, Result):
            if self.format == "latex" and parts in ((), (MAIN,)) and presentation_of(shown).latex is not None:
                self.write(shown.to_latex(full_signatures=self.full_signatures))
                return
            shown = [shown.to_table(part) for part in parts or (MAIN,)]
        tables = [self._table(table) for table in ([shown] if isinstance(shown, Table) else shown)]
        if self.path is None and self.format == "text" and sys.stdout.isatty():
            self._print(tables)
            return
        if self.path is None and self.format == "csv" and sys.stdout.isatty():
            tables = [table.written_out() for table in tables]  # a line feed may stand in a cell
        self.write("\n\n".join(table.render(self.format) for table in tables))

    def _table(self, table: Table) -> Table:
        """Return the table with notes that say flags, where they say how to see more."""
        notes = [
            note if note.kind == "signature" else Note(note.kind, as_flags(note.text)) for note in table.notes
        ]
        return replace(table, notes=notes, see_all=SEE_ALL, full_signatures=self.full_signatures)

    @staticmethod
    def _print(tables: Sequence[Table]) -> None:
        """Print tables in colour on a terminal."""
        from rich.console import Console

        say_understood()
        for number, table in enumerate(tables):
            if number:
                click.echo()
            Console(highlight=False).print(table)

    def write(self, text: str) -> None:
        """Print text, on a terminal without invisible characters, or write it to a whole file."""
        say_understood()
        if self.path is None:
            # color: click would strip what looks like colours from names on their way into a pipe.
            click.echo(_visible(text) if sys.stdout.isatty() else text, color=True)
        else:
            write_whole(self.path, text + "\n")


def _visible(text: str) -> str:
    """Write invisible characters out as JSON does, so that JSON stays what it is; lines stay lines."""
    return "".join(
        json.dumps(char)[1:-1] if unicodedata.category(char) in INVISIBLE and char != "\n" else char
        for char in text
    )


def output_options(command: C) -> C:
    """Add -f/--format, --signature and -o/--output; the command gets them as ``out``."""

    @functools.wraps(command)
    def wrapped(*args: Any, format: Format, output: Path | None, signature: bool, **values: Any) -> Any:
        return command(*args, out=Output(format, output, signature or output is not None), **values)

    found: Any = click.option(
        "--signature",
        is_flag=True,
        help="Show signatures in full, not only what differs from the defaults; files and JSON always do.",
    )(wrapped)
    found = output_option(help="Write to this file instead of the terminal; it appears whole or not at all.")(
        found
    )
    with_format: C = click.option(
        "-f",
        "--format",
        type=click.Choice(list(RENDERERS)),
        default="text",
        show_default=True,
        help="How to print the result.",
    )(found)
    return with_format


def with_n_t(metrics: Sequence[Metric], n_t: int | str | None) -> list[Metric]:
    """Return the metrics with this n_t wherever one has such a parameter."""
    if n_t is None:
        return list(metrics)
    return [type(m)(**m.parameters | {"n_t": n_t}) if "n_t" in m.parameters else m for m in metrics]

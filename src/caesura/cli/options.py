"""What commands share: the options, the reading of segmentation files, and the writing of results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from caesura.checks import MAX_RESAMPLES
from caesura.errors import CaesuraError, did_you_mean
from caesura.io.files import write_whole
from caesura.io.registry import FORMATS
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric
from caesura.results.table import RENDERERS, Format, Table

C = TypeVar("C", bound=Callable[..., Any])


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


class FormatType(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """The name of a file format."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the name; an unknown one is a usage error."""
        if value not in FORMATS:
            self.fail(f"there is no format {value!r}; {did_you_mean(value, FORMATS)}", param, ctx)
        return value


def from_option(command: C) -> C:
    """Add --from, the format of the data."""
    return click.option(
        "--from", "format_in", type=FormatType(), help="Format of the data; default: told from the files."
    )(command)


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


def metric_options(default: Sequence[str]) -> Callable[[C], C]:
    """Add -m/--metric (repeatable) and -n/--n-t."""

    def add(command: C) -> C:
        command = click.option(
            "-n",
            "--n-t",
            type=click.IntRange(min=1),
            help="Near misses span fewer than this many positions, in every metric that knows them.",
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


def coder_option(command: C) -> C:
    """Add -c/--coder (repeatable): people and segmenters may stand in one file."""
    return click.option(
        "-c", "--coder", "coders", multiple=True, help="Look at this coder only; repeatable. Default: all."
    )(command)


def document_option(command: C) -> C:
    """Add -d/--document (repeatable)."""
    return click.option(
        "-d", "--document", "documents", multiple=True, help="Only this document; repeatable. Default: all."
    )(command)


def output_options(command: C) -> C:
    """Add -f/--format and -o/--output."""
    command = click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write to this file instead of the terminal; it appears whole or not at all.",
    )(command)
    return click.option(
        "-f",
        "--format",
        type=click.Choice(list(RENDERERS)),
        default="text",
        show_default=True,
        help="How to print the result.",
    )(command)


def with_n_t(metrics: Sequence[Metric], n_t: int | None) -> list[Metric]:
    """Return the metrics with this n_t wherever one has such a parameter."""
    if n_t is None:
        return list(metrics)
    return [type(m)(**m.parameters | {"n_t": n_t}) if "n_t" in m.parameters else m for m in metrics]


def print_table(table: Table, format: Format, output: Path | None) -> None:
    """Print a table in colour on a terminal, and otherwise as it would be in a file."""
    if output is None and format == "text" and sys.stdout.isatty():
        from rich.console import Console

        Console(highlight=False).print(table)
    else:
        print_text(table.render(format), output)


def print_tables(tables: Sequence[Table], format: Format, output: Path | None) -> None:
    """Print tables one below the other."""
    if output is not None:
        print_text("\n\n".join(table.render(format) for table in tables), output)
        return
    for number, table in enumerate(tables):
        if number:
            click.echo()
        print_table(table, format, None)


def print_text(text: str, output: Path | None) -> None:
    """Print text, or write it to a file that appears whole or not at all."""
    if output is None:
        click.echo(text)
    else:
        write_whole(output, text + "\n")

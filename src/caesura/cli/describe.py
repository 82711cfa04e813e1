"""caesura describe: what a coded corpus looks like in numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from caesura.analyses.description.analysis import LARGEST_SWEEP, describe
from caesura.analyses.description.results import Description
from caesura.cli.options import coder_option, output_options, print_tables, print_text
from caesura.cli.progress import progress_bar, read_data
from caesura.results.table import Format, Table, json_safe

MANY_CODERS = 40
"""With more coders than this only the outliers are listed."""


@click.command("describe")
@click.argument("data", nargs=-1, required=True)
@click.option(
    "-n",
    "--n-t",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Near misses span fewer than this many positions.",
)
@coder_option
@click.option("--coders", "rates", is_flag=True, help="Show only the coders, with their boundary rates.")
@click.option("--sweep", is_flag=True, help="Show only the edits for each n_t, to choose one.")
@click.option(
    "--max-n-t",
    type=click.IntRange(1, LARGEST_SWEEP),
    default=15,
    show_default=True,
    help="Largest n_t of the sweep.",
)
@click.option("--support", is_flag=True, help="Show only how many coders support each marked position.")
@output_options
def command(
    data: tuple[str, ...],
    n_t: int,
    coders: tuple[str, ...],
    rates: bool,
    sweep: bool,
    max_n_t: int,
    support: bool,
    format: Format,
    output: Path | None,
) -> None:
    """Describe the codings of DATA, files or folders: sizes, rates, edits between coders, support.

    JSON holds everything at once; CSV holds the one table that is asked for.
    """
    if rates + sweep + support > 1:
        raise click.UsageError("--coders, --sweep and --support each show one table; give one of them")
    corpus = read_data(data).select(coders=coders or None)
    needless = (rates or support) and format != "json"
    wanted = range(0) if needless else range(2, max_n_t + 1)
    with progress_bar("describing") as advance:
        description = describe(corpus, n_t=n_t, sweep=wanted, progress=advance)
    if format == "json":
        print_text(_json(description, support), output)
        return
    if rates:
        tables = [description.coders_table]
    elif sweep:
        tables = [description.sweep_table]
    elif support:
        tables = [description.support().to_table()]
    elif format == "csv":
        tables = [description.to_table()]
    else:
        tables = _overview(description)
    print_tables(tables, format, output)


def _overview(description: Description) -> list[Table]:
    """The coders and the support of positions, then the numbers with what they mean."""
    tables = []
    if description.coders <= MANY_CODERS:
        tables.append(description.coders_table)
    elif description.outliers:
        tables.append(description.outliers_table)
    if len(description.types) > 1:
        tables.append(description.types_table)
    if description.prominence:
        tables.append(description.prominence_table)
    # The recipe stands once, at the end; the last table says what the coders' rates mean.
    return [*(replace(table, notes=table.of_kind("reading")) for table in tables), description.to_table()]


def _json(description: Description, support: bool) -> str:
    data = description.to_dict()
    if support:
        data["support"] = description.support().to_dict()["positions"]
    return json.dumps(json_safe(data), indent=2, ensure_ascii=False, allow_nan=False)

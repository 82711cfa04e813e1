"""caesura score: every metric for every line of two files, and over all lines."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli.lines import Form, form_option, read_pairs
from caesura.cli.options import metric_options, output_options, print_table, with_n_t
from caesura.metrics.base import Metric, signature
from caesura.report.table import Cell, Column, Format, Table


@click.command("score")
@click.argument("reference", type=click.Path(path_type=Path))
@click.argument("hypothesis", type=click.Path(path_type=Path))
@metric_options(default=["B", "F", "Pk", "WD"])
@form_option
@click.option("--totals-only", is_flag=True, help="Leave out the rows of single lines.")
@output_options
def command(
    reference: Path,
    hypothesis: Path,
    metrics: tuple[Metric, ...],
    n_t: int | None,
    form: Form,
    totals_only: bool,
    format: Format,
    output: Path | None,
) -> None:
    """Score HYPOTHESIS against REFERENCE, files of one segmentation per line.

    The micro row pools the counts of all lines, the macro row is the mean of the lines' values.
    """
    chosen = with_n_t(metrics, n_t)
    references, hypotheses = read_pairs(reference, hypothesis, form)
    scores = [metric.batch(references, hypotheses) for metric in chosen]
    rows: list[list[Cell]] = []
    if not totals_only:
        columns = [score.values.tolist() for score in scores]
        for number, (ref, *values) in enumerate(zip(references, *columns, strict=True), start=1):
            rows.append([str(number), ref.n_units, *values])
    n_units = sum(ref.n_units for ref in references)
    table = Table(
        "",
        [Column("line"), Column("units"), *(Column(repr(metric)) for metric in chosen)],
        rows,
        totals=[
            ["micro", n_units, *(float(score.micro) for score in scores)],
            ["macro", n_units, *(score.macro for score in scores)],
        ],
        notes=[signature(metric, len(references)) for metric in chosen],
    )
    print_table(table, format, output)

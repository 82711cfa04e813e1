"""caesura score: every metric for a segmenter's output, per document or line and over all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from caesura.analyses.evaluation import DEFAULT_METRICS, Evaluation, evaluate
from caesura.analyses.evaluation.analysis import Sizes
from caesura.analyses.levels import by_level
from caesura.checks import EVALUATION_RESAMPLES
from caesura.cli.options import (
    Output,
    metric_options,
    output_options,
    resamples_option,
    seed_option,
    types_option,
    with_n_t,
)
from caesura.cli.reading import DataCommand, Reading, reading_options
from caesura.cli.remarks import understood
from caesura.cli.roles import are_lines, form_option, read_roles
from caesura.cli.streams import Streaming, streaming_options
from caesura.errors import CorpusError
from caesura.io.files import Source
from caesura.io.lines import Form, read_pairs
from caesura.metrics.base import Metric, signature_of
from caesura.metrics.registry import metric
from caesura.results.notes import reading as meaning
from caesura.results.notes import signature
from caesura.results.table import Cell, Column, Table, distinct

HIERARCHY_METRICS = ("B", "EPk", "EWD")
LEVEL_METRICS = ("B", "Pk", "WD")

MANY_SEGMENTERS = 4
"""With more of them, each has a row and documents have none."""


@click.command("score", cls=DataCommand)
@click.argument("reference")
@click.argument("hypothesis", required=False)
@metric_options(default=DEFAULT_METRICS)
@types_option
@form_option
@click.option(
    "-s",
    "--segmenter",
    "segmenters",
    multiple=True,
    help="A coder to score, or several ('cfg*'); repeatable. Default: all of HYPOTHESIS.",
)
@click.option(
    "-r",
    "--reference-coder",
    "--reference",
    "references",
    multiple=True,
    help="A coder to score against; default: all of REFERENCE that are not scored, unless one of them may be "
    "a segmenter.",
)
@click.option("--totals-only", is_flag=True, help="Leave out the rows of single lines or documents.")
@click.option("--levels", is_flag=True, help="Show each level of hierarchies by itself instead.")
@click.option(
    "--unit-sizes",
    metavar="words|FILE",
    help="Windows of EPk and EWD run over the words of the units, or over sizes from a JSON file "
    '({"document": [3, 7, 5]}).',
)
@resamples_option(EVALUATION_RESAMPLES, "Resamples behind the intervals; 0: no intervals.")
@seed_option
@streaming_options
@reading_options
@output_options
@click.pass_context
def command(
    context: click.Context,
    reading: Reading,
    streaming: Streaming,
    reference: str,
    hypothesis: str | None,
    metrics: tuple[Metric, ...],
    n_t: int | str | None,
    types: bool | None,
    form: Form,
    segmenters: tuple[str, ...],
    references: tuple[str, ...],
    totals_only: bool,
    levels: bool,
    unit_sizes: str | None,
    resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Score HYPOTHESIS against REFERENCE.

    Both are corpora in any format that caesura reads (REFERENCE alone may hold the segmenter too), two
    versions of one text with headings, or text files of one segmentation per line. The micro row pools all
    counts, the macro row is a mean. Hierarchies are scored by B, EPk and EWD unless metrics are given, and
    each level by B, Pk and WD.

    Parquet and JSON Lines of any size can be streamed: the numbers are the same, intervals are those of a
    Poisson bootstrap, and single documents are not listed.
    """
    data = [reference] if hypothesis is None else [reference, hypothesis]
    needs_all = {"--levels": levels, "--unit-sizes": unit_sizes, "--form": form != "auto"}
    scans = streaming.scans(reading, data, next((flag for flag, given in needs_all.items() if given), None))
    if scans is not None:
        evaluation = streaming.evaluate(
            data, scans, segmenters, references, with_n_t(metrics, n_t), types, resamples=resamples, seed=seed
        )
        out.emit(evaluation.to_table(table_of(evaluation, totals_only=True)))
        if evaluation.left_out:
            context.exit(1)
        return
    is_default = context.get_parameter_source("metrics") is ParameterSource.DEFAULT
    if are_lines(reading, form, reference, hypothesis) and hypothesis is not None:
        if levels or unit_sizes or streaming.by is not None:
            raise click.UsageError("--levels, --unit-sizes and --by need corpora; lines have one level")
        table = _score_lines(
            reading, Path(reference), Path(hypothesis), form, with_n_t(metrics, n_t), totals_only
        )
    else:
        people, machine = read_roles(reading, reference, hypothesis, segmenters, references, careful=True)
        is_hierarchical = people.is_hierarchical or machine.is_hierarchical
        if is_default and (levels or is_hierarchical):
            metrics = tuple(map(metric, LEVEL_METRICS if levels else HIERARCHY_METRICS))
        chosen = with_n_t(metrics, n_t)
        if levels and unit_sizes:
            raise click.UsageError("--unit-sizes are for EPk and EWD, which take all levels at once")
        if levels and streaming.by is not None:
            raise click.UsageError("--by is for all levels at once")
        if levels:
            found = by_level(evaluate, people, machine, metrics=chosen, n_resamples=resamples, rng=seed)
            table = found.to_table()
        else:
            sizes = read_sizes(unit_sizes)
            evaluation = evaluate(
                people, machine, chosen, types=types, unit_sizes=sizes, by=streaming.by,
                n_resamples=resamples, rng=seed,
            )  # fmt: skip
            table = evaluation.to_table(table_of(evaluation, totals_only=totals_only))
        if is_hierarchical and not levels:
            note = meaning("The data are hierarchies: --levels scores each level by itself.")
            table = replace(table, notes=[*table.notes, note])
    out.emit(table)


def table_of(evaluation: Evaluation, *, totals_only: bool) -> str:
    """Return which table shows an evaluation."""
    if evaluation.by is not None:
        return "strata"
    if len(evaluation.segmenters) > MANY_SEGMENTERS:
        return "segmenters"
    return "totals" if totals_only else "main"


def read_sizes(value: str | None) -> Sizes | None:
    """Return the sizes of units that an option names: words, or a JSON file of sizes by document."""
    if value is None or value == "words":
        return value  # type: ignore[return-value]  # the one word that is a choice
    path = Path(value)
    try:
        sizes = Source(path, path.stem).json
    except CorpusError as error:
        raise CorpusError(f"{path}: {error}") from None
    if not isinstance(sizes, dict) or not all(isinstance(one, list) for one in sizes.values()):
        raise CorpusError(f'{path}: expected {{"document": [sizes of its units]}}')
    return sizes


def _score_lines(
    reading: Reading, reference: Path, hypothesis: Path, form: Form, metrics: list[Metric], totals_only: bool
) -> Table:
    """Score files of one segmentation per line."""
    lines = read_pairs(reference, hypothesis, form, reading.read_options)
    understood(f"read {reference} and {hypothesis} as {lines.understood}")
    references, hypotheses = lines
    scores = [metric.batch(references, hypotheses) for metric in metrics]
    rows: list[list[Cell]] = []
    if not totals_only:
        columns = [score.values.tolist() for score in scores]
        for number, (ref, *values) in enumerate(zip(references, *columns, strict=True), start=1):
            rows.append([str(number), ref.n_units, *values])
    n_units = sum(ref.n_units for ref in references)
    return Table(
        "",
        [Column("line"), Column("units"), *map(Column, distinct([*map(repr, metrics)]))],
        rows,
        totals=[
            ["micro", n_units, *(float(score.micro) for score in scores)],
            ["macro", n_units, *(score.macro for score in scores)],
        ],
        notes=[signature(signature_of(metric, len(references))) for metric in metrics],
    )

"""caesura score: metrics of a segmenter's output, per document or line and over all."""

from __future__ import annotations

import math
from dataclasses import replace
from operator import eq
from pathlib import Path
from typing import Any

import click

from caesura.analyses.evaluation import DEFAULT_METRICS, Evaluation, evaluate
from caesura.analyses.evaluation.analysis import COUNTED_TEXT, Sizes
from caesura.analyses.levels import by_level
from caesura.analyses.saved_scores import SavedScores
from caesura.checks import ALPHA, EVALUATION_RESAMPLES
from caesura.cli import options
from caesura.cli.output import Output
from caesura.cli.reading import DataCommand, Reading, json_file, reading_options
from caesura.cli.remarks import say_written
from caesura.cli.roles import are_lines, form_option, read_lines, read_roles
from caesura.cli.streams import Streaming, streaming_options
from caesura.errors import CorpusError, ParameterError, UnknownNameError
from caesura.io.lines import Form, LinePairs
from caesura.io.saved_files import write_saved
from caesura.metrics.base import Metric, signature_of
from caesura.metrics.registry import metric as metric_named
from caesura.results.notes import finding, signature
from caesura.results.notes import reading as meaning
from caesura.results.table import Cell, Column, Table, distinct
from caesura.stats.outcome import Contrast
from caesura.values.corpus import Corpus
from caesura.wording import counted, p_shown

HIERARCHY_METRICS = ("B", "EPk", "EWD")
LEVEL_METRICS = ("B", "Pk", "WD")

MANY_SEGMENTERS = 4
"""The most segmenters in a table by document; of more, it has a row per segmenter."""


@click.command("score", cls=DataCommand)
@click.argument("reference")
@click.argument("hypothesis", required=False)
@options.metric_options(*DEFAULT_METRICS)
@options.types_option
@form_option
@options.role_options
@options.flag("--totals-only", help="Omit the rows of single lines or documents.")
@options.flag("--levels", help="Show each level of hierarchies.")
@options.option(
    "--unit-sizes",
    "words|characters|FILE",
    "Measure windows of Pk, WD and relatives in words or characters of the units, or by sizes in a JSON "
    'file ({"document": [3, 7, 5]}); boundaries stay between units.',
)
@options.option(
    "--against",
    "NUMBER|SPEC",
    "Test the document values of each metric against a number or another metric (paired t).",
)
@options.option(
    "--save",
    options.NEW_FILE,
    "Also write counts (no texts) to this JSON file, for `caesura gate` and `board`.",
    callback=options.check_new,
)
@options.resamples_option(EVALUATION_RESAMPLES, "Resamples for the intervals; 0: no intervals.")
@options.seed_option()
@streaming_options
@reading_options
@options.output_options
def command(
    reading: Reading,
    streaming: Streaming,
    reference: str,
    hypothesis: str | None,
    chosen: options.Chosen,
    form: Form,
    names: options.Names,
    totals_only: bool,
    levels: bool,
    unit_sizes: str | None,
    against: str | None,
    save: Path | None,
    out: Output,
    **settings: Any,
) -> None:
    """Score HYPOTHESIS against REFERENCE.

    Both are corpora in any format that caesura reads, two versions of one text with headings, or text files
    with one segmentation per line; REFERENCE may also hold the segmenter. The micro row pools all counts, the
    macro row is a mean. Without --segmenter, all coders of HYPOTHESIS are scored. Hierarchies are scored by
    B, EPk and EWD unless you name metrics, and each level by B, Pk and WD.

    Parquet and JSON Lines can be streamed at any size. The numbers stay the same and the intervals are from a
    Poisson bootstrap; single documents are not listed.
    """
    data = [reference] if hypothesis is None else [reference, hypothesis]
    of_corpora = {"--levels": levels, "--unit-sizes": unit_sizes, "--against": against, "--save": save}
    named = {"--form": form != "auto", "--document": reading.documents, "--coder": reading.coders}
    if (scans := streaming.scans(reading, data, options.first_given(of_corpora | named))) is not None:
        evaluation = streaming.evaluate(data, scans, names, chosen.metrics, **settings)
        out.emit(evaluation.to_table(table_of(evaluation, totals_only=True)))
        return
    if are_lines(reading, form, reference, hypothesis, names) and hypothesis is not None:
        if given := options.first_given(of_corpora | {"--by": streaming.by is not None}):
            raise click.UsageError(f"{given} needs corpora, not files with one segmentation per line")
        lines = read_lines(reading, form, reference, hypothesis)
        out.emit(_score_lines(lines, chosen.metrics, Path(hypothesis).name, totals_only=totals_only))
        return
    people, machine = read_roles(reading, reference, hypothesis, names, guard=True)
    is_hierarchical = people.is_hierarchical or machine.is_hierarchical
    if levels:
        options.refuse_beside("--levels", {"--unit-sizes": unit_sizes, "--by": streaming.by, "--save": save})
        metrics = chosen.usually(*LEVEL_METRICS).metrics
        del settings["types"]  # levels have none
        out.emit(by_level(evaluate, people, machine, metrics=metrics, **settings).to_table())
        return
    metrics = (chosen.usually(*HIERARCHY_METRICS) if is_hierarchical else chosen).metrics
    settings |= {"unit_sizes": read_sizes(unit_sizes), "by": streaming.by}
    if against is not None:
        options.refuse_beside("--against", {"--save": save}, ": it saves scores, not tests")
        out.emit(_tested(people, machine, metrics, against, settings | {"n_resamples": 0}))
        return
    evaluation = evaluate(people, machine, metrics, **settings)
    if save:
        with options.usage():
            saved = SavedScores.of(evaluation)
        write_saved(saved, save)
        say_written(f"scores of {counted(len(saved.documents), 'document')}", save)
    table = evaluation.to_table(table_of(evaluation, totals_only=totals_only))
    if is_hierarchical:
        note = meaning("The data are hierarchies: --levels scores each level.")
        table = replace(table, notes=[*table.notes, note])
    out.emit(table)


def _tested(
    people: Corpus, machine: Corpus, metrics: list[Metric], against: str, settings: dict[str, Any]
) -> Table:
    """Test each metric of each segmenter against a number, or against another metric."""
    rival: float | Metric
    try:
        rival = float(against)
    except ValueError:
        with options.usage((ParameterError, UnknownNameError)):
            rival = metric_named(against)
    beside = [] if isinstance(rival, float) or rival in metrics else [rival]
    evaluation = evaluate(people, machine, [*metrics, *beside], **settings)
    rows: list[list[Cell]] = []
    remarks: dict[str, None] = {}
    verdict = ""
    for segmenter in evaluation.segmenters:
        for metric in metrics:
            if metric == rival:
                continue
            report = evaluation.test(metric, rival, segmenter=segmenter)
            (contrast,) = report.contrasts
            values = contrast.difference, contrast.p_value, contrast.statistic, report.subjects
            rows.append([segmenter, contrast.first, contrast.second, *values, contrast.effect])
            reason = report.omnibus and report.omnibus.reason
            verdict = verdict or _verdict(segmenter, contrast, report.subjects)
            remarks |= {f"{segmenter}, {contrast.first}: {reason}": None} if reason else {}
    names = ["segmenter", "metric", "against", "difference", "p", "t", "documents", "Cohen's d_z"]
    notes = [finding(verdict)] if verdict else []
    notes += [meaning("t: paired, two-sided t test over document values."), *map(meaning, remarks)]
    notes += [signature(signature_of(metric)) for metric in dict.fromkeys([*metrics, *beside])]
    return Table("", [*map(Column, names)], rows, notes=notes)


def _verdict(segmenter: str, contrast: Contrast, n_documents: int) -> str:
    """Return whether the values of a segmenter differ from a number or from those of another metric."""
    on = f"{contrast.second} on {counted(n_documents, 'document')}"
    if math.isnan(contrast.p_value):
        return f"{segmenter}: {contrast.first} cannot be tested against {on}."
    side = "above" if contrast.difference > 0 else "below"
    verdict = "" if contrast.p_value < ALPHA else "not significantly "
    far = f"{verdict}{abs(contrast.difference):.2f} {side} {on}"
    return f"{segmenter}: {contrast.first} is {far} ({p_shown(contrast.p_value)})."


def table_of(evaluation: Evaluation, *, totals_only: bool) -> str:
    """Return the name of the table that shows an evaluation."""
    if evaluation.by is not None:
        return "strata"
    if len(evaluation.segmenters) > MANY_SEGMENTERS:
        return "segmenters"
    return "totals" if totals_only else "main"


def read_sizes(value: str | None) -> Sizes | None:
    """Return how units are measured: a measure of texts, or the sizes in a JSON file."""
    if value is None or value in COUNTED_TEXT:
        return value  # type: ignore[return-value]  # one of the choices
    path = Path(value)
    sizes = json_file(path)
    if not isinstance(sizes, dict) or not all(isinstance(own, list) for own in sizes.values()):
        raise CorpusError(f'{path}: expected {{"document": [sizes of its units]}}')
    return sizes


def _score_lines(lines: LinePairs, metrics: list[Metric], name: str, *, totals_only: bool) -> Table:
    """Score files of one segmentation per line; ``name`` is that of the hypothesis."""
    references, hypotheses = lines
    scores = [metric.batch(references, hypotheses) for metric in metrics]
    rows: list[list[Cell]] = []
    if not totals_only:
        columns = [score.values.tolist() for score in scores]
        for number, (ref, *values) in enumerate(zip(references, *columns, strict=True), start=1):
            rows.append([str(number), ref.n_units, *values])
    n_units = sum(ref.n_units for ref in references)
    n, exact = len(references), sum(map(eq, references, hypotheses))
    first = f"{metrics[0]!r} {float(scores[0].micro):.2f} on {counted(n, 'line')}"
    equal = f"{exact:,} of {n:,} {'is' if exact == 1 else 'are'} exact"
    verdict = f"{name} scores {first} ({metrics[0].best:g} is perfect); {equal}."
    return Table(
        "",
        [Column("line"), Column("units"), *map(Column, distinct([*map(repr, metrics)]))],
        rows,
        totals=[
            ["micro", n_units, *(float(score.micro) for score in scores)],
            ["macro", n_units, *(score.macro for score in scores)],
        ],
        notes=[finding(verdict), *(signature(signature_of(metric, n)) for metric in metrics)],
    )

"""caesura score: every metric for a segmenter's output, per document or line and over all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from caesura.cli.lines import Form, form_option, read_pairs
from caesura.cli.options import metric_options, output_options, print_table, with_n_t
from caesura.cli.progress import read_data
from caesura.corpus import Corpus
from caesura.evaluate import DEFAULT_METRICS, Evaluation, evaluate
from caesura.io.registry import FORMATS, GENERIC_EXTENSIONS
from caesura.levels import LEVEL_METRICS, evaluate_levels
from caesura.metrics.base import Metric, signature
from caesura.metrics.registry import metric
from caesura.report.table import Cell, Column, Format, Table, terminal_safe

HIERARCHY_METRICS = ("B", "EPk", "EWD")


@click.command("score")
@click.argument("reference", type=click.Path(path_type=Path))
@click.argument("hypothesis", type=click.Path(path_type=Path), required=False)
@metric_options(default=DEFAULT_METRICS)
@form_option
@click.option("-s", "--segmenter", help="The coder to score, where the data holds several.")
@click.option("-r", "--reference-coder", "references", multiple=True, help="A coder to score against.")
@click.option("--totals-only", is_flag=True, help="Leave out the rows of single lines or documents.")
@click.option("--levels", is_flag=True, help="Show each level of hierarchies by itself instead.")
@click.option("--resamples", default=999, show_default=True, help="Resamples behind the intervals.")
@click.option("--seed", default=0, show_default=True, help="Seed of the resamples.")
@output_options
@click.pass_context
def command(
    context: click.Context,
    reference: Path,
    hypothesis: Path | None,
    metrics: tuple[Metric, ...],
    n_t: int | None,
    form: Form,
    segmenter: str | None,
    references: tuple[str, ...],
    totals_only: bool,
    levels: bool,
    resamples: int,
    seed: int,
    format: Format,
    output: Path | None,
) -> None:
    """Score HYPOTHESIS against REFERENCE.

    Both are corpora in any format that caesura reads (REFERENCE alone may hold the segmenter too), two
    versions of one text with headings, or text files of one segmentation per line. The micro row pools all
    counts, the macro row is a mean. Hierarchies are scored by B, EPk and EWD unless metrics are given, and
    each level by B, Pk and WD.
    """
    is_default = context.get_parameter_source("metrics") is ParameterSource.DEFAULT
    if hypothesis is not None and not _is_corpus(reference) and not _is_corpus(hypothesis):
        if levels:
            raise click.UsageError("--levels needs corpora of hierarchies; lines have one level")
        table = _score_lines(reference, hypothesis, form, with_n_t(metrics, n_t), totals_only)
    else:
        people, machine = _read(reference, hypothesis, segmenter, references)
        is_hierarchical = people.is_hierarchical or machine.is_hierarchical
        if is_default and (levels or is_hierarchical):
            metrics = tuple(map(metric, LEVEL_METRICS if levels else HIERARCHY_METRICS))
        chosen = with_n_t(metrics, n_t)
        if levels:
            table = evaluate_levels(people, machine, chosen, n_resamples=resamples, rng=seed).to_table()
        else:
            evaluation = evaluate(people, machine, chosen, n_resamples=resamples, rng=seed)
            table = _totals(evaluation) if totals_only else evaluation.to_table()
        if is_hierarchical and not levels:
            note = "The data are hierarchies: --levels scores each level by itself."
            table = replace(table, notes=[*table.notes[:1], note, *table.notes[1:]])
    print_table(table, format, output)


def _is_corpus(path: Path) -> bool:
    """Whether this is a folder or has the extension of a format; other files hold a segmentation per line."""
    extensions = {extension for known in FORMATS.values() for extension in known.extensions}
    return path.is_dir() or path.suffix.lower() in extensions - GENERIC_EXTENSIONS


def _read(
    reference: Path, hypothesis: Path | None, segmenter: str | None, references: tuple[str, ...]
) -> tuple[Corpus, Corpus]:
    if hypothesis is None and segmenter is None:
        raise click.UsageError("give HYPOTHESIS, or name the coder of REFERENCE to score by --segmenter")
    people = read_data([str(reference)])
    if hypothesis is None:
        machine = people.select(coders=[str(segmenter)])
        people = people.select(coders=[coder for coder in people.coders if coder != segmenter])
    else:
        machine = read_data([str(hypothesis)])
        if people.documents == (reference.stem,) and machine.documents == (hypothesis.stem,):
            # A text's name is that of its file; who gives two texts means the same document.
            machine = _renamed(machine, reference.stem)
        if others := _other_texts(people, machine):
            more = f" (and of {len(others) - 1} more)" if len(others) > 1 else ""
            note = f"document {others[0]}: {reference} and {hypothesis} have different texts of it{more}"
            click.echo(terminal_safe(f"caesura: note: {note}"), err=True)
        if segmenter is not None:
            machine = machine.select(coders=[segmenter])
    if people.is_hierarchical or machine.is_hierarchical:
        people, machine = people.as_hierarchies(), machine.as_hierarchies()
    return (people.select(coders=references) if references else people), machine


def _other_texts(people: Corpus, machine: Corpus) -> list[str]:
    """Return the documents whose units differ in their text: boundaries may not mean the same places."""
    shared = people.units.keys() & machine.units.keys()
    return sorted(document for document in shared if people.units[document] != machine.units[document])


def _renamed(corpus: Corpus, name: str) -> Corpus:
    """Return a corpus of one document under another name."""
    (document,) = corpus.documents
    units = {name: corpus.units[document]} if document in corpus.units else {}
    return replace(corpus, codings={name: corpus[document]}, units=units)


def _totals(evaluation: Evaluation) -> Table:
    table = evaluation.to_table()
    return Table(table.title, table.columns, [], table.totals, table.notes)


def _score_lines(
    reference: Path, hypothesis: Path, form: Form, metrics: list[Metric], totals_only: bool
) -> Table:
    """Score files of one segmentation per line."""
    references, hypotheses = read_pairs(reference, hypothesis, form)
    scores = [metric.batch(references, hypotheses) for metric in metrics]
    rows: list[list[Cell]] = []
    if not totals_only:
        columns = [score.values.tolist() for score in scores]
        for number, (ref, *values) in enumerate(zip(references, *columns, strict=True), start=1):
            rows.append([str(number), ref.n_units, *values])
    n_units = sum(ref.n_units for ref in references)
    return Table(
        "",
        [Column("line"), Column("units"), *(Column(repr(metric)) for metric in metrics)],
        rows,
        totals=[
            ["micro", n_units, *(float(score.micro) for score in scores)],
            ["macro", n_units, *(score.macro for score in scores)],
        ],
        notes=[signature(metric, len(references)) for metric in metrics],
    )

"""caesura figure: draws one of the kinds of figures and writes it to a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from caesura.checks import EVALUATION_RESAMPLES
from caesura.cli.options import (
    Names,
    Parsed,
    metric_option,
    n_t_option,
    output_option,
    resamples_option,
    role_options,
    seed_option,
)
from caesura.cli.reading import DataCommand, Reading, ReadingParameter, chosen_coders, reading_options
from caesura.errors import ParameterError
from caesura.figures import FIGURES, THEMES, Figure, Options, named_figure
from caesura.figures.drawing import WIDTH
from caesura.figures.save import writer_for
from caesura.io.files import write_whole
from caesura.io.score_files import read_scores
from caesura.metrics.base import Metric


class FigureCommand(DataCommand):
    """A command whose help lists the kinds."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List every kind of figure with its line."""
        with formatter.section("Kinds"):
            formatter.write_dl([(figure.kind, figure.summary) for figure in FIGURES.values()])


@click.command("figure", cls=FigureCommand)
@click.argument("kind", type=Parsed("kind", named_figure))
@click.argument("data", nargs=-1, required=True)
@output_option(
    required=True, help="File to write, as .svg, .png, .pdf or .html; it appears whole or not at all."
)
@role_options
@metric_option("B")
@n_t_option(
    "Near misses span fewer than this many positions (on a grid in time: 3s); of a sweep the largest."
)
@click.option("--theme", type=click.Choice(list(THEMES)), default="auto",
              help="Colours of text and background; auto is readable on white and on black.")  # fmt: skip
@click.option("--width", type=click.IntRange(100, 4000), default=WIDTH,
              help="Width of the plot in pixels, without its labels.")  # fmt: skip
@resamples_option(EVALUATION_RESAMPLES, "Bootstrap samples for intervals.", minimum=99)
@seed_option(None, "Seed of everything random; the default is fixed.")
@click.option("--scores", type=click.Path(exists=True, dir_okay=False),
              help='A model\'s scores of gaps or unit starts: JSON {document: [0.1, …]}, or lines '
              '{"document": …, "scores": […]}.')  # fmt: skip
@click.option("--data", "papers", type=click.Path(), help="Folder of the papers' data. [$CAESURA_DATA]")
@reading_options
@click.pass_context
def command(
    context: click.Context,
    reading: Reading,
    kind: Figure,
    data: tuple[str, ...],
    output: Path,
    names: Names,
    metric: Metric,
    n_t: int | str | None,
    theme: str,
    width: int,
    resamples: int,
    seed: int | None,
    papers: str | None,
    scores: str | None,
) -> None:
    """Draw a figure of a KIND of DATA, files or folders of codings, and write it to a file.

    caesura figure strips talk.json -d talk1 -o talk1.svg

    caesura figure means codings/ -s bayes -s texttiling -o means.pdf
    """
    try:
        write = writer_for(output)
    except ParameterError as error:
        raise click.UsageError(str(error)) from None
    _check_used(kind, context)
    options = Options(metric=metric, n_t=n_t, resamples=resamples, seed=seed, width=width, papers=papers)
    if scores is not None:
        options = replace(options, scores=read_scores(scores))
    if kind.takes_name:
        if len(data) > 1:
            raise click.UsageError(f"{kind.kind} takes one name; put it in quotes: {' '.join(data)!r}")
        chart = kind.make(data[0], options)
    else:
        corpus = reading.corpus(data)
        options = replace(
            options,
            segmenters=tuple(chosen_coders(names.segmenters, corpus, reading.where)),
            references=tuple(chosen_coders(names.references, corpus, reading.where)),
        )
        chart = kind.make(corpus, options)
    write_whole(output, write(chart, theme))


def _check_used(kind: Figure, context: click.Context) -> None:
    """Refuse an option that would change nothing: who gave it expects that it does."""
    used = {"kind", "data", "output", "force", "theme", "width", *kind.uses}
    if not kind.takes_name:
        reading = (one.name for one in context.command.params if isinstance(one, ReadingParameter))
        used |= {"only_documents", "only_coders", *map(str, reading)}
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if given and parameter.name not in used:
            raise click.UsageError(f"{kind.kind} does not use {parameter.opts[-1]}; leave it out")

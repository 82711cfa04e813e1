"""caesura figure: draws one of the kinds of figures and writes it to a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from caesura.cli.options import MetricType, coder_option, document_option, n_t_option, output_option
from caesura.cli.reading import (
    DataCommand,
    Reading,
    ReadingParameter,
    chosen_coders,
    reading_options,
    selected,
)
from caesura.errors import ParameterError, UnknownNameError
from caesura.figures import FIGURES, THEMES, Figure, Options, named_figure
from caesura.figures.save import writer_for
from caesura.figures.theme import WIDTH
from caesura.io.files import write_whole
from caesura.io.score_files import read_scores
from caesura.metrics.base import Metric


class KindType(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """The name of a kind of figure."""

    name = "kind"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Figure:
        """Return the kind; an unknown one is a usage error."""
        if isinstance(value, Figure):
            return value
        try:
            return named_figure(str(value))
        except UnknownNameError as error:
            self.fail(str(error), param, ctx)


class FigureCommand(DataCommand):
    """A command whose help lists the kinds."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List every kind of figure with its line."""
        with formatter.section("Kinds"):
            formatter.write_dl([(figure.kind, figure.summary) for figure in FIGURES.values()])


@click.command("figure", cls=FigureCommand)
@click.argument("kind", type=KindType())
@click.argument("data", nargs=-1, required=True)
@output_option(
    required=True, help="File to write, as .svg, .png, .pdf or .html; it appears whole or not at all."
)
@document_option
@coder_option
@click.option("-s", "--segmenter", "segmenters", multiple=True, help="A coder to judge; repeatable.")
@click.option(
    "-r", "--reference", "references", multiple=True, help="A coder to judge by; default: see the kind."
)
@click.option("-m", "--metric", type=MetricType(), default="B", show_default=True, metavar="SPEC",
              help="The metric, such as B or \"WD(edges='wrap')\".")  # fmt: skip
@n_t_option(
    "Near misses span fewer than this many positions (on a grid in time: 3s); of a sweep the largest."
)
@click.option("--theme", type=click.Choice(list(THEMES)), default="auto", show_default=True,
              help="Colours of text and background; auto is readable on white and on black.")  # fmt: skip
@click.option("--width", type=click.IntRange(100, 4000), default=WIDTH, show_default=True,
              help="Width of the plot in pixels, without its labels.")  # fmt: skip
@click.option("--resamples", type=click.IntRange(min=99), default=999, show_default=True,
              help="Bootstrap samples for intervals.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), help="Seed of everything random; the default is fixed.")
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
    documents: tuple[str, ...],
    coders: tuple[str, ...],
    segmenters: tuple[str, ...],
    references: tuple[str, ...],
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
        corpus = selected(reading.corpus(data), coders, documents)
        options = replace(
            options,
            segmenters=tuple(chosen_coders(segmenters, corpus)),
            references=tuple(chosen_coders(references, corpus)),
        )
        chart = kind.make(corpus, options)
    write_whole(output, write(chart, theme))


def _check_used(kind: Figure, context: click.Context) -> None:
    """Refuse an option that would change nothing: who gave it expects that it does."""
    used = {"kind", "data", "output", "force", "theme", "width", *kind.uses}
    used |= set() if kind.takes_name else {"documents", "coders", *_reading_names(context)}
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if given and parameter.name not in used:
            raise click.UsageError(f"{kind.kind} does not use {parameter.opts[-1]}; leave it out")


def _reading_names(context: click.Context) -> set[str]:
    return {str(one.name) for one in context.command.params if isinstance(one, ReadingParameter)}

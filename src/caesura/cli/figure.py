"""caesura figure: a figure of one kind, written to a file."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from caesura.checks import EVALUATION_RESAMPLES
from caesura.cli import options
from caesura.cli.reading import DataCommand, Reading, ReadingParameter, chosen_roles, reading_options
from caesura.cli.remarks import say_written
from caesura.errors import UnknownNameError, did_you_mean
from caesura.figures import COLUMNS, FIGURES, THEMES, Figure, Layout, Options, named_figure
from caesura.figures.drawing import WIDTH
from caesura.figures.layout import points
from caesura.figures.save import writer_for
from caesura.io.files import write_whole
from caesura.io.saved_files import read_scores
from caesura.segmenters.base import Segmenter
from caesura.segmenters.registry import SEGMENTERS, segmenter


def _source_of_scores(text: str) -> Path | Segmenter:
    """Return a file or a segmenter."""
    if Path(text).is_file():
        return Path(text)
    if text.partition("(")[0] not in SEGMENTERS:
        raise UnknownNameError(f"unknown file or segmenter {text!r}; {did_you_mean(text, SEGMENTERS)}")
    return segmenter(text)


def _width(text: str) -> int | str:
    """Return the pixels of the plot, or the length of the whole figure."""
    width = int(text) if text.isdecimal() and len(text) < 6 else text
    points(width)
    return width


LAYOUT = [field.name for field in dataclasses.fields(Layout)]


@click.command(
    "figure", cls=DataCommand, listed=("Kinds", [(kind.kind, kind.summary) for kind in FIGURES.values()])
)
@click.argument("kind", type=options.Parsed("kind", named_figure))
@click.argument("data", nargs=-1, required=True)
@options.output_option(required=True, help="File to write: .svg, .png, .pdf or .html.")
@options.role_options
@options.metric_option("B")
@options.n_t_option("Near misses span fewer positions (on a time grid: 3s); of a sweep the largest.")
@options.choice("--theme", THEMES, "Colors of text and background; auto is dark text on white.", "auto")
@click.option("--width", type=options.Parsed("width", _width), metavar="LENGTH", default=WIDTH,
              help="Width of the whole figure, as 3.3in or 80mm; a number: pixels of the plot.")  # fmt: skip
@options.choice("--column", COLUMNS, "Width of a column: of ACL (acl2: both columns), IEEE or Nature.")
@click.option("--font", help="Font of all text.")
@click.option("--font-size", type=click.FloatRange(1, 100), metavar="SIZE",
              help="Size of labels: points where the width is a length (8), else pixels (11).")  # fmt: skip
@click.option("--no-title", "title", flag_value=False, default=True, show_default=False,
              help="Leave title and explanation to the caption.")  # fmt: skip
@click.option("--no-signature", "signature", flag_value=False, default=True, show_default=False,
              help="Write the signature to the file's metadata alone.")  # fmt: skip
@options.resamples_option(EVALUATION_RESAMPLES, "Bootstrap samples for intervals.", "resamples", minimum=99)
@options.seed_option(None, "Seed of everything random; the default is fixed.", "seed")
@click.option("--scores", type=options.Parsed("scores", _source_of_scores), metavar="FILE|SEGMENTER",
              help='A model\'s scores of gaps or unit starts: JSON {document: [0.1, …]}, or lines '
              '{"document": …, "scores": […]}; or a segmenter, such as TextTiling.')  # fmt: skip
@click.option("--data", "papers", type=click.Path(), help="Folder of the papers' data. [$CAESURA_DATA]")
@reading_options
def command(
    reading: Reading,
    kind: Figure,
    data: tuple[str, ...],
    output: Path,
    names: options.Names,
    theme: str,
    width: int | str,
    column: str | None,
    scores: Path | Segmenter | None,
    **chosen: Any,
) -> None:
    """Draw a figure of DATA: PDF, SVG, PNG or HTML.

    caesura figure strips talk.json -d talk1 -o talk1.svg

    caesura figure means codings/ -s bayes -s texttiling --column acl --no-title -o means.pdf
    """
    with options.usage():
        write = writer_for(output)
    _check_used(kind)
    if column is not None and width != WIDTH:
        raise click.UsageError("give either --width or --column")
    chosen["width"] = column or width
    chosen["scores"] = read_scores(scores) if isinstance(scores, Path) else scores
    drawn: Any = data[0]
    if not kind.takes_name:
        drawn = reading.corpus(data)
        segmenters, references = chosen_roles(names, drawn, reading)
        chosen |= {"segmenters": tuple(segmenters), "references": tuple(references)}
    elif len(data) > 1:
        raise click.UsageError(f"{kind.kind} takes one name; put it in quotes: {' '.join(data)!r}")
    write_whole(output, write(kind.make(drawn, Options(**chosen)), theme))
    say_written("figure", output)


def _check_used(kind: Figure) -> None:
    """Refuse options that the figure does not use."""
    context = click.get_current_context()
    used = {"kind", "data", "output", "force", "theme", "column", *LAYOUT, *kind.uses}
    if not kind.takes_name:
        reading = (every.name for every in context.command.params if isinstance(every, ReadingParameter))
        used |= {"only_documents", "only_coders", *map(str, reading)}
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if given and parameter.name not in used:
            raise click.UsageError(f"{kind.kind} does not use {parameter.opts[-1]}; leave it out")

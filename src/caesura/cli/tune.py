"""caesura tune: parameters of segmenters, chosen on some documents and scored on others."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

import click

from caesura.analyses.tuning import grid_of, tune
from caesura.checks import EVALUATION_RESAMPLES
from caesura.cli import options
from caesura.cli.output import Output
from caesura.cli.reading import Reading, data_command, reading_options
from caesura.cli.remarks import progress_bar
from caesura.cli.segment import distinct, fit_option, fitted, split_specs
from caesura.segmenters.base import Segmenter

GRID = options.Parsed("grid", lambda text: (*chain.from_iterable(map(grid_of, split_specs(text))),))
"""Specifications of segmenters with lists of values to try."""


@data_command("tune", "gold", metavar="GOLD...")
@options.option(
    "-s --segment --segmenter given",
    GRID,
    'Segmenter with values to try, as "C99(mask=[7,9,11])"; for lists [[…], […]]; repeatable.',
    required=True,
    multiple=True,
    metavar="SPEC",
)
@options.option(
    "--on",
    "PATTERN",
    "Tune on this document or pattern and score the others; default: cross-validation.",
    multiple=True,
)
@options.metric_option("B")
@click.option("--n-segments", type=click.IntRange(min=1), help="Number of segments per document.")
@options.flag("--like-gold", help="Use as many segments as GOLD has. Default: the segmenter decides.")
@options.flag("--grid", help="Show every combination, best first.")
@fit_option
@options.resamples_option(EVALUATION_RESAMPLES, "Resamples of documents for the intervals; 0: no intervals.")
@options.seed_option()
@reading_options
@options.output_options
def command(
    reading: Reading,
    gold: tuple[str, ...],
    given: tuple[tuple[Segmenter, ...], ...],
    on: tuple[str, ...],
    n_segments: int | None,
    like_gold: bool,
    grid: bool,
    learnt_from: str | None,
    out: Output,
    **settings: Any,
) -> None:
    """Tune segmenters on some documents of GOLD, score them on others.

    GOLD has texts and the codings of people. The combination of parameters with the best value of the metric
    is chosen. The file from -o tuned.json holds the choice: pass it to `caesura segment -s @tuned.json` or
    `caesura compare --segment @tuned.json`.
    """
    if like_gold:
        options.refuse_beside("--like-gold", {"--n-segments": n_segments}, "; give only one")
    combinations = distinct(given)
    corpus = reading.corpus(gold)
    combinations = fitted(combinations, learnt_from, corpus)
    settings |= {"on": on or None, "n_segments": "like" if like_gold else n_segments}
    with progress_bar("segmenting") as progress:
        tuning = tune(corpus, combinations, progress=progress, **settings)
    if out.path is not None and out.path.suffix == ".json":
        out = replace(out, format="json")
    out.emit(tuning, *(["grid"] if grid else []))

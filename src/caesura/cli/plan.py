"""caesura plan: the documents and coders that a study needs, from a pilot or stated rates."""

from __future__ import annotations

from typing import Any

import click

from caesura.analyses.study_plan import CODERS, DOCUMENTS, plan
from caesura.checks import AGREEMENT_RESAMPLES, ALPHA, CONFIDENCE
from caesura.cli import options
from caesura.cli.output import Output
from caesura.cli.reading import DataCommand, Reading, reading_options
from caesura.cli.remarks import progress_bar
from caesura.errors import ParameterError

PARTS = ("observed", "needed")

SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
ABOVE_ZERO = click.FloatRange(0, min_open=True)


MOST_NUMBERS = 200
"""The most rows or columns of a plan."""


def _numbers(text: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        if not (low.strip().isdecimal() and (not high or high.strip().isdecimal())) or len(part) > 20:
            raise ParameterError(f"{text!r}: expected whole numbers such as 10,20,40 or 2-7")
        ends = int(low), int(high or low)
        if ends[0] < 2 or not 0 <= ends[1] - ends[0] < MOST_NUMBERS:
            raise ParameterError(f"{part!r}: expected at most {MOST_NUMBERS} ascending numbers, 2 or more")
        numbers += range(ends[0], ends[1] + 1)
    return tuple(numbers)


NUMBERS = options.Parsed("numbers", _numbers)
"""Whole numbers, at least 2, such as ``10,20,40`` or ``2-7``."""

GIVEN = ("n_units", "density", "near_miss", "full_miss")
"""The rates that are required without a pilot."""


@click.command("plan", cls=DataCommand)
@click.argument("pilot", nargs=-1)
@click.option("--width", type=ABOVE_ZERO, help="Target half-width of the interval: 0.1 for ± 0.1.")
@click.option("--detect", type=ABOVE_ZERO, help="Difference between two segmenters to detect, such as 0.05.")
@options.metric_options("B")
@options.option("--documents", NUMBERS, "Numbers of documents to show.", DOCUMENTS,
        show_default=",".join(map(str, DOCUMENTS)))  # fmt: skip
@options.option("--coders", NUMBERS, "Numbers of coders to show.", CODERS, show_default="2-7")
@click.option("--power", type=SHARE, default=0.8, help="Power to detect the difference.")
@click.option("--alpha", type=SHARE, default=ALPHA, help="Significance level of the test.")
@click.option("--confidence", type=SHARE, default=CONFIDENCE, help="Confidence level of the interval.")
@click.option("--length", "n_units", type=click.IntRange(min=2), help="Without a pilot: units per document.")
@click.option("--density", type=SHARE, help="Without a pilot: boundaries per position and coder.")
@click.option("--near-miss", type=click.FloatRange(0, 1), help="Without a pilot: share of moved boundaries.")
@click.option("--full-miss", type=click.FloatRange(0, 0.99), help="Without a pilot: share of missed ones.")
@options.choice("--show", PARTS, "Show half-widths of observed agreement, or the needed numbers with ranges.")
@options.resamples_option(AGREEMENT_RESAMPLES, "Resamples of the pilot, for the uncertainty of the plan.")
@options.seed_option()
@reading_options
@options.output_options
def command(
    reading: Reading,
    pilot: tuple[str, ...],
    chosen: options.Chosen,
    show: str | None,
    out: Output,
    **study: Any,
) -> None:
    """Plan a study from a PILOT: how many documents and coders.

    PILOT is files or folders of codings. Without a pilot, describe what you expect with --length, --density,
    --near-miss and --full-miss. JSON holds all results. `caesura figure half-widths PILOT` draws them.
    """
    metrics = chosen.metrics
    if len(metrics) > 1:
        raise click.UsageError("a plan is for one metric; give only one -m")
    is_stated = [study[name] is not None for name in GIVEN]
    if any(is_stated) if pilot else not all(is_stated):
        rates = "--length, --density, --near-miss and --full-miss"
        raise click.UsageError(f"give a PILOT, or {rates if pilot else f'all of {rates}'}")
    corpus = reading.corpus(pilot) if pilot else None
    with progress_bar("planning") as progress, options.usage():
        planned = plan(corpus, metric=metrics[0], progress=progress, **study)
    out.emit(planned, show or "main")

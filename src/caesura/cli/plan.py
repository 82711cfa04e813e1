"""caesura plan: how many documents and coders a study needs, from a pilot or from stated rates."""

from __future__ import annotations

from typing import Any

import click

from caesura.analyses.study_plan import plan
from caesura.analyses.study_plan.analysis import CODERS, DOCUMENTS
from caesura.checks import AGREEMENT_RESAMPLES, ALPHA, CONFIDENCE
from caesura.cli.options import (
    Output,
    coder_option,
    metric_options,
    output_options,
    resamples_option,
    seed_option,
    with_n_t,
)
from caesura.cli.progress import progress_bar
from caesura.cli.reading import DataCommand, Reading, reading_options, selected
from caesura.errors import ParameterError
from caesura.metrics.base import Metric

PARTS = ("observed", "needed")

SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
ABOVE_ZERO = click.FloatRange(0, min_open=True)


class NumbersType(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """Whole numbers from 2 on, such as ``10,20,40`` or ``2-7``."""

    name = "numbers"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Read the numbers."""
        if isinstance(value, tuple):
            return value
        found: list[int] = []
        for part in str(value).split(","):
            low, _, high = part.partition("-")
            if not (low.strip().isdecimal() and (not high or high.strip().isdecimal())) or len(part) > 20:
                self.fail(f"{value!r}: expected whole numbers such as 10,20,40 or 2-7", param, ctx)
            ends = int(low), int(high or low)
            if ends[0] < 2 or not 0 <= ends[1] - ends[0] < MOST_NUMBERS:
                self.fail(
                    f"{part!r}: expected numbers from 2 on, ascending, at most {MOST_NUMBERS}", param, ctx
                )
            found += range(ends[0], ends[1] + 1)
        return tuple(found)


MOST_NUMBERS = 200
"""Most rows, or columns, of a plan."""


@click.command("plan", cls=DataCommand)
@click.argument("pilot", nargs=-1)
@click.option("--width", type=ABOVE_ZERO, help="Half-width wanted for the interval: 0.1 for ± 0.1.")
@click.option(
    "--detect", type=ABOVE_ZERO, help="Difference between two segmenters that is to be found, such as 0.05."
)
@metric_options(default=["B"])
@coder_option
@click.option(
    "--documents",
    type=NumbersType(),
    default=DOCUMENTS,
    show_default=",".join(map(str, DOCUMENTS)),
    help="Numbers of documents to show.",
)
@click.option(
    "--coders", "n_coders", type=NumbersType(), default=CODERS, show_default="2-7", help="And of coders."
)
@click.option("--power", type=SHARE, default=0.8, show_default=True, help="Power to find the difference.")
@click.option(
    "--alpha", type=SHARE, default=ALPHA, show_default=True, help="Level of the test that finds it."
)
@click.option("--confidence", type=SHARE, default=CONFIDENCE, show_default=True, help="Of the interval.")
@click.option("--length", "n_units", type=click.IntRange(min=2), help="Without a pilot: units of a document.")
@click.option("--density", type=SHARE, help="Without a pilot: boundaries per position that a coder places.")
@click.option(
    "--near-miss",
    type=click.FloatRange(0, 1),
    help="Without a pilot: share of boundaries that a coder moves.",
)
@click.option(
    "--full-miss",
    type=click.FloatRange(0, 0.99),
    help="Without a pilot: share of boundaries that a coder misses.",
)
@click.option(
    "--show",
    type=click.Choice(PARTS),
    help="Half-widths of observed agreement instead, or the numbers needed with their ranges.",
)
@resamples_option(AGREEMENT_RESAMPLES, "Resamples of the pilot's documents, which say how sure the plan is.")
@seed_option
@reading_options
@output_options
def command(
    reading: Reading,
    pilot: tuple[str, ...],
    width: float | None,
    detect: float | None,
    metrics: tuple[Metric, ...],
    n_t: int | str | None,
    coders: tuple[str, ...],
    documents: tuple[int, ...],
    n_coders: tuple[int, ...],
    power: float,
    alpha: float,
    confidence: float,
    n_units: int | None,
    density: float | None,
    near_miss: float | None,
    full_miss: float | None,
    show: str | None,
    resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Plan a study from a PILOT: half-widths of agreement by documents and coders, and what is needed.

    PILOT is files or folders of codings. Without one, --length, --density, --near-miss and --full-miss say
    what is expected. JSON holds everything at once. `caesura figure half-widths PILOT` draws it.
    """
    chosen = with_n_t(metrics, n_t)
    if len(chosen) > 1:
        raise click.UsageError("a plan is for one metric; give one -m")
    rates = {"n_units": n_units, "density": density, "near_miss": near_miss, "full_miss": full_miss}
    if pilot and any(rate is not None for rate in rates.values()):
        raise click.UsageError("give a PILOT, or --length, --density, --near-miss and --full-miss")
    if not pilot and any(rate is None for rate in rates.values()):
        raise click.UsageError("give a PILOT, or all of --length, --density, --near-miss and --full-miss")
    corpus = None
    if pilot:
        corpus = selected(reading.corpus(pilot), coders)
    with progress_bar("planning") as progress:
        try:
            found = plan(
                corpus,
                width=width,
                detect=detect,
                metric=chosen[0],
                documents=documents,
                coders=n_coders,
                power=power,
                alpha=alpha,
                confidence=confidence,
                n_resamples=resamples,
                rng=seed,
                progress=progress,
                n_units=n_units,
                density=density,
                near_miss=near_miss,
                full_miss=full_miss,
            )
        except ParameterError as error:
            raise click.UsageError(str(error)) from None
    out.emit(found, show or "main")

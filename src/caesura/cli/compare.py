"""caesura compare: which segmenter is best, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from caesura.analyses.comparison.analysis import UPPER_BOUNDS, Upper, compare
from caesura.analyses.comparison.bounds import LOWER_BOUNDS
from caesura.analyses.roles import choose_references
from caesura.analyses.segmenting import numbers_like, segment
from caesura.checks import ALPHA, TEST_RESAMPLES
from caesura.cli import options
from caesura.cli.output import Output
from caesura.cli.reading import Reading, chosen_roles, data_command, reading_options
from caesura.cli.remarks import progress_bar, understood
from caesura.cli.segment import distinct, fit_option, fitted, segmenters_option
from caesura.errors import CorpusError
from caesura.segmenters.base import Segmenter
from caesura.values.corpus import Corpus
from caesura.wording import counted, listed

PARTS = ("edits", "macro", "documents", "coders", "tests", "drop")


@data_command("compare")
@options.role_options
@segmenters_option(
    "--segment",
    "automatic",
    help="An automatic segmenter to run on the texts and judge, such as C99 or C99,U00; repeatable. It makes "
    "as many segments as the references have. `caesura segmenters` lists them.",
)
@fit_option
@options.metric_options("B", "S", "WD")
@options.types_option
@click.option("--bound", "bounds", multiple=True, default=["random"],
              type=click.Choice(LOWER_BOUNDS), help="A lower bound to add.")  # fmt: skip
@click.option("--human", default="central", type=click.Choice(UPPER_BOUNDS),
              help="Upper bound: the most central coder, or every coder against the others.")  # fmt: skip
@options.flag("--no-bounds", help="Compare the segmenters alone.")
@click.option("--show", "parts", multiple=True, type=click.Choice(PARTS), help="A further table.")
@click.option("--alpha", default=ALPHA, help="Level of significance.")
@options.resamples_option(
    TEST_RESAMPLES,
    "Resamples behind intervals; tests take more where so few could not show a difference.",
    minimum=99,
)
@options.seed_option()
@reading_options
@options.output_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    names: options.Names,
    automatic: tuple[tuple[Segmenter, ...], ...],
    learnt_from: str | None,
    chosen: options.Chosen,
    bounds: tuple[str, ...],
    human: Upper,
    no_bounds: bool,
    parts: tuple[str, ...],
    rng: int,
    out: Output,
    **settings: Any,
) -> None:
    """Compare segmenters in DATA, files or folders in which people and segmenters are coders.

    The first metric decides; the others are reported beside it. With --segment the texts of DATA are
    segmented first.
    """
    metric, *metrics = chosen.metrics
    run = distinct(automatic)
    if not names.segmenters and not run:
        raise click.UsageError(
            "name what is to be compared: a coder by --segmenter, or one to run by --segment"
        )
    corpus = reading.corpus(data)
    segmenters, references = chosen_roles(names, corpus, reading)
    if run or learnt_from is not None:
        run = fitted(run, learnt_from, corpus)
        if not corpus.coders:
            raise CorpusError("nobody has coded DATA whom segmenters could be compared with")
        references = choose_references(corpus.coders, segmenters, references or None)
        corpus = _with_segmenters(corpus, run, references, rng)
        segmenters += map(repr, run)
    settings |= {"bounds": (), "human": False} if no_bounds else {"bounds": bounds, "human": human}
    settings |= {"segmenters": segmenters, "references": references or None, "rng": rng}
    with progress_bar("comparing") as progress:
        comparison = compare(corpus, metric=metric, metrics=metrics, progress=progress, **settings)
        comparison.to_table()  # while the bar is shown
    out.emit(comparison, "main", *parts)


def _with_segmenters(
    corpus: Corpus, segmenters: Sequence[Segmenter], people: Sequence[str], seed: int
) -> Corpus:
    """Return the corpus with segmenters among its coders, which make as many segments as people do.

    Where people have not ranked their boundaries, hierarchical segmenters do not, either.
    """
    gold = corpus.select(coders=people)
    flat, wanted = not corpus.is_hierarchical, numbers_like(gold)
    with progress_bar("segmenting") as progress:
        segmented = segment(gold, segmenters, wanted, flat=flat, rng=seed, progress=progress)
    understood(
        f"segmented {counted(len(segmented.documents), 'document')} by {listed(segmenters)}, as many "
        f"segments as the codings of {listed(people, most=3)} have"
    )
    return Corpus.merge(corpus, segmented).with_metadata(corpus.metadata)

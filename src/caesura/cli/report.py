"""caesura report: writes the analyses of a corpus and every document of it as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.analyses.reporting import report
from caesura.cli.options import (
    Names,
    flag,
    metric_option,
    n_t_option,
    output_option,
    resamples_option,
    role_options,
    seed_option,
    types_option,
)
from caesura.cli.reading import DataCommand, Reading, chosen_coders, reading_options, size_of
from caesura.cli.remarks import echo, progress_bar, say_understood
from caesura.errors import MissingExtraError
from caesura.metrics.base import Metric

PAGES = (".html", ".htm")

LARGE_PAGE = 15
"""Megabytes from which on a page is hard to mail."""


@click.command("report", cls=DataCommand)
@click.argument("data", nargs=-1, required=True)
@output_option(required=True, help="HTML file to write.")
@role_options
@metric_option("B")
@n_t_option("Near misses span fewer than this many positions (2 by default); the page has a slider for it.")
@types_option
@click.option("--title", help="The page's title; default: the name of the first DATA.")
@resamples_option(
    None,
    "Resamples behind intervals and tests; 0: no intervals and no random coders. Default: as many as compare "
    "and agree take.",
)
@seed_option(help="Same seed, same file.")
@flag("--no-text", help="Leave the texts of the documents out of the page.")
@flag("--open", "opens", help="Show the page in the browser when it is written.")
@reading_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    output: Path,
    names: Names,
    metric: Metric,
    n_t: int | str | None,
    types: bool | None,
    title: str | None,
    resamples: int | None,
    seed: int,
    no_text: bool,
    opens: bool,
) -> None:
    """Write a report on DATA, files or folders in which people and segmenters are coders, as one HTML page.

    The page needs no network: mail it, or put it on a server. It shows the answer, the segmenters,
    agreement, the corpus, and every document with all boundaries. Without --segmenter all who are not
    named by --reference are judged.
    """
    if output.suffix.lower() not in PAGES:
        raise click.UsageError(f"{output} is to be an HTML page: end its name in .html")
    corpus = reading.corpus(data)
    with progress_bar("analysing") as progress:
        page = report(
            corpus,
            segmenters=chosen_coders(names.segmenters, corpus, reading.where),
            references=chosen_coders(names.references, corpus, reading.where) or None,
            metric=metric,
            n_t=n_t,
            types=types,
            title=title or Path(data[0]).stem,
            n_resamples=resamples,
            rng=seed,
            texts=not no_text,
            progress=progress,
        )
    try:
        page = page.with_charts()
    except MissingExtraError as error:
        echo(f"the report has no charts: {error}", "")
    page.save(output)
    say_understood()
    if page.doubt:
        echo(f"note: {page.doubt}")
    echo(f"{size_of(corpus)} -> {output}", "")
    size = output.stat().st_size / 1e6
    if size > LARGE_PAGE and page.corpus.units and not no_text:
        echo(f"the page is {size:.0f} MB; --no-text leaves the texts out", "")
    if opens:
        click.launch(output.resolve().as_uri())

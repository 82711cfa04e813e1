"""caesura report: writes the analyses of a corpus and every document of it as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.analyses.reporting import report
from caesura.cli.options import MetricType, document_option, n_t_option, output_option
from caesura.cli.progress import progress_bar
from caesura.cli.reading import DataCommand, Reading, chosen_coders, reading_options, selected
from caesura.cli.remarks import echo, say_understood
from caesura.errors import MissingExtraError
from caesura.metrics.base import Metric
from caesura.wording import terminal_safe

PAGES = (".html", ".htm")

LARGE_PAGE = 15
"""Megabytes from which on a page is hard to mail."""


@click.command("report", cls=DataCommand)
@click.argument("data", nargs=-1, required=True)
@output_option(required=True, help="HTML file to write.")
@click.option("-s", "--segmenter", "segmenters", multiple=True, help="A coder to judge; repeatable.")
@click.option(
    "-r",
    "--reference",
    "references",
    multiple=True,
    help="A coder to judge by; default: the rest, unless one of them may be a segmenter. Without "
    "--segmenter all others are judged.",
)
@document_option
@click.option(
    "-m",
    "--metric",
    type=MetricType(),
    default="B",
    show_default=True,
    metavar="SPEC",
    help="The metric that decides, such as B or \"WD(edges='wrap')\". `caesura metrics` lists them.",
)
@n_t_option("Near misses span fewer than this many positions (2 by default); the page has a slider for it.")
@click.option("--title", help="The page's title; default: the name of the first DATA.")
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    help="Resamples behind intervals and tests; 0: no intervals and no random coders. Default: as many as "
    "compare and agree take.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Same seed, same file."
)
@click.option("--no-text", is_flag=True, help="Leave the texts of the documents out of the page.")
@click.option("--open", "opens", is_flag=True, help="Show the page in the browser when it is written.")
@reading_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    output: Path,
    segmenters: tuple[str, ...],
    references: tuple[str, ...],
    documents: tuple[str, ...],
    metric: Metric,
    n_t: int | str | None,
    title: str | None,
    resamples: int | None,
    seed: int,
    no_text: bool,
    opens: bool,
) -> None:
    """Write a report on DATA, files or folders in which people and segmenters are coders, as one HTML page.

    The page needs no network: mail it, or put it on a server. It shows the answer, the segmenters,
    agreement, the corpus, and every document with all boundaries.
    """
    if output.suffix.lower() not in PAGES:
        raise click.UsageError(f"{output} is to be an HTML page: end its name in .html")
    corpus = selected(reading.corpus(data), documents=documents)
    with progress_bar("analysing") as progress:
        found = report(
            corpus,
            segmenters=chosen_coders(segmenters, corpus),
            references=chosen_coders(references, corpus) or None,
            metric=metric,
            n_t=n_t,
            title=title or Path(data[0]).stem,
            n_resamples=resamples,
            rng=seed,
            texts=not no_text,
            progress=progress,
        )
    try:
        found = found.with_charts()
    except MissingExtraError as error:
        click.echo(f"the report has no charts: {error}", err=True)
    found.save(output)
    counts = repr(corpus).removeprefix("<Corpus of ").removesuffix(">")
    say_understood()
    if found.doubt:
        echo(f"note: {found.doubt}")
    click.echo(terminal_safe(f"{counts} -> {output}"), err=True)
    size = output.stat().st_size / 1e6
    if size > LARGE_PAGE and found.corpus.units and not no_text:
        click.echo(f"the page is {size:.0f} MB; --no-text leaves the texts out", err=True)
    if opens:
        click.launch(output.resolve().as_uri())

"""caesura report: the analyses and the documents of a corpus as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from caesura.analyses.reporting import report
from caesura.cli import options
from caesura.cli.reading import Reading, chosen_roles, data_command, reading_options, size_of
from caesura.cli.remarks import echo, progress_bar, say_written
from caesura.errors import MissingExtraError

LARGE_PAGE = 15
"""The megabytes from which a page is hard to mail."""


@data_command("report")
@options.page_option
@options.role_options
@options.metric_option("B")
@options.n_t_option("Near misses span fewer than this many positions; default: 2. The page has a slider.")
@options.types_option
@click.option("--title", help="Title of the page; default: the name of the first DATA.")
@options.resamples_option(None, "Resamples; 0: no intervals. Default: those of compare and agree.")
@options.seed_option(help="Seed of the random numbers: same seed, same file.")
@options.flag("--no-text", help="Omit the texts of the documents from the page.")
@options.flag("--open", "opens", help="Open the page in the browser.")
@reading_options
def command(
    reading: Reading,
    data: tuple[str, ...],
    output: Path,
    names: options.Names,
    title: str | None,
    no_text: bool,
    opens: bool,
    **settings: Any,
) -> None:
    """Write an HTML report on DATA.

    People and segmenters are coders of DATA. The page needs no network: mail it, or put it on a server. It
    shows the verdict, the segmenters, agreement, the corpus, and every document with all boundaries. Without
    --segmenter, every coder that --reference does not name is scored.
    """
    corpus = reading.corpus(data)
    segmenters, references = chosen_roles(names, corpus, reading)
    settings |= {"segmenters": segmenters, "references": references or None, "texts": not no_text}
    with progress_bar("analyzing") as progress:
        page = report(corpus, title=title or Path(data[0]).stem, progress=progress, **settings)
    try:
        page = page.with_charts()
    except MissingExtraError as error:
        echo(f"the report has no charts: {error}", "")
    page.save(output)
    say_written(size_of(corpus), output)
    if page.doubt:
        echo(f"note: {page.doubt}")
    size = output.stat().st_size / 1e6
    if size > LARGE_PAGE and page.corpus.units and not no_text:
        echo(f"the page is {size:.0f} MB; --no-text omits the texts", "")
    if opens:
        click.launch(output.resolve().as_uri())

"""caesura demo: agreement on the built-in example."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from caesura.alignment.alignment import align
from caesura.analyses.coder_agreement import agreement, coder_matrix
from caesura.analyses.reporting import report
from caesura.cli.options import NEW_FILE, check_new, force_option, option
from caesura.cli.output import Output
from caesura.errors import MissingExtraError
from caesura.io.files import write_whole
from caesura.pages.annotation import ferry_study
from caesura.stargazers import load_stargazers
from caesura.values.segmentation import Segmentation

SEED = 0


_page_option = partial(option, kind=NEW_FILE, metavar="FILE", callback=check_new)


@click.command("demo")
@_page_option("--report page", help="Also write the HTML report to FILE.")
@_page_option("--annotate coding_page", help="Also write a page on which you place boundaries yourself.")
@force_option
def command(page: Path | None, coding_page: Path | None) -> None:
    """See how well seven readers of one text agree (Hearst 1997)."""
    corpus = load_stargazers()
    (document,) = corpus.documents
    codings = corpus[document]
    out = Output("text", None, full_signatures=False, see_all="`caesura agree --wide` shows all")
    out.emit(agreement(corpus, rng=SEED))
    click.echo(f"\nStargazers (Hearst 1997): boundaries of {len(codings)} readers between 21 paragraphs\n")
    for coder, coding in codings.items():
        click.echo(f"  reader {coder}  {_strip(coding)}  {coding.n_boundaries:2} boundaries")
    click.echo("\nBoundary similarity of each pair of readers\n")
    out.emit(coder_matrix(corpus))
    click.echo("\nWhere readers 1 and 6 differ\n")
    click.echo(str(align(codings["1"], codings["6"])))
    if page is not None:
        made = report(corpus, title="Stargazers", rng=SEED)
        with suppress(MissingExtraError):  # the page is whole without charts
            made = made.with_charts()
        made.save(page)
        click.echo(f"\nTo explore this in a browser, open {page.resolve()}")
    if coding_page is not None:
        write_whole(coding_page, ferry_study().page())
        click.echo(f"\nTo place boundaries yourself, open {coding_page.resolve()}")
    click.echo(
        "\nNext, with your own data:\n"
        "  caesura agree DATA                   measure inter-annotator agreement\n"
        "  caesura describe DATA                describe coders and boundaries\n"
        "  caesura score REFERENCE HYPOTHESIS   score segmentations, one per line\n"
        "  caesura diff REFERENCE HYPOTHESIS    draw where they differ\n"
        "  caesura report DATA -o FILE.html     explore every document on one page\n"
        "  caesura annotate TEXTS -o FOLDER     make pages for coders"
    )


def _strip(coding: Segmentation) -> str:
    return "".join("┃" if mark == "1" else "─" for mark in coding.to_gaps())

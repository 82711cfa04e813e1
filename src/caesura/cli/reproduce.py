"""caesura reproduce: published numbers and figures of papers, recomputed."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli.options import output_options, seed_option
from caesura.cli.output import Output
from caesura.cli.remarks import progress_bar
from caesura.papers.recompute import PAPERS, SEED
from caesura.papers.reproduction import reproduce
from caesura.papers.words import all_tables


@click.command("reproduce")
@click.argument("papers", nargs=-1, type=click.Choice(PAPERS, case_sensitive=False), metavar="[PAPER]...")
@click.option("--item", default="", help="Only results with this name, such as 'table 5.3', in full.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the papers' data. [$CAESURA_DATA]")
@seed_option(SEED, "Of simulated figures.")
@output_options
def command(papers: tuple[str, ...], item: str, data: Path | None, rng: int, out: Output) -> None:
    """Recompute published numbers and figures of each PAPER.

    The papers are F13, F13t, KS12, PH02 and C10; the default is all of them.
    """
    with progress_bar("reproducing") as progress:
        results = reproduce(papers or PAPERS, item=item, data=data, rng=rng, progress=progress)
    out.emit(lambda: all_tables(results, full=bool(item)), data=results.to_dict)

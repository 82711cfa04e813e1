"""caesura reproduce: the papers' published numbers beside ours."""

from __future__ import annotations

import json
from pathlib import Path

import click

from caesura.cli.options import output_options, print_table, print_text
from caesura.cli.progress import progress_bar
from caesura.report.table import Format, json_safe
from caesura.reproduce.facts import PAPERS
from caesura.reproduce.results import reproduce


@click.command("reproduce")
@click.argument("papers", nargs=-1, type=click.Choice(PAPERS))
@click.option("--item", default="", help="Only facts with this in their name, such as 'table 5.3'.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the papers' data. [$CAESURA_DATA]")
@output_options
def command(
    papers: tuple[str, ...], item: str, data: Path | None, format: Format, output: Path | None
) -> None:
    """Recompute the published numbers of PAPERS (all: F13 F13t KS12 PH02 C10)."""
    with progress_bar("reproducing") as progress:
        found = reproduce(papers or PAPERS, item=item, data=data, progress=progress)
    if format == "json":
        print_text(json.dumps(json_safe(found.to_dict()), indent=2, ensure_ascii=False), output)
    else:
        print_table(found.to_table(), format, output)

"""caesura board: files of saved scores as one HTML page that ranks the systems."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.analyses.saved_scores import rank_saved
from caesura.checks import TEST_RESAMPLES
from caesura.cli import options
from caesura.cli.remarks import echo, say_written
from caesura.errors import CorpusError
from caesura.io.files import natural_key, write_whole
from caesura.io.saved_files import read_saved
from caesura.pages.board import board_page
from caesura.wording import counted


@click.command("board")
@click.argument("results", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@options.page_option
@options.option("-m --metric", options.METRIC, "Metric to rank by, if not the first.", metavar="SPEC")
@click.option("--title", help="Title of the page; default: the name of the first RESULTS.")
@options.resamples_option(TEST_RESAMPLES, "Resamples for intervals and tests.", minimum=99)
@options.seed_option(help="Seed of the random numbers: same seed, same file.")
def command(
    results: tuple[Path, ...],
    output: Path,
    metric: object,
    title: str | None,
    n_resamples: int,
    rng: int,
) -> None:
    """Rank the systems of RESULTS on one HTML page.

    RESULTS are files from `caesura score --save`, or folders of them. The page shows the ranking with
    intervals, tests between any two systems, and every document. Each row has the name of the system's coder.
    Files with other references, metrics or another major version are listed separately with the reason.
    """
    files = [file for path in results for file in _files_of(path)]
    ranking = rank_saved(
        {str(file): read_saved(file) for file in files},
        None if metric is None else repr(metric),
        n_resamples=n_resamples,
        rng=rng,
    )
    write_whole(output, board_page(ranking, title=title or results[0].resolve().stem))
    for apart in ranking.set_apart:
        echo(f"note: {apart.file} is listed separately: {apart.reason}")
    say_written(counted(len(ranking.ranking), "system"), output)


def _files_of(path: Path) -> list[Path]:
    """Return a file, or the files of a folder in natural order."""
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.json"), key=natural_key)
    if not files:
        raise CorpusError(f"{path}: no .json files in this folder")
    return files

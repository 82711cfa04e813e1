"""caesura play: a page on which metrics follow boundaries that are moved."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli import options
from caesura.cli.remarks import say_written
from caesura.io.files import write_whole
from caesura.pages.play import play_page


@click.command("play")
@options.page_option
def command(output: Path) -> None:
    """Write a page to play with boundaries and metrics.

    Drag boundaries, move n_t and k, and watch B, S, F, Pk and WD. The page takes two segmentations as text or
    files, shows the windows in error, and explains the papers' examples step by step. It needs no network;
    its address carries what it shows.
    """
    write_whole(output, play_page())
    say_written("page", output)

"""Progress bars for long work, on stderr and only on a terminal; and the reading of data with one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import click

from caesura.io.base import Format
from caesura.io.registry import find_places, read_places
from caesura.results.table import terminal_safe
from caesura.values.corpus import Corpus

Advance = Callable[[int, int], None]
T = TypeVar("T")

MAX_NOTICES = 3
"""How many notices of the files that were read are shown."""


@contextmanager
def progress_bar(what: str) -> Iterator[Advance | None]:
    """Give a function to call with (steps done, steps in all); None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def read_data(paths: Sequence[str], format: Format | None = None) -> Corpus:
    """Read files and folders as one corpus; the format is told by the files if it is not given.

    On a terminal a line says which format was taken and what was read.
    """
    places = [place for path in paths for place in find_places(path)]
    with progress_bar("reading") as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it says what the notices below say
        corpus = read_places(_stepping(places, advance), format, source=", ".join(paths))
    notices = corpus.metadata.get("notices", ())
    for notice in notices[:MAX_NOTICES]:
        click.echo(terminal_safe(f"caesura: note: {notice}"), err=True)
    if len(notices) > MAX_NOTICES:
        click.echo(f"caesura: note: and {len(notices) - MAX_NOTICES} more like these", err=True)
    if sys.stderr.isatty():
        what = repr(corpus).removeprefix("<Corpus of ").removesuffix(">")
        click.echo(f"read as {corpus.metadata['format']}: {what}", err=True)
    return corpus


def _stepping(items: Sequence[T], advance: Advance | None) -> Iterator[T]:
    for done, item in enumerate(items):
        if advance is not None:
            advance(done, len(items))
        yield item

"""Progress bars for long work, on stderr and only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from caesura.sums.streams import Progress, Watch

Advance = Callable[[int, int], None]


@contextmanager
def progress_bar(what: str) -> Iterator[Advance | None]:
    """Give a function to call with (steps done, steps in all); None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress as bars
    from rich.console import Console

    with bars.Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def stream_bar(what: str) -> Iterator[Watch | None]:
    """Give a function to call with how far a stream is: it shows documents per second and the time left."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress as bars
    from rich.console import Console

    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TextColumn("{task.fields[documents]:,} documents, {task.fields[speed]:,.0f} per second"),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, documents=0, speed=0.0)
        start = time.monotonic()

        def advance(progress: Progress) -> None:
            speed = progress.documents / max(time.monotonic() - start, 1e-9)
            total = None if progress.share is None else 1.0  # None leaves the bar without an end
            bar.update(task, completed=progress.share, total=total, documents=progress.documents, speed=speed)

        yield advance

"""Lines on stderr, with flags in place of Python's keywords, and progress bars."""

from __future__ import annotations

import functools
import re
import shutil
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from caesura.io.options import OPTIONS
from caesura.wording import terminal_safe

if TYPE_CHECKING:
    from caesura.sums.streams import Progress, Watch

Advance = Callable[[int, int], None]

UNDERSTOOD = "caesura.understood"
"""The key of pending lines in a command's context: if the command fails, the error is the only line."""


def echo(line: str, start: str = "caesura: ") -> None:
    """Print a line on stderr; a terminal wraps it at words."""
    text = terminal_safe(f"{start}{as_flags(line)}")
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        text = textwrap.fill(
            text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    click.echo(text, err=True)


def understood(line: str) -> None:
    """Hold back a line about reading until the command has a result."""
    click.get_current_context().meta.setdefault(UNDERSTOOD, []).append(line)


def say_understood() -> None:
    """Print the pending lines."""
    context = click.get_current_context(silent=True)
    for line in context.meta.pop(UNDERSTOOD, []) if context is not None else ():
        echo(line)


def say_written(subject: str, path: object) -> None:
    """Report the file that a command has written, after the pending lines."""
    say_understood()
    echo(f"{subject} -> {path}", "")


@contextmanager
def noting() -> Iterator[None]:
    """Turn our warnings into notes; drop those of other libraries."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield
    for line in dict.fromkeys(str(warning.message) for warning in caught):
        echo(f"note: {line}")


# -------------------------------------------------------------------- flags

READING = {
    **{name: f"--{name}" for name in OPTIONS},
    "text": "--text-column",
    "text_of": "--text",
    "least_kept": "--least-kept",
    "document": "--document-column",
    "coders": "--coder-column",
    "tiers": "--tier",
    "format": "--from",
}
"""The flags of readers' options."""

FLAGS = {
    **READING,
    **{name: f"--{name}" for name in ("form", "memory", "scores", "item", "data", "baseline", "significant")},
    "fail_under": "--fail-under",
    "fail_over": "--fail-over",
    "max_drop": "--max-drop",
    "no_document_worse": "--no-document-worse",
    "references": "--reference",
    "segmenters": "--segmenter",
}

CALLS = (
    (re.compile(r"\btypes=True\b"), "--types"),
    (re.compile(r"\bupdate=True\b"), "--update"),
    (re.compile(r"evaluate\(unit_sizes='(\w+)'\)"), r"--unit-sizes \1"),
    (re.compile(r"use corpus\.rename, or give human=False"), "rename it in the file, or give --no-human"),
    (re.compile(r"""corpus\.onto\((['"])(\w+)\1\)"""), r"--units \2"),
    (re.compile(r"hypotheses\.onto\(references\)"), "--units reference"),
    (re.compile(r"corpus\.select\(coders=\[\.\.\.\]\)"), "-c NAME"),
    (re.compile(r"(?<=needs )document="), "--document"),
)

KEYWORD = re.compile(
    rf"""(?<![\w(.'"])({"|".join(FLAGS)})=('[^']*'(?:(?:, | or )'[^']*')*|"[^"]*"|\[[^\]]*\]|)"""
)


def as_flags(message: str) -> str:
    """Return a message with flags in place of keywords.

    >>> as_flags("gaps='segment' makes segments of them; end= says where, overlap='start' or 'end', too")
    '--gaps segment makes segments of them; --end says where, --overlap start or end, too'
    >>> as_flags("name those to judge by, references=['ann', 'bob'], or use corpus.onto('1s')")
    'name those to judge by, --reference ann --reference bob, or use --units 1s'
    """
    for call, flag in CALLS:
        message = call.sub(flag, message)
    return KEYWORD.sub(_flag, message)


def _flag(keyword: re.Match[str]) -> str:
    flag, value = FLAGS[keyword[1]], keyword[2]
    if not value.startswith("["):
        return f"{flag} {value.replace(value[:1], '')}" if value else flag
    names = re.findall(r"""(['"])(.*?)\1""", value)
    return " ".join(f"{flag} {name}" for _, name in names) or f"{flag} …"


# -------------------------------------------------------------------- progress


@contextmanager
def progress_bar(task: str) -> Iterator[Advance | None]:
    """Yield a function of (steps done, all steps), or None without a terminal."""
    with _bar(task) as update:
        yield update and (lambda done, total: update(completed=done, total=total))


@contextmanager
def stream_bar(task: str) -> Iterator[Watch | None]:
    """Yield a function of a stream's progress, which shows documents per second and the time left."""
    text = "{task.fields[documents]:,} documents, {task.fields[speed]:,.0f} per second"
    with _bar(task, text, documents=0, speed=0.0) as update:
        start = time.monotonic()

        def advance(progress: Progress) -> None:
            speed = progress.documents / max(time.monotonic() - start, 1e-9)
            total = None if progress.share is None else 1.0  # None leaves the bar without an end
            if update is not None:
                update(completed=progress.share, total=total, documents=progress.documents, speed=speed)

        yield update and advance


@contextmanager
def _bar(task: str, text: str | None = None, **fields: Any) -> Iterator[Callable[..., None] | None]:
    """Show a bar with a text of fields beside it; yield its update function."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress as bars
    from rich.console import Console

    columns = bars.Progress.get_default_columns()
    if text is not None:
        columns = (*columns[:3], bars.TextColumn(text), columns[3])
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield functools.partial(bar.update, bar.add_task(task, total=None, **fields))

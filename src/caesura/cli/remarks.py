"""Remarks on stderr: notes at once, and what was understood of DATA, before the output that rests on it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from caesura.cli.flags import as_flags
from caesura.wording import terminal_safe

UNDERSTOOD = "caesura.understood"
"""Where a command's context keeps lines that are not said yet: where it fails, the error is the one line."""


def echo(line: str) -> None:
    """Print a line on stderr, whatever stands in it."""
    click.echo(terminal_safe(f"caesura: {as_flags(line)}"), err=True)


def understood(line: str) -> None:
    """Keep a line on what was read until the command has something to show."""
    click.get_current_context().meta.setdefault(UNDERSTOOD, []).append(line)


def say_understood() -> None:
    """Print these lines, once."""
    context = click.get_current_context(silent=True)
    for line in context.meta.pop(UNDERSTOOD, []) if context is not None else ():
        echo(line)


@contextmanager
def noting() -> Iterator[None]:
    """Turn warnings into notes; what libraries of engines warn their users of is theirs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield
    for line in dict.fromkeys(str(one.message) for one in caught):
        echo(f"note: {line}")

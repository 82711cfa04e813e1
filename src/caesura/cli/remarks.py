"""Remarks on stderr: notes at once, and what was understood of DATA, before the output that rests on it."""

from __future__ import annotations

import click

from caesura.cli.flags import as_flags
from caesura.results.table import terminal_safe

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

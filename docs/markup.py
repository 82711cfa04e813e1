"""Tables, text and code in Markdown, so that what a declaration says is shown as it stands."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Sequence

from caesura.declaration import Declared


def table(header: list[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table of ready cells."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text(value: str) -> str:
    """Return plain text so that neither Markdown nor HTML sees marks in it."""
    escaped = html.escape(value, quote=False)
    for mark in "\\`*_[]|":
        escaped = escaped.replace(mark, f"&#{ord(mark)};")
    return escaped


def code(value: str) -> str:
    """Return code that may hold any character, for a table's cell."""
    return f"<code>{text(value)}</code>"


def parameters(cls: type[Declared]) -> str:
    """Return the parameters with what they may be."""
    rows = []
    for field in dataclasses.fields(cls):
        choices = ", ".join(code(choice) for choice in field.metadata["choices"])
        default = "auto" if field.default is None else str(field.default)
        rows.append((code(field.name), code(default), choices, text(field.metadata["help"])))
    return table(["parameter", "default", "one of", "meaning"], rows) if rows else "None."

"""What commands show of declarations: one of a registry by its name, and its parameters as a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypeVar

import click

from caesura.declaration import Declared, unknown_name
from caesura.results.notes import Note
from caesura.results.table import Cell, Column, Table

D = TypeVar("D", bound=Declared)


def named(name: str, registry: Mapping[str, type[D]], noun: str) -> type[D]:
    """Return what a registry has under a name; one that is not there is a usage error."""
    if name not in registry:
        raise click.UsageError(str(unknown_name(name, registry, noun)))
    return registry[name]


def parameters_table(cls: type[Declared], notes: Sequence[Note]) -> Table:
    """Return the parameters of what is declared, with notes on the rest of the declaration."""
    rows: list[list[Cell]] = []
    for field in dataclasses.fields(cls):
        choices = field.metadata["choices"]
        default = "auto" if field.default is None else str(field.default)
        rows.append([field.name, default, " | ".join(choices) if choices else "", field.metadata["help"]])
    columns = [Column(column) for column in ("parameter", "default", "choices", "meaning")]
    return Table(f"{cls.name}: {cls.title}", columns, rows, notes=list(notes))

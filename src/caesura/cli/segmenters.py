"""caesura segmenters: lists the declared segmenters, or one with its parameters."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from caesura.cli.options import output_options, print_table
from caesura.declaration import unknown_name
from caesura.results.notes import finding, reading
from caesura.results.table import Cell, Column, Format, Table
from caesura.segmenters.base import Segmenter, abilities
from caesura.segmenters.registry import SEGMENTERS


@click.command("segmenters")
@click.argument("name", required=False)
@output_options
def command(name: str | None, format: Format, output: Path | None) -> None:
    """List all segmenters, or show one of them with its parameters."""
    if name is not None and name not in SEGMENTERS:
        raise click.UsageError(str(unknown_name(name, SEGMENTERS, "segmenter")))
    table = _list() if name is None else _describe(SEGMENTERS[name])
    print_table(table, format, output)


def _list() -> Table:
    rows: list[list[Cell]] = [
        [cls.name, cls.title, cls.needs, ", ".join(abilities(cls)), cls.meaning]
        for cls in SEGMENTERS.values()
    ]
    names = ["name", "title", "needs", "gives", "meaning"]
    note = reading("`caesura segmenters NAME` shows the parameters, the cost and the citation")
    return Table("", [Column(column) for column in names], rows, notes=[note])


def _describe(cls: type[Segmenter]) -> Table:
    rows: list[list[Cell]] = []
    for field in dataclasses.fields(cls):
        choices = field.metadata["choices"]
        default = "auto" if field.default is None else str(field.default)
        rows.append([field.name, default, " | ".join(choices) if choices else "", field.metadata["help"]])
    return Table(
        f"{cls.name}: {cls.title}",
        [Column(column) for column in ("parameter", "default", "choices", "meaning")],
        rows,
        notes=[
            finding(cls.meaning),
            reading(f"needs: {cls.needs}; gives: {', '.join(abilities(cls))}"),
            reading(f"cost: {cls.cost}"),
            reading(f"citation: {cls.citation}"),
        ],
    )

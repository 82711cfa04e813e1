"""caesura segmenters: lists the declared segmenters, or one with its parameters."""

from __future__ import annotations

import click

from caesura.cli.declarations import named, parameters_table
from caesura.cli.options import Output, output_options
from caesura.results.notes import finding, reading
from caesura.results.table import Cell, Column, Table
from caesura.segmenters.base import Segmenter, abilities
from caesura.segmenters.registry import SEGMENTERS


@click.command("segmenters")
@click.argument("name", required=False)
@output_options
def command(name: str | None, out: Output) -> None:
    """List all segmenters, or show one of them with its parameters."""
    table = _list() if name is None else _describe(named(name, SEGMENTERS, "segmenter"))
    out.emit(table)


def _list() -> Table:
    rows: list[list[Cell]] = [
        [cls.name, cls.title, cls.needs, ", ".join(abilities(cls)), cls.meaning]
        for cls in SEGMENTERS.values()
    ]
    names = ["name", "title", "needs", "gives", "meaning"]
    note = reading("`caesura segmenters NAME` shows the parameters, the cost and the citation")
    return Table("", [Column(column) for column in names], rows, notes=[note])


def _describe(cls: type[Segmenter]) -> Table:
    return parameters_table(
        cls,
        [
            finding(cls.meaning),
            reading(f"needs: {cls.needs}; gives: {', '.join(abilities(cls))}"),
            reading(f"cost: {cls.cost}"),
            reading(f"citation: {cls.citation}"),
        ],
    )

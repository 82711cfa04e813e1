"""caesura metrics: lists the declared metrics, or one with its parameters."""

from __future__ import annotations

import click

from caesura.cli.declarations import named, parameters_table
from caesura.cli.options import Output, output_options
from caesura.metrics.base import Metric
from caesura.metrics.registry import METRICS
from caesura.results.notes import caveat, finding, reading
from caesura.results.table import Cell, Column, Table, show_cell


@click.command("metrics")
@click.argument("name", required=False)
@output_options
def command(name: str | None, out: Output) -> None:
    """List all metrics, or show one of them with its parameters."""
    table = _list() if name is None else _describe(named(name, METRICS, "metric"))
    out.emit(table)


def _list() -> Table:
    rows: list[list[Cell]] = [
        [cls.name, cls.title, _range(cls), _direction(cls), "yes" if cls.symmetric else "no", cls.meaning]
        for cls in METRICS.values()
    ]
    names = ["name", "title", "range", "better", "symmetric", "meaning"]
    note = reading("`caesura metrics NAME` shows the parameters, the formula, the citation and known biases")
    return Table("", [Column(column) for column in names], rows, notes=[note])


def _describe(cls: type[Metric]) -> Table:
    symmetric = "yes" if cls.symmetric else "no"
    return parameters_table(
        cls,
        [
            finding(cls.meaning),
            reading(f"formula: {cls.formula}"),
            reading(f"range: {_range(cls)}; better: {_direction(cls)}; symmetric: {symmetric}"),
            reading(f"citation: {cls.citation}"),
            *(caveat(f"known bias: {bias}") for bias in cls.biases),
        ],
    )


def _range(cls: type[Metric]) -> str:
    metric = cls()
    return f"{show_cell(metric.low, 0)} to {show_cell(metric.high, 0)}"


def _direction(cls: type[Metric]) -> str:
    return "closest to 1" if cls.direction == "closest" else cls.direction

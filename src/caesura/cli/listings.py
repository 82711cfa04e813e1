"""caesura metrics and caesura segmenters: the list of a registry, or one member with its parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import click

from caesura.cli.options import output_options
from caesura.cli.output import Output
from caesura.declaration import Declared, unknown_name
from caesura.metrics.base import Metric
from caesura.metrics.registry import METRICS
from caesura.results.notes import Note, caveat, finding, reading
from caesura.results.table import Cell, Column, Table, show_cell
from caesura.segmenters.base import Segmenter, abilities
from caesura.segmenters.registry import SEGMENTERS

D = TypeVar("D", bound=Declared)


@click.command("metrics")
@click.argument("name", required=False)
@output_options
def metrics(name: str | None, out: Output) -> None:
    """List all metrics, or show one with its parameters."""
    if name is not None:
        out.emit(_parameters(_named(name, METRICS, "metric"), _metric_notes))
        return
    columns = ("name", "title", "range", "better", "symmetric", "meaning")
    rows: list[list[Cell]] = [
        [cls.name, cls.title, _range(cls), _direction(cls), _symmetric(cls), cls.meaning]
        for cls in METRICS.values()
    ]
    more = "`caesura metrics NAME` shows the parameters, the formula, the citation and known biases"
    out.emit(_table("", columns, rows, [finding(f"{len(rows)} metrics: {more}.")]))


@click.command("segmenters")
@click.argument("name", required=False)
@output_options
def segmenters(name: str | None, out: Output) -> None:
    """List all segmenters, or show one with its parameters."""
    if name is not None:
        out.emit(_parameters(_named(name, SEGMENTERS, "segmenter"), _segmenter_notes))
        return
    columns = ("name", "title", "needs", "gives", "meaning")
    rows: list[list[Cell]] = [
        [cls.name, cls.title, cls.needs, ", ".join(abilities(cls)), cls.meaning]
        for cls in SEGMENTERS.values()
    ]
    more = "`caesura segmenters NAME` shows the parameters, the cost and the citation"
    out.emit(_table("", columns, rows, [finding(f"{len(rows)} segmenters: {more}.")]))


def _named(name: str, registry: Mapping[str, type[D]], noun: str) -> type[D]:
    """Return the member of a registry with this name; an unknown name is a usage error."""
    if name not in registry:
        raise click.UsageError(str(unknown_name(name, registry, noun)))
    return registry[name]


def _parameters(cls: type[D], notes: Callable[[type[D]], Sequence[Note]]) -> Table:
    """Return the parameters of a metric or segmenter, with notes on the rest of its declaration."""
    rows: list[list[Cell]] = []
    for field in dataclasses.fields(cls):
        choices = field.metadata["choices"]
        default = "auto" if field.default is None else str(field.default)
        rows.append([field.name, default, " | ".join(choices) if choices else "", field.metadata["help"]])
    return _table(
        f"{cls.name}: {cls.title}", ("parameter", "default", "choices", "meaning"), rows, notes(cls)
    )


def _table(title: str, columns: Sequence[str], rows: list[list[Cell]], notes: Sequence[Note]) -> Table:
    return Table(title, [Column(column) for column in columns], rows, notes=list(notes))


def _metric_notes(cls: type[Metric]) -> list[Note]:
    return [
        finding(f"{cls.title}: {cls.meaning}."),
        reading(f"formula: {cls.formula}"),
        reading(f"range: {_range(cls)}; better: {_direction(cls)}; symmetric: {_symmetric(cls)}"),
        reading(f"citation: {cls.citation}"),
        *(caveat(f"known bias: {bias}") for bias in cls.biases),
    ]


def _segmenter_notes(cls: type[Segmenter]) -> list[Note]:
    return [
        finding(f"{cls.title}: {cls.meaning}."),
        reading(f"needs: {cls.needs}; gives: {', '.join(abilities(cls))}"),
        reading(f"cost: {cls.cost}"),
        reading(f"citation: {cls.citation}"),
    ]


def _range(cls: type[Metric]) -> str:
    metric = cls()
    return f"{show_cell(metric.low, 0)} to {show_cell(metric.high, 0)}"


def _direction(cls: type[Metric]) -> str:
    return "closest to 1" if cls.direction == "closest" else cls.direction


def _symmetric(cls: type[Metric]) -> str:
    return "yes" if cls.symmetric else "no"

"""caesura metrics and caesura segmenters: the list of a registry, or one member with its parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

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

Columns: TypeAlias = Mapping[str, Callable[[Any], Cell]]
"""The cell of a metric or a segmenter in each column."""


@click.command("metrics")
@click.argument("name", required=False)
@output_options
def metrics(name: str | None, out: Output) -> None:
    """List all metrics, or show one with its parameters."""
    more = "the parameters, the formula, the citation and known biases"
    out.emit(_listing(name, METRICS, "metric", METRIC_COLUMNS, _metric_notes, more))


@click.command("segmenters")
@click.argument("name", required=False)
@output_options
def segmenters(name: str | None, out: Output) -> None:
    """List all segmenters, or show one with its parameters."""
    more = "the parameters, the cost and the citation"
    out.emit(_listing(name, SEGMENTERS, "segmenter", SEGMENTER_COLUMNS, _segmenter_notes, more))


def _listing(
    name: str | None, registry: Mapping[str, type[Declared]], noun: str, columns: Columns,
    notes: Callable[[Any], Sequence[Note]], more: str,
) -> Table:  # fmt: skip
    """Return the table of a registry, or of the parameters of one member; an unknown name is bad usage."""
    if name is None:
        rows: list[list[Cell]] = [[cell(cls) for cell in columns.values()] for cls in registry.values()]
        summary = f"{len(rows)} {noun}s: `caesura {noun}s NAME` shows {more}."
        return Table("", [*map(Column, columns)], rows, notes=[finding(summary)])
    if name not in registry:
        raise click.UsageError(str(unknown_name(name, registry, noun)))
    cls, rows = registry[name], []
    for field in dataclasses.fields(cls):
        default = "auto" if field.default is None else str(field.default)
        rows.append([field.name, default, " | ".join(field.metadata["choices"]), field.metadata["help"]])
    parameters = map(Column, ("parameter", "default", "choices", "meaning"))
    return Table(f"{cls.name}: {cls.title}", [*parameters], rows, notes=[*notes(cls)])


def _metric_notes(cls: type[Metric]) -> list[Note]:
    return [
        finding(f"{cls.meaning[:1].upper()}{cls.meaning[1:]}."),
        reading(f"formula: {cls.formula}"),
        reading(f"range: {_range(cls)}; better: {_direction(cls)}; symmetric: {_symmetric(cls)}"),
        reading(f"citation: {cls.citation}"),
        *(caveat(f"known bias: {bias}") for bias in cls.biases),
    ]


def _segmenter_notes(cls: type[Segmenter]) -> list[Note]:
    return [
        finding(f"{cls.meaning[:1].upper()}{cls.meaning[1:]}."),
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


METRIC_COLUMNS: Columns = {
    **{name: attrgetter(name) for name in ("name", "title")},
    "range": _range,
    "better": _direction,
    "symmetric": _symmetric,
    "meaning": attrgetter("meaning"),
}
SEGMENTER_COLUMNS: Columns = {
    **{name: attrgetter(name) for name in ("name", "title", "needs")},
    "gives": lambda cls: ", ".join(abilities(cls)),
    "meaning": attrgetter("meaning"),
}

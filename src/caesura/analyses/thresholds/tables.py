"""Sweeps in tables."""

from __future__ import annotations

from caesura.analyses.thresholds.results import Sweep
from caesura.analyses.thresholds.sentences import notes
from caesura.results.presentation import Presentation, present
from caesura.results.table import Cell, Column, Table


def curve_table(found: Sweep) -> Table:
    """Return one row per cut: the metric's value, and how many boundaries that is."""
    names = [found.over, found.metric.name, "boundaries"]
    rows: list[list[Cell]] = [
        [int(point.cut) if found.over == "segments" else point.cut, point.value, point.boundaries]
        for point in found.curve
    ]
    return Table("", [*map(Column, names)], rows, notes=notes(found))


def best_table(found: Sweep) -> Table:
    """Return the best cut with both of its values."""
    best = found.best
    names = [found.over, found.metric.name, "held out", "documents", "references"]
    cut: Cell = best.threshold if best.n_segments is None else best.n_segments
    row: list[Cell] = [cut, best.value, best.held_out, found.documents, found.references]
    return Table("", [*map(Column, names)], [row], notes=notes(found))


present(Sweep, Presentation(tables={"main": best_table, "curve": curve_table}, notes=notes))

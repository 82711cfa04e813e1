"""Reproductions in words and tables: published numbers and figures beside the recomputed ones."""

from __future__ import annotations

from functools import partial

from caesura.papers.results import Reproduction, Series
from caesura.results.notes import Note, finding, reading, signature
from caesura.results.result import present
from caesura.results.table import Cell, Table
from caesura.version import __version__

FOURNIER = "F13 Fournier (2013), ACL; F13t Fournier (2013), thesis"
SOURCES = f"{FOURNIER}; KS12 Kazantseva & Szpakowicz (2012); PH02 Pevzner & Hearst (2002); C10 Carroll (2010)"


def summary(result: Reproduction) -> str:
    """Return how many facts agree."""
    rest = len(result.items) - len(result.recomputed)
    figures = f" {len(result.series)} of {len(result.figures)} figures as data." if result.figures else ""
    differing = f", {result.n_differing} differ for the reasons given" if result.n_differing else ""
    facts = f"{result.n_agreeing} of {len(result.recomputed)} recomputed facts agree within their tolerance"
    facts = f"{facts}{differing}; {rest} were not" if result.recomputed else f"None of {rest} facts was"
    return f"{facts} recomputed.{figures} caesura {__version__}"


def notes(result: Reproduction) -> list[Note]:
    """Return how many facts agree, and the papers."""
    return [finding(summary(result)), reading(SOURCES)]


def comparison(series: Series) -> str:
    """Return how far the published points are from the recomputed ones; "" without any."""
    compared = [point for point in series.stated if point.ours is not None]
    rest = len(series.stated) - len(compared)
    parts = []
    if compared:
        parts.append(f"published points: {len(compared)}, largest difference {series.largest_difference:.4f}")
    if rest:
        parts.append(f"{rest} published points were not recomputed")
    return "; ".join(parts)


def series_notes(series: Series) -> list[Note]:
    """Return the note of the figure, the distance to published points, and the signature."""
    candidates = (reading(series.note), finding(comparison(series)), signature(series.signature))
    return [note for note in candidates if note.text]


def main_table(result: Reproduction) -> Table:
    """Return a row for each fact; without facts, a row for each figure."""
    return facts_table(result) if result.items else figures_table(result)


def facts_table(result: Reproduction) -> Table:
    """Return a row for each value of each fact."""
    names = ("item", "published", "ours", "difference", "agrees", "why")
    rows: list[list[Cell]] = []
    for item in result.items:
        verdict = {True: "yes", False: "NO", None: "—"}[item.agrees]
        # A row for each value keeps published and ours beside each other on any terminal.
        for i, (name, published) in enumerate(zip(item.value_names, item.fact.values, strict=True)):
            ours = None if item.ours is None else item.ours[i]
            difference = None if ours is None else _cell(ours - published)
            rows.append([name, _cell(published), _cell(ours), difference, verdict, "" if i else item.reason])
    return Table.under(names, rows, notes(result))


def figures_table(result: Reproduction, *, missing_only: bool = False) -> Table:
    """Return a row for each figure, or for each that was not recomputed."""
    names = ("figure", "title", "points", "published points", "largest difference", "why")
    rows: list[list[Cell]] = []
    for item in result.figures:
        series = item.series
        if series is None:
            rows.append([item.figure.id, item.figure.title, None, None, None, item.reason])
        elif not missing_only:
            stated = sum(point.ours is not None for point in series.stated)
            numbers = (series.n_points, stated, series.largest_difference)
            rows.append([item.figure.id, item.figure.title, *numbers, item.reason])
    points = "" if missing_only or not result.series else "; item= prints their points"
    share = f"{len(result.series)} of {len(result.figures)} figures (each panel is one)"
    note = f"{share} were recomputed{points}. caesura {__version__}"
    return Table.under(names, rows, [finding(note)])


def all_tables(result: Reproduction, *, full: bool = False) -> list[Table]:
    """Return the tables of facts and of figures; ``full``: every point of a figure instead of a row."""
    tables = [facts_table(result)] if result.items else []
    if full:
        if len(result.series) < len(result.figures):
            tables.append(figures_table(result, missing_only=True))
        return tables + [series.to_table() for series in result.series]
    return [*tables, figures_table(result)] if result.figures else tables


def _cell(value: float | None) -> Cell:
    """Return whole numbers without decimals."""
    return int(value) if value is not None and value == int(value) else value


# -------------------------------------------------------------------- a figure


def points_table(series: Series) -> Table:
    """Return a row for each point; published points that were not recomputed come last."""
    has_spread = any(curve.low for curve in series.curves)
    stated = {(point.label, point.x): point.published for point in series.stated}
    rows: list[list[Cell]] = []
    for curve in series.curves:
        for i, (x, y) in enumerate(zip(curve.x, curve.y, strict=True)):
            spread = [curve.low[i], curve.high[i]] if curve.low else [None, None]
            rows.append([curve.label, x, y, *spread, stated.get((curve.label, x))])
    missing = (point for point in series.stated if point.ours is None)
    rows += [[point.label, point.x, None, None, None, point.published] for point in missing]
    wanted = [0, 1, 2, *([3, 4] if has_spread else []), *([5] if stated else [])]
    names = ["curve", series.x_label, series.y_label, "low", "high", "published"]
    shown = [[row[i] for i in wanted] for row in rows]
    title = f"{series.id}: {series.title}"
    return Table.under([names[i] for i in wanted], shown, series_notes(series), title)


present(
    Reproduction,
    notes=notes,
    main=main_table,
    facts=facts_table,
    figures=figures_table,
    missing=partial(figures_table, missing_only=True),
)
present(Series, notes=series_notes, main=points_table)

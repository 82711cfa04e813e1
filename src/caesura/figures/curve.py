"""curves(): a recomputed figure of a paper, with the points that the paper states on top."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from caesura.figures.declaration import Figure, Options
from caesura.figures.theme import (
    DASHES,
    SHAPES,
    WIDTH,
    Chart,
    check_size,
    data,
    distinct,
    framed,
    load_altair,
    names,
)
from caesura.papers.recompute import SEED
from caesura.papers.reproduction import series
from caesura.papers.results import Curve, Series
from caesura.papers.words import comparison

MANY_POINTS = 40
"""Curves of more points are drawn without signs."""


def curves(series: Series, *, width: int = WIDTH) -> Chart:
    """Draw the curves of a series with their spread, and published points as open circles on top."""
    alt = load_altair()
    rows, published = _points(series.curves), _points(series.published)
    check_size(series.id, 0, len(rows) + len(published))
    categories = any(isinstance(x, str) for curve in series.curves for x in curve.x)
    labels = names(curve.label for curve in series.curves)
    order = names(str(x) for curve in series.curves for x in curve.x)
    if categories:
        x = alt.X("x:N", sort=order, title=series.x_label).axis(labelAngle=0 if len(order) < 10 else -50)
    else:
        x = alt.X("x:Q", title=series.x_label, scale=alt.Scale(zero=False, nice=False))
    y = alt.Y("y:Q", title=series.y_label)
    is_drawing = series.is_drawing
    # Where others mark the same places the first has rings, so that both are seen.
    first, others = _points(series.curves[:1]), _points(series.curves[1:])
    places = {(row["x"], row["y"]) for row in others}
    rings = is_drawing and any((row["x"], row["y"]) in places for row in first)
    if is_drawing:
        room = alt.Scale(zero=False, nice=False, padding=14)
        x, y = (axis.scale(room).axis(tickMinStep=1, format="d") for axis in (x, y))
    several = len(labels) > 1
    legend = alt.Legend(title=None, columns=6) if several else None
    colour = alt.Color("label:N", title=None, scale=alt.Scale(domain=labels), legend=legend)
    dash = alt.StrokeDash("label:N", title=None, legend=legend)
    dash = dash.scale(domain=labels, range=distinct(DASHES, len(labels)))
    tooltip = ["label:N", "x:N" if categories else "x:Q", alt.Tooltip("y:Q", format=".4f")]
    chart = alt.Chart(data(rows)).encode(x=x, y=y, color=colour)
    spread = alt.Chart(data(row for row in rows if row["low"] is not None))
    spread = spread.encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour)
    layers = []
    if any(curve.low for curve in series.curves):
        layers.append(spread.mark_rule(strokeWidth=2) if categories else spread.mark_area(opacity=0.18))
    lines = not categories and not is_drawing and all(_is_rising(curve) for curve in series.curves)
    signs = not lines or max(len(curve.x) for curve in series.curves) <= MANY_POINTS
    if lines:
        line = chart.mark_line(strokeWidth=1.8)
        layers.append(line if signs else line.encode(strokeDash=dash))
    if signs:
        shape = alt.Shape("label:N", title=None, legend=legend)
        shape = shape.scale(domain=labels, range=distinct(SHAPES, len(labels)))
        point = chart.mark_point(filled=True, size=40, opacity=1)
        if rings:
            ring = alt.Chart(data(first)).mark_point(size=90, opacity=1).encode(x=x, y=y, color=colour)
            layers.append(ring.encode(shape=shape, tooltip=tooltip))
            point = point.properties(data=data(others))
        layers.append(point.encode(shape=shape, tooltip=tooltip))
    if published:
        stated = alt.Chart(data(published)).mark_point(size=130, strokeWidth=1.8, opacity=1, style="outline")
        layers.append(stated.encode(x=x, y=y, tooltip=tooltip))
    values = [row["y"] for row in rows if row["y"] == row["y"]]
    said = comparison(series) or f"{series.y_label} from {min(values):.3g} to {max(values):.3g}"
    return framed(
        alt.layer(*layers).properties(width=width, height=320),
        title=f"{series.id}: {series.title}; {said}",
        subtitle=f"{f'Rings: {labels[0]}. ' if rings else ''}"
        f"{'Open circles: published points. ' if published else ''}"
        f"{series.note[:1].upper()}{series.note[1:]}",
        signature=series.signature,
        width=width,
    )


def _is_rising(curve: Curve) -> bool:
    """Whether a line may join the points: each x is greater than the one before."""
    return all(a < b for a, b in pairwise(curve.x) if not isinstance(a, str) and not isinstance(b, str))


def _points(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    return [
        {"label": curve.label, "x": x, "y": y, "low": curve.low[i] if curve.low else None,
         "high": curve.high[i] if curve.high else None}
        for curve in curves
        for i, (x, y) in enumerate(zip(curve.x, curve.y, strict=True))
    ]  # fmt: skip


def _of_name(name: str, options: Options) -> Chart:
    seed = SEED if options.seed is None else options.seed
    return curves(series(name, data=options.papers, rng=seed), width=options.width)


CURVES = Figure(
    "reproduction",
    "a paper's figure recomputed; DATA is its name, such as 'F13t figure 5.25, B'",
    _of_name,
    takes_name=True,
    uses=("seed", "papers"),
)

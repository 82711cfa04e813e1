"""curves(): a recomputed figure of a paper, with the points that the paper states on top."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from caesura.figures import drawing
from caesura.figures.drawing import WIDTH, Chart, Row
from caesura.figures.theme import alt
from caesura.papers.results import Curve, Series
from caesura.papers.words import comparison

MANY_POINTS = 40
"""Curves of more points are drawn without signs."""


def curves(series: Series, *, width: int = WIDTH) -> Chart:
    """Draw the curves of a series with their spread, and published points as open circles on top."""
    rows, published = _points(series.curves), _points(series.published)
    drawing.check_size(series.id, 0, len(rows) + len(published))
    is_categorical = any(isinstance(x, str) for curve in series.curves for x in curve.x)
    labels = drawing.names(curve.label for curve in series.curves)
    if is_categorical:
        order = drawing.names(str(x) for curve in series.curves for x in curve.x)
        x = alt.X("x:N", sort=order, title=series.x_label).axis(labelAngle=0 if len(order) < 10 else -50)
    else:
        x = alt.X("x:Q", title=series.x_label, scale=alt.Scale(zero=False, nice=False))
    y = alt.Y("y:Q", title=series.y_label)
    # If later curves mark the same spots, the first has rings, so that both are visible.
    first, later = _points(series.curves[:1]), _points(series.curves[1:])
    spots = {(row["x"], row["y"]) for row in later}
    rings = series.is_drawing and any((row["x"], row["y"]) in spots for row in first)
    if series.is_drawing:
        room = alt.Scale(zero=False, nice=False, padding=14)
        x, y = (axis.scale(room).axis(tickMinStep=1, format="d") for axis in (x, y))
    legend = {"title": None, "columns": 6} if len(labels) > 1 else None
    shape = drawing.color_and("label", labels, legend=legend)
    dash = drawing.color_and("label", labels, by="strokeDash", legend=legend)
    color = {"color": shape["color"]}
    tooltip = drawing.tooltip("label:N", "x:N" if is_categorical else "x:Q", numbers=["y"])
    chart = drawing.chart(rows).encode(x=x, y=y, **color)
    layers = []
    if any(curve.low for curve in series.curves):
        spread = drawing.chart(row for row in rows if row["low"] is not None)
        spread = spread.mark_rule(strokeWidth=2) if is_categorical else spread.mark_area(opacity=0.18)
        layers.append(spread.encode(x=x, y="low:Q", y2="high:Q", **color))
    has_lines = not is_categorical and not series.is_drawing and all(map(_is_rising, series.curves))
    has_signs = not has_lines or max(len(curve.x) for curve in series.curves) <= MANY_POINTS
    if has_lines:
        layers.append(chart.mark_line(strokeWidth=1.8).encode(**(color if has_signs else dash)))
    if has_signs:
        point = chart.mark_point(filled=True, size=40, opacity=1)
        if rings:
            ring = drawing.chart(first).mark_point(size=90, opacity=1)
            layers.append(ring.encode(x=x, y=y, **shape, tooltip=tooltip))
            point = point.properties(data=drawing.data(later))
        layers.append(point.encode(**shape, tooltip=tooltip))
    if published:
        stated = drawing.chart(published).mark_point(size=130, strokeWidth=1.8, opacity=1, style="outline")
        layers.append(stated.encode(x=x, y=y, tooltip=tooltip))
    values = [row["y"] for row in rows if row["y"] == row["y"]]
    result = comparison(series) or f"{series.y_label} from {min(values):.3g} to {max(values):.3g}"
    return drawing.framed(
        *layers,
        title=f"{series.id}: {series.title}; {result}",
        subtitle=f"{f'Rings: {labels[0]}. ' if rings else ''}"
        f"{'Open circles: published points. ' if published else ''}"
        f"{series.note[:1].upper()}{series.note[1:]}",
        signature=series.signature,
        width=width,
        height=320,
    )


def _is_rising(curve: Curve) -> bool:
    """Whether a line may join the points: each x is greater than the one before."""
    return all(a < b for a, b in pairwise(curve.x) if not isinstance(a, str) and not isinstance(b, str))


def _points(curves: Sequence[Curve]) -> list[Row]:
    return [
        {"label": curve.label, "x": x, "y": y, "low": curve.low[i] if curve.low else None,
         "high": curve.high[i] if curve.high else None}
        for curve in curves
        for i, (x, y) in enumerate(zip(curve.x, curve.y, strict=True))
    ]  # fmt: skip

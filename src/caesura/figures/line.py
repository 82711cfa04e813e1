"""Lines of a value: levels() of a hierarchy, thresholds(), half_widths() of a study, curves() of a paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.analyses.level_errors import HierarchicalError
from caesura.analyses.study_plan import Of, Plan
from caesura.analyses.thresholds import Sweep
from caesura.errors import ParameterError
from caesura.figures import drawing
from caesura.figures.drawing import WIDTH, Chart, Row
from caesura.figures.theme import alt
from caesura.papers.results import Curve, Series
from caesura.papers.words import comparison
from caesura.wording import counted, percent

# -------------------------------------------------------------------- the levels of a hierarchy

ALL = "all levels"


def levels(errors: HierarchicalError | Mapping[str, HierarchicalError], *, width: int = WIDTH) -> Chart:
    """Draw the error at each level of the reference, the most prominent first, and over all (C10 §2).

    Several hypotheses against one reference are given by name.
    """
    by_name = {"hypothesis": errors} if isinstance(errors, HierarchicalError) else dict(errors)
    if not by_name:
        raise ParameterError("no hypothesis to draw")
    drawing.check_size("levels", len(by_name), sum(len(error.levels) for error in by_name.values()))
    first = next(iter(by_name.values()))
    title = first.score.metric.title
    rows: list[Row] = [
        {"name": name, "level": f"level {level.rank}", "value": level.value, "weight": level.weight}
        for name, error in by_name.items()
        for level in error.levels
    ]
    overall = [{"name": name, "level": ALL, "value": error.value} for name, error in by_name.items()]
    order = [*dict.fromkeys(str(row["level"]) for row in rows), ALL]
    hypotheses = drawing.names(by_name)
    # Offsets keep equal errors visible.
    band = width / len(order)
    apart = min(0.8 * band, 14 * len(hypotheses))
    lane = alt.XOffset("name:N", sort=hypotheses)
    lane = lane.scale(domain=hypotheses, range=[(band - apart) / 2, (band + apart) / 2])
    y = f"{title} (lower is better)"
    at = {
        "x": drawing.name_axis("X", "level", order, labelAngle=0, grid=False),
        "y": drawing.zero_axis("Y", "value", y, [row["value"] for row in [*rows, *overall]]),
        "xOffset": lane,
    }
    encoding = drawing.color_and("name", hypotheses, legend={} if len(by_name) > 1 else None)
    tooltip = drawing.tooltip("name:N", "level:N", "weight:Q", numbers=["value"])
    point = drawing.chart([*rows, *overall]).mark_point(filled=True, size=70, opacity=1)
    best = min(by_name, key=lambda name: by_name[name].value)
    by_level = ", ".join(f"{level.value:.3f} at level {level.rank}" for level in by_name[best].levels[:4])
    weights = ", ".join(f"{level.weight} at level {level.rank}" for level in first.levels[:8])
    return drawing.framed(
        drawing.chart(rows).mark_line(strokeWidth=1.5).encode(**at, color=encoding["color"]),
        point.encode(**at, **encoding, tooltip=tooltip),
        title=f"{best}: {title} {by_name[best].value:.3f}; {by_level}",
        subtitle=f"Error at each level of the reference against as many of the most prominent hypothesis "
        f"boundaries; over all levels weighted by the reference's boundaries ({weights}).",
        signature=first.signature,
        width=width,
    )


# -------------------------------------------------------------------- the threshold of a model's scores

TITLES = {"threshold": "threshold of the scores", "segments": "segments of each document"}


def thresholds(result: Sweep, *, width: int = WIDTH) -> Chart:
    """Draw a metric against the threshold (or number of segments), with the best and its held-out value."""
    best, metric = result.best, result.metric
    drawing.check_size("thresholds", 0, len(result.curve))
    rows = [{"cut": point.cut, "value": point.value, "n": point.boundaries} for point in result.curve]
    x = alt.X("cut:Q", title=TITLES[result.over], scale=alt.Scale(zero=False, nice=False, padding=8))
    y = drawing.zero_axis("Y", "value", metric.name, [point.value for point in result.curve])
    curve = drawing.chart(rows).encode(x=x, y=y)
    tooltip = [alt.Tooltip("cut:Q", format=".4g"), *drawing.tooltip("n:Q", numbers=["value"])]
    chosen = drawing.chart(
        [{"cut": best.cut, "value": best.value, "label": f"{best.value:.3f} at {best.cut:.4g}"}]
    )
    middle = (min(point.cut for point in result.curve) + max(point.cut for point in result.curve)) / 2
    beside = {"align": "left", "dx": 9} if best.cut <= middle else {"align": "right", "dx": -9}
    layers = [
        curve.mark_line(interpolate="step-after" if result.over == "segments" else "linear"),
        curve.mark_point(filled=True, size=16, opacity=1).encode(tooltip=tooltip),
        chosen.mark_rule(strokeDash=[2, 2]).encode(x="cut:Q"),
        chosen.mark_point(size=150, strokeWidth=2, opacity=1, style="outline").encode(x=x, y=y),
        chosen.mark_text(dy=-9, **beside).encode(x=x, y=y, text="label:N"),
    ]
    title = f"Best {result.over} {best.cut:.4g}: {metric.name} {best.value:.3f} where it was chosen"
    if not math.isnan(best.held_out):
        held_out: list[Row] = [{"value": best.held_out, "label": f"held out {best.held_out:.3f}"}]
        layers += _level_line(held_out, "value", width, [6, 3], dx=-4, dy=10)
        title += f", {best.held_out:.3f} on documents held out"
    codings = counted(result.references, "reference coding")
    return drawing.framed(
        *layers,
        title=title,
        subtitle=f"{counted(result.documents, 'document')}, {codings}, pooled. Ring: the best; dashed: "
        f"cross-validated in {counted(len(result.chosen), 'fold')}.",
        signature=result.signature,
        width=width,
    )


def _level_line(rows: list[Row], field: str, width: int, dash: list[int], **text: Any) -> list[Any]:
    """Return a line across the chart at a value, and its label at the right end."""
    line = drawing.chart(rows).encode(y=f"{field}:Q")
    name = line.mark_text(align="right", **text)
    return [line.mark_rule(strokeDash=dash, strokeWidth=1.5), name.encode(x=alt.value(width), text="label:N")]


# -------------------------------------------------------------------- the documents and coders of a study

POINTS = 40
"""The approximate number of points of a line."""


def half_widths(study: Plan, *, of: Of = "value", width: int = WIDTH) -> Chart:
    """Draw the half-width of π*, or of observed agreement, by documents, a line per number of coders."""
    low, high = study.documents[0], study.documents[-1]
    documents = sorted({*study.documents, *np.geomspace(low, high, POINTS).round().astype(int).tolist()})
    drawing.check_size("half-widths", len(study.coders), len(documents) * len(study.coders))
    rows: list[Row] = [
        {"documents": n, "coders": str(c), "half-width": study.half_width(n, c, of).value}
        for c in study.coders
        for n in documents
    ]
    name = f"π*_{study.metric.name}" if of == "value" else f"observed {study.metric.name}"
    x = drawing.number_axis("X", "documents", "documents", [low, max(high, low + 1)], type="log")
    x = x.axis(values=list(study.documents), format="d", labelOverlap=True)
    largest = max(row["half-width"] for row in rows)
    y = drawing.zero_axis("Y", "half-width", f"half-width of {name}", [largest])
    legend = {"title": "coders", "columns": 7}
    encoding = drawing.color_and("coders", map(str, study.coders), by="strokeDash", legend=legend)
    tooltip = drawing.tooltip("documents:Q", "coders:N", numbers=["half-width"])
    layers = [drawing.chart(rows).mark_line(strokeWidth=2).encode(x=x, y=y, **encoding, tooltip=tooltip)]
    if study.width is not None and study.width <= largest:
        wanted = [{"half-width": study.width, "label": f"± {study.width:g}"}]
        layers += _level_line(wanted, "half-width", width, [2, 3], dy=-6, fontSize=10)
    n = study.documents[len(study.documents) // 2]
    fewest_and_most = dict.fromkeys((study.coders[0], study.coders[-1]))
    ends = [f"± {study.half_width(n, c, of).value:.2f} with {c} coders" for c in fewest_and_most]
    pilot = f"From {counted(study.n_documents, 'document')} of a pilot"
    return drawing.framed(
        *layers,
        title=f"With {n} documents expect {name} {', '.join(ends)}",
        subtitle=f"{pilot if study.stated is None else 'Stated rates'}: the expected half-width of the "
        f"{percent(study.confidence)} interval by documents (logarithmic) and coders.",
        signature=study.signature,
        width=width,
    )


# -------------------------------------------------------------------- figures of papers

MANY_POINTS = 40
"""Curves with more points are drawn without signs."""


def curves(series: Series, *, width: int = WIDTH) -> Chart:
    """Draw the curves of a series with their spread, and published points as open circles."""
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
    # If curves share points, the first has rings, so that both are visible.
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
    )


def _is_rising(curve: Curve) -> bool:
    """Return whether a line may join the points, because each x is greater than the one before."""
    return all(a < b for a, b in pairwise(curve.x) if not isinstance(a, str) and not isinstance(b, str))


def _points(curves: Sequence[Curve]) -> list[Row]:
    return [
        {"label": curve.label, "x": x, "y": y, "low": curve.low[i] if curve.low else None,
         "high": curve.high[i] if curve.high else None}
        for curve in curves
        for i, (x, y) in enumerate(zip(curve.x, curve.y, strict=True))
    ]  # fmt: skip

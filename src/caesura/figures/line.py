"""Lines of a value: levels() of a hierarchy, thresholds() of scores, half_widths() of a planned study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from caesura.analyses.level_errors import HierarchicalError
from caesura.analyses.study_plan import Of, Plan
from caesura.analyses.thresholds import Sweep
from caesura.errors import ParameterError
from caesura.figures import drawing
from caesura.figures.drawing import WIDTH, Chart, Row
from caesura.figures.theme import alt
from caesura.wording import counted, percent

# -------------------------------------------------------------------- the levels of a hierarchy

ALL = "all levels"


def levels(errors: HierarchicalError | Mapping[str, HierarchicalError], *, width: int = WIDTH) -> Chart:
    """Draw the error at each level of the reference, from the most prominent on, and over all (C10 §2).

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
    # Beside each other, so that equal errors do not hide each other.
    band = width / len(order)
    apart = min(0.8 * band, 14 * len(hypotheses))
    lane = alt.XOffset("name:N", sort=hypotheses)
    lane = lane.scale(domain=hypotheses, range=[(band - apart) / 2, (band + apart) / 2])
    y = f"{title} (smaller is better)"
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
        height=280,
    )


# -------------------------------------------------------------------- the threshold of a model's scores

TITLES = {"threshold": "threshold of the scores", "segments": "segments of each document"}


def thresholds(result: Sweep, *, width: int = WIDTH) -> Chart:
    """Draw a metric against the threshold (or number of segments), the best one, and its value held out."""
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
        subtitle=f"{counted(result.documents, 'document')}, {codings}, pooled. Ring: the best; dashed: each "
        f"document cut as the others say ({counted(len(result.chosen), 'part')}).",
        signature=result.signature,
        width=width,
        height=300,
    )


def _level_line(rows: list[Row], field: str, width: int, dash: list[int], **text: Any) -> list[Any]:
    """Return a line across the chart at a value, and its label at the right end."""
    line = drawing.chart(rows).encode(y=f"{field}:Q")
    label = line.mark_text(align="right", **text)
    return [
        line.mark_rule(strokeDash=dash, strokeWidth=1.5),
        label.encode(x=alt.value(width), text="label:N"),
    ]


# -------------------------------------------------------------------- the documents and coders of a study

POINTS = 40
"""Numbers of documents that a line is drawn through, about."""


def half_widths(study: Plan, *, of: Of = "value", width: int = WIDTH) -> Chart:
    """Draw the half-width of π*, or of observed agreement, against documents, a line per number of coders."""
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
        subtitle=f"{pilot if study.stated is None else 'Stated rates'}: the half-width of the "
        f"{percent(study.confidence)} interval to expect, against documents (logarithmic), for each number "
        "of coders.",
        signature=study.signature,
        width=width,
        height=260,
    )

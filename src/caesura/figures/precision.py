"""precision_recall(): B-precision against B-recall of segmenters, over lines of equal F."""

from __future__ import annotations

from typing import TypeAlias

from caesura.analyses.comparison.results import Comparison
from caesura.figures.declaration import of_comparison
from caesura.figures.theme import TEXT, WIDTH, Chart, Row, data, framed, load_altair, shown
from caesura.wording import counted

F_LINES = tuple(tenths / 10 for tenths in range(1, 10))
POINTS_ON_LINE = 60
KINDS = ("segmenter", "lower bound", "upper bound")

NEAR = 12
PLACES = (
    (8, 0), (8, -NEAR), (8, NEAR), (-8, 0), (-8, -NEAR), (-8, NEAR),
    *((sign * 14, down) for far in (24, 36, 48, 60) for sign in (1, -1) for down in (-far, far)),
)  # fmt: skip
"""Where the name of a point may stand, in pixels to the right of it and below it; the best first."""

MANY = 20
"""Of more points only the outstanding ones have their names beside them."""
OUTSTANDING = 5

Box: TypeAlias = tuple[float, float, float, float]


def precision_recall(comparison: Comparison, *, width: int = WIDTH) -> Chart:
    """Draw B-precision against B-recall of every segmenter and bound (F13 figure 12).

    Thin lines join points of equal F1: P = F R / (2 R − F).
    """
    alt = load_altair()
    side = min(width, 460)
    points: list[Row] = [
        {"name": row.name, "kind": row.kind, "precision": row.precision, "recall": row.recall, "f1": row.f1}
        for row in comparison.rows
    ]
    x = alt.X("recall:Q", title="B-recall", scale=alt.Scale(domain=[0, 1])).axis(grid=False)
    y = alt.Y("precision:Q", title="B-precision", scale=alt.Scale(domain=[0, 1])).axis(grid=False)
    lines = alt.Chart(data(_equal_f())).mark_line(strokeWidth=1, opacity=0.35, style="outline")
    ends = [{"recall": 1.0, "precision": f / (2 - f), "label": f"F {f:.1f}"} for f in F_LINES]
    end = alt.Chart(data(ends)).mark_text(align="left", dx=4, fontSize=9, opacity=0.8)
    chart = alt.Chart(data(points))
    scale = alt.Scale(domain=list(KINDS))
    legend = alt.Legend(values=[kind for kind in KINDS if kind in {point["kind"] for point in points}])
    tooltip = ["name:N", *(alt.Tooltip(f"{one}:Q", format=".4f") for one in ("precision", "recall", "f1"))]
    dot = chart.mark_point(filled=True, size=90, opacity=1).encode(
        x=x,
        y=y,
        color=alt.Color("kind:N", title=None, scale=scale, legend=legend),
        shape=alt.Shape("kind:N", title=None, scale=scale, legend=legend),
        tooltip=tooltip,
    )
    labels = _labels(points if len(points) <= MANY else _outstanding(points), points, side)
    name = alt.Chart(data(labels)).mark_text(align="left").encode(x=x, y=y, text="name:N")
    far = alt.Chart(data(label for label in labels if label["far"])).mark_rule(opacity=0.5)
    leader = far.encode(x=x, y=y, x2="to recall:Q", y2="to precision:Q")
    ours = [row for row in comparison.rows if row.kind == "segmenter"]
    best = max(ours, key=lambda row: row.f1)
    few = f" Names: the best {OUTSTANDING} of {len(ours)}." if len(points) > MANY else ""
    return framed(
        alt.layer(
            lines.encode(x=x, y=y, detail="f:N"), end.encode(x=x, y=y, text="label:N"), dot, name, leader
        ).properties(width=side, height=side),
        title=f"{best.name} has the greatest B-F1, {best.f1:.3f}: precision {best.precision:.3f}, recall "
        f"{best.recall:.3f}"
        if len(ours) > 1
        else f"{best.name} has B-F1 {best.f1:.3f}: precision {best.precision:.3f}, recall {best.recall:.3f}",
        subtitle=f"Counts over {counted(best.n_codings, 'coding')}; near misses count as far as they are "
        f"correct. Lines: equal F1.{few}",
        signature=comparison.signature,
        width=side,
    )


def _outstanding(points: list[Row]) -> list[Row]:
    """Return bounds, and the segmenters of the greatest F1."""
    ours = sorted((point for point in points if point["kind"] == KINDS[0]), key=lambda point: -point["f1"])
    return [*ours[:OUTSTANDING], *(point for point in points if point["kind"] != KINDS[0])]


def _labels(named: list[Row], points: list[Row], side: float) -> list[Row]:
    """Return a free place for the name of each of some points: beside it or, with a line to it, further away.

    A name takes the first of PLACES where it covers the least of points and of names that stand already.
    """
    dots = [_place(point, side) for point in named]
    taken = [(x - 6.0, y - 6.0, x + 6.0, y + 6.0) for x, y in (_place(point, side) for point in points)]
    taken += [(side, y - 5.0, side + 30.0, y + 5.0) for y in ((1 - f / (2 - f)) * side for f in F_LINES)]
    labels: list[Row] = []
    for (x, y), point in sorted(zip(dots, named, strict=True), key=lambda one: one[0]):
        length = min(240.0, 0.56 * TEXT * len(shown(point["name"])))
        boxes = [
            (left, y + down - 6, left + length, y + down + 6)
            for right, down in PLACES
            for left in (x + right - (length if right < 0 else 0),)
        ]
        covered = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = covered.index(min(covered))
        left, top, *_ = box = boxes[best]
        taken.append(box)
        labels.append({
            "name": point["name"], "recall": left / side, "precision": 1 - (top + 6) / side,
            "far": abs(PLACES[best][1]) > NEAR, "to recall": point["recall"],
            "to precision": point["precision"],
        })  # fmt: skip
    return labels


def _place(point: Row, side: float) -> tuple[float, float]:
    """Return how many pixels right of and below the upper left corner a point stands."""
    return point["recall"] * side, (1 - point["precision"]) * side


def _overlap(one: Box, other: Box) -> float:
    """Return the area that two boxes (left, top, right, bottom) share."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _equal_f() -> list[dict[str, float]]:
    """Return points of each line, from precision 1 to recall 1."""
    rows = []
    for f in F_LINES:
        least = f / (2 - f)
        for step in range(POINTS_ON_LINE + 1):
            # Even steps of the logarithm: the lines bend most where recall is least.
            recall = least ** (1 - step / POINTS_ON_LINE)
            rows.append({"f": f, "recall": recall, "precision": f * recall / (2 * recall - f)})
    return rows


PRECISION_RECALL = of_comparison(
    "precision-recall",
    "B-precision against B-recall of segmenters, over lines of equal F",
    precision_recall,
)

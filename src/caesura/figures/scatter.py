"""Points: precision_recall() of segmenters over lines of equal F, trade_off() of chunkings."""

from __future__ import annotations

from typing import Any, TypeAlias

from caesura.analyses.chunking import ChunkEvaluation
from caesura.analyses.chunking.results import name_of
from caesura.analyses.comparison.results import Comparison
from caesura.errors import CorpusError
from caesura.figures import drawing
from caesura.figures.drawing import WIDTH, Chart, Row
from caesura.figures.theme import TEXT, alt
from caesura.wording import counted, percent

F_LINES = tuple(tenths / 10 for tenths in range(1, 10))
POINTS_ON_LINE = 60
KINDS = ("segmenter", "lower bound", "upper bound")

NEAR = 12
OFFSETS = (
    (8, 0), (8, -NEAR), (8, NEAR), (-8, 0), (-8, -NEAR), (-8, NEAR),
    *((sign * 14, down) for far in (24, 36, 48, 60) for sign in (1, -1) for down in (-far, far)),
)  # fmt: skip
"""Possible offsets of a name from its point, in pixels right and down; the best first."""

MANY = 20
"""The most points with names; of more, only the best have names."""
OUTSTANDING = 5

Box: TypeAlias = tuple[float, float, float, float]


def precision_recall(comparison: Comparison, *, width: int = WIDTH) -> Chart:
    """Draw B-precision against B-recall of every segmenter and bound (F13 figure 12).

    Thin lines join points of equal F1: P = F R / (2 R − F).
    """
    side = min(width, 460)
    points: list[Row] = [
        {"name": comparison.labels[row.name], "kind": row.kind, "precision": row.precision,
         "recall": row.recall, "f1": row.f1}
        for row in comparison.rows
    ]  # fmt: skip
    at = {
        channel: encoding(f"{field}:Q", title=f"B-{field}", scale=alt.Scale(domain=[0, 1])).axis(grid=False)
        for channel, encoding, field in (("x", alt.X, "recall"), ("y", alt.Y, "precision"))
    }
    lines = drawing.chart(_equal_f()).mark_line(strokeWidth=1, opacity=0.35, style="outline")
    ends = drawing.chart({"recall": 1.0, "precision": f / (2 - f), "label": f"F {f:.1f}"} for f in F_LINES)
    end = ends.mark_text(align="left", dx=4, fontSize=9, opacity=0.8)
    present = [kind for kind in KINDS if any(point["kind"] == kind for point in points)]
    encoding = drawing.color_and("kind", KINDS, legend={"values": present})
    tooltip = drawing.tooltip("name:N", numbers=("precision", "recall", "f1"))
    labels = _labels(points if len(points) <= MANY else _outstanding(points), points, side)
    far = drawing.chart(label for label in labels if label["far"]).mark_rule(opacity=0.5)
    ours = [row for row in comparison.rows if row.kind == "segmenter"]
    best = max(ours, key=lambda row: row.f1)
    few = f" Names: the best {OUTSTANDING} of {len(ours)}." if len(points) > MANY else ""
    dot = drawing.chart(points).mark_point(filled=True, size=90, opacity=1)
    score = f"the greatest B-F1, {best.f1:.3f}" if len(ours) > 1 else f"B-F1 {best.f1:.3f}"
    return drawing.framed(
        lines.encode(**at, detail="f:N"),
        end.encode(**at, text="label:N"),
        dot.encode(**at, **encoding, tooltip=tooltip),
        drawing.chart(labels).mark_text(align="left").encode(**at, text="name:N"),
        far.encode(**at, x2="to recall:Q", y2="to precision:Q"),
        title=f"{best.name} has {score}: precision {best.precision:.3f}, recall {best.recall:.3f}",
        subtitle=f"{counted(best.n_codings, 'coding')}; near misses count in part. Lines: equal F1.{few}",
        signature=comparison.signature,
        width=side,
        height=side,
    )


def _outstanding(points: list[Row]) -> list[Row]:
    """Return the bounds and the segmenters with the greatest F1."""
    ours = sorted((point for point in points if point["kind"] == KINDS[0]), key=lambda point: -point["f1"])
    return [*ours[:OUTSTANDING], *(point for point in points if point["kind"] != KINDS[0])]


def _labels(named: list[Row], points: list[Row], side: float) -> list[Row]:
    """Return a position for the name of each point: beside it or, with a line, farther away.

    A name takes the first of OFFSETS that covers the least area of points and earlier names.
    """
    dots = [_pixels(point, side) for point in named]
    taken = [(x - 6.0, y - 6.0, x + 6.0, y + 6.0) for x, y in (_pixels(point, side) for point in points)]
    taken += [(side, y - 5.0, side + 30.0, y + 5.0) for y in ((1 - f / (2 - f)) * side for f in F_LINES)]
    labels: list[Row] = []
    for (x, y), point in sorted(zip(dots, named, strict=True), key=lambda pair: pair[0]):
        length = min(240.0, 0.56 * TEXT * len(drawing.shown(point["name"])))
        boxes = [
            (left, y + down - 6, left + length, y + down + 6)
            for right, down in OFFSETS
            for left in (x + right - (length if right < 0 else 0),)
        ]
        covered = [sum(_overlap(box, rival) for rival in taken) for box in boxes]
        best = covered.index(min(covered))
        left, top, *_ = box = boxes[best]
        taken.append(box)
        labels.append({
            "name": point["name"], "recall": left / side, "precision": 1 - (top + 6) / side,
            "far": abs(OFFSETS[best][1]) > NEAR, "to recall": point["recall"],
            "to precision": point["precision"],
        })  # fmt: skip
    return labels


def _pixels(point: Row, side: float) -> tuple[float, float]:
    """Return the pixels of a point from the upper left corner, right and down."""
    return point["recall"] * side, (1 - point["precision"]) * side


def _overlap(first: Box, second: Box) -> float:
    """Return the common area of two boxes (left, top, right, bottom)."""
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _equal_f() -> list[dict[str, float]]:
    """Return points of each line, from precision 1 to recall 1."""
    rows = []
    for f in F_LINES:
        least = f / (2 - f)
        for step in range(POINTS_ON_LINE + 1):
            # Even steps of the logarithm, because lines bend most at small recall.
            recall = least ** (1 - step / POINTS_ON_LINE)
            rows.append({"f": f, "recall": recall, "precision": f * recall / (2 * recall - f)})
    return rows


# -------------------------------------------------------------------- chunkings


def trade_off(evaluation: ChunkEvaluation | dict[str, Any], *, width: int = WIDTH) -> Chart:
    """Draw the deciding metric by mean size of chunks; the evaluation may be its ``to_dict``."""
    data = evaluation if isinstance(evaluation, dict) else evaluation.to_dict()
    metric = data["metric"]
    if metric is None:
        raise CorpusError("no metric decides which chunking is best; give questions or a metric")
    rows: list[Row] = []
    for chunking in data["chunkings"]:
        low, high = chunking["intervals"].get(metric, (None, None))
        name, value, size = chunking["name"], chunking[metric], chunking["sizes"]["mean"]
        if value is not None:
            rows.append({"name": name, "size": size, "value": value, "low": low, "high": high})
    drawing.check_size("chunkings", len(rows), hint="choose some of them")
    names = drawing.names(row["name"] for row in rows)
    title = name_of(metric)
    over = counted(len(data["documents"]), "document")
    if data["questions"]:
        over = f"Means over {counted(len(data['questions']), 'question')}"
    x = alt.X("size:Q", title="mean size of a chunk", scale=alt.Scale(zero=True))
    y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=True))
    shape = drawing.color_and("name", names, legend={"title": None, "columns": 4})
    points = drawing.chart(rows).encode(x=x, **shape)
    whiskers = drawing.chart(row for row in rows if row["low"] is not None)
    whiskers = whiskers.mark_rule(strokeWidth=1.5).encode(x=x, y="low:Q", y2="high:Q", color=shape["color"])
    dots = points.mark_point(filled=True, size=80, opacity=1)
    best = max(rows, key=lambda row: row["value"])
    return drawing.framed(
        whiskers,
        dots.encode(y=y, tooltip=drawing.tooltip("name:N", numbers=("size", "value", "low", "high"))),
        title=f"{best['name']} has the greatest {title}, {best['value']:.3f}, "
        f"with chunks of {best['size']:.0f} on average",
        subtitle=f"{over}. Whiskers: {percent(data['confidence'])} intervals.",
        signature=data["signature"],
        width=width,
    )

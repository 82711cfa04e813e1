"""precision_recall(): B-precision against B-recall of segmenters, over lines of equal F."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.compare.results import Comparison
from caesura.report.figures.declaration import Figure, comparison_of
from caesura.report.figures.theme import WIDTH, Row, data, framed, load_altair

if TYPE_CHECKING:
    from caesura.report.figures.theme import Chart

F_LINES = tuple(tenths / 10 for tenths in range(1, 10))
POINTS_ON_LINE = 60
KINDS = ("segmenter", "lower bound", "upper bound")


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
    tooltip = ["name:N", *(alt.Tooltip(f"{one}:Q", format=".4f") for one in ("precision", "recall", "f1"))]
    dot = chart.mark_point(filled=True, size=90, opacity=1).encode(
        x=x,
        y=y,
        color=alt.Color("kind:N", title=None, scale=scale),
        shape=alt.Shape("kind:N", title=None, scale=scale),
        tooltip=tooltip,
    )
    # From left to right names stand above and below by turns, so that neighbours leave each other room.
    points.sort(key=lambda point: point["recall"])
    above, below = (
        alt.Chart(data(points[start::2])).mark_text(align="left", dx=8, dy=dy).encode(x=x, y=y, text="name:N")
        for start, dy in ((0, -8), (1, 9))
    )
    ours = [row for row in comparison.rows if row.kind == "segmenter"]
    best = max(ours, key=lambda row: row.f1)
    return framed(
        alt.layer(
            lines.encode(x=x, y=y, detail="f:N"), end.encode(x=x, y=y, text="label:N"), dot, above, below
        ).properties(width=side, height=side),
        title=f"{best.name} has the greatest B-F1, {best.f1:.3f}: precision {best.precision:.3f}, recall "
        f"{best.recall:.3f}"
        if len(ours) > 1
        else f"{best.name} has B-F1 {best.f1:.3f}: precision {best.precision:.3f}, recall {best.recall:.3f}",
        subtitle=f"Counts over {best.n_codings:,} codings; near misses count as far as they are correct. "
        "Lines: equal F1.",
        signature=comparison.signature,
        width=side,
    )


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


PRECISION_RECALL = Figure(
    "precision-recall",
    "B-precision against B-recall of segmenters, over lines of equal F",
    lambda corpus, o: precision_recall(comparison_of(corpus, o), width=o.width),
)

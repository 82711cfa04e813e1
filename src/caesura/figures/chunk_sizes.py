"""trade_off(): the sizes of chunks against their value for questions, a point for each chunking."""

from __future__ import annotations

from typing import Any

from caesura.analyses.chunking import ChunkEvaluation
from caesura.analyses.chunking.words import name_of
from caesura.errors import CorpusError
from caesura.figures import drawing
from caesura.figures.drawing import WIDTH, Chart, Row
from caesura.figures.theme import alt
from caesura.wording import counted, percent


def trade_off(evaluation: ChunkEvaluation | dict[str, Any], *, width: int = WIDTH) -> Chart:
    """Draw the mean size of chunks against the deciding metric; data may be what ``to_dict`` gives."""
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
        height=300,
    )

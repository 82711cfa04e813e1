"""type_confusion(): which types of boundaries, or ranks, are taken for which, as a heat map."""

from __future__ import annotations

from caesura.analyses.type_confusion import TypeConfusion
from caesura.figures import drawing
from caesura.figures.drawing import WIDTH, Chart, Row
from caesura.figures.theme import alt
from caesura.wording import counted

NOTHING = "no boundary"


def type_confusion(result: TypeConfusion, *, width: int = WIDTH) -> Chart:
    """Draw how often each type of boundary, or rank, is taken for each other one (F13t §4.1.3).

    A row is what a boundary is, a column what it is taken for; the shade is the share of the row.
    """
    matrix, kinds = result.matrix, (*result.matrix.types, None)
    names: dict[int | None, str] = {None: NOTHING} | dict(result.names)
    if len(result.names) == 1:
        names[kinds[0]] = "boundary"
    counts = {(actual, kind): float(matrix[kind, actual]) for actual in kinds for kind in kinds}
    of_row = {actual: sum(counts[actual, kind] for kind in kinds) for actual in kinds}
    cells: list[Row] = [
        {"row": names[actual], "column": names[kind], "n": n, "share": n / of_row[actual],
         "right": actual == kind}
        for (actual, kind), n in counts.items()
        if n
    ]  # fmt: skip
    order = drawing.names(names[kind] for kind in kinds)
    drawing.check_size("the confusion of types", len(order), len(cells))
    side = min(90.0, width / len(order))
    height = max(28.0, min(44.0, side))
    angle = 0 if drawing.fits(order, side) else -40
    at = {
        "x": drawing.name_axis("X", "column", order, title="taken for", labelAngle=angle),
        "y": drawing.name_axis("Y", "row", order, title="is"),
    }
    share = alt.Color("share:Q", title="share of the row", scale=alt.Scale(domain=[0, 1]))
    chart = drawing.chart(cells).encode(**at)
    tooltip = ["row:N", "column:N", "n:Q", alt.Tooltip("share:Q", format=".1%")]
    right = drawing.chart(cell for cell in cells if cell["right"]).encode(**at)
    number = chart.mark_text(fontSize=min(11.0, side / 3))
    confused = result.confused
    title = f"No type is taken for another in {counted(result.n_pairs, 'pair')} of codings"
    if confused:
        (actual, kind), most = next(iter(confused.items()))
        title = (
            f"{names[actual]} is taken for {names[kind]} {most:g} times, the most frequent of "
            f"{sum(confused.values()):g} confusions"
        )
    sides = "Predictions of segmenters" if result.segmenters else "Every coder by every other one"
    return drawing.framed(
        chart.mark_rect().encode(color=share.legend(format=".0%", gradientLength=120), tooltip=tooltip),
        right.mark_rect(filled=False, strokeWidth=1.5, style="outline"),
        number.encode(text=alt.Text("n:Q", format=",.1~f"), color=drawing.ink("datum.share > 0.65")),
        title=title,
        subtitle=f"{sides}: {counted(result.n_pairs, 'pair')}, n_t={result.metric.n_t}. "
        "Near misses count in part. Framed: the right type.",
        signature=result.signature,
        width=alt.Step(side),
        step=height,
        room=max(width, side * len(order)),
    )

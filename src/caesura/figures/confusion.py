"""type_confusion(): which types of boundaries, or ranks, are taken for which, as a heat map."""

from __future__ import annotations

from caesura.analyses.type_confusion import TypeConfusion
from caesura.figures import drawing
from caesura.figures.drawing import WIDTH, Chart, Row
from caesura.figures.matrix import cells
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
    marks: list[Row] = [
        {"row": names[actual], "column": names[kind], "n": n, "share": n / of_row[actual],
         "framed": actual == kind}
        for (actual, kind), n in counts.items()
        if n
    ]  # fmt: skip
    order = drawing.names(names[kind] for kind in kinds)
    confused = result.confused
    title = f"No type is taken for another in {counted(result.n_pairs, 'pair')} of codings"
    if confused:
        (actual, kind), most = next(iter(confused.items()))
        title = (
            f"{names[actual]} is taken for {names[kind]} {most:g} times, the most frequent of "
            f"{sum(confused.values()):g} confusions"
        )
    sides = "Predictions of segmenters" if result.segmenters else "Every coder by every other one"
    return cells(
        marks,
        order,
        order,
        "share of the row",
        (0, 1),
        shade="share",
        number=alt.Text("n:Q", format=",.1~f"),
        largest=(90, 44),
        titles=("is", "taken for"),
        title=title,
        subtitle=f"{sides}: {counted(result.n_pairs, 'pair')}, n_t={result.metric.n_t}. "
        "Near misses count in part. Framed: the right type.",
        signature=result.signature,
        width=width,
    )

"""Matrices: heat_map(), document_heat_map(), type_confusion(), pair_values(), post_hoc()."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.comparison.results import HUMAN, TOGETHER, Comparison, values_together
from caesura.analyses.type_confusion import TypeConfusion
from caesura.errors import CorpusError, ParameterError, unknown
from caesura.figures import drawing
from caesura.figures.drawing import WIDTH, Chart, Row
from caesura.figures.theme import TEXT, alt
from caesura.stats.outcome import TestReport
from caesura.wording import counted, p_shown

CELL_WITH_NUMBER = 22
"""The least pixels of a cell with a number; half as many in height."""


LEAST_SLANTED = 14
"""The least pixels of a column with slanted names; narrower columns have upright names."""


def heat_map(matrix: CoderMatrix, *, width: int = WIDTH) -> Chart:
    """Draw a metric between every two coders (as F13t figure 5.23); darker cells have greater values."""
    values = matrix.values.tolist()
    cells = [
        {"row": first, "column": second, "value": value}
        for first, row in zip(matrix.coders, values, strict=True)
        for second, value in zip(matrix.coders, row, strict=True)
    ]
    pairs = [value for row in values for value in row if value == value]
    name = matrix.metric.name
    sides = "" if matrix.metric.symmetric else " Rows are references, columns hypotheses."
    return _coder_cells(
        matrix,
        cells,
        title=f"{len(matrix.coders)} coders: {name} {float(matrix.scores.micro):.2f} pooled, "
        f"between two of them from {min(pairs):.2f} to {max(pairs):.2f}",
        subtitle=f"{name} between every two coders, pooled over the documents that they share "
        f"({counted(len(matrix.documents), 'document')}, {counted(len(matrix.pairs), 'pair')}).{sides}",
        width=width,
    )


def document_heat_map(
    result: CoderMatrix | Comparison,
    *,
    segmenter: str | None = None,
    pooled: bool = False,
    width: int = WIDTH,
) -> Chart:
    """Draw a metric by document and coder (F13t figures 5.23 and 5.34).

    For a CoderMatrix, a cell is the coder's mean against the other coders of the document. For a Comparison,
    it is a segmenter (default: the best), or all pooled, against the coder; cells that reach the value of
    people against each other are framed.
    """
    if isinstance(result, Comparison):
        return _against_segmenter(result, segmenter, pooled, width)
    if pooled:
        raise ParameterError("pooled needs a comparison with segmenters, not a coder matrix")
    cells: list[Row] = []
    for document in result.documents:
        means = result.document(document).means
        cells += [{"row": document, "column": coder, "value": value} for coder, value in means.items()]
    values = dict(zip(result.documents, result.document_values().tolist(), strict=True))
    best, worst = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    name = result.metric.name
    title = f"{name} is {float(result.scores.micro):.2f} over {counted(len(values), 'document')}"
    if len(values) > 1:
        title += f": from {values[worst]:.2f} ({worst}) to {values[best]:.2f} ({best})"
    return _coder_cells(
        result,
        cells,
        result.documents,
        title=title,
        subtitle=f"Each coder's mean {name} against the other coders of the document; empty: not coded.",
        width=width,
    )


def _against_segmenter(comparison: Comparison, segmenter: str | None, pooled: bool, width: int) -> Chart:
    ours = [row.name for row in comparison.rows if row.kind == "segmenter"]
    chosen = segmenter or next(name for name in comparison.ranking if name in ours)
    if chosen not in ours:
        raise unknown("segmenter", chosen, ours)
    values, mean = comparison[chosen].values.tolist(), comparison[chosen].macro
    if pooled:
        chosen, values = TOGETHER, values_together([comparison[name] for name in ours]).tolist()
        mean = sum(values) / len(values)
    people, distance = comparison.human, comparison.metric.distance_from_best
    level = None if people is None else distance(people.value)
    cells = [
        {
            "row": document,
            "column": coder,
            "value": value,
            "framed": level is not None and distance(value) <= level,
        }
        for (document, coder, _), value in zip(comparison.people, values, strict=True)
    ]
    name = comparison.metric.name
    frames = "" if people is None else f"; framed: at least as good as people ({people.value:.2f})"
    return _coder_cells(
        comparison,
        cells,
        comparison.documents,
        title=f"{chosen.capitalize() + ' have' if pooled else chosen + ' has'} mean {name} {mean:.2f}: from "
        f"{min(values):.2f} to {max(values):.2f} on {counted(len(values), 'coding')}",
        subtitle=f"{name} of {chosen} against each coder on each document; empty: not coded{frames}.",
        width=width,
    )


def _coder_cells(
    result: CoderMatrix | Comparison, marks: Sequence[Row], documents: Sequence[str] = (), **words: Any
) -> Chart:
    """Draw a cell for each coder and document, or without documents for each two coders."""
    metric, titles = result.metric, ("document", "coder") if documents else (None, None)
    ends = drawing.limits(metric.low, metric.high, (mark["value"] for mark in marks))
    words |= {"titles": titles, "signature": result.signature}
    return cells(marks, documents or result.coders, result.coders, metric.name, ends, **words)


def cells(
    marks: Sequence[Row],
    rows: Sequence[str],
    columns: Sequence[str],
    legend: str | None,
    ends: tuple[float, float],
    *,
    shade: str = "value",
    number: Any = None,
    largest: tuple[float, float] = (60, 26),
    titles: tuple[str | None, str | None] = (None, None),
    width: int,
    **words: Any,
) -> Chart:
    """Draw a cell for each row and column, shaded by a field between two ends, with its value.

    ``largest`` is the greatest width and height of a cell, in pixels.
    """
    drawing.check_size("the heat map", len(rows), len(marks))
    drawing.check_size("the heat map", len(columns))
    plot = min(width, largest[0] * len(columns))
    side, height = plot / len(columns), drawing.row_step(len(rows), largest=largest[1])
    low, high = ends
    angle = 0 if drawing.fits(drawing.names(columns), side) else -60 if side >= LEAST_SLANTED else -90
    slanted = {"labelAngle": angle, "labelOverlap": side < TEXT}
    at = {
        "x": drawing.name_axis("X", "column", columns, title=titles[1], **slanted),
        "y": drawing.name_axis("Y", "row", rows, title=titles[0], labelOverlap=True),
    }
    color = alt.Color(f"{shade}:Q", title=legend, scale=alt.Scale(domain=[low, high]))
    length = {"gradientLength": min(200, max(100, plot / 2)), "format": ".2~f"}
    color = color.legend(**length) if legend else color.legend(None)
    chart = drawing.chart(mark for mark in marks if mark[shade] == mark[shade]).encode(**at)
    shown = number or alt.Text("value:Q", format=".2f")
    tooltip = [*drawing.tooltip("row:N", "column:N", numbers=[shade]), alt.Tooltip(shown.shorthand)]
    layers = [chart.mark_rect().encode(color=color, tooltip=tooltip)]
    if any(mark.get("framed") for mark in marks):
        reached = drawing.chart(mark for mark in marks if mark["framed"]).encode(**at)
        layers.append(reached.mark_rect(filled=False, strokeWidth=2, style="frame"))
    if side >= CELL_WITH_NUMBER and height >= CELL_WITH_NUMBER / 2:
        text = chart.mark_text(fontSize=min(11, side / 3, height - 2))
        ink = drawing.ink(f"datum.{shade} > {low + 0.65 * (high - low)}")
        layers.append(text.encode(text=shown, color=ink))
    return drawing.framed(*layers, width=plot, step=height, room=width, **words)


# -------------------------------------------------------------------- values of pairs by metric


MOST_DOTS = 100
"""The most pairs of codings with dots; more dots would cover the boxes."""


def pair_values(matrices: CoderMatrix | Sequence[CoderMatrix], *, width: int = WIDTH) -> Chart:
    """Draw metrics of every two codings of a document, as box plots (F13t figures 5.17 and 5.21).

    Errors with maximum 1, such as WD, are drawn as similarities: 1 − WD.
    """
    matrices = [matrices] if isinstance(matrices, CoderMatrix) else matrices
    rows: list[Row] = []
    means: dict[str, float] = {}
    for matrix in matrices:
        metric, values, mean = matrix.metric, matrix.scores.values, matrix.scores.macro
        name = metric.name
        if metric.direction == "lower" and metric.high == 1:
            name, values, mean = f"1 − {name}", 1 - values, 1 - mean
        means[name] = mean
        rows += [
            {"metric": name, **pair._asdict(), "value": value}
            for pair, value in zip(matrix.pairs, values.tolist(), strict=True)
        ]
    first = matrices[0]
    drawing.check_size("pair values", len(means), len(rows))
    x = drawing.zero_axis("X", "value", "every two codings", [row["value"] for row in rows])
    tooltip = drawing.tooltip("document:N", "first:N", "second:N", numbers=["value"])
    has_dots = len(rows) <= MOST_DOTS * len(means)
    layers, step = drawing.boxes(rows, "metric", means, x, tooltip if has_dots else None)
    return drawing.framed(
        *layers,
        title=f"Two coders have on average {', '.join(f'{name} {mean:.2f}' for name, mean in means.items())}",
        subtitle=f"Every two codings of a document ({counted(first.n_pairs, 'pair')}, "
        f"{counted(len(first.documents), 'document')}). Boxes: quartiles and median, whiskers: "
        f"least and greatest{', dots: pairs' if has_dots else ''}; asymmetric metrics are drawn both ways.",
        signature="\n".join(matrix.signature for matrix in matrices),
        width=width,
        step=1.6 * step,
    )


# -------------------------------------------------------------------- differences of segmenters

MOST_WITH_NUMBERS = 12
"""The most segmenters with numbers in cells."""
BARE = 18.0
"""The side of a cell without numbers, in pixels."""


def post_hoc(result: Comparison | TestReport, *, width: int = WIDTH) -> Chart:
    """Draw the comparison of every two segmenters: row minus column, and the adjusted p.

    A star marks significance at the test's α. For a Comparison, its default test is drawn, with people
    against each other as another row; draw other tests with ``post_hoc(comparison.test("codings"))``.
    """
    report = result.report if isinstance(result, Comparison) else result
    if report is None or not report.contrasts:
        raise CorpusError("no two segmenters were tested against each other")
    order = list(dict.fromkeys(name for pair in report.contrasts for name in (pair.first, pair.second)))
    contrasts, significant, of_people = report.contrasts, report.significant, ""
    labels = {name: name for name in order}
    if isinstance(result, Comparison):
        order, labels = [name for name in result.ranking if name in order], result.labels
        if (people := result.human_test) is not None:
            order, contrasts = [HUMAN, *order], (*contrasts, *people.contrasts)
            significant = (*significant, *people.significant)
            of_people = (
                f" {HUMAN}: people against each other; from them {len(people.significant)} of "
                f"{len(people.contrasts)} differ, p adjusted for their number."
            )
    drawing.check_size("the matrix", len(order), len(order) ** 2)
    cells: list[Row] = []
    for contrast in contrasts:
        star = "*" if contrast in significant else ""
        p = p_shown(contrast.adjusted_p)
        sides, difference = (labels[contrast.first], labels[contrast.second]), contrast.difference
        for (row, column), value in ((sides, difference), (sides[::-1], -difference)):
            cells.append({"row": row, "column": column, "difference": value, "p": f"{p}{star}"})
    order = [labels[name] for name in order]
    known = [abs(pair.difference) for pair in contrasts if pair.difference == pair.difference]
    greatest = max(known, default=0.0)
    has_numbers = len(order) <= MOST_WITH_NUMBERS
    side = min(92.0, max(58.0, width / len(order))) if has_numbers else BARE
    angle = 0 if drawing.fits(drawing.names(order), side) else -40 if has_numbers else -90
    x = drawing.name_axis("X", "column", order, orient="top", labelAngle=angle)
    ends = alt.Scale(domain=[-(greatest or 1), greatest or 1], domainMid=0, range="diverging", reverse=True)
    color = alt.Color("difference:Q", title="row − column", scale=ends)
    color = color.legend(format="+.2f", gradientLength=160)
    chart = drawing.chart(cells).encode(x=x, y=drawing.name_axis("Y", "row", order))
    layers = [chart.mark_rect().encode(color=color, tooltip=["row:N", "column:N", "difference:Q", "p:N"])]
    if has_numbers:
        # A theme's ramp may be dark at one end or both. The scale is named after the chart's first view.
        ink = drawing.ink("luminance(scale('concat_0_color', datum.difference)) < 0.18")
        number = chart.mark_text(dy=-7, fontSize=11)
        layers.append(number.encode(text=alt.Text("difference:Q", format="+.3f"), color=ink))
        layers.append(chart.mark_text(dy=8, fontSize=10).encode(text="p:N", color=ink))
    return drawing.framed(
        *layers,
        title=f"{len(report.significant)} of {counted(len(report.contrasts), 'difference')} "
        f"{'is' if len(report.contrasts) == 1 else 'are'} significant at α = {report.alpha:g}",
        subtitle=f"Test: {report.procedure} on {counted(report.subjects, 'subject')}; difference of row and "
        f"column, p adjusted for the number of pairs, * significant.{of_people}",
        signature=result.signature if isinstance(result, Comparison) else "",
        width=alt.Step(side),
        step=44 if has_numbers else BARE,
        room=max(width, side * len(order)),
    )


# -------------------------------------------------------------------- types taken for others

NOTHING = "no boundary"


def type_confusion(result: TypeConfusion, *, width: int = WIDTH) -> Chart:
    """Draw how often each type of boundary, or rank, is taken for each other (F13t §4.1.3).

    Rows are actual types, columns the types that they are taken for; the shade is the share of the row.
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
        share = f"{most:g} of {sum(confused.values()):g} confusions"
        title = f"{names[actual]} is most often taken for {names[kind]} ({share})"
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
        titles=("boundary is", "taken for"),
        title=title,
        subtitle=f"{sides}: {counted(result.n_pairs, 'pair')}, n_t={result.metric.n_t}. "
        "Near misses count in part. Framed: the right type.",
        signature=result.signature,
        width=width,
    )

"""heat_map() and document_heat_map(): a metric between coders, and by document and coder, as shaded cells."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.analyses.coder_agreement.matrix import CoderMatrix, coder_matrix
from caesura.analyses.comparison.results import Comparison
from caesura.errors import UnknownNameError, did_you_mean
from caesura.figures.declaration import OF_COMPARISON, Figure, Options, comparison_of
from caesura.figures.theme import (
    WIDTH,
    Chart,
    Row,
    check_size,
    data,
    fits,
    framed,
    limits,
    load_altair,
    names,
    row_step,
)
from caesura.metrics.base import Metric
from caesura.values.corpus import Corpus
from caesura.wording import counted

CELL_WITH_NUMBER = 22
"""Cells of fewer pixels, or of less than half as many in height, have no room for their number."""


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
    return _cells(
        cells,
        matrix.metric,
        ("", matrix.coders),
        ("", matrix.coders),
        title=f"{len(matrix.coders)} coders: {name} {float(matrix.scores.micro):.2f} pooled, "
        f"between two of them from {min(pairs):.2f} to {max(pairs):.2f}",
        subtitle=f"{name} between every two coders, pooled over the documents that they share "
        f"({counted(len(matrix.documents), 'document')}, {counted(len(matrix.pairs), 'pair')}).{sides}",
        signature=matrix.signature,
        width=min(width, 44 * len(matrix.coders)),
    )


def document_heat_map(
    result: CoderMatrix | Comparison, *, segmenter: str | None = None, width: int = WIDTH
) -> Chart:
    """Draw a metric by document and coder (F13t figures 5.23 and 5.34).

    Of a CoderMatrix each cell is the coder's mean against the other coders of the document; of a Comparison
    it is a segmenter (the best one, if none is named) against the coder.
    """
    if isinstance(result, Comparison):
        return _against_segmenter(result, segmenter, width)
    cells: list[Row] = []
    for document in result.documents:
        means = result.document(document).means
        cells += [{"row": document, "column": coder, "value": value} for coder, value in means.items()]
    values = dict(zip(result.documents, result.document_values().tolist(), strict=True))
    best, worst = (choose(values, key=lambda one: values[one]) for choose in (max, min))
    name = result.metric.name
    title = f"{name} is {float(result.scores.micro):.2f} over {counted(len(values), 'document')}"
    if len(values) > 1:
        title += f": from {values[worst]:.2f} ({worst}) to {values[best]:.2f} ({best})"
    return _cells(
        cells,
        result.metric,
        ("document", result.documents),
        ("coder", result.coders),
        title=title,
        subtitle=f"Each coder's mean {name} against the other coders of the document; empty cells are not "
        "coded.",
        signature=result.signature,
        width=min(width, 44 * len(result.coders)),
    )


def _against_segmenter(comparison: Comparison, segmenter: str | None, width: int) -> Chart:
    ours = [row.name for row in comparison.rows if row.kind == "segmenter"]
    chosen = segmenter or next(name for name in comparison.ranking if name in ours)
    if chosen not in ours:
        raise UnknownNameError(f"there is no segmenter {chosen!r}; {did_you_mean(chosen, ours)}")
    values = comparison[chosen].values.tolist()
    cells = [
        {"row": document, "column": coder, "value": value}
        for (document, coder, _), value in zip(comparison.people, values, strict=True)
    ]
    name = comparison.metric.name
    return _cells(
        cells,
        comparison.metric,
        ("document", comparison.documents),
        ("coder", comparison.coders),
        title=f"{chosen} has mean {name} {comparison[chosen].macro:.2f}: from {min(values):.2f} to "
        f"{max(values):.2f} on {counted(len(values), 'coding')}",
        subtitle=f"{name} of {chosen} against each coder on each document; empty cells are not coded.",
        signature=comparison.signature,
        width=min(width, 44 * len(comparison.coders)),
    )


def _cells(
    cells: Sequence[Row],
    metric: Metric,
    rows: tuple[str, Sequence[str]],
    columns: tuple[str, Sequence[str]],
    *,
    width: float,
    **words: str,
) -> Chart:
    alt = load_altair()
    (row_title, row_names), (column_title, column_names) = rows, columns
    check_size("the heat map", len(row_names), len(cells))
    check_size("the heat map", len(column_names))
    side = width / len(column_names)
    low, high = limits(metric.low, metric.high, (cell["value"] for cell in cells))
    x = alt.X("column:N", sort=names(column_names), title=column_title or None)
    angle = 0 if fits(names(column_names), side) else -60
    x = x.scale(domain=names(column_names)).axis(labelAngle=angle, labelOverlap=True)
    height = row_step(len(row_names), largest=26)
    y = alt.Y("row:N", sort=names(row_names), title=row_title or None).scale(domain=names(row_names))
    y = y.axis(labelOverlap=True)
    colour = alt.Color("value:Q", title=metric.name, scale=alt.Scale(domain=[low, high]))
    colour = colour.legend(gradientLength=min(200, max(100, width / 2)), format=".2~f")
    known = [cell for cell in cells if cell["value"] == cell["value"]]
    chart = alt.Chart(data(known))
    tooltip = ["row:N", "column:N", alt.Tooltip("value:Q", format=".4f")]
    layers = [chart.mark_rect().encode(x=x, y=y, color=colour, tooltip=tooltip)]
    if side >= CELL_WITH_NUMBER and height >= CELL_WITH_NUMBER / 2:
        middle = low + 0.65 * (high - low)
        ink = alt.condition(f"datum.value > {middle}", alt.value("white"), alt.value("black"))
        number = chart.mark_text(fontSize=min(11, side / 3, height - 2))
        layers.append(number.encode(x=x, y=y, text=alt.Text("value:Q", format=".2f"), color=ink))
    return framed(alt.layer(*layers).properties(width=width, height=alt.Step(height)), width=width, **words)


HEAT_MAP = Figure(
    "heat-map",
    "a metric between every two coders",
    lambda corpus, o: heat_map(coder_matrix(corpus, o.metric, n_t=o.n_t), width=o.width),
    uses=("metric", "n_t"),
)


def _by_document(corpus: Corpus, options: Options) -> Chart:
    if options.segmenters:
        return document_heat_map(comparison_of(corpus, options), width=options.width)
    return document_heat_map(coder_matrix(corpus, options.metric, n_t=options.n_t), width=options.width)


DOCUMENT_HEAT_MAP = Figure(
    "document-heat-map",
    "a metric by document and coder, of coders or of a segmenter",
    _by_document,
    uses=OF_COMPARISON,
)

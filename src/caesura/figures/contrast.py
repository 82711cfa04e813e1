"""post_hoc(): which segmenters differ, as a matrix of differences with their p."""

from __future__ import annotations

from caesura.analyses.comparison.results import Comparison
from caesura.errors import CorpusError
from caesura.figures.declaration import of_comparison
from caesura.figures.theme import WIDTH, Chart, Row, check_size, data, fits, framed, load_altair, names
from caesura.stats.outcome import TestReport
from caesura.wording import counted

MOST_WITH_NUMBERS = 12
"""Of more segmenters the cells are too small for numbers."""
BARE = 18.0
"""The side of a cell without numbers, in pixels."""


def post_hoc(result: Comparison | TestReport, *, width: int = WIDTH) -> Chart:
    """Draw the comparison of every two segmenters: row minus column, and the adjusted p.

    A star marks what is significant at the test's α. Of a Comparison its default test is drawn; any other is
    drawn by itself, as in ``post_hoc(comparison.test("codings"))``.
    """
    alt = load_altair()
    report = result.report if isinstance(result, Comparison) else result
    if report is None or not report.contrasts:
        raise CorpusError("there are no two segmenters whose difference was tested")
    order = list(dict.fromkeys(name for one in report.contrasts for name in (one.first, one.second)))
    if isinstance(result, Comparison):
        order = [name for name in result.ranking if name in order]
    check_size("the matrix", len(order), len(order) ** 2)
    cells: list[Row] = []
    for one in report.contrasts:
        star = "*" if one in report.significant else ""
        p = "p < 0.001" if one.adjusted_p < 0.001 else f"p = {one.adjusted_p:.3f}"
        for row, column, difference in (
            (one.first, one.second, one.difference),
            (one.second, one.first, -one.difference),
        ):
            cells.append({"row": row, "column": column, "difference": difference, "p": f"{p}{star}"})
    known = [abs(one.difference) for one in report.contrasts if one.difference == one.difference]
    greatest = max(known, default=0.0)
    has_numbers = len(order) <= MOST_WITH_NUMBERS
    side = min(92.0, max(58.0, width / len(order))) if has_numbers else BARE
    x = alt.X("column:N", sort=names(order), title=None).scale(domain=names(order))
    x = x.axis(orient="top", labelAngle=0 if fits(names(order), side) else -40 if has_numbers else -90)
    y = alt.Y("row:N", sort=names(order), title=None).scale(domain=names(order))
    ends = alt.Scale(domain=[-(greatest or 1), greatest or 1], domainMid=0, range="diverging", reverse=True)
    colour = alt.Color("difference:Q", title="row − column", scale=ends).legend(
        format="+.2f", gradientLength=160
    )
    chart = alt.Chart(data(cells))
    strong = alt.condition(
        f"abs(datum.difference) > {0.75 * greatest}", alt.value("white"), alt.value("black")
    )
    layers = [
        chart.mark_rect().encode(x=x, y=y, color=colour, tooltip=["row:N", "column:N", "difference:Q", "p:N"])
    ]
    if has_numbers:
        number = chart.mark_text(dy=-7, fontSize=11).encode(x=x, y=y, color=strong)
        layers.append(number.encode(text=alt.Text("difference:Q", format="+.3f")))
        layers.append(chart.mark_text(dy=8, fontSize=10).encode(x=x, y=y, text="p:N", color=strong))
    n = len(report.significant)
    signature = result.signature if isinstance(result, Comparison) else ""
    return framed(
        alt.layer(*layers).properties(width=alt.Step(side), height=alt.Step(44 if has_numbers else BARE)),
        title=f"{n} of {counted(len(report.contrasts), 'difference')} "
        f"{'is' if len(report.contrasts) == 1 else 'are'} significant at α = {report.alpha:g}",
        subtitle=f"Test: {report.procedure} on {counted(report.subjects, 'subject')}; difference of row and "
        "column, p adjusted for the number of pairs, * significant.",
        signature=signature,
        width=max(width, side * len(order)),
    )


POST_HOC = of_comparison(
    "post-hoc", "which segmenters differ: every two of them with difference and p", post_hoc
)

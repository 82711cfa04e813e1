"""Pages: what was computed elsewhere as HTML without a network; results learn here how they are drawn."""

from caesura.analyses.reporting import Report
from caesura.pages.report_page import charts, page, save
from caesura.results.presentation import Drawing, draw_by
from caesura.results.result import Result, show_below


def _picture(result: Result) -> str:
    """Return the figure that a notebook shows below a result; nothing where it has none."""
    from caesura.figures.gallery import picture  # figures need the extra [report]

    return picture(result)


draw_by(Report, Drawing(charts, page, save))
show_below(_picture)

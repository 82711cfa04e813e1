"""Pages: what was computed elsewhere as HTML without a network; results learn here how they are drawn."""

from caesura.analyses.reporting import Report
from caesura.pages.report_page import charts, page, save
from caesura.results.presentation import Drawing, draw_by

draw_by(Report, Drawing(charts, page, save))

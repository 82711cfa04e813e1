"""Figures: each function takes a result and returns a chart (Altair); ``save`` writes it.

>>> from caesura import load_stargazers
>>> from caesura.analyses.coder_agreement import coder_matrix
>>> from caesura.report import figures
>>> chart = figures.heat_map(coder_matrix(load_stargazers()))
>>> figures.to_svg(chart)[:4]
'<svg'
"""

from caesura.report.figures.coder import boundaries
from caesura.report.figures.contrast import post_hoc
from caesura.report.figures.curve import curves
from caesura.report.figures.declaration import Figure, Options
from caesura.report.figures.edit_bar import edit_bars
from caesura.report.figures.group import agreement
from caesura.report.figures.level import levels
from caesura.report.figures.matrix import document_heat_map, heat_map
from caesura.report.figures.mean import means
from caesura.report.figures.near_miss import spans, sweep
from caesura.report.figures.precision import precision_recall
from caesura.report.figures.prominence import support
from caesura.report.figures.registry import FIGURES, named_figure
from caesura.report.figures.save import save, to_html, to_pdf, to_png, to_svg
from caesura.report.figures.size import segment_counts, segment_sizes
from caesura.report.figures.strip import strips
from caesura.report.figures.theme import THEMES
from caesura.report.figures.threshold import thresholds

__all__ = [
    "FIGURES",
    "THEMES",
    "Figure",
    "Options",
    "agreement",
    "boundaries",
    "curves",
    "document_heat_map",
    "edit_bars",
    "heat_map",
    "levels",
    "means",
    "named_figure",
    "post_hoc",
    "precision_recall",
    "save",
    "segment_counts",
    "segment_sizes",
    "spans",
    "strips",
    "support",
    "sweep",
    "thresholds",
    "to_html",
    "to_pdf",
    "to_png",
    "to_svg",
]

"""Figures: each function takes a result and returns an Altair chart; ``save`` writes it.

A new kind of figure is a function in a module of this folder and a row in ``kinds``.

>>> from caesura import load_stargazers
>>> from caesura.analyses.coder_agreement import coder_matrix
>>> from caesura import figures
>>> chart = figures.heat_map(coder_matrix(load_stargazers()))
>>> figures.to_svg(chart)[:4]
'<svg'
"""

from caesura.figures.description import (
    boundaries,
    document_sizes,
    granularity,
    segment_counts,
    segment_sizes,
    spans,
    support,
    sweep,
)
from caesura.figures.edit_bar import edit_bars
from caesura.figures.interval import agreement, means
from caesura.figures.kinds import FIGURES, Figure, Options, named_figure
from caesura.figures.layout import COLUMNS, Layout
from caesura.figures.line import curves, half_widths, levels, thresholds
from caesura.figures.matrix import document_heat_map, heat_map, pair_values, post_hoc, type_confusion
from caesura.figures.save import save, to_html, to_pdf, to_png, to_svg
from caesura.figures.scatter import precision_recall, trade_off
from caesura.figures.strip import strips
from caesura.figures.theme import THEMES

__all__ = [
    "COLUMNS",
    "FIGURES",
    "THEMES",
    "Figure",
    "Layout",
    "Options",
    "agreement",
    "boundaries",
    "curves",
    "document_heat_map",
    "document_sizes",
    "edit_bars",
    "granularity",
    "half_widths",
    "heat_map",
    "levels",
    "means",
    "named_figure",
    "pair_values",
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
    "trade_off",
    "type_confusion",
]

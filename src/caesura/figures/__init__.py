"""Figures: each function takes a result and returns a chart (Altair); ``save`` writes it.

A new kind of figure is a file, and a line in ``FIGURES``.

>>> from caesura import load_stargazers
>>> from caesura.analyses.coder_agreement import coder_matrix
>>> from caesura import figures
>>> chart = figures.heat_map(coder_matrix(load_stargazers()))
>>> figures.to_svg(chart)[:4]
'<svg'
"""

from caesura.errors import ParameterError, UnknownNameError, did_you_mean
from caesura.figures.contrast import POST_HOC, post_hoc
from caesura.figures.curve import CURVES, curves
from caesura.figures.declaration import Figure, Options
from caesura.figures.description import (
    BOUNDARIES,
    SEGMENT_COUNTS,
    SEGMENT_SIZES,
    SPANS,
    SUPPORT,
    SWEEP,
    boundaries,
    segment_counts,
    segment_sizes,
    spans,
    support,
    sweep,
)
from caesura.figures.edit_bar import EDITS, edit_bars
from caesura.figures.group import AGREEMENT, agreement
from caesura.figures.half_width import HALF_WIDTHS, half_widths
from caesura.figures.level import LEVELS, levels
from caesura.figures.matrix import DOCUMENT_HEAT_MAP, HEAT_MAP, document_heat_map, heat_map
from caesura.figures.mean import MEANS, MEANS_BY_CODER, MEANS_BY_DOCUMENT, MEANS_BY_METRIC, means
from caesura.figures.precision import PRECISION_RECALL, precision_recall
from caesura.figures.save import save, to_html, to_pdf, to_png, to_svg
from caesura.figures.strip import STRIPS, strips
from caesura.figures.theme import THEMES
from caesura.figures.threshold import THRESHOLDS, thresholds
from caesura.registry import Registry
from caesura.wording import short

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
    "half_widths",
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


def _name_of(figure: Figure) -> str:
    if not isinstance(figure, Figure):
        raise ParameterError(f"{short(figure)} is not a figure: expected a caesura.figures.Figure")
    return figure.kind


FIGURES: Registry[Figure] = Registry(
    "figure",
    {
        figure.kind: figure
        for figure in (
            STRIPS,
            HEAT_MAP,
            DOCUMENT_HEAT_MAP,
            AGREEMENT,
            HALF_WIDTHS,
            BOUNDARIES,
            SEGMENT_SIZES,
            SEGMENT_COUNTS,
            SUPPORT,
            SWEEP,
            SPANS,
            EDITS,
            MEANS,
            MEANS_BY_METRIC,
            MEANS_BY_CODER,
            MEANS_BY_DOCUMENT,
            PRECISION_RECALL,
            POST_HOC,
            LEVELS,
            THRESHOLDS,
            CURVES,
        )
    },
    _name_of,
)


def named_figure(kind: str) -> Figure:
    """Return a kind of figure by its name."""
    if kind not in FIGURES:
        raise UnknownNameError(f"there is no figure {kind!r}; {did_you_mean(kind, FIGURES)}")
    return FIGURES[kind]

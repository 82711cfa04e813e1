"""Figures: each function takes a result and returns a chart (Altair); ``save`` writes it.

A new kind of figure is a function in a module here, and a line in its ``FIGURES``.

>>> from caesura import load_stargazers
>>> from caesura.analyses.coder_agreement import coder_matrix
>>> from caesura import figures
>>> chart = figures.heat_map(coder_matrix(load_stargazers()))
>>> figures.to_svg(chart)[:4]
'<svg'
"""

from caesura.declaration import Registry
from caesura.errors import ParameterError, UnknownNameError, did_you_mean
from caesura.figures import (
    chunk_sizes,
    confusion,
    curve,
    description,
    edit_bar,
    interval,
    line,
    matrix,
    precision,
    strip,
)
from caesura.figures.chunk_sizes import trade_off
from caesura.figures.confusion import type_confusion
from caesura.figures.curve import curves
from caesura.figures.declaration import Figure, Options
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
from caesura.figures.layout import COLUMNS, Layout
from caesura.figures.line import half_widths, levels, thresholds
from caesura.figures.matrix import document_heat_map, heat_map, pair_values, post_hoc
from caesura.figures.precision import precision_recall
from caesura.figures.save import save, to_html, to_pdf, to_png, to_svg
from caesura.figures.strip import strips
from caesura.figures.theme import THEMES
from caesura.wording import short

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


def _name_of(figure: Figure) -> str:
    if not isinstance(figure, Figure):
        raise ParameterError(f"{short(figure)} is not a figure: expected a caesura.figures.Figure")
    return figure.kind


FIGURES: Registry[Figure] = Registry(
    "figure",
    {
        figure.kind: figure
        for module in (
            strip,
            matrix,
            confusion,
            interval,
            description,
            edit_bar,
            precision,
            line,
            curve,
            chunk_sizes,
        )
        for figure in module.FIGURES
    },
    _name_of,
)


def named_figure(kind: str) -> Figure:
    """Return a kind of figure by its name."""
    if kind not in FIGURES:
        raise UnknownNameError(f"there is no figure {kind!r}; {did_you_mean(kind, FIGURES)}")
    return FIGURES[kind]

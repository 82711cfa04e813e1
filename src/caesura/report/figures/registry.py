"""FIGURES: every kind of figure by name; a new one is a file and a line here."""

from __future__ import annotations

from caesura.errors import ParameterError, UnknownNameError, did_you_mean
from caesura.registry import Registry
from caesura.report.figures.coder import BOUNDARIES
from caesura.report.figures.contrast import POST_HOC
from caesura.report.figures.curve import CURVES
from caesura.report.figures.declaration import Figure
from caesura.report.figures.edit_bar import EDITS
from caesura.report.figures.group import AGREEMENT
from caesura.report.figures.half_width import HALF_WIDTHS
from caesura.report.figures.level import LEVELS
from caesura.report.figures.matrix import DOCUMENT_HEAT_MAP, HEAT_MAP
from caesura.report.figures.mean import MEANS, MEANS_BY_CODER, MEANS_BY_DOCUMENT, MEANS_BY_METRIC
from caesura.report.figures.near_miss import SPANS, SWEEP
from caesura.report.figures.precision import PRECISION_RECALL
from caesura.report.figures.prominence import SUPPORT
from caesura.report.figures.size import SEGMENT_COUNTS, SEGMENT_SIZES
from caesura.report.figures.strip import STRIPS
from caesura.report.figures.threshold import THRESHOLDS
from caesura.wording import short


def _name_of(figure: Figure) -> str:
    if not isinstance(figure, Figure):
        raise ParameterError(f"{short(figure)} is not a figure: expected a caesura.report.figures.Figure")
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

"""picture(): the figure that a notebook shows below the table of a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.coder_agreement.results import Agreement
from caesura.analyses.comparison.results import Comparison
from caesura.analyses.description.results import Description
from caesura.analyses.evaluation import Evaluation
from caesura.analyses.thresholds import Sweep
from caesura.metrics.hierarchical import HierarchicalError
from caesura.papers.curves import Series
from caesura.report.figures.curve import curves
from caesura.report.figures.edit_bar import edit_bars
from caesura.report.figures.group import agreement
from caesura.report.figures.level import levels
from caesura.report.figures.matrix import heat_map
from caesura.report.figures.mean import means
from caesura.report.figures.save import to_svg
from caesura.report.figures.threshold import thresholds

if TYPE_CHECKING:
    from caesura.report.figures.theme import Chart

PICTURES: dict[type, Callable[[Any], Chart]] = {
    Agreement: agreement,
    CoderMatrix: heat_map,
    Comparison: means,
    Description: edit_bars,
    Evaluation: means,
    HierarchicalError: levels,
    Series: curves,
    Sweep: thresholds,
}
"""The figure of each kind of result that has one."""


def picture(result: object) -> str:
    """Return the figure of a result as SVG in the colour of the text around it; nothing where it has none."""
    draw = PICTURES.get(type(result))
    return to_svg(draw(result), theme="page") if draw is not None else ""

"""gallery(): the figures that stand in the HTML report, of the results that the report holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from caesura.analyses.comparison.results import Comparison
from caesura.analyses.description.results import Description
from caesura.errors import CaesuraError, MissingExtraError
from caesura.report.figures.coder import boundaries
from caesura.report.figures.contrast import MOST_WITH_NUMBERS, post_hoc
from caesura.report.figures.edit_bar import edit_bars
from caesura.report.figures.mean import means
from caesura.report.figures.near_miss import sweep
from caesura.report.figures.precision import precision_recall
from caesura.report.figures.save import to_svg
from caesura.report.figures.size import segment_sizes
from caesura.report.figures.theme import finding, load_altair

if TYPE_CHECKING:
    from caesura.report.figures.theme import Chart

OF_SEGMENTERS: dict[str, Callable[[Any], Chart]] = {
    "Segmenters and bounds": means,
    "Precision against recall": precision_recall,
    "Edits of segmenters": edit_bars,
    "Who differs from whom": post_hoc,
}
OF_CODERS: dict[str, Callable[[Any], Chart]] = {
    "Segment sizes": segment_sizes,
    "Edits between coders by n_t": sweep,
}


INK = "<style>svg { color: #222222 } @media (prefers-color-scheme: dark) { svg { color: #e4e4e4 } }</style>"


def for_both_modes(svg: str) -> str:
    """Give an SVG of the theme ``page`` its ink: an image in a page does not take the colour of its text.

    >>> for_both_modes('<svg role="img"><path/></svg>')[:28]
    '<svg role="img"><style>svg {'
    """
    opening, rest = svg.split(">", 1)
    return f"{opening}>{INK}{rest}"


def gallery(
    description: Description, comparison: Comparison | None, *, most_tested: int = MOST_WITH_NUMBERS
) -> list[tuple[str, str]]:
    """Return titles and SVG of the report's figures; what has too little or too much to show is left out.

    The matrix of differences is left out where more segmenters than ``most_tested`` were tested.

    A title is the figure's name and what it finds: a page says it to those who do not see the figure.
    Raises MissingExtraError where Altair, or what turns its charts into SVG, is not installed.
    """
    load_altair()
    drawn = []
    wanted: list[tuple[str, Callable[[Any], Chart], object]] = []
    if comparison is not None:
        few = len(comparison.tested) <= most_tested
        drawers = {name: draw for name, draw in OF_SEGMENTERS.items() if few or draw is not post_hoc}
        wanted += [(name, draw, comparison) for name, draw in drawers.items()]
    if description.coders > 1:
        wanted.append(("Boundaries of each coder", boundaries, description))
    wanted += [(name, draw, description) for name, draw in OF_CODERS.items()]
    for name, draw, result in wanted:
        try:
            chart = draw(result)
            drawn.append((f"{name}: {finding(chart)}", for_both_modes(to_svg(chart, theme="page"))))
        except MissingExtraError:
            raise
        except CaesuraError:  # too little or too much to show
            continue
    return drawn

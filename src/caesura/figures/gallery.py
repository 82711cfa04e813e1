"""gallery() and picture(): the figures of a report, and the figure of a result in a notebook."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from operator import itemgetter
from typing import Any

from caesura.analyses.coder_agreement.analysis import Agreement
from caesura.analyses.coder_agreement.matrix import CoderMatrix
from caesura.analyses.comparison.results import Comparison
from caesura.analyses.description.analysis import Description
from caesura.analyses.evaluation import Evaluation
from caesura.analyses.level_errors import HierarchicalError
from caesura.analyses.study_plan import Plan
from caesura.analyses.thresholds import Sweep
from caesura.analyses.type_confusion import TypeConfusion
from caesura.analyses.type_confusion import type_confusion as confusion_of
from caesura.errors import CaesuraError, MissingExtraError
from caesura.figures import description as of_coders
from caesura.figures import interval, line, matrix
from caesura.figures.drawing import Chart, finding
from caesura.figures.edit_bar import edit_bars
from caesura.figures.matrix import MOST_WITH_NUMBERS
from caesura.figures.save import size_of, to_svg
from caesura.figures.scatter import precision_recall
from caesura.figures.theme import load_altair
from caesura.papers.results import Series
from caesura.values.corpus import Corpus

MATRIX = "Differences between segmenters"

OF_SEGMENTERS: dict[str, Callable[..., Chart]] = {
    "Segmenters and bounds": interval.means,
    "Precision against recall": precision_recall,
    "Edits of segmenters": edit_bars,
    MATRIX: matrix.post_hoc,
}
OF_CODERS: dict[str, Callable[..., Chart]] = {
    "Boundaries of each coder": of_coders.boundaries,
    "Granularity or conflict": of_coders.granularity,
    "Segment sizes": of_coders.segment_sizes,
    "Edits between coders by n_t": of_coders.sweep,
}
MOST_CONFUSED = 5_000
"""The most codings × coders for the figure of types, which takes too long for more."""

MOST_COMPARED = 20_000
"""The most pairs of codings for the figure of granularity, which takes too long for more."""

PHONE = 250
"""The pixels of the axes of a figure on a phone, whose text needs no scrolling."""

WIDER = 1.0
"""The pixels by which a letter of the reader's font may be wider than in the figure's font."""

MOST_ROOM = {"end": 48, "start": 16}
"""The most pixels added for wider letters: left of labels that end at an axis, and on the right."""

INK = "<style>svg { color: #222222 } @media (prefers-color-scheme: dark) { svg { color: #e4e4e4 } }</style>"


def for_both_modes(svg: str) -> str:
    """Give an SVG of the theme ``page`` its ink, because an image does not take the color of a page's text.

    >>> for_both_modes('<svg role="img"><path/></svg>')[:28]
    '<svg role="img"><style>svg {'
    """
    opening, rest = svg.split(">", 1)
    return f"{opening}>{INK}{rest}"


def with_room(svg: str) -> str:
    """Widen an SVG at both sides, so that labels are not cut in wider fonts.

    >>> with_room('<svg width="90" height="9" viewBox="0 0 90 9"><text text-anchor="end">c99</text></svg>')
    '<svg width="93" height="9" viewBox="-3 0 93 9"><text text-anchor="end">c99</text></svg>'
    """
    letters = dict.fromkeys(MOST_ROOM, 0)
    for attributes, label in re.findall(r"<text ([^>]*)>([^<]*)", svg):
        if "rotate" not in attributes:
            side = "end" if 'text-anchor="end"' in attributes else "start"
            letters[side] = max(letters[side], len(html.unescape(label)))
    left, right = (min(MOST_ROOM[side], round(WIDER * n)) for side, n in letters.items())

    def widened(size: re.Match[str]) -> str:
        width = float(size[2]) + left + right
        return f'{size[1]}width="{width:g}"{size[3]}viewBox="-{left} 0 {width:g} {size[4]}"'

    return re.sub(r'^([^>]*?)width="([\d.]+)"([^>]*?)viewBox="0 0 [\d.]+ ([\d.]+)"', widened, svg)


def gallery(
    description: Description, comparison: Comparison | None, *, most_tested: int = MOST_WITH_NUMBERS
) -> list[tuple[str, str, str]]:
    """Return titles and SVG of the report's figures, for a wide and for a narrow screen.

    Figures with too little or too much to show are omitted, such as the matrix of differences of more than
    ``most_tested`` segmenters.

    A title is the figure's name and its finding, for readers who do not see the figure.
    Raise MissingExtraError if Altair or vl-convert is not installed.
    """
    load_altair()
    results: list[tuple[str, Callable[..., Chart], Any]] = []
    if comparison is not None:
        few = len(comparison.tested) <= most_tested
        results += [(name, draw, comparison) for name, draw in OF_SEGMENTERS.items() if few or name != MATRIX]
    left_out = {
        of_coders.boundaries: description.coders < 2,
        of_coders.granularity: description.pairs > MOST_COMPARED,
    }
    results += [(name, draw, description) for name, draw in OF_CODERS.items() if not left_out.get(draw)]
    if (confusion := _confusion(description, comparison)) is not None:
        results.append(("Types taken for others", matrix.type_confusion, confusion))
    drawn: list[tuple[bool, float, tuple[str, str, str]]] = []
    for name, draw, result in results:
        try:
            chart, narrow = draw(result), draw(result, width=PHONE)
            wide = _shown(chart)
        except MissingExtraError:
            raise
        except CaesuraError:  # too little or too much to show
            continue
        # Neighbors have about the same height: figures of segmenters grow, those of coders shrink.
        is_of_coders, height = name not in OF_SEGMENTERS, size_of(wide)[1]
        image = f"{name}: {finding(chart)}", wide, _shown(narrow)
        drawn.append((is_of_coders, -height if is_of_coders else height, image))
    return [image for *_, image in sorted(drawn, key=itemgetter(0, 1))]


def _confusion(description: Description, comparison: Comparison | None) -> TypeConfusion | None:
    """Return which types are confused by segmenters, or else by coders; None for one type."""
    people = description.corpus
    if len(people.types) < 2 or len(people) * len(people.coders) > MOST_CONFUSED:
        return None
    machines = () if comparison is None else comparison.machines.coders
    corpus = people if comparison is None else Corpus.merge(comparison.people, comparison.machines)
    try:
        coders = people.coders if machines else ()
        return confusion_of(corpus, segmenters=machines, references=coders, n_t=description.n_t)
    except CaesuraError:  # one side has no types
        return None


def _shown(chart: Chart) -> str:
    return for_both_modes(with_room(to_svg(chart, theme="page")))


PICTURES: dict[type, Callable[[Any], Chart]] = {
    Agreement: interval.agreement,
    CoderMatrix: matrix.heat_map,
    Comparison: interval.means,
    Description: edit_bars,
    Evaluation: interval.means,
    HierarchicalError: line.levels,
    Plan: line.half_widths,
    Series: line.curves,
    Sweep: line.thresholds,
    TypeConfusion: matrix.type_confusion,
}
"""The figure of each kind of result."""


def picture(result: object) -> str:
    """Return the figure of a result as SVG in the color of the text around it, or an empty string."""
    draw = PICTURES.get(type(result))
    return to_svg(draw(result), theme="page") if draw is not None else ""

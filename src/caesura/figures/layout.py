"""Layout: the width, font, text size, title and signature of a figure for a paper."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from caesura.errors import ParameterError
from caesura.figures.drawing import WIDTH, Chart, with_words
from caesura.figures.save import drawn_as_svg, size_of, specification
from caesura.figures.theme import TEXT

COLUMNS = {"acl": "77mm", "acl2": "160mm", "ieee": "3.5in", "nature": "89mm"}
"""The widths of a column and of both columns of ACL papers, and of a column of IEEE and Nature papers."""

UNITS = {"in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4}
"""The points of each unit of length."""

PRINTED_SIZE = 8.0
"""The points of text in a figure whose width is a length."""

LEGENDS_AND_ROOM = ((6, 1.0), (3, 1.0), (2, 0.9), (1, 0.8))
"""Columns of legends and the share of the width for titles, tried in order until a figure fits."""

MOST_DRAWINGS = 6
"""The most drawings until a figure has its width, because only drawing shows the width of labels."""

LEAST_PLOT = 60
"""The shortest axes in pixels."""


@dataclass(frozen=True)
class Layout:
    """The size of a figure, its font, and whether it shows title and signature.

    Parameters
    ----------
    width
        The width of the whole figure: a length such as ``"3.3in"`` or ``"80mm"``, or a column (``"acl"``,
        ``"acl2"``, ``"ieee"``, ``"nature"``). A number: pixels of the plot, without its labels.
    font
        The family of all text, such as ``"Times New Roman"``.
    font_size
        The size of labels in points (default: 8), or in pixels if the width is in pixels (11). Lines, signs
        and titles scale with it.
    title, signature
        Whether the figure shows them. A hidden signature is stored in the file's metadata.

    Examples
    --------
    >>> import caesura as cs
    >>> from caesura import figures
    >>> layout = figures.Layout("acl", font_size=9, title=False, signature=False)
    >>> chart = layout.draw(figures.heat_map, cs.coder_matrix(cs.load_stargazers()))
    >>> figures.to_svg(chart).count(' width="218.268pt"')
    1
    """

    width: int | str = WIDTH
    font: str | None = None
    font_size: float | None = None
    title: bool = True
    signature: bool = True

    def __post_init__(self) -> None:
        if self.font_size is not None and not 1 <= self.font_size <= 100:
            raise ParameterError(f"font_size is {self.font_size:g}; choose from 1 to 100")
        points(self.width)

    def draw(self, figure: Callable[..., Chart], *results: Any, **settings: Any) -> Chart:
        """Return the chart of results in this layout.

        Raise ParameterError if the labels are wider than the figure.
        """
        wide = points(self.width)
        scale = (self.font_size or (TEXT if wide is None else PRINTED_SIZE)) / TEXT
        if wide is None:
            chart = figure(*results, **settings, width=self.width)
            return self._dressed(chart, chart.usermeta["room"], {"scale": scale})
        whole = wide / scale
        for columns, share in LEGENDS_AND_ROOM:
            sized = {"scale": scale, "points": wide}
            plot, best, before = int(0.7 * whole), None, math.inf
            for _ in range(MOST_DRAWINGS):
                chart = self._dressed(figure(*results, **settings, width=plot), share * whole, sized, columns)
                excess = size_of(drawn_as_svg(specification(chart)))[0] - whole
                if excess <= 0:
                    best = chart
                if -1 < excess <= 0 or excess == before or plot - excess < LEAST_PLOT:
                    break
                plot, before = plot - math.ceil(excess), excess
            if best is not None:
                return best
        raise ParameterError(f"width {self.width} leaves no room beside the labels; choose a greater one")

    def _dressed(
        self, chart: Chart, room: float, size: dict[str, float], columns: int | None = None
    ) -> Chart:
        config: dict[str, Any] = {} if self.font is None else {"font": self.font}
        if columns is not None:
            config["legend"] = {"columns": columns}
        hidden = {} if self.signature else {"hidden": chart.usermeta["signature"]}
        chart = with_words(chart, room, title=self.title, signature=self.signature)
        return chart.properties(usermeta={**chart.usermeta, **hidden, "size": size, "config": config})


def points(width: int | str) -> float | None:
    """Return the points of a length or a column; None for a number of pixels.

    >>> points("3in"), points("ieee"), points(400)
    (216.0, 252.0, None)
    """
    if isinstance(width, int):
        if not 100 <= width <= 4000:
            raise ParameterError(f"a plot of {width} pixels is out of range: choose from 100 to 4000")
        return None
    length = re.fullmatch(r"(\d+(?:\.\d+)?) ?(in|cm|mm)", COLUMNS.get(width, width))
    if length is None:
        raise ParameterError(f"{width!r} is not a width: use 3.3in, 8cm, 80mm, {', '.join(COLUMNS)}, pixels")
    wide = float(length[1]) * UNITS[length[2]]
    if not 36 <= wide <= 7200:
        raise ParameterError(f"a width of {width} is out of range: choose from 0.5in to 100in")
    return wide

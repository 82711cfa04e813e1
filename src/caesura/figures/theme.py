"""Themes: the colors, shapes and sizes of all figures, and the drawing library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from caesura.errors import UnknownNameError, did_you_mean, missing_extra
from caesura.results.palette import LIGHT

Colors: TypeAlias = Mapping[str, str] | Sequence[str]

GRAY = "#767676"
PALETTE = (*(LIGHT[edit] for edit in ("spurious", "match", "missed", "type", "near")), GRAY)
EDIT_COLORS = (*(LIGHT[edit] for edit in ("match", "near", "missed", "spurious", "type")), GRAY)
"""The colors of the report's page: match, near miss, missed, spurious, other type; the last: all edits."""

GRAYS = ("#808080", "#1a1a1a", "#a3a3a3", "#4d4d4d", "#8f8f8f", "#333333")
"""Grays whose neighbors differ; on the first, the gray of plain bars, black lines are visible."""

SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [12, 4], [1, 3])
"""Shapes and dashes that repeat the information of color."""

TITLE, TEXT, SMALL = 14, 11, 9
"""Font sizes of titles, of explanations and labels, and of signatures."""

MOST_TICKS = 8
"""The approximate number of ticks on an axis of values."""


@dataclass(frozen=True)
class Theme:
    """The colors of text and lines, the background, categories and values."""

    ink: str
    background: str = "transparent"
    palette: Sequence[str] = PALETTE
    edits: Sequence[str] = EDIT_COLORS
    ramp: Colors = field(default_factory=lambda: {"scheme": "blues"})
    diverging: Colors = field(default_factory=lambda: {"scheme": "blueorange"})
    accent: str = LIGHT["missed"]
    """The color that is visible on a bar of the palette's first color."""


AUTO = "auto"
"""The theme of a chart until it is saved."""

THEMES: dict[str, Theme] = {
    AUTO: Theme("#222222", "white"),
    "light": Theme("#222222", "white"),
    "dark": Theme("#e4e4e4", "#121212"),
    "print": Theme(
        "black",
        "white",
        GRAYS,
        (*GRAYS[:5], "#666666"),
        ["#f4f4f4", "#3c3c3c"],
        ["#4d4d4d", "#ececec"],
        "black",
    ),
    "page": Theme("currentColor"),
}
"""``auto`` is dark text on white; in HTML it follows the reader's mode, unlike ``light``. ``page`` takes the
color of the text around an SVG; ``print`` is grayscale with a different gray for each value."""


def load_altair() -> Any:
    """Return the drawing library, or raise an error that tells how to install it."""
    try:
        import altair
    except ModuleNotFoundError:
        raise missing_extra("figures need Altair", "report") from None
    return altair


class Altair:
    """The drawing library, loaded on first use."""

    def __getattr__(self, name: str) -> Any:
        return getattr(load_altair(), name)


alt = Altair()


def named_theme(name: str) -> Theme:
    """Return a theme by its name."""
    if name not in THEMES:
        raise UnknownNameError(f"unknown theme {name!r}; {did_you_mean(name, THEMES)}")
    return THEMES[name]


def configuration(theme: Theme) -> dict[str, Any]:
    """Return the theme as Vega-Lite's configuration."""
    ink = theme.ink
    text = {"labelColor": ink, "titleColor": ink, "labelFontSize": TEXT, "titleFontSize": TEXT}
    return {
        "aria": False,  # the figure has one description instead of one for each mark
        "background": theme.background,
        "view": {"stroke": None},
        "title": {
            "color": ink, "subtitleColor": ink, "fontSize": TITLE, "subtitleFontSize": TEXT,
            "anchor": "start", "frame": "bounds", "subtitlePadding": 4, "offset": 12,
        },
        "axis": {
            **text, "titleFontWeight": "normal", "domainColor": ink, "domainOpacity": 0.5, "tickColor": ink,
            "tickOpacity": 0.5, "gridColor": ink, "gridOpacity": 0.15, "labelLimit": 300, "labelFlush": False,
        },
        "axisQuantitative": {"tickCount": MOST_TICKS},
        "legend": {
            **text, "titleFontWeight": "normal", "orient": "top", "symbolStrokeWidth": 2, "labelLimit": 240,
            "columns": 6,
        },
        "mark": {"color": theme.palette[0]},
        "text": {"color": ink, "fontSize": TEXT, "limit": 240},
        "rule": {"color": ink},
        "boxplot": {"median": {"color": theme.accent, "thickness": 3, "opacity": 1}},
        "style": {
            "ink": {"color": ink, "fill": ink, "stroke": ink}, "outline": {"color": ink, "stroke": ink},
            "frame": {"color": theme.accent, "stroke": theme.accent},
            "accent": {"color": theme.accent, "fill": theme.accent, "opacity": 1},
        },
        "range": {
            "category": list(theme.palette), "ordinal": list(theme.edits), "symbol": list(SHAPES),
            "heatmap": theme.ramp, "ramp": theme.ramp, "diverging": theme.diverging,
        },
    }  # fmt: skip

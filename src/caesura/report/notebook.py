"""Figures below results in notebooks, registered here so that no result knows the gallery."""

from __future__ import annotations

from caesura.results.result import Result, show_below


def draw(result: Result) -> str:
    """Return the figure of a result as SVG; nothing where it has none."""
    from caesura.report.figures.pictures import picture  # figures need the extra [report]

    return picture(result)


show_below(draw)

"""What all figures share: colours, shapes, themes, and the frame of title, explanation and signature."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

from caesura.errors import CorpusError, UnknownNameError, did_you_mean, missing_extra
from caesura.results.as_json import json_safe
from caesura.results.palette import LIGHT
from caesura.wording import terminal_safe

if TYPE_CHECKING:
    import altair

Chart: TypeAlias = "altair.VConcatChart"
Row: TypeAlias = dict[str, Any]
Colours: TypeAlias = Mapping[str, str] | Sequence[str]

GREY = "#767676"
PALETTE = (*(LIGHT[edit] for edit in ("spurious", "match", "missed", "type", "near")), GREY)
EDIT_COLOURS = (*(LIGHT[edit] for edit in ("match", "near", "missed", "spurious", "type")), GREY)
"""As in the report's page: match, near miss, missed, spurious, other type; the last one is of all edits."""

GREYS = ("#808080", "#1a1a1a", "#a3a3a3", "#4d4d4d", "#8f8f8f", "#333333")
"""Neighbours differ, and the first, that of plain bars, lets black lines show on top of it."""

SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [12, 4], [1, 3])
"""Shapes and dashes stand beside colour, so that nothing is told by colour alone."""

SUBSTITUTED = {False: ("wrong type", "of a wrong type"), True: ("other level", "of another level")}
"""What a substitution is called, as a kind and in a sentence; True: the types are ranks of a hierarchy."""

WIDTH = 640
LEAST_TEXT = 270
"""Narrow figures have text of this many pixels all the same."""

TITLE, TEXT, SMALL = 14, 11, 9
"""Font sizes of titles, of explanations and labels, and of signatures."""

MOST_TICKS = 8
"""About as many numbers stand on an axis of values."""

MOST_LINES = 5
"""Lines of a title or an explanation; only names of great length need more."""

MOST_LETTERS = 100
"""Letters of a name that are kept: measuring long texts is slow."""

MOST_ROWS = 300
MOST_MARKS = 50_000
"""What one figure can show: rows (coders, documents) one below the other, and marks in all."""


@dataclass(frozen=True)
class Theme:
    """The colour of text and lines, what is behind them, and the colours of categories and of values."""

    ink: str
    background: str = "transparent"
    palette: Sequence[str] = PALETTE
    edits: Sequence[str] = EDIT_COLOURS
    ramp: Colours = field(default_factory=lambda: {"scheme": "blues"})
    diverging: Colours = field(default_factory=lambda: {"scheme": "blueorange"})
    accent: str = LIGHT["missed"]
    """What stands out on a bar of the palette's first colour."""


AUTO = "auto"
"""The theme that charts have before they are saved."""

THEMES: dict[str, Theme] = {
    AUTO: Theme("#757575"),
    "light": Theme("#222222", "white"),
    "dark": Theme("#e4e4e4", "#121212"),
    "print": Theme(
        "black",
        "white",
        GREYS,
        (*GREYS[:5], "#666666"),
        ["#f4f4f4", "#3c3c3c"],
        ["#4d4d4d", "#f4f4f4", "#4d4d4d"],
        "black",
    ),
    "page": Theme("currentColor"),
}
"""``auto`` is readable on white and on black (4.5:1 on both); ``page`` takes the colour of the text around
an SVG in a page; ``print`` has no colours."""


def load_altair() -> Any:
    """Return the library that draws, or say how to install it."""
    try:
        import altair
    except ModuleNotFoundError:
        raise missing_extra("figures need Altair", "report") from None
    return altair


def named_theme(name: str) -> Theme:
    """Return a theme by its name."""
    if name not in THEMES:
        raise UnknownNameError(f"there is no theme {name!r}; {did_you_mean(name, THEMES)}")
    return THEMES[name]


def configuration(theme: Theme) -> dict[str, Any]:
    """Return the theme as Vega-Lite's configuration."""
    ink = theme.ink
    text = {"labelColor": ink, "titleColor": ink, "labelFontSize": TEXT, "titleFontSize": TEXT}
    return {
        "aria": False,  # one description of the whole is better than a thousand of its marks
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
            "accent": {"color": theme.accent, "fill": theme.accent, "opacity": 1},
        },
        "range": {
            "category": list(theme.palette), "ordinal": list(theme.edits), "symbol": list(SHAPES),
            "heatmap": theme.ramp, "ramp": theme.ramp, "diverging": theme.diverging,
        },
    }  # fmt: skip


def framed(chart: Any, *, title: str, subtitle: str = "", signature: str = "", width: float = WIDTH) -> Chart:
    """Put a title that says the finding above a chart, its explanation below, its signature at the bottom.

    Vega-Lite has one title for each view, so the signature is the title of the view around the chart.
    """
    alt = load_altair()
    room = max(width, LEAST_TEXT)
    headline, explanation = terminal_safe(title), terminal_safe(subtitle)
    inner = chart.properties(
        title=alt.TitleParams(
            wrap(
                headline,
                int(room / (0.52 * TITLE)),
                max_lines=MOST_LINES,
                placeholder=" …",
                break_on_hyphens=False,  # so that the lines can be joined again
            ),
            subtitle=wrap(explanation, int(room / (0.49 * TEXT)), max_lines=MOST_LINES, placeholder=" …"),
        )
    )
    caption = alt.TitleParams(
        [
            line
            for one in signature.split("\n")
            for line in lines_of_signature(terminal_safe(one), int(room / (0.54 * SMALL)))
        ],
        orient="bottom",
        anchor="start",
        fontSize=SMALL,
        fontWeight="normal",
        offset=8,
    )
    around = alt.vconcat(inner, description=f"{headline}. {explanation}".strip())
    # Legends belong to the chart, below its title, and not to the view around it.
    around = around.resolve_scale(color="independent", shape="independent", strokeDash="independent")
    around = around.properties(title=caption) if signature else around
    return around.configure(**configuration(THEMES[AUTO]))  # type: ignore[no-any-return]


def finding(chart: Chart) -> str:
    """Return the title of a framed chart, as one line."""
    return " ".join(chart.vconcat[0].title.text)


def lines_of_signature(signature: str, most: int) -> list[str]:
    """Break a signature at its bars.

    >>> lines_of_signature("B|n_t=2|method=greedy", 10)
    ['B|n_t=2|', 'method=greedy']
    """
    parts = signature.split("|")
    lines = [""]
    for part in [*(f"{part}|" for part in parts[:-1]), parts[-1]]:
        if lines[-1] and len(lines[-1]) + len(part) > most:
            lines.append("")
        lines[-1] += part
    return lines


def data(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return rows as the data of a chart; texts are written as ``shown`` does, NaN becomes null.

    They are one text: Altair copies and checks lists row by row at every step, which takes minutes for many.
    """
    safe = [
        {name: shown(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    ]
    text = json.dumps(json_safe(safe), ensure_ascii=False, allow_nan=False)
    return load_altair().Data(values=text, format={"type": "json"})


def names(values: Iterable[str]) -> list[str]:
    """Return names as ``data`` writes them, each once, for the order or the domain of a scale."""
    return list(dict.fromkeys(map(shown, values)))


def shown(name: str) -> str:
    """Write control characters out, and cut a name that nobody would read to its end.

    A number that stands for the whole keeps names apart that begin alike.

    >>> shown("ann"), len(shown("a" * 100_000))
    ('ann', 110)
    """
    if len(name) > MOST_LETTERS:
        name = f"{name[:MOST_LETTERS]}… {zlib.crc32(name.encode(errors='replace')):08x}"
    return terminal_safe(name)


def distinct(choices: Sequence[Any], n: int) -> list[Any]:
    """Return n of the choices for as many names; each round begins one further than the last.

    Colours begin again after six names, so shapes or dashes must not begin again at the same time.

    >>> distinct("abc", 7)
    ['a', 'b', 'c', 'b', 'c', 'a', 'c']
    """
    return [choices[(i + i // len(choices)) % len(choices)] for i in range(n)]


def check_size(what: str, rows: int, marks: int = 0, hint: str = "choose some of the coders") -> None:
    """Refuse a figure that nobody could read."""
    if rows > MOST_ROWS:
        raise CorpusError(f"{what}: {rows:,} rows are more than a figure can show ({MOST_ROWS}); {hint}")
    if marks > MOST_MARKS:
        raise CorpusError(f"{what}: {marks:,} marks are more than a figure can show ({MOST_MARKS:,}); {hint}")


def fits(labels: Iterable[str], side: float) -> bool:
    """Whether labels have room beside each other, with as many pixels as this for each."""
    return max(map(len, labels)) * 6.5 + 6 < side


def row_step(rows: int, largest: int = 30, height: int = 900) -> float:
    """Return the pixels of a row, so that the figure is about as high as this, but not below a letter."""
    return max(9.0, min(float(largest), height / max(rows, 1)))


def from_zero(values: Iterable[float]) -> Any:
    """Return the scale of counts or errors: it begins at 0, also where every value is 0."""
    alt = load_altair()
    return alt.Scale(zero=True) if any(values) else alt.Scale(domain=[0, 1])


def count_axis(most: float) -> dict[str, Any]:
    """Return the axis of counts up to this one: it has whole numbers only, each once.

    Few are listed, because ``tickMinStep`` lets halves pass on axes that end at 1 or 2.

    >>> count_axis(2)["values"], "values" in count_axis(100)
    ([0, 1, 2], False)
    """
    few = {"values": list(range(int(most) + 1)) if most else [0, 1]} if most <= MOST_TICKS else {}
    return {"format": ",d", "tickMinStep": 1, **few}


def edit_scale(kinds: Sequence[str]) -> Any:
    """Return the colours of kinds of edits, which are named in the order of ``EDIT_COLOURS``."""
    return load_altair().Scale(domain=list(kinds), range="ordinal")


def limits(low: float, high: float, values: Iterable[float]) -> list[float]:
    """Return where an axis ends: at the metric's bounds, or at the data where there is none."""
    known = [value for value in values if value == value]
    ends = [low if abs(low) < 1e9 else min(known, default=0.0)]
    return [*ends, high if abs(high) < 1e9 else max(known, default=1.0)]

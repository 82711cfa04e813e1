"""Parts of charts: data, axes, encodings, and the frame with title, explanation and signature."""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from caesura.errors import CorpusError
from caesura.figures.theme import (
    AUTO,
    DASHES,
    MOST_TICKS,
    SHAPES,
    SMALL,
    TEXT,
    THEMES,
    TITLE,
    alt,
    configuration,
)
from caesura.results.as_json import json_safe
from caesura.values.corpus import Corpus
from caesura.wording import clock, counted, terminal_safe

if TYPE_CHECKING:
    import altair

Chart: TypeAlias = "altair.VConcatChart"
Row: TypeAlias = dict[str, Any]

EDITS = ("match", "near miss", "missed", "spurious")
"""Kinds of edits; missed: only the reference has the boundary, spurious: only the other side has it."""

SUBSTITUTED = {False: ("wrong type", "of a wrong type"), True: ("other level", "of another level")}
"""The names of a substitution, as a kind and in a sentence; True: types are ranks of a hierarchy."""

WIDTH, HEIGHT = 640, 280
ABOVE = 90
"""The height in pixels of a chart above another one."""

LEAST_TEXT = 270
"""The least width in pixels of text, also in narrower figures."""

MOST_LINES = 5
"""The most lines of a title or an explanation; only very long names need more."""

MOST_LETTERS = 100
"""The most letters of a name that are drawn, because measuring long texts is slow."""

MOST_ROWS = 300
MOST_MARKS = 50_000
"""The most rows (coders or documents) and marks of a figure."""


def framed(
    *layers: Any,
    title: str,
    subtitle: str,
    signature: str,
    width: Any = WIDTH,
    height: float = HEIGHT,
    step: float | None = None,
    room: float | None = None,
    above: Any = None,
) -> Chart:
    """Layer marks, with the finding as title, an explanation below it, and the signature at the bottom.

    Parameters
    ----------
    layers
        The marks, the lowest first.
    title, subtitle, signature
        The finding, the explanation, and how the numbers were computed. Vega-Lite has one title per view, so
        the signature is the title of the view around the chart.
    width, height, step
        Pixels of the axes; a step is the height of a row.
    room
        Pixels for lines of text; default: the width.
    above
        A chart above the marks, with the same horizontal axis.
    """
    room = max(room or width, LEAST_TEXT)
    headline, explanation = terminal_safe(title), terminal_safe(subtitle)
    lines = "\n".join(terminal_safe(line) for line in signature.split("\n"))
    words = {"title": headline, "subtitle": explanation, "signature": lines, "room": room}
    inner = alt.layer(*layers).properties(width=width, height=height if step is None else alt.Step(step))
    views = [inner] if above is None else [above.properties(width=width, height=ABOVE), inner]
    around = alt.vconcat(*views, description=f"{headline}. {explanation}".strip(), usermeta=words)
    # Legends belong to the chart, below its title, and not to the view around it.
    around = around.resolve_scale(color="independent", shape="independent", strokeDash="independent")
    return with_words(around.configure(**configuration(THEMES[AUTO])), room)


def with_words(chart: Chart, room: float, *, title: bool = True, signature: bool = True) -> Chart:
    """Return a framed chart with or without title and signature, in lines of ``room`` pixels."""
    chart, words = chart.copy(), chart.usermeta
    heading, below = alt.Undefined, alt.Undefined
    if title:
        # Without breaks at hyphens, the lines can be joined again.
        lines = _lines(words["title"], room / (0.52 * TITLE), break_on_hyphens=False)
        heading = alt.TitleParams(lines, subtitle=_lines(words["subtitle"], room / (0.49 * TEXT)))
    if signature and words["signature"]:
        most = int(room / (0.54 * SMALL))
        parts = [part for line in words["signature"].split("\n") for part in lines_of_signature(line, most)]
        look = {"orient": "bottom", "anchor": "start", "offset": 8, "fontSize": SMALL, "fontWeight": "normal"}
        below = alt.TitleParams(parts, **look)
    chart.vconcat[0].title, chart.title = heading, below
    return chart


def _lines(text: str, letters: float, **settings: Any) -> list[str]:
    return wrap(text, int(letters), max_lines=MOST_LINES, placeholder=" …", **settings)


def finding(chart: Chart) -> str:
    """Return the title of a framed chart, as one line."""
    return str(chart.usermeta["title"])


def lines_of_signature(signature: str, most: int) -> list[str]:
    """Break a signature at its bars.

    >>> lines_of_signature("B|n_t=2|method=greedy", 10)
    ['B|n_t=2|', 'method=greedy']
    """
    # As much as fits up to a bar or the end, else one longer part.
    return re.findall(rf".{{1,{most - 1}}}(?:\||.$)|[^|]+\|?", signature)


def data(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return rows as the data of a chart; texts go through ``shown``, NaN becomes null.

    The rows become one text, because Altair copies and checks lists row by row at every step, which is slow.
    """
    safe = [
        {name: shown(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    ]
    text = json.dumps(json_safe(safe), ensure_ascii=False, allow_nan=False)
    return alt.Data(values=text, format={"type": "json"})


def chart(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return a chart of rows without marks and encodings."""
    return alt.Chart(data(rows))


def names(values: Iterable[str]) -> list[str]:
    """Return distinct names as in ``data``, for the order or the domain of a scale."""
    return list(dict.fromkeys(map(shown, values)))


def shown(name: str) -> str:
    """Return a name with escaped control characters, cut after 100 letters.

    A checksum distinguishes long names that begin alike.

    >>> shown("ann"), len(shown("a" * 100_000))
    ('ann', 110)
    """
    if len(name) > MOST_LETTERS:
        name = f"{name[:MOST_LETTERS]}… {zlib.crc32(name.encode(errors='replace')):08x}"
    return terminal_safe(name)


def distinct(choices: Sequence[Any], n: int) -> list[Any]:
    """Return n choices for as many names; each round starts one further than the last.

    Colors repeat after six names; shapes and dashes must not repeat together with them.

    >>> distinct("abc", 7)
    ['a', 'b', 'c', 'b', 'c', 'a', 'c']
    """
    return [choices[(i + i // len(choices)) % len(choices)] for i in range(n)]


def check_size(subject: str, rows: int, marks: int = 0, hint: str = "choose some of the coders") -> None:
    """Refuse a figure with too many rows or marks to read."""
    if rows > MOST_ROWS:
        raise CorpusError(f"{subject}: {rows:,} rows exceed the {MOST_ROWS} that a figure can show; {hint}")
    if marks > MOST_MARKS:
        raise CorpusError(f"{subject}: {marks:,} marks exceed the {MOST_MARKS:,} of a figure; {hint}")


def fits(labels: Iterable[str], side: float) -> bool:
    """Return whether labels fit beside each other, with this many pixels each."""
    return max(map(len, labels)) * 6.5 + 6 < side


def row_step(rows: int, largest: float = 30, height: int = 560) -> float:
    """Return the pixels of a row, so that the figure has about this height and rows fit a letter."""
    return max(9.0, min(largest, height / max(rows, 1)))


ROUND_TIMES = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400)
"""The possible seconds between the numbers of a time axis."""


def count_axis(most: float) -> dict[str, Any]:
    """Return the axis of counts up to ``most``, with each whole number at most once.

    Small axes list their values, because ``tickMinStep`` allows halves on axes that end at 1 or 2.

    >>> count_axis(2)["values"], "values" in count_axis(100)
    ([0, 1, 2], False)
    """
    few = {"values": list(range(int(most) + 1)) if most else [0, 1]} if most <= MOST_TICKS else {}
    return {"format": ",d", "tickMinStep": 1, **few}


class Lengths(NamedTuple):
    """How positions and lengths are written: in units, in characters, or as times."""

    name: str = "unit"
    step: float | None = None
    """The seconds of a unit, if documents are on a time grid."""
    origin: float = 0.0

    @classmethod
    def of(cls, corpus: Corpus | None, document: str | None = None) -> Lengths:
        """Return the lengths of a corpus or one of its documents; for a stream, units."""
        if corpus is None or corpus.unit_columns is None:
            return cls()
        if corpus.step is not None:
            return cls("time", corpus.step, corpus.spans[document].origin if document is not None else 0.0)
        every = [units for units in corpus.spans.values() if (units.axis, units.step) == ("characters", 1)]
        return cls("character") if len(every) == len(corpus.documents) else cls()

    def shown(self, n: float, digits: int = 0) -> str:
        """Return a number of units as text; ``digits`` are the decimals of a mean (a time: whole seconds)."""
        if self.step is None:
            return f"{n:,.{digits}f}"
        seconds = n * self.step
        return clock(round(seconds, 0 if seconds >= 10 else 1) if digits else seconds)

    def counted(self, n: int) -> str:
        """Return a number of units with their name."""
        return counted(n, self.name) if self.step is None else self.shown(n)

    def title(self, subject: str) -> str:
        """Return the title of an axis."""
        return f"{subject} in {self.name}s" if self.step is None else subject

    def axis(self, most: float) -> dict[str, Any]:
        """Return the axis from 0 to ``most`` units.

        >>> Lengths("time", 0.5).axis(60)["labelExpr"]
        '["0:00", "0:05", "0:10", "0:15", "0:20", "0:25", "0:30"][round((datum.value - 0) / 10)]'
        """
        if self.step is None:
            return count_axis(most)
        seconds = most * self.step
        every = next((n for n in ROUND_TIMES if seconds <= n * MOST_TICKS), math.ceil(seconds / MOST_TICKS))
        times = range(math.ceil(self.origin / every) * every, int(self.origin + seconds) + 1, every)
        values = [(time - self.origin) / self.step for time in times]
        index = f"round((datum.value - {values[0]:g}) / {every / self.step:g})" if values else "0"
        return {"values": values, "labelExpr": f"{json.dumps([*map(clock, times)])}[{index}]"}


def boxes(
    rows: Sequence[Row], field: str, order: Iterable[str], x: Any, tooltip: Sequence[Any] | None
) -> tuple[list[Any], float]:
    """Return box plots by name, and the pixels of a row; with a tooltip also a dot for each value."""
    order = names(order)
    step = row_step(len(order), largest=24)
    whole = chart(rows).encode(x=x, y=name_axis("Y", field, order, labelOverlap=True))
    layers = [whole.mark_boxplot(extent="min-max", size=0.6 * step)]
    if tooltip is not None:
        dots = whole.mark_point(size=min(18, step), style="ink", filled=True, opacity=0.7)
        layers.append(dots.encode(tooltip=tooltip))
    return layers, step


def name_axis(
    channel: str, field: str, order: Iterable[str], *, title: str | None = None, **axis: Any
) -> Any:
    """Return the axis (``X`` or ``Y``) of distinct names in this order."""
    order = names(order)
    encoding = getattr(alt, channel)(f"{field}:N", sort=order, title=title).scale(domain=order)
    return encoding.axis(**axis) if axis else encoding


def number_axis(channel: str, field: str, title: str | None, domain: Collection[float], **scale: Any) -> Any:
    """Return the axis (``X`` or ``Y``) of numbers over exactly this domain."""
    encoding = getattr(alt, channel)(f"{field}:Q", title=title)
    return encoding.scale(domain=list(domain), nice=False, **scale)


def zero_axis(channel: str, field: str, title: str, values: Collection[float]) -> Any:
    """Return the axis (``X`` or ``Y``) of counts or errors, which starts at 0 even if all values are 0."""
    has_length = any(value and value == value for value in values)
    return getattr(alt, channel)(f"{field}:Q", title=title).scale(
        **({"zero": True} if has_length else {"domain": [0, 1]})
    )


def counts_along(
    channel: str, field: str, title: str, values: Collection[float], lengths: Lengths | None = None
) -> Any:
    """Return the axis (``X`` or ``Y``) of counts or lengths, which starts at 0 and has whole numbers only."""
    most = max(values, default=0)
    return zero_axis(channel, field, title, values).axis(**(lengths.axis if lengths else count_axis)(most))


def color_and(
    field: str,
    order: Iterable[str],
    *,
    by: str = "shape",
    title: str | None = None,
    legend: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the encodings of names by color and by shape or dash (``strokeDash``).

    ``legend`` has the settings of the common legend; None: no legend.
    """
    order = names(order)
    both = {"title": title, "legend": None if legend is None else alt.Legend(**legend), "sort": order}
    beside, choices = (alt.Shape, SHAPES) if by == "shape" else (alt.StrokeDash, DASHES)
    scale = {"domain": order, "range": distinct(choices, len(order))}
    return {
        "color": alt.Color(f"{field}:N", **both).scale(domain=order),
        by: beside(f"{field}:N", **both).scale(**scale),
    }


def edit_colors(
    field: str, kinds: Sequence[str], shown: Sequence[str], shapes: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the encodings of kinds of edits, in the order of ``EDIT_COLORS``.

    ``shown`` are the kinds in the legend; if empty, there is no legend. ``shapes`` are the settings of the
    scale of shapes; None: colors only, as squares.
    """
    legend = alt.Legend(values=list(shown), **({"symbolType": "square"} if shapes is None else {}))
    both = {"title": None, "legend": legend if shown else None}
    encoding = {"color": alt.Color(f"{field}:N", **both).scale(domain=list(kinds), range="ordinal")}
    if shapes is not None:
        encoding["shape"] = alt.Shape(f"{field}:N", **both).scale(domain=list(kinds), **shapes)
    return encoding


def beside(rows: Any, text: Any, width: int, step: float) -> Any:
    """Return the numbers of rows, to the right of the plot."""
    number = rows.mark_text(align="left", dx=5, fontSize=min(10, step))
    return number.encode(x=alt.value(width), text=text)


def ink(is_dark: str) -> Any:
    """Return the color of numbers, which is white in dark cells."""
    return alt.condition(is_dark, alt.value("white"), alt.value("black"))


def tooltip(*fields: str, numbers: Iterable[str] = (), format: str = ".4f") -> list[Any]:
    """Return the tooltip of a mark: fields, and numbers in this format."""
    tip = alt.Tooltip
    return [*map(tip, fields), *(tip(f"{name}:Q", format=format) for name in numbers)]


def limits(low: float, high: float, values: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis: the metric's bounds, or the data's if there are none."""
    known = [value for value in values if value == value]
    least = low if abs(low) < 1e9 else min(known, default=0.0)
    return least, high if abs(high) < 1e9 else max(known, default=1.0)

"""Markup of pages: templates, the content security policy, escaped text, tables, images."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from caesura.errors import CorpusError
from caesura.results.palette import style_sheet
from caesura.results.table import Cell, Image, Table, show_cell
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.version import __version__
from caesura.wording import counted

HEAT_STEPS = 10
"""The shades of a table of values from 0 to 1, or from -1 to 0."""

UPRIGHT_COLUMNS = 12
"""The most shaded columns with horizontal names; more have upright names."""

LONG_TABLE = 15
"""The most rows of a table that does not scroll in its frame."""

PRINTED_ROWS = 120
"""The most rows of a folded table that is printed."""

NARROW = 640
"""The widest screen in pixels with narrow figures, as in the style sheet."""

WIDE_FIGURE = 840
"""The width in pixels from which a figure has its own row."""

LEGIBLE = 480
"""The width in pixels from which a figure on a narrow screen scrolls instead of shrinking."""

PRINTED_COLUMNS = 30
"""The most columns of a table that is printed in full size."""

MOST_UNITS = 100_000
"""The most units of a document that a browser can show with a button between any two."""


def security_policy(script: str, style: str) -> str:
    """Return a content security policy that allows only this script and this style."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")

    return (
        f"default-src 'none'; script-src 'sha256-{digest(script)}'; style-src 'sha256-{digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def web_files(folder: str, names: str) -> tuple[str, ...]:
    """Return the paths of scripts below ``web/``.

    >>> web_files("report", "dom main")
    ('report/dom.js', 'report/main.js')
    """
    return tuple(f"{folder}/{name}.js" for name in names.split())


MARKING = web_files("marking", "data sha256 history units find clock store work saved_file keys")
"""Scripts of all pages on which boundaries are placed."""


def _web_text(name: str) -> str:
    return files("caesura.pages").joinpath("web", name).read_text(encoding="utf-8")


def filled_page(
    template: str, styles: Sequence[str], scripts: Sequence[str], *, title: str, data: str, **values: str
) -> str:
    """Return a page from its template, styles and scripts below ``web/``, with its marks filled in.

    The template is the body in the common frame; pages for placing boundaries share a bar. ``title`` is
    escaped here; ``data`` and other values must be markup or safe in it.
    """
    style = style_sheet() + "".join(map(_web_text, styles))
    parts = "\n".join(map(_web_text, scripts))
    script = f'"use strict";\n(async () => {{\n{parts}}})();\n'
    marks = {
        "title": escaped(title),
        "data": data,
        "version": escaped(__version__),
        **values,
        "policy": security_policy(script, style),
        "style": style,
        "script": script,
    }
    body = _web_text(template).replace("{{bar}}", _web_text("marking/bar.html"))
    page = _web_text("page/frame.html").replace("{{body}}", body)
    # One pass over the template, so that data are not searched for marks.
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], page)


SURROGATE = re.compile("[\ud800-\udfff]")


def escaped(value: str) -> str:
    """Escape text; lone surrogates, which files cannot hold, become replacement characters."""
    return html.escape(SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value))


def script_json(value: Any) -> str:
    """Return JSON that cannot end its script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029\ud800-\udfff]", lambda sign: f"\\u{ord(sign[0]):04x}", text)


def section(name: str, title: str, content: str) -> str:
    """Return a section with its heading."""
    heading = f'<h2 id="{name}-title">{title}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">{heading}{content}</section>'


def key_figures(figures: Sequence[tuple[str, str, str]]) -> str:
    """Return large figures: name, value and note."""
    items = "".join(
        f"<div><dt>{escaped(name)}</dt>"
        f"<dd><strong>{escaped(value)}</strong> <span>{escaped(note)}</span></dd></div>"
        for name, value, note in figures
    )
    return f'<dl class="key">{items}</dl>' if items else ""


def sentence_list(sentences: Sequence[str]) -> str:
    """Return sentences as a list."""
    items = "".join(f"<li>{escaped(sentence)}</li>" for sentence in sentences)
    return f'<ul class="says">{items}</ul>'


def figure_grid(figures: Sequence[Image]) -> str:
    """Return figures, side by side if there is room."""
    return f'<div class="figures">{"".join(figure_image(*figure) for figure in figures)}</div>'


def figure_image(title: str, svg: str, narrow: str = "") -> str:
    """Return an SVG as an image, so that its scripts do not run, in a box that scrolls.

    Phones show the narrow SVG, if given.
    """
    shown = escaped(title)
    image = f'<img alt="{shown}" src="{_address(svg)}">'
    if narrow:
        source = f'<source media="(max-width: {NARROW}px)" srcset="{_address(narrow)}">'
        image = f"<picture>{source}{image}</picture>"
    classes = ["wide"] * (_width(svg) > WIDE_FIGURE) + ["moved"] * (_width(narrow) > LEGIBLE)
    kind = f' class="{" ".join(classes)}"' if classes else ""
    return (
        f'<figure{kind}><div class="scroll" tabindex="0" role="region" aria-label="Figure: {shown}">'
        f"{image}</div></figure>"
    )


def _width(svg: str) -> float:
    width = re.search(r'^[^>]*?\swidth="([\d.]+)"', svg)
    return float(width[1]) if width else 0.0


def _address(svg: str) -> str:
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode("ascii")
    return f"data:image/svg+xml;base64,{data}"


def folded_table(
    table: Table,
    name: str,
    *,
    opened: bool = False,
    heat: bool = False,
    greatest: float = 1.0,
    anchor: str = "",
) -> str:
    """Return a foldable table with its notes; signatures come last, folded and small.

    With ``heat``, cells are shaded from 0 to the greatest value, negative ones in another color. ``anchor``
    is the target of links.
    """
    head = "".join(_heading(table, index) for index in range(len(table.columns)))
    rows = "".join(_row(table, row, greatest if heat else 0.0) for row in [*table.rows, *table.totals])
    notes = "".join(
        f'<p class="note">{escaped(note.text)}</p>' for note in table.notes if note.kind != "signature"
    ) + _signatures(table)
    kind = "plain"
    if heat:
        kind = "heat many" if len(table.columns) > PRINTED_COLUMNS else "heat"
        kind += " upright" if len(table.columns) > UPRIGHT_COLUMNS else ""
    n_rows = len(table.rows) + len(table.totals)
    target = f' id="{anchor}"' if anchor else ""
    folded = " open" if opened else ' class="unprinted"' if n_rows > PRINTED_ROWS else ""
    return (
        f"<details{folded}><summary>{escaped(name)}</summary>"
        f'<div{target} class="{"scroll tall" if n_rows > LONG_TABLE else "scroll"}" '
        f'tabindex="0" role="region" aria-label="{escaped(name)}">'
        f'<table class="{kind}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{notes}</details>"
    )


def _signatures(table: Table) -> str:
    """Return the signatures, folded."""
    notes = table.of_kind("signature")
    lines = "".join(f'<p class="signature">{escaped(note.text)}</p>' for note in notes)
    name = counted(len(notes), "signature")
    return f'<details class="signatures"><summary>{name}</summary>{lines}</details>' if notes else ""


def _heading(table: Table, index: int) -> str:
    name = table.columns[index].name
    if not name:
        return "<td></td>"
    is_number = any(isinstance(row[index], (int, float)) for row in [*table.rows, *table.totals])
    kind = ' class="number"' if is_number else ""
    return f'<th scope="col"{kind}><span>{escaped(name)}</span></th>'


def _row(table: Table, row: Sequence[Cell], greatest: float) -> str:
    cells = []
    for i, (cell, column) in enumerate(zip(row, table.columns, strict=True)):
        shown = escaped(show_cell(cell, column.digits))
        if not isinstance(cell, (int, float)):
            cells.append(f'<th scope="row">{shown}</th>' if i == 0 and shown else f"<td>{shown}</td>")
            continue
        classes = ["number"]
        if greatest and math.isfinite(cell):
            step = min(HEAT_STEPS - 1, int(HEAT_STEPS * abs(cell) / greatest))
            classes.append(f"{'m' if cell < 0 else 'h'}{step}")
        number = float(cell) if isinstance(cell, float) else int(cell)
        exact = f' data-value="{number!r}"' if math.isfinite(number) else ""
        cells.append(f'<td class="{" ".join(classes)}"{exact}>{shown}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def check_shown(corpus: Corpus, instead: str) -> None:
    """Refuse documents that are too long for a browser; ``instead`` is the fix."""
    long = np.flatnonzero(corpus.document_units > MOST_UNITS)
    if len(long):
        name, n = corpus.documents[long[0]], int(corpus.document_units[long[0]])
        raise CorpusError(f"document {short_name(name)} has {n:,} units (at most {MOST_UNITS:,}); {instead}")

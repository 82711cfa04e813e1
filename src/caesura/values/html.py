"""Segmentations, hierarchies and corpora as HTML for notebooks: small, however long the document.

Lines have the color of the surrounding text, so that they show on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.wording import counted, listed, shortened

WIDTH = 600
"""Width of a strip in pixels; boundaries are drawn to half a pixel."""

HEIGHT = 24

MOST_LANES = 8  # boundary types with a strip of their own

MOST_MASSES = 20

MOST_ROWS, MOST_COLUMNS = 10, 8  # documents and coders of a corpus that are shown


def segmentation_html(n_units: int, positions: IntArray, types: IntArray | None) -> str:
    """Return a strip with the boundaries, or one for each type, and a line of words."""
    n_positions = len(positions) if types is None else len(np.unique(positions))
    n_segments = counted(n_positions + 1, "segment")
    words = f"{counted(n_units, 'unit')}, {_boundaries(len(positions))}, {n_segments}"
    if types is None:
        edges = [0, *positions[:MOST_MASSES].tolist(), n_units][: MOST_MASSES + 1]
        masses = ", ".join(f"{end - start}" for start, end in pairwise(edges))
        words += f"; masses {masses}{', …' if n_positions >= MOST_MASSES else ''}"
        return _shown([_strip(n_units, positions, np.ones(len(positions)), words)], words)
    kinds = np.unique(types).tolist()
    strips = []
    for kind in kinds[:MOST_LANES]:
        at = positions[types == kind]
        label = f"type {kind}: {_boundaries(len(at))}"
        strips.append(_strip(n_units, at, np.ones(len(at)), label) + f"<small>{label}</small>")
    if len(kinds) > MOST_LANES:
        words += f"; {counted(len(kinds) - MOST_LANES, 'more type')}"
    return _shown(strips, words)


def hierarchy_html(n_units: int, positions: IntArray, ranks: IntArray) -> str:
    """Return a strip in which more prominent boundaries are higher, and a line of words."""
    levels, level = np.unique(ranks, return_inverse=True)
    on = f"{_boundaries(len(positions))} on {counted(len(levels), 'level')}"
    words = f"{counted(n_units, 'unit')}, {on}, the most prominent the highest"
    return _shown([_strip(n_units, positions, 1 - level / max(1, len(levels)), words)], words)


def _strip(n_units: int, positions: IntArray, heights: FloatArray, label: str) -> str:
    """Return a line with an upward stroke at each position; heights are shares of the whole."""
    tallest = np.zeros(2 * WIDTH + 1)
    np.maximum.at(tallest, np.rint(positions / n_units * 2 * WIDTH).astype(np.int64), heights)
    at = np.flatnonzero(tallest)
    strokes = "".join(f"M{x / 2:g} {HEIGHT}v-{tallest[x] * (HEIGHT - 2):.3g}" for x in at.tolist())
    return (
        f'<svg role="img" aria-label="{escape(label)}" viewBox="-1 0 {WIDTH + 2} {HEIGHT + 2}" '
        f'style="display:block;width:100%;max-width:{WIDTH + 2}px;height:{HEIGHT + 2}px" '
        'preserveAspectRatio="none" fill="none" stroke="currentColor">'
        f'<path d="M0 {HEIGHT}h{WIDTH}" stroke-opacity=".4"/><path d="{strokes}" stroke-width="1.5"/></svg>'
    )


def _shown(strips: Sequence[str], words: str) -> str:
    return f"<div>{''.join(strips)}<div><small>{escape(words)}</small></div></div>"


def _boundaries(n: int) -> str:
    return counted(n, "boundary", "boundaries")


def corpus_html(
    title: str,
    documents: Sequence[str],
    coders: Sequence[str],
    n_units: IntArray,
    n_boundaries: Sequence[Sequence[int | None]],
    n_hidden: tuple[int, int],
) -> str:
    """Return a table of the numbers of boundaries: the first documents × the first coders."""

    def row(tag: str, name: str, cells: Sequence[str]) -> str:
        numbers = "".join(f'<{tag} style="text-align:right">{escape(cell)}</{tag}>' for cell in cells)
        return f'<tr><{tag} style="text-align:left">{escape(name)}</{tag}>{numbers}</tr>'

    def rows() -> Iterator[str]:
        for document, length, counts in zip(documents, n_units.tolist(), n_boundaries, strict=True):
            cells = ("–" if number is None else f"{number:,}" for number in counts)
            yield row("td", shortened(document), [f"{length:,}", *cells])

    head = row("th", "document", ["units", *map(shortened, coders)])
    nouns = zip(n_hidden, ("more document", "more coder"), strict=True)
    hidden = [counted(n, noun) for n, noun in nouns if n]
    words = "boundaries of each coding" + (f"; {listed(hidden)} not shown" if hidden else "")
    caption = f"<caption>{escape(title)}</caption>"
    return (
        f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows())}</tbody></table>"
        f"<p><small>{escape(words)}</small></p>"
    )

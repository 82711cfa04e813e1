"""support(): how many coders mark each position, exactly or nearby, and so how prominent it is.

KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance and a new measure
of quality, NAACL: the prominence of a boundary is approximated by the share of coders who mark it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray
from caesura.checks import check_whole
from caesura.errors import CorpusError
from caesura.metrics.window import half_mean_length
from caesura.results.notes import finding, reading, recipe
from caesura.results.result import Result
from caesura.results.table import Column, Table
from caesura.values.corpus import Corpus
from caesura.version import __version__

K_MIN = 2
"""Least window size, as in the window metrics."""

MAX_KEY = 2**62
"""Documents laid end to end beyond this many units need Python's integers."""


class SupportedPosition(NamedTuple):
    """A position that at least one coder marks, and how many mark it or one nearby."""

    document: str
    position: int
    exact: int
    half_window: int
    window: int
    coders: int
    k: int

    @property
    def prominence(self) -> float:
        """Share of the document's coders who mark just this position."""
        return self.exact / self.coders


@dataclass(frozen=True, repr=False)
class Support(Result):
    """Every marked position of every document with its support."""

    positions: tuple[SupportedPosition, ...]
    k: int | None = None
    """The window size that was asked for; None: each document's own."""

    def __repr__(self) -> str:
        return f"<Support of {len(self.positions):,} marked positions>"

    def to_dict(self) -> dict[str, Any]:
        """Return the positions as plain data."""
        return {"positions": [position._asdict() for position in self.positions]}

    def to_table(self) -> Table:
        """Return one row per marked position."""

        names = ["document", "position", "exact", "within k/2", "within k", "coders", "k"]
        return Table(
            "Support of each marked position",
            [*map(Column, names), Column("prominence", 2)],
            [[*position, position.prominence] for position in self.positions],
            notes=[
                reading(
                    "coders who mark the position, or one at most k/2 or k away; prominence: exact / coders"
                ),
                recipe(
                    f"support|k={self.k or 'auto'}|rounding=half-even|k_min={K_MIN}|caesura {__version__}"
                ),
            ],
        )


class Prominence(NamedTuple):
    """How the support of marked positions is distributed, as shares of each document's coders."""

    tolerance: str
    positions: int
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    greatest: float
    by_one: float
    """Share of the positions that one coder supports."""
    by_half: float
    """Share of the positions that at least half of the coders support."""
    by_all: float
    """Share of the positions that all coders support."""


class Marked(NamedTuple):
    """Arrays with one entry per marked position of a document, document after document."""

    document: IntArray
    position: IntArray
    exact: IntArray
    half_window: IntArray
    window: IntArray


def support(corpus: Corpus, *, k: int | None = None) -> Support:
    """Return how many coders support each position that at least one of them marks (KS12 §4.2, figure 3).

    A coder supports a position with a boundary at it (``exact``), at most k/2 away (``half_window``) or at
    most k away (``window``). k is half the mean segment length over all coders of the document, rounded half
    to even, at least 2 and at most N − 1, unless it is given. Positions count once, whatever types stand
    there.

    >>> found = support(Corpus.from_dict({"d": {"ann": [5, 6], "bob": [6, 5], "cy": [5, 3, 3]}}))
    >>> [(p.position, p.exact, p.half_window, p.window) for p in found.positions]
    [(5, 2, 3, 3), (6, 1, 3, 3), (8, 1, 1, 2)]
    """
    if not corpus.n_codings:
        raise CorpusError("the corpus has no documents")
    sizes = window_sizes(corpus)
    if k is not None:
        sizes = np.maximum(1, np.minimum(check_whole("k", k, 1), corpus.document_units - 1))
    marked = count_support(corpus, sizes)
    columns = [column.tolist() for column in marked[1:]]
    documents = [corpus.documents[i] for i in marked.document.tolist()]
    n_coders, k_used = corpus.n_coders[marked.document].tolist(), sizes[marked.document].tolist()
    rows = zip(documents, *columns, n_coders, k_used, strict=True)
    return Support(tuple(SupportedPosition(*row) for row in rows), k)


def prominence(corpus: Corpus) -> tuple[Prominence, ...]:
    """Return the distribution of support at each tolerance, over documents with at least two coders."""
    marked = count_support(corpus, window_sizes(corpus))
    n_coders = corpus.n_coders[marked.document]
    several = n_coders > 1
    if not several.any():
        return ()
    n_coders = n_coders[several]
    names = {"exact": marked.exact, "k/2": marked.half_window, "k": marked.window}
    return tuple(_distribution(name, counts[several], n_coders) for name, counts in names.items())


def _distribution(name: str, supporters: IntArray, n_coders: IntArray) -> Prominence:
    quartiles = np.quantile(supporters / n_coders, [0, 0.25, 0.5, 0.75, 1]).tolist()
    shares = (supporters == 1, 2 * supporters >= n_coders, supporters == n_coders)
    return Prominence(name, len(supporters), *quartiles, *(float(share.mean()) for share in shares))


def prominence_table(distributions: Sequence[Prominence], signature: str) -> Table:
    """Return one row per tolerance: the five numbers of a box plot, as in KS12 figure 3."""

    names = ["tolerance", "positions", "least", "Q1", "median", "Q3", "greatest"]
    names += ["by one", "by half", "by all"]
    notes = [reading("by one, half, all: share of the positions that one, at least half, all coders support")]
    if distributions:
        exact, near, _ = distributions
        notes.append(
            finding(
                f"Half or more of the coders mark {exact.by_half:.0%} of the marked positions exactly, and "
                f"{near.by_half:.0%} within half a window."
            )
        )
    return Table(
        "Support of marked positions, as a share of each document's coders",
        [Column(name, 2) for name in names],
        [list(distribution) for distribution in distributions],
        notes=[*notes, recipe(signature)],
    )


def window_sizes(corpus: Corpus) -> IntArray:
    """Return k of each document: half the mean segment length over all its codings."""
    n_segments = np.add.reduceat(corpus.codings.n_positions + 1, corpus.starts[:-1])
    n_units = _whole(corpus.document_units, int(corpus.n_coders.max()) * int(corpus.document_units.max()))
    half = half_mean_length(n_units * corpus.n_coders, n_segments, "half-even")
    sizes: IntArray = np.maximum(1, np.minimum(np.maximum(K_MIN, half), corpus.document_units - 1)).astype(
        np.int64
    )
    return sizes


def count_support(corpus: Corpus, k: IntArray) -> Marked:
    """Count supporters of all marked positions at once; ``k`` is per document.

    All documents are laid end to end with gaps wider than any tolerance. A coder's boundary at b, the one
    before it at a, is the coder's first within tolerance t of q just when max(b − t, a + t + 1) ≤ q ≤ b + t.
    These intervals of one coder do not overlap, so the intervals around q count the coders near it.
    """
    marks = corpus.codings.marked
    n_units = _whole(corpus.document_units, 3 * sum(corpus.document_units.tolist()))
    base = np.cumsum(3 * n_units) - 2 * n_units
    lengths = marks.n_boundaries
    document = np.repeat(corpus.document, lengths)
    keys = marks.positions + base[document]
    is_first = np.zeros(len(keys), dtype=bool)
    is_first[marks.offsets[:-1][lengths > 0]] = True
    marked, where, exact = np.unique(keys, return_index=True, return_counts=True)

    def supporters(tolerance: IntArray) -> IntArray:
        reach = tolerance[document]
        before = np.where(is_first, keys - reach, np.roll(keys, 1) + reach + 1)
        first, last = np.sort(np.maximum(keys - reach, before)), np.sort(keys + reach)
        return np.searchsorted(first, marked, side="right") - np.searchsorted(last, marked, side="left")

    return Marked(
        document[where], marks.positions[where], exact.astype(np.int64), supporters(k // 2), supporters(k)
    )


def _whole(values: IntArray, largest: int) -> NDArray[Any]:
    """Return the values as integers that can hold the largest number made from them."""
    return values if largest < MAX_KEY else values.astype(object)

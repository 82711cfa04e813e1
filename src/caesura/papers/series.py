"""series(): a figure of a paper as data, recomputed; SERIES lists all that are known."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from caesura.checks import Seed, check_whole
from caesura.errors import UnknownNameError, did_you_mean
from caesura.papers import (
    carroll_figures,
    fournier_agreement,
    fournier_figures,
    kazantseva_figures,
    tables,  # noqa: F401  (it registers how a Series is shown)
)
from caesura.papers.curves import Curve, Figure, Series
from caesura.papers.facts import SEED
from caesura.papers.recompute import Data, NotRecomputedError

__all__ = ["SEED", "SERIES", "Curve", "Figure", "Series", "make_seed", "recompute_figure", "series"]

SERIES: dict[str, Figure] = {
    figure.id: figure
    for figure in (
        *fournier_figures.FIGURES,
        *fournier_agreement.FIGURES,
        *fournier_figures.NOT_RECOMPUTED,
        *kazantseva_figures.FIGURES,
        *carroll_figures.FIGURES,
    )
}
"""Every figure by its name, those that cannot be recomputed included."""


def series(
    id: str,
    *,
    data: str | os.PathLike[str] | None = None,
    rng: Seed = SEED,
    progress: Callable[[int, int], None] | None = None,
) -> Series:
    """Return a figure as data.

    Parameters
    ----------
    id
        The figure's name, one of ``SERIES``.
    data
        The folder with the papers' data (None: $CAESURA_DATA). MissingDataError says which file is not there.
    rng
        A seed or a generator for simulated figures; the same seed gives the same series.
    progress
        Called with (1, 1) when the figure is done; ``reproduce`` counts many of them.

    Examples
    --------
    >>> found = series("F13t figure 5.9, pattern A")
    >>> found
    <Series F13t figure 5.9, pattern A: 5 curves, 495 points>
    >>> [(curve.label, curve.y[0], round(curve.y[-1], 4)) for curve in found.curves[:3]]
    [('S', 1.0, 0.0101), ('Ba', 1.0, 0.02), ('B', 1.0, 0.0101)]
    """
    if id not in SERIES:
        raise UnknownNameError(f"there is no figure {id!r}; {did_you_mean(id, SERIES)}")
    found = recompute_figure(SERIES[id], Data.at(data), make_seed(rng))
    if progress is not None:
        progress(1, 1)
    return found


def recompute_figure(figure: Figure, data: Data, seed: int) -> Series:
    """Return the figure's series, or raise NotRecomputedError or MissingDataError."""
    if figure.compute is None:
        raise NotRecomputedError(figure.reason)
    return figure.compute(figure, data, seed)


def make_seed(rng: Seed) -> int:
    """Return a seed that can be printed: the one that is given, or one that is drawn."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**32))
    return check_whole("rng", rng)

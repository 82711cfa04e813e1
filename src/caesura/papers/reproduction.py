"""reproduce() and series(): published numbers and figures, recomputed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

from caesura.checks import Seed, check_choice, check_whole
from caesura.errors import ParameterError, unknown
from caesura.io.files import natural_key
from caesura.papers import words  # noqa: F401  (it registers how results are shown)
from caesura.papers.figures import SERIES
from caesura.papers.recompute import (
    PAPERS,
    SEED,
    Data,
    Fact,
    MissingDataError,
    NotRecomputedError,
    load_facts,
    recompute,
)
from caesura.papers.results import Figure, Reproduced, ReproducedFigure, Reproduction, Series


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
        The folder with the papers' data (None: $CAESURA_DATA). MissingDataError names the missing file.
    rng
        A seed or a generator for simulated figures; the same seed gives the same series.
    progress
        Called with (1, 1) when the figure is done; ``reproduce`` counts many of them.

    Examples
    --------
    >>> made = series("F13t figure 5.9, pattern A")
    >>> made
    <Series F13t figure 5.9, pattern A: 5 curves, 495 points>
    >>> [(curve.label, curve.y[0], round(curve.y[-1], 4)) for curve in made.curves[:3]]
    [('S', 1.0, 0.0101), ('Ba', 1.0, 0.02), ('B', 1.0, 0.0101)]
    """
    if id not in SERIES:
        raise unknown("figure", id, SERIES)
    made = SERIES[id].series(Data.at(data), make_seed(rng))
    if progress is not None:
        progress(1, 1)
    return made


def make_seed(rng: Seed) -> int:
    """Return a seed that can be printed: the given one, or a drawn one."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**32))
    return check_whole("rng", rng)


P = ParamSpec("P")
T = TypeVar("T")

TWO_TABLES = re.compile(r"tables (\d+)-(\d+)")


def reproduce(
    papers: Sequence[str] = PAPERS,
    *,
    item: str = "",
    data: str | os.PathLike[str] | None = None,
    rng: Seed = SEED,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Recompute the published facts and figures of these papers whose name contains ``item``.

    ``data`` is the folder with the papers' data (None: $CAESURA_DATA); items name the files that they lack.
    ``rng`` is the seed of the simulated figures; "fig" and "figure" are the same in a name.

    >>> reproduce(["F13"], item="near miss")
    <Reproduction: 3 of 3 recomputed facts agree; 0 of 0 figures recomputed>
    >>> reproduce(["F13t"], item="figure 5.9, pattern a").series
    (<Series F13t figure 5.9, pattern A: 5 curves, 495 points>,)
    """
    if isinstance(papers, str):
        raise ParameterError(f"papers is {papers!r}: give a list of names")
    for paper in papers:
        check_choice("paper", paper, PAPERS)
    facts = [fact for fact in load_facts() if fact.paper in papers and is_named(item, fact.id)]
    figures = [figure for figure in SERIES.values() if figure.paper in papers and is_named(item, figure.id)]
    figures.sort(key=lambda figure: (PAPERS.index(figure.paper), natural_key(Path(figure.id))))
    total = len(facts) + len(figures)
    if not total:
        raise ParameterError(f"no published fact or figure of {', '.join(papers)} has {item!r} in its name")
    folder, seed = Data.at(data), make_seed(rng)
    items: list[Reproduced] = []
    series: list[ReproducedFigure] = []
    entries: list[Fact | Figure] = [*facts, *figures]
    for done, entry in enumerate(entries, start=1):
        if isinstance(entry, Fact):
            ours, reason = _attempt(recompute, entry, folder)
            reason = reason if ours is None else entry.note or _explain(entry, ours)
            items.append(Reproduced(entry, ours, reason))
        else:
            series.append(ReproducedFigure(entry, *_attempt(entry.series, folder, seed)))
        if progress is not None:
            progress(done, total)
    return Reproduction(tuple(items), tuple(series))


def _attempt(compute: Callable[P, T], *given: P.args, **named: P.kwargs) -> tuple[T | None, str]:
    """Return the result, or None and the reason."""
    try:
        return compute(*given, **named), ""
    except (MissingDataError, NotRecomputedError) as error:
        return None, str(error)


def is_named(item: str, name: str) -> bool:
    """Whether a name contains this; "tables 1-2" also match "table 1" and "table 2"."""
    wanted, known = (text.lower().replace("figure", "fig") for text in (item, name))
    names = (known, *(TWO_TABLES.sub(rf"table \{n}", known) for n in (1, 2)))
    return any(wanted in name for name in names)


def _explain(fact: Fact, ours: Sequence[float]) -> str:
    """Return why a value within its tolerance is not the printed one to the last digit."""
    decimals = (len(repr(value).partition(".")[2]) for value in fact.values)
    differences = (abs(mine - value) for mine, value in zip(ours, fact.values, strict=True))
    if all(gap <= 10.0**-n / 2 + 1e-12 for gap, n in zip(differences, decimals, strict=True)):
        return ""
    if isinstance(fact.input, dict) and "simulate" in fact.input:
        return f"simulated, tolerance {fact.tolerance:g}; the paper's sizes seem to leave the upper end out"
    return f"not the same to the last digit; tolerance {fact.tolerance:g}"

"""reproduce(): recomputes the published numbers and figures of papers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from caesura.checks import Seed, check_choice
from caesura.errors import ParameterError
from caesura.papers import tables  # noqa: F401  (it registers how a Reproduction is shown)
from caesura.papers.curves import Figure
from caesura.papers.facts import PAPERS, SEED, Fact, load_facts
from caesura.papers.recompute import Data, MissingDataError, NotRecomputedError, recompute
from caesura.papers.results import Reproduced, ReproducedFigure, Reproduction
from caesura.papers.series import SERIES, make_seed, recompute_figure

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

    ``data`` is the folder with the papers' data (None: $CAESURA_DATA); what needs a file that is not there
    says which. ``rng`` is the seed of the simulated figures; "fig" and "figure" are the same in a name.

    >>> reproduce(["F13"], item="near miss")
    <Reproduction: 3 of 3 recomputed facts agree; 0 of 0 figures recomputed>
    >>> reproduce(["F13t"], item="figure 5.9, pattern a").series
    (<Series F13t figure 5.9, pattern A: 5 curves, 495 points>,)
    """
    if isinstance(papers, str):
        raise ParameterError(f"papers is {papers!r}: give a list of names")
    for paper in papers:
        check_choice("paper", paper, PAPERS)
    facts = [fact for fact in load_facts() if fact.paper in papers and _named(item, fact.id)]
    figures = [figure for figure in SERIES.values() if figure.paper in papers and _named(item, figure.id)]
    figures.sort(key=_place)
    total = len(facts) + len(figures)
    if not total:
        raise ParameterError(f"no published fact or figure of {', '.join(papers)} has {item!r} in its name")
    where, seed = Data.at(data), make_seed(rng)
    advance = progress or (lambda done, of: None)
    items = []
    for done, fact in enumerate(facts, start=1):
        items.append(_reproduce(fact, where))
        advance(done, total)
    found = []
    for done, figure in enumerate(figures, start=len(facts) + 1):
        found.append(_draw(figure, where, seed))
        advance(done, total)
    return Reproduction(tuple(items), tuple(found))


def _named(item: str, name: str) -> bool:
    """Whether a name has this in it; "tables 1-2" are found by "table 1" and "table 2", too."""
    wanted, known = (text.lower().replace("figure", "fig") for text in (item, name))
    names = (known, *(TWO_TABLES.sub(rf"table \{n}", known) for n in (1, 2)))
    return any(wanted in name for name in names)


def _place(figure: Figure) -> tuple[int, list[str | int]]:
    """Return where a figure stands: by paper, then by number, 9 before 10."""
    parts = re.split(r"(\d+)", figure.id)
    return PAPERS.index(figure.paper), [int(part) if part.isdigit() else part for part in parts]


def _reproduce(fact: Fact, data: Data) -> Reproduced:
    try:
        ours = recompute(fact, data)
        return Reproduced(fact, ours, fact.note or _explain(fact, ours))
    except (MissingDataError, NotRecomputedError) as error:
        return Reproduced(fact, None, str(error))


def _explain(fact: Fact, ours: Sequence[float]) -> str:
    """Say why a value that agrees within its tolerance is not the printed one to the last digit."""
    if all(_rounds_to(mine, value) for value, mine in zip(fact.values, ours, strict=True)):
        return ""
    if isinstance(fact.input, dict) and "simulate" in fact.input:
        return f"simulated, tolerance {fact.tolerance:g}; the paper's sizes seem to leave the upper end out"
    return f"not the same to the last digit; tolerance {fact.tolerance:g}"


def _rounds_to(ours: float, published: float) -> bool:
    decimals = len(repr(published).partition(".")[2])
    return abs(ours - published) <= float(10**-decimals) / 2 + 1e-12


def _draw(figure: Figure, data: Data, seed: int) -> ReproducedFigure:
    try:
        return ReproducedFigure(figure, recompute_figure(figure, data, seed), "")
    except (MissingDataError, NotRecomputedError) as error:
        return ReproducedFigure(figure, None, str(error))

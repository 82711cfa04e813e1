"""reproduce(): published numbers and figures beside ours, and why they differ or are missing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from caesura.checks import Seed, check_choice
from caesura.errors import ParameterError
from caesura.papers.curves import Figure, Series
from caesura.papers.facts import PAPERS, SEED, Fact, load_facts
from caesura.papers.recompute import Data, MissingDataError, NotRecomputedError, recompute, within
from caesura.papers.series import SERIES, make_seed, recompute_figure
from caesura.results.notes import finding, reading
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table
from caesura.version import __version__

SOURCES = (
    "F13 Fournier (2013), ACL; F13t Fournier (2013), thesis; KS12 Kazantseva & Szpakowicz (2012); "
    "PH02 Pevzner & Hearst (2002); C10 Carroll (2010)"
)

TWO_TABLES = re.compile(r"tables (\d+)-(\d+)")


@dataclass(frozen=True)
class Reproduced:
    """A fact and what became of it."""

    fact: Fact
    ours: tuple[float, ...] | None
    reason: str

    @property
    def agrees(self) -> bool | None:
        """Whether all values are within the tolerance; None where they were not recomputed."""

        return None if self.ours is None else within(self.fact.values, self.ours, self.fact.tolerance)

    @property
    def value_names(self) -> list[str]:
        """The fact's name for each of its values."""
        quantities = self.fact.quantity.split(", ")
        if len(self.fact.values) == 1:
            return [self.fact.id]
        if len(quantities) != len(self.fact.values):
            quantities = [str(number) for number in range(1, len(self.fact.values) + 1)]
        return [f"{self.fact.id}: {quantity}" for quantity in quantities]


@dataclass(frozen=True)
class ReproducedFigure:
    """A figure and its series; None where it was not recomputed, with the reason."""

    figure: Figure
    series: Series | None
    reason: str


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """All facts and figures that were asked for."""

    items: tuple[Reproduced, ...]
    figures: tuple[ReproducedFigure, ...] = ()

    @property
    def series(self) -> tuple[Series, ...]:
        """The figures that were recomputed, as data."""
        return tuple(found.series for found in self.figures if found.series is not None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "version": __version__,
            "items": [
                {
                    "id": item.fact.id,
                    "quantity": item.fact.quantity,
                    "published": list(item.fact.values),
                    "ours": None if item.ours is None else list(item.ours),
                    "tolerance": item.fact.tolerance,
                    "agrees": item.agrees,
                    "reason": item.reason,
                }
                for item in self.items
            ],
            "series": [found.to_dict() for found in self.series],
            "not_recomputed": [
                {"id": found.figure.id, "title": found.figure.title, "reason": found.reason}
                for found in self.figures
                if found.series is None
            ],
        }

    def to_table(self) -> Table:
        """Return a row for each fact, or where there is none for each figure."""

        if not self.items:
            return self.figures_table()
        names = ("item", "published", "ours", "difference", "agrees", "why")
        rows: list[list[Cell]] = []
        for item in self.items:
            verdict = {True: "yes", False: "NO", None: "—"}[item.agrees]
            # A row for each value keeps published and ours beside each other on any terminal.
            for i, (name, published) in enumerate(zip(item.value_names, item.fact.values, strict=True)):
                ours = None if item.ours is None else item.ours[i]
                difference = None if ours is None else _cell(ours - published)
                rows.append(
                    [name, _cell(published), _cell(ours), difference, verdict, "" if i else item.reason]
                )
        return Table(
            "", [Column(name) for name in names], rows, notes=[finding(self.summary()), reading(SOURCES)]
        )

    def figures_table(self, *, missing_only: bool = False) -> Table:
        """Return a row for each figure, or for those that were not recomputed."""

        names = ("figure", "title", "points", "published points", "largest difference", "why")
        rows: list[list[Cell]] = []
        for found in self.figures:
            series = found.series
            if series is None:
                rows.append([found.figure.id, found.figure.title, None, None, None, found.reason])
            elif not missing_only:
                stated = sum(point.ours is not None for point in series.stated)
                numbers = (series.n_points, stated, series.largest_difference)
                rows.append([found.figure.id, found.figure.title, *numbers, found.reason])
        points = "" if missing_only or not self.series else "; --item prints their points"
        note = (
            f"{len(self.series)} of {len(self.figures)} figures (each panel is one) were recomputed{points}. "
            f"caesura {__version__}"
        )
        return Table("", [Column(name) for name in names], rows, notes=[finding(note)])

    def tables(self, *, full: bool = False) -> list[Table]:
        """Return the tables of facts and of figures; ``full``: every point of a figure instead of a row."""
        found = [self.to_table()] if self.items else []
        if full:
            if len(self.series) < len(self.figures):
                found.append(self.figures_table(missing_only=True))
            return found + [series.to_table() for series in self.series]
        return [*found, self.figures_table()] if self.figures else found

    def summary(self) -> str:
        """Say how many agree."""
        recomputed = [item for item in self.items if item.ours is not None]
        agree = sum(item.agrees is True for item in recomputed)
        rest = len(self.items) - len(recomputed)
        figures = f" {len(self.series)} of {len(self.figures)} figures as data." if self.figures else ""
        facts = f"{agree} of {len(recomputed)} recomputed facts agree within their tolerance; {rest} were not"
        if not recomputed:
            facts = f"None of {rest} facts was"
        return f"{facts} recomputed.{figures} caesura {__version__}"

    def __repr__(self) -> str:
        return f"<Reproduction: {self.summary()}>"


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
    <Reproduction: 3 of 3 recomputed facts agree within their tolerance; 0 were not recomputed. caesura 0.1.0>
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
    if fact.input == "row":
        return "the row checked inside itself; the segmenters' outputs were never published"
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


def _cell(value: float | None) -> Cell:
    """Whole numbers are shown without decimals."""
    return int(value) if value is not None and value == int(value) else value

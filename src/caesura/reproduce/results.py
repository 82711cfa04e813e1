"""reproduce(): published numbers beside ours, with the reason where they differ or are not recomputed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caesura.errors import ParameterError
from caesura.parameters import check_choice
from caesura.reproduce.facts import PAPERS, Fact, load_facts
from caesura.reproduce.recompute import Data, MissingDataError, NotRecomputedError, recompute, within
from caesura.result import Result
from caesura.version import __version__

if TYPE_CHECKING:
    from caesura.report.table import Cell, Table


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


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """All facts that were asked for."""

    items: tuple[Reproduced, ...]

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
        }

    def to_table(self) -> Table:
        """Return a row for each fact."""
        from caesura.report.table import Column, Table

        names = ("item", "published", "ours", "largest difference", "agrees", "why")
        rows: list[list[Cell]] = []
        for item in self.items:
            published, ours = item.fact.values, item.ours
            difference = None
            if ours is not None:
                difference = max(abs(p - o) for p, o in zip(published, ours, strict=True))
            verdict = {True: "yes", False: "NO", None: "—"}[item.agrees]
            rows.append(
                [item.fact.id, _numbers(published), _numbers(ours or ()), difference, verdict, item.reason]
            )
        return Table("", [Column(name) for name in names], rows, notes=[self.summary()])

    def summary(self) -> str:
        """Say how many agree."""
        recomputed = [item for item in self.items if item.ours is not None]
        agree = sum(item.agrees is True for item in recomputed)
        rest = len(self.items) - len(recomputed)
        return (
            f"{agree} of {len(recomputed)} recomputed facts agree within their tolerance; {rest} were not "
            f"recomputed. caesura {__version__}"
        )

    def __repr__(self) -> str:
        return f"<Reproduction: {self.summary()}>"


def reproduce(
    papers: Sequence[str] = PAPERS,
    *,
    item: str = "",
    data: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Recompute the published facts of these papers whose id contains ``item``.

    ``data`` is the folder with the papers' data (None: $CAESURA_DATA); what needs a file that is not there
    says which.

    >>> reproduce(["F13"], item="near miss")
    <Reproduction: 3 of 3 recomputed facts agree within their tolerance; 0 were not recomputed. caesura 0.1.0>
    """
    if isinstance(papers, str):
        raise ParameterError(f"papers is {papers!r}: give a list of names")
    for paper in papers:
        check_choice("paper", paper, PAPERS)
    chosen = [fact for fact in load_facts() if fact.paper in papers and item.lower() in fact.id.lower()]
    if not chosen:
        raise ParameterError(f"no published fact of {', '.join(papers)} has {item!r} in its name")
    folder = data if data is not None else os.environ.get("CAESURA_DATA")
    where = Data(Path(folder) if folder else None)
    found = []
    for done, fact in enumerate(chosen, start=1):
        found.append(_reproduce(fact, where))
        if progress is not None:
            progress(done, len(chosen))
    return Reproduction(tuple(found))


def _reproduce(fact: Fact, data: Data) -> Reproduced:
    try:
        return Reproduced(fact, recompute(fact, data), fact.note)
    except (MissingDataError, NotRecomputedError) as error:
        return Reproduced(fact, None, str(error))


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.4f}".rstrip("0").rstrip(".") for value in values)

"""Reproduction: published facts and figures beside ours, and why they differ or are missing, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caesura.papers.curves import Figure, Series
from caesura.papers.facts import Fact
from caesura.papers.recompute import within
from caesura.results.result import Result
from caesura.version import __version__


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
    def recomputed(self) -> tuple[Reproduced, ...]:
        """The facts that were recomputed."""
        return tuple(item for item in self.items if item.ours is not None)

    @property
    def n_agreeing(self) -> int:
        """How many of them agree with what was published."""
        return sum(item.agrees is True for item in self.recomputed)

    @property
    def series(self) -> tuple[Series, ...]:
        """The figures that were recomputed, as data."""
        return tuple(found.series for found in self.figures if found.series is not None)

    def numbers(self) -> dict[str, Any]:
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
            "series": [found.numbers() for found in self.series],
            "not_recomputed": [
                {"id": found.figure.id, "title": found.figure.title, "reason": found.reason}
                for found in self.figures
                if found.series is None
            ],
        }

    def __repr__(self) -> str:
        facts = f"{self.n_agreeing} of {len(self.recomputed)} recomputed facts agree"
        return f"<Reproduction: {facts}; {len(self.series)} of {len(self.figures)} figures recomputed>"

"""Published figures as data, and published facts and figures beside the recomputed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.arrays import FloatArray
from caesura.papers.recompute import BECAUSE, Data, Fact, NotRecomputedError, within
from caesura.results.as_json import plain_fields
from caesura.results.result import Result
from caesura.version import __version__

X: TypeAlias = float | str


@dataclass(frozen=True)
class Curve:
    """Points of one kind: x may be categories; ``low`` and ``high`` are a spread or an interval around y.

    Any sequences become tuples.
    """

    label: str
    x: Sequence[X]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()

    def __post_init__(self) -> None:
        for name in ("x", "y", "low", "high"):
            object.__setattr__(self, name, tuple(getattr(self, name)))


class Stated(NamedTuple):
    """A point that the paper states in numbers, and ours; None if it was not recomputed."""

    label: str
    x: X
    published: float
    ours: float | None


@dataclass(frozen=True, repr=False)
class Series(Result):
    """A figure as data: the curves, and the numbers that the paper prints about them."""

    id: str
    paper: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    published: tuple[Curve, ...]
    """Only points that are printed as numbers; nothing is read off a picture."""
    note: str
    signature: str
    is_drawing: bool = False
    """Whether the points are boundaries at their positions, not values to be joined."""

    @property
    def n_points(self) -> int:
        """Number of points of all curves."""
        return sum(len(curve.x) for curve in self.curves)

    @property
    def stated(self) -> tuple[Stated, ...]:
        """The published points with ours, matched by label and x."""
        ours = {(curve.label, x): y for curve in self.curves for x, y in zip(curve.x, curve.y, strict=True)}
        points = ((c.label, x, y) for c in self.published for x, y in zip(c.x, c.y, strict=True))
        return tuple(Stated(label, x, y, ours.get((label, x))) for label, x, y in points)

    @property
    def largest_difference(self) -> float | None:
        """Largest difference from a published point; None without points to compare."""
        differences = [abs(point.published - point.ours) for point in self.stated if point.ours is not None]
        return max(differences, default=None)

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self) | {"largest_difference": self.largest_difference}

    def __repr__(self) -> str:
        return f"<Series {self.id}: {len(self.curves)} curves, {self.n_points} points>"


class Points(NamedTuple):
    """The recomputed curves of a figure; without a signature they are a drawing of boundaries."""

    curves: Sequence[Curve]
    signature: str = ""
    facts: Mapping[str, Any] = {}
    """Values for the figure's note, beside its settings."""


@dataclass(frozen=True)
class Figure:
    """A figure that ``compute(data, seed, **settings)`` recomputes; without it, the reason.

    The labels and the note are format strings for settings and facts, such as {seed}.
    """

    id: str
    title: str
    x_label: str = ""
    y_label: str = ""
    note: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    published: tuple[Curve, ...] = ()
    compute: Callable[..., Points] | None = None
    reason: str = ""

    @property
    def paper(self) -> str:
        """The paper's short name."""
        return self.id.split()[0]

    def series(self, data: Data, seed: int) -> Series:
        """Return the figure as data, or raise NotRecomputedError or MissingDataError."""
        if self.compute is None:
            raise NotRecomputedError(BECAUSE + self.reason)
        curves, signature, facts = self.compute(data, seed, **self.settings)
        labels = self.title, self.x_label, self.y_label.format(**self.settings)
        note = self.note.format(**self.settings, **facts, seed=seed)
        signed = signature or f"drawing|caesura {__version__}"
        points = tuple(curves), self.published
        return Series(self.id, self.paper, *labels, *points, note, signed, is_drawing=not signature)


FIVE_NUMBERS = ("least", "lower quartile", "median", "upper quartile", "greatest")
"""The values of a box plot."""


def box_plots(values: Mapping[str, Sequence[float] | FloatArray]) -> tuple[Curve, ...]:
    """Return the box plots of these values as five curves; the median has the quartiles as its spread.

    >>> [curve.y for curve in box_plots({"d": [1, 2, 3, 4, 9]})]
    [(1.0,), (2.0,), (3.0,), (4.0,), (9.0,)]
    """
    rows = np.transpose([np.quantile(own, [0, 0.25, 0.5, 0.75, 1]) for own in values.values()]).tolist()
    curves = (Curve(name, [*values], y) for name, y in zip(FIVE_NUMBERS, rows, strict=True))
    least, low, median, high, greatest = curves
    return least, low, replace(median, low=low.y, high=high.y), high, greatest


@dataclass(frozen=True)
class Reproduced:
    """A fact with its recomputed values; None with the reason if it was not recomputed."""

    fact: Fact
    ours: tuple[float, ...] | None
    reason: str

    @property
    def agrees(self) -> bool | None:
        """Whether all values are within the tolerance; None if they were not recomputed."""
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

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        of_fact = plain_fields(self.fact, ("id", "quantity", "values", "tolerance", "differs"))
        of_fact["published"] = of_fact.pop("values")
        return of_fact | plain_fields(self, ("ours", "agrees", "reason"))


@dataclass(frozen=True)
class ReproducedFigure:
    """A figure and its series; None with the reason if it was not recomputed."""

    figure: Figure
    series: Series | None
    reason: str


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """The requested facts and figures."""

    items: tuple[Reproduced, ...]
    figures: tuple[ReproducedFigure, ...] = ()

    @property
    def recomputed(self) -> tuple[Reproduced, ...]:
        """The facts that were recomputed."""
        return tuple(item for item in self.items if item.ours is not None)

    @property
    def n_agreeing(self) -> int:
        """The number of recomputed facts that agree with the published values."""
        return sum(item.agrees is True for item in self.recomputed)

    @property
    def n_differing(self) -> int:
        """The number of recomputed facts that are known to differ."""
        return sum(item.fact.differs for item in self.recomputed)

    @property
    def series(self) -> tuple[Series, ...]:
        """The figures that were recomputed, as data."""
        return tuple(item.series for item in self.figures if item.series is not None)

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "version": __version__,
            "items": [item.numbers() for item in self.items],
            "series": [series.numbers() for series in self.series],
            "not_recomputed": [
                {"id": item.figure.id, "title": item.figure.title, "reason": item.reason}
                for item in self.figures
                if item.series is None
            ],
        }

    def __repr__(self) -> str:
        facts = f"{self.n_agreeing} of {len(self.recomputed)} recomputed facts agree"
        return f"<Reproduction: {facts}; {len(self.series)} of {len(self.figures)} figures recomputed>"

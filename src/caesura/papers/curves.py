"""Curve and Series: a figure of a paper as numbers, beside the points that the paper itself states."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.papers.recompute import Data
from caesura.results.result import Result
from caesura.version import __version__

X: TypeAlias = float | str


@dataclass(frozen=True)
class Curve:
    """Points of one kind: x may be categories; ``low`` and ``high`` are a spread or an interval around y."""

    label: str
    x: tuple[X, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


class Stated(NamedTuple):
    """A point that the paper states in numbers, and ours; None where it was not recomputed."""

    label: str
    x: X
    published: float
    ours: float | None


@dataclass(frozen=True, repr=False)
class Series(Result):
    """A figure as data: the curves, and what the paper's text or tables say about them in numbers."""

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
        return tuple(
            Stated(curve.label, x, y, ours.get((curve.label, x)))
            for curve in self.published
            for x, y in zip(curve.x, curve.y, strict=True)
        )

    @property
    def largest_difference(self) -> float | None:
        """Largest difference from a published point; None where there is none to compare."""
        differences = [abs(point.published - point.ours) for point in self.stated if point.ours is not None]
        return max(differences, default=None)

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self) | {"largest_difference": self.largest_difference}

    def __repr__(self) -> str:
        return f"<Series {self.id}: {len(self.curves)} curves, {self.n_points} points>"


@dataclass(frozen=True)
class Figure:
    """A figure that is recomputed as ``compute(figure, data, seed)``; or, without it, the reason why not."""

    id: str
    title: str
    compute: Callable[[Figure, Data, int], Series] | None = None
    reason: str = ""

    @property
    def paper(self) -> str:
        """The paper's short name."""
        return self.id.split()[0]

    def series(
        self,
        x_label: str,
        y_label: str,
        curves: Sequence[Curve],
        *,
        published: Sequence[Curve] = (),
        note: str,
        signature: str = "",
    ) -> Series:
        """Return a Series under the figure's name; without a signature it is a drawing of boundaries."""
        return Series(
            self.id,
            self.paper,
            self.title,
            x_label,
            y_label,
            tuple(curves),
            tuple(published),
            note,
            signature or f"drawing|caesura {__version__}",
            is_drawing=not signature,
        )


FIVE_NUMBERS = ("least", "lower quartile", "median", "upper quartile", "greatest")
"""What a box plot shows."""


def box_plots(x: Sequence[X], five_numbers: Sequence[Sequence[float]]) -> tuple[Curve, ...]:
    """Return box plots as five curves; the median has the quartiles as its spread.

    >>> [curve.y for curve in box_plots(["d"], [five_numbers([1, 2, 3, 4, 9])])]
    [(1.0,), (2.0,), (3.0,), (4.0,), (9.0,)]
    """
    columns = dict(zip(FIVE_NUMBERS, map(tuple, zip(*five_numbers, strict=True)), strict=True))
    spread = (columns["lower quartile"], columns["upper quartile"])
    return tuple(
        Curve(name, tuple(x), y, *(spread if name == "median" else ())) for name, y in columns.items()
    )


def five_numbers(values: Sequence[float]) -> list[float]:
    """Return least, lower quartile, median, upper quartile and greatest."""
    found: list[float] = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return found


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and its 95 % interval by the normal distribution.

    >>> mean, low, high = mean_interval([0.0, 1.0] * 50)
    >>> mean, round(high - mean, 4)
    (0.5, 0.0985)
    """
    mean = float(np.mean(values))
    reach = 1.959964 * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return mean, mean - reach, mean + reach

"""Sweeps: a metric at every threshold, the best one, and its value on documents held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from caesura.metrics.base import Metric
from caesura.results.result import Result
from caesura.version import __version__
from caesura.wording import counted


class Point(NamedTuple):
    """What a metric says where the scores are cut in one way."""

    cut: float
    """The threshold, or the number of segments."""
    value: float
    boundaries: int
    """Of all documents together."""


class Best(NamedTuple):
    """The best of all cuts."""

    threshold: float | None
    """A boundary is where a score reaches it; None: numbers of segments were tried."""
    n_segments: int | None
    value: float
    """On the documents on which it was chosen: too good."""
    held_out: float
    """By cross-validation, each document cut as the others say: honest. NaN with one document."""

    @property
    def cut(self) -> float:
        """The threshold or the number of segments, whichever was tried."""
        return float(self.n_segments or 0) if self.threshold is None else self.threshold


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(Result):
    """A metric of all documents against where the scores are cut."""

    metric: Metric
    over: str
    """"threshold" or "segments"."""
    curve: tuple[Point, ...]
    """From the fewest boundaries to the most."""
    best: Best
    chosen: tuple[float, ...]
    """The best cut without each fold of documents."""
    documents: int
    references: int
    """Reference codings."""
    gaps: int
    n_cuts: int
    """Cuts that would differ; the curve has at most ``MOST_CUTS`` of them."""

    @property
    def signature(self) -> str:
        """The recipe behind the numbers."""
        folds = f"folds={len(self.chosen)} of documents" if self.chosen else "no folds"
        return f"sweep|{self.metric!r}|over={self.over}|average=micro|{folds}|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return the best cut and the whole curve as plain data."""
        return {
            "metric": repr(self.metric),
            "over": self.over,
            "best": self.best._asdict(),
            "chosen": list(self.chosen),
            "curve": [point._asdict() for point in self.curve],
            "documents": self.documents,
            "references": self.references,
            "gaps": self.gaps,
            "cuts": self.n_cuts,
            "signature": self.signature,
        }

    def __repr__(self) -> str:
        value = f"{self.metric.name} {self.best.value:.4f}, held out {self.best.held_out:.4f}"
        return (
            f"<Sweep of {counted(self.documents, 'document')}: best {self.over} {self.best.cut:g}, {value}>"
        )

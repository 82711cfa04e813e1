"""Plan: what half-widths, documents and power to expect of a study, and how sure the pilot is of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from caesura.analyses.study_plan.components import Components
from caesura.arrays import FloatArray
from caesura.checks import check_choice, check_number, check_whole
from caesura.metrics.base import Metric
from caesura.results.result import Result
from caesura.version import __version__

Of: TypeAlias = Literal["value", "observed"]
OF = ("value", "observed")

MOST_DOCUMENTS = 10**7
"""More are not looked for."""


class Estimate(NamedTuple):
    """A number that a plan predicts, and the range that resamples of the pilot's documents give."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """What to expect of a study with some number of documents and coders."""

    metric: Metric
    pi: float
    """π* of the pilot."""
    observed: float
    """Its observed agreement."""
    n_documents: int
    """The pilot's documents with at least two coders."""
    most_coders: int
    """The most coders that one of them has."""
    components: dict[str, Components]
    """The parts of the variance of value and observed agreement: of the pilot, then of its resamples."""
    documents: tuple[int, ...]
    coders: tuple[int, ...]
    width: float | None
    """The half-width that is wanted."""
    detect: float | None
    """The difference between two segmenters that is to be found."""
    power: float
    alpha: float
    confidence: float
    n_resamples: int
    seed: int | None
    stated: dict[str, float] | None
    """The rates that stand for a pilot; None: there was one."""
    assumed: bool
    """Whether the pilot has too few coders to show how much more of them help, so that it was simulated."""

    def half_width(self, documents: int, coders: int, of: Of = "value") -> Estimate:
        """Return the half-width to expect of the interval of π*, or of observed agreement.

        t(n − 1) · σ(c) / √n for n documents of c coders, times the mean of a standard deviation of n values
        over the true one.
        """
        n, c = check_whole("documents", documents, 2), check_whole("coders", coders, 2)
        return _estimate(self._reach(n) * np.sqrt(self._components(of).of_mean(c)))

    def documents_for(self, width: float, coders: int, of: Of = "value") -> Estimate:
        """Return how many documents give this half-width; infinite beyond ten million."""
        width = float(check_number("width", width, exclusive=True))
        spread = np.sqrt(self._components(of).of_mean(check_whole("coders", coders, 2)))
        return _estimate(np.array([_least(lambda n, s=s: self._reach(n) * s <= width) for s in _few(spread)]))

    def power_to_detect(self, difference: float, documents: int, coders: int) -> Estimate:
        """Return the power to tell two segmenters apart whose similarity to the coders differs by this much.

        Of a paired t test over documents, of segmenters that err like coders.
        """
        n = check_whole("documents", documents, 2)
        difference = float(check_number("difference", difference, exclusive=True))
        spread = np.sqrt(self._components("observed").of_difference(check_whole("coders", coders, 1)))
        return _estimate(np.array([self._power(difference, n, one) for one in _few(spread)]))

    def documents_to_detect(self, difference: float, coders: int) -> Estimate:
        """Return how many documents tell two segmenters apart that differ by this much, with this power."""
        difference = float(check_number("difference", difference, exclusive=True))
        spread = np.sqrt(self._components("observed").of_difference(check_whole("coders", coders, 1)))
        least = [_least(lambda n, s=s: self._power(difference, n, s) >= self.power) for s in _few(spread)]
        return _estimate(np.array(least))

    def _components(self, of: str) -> Components:
        return self.components[check_choice("of", of, OF)]

    def _reach(self, n: int) -> float:
        """Return what the standard deviation of a document's influence is multiplied with."""
        from scipy import special, stats

        shrunk = math.sqrt(2 / (n - 1)) * math.exp(special.gammaln(n / 2) - special.gammaln((n - 1) / 2))
        return float(stats.t.isf((1 - self.confidence) / 2, n - 1)) * shrunk / math.sqrt(n)

    def _power(self, difference: float, n: int, spread: float) -> float:
        from scipy import stats

        if not spread:
            return 1.0
        bound = float(stats.t.isf(self.alpha / 2, n - 1))
        shift = difference * math.sqrt(n) / spread
        if shift > 2 * bound + 30:
            return 1.0
        return float(stats.nct.sf(bound, n - 1, shift) + stats.nct.cdf(-bound, n - 1, shift))

    @cached_property
    def half_widths(self) -> dict[str, list[list[Estimate]]]:
        """The half-widths of π* and of observed agreement: documents × coders."""
        return {
            "value": [[self.half_width(n, c, "value") for c in self.coders] for n in self.documents],
            "observed": [[self.half_width(n, c, "observed") for c in self.coders] for n in self.documents],
        }

    @cached_property
    def needed(self) -> dict[str, list[Estimate]]:
        """The documents that the wanted half-width, and the difference to be found, need, by coders."""
        found: dict[str, list[Estimate]] = {}
        if self.width is not None:
            found["value"] = [self.documents_for(self.width, c, "value") for c in self.coders]
            found["observed"] = [self.documents_for(self.width, c, "observed") for c in self.coders]
        if self.detect is not None:
            found["detect"] = [self.documents_to_detect(self.detect, c) for c in self.coders]
        return found

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        source = f"{self.n_documents} documents"
        if self.stated is not None:
            source = ",".join(f"{name}={value:g}" for name, value in self.stated.items())
        seed = "" if self.seed is None else f",seed={self.seed}"
        return (
            f"{self.metric.settings}|coefficient=pi|plan={source}|confidence={self.confidence:g}|alpha={self.alpha:g}"
            f"|power={self.power:g}|resamples={self.n_resamples}{seed}|caesura {__version__}"
        )

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "metric": repr(self.metric),
            "signature": self.signature,
            "pi": self.pi,
            "observed": self.observed,
            "n_documents": self.n_documents,
            "most_coders": self.most_coders,
            "stated": self.stated,
            "assumed": self.assumed,
            "documents": list(self.documents),
            "coders": list(self.coders),
            "half_widths": {
                of: [[one._asdict() for one in row] for row in rows] for of, rows in self.half_widths.items()
            },
            "width": self.width,
            "detect": self.detect,
            "needed": {name: [one._asdict() for one in row] for name, row in self.needed.items()},
            "components": {
                of: {
                    "same": float(one.same[0]),
                    "one_coder": float(one.one_coder[0]),
                    "document": float(one.document[0]),
                }
                for of, one in self.components.items()
            },
        }

    def __repr__(self) -> str:
        source = "stated rates" if self.stated is not None else f"{self.n_documents} documents"
        return f"<Plan from {source}: up to {max(self.documents)} documents, {max(self.coders)} coders>"


def _estimate(found: FloatArray) -> Estimate:
    """Return the first, and between which ends 95 % of the others lie."""
    others = found[1:] if len(found) > 1 else found
    low, high = np.quantile(others, [0.025, 0.975], method="nearest")
    return Estimate(float(found[0]), float(low), float(high))


def _few(spread: FloatArray) -> list[float]:
    """Return the first, and the two that 95 % of the others lie between: numbers of documents follow them."""
    if len(spread) == 1:
        return [float(spread[0])]
    return [float(one) for one in (spread[0], *np.quantile(spread[1:], [0.025, 0.975]))]


def _least(is_enough: Any) -> float:
    """Return the least number of documents from 2 on that is enough; more always is."""
    high = 2
    while not is_enough(high):
        if high >= MOST_DOCUMENTS:
            return math.inf
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return float(high)

"""plan(): how many documents and coders a study needs, from a pilot or from stated rates.

A plan says what half-widths, documents and power to expect, and how sure the pilot is of them.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from caesura.analyses.coder_agreement.coefficients import undefined_group
from caesura.analyses.coder_agreement.question import check_similarity
from caesura.analyses.study_plan.components import SIMULATED_CODERS, SIMULATED_DOCUMENTS, Components, Pilot
from caesura.arrays import FloatArray
from caesura.checks import (
    AGREEMENT_RESAMPLES,
    ALPHA,
    CONFIDENCE,
    Seed,
    as_generator,
    check_choice,
    check_number,
    check_resamples,
    check_share,
    check_whole,
    known_seed,
)
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric_for
from caesura.results.notes import seed_part
from caesura.results.result import Result
from caesura.simulation import simulate
from caesura.stats.resampling import Progress, chunks, draw
from caesura.values.corpus import Corpus
from caesura.version import __version__

Of: TypeAlias = Literal["value", "observed"]
OF: tuple[Of, ...] = ("value", "observed")

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

    NUMBERS = (
        *("metric", "signature", "pi", "observed", "n_documents", "most_coders", "stated", "assumed"),
        *("documents", "coders", "half_widths", "width", "detect", "needed", "components"),
    )

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
        difference, spread = self._difference(difference, coders)
        return _estimate(np.array([self._power(difference, n, s) for s in _few(spread)]))

    def documents_to_detect(self, difference: float, coders: int) -> Estimate:
        """Return how many documents tell two segmenters apart that differ by this much, with this power."""
        difference, spread = self._difference(difference, coders)
        least = [_least(lambda n, s=s: self._power(difference, n, s) >= self.power) for s in _few(spread)]
        return _estimate(np.array(least))

    def _difference(self, difference: float, coders: int) -> tuple[float, FloatArray]:
        """Return the difference, and the standard deviation over documents of what is measured of it."""
        parts = self._components("observed")
        spread = np.sqrt(parts.of_difference(check_whole("coders", coders, 1)))
        return float(check_number("difference", difference, exclusive=True)), spread

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
        return {of: [[self.half_width(n, c, of) for c in self.coders] for n in self.documents] for of in OF}

    @cached_property
    def needed(self) -> dict[str, list[Estimate]]:
        """The documents that the wanted half-width, and the difference to be found, need, by coders."""
        needed: dict[str, list[Estimate]] = {}
        if self.width is not None:
            needed |= {of: [self.documents_for(self.width, c, of) for c in self.coders] for of in OF}
        if self.detect is not None:
            needed["detect"] = [self.documents_to_detect(self.detect, c) for c in self.coders]
        return needed

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        source = f"{self.n_documents} documents"
        if self.stated is not None:
            source = ",".join(f"{name}={value:g}" for name, value in self.stated.items())
        return (
            f"{self.metric.settings}|coefficient=pi|plan={source}|confidence={self.confidence:g}|alpha={self.alpha:g}"
            f"|power={self.power:g}|resamples={self.n_resamples}{seed_part(self.seed)}|caesura {__version__}"
        )

    def __repr__(self) -> str:
        source = "stated rates" if self.stated is not None else f"{self.n_documents} documents"
        return f"<Plan from {source}: up to {max(self.documents)} documents, {max(self.coders)} coders>"


def _estimate(values: FloatArray) -> Estimate:
    """Return the first, and between which ends 95 % of the others lie."""
    low, high = np.quantile(values[1:] if len(values) > 1 else values, [0.025, 0.975], method="nearest")
    return Estimate(float(values[0]), float(low), float(high))


def _few(spread: FloatArray) -> list[float]:
    """Return the first, and the two that 95 % of the others lie between: numbers of documents follow them."""
    if len(spread) == 1:
        return [float(spread[0])]
    return [float(s) for s in (spread[0], *np.quantile(spread[1:], [0.025, 0.975]))]


def _least(is_enough: Any) -> float:
    """Return the least number of documents from 2 on that is enough; more always is."""
    high = 2
    while not is_enough(high):
        if high >= MOST_DOCUMENTS:
            return math.inf
        high *= 2
    return float(bisect_left(range(high), True, high // 2 + 1, key=is_enough))


DOCUMENTS = (5, 10, 15, 20, 30, 40, 60, 80, 120, 160)
CODERS = (2, 3, 4, 5, 6, 7)


def plan(
    pilot: Corpus | None = None,
    *,
    width: float | None = None,
    detect: float | None = None,
    metric: Metric | str = "B",
    n_t: int | str | None = None,
    documents: Sequence[int] = DOCUMENTS,
    coders: Sequence[int] = CODERS,
    power: float = 0.8,
    alpha: float = ALPHA,
    confidence: float = CONFIDENCE,
    n_units: int | None = None,
    density: float | None = None,
    near_miss: float | None = None,
    full_miss: float | None = None,
    n_resamples: int = AGREEMENT_RESAMPLES,
    rng: Seed = None,
    progress: Progress | None = None,
) -> Plan:
    """Return what a study of some documents and coders will be able to say.

    Parameters
    ----------
    pilot
        A few documents of the kind to be studied, coded by at least two coders like those to come; codings
        may be missing. None: the rates below stand for it.
    width
        The half-width wanted for the interval of π* (and of observed agreement): 0.1 for ± 0.1.
    detect
        The difference in the metric between two segmenters that is to be found.
    metric, n_t
        As in ``agreement``.
    documents, coders
        The numbers for which half-widths are shown.
    power, alpha, confidence
        Of the test that finds the difference, and of the interval.
    n_units, density, near_miss, full_miss
        Without a pilot: units of a document, boundaries that a coder places per potential boundary, and how
        often a coder moves or misses a boundary (``simulate`` makes such coders).
    n_resamples, rng
        Resamples of the pilot's documents, which say how sure the plan is. An int as ``rng`` makes them
        reproducible.
    progress
        Called with the steps done and the steps in all.

    Notes
    -----
    The half-width for n documents of c coders is t(n − 1)·σ(c)/√n. σ²(c), the variance of what a document
    adds to the value, is put together from three parts that the pilot's documents show, whatever their number
    of coders: see ``study_plan.components``. What a small pilot, or one of two or three coders, shows poorly
    is averaged with simulated coders who have its density and errors. Two segmenters are taken to err like
    two coders.

    Examples
    --------
    >>> pilot = simulate(12, 4, n_units=60, mean_segment=6, near_miss=0.1, full_miss=0.3, rng=1)
    >>> study = plan(pilot, width=0.05, detect=0.05, rng=0)
    >>> round(study.half_width(20, 3).value, 3), study.documents_for(0.05, 3).value
    (0.06, 28.0)
    """
    width = None if width is None else float(check_number("width", width, exclusive=True))
    detect = None if detect is None else float(check_number("detect", detect, exclusive=True))
    power, alpha = check_share("power", power), check_share("alpha", alpha)
    confidence = check_share("confidence", confidence)
    n_resamples = check_resamples("n_resamples", n_resamples)
    generator = as_generator(rng)
    grid = [
        tuple(sorted({check_whole(name, n, 2) for n in numbers}))
        for name, numbers in (("documents", documents), ("coders", coders))
    ]
    if not all(grid):
        raise ParameterError("documents and coders: expected numbers from 2 on, at least one of each")
    rates = {"n_units": n_units, "density": density, "near_miss": near_miss, "full_miss": full_miss}
    stated = {name: rate for name, rate in rates.items() if rate is not None}
    if pilot is not None and stated:
        raise ParameterError(f"{next(iter(stated))} is given, and a pilot; give one or the other")
    corpus = _simulated(stated, generator) if pilot is None else pilot
    source = _pilot(corpus, metric, n_t)
    observed, expected = source.finisher.observed.value, source.finisher.expected["pi"].value
    simulated = (None, None) if pilot is None else source.simulated(generator)
    n = len(source.n_coders)
    drawn = [np.ones((1, n))]
    for start, stop in chunks(n_resamples, n, progress):
        drawn.append(draw(np.ones(n, dtype=np.int64), stop - start, generator))
    weights = np.concatenate(drawn)
    components: dict[str, Components] = {
        of: source.components(residual, weights, others)
        for of, residual, others in zip(OF, source.residuals, simulated, strict=True)
    }
    return Plan(
        metric=source.table.metric,
        pi=(observed - expected) / (1 - expected),
        observed=observed,
        n_documents=n,
        most_coders=int(source.n_coders.max()),
        components=components,
        documents=grid[0],
        coders=grid[1],
        width=width,
        detect=detect,
        power=power,
        alpha=alpha,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=known_seed(rng),
        stated=stated if pilot is None else None,
        assumed=source.lacks,
    )


def _simulated(stated: dict[str, float], rng: np.random.Generator) -> Corpus:
    """Return documents of coders with the stated rates."""
    missing = [name for name in ("n_units", "density", "near_miss", "full_miss") if name not in stated]
    if missing:
        raise ParameterError(
            f"without a pilot, n_units, density, near_miss and full_miss say what to expect; {missing[0]} is "
            "not given"
        )
    n_units = check_whole("n_units", stated["n_units"], 2)
    density = check_share("density", stated["density"])
    full_miss = float(check_number("full_miss", stated["full_miss"], 0.0, 0.99))
    near_miss = float(check_number("near_miss", stated["near_miss"], 0.0, 1.0))
    of_truth = density / (1 - full_miss)
    if of_truth >= 1:
        raise ParameterError(
            f"density {density:g} with full_miss {full_miss:g}: that is more boundaries to be found than "
            "positions; give a lower density or full_miss"
        )
    return simulate(
        SIMULATED_DOCUMENTS,
        SIMULATED_CODERS,
        n_units=n_units,
        mean_segment=1 / of_truth,
        near_miss=near_miss,
        full_miss=full_miss,
        rng=rng,
    )


def _pilot(corpus: Corpus, metric: Metric | str, n_t: int | str | None) -> Pilot:
    if not isinstance(corpus, Corpus):
        raise ParameterError(f"expected a corpus, got {type(corpus).__name__}; cs.read(path) reads one")
    chosen = metric_for(corpus.type_scheme, metric, n_t, step=corpus.step)
    check_similarity(chosen)
    n_documents = int((corpus.n_coders > 1).sum())
    if n_documents < 2:
        raise CorpusError(
            f"the pilot has {n_documents} documents with two coders; a plan needs at least 2, to see how "
            "much documents differ"
        )
    source = Pilot.of(corpus, chosen)
    reason = undefined_group(source.finisher.totals)
    if reason is not None:
        raise CorpusError(f"the pilot shows nothing: {reason}")
    if source.finisher.expected["pi"].value >= 1:
        raise CorpusError("the pilot shows nothing: every coder marked every position")
    return source

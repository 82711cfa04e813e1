"""plan(): the documents and coders that a study needs, and how uncertain that is."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from caesura.analyses.coder_agreement.question import similarity_for
from caesura.analyses.variance_components import SIMULATED_CODERS, SIMULATED_DOCUMENTS, Components, Pilot
from caesura.arrays import FloatArray
from caesura.checks import (
    AGREEMENT_RESAMPLES,
    ALPHA,
    CONFIDENCE,
    Seed,
    as_generator,
    check_choice,
    check_number,
    check_share,
    check_whole,
)
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.base import Metric
from caesura.results.notes import Note, caveat, finding, reading, seed_part, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table
from caesura.simulation import simulate
from caesura.stats.resampling import Progress, Resampling, chunks, draw
from caesura.values.corpus import Corpus
from caesura.version import __version__
from caesura.wording import counted, listed, percent

Of: TypeAlias = Literal["value", "observed"]
OF: tuple[Of, ...] = ("value", "observed")

DOCUMENTS = (5, 10, 15, 20, 30, 40, 60, 80, 120, 160)
CODERS = (2, 3, 4, 5, 6, 7)

MOST_DOCUMENTS = 10**7
"""The largest number of documents to search."""

FEW_DOCUMENTS = 10
"""With fewer documents, a pilot shows little of their variation."""


class Estimate(NamedTuple):
    """A predicted number, and its range over resamples of the pilot's documents."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan(Resampling, Result):
    """Predicted half-widths, documents and power of a study."""

    NUMBERS = (
        *("metric", "signature", "pi", "observed", "n_documents", "most_coders", "stated", "assumed"),
        *("documents", "coders", "half_widths", "width", "detect", "needed", "components"),
    )

    metric: Metric
    pi: float
    """π* of the pilot."""
    observed: float
    """Observed agreement of the pilot."""
    n_documents: int
    """The pilot's documents with at least two coders."""
    most_coders: int
    """The largest number of coders of a document."""
    components: dict[str, Components]
    """The parts of the variance of π* and observed agreement: of the pilot, then of its resamples."""
    documents: tuple[int, ...]
    coders: tuple[int, ...]
    width: float | None
    """The target half-width."""
    detect: float | None
    """The difference between two segmenters to detect."""
    power: float
    alpha: float
    stated: dict[str, float] | None
    """The rates given instead of a pilot, or None."""
    assumed: bool
    """Whether the effect of more coders is simulated because the pilot has too few."""

    def half_width(self, documents: int, coders: int, of: Of = "value") -> Estimate:
        """Return the expected half-width of the interval of π*, or of observed agreement.

        It is t(n − 1) · σ(c) / √n for n documents of c coders, times the ratio of the mean sample standard
        deviation of n values to the true one.
        """
        n, c = check_whole("documents", documents, 2), check_whole("coders", coders, 2)
        return _estimate(self._components(of).of_mean(c), lambda spread: self._reach(n) * spread)

    def documents_for(self, width: float, coders: int, of: Of = "value") -> Estimate:
        """Return how many documents give this half-width; infinite beyond ten million."""
        width = float(check_number("width", width, exclusive=True))
        variance = self._components(of).of_mean(check_whole("coders", coders, 2))
        return _estimate(variance, lambda spread: _least(lambda n: self._reach(n) * spread <= width))

    def power_to_detect(self, difference: float, documents: int, coders: int) -> Estimate:
        """Return the power to detect this difference in similarity to the coders between two segmenters.

        The test is a paired t test over documents; the segmenters err like coders.
        """
        n, power = check_whole("documents", documents, 2), self._power(difference)
        return _estimate(self._of_difference(coders), lambda spread: power(n, spread))

    def documents_to_detect(self, difference: float, coders: int) -> Estimate:
        """Return how many documents detect this difference between two segmenters, with the plan's power."""
        power, variance = self._power(difference), self._of_difference(coders)
        return _estimate(variance, lambda spread: _least(lambda n: power(n, spread) >= self.power))

    def _components(self, of: str) -> Components:
        return self.components[check_choice("of", of, OF)]

    def _of_difference(self, coders: int) -> FloatArray:
        return self.components["observed"].of_difference(check_whole("coders", coders, 1))

    def _reach(self, n: int) -> float:
        """Return the factor from the standard deviation of a document's influence to the half-width."""
        from scipy import special, stats

        shrunk = math.sqrt(2 / (n - 1)) * math.exp(special.gammaln(n / 2) - special.gammaln((n - 1) / 2))
        return float(stats.t.isf((1 - self.confidence) / 2, n - 1)) * shrunk / math.sqrt(n)

    def _power(self, difference: float) -> Callable[[int, float], float]:
        """Return the power by number of documents and standard deviation."""
        from scipy import stats

        difference = float(check_number("difference", difference, exclusive=True))

        def power(n: int, spread: float) -> float:
            bound = float(stats.t.isf(self.alpha / 2, n - 1))
            shift = difference * math.sqrt(n) / spread if spread else math.inf
            if shift > 2 * bound + 30:
                return 1.0
            return float(stats.nct.sf(bound, n - 1, shift) + stats.nct.cdf(-bound, n - 1, shift))

        return power

    @cached_property
    def half_widths(self) -> dict[str, list[list[Estimate]]]:
        """The half-widths of π* and of observed agreement: documents × coders."""
        return {of: [[self.half_width(n, c, of) for c in self.coders] for n in self.documents] for of in OF}

    @cached_property
    def needed(self) -> dict[str, list[Estimate]]:
        """The documents needed for the target half-width and the difference to detect, by coders."""
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


def _estimate(variance: FloatArray, value: Callable[[float], float]) -> Estimate:
    """Return the value at the first standard deviation, and at the ends of 95 % of the others."""
    spread = np.sqrt(variance)
    ends = np.quantile(spread[1:] if len(spread) > 1 else spread, [0.025, 0.975]).tolist()
    return Estimate(value(float(spread[0])), *sorted(map(value, ends)))


def _least(is_enough: Callable[[int], bool]) -> float:
    """Return the smallest sufficient number of documents, from 2 on; more are always sufficient."""
    high = 2
    while not is_enough(high):
        if high >= MOST_DOCUMENTS:
            return math.inf
        high *= 2
    return float(bisect_left(range(high), True, high // 2 + 1, key=is_enough))


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
    """Return the precision and power to expect of a study.

    Parameters
    ----------
    pilot
        A few documents of the study, annotated by at least two of its coders. Missing annotations are fine.
        None: use the rates below.
    width
        The target half-width of the interval of π* (and of observed agreement): 0.1 for ± 0.1.
    detect
        The difference in the metric between two segmenters to detect.
    metric, n_t
        As in ``agreement``.
    documents, coders
        The numbers of documents and coders in the table of half-widths.
    power, alpha, confidence
        Power and level of the test, and confidence of the interval.
    n_units, density, near_miss, full_miss
        Without a pilot: units per document, boundaries of a coder per potential boundary, and how often a
        coder moves or misses a boundary (as in ``simulate``).
    n_resamples, rng
        Resamples of the pilot's documents, which give the plan's uncertainty. An int as ``rng`` makes them
        reproducible.
    progress
        Called with the steps done and the total steps.

    Notes
    -----
    The half-width for n documents of c coders is t(n − 1)·σ(c)/√n. σ²(c) is the variance of a document's
    contribution to the value. Its three parts are estimated from pilot documents with any number of coders;
    see ``variance_components``. A pilot of few documents or coders estimates two of them poorly, so they are
    averaged with those of simulated coders of the same density and errors. Two segmenters are assumed to err
    like two coders.

    Examples
    --------
    >>> pilot = simulate(12, 4, n_units=60, mean_segment=6, near_miss=0.1, full_miss=0.3, rng=1)
    >>> study = plan(pilot, width=0.05, detect=0.05, rng=0)
    >>> round(study.half_width(20, 3).value, 3), study.documents_for(0.05, 3).value
    (0.06, 28.0)
    """
    width, detect = (
        None if value is None else float(check_number(name, value, exclusive=True))
        for name, value in (("width", width), ("detect", detect))
    )
    power, alpha = check_share("power", power), check_share("alpha", alpha)
    resampling, generator = Resampling.of(n_resamples, confidence, rng), as_generator(rng)
    n_documents, n_coders = (
        tuple(sorted({check_whole(name, n, 2) for n in numbers}))
        for name, numbers in (("documents", documents), ("coders", coders))
    )
    if not n_documents or not n_coders:
        raise ParameterError("documents and coders: expected at least one number from 2 on")
    rates = {"n_units": n_units, "density": density, "near_miss": near_miss, "full_miss": full_miss}
    stated = {name: rate for name, rate in rates.items() if rate is not None}
    if pilot is not None and stated:
        raise ParameterError(f"give either a pilot or {next(iter(stated))}, not both")
    corpus = _simulated(rates, generator) if pilot is None else pilot
    source = _pilot(corpus, metric, n_t)
    observed, expected = source.stratum.finished.observed, source.stratum.finished.expected_pi
    simulated = (None, None) if pilot is None else source.simulated(generator)
    each = np.ones(len(source.n_coders), dtype=np.int64)
    parts = chunks(resampling.n_resamples, len(each), progress)
    weights = np.vstack((np.ones(len(each)), *(draw(each, stop - start, generator) for start, stop in parts)))
    components: dict[str, Components] = {
        of: source.components(residual, weights, others)
        for of, residual, others in zip(OF, source.residuals, simulated, strict=True)
    }
    return Plan(
        **vars(resampling),
        metric=source.table.metric,
        pi=(observed - expected) / (1 - expected),
        observed=observed,
        n_documents=len(each),
        most_coders=int(source.n_coders.max()),
        components=components,
        width=width,
        detect=detect,
        documents=n_documents,
        coders=n_coders,
        power=power,
        alpha=alpha,
        stated=stated if pilot is None else None,
        assumed=source.lacks,
    )


def _simulated(rates: Mapping[str, float | None], rng: np.random.Generator) -> Corpus:
    """Return a corpus of simulated coders with these rates."""
    if missing := [name for name, rate in rates.items() if rate is None]:
        raise ParameterError(f"{missing[0]} is missing; without a pilot give {listed(rates)}")
    n_units, density = check_whole("n_units", rates["n_units"], 2), check_share("density", rates["density"])
    errors: dict[str, Any] = {
        name: float(check_number(name, rates[name], 0.0, most))
        for name, most in (("full_miss", 0.99), ("near_miss", 1.0))
    }
    of_truth = density / (1 - errors["full_miss"])
    if of_truth >= 1:
        given = f"density {density:g} with full_miss {errors['full_miss']:g}"
        raise ParameterError(f"{given}: more true boundaries than positions; lower one of the two")
    size = SIMULATED_DOCUMENTS, SIMULATED_CODERS
    return simulate(*size, n_units=n_units, mean_segment=1 / of_truth, **errors, rng=rng)


def _pilot(corpus: Corpus, metric: Metric | str, n_t: int | str | None) -> Pilot:
    if not isinstance(corpus, Corpus):
        raise ParameterError(f"expected a corpus, got {type(corpus).__name__}; cs.read(path) reads one")
    chosen = similarity_for(corpus.type_scheme, metric, n_t, corpus.step)
    n_documents = int((corpus.n_coders > 1).sum())
    if n_documents < 2:
        raise CorpusError(f"documents with two coders in the pilot: {n_documents}; a plan needs at least 2")
    source = Pilot.of(corpus, chosen)
    if source.stratum.finished.reason is not None:
        raise CorpusError(f"the pilot cannot be used: {source.stratum.finished.reason}")
    return source


# -------------------------------------------------------------------- tables and sentences


def shown(estimate: Estimate) -> str:
    """Return a number of documents with its range.

    >>> shown(Estimate(27, 15, 41)), shown(Estimate(math.inf, 2, math.inf))
    ('27 documents (15 to 41)', 'more than ten million documents')
    """
    if math.isinf(estimate.value):
        return "more than ten million documents"
    number = counted(round(estimate.value), "document")
    if estimate.low == estimate.high:
        return number
    high = "many more" if math.isinf(estimate.high) else f"{estimate.high:,.0f}"
    return f"{number} ({estimate.low:,.0f} to {high})"


def conclusions(plan: Plan) -> list[str]:
    """Return sentences on the documents needed for the targets, or else on the half-width to expect."""
    ends, coders, metric = (0, -1), plan.coders, plan.metric.name

    def needed(target: str) -> str:
        row = plan.needed[target]
        return " or ".join(dict.fromkeys(f"{shown(row[i])} of {coders[i]} coders" for i in ends))

    sentences = []
    if plan.width is not None:
        sentences.append(f"To estimate π*_{metric} to ± {plan.width:g} you need {needed('value')}.")
    if plan.detect is not None:
        test = f"a difference of {plan.detect:g} in {metric} between two segmenters"
        level = f"power {plan.power:g}, α {plan.alpha:g}"
        sentences.append(f"To detect {test} ({level}) you need {needed('detect')}.")
    if not sentences:
        n = plan.documents[len(plan.documents) // 2]
        widths = (f"± {plan.half_width(n, coders[i]).value:.3f} with {coders[i]} coders" for i in ends)
        sentences.append(f"With {n} documents expect π*_{metric} {' or '.join(dict.fromkeys(widths))}.")
    return sentences


def notes(plan: Plan) -> list[Note]:
    """Return findings, caveats, a reading note and the signature."""
    pilot = f"{plan.n_documents:,} documents of up to {plan.most_coders} coders"
    source = f"The pilot ({pilot}) has" if plan.stated is None else "The stated rates give"
    metric = plan.metric.name
    values = f"π*_{metric} {plan.pi:.2f}, observed {metric} {plan.observed:.2f}"
    about = f"{source} {values}. Cells are expected half-widths of the {percent(plan.confidence)} interval."
    few = f"Only {plan.n_documents} documents in the pilot: how much documents vary is uncertain."
    assumed = "Fewer than five documents of the pilot have four coders: the gain from more is simulated."
    beside = [caveat("Real documents vary more than simulated ones: use a pilot if you can.")]
    if plan.stated is None:
        beside = [caveat(few)] if plan.n_documents < FEW_DOCUMENTS else []
        beside += [caveat(assumed)] if plan.assumed else []
        if plan.needed:
            beside.append(reading("In brackets: the range of 95 % of resamples of the pilot's documents."))
    return [*map(finding, conclusions(plan)), reading(about), *beside, signature(plan.signature)]


def plan_table(plan: Plan, of: Of = "value") -> Table:
    """Return half-widths, documents × coders, and totals: the documents needed for the targets."""
    columns = [Column("documents"), *(Column(f"{c} coders", 3) for c in plan.coders)]
    rows: list[list[Cell]] = [
        [n, *(estimate.value for estimate in row)]
        for n, row in zip(plan.documents, plan.half_widths[of], strict=True)
    ]
    totals: list[list[Cell]] = [
        [name, *(_number(estimate.value) for estimate in plan.needed[key])]
        for key, name in wanted(plan).items()
        if key in (of, "detect")
    ]
    title = f"half-width of {names(plan)[of]}, ±"
    return Table(title, columns, rows, totals=totals, notes=notes(plan))


def needed_table(plan: Plan) -> Table:
    """Return the documents needed for the targets, with their ranges, by coders."""
    rows: list[list[Cell]] = [
        [name, c, *map(_number, estimate)]
        for key, name in wanted(plan).items()
        for c, estimate in zip(plan.coders, plan.needed[key], strict=True)
    ]
    columns = ("for", "coders", "documents", "low", "high")
    return Table.under(columns, rows, notes(plan), "documents needed", digits=0)


def names(plan: Plan) -> dict[str, str]:
    """Return the names of the two values."""
    return {"value": f"π*_{plan.metric.name}", "observed": f"observed {plan.metric.name}"}


def wanted(plan: Plan) -> dict[str, str]:
    """Return a short description of each target."""
    wanted = {of: f"for ± {plan.width:g} of {name}" for of, name in names(plan).items() if of in plan.needed}
    if "detect" in plan.needed:
        wanted["detect"] = f"to detect {plan.detect:g} of {plan.metric.name}"
    return wanted


def _number(value: float) -> Cell:
    return None if math.isinf(value) else round(value)


present(
    Plan,
    notes=notes,
    words=lambda plan: {"conclusions": conclusions(plan)},
    main=plan_table,
    observed=lambda plan: plan_table(plan, "observed"),
    needed=needed_table,
)

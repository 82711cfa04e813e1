"""plan(): how many documents and coders a study needs, from a pilot or from stated rates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.analyses.coder_agreement.coefficients import undefined_group
from caesura.analyses.coder_agreement.question import check_similarity
from caesura.analyses.study_plan.components import SIMULATED_CODERS, SIMULATED_DOCUMENTS, Pilot
from caesura.analyses.study_plan.results import Plan
from caesura.checks import (
    AGREEMENT_RESAMPLES,
    ALPHA,
    CONFIDENCE,
    Seed,
    as_generator,
    check_number,
    check_resamples,
    check_share,
    check_whole,
)
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.base import Metric
from caesura.metrics.registry import metric_for
from caesura.simulation import simulate
from caesura.stats.resampling import Progress, chunks, draw
from caesura.values.corpus import Corpus

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
    >>> found = plan(pilot, width=0.05, detect=0.05, rng=0)
    >>> round(found.half_width(20, 3).value, 3), found.documents_for(0.05, 3).value
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
    stated = _stated(n_units=n_units, density=density, near_miss=near_miss, full_miss=full_miss)
    if pilot is not None and stated:
        raise ParameterError(f"{next(iter(stated))} is given, and a pilot; give one or the other")
    corpus = _simulated(stated, generator) if pilot is None else pilot
    found = _pilot(corpus, metric, n_t)
    simulated = (None, None) if pilot is None else found.simulated(generator)
    weights = np.ones((1, len(found.n_coders)))
    drawn = [weights]
    n = len(found.n_coders)
    for start, stop in chunks(n_resamples, n, progress):
        drawn.append(draw(np.ones(n, dtype=np.int64), stop - start, generator))
    weights = np.concatenate(drawn)
    components = {
        of: found.components(residual, weights, others)
        for of, residual, others in zip(("value", "observed"), found.residuals, simulated, strict=True)
    }
    return Plan(
        metric=found.metric,
        pi=(found.observed - found.expected) / (1 - found.expected),
        observed=found.observed,
        n_documents=n,
        most_coders=int(found.n_coders.max()),
        components=components,
        documents=grid[0],
        coders=grid[1],
        width=width,
        detect=detect,
        power=power,
        alpha=alpha,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=None if rng is None or isinstance(rng, np.random.Generator) else int(rng),
        stated=stated if pilot is None else None,
        assumed=found.lacks,
    )


def _stated(**rates: float | None) -> dict[str, float]:
    return {name: value for name, value in rates.items() if value is not None}


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
    found = Pilot.of(corpus, chosen)
    reason = undefined_group(found.totals)
    if reason is not None:
        raise CorpusError(f"the pilot shows nothing: {reason}")
    if found.expected >= 1:
        raise CorpusError("the pilot shows nothing: every coder marked every position")
    return found

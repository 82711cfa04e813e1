"""The figures of Fournier (2013), the thesis, §5.2.2: agreement of artificial coders."""

from __future__ import annotations

from functools import lru_cache, partial
from statistics import fmean

import numpy as np

from caesura.analyses.coder_agreement import agreement
from caesura.metrics.base import Metric
from caesura.metrics.edit import B, S
from caesura.papers.recompute import Data
from caesura.papers.results import Curve, Figure, Series
from caesura.simulation import pseudo_coders, segment_sizes
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.version import __version__

N_UNITS = 1077
MEAN_SEGMENT = 5.8148
N_SETS = 10
N_CODERS = 10
NATURAL_NEAR_MISS = 0.0921
"""P(t | b = 1) of Moonstone, table 5.4."""

PROBABILITIES = tuple(i / 10 for i in range(9))
"""The axis of F13 figure 9, which shows figure 5.27, goes from 0.0 to 0.8."""

METRICS: dict[str, Metric] = {"S": S(), "B": B()}

Sets = list[list[Segmentation]]


@lru_cache(maxsize=4)
def sets_of_coders(near_miss: float | None, full_miss: float | None, seed: int) -> list[Sets]:
    """Return ten sets of a reference and nine coders for each probability; None: this is what grows.

    All probabilities share their references, so that curves differ by the errors alone.
    """
    generator = np.random.default_rng(seed)
    references = [_reference(generator) for _ in range(N_SETS)]
    found = []
    for p in PROBABILITIES:
        near, full = (p if rate is None else rate for rate in (near_miss, full_miss))
        found.append(
            [
                [right, *pseudo_coders(right, N_CODERS - 1, near_miss=near, full_miss=full, rng=generator)]
                for right in references
            ]
        )
    return found


def _reference(generator: np.random.Generator) -> Segmentation:
    return segment_sizes(n_units=N_UNITS, distribution="exponential", mean=MEAN_SEGMENT, rng=generator)


def mean_pi(sets: Sets, n_coders: int, metric: Metric) -> float:
    """Return π* of the first coders of each set, averaged over the sets."""
    values = []
    for coded in sets:
        corpus = Corpus.from_dict({"d": {str(i): coding for i, coding in enumerate(coded[:n_coders])}})
        values.append(agreement(corpus, metric=metric, chance="published", n_resamples=0).pi)
    return fmean(values)


def growing_errors(
    figure: Figure, data: Data, seed: int, *, name: str, near_miss: float | None, full_miss: float | None
) -> Series:
    """Return π* by the probability of an error, a curve for each number of coders."""
    metric = METRICS[name]
    by_probability = sets_of_coders(near_miss, full_miss, seed)
    curves = [
        Curve(f"{n} coders", PROBABILITIES, tuple(mean_pi(sets, n, metric) for sets in by_probability))
        for n in range(2, N_CODERS + 1)
    ]
    fixed = f"P(full miss) = {full_miss:g}" if near_miss is None else f"P(near miss) = {near_miss:g}"
    note = (
        f"{N_SETS} random references of {N_UNITS} units, mean segment {MEAN_SEGMENT}, each with "
        f"{N_CODERS - 1} coders made from it; {fixed}; the reference is the first coder. A full miss "
        "leaves a boundary out; F13 speaks of added ones, too, without a rate. Mean of the "
        f"{N_SETS} coefficients; seed {seed}."
    )
    return figure.series(
        "P(near miss)" if near_miss is None else "P(full miss)",
        f"π* of {name}",
        curves,
        note=note,
        signature=_signature(metric.settings, seed),
    )


def random_coders(figure: Figure, data: Data, seed: int) -> Series:
    """Return π* of coders who are made as the references are, by the number of coders."""
    generator = np.random.default_rng(seed)
    sets = [[_reference(generator) for _ in range(N_CODERS)] for _ in range(N_SETS)]
    numbers = tuple(range(2, N_CODERS + 1))
    curves = [
        Curve(name, numbers, tuple(mean_pi(sets, n, metric) for n in numbers))
        for name, metric in METRICS.items()
    ]
    note = (
        f"{N_SETS} sets of {N_CODERS} random segmentations of {N_UNITS} units, mean segment {MEAN_SEGMENT}; "
        f"mean of the {N_SETS} coefficients; seed {seed}"
    )
    return figure.series(
        "coders", "π*", curves, note=note, signature=_signature("S and B|n_t=2|transposition=scaled", seed)
    )


def _signature(signature: str, seed: int) -> str:
    return f"{signature}|coefficient=pi|chance=published|sets={N_SETS}|seed={seed}|caesura {__version__}"


FULL_WITH_NEAR = "more and more full misses, with near misses"

EXPERIMENTS = (
    ("F13t figure 5.25, S", "S", "more and more near misses", None, 0.0),
    ("F13t figure 5.25, B", "B", "more and more near misses", None, 0.0),
    ("F13t figure 5.26, S", "S", "more and more full misses", 0.0, None),
    ("F13t figure 5.26, B", "B", "more and more full misses", 0.0, None),
    ("F13t figure 5.27, S", "S", FULL_WITH_NEAR, NATURAL_NEAR_MISS, None),
    ("F13t figure 5.27, B", "B", FULL_WITH_NEAR, NATURAL_NEAR_MISS, None),
    ("F13 figure 9a", "S", FULL_WITH_NEAR, NATURAL_NEAR_MISS, None),
    ("F13 figure 9b", "B", FULL_WITH_NEAR, NATURAL_NEAR_MISS, None),
)

FIGURES = (
    *(
        Figure(
            id,
            f"agreement by {name}: {title}",
            partial(growing_errors, name=name, near_miss=near_miss, full_miss=full_miss),
        )
        for id, name, title, near_miss, full_miss in EXPERIMENTS
    ),
    Figure("F13t figure 5.28", "agreement of random coders", random_coders),
    Figure("F13 figure 9c", "agreement of random coders", random_coders),
)

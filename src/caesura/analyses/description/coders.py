"""How many boundaries each coder places, and who places far more or fewer than others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.analyses.description.exact import exact
from caesura.analyses.description.results import CoderRate
from caesura.arrays import FloatArray
from caesura.pairs import sum_by
from caesura.values.corpus import Corpus

MIN_CODERS_FOR_FENCES = 4
"""Among fewer coders no rate can lie outside Tukey's fences."""


def coder_rates(corpus: Corpus) -> tuple[CoderRate, ...]:
    """Return the boundary rate of each coder, beside the typical one of the same documents."""
    n, n_boundaries = len(corpus.coder_names), corpus.codings.n_boundaries
    boundaries = np.bincount(corpus.coder, n_boundaries, n)
    typical = np.bincount(corpus.coder, median_boundaries(corpus)[corpus.document], n)
    documents = np.bincount(corpus.coder, minlength=n)
    positions = _positions(corpus)
    divisor = np.maximum(1, positions).astype(float)
    rate, typical_rate = boundaries / divisor, typical / divisor
    verdicts = outside_fences(rate - typical_rate, slack=1e-12 * float(rate.max()))
    columns = (documents, positions, boundaries.astype(np.int64), rate, typical_rate)
    lists = [column.tolist() for column in columns]
    return tuple(map(CoderRate, corpus.coders, *lists, verdicts))


def _positions(corpus: Corpus) -> NDArray[Any]:
    """Return the potential boundaries of all codings of each coder."""
    n_units = corpus.codings.n_units
    n_positions = exact(n_units - 1, int(n_units.max()) * len(n_units))
    return sum_by(n_positions, corpus.coder, len(corpus.coder_names))


def median_boundaries(corpus: Corpus) -> FloatArray:
    """Return each document's median number of boundaries over its coders."""
    n_boundaries, starts = corpus.codings.n_boundaries, corpus.starts[:-1]
    ordered = n_boundaries[np.lexsort((n_boundaries, corpus.document))]
    low, high = (corpus.n_coders - 1) // 2, corpus.n_coders // 2
    medians: FloatArray = (ordered[starts + low] + ordered[starts + high]) / 2
    return medians


def outside_fences(values: FloatArray, slack: float) -> list[str]:
    """Say of each value whether it is outside Tukey's fences: "more", "fewer" or "".

    What stands on a fence is inside; ``slack`` is what rounding may have moved it.
    """
    if len(values) < MIN_CODERS_FOR_FENCES:
        return [""] * len(values)
    lower, upper = np.quantile(values, [0.25, 0.75])
    reach = 1.5 * (upper - lower) + slack
    verdicts: list[str] = np.select(
        [values > upper + reach, values < lower - reach], ["more", "fewer"], ""
    ).tolist()
    return verdicts

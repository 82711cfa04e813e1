"""Cross-validation: what is chosen on some documents, by a metric, is valued on the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from caesura.arrays import FloatArray
from caesura.metrics.base import Metric, Scores

FOLDS = 10
"""Documents are held out in this many parts; of fewer documents each by itself."""

ROUNDING = 1e-12
"""Values that differ by less are equal."""


def values_of(metric: Metric, sums: FloatArray) -> FloatArray:
    """Return the value of each row of sums."""
    return Scores(metric, sums).values


def held_out_counts(
    metric: Metric,
    tables: FloatArray,
    choose: Callable[[Metric, FloatArray], int],
    generator: np.random.Generator,
) -> tuple[FloatArray, list[int]]:
    """Return each document's counts by the candidate that the other folds choose, and each fold's choice.

    ``tables`` holds counts by candidate, document and count; ``choose`` picks a candidate by its values. One
    document has no others: nothing is chosen.
    """
    n_documents = tables.shape[1]
    counts = np.zeros(tables.shape[1:])
    if n_documents < 2:
        return counts, []
    total = tables.sum(axis=1)
    chosen = []
    for fold in np.array_split(generator.permutation(n_documents), min(FOLDS, n_documents)):
        candidate = choose(metric, values_of(metric, total - tables[:, fold].sum(axis=1)))
        counts[fold] = tables[candidate, fold]
        chosen.append(candidate)
    return counts, chosen

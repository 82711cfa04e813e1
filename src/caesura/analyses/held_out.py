"""Cross-validation: candidates are chosen on some folds of documents and scored on the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from caesura.arrays import FloatArray
from caesura.metrics.base import Metric
from caesura.stats.resampling import pooled

FOLDS = 10
"""Folds of documents; with fewer documents, each is a fold."""

ROUNDING = 1e-12
"""Values that differ by less are equal."""


def held_out_counts(
    metric: Metric,
    tables: FloatArray,
    choose: Callable[[Metric, FloatArray], int],
    generator: np.random.Generator,
) -> tuple[FloatArray, list[int]]:
    """Return each document's counts by the candidate that the other folds choose, and each fold's choice.

    ``tables`` holds counts as candidates × documents × counts; ``choose`` picks a candidate by its values.
    One document has no other folds, so nothing is chosen.
    """
    n_documents = tables.shape[1]
    counts = np.zeros(tables.shape[1:])
    if n_documents < 2:
        return counts, []
    total = tables.sum(axis=1)
    chosen = []
    for fold in np.array_split(generator.permutation(n_documents), min(FOLDS, n_documents)):
        candidate = choose(metric, pooled(metric, total - tables[:, fold].sum(axis=1)))
        counts[fold] = tables[candidate, fold]
        chosen.append(candidate)
    return counts, chosen

"""The correctness of boundary pairs: what a test that takes every pair as a subject looks at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura.alignment.alignment import align
from caesura.alignment.counts import count_edits_many
from caesura.arrays import FloatArray, IntArray
from caesura.kernel.batch import PackedPairs
from caesura.metrics.edit import EditMetric


@dataclass(frozen=True, eq=False)
class PairCorrectness:
    """The correctness of every boundary pair of one segmenter, and the coding that it comes from."""

    values: FloatArray
    coding: IntArray


def pair_correctness(pairs: PackedPairs, metric: EditMetric) -> PairCorrectness:
    """Return the correctness of all boundary pairs: match 1, full miss 0, 1 − weight in between."""
    if not pairs.is_plain or metric.types is not None:
        return _listed_correctness(pairs, metric)
    edits = count_edits_many(pairs, metric.method, metric.weights)
    offsets, spans = pairs.transposition_spans(metric.n_t, metric.method == "optimal")
    weight, scale = metric.weights.of_transpositions(np.ones(len(spans), dtype=np.int64), spans)
    near = 1 - weight / scale
    each = np.arange(len(pairs))
    # Matches, then full misses, then near misses: sorted by coding below.
    coding = np.concatenate(
        (
            np.repeat(each, edits.matches),
            np.repeat(each, edits.additions),
            np.repeat(each, np.diff(offsets)),
        )
    )
    values = np.concatenate((np.ones(edits.matches.sum()), np.zeros(edits.additions.sum()), near))
    order = np.argsort(coding, kind="stable")
    return PairCorrectness(values[order], coding[order])


def _listed_correctness(pairs: PackedPairs, metric: EditMetric) -> PairCorrectness:
    found = [
        align(
            reference,
            hypothesis,
            n_t=metric.n_t,
            method=metric.method,
            transposition=metric.transposition,
            substitution=metric.substitution,
            w0=metric.w0,
            types=metric.types,
        ).correctness
        for reference, hypothesis in pairs
    ]
    coding = np.repeat(np.arange(len(found)), [len(values) for values in found])
    return PairCorrectness(np.array([value for values in found for value in values], dtype=float), coding)

"""The correctness of boundary pairs: a match 1, a full miss 0, in between 1 minus the weight of the edit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura.alignment.alignment import align_pair
from caesura.alignment.counts import count_edits_many
from caesura.alignment.weights import Method, Weights
from caesura.arrays import FloatArray, IntArray
from caesura.kernel.batch import PackedPairs


@dataclass(frozen=True, eq=False)
class PairCorrectness:
    """The correctness of every boundary pair, and the coding that it comes from; B is its mean."""

    values: FloatArray
    coding: IntArray


def pair_correctness(pairs: PackedPairs, method: Method, weights: Weights) -> PairCorrectness:
    """Return the correctness of the boundary pairs of many compared codings."""
    if weights.ignores_types:
        pairs = pairs.without_types()
    if not pairs.is_plain:
        found = [align_pair(*pair, method, weights).correctness for pair in pairs]
        coding = np.repeat(np.arange(len(found)), [len(values) for values in found])
        return PairCorrectness(np.array([value for values in found for value in values], dtype=float), coding)
    edits = count_edits_many(pairs, method, weights)
    offsets, spans = pairs.transposition_spans(weights.n_t, method == "optimal")
    weight, scale = weights.of_transpositions(np.ones(len(spans), dtype=np.int64), spans)
    each = np.arange(len(pairs))
    parts = (edits.matches, edits.additions, np.diff(offsets))
    coding = np.concatenate([np.repeat(each, n) for n in parts])
    values = np.concatenate((np.ones(parts[0].sum()), np.zeros(parts[1].sum()), 1 - weight / scale))
    order = np.argsort(coding, kind="stable")
    return PairCorrectness(values[order], coding[order])

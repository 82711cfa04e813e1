"""align(): boundary edit distance as matches and edits; and how correct each boundary pair is.

A match is correct by 1, a full miss by 0, what lies between by 1 minus the weight of the edit. F13 is
Fournier (2013), ACL; F13t is Fournier (2013), the thesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from caesura import kernel
from caesura.alignment.counts import count_edits_many, typed_edits
from caesura.alignment.drawing import draw_alignment
from caesura.alignment.edits import Addition, AlignedPair, Edit, Match, Substitution, Transposition
from caesura.alignment.packed import PackedPairs
from caesura.alignment.weights import (
    METHODS,
    LeastWeight,
    Method,
    Substitutions,
    Transpositions,
    Weights,
    make_weights,
)
from caesura.arrays import FloatArray, IntArray, repeat
from caesura.checks import N_T, check_choice
from caesura.kernel.edits import TypedEdits, optimal_transpositions, transpositions
from caesura.values.segmentation import (
    PLAIN_TYPE,
    Segmentation,
    SegmentationLike,
    as_segmentation,
    check_comparable,
)


class Alignment(AlignedPair):
    """Two segmentations, what matches between them, and the edits that turn one into the other.

    ``print`` it to see both segmentations and the edits.
    """

    def weight(self, edit: Edit) -> Fraction:
        """Penalty of one edit."""
        if isinstance(edit, Addition):
            return Fraction(1)
        if isinstance(edit, Transposition):
            return Fraction(*self.weights.of_distance(edit.distance))
        return self.weights.of_substitution(edit.reference_type, edit.hypothesis_type, self._type_range)

    @cached_property
    def _type_range(self) -> int:
        """The range of types, which takes a look at all boundaries."""
        return self.weights.type_range(self.reference, self.hypothesis)

    @property
    def penalty(self) -> Fraction:
        """Total weight of the edits."""
        edits: list[Edit] = [*self.additions, *self.substitutions, *self.transpositions]
        return sum((self.weight(edit) for edit in edits), Fraction(0))

    @property
    def correctness(self) -> tuple[float, ...]:
        """Correctness of each boundary pair, from left to right: 1 - weight; B is their mean."""
        pairs: list[tuple[int, float]] = [(match.position, 1.0) for match in self.matches]
        pairs += [(addition.position, 0.0) for addition in self.additions]
        pairs += [(edit.position, float(1 - self.weight(edit))) for edit in self.substitutions]
        pairs += [(edit.start, float(1 - self.weight(edit))) for edit in self.transpositions]
        return tuple(value for _, value in sorted(pairs))

    def __str__(self) -> str:
        return draw_alignment(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def align(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    n_t: int = N_T,
    method: Method = "greedy",
    transposition: Transpositions = "scaled",
    substitution: Substitutions = "scaled",
    w0: LeastWeight = 0.0,
    types: Sequence[int] | None = None,
) -> Alignment:
    """Return the matches and edits between two segmentations: boundary edit distance (F13 §3.1).

    Edits are additions (full misses, with their side), substitutions (two types at one position) and
    transpositions (near misses: one type, fewer than ``n_t`` positions apart). ``greedy`` is the published
    algorithm; ``optimal`` finds a truly minimal set, which the greedy one misses at times for n_t > 2 or
    several types.

    ``transposition`` and ``substitution`` are what near misses and wrong types cost: a rule by
    name, a number from 0 to 1, or a table ``{distance: cost}``.

    >>> edits = align([2, 3, 6], [2, 2, 7])
    >>> edits.matches, edits.transpositions
    ((Match(position=2, type=1),), (Transposition(reference_position=5, hypothesis_position=4, type=1),))
    >>> edits.distance, edits.correctness
    (1, (1.0, 0.5))
    """
    weights = make_weights(n_t, transposition, substitution, w0, types)
    check_choice("method", method, METHODS)
    return align_pair(as_segmentation(reference), as_segmentation(hypothesis), method, weights)


def align_pair(
    reference: Segmentation, hypothesis: Segmentation, method: Method, weights: Weights
) -> Alignment:
    """Return ``align`` of two segmentations, with parameters that are known to be right."""
    check_comparable(reference, hypothesis)
    if weights.ignores_types:
        reference, hypothesis = reference.without_types(), hypothesis.without_types()
    edits = (
        _plain_edits(reference, hypothesis, method, weights.n_t)
        if reference.is_plain and hypothesis.is_plain and (method == "greedy" or weights.nearest_is_cheapest)
        else typed_edits(reference, hypothesis, method, weights)
    )
    additions = [Addition(position, kind, "reference") for position, kind in edits.only_a]
    additions += [Addition(position, kind, "hypothesis") for position, kind in edits.only_b]
    return Alignment(
        reference,
        hypothesis,
        method,
        weights,
        tuple(Match(*match) for match in edits.matches),
        tuple(sorted(additions)),
        tuple(Substitution(*edit) for edit in edits.substitutions),
        tuple(sorted((Transposition(*edit) for edit in edits.transpositions), key=lambda t: t.start)),
    )


def _plain_edits(reference: Segmentation, hypothesis: Segmentation, method: Method, n_t: int) -> TypedEdits:
    a, b = set(reference.positions), set(hypothesis.positions)
    only_a, only_b = sorted(a - b), sorted(b - a)
    pair = optimal_transpositions if method == "optimal" else transpositions
    pairs = pair(only_a, only_b, n_t)
    paired_a, paired_b = {i for i, _ in pairs}, {j for _, j in pairs}
    return TypedEdits(
        [(position, PLAIN_TYPE) for position in sorted(a & b)],
        [(position, PLAIN_TYPE) for position in only_a if position not in paired_a],
        [(position, PLAIN_TYPE) for position in only_b if position not in paired_b],
        [],
        [(i, j, PLAIN_TYPE) for i, j in pairs],
    )


@dataclass(frozen=True, eq=False)
class PairCorrectness:
    """The correctness of every boundary pair, and the coding that it comes from; B is its mean."""

    values: FloatArray
    coding: IntArray


def pair_correctness(pairs: PackedPairs, method: Method, weights: Weights) -> PairCorrectness:
    """Return the correctness of the boundary pairs of many compared codings."""
    if weights.ignores_types:
        pairs = pairs.without_types()
    is_optimal = method == "optimal"
    if not pairs.is_plain or (is_optimal and not weights.nearest_is_cheapest):
        rows = [align_pair(*pair, method, weights).correctness for pair in pairs]
        coding = repeat(np.arange(len(rows)), list(map(len, rows)))
        return PairCorrectness(np.array([value for row in rows for value in row], dtype=float), coding)
    edits = count_edits_many(pairs, method, weights)
    offsets, spans = kernel.active.transposition_spans_many(*pairs.sides, weights.n_t, is_optimal)
    weight, scale = weights.of_distance(spans)
    each = np.arange(len(pairs))
    parts = (edits.matches, edits.additions, np.diff(offsets))
    coding = np.concatenate([repeat(each, n) for n in parts])
    values = np.concatenate((np.ones(parts[0].sum()), np.zeros(parts[1].sum()), 1 - weight / scale))
    order = np.argsort(coding, kind="stable")
    return PairCorrectness(values[order], coding[order])

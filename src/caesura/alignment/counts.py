"""Counts of edits of one pair or many, plain or typed: the only module that chooses between kernels."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Generic, NamedTuple

import numpy as np

from caesura import kernel
from caesura.alignment.packed import PackedPairs
from caesura.alignment.weights import MAX_SCALE, Method, Weights
from caesura.arrays import Counted, IntArray, bincount
from caesura.kernel.edits import Boundary, TypedEdits, greedy_edits, optimal_edits
from caesura.values.segmentation import PLAIN_TYPE, Segmentation, check_comparable

LARGEST_IN_ONE_PASS = 10_000  # the largest n_t for which one alignment of typed pairs serves every n_t


class EditCounts(NamedTuple, Generic[Counted]):
    """The edits of a pair as integers, or of many pairs as arrays; weights are in units of 1 / scale."""

    matches: Counted
    only_reference: Counted
    only_hypothesis: Counted
    substitutions: Counted
    transpositions: Counted
    substitution_weight: Counted
    transposition_weight: Counted
    slots: Counted  # types × potential boundaries
    scale: int

    @property
    def additions(self) -> Counted:
        """Full misses of both sides."""
        return self.only_reference + self.only_hypothesis

    @property
    def pairs(self) -> Counted:
        """Boundary pairs: matches and edits."""
        return self.matches + self.additions + self.substitutions + self.transpositions

    @property
    def boundaries(self) -> Counted:
        """Boundaries of both sides."""
        return 2 * self.pairs - self.additions

    @property
    def penalty(self) -> Counted:
        """The total weight of the edits."""
        return self.additions * self.scale + self.substitution_weight + self.transposition_weight


def count_edits(
    reference: Segmentation, hypothesis: Segmentation, method: Method, weights: Weights
) -> EditCounts[int]:
    """Return the numbers and weights of matches and edits."""
    if reference.n_units != hypothesis.n_units:
        check_comparable(reference, hypothesis)
    if weights.ignores_types:
        reference, hypothesis = reference.without_types(), hypothesis.without_types()
    slots = reference.n_units - 1
    if weights.types is not None or not (reference.is_plain and hypothesis.is_plain):
        weights.type_range(reference, hypothesis)  # raises for undeclared types
        slots *= weights.n_types(reference, hypothesis)
    if reference.is_plain and hypothesis.is_plain and method in weights.weighed_by_sums:
        sides = reference.position_array, hypothesis.position_array
        counts = kernel.active.edit_counts(*sides, weights.n_t, method == "optimal")
        matches, only_a, only_b, transpositions, span = counts
        weight, scale = weights.of_transpositions(transpositions, span)
        return EditCounts(matches, only_a, only_b, 0, transpositions, 0, weight, slots, scale)
    edits = typed_edits(reference, hypothesis, method, weights)
    type_range = weights.type_range(reference, hypothesis)
    moved = sum((Fraction(*weights.of_distance(abs(i - j))) for i, j, _ in edits.transpositions), Fraction(0))
    costs = (weights.of_substitution(x, y, type_range) for _, x, y in edits.substitutions)
    exchanged = sum(costs, Fraction(0))
    scale = math.lcm(moved.denominator, exchanged.denominator)
    numbers = [len(kind) for kind in edits]  # matches, only in a, only in b, substitutions, transpositions
    return EditCounts._make((*numbers, int(exchanged * scale), int(moved * scale), slots, scale))


def count_edits_many(pairs: PackedPairs, method: Method, weights: Weights) -> EditCounts[IntArray]:
    """Return ``count_edits`` of many pairs as arrays, in one kernel call if possible."""
    if weights.ignores_types:
        pairs = pairs.without_types()
    if pairs.is_plain and (method == "greedy" or weights.nearest_is_cheapest):
        return _count_plain_many(pairs, method, weights)
    if method == "greedy" and weights.cost_table is None and weights.line is not None:
        return _count_typed_many(pairs, weights)
    rows = [count_edits(reference, hypothesis, method, weights) for reference, hypothesis in pairs]
    scale = math.lcm(*(row.scale for row in rows))
    table = [[*row[:5], *(weight * (scale // row.scale) for weight in row[5:7]), row.slots] for row in rows]
    columns = np.array(table, dtype=np.int64 if scale < MAX_SCALE else object).reshape(len(rows), 8)
    return EditCounts._make((*columns.T, scale))


def _count_plain_many(pairs: PackedPairs, method: Method, weights: Weights) -> EditCounts[IntArray]:
    n_types = 1
    if weights.types is not None:
        n_types = len(weights.types) or 1
        if pairs.n_reference.any() or pairs.n_hypothesis.any():
            weights.check_declared({PLAIN_TYPE})
    rows = kernel.active.edit_counts_many(*pairs.sides, weights.n_t, method == "optimal")
    matches, only_a, only_b, transpositions, span = rows.T
    if weights.line is not None:
        weight, scale = weights.of_transpositions(transpositions, span)
    else:
        is_optimal = method == "optimal"
        offsets, spans = kernel.active.transposition_spans_many(*pairs.sides, weights.n_t, is_optimal)
        each, scale = weights.of_distance(spans)
        weight = np.diff(np.concatenate(([0], np.cumsum(each)))[offsets])
    nothing = np.zeros_like(matches)
    slots = (pairs.n_units - 1) * n_types
    return EditCounts(matches, only_a, only_b, nothing, transpositions, nothing, weight, slots, scale)


def _count_typed_many(pairs: PackedPairs, weights: Weights) -> EditCounts[IntArray]:
    """Count the published edits of several types; substitutions are weighted by the type difference."""
    rows = kernel.active.typed_edit_counts_many(*pairs.typed_sides, weights.n_t)
    matches, only_a, only_b, exchanges, moves, span, difference, type_range, n_types = rows.T
    n_types = np.maximum(1, n_types)
    if weights.types is not None:
        sides = (pairs.reference.all_types, pairs.hypothesis.all_types)
        weights.check_declared({kind for side in sides for kind in np.unique(side).tolist()})
        type_range = np.full_like(type_range, max(weights.types) - min(weights.types))
        n_types = np.full_like(n_types, len(weights.types))
    exchanged, divisor = weights.of_substitutions(exchanges, difference, np.maximum(1, type_range))
    moved, moved_scale = weights.of_transpositions(moves, span)
    scale = math.lcm(moved_scale, *np.unique(divisor[exchanges > 0]).tolist())
    if scale >= MAX_SCALE:  # Python's integers: slow but exact
        exchanged, moved, divisor = (column.astype(object) for column in (exchanged, moved, divisor))
    by = np.where(exchanges > 0, scale // divisor, 0)
    slots = (pairs.n_units - 1) * n_types
    moved = moved * (scale // moved_scale)
    return EditCounts(matches, only_a, only_b, exchanges, moves, exchanged * by, moved, slots, scale)


def count_edits_by_n_t(pairs: PackedPairs, n_t: IntArray) -> IntArray:
    """Return the published matches, additions, substitutions and transpositions of all pairs, a row per n_t.

    ``n_t`` ascends. One alignment of each pair serves all n_t.
    """
    if pairs.is_plain:
        return _sweep_plain(pairs, n_t)
    if n_t[-1] <= LARGEST_IN_ONE_PASS:
        return kernel.active.typed_edit_sweep_many(*pairs.typed_sides, int(n_t[-1]))[n_t - 1]
    rows = []  # a sweep over all n_t would be too long
    for number in n_t.tolist():
        edits = count_edits_many(pairs, "greedy", Weights(n_t=number))
        kinds = edits.matches, edits.additions, edits.substitutions, edits.transpositions
        rows.append([int(kind.sum()) for kind in kinds])
    return np.array(rows, dtype=np.int64)


def _sweep_plain(pairs: PackedPairs, n_t: IntArray) -> IntArray:
    """Return matches, additions, substitutions and transpositions of pairs without types, a row per n_t.

    The published algorithm takes all near misses over distance d before those over d + 1, so the ones below
    a smaller n_t are the result for that n_t.
    """
    matches = int(kernel.active.edit_counts_many(*pairs.sides, 1, False)[:, 0].sum())
    _, distances = kernel.active.transposition_spans_many(*pairs.sides, int(n_t[-1]), False)
    just_fit = bincount(np.searchsorted(n_t, distances, side="right"), minlength=len(n_t))
    transpositions = np.cumsum(just_fit[: len(n_t)])
    additions = int((pairs.n_reference + pairs.n_hypothesis).sum()) - 2 * matches - 2 * transpositions
    nothing = np.zeros_like(additions)
    return np.stack((nothing + matches, additions, nothing, transpositions), axis=1)


def typed_edits(
    reference: Segmentation, hypothesis: Segmentation, method: Method, weights: Weights
) -> TypedEdits:
    """Return the matches and edits of two segmentations with several types."""
    a, b = reference.boundaries, hypothesis.boundaries
    type_range = weights.type_range(reference, hypothesis)
    table = weights.cost_table
    if method == "greedy":
        cost = None if table is None else lambda x, y: float(weights.of_substitution(x, y, type_range))
        return greedy_edits(a, b, weights.n_t, cost)
    # Integers, so that ties are exact.
    exchangeable = _substitutable(set(a) - set(b), set(b) - set(a))
    scales = [weights.of_substitution(x, y, type_range).denominator for x, y in exchangeable]
    whole = math.lcm(weights.of_distance(1)[1] if weights.n_t > 1 else 1, *scales)
    return optimal_edits(
        a,
        b,
        weights.n_t,
        lambda distance: int(Fraction(*weights.of_distance(distance)) * whole),
        lambda x, y: int(weights.of_substitution(x, y, type_range) * whole),
        nearest_is_cheapest=weights.nearest_is_cheapest,
    )


def _substitutable(a: set[Boundary], b: set[Boundary]) -> set[tuple[int, int]]:
    """Return the pairs of types at the same position on the two sides."""
    in_b: dict[int, list[int]] = {}
    for position, kind in b:
        in_b.setdefault(position, []).append(kind)
    return {(x, y) for position, x in a for y in in_b.get(position, ())}

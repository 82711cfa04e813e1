"""Similarities from boundary edit distance: B, Ba, Bc and S.

In formulas, AD, S, T and M count additions, substitutions, transpositions and matches; B1 and B2 count the
boundaries of each side, U boundaries without a match. The penalty is the weight of all edits. F13 is
Fournier (2013), ACL; F13t is Fournier (2013), the thesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from caesura.alignment.counts import EditCounts, count_edits, count_edits_many
from caesura.alignment.packed import PackedPairs
from caesura.alignment.weights import (
    CHECKS,
    KINDS,
    METHODS,
    LeastWeight,
    Method,
    Substitutions,
    Transpositions,
    Weights,
    check_distances,
    least_weight,
)
from caesura.arrays import Counted, IntArray
from caesura.checks import N_T
from caesura.declaration import choice, parameter, sentences
from caesura.metrics.base import Metric, Score, Scores, Share, extent
from caesura.values.segmentation import Segmentation, SegmentationLike

F13 = "Fournier (2013), Evaluating text segmentation using boundary edit distance, ACL"
F13T = "Fournier (2013), Evaluating text segmentation, thesis, University of Ottawa"
FI12 = "Fournier & Inkpen (2012), Segmentation similarity and agreement, NAACL"

MAX_COUNT = 2**62  # the largest count of a pair in a batch, which must fit 64-bit integers


@dataclass(frozen=True, repr=False, kw_only=True)
class EditMetric(Metric):
    """Base of metrics on boundary edit distance: parameters and counts."""

    symmetric = True

    n_t: int = extent(N_T, "near misses span fewer than this many positions; 1: none", minimum=1)
    method: Method = choice("greedy", "published or truly minimal edits", METHODS)
    transposition: Transpositions = parameter(
        "scaled",
        "weight of near misses: scaled, equation, constant, a number, or a table {distance: cost}",
        CHECKS["transposition"],
    )
    substitution: Substitutions = parameter(
        "scaled",
        "weight of wrong types: scaled, equation, constant (nominal types), a number, or a table of costs",
        CHECKS["substitution"],
    )
    w0: LeastWeight = parameter(
        0.0,
        "least weight of near misses and wrong types under 'equation', or a mapping with that of each",
        CHECKS["w0"],
    )
    types: Sequence[int] | None = parameter(
        None, "the declared types; auto: those in the pair; (): compare without types", CHECKS["types"]
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_distances(f"{self.name}: ", self.n_t, self.transposition, self.substitution, self.types)

    @property
    def low(self) -> float:
        """0, or -w0 under 'equation', where the widest near miss weighs 1 + w0."""
        printed = [kind for kind in KINDS if getattr(self, kind) == "equation"]
        return 0.0 - max((float(least_weight(self.w0, kind)) for kind in printed), default=0.0)

    @cached_property
    def weights(self) -> Weights:
        """The weights of edits."""
        return Weights(self.n_t, self.transposition, self.substitution, self.w0, self.types)

    def combine(self, edits: EditCounts[Counted]) -> tuple[Counted, ...]:
        """Return the metric's counts, in units of 1 / edits.scale."""
        raise NotImplementedError

    def edits(self, reference: Segmentation, hypothesis: Segmentation) -> EditCounts[int]:
        """Count the edits of one pair."""
        return count_edits(reference, hypothesis, self.method, self.weights)

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[int, ...], int]:
        """Align the pair and combine its edits."""
        edits = self.edits(reference, hypothesis)
        return self.combine(edits), edits.scale

    def over(self, pairs: PackedPairs) -> Scores:
        """Align all pairs at once, or one by one if sums might not fit 64-bit integers."""
        return self.over_edits(pairs, count_edits_many(pairs, self.method, self.weights))

    def over_edits(self, pairs: PackedPairs, edits: EditCounts[IntArray]) -> Scores:
        """Return the scores of pairs whose edits are counted."""
        n_types = len(self.types) if self.types else 1
        if not self.types and not pairs.is_plain:  # no pair has more types than boundaries
            n_types = max(int(side.n_boundaries.max()) for side in (pairs.reference, pairs.hypothesis)) * 2
        if len(pairs) and int(pairs.n_units.max()) * max(1, n_types) * edits.scale > MAX_COUNT:
            return super().over(pairs)
        return Scores.from_columns(self, self.combine(edits), edits.scale)


class EditSimilarity(Share, EditMetric):
    """A similarity: 1 minus the penalty over its maximum; 1 without boundaries."""

    count_names = ("similar", "compared")
    empty = 1.0


class B(EditSimilarity):
    """Boundary similarity."""

    name = "B"
    title = "boundary similarity"
    meaning = "mean correctness of boundary pairs: match 1, near miss in between, full miss 0"
    formula = "1 - penalty / (AD + S + T + M)"
    citation = F13
    biases = sentences("""
        - A boundary that is n_t or more positions off counts as two full misses, so the value depends
          on n_t (Fournier 2013, ACL, §3.1).
        - It says how similar two segmentations are, not how they differ: put B-precision and B-recall
          beside it (Fournier 2013, thesis, ch. 6).
        - The published algorithm does not always find the fewest edits at n_t ≥ 3, so B can be too low;
          method='optimal' does (measured by this project).
    """)

    def combine(self, edits: EditCounts[Counted]) -> tuple[Counted, ...]:
        """Return the summed correctness and the number of boundary pairs."""
        matches, only_a, only_b, substitutions, transpositions, exchanged, moved, _, scale = edits
        paired = matches + substitutions + transpositions
        return paired * scale - exchanged - moved, (paired + only_a + only_b) * scale


def boundary_similarity(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    n_t: int = N_T,
    method: Method = "greedy",
    transposition: Transpositions = "scaled",
    substitution: Substitutions = "scaled",
    w0: LeastWeight = 0.0,
    types: Sequence[int] | None = None,
) -> Score:
    """Return boundary similarity, B = 1 - penalty / (AD + S + T + M).

    Mean correctness of boundary pairs: match 1, near miss in between, full miss 0.

    Source: Fournier (2013), Evaluating text segmentation using boundary edit distance, ACL.

    Parameters
    ----------
    n_t
        near misses span fewer than this many positions; 1: none
    method
        published or truly minimal edits
    transposition
        weight of near misses: scaled, equation, constant, a number, or a table {distance: cost}
    substitution
        weight of wrong types: scaled, equation, constant (nominal types), a number, or a table of costs
    w0
        least weight of near misses and wrong types under 'equation', or a mapping with that of each
    types
        the declared types; auto: those in the pair; (): compare without types

    >>> boundary_similarity([2, 3, 6], [2, 2, 7])
    <B 0.75 = 1.5/2>
    """
    return B.of(n_t, method, transposition, substitution, w0, types)(reference, hypothesis)


class Ba(EditSimilarity):
    """Boundary similarity, variant A."""

    name = "Ba"
    title = "boundary similarity, variant A"
    also = ("boundary_similarity_a",)
    meaning = "1 - penalty per boundary placed by either side"
    formula = "1 - penalty / (B1 + B2)"
    citation = F13T
    biases = sentences("""
        - Where a near miss and a full miss come together, the full miss is not fully punished: over
          half is left (Fournier 2013, thesis, §5.1.1.4).
    """)

    def combine(self, edits: EditCounts[Counted]) -> tuple[Counted, ...]:
        """Divide by the boundaries of both sides."""
        compared = edits.boundaries * edits.scale
        return compared - edits.penalty, compared


def boundary_similarity_a(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    n_t: int = N_T,
    method: Method = "greedy",
    transposition: Transpositions = "scaled",
    substitution: Substitutions = "scaled",
    w0: LeastWeight = 0.0,
    types: Sequence[int] | None = None,
) -> Score:
    """Return boundary similarity, variant A, Ba = 1 - penalty / (B1 + B2).

    1 - penalty per boundary placed by either side.

    Source: Fournier (2013), Evaluating text segmentation, thesis, University of Ottawa, eq. 4.28.

    Parameters
    ----------
    n_t
        near misses span fewer than this many positions; 1: none
    method
        published or truly minimal edits
    transposition
        weight of near misses: scaled, equation, constant, a number, or a table {distance: cost}
    substitution
        weight of wrong types: scaled, equation, constant (nominal types), a number, or a table of costs
    w0
        least weight of near misses and wrong types under 'equation', or a mapping with that of each
    types
        the declared types; auto: those in the pair; (): compare without types

    >>> boundary_similarity_a([2, 3, 6], [2, 2, 7])
    <Ba 0.875 = 3.5/4>
    """
    return Ba.of(n_t, method, transposition, substitution, w0, types)(reference, hypothesis)


class Bc(EditSimilarity):
    """Boundary similarity, variant C."""

    name = "Bc"
    title = "boundary similarity, variant C"
    also = ("boundary_similarity_c",)
    meaning = "1 - penalty per potential boundary that takes part, full misses counted twice"
    formula = "1 - (penalty + AD) / (B1 + B2 + U)"
    citation = F13T
    biases = sentences("""
        - Where a near miss and a full miss come together, it rewards the near miss too much or punishes
          the full miss too little (Fournier 2013, thesis, §5.1.1.4).
    """)

    def combine(self, edits: EditCounts[Counted]) -> tuple[Counted, ...]:
        """Divide by the boundaries and their missing counterparts."""
        unmatched = edits.additions + 2 * (edits.substitutions + edits.transpositions)
        compared = (edits.boundaries + unmatched) * edits.scale
        return compared - edits.penalty - edits.additions * edits.scale, compared


def boundary_similarity_c(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    n_t: int = N_T,
    method: Method = "greedy",
    transposition: Transpositions = "scaled",
    substitution: Substitutions = "scaled",
    w0: LeastWeight = 0.0,
    types: Sequence[int] | None = None,
) -> Score:
    """Return boundary similarity, variant C, Bc = 1 - (penalty + AD) / (B1 + B2 + U).

    1 - penalty per potential boundary that takes part, full misses counted twice.

    Source: Fournier (2013), Evaluating text segmentation, thesis, University of Ottawa, eq. 4.34.

    Parameters
    ----------
    n_t
        near misses span fewer than this many positions; 1: none
    method
        published or truly minimal edits
    transposition
        weight of near misses: scaled, equation, constant, a number, or a table {distance: cost}
    substitution
        weight of wrong types: scaled, equation, constant (nominal types), a number, or a table of costs
    w0
        least weight of near misses and wrong types under 'equation', or a mapping with that of each
    types
        the declared types; auto: those in the pair; (): compare without types

    >>> boundary_similarity_c([2, 3, 6], [2, 2, 7])
    <Bc 0.916667 = 5.5/6>
    """
    return Bc.of(n_t, method, transposition, substitution, w0, types)(reference, hypothesis)


class S(EditSimilarity):
    """Segmentation similarity."""

    name = "S"
    title = "segmentation similarity"
    meaning = "1 - penalty per potential boundary; high wherever boundaries are rare"
    formula = "1 - penalty / (types × (N - 1))"
    citation = FI12
    biases = sentences("""
        - Neither side marks most potential boundaries, so values are high and overstate
          agreement (Fournier 2013, ACL, §2.1).
        - The longer the document for the same errors, the higher the value: sparse segmentations gain
          (Fournier 2013, ACL, §2.1).
    """)

    def combine(self, edits: EditCounts[Counted]) -> tuple[Counted, ...]:
        """Divide by the potential boundaries."""
        compared = edits.slots * edits.scale
        return compared - edits.penalty, compared


def segmentation_similarity(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    n_t: int = N_T,
    method: Method = "greedy",
    transposition: Transpositions = "scaled",
    substitution: Substitutions = "scaled",
    w0: LeastWeight = 0.0,
    types: Sequence[int] | None = None,
) -> Score:
    """Return segmentation similarity, S = 1 - penalty / (types × (N - 1)).

    1 - penalty per potential boundary; high wherever boundaries are rare.

    Source: Fournier & Inkpen (2012), Segmentation similarity and agreement, NAACL; Fournier (2013),
    thesis, eq. 4.36.

    Parameters
    ----------
    n_t
        near misses span fewer than this many positions; 1: none
    method
        published or truly minimal edits
    transposition
        weight of near misses: scaled, equation, constant, a number, or a table {distance: cost}
    substitution
        weight of wrong types: scaled, equation, constant (nominal types), a number, or a table of costs
    w0
        least weight of near misses and wrong types under 'equation', or a mapping with that of each
    types
        the declared types; auto: those in the pair; (): compare without types

    >>> segmentation_similarity([2, 3, 6], [2, 2, 7])
    <S 0.95 = 9.5/10>
    """
    return S.of(n_t, method, transposition, substitution, w0, types)(reference, hypothesis)

"""Metrics without windows or edits: boundary P, R and F, purity, coverage, GHD, P_μ, BD, density.

P, R and F match as many boundaries as possible one to one within the tolerance. A position with several types
counts once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura import kernel
from caesura.alignment.packed import PackedPairs
from caesura.arrays import FloatArray, Number
from caesura.declaration import number, optional_number, sentences
from caesura.errors import ParameterError
from caesura.kernel import python as readable
from caesura.kernel.python import MAX_CELLS
from caesura.metrics.base import Count, Counts, Metric, Quotient, Score, Scores, Share, extent
from caesura.metrics.confusion import FMeasure, Precision, Recall
from caesura.values.segmentation import Segmentation, SegmentationLike, check_comparable


@dataclass(frozen=True, repr=False, kw_only=True)
class MatchingMetric(Metric):
    """Base of the boundary rates: matches within a tolerance."""

    count_names = ("tp", "fp", "fn")
    citation = "van Rijsbergen (1979), Information retrieval"
    biases = sentences("""
        - With tolerance 0 a boundary off by one is as wrong as one far away (Pevzner & Hearst 2002,
          §1.1).
        - Placing more boundaries raises recall and lowers precision: one without the other misleads
          (Pevzner & Hearst 2002, §1.1).
        - Within the tolerance all distances count as perfect (by its definition).
    """)

    tolerance: int = extent(0, "boundaries this many positions apart still match", minimum=0)

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[int, ...], int]:
        """Match the boundaries of a pair."""
        check_comparable(reference, hypothesis)
        ref, hyp = reference.position_array, hypothesis.position_array
        matched = kernel.active.matched_within(ref, hyp, self.tolerance)
        return (matched, len(hyp) - matched, len(ref) - matched), 1

    def over(self, pairs: PackedPairs) -> Scores:
        """Match all pairs in one kernel call."""
        matched = kernel.active.matched_within_many(*pairs.sides, self.tolerance)
        return Scores.from_columns(self, (matched, pairs.n_hypothesis - matched, pairs.n_reference - matched))


class P(Precision, MatchingMetric):
    """Boundary precision."""

    name = "P"
    title = "boundary precision"
    also = ("precision",)
    meaning = "share of predicted boundaries that match one of the reference"


def boundary_precision(
    reference: SegmentationLike, hypothesis: SegmentationLike, *, tolerance: int = 0
) -> Score:
    """Return boundary precision, P = TP / (TP + FP).

    Share of predicted boundaries that match one of the reference.

    Source: van Rijsbergen (1979), Information retrieval.

    Parameters
    ----------
    tolerance
        boundaries this many positions apart still match

    >>> boundary_precision([2, 3, 6], [2, 2, 7])
    <P 0.5 = 1/2>
    >>> boundary_precision([2, 3, 6], [2, 2, 7], tolerance=1)
    <P(tolerance=1) 1 = 2/2>
    """
    return P.of(tolerance)(reference, hypothesis)


class R(Recall, MatchingMetric):
    """Boundary recall."""

    name = "R"
    title = "boundary recall"
    also = ("recall",)
    meaning = "share of reference boundaries that a predicted one matches"


def boundary_recall(
    reference: SegmentationLike, hypothesis: SegmentationLike, *, tolerance: int = 0
) -> Score:
    """Return boundary recall, R = TP / (TP + FN).

    Share of reference boundaries that a predicted one matches.

    Source: van Rijsbergen (1979), Information retrieval.

    Parameters
    ----------
    tolerance
        boundaries this many positions apart still match

    >>> boundary_recall([2, 3, 6], [5, 6])
    <R 0.5 = 1/2>
    """
    return R.of(tolerance)(reference, hypothesis)


@dataclass(frozen=True, repr=False, kw_only=True)
class F(FMeasure, MatchingMetric):
    """Boundary F."""

    name = "F"
    title = "boundary F"
    also = ("F1", "f_measure", "boundary F1")
    meaning = "weighted harmonic mean of boundary precision and recall"


def boundary_f(
    reference: SegmentationLike, hypothesis: SegmentationLike, *, tolerance: int = 0, beta: float = 1.0
) -> Score:
    """Return boundary F, F = (1 + β²) TP / ((1 + β²) TP + β² FN + FP).

    Weighted harmonic mean of boundary precision and recall.

    Source: van Rijsbergen (1979), Information retrieval.

    Parameters
    ----------
    tolerance
        boundaries this many positions apart still match
    beta
        weight of recall against precision

    >>> boundary_f([2, 3, 6], [5, 6])
    <F 0.666667 = 2/3>
    """
    return F.of(tolerance, beta)(reference, hypothesis)


@dataclass(frozen=True, repr=False, kw_only=True)
class OverlapMetric(Share):
    """Base of purity and coverage: units in the best-overlapping segment of the other side."""

    count_names = ("covered", "units")
    citation = "Bredin (2017), pyannote.metrics, Interspeech"
    biases = sentences("""
        - Too many segments make purity high and coverage low, too few the reverse: one without the
          other misleads (by its definition).
        - Long segments weigh more than short ones, since units are counted (by its definition).
    """)
    empty = 1.0
    reference_segments: ClassVar[bool]

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[int, ...], int]:
        """Sum the largest overlaps of a pair."""
        check_comparable(reference, hypothesis)
        a, b = reference.position_array, hypothesis.position_array
        if not self.reference_segments:
            a, b = b, a
        n_units = reference.n_units
        return (kernel.active.largest_overlaps(a, b, n_units), n_units), 1

    def over(self, pairs: PackedPairs) -> Scores:
        """Sum the largest overlaps of all pairs in one kernel call."""
        sides = pairs.sides if self.reference_segments else pairs.sides[::-1]
        covered = kernel.active.largest_overlaps_many(*sides, pairs.n_units)
        return Scores.from_columns(self, (covered, pairs.n_units))


class Coverage(OverlapMetric):
    """Coverage."""

    name = "Coverage"
    title = "coverage"
    meaning = "how much of each reference segment one hypothesis segment covers"
    formula = "Σ_r max_h |r ∩ h| / N"
    reference_segments = True


def coverage(reference: SegmentationLike, hypothesis: SegmentationLike) -> Score:
    """Return Coverage = Σ_r max_h |r ∩ h| / N.

    How much of each reference segment one hypothesis segment covers.

    Source: Bredin (2017), pyannote.metrics, Interspeech.

    >>> coverage([5, 6], [2, 3, 6])
    <Coverage 0.818182 = 9/11>
    """
    return Coverage.of()(reference, hypothesis)


class Purity(OverlapMetric):
    """Purity."""

    name = "Purity"
    title = "purity"
    meaning = "how much of each hypothesis segment lies in one reference segment"
    formula = "Σ_h max_r |r ∩ h| / N"
    reference_segments = False


def purity(reference: SegmentationLike, hypothesis: SegmentationLike) -> Score:
    """Return Purity = Σ_h max_r |r ∩ h| / N.

    How much of each hypothesis segment lies in one reference segment.

    Source: Bredin (2017), pyannote.metrics, Interspeech.

    >>> purity([5, 6], [2, 3, 6])
    <Purity 1 = 11/11>
    """
    return Purity.of()(reference, hypothesis)


MAX_SUM = 2**62
"""Pairs whose sums of distances may be greater go to the Python kernel, whose integers cannot overflow."""


@dataclass(frozen=True, repr=False, kw_only=True)
class DocumentMetric(Metric):
    """A value per document, not a share; pooling takes the mean over documents."""

    count_names = ("total", "documents")

    def document_value(self, reference: Segmentation, hypothesis: Segmentation) -> float:
        """Return the value of one pair."""
        raise NotImplementedError

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Return the value of a pair, for one document."""
        check_comparable(reference, hypothesis)
        return (self.document_value(reference, hypothesis), 1), 1

    def document_values(self, pairs: PackedPairs) -> FloatArray:
        """Return the value of each pair."""
        raise NotImplementedError

    def over(self, pairs: PackedPairs) -> Scores:
        """Compare all pairs in one kernel call."""
        return Scores.from_columns(self, (self.document_values(pairs), np.ones(len(pairs))))

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return the mean over documents."""
        total, documents = counts
        return total, documents, self.best


@dataclass(frozen=True, repr=False, kw_only=True)
class GHD(DocumentMetric):
    """Generalized Hamming distance; NLTK's ``ghd`` gives the same."""

    name = "GHD"
    title = "generalized Hamming distance"
    also = ("generalized Hamming distance", "hamming")
    meaning = "cost of inserting, deleting and shifting boundaries, per document"
    formula = "least cost over sequences of insertions, deletions and shifts"
    citation = "Bookstein, Kulyukin & Raita (2002), Generalized Hamming distance"
    biases = sentences("""
        - It is a cost, not a share: longer documents with more boundaries cost more (by its
          definition).
        - What is a near miss follows from the costs: a shift over 4 positions costs as much as a miss
          and a false alarm by default (by its definition).
    """)
    high: ClassVar[float] = math.inf
    direction = "lower"

    insertion: float = number(2.0, "cost of a reference boundary that the hypothesis lacks")
    deletion: float = number(2.0, "cost of a hypothesis boundary that the reference lacks")
    shift: float = number(1.0, "cost of moving a boundary, per position")

    def document_value(self, reference: Segmentation, hypothesis: Segmentation) -> float:
        """Return the least cost by dynamic programming, which is quadratic in boundaries and so bounded."""
        ref, hyp = reference.position_array, hypothesis.position_array
        if len(ref) * len(hyp) > MAX_CELLS:
            raise ParameterError(_too_many_cells(len(ref), len(hyp)))
        value: float = kernel.active.generalized_hamming(ref, hyp, self.insertion, self.deletion, self.shift)
        return value

    def document_values(self, pairs: PackedPairs) -> FloatArray:
        """Return the values of all pairs; raise ParameterError for a pair that is too large."""
        n_ref, n_hyp = pairs.n_reference, pairs.n_hypothesis
        too_many = np.flatnonzero(n_ref * n_hyp > MAX_CELLS)
        if len(too_many):
            pair = too_many[0]
            raise ParameterError(f"pair {pair}: {_too_many_cells(n_ref[pair], n_hyp[pair])}")
        costs = self.insertion, self.deletion, self.shift
        return kernel.active.generalized_hamming_many(*pairs.sides, *costs)


def _too_many_cells(n_ref: int, n_hyp: int) -> str:
    return f"GHD of {n_ref} and {n_hyp} boundaries needs more than {MAX_CELLS:,} table cells"


@dataclass(frozen=True, repr=False, kw_only=True)
class Pmu(DocumentMetric):
    """P_μ."""

    name = "Pmu"
    title = "P_μ"
    meaning = "chance that two units, mostly near ones, are rightly judged to share a segment"
    formula = "Σ_{i≤j} γ exp(−μ (j−i)) [same segment in r] xnor [same segment in h]"
    citation = "Beeferman, Berger & Lafferty (1997), Text segmentation with exponential models"
    biases = sentences("""
        - The weight of distances must be chosen and is hard to justify, which is why Pk replaced it
          (Fournier 2013, thesis, §2.1).
    """)
    symmetric = False

    mu: float | None = optional_number(
        "inverse of the mean distance; auto: of the mean reference segment", exclusive=True
    )

    def document_value(self, reference: Segmentation, hypothesis: Segmentation) -> float:
        """Return the weight of pairs of units on which both sides agree."""
        n_units = reference.n_units
        mu = reference.n_segments / n_units if self.mu is None else float(self.mu)
        value: float = kernel.active.p_mu(reference.position_array, hypothesis.position_array, n_units, mu)
        return value

    def document_values(self, pairs: PackedPairs) -> FloatArray:
        """Return the values of all pairs."""
        if self.mu is None:
            mu = (pairs.n_reference + 1) / pairs.n_units
        else:
            mu = np.full(len(pairs), self.mu, dtype=np.float64)
        return kernel.active.p_mu_many(*pairs.sides, pairs.n_units, mu)


class BD(DocumentMetric):
    """Break distance."""

    name = "BD"
    title = "break distance"
    meaning = "distances from true breaks to the nearest predicted ones, as shares of the text"
    formula = "Σ_r min_h |r − h| / N; N for each r where nothing is predicted"
    citation = "Brooke, Hammond & Hirst (2012), Unsupervised stylistic segmentation of poetry"
    biases = sentences("""
        - Spurious boundaries cost nothing: a boundary everywhere scores 0 (Fournier 2013, thesis,
          §3.1).
        - The sum grows with the number of true breaks (by its definition).
    """)
    high: ClassVar[float] = math.inf
    direction = "lower"

    def document_value(self, reference: Segmentation, hypothesis: Segmentation) -> float:
        """Return the distance; without predictions each true break is off by the length of the text."""
        ref, hyp, n_units = reference.position_array, hypothesis.position_array, reference.n_units
        if not len(hyp):
            return float(len(ref))
        fits = len(ref) * n_units <= MAX_SUM
        sum_of = kernel.active.nearest_distances if fits else readable.nearest_distances
        return float(sum_of(ref, hyp)) / n_units

    def document_values(self, pairs: PackedPairs) -> FloatArray:
        """Return the values of all pairs."""
        n_ref, n_hyp = pairs.n_reference, pairs.n_hypothesis
        if (n_ref.astype(np.float64) * pairs.n_units > MAX_SUM).any():
            return np.array([self.document_value(*pair) for pair in pairs])
        shares = kernel.active.nearest_distances_many(*pairs.sides) / pairs.n_units
        values: FloatArray = np.where(n_hyp == 0, n_ref, shares)
        return values


@dataclass(frozen=True, repr=False, kw_only=True)
class Density(Metric):
    """Boundary density ratio."""

    name = "Density"
    title = "boundary density ratio"
    also = ("density_ratio",)
    meaning = "predicted per reference boundaries: above 1 over-, below 1 under-segmented"
    formula = "B_hypothesis / B_reference"
    citation = "used with Pk and WindowDiff to tell over- from under-segmentation"
    biases = sentences("""
        - It counts boundaries and ignores their positions: 1 does not prove a good segmentation (by its
          definition).
    """)
    high: ClassVar[float] = math.inf
    direction = "closest"
    count_names = ("predicted", "actual")

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Count positions with a boundary."""
        check_comparable(reference, hypothesis)
        return (len(hypothesis.position_array), len(reference.position_array)), 1

    def over(self, pairs: PackedPairs) -> Scores:
        """Count the positions with a boundary of all pairs."""
        return Scores.from_columns(self, (pairs.n_hypothesis, pairs.n_reference))

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return predicted over actual; 1 if both are 0, infinite if only the reference is."""
        predicted, actual = counts
        return predicted, actual, np.where(predicted == 0, 1.0, math.inf)


def ghd(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    insertion: float = 2.0,
    deletion: float = 2.0,
    shift: float = 1.0,
) -> Score:
    """Return generalized Hamming distance, GHD.

    GHD = least cost over sequences of insertions, deletions and shifts.

    Cost of inserting, deleting and shifting boundaries, per document.

    Source: Bookstein, Kulyukin & Raita (2002), Generalized Hamming distance.

    Parameters
    ----------
    insertion
        cost of a reference boundary that the hypothesis lacks
    deletion
        cost of a hypothesis boundary that the reference lacks
    shift
        cost of moving a boundary, per position

    >>> ghd("1100100000", "1100010000", insertion=1, deletion=1, shift=0.5)
    <GHD(insertion=1, deletion=1, shift=0.5) 0.5 = 0.5/1>
    """
    return GHD.of(insertion, deletion, shift)(reference, hypothesis)


def p_mu(reference: SegmentationLike, hypothesis: SegmentationLike, *, mu: float | None = None) -> Score:
    """Return P_μ, Pmu = Σ_{i≤j} γ exp(−μ (j−i)) [same segment in r] xnor [same segment in h].

    Chance that two units, mostly near ones, are rightly judged to share a segment.

    Source: Beeferman, Berger & Lafferty (1997), Text segmentation with exponential models.

    Parameters
    ----------
    mu
        inverse of the mean distance; auto: of the mean reference segment

    >>> p_mu([2, 3, 6], [2, 3, 6])
    <Pmu 1 = 1/1>
    """
    return Pmu.of(mu)(reference, hypothesis)


def break_distance(reference: SegmentationLike, hypothesis: SegmentationLike) -> Score:
    """Return break distance, BD = Σ_r min_h |r − h| / N; N for each r where nothing is predicted.

    Distances from true breaks to the nearest predicted ones, as shares of the text.

    Source: Brooke, Hammond & Hirst (2012), Unsupervised stylistic segmentation of poetry.

    >>> break_distance([2, 3, 5], [2, 2, 6])
    <BD 0.1 = 0.1/1>
    """
    return BD.of()(reference, hypothesis)


def density_ratio(reference: SegmentationLike, hypothesis: SegmentationLike) -> Score:
    """Return boundary density ratio, Density = B_hypothesis / B_reference.

    Predicted per reference boundaries: above 1 over-, below 1 under-segmented.

    Source: used with Pk and WindowDiff to tell over- from under-segmentation.

    >>> density_ratio([5, 6], [2, 3, 6])
    <Density 2 = 2/1>
    """
    return Density.of()(reference, hypothesis)

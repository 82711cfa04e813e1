"""Boundary precision, recall and F with a tolerance; purity and coverage of segments.

Boundaries are paired one to one, as many as possible within the tolerance, so that no boundary is credited
twice and no order of pairing costs a hit. Positions count once, whatever types stand there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from caesura import kernel
from caesura.alignment.packed import PackedPairs
from caesura.metrics.base import Metric, Score, Scores, Share, extent, sentences
from caesura.metrics.confusion import FMeasure, Precision, Recall
from caesura.values.segmentation import Segmentation, SegmentationLike, check_comparable


@dataclass(frozen=True, repr=False, kw_only=True)
class MatchingMetric(Metric):
    """What the boundary rates share."""

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
        """Match one pair."""
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
    """What purity and coverage share: units inside the best-overlapping segment of the other side."""

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
        """Sum the largest overlaps of one pair."""
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

"""Metrics of one hypothesis against all coders of a document: multWinDiff, and B weighted by prominence.

KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance and a new measure
of quality, NAACL. A position with several types counts once. Run time depends on the number of boundaries,
not of units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from caesura import kernel
from caesura.alignment.alignment import Edit, align_pair
from caesura.alignment.packed import PackedPairs, pair_name
from caesura.arrays import IntArray, Number, bincount, repeat
from caesura.declaration import sentences
from caesura.errors import ParameterError
from caesura.kernel import python as readable
from caesura.kernel.places import Marks, near_places, supporters
from caesura.kernel.python import PLAIN, window_runs
from caesura.metrics.base import Count, Counts, Quotient, Score, Scores, WindowSize, window_extent
from caesura.metrics.edit import EditSimilarity
from caesura.metrics.unit_sizes import UnitSizes
from caesura.metrics.window import Rounding, SizedMetric, Sizes, check_window, check_windows, window_size
from caesura.values.columns import Columns
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation, SegmentationLike, as_segmentation, check_comparable
from caesura.values.strings import offsets_of

MAX_SUM = 2**62
"""Greater sums over windows × references use Python integers, which cannot overflow."""

References: TypeAlias = SegmentationLike | Sequence[SegmentationLike] | Mapping[str, SegmentationLike]
"""One reference, a sequence of references, or references by coder as in ``corpus[document]``."""


def as_references(value: References) -> tuple[Segmentation, ...]:
    """Return all references; a flat sequence of whole numbers is the masses of one.

    >>> len(as_references([[2, 3], "0010"])), len(as_references([2, 3]))
    (2, 1)
    """
    if isinstance(value, Mapping):
        if not value:
            raise ParameterError("no reference given")
        return tuple(as_segmentation(reference) for reference in value.values())
    if isinstance(value, (Segmentation, Hierarchy, str)) or not len(value) or _is_number(value[0]):
        return (as_segmentation(value),)  # type: ignore[arg-type]
    return tuple(as_segmentation(reference) for reference in value)  # type: ignore[arg-type]


def _is_number(value: object) -> bool:
    return not isinstance(value, Segmentation) and not hasattr(value, "__len__")


@dataclass(frozen=True, repr=False, kw_only=True)
class MultWD(SizedMetric):
    """multWinDiff (KS12 eq. 7–10).

    A window of k positions slides over the hypothesis and all h references. Each reference whose number of
    boundaries in the window differs from the hypothesis's is an error. In each window the best guess is the
    most common number among the references, the worst the least common of 0 to k. The value is 0 for the
    errors of the best guesses, 1 for those of the worst, and 0 if both are equal. One reference gives
    WindowDiff.
    """

    name = "MultWD"
    title = "multWinDiff"
    also = ("mult_window_diff",)
    meaning = "WindowDiff against all coders, from 0 (best they allow) to 1 (worst)"
    formula = "(error − best) / (worst − best), shares of windows × references"
    citation = "Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance"
    biases = sentences("""
        - The value depends on the window's size, and half the mean segment may not suit several coders
          (Kazantseva & Szpakowicz 2012, §7).
        - It does not tell whether missed or spurious boundaries are to blame (Kazantseva & Szpakowicz
          2012, §7).
        - It has the faults of WindowDiff (Fournier 2013, thesis, §3.1): on Kazantseva & Szpakowicz's
          test chapters no boundaries at all score 0.20, better than the best segmenter of their Table
          2, 0.23 (measured by this project).
    """)
    direction = "lower"
    multi_reference = True
    count_names = ("error", "best", "worst", "comparisons")

    k: WindowSize = window_extent("window size; auto: half the mean segment of all references")

    def size(self, references: Sequence[Segmentation]) -> int:
        """Return the window size for these references of a document."""
        references = self.refine(*references)
        check_window(self, self.fixed, references[0].n_units)
        if self.fixed is not None:
            return self.fixed
        return window_size(*references, rounding=self.rounding, k_min=self.k_min)

    def counts(
        self, reference: Segmentation | Sequence[Segmentation], hypothesis: Segmentation
    ) -> tuple[tuple[Count, ...], int]:
        """Slide the window over the references and the hypothesis."""
        references = (reference,) if isinstance(reference, Segmentation) else reference
        for each in references:
            check_comparable(each, hypothesis)
        if self.unit_sizes is not None:
            hypothesis, *references = self.refine(hypothesis, *references)
            return self.of_units.counts(references, hypothesis)
        positions = [each.position_array for each in references]
        return _count(positions, hypothesis.position_array, hypothesis.n_units, self.size(references)), 1

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return the errors beyond the best guesses over those of the worst guesses."""
        error, best, worst, _ = counts
        return error - best, worst - best, 0.0

    def __call__(self, reference: References, hypothesis: SegmentationLike) -> Score:
        counts, scale = self.counts(as_references(reference), as_segmentation(hypothesis))
        return Score(self, counts, scale)

    def batch(self, references: Sequence[References], hypotheses: Sequence[SegmentationLike]) -> Scores:
        """Score many hypotheses, each against its own reference or references.

        >>> MultWD().batch([[[2, 3, 6], [2, 2, 7]], [5, 6]], [[2, 3, 6], [6, 5]]).values.round(4).tolist()
        [0.0, 0.25]
        """
        if len(references) != len(hypotheses):
            raise ParameterError(f"{len(references)} sets of references but {len(hypotheses)} hypotheses")
        runs = [as_references(several) for several in references]
        lengths = np.array([len(run) for run in runs], dtype=np.int64)
        pairs = PackedPairs(
            Columns.of([reference for run in runs for reference in run]),
            Columns.of([as_segmentation(hypothesis) for hypothesis in hypotheses]),
            np.arange(lengths.sum(), dtype=np.int64),
            repeat(np.arange(len(runs), dtype=np.int64), lengths),
        )
        return self.over_runs(pairs.checked(), offsets_of(lengths))

    def over(self, pairs: PackedPairs, unit_sizes: UnitSizes | None = None) -> Scores:
        """Compare all pairs, each with one reference."""
        return self.over_runs(pairs, np.arange(len(pairs) + 1, dtype=np.int64), pairs.name_of, unit_sizes)

    def over_runs(
        self,
        pairs: PackedPairs,
        runs: IntArray,
        name_of: Callable[[int], str] = pair_name,
        unit_sizes: UnitSizes | None = None,
    ) -> Scores:
        """Score many hypotheses, each against its run of references, in one kernel call.

        The pairs from ``runs[i]`` to ``runs[i + 1]``, at least one, have hypothesis i. Messages call it
        ``name_of(i)``.
        """
        metric, unit_sizes = self.sized(unit_sizes, len(pairs))
        if unit_sizes is not None:
            return replace(self.of_units.over_runs(unit_sizes.refined(pairs), runs, name_of), metric=metric)
        references, every = pairs.sides
        hypotheses, n_units = replace(every, coding=every.coding[runs[:-1]]), pairs.n_units[runs[:-1]]
        check_windows(self, self.fixed, n_units, name_of)
        n_references = np.diff(runs)
        fits = not (n_units.astype(np.float64) * n_references > MAX_SUM).any()
        units = n_units * n_references if fits else n_units.astype(object) * n_references
        n_segments = np.diff(offsets_of(pairs.n_reference + 1)[runs])
        k = self.sizes(units, n_segments, n_units)
        if fits:
            rows = kernel.active.mult_window_counts_many(references, runs, hypotheses, n_units, k)
            return Scores.from_columns(self, (*rows.T, n_references * (n_units - k)))
        several, sizes = list(references), zip(n_units.tolist(), k.tolist(), strict=True)
        each = zip(pairwise(runs.tolist()), hypotheses, sizes, strict=True)
        counts = [_count(several[start:end], hypothesis, *size) for (start, end), hypothesis, size in each]
        return Scores.from_rows(self, [(row, 1) for row in counts])


def _count(references: Sequence[IntArray], hypothesis: IntArray, n_units: int, k: int) -> tuple[int, ...]:
    """Return the counts of one hypothesis."""
    fits = len(references) * n_units <= MAX_SUM
    count = kernel.active.mult_window_counts if fits else readable.mult_window_counts
    return (*count(references, hypothesis, n_units, k), len(references) * (n_units - k))


class ErrorBounds(NamedTuple):
    """The share of windows × references in error, and its bounds."""

    error: float
    best: float
    worst: float

    @classmethod
    def of(cls, score: Score) -> ErrorBounds:
        """Return the bounds of a multWinDiff score, single or pooled; all 0 without windows."""
        *errors, comparisons = score.counts
        return cls(*(error / comparisons if comparisons else 0.0 for error in errors))


@dataclass(frozen=True)
class MultWindowDiff:
    """multWinDiff of a hypothesis with its error and bounds; it converts to float."""

    score: Score
    """The value with its counts; scores of several documents add up."""
    error: float
    """The share of windows × references that contradict the hypothesis (KS12 eq. 7)."""
    best: float
    """The least error of any guesses: the majority in every window (KS12 eq. 8)."""
    worst: float
    """The greatest error of any guesses (KS12 eq. 9)."""
    k: int
    n_references: int
    references: tuple[Segmentation, ...] = field(repr=False)
    """The references, in the units of the windows."""
    hypothesis: Segmentation = field(repr=False)
    """The hypothesis, in the units of the windows."""

    @cached_property
    def wrong_windows(self) -> tuple[int, int]:
        """The numbers of windows × references with too many and with too few boundaries."""
        too_many = too_few = 0
        own, n_units = self.hypothesis.position_array, self.hypothesis.n_units
        for reference in self.references:
            for _, n_windows, r, h in window_runs(reference.position_array, own, n_units, self.k, PLAIN):
                too_many += n_windows * (h > r)
                too_few += n_windows * (h < r)
        return too_many, too_few

    @property
    def false_positives(self) -> float:
        """The part of ``error`` in which the hypothesis has more boundaries than the reference."""
        return self.wrong_windows[0] / self.score.counts[-1] if self.score.counts[-1] else 0.0

    @property
    def false_negatives(self) -> float:
        """The part of ``error`` in which the hypothesis has fewer boundaries than the reference."""
        return self.wrong_windows[1] / self.score.counts[-1] if self.score.counts[-1] else 0.0

    @property
    def value(self) -> float:
        """(error − best) / (worst − best); 0 where worst = best."""
        return float(self.score)

    @property
    def signature(self) -> str:
        """The signature behind the value."""
        return self.score.signature

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        bounds = f"error {self.error:.6g} between {self.best:.6g} and {self.worst:.6g}"
        return f"<{self.score.metric} {self.value:.6g}: {bounds}, {self.n_references} references>"


def mult_window_diff(
    references: References,
    hypothesis: SegmentationLike,
    *,
    k: WindowSize = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
    unit_sizes: Sizes = None,
) -> MultWindowDiff:
    """Return multWinDiff: the hypothesis against all references of its document at once (KS12 eq. 7–10).

    error = Σ_a Σ_i [ref_a,i ≠ hyp_i] / (h (N − k)) over h references and N − k windows. best and worst are
    the same sum for the most and the least common number of boundaries in each window, of 0 .. k. value =
    (error − best) / (worst − best), or 0 if worst = best. The default k is half the mean segment length over
    all references, rounded, at least ``k_min`` and at most N − 1.

    Like WindowDiff it favors too few boundaries: on KS12's test chapters a hypothesis without boundaries
    scores 0.20, the best segmenter of their table 2 scores 0.23.

    Source: Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance.

    Parameters
    ----------
    k
        window size; auto: half the mean segment of all references
    rounding
        how half the mean is rounded
    k_min
        least window size when k is not given
    unit_sizes
        size of each unit in atoms such as words, over which windows run; auto: 1 each

    >>> result = mult_window_diff([[2, 3, 6], [2, 2, 7], [5, 6]], [2, 9], k=2)
    >>> result
    <MultWD(k=2) 0.173913: error 0.296296 between 0.148148 and 1, 3 references>
    >>> result.wrong_windows  # windows × references with too many and too few boundaries, of 9 × 3
    (2, 6)
    >>> float(mult_window_diff([2, 3, 6], [2, 2, 7]))  # one reference: WindowDiff
    0.2222222222222222
    """
    metric = MultWD.of(k, rounding, k_min, unit_sizes)
    several = as_references(references)
    score = metric(several, hypothesis)
    hypothesis, *refined = metric.refine(as_segmentation(hypothesis), *several)
    sides = tuple(refined), hypothesis
    return MultWindowDiff(score, *ErrorBounds.of(score), metric.size(several), len(several), *sides)


@dataclass(frozen=True, repr=False, kw_only=True)
class Bw(EditSimilarity):
    """Boundary similarity to the places that coders support, each weighted by its share of the coders.

    The places are those of ``prominence``: at least n_t apart, with the most support; for one coder, its
    boundaries. A boundary of the hypothesis without a place has weight 1. Types are ignored.
    """

    name = "Bw"
    title = "boundary similarity weighted by prominence"
    meaning = "boundary similarity in which each boundary is weighted by the share of coders who mark it"
    formula = "Σ w · correctness / Σ w"
    citation = "Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance"
    biases = ("A spurious boundary weighs as much as one that all coders mark.",)
    symmetric = False
    multi_reference = True

    def counts(
        self, reference: Segmentation | Sequence[Segmentation], hypothesis: Segmentation
    ) -> tuple[tuple[int, ...], int]:
        """Align the places of all references with the hypothesis."""
        references = (reference,) if isinstance(reference, Segmentation) else reference
        for each in references:
            check_comparable(each, hypothesis)
        places = self.places(references)
        target = Segmentation.over(hypothesis.n_units, np.array(sorted(places), dtype=np.int64))
        alignment = align_pair(target, hypothesis.without_types(), self.method, self.weights)
        paired: list[tuple[int, Edit | None]] = [(match.position, None) for match in alignment.matches]
        paired += [(near.reference_position, near) for near in alignment.transpositions]
        n = len(references)
        right = (places[at] * (1 - (alignment.weight(edit) if edit else 0)) for at, edit in paired)
        similar = sum(right, Fraction(0))
        compared = sum(places[position] for position, _ in paired)
        compared += sum(places[missed.position] for missed in alignment.missed) + n * len(alignment.spurious)
        scale = int(self.weights.of_distance(1)[1])  # of every near miss
        return (int(similar * scale), compared * scale), n * scale

    def places(self, references: Sequence[Segmentation]) -> dict[int, int]:
        """Return the places that the references support, and the number of references for each."""
        if len(references) == 1:  # its boundaries may be nearer than n_t
            return dict.fromkeys(references[0].positions, 1)
        positions = [each.position_array for each in references]
        coder = repeat(np.arange(len(references)), list(map(len, positions)))
        together = np.concatenate(positions)
        marks, _ = Marks.in_order(np.zeros_like(together), together, coder)
        n_coders = np.array([len(references)])
        n_units = np.array([references[0].n_units])
        places = near_places(marks, n_coders, n_units, self.n_t, Fraction(0), strict=True)
        support = bincount(supporters(marks, places, self.n_t).place, minlength=len(places.position))
        return dict(zip(places.position.tolist(), support.tolist(), strict=True))

    def __call__(self, reference: References, hypothesis: SegmentationLike) -> Score:
        self.check_units()
        counts, scale = self.counts(as_references(reference), as_segmentation(hypothesis))
        return Score(self, counts, scale)

    def batch(self, references: Sequence[References], hypotheses: Sequence[SegmentationLike]) -> Scores:
        """Score many hypotheses, each against its own reference or references."""
        scores = [self(several, each) for several, each in zip(references, hypotheses, strict=True)]
        return Scores.from_rows(self, [(tuple(map(int, score.counts)), score.scale) for score in scores])

    def over(self, pairs: PackedPairs) -> Scores:
        """Compare all pairs, each with one reference."""
        return self.over_runs(pairs, np.arange(len(pairs) + 1, dtype=np.int64))

    def over_runs(
        self, pairs: PackedPairs, runs: IntArray, name_of: Callable[[int], str] | None = None
    ) -> Scores:
        """Score many hypotheses, each against its run of references."""
        each = list(pairs)
        both = (zip(*each[start:end], strict=True) for start, end in pairwise(runs.tolist()))
        return Scores.from_rows(self, [self.counts(references, same[0]) for references, same in both])

"""Metrics that slide a window over both segmentations: Pk, Pk′, WindowDiff, WinPR, C_seg and Pr_error.

Window i covers positions i+1 .. i+k and holds r_i reference and h_i hypothesis boundaries. A position with
several types counts once. Run time depends on the number of boundaries, not of units.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np

from caesura import kernel
from caesura.alignment.packed import PackedPairs
from caesura.arrays import Counted, IntArray, Number
from caesura.checks import check_choice, check_whole
from caesura.declaration import choice, flag, number, parameter, sentences, whole
from caesura.errors import ParameterError
from caesura.kernel import python as readable
from caesura.kernel.python import PLAIN, window_runs
from caesura.metrics.base import Counts, Metric, Quotient, Score, Scores, Share, WindowSize, window_extent
from caesura.metrics.confusion import FMeasure, Precision, Recall
from caesura.metrics.unit_sizes import MAX_SHOWN, UnitSizes, check_sizes, refined
from caesura.values.columns import Columns
from caesura.values.segmentation import Segmentation, SegmentationLike, as_segmentation, check_comparable
from caesura.wording import counted

Edges: TypeAlias = Literal["plain", "padded", "wrap"]
Sizes: TypeAlias = tuple[int, ...] | str | None
"""Sizes of units in atoms, over which windows run; a description of many sizes; None: 1 each."""
Rounding: TypeAlias = Literal["half-even", "half-up", "half-down", "ceil", "floor"]

EDGES: dict[Edges, int] = {"plain": readable.PLAIN, "padded": readable.PADDED, "wrap": readable.WRAP}
ROUNDINGS: tuple[Rounding, ...] = ("half-even", "half-up", "half-down", "ceil", "floor")

MAX_NATIVE_UNITS = 2**40  # longer documents use the Python kernel, whose integers cannot overflow


SPARSE_BIAS = "It favors hypotheses with few or clumped boundaries (Niekrasz & Moore 2010)."
EDGE_BIAS = (
    "Errors within k units of the document's start or end weigh less; edges='padded' or 'wrap' fixes it "
    "(Lamprier et al. 2007)."
)


@runtime_checkable
class Coded(Protocol):
    """A corpus, of which windows need only the columns of codings."""

    @property
    def codings(self) -> Columns:
        """The boundaries of every coding."""


def window_size(
    *references: SegmentationLike | Coded, rounding: Rounding = "half-even", k_min: int = 2
) -> int:
    """Return half the mean segment length of the references, at least ``k_min``, at most N - 1.

    Several references, of a corpus or of many coders of a document, share one k. It is less than the length
    of the shortest document.

    >>> window_size([2, 3, 6])
    2
    >>> window_size([20, 30, 40], [45, 45])
    18
    >>> from caesura import load_stargazers
    >>> window_size(load_stargazers())
    2
    """
    if not references:
        raise ParameterError("window_size needs at least one reference")
    check_choice("rounding", rounding, ROUNDINGS)
    check_whole("k_min", k_min, 1)
    columns = [
        reference.codings if isinstance(reference, Coded) else Columns.of([as_segmentation(reference)])
        for reference in references
    ]
    n_units = np.concatenate([each.n_units for each in columns])
    if not len(n_units):
        raise ParameterError("window_size needs at least one reference: the corpus has no codings")
    n_segments = sum(int((each.n_positions + 1).sum()) for each in columns)
    half = half_mean_length(sum(n_units.tolist()), n_segments, rounding)
    return max(1, min(max(k_min, int(half)), int(n_units.min()) - 1))


def half_mean_length(n_units: Counted, n_segments: Counted, rounding: Rounding) -> Counted:
    """Round n_units / (2 × n_segments) exactly to a whole number; arrays work too."""
    whole, rest = n_units // (2 * n_segments), n_units % (2 * n_segments)
    if rounding == "floor":
        return whole
    if rounding == "ceil":
        return whole + (rest > 0)
    if rounding == "half-up":
        return whole + (rest >= n_segments)
    if rounding == "half-down":
        return whole + (rest > n_segments)
    return whole + (rest + whole % 2 > n_segments)  # a half goes up from odd numbers only


def check_window(metric: Metric, k: int | None, n_units: int, where: str = "") -> None:
    """Raise ParameterError for a k of the document's length or more, which leaves no window."""
    metric.check_units()
    if k is not None and k >= n_units:
        most = f"a k of at most {n_units - 1}, or " if n_units > 1 else ""
        fault = f"{where}{metric.name} with k={k} has no window in {counted(n_units, 'unit')}"
        raise ParameterError(f"{fault}: give {most}none, for half the mean segment")


def check_windows(
    metric: Metric, k: int | None, n_units: IntArray, name_of: Callable[[int], str] | None
) -> None:
    """Raise ParameterError for a k of the length of a pair's document or more, and name the pair."""
    metric.check_units()
    if k is not None and bool((n_units <= k).any()):
        pair = int(np.argmax(n_units <= k))
        check_window(metric, k, int(n_units[pair]), "" if name_of is None else f"{name_of(pair)}: ")


class WindowCounts(NamedTuple, Generic[Counted]):
    """The kernel's counts, window size and numbers of boundaries; arrays for many pairs."""

    windows: Counted
    disagree: Counted  # windows with (r > 0) ≠ (h > 0)
    false_alarms: Counted  # those of them with r = 0
    different: Counted  # windows with r ≠ h
    difference: Counted  # Σ |r − h|
    common: Counted  # Σ min(r, h)
    k: Counted
    n_reference: Counted
    n_hypothesis: Counted


@dataclass(frozen=True, repr=False, kw_only=True)
class SizedMetric(Metric):
    """Base of all window metrics: the window size.

    The default k is half the mean segment length of the reference, rounded, at least ``k_min`` and at most
    N - 1. ``k="document"`` takes the mean over all references of a document, ``k="corpus"`` over all of a
    corpus (``for_corpus`` fills it in). A given k must be less than N.
    """

    k: WindowSize = window_extent("window size; auto: half the mean reference segment")
    rounding: Rounding = choice("half-even", "how half the mean is rounded", ROUNDINGS)
    k_min: int = whole(2, "least window size when k is not given", minimum=1)
    unit_sizes: Sizes = parameter(
        None, "size of each unit in atoms such as words, over which windows run; auto: 1 each", check_sizes
    )

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters and their values; unit sizes, which may be long, come last."""
        parameters = {**super().parameters}
        sizes = parameters.pop("unit_sizes")
        return {**parameters, "unit_sizes": sizes}

    def __str__(self) -> str:
        """Return ``repr``, with a description of many unit sizes."""
        if not isinstance(self.unit_sizes, tuple) or len(self.unit_sizes) <= MAX_SHOWN:
            return repr(self)
        others = repr(self.of_units).removeprefix(self.name).strip("()")
        return f"{self.name}({others}{', ' if others else ''}unit_sizes=<{self.unit_sizes}>)"

    @cached_property
    def of_units(self) -> Self:
        """The metric whose windows run over units."""
        return replace(self, unit_sizes=None)

    def refine(self, *segmentations: Segmentation) -> tuple[Segmentation, ...]:
        """Return the segmentations that windows run over: of units, or of atoms by ``unit_sizes``."""
        sizes = self._given_sizes
        return segmentations if sizes is None else tuple(refined(each, sizes) for each in segmentations)

    @property
    def _given_sizes(self) -> tuple[int, ...] | None:
        if isinstance(self.unit_sizes, str):
            raise ParameterError(f"{self} only describes unit_sizes; give them with the documents")
        return self.unit_sizes

    def sized(self, unit_sizes: UnitSizes | None, n_pairs: int) -> tuple[Self, UnitSizes | None]:
        """Return the metric that describes these sizes, and the sizes; default: the metric's own sizes."""
        if unit_sizes is not None:
            metric = replace(self, unit_sizes=unit_sizes.description)
            if self.unit_sizes not in (None, metric.unit_sizes):
                raise ParameterError(f"{self} has other unit_sizes than those given: {metric.unit_sizes}")
            return metric, unit_sizes
        if self._given_sizes is None:
            return self, None
        sizes = np.array(self._given_sizes, dtype=np.int64)
        ends = np.array([0, len(sizes)], dtype=np.int64)
        return self, UnitSizes(sizes, ends, np.zeros(n_pairs, dtype=np.int64))

    @property
    def fixed(self) -> int | None:
        """The given size; None if it depends on references."""
        return None if isinstance(self.k, str) else self.k

    def for_corpus(self, references: Coded) -> Self:
        """Return the metric with the size for these references in place of "corpus"."""
        if self.k != "corpus":
            return self
        return replace(self, k=window_size(references, rounding=self.rounding, k_min=self.k_min))

    def check_units(self) -> None:
        """Raise ParameterError for durations and for the window of a corpus."""
        super().check_units()
        if self.k == "corpus":
            fault = f"{self.name}: k is 'corpus', which needs a corpus"
            raise ParameterError(f"{fault}: use evaluate() or compare(), or k=window_size(corpus)")

    def sizes(self, units: IntArray, n_segments: IntArray, n_units: IntArray) -> IntArray:
        """Return the window size for references with these units and segments, in documents of n_units."""
        k: IntArray | int | None = self.fixed
        if k is None:
            k = np.maximum(self.k_min, half_mean_length(units, n_segments, self.rounding))
        return np.maximum(1, np.minimum(k, n_units - 1)).astype(np.int64)


@dataclass(frozen=True, repr=False, kw_only=True)
class WindowMetric(SizedMetric):
    """Base of metrics that slide a window over a pair."""

    in_kernel = True
    """Whether ``combine`` uses the kernel's counts; otherwise ``windows_of_pair`` counts."""

    def edges_code(self) -> int:
        """Return the kernel's code for the treatment of the document's edges."""
        raise NotImplementedError

    def combine(self, counted: WindowCounts[Counted]) -> tuple[Counted, ...]:
        """Return the metric's counts from the kernel's."""
        raise NotImplementedError

    def size(self, reference: Segmentation) -> int:
        """Return the window size for this reference."""
        (reference,) = self.refine(reference)
        k = self.fixed
        check_window(self, k, reference.n_units)
        if k is None:
            n_segments = len(reference.position_array) + 1
            k = max(self.k_min, half_mean_length(reference.n_units, n_segments, self.rounding))
        return max(1, min(k, reference.n_units - 1))

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[int, ...], int]:
        """Slide the window over a pair."""
        check_comparable(reference, hypothesis)
        if self.unit_sizes is not None:
            return self.of_units.counts(*self.refine(reference, hypothesis))
        sides = reference.position_array, hypothesis.position_array
        return self.windows_of_pair(*sides, reference.n_units, self.size(reference)), 1

    def windows_of_pair(self, ref: IntArray, hyp: IntArray, n_units: int, k: int) -> tuple[int, ...]:
        """Return the metric's counts of one pair with windows of size k."""
        count = kernel.active.window_counts if n_units <= MAX_NATIVE_UNITS else readable.window_counts
        counted = count(ref, hyp, n_units, k, self.edges_code())
        return self.combine(WindowCounts._make((*counted, k, len(ref), len(hyp))))

    def over(self, pairs: PackedPairs, unit_sizes: UnitSizes | None = None) -> Scores:
        """Slide windows over all pairs in one kernel call, over atoms if ``unit_sizes`` are given."""
        metric, unit_sizes = self.sized(unit_sizes, len(pairs))
        if unit_sizes is not None:
            return replace(self.of_units.over(unit_sizes.refined(pairs)), metric=metric)
        check_windows(self, self.fixed, pairs.n_units, pairs.name_of)
        units, n_segments = pairs.n_units, pairs.n_reference + 1
        if self.k == "document":
            units, n_segments = _of_documents(pairs, units), _of_documents(pairs, n_segments)
        k = self.sizes(units, n_segments, pairs.n_units)
        if not self.in_kernel or (pairs.n_units > MAX_NATIVE_UNITS).any():
            sides = zip(*pairs.sides, pairs.n_units.tolist(), k.tolist(), strict=True)
            return Scores.from_rows(self, [(self.windows_of_pair(*side), 1) for side in sides])
        rows = pairs.window_counts(k, self.edges_code())
        columns = *rows.T, k, pairs.n_reference, pairs.n_hypothesis
        counted: WindowCounts[IntArray] = WindowCounts._make(columns)
        return Scores.from_columns(self, self.combine(counted))


def _of_documents(pairs: PackedPairs, of_reference: IntArray) -> IntArray:
    """Return for each pair the sum of a number over all references of its document."""
    if pairs.documents is None:
        return of_reference
    _, once = np.unique(pairs.first, return_index=True)
    document = pairs.documents.of_reference[pairs.first]
    sums = np.zeros(int(document.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sums, document[once], of_reference[once])
    return sums[document]


@dataclass(frozen=True, repr=False, kw_only=True)
class WindowError(Share, WindowMetric):
    """A share of windows in error; 0 without windows."""

    count_names = ("errors", "windows")
    direction = "lower"

    edges: Edges = choice("plain", "windows at the document's edges", tuple(EDGES))

    def edges_code(self) -> int:
        """Return the code of the parameter ``edges``."""
        return EDGES[self.edges]


class Pk(WindowError):
    """Pk."""

    name = "Pk"
    title = "Pk"
    meaning = "chance that two units k apart are wrongly judged to share a segment or not"
    formula = "share of windows with (r > 0) ≠ (h > 0)"
    citation = "Beeferman, Berger & Lafferty (1999), Statistical models for text segmentation"
    biases = (
        *sentences("""
        - A missed boundary costs about twice as much as a spurious one (Pevzner & Hearst 2002, §2.1).
        - Several boundaries in one window count as one, so errors in short segments go unseen (Pevzner
          & Hearst 2002, §2.2).
        - The more segment sizes vary, the more lenient it is (Pevzner & Hearst 2002, §2.3).
        - A near miss costs more than a spurious boundary as near to a true one (Pevzner & Hearst 2002,
          §2.4).
    """),
        SPARSE_BIAS,
        EDGE_BIAS,
    )

    def combine(self, counted: WindowCounts[Counted]) -> tuple[Counted, ...]:
        """Return the windows that disagree."""
        return counted.disagree, counted.windows


def pk(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    k: WindowSize = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
    unit_sizes: Sizes = None,
    edges: Edges = "plain",
) -> Score:
    """Return Pk = share of windows with (r > 0) ≠ (h > 0).

    Chance that two units k apart are wrongly judged to share a segment or not.

    Source: Beeferman, Berger & Lafferty (1999), Statistical models for text segmentation.

    Parameters
    ----------
    k
        window size; auto: half the mean reference segment
    rounding
        how half the mean is rounded
    k_min
        least window size when k is not given
    unit_sizes
        size of each unit in atoms such as words, over which windows run; auto: 1 each
    edges
        windows at the document's edges

    >>> pk([2, 3, 6], [2, 2, 7])
    <Pk 0.222222 = 2/9>
    """
    return Pk.of(k, rounding, k_min, unit_sizes, edges)(reference, hypothesis)


class PkPrime(WindowError):
    """Pk′."""

    name = "PkPrime"
    title = "Pk′"
    meaning = "Pk with false alarms counted twice"
    formula = "Pk + share of windows with r = 0 and h > 0"
    citation = "Pevzner & Hearst (2002), A critique and improvement of an evaluation metric"
    biases = (
        *sentences("""
        - Doubling false alarms balances them with misses on average only; the other faults of Pk remain
          (Pevzner & Hearst 2002, §5).
        - Near misses cost even more than with Pk, since they hold a false alarm (Pevzner & Hearst 2002,
          §4.3).
    """),
        EDGE_BIAS,
    )
    high: ClassVar[float] = 2.0

    def combine(self, counted: WindowCounts[Counted]) -> tuple[Counted, ...]:
        """Return the windows that disagree, with false alarms counted twice."""
        return counted.disagree + counted.false_alarms, counted.windows


def pk_prime(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    k: WindowSize = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
    unit_sizes: Sizes = None,
    edges: Edges = "plain",
) -> Score:
    """Return Pk′, PkPrime = Pk + share of windows with r = 0 and h > 0.

    Pk with false alarms counted twice.

    Source: Pevzner & Hearst (2002), A critique and improvement of an evaluation metric.

    Parameters
    ----------
    k
        window size; auto: half the mean reference segment
    rounding
        how half the mean is rounded
    k_min
        least window size when k is not given
    unit_sizes
        size of each unit in atoms such as words, over which windows run; auto: 1 each
    edges
        windows at the document's edges

    >>> pk_prime([5, 6], [2, 3, 6], k=2)
    <PkPrime(k=2) 0.444444 = 4/9>
    """
    return PkPrime.of(k, rounding, k_min, unit_sizes, edges)(reference, hypothesis)


@dataclass(frozen=True, repr=False, kw_only=True)
class WD(WindowError):
    """WindowDiff."""

    name = "WD"
    title = "WindowDiff"
    meaning = "share of windows in which the numbers of boundaries differ"
    formula = "share of windows with r ≠ h; weighted: mean of |r − h|"
    citation = "Pevzner & Hearst (2002), A critique and improvement of an evaluation metric"
    biases = (
        SPARSE_BIAS,
        *sentences("""
        - With typical references all boundaries score near 1 and no boundaries below 0.5, though both
          know nothing (Carroll 2010, §3.2).
        - In short segments a near miss costs as much as a full miss (Fournier 2013, ACL, §4).
        - A spurious boundary costs the same however close to a true one it is (Pevzner & Hearst 2002,
          §5).
        - It varies with segment sizes and, since k is rounded, with the document's length (Fournier
          2013, thesis, §5.1.1.8–9).
        - k comes from the reference, so exchanging the two sides changes the value (Fournier 2013,
          thesis, §3.1).
    """),
        EDGE_BIAS,
    )

    weighted: bool = flag(False, "count how much the numbers differ, not only that they do")

    @property
    def high(self) -> float:
        """1; weighted k, because a window may hold k more boundaries on one side."""
        if not self.weighted:
            return 1.0
        return math.inf if self.fixed is None else float(self.fixed)

    def combine(self, counted: WindowCounts[Counted]) -> tuple[Counted, ...]:
        """Return the windows that differ, or their differences."""
        return (counted.difference if self.weighted else counted.different), counted.windows


def window_diff(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    k: WindowSize = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
    unit_sizes: Sizes = None,
    edges: Edges = "plain",
    weighted: bool = False,
) -> Score:
    """Return WindowDiff, WD = share of windows with r ≠ h; weighted: mean of |r − h|.

    Share of windows in which the numbers of boundaries differ.

    ``edges``: "plain" has N - k windows inside the document; "padded" (Lamprier et al. 2007) puts k phantom
    units at both ends, N + k windows; "wrap" (Carroll 2010) lets the start follow the end, N windows.

    Source: Pevzner & Hearst (2002), A critique and improvement of an evaluation metric.

    Parameters
    ----------
    k
        window size; auto: half the mean reference segment
    rounding
        how half the mean is rounded
    k_min
        least window size when k is not given
    unit_sizes
        size of each unit in atoms such as words, over which windows run; auto: 1 each
    edges
        windows at the document's edges
    weighted
        count how much the numbers differ, not only that they do

    >>> window_diff([2, 3, 6], [2, 2, 7])
    <WD 0.222222 = 2/9>
    """
    return WD.of(k, rounding, k_min, unit_sizes, edges, weighted)(reference, hypothesis)


class WinPR(WindowMetric):
    """Hits, false alarms and misses summed over padded windows; each boundary is in k of them."""

    count_names = ("tp", "fp", "fn")
    citation = "Scaiano & Inkpen (2012), Getting more from segmentation evaluation, NAACL"
    biases = sentences("""
        - It counts by windows as WindowDiff does, so the value depends on k and inherits some of its
          faults (Fournier 2013, thesis, §4.1.3).
        - It knows one type of boundary only (Fournier 2013, thesis, §4.1.3).
    """)

    def edges_code(self) -> int:
        """Return padded, so that edges count as much as the middle."""
        return EDGES["padded"]

    def combine(self, counted: WindowCounts[Counted]) -> tuple[Counted, ...]:
        """Return TP = Σ min(r, h), FP = Σ max(0, h − r), FN = Σ max(0, r − h)."""
        tp, k = counted.common, counted.k
        return tp, k * counted.n_hypothesis - tp, k * counted.n_reference - tp


class WinP(Precision, WinPR):
    """WinPR precision."""

    name = "WinP"
    title = "WinPR precision"
    also = ("win_precision",)
    meaning = "precision over windows: near misses are hits in the windows they share"
    formula = "Σ min(r, h) / Σ h"


class WinR(Recall, WinPR):
    """WinPR recall."""

    name = "WinR"
    title = "WinPR recall"
    also = ("win_recall",)
    meaning = "recall over windows: near misses are hits in the windows they share"
    formula = "Σ min(r, h) / Σ r"


@dataclass(frozen=True, repr=False, kw_only=True)
class WinF(FMeasure, WinPR):
    """WinPR F."""

    name = "WinF"
    title = "WinPR F"
    also = ("win_pr",)
    meaning = "weighted harmonic mean of WinPR precision and recall"


@dataclass(frozen=True)
class WinPRScores:
    """Precision, recall and F of one pair over windows, with their counts."""

    precision: Score
    recall: Score
    f: Score
    tp: int
    fp: int
    fn: int
    tn: int
    k: int


def win_pr(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    k: WindowSize = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
    unit_sizes: Sizes = None,
    beta: float = 1.0,
) -> WinPRScores:
    """Return WinPR: precision, recall and F over windows, with edges padded.

    TP = Σ min(r, h), FP = Σ max(0, h − r), FN = Σ max(0, r − h), TN = the other k × (N − 1) places.

    Source: Scaiano & Inkpen (2012), Getting more from segmentation evaluation, NAACL.

    Parameters
    ----------
    k
        window size; auto: half the mean reference segment
    rounding
        how half the mean is rounded
    k_min
        least window size when k is not given
    unit_sizes
        size of each unit in atoms such as words, over which windows run; auto: 1 each
    beta
        weight of recall against precision

    >>> result = win_pr([2, 3, 6], [2, 2, 7])
    >>> float(result.precision), float(result.recall), result.tn
    (0.75, 0.75, 15)
    """
    windows = k, rounding, k_min, unit_sizes
    metric = WinF.of(*windows, beta)
    ref, hyp = as_segmentation(reference), as_segmentation(hypothesis)
    counts, _ = metric.counts(ref, hyp)
    tp, fp, fn = counts
    k = metric.size(ref)
    rates = WinP.of(*windows), WinR.of(*windows), metric
    precision, recall, f = (Score(each, counts) for each in rates)
    tn = k * (metric.refine(ref)[0].n_units - 1) - tp - fp - fn
    return WinPRScores(precision, recall, f, tp, fp, fn, tn, k)


class WindowRates(WindowMetric):
    """A weighted mean of the rates of misses and of false alarms; a rate without windows is 0."""

    count_names = ("missed", "can_be_missed", "false_alarms", "can_be_false")
    direction = "lower"
    in_kernel = False

    miss_weight: float

    def edges_code(self) -> int:
        """Return plain, as published: no window reaches over an edge."""
        return PLAIN

    def windows_of_pair(self, ref: IntArray, hyp: IntArray, n_units: int, k: int) -> tuple[int, ...]:
        """Count windows by their numbers of boundaries."""
        totals = [0] * len(self.count_names)
        for _, n_windows, r, h in window_runs(ref, hyp, n_units, k, self.edges_code()):
            for index, is_counted in enumerate(self.rates(r, h)):
                totals[index] += n_windows * is_counted
        return tuple(totals)

    def rates(self, r: int, h: int) -> tuple[bool, bool, bool, bool]:
        """Return whether a window counts as each of ``count_names``."""
        raise NotImplementedError

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return the weighted mean; a common denominator could overflow."""
        missed, can_be_missed, false_alarms, can_be_false = counts
        of_misses, of_alarms = can_be_missed + (can_be_missed == 0), can_be_false + (can_be_false == 0)
        misses, alarms = missed / of_misses, false_alarms / of_alarms
        return self.miss_weight * misses + (1 - self.miss_weight) * alarms, of_misses / of_misses, 0.0


@dataclass(frozen=True, repr=False, kw_only=True)
class Cseg(WindowRates):
    """C_seg of the evaluations of topic detection and tracking, with costs of 1."""

    name = "Cseg"
    title = "TDT segmentation cost C_seg"
    also = ("C_seg",)
    meaning = "weighted chances that a window's boundary is missed, and that one is invented"
    formula = "w P(h = 0 | r > 0) + (1 − w) P(h > 0 | r = 0)"
    citation = "Doddington (1998), The topic detection and tracking phase 2 evaluation plan"
    biases = sentences("""
        - Several boundaries in one window count as one, as for Pk (by its definition).
        - No boundaries at all cost w, 0.3 by default, boundaries everywhere 1 − w (by its definition).
    """)

    miss_weight: float = number(0.3, "w, the weight of misses; of false alarms 1 − w", maximum=1.0)

    def rates(self, r: int, h: int) -> tuple[bool, bool, bool, bool]:
        """Compare boundary or no boundary."""
        return r > 0 and not h, r > 0, h > 0 and not r, not r


@dataclass(frozen=True, repr=False, kw_only=True)
class PrError(WindowRates):
    """Pr_error of Georgescul et al.: WindowDiff's errors as misses and false alarms."""

    name = "PrError"
    title = "Pr_error"
    also = ("Pr_error",)
    meaning = "weighted shares of windows with too few and with too many boundaries"
    formula = "w · windows with r > h / windows with r > 0 + (1 − w) · share of those with r < h"
    citation = (
        "Georgescul, Clark & Armstrong (2006), An analysis of quantitative aspects in the evaluation of "
        "thematic segmentation algorithms"
    )
    biases = sentences("""
        - It counts by windows as WindowDiff does, so the value depends on k and errors at the edges weigh
          less (Fournier 2013, thesis, §3.1.2).
        - No boundaries at all cost w, 0.5 by default (by its definition).
    """)

    miss_weight: float = number(0.5, "w, the weight of misses; of false alarms 1 − w", maximum=1.0)

    def rates(self, r: int, h: int) -> tuple[bool, bool, bool, bool]:
        """Compare the numbers of boundaries."""
        return r > h, r > 0, r < h, True

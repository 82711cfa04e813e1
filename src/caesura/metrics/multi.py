"""multWinDiff: WindowDiff of one hypothesis against all coders of a document at once.

KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance and a new measure
of quality, NAACL. Positions count once, whatever types stand there. Cost grows with the boundaries of all
coders, not with the units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias

from caesura.arrays import IntArray, Number
from caesura.errors import ParameterError
from caesura.metrics.base import (
    Count,
    Counts,
    Direction,
    Metric,
    Quotient,
    Score,
    Scores,
    choice,
    optional_whole,
    whole,
)
from caesura.metrics.window import ROUNDINGS, Rounding, window_size
from caesura.values.segmentation import Segmentation, SegmentationLike, as_segmentation, check_comparable

References: TypeAlias = SegmentationLike | Sequence[SegmentationLike] | Mapping[str, SegmentationLike]
"""One reference, several in a sequence, or several by coder as ``corpus[document]`` gives them."""


def as_references(value: References) -> tuple[Segmentation, ...]:
    """Return all references; a flat sequence of whole numbers is the masses of a single one.

    >>> len(as_references([[2, 3], "0010"])), len(as_references([2, 3]))
    (2, 1)
    """
    if isinstance(value, Mapping):
        if not value:
            raise ParameterError("there is no reference: give at least one")
        return tuple(as_segmentation(reference) for reference in value.values())
    if isinstance(value, (Segmentation, str)) or not len(value) or _is_number(value[0]):
        return (as_segmentation(value),)  # type: ignore[arg-type]
    return tuple(as_segmentation(reference) for reference in value)  # type: ignore[arg-type]


def _is_number(value: object) -> bool:
    return not isinstance(value, Segmentation) and not hasattr(value, "__len__")


@dataclass(frozen=True, repr=False)
class MultWD(Metric):
    """multWinDiff (KS12 eq. 7–10).

    A window of k positions slides over the hypothesis and all h references; each reference whose number of
    boundaries in it differs from the hypothesis's is an error. In each window the best guess is the most
    popular number among the references, the worst is the least popular of the possible numbers 0 to k. The
    value is where the errors lie between the errors of the best and of the worst guesses; 0 where these are
    equal. A hypothesis that guesses the majority in every window scores 0; one reference gives WindowDiff.
    """

    name: ClassVar[str] = "MultWD"
    title: ClassVar[str] = "multWinDiff"
    meaning: ClassVar[str] = "WindowDiff against all coders, from 0 (best they allow) to 1 (worst)"
    formula: ClassVar[str] = "(error − best) / (worst − best), shares of windows × references"
    citation: ClassVar[str] = (
        "Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance"
    )
    biases: ClassVar[tuple[str, ...]] = (
        (
            "The value depends on the window's size, and half the mean segment may not suit several coders "
            "(Kazantseva & Szpakowicz 2012, §7)."
        ),
        (
            "It does not tell whether missed or spurious boundaries are to blame (Kazantseva & Szpakowicz "
            "2012, §7)."
        ),
        (
            "It has the faults of WindowDiff (Fournier 2013, thesis, §3.1): on Kazantseva & Szpakowicz's "
            "test chapters no boundaries at all score 0.20, better than the best segmenter of their Table "
            "2, 0.23 (measured by this project)."
        ),
    )
    direction: ClassVar[Direction] = "lower"
    multi_reference: ClassVar[bool] = True
    count_names: ClassVar[tuple[str, ...]] = ("error", "best", "worst", "comparisons")

    k: int | None = optional_whole("window size; auto: half the mean segment of all references", minimum=1)
    rounding: Rounding = choice("half-even", "how half the mean is rounded", ROUNDINGS)
    k_min: int = whole(2, "least window size when k is not given", minimum=1)

    def size(self, references: Sequence[Segmentation]) -> int:
        """The window's size for these references of one document."""
        if self.k is None:
            return window_size(*references, rounding=self.rounding, k_min=self.k_min)
        return max(1, min(self.k, references[0].n_units - 1))

    def counts(
        self, reference: Segmentation | Sequence[Segmentation], hypothesis: Segmentation
    ) -> tuple[tuple[Count, ...], int]:
        """Slide the window over the references and the hypothesis."""
        references = (reference,) if isinstance(reference, Segmentation) else reference
        for one in references:
            check_comparable(one, hypothesis)
        n_units, k = hypothesis.n_units, self.size(references)
        positions = [one.position_array for one in references]
        error, best, worst = _sweep(positions, hypothesis.position_array, n_units, k)
        return (error, best, worst, len(references) * (n_units - k)), 1

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """How far from the best guesses, as a share of the way to the worst."""
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
        rows = [
            self.counts(as_references(reference), as_segmentation(hypothesis))
            for reference, hypothesis in zip(references, hypotheses, strict=True)
        ]
        return Scores.from_rows(self, rows)


def _sweep(
    references: Sequence[IntArray], hypothesis: IntArray, n_units: int, k: int
) -> tuple[int, int, int]:
    """Return the errors of the hypothesis, the best and the worst guesses, summed over references × windows.

    Between two events, a boundary of anyone entering or leaving the window, nothing changes. ``support``
    says how many references have a number of boundaries; ``n_with[s]`` how many of the possible numbers
    0 .. k have the support s, so the greatest and the least support move by one step at most per event.
    """
    n_references, n_windows = len(references), n_units - k
    # A boundary at p is inside windows p-k .. p-1. Leaving sorts before entering: no count passes k.
    events = [
        event
        for coder, positions in enumerate([*references, hypothesis])
        for p in positions.tolist()
        for event in ((p - k, 1, coder), (p, -1, coder))
    ]
    events.sort()
    events.append((n_windows, 0, n_references))
    inside = [0] * (n_references + 1)
    support = {0: n_references}
    n_with = [k] + [0] * n_references
    n_with[n_references] = 1
    most, least = n_references, 0
    error = best = worst = window = 0
    for start, change, coder in events:
        run = min(start, n_windows) - window
        if run > 0:
            window += run
            error += run * (n_references - support.get(inside[n_references], 0))
            best += run * (n_references - most)
            worst += run * (n_references - least)
        before = inside[coder]
        after = inside[coder] = before + change
        if coder == n_references:
            continue
        left, joined = support[before], support.get(after, 0)
        support[before], support[after] = left - 1, joined + 1
        n_with[left] -= 1
        n_with[left - 1] += 1
        n_with[joined] -= 1
        n_with[joined + 1] += 1
        most, least = max(most, joined + 1), min(least, left - 1)
        while not n_with[most]:
            most -= 1
        while not n_with[least]:
            least += 1
    return error, best, worst


class ErrorBounds(NamedTuple):
    """The share of windows × references in error, and between what it could lie."""

    error: float
    best: float
    worst: float

    @classmethod
    def of(cls, score: Score) -> ErrorBounds:
        """Return those of a multWinDiff score, of one document or pooled; all 0 where there is no window."""
        *errors, comparisons = score.counts
        return cls(*(error / comparisons if comparisons else 0.0 for error in errors))


@dataclass(frozen=True)
class MultWindowDiff:
    """multWinDiff of one hypothesis, with the errors it lies between; it converts to float."""

    score: Score
    """The value with its counts; scores of several documents add up."""
    k: int
    n_references: int

    @property
    def value(self) -> float:
        """(error − best) / (worst − best); 0 where worst = best."""
        return float(self.score)

    @property
    def error(self) -> float:
        """Share of windows × references that contradict the hypothesis (KS12 eq. 7)."""
        return ErrorBounds.of(self.score).error

    @property
    def best(self) -> float:
        """The least error that any guesses could have: the majority in every window (KS12 eq. 8)."""
        return ErrorBounds.of(self.score).best

    @property
    def worst(self) -> float:
        """The greatest error that any guesses could have (KS12 eq. 9)."""
        return ErrorBounds.of(self.score).worst

    @property
    def signature(self) -> str:
        """The recipe behind the value."""
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
    k: int | None = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
) -> MultWindowDiff:
    """Return multWinDiff: the hypothesis against all references of its document at once (KS12 eq. 7–10).

    error = Σ_a Σ_i [ref_a,i ≠ hyp_i] / (h (N − k)) over h references and N − k windows; best and worst are
    the same sum for the most popular number of boundaries in each window and for the least popular of the
    possible numbers 0 .. k; value = (error − best) / (worst − best), 0 where worst = best. The default k is
    half the mean segment length over all references, rounded, at least ``k_min``, at most N − 1.

    Like WindowDiff it forgives too few boundaries more than too many: on KS12's own test chapters a
    hypothesis without any boundary has 0.20, the best of the segmenters in their table 2 has 0.23.

    >>> result = mult_window_diff([[2, 3, 6], [2, 2, 7], [5, 6]], [2, 9], k=2)
    >>> result
    <MultWD(k=2) 0.173913: error 0.296296 between 0.148148 and 1, 3 references>
    >>> float(mult_window_diff([2, 3, 6], [2, 2, 7]))  # one reference: WindowDiff
    0.2222222222222222
    """
    metric = MultWD(k, rounding, k_min)
    several = as_references(references)
    score = metric(several, hypothesis)
    return MultWindowDiff(score, metric.size(several), len(several))

"""The confusion matrix of boundary edit distance, with B-precision, B-recall and B-F.

Rows are predicted types, columns actual types; both include "none". A match adds 1 at (t, t), a near miss its
correctness; a full miss adds 1 at (none, t) or (t, none). F13t's eq. 4.37 adds the weight of a near miss
instead; the two agree only at n_t = 2, and Table 5.8 uses the correctness.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeAlias

from caesura.alignment.alignment import align_pair
from caesura.alignment.counts import EditCounts
from caesura.alignment.weights import LeastWeight, Method, Substitutions, Transpositions
from caesura.arrays import Counted, Number
from caesura.checks import N_T, check_choice, check_number
from caesura.declaration import flag, number, sentences
from caesura.metrics.base import Counts, Metric, Quotient
from caesura.metrics.edit import F13T, EditMetric
from caesura.values.segmentation import PLAIN_TYPE, SegmentationLike, as_segmentation

Average: TypeAlias = Literal["micro", "macro"]

Cell: TypeAlias = tuple[int | None, int | None]  # a predicted and an actual type; None: no boundary

AVERAGES = ("micro", "macro")

MAX_BETA = 1000.0  # counts times its square must fit 64-bit integers


@dataclass(frozen=True)
class ConfusionMatrix:
    """Counts of (predicted type, actual type); None is "no boundary". Add matrices with ``+``.

    >>> matrix = confusion_matrix([2, 3, 6], [2, 2, 7])
    >>> matrix.tp, matrix.fp, matrix.fn, matrix.tn
    (1.5, 0, 0, 8.5)
    """

    cells: dict[Cell, Fraction]
    types: tuple[int, ...]
    n_positions: int

    def __getitem__(self, cell: Cell) -> float:
        """Return the count at (predicted, actual)."""
        return _number(self.cells.get(cell, Fraction(0)))

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        cells = _summed([*self.cells.items(), *other.cells.items()])
        types = tuple(sorted({*self.types, *other.types}))
        return ConfusionMatrix(cells, types, self.n_positions + other.n_positions)

    def __radd__(self, other: object) -> ConfusionMatrix:
        return self if other == 0 else NotImplemented

    def by_type(self) -> dict[int, ConfusionMatrix]:
        """Return a matrix for each type against everything else."""
        parts = {}
        for kind in self.types:
            counts = [
                ((kind if predicted == kind else None, kind if actual == kind else None), count)
                for (predicted, actual), count in self.cells.items()
                if kind in (predicted, actual)
            ]
            parts[kind] = ConfusionMatrix(_summed(counts), (kind,), self.n_positions)
        return parts

    @property
    def tp(self) -> float:
        """True positives: predictions of the right type; near misses count in part."""
        return _number(self._tp)

    @property
    def fp(self) -> float:
        """False positives: predictions without a boundary of their type."""
        return _number(self._wrong(0))

    @property
    def fn(self) -> float:
        """False negatives: boundaries without a prediction of their type."""
        return _number(self._wrong(1))

    @property
    def tn(self) -> float:
        """True negatives: the remaining types × positions."""
        return _number(len(self.types) * self.n_positions - self._tp - self._wrong(0) - self._wrong(1))

    @property
    def _tp(self) -> Fraction:
        return sum((self.cells.get((t, t), Fraction(0)) for t in self.types), Fraction(0))

    def _wrong(self, side: int) -> Fraction:
        """Return the boundaries of the predicted (0) or actual (1) side that the opposite side lacks."""
        wrong = (n for cell, n in self.cells.items() if cell[side] not in (None, cell[1 - side]))
        return sum(wrong, Fraction(0))

    def precision(self, average: Average = "micro") -> float:
        """Return TP / (TP + FP); without predictions 1 if the reference is also empty, else 0."""
        return self._averaged(average, BP().fraction)

    def recall(self, average: Average = "micro") -> float:
        """Return TP / (TP + FN); with an empty reference 1 without predictions, else 0."""
        return self._averaged(average, BR().fraction)

    def f(self, beta: float = 1.0, average: Average = "micro") -> float:
        """Return the weighted harmonic mean of precision and recall; beta > 1 favors recall."""
        check_number("beta", beta, 0.0, MAX_BETA, exclusive=True)
        return self._averaged(average, lambda counts: f_fraction(counts, beta))

    @property
    def fallout(self) -> float:
        """FP / (FP + TN): the share of non-boundaries predicted (F13t, eq. 2.2); 0 without any."""
        return self.fp / (self.fp + self.tn) if self.fp + self.tn else 0.0

    @property
    def error_rate(self) -> float:
        """(FP + FN) / (TP + TN + FP + FN) (F13t, eq. 2.4); 0 without positions."""
        slots = len(self.types) * self.n_positions
        return (self.fp + self.fn) / slots if slots else 0.0

    def _averaged(
        self, average: Average, fraction: Callable[[tuple[int, int, int]], Quotient[float]]
    ) -> float:
        check_choice("average", average, AVERAGES)
        matrices = self.by_type().values() if average == "macro" else [self]
        values = []
        for matrix in matrices:
            tp, fp, fn = matrix._tp, matrix._wrong(0), matrix._wrong(1)
            scale = math.lcm(tp.denominator, fp.denominator, fn.denominator)
            numerator, denominator, empty = fraction((int(tp * scale), int(fp * scale), int(fn * scale)))
            values.append(float(numerator / denominator if denominator else empty))
        return sum(values) / len(values)

    def to_dict(self) -> dict[str, Any]:
        """Return the totals and rates, overall and by type."""
        result: dict[str, Any] = {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}
        result |= {"precision": self.precision(), "recall": self.recall(), "f1": self.f()}
        result |= {"fallout": self.fallout, "error_rate": self.error_rate}
        if len(self.types) > 1:
            result["types"] = {kind: matrix.to_dict() for kind, matrix in self.by_type().items()}
        return result

    def __str__(self) -> str:
        labels: list[int | None] = [*self.types, None]
        header = ["predicted \\ actual", *("none" if t is None else str(t) for t in labels)]
        lines = [header]
        for predicted in labels:
            cells = [f"{self[predicted, actual]:g}" for actual in labels]
            if predicted is None:
                cells[-1] = f"{self.tn:g}" if len(self.types) == 1 else "·"
            lines.append(["none" if predicted is None else str(predicted), *cells])
        widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
        padded = ([cell.rjust(w) for cell, w in zip(line, widths, strict=True)] for line in lines)
        return "\n".join(map("  ".join, padded))


def _summed(counts: Iterable[tuple[Cell, Fraction]]) -> dict[Cell, Fraction]:
    """Return the sum of the counts of each cell."""
    cells: dict[Cell, Fraction] = {}
    for cell, count in counts:
        cells[cell] = cells.get(cell, Fraction(0)) + count
    return cells


def _number(value: Fraction) -> float:
    return int(value) if value.denominator == 1 else float(value)


def f_fraction(counts: Counts[Number], beta: float) -> Quotient[Number]:
    """Return (1 + β²) TP / ((1 + β²) TP + β² FN + FP); 1 without boundaries on both sides."""
    tp, fp, fn = counts
    square = beta * beta
    if square == int(square):
        square = int(square)
    hits = tp * (1 + square)
    return hits, hits + fn * square + fp, 1.0


class Precision(Metric):
    """Hits among predictions."""

    formula = "TP / (TP + FP)"

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return TP over predictions; without predictions 1 if the reference is empty, else 0."""
        tp, fp, fn = counts
        return tp, tp + fp, fn == 0


class Recall(Metric):
    """Hits among reference boundaries."""

    formula = "TP / (TP + FN)"

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return TP over reference boundaries; without these 1 if there are no predictions, else 0."""
        tp, fp, fn = counts
        return tp, tp + fn, fp == 0


@dataclass(frozen=True, repr=False, kw_only=True)
class FMeasure(Metric):
    """The weighted harmonic mean of precision and recall."""

    formula = "(1 + β²) TP / ((1 + β²) TP + β² FN + FP)"

    beta: float = number(1.0, "weight of recall against precision", maximum=MAX_BETA, exclusive=True)

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return the harmonic mean."""
        return f_fraction(counts, self.beta)


@dataclass(frozen=True, repr=False, kw_only=True)
class ConfusionMetric(EditMetric):
    """Base of rates from the confusion matrix; types are pooled (micro)."""

    name = "confusion_matrix"  # for messages of the function; each rate has its own
    count_names: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    citation = F13T
    biases = sentences("""
        - Precision is high for few sure boundaries, recall for many: read them together (Fournier 2013,
          thesis, §5.3.3).
        - A near miss adds its correctness to the hits and nothing to the misses, so the rates of near
          misses alone are 1 (Fournier 2013, thesis, Table 5.8).
    """)
    symmetric = False

    credit_substitutions: bool = flag(False, "whether a wrong type gets credit for being close")

    def combine(self, edits: EditCounts[Counted]) -> tuple[Counted, ...]:
        """Count hits, false alarms and misses; a wrong type is a false alarm and a miss."""
        moved = edits.transpositions * edits.scale - edits.transposition_weight
        wrong = edits.substitution_weight if self.credit_substitutions else edits.substitutions * edits.scale
        right = edits.substitutions * edits.scale - wrong
        return (
            edits.matches * edits.scale + moved + right,
            edits.only_hypothesis * edits.scale + wrong,
            edits.only_reference * edits.scale + wrong,
        )


def confusion_matrix(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    *,
    n_t: int = N_T,
    method: Method = "greedy",
    transposition: Transpositions = "scaled",
    substitution: Substitutions = "scaled",
    w0: LeastWeight = 0.0,
    types: Sequence[int] | None = None,
    credit_substitutions: bool = False,
) -> ConfusionMatrix:
    """Return the confusion matrix of one pair (F13t, §4.1.3).

    A substitution adds 1 at (predicted, actual); with ``credit_substitutions`` it adds its weight there and
    the rest at (actual, actual).

    Source: Fournier (2013), Evaluating text segmentation, thesis, University of Ottawa.

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
    credit_substitutions
        whether a wrong type gets credit for being close

    >>> confusion_matrix([2, 3, 6], [2, 2, 7]).f(beta=2)
    1.0
    """
    metric = ConfusionMetric.of(n_t, method, transposition, substitution, w0, types, credit_substitutions)
    sides = as_segmentation(reference), as_segmentation(hypothesis)
    alignment = align_pair(*sides, metric.method, metric.weights)
    counts: list[tuple[Cell, Fraction]] = [
        *(((match.type, match.type), Fraction(1)) for match in alignment.matches),
        *(((near.type, near.type), 1 - alignment.weight(near)) for near in alignment.transpositions),
        *(((None, addition.type), Fraction(1)) for addition in alignment.missed),
        *(((addition.type, None), Fraction(1)) for addition in alignment.spurious),
    ]
    for wrong in alignment.substitutions:
        share = alignment.weight(wrong) if metric.credit_substitutions else Fraction(1)
        counts.append(((wrong.hypothesis_type, wrong.reference_type), share))
        if share != 1:
            counts.append(((wrong.reference_type, wrong.reference_type), 1 - share))
    types = alignment.weights.types or sorted({*alignment.reference.types, *alignment.hypothesis.types})
    known = tuple(types) or (PLAIN_TYPE,)
    return ConfusionMatrix(_summed(counts), known, alignment.reference.n_units - 1)


class BP(Precision, ConfusionMetric):
    """B-precision."""

    name = "BP"
    title = "B-precision"
    meaning = "share of predicted boundaries that are right, near misses in part"


class BR(Recall, ConfusionMetric):
    """B-recall."""

    name = "BR"
    title = "B-recall"
    meaning = "share of reference boundaries that are found, near misses in part"


@dataclass(frozen=True, repr=False, kw_only=True)
class BF(FMeasure, ConfusionMetric):
    """B-F."""

    name = "BF"
    title = "B-F"
    also = ("B-F1",)
    meaning = "weighted harmonic mean of B-precision and B-recall"


class NegativeRate(ConfusionMetric):
    """Base of rates that use true negatives: types × positions that neither side marks."""

    count_names = (*ConfusionMetric.count_names, "slots")
    direction = "lower"
    biases = sentences("""
        - True negatives outnumber boundaries, so values are low wherever boundaries are rare (by its
          definition).
    """)

    def combine(self, edits: EditCounts[Counted]) -> tuple[Counted, ...]:
        """Count hits, false alarms, misses and potential boundaries."""
        tp, fp, fn = super().combine(edits)
        return tp, fp, fn, edits.slots * edits.scale


class Fallout(NegativeRate):
    """Fallout."""

    name = "Fallout"
    title = "fallout"
    meaning = "share of non-boundaries that were predicted; near misses are none"
    formula = "FP / (FP + TN)"

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return FP over the positions without a reference boundary; 0 if all have one."""
        tp, fp, fn, slots = counts
        return fp, slots - tp - fn, 0.0


class ErrorRate(NegativeRate):
    """Error rate."""

    name = "ErrorRate"
    title = "error rate"
    meaning = "share of potential boundaries that are misses or false alarms"
    formula = "(FP + FN) / (TP + TN + FP + FN)"
    symmetric = True

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return both kinds of errors over potential boundaries; 0 without any."""
        _, fp, fn, slots = counts
        return fp + fn, slots, 0.0

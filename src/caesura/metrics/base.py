"""Metric, Score and Scores: what a metric declares, and how its numbers add up.

A metric is integer counts per compared pair plus a finisher. Counts add up, so a micro-average is the
finisher of summed counts, exact until the last division.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape
from typing import Any, ClassVar, Literal, Self, SupportsFloat, TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from caesura.alignment.packed import PackedPairs
from caesura.arrays import MAX_INT64, FloatArray, Number, NumberArray
from caesura.checks import check_whole, is_duration, seconds_of
from caesura.declaration import Declared, parameter
from caesura.errors import ParameterError
from caesura.results.notes import reading, short_signature, signature
from caesura.results.table import Cell, Column, Table
from caesura.values.segmentation import Segmentation, SegmentationLike, as_segmentation
from caesura.version import __version__
from caesura.wording import counted

Count: TypeAlias = float
"""A count of one pair: an integer, or the value itself for a metric that is not a share."""

Counts: TypeAlias = Iterable[Number]
"""Counts in the order of ``count_names``: of one pair, summed, or arrays over pairs."""

Quotient: TypeAlias = tuple[Number, Number, float | FloatArray | NDArray[np.bool_]]
"""Numerator, denominator, and the value where the denominator is 0."""

Direction: TypeAlias = Literal["higher", "lower", "closest"]

M = TypeVar("M", bound="Metric")

SHOWN_PAIRS = 10  # pairs of Scores that a notebook shows

WHOLE = 1e-9  # the relative rounding error up to which a number counts as whole


WindowSize: TypeAlias = int | Literal["document", "corpus"] | None
"""A number of units, or the references whose mean segment is halved; None: each reference separately."""


def extent(default: int, help: str, *, minimum: int) -> int:
    """Declare a number of units, or a duration ("3s") on a time grid."""

    def check(name: str, value: Any) -> Any:
        return value if is_duration(value) else check_whole(name, value, minimum)

    return parameter(default, help, check)


def window_extent(help: str, whose: Sequence[str] = ("document", "corpus")) -> Any:
    """Declare the size of a window: a number of units, a duration, or references that set it."""

    def check(name: str, value: Any) -> Any:
        if value is None or is_duration(value) or (isinstance(value, str) and value in whose):
            return value
        if isinstance(value, str) and whose:
            expected = "a number of units, 'document' or 'corpus', or a duration such as '3s'"
            raise ParameterError(f"{name} is {value!r}: expected {expected}")
        return check_whole(name, value, 1)

    return parameter(None, help, check)


@dataclass(frozen=True, repr=False)
class Metric(Declared):
    """A comparison of two segmentations, with its parameters as fields.

    Call it with a reference and a hypothesis to get a Score.
    """

    formula: ClassVar[str]
    direction: ClassVar[Direction] = "higher"
    symmetric: ClassVar[bool] = False
    multi_reference: ClassVar[bool] = False
    """Whether the first argument may be several references of one document."""
    biases: ClassVar[tuple[str, ...]] = ()
    """Known biases of its values, each with its source."""
    count_names: ClassVar[tuple[str, ...]]

    # A metric defines two methods: the counts of a pair, and the fraction of counts.

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> tuple[tuple[Count, ...], int]:
        """Return the counts of a pair, in the order of ``count_names`` and units of 1 / scale, and scale."""
        raise NotImplementedError

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return numerator, denominator and the value where that is 0, for one or many pairs."""
        raise NotImplementedError

    def over(self, pairs: PackedPairs) -> Scores:
        """Compare packed pairs one by one; metrics with batch kernels compare them in one call."""
        return Scores.from_rows(self, [self.counts(ref, hyp) for ref, hyp in pairs])

    # Durations become numbers of units on a time grid.

    @cached_property
    def durations(self) -> dict[str, str]:
        """The parameters that are durations; a corpus on a time grid converts them to units."""
        return {name: value for name, value in self.parameters.items() if is_duration(value)}

    def on_grid(self, step: float | None) -> Self:
        """Return the metric with durations converted to units, each ``step`` seconds long.

        >>> from caesura import metric
        >>> metric("B(n_t='3s')").on_grid(0.5)
        B(n_t=6)
        """
        if not self.durations:
            return self
        if step is None:
            self.check_units()
        changed = {name: _units_in(name, value, step) for name, value in self.durations.items()}
        return dataclasses.replace(self, **changed)

    def check_units(self) -> None:
        """Raise ParameterError for durations, because units without a grid have no length in seconds."""
        for name, value in self.durations.items():
            fault = f"{self.name}: {name} is {value!r}: a duration needs a uniform grid in time"
            raise ParameterError(f"{fault}; use corpus.onto('1s'), or give a number of units")

    # The rest follows from these two methods.

    @classmethod
    def of(cls, *values: Any) -> Self:
        """Return the metric with all its parameters, in declared order; equal values give the same object.

        Used by metric functions. A pair of segmentations has no grid, so durations are refused.
        """
        try:
            metric: Self = _remembered(cls, *values)
        except TypeError:  # a table of costs cannot be hashed; its plain form can
            metric = _remembered(cls, *cls.plain(cls._named(values)).values())
        return metric

    @classmethod
    def _named(cls, values: Sequence[Any]) -> dict[str, Any]:
        return dict(zip((field.name for field in dataclasses.fields(cls)), values, strict=True))

    def __call__(self, reference: SegmentationLike, hypothesis: SegmentationLike) -> Score:
        if self.durations:
            self.check_units()
        if not isinstance(reference, Segmentation):
            reference = as_segmentation(reference)
        if not isinstance(hypothesis, Segmentation):
            hypothesis = as_segmentation(hypothesis)
        counts, scale = self.counts(reference, hypothesis)
        return Score(self, counts, scale)

    def batch(self, references: Sequence[SegmentationLike], hypotheses: Sequence[SegmentationLike]) -> Scores:
        """Compare many pairs at once.

        >>> from caesura import metric
        >>> metric("B").batch([[2, 3, 6], [5, 6]], [[2, 2, 7], [5, 6]]).values.tolist()
        [0.75, 1.0]
        """
        self.check_units()
        if len(references) != len(hypotheses):
            raise ParameterError(f"{len(references)} references but {len(hypotheses)} hypotheses")
        pairs = PackedPairs.of([*map(as_segmentation, references)], [*map(as_segmentation, hypotheses)])
        return self.over(pairs)

    @property
    def low(self) -> float:
        """The least possible value."""
        return 0.0

    @property
    def high(self) -> float:
        """The greatest possible value."""
        return 1.0

    @property
    def best(self) -> float:
        """The value of a perfect hypothesis."""
        return {"higher": self.high, "lower": self.low, "closest": 1.0}[self.direction]

    def distance_from_best(self, value: float) -> float:
        """Return the distance of a value from the best; less is better for every metric."""
        return abs(value - self.best)


class Share(Metric):
    """A metric with two counts, the first divided by the second."""

    empty: ClassVar[float] = 0.0
    """The value where the second count is 0."""

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """Return both counts, and the value for an empty denominator."""
        numerator, denominator = counts
        return numerator, denominator, self.empty


def _with_values(cls: type[M], *values: Any) -> M:
    metric = cls(**cls._named(values))
    metric.check_units()
    return metric


# Typed: 1 and 1.0 are equal, but their signatures differ.
_remembered: Callable[..., Any] = lru_cache(maxsize=1024, typed=True)(_with_values)


def _units_in(name: str, duration: str, step: float | None) -> int:
    number = seconds_of(name, duration) / (step or 1.0)
    if abs(number - round(number)) > WHOLE * max(1.0, number):
        raise ParameterError(f"{name} is {duration!r}: not a whole number of units of {step:g} seconds")
    return round(number)


class Score(float):
    """A metric's value for one pair, or for pairs pooled with ``+``, with its counts and its signature.

    A score is an immutable float. ``+`` and ``sum`` of scores of one metric pool their counts (a
    micro-average). ``statistics.mean`` and NumPy average the values (a macro-average).

    >>> from caesura import metric
    >>> score = metric("B")([2, 3, 6], [2, 2, 7])
    >>> score, score.numerator, score.denominator
    (<B 0.75 = 1.5/2>, 1.5, 2)
    >>> score + metric("B")([5, 6], [5, 6])
    <B 0.833333 = 2.5/3, 2 pairs>
    """

    __slots__ = ("_counts", "_metric", "_n_pairs", "_scale")

    _metric: Metric
    _counts: tuple[Count, ...]
    _scale: int
    _n_pairs: int

    def __new__(
        cls, metric: Metric, counts: tuple[Count, ...] | None = None, scale: int = 1, n_pairs: int = 1
    ) -> Score:
        """Finish the counts, which are in units of 1 / scale."""
        if counts is None:
            # The statistics module converts a mean, a plain number, to the type of the data.
            return cast("Score", float(cast("SupportsFloat", metric)))
        numerator, denominator, empty = metric.fraction(counts)
        self = float.__new__(cls, numerator / denominator if denominator else empty)
        self._metric = metric
        self._counts = counts
        self._scale = scale
        self._n_pairs = n_pairs
        return self

    @property
    def metric(self) -> Metric:
        """The metric with its parameters."""
        return self._metric

    @property
    def counts(self) -> tuple[Count, ...]:
        """The metric's counts, in the order of ``count_names`` and in units of 1 / scale."""
        return self._counts

    @property
    def scale(self) -> int:
        """The counts are in units of 1 / scale."""
        return self._scale

    @property
    def n_pairs(self) -> int:
        """The number of pooled pairs."""
        return self._n_pairs

    @property
    def numerator(self) -> float:
        """The numerator of the value."""
        return _unscaled(self.metric.fraction(self.counts)[0], self.scale)

    @property
    def denominator(self) -> float:
        """The denominator of the value; 0 if there is nothing to compare."""
        return _unscaled(self.metric.fraction(self.counts)[1], self.scale)

    @property
    def signature(self) -> str:
        """Metric, parameters, average and version: quote it, and anyone can reproduce the number."""
        return signature_of(self.metric, self.n_pairs)

    @overload
    def __add__(self, other: Score) -> Score: ...

    @overload
    def __add__(self, other: float) -> float: ...

    def __add__(self, other: float) -> float:
        if isinstance(other, Score):
            if self._metric != other._metric:
                raise ParameterError(f"cannot pool {self._metric} with {other._metric}: signatures differ")
            scale = math.lcm(self._scale, other._scale)
            ours, theirs = scale // self._scale, scale // other._scale
            counts = tuple(a * ours + b * theirs for a, b in zip(self._counts, other._counts, strict=True))
            return Score(self._metric, counts, scale, self._n_pairs + other._n_pairs)
        if isinstance(other, (int, float)) and not other:  # the start value of sum()
            return self
        return float.__add__(self, other)

    def __radd__(self, other: float) -> float:
        return self + other

    def __truediv__(self, other: float) -> float:
        if self._n_pairs > 1:
            fault = f"this score is the micro-average of {self._n_pairs} pairs"
            raise TypeError(f"{fault}; use statistics.fmean for a macro-average, float(score) to calculate")
        return float.__truediv__(self, other)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Score, (self.metric, self.counts, self.scale, self.n_pairs))

    def __repr__(self) -> str:
        pairs = f", {self.n_pairs} pairs" if self.n_pairs > 1 else ""
        return f"<{self.metric} {float(self):.6g} = {self.numerator:.6g}/{self.denominator:.6g}{pairs}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the value, and the signature below it."""
        value, made = repr(self)[1:-1], short_signature(self.signature)
        return f"<div>{escape(value)}</div><div><small>{escape(made)}</small></div>"


def _unscaled(count: Count, scale: int) -> float:
    value = float(count / scale)
    return int(value) if value.is_integer() else value


def signature_of(metric: Metric, n_pairs: int = 1) -> str:
    """Return the signature of a number.

    >>> from caesura import metric
    >>> signature_of(metric("B"))
    'B|n_t=2|method=greedy|transposition=scaled|substitution=scaled|w0=0.0|types=auto|caesura 1.0.0'
    """
    average = f"|average=micro|pairs={n_pairs}" if n_pairs > 1 else ""
    return f"{metric.settings}{average}|caesura {__version__}"


@dataclass(frozen=True, eq=False)
class Scores:
    """The counts of many pairs: one row each. Averages are sums over rows."""

    metric: Metric
    rows: NumberArray  # pairs × counts, in units of 1 / scale
    scale: int = 1

    @classmethod
    def from_rows(cls, metric: Metric, rows: Sequence[tuple[tuple[Count, ...], int]]) -> Scores:
        """Return the counts of single pairs on a common scale."""
        scale = math.lcm(*(row_scale for _, row_scale in rows))
        table = [[count * (scale // row_scale) for count in counts] for counts, row_scale in rows]
        is_whole = all(isinstance(count, int) for counts in table for count in counts)
        try:
            array = np.array(table, dtype=np.int64 if is_whole else np.float64)
        except OverflowError:
            array = np.array(table, dtype=object)  # Python integers: slow but exact
        return cls(metric, array.reshape(len(rows), len(metric.count_names)), scale)

    @classmethod
    def from_columns(cls, metric: Metric, columns: Sequence[NumberArray], scale: int = 1) -> Scores:
        """Return the scores of arrays of counts, one array per name in ``count_names``."""
        return cls(metric, np.stack(columns).T, scale)

    def __eq__(self, other: object) -> bool:
        """Return whether metric and counts are equal, at any scale."""
        if not isinstance(other, Scores):
            return NotImplemented
        if self.metric != other.metric or self.rows.shape != other.rows.shape:
            return False
        if self.scale == other.scale:
            return np.array_equal(self.rows, other.rows)
        # Python integers are exact at any scale.
        ours, theirs = self.rows.astype(object) * other.scale, other.rows.astype(object) * self.scale
        return np.array_equal(ours, theirs)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Score:
        return Score(self.metric, tuple(self.rows[index].tolist()), self.scale)

    @property
    def values(self) -> FloatArray:
        """The value of each pair."""
        numerator, denominator, empty = self.metric.fraction(self.rows.T)
        divisor = np.where(denominator == 0, 1, denominator)
        values = np.where(denominator == 0, empty, numerator / divisor)
        return values.astype(float, copy=False)

    @property
    def unscaled(self) -> FloatArray:
        """The counts as floats, in units of 1."""
        return np.asarray(self.rows / self.scale, dtype=np.float64)

    @property
    def micro(self) -> Score:
        """The pooled score: counts of all pairs, divided once."""
        self._check_some()
        columns = np.ascontiguousarray(self.rows.T)
        largest = max(columns.max(initial=0), -columns.min(initial=0))
        if columns.dtype == np.int64 and largest <= MAX_INT64 // len(self.rows):
            totals = tuple(columns.sum(axis=1).tolist())
        else:  # Python integers cannot overflow
            totals = tuple(sum(column) for column in columns.tolist())
        return Score(self.metric, totals, self.scale, len(self.rows))

    @property
    def macro(self) -> float:
        """The mean of the pairs' values."""
        self._check_some()
        return float(self.values.mean())

    def __repr__(self) -> str:
        if not len(self):
            return f"<{self.metric} of no pairs>"
        pairs = counted(len(self), "pair")
        return f"<{self.metric} of {pairs}: micro {float(self.micro):.6g}, macro {self.macro:.6g}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the first pairs with their counts, both averages, the signature."""
        columns = [Column("pair", 0), Column("value"), *(Column(name) for name in self.metric.count_names)]
        shown = [self[number] for number in range(min(len(self), SHOWN_PAIRS))]
        rows = [[number, float(score), *self._counts_of(score)] for number, score in enumerate(shown)]
        totals: list[list[Cell]] = []
        if len(self):
            nothing = [None] * len(self.metric.count_names)
            micro: list[Cell] = ["micro", float(self.micro), *self._counts_of(self.micro)]
            totals = [micro, ["macro", self.macro, *nothing]]
        more = len(self) - len(shown)
        notes = [signature(signature_of(self.metric, len(self)))]
        if more:
            notes.append(reading(f"{counted(more, 'more pair')} not shown: values and rows have all"))
        title = f"{self.metric} of {counted(len(self), 'pair')}"
        return Table(title, columns, rows, totals, notes)._repr_html_()

    def _counts_of(self, score: Score) -> list[float]:
        return [_unscaled(count, self.scale) for count in score.counts]

    def _check_some(self) -> None:
        if not len(self.rows):
            raise ParameterError(f"no pairs were compared: {self.metric} has no value")

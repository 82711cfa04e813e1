"""Accumulator: adds up one metric over many pairs."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.errors import ParameterError
from caesura.metrics.base import Metric, Score
from caesura.metrics.registry import get_metric
from caesura.values.segmentation import SegmentationLike


class Accumulator:
    """Adds up a metric over pairs, as in a training loop; ``+`` merges two.

    >>> total = Accumulator("B")
    >>> total.update([2, 3, 6], [2, 2, 7])
    >>> total.update([5, 6], [5, 6])
    >>> total.value
    <B 0.833333 = 2.5/3, 2 pairs>
    """

    def __init__(self, metric: Metric | str) -> None:
        self.metric = get_metric(metric)
        self._score: Score | None = None

    def update(self, reference: SegmentationLike, hypothesis: SegmentationLike) -> None:
        """Add one pair."""
        self._add(self.metric(reference, hypothesis))

    def update_many(
        self, references: Sequence[SegmentationLike], hypotheses: Sequence[SegmentationLike]
    ) -> None:
        """Add many pairs at once."""
        if len(references) or len(hypotheses):
            self._add(self.metric.batch(references, hypotheses).micro)

    def _add(self, score: Score) -> None:
        self._score = score if self._score is None else self._score + score

    @property
    def n_pairs(self) -> int:
        """How many pairs were added."""
        return 0 if self._score is None else self._score.n_pairs

    @property
    def value(self) -> Score:
        """The exact micro-average so far."""
        if self._score is None:
            raise ParameterError(f"no pair was added yet: {self.metric} has no value")
        return self._score

    def __add__(self, other: Accumulator) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        if self.metric != other.metric:
            raise ParameterError(f"cannot merge {self.metric} with {other.metric}: the signatures differ")
        merged = Accumulator(self.metric)
        for part in (self, other):
            if part._score is not None:
                merged._add(part._score)
        return merged

    def __repr__(self) -> str:
        return f"<Accumulator {self.metric}: {'no pairs' if self._score is None else repr(self._score)}>"

"""Metrics by name: the registry, the metric for a type scheme, and the accumulator of a metric."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache

from caesura.declaration import Registry, checked_name, find, parse
from caesura.errors import ParameterError
from caesura.metrics.as_in import as_in
from caesura.metrics.base import Metric, Score
from caesura.metrics.classic import BD, GHD, Coverage, Density, F, P, Pmu, Purity, R
from caesura.metrics.confusion import BF, BP, BR, ErrorRate, Fallout
from caesura.metrics.edit import B, Ba, Bc, EditMetric, S
from caesura.metrics.hierarchical import EWD, EPk, HierarchicalMetric
from caesura.metrics.multi import Bw, MultWD
from caesura.metrics.window import WD, Coded, Cseg, Pk, PkPrime, PrError, SizedMetric, WinF, WinP, WinR
from caesura.values.segmentation import PLAIN_TYPE, SegmentationLike
from caesura.values.type_scheme import TypeScheme
from caesura.wording import short

LEAST_REACH = 1e-3
"""The least seconds that near misses span; less means that times are not on a grid."""


def _name_of(cls: type[Metric]) -> str:
    return checked_name(cls, Metric, "counts", "fraction")


_CLASSES: tuple[type[Metric], ...] = (
    *(B, Ba, Bc, Bw, S, BP, BR, BF, Fallout, ErrorRate),
    *(P, R, F, Coverage, Purity),
    *(Pk, PkPrime, WD, MultWD, EPk, EWD, WinP, WinR, WinF, Cseg, PrError),
    *(GHD, Pmu, BD, Density),
)
_BUILT_IN = {_name_of(cls): cls for cls in _CLASSES}

METRICS: Registry[type[Metric]] = Registry("metric", _BUILT_IN, _name_of, "caesura.metrics")
"""Every metric by name."""


def metric(spec: str) -> Metric:
    """Return the metric that a specification names; with ``as_in``, as a tool or shared task computes it.

    >>> metric("B(n_t=3)")
    B(n_t=3)
    >>> metric("F(as_in='disrpt2023')")([2, 3, 6], [2, 2, 7])
    <F(as_in='disrpt2023') 0.666667 = 4/6>
    >>> metric("WD(edges='wrap')").parameters["edges"]
    'wrap'
    >>> metric("WD|edges=wrap|pairs=7|caesura 1.0.0")  # a printed signature
    WD(edges='wrap')
    """
    if not isinstance(spec, str):
        raise ParameterError(f"metric is {short(spec)}: expected a name, such as 'B' or 'B(n_t=3)'")
    return _find(spec)


@lru_cache(maxsize=256)
def _find(spec: str) -> Metric:
    """Return the metric; metrics are immutable, so all calls share one object."""
    if "as_in" in spec:
        name, parameters = parse(spec, "metric")
        if name in METRICS and "as_in" in parameters:
            return as_in(name, parameters)
    return find(spec, METRICS, "metric")


def get_metric(spec: Metric | str) -> Metric:
    """Return a metric, given as an object or by name."""
    return spec if isinstance(spec, Metric) else metric(spec)


def metric_for(
    scheme: TypeScheme | None,
    spec: Metric | str,
    n_t: int | str | None = None,
    *,
    step: float | None = None,
    types: bool = True,
    references: Coded | None = None,
) -> Metric:
    """Return the metric with this n_t, if given, and with the types that a corpus declares.

    Durations become numbers of units of ``step`` seconds; ``references`` set the window of a corpus. With
    nominal types, every wrong type costs 1, and metrics of hierarchies are refused because the types are not
    ranks. ``types=False`` compares boundaries without their types.

    >>> metric_for(TypeScheme({1: "topic", 2: "aside"}, nominal=True), "B")
    B(substitution='constant', types=(1, 2))
    """
    metric = get_metric(spec)
    changes: dict[str, object] = {}
    if n_t is not None:
        if "n_t" not in metric.parameters:
            raise ParameterError(f"{metric} has no n_t: leave it out, or choose B, Ba, Bc or S")
        changes["n_t"] = n_t
    if scheme is not None and scheme.nominal and isinstance(metric, HierarchicalMetric):
        fault = f"{metric} reads boundary types as ranks, and the corpus declares them as nominal"
        raise ParameterError(f"{fault}: choose another metric, or declare TypeScheme(..., ranks=True)")
    if isinstance(metric, EditMetric) and metric.types is None and not types:
        changes["types"] = ()
    elif isinstance(metric, EditMetric) and scheme is not None and scheme.types != (PLAIN_TYPE,):
        if metric.types is None:
            changes["types"] = scheme.types
        if scheme.nominal and metric.substitution == "scaled":
            changes["substitution"] = "constant"
    metric = dataclasses.replace(metric, **changes) if changes else metric
    if step is not None and "n_t" not in metric.durations:
        _check_near_misses(metric, step)
    if references is not None and isinstance(metric, SizedMetric):
        metric = metric.for_corpus(references)
    return metric.on_grid(step)


def _check_near_misses(metric: Metric, step: float) -> None:
    """Raise ParameterError for near misses counted in instants."""
    n_t = metric.parameters.get("n_t", 1)
    if n_t > 1 and n_t * step < LEAST_REACH:
        fault = f"{metric.name}: n_t is {n_t}, and the boundaries are times, in instants of 0.1 µs"
        raise ParameterError(f"{fault}: give a duration, {metric.name}(n_t='3s'), or use corpus.onto('1s')")


def reach_of(n_t: int | str, step: float | None) -> int:
    """Return n_t in units, each ``step`` seconds long on a time grid.

    >>> reach_of("3s", 0.5), reach_of(2, None)
    (6, 2)
    """
    chosen = metric_for(None, "B", n_t, step=step)
    return int(chosen.parameters["n_t"])


class Accumulator:
    """The sum of a metric over pairs, as in a training loop; ``+`` merges two accumulators.

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
        """The number of added pairs."""
        return 0 if self._score is None else self._score.n_pairs

    @property
    def value(self) -> Score:
        """The exact micro-average of the added pairs."""
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

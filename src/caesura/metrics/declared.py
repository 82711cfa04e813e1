"""metric_for(): the metric that fits the boundary types a corpus declares."""

from __future__ import annotations

import dataclasses

from caesura.errors import ParameterError
from caesura.metrics.base import Metric
from caesura.metrics.edit import EditMetric
from caesura.metrics.hierarchical import HierarchicalMetric
from caesura.metrics.registry import get_metric
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.type_scheme import TypeScheme

LEAST_REACH = 1e-3
"""Seconds that a near miss may at least span: below it, times were left without a grid by mistake."""


def metric_for(
    scheme: TypeScheme | None,
    spec: Metric | str,
    n_t: int | str | None = None,
    *,
    step: float | None = None,
    types: bool = True,
) -> Metric:
    """Return the metric with this n_t, if one is given, and with the types that a corpus declares.

    Durations become numbers of units, which are ``step`` seconds long. Where the corpus says that its types
    are nominal, a wrong type costs 1 however far the numbers are apart, and metrics of hierarchies are
    refused: nominal types are no ranks. ``types=False`` compares boundaries without their types.

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
        raise ParameterError(
            f"{metric} reads boundary types as ranks, and the corpus declares them as nominal: choose "
            "another metric, or declare ranks (TypeScheme(..., ranks=True))"
        )
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
    return metric.on_grid(step)


def _check_near_misses(metric: Metric, step: float) -> None:
    """Refuse to count near misses in instants: nobody means that."""
    n_t = metric.parameters.get("n_t", 1)
    if n_t > 1 and n_t * step < LEAST_REACH:
        raise ParameterError(
            f"{metric.name}: n_t is {n_t}, and the boundaries are times, in instants of 0.1 µs: give a "
            f"duration such as {metric.name}(n_t='3s'), or units to compare in, corpus.onto('1s')"
        )


def reach_of(n_t: int | str, step: float | None) -> int:
    """Return n_t in units, of which each is this many seconds long if they form a grid in time.

    >>> reach_of("3s", 0.5), reach_of(2, None)
    (6, 2)
    """
    chosen = metric_for(None, "B", n_t, step=step)
    return int(chosen.parameters["n_t"])

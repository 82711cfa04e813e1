"""The registry: every metric once, in the order of the documentation; metrics are chosen by name here."""

from __future__ import annotations

import ast
import dataclasses
from functools import lru_cache
from typing import Any

from caesura.errors import ParameterError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric
from caesura.metrics.classic import BD, GHD, Density, Pmu
from caesura.metrics.confusion import BF, BP, BR
from caesura.metrics.edit import B, Ba, Bc, S
from caesura.metrics.hierarchical import EWD, EPk
from caesura.metrics.matching import Coverage, F, P, Purity, R
from caesura.metrics.multi import MultWD
from caesura.metrics.window import WD, Pk, PkPrime, WinF, WinP, WinR
from caesura.wording import short

METRICS: dict[str, type[Metric]] = {
    cls.name: cls
    for cls in (
        *(B, Ba, Bc, S, BP, BR, BF),
        *(P, R, F, Coverage, Purity),
        *(Pk, PkPrime, WD, MultWD, EPk, EWD, WinP, WinR, WinF),
        *(GHD, Pmu, BD, Density),
    )
}
"""Every metric by name."""

MAX_SPEC_LENGTH = 100_000
"""Longest specification that is read: one with a size for each unit of a long document."""


def metric(spec: str) -> Metric:
    """Return the metric that a specification names.

    >>> metric("B(n_t=3)")
    B(n_t=3)
    >>> metric("WD(edges='wrap')").parameters["edges"]
    'wrap'
    """
    if not isinstance(spec, str):
        raise ParameterError(f"metric is {short(spec)}: expected a name, such as 'B' or 'B(n_t=3)'")
    return _find(spec)


@lru_cache(maxsize=256)
def _find(spec: str) -> Metric:
    """Return the metric; metrics do not change, so one object serves all who ask for it."""
    name, keywords = _parse(spec)
    if name not in METRICS:
        name = name[:60]
        raise UnknownNameError(f"there is no metric {name!r}; {did_you_mean(name, METRICS)}")
    cls = METRICS[name]
    fields = [field.name for field in dataclasses.fields(cls)]
    for keyword in keywords:
        if keyword not in fields:
            hint = did_you_mean(keyword, fields) if fields else "it has none"
            raise UnknownNameError(f"{name} has no parameter {keyword[:60]!r}; {hint}")
    return cls(**keywords)


def get_metric(spec: Metric | str) -> Metric:
    """Return a metric object, whether it was given by name or is one."""
    return spec if isinstance(spec, Metric) else metric(spec)


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Read ``Name`` or ``Name(parameter=literal, ...)``."""
    fault = f"{spec[:60]!r} is not a metric: write its name, or name(parameter=value, ...)"
    if len(spec) > MAX_SPEC_LENGTH:
        raise ParameterError(fault)
    try:
        node = ast.parse(spec.strip(), mode="eval").body
        if isinstance(node, ast.Name):
            return node.id, {}
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
            raise ParameterError(fault)
        names = [keyword.arg for keyword in node.keywords]
        if None in names or len(set(names)) < len(names):
            raise ParameterError(fault)
        return node.func.id, {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
    except (SyntaxError, TypeError, ValueError, MemoryError, RecursionError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(fault) from None

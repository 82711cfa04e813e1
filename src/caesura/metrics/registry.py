"""The registry: every metric once, in the order of the documentation; metrics are chosen by name here."""

from __future__ import annotations

from functools import lru_cache

from caesura.declaration import checked_name, find
from caesura.errors import ParameterError
from caesura.metrics.base import Metric
from caesura.metrics.classic import BD, GHD, Density, Pmu
from caesura.metrics.confusion import BF, BP, BR
from caesura.metrics.edit import B, Ba, Bc, S
from caesura.metrics.hierarchical import EWD, EPk
from caesura.metrics.matching import Coverage, F, P, Purity, R
from caesura.metrics.multi import MultWD
from caesura.metrics.window import WD, Pk, PkPrime, WinF, WinP, WinR
from caesura.registry import Registry
from caesura.results.notes import say_usual
from caesura.wording import short


def _name_of(cls: type[Metric]) -> str:
    name = checked_name(cls, Metric, "counts", "fraction")
    say_usual(name, cls().settings)
    return name


METRICS: Registry[type[Metric]] = Registry(
    "metric",
    {
        _name_of(cls): cls
        for cls in (
            *(B, Ba, Bc, S, BP, BR, BF),
            *(P, R, F, Coverage, Purity),
            *(Pk, PkPrime, WD, MultWD, EPk, EWD, WinP, WinR, WinF),
            *(GHD, Pmu, BD, Density),
        )
    },
    _name_of,
    "caesura.metrics",
)
"""Every metric by name."""


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
    return find(spec, METRICS, "metric")


def get_metric(spec: Metric | str) -> Metric:
    """Return a metric object, whether it was given by name or is one."""
    return spec if isinstance(spec, Metric) else metric(spec)

"""register(): adds a metric, segmenter, format or figure to the registries."""

from __future__ import annotations

from typing import TypeVar

from caesura.errors import ParameterError
from caesura.io.base import Format
from caesura.io.registry import FORMATS
from caesura.metrics.base import Metric
from caesura.metrics.registry import METRICS
from caesura.segmenters.base import Segmenter
from caesura.segmenters.registry import SEGMENTERS
from caesura.wording import short

T = TypeVar("T")


def register(member: T) -> T:
    """Add a metric, a segmenter, a format or a figure, and return it; also a decorator of classes.

    From then on it is available by name, like built-in members. An installed package does not need a call: it
    declares entry points of the groups ``caesura.metrics``, ``caesura.segmenters`` and ``caesura.formats``,
    which the command line knows, too.

    Parameters
    ----------
    member
        A class of ``Metric`` or ``Segmenter``, a ``Format`` or a ``Figure``.
    """
    if isinstance(member, type) and issubclass(member, Metric):
        METRICS.register(member)
    elif isinstance(member, type) and issubclass(member, Segmenter):
        SEGMENTERS.register(member)
    elif isinstance(member, Format):
        FORMATS.register(member)
    else:
        from caesura.figures import FIGURES, Figure  # figures need the extra [report]

        if not isinstance(member, Figure):
            expected = "a class of Metric or Segmenter, a Format or a Figure"
            raise ParameterError(f"{short(member)} cannot be registered: expected {expected}")
        FIGURES.register(member)
    return member

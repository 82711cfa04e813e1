"""All metrics: one file per family, listed here once so that the registry knows them."""

from caesura.metrics import classic, confusion, edit, matching, window
from caesura.metrics.base import METRICS, Accumulator, Metric, Score, Scores, get_metric, metric, signature

__all__ = [
    "METRICS",
    "Accumulator",
    "Metric",
    "Score",
    "Scores",
    "classic",
    "confusion",
    "edit",
    "get_metric",
    "matching",
    "metric",
    "signature",
    "window",
]

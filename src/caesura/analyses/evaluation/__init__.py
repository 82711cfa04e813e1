"""Segmenters scored against references, per document and over all."""

from caesura.analyses.evaluation import words  # noqa: F401  (it registers how an Evaluation is shown)
from caesura.analyses.evaluation.analysis import DEFAULT_METRICS, evaluate
from caesura.analyses.evaluation.results import Evaluation, MetricSummary

__all__ = ["DEFAULT_METRICS", "Evaluation", "MetricSummary", "evaluate"]

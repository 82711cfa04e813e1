"""Where to cut a model's scores: a metric over thresholds, the best one, and what it is worth elsewhere."""

from caesura.analyses.thresholds import tables  # noqa: F401  (it registers how results are shown)
from caesura.analyses.thresholds.analysis import FOLDS, MOST_CUTS, sweep
from caesura.analyses.thresholds.results import Best, Point, Sweep

__all__ = ["FOLDS", "MOST_CUTS", "Best", "Point", "Sweep", "sweep"]

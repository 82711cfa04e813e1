"""Any analysis on each level of hierarchies, and the agreement of coders of hierarchies."""

from caesura.analyses.levels import tables  # noqa: F401  (it registers how results are shown)
from caesura.analyses.levels.analysis import by_level, hierarchical_agreement
from caesura.analyses.levels.results import ByLevel, HierarchicalAgreement

__all__ = ["ByLevel", "HierarchicalAgreement", "by_level", "hierarchical_agreement"]

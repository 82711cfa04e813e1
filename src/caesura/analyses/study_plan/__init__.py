"""How many documents and coders a study needs, from a pilot or from stated rates."""

from caesura.analyses.study_plan import words  # noqa: F401  (it registers how results are shown)
from caesura.analyses.study_plan.analysis import Plan, plan

__all__ = ["Plan", "plan"]

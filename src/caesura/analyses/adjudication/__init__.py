"""What coders disagree on, place by place, what it costs their agreement, and gold from the decisions."""

from caesura.analyses.adjudication import words  # noqa: F401  (it registers how results are shown)
from caesura.analyses.adjudication.analysis import adjudicate
from caesura.analyses.adjudication.results import Adjudication, Boundary, Gold, Place

__all__ = ["Adjudication", "Boundary", "Gold", "Place", "adjudicate"]

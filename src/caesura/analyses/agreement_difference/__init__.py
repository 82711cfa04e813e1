"""Two agreements compared: of two versions of guidelines, two teams, two rounds of training."""

from caesura.analyses.agreement_difference import words  # noqa: F401  (it registers how results are shown)
from caesura.analyses.agreement_difference.analysis import AgreementDifference, compare_agreement

__all__ = ["AgreementDifference", "compare_agreement"]

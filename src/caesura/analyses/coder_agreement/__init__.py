"""Agreement between coders: coefficients with credit for near misses, strict ones, and matrices of coders."""

from caesura.analyses.coder_agreement import words  # noqa: F401  (registers tables and sentences)
from caesura.analyses.coder_agreement.analysis import Agreement, GroupAgreement, agreement, agreements
from caesura.analyses.coder_agreement.matrix import CoderMatrix, coder_matrix

__all__ = ["Agreement", "CoderMatrix", "GroupAgreement", "agreement", "agreements", "coder_matrix"]

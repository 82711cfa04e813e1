"""Agreement between coders: coefficients with credit for near misses, strict ones, and matrices of coders."""

from caesura.analyses.coder_agreement import words  # noqa: F401  (it registers how results are shown)
from caesura.analyses.coder_agreement.analysis import (
    Agreement,
    DocumentAgreement,
    GroupAgreement,
    agreement,
    agreements,
    corpus_alpha,
)
from caesura.analyses.coder_agreement.matrix import CoderMatrix, coder_matrix
from caesura.analyses.coder_agreement.strict import StrictAgreement

__all__ = [
    "Agreement",
    "CoderMatrix",
    "DocumentAgreement",
    "GroupAgreement",
    "StrictAgreement",
    "agreement",
    "agreements",
    "coder_matrix",
    "corpus_alpha",
]

"""Agreement between coders: coefficients with credit for near misses, strict ones, and matrices of coders."""

from caesura.analyses.coder_agreement import words  # noqa: F401  (it registers how results are shown)
from caesura.analyses.coder_agreement.analysis import agreement, agreement_drop, agreements, corpus_alpha
from caesura.analyses.coder_agreement.matrix import CoderMatrix, coder_matrix
from caesura.analyses.coder_agreement.results import (
    Agreement,
    AgreementDrop,
    DocumentAgreement,
    Drop,
    GroupAgreement,
)
from caesura.analyses.coder_agreement.strict import StrictAgreement

__all__ = [
    "Agreement",
    "AgreementDrop",
    "CoderMatrix",
    "DocumentAgreement",
    "Drop",
    "GroupAgreement",
    "StrictAgreement",
    "agreement",
    "agreement_drop",
    "agreements",
    "coder_matrix",
    "corpus_alpha",
]

"""What a coded corpus looks like: sizes, rates, edits between coders, and support of positions."""

from caesura.analyses.description import words  # noqa: F401  (it registers how results are shown)
from caesura.analyses.description.analysis import LARGEST_SWEEP, describe
from caesura.analyses.description.documents import ByDocument, DocumentRow, by_document
from caesura.analyses.description.prominence import Support, SupportedPosition, support
from caesura.analyses.description.results import Description, EditTotals

__all__ = [
    "LARGEST_SWEEP",
    "ByDocument",
    "Description",
    "DocumentRow",
    "EditTotals",
    "Support",
    "SupportedPosition",
    "by_document",
    "describe",
    "support",
]

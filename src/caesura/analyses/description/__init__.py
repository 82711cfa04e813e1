"""Description of an annotated corpus: sizes, rates, edits between coders, and support of positions."""

from caesura.analyses.description import words  # noqa: F401  (it registers how results are shown)
from caesura.analyses.description.analysis import LARGEST_SWEEP, Description, describe
from caesura.analyses.description.differences import Granularity, granularity
from caesura.analyses.description.documents import ByDocument, Support, by_document, support

__all__ = [
    "LARGEST_SWEEP",
    "ByDocument",
    "Description",
    "Granularity",
    "Support",
    "by_document",
    "describe",
    "granularity",
    "support",
]

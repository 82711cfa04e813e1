"""Description of an annotated corpus: sizes, rates, edits between coders, and support of positions."""

from caesura.analyses.description import words  # noqa: F401  (it registers how results are shown)
from caesura.analyses.description.analysis import Description, describe
from caesura.analyses.description.documents import ByDocument, Support, by_document, support

__all__ = ["ByDocument", "Description", "Support", "by_document", "describe", "support"]

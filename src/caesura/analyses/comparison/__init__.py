"""Which segmenter is best: every segmenter against every coder on every document, with tests and bounds."""

from caesura.analyses.comparison import words  # noqa: F401  (it registers how a Comparison is shown)
from caesura.analyses.comparison.analysis import compare
from caesura.analyses.comparison.results import Comparison, SegmenterRow

__all__ = ["Comparison", "SegmenterRow", "compare"]

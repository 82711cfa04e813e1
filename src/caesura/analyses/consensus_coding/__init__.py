"""One segmentation per document, of what enough of its coders mark, exactly or nearby."""

from caesura.analyses.consensus_coding.analysis import as_share, consensus, left_out, majority, union

__all__ = ["as_share", "consensus", "left_out", "majority", "union"]

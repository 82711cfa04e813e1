"""caesura: evaluate text segmentation.

>>> import caesura as cs
>>> float(cs.boundary_similarity([2, 3, 6], [2, 2, 7], n_t=2))
0.75
"""

import caesura.pages  # noqa: F401  (results learn how they are drawn)
from caesura.alignment import align
from caesura.analyses.adjudication import adjudicate
from caesura.analyses.agreement_difference import compare_agreement
from caesura.analyses.coder_agreement import agreement, agreement_drop, coder_matrix
from caesura.analyses.comparison.analysis import compare
from caesura.analyses.consensus_coding import consensus
from caesura.analyses.description import describe
from caesura.analyses.evaluation import evaluate
from caesura.analyses.levels import by_level
from caesura.analyses.reporting import report
from caesura.analyses.segmenting import segment
from caesura.analyses.study_plan import plan
from caesura.analyses.thresholds import sweep
from caesura.errors import (
    CaesuraError,
    ComparisonError,
    CorpusError,
    MissingExtraError,
    ParameterError,
    SegmentationError,
    UnknownNameError,
)
from caesura.io.reading import read
from caesura.io.registry import FORMATS
from caesura.io.writing import write
from caesura.metrics.accumulator import Accumulator
from caesura.metrics.base import Metric, Score, Scores
from caesura.metrics.classic import break_distance, ghd, p_mu
from caesura.metrics.confusion import confusion_matrix
from caesura.metrics.edit import (
    boundary_similarity,
    boundary_similarity_a,
    boundary_similarity_c,
    segmentation_similarity,
)
from caesura.metrics.hierarchical import hierarchical_pk, hierarchical_window_diff
from caesura.metrics.matching import boundary_f, boundary_precision, boundary_recall
from caesura.metrics.multi import mult_window_diff
from caesura.metrics.registry import METRICS, metric
from caesura.metrics.window import pk, pk_prime, win_pr, window_diff, window_size
from caesura.scale.converting import convert
from caesura.scale.scanning import scan
from caesura.segmenters.registry import SEGMENTERS, segmenter
from caesura.simulation import simulate
from caesura.stargazers import load_stargazers
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme
from caesura.values.units import Units, project
from caesura.version import __version__

__all__ = [
    "FORMATS",
    "METRICS",
    "SEGMENTERS",
    "Accumulator",
    "CaesuraError",
    "ComparisonError",
    "Corpus",
    "CorpusError",
    "Hierarchy",
    "Metric",
    "MissingExtraError",
    "ParameterError",
    "Score",
    "Scores",
    "Segmentation",
    "SegmentationError",
    "TypeScheme",
    "Units",
    "UnknownNameError",
    "__version__",
    "adjudicate",
    "agreement",
    "agreement_drop",
    "align",
    "boundary_f",
    "boundary_precision",
    "boundary_recall",
    "boundary_similarity",
    "boundary_similarity_a",
    "boundary_similarity_c",
    "break_distance",
    "by_level",
    "coder_matrix",
    "compare",
    "compare_agreement",
    "confusion_matrix",
    "consensus",
    "convert",
    "describe",
    "evaluate",
    "ghd",
    "hierarchical_pk",
    "hierarchical_window_diff",
    "load_stargazers",
    "metric",
    "mult_window_diff",
    "p_mu",
    "pk",
    "pk_prime",
    "plan",
    "project",
    "read",
    "report",
    "scan",
    "segment",
    "segmentation_similarity",
    "segmenter",
    "simulate",
    "sweep",
    "win_pr",
    "window_diff",
    "window_size",
    "write",
]

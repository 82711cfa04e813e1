"""caesura: evaluate text segmentation.

>>> import caesura as cs
>>> float(cs.boundary_similarity([2, 3, 6], [2, 2, 7], n_t=2))
0.75
"""

import caesura.report.notebook  # noqa: F401  (figures below results in notebooks)
from caesura.alignment import Addition, Alignment, Match, Substitution, Transposition, align
from caesura.analyses.coder_agreement import (
    Agreement,
    CoderMatrix,
    GroupAgreement,
    LevelAgreement,
    agreement,
    agreement_drop,
    agreement_levels,
    coder_matrix,
)
from caesura.analyses.comparison.analysis import compare
from caesura.analyses.comparison.results import Comparison
from caesura.analyses.consensus_coding import consensus, majority, union
from caesura.analyses.description import Description, describe, support
from caesura.analyses.evaluation import Evaluation, evaluate
from caesura.analyses.levels import LevelEvaluation, LevelScores, evaluate_levels, level_scores
from caesura.errors import (
    CaesuraError,
    ComparisonError,
    CorpusError,
    MissingExtraError,
    ParameterError,
    SegmentationError,
    UnknownNameError,
)
from caesura.io.registry import FORMATS, read, write
from caesura.metrics.accumulator import Accumulator
from caesura.metrics.base import Metric, Score, Scores
from caesura.metrics.classic import break_distance, density_ratio, ghd, p_mu
from caesura.metrics.confusion import ConfusionMatrix, confusion_matrix
from caesura.metrics.edit import (
    boundary_similarity,
    boundary_similarity_a,
    boundary_similarity_c,
    segmentation_similarity,
)
from caesura.metrics.hierarchical import HierarchicalError, hierarchical_pk, hierarchical_window_diff
from caesura.metrics.matching import boundary_f, boundary_precision, boundary_recall, coverage, purity
from caesura.metrics.multi import MultWindowDiff, mult_window_diff
from caesura.metrics.registry import METRICS, metric
from caesura.metrics.window import pk, pk_prime, win_pr, window_diff, window_size
from caesura.papers.stargazers import load_stargazers
from caesura.simulation import pseudo_coder, pseudo_coders, random_coder, segment_sizes, simulate, with_errors
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation
from caesura.values.type_scheme import TypeScheme
from caesura.version import __version__

__all__ = [
    "FORMATS",
    "METRICS",
    "Accumulator",
    "Addition",
    "Agreement",
    "Alignment",
    "CaesuraError",
    "CoderMatrix",
    "Comparison",
    "ComparisonError",
    "ConfusionMatrix",
    "Corpus",
    "CorpusError",
    "Description",
    "Evaluation",
    "GroupAgreement",
    "HierarchicalError",
    "Hierarchy",
    "LevelAgreement",
    "LevelEvaluation",
    "LevelScores",
    "Match",
    "Metric",
    "MissingExtraError",
    "MultWindowDiff",
    "ParameterError",
    "Score",
    "Scores",
    "Segmentation",
    "SegmentationError",
    "Substitution",
    "Transposition",
    "TypeScheme",
    "UnknownNameError",
    "__version__",
    "agreement",
    "agreement_drop",
    "agreement_levels",
    "align",
    "boundary_f",
    "boundary_precision",
    "boundary_recall",
    "boundary_similarity",
    "boundary_similarity_a",
    "boundary_similarity_c",
    "break_distance",
    "coder_matrix",
    "compare",
    "confusion_matrix",
    "consensus",
    "coverage",
    "density_ratio",
    "describe",
    "evaluate",
    "evaluate_levels",
    "ghd",
    "hierarchical_pk",
    "hierarchical_window_diff",
    "level_scores",
    "load_stargazers",
    "majority",
    "metric",
    "mult_window_diff",
    "p_mu",
    "pk",
    "pk_prime",
    "pseudo_coder",
    "pseudo_coders",
    "purity",
    "random_coder",
    "read",
    "segment_sizes",
    "segmentation_similarity",
    "simulate",
    "support",
    "union",
    "win_pr",
    "window_diff",
    "window_size",
    "with_errors",
    "write",
]

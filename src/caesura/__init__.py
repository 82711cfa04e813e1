"""caesura: evaluate text segmentation.

>>> import caesura as cs
>>> float(cs.boundary_similarity([2, 3, 6], [2, 2, 7], n_t=2))
0.75
"""

from caesura.corpus import Corpus, TypeScheme
from caesura.edits import Addition, Alignment, Match, Substitution, Transposition, align
from caesura.errors import (
    CaesuraError,
    ComparisonError,
    CorpusError,
    MissingExtraError,
    ParameterError,
    SegmentationError,
    UnknownNameError,
)
from caesura.examples import load_stargazers
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
from caesura.metrics.matching import boundary_f, boundary_precision, boundary_recall, coverage, purity
from caesura.metrics.registry import METRICS, metric
from caesura.metrics.window import pk, pk_prime, win_pr, window_diff, window_size
from caesura.segmentation import Segmentation
from caesura.version import __version__

__all__ = [
    "METRICS",
    "Accumulator",
    "Addition",
    "Alignment",
    "CaesuraError",
    "ComparisonError",
    "ConfusionMatrix",
    "Corpus",
    "CorpusError",
    "Match",
    "Metric",
    "MissingExtraError",
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
    "align",
    "boundary_f",
    "boundary_precision",
    "boundary_recall",
    "boundary_similarity",
    "boundary_similarity_a",
    "boundary_similarity_c",
    "break_distance",
    "confusion_matrix",
    "coverage",
    "density_ratio",
    "ghd",
    "load_stargazers",
    "metric",
    "p_mu",
    "pk",
    "pk_prime",
    "purity",
    "segmentation_similarity",
    "win_pr",
    "window_diff",
    "window_size",
]

"""The names that caesura imports when they are first used, for type checkers."""

from caesura.alignment import align as align
from caesura.analyses.adjudication import adjudicate as adjudicate
from caesura.analyses.agreement_difference import agreement_drop as agreement_drop
from caesura.analyses.agreement_difference import compare_agreement as compare_agreement
from caesura.analyses.chunking import evaluate_chunks as evaluate_chunks
from caesura.analyses.coder_agreement import agreement as agreement
from caesura.analyses.coder_agreement import coder_matrix as coder_matrix
from caesura.analyses.comparison import compare as compare
from caesura.analyses.consensus_coding import consensus as consensus
from caesura.analyses.consensus_coding import prominence as prominence
from caesura.analyses.description import describe as describe
from caesura.analyses.evaluation import evaluate as evaluate
from caesura.analyses.level_errors import hierarchical_pk as hierarchical_pk
from caesura.analyses.level_errors import hierarchical_window_diff as hierarchical_window_diff
from caesura.analyses.levels import by_level as by_level
from caesura.analyses.reporting import report as report
from caesura.analyses.segmenting import segment as segment
from caesura.analyses.study_plan import plan as plan
from caesura.analyses.thresholds import sweep as sweep
from caesura.analyses.tuning import tune as tune
from caesura.analyses.windows_in_error import windows as windows
from caesura.errors import CaesuraError as CaesuraError
from caesura.errors import ComparisonError as ComparisonError
from caesura.errors import CorpusError as CorpusError
from caesura.errors import EngineError as EngineError
from caesura.errors import MissingExtraError as MissingExtraError
from caesura.errors import ParameterError as ParameterError
from caesura.errors import SegmentationError as SegmentationError
from caesura.errors import UnknownNameError as UnknownNameError
from caesura.io.reading import read as read
from caesura.io.reading import read_chunks as read_chunks
from caesura.io.registry import FORMATS as FORMATS
from caesura.io.writing import write as write
from caesura.metrics.base import Metric as Metric
from caesura.metrics.base import Score as Score
from caesura.metrics.base import Scores as Scores
from caesura.metrics.classic import boundary_f as boundary_f
from caesura.metrics.classic import boundary_precision as boundary_precision
from caesura.metrics.classic import boundary_recall as boundary_recall
from caesura.metrics.classic import break_distance as break_distance
from caesura.metrics.classic import coverage as coverage
from caesura.metrics.classic import density_ratio as density_ratio
from caesura.metrics.classic import ghd as ghd
from caesura.metrics.classic import p_mu as p_mu
from caesura.metrics.classic import purity as purity
from caesura.metrics.confusion import confusion_matrix as confusion_matrix
from caesura.metrics.edit import boundary_similarity as boundary_similarity
from caesura.metrics.edit import boundary_similarity_a as boundary_similarity_a
from caesura.metrics.edit import boundary_similarity_c as boundary_similarity_c
from caesura.metrics.edit import segmentation_similarity as segmentation_similarity
from caesura.metrics.multi import mult_window_diff as mult_window_diff
from caesura.metrics.registry import METRICS as METRICS
from caesura.metrics.registry import Accumulator as Accumulator
from caesura.metrics.registry import metric as metric
from caesura.metrics.window import pk as pk
from caesura.metrics.window import pk_prime as pk_prime
from caesura.metrics.window import win_pr as win_pr
from caesura.metrics.window import window_diff as window_diff
from caesura.metrics.window import window_size as window_size
from caesura.registration import register as register
from caesura.scale.converting import convert as convert
from caesura.scale.scanning import scan as scan
from caesura.segmenters.registry import SEGMENTERS as SEGMENTERS
from caesura.segmenters.registry import segmenter as segmenter
from caesura.simulation import simulate as simulate
from caesura.stargazers import load_stargazers as load_stargazers
from caesura.values.changed_text import align_text as align_text
from caesura.values.chunks import Chunks as Chunks
from caesura.values.corpus import Corpus as Corpus
from caesura.values.hierarchy import Hierarchy as Hierarchy
from caesura.values.segmentation import Segmentation as Segmentation
from caesura.values.type_scheme import TypeScheme as TypeScheme
from caesura.values.units import Units as Units
from caesura.values.units import project as project
from caesura.version import __version__ as __version__

__all__ = [
    "FORMATS",
    "METRICS",
    "SEGMENTERS",
    "Accumulator",
    "CaesuraError",
    "Chunks",
    "ComparisonError",
    "Corpus",
    "CorpusError",
    "EngineError",
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
    "align",
    "align_text",
    "boundary_f",
    "boundary_precision",
    "boundary_recall",
    "boundary_similarity",
    "by_level",
    "compare",
    "compare_agreement",
    "confusion_matrix",
    "consensus",
    "convert",
    "coverage",
    "density_ratio",
    "describe",
    "evaluate",
    "evaluate_chunks",
    "ghd",
    "hierarchical_pk",
    "hierarchical_window_diff",
    "load_stargazers",
    "metric",
    "mult_window_diff",
    "pk",
    "pk_prime",
    "plan",
    "project",
    "prominence",
    "purity",
    "read",
    "read_chunks",
    "register",
    "report",
    "scan",
    "segment",
    "segmentation_similarity",
    "segmenter",
    "simulate",
    "sweep",
    "window_diff",
    "window_size",
    "windows",
    "write",
]

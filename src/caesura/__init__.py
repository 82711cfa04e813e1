"""caesura: evaluate text segmentation.

Names are imported from where they live when they are first used; ``__init__.pyi`` tells type checkers.

>>> import caesura as cs
>>> float(cs.boundary_similarity([2, 3, 6], [2, 2, 7], n_t=2))
0.75
"""

from importlib import import_module as _import_module

from caesura.results import DRAWERS as _DRAWERS
from caesura.version import __version__ as __version__

_PUBLIC = {
    "caesura.alignment": "align",
    "caesura.analyses.adjudication": "adjudicate",
    "caesura.analyses.agreement_difference": "compare_agreement",
    "caesura.analyses.chunking": "evaluate_chunks",
    "caesura.analyses.coder_agreement": "agreement",
    "caesura.analyses.comparison": "compare",
    "caesura.analyses.consensus_coding": "consensus prominence",
    "caesura.analyses.description": "describe",
    "caesura.analyses.evaluation": "evaluate",
    "caesura.analyses.levels": "by_level",
    "caesura.analyses.reporting": "report",
    "caesura.analyses.segmenting": "segment",
    "caesura.analyses.study_plan": "plan",
    "caesura.analyses.thresholds": "sweep",
    "caesura.analyses.windows_in_error": "windows",
    "caesura.errors": (
        "CaesuraError ComparisonError CorpusError EngineError "
        "MissingExtraError ParameterError SegmentationError UnknownNameError"
    ),
    "caesura.io.reading": "read read_chunks",
    "caesura.io.registry": "FORMATS",
    "caesura.io.writing": "write",
    "caesura.metrics.base": "Metric Score Scores",
    "caesura.metrics.classic": (
        "boundary_f boundary_precision boundary_recall coverage density_ratio ghd purity"
    ),
    "caesura.metrics.confusion": "confusion_matrix",
    "caesura.metrics.edit": "boundary_similarity segmentation_similarity",
    "caesura.analyses.level_errors": "hierarchical_pk hierarchical_window_diff",
    "caesura.metrics.multi": "mult_window_diff",
    "caesura.metrics.registry": "METRICS Accumulator metric",
    "caesura.metrics.window": "pk pk_prime window_diff window_size",
    "caesura.registration": "register",
    "caesura.scale.converting": "convert",
    "caesura.scale.scanning": "scan",
    "caesura.segmenters.registry": "SEGMENTERS segmenter",
    "caesura.simulation": "simulate",
    "caesura.stargazers": "load_stargazers",
    "caesura.values.changed_text": "align_text",
    "caesura.values.chunks": "Chunks",
    "caesura.values.corpus": "Corpus",
    "caesura.values.hierarchy": "Hierarchy",
    "caesura.values.segmentation": "Segmentation",
    "caesura.values.type_scheme": "TypeScheme",
    "caesura.values.units": "Units project",
}
"""The names of ``__all__`` by the module they live in."""

_RARE = {
    "caesura.analyses.agreement_difference": "agreement_drop",
    "caesura.analyses.coder_agreement": "coder_matrix",
    "caesura.metrics.classic": "break_distance p_mu",
    "caesura.metrics.edit": "boundary_similarity_a boundary_similarity_c",
    "caesura.metrics.window": "win_pr",
    "caesura.analyses.tuning": "tune",
}
"""The same for names that are rarely needed: reachable, but not in ``__all__``."""

_HOMES = {
    name: module for part in (_PUBLIC, _RARE) for module, names in part.items() for name in names.split()
}

__all__ = sorted(["__version__", *" ".join(_PUBLIC.values()).split()])

# Results themselves do not know who draws them.
_DRAWERS["picture"] = "caesura.figures.gallery:picture"
_DRAWERS.update({name: f"caesura.pages:{name}" for name in ("charts", "page", "save")})


def __getattr__(name: str) -> object:
    """Import a public name, or a submodule, when it is first used."""
    if name in _HOMES:
        value = getattr(_import_module(_HOMES[name]), name)
    else:
        try:
            value = _import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_HOMES, *globals()})

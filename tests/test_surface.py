"""The public surface: exact names, light import, version, typing marker.

Source of truth: DESIGN (public names; `import caesura` pulls in NumPy only) and the package metadata.
README examples are run by pytest --doctest-glob.
"""

import importlib
import importlib.metadata
import importlib.resources
import json
import subprocess
import sys
from types import ModuleType

import pytest

import caesura

# DESIGN, "Public names": the tutorial's; more may come, but not many.
PROMISED = {
    *["Segmentation", "Hierarchy", "Corpus", "TypeScheme", "align", "load_stargazers"],
    *["boundary_similarity", "boundary_similarity_a", "boundary_similarity_c", "segmentation_similarity"],
    *["confusion_matrix", "pk", "pk_prime", "window_diff", "window_size", "win_pr"],
    *["boundary_precision", "boundary_recall", "boundary_f", "ghd", "p_mu", "break_distance"],
    *["mult_window_diff", "hierarchical_pk", "hierarchical_window_diff"],
    *["METRICS", "Metric", "Score", "Scores", "Accumulator", "metric", "FORMATS", "read", "write"],
    *["evaluate", "agreement", "describe", "compare", "consensus", "by_level", "simulate"],
    *["CaesuraError", "SegmentationError", "ComparisonError", "ParameterError", "UnknownNameError"],
    *["SEGMENTERS", "segmenter", "segment"],
    *["compare_agreement", "plan", "report", "convert"],
    *["adjudicate", "sweep", "scan"],
    "__version__",
}

MOST_NAMES = 63

BUILDING_BLOCKS = {
    "caesura.alignment": ["Addition", "Alignment", "Match", "Substitution", "Transposition"],
    "caesura.simulation": ["pseudo_coder", "pseudo_coders", "random_coder", "segment_sizes", "with_errors"],
    "caesura.metrics.matching": ["coverage", "purity"],
    "caesura.metrics.classic": ["density_ratio"],
    "caesura.metrics.confusion": ["ConfusionMatrix"],
    "caesura.metrics.multi": ["MultWindowDiff"],
    "caesura.metrics.hierarchical": ["HierarchicalError"],
    "caesura.analyses.coder_agreement": ["Agreement", "CoderMatrix", "GroupAgreement"],
    "caesura.analyses.agreement_difference": ["AgreementDifference"],
    "caesura.analyses.study_plan": ["Plan"],
    "caesura.analyses.comparison": ["Comparison"],
    "caesura.analyses.evaluation": ["Evaluation"],
    "caesura.analyses.description": ["ByDocument", "Description", "Support", "by_document", "support"],
    "caesura.analyses.adjudication": ["Adjudication", "Gold", "Place"],
    "caesura.analyses.thresholds": ["Best", "Sweep"],
    "caesura.analyses.levels": ["ByLevel"],
    "caesura.analyses.consensus_coding": ["majority", "union"],
    "caesura.papers": ["reproduce"],
    "caesura.scale.scanning": ["Scan"],
}
"""What is public below the top: CHANGELOG.md says so."""


def test_there_are_about_fifty_names():
    assert len(caesura.__all__) <= MOST_NAMES


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in BUILDING_BLOCKS.items() for name in names]
)
def test_building_blocks_live_in_their_submodules(module, name):
    assert hasattr(importlib.import_module(module), name)
    assert name not in caesura.__all__


def test_every_exported_name_exists_once():
    assert len(set(caesura.__all__)) == len(caesura.__all__)
    missing = [name for name in caesura.__all__ if not hasattr(caesura, name)]
    assert missing == []


def test_the_promised_names_are_exported():
    assert set(caesura.__all__) >= PROMISED


def test_nothing_public_is_left_out_of_all():
    public = {
        name
        for name, value in vars(caesura).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert public <= set(caesura.__all__)


def test_all_is_sorted_constants_then_classes_then_the_rest():
    def key(name: str) -> tuple[int, str]:
        kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
        return kind, name

    assert list(caesura.__all__) == sorted(caesura.__all__, key=key)


def test_star_import_gives_exactly_all():
    namespace: dict[str, object] = {}
    exec("from caesura import *", namespace)
    assert set(namespace) - {"__builtins__"} == set(caesura.__all__)


def test_every_exported_function_and_class_has_a_docstring():
    undocumented = [
        name
        for name in caesura.__all__
        if callable(getattr(caesura, name)) and not (getattr(caesura, name).__doc__ or "").strip()
    ]
    assert undocumented == []


def test_importing_takes_numpy_and_the_standard_library_only():
    code = """
import json, sys
before = set(sys.modules)
import caesura
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert "caesura" in loaded
    assert loaded.isdisjoint({"scipy", "rich", "click", "pandas", "polars", "matplotlib", "hypothesis"})
    # Modules that Cython makes at run time are no packages.
    foreign = {
        name for name in loaded - set(sys.stdlib_module_names) if not name.startswith(("_", "cython_runtime"))
    }
    assert foreign == {"caesura", "numpy"}


def test_the_version_is_that_of_the_metadata():
    assert caesura.__version__ == importlib.metadata.version("caesura")


def test_the_typing_marker_is_shipped():
    assert importlib.resources.files("caesura").joinpath("py.typed").is_file()

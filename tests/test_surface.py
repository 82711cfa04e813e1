"""The public surface: exact names, light import, version, typing marker.

Source of truth: DESIGN (public names; what an import may load) and the package metadata.
README examples are run by pytest --doctest-glob.
"""

import ast
import importlib
import importlib.metadata
import importlib.resources
import subprocess
import sys
from pathlib import Path

import pytest

import caesura

# DESIGN, "Public names": the tutorial's; more may come, but not many.
PROMISED = {
    *["Segmentation", "Hierarchy", "Corpus", "TypeScheme", "align", "load_stargazers"],
    *["boundary_similarity", "segmentation_similarity", "confusion_matrix"],
    *["pk", "pk_prime", "window_diff", "window_size", "ghd", "density_ratio"],
    *["boundary_precision", "boundary_recall", "boundary_f", "purity", "coverage"],
    *["mult_window_diff", "hierarchical_pk", "hierarchical_window_diff"],
    *["METRICS", "Metric", "Score", "Scores", "Accumulator", "metric", "FORMATS", "read", "write"],
    *["evaluate", "agreement", "describe", "compare", "consensus", "by_level", "simulate"],
    *[
        "CaesuraError",
        "SegmentationError",
        "ComparisonError",
        "ParameterError",
        "UnknownNameError",
        "EngineError",
    ],
    *["SEGMENTERS", "segmenter", "segment"],
    *["compare_agreement", "plan", "report", "convert"],
    *["adjudicate", "sweep", "scan", "windows", "prominence", "align_text"],
    *["Chunks", "evaluate_chunks", "read_chunks"],
    "__version__",
}

MOST_NAMES = 70

RARE = {
    "agreement_drop": "caesura.analyses.agreement_difference",
    "coder_matrix": "caesura.analyses.coder_agreement",
    **dict.fromkeys(("boundary_similarity_a", "boundary_similarity_c"), "caesura.metrics.edit"),
    **dict.fromkeys(("break_distance", "p_mu"), "caesura.metrics.classic"),
    "tune": "caesura.analyses.tuning",
    "win_pr": "caesura.metrics.window",
}
"""What is reachable as ``cs.NAME`` without standing in ``__all__``, and where it lives."""

BUILDING_BLOCKS = {
    "caesura.alignment": ["Addition", "Alignment", "Match", "Substitution", "Transposition"],
    "caesura.simulation": ["pseudo_coder", "pseudo_coders", "random_coder", "segment_sizes", "with_errors"],
    "caesura.metrics.confusion": ["ConfusionMatrix"],
    "caesura.metrics.multi": ["MultWindowDiff"],
    "caesura.analyses.level_errors": ["HierarchicalError"],
    "caesura.analyses.coder_agreement": ["Agreement", "CoderMatrix", "GroupAgreement"],
    "caesura.analyses.agreement_difference": ["AgreementDifference"],
    "caesura.analyses.study_plan": ["Plan"],
    "caesura.analyses.chunking": ["ChunkEvaluation"],
    "caesura.analyses.comparison": ["Comparison"],
    "caesura.analyses.evaluation": ["Evaluation"],
    "caesura.analyses.description": ["ByDocument", "Description", "Support", "by_document", "support"],
    "caesura.analyses.adjudication": ["Adjudication", "Gold", "Place"],
    "caesura.analyses.thresholds": ["Best", "Sweep"],
    "caesura.analyses.levels": ["ByLevel"],
    "caesura.analyses.consensus_coding": ["majority", "union"],
    "caesura.papers": ["reproduce"],
    "caesura.scale.scanning": ["Scan"],
    "caesura.values.changed_text": ["TextAlignment"],
}
"""What is public below the top: CHANGELOG.md says so."""


def test_there_are_about_sixty_names():
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


@pytest.mark.parametrize(("name", "module"), RARE.items())
def test_the_rarely_used_are_reachable(name, module):
    assert getattr(caesura, name) is getattr(importlib.import_module(module), name)
    assert name in dir(caesura)
    assert name not in caesura.__all__


def test_the_stub_tells_type_checkers_where_each_name_is():
    """Its imports are those at run time, and its ``__all__`` is the package's."""
    stub = ast.parse(Path(caesura.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes = {}
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            homes |= {alias.asname: node.module for alias in node.names}
        elif isinstance(node, ast.Assign):
            assert sorted(ast.literal_eval(node.value)) == caesura.__all__
    assert homes.keys() == {*caesura.__all__, *RARE}
    for name, module in homes.items():
        assert getattr(caesura, name) is getattr(importlib.import_module(module), name)


def test_submodules_need_no_import_of_their_own_and_unknown_names_are_refused():
    code = """
import caesura
print(caesura.metrics.__name__, hasattr(caesura, "metric_s"))
"""
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["caesura.metrics", "False"]
    with pytest.raises(AttributeError, match=r"^module 'caesura' has no attribute 'metric_s'$"):
        _ = caesura.metric_s


def test_all_is_sorted():
    assert sorted(caesura.__all__) == caesura.__all__


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


def loaded_by(code: str) -> set[str]:
    """Return the modules that a fresh interpreter loads for this code."""
    code = (
        f"import sys; before = set(sys.modules); {code}; print(*set(sys.modules) - before, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


HEAVY = {"scipy", "rich", "pandas", "polars", "pyarrow", "narwhals", "altair", "markdown_it", "hypothesis"}


def test_importing_takes_the_standard_library_only():
    loaded = loaded_by("import caesura")
    assert {name for name in loaded if name.startswith("caesura.")} == {
        *["caesura.version", "caesura.results"]
    }
    assert {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names) == {"caesura"}


def test_a_metric_takes_numpy_and_the_standard_library_only():
    loaded = loaded_by("import caesura as cs; cs.boundary_similarity([2, 3], [3, 2])")
    # Modules that Cython makes at run time are no packages.
    foreign = {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    assert {name for name in foreign if not name.startswith(("_", "cython_runtime"))} == {"caesura", "numpy"}
    for layer in ("analyses", "io", "scale", "segmenters", "report", "cli"):
        assert f"caesura.{layer}" not in loaded


# What each command can do without.
ALL = ["metrics", "values", "analyses", "io", "scale", "segmenters", "figures", "pages", "papers"]
UNNEEDED = {
    "--version": ALL,
    "--help": ALL,
    "metrics": ["analyses", "scale", "figures", "pages", "papers"],
    "segmenters": ["analyses", "scale", "figures", "pages", "papers"],
    "agree --help": ["figures", "pages", "papers"],
    "score --help": ["figures", "pages", "papers"],
    "consensus --help": ["scale.scanning", "figures", "pages", "papers"],
    "report --help": ["scale.scanning", "figures", "papers"],
    "figure --help": ["scale.scanning", "pages"],
    "annotate --help": ["scale.scanning", "figures", "papers"],
}


@pytest.mark.parametrize("command", UNNEEDED)
def test_a_command_imports_only_what_it_needs(command):
    loaded = loaded_by(f"from caesura.cli import run; assert run({command.split()!r}) == 0")
    assert loaded.isdisjoint(HEAVY - {"markdown_it"} if command == "annotate --help" else HEAVY)
    assert loaded.isdisjoint({f"caesura.{layer}" for layer in UNNEEDED[command]})


def test_the_version_is_that_of_the_metadata():
    assert caesura.__version__ == importlib.metadata.version("caesura")


def test_the_typing_marker_is_shipped():
    assert importlib.resources.files("caesura").joinpath("py.typed").is_file()

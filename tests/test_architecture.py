"""The architecture, read off the import lines: one direction of flow, no cycles, no shadowed modules."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import caesura

PACKAGE = Path(caesura.__file__).parent
DESIGN = PACKAGE.parents[1] / "docs" / "design.md"

LAYERS = (
    ("version", "arrays", "wording", "installation"),
    ("errors",),
    ("checks", "frames"),
    ("declaration",),
    ("values",),
    ("kernel",),
    ("results",),
    ("alignment",),
    ("metrics",),
    ("simulation", "pairs", "stargazers"),
    ("stats",),
    ("segmenters",),
    ("analyses",),
    ("io",),
    ("scale",),
    ("adapters",),
    ("papers",),
    ("report",),
    ("cli",),
)
"""From what knows nothing to what knows everything; a module imports from rows above its own, or its own."""

ROW = {name: row for row, names in enumerate(LAYERS) for name in names}

EXTRAS = {"caesura.report.figures", "caesura.io.tables"}
"""What may be imported inside a function: what needs an optional package, and the reading of data frames."""

COMPILED = {f"caesura.kernel.{name}" for name in ("native", "segmenting", "cutting", "resampling", "rows")}
"""They may be missing, and then the kernels in Python take their place."""


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(name: str) -> list[tuple[str, bool]]:
    """Return the modules of caesura that one imports, and whether it does so inside a function."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for node in ast.walk(function)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{name}: imports say the whole name"
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [one if one in {*MODULES, *COMPILED} else node.module for one in full]
        else:
            continue
        found += [(one, id(node) in inside) for one in names if one.split(".")[0] == "caesura"]
    return found


def layer(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


@pytest.mark.parametrize("name", [name for name in MODULES if name != "caesura"])
def test_imports_point_to_rows_above(name):
    for other, is_inside in imports(name):
        assert other in {*MODULES, *COMPILED}, f"{name} imports {other}, which is no module"
        if other == "caesura":
            raise AssertionError(f"{name} imports the package as a whole")
        is_extra = is_inside and any(other.startswith(extra) for extra in EXTRAS)
        assert is_extra or ROW[layer(other)] <= ROW[layer(name)], f"{name} imports {other}, against the flow"


@pytest.mark.parametrize("name", list(MODULES))
def test_imports_stand_at_the_top_but_for_optional_extras(name):
    for other, is_inside in imports(name):
        is_extra = any(other.startswith(extra) for extra in (*EXTRAS, *COMPILED))
        assert not is_inside or is_extra, f"{name} imports {other} in a function"


def test_there_is_no_cycle():
    graph = {
        name: {other for other, _ in imports(name) if other != name and not name.startswith(f"{other}.")}
        for name in MODULES
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a cycle of imports: {' → '.join(error.args[1])}")


def test_no_module_has_the_name_of_a_public_function():
    """Commands are named like the functions they call; nothing else is."""
    public = {name for name in caesura.__all__ if callable(getattr(caesura, name))}
    named_alike = {name for name in MODULES if name.split(".")[-1] in public}
    assert {name for name in named_alike if not name.startswith("caesura.cli.")} == set()


@pytest.mark.parametrize("name", list(MODULES))
def test_every_file_opens_with_its_responsibility(name):
    docstring = ast.get_docstring(ast.parse(MODULES[name].read_text(encoding="utf-8")))
    assert docstring
    assert docstring.split("\n")[0].endswith((".", ":"))


def test_the_tree_in_the_documentation_is_the_tree():
    """docs/design.md lists every module and package below src/caesura, and nothing that is not there."""
    block = re.search(r"```\nsrc/caesura/\n(.*?)```", DESIGN.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    shown = set(re.findall(r"^  ([\w/]+(?:\.py)?)(?=\s)", block.group(1), re.MULTILINE))
    there = {
        path.name if path.suffix else f"{path.name}/"
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path.is_dir() and (path / "__init__.py").exists())
    } - {"__init__.py"}
    assert shown == there


def test_the_rows_are_the_packages():
    there = {layer(name) for name in MODULES} - {""}
    assert there == set(ROW)

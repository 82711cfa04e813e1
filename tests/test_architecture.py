"""The architecture, read off the import lines: one direction of flow, no cycles, no shadowed modules."""

import ast
import re
from functools import cache
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
    ("sums",),
    ("segmenters",),
    ("analyses",),
    ("io",),
    ("scale",),
    ("adapters",),
    ("papers",),
    ("figures",),
    ("pages",),
    ("registration",),
    ("cli",),
)
"""From what knows nothing to what knows everything; a module imports from rows above its own, or its own."""

ROW = {name: row for row, names in enumerate(LAYERS) for name in names}

EXTRAS = {"caesura.figures", "caesura.io.tables"}
"""What may be imported inside a function: what needs an optional package, and the reading of data frames."""

COMPILED = {f"caesura.kernel.{name}" for name in ("native", "segmenting", "resampling", "rows")}
"""They may be missing, and then the kernels in Python take their place."""


def modules() -> dict[str, Path]:
    paths = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


MODULES = modules()
KNOWN = {*MODULES, *COMPILED}


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def imports(name: str) -> list[tuple[str, bool]]:
    """Return the modules of caesura that a module imports, and whether it does so inside a function."""
    inside = {
        id(node)
        for function in ast.walk(tree(name))
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for node in ast.walk(function)
    }
    imported = []
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            full = [f"{source}.{alias.name}" for alias in node.names]
            names = [each if each in KNOWN else source for each in full]
        else:
            continue
        # A relative name starts with an empty part.
        imported += [(each, id(node) in inside) for each in names if each.split(".")[0] in ("", "caesura")]
    return imported


def layer(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


@cache
def imports_of_all() -> dict[str, list[tuple[str, bool]]]:
    return {name: imports(name) for name in MODULES}


def fault(name: str, imported: str, is_inside: bool) -> str | None:
    """Return what is wrong with an import, if anything."""
    if imported.startswith("."):
        return "by a relative name"
    if imported not in KNOWN:
        return "which is not a module"
    if is_inside and not any(imported.startswith(extra) for extra in (*EXTRAS, *COMPILED)):
        return "inside a function"
    if name != "caesura" and imported == "caesura":
        return "the package as a whole"
    is_extra = is_inside and any(imported.startswith(extra) for extra in EXTRAS)
    if name != "caesura" and not is_extra and ROW[layer(imported)] > ROW[layer(name)]:
        return "against the flow"
    return None


def test_imports_stand_at_the_top_and_point_to_rows_above():
    faults = [
        f"{name} imports {imported}: {reason}"
        for name, every in imports_of_all().items()
        for imported, is_inside in every
        if (reason := fault(name, imported, is_inside))
    ]
    assert not faults, "\n".join(faults)


def test_flags_are_named_by_the_command_line_alone():
    """Below it messages have Python's keywords, which ``caesura.cli.remarks`` puts into flags."""
    others = {"caesura.installation"}  # it quotes pip, uv and conda
    for name in MODULES:
        if layer(name) == "cli" or name in others:
            continue
        texts = [node.value for node in ast.walk(tree(name)) if isinstance(node, ast.Constant)]
        named = [text for text in texts if isinstance(text, str) and re.search(r"(?<![\w-])--[a-z]", text)]
        assert named == [], name


def test_there_is_no_cycle():
    graph = {
        name: {module for module, _ in every if module != name and not name.startswith(f"{module}.")}
        for name, every in imports_of_all().items()
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


def test_every_file_opens_with_its_responsibility():
    openings = {name: (ast.get_docstring(tree(name)) or "").partition("\n")[0] for name in MODULES}
    faults = [f"{name}: {line!r}" for name, line in openings.items() if not line.endswith((".", ":"))]
    assert not faults, "\n".join(faults)


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

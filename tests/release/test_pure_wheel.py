"""Sdist and pure wheel have equal bytes when built twice, hold what they need, and run in a browser's Python.

There integers have 32 bits, and there are no threads and nothing compiled. Source of truth: the files below
src, and the same calls in CPython with SciPy. Here Pyodide runs in Node; `install_from_npm.sh` gets it.
"""

import importlib.util
import json
from pathlib import Path

import pytest

from caesura import kernel

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
pytestmark = pytest.mark.exhaustive

PROGRAM = """
import json
import numpy as np
import caesura as cs
from caesura import kernel

readers = cs.load_stargazers()
documents = cs.Corpus.from_dict(
    {
        f"d{i}": {"gold": [2, 3, 6], "near": [2, 2, 7], "far": [6, 2, 3] if i % 3 else [2, 3, 6]}
        for i in range(12)
    }
)
evaluation = cs.evaluate(documents, references=["gold"], n_resamples=99, rng=1)
comparison = cs.compare(
    documents, segmenters=["near", "far"], references=["gold"], n_draws=9, n_resamples=99, rng=1
)
print(json.dumps({
    "integers": np.dtype(np.intp).itemsize,
    "kernel": kernel.active.__name__,
    "readers": [str(readers), {coder: list(readers["stargazers", coder].masses) for coder in readers.coders}],
    "B": float(cs.boundary_similarity([2, 3, 6], [2, 2, 7])),
    "WD": float(cs.window_diff([2, 3, 6], [2, 2, 7])),
    "Pk": float(cs.pk([2, 3, 6], [2, 2, 7])),
    "align": str(cs.align([2, 3, 6], [2, 2, 7])),
    "evaluate": evaluation.to_dict(),
    "agreement": cs.agreement(readers, n_resamples=99, rng=1).to_dict(),
    "compare": comparison.to_dict(),
}))
"""


SHOW = """
import ast, contextlib, io, json

def show(cells):
    names, shown = {}, []
    for cell in cells:
        tree = ast.parse(cell)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, "cell", "exec"), names)
            value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        shown.append(printed.getvalue() if value is None else value._repr_html_())
    print(json.dumps(shown))
"""


@pytest.fixture(scope="module")
def dist():
    """Return the module that builds and checks."""
    spec = importlib.util.spec_from_file_location("dist", REPOSITORY / "release" / "dist.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sources(dist, tmp_path_factory):
    return dist.copy_sources(tmp_path_factory.mktemp("sources") / "caesura")


@pytest.fixture(scope="module")
def built(dist, sources, tmp_path_factory):
    """Return pure wheel and sdist, built twice."""
    folders = [tmp_path_factory.mktemp("dist") for _ in range(2)]
    return [
        dist.build(sources, folder, 1_700_000_000, "--no-isolation", compiled=False) for folder in folders
    ]


def test_a_second_build_has_equal_bytes(built):
    first, second = ([(each.name, each.read_bytes()) for each in files] for files in built)
    assert first == second


def test_contents(dist, sources, built):
    wheel, sdist = built[0]
    assert wheel.name.endswith("-py3-none-any.whl")
    assert sdist.name.endswith(".tar.gz")
    dist.check(built[0], sources)


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (["caesura/a.py", "caesura/b.py"], r"not needed \['caesura/b.py'\]"),
        ([], r"missing \['caesura/a.py'\]"),
        (["caesura/a.py", "tests/test_a.py"], r"not needed \['tests/test_a.py'\]"),
        (["caesura/a.py", "caesura/kernel/native.abi3.so"], r"not needed \['native'\]"),
    ],
)
def test_a_wheel_with_other_contents_is_refused(dist, names, fault):
    about = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt", "licenses/LICENSE")
    names = [*names, *(f"caesura-1.dist-info/{name}" for name in about)]
    with pytest.raises(SystemExit, match=fault):
        dist.check_wheel(names, {"caesura/a.py"}, compiled=False)


def test_the_numbers_are_those_of_cpython(run_node, built, capsys):
    stand_in = (HERE / "scipy_stand_in.py").read_text(encoding="utf-8")
    in_pyodide = run_node("pyodide.mjs", built[0][0], text=f"{stand_in}\ninstall()\n{PROGRAM}")
    exec(PROGRAM, {})
    expected = json.loads(capsys.readouterr().out)
    assert in_pyodide.pop("integers") == 4
    assert expected.pop("integers") == 8
    assert in_pyodide.pop("kernel") == "caesura.kernel.python"
    assert expected.pop("kernel") == kernel.active.__name__
    assert json.dumps(rounded(in_pyodide)) == json.dumps(rounded(expected))  # NaN is not NaN


def test_the_notebook_runs_in_pyodide(run_node, built):
    """What a cell ends with is shown as HTML."""
    notebook = json.loads((REPOSITORY / "docs/notebooks/caesura.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert cells.pop(0) == "%pip install caesura"
    stand_in = (HERE / "scipy_stand_in.py").read_text(encoding="utf-8")
    text = f"{stand_in}\ninstall()\n{SHOW}\nshow({cells!r})"
    lines, agreement, comparison = run_node("pyodide.mjs", built[0][0], text=text)
    assert lines.endswith("<B 0.75 = 1.5/2>\n<WD 0.222222 = 2/9>\n<Pk 0.222222 = 2/9>\n")
    assert agreement.startswith("<table><caption>1 document · 7 coders")
    assert comparison.startswith("<table>")
    assert "near" in comparison


def rounded(value):
    """Return plain data with six decimals: the stand-in's integrals are no closer."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 6) if isinstance(value, float) else value

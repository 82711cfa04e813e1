"""What others add: registered by a call, or by an installed package's entry points.

Source of truth: the package in docs/how-to/extend.md, built and installed as a reader would, in processes of
their own; its numbers were worked out by hand.
"""

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

import caesura as cs
from caesura.declaration import Registry
from caesura.figures import FIGURES, Figure

GUIDE = Path(__file__).parents[1] / "docs" / "how-to" / "extend.md"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder in which the guide's package is installed."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    blocks = re.findall(r'title="(.+?)"\n(.*?)```', GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert [name for name, _ in blocks] == ["lengths.py", "pyproject.toml"]
    for name, block in blocks:
        (source / name).write_text(block, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    options = ["--no-build-isolation", "--no-deps", "--target", str(target), str(source)]
    subprocess.run([*pip, *options], check=True, capture_output=True)
    (target / "ref.lengths").write_text("2 3 6")
    (target / "hyp.lengths").write_text("5 6")
    return target


def python(folder, code):
    """Return what a fresh interpreter prints that finds the packages of a folder."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.exhaustive
def test_an_installed_package_adds_to_python(installed):
    code = """
import caesura as cs, sys
reference, hypothesis = (cs.read(f"{name}.lengths")[name, "reference"] for name in ("ref", "hyp"))
cs.metric("B"), cs.segmenter("Uniform")
print("lengths" in sys.modules, reference.masses, hypothesis.masses)
print(cs.metric("SameCount")(reference, hypothesis), cs.metric("SameCount(slack=1)")(reference, hypothesis))
print(cs.segmenter("Halves")(["a", "b", "c", "d", "e"]).masses, list(cs.SEGMENTERS)[-1], list(cs.METRICS)[-1])
"""
    done = python(installed, code)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "True (2, 3, 6) (5, 6)",  # a file may be of any format
        "<SameCount 0 = 0/1> <SameCount(slack=1) 1 = 1/1>",
        "(2, 3) Halves SameCount",
    ]


COMMAND = "import sys; from caesura.cli import run; sys.exit(run({!r}))"


@pytest.mark.exhaustive
def test_an_installed_package_adds_to_the_command_line(installed):
    files = ["score", "ref.lengths", "hyp.lengths"]
    done = python(installed, COMMAND.format([*files, "-m", "SameCount", "-m", "SameCount(slack=1)"]))
    assert done.returncode == 0, done.stderr
    assert "SameCount" in done.stdout
    assert "SameCount(slack=1)" in done.stdout
    listed = python(installed, COMMAND.format(["metrics"])).stdout
    assert "same count" in listed
    described = python(installed, COMMAND.format(["metrics", "SameCount"])).stdout
    assert "how many boundaries the numbers may differ by" in described
    assert "Halves" in python(installed, COMMAND.format(["segmenters"])).stdout
    converted = python(installed, COMMAND.format(["convert", "ref.lengths", "-", "--to", "jsonl", "--help"]))
    assert "lengths of segments" in converted.stdout
    wrong = python(installed, COMMAND.format([*files, "-m", "SameCuont"]))
    assert wrong.returncode == 2
    assert "did you mean 'SameCount'?" in wrong.stderr


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ("B = lengths:SameCount", "there is already a metric 'B': rename 'lengths:SameCount'"),
        ("Other = lengths:SameCount", "metric 'Other' (lengths:SameCount) calls itself 'SameCount'"),
        ("Other = lengths:Missing", "metric 'Other' (lengths:Missing) cannot be imported"),
        ("Other = nowhere:Other", "metric 'Other' (nowhere:Other) cannot be imported: No module named"),
        ("Other = lengths:Halves", "is not a metric: expected a class of it"),
    ],
)
def test_a_wrong_entry_point_is_one_line(installed, tmp_path, point, message):
    folder = tmp_path / "wrong-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[caesura.metrics]\n{point}\n")
    code = f"import sys; sys.path.append({str(installed)!r}); " + COMMAND.format(["metrics"])
    done = python(tmp_path, code)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.fixture
def forgotten(monkeypatch):
    """Let registries forget what a test adds."""
    for registry in (cs.METRICS, cs.SEGMENTERS, cs.FORMATS, FIGURES):
        monkeypatch.setattr(registry, "_members", dict(registry._members))


DECLARED = {
    "name": "Trinket",
    "title": "toy",
    "meaning": "a toy",
    "formula": "1",
    "citation": "none",
    "count_names": ("a", "b"),
    "counts": lambda self, reference, hypothesis: ((1, 1), 1),
    "fraction": lambda self, counts: (*counts, 1.0),
}


def toy(**changes):
    members = {name: value for name, value in {**DECLARED, **changes}.items() if value is not None}
    return type("Trinket", (cs.Metric,), {"__module__": __name__, **members})


def test_what_is_registered_is_known_by_name(forgotten):
    cls = toy()
    assert cs.register(cls) is cls
    cs.register(cls)  # once more is no harm
    assert cs.metric("Trinket")([1, 2], [2, 1]) == 1
    figure = Figure("toy", "a toy", lambda corpus, options: None)
    assert cs.register(figure) is FIGURES["toy"]
    known = dataclasses.replace(cs.FORMATS["jsonl"], name="toy")
    assert cs.register(known) is cs.FORMATS["toy"]
    cs.register(type("U", (cs.SEGMENTERS["Uniform"],), {"name": "U"}))
    assert cs.segmenter("U")(["a", "b"], 2).masses == (1, 1)


class Undecorated(cs.METRICS["F"]):
    """A field, but the class is no dataclass of its own."""

    name: ClassVar[str] = "Undecorated"
    slack: int = dataclasses.field(default=1)


@dataclasses.dataclass(frozen=True, repr=False)
class Unchecked(cs.METRICS["F"]):
    """A parameter that says neither what it means nor what it may be."""

    name: ClassVar[str] = "Unchecked"
    slack: int = 1


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (lambda: toy(name="B"), r"^there is already a metric 'B': rename .*:Trinket$"),
        (lambda: toy(formula=None), r"^metric Trinket does not declare formula$"),
        (lambda: toy(title=None, counts=None), r"^metric Trinket does not declare title and counts$"),
        (lambda: Undecorated, r"^metric Undecorated: decorate it with @dataclass\(frozen=True"),
        (lambda: Unchecked, r"^metric Unchecked: write slack = parameter\("),
        (lambda: dataclasses.replace(cs.FORMATS["srt"], title="x"), r"^there is already a format 'srt'"),
        (lambda: "B", r"^'B' cannot be registered: expected a class of Metric"),
        (lambda: cs.metric("B"), r"cannot be registered: expected a class of Metric"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(forgotten, member, message):
    with pytest.raises(cs.ParameterError, match=message) as caught:
        cs.register(member())
    assert "\n" not in str(caught.value)


def test_what_is_built_in_is_found_without_looking_at_packages():
    registry = Registry("number", {"one": "math:pi"}, lambda member: "one", group="caesura.nothing")
    assert registry["one"] == pytest.approx(3.14159)
    assert not registry._is_complete
    assert list(registry) == ["one"]
    assert registry._is_complete

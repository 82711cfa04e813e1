"""Ctrl-C while the command is still being imported: exit 130 and one line, as later."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

STARTED = """
import importlib, signal, sys
signal.signal(signal.SIGINT, getattr(signal, sys.argv.pop(1)))
module, _, function = sys.argv.pop(1).partition(":")
getattr(importlib.import_module(module), function)()
"""
"""What the installed script does, after its parent has chosen what Ctrl-C does."""

INTERRUPTED = """
import os, signal, sys
os.kill(os.getpid(), signal.SIGINT)
sys.path.remove(os.path.dirname(__file__))
del sys.modules[__name__]
import {name}
"""
"""A module in front of another, at whose import the user presses Ctrl-C."""


@pytest.mark.parametrize("name", ["numpy", "click"])
@pytest.mark.parametrize(
    ("handler", "end"),
    [("default_int_handler", (130, "", "\ncaesura: stopped\n")), ("SIG_IGN", (0, "caesura ", ""))],
)
def test_control_c_during_the_imports(name, handler, end, tmp_path):
    with open(ROOT / "pyproject.toml", "rb") as stream:
        entry = tomllib.load(stream)["project"]["scripts"]["caesura"]
    (tmp_path / f"{name}.py").write_text(INTERRUPTED.format(name=name), encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", STARTED, handler, entry, "--version"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout[: len("caesura ")], done.stderr) == end

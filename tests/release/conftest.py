"""What the tests of a release share: packages from npm, and a failure in CI where they are missing."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

PACKAGES = Path(os.environ.get("CAESURA_NPM") or Path(__file__).parents[2] / "build" / "npm")


@pytest.fixture(scope="session")
def run_node():
    """Return a function that runs a script of this folder in Node and returns the JSON that it prints."""
    node = shutil.which("node")
    if node is None or not (PACKAGES / "node_modules").exists():
        reason = "needs Node and packages from npm: run tests/release/install_from_npm.sh"
        if os.environ.get("CI"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)

    def run_node(script, *arguments, text=""):
        command = [node, Path(__file__).parent / script, PACKAGES / "node_modules", *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout)

    return run_node

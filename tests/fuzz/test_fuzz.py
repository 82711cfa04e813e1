"""A short run of the fuzzing, the same each time; `make fuzz` runs it for minutes."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.exhaustive
def test_nothing_fails_on_mutated_files_parameters_and_commands():
    command = (sys.executable, Path(__file__).with_name("fuzz.py"), "--seed=0", "--cases=200")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, ascii(done.stdout[-3000:])

"""A short run of the fuzzing, the same each time; `make fuzz` runs it for minutes."""

import json
import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).with_name("fuzz.py")


def test_nothing_fails_on_mutated_files_specifications_and_commands():
    done = subprocess.run(
        [sys.executable, FUZZ, "--seed", "0", "--cases", "100"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, json.dumps(done.stdout[-3000:])

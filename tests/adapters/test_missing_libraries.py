"""Without the library that it is for an adapter says in one line what to install; caesura needs none."""

import subprocess
import sys

import pytest

ADAPTER = """
import sys
sys.modules[{library!r}] = None  # as if it were not installed
import caesura
try:
    import caesura.adapters.{adapter}
except caesura.MissingExtraError as error:
    print(error)
"""

LOADED = """
import sys, caesura, caesura.adapters, caesura.adapters.documents
print(*sorted({"sklearn", "evaluate", "datasets", "torch", "torchmetrics", "pandas"} & set(sys.modules)))
"""


def printed(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("adapter", "library", "extra"),
    [
        ("sklearn", "sklearn", "sklearn"),
        ("torchmetrics", "torchmetrics", "torch"),
        ("torchmetrics", "torch", "torch"),
    ],
)
def test_an_adapter_names_its_extra(adapter, library, extra):
    line = printed(ADAPTER.format(adapter=adapter, library=library))
    assert line.startswith("this adapter needs ")
    assert line.endswith(f"[{extra}]'\n")
    assert line.count("\n") == 1


def test_neither_the_package_nor_the_folder_of_adapters_loads_a_library():
    assert printed(LOADED) == "\n"

"""What all tests share: Hypothesis profiles, fixtures for both kernels, and in which order files are run."""

import atexit
import gc
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

import caesura.kernel

# kernel_module is the same for all examples of a test, so it may be function-scoped.
COMMON = {
    "deadline": None,
    "max_examples": 60,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}
settings.register_profile("local", **COMMON)
settings.register_profile("reproducible", derandomize=True, **COMMON)
# To choose with --hypothesis-profile: quick is for the inner loop (make check), thorough for a doubt.
settings.register_profile("quick", **{**COMMON, "max_examples": 15})
settings.register_profile("thorough", **{**COMMON, "max_examples": 5000})
settings.load_profile("reproducible" if os.environ.get("CI") else "local")


# Nothing of Hugging Face's is downloaded, or kept after the tests; its libraries read this when imported.
HUGGING_FACE = tempfile.mkdtemp(prefix="caesura-tests-")
atexit.register(shutil.rmtree, HUGGING_FACE, ignore_errors=True)
os.environ.update(HF_HOME=HUGGING_FACE, HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1")


@pytest.fixture(params=["python", "native"])
def kernel_module(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Run the test on this kernel; a missing native module is a failure, never a skip."""
    module = importlib.import_module(f"caesura.kernel.{request.param}")
    monkeypatch.setattr(caesura.kernel, "active", module)
    return module


@pytest.fixture(scope="session")
def one_bundle() -> Iterator[None]:
    """Bundle Vega's scripts once: they take seconds, and are the same on every page."""
    import vl_convert

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "javascript_bundle", cache(vl_convert.javascript_bundle))
        yield


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they need, and put long files first, the browser's before all."""
    for item in items:
        for fixture, marker in {"browser": "browser", "firefox": "browser", "site": "exhaustive"}.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)
    long_files = {item.path for item in items if item.get_closest_marker("exhaustive") is not None}
    items.sort(key=lambda item: (item.get_closest_marker("browser") is None, item.path not in long_files))


def pytest_collection_finish() -> None:
    """Take what was imported and collected out of every later garbage collection, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def pytest_runtest_setup() -> None:
    """Check each chart against the schema of Vega-Lite once, as a whole, not part by part as well."""
    if "altair" in sys.modules:
        sys.modules["altair"].utils.schemapi.disable_debug_mode()

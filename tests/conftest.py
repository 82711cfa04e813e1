"""What all tests share: the Hypothesis profiles, and a fixture that runs a test on both kernels."""

import importlib
import os
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

import caesura.kernel

# kernel_module is the same for all examples of a test, so it may be function-scoped.
COMMON = {
    "deadline": None,
    "max_examples": 200,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}
settings.register_profile("local", **COMMON)
settings.register_profile("reproducible", derandomize=True, **COMMON)
settings.register_profile("thorough", **{**COMMON, "max_examples": 5000})  # --hypothesis-profile=thorough
settings.load_profile("reproducible" if os.environ.get("CI") else "local")


@pytest.fixture(params=["python", "native"])
def kernel_module(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Run the test on this kernel; a missing native module is a failure, never a skip."""
    module = importlib.import_module(f"caesura.kernel.{request.param}")
    monkeypatch.setattr(caesura.kernel, "active", module)
    return module

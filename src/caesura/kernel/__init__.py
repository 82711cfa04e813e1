"""Choose the compiled kernels or the Python kernels; ``CAESURA_KERNEL=python|native`` forces either."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from caesura.errors import ParameterError

COMPILED = ("native", "segmenting", "resampling", "rows")
READABLE = ("python", "segmenting_python", "resampling_python", "rows_python")


def _choose() -> list[ModuleType]:
    wanted = os.environ.get("CAESURA_KERNEL", "")
    if wanted not in ("", "python", "native"):
        raise ParameterError(f"CAESURA_KERNEL is {wanted!r}: expected 'python' or 'native'")
    if wanted != "python":
        try:
            return _load(COMPILED)
        except ImportError:
            if wanted == "native":
                fault = "CAESURA_KERNEL is 'native', but the compiled module is missing"
                raise ParameterError(f"{fault}: reinstall caesura with a C compiler present") from None
    return _load(READABLE)


def _load(names: tuple[str, ...]) -> list[ModuleType]:
    return [import_module(f"{__name__}.{name}") for name in names]


# The modules in use. Callers look functions up in them at each call, so a test can replace a module.
if TYPE_CHECKING:  # the Python kernels are the definition, also of the types
    from caesura.kernel import python as active
    from caesura.kernel import resampling_python as active_resampling
    from caesura.kernel import rows_python as active_rows
    from caesura.kernel import segmenting_python as active_segmenting
else:
    active, active_segmenting, active_resampling, active_rows = _choose()

__all__ = ["active", "active_resampling", "active_rows", "active_segmenting"]

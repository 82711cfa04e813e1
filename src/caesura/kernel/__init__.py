"""Chooses the compiled kernels or the Python ones; ``CAESURA_KERNEL=python|native`` forces one of them."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

from caesura.errors import ParameterError

COMPILED = ("native", "segmenting", "cutting", "resampling", "rows")
READABLE = ("python", "segmenting_python", "cutting_python", "resampling_python", "rows_python")


def _choose() -> list[ModuleType]:
    wanted = os.environ.get("CAESURA_KERNEL", "")
    if wanted not in ("", "python", "native"):
        raise ParameterError(f"CAESURA_KERNEL is {wanted!r}: expected 'python' or 'native'")
    if wanted != "python":
        try:
            return _load(COMPILED)
        except ImportError:
            if wanted == "native":
                raise ParameterError(
                    "CAESURA_KERNEL is 'native', but the compiled module is missing: reinstall caesura "
                    "with a C compiler present"
                ) from None
    return _load(READABLE)


def _load(names: tuple[str, ...]) -> list[ModuleType]:
    return [import_module(f"{__name__}.{name}") for name in names]


active: ModuleType
"""The module in use. Functions are looked up in it at each call, so a test can exchange it."""
active_segmenting: ModuleType
"""The same for the kernels of the segmenters."""
active_cutting: ModuleType
"""The same for those of the segmenters that cut graphs, pass messages or nest."""
active_resampling: ModuleType
"""The same for those of the Poisson bootstrap."""
active_rows: ModuleType
"""The same for those of the documents' names in rows."""

active, active_segmenting, active_cutting, active_resampling, active_rows = _choose()

"""Chooses the compiled kernels or the Python ones; ``CAESURA_KERNEL=python|native`` forces one of them."""

from __future__ import annotations

import os
from types import ModuleType

from caesura.errors import ParameterError
from caesura.kernel import python, segmenting_python


def _choose() -> tuple[ModuleType, ModuleType]:
    wanted = os.environ.get("CAESURA_KERNEL", "")
    if wanted not in ("", "python", "native"):
        raise ParameterError(f"CAESURA_KERNEL is {wanted!r}: expected 'python' or 'native'")
    if wanted != "python":
        try:
            from caesura.kernel import native, segmenting
        except ImportError:
            if wanted == "native":
                raise ParameterError(
                    "CAESURA_KERNEL is 'native', but the compiled module is missing: reinstall caesura "
                    "with a C compiler present"
                ) from None
        else:
            return native, segmenting
    return python, segmenting_python


active: ModuleType
"""The module in use. Functions are looked up in it at each call, so a test can exchange it."""
active_segmenting: ModuleType
"""The same for the kernels of the segmenters."""

active, active_segmenting = _choose()

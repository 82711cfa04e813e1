"""The registry: every segmenter once, in the order of the documentation; they are chosen by name here."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from caesura.declaration import find, with_parameters
from caesura.errors import ParameterError
from caesura.segmenters.aps import APS
from caesura.segmenters.base import Segmenter
from caesura.segmenters.baselines import Bisection, EveryBoundary, NoBoundary, Random, Uniform
from caesura.segmenters.bayesseg import BayesSeg
from caesura.segmenters.c99 import C99, HC99
from caesura.segmenters.cwm import CWM, HCWM
from caesura.segmenters.haps import HAPS
from caesura.segmenters.hbt import HBT
from caesura.segmenters.mincut import MinCut
from caesura.segmenters.texttiling import TextTiling
from caesura.segmenters.u00 import U00
from caesura.wording import short

SEGMENTERS: dict[str, type[Segmenter]] = {
    cls.name: cls
    for cls in (
        *(TextTiling, C99, HC99, CWM, HCWM, U00, BayesSeg, HBT, MinCut, APS, HAPS),
        *(Random, Uniform, Bisection, NoBoundary, EveryBoundary),
    )
}
"""Every segmenter by name."""


def segmenter(spec: str, **parameters: Any) -> Segmenter:
    """Return the segmenter that a specification names.

    What a specification cannot hold, such as functions and arrays, is given as ``parameters``: with a
    sentence encoder, ``segmenter("C99", vectors=model.encode)``.

    >>> segmenter("C99(mask=9)")
    C99(mask=9)
    >>> segmenter("Uniform")(["one", "two", "three", "four"], 2).masses
    (2, 2)
    >>> segmenter("C99", vectors=[[1, 0], [2, 1], [0, 3]])(["one", "two", "three"], 2).masses
    (2, 1)
    """
    if not isinstance(spec, str):
        raise ParameterError(f"segmenter is {short(spec)}: expected a name, such as 'C99' or 'C99(mask=9)'")
    found = _find(spec)
    return with_parameters(found, parameters) if parameters else found


@lru_cache(maxsize=256)
def _find(spec: str) -> Segmenter:
    """Return the segmenter; segmenters do not change, so one object serves all who ask for it."""
    return find(spec, SEGMENTERS, "segmenter")


def get_segmenter(spec: Segmenter | str) -> Segmenter:
    """Return a segmenter object, whether it was given by name or is one."""
    return spec if isinstance(spec, Segmenter) else segmenter(spec)

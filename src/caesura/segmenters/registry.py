"""The registry: every segmenter once, in the order of the documentation; they are chosen by name here."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from caesura.declaration import Registry, checked_name, find, with_parameters
from caesura.errors import ParameterError
from caesura.segmenters.base import Segmenter
from caesura.wording import short


def _name_of(cls: type[Segmenter]) -> str:
    return checked_name(cls, Segmenter, "boundaries")


_HERE = "caesura.segmenters"

SEGMENTERS: Registry[type[Segmenter]] = Registry(
    "segmenter",
    {
        "TextTiling": f"{_HERE}.texttiling:TextTiling",
        "C99": f"{_HERE}.c99:C99",
        "HC99": f"{_HERE}.c99:HC99",
        "CWM": f"{_HERE}.c99:CWM",
        "HCWM": f"{_HERE}.c99:HCWM",
        "U00": f"{_HERE}.least_cost:U00",
        "BayesSeg": f"{_HERE}.least_cost:BayesSeg",
        "HBT": f"{_HERE}.least_cost:HBT",
        "MinCut": f"{_HERE}.mincut:MinCut",
        "APS": f"{_HERE}.aps:APS",
        "HAPS": f"{_HERE}.aps:HAPS",
        "CVS": f"{_HERE}.vector_sums:CVS",
        "KernelCPD": f"{_HERE}.vector_sums:KernelCPD",
        "SemanticChunker": f"{_HERE}.embeddings:SemanticChunker",
        "TreeSeg": f"{_HERE}.embeddings:TreeSeg",
        "GraphSeg": f"{_HERE}.embeddings:GraphSeg",
        "LLM": f"{_HERE}.llm:LLM",
        "Random": f"{_HERE}.baselines:Random",
        "Uniform": f"{_HERE}.baselines:Uniform",
        "Bisection": f"{_HERE}.baselines:Bisection",
        "None": f"{_HERE}.baselines:NoBoundary",
        "All": f"{_HERE}.baselines:EveryBoundary",
    },
    _name_of,
    _HERE,
)
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
    chosen = _find(spec)
    return with_parameters(chosen, parameters) if parameters else chosen


@lru_cache(maxsize=256)
def _find(spec: str) -> Segmenter:
    """Return the segmenter; segmenters do not change, so one object serves all who ask for it."""
    return find(spec, SEGMENTERS, "segmenter")


def get_segmenter(spec: Segmenter | str) -> Segmenter:
    """Return a segmenter object, whether it was given by name or is one."""
    return spec if isinstance(spec, Segmenter) else segmenter(spec)

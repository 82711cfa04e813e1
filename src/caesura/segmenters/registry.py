"""Segmenters by name, in the order of the documentation."""

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

_CLASSES = {
    "texttiling": "TextTiling",
    "c99": "C99 HC99 CWM HCWM",
    "least_cost": "U00 BayesSeg",
    "hbt": "HBT",
    "mincut": "MinCut",
    "aps": "APS HAPS",
    "vector_sums": "CVS KernelCPD",
    "semantic_chunker": "SemanticChunker",
    "treeseg": "TreeSeg",
    "graphseg": "GraphSeg",
    "llm": "LLM",
    "baselines": "Random Uniform Bisection",
}
_BUILT_IN = {name: f"{_HERE}.{home}:{name}" for home, names in _CLASSES.items() for name in names.split()}
_BUILT_IN |= {"None": f"{_HERE}.baselines:NoBoundary", "All": f"{_HERE}.baselines:EveryBoundary"}

SEGMENTERS: Registry[type[Segmenter]] = Registry("segmenter", _BUILT_IN, _name_of, _HERE)
"""Every segmenter by name."""


def segmenter(spec: str, **parameters: Any) -> Segmenter:
    """Return the segmenter that a specification names.

    Functions and arrays do not fit a specification; pass them as ``parameters``: with a sentence encoder,
    ``segmenter("C99", vectors=model.encode)``.

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
    """Return the segmenter; segmenters are immutable, so one object serves every call."""
    return find(spec, SEGMENTERS, "segmenter")


def get_segmenter(spec: Segmenter | str) -> Segmenter:
    """Return a segmenter, given as an object or by name."""
    return spec if isinstance(spec, Segmenter) else segmenter(spec)

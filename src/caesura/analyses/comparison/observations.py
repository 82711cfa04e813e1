"""Values of segmenters as observations of three factors: segmenter, document, coder (F13t §5.3.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.arrays import IntArray, repeat
from caesura.errors import ParameterError, UnknownNameError, did_you_mean
from caesura.stats.factors import Factor
from caesura.values.corpus import Corpus

FACTORS = ("segmenter", "document", "coder")


def factors_of(
    names: Sequence[str], people: Corpus, codings: Sequence[IntArray], chosen: Sequence[str] | None
) -> tuple[list[Factor], list[Factor]]:
    """Return the chosen factors, and the others.

    Parameters
    ----------
    names
        The segmenters.
    codings
        Of each segmenter the reference coding that each of its observations belongs to.
    chosen
        Names of factors; None: all three.
    """
    if isinstance(chosen, str):
        raise ParameterError(f"factors is {chosen!r}: give a list of names")
    coding = np.concatenate(codings)
    columns = {
        "segmenter": (names, repeat(np.arange(len(names)), [len(each) for each in codings])),
        "document": (people.documents, people.document[coding]),
        "coder": (people.coders, people.coder[coding]),
    }
    factors = {}
    for name, (levels, codes) in columns.items():
        used, codes = np.unique(codes, return_inverse=True)  # without boundaries a document has no pairs
        factors[name] = Factor(name, tuple(levels[level] for level in used.tolist()), codes)
    for name in chosen or ():
        if name not in factors:
            raise UnknownNameError(f"unknown factor {name!r}; {did_you_mean(name, FACTORS)}")
    first = [factors[name] for name in (FACTORS if chosen is None else chosen)]
    return first, [factor for factor in factors.values() if factor not in first]

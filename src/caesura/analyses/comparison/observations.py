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
    names: Sequence[str], people: Corpus, codings: Sequence[IntArray], factors: Sequence[str] | None
) -> list[Factor]:
    """Return the factors that are asked for.

    Parameters
    ----------
    names
        The segmenters.
    codings
        Of each segmenter the reference coding that each of its observations belongs to.
    factors
        Names of factors; None: all three.
    """
    if isinstance(factors, str):
        raise ParameterError(f"factors is {factors!r}: give a list of names")
    coding = np.concatenate(codings)
    columns = {
        "segmenter": (names, repeat(np.arange(len(names)), [len(each) for each in codings])),
        "document": (people.documents, people.document[coding]),
        "coder": (people.coders, people.coder[coding]),
    }
    chosen = []
    for name in FACTORS if factors is None else factors:
        if name not in columns:
            raise UnknownNameError(f"there is no factor {name!r}; {did_you_mean(name, FACTORS)}")
        levels, codes = columns[name]
        used, codes = np.unique(codes, return_inverse=True)  # without boundaries a document has no pairs
        chosen.append(Factor(name, tuple(levels[level] for level in used.tolist()), codes))
    return chosen

"""consensus(): one segmentation per document, of what enough of its coders mark."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from numbers import Rational

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CorpusError, ParameterError
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import Strings

MAX_DENOMINATOR = 10**6
"""A float share is read as the nearest fraction with at most this denominator, so 1 / 3 is one third."""


def consensus(
    corpus: Corpus, share: float | Fraction | str = 0.5, *, strict: bool = False, name: str = "consensus"
) -> Corpus:
    """Return the corpus with one coder, ``name``, who marks what at least a share of the coders mark.

    Each document's own coders count. With several types each (position, type) needs its share; in
    hierarchies a boundary gets the highest rank that a share of the coders give it or exceed. ``share``
    is from 0 (marked by anyone) to 1 (by all), a number or text such as "1/3" or "0.3"; it is compared as
    a fraction, so that with three coders 1 / 3 means one of them. ``strict`` asks for more than the share:
    0.5 for a strict majority. Kazantseva & Szpakowicz (2012), §6, use the union, 30 % and 50 %.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 9], "cy": [5, 6], "di": [2, 9]}})
    >>> consensus(corpus)["d", "consensus"].masses
    (2, 3, 6)
    >>> consensus(corpus, strict=True)["d", "consensus"].masses
    (2, 9)
    """
    least = as_share(share)
    if strict and least == 1:
        raise ParameterError("share is 1 and strict: more than all coders cannot mark a position")
    if not corpus.n_codings:
        raise CorpusError("the corpus has no documents that anybody has coded")
    corpus = corpus.coded
    n_documents = len(corpus.document_names)
    recipe = f"marked by {'more than' if strict else 'at least'} {least} of a document's coders"
    return replace(
        corpus,
        codings=_agreed(corpus, _needed(corpus.n_coders, least, strict)),
        document=np.arange(n_documents),
        coder=np.zeros(n_documents, dtype=np.int64),
        coder_names=Strings.of([str(name)]),
        metadata={**corpus.metadata, "consensus": recipe if least else "marked by any coder"},
    )


def union(corpus: Corpus, *, name: str = "union") -> Corpus:
    """Return the corpus with one coder who marks what any coder marks."""
    return consensus(corpus, 0, name=name)


def majority(corpus: Corpus, *, name: str = "majority") -> Corpus:
    """Return the corpus with one coder who marks what more than half of the coders mark."""
    return consensus(corpus, Fraction(1, 2), strict=True, name=name)


def _needed(n_coders: IntArray, share: Fraction, strict: bool) -> IntArray:
    """Return how many of its coders must mark a boundary of each document."""
    different, which = np.unique(n_coders, return_inverse=True)
    exact = [share * n for n in different.tolist()]
    least = [math.floor(n) + 1 if strict else max(1, math.ceil(n)) for n in exact]
    return np.array(least, dtype=np.int64)[which.reshape(-1)]


def _agreed(corpus: Corpus, needed: IntArray) -> Columns:
    """Return one coding per document, of what as many of its coders mark as ``needed``.

    What enough coders mark on a level of hierarchies, they mark on all below, so the consensus of the levels
    nests: the rank of a position is the one that the last of the coders needed gives it.
    """
    codings = corpus.codings
    document = corpus.document[codings.coding]
    order = np.lexsort((codings.all_types, codings.positions, document))
    document, positions, types = document[order], codings.positions[order], codings.all_types[order]
    same = (np.diff(document) == 0) & (np.diff(positions) == 0)
    if not corpus.is_hierarchical:
        same &= np.diff(types) == 0
    starts = np.flatnonzero(np.concatenate(([True], ~same))[: len(document)])
    counts = np.diff(np.append(starts, len(document)))
    enough = counts >= needed[document[starts]]
    starts = starts[enough]
    kept = document[starts]
    kinds = types[starts + needed[kept] - 1] if corpus.is_hierarchical else types[starts]
    offsets = np.searchsorted(kept, np.arange(len(corpus.document_names) + 1))
    is_plain = bool((kinds == PLAIN_TYPE).all())
    return Columns(corpus.document_units, offsets, positions[starts], None if is_plain else kinds)


def as_share(share: float | Fraction | str) -> Fraction:
    """Return a share as the fraction that is meant, from 0 to 1.

    >>> as_share(1 / 3), as_share("0.3"), as_share(1)
    (Fraction(1, 3), Fraction(3, 10), Fraction(1, 1))
    """
    fault = f"share is {share!r}: expected 0 (any coder) to 1 (all coders), such as 0.5 or '1/3'"
    if isinstance(share, bool) or not isinstance(share, (str, Rational, float)):
        raise ParameterError(fault)
    try:
        least = Fraction(share)
    except (ValueError, OverflowError, ZeroDivisionError):  # no number, infinite, divided by 0
        raise ParameterError(fault) from None
    if isinstance(share, float):
        least = least.limit_denominator(MAX_DENOMINATOR)
    if not 0 <= least <= 1:
        raise ParameterError(fault)
    return least

"""consensus(): one segmentation per document, of what enough of its coders mark, exactly or nearby."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np

from caesura.arrays import IntArray, bincount, repeat
from caesura.checks import N_T
from caesura.errors import ParameterError
from caesura.kernel.places import Marks, Places, Supporters, near_places, supporters
from caesura.metrics.registry import reach_of
from caesura.pairs import coded
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import Strings

MAX_DENOMINATOR = 10**6
"""A float share is read as the nearest fraction with at most this denominator, so 1 / 3 is one third."""


def consensus(
    corpus: Corpus,
    share: float | Fraction | str = 0.5,
    *,
    n_t: int | str = 1,
    strict: bool = False,
    name: str = "consensus",
) -> Corpus:
    """Return the corpus with one coder, ``name``, who marks what at least a share of the coders mark.

    Each document's own coders count. With several types each (position, type) needs its share; in
    hierarchies a boundary gets the highest rank that a share of the coders give it or exceed. ``share``
    is from 0 (marked by anyone) to 1 (by all), a number or text such as "1/3" or "0.3"; it is compared as
    a fraction, so that with three coders 1 / 3 means one of them. ``strict`` asks for more than the share:
    0.5 for a strict majority. Kazantseva & Szpakowicz (2012), §6, use the union, 30 % and 50 %.

    ``n_t`` (on a grid in time perhaps a duration, "3s") lets near marks count together: the places chosen
    are at least n_t apart and have the greatest Σ (support − share · coders), where the support of a place
    is the number of coders with a boundary fewer than n_t away from it. A boundary supports the nearest
    place only. Of equal sums the one with the least total distance of places from the boundaries that
    support them counts, then the leftmost; a place with just the share is taken unless ``strict``, as with
    exact marks (n_t = 1, the default). Each type has its own places; in hierarchies places are found
    whatever the ranks, and then get the highest rank that a share of the coders give them or exceed.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 9], "cy": [5, 6], "di": [2, 9]}})
    >>> consensus(corpus)["d", "consensus"].masses
    (2, 3, 6)
    >>> consensus(corpus, strict=True)["d", "consensus"].masses
    (2, 9)
    >>> near = Corpus.from_dict({"d": {"ann": [5, 6], "bob": [6, 5], "cy": [7, 4]}})
    >>> consensus(near)["d", "consensus"].positions, consensus(near, n_t=2)["d", "consensus"].positions
    ((), (6,))
    """
    least = as_share(share)
    if strict and least == 1:
        raise ParameterError("share is 1 and strict: more than all coders cannot mark a position")
    corpus = coded(corpus)
    reach = reach_of(n_t, corpus.step)
    rule = f"marked by {'more than' if strict else 'at least'} {least} of a document's coders"
    rule = rule if least else "marked by any coder"
    document, position, types, _ = agreed_places(corpus, reach, least, strict)
    codings = Columns.of_marks(corpus.document_units, document, position, types)
    remark = rule if reach == 1 else f"{rule}, exactly or nearby (n_t={reach})"
    return of_one_coder(corpus, codings, str(name), consensus=remark)


def of_one_coder(corpus: Corpus, codings: Columns, name: str, **metadata: Any) -> Corpus:
    """Return the corpus with one coder, who has one of the codings for each document, and more metadata."""
    n = len(codings)
    return replace(
        corpus,
        codings=codings,
        document=np.arange(n),
        coder=np.zeros(n, dtype=np.int64),
        coder_names=Strings.of([name]),
        metadata={**corpus.metadata, **metadata},
    )


def union(corpus: Corpus, *, name: str = "union") -> Corpus:
    """Return the corpus with one coder who marks what any coder marks."""
    return consensus(corpus, 0, name=name)


def majority(corpus: Corpus, *, name: str = "majority") -> Corpus:
    """Return the corpus with one coder who marks what more than half of the coders mark."""
    return consensus(corpus, Fraction(1, 2), strict=True, name=name)


def left_out(
    corpus: Corpus,
    agreed: Corpus,
    share: float | Fraction | str = 0.5,
    *,
    n_t: int = N_T,
    strict: bool = False,
) -> int:
    """Return how many places near marks would fill that a consensus of exact marks, ``agreed``, leaves out.

    These are the places of the consensus with ``n_t`` that have no boundary of the exact one fewer than n_t
    away, of whatever type.

    >>> near = Corpus.from_dict({"d": {"ann": [5, 6], "bob": [6, 5], "cy": [7, 4]}})
    >>> left_out(near, consensus(near))
    1
    """
    corpus = corpus.coded
    nearby = consensus(corpus, share, n_t=n_t, strict=strict).codings.marked
    exact = agreed.codings.marked
    each = np.arange(len(nearby.positions))
    marks, chosen = Marks(nearby.coding, nearby.positions, each), Places(exact.coding, exact.positions)
    return len(nearby.positions) - len(supporters(marks, chosen, n_t).mark)


def _needed(n_coders: IntArray, share: Fraction, strict: bool) -> IntArray:
    """Return how many of its coders must mark a boundary of each document."""
    different, which = np.unique(n_coders, return_inverse=True)
    exact = [share * n for n in different.tolist()]
    least = [math.floor(n) + 1 if strict else max(1, math.ceil(n)) for n in exact]
    return np.array(least, dtype=np.int64)[which.reshape(-1)]


class Agreed(NamedTuple):
    """Boundaries that enough coders support, by document, position and type."""

    document: IntArray
    position: IntArray
    type: IntArray
    support: IntArray
    """Coders who mark it, exactly or nearby."""


def agreed_places(corpus: Corpus, reach: int, share: Fraction, strict: bool) -> Agreed:
    """Return what enough coders of each document mark, fewer than ``reach`` positions from each other.

    In hierarchies, what enough coders mark on a level, they mark on all below, so the consensus of the
    levels nests: the rank of a place is the one that the last of the coders needed gives it. A share of 0
    asks for more than that, one coder: otherwise places would be split to have more of them.
    """
    codings = corpus.codings
    kinds, which = np.unique(codings.all_types, return_inverse=True)
    if corpus.is_hierarchical or not len(kinds):
        kinds, which = np.array([PLAIN_TYPE]), np.zeros_like(which)
    document = corpus.document[codings.coding]
    group = document * len(kinds) + which.reshape(-1)
    marks, rows = Marks.in_order(group, codings.positions, corpus.coder[codings.coding])
    n_coders = repeat(corpus.n_coders, len(kinds))
    n_units = repeat(corpus.document_units, len(kinds))
    places = near_places(marks, n_coders, n_units, reach, share, strict or not share)
    supporting = supporters(marks, places, reach)
    document, types = places.group // len(kinds), kinds[places.group % len(kinds)]
    if corpus.is_hierarchical:
        types = _ranks(supporting, codings.all_types[rows], _needed(corpus.n_coders, share, strict)[document])
    support = bincount(supporting.place, minlength=len(document))
    order = np.lexsort((types, places.position, document))
    return Agreed(document[order], places.position[order], types[order], support[order])


def _ranks(supporting: Supporters, ranks: IntArray, needed: IntArray) -> IntArray:
    """Return the rank of each place that the last of the coders needed gives it; all have enough."""
    ranks = ranks[supporting.mark]
    order = np.lexsort((ranks, supporting.place))
    starts = np.searchsorted(supporting.place, np.arange(len(needed)))
    chosen: IntArray = ranks[order][starts + needed - 1]
    return chosen


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

"""consensus() merges the coders of each document; prominence() ranks boundaries by their support.

KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from numbers import Rational
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from caesura.arrays import IntArray, bincount, repeat
from caesura.checks import N_T
from caesura.errors import ParameterError
from caesura.kernel.places import Marks, Places, near_places, supporters
from caesura.metrics.registry import reach_of
from caesura.pairs import coded
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import Strings
from caesura.values.type_scheme import TypeScheme

Share: TypeAlias = float | Fraction | str

MAX_DENOMINATOR = 10**6
"""A float share becomes the nearest fraction with at most this denominator, so 1 / 3 is one third."""


def consensus(
    corpus: Corpus,
    share: Share = 0.5,
    *,
    n_t: int | str = 1,
    strict: bool = False,
    name: str = "consensus",
) -> Corpus:
    """Merge the coders of each document into one, ``name``, who marks what at least a share of them mark.

    Each document's own coders count. With several types each (position, type) needs its share. In hierarchies
    a boundary gets the highest rank that a share of the coders give it or exceed. ``share`` is a number or
    text such as "1/3" or "0.3", from 0 (marked by any coder) to 1 (by all). It is compared as a fraction, so
    1 / 3 of three coders is one of them. ``strict`` requires more than the share: with 0.5 a strict majority.
    Kazantseva & Szpakowicz (2012), §6, use the union, 30 % and 50 %.

    ``n_t`` (on a time grid perhaps a duration, "3s") counts near marks together. Consensus boundaries are at
    least n_t apart and maximize Σ (support − share · coders). The support of a boundary is the number of
    coders with a mark fewer than n_t away, and a mark supports only the nearest boundary. Ties go to the
    least total distance from the supporting marks, then to the leftmost. A boundary with exactly the share
    counts unless ``strict``, as with exact marks (n_t = 1, the default). Each type has its own boundaries. In
    hierarchies ranks do not influence positions.

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
    bound = f"{'more than' if strict else 'at least'} {least} of a document's coders"
    rule = f"marked by {bound if least else 'any coder'}"
    document, position, types, _ = agreed_places(corpus, reach, least, strict)
    codings = Columns.of_marks(corpus.document_units, document, position, types)
    remark = rule if reach == 1 else f"{rule}, exactly or nearby (n_t={reach})"
    return of_one_coder(corpus, codings, str(name), consensus=remark)


def of_one_coder(corpus: Corpus, codings: Columns, name: str, **metadata: Any) -> Corpus:
    """Return the corpus with one coder, who has a coding of each document, and with more metadata."""
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
    share: Share = 0.5,
    *,
    n_t: int = N_T,
    strict: bool = False,
) -> int:
    """Return how many boundaries of a consensus with ``n_t`` ``agreed``, that of exact marks, misses.

    A boundary is missing if no boundary of ``agreed``, of any type, is fewer than n_t away.

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


class Agreed(NamedTuple):
    """Boundaries that enough coders support, by document, position and type."""

    document: IntArray
    position: IntArray
    type: IntArray
    support: IntArray
    """Coders who mark it, exactly or nearby."""


def agreed_places(corpus: Corpus, reach: int, share: Fraction, strict: bool) -> Agreed:
    """Return the boundaries that enough coders of each document mark, at least ``reach`` positions apart.

    In hierarchies, the rank of a boundary is the rank from the last of the needed coders, so the levels of
    the consensus nest. A share of 0 requires one coder; otherwise boundaries would be split.
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
        different, which = np.unique(corpus.n_coders, return_inverse=True)
        exact = (share * n for n in different.tolist())
        least = [math.floor(n) + 1 if strict else max(1, math.ceil(n)) for n in exact]
        needed = np.array(least, dtype=np.int64)[which][document]
        ranks = codings.all_types[rows][supporting.mark]
        order = np.lexsort((ranks, supporting.place))
        starts = np.searchsorted(supporting.place, np.arange(len(document)))
        types = ranks[order][starts + needed - 1]
    support = bincount(supporting.place, minlength=len(document))
    order = np.lexsort((types, places.position, document))
    return Agreed(document[order], places.position[order], types[order], support[order])


def as_share(share: Share) -> Fraction:
    """Return a share from 0 to 1 as a fraction.

    >>> as_share(1 / 3), as_share("0.3"), as_share(1)
    (Fraction(1, 3), Fraction(3, 10), Fraction(1, 1))
    """
    fault = f"share is {share!r}: expected 0 (any coder) to 1 (all coders), such as 0.5 or '1/3'"
    if isinstance(share, bool) or not isinstance(share, (str, Rational, float)):
        raise ParameterError(fault)
    try:
        least = Fraction(share)
    except (ValueError, OverflowError, ZeroDivisionError):  # not a number, infinite, divided by 0
        raise ParameterError(fault) from None
    if isinstance(share, float):
        least = least.limit_denominator(MAX_DENOMINATOR)
    if not 0 <= least <= 1:
        raise ParameterError(fault)
    return least


# -------------------------------------------------------------------- support as ranks


def prominence(corpus: Corpus, *, n_t: int | str = N_T, name: str = "prominence") -> Corpus:
    """Return a corpus of hierarchies: every marked boundary, ranked by how many coders support it (KS12 §7).

    The boundaries are those of ``consensus`` with a share of 0: at least n_t apart, with the most support,
    exact or near. Rank 1 has the highest support of its document, and equal support has equal rank. Types are
    ignored. Use it as the reference of a hierarchical segmenter for E_Pk and E_WD.

    Parameters
    ----------
    n_t
        Near marks span fewer than this many positions; on a time grid perhaps a duration, "3s".
    name
        The name of the coder.

    >>> codings = {"ann": [2, 3, 6], "bob": [2, 9], "cy": [5, 6], "di": [1, 10]}
    >>> ranked = prominence(Corpus.from_dict({"d": codings}), n_t=1)
    >>> ranked["d", "prominence"].boundaries
    ((1, 2), (2, 1), (5, 1))
    >>> prominence(Corpus.from_dict({"d": codings}))["d", "prominence"].boundaries
    ((2, 1), (5, 2))
    """
    corpus = coded(corpus).without_types()
    reach = reach_of(n_t, corpus.step)
    document, position, _, support = agreed_places(corpus, reach, Fraction(0), strict=False)
    # 1 for the highest support of each document, 2 for the next, and so on.
    width = int(support.max(initial=0)) + 1
    levels, level = np.unique((document + 1) * width - support, return_inverse=True)
    ranks = level - np.searchsorted(levels, document * width) + 1
    codings = Columns.of_marks(corpus.document_units, document, position, ranks)
    remark = f"support of a document's coders as ranks (n_t={reach})"
    ranked = of_one_coder(corpus, codings, str(name), prominence=remark)
    return replace(ranked, type_scheme=TypeScheme.of_ranks(ranks.tolist() or [1]))

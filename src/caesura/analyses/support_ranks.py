"""prominence(): how many coders support a boundary, as the rank of it (KS12 §7).

KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance: boundaries that
more people see are more prominent, and a hierarchy says so.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from caesura.analyses.consensus_coding import agreed_places, of_one_coder
from caesura.arrays import IntArray, repeat
from caesura.checks import N_T
from caesura.metrics.registry import reach_of
from caesura.pairs import coded
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.type_scheme import TypeScheme


def prominence(corpus: Corpus, *, n_t: int | str = N_T, name: str = "prominence") -> Corpus:
    """Return a corpus of hierarchies: what any coder marks, ranked by how many coders support it.

    The places are those of ``consensus`` with a share of 0: at least n_t apart, with the most support, exact
    or near. Rank 1 has the highest support of its document, and equal support has equal rank. Types are left
    aside. E_Pk and E_WD judge a hierarchical segmenter by it.

    Parameters
    ----------
    n_t
        Near marks span fewer than this many positions; on a grid in time perhaps a duration, "3s".
    name
        What the one coder is called.

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
    ranks = _ranks(document, support)
    codings = Columns.of_marks(corpus.document_units, document, position, ranks)
    remark = f"support of a document's coders as ranks (n_t={reach})"
    ranked = of_one_coder(corpus, codings, str(name), prominence=remark)
    return replace(ranked, type_scheme=TypeScheme.of_ranks(ranks.tolist() or [1]))


def _ranks(document: IntArray, support: IntArray) -> IntArray:
    """Return 1 for the highest support of each document, 2 for the next, and so on."""
    order = np.lexsort((-support, document))
    is_new = np.zeros(len(order), dtype=np.int64)
    is_other = np.diff(document[order]) != 0
    is_new[1:] = (np.diff(support[order]) != 0) | is_other
    level = np.cumsum(is_new)
    starts = np.flatnonzero(np.concatenate(([True], is_other)))[: len(order)]
    first = repeat(level[starts], np.diff(np.append(starts, len(order))))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = level - first + 1
    return ranks

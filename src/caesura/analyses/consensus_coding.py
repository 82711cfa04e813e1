"""consensus(): one segmentation per document, of what enough of its coders mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from numbers import Rational

from caesura.errors import CorpusError, ParameterError
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation

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
        raise ParameterError("share is 1 and strict: more than all coders can not mark a position")
    if not corpus.n_codings:
        raise CorpusError("the corpus has no documents")
    agreed = _agreed_ranks if corpus.is_hierarchical else _agreed
    codings = {
        document: {name: agreed(corpus[document].values(), least, strict)} for document in corpus.documents
    }
    recipe = f"marked by {'more than' if strict else 'at least'} {least} of a document's coders"
    metadata = {**corpus.metadata, "consensus": recipe if least else "marked by any coder"}
    return Corpus.from_dict(codings, units=corpus.units, type_scheme=corpus.type_scheme, metadata=metadata)


def union(corpus: Corpus, *, name: str = "union") -> Corpus:
    """Return the corpus with one coder who marks what any coder marks."""
    return consensus(corpus, 0, name=name)


def majority(corpus: Corpus, *, name: str = "majority") -> Corpus:
    """Return the corpus with one coder who marks what more than half of the coders mark."""
    return consensus(corpus, Fraction(1, 2), strict=True, name=name)


def _agreed(codings: Iterable[Segmentation], share: Fraction, strict: bool) -> Segmentation:
    codings = list(codings)
    plain = all(segmentation.is_plain for segmentation in codings)
    marks: Counter[tuple[int, int]] = Counter()
    for segmentation in codings:
        marks.update(segmentation.boundaries)
    agreed = sorted(
        boundary for boundary, count in marks.items() if _is_enough(count, len(codings), share, strict)
    )
    return Segmentation.from_positions(
        [position for position, _ in agreed],
        codings[0].n_units,
        None if plain else [kind for _, kind in agreed],
    )


def _agreed_ranks(codings: Iterable[Segmentation], share: Fraction, strict: bool) -> Segmentation:
    """What enough coders mark on a level, they mark on all below: the consensus of the levels nests."""
    codings = list(codings)
    given: dict[int, list[int]] = {}
    for segmentation in codings:
        for position, rank in segmentation.boundaries:
            given.setdefault(position, []).append(rank)
    agreed: dict[int, int] = {}
    for position, ranks in given.items():
        for count, rank in enumerate(sorted(ranks), start=1):
            if _is_enough(count, len(codings), share, strict):
                agreed[position] = rank
                break
    return Hierarchy.from_ranks(agreed, codings[0].n_units).to_segmentation()


def _is_enough(count: int, n_coders: int, share: Fraction, strict: bool) -> bool:
    """Whether count / n_coders reaches the share, in whole numbers."""
    have, needed = count * share.denominator, share.numerator * n_coders
    return have > needed or (have == needed and not strict)


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

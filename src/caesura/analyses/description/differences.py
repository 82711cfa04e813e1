"""Granularity or conflict: how much of what differs is one coder dividing finer than the other (KS12 §4.2).

KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance. Two codings of a
document are aligned, and the document is cut at their matches and near misses. Where only one of them has
boundaries between two cuts, these are granularity: it divides what the other leaves whole. Where both have,
all of them are conflict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from caesura.alignment.alignment import Alignment, align_pair
from caesura.alignment.weights import make_weights
from caesura.arrays import IntArray, bincount
from caesura.metrics.hierarchical import hypergeometric
from caesura.results.result import Result
from caesura.values.corpus import Corpus
from caesura.version import __version__

NO_DIFFERENCE = "no boundary differs"


class Differences(NamedTuple):
    """What becomes of the boundaries of two codings, summed over documents."""

    agreed: int = 0
    """Matches."""
    near: int = 0
    """Near misses."""
    finer_first: int = 0
    """Boundaries of the first where the second leaves whole."""
    finer_second: int = 0
    conflict: int = 0
    """Boundaries between two cuts where both have some; and wrong types."""
    expected: float = 0.0
    """Granularity if the unmatched boundaries stood at random among the free positions."""

    @property
    def granularity(self) -> int:
        """Boundaries of the one where the other leaves whole."""
        return self.finer_first + self.finer_second

    @property
    def share(self) -> float | None:
        """Granularity among all differences; None where nothing differs."""
        return self._share(self.granularity)

    @property
    def chance(self) -> float | None:
        """The share that random positions would give; None where nothing differs."""
        return self._share(self.expected)

    def _share(self, granularity: float) -> float | None:
        differences = self.granularity + self.conflict
        return granularity / differences if differences and not math.isnan(granularity) else None

    @property
    def exchanged(self) -> Differences:
        """The same with the coders in the other order."""
        return self._replace(finer_first=self.finer_second, finer_second=self.finer_first)


def differences_of(alignment: Alignment) -> Differences:
    """Return the differences of two codings of one document.

    >>> from caesura.alignment import align
    >>> differences_of(align([4, 4, 4, 4], [4, 2, 2, 8]))[:5]
    (2, 0, 1, 1, 0)
    """
    near = alignment.transpositions
    cuts = np.array(
        sorted([match.position for match in alignment.matches] + [edit.start for edit in near]),
        dtype=np.int64,
    )
    sides = [_stretches(each, cuts) for each in (alignment.missed, alignment.spurious)]
    both = np.intersect1d(sides[0], sides[1])
    finer = [int((~np.isin(side, both)).sum()) for side in sides]
    wrong = len(alignment.substitutions)
    conflict = sum(map(len, sides)) - sum(finer) + wrong
    occupied = [edit.end for edit in near] + [edit.position for edit in alignment.substitutions]
    lengths = np.diff(np.concatenate(([0], cuts, [alignment.reference.n_units]))) - 1
    taken = np.searchsorted(cuts, np.unique(np.array(occupied, dtype=np.int64)))
    free = np.maximum(0, lengths - bincount(taken, minlength=len(lengths)))
    expected = _expected(free, len(sides[0]), len(sides[1]))
    return Differences(len(alignment.matches), len(near), finer[0], finer[1], conflict, expected)


def _stretches(additions: Iterable[Any], cuts: IntArray) -> IntArray:
    """Return the stretch of each unmatched boundary: how many cuts are before it."""
    return np.searchsorted(cuts, np.array([addition.position for addition in additions], dtype=np.int64))


def _expected(free: IntArray, n_first: int, n_second: int) -> float:
    """Return the mean granularity of so many boundaries at different random ones of the free positions.

    A boundary counts where none of the other coder's is in its stretch, of f among F free positions: k others
    leave it alone with the probability C(F − f, k) / C(F − 1, k).
    """
    free = free[free > 0]
    total = int(free.sum())
    if n_first + n_second > total:  # of several types, which share positions
        return math.nan
    expected = 0.0
    for own, others in ((n_first, n_second), (n_second, n_first)):
        if own:
            alone = hypergeometric(np.zeros_like(free), total - 1, free - 1, others)
            expected += own * float((free / total * alone).sum())
    return expected


class CoderPair(NamedTuple):
    """Two coders, over all documents that both have coded."""

    first: str
    second: str
    documents: int
    differences: Differences


class OneCoder(NamedTuple):
    """One coder against all others; ``finer_first`` is what he divides finer."""

    coder: str
    comparisons: int
    differences: Differences


@dataclass(frozen=True, repr=False)
class Granularity(Result):
    """How coders differ: by dividing finer, or in conflict."""

    pairs: tuple[CoderPair, ...]
    """Every two coders who share a document."""
    coders: tuple[OneCoder, ...]
    """Each of them against all others."""
    n_t: int

    @property
    def signature(self) -> str:
        """The signature behind the numbers."""
        return f"granularity|n_t={self.n_t}|method=greedy|caesura {__version__}"

    @property
    def total(self) -> Differences:
        """All pairs together."""
        return _sum(pair.differences for pair in self.pairs)

    def numbers(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "pairs": [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "documents": pair.documents,
                    "finer": {
                        pair.first: pair.differences.finer_first,
                        pair.second: pair.differences.finer_second,
                    },
                    **_plain(pair.differences),
                }
                for pair in self.pairs
            ],
            "coders": [
                {
                    "coder": each.coder,
                    "comparisons": each.comparisons,
                    "finer": each.differences.finer_first,
                    "coarser": each.differences.finer_second,
                    **_plain(each.differences),
                }
                for each in self.coders
            ],
        }


def _plain(differences: Differences) -> dict[str, Any]:
    share = differences.share
    return {
        "agreed": differences.agreed,
        "near": differences.near,
        "granularity": differences.granularity,
        "conflict": differences.conflict,
        "share": share,
        "chance": differences.chance,
        **({"reason": NO_DIFFERENCE} if share is None else {}),
    }


def granularity(corpus: Corpus, n_t: int) -> Granularity:
    """Compare every two coders of each document.

    >>> from caesura import load_stargazers
    >>> compared = granularity(load_stargazers(), 2)
    >>> len(compared.pairs), compared.pairs[0].differences.share
    (21, 1.0)
    """
    weights = make_weights(n_t, "scaled", "scaled", 0.0, None)
    number = {coder: i for i, coder in enumerate(corpus.coders)}
    by_pair: dict[tuple[str, str], list[Differences]] = {}
    for document in corpus.documents:
        codings = sorted(corpus[document].items(), key=lambda coding: number[coding[0]])
        for (first, ours), (second, theirs) in combinations(codings, 2):
            differences = differences_of(align_pair(ours, theirs, "greedy", weights))
            by_pair.setdefault((first, second), []).append(differences)
    pairs = [
        CoderPair(first, second, len(by_pair[first, second]), _sum(by_pair[first, second]))
        for first, second in sorted(by_pair, key=lambda pair: (number[pair[0]], number[pair[1]]))
    ]
    coders = []
    for coder in corpus.coders:
        own = [pair for pair in pairs if coder in (pair.first, pair.second)]
        total = _sum(pair.differences if coder == pair.first else pair.differences.exchanged for pair in own)
        coders += [OneCoder(coder, sum(pair.documents for pair in own), total)] if own else []
    return Granularity(tuple(pairs), tuple(coders), n_t)


def _sum(parts: Iterable[Differences]) -> Differences:
    return Differences(*map(sum, zip(Differences(), *parts, strict=True)))

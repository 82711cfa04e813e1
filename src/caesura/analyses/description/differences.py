"""Granularity or conflict: how often coders differ only because one splits finer than the other (KS12 §4.2).

KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance. Two codings of a
document are aligned, and the document is cut at their matches and near misses. If only one coding has
boundaries between two cuts, they are granularity: it splits a segment of the other. If both have, they are
conflict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from caesura.alignment.alignment import Alignment, align_pair
from caesura.alignment.weights import Weights
from caesura.arrays import IntArray, bincount
from caesura.metrics.hierarchical import hypergeometric
from caesura.results.notes import Note, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table
from caesura.values.corpus import Corpus
from caesura.version import __version__
from caesura.wording import whole_percent

NO_DIFFERENCE = "no boundary differs"


class Differences(NamedTuple):
    """The boundaries of two codings by how they differ, summed over documents."""

    agreed: int = 0
    """Matches."""
    near: int = 0
    """Near misses."""
    finer_first: int = 0
    """Boundaries of the first coding inside a segment of the second."""
    finer_second: int = 0
    conflict: int = 0
    """Boundaries between two cuts where both codings have some, and wrong types."""
    expected: float = 0.0
    """Expected granularity with the unmatched boundaries at random free positions."""

    @property
    def granularity(self) -> int:
        """Boundaries of one coding inside a segment of the other."""
        return self.finer_first + self.finer_second

    @property
    def share(self) -> float | None:
        """Granularity among all differences; None if nothing differs."""
        return self._share(self.granularity)

    @property
    def chance(self) -> float | None:
        """The expected share for random positions; None if nothing differs."""
        return self._share(self.expected)

    def _share(self, granularity: float) -> float | None:
        differences = self.granularity + self.conflict
        return granularity / differences if differences and not math.isnan(granularity) else None

    def numbers(self) -> dict[str, Any]:
        """Return counts and shares as plain data."""
        names = ("agreed", "near", "granularity", "conflict", "share", "chance")
        reason = {"reason": NO_DIFFERENCE} if self.share is None else {}
        return {name: getattr(self, name) for name in names} | reason


def differences_of(alignment: Alignment) -> Differences:
    """Return the differences between two codings of one document.

    >>> from caesura.alignment import align
    >>> differences_of(align([4, 4, 4, 4], [4, 2, 2, 8]))[:5]
    (2, 0, 1, 1, 0)
    """
    near, wrong = alignment.transpositions, alignment.substitutions
    starts = [match.position for match in alignment.matches] + [edit.start for edit in near]
    cuts = np.sort(np.array(starts, dtype=np.int64))
    # The stretch of each unmatched boundary: the number of cuts before it.
    unmatched = ([edit.position for edit in side] for side in (alignment.missed, alignment.spurious))
    sides = [np.searchsorted(cuts, np.array(positions, dtype=np.int64)) for positions in unmatched]
    both = np.intersect1d(sides[0], sides[1])
    finer = [int((~np.isin(side, both)).sum()) for side in sides]
    conflict = sum(map(len, sides)) - sum(finer) + len(wrong)
    occupied = [edit.end for edit in near] + [edit.position for edit in wrong]
    lengths = np.diff(np.concatenate(([0], cuts, [alignment.reference.n_units]))) - 1
    taken = np.searchsorted(cuts, np.unique(np.array(occupied, dtype=np.int64)))
    free = np.maximum(0, lengths - bincount(taken, minlength=len(lengths)))
    expected = _expected(free, len(sides[0]), len(sides[1]))
    return Differences(len(alignment.matches), len(near), finer[0], finer[1], conflict, expected)


def _expected(free: IntArray, n_first: int, n_second: int) -> float:
    """Return the mean granularity of this many boundaries at different random free positions.

    A boundary counts if its stretch, with f of the F free positions, has none of the other coder's k
    boundaries. The probability is C(F − f, k) / C(F − 1, k).
    """
    free = free[free > 0]
    total = int(free.sum())
    if n_first + n_second > total:  # several types share positions
        return math.nan
    expected = 0.0
    for own, others in ((n_first, n_second), (n_second, n_first)):
        if own:
            alone = hypergeometric(np.zeros_like(free), total - 1, free - 1, others)
            expected += own * float((free / total * alone).sum())
    return expected


class CoderPair(NamedTuple):
    """Two coders, over all documents that both annotated."""

    first: str
    second: str
    documents: int
    differences: Differences

    def numbers(self) -> dict[str, Any]:
        """Return the row as plain data."""
        first, second, documents, own = self
        finer = {first: own.finer_first, second: own.finer_second}
        return {"first": first, "second": second, "documents": documents, "finer": finer, **own.numbers()}


class OneCoder(NamedTuple):
    """One coder against all others; ``finer_first`` counts where this coder splits finer."""

    coder: str
    comparisons: int
    differences: Differences

    def numbers(self) -> dict[str, Any]:
        """Return the row as plain data."""
        coder, comparisons, own = self
        finer = {"finer": own.finer_first, "coarser": own.finer_second}
        return {"coder": coder, "comparisons": comparisons, **finer, **own.numbers()}


@dataclass(frozen=True, repr=False)
class Granularity(Result):
    """How coders differ: by splitting finer, or in conflict."""

    NUMBERS = ("pairs", "coders")

    pairs: tuple[CoderPair, ...]
    """The pairs of coders who share a document."""
    coders: tuple[OneCoder, ...]
    """Each coder against all others."""
    n_t: int

    @property
    def signature(self) -> str:
        """The signature behind the numbers."""
        return f"granularity|n_t={self.n_t}|method=greedy|caesura {__version__}"

    @property
    def total(self) -> Differences:
        """All pairs together."""
        return _sum(pair.differences for pair in self.pairs)


def granularity(corpus: Corpus, n_t: int) -> Granularity:
    """Compare all pairs of coders of each document.

    >>> from caesura import load_stargazers
    >>> compared = granularity(load_stargazers(), 2)
    >>> len(compared.pairs), compared.pairs[0].differences.share
    (21, 1.0)
    """
    weights, number = Weights(n_t), corpus.coder_numbers
    by_pair: dict[tuple[str, str], list[Differences]] = {}
    for document in corpus.documents:
        codings = sorted(corpus[document].items(), key=lambda coding: number[coding[0]])
        for (first, ours), (second, theirs) in combinations(codings, 2):
            differences = differences_of(align_pair(ours, theirs, "greedy", weights))
            by_pair.setdefault((first, second), []).append(differences)
    ordered = sorted(by_pair.items(), key=lambda item: [number[coder] for coder in item[0]])
    pairs = [CoderPair(*coders, len(parts), _sum(parts)) for coders, parts in ordered]
    rows = []
    for coder in corpus.coders:
        own = [pair for pair in pairs if coder in (pair.first, pair.second)]
        turned = (
            of if coder == first else of._replace(finer_first=of.finer_second, finer_second=of.finer_first)
            for first, _, _, of in own
        )
        rows += [OneCoder(coder, sum(pair.documents for pair in own), _sum(turned))] if own else []
    return Granularity(tuple(pairs), tuple(rows), n_t)


def _sum(parts: Iterable[Differences]) -> Differences:
    return Differences(*map(sum, zip(Differences(), *parts, strict=True)))


# -------------------------------------------------------------------- tables and sentences


DIFFERENCES = ("agreed", "near", "finer", "coarser", "conflict", "share", "chance")


def granularity_notes(granularity: Granularity) -> list[Note]:
    """Return how often coders differ only because one splits finer than the other."""
    total, text = granularity.total, "No two coders of a document differ in a boundary."
    if total.share is not None:
        by_chance = "" if total.chance is None else f" (random coders: {whole_percent(total.chance)})"
        those = f"{whole_percent(total.share)} of the {total.granularity + total.conflict:,} differences"
        text = f"In {those} one coder splits a segment of the other; the rest are conflicts{by_chance}."
    explained = "finer: the coder splits a segment of the others; coarser: the others split one of the coder"
    explained += "; conflict: both split, differently; share: finer and coarser among all differences."
    return [finding(text), reading(explained), signature(granularity.signature)]


def _table(granularity: Granularity, names: Sequence[str], parts: Iterable[CoderPair | OneCoder]) -> Table:
    """Return one row per part; finer: the first (or only) coder splits finer, coarser: the other."""
    columns = ((part[:-1], part.differences) for part in parts)  # those of DIFFERENCES
    rows: list[list[Cell]] = [[*who, *of[:5], of.share, of.chance] for who, of in columns]
    notes = granularity_notes(granularity)
    return Table.under((*names, *DIFFERENCES), rows, notes, "Granularity or conflict", digits=2)


present(
    Granularity,
    notes=granularity_notes,
    main=lambda result: _table(result, ("coder", "comparisons"), result.coders),
    pairs=lambda result: _table(result, ("coder", "other", "documents"), result.pairs),
)

"""Baselines that do not read the texts: Random, Uniform, Bisection, None and All."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura.arrays import IntArray
from caesura.checks import Seed, as_generator
from caesura.declaration import number, whole
from caesura.segmenters.base import Segmenter, ascending, number_of
from caesura.segmenters.text import UnitsLike
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation


class Baseline(Segmenter):
    """A segmenter that does not read the texts."""

    needs = "the number of units"


@dataclass(frozen=True, repr=False)
class Random(Baseline):
    """Random boundaries: a given number, or each gap with the same probability.

    >>> Random()(["a"] * 10, 4, rng=1).n_segments
    4
    """

    name = "Random"
    title = "random boundaries"
    meaning = "every choice of n_segments − 1 gaps is equally likely; otherwise each gap has the same density"
    citation = "Fournier (2013), Evaluating text segmentation, thesis, §5.3"
    cost = "time and memory n"
    is_random = True

    density: float = number(0.1, "boundaries per gap if the number of segments is not given", maximum=1.0)

    def __call__(self, units: UnitsLike, n_segments: int | None = None, *, rng: Seed = None) -> Segmentation:
        n_units, wanted = self.checked(units, n_segments)
        return Segmentation.over(n_units, self.drawn(n_units, wanted, as_generator(rng)))

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        return self.drawn(number_of(units), n_segments, as_generator(None))

    def drawn(self, n_units: int, n_segments: int | None, rng: np.random.Generator) -> IntArray:
        """Return random positions."""
        if n_segments is None:
            return np.flatnonzero(rng.random(n_units - 1) < self.density).astype(np.int64) + 1
        return ascending(rng.choice(n_units - 1, n_segments - 1, replace=False) + 1)


@dataclass(frozen=True, repr=False)
class Uniform(Baseline):
    """Segments of equal length, as far as whole units allow.

    >>> Uniform()(["a"] * 10, 4).masses
    (2, 3, 2, 3)
    >>> Uniform(length=4)(["a"] * 10).masses
    (4, 4, 2)
    """

    name = "Uniform"
    title = "segments of equal length"
    meaning = "boundary i of K segments stands after floor(i n / K) units, or after every length units"
    citation = "Fournier (2013), Evaluating text segmentation, thesis, §5.3"
    cost = "time and memory n"

    length: int = whole(10, "units of a segment if the number of segments is not given", minimum=1)

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        n_units = number_of(units)
        if n_segments is None:
            return np.arange(self.length, n_units, self.length, dtype=np.int64)
        return np.arange(1, n_segments, dtype=np.int64) * n_units // n_segments


@dataclass(frozen=True, repr=False)
class Bisection(Baseline):
    """Every segment is cut in the middle, the longest first: BIN.

    >>> Bisection()(["a"] * 8, 3).masses
    (2, 2, 4)
    >>> Bisection().hierarchy(["a"] * 8).ranks
    (3, 2, 3, 1, 3, 2, 3)
    """

    name = "Bisection"
    title = "recursive bisection, BIN"
    meaning = "units [a, b) are cut at (a + b + 1) // 2, then both parts; the depth of a cut is its rank"
    citation = "Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL, §3"
    cost = "time and memory n"
    has_hierarchy = True
    is_hierarchical = True

    depth: int = whole(3, "levels of cuts if no number is given: up to 2^depth segments", minimum=0)

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        cuts = bisection(number_of(units))
        if n_segments is None:
            return np.array(sorted(cut for cut, rank in cuts if rank <= self.depth), dtype=np.int64)
        return np.array(sorted(cut for cut, _ in cuts[: n_segments - 1]), dtype=np.int64)

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        n_units, wanted = self.checked(units, n_segments)
        n_cuts = None if wanted is None else wanted - 1
        return Hierarchy.from_ranks(dict(bisection(n_units)[:n_cuts]), n_units)


def bisection(n_units: int) -> list[tuple[int, int]]:
    """Return all cuts with their depths, level after level, each from left to right."""
    cuts: list[tuple[int, int]] = []
    level, depth = [(0, n_units)], 1
    while level:
        below = []
        for start, end in level:
            middle = (start + end + 1) // 2
            if start < middle < end:
                cuts.append((middle, depth))
                below += [(start, middle), (middle, end)]
        level, depth = below, depth + 1
    return cuts


@dataclass(frozen=True, repr=False)
class NoBoundary(Baseline):
    """No boundary at all.

    >>> NoBoundary()(["a"] * 10).masses
    (10,)
    """

    name = "None"
    title = "no boundary"
    meaning = "the document is one segment, for any number of segments"
    citation = "Pevzner & Hearst (2002), A critique and improvement of an evaluation metric, §4"
    cost = "nothing"
    takes_n_segments = False

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, repr=False)
class EveryBoundary(Baseline):
    """A boundary at every gap.

    >>> EveryBoundary()(["a"] * 3).masses
    (1, 1, 1)
    """

    name = "All"
    title = "all boundaries"
    meaning = "every unit is a segment, for any number of segments"
    citation = "Pevzner & Hearst (2002), A critique and improvement of an evaluation metric, §4"
    cost = "time and memory n"
    takes_n_segments = False

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        return np.arange(1, number_of(units), dtype=np.int64)

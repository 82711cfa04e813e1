"""HAPS: affinity propagation with contiguity, level above level.

After Kazantseva & Szpakowicz (2014), Hierarchical topical segmentation with affinity propagation, COLING.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.declaration import number, whole
from caesura.segmenters.aps import APS, cuts
from caesura.segmenters.text import UnitsLike
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation


@dataclass(frozen=True, repr=False)
class HAPS(APS):
    """HAPS: the segments of a level are what the level above it clusters around exemplars.

    The finest level is APS. On each level above, the exemplars are some of those below: a segment a may join
    the segment b, for which s(a, b) = Σ s(i, exemplar of b) over the units i of a, and messages are passed
    between segments as between units. So each level has the greatest net similarity that message passing
    finds for a segmentation of the units whose boundaries and exemplars the level below has. A level has
    ``growth`` times fewer segments than the level below it, by bisection of its preference. This is not
    the paper's algorithm: its graph has all levels and passes messages between them; here a level is settled
    before the next one starts.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> HAPS(preference=-0.1, growth=2.0, levels=2).hierarchy(text).level(1).masses
    (3, 3)
    """

    name = "HAPS"
    title = "hierarchical affinity propagation for segmentation, HAPS"
    meaning = (
        "levels of segments around exemplars, each settled before the one above it (the paper settles them "
        "together); exemplars of a level are some of those below"
    )
    citation = (
        "Kazantseva & Szpakowicz (2014), Hierarchical topical segmentation with affinity propagation, COLING"
    )
    cost = "as APS, and as much for each level, whose units are the segments below"
    has_hierarchy = True
    is_hierarchical = True

    levels: int = whole(3, "most levels", minimum=1)
    growth: float = number(3.0, "segments of a level, by those of the level above it", exclusive=True)

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return the levels with ranks; ``n_segments`` is the number of the finest."""
        n_units, wanted = self.checked(units, n_segments)
        similarities = self.similarities(units)
        exemplars = self.exemplars(similarities, wanted)
        positions = cuts(similarities, exemplars)
        found = [Segmentation.over(n_units, positions)]
        for _ in range(1, self.levels):
            fewer = max(1, round(len(exemplars) / self.growth))
            if fewer >= len(exemplars):
                break
            between = similarities_of_segments(similarities, exemplars, positions, self.widest)
            chosen = self.exemplars(between, fewer)
            exemplars, positions = exemplars[chosen], positions[cuts(between, chosen) - 1]
            found.append(Segmentation.over(n_units, positions))
        return Hierarchy.from_levels(found[::-1])


def similarities_of_segments(
    similarities: FloatArray, exemplars: IntArray, positions: IntArray, widest: int
) -> FloatArray:
    """Return by distance how similar the units of each segment are to the exemplar of another, summed.

    ``[reach + d, a]`` is Σ s(i, exemplar of a + d) over the units i of a but for that exemplar; beyond the
    window of the units it is 0.
    """
    n_units, unit_reach = similarities.shape[1], len(similarities) // 2
    n_segments = len(exemplars)
    reach = max(1, min(n_segments - 1, widest))
    segment = np.repeat(np.arange(n_segments), np.diff(positions, prepend=0, append=n_units))
    sums = np.zeros((2 * reach + 1, n_segments))
    for number_, exemplar in enumerate(exemplars.tolist()):
        near = np.arange(max(0, exemplar - unit_reach), min(n_units, exemplar + unit_reach + 1))
        near = near[near != exemplar]
        row = number_ - segment[near] + reach
        near, row = near[(row >= 0) & (row <= 2 * reach)], row[(row >= 0) & (row <= 2 * reach)]
        np.add.at(sums, (row, segment[near]), similarities[exemplar - near + unit_reach, near])
    return sums

"""Hypothesis strategies: segmentations and pairs of them of one length, plain and with several types.

They are built from positions and (position, type) pairs alone, the definition of a segmentation (SPEC §1).
A pair is drawn position by position for both sides at once: matches and near misses are frequent, and one
list of choices is quick to draw and to shrink.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from caesura import Segmentation
from caesura.metrics.base import Metric
from caesura.values.segmentation import SegmentationLike, as_segmentation

MAX_UNITS = 25
TYPES = (1, 2, 3, 5)

Types = tuple[int, ...]
Pairs = st.SearchStrategy[tuple[Segmentation, Segmentation]]

PLAIN_SITES: list[tuple[Types, Types]] = [((), ()), ((1,), (1,)), ((1,), ()), ((), (1,))]
SUBSETS: list[Types] = [(), (1,), (2,), (1, 2), (5,), (3, 5), (1, 2, 3), TYPES]
TYPED_SITES = [((), ())] * 16 + [(one, other) for one in SUBSETS for other in SUBSETS]


def from_sites(sites: Sequence[Types]) -> Segmentation:
    """Build a segmentation from the types at each potential boundary."""
    boundaries = [(position, kind) for position, kinds in enumerate(sites, start=1) for kind in kinds]
    return Segmentation.from_positions(
        [position for position, _ in boundaries], len(sites) + 1, types=[kind for _, kind in boundaries]
    )


def _pairs(sites: list[tuple[Types, Types]], max_units: int) -> Pairs:
    return st.lists(st.sampled_from(sites), max_size=max_units - 1).map(
        lambda drawn: (from_sites([one for one, _ in drawn]), from_sites([other for _, other in drawn]))
    )


def plain_pairs(max_units: int = MAX_UNITS) -> Pairs:
    """Two plain segmentations of one document."""
    return _pairs(PLAIN_SITES, max_units)


def typed_pairs(max_units: int = 10) -> Pairs:
    """Two segmentations of one document with several types; short, so that types meet."""
    return _pairs(TYPED_SITES, max_units)


def pairs() -> Pairs:
    """Two segmentations of one document, plain or with several types."""
    return st.one_of(plain_pairs(), typed_pairs())


def has_window(metric: Metric, document: SegmentationLike) -> bool:
    """Whether a metric with a window size of its own has a window in this document (SPEC §14)."""
    k = metric.parameters.get("k")
    return k is None or k < as_segmentation(document).n_units


def plain() -> st.SearchStrategy[Segmentation]:
    """Plain segmentations."""
    return plain_pairs().map(lambda pair: pair[0])


def typed() -> st.SearchStrategy[Segmentation]:
    """Segmentations with several types."""
    return typed_pairs().map(lambda pair: pair[0])


def sparse_pairs(max_units: int = 10**15) -> Pairs:
    """Two plain segmentations of one very long document, some of their boundaries near each other."""

    def build(
        n_units: int, steps: list[tuple[int, tuple[Types, Types]]]
    ) -> tuple[Segmentation, Segmentation]:
        position, sides = 0, ([], [])
        for step, site in steps:
            position += step
            for side, kinds in zip(sides, site, strict=True):
                if kinds and position < n_units:
                    side.append(position)
        one, other = (Segmentation.from_positions(side, n_units) for side in sides)
        return one, other

    step = st.one_of(st.integers(1, 100), st.integers(1, max_units // 4))
    return st.builds(
        build,
        st.integers(10**6, max_units),
        st.lists(st.tuples(step, st.sampled_from(PLAIN_SITES)), max_size=20),
    )

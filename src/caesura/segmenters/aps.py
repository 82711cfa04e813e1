"""APS and HAPS: affinity propagation with contiguous segments around exemplars, flat and hierarchical.

Kazantseva & Szpakowicz (2011), Linear text segmentation using affinity propagation, EMNLP; (2014),
Hierarchical topical segmentation with affinity propagation, COLING.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray, repeat
from caesura.checks import check_number
from caesura.declaration import number, parameter, whole
from caesura.segmenters.base import Segmenter
from caesura.segmenters.similarities import Vectors, near_cosines, products_of, tf_idf, vectors_parameter
from caesura.segmenters.text import Terms, UnitsLike, texts_of, words_parameter
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation

STEPS = 24  # bisections of the preference for a number of segments

NARROWEST = 10  # smallest reach of comparisons in units, also in short documents


@dataclass(frozen=True, repr=False)
class APS(Segmenter):
    """APS: each segment has an exemplar, and each unit belongs to the segment of a similar exemplar.

    The net similarity is Σ s(i, exemplar of i) over the units i, plus the preference for each exemplar.
    Messages (max-sum) are passed until the exemplars stay the same for ``patience`` rounds. s is the cosine
    of terms weighted by (1 + log2(tf + 1)) · log2(chunks / df); e^(−decay · d) of the d-th unit after a unit
    is added to it. A higher preference gives more segments. For a given number of segments the preference is
    found by bisection; if no preference gives the number, the exemplars with the most evidence are taken.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> APS()(text, 2).masses
    (3, 3)
    """

    name = "APS"
    title = "affinity propagation for segmentation, APS"
    meaning = "segments around exemplars that are most similar to their units, by message passing"
    citation = "Kazantseva & Szpakowicz (2011), Linear text segmentation using affinity propagation, EMNLP"
    cost = "time n w rounds, memory 50 n w bytes, w = min(window × n, widest); K: some twenty times as long"

    preference: float = parameter(
        -0.7,
        "similarity of an exemplar to itself; sets the number of segments if none is given",
        lambda name, value: check_number(name, value, -math.inf),
    )
    window: float = parameter(
        0.3,
        "share of the document within which units are compared",
        lambda name, value: check_number(name, value, 0.0, 1.0, exclusive=True),
    )
    widest: int = whole(100, "most units between two compared units; bounds time and memory", minimum=1)
    damping: float = number(0.9, "share of the old message in the new one", maximum=0.99)
    rounds: int = whole(1000, "most rounds of messages", minimum=1)
    patience: int = whole(100, "rounds without a change of exemplars before the end", minimum=1)
    chunks: int = whole(30, "equal parts of the document; tf-idf counts them as documents", minimum=2)
    smoothing: int = whole(1, "units after one that are added to it", minimum=0)
    decay: float = number(1.45, "added weights fall by e^(−decay) with each unit")
    words: str | Terms = words_parameter("mit")
    vectors: Vectors | None = vectors_parameter()

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        similarities = self.similarities(units)
        return cuts(similarities, self.exemplars(similarities, n_segments))

    def exemplars(self, similarities: FloatArray, n_segments: int | None) -> IntArray:
        """Return the exemplars, ascending."""
        if n_segments is not None:
            return most(self._evidence_for(similarities, n_segments), n_segments)
        if not similarities.any():
            return np.zeros(1, dtype=np.int64)  # no evidence for a boundary
        evidence = self.evidence(with_preference(similarities, self.preference))
        return most(evidence, max(1, int((evidence > 0.0).sum())))

    def _evidence_for(self, similarities: FloatArray, n_segments: int) -> FloatArray:
        """Return the evidence at the preference whose number of exemplars is nearest to ``n_segments``."""
        # One exemplar less gains at most the sum of its units' similarities to another exemplar.
        low, high = -float(np.abs(similarities).sum(axis=0).max()) * similarities.shape[0] - 1.0, 1.0
        nearest, distance = np.zeros(0), math.inf
        for _ in range(STEPS):
            preference = _between(low, high)
            evidence = self.evidence(with_preference(similarities, preference))
            more = int((evidence > 0.0).sum()) - n_segments
            if abs(more) < distance:
                nearest, distance = evidence, abs(more)
            if not more:
                break
            low, high = (low, preference) if more > 0 else (preference, high)
        return nearest

    def evidence(self, similarities: FloatArray) -> FloatArray:
        """Return the evidence for each unit as an exemplar; units above 0 are exemplars."""
        if similarities.shape[1] == 1:
            return np.ones(1)
        messages = np.zeros_like(similarities), np.zeros_like(similarities)
        limits = self.rounds, self.patience
        return kernel.active_segmenting.propagate(similarities, *messages, self.damping, *limits)[0]

    def similarities(self, units: UnitsLike) -> FloatArray:
        """Return similarities by distance: ``[reach + d, i]`` is that of i and i + d, or 0 for d = 0."""
        texts = texts_of(units)
        n_units = len(texts)
        reach = max(1, min(max(int(self.window * n_units), NARROWEST), self.widest, n_units - 1))
        needed = 8 * n_units * 7 * (2 * reach + 1)
        self.check_memory(n_units, needed, f"{self.name}(widest=100) compares none further apart")
        fading = self.chunks, self.smoothing, self.decay
        products = products_of(
            *(texts, self.words, self.vectors),
            lambda counts: tf_idf(counts, 1.0 + np.log2(counts.weights + 1.0), *fading, np.log2),
        )
        band = near_cosines(products, reach)
        both = np.zeros((2 * reach + 1, n_units))
        for d in range(1, min(reach, n_units - 1) + 1):
            both[reach + d, : n_units - d] = both[reach - d, d:] = band[: n_units - d, d]
        return both


@dataclass(frozen=True, repr=False)
class HAPS(APS):
    """HAPS: each level clusters the segments of the level below around exemplars.

    The finest level is APS. The exemplars of each higher level are exemplars of the level below. The
    similarity of segments a and b is s(a, b) = Σ s(i, exemplar of b) over the units i of a, and messages are
    passed between segments. A level has ``growth`` times fewer segments than the level below, by bisection of
    its preference. This is not the paper's algorithm: the paper passes messages between all levels in one
    graph; here a level is settled before the next one starts.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> HAPS(preference=-0.1, growth=2.0, levels=2).hierarchy(text).level(1).masses
    (3, 3)
    """

    name = "HAPS"
    title = "hierarchical affinity propagation for segmentation, HAPS"
    meaning = (
        "levels of segments around exemplars, from the finest up (the paper settles them together); the "
        "exemplars of a level are exemplars of the level below"
    )
    citation = (
        "Kazantseva & Szpakowicz (2014), Hierarchical topical segmentation with affinity propagation, COLING"
    )
    cost = "as APS, and as much for each level, whose units are the segments below"
    has_hierarchy = True
    is_hierarchical = True

    levels: int = whole(3, "most levels", minimum=1)
    growth: float = number(3.0, "number of segments of a level over that of the level above", exclusive=True)

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return the levels as ranks; the finest has ``n_segments`` segments."""
        n_units, wanted = self.checked(units, n_segments)
        similarities = self.similarities(units)
        exemplars = self.exemplars(similarities, wanted)
        positions = cuts(similarities, exemplars)
        levels_below = [Segmentation.over(n_units, positions)]
        for _ in range(1, self.levels):
            fewer = max(1, round(len(exemplars) / self.growth))
            if fewer >= len(exemplars):
                break
            between = similarities_of_segments(similarities, exemplars, positions, self.widest)
            chosen = self.exemplars(between, fewer)
            exemplars, positions = exemplars[chosen], positions[cuts(between, chosen) - 1]
            levels_below.append(Segmentation.over(n_units, positions))
        return Hierarchy.from_levels(levels_below[::-1])


# -------------------------------------------------------------------- similarities and cuts


def with_preference(similarities: FloatArray, preference: float) -> FloatArray:
    """Return the similarities with the preference added to each unit's similarity to itself."""
    preferred = similarities.copy()
    preferred[len(similarities) // 2] += preference
    return preferred


def _between(low: float, high: float) -> float:
    """Return the preference halfway between two, below −1 in logarithms."""
    if low >= -1.0:
        return (low + high) / 2.0
    return -math.sqrt(-low * max(-high, 0.1)) if high < 0.0 else (high - 1.0) / 2.0


def most(evidence: FloatArray, n_exemplars: int) -> IntArray:
    """Return the units with the most evidence, ascending; at ties the first."""
    return np.sort(np.argsort(-evidence, kind="stable")[:n_exemplars]).astype(np.int64)


def cuts(similarities: FloatArray, exemplars: IntArray) -> IntArray:
    """Return the boundaries between exemplars that maximize the similarities of units to exemplars.

    Similarities outside the window are 0. At ties the first boundary is taken.
    """
    reach = similarities.shape[0] // 2
    positions = np.empty(len(exemplars) - 1, dtype=np.int64)
    for index, (left, right) in enumerate(itertools.pairwise(exemplars.tolist())):
        between = np.arange(left + 1, right)
        to_left, to_right = (_similarity(similarities, between, side, reach) for side in (left, right))
        gain = to_left - to_right
        positions[index] = left + 1 + np.concatenate([[0.0], np.cumsum(gain)]).argmax()
    return positions


def _similarity(similarities: FloatArray, units: IntArray, exemplar: int, reach: int) -> FloatArray:
    row = exemplar - units + reach
    inside = (row >= 0) & (row < len(similarities))
    return np.where(inside, similarities[np.where(inside, row, 0), units], 0.0)


def similarities_of_segments(
    similarities: FloatArray, exemplars: IntArray, positions: IntArray, widest: int
) -> FloatArray:
    """Return the sums of similarities of each segment's units to other segments' exemplars, by distance.

    ``[reach + d, a]`` is Σ s(i, exemplar of a + d) over the units i of a except that exemplar. Similarities
    outside the window of the units are 0.
    """
    n_units, unit_reach = similarities.shape[1], len(similarities) // 2
    n_segments = len(exemplars)
    reach = max(1, min(n_segments - 1, widest))
    segment = repeat(np.arange(n_segments), np.diff(positions, prepend=0, append=n_units))
    sums = np.zeros((2 * reach + 1, n_segments))
    for number_, exemplar in enumerate(exemplars.tolist()):
        near = np.arange(max(0, exemplar - unit_reach), min(n_units, exemplar + unit_reach + 1))
        near = near[near != exemplar]
        row = number_ - segment[near] + reach
        near, row = near[(row >= 0) & (row <= 2 * reach)], row[(row >= 0) & (row <= 2 * reach)]
        np.add.at(sums, (row, segment[near]), similarities[exemplar - near + unit_reach, near])
    return sums

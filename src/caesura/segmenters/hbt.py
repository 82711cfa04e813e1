"""HBT: a hierarchy of topics, where each word is drawn from a topic of one of several levels.

Eisenstein (2009), Hierarchical text segmentation from multi-scale lexical cohesion, NAACL.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray, bincount
from caesura.declaration import number, optional_whole, whole
from caesura.segmenters.base import Segmenter
from caesura.segmenters.least_cost import log_durations
from caesura.segmenters.text import TermCounts, Terms, UnitsLike, count_terms, texts_of, words_parameter
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation

ASSIGNMENT_ROUNDS = 5  # assignments of words to levels between two searches for the segmentation

MEANS = 10  # most units of a segment over the mean of its level, unless ``longest`` is given

MOST_STEPS = 500_000_000
"""Most steps of a joint search of all levels; otherwise levels are searched one by one."""

LARGEST_COST = 1e9
COST_STEPS = 30  # bisections of the cost of a segment


@dataclass(frozen=True, repr=False)
class HBT(Segmenter):
    """HBT: nested segmentations that make the words likeliest, each word drawn from a topic of one level.

    On every level each segment has a topic, a Dirichlet compound multinomial with the symmetric prior β.
    With γ(t, ℓ) the share of the token t that is drawn on level ℓ and n_w = Σ γ(t, ℓ) over the tokens w of
    a segment, dynamic programming over nested segmentations maximizes

    Σ_ℓ Σ_segments [ln Γ(Vβ) − ln Γ(Vβ + Σ n_w) + Σ_w ln Γ(n_w + β) − ln Γ(β) + ln p_ℓ(length) − δ_ℓ]

    Then γ is estimated for them (mean field): γ(t, ℓ) ∝ λ_ℓ exp(ψ(n_w + β) − ψ(Vβ + Σ n_w)), λ the share of
    each level. Both steps alternate until the segmentation stays the same. p_ℓ are negative binomial lengths
    around the mean of the level. The cost δ_ℓ of a segment is found by bisection, so that the number of
    segments agrees with this mean. ``n_segments`` is the exact number of the finest level.

    A segment has at most ten times the mean length of its level, unless ``longest`` is given. If a search
    takes more than 500 million steps (1,000 units into 50 segments), the finest level is optimized alone, and
    then each level above it.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> HBT(length=1.5, growth=2.0).hierarchy(text).level(1).masses
    (3, 3)
    """

    name = "HBT"
    title = "hierarchical Bayesian segmentation, HBT"
    meaning = "nested segmentations with the greatest likelihood of the words, each of one level's topic"
    citation = "Eisenstein (2009), Hierarchical text segmentation from multi-scale lexical cohesion, NAACL"
    cost = (
        "time n × tokens of a longest segment × rounds, and n × longest of each of two levels × K, at most 5 "
        "· 10⁸ a round; memory 16 n × longest × levels bytes; longest: ten times the mean of a level"
    )
    has_hierarchy = True
    is_hierarchical = True

    levels: int = whole(2, "levels of the hierarchy", minimum=1)
    length: float = number(10.0, "mean units of a finest segment if no number is given", exclusive=True)
    growth: float = number(3.0, "mean length of a level over that of the level below", exclusive=True)
    shape: float = number(5.0, "shape of lengths: 1 is geometric, more is nearer to the mean", exclusive=True)
    prior: float = number(0.2, "β, the pseudo-count of each term", exclusive=True)
    rounds: int = whole(10, "most searches for the segmentation", minimum=1)
    longest: int | None = optional_whole(
        "most units of a segment; auto: 10 times its level's mean", minimum=1
    )
    words: str | Terms = words_parameter("mit")

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        return self.nested(units, n_segments)[-1]

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return the levels as ranks; the finest has ``n_segments`` segments."""
        n_units, wanted = self.checked(units, n_segments)
        levels = [Segmentation.over(n_units, positions) for positions in self.nested(units, wanted)]
        return Hierarchy.from_levels(levels)

    def nested(self, units: UnitsLike, n_segments: int | None) -> list[IntArray]:
        """Return the boundaries of each level, coarsest first; each level has those of the level above."""
        counts = count_terms(texts_of(units), self.words)
        numbers = self._numbers(counts.n_units, n_segments)
        widths = self._widths(counts.n_units, numbers)
        self.check_longest(n_segments, widths[-1], counts.n_units)
        n_bytes = counts.n_units * (16 * sum(widths) + 24 * (n_segments or 0))
        self.check_memory(
            counts.n_units, n_bytes, f"{self.name}(longest=100) has no longer segments and takes less"
        )
        # Each level starts with all words: shares would make single units the likeliest segments.
        shares = np.ones((self.levels, len(counts.terms)))
        levels: list[IntArray] = []
        for _ in range(self.rounds):
            values = []
            for share, wanted, width in zip(shares, numbers, widths, strict=True):
                of_words = log_likelihoods(counts, share * counts.weights, self.prior, width)
                values.append(of_words + log_durations(width, counts.n_units / wanted, self.shape))
            latest = best_levels(values, numbers, n_segments)
            if levels and all(map(np.array_equal, levels, latest)):
                break
            levels = latest
            shares = self._assigned(counts, shares, levels)
        return levels

    def _assigned(self, counts: TermCounts, shares: FloatArray, levels: list[IntArray]) -> FloatArray:
        """Return each level's share of each entry's tokens, given the boundaries of the levels."""
        from scipy.special import digamma

        unit = counts.units
        segments = [np.searchsorted(positions, unit, side="right") for positions in levels]
        keys = (segment * counts.n_terms + counts.terms for segment in segments)
        cells = [np.unique(key, return_inverse=True)[1] for key in keys]
        spread = max(counts.n_terms, 1) * self.prior
        shares = shares / shares.sum(axis=0)
        for _ in range(ASSIGNMENT_ROUNDS if len(unit) else 0):
            weights = shares * counts.weights
            level_shares = (weights.sum(axis=1) + 1.0) / (weights.sum() + len(shares))
            logs = np.empty_like(shares)
            for level, (segment, cell) in enumerate(zip(segments, cells, strict=True)):
                n_w = bincount(cell, weights[level])[cell]
                total = bincount(segment, weights[level])[segment]
                logs[level] = digamma(n_w + self.prior) - digamma(total + spread)
            logs += np.log(level_shares)[:, np.newaxis]
            shares = np.exp(logs - logs.max(axis=0))
            shares /= shares.sum(axis=0)
        return shares

    def _numbers(self, n_units: int, n_segments: int | None) -> list[int]:
        """Return the number of segments of each level by its mean length."""
        wanted = n_units / self.length if n_segments is None else n_segments
        return [max(1, round(wanted / self.growth**above)) for above in reversed(range(self.levels))]

    def _widths(self, n_units: int, numbers: list[int]) -> list[int]:
        """Return the most units of a segment on each level."""
        if self.longest is not None:
            return [min(self.longest, n_units)] * self.levels
        return [min(math.ceil(MEANS * n_units / number), n_units) for number in numbers]


# -------------------------------------------------------------------- values of segments


def log_likelihoods(counts: TermCounts, weights: FloatArray, prior: float, width: int) -> FloatArray:
    """Return the log likelihoods (Dirichlet compound multinomial) of segments: ``[s, m]`` of [s, s + m + 1).

    ``weights`` are the tokens of each entry, and may be fractions. Segments beyond the end have −∞.
    """
    from scipy.special import gammaln

    n_units, spread = counts.n_units, max(counts.n_terms, 1) * prior
    unit = counts.units
    tokens = np.concatenate([[0.0], np.cumsum(bincount(unit, weights, minlength=n_units))])
    alone = bincount(unit, gammaln(weights + prior) - gammaln(prior), minlength=n_units)
    values = np.full((n_units, width), -np.inf)
    gains = _gains(counts.terms, unit, weights, prior, (n_units, width))
    for start in reversed(range(n_units)):
        n_ends = min(width, n_units - start)
        row = np.cumsum(gains[start, :n_ends]) + alone[start]
        row[1:] += gains[start + 1 : start + 2, : n_ends - 1].ravel()
        gains[start, :n_ends] = row  # from here on the value of the segments without their lengths
        total = tokens[start + 1 : start + n_ends + 1] - tokens[start]
        values[start, :n_ends] = row + gammaln(spread) - gammaln(spread + total)
    return values


def _gains(
    terms: IntArray, unit: IntArray, weights: FloatArray, prior: float, shape: tuple[int, int]
) -> FloatArray:
    """Return the gain of a segment from starting a unit earlier: ``[s, d]`` in the unit s + d.

    The gain depends on the start only through earlier tokens of the same term in the segment, so pairs of
    entries of the same term suffice.
    """
    from scipy.special import gammaln

    n_units, width = shape
    gains = np.zeros(n_units * width)
    order = np.lexsort((unit, terms))
    terms, unit, weights = terms[order], unit[order], weights[order]
    keys = terms * (n_units + width) + unit
    n_earlier = np.arange(len(keys)) - np.searchsorted(keys, keys - width + 1)
    up_to = np.concatenate([[0.0], np.cumsum(weights)])
    back = 0
    seen_gain = gammaln(weights + prior) - gammaln(prior)
    entries = np.flatnonzero(n_earlier > 0)
    while len(entries):
        back += 1
        seen = up_to[entries] - up_to[entries - back]
        gain = gammaln(seen + weights[entries] + prior) - gammaln(seen + prior)
        start = unit[entries - back]
        np.add.at(gains, start * width + unit[entries] - start, gain - seen_gain[entries])
        seen_gain[entries] = gain
        entries = entries[n_earlier[entries] > back]
    return gains.reshape(shape)


# -------------------------------------------------------------------- nested tilings


def best_levels(values: list[FloatArray], numbers: list[int], n_segments: int | None) -> list[IntArray]:
    """Return the best boundaries of each level: of all levels together if that is fast enough."""
    n_units, counts = len(values[0]), 1 if n_segments is None else n_segments + 1
    steps = sum(
        n_units * coarse.shape[1] * fine.shape[1] * (counts if level == len(values) - 2 else counts**2)
        for level, (coarse, fine) in enumerate(pairwise(values))
    )
    if steps > MOST_STEPS:
        return settled_tilings(values, numbers, n_segments)
    return nested_tilings(with_lengths(values, numbers), n_units, n_segments)


def with_lengths(values: list[FloatArray], numbers: list[int]) -> list[FloatArray]:
    """Return the values minus the cost of a segment on each level, for about these numbers of segments.

    Costs are found from the finest level up: the value of a segment includes the best segmentation inside it.
    """
    priced_levels: list[FloatArray] = []
    inside = np.zeros_like(values[-1])
    for level in range(len(values) - 1, -1, -1):
        both = values[level] + inside
        cost = _cost(both, numbers[level])
        priced_levels.insert(0, values[level] - cost)
        if level:
            priced, width = (both - cost)[:, :, np.newaxis], values[level - 1].shape[1]
            inside = kernel.active_segmenting.tilings(priced, width, 0)[:, :, 0]
    return priced_levels


def _cost(values: FloatArray, number: int) -> float:
    """Return the least cost of a segment at which the best segmentation has at most ``number`` segments."""

    def is_enough(cost: float) -> bool:
        priced = (values - cost)[:, :, np.newaxis]
        return len(kernel.active_segmenting.tiling(priced, 0, len(values), 0)[0]) <= number

    size = 1.0
    while size < LARGEST_COST and (not is_enough(size) or is_enough(-size)):
        size *= 2.0
    low, high = -size, size
    for _ in range(COST_STEPS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def nested_tilings(values: list[FloatArray], n_units: int, n_segments: int | None) -> list[IntArray]:
    """Return the boundaries of the nested segmentations with the greatest sum of values, coarsest first.

    ``values[ℓ][s, m]`` is the value of the segment [s, s + m + 1) on level ℓ. ``n_segments`` is the number of
    the finest level.
    """
    most = n_segments or 0
    tables = [_counting(values[-1], n_segments)]
    for level in reversed(values[:-1]):
        inside = kernel.active_segmenting.tilings(tables[0], level.shape[1], most)
        tables.insert(0, inside + level[:, :, np.newaxis])
    segments = [(0, n_units, most)]
    boundaries = []
    for table in tables:
        segments = [part for segment in segments for part in _parts(table, *segment)]
        boundaries.append(np.array([start for start, _, _ in segments[1:]], dtype=np.int64))
    return boundaries


def settled_tilings(values: list[FloatArray], numbers: list[int], n_segments: int | None) -> list[IntArray]:
    """Return nested boundaries, level by level from the finest.

    Each level is the best segmentation among the boundaries of the level below.
    """
    n_units = len(values[0])
    ends = np.arange(n_units + 1)
    boundaries: list[IntArray] = []
    for level in reversed(range(len(values))):
        between = _between(values[level], ends)
        is_counted = n_segments is not None and not boundaries
        if not is_counted:
            between = between - _cost(between, numbers[level])
        table = _counting(between, n_segments if is_counted else None)
        starts, _ = kernel.active_segmenting.tiling(table, 0, len(between), (n_segments or 0) * is_counted)
        ends = ends[np.append(starts, len(between))]
        boundaries.insert(0, ends[1:-1])
    return boundaries


def _between(values: FloatArray, ends: IntArray) -> FloatArray:
    """Return the values of the segments between these ends: ``[a, m]`` from ends[a] to ends[a + m + 1]."""
    n_units, width = values.shape
    if len(ends) == n_units + 1:
        return values
    n_starts = len(ends) - 1
    last = np.arange(n_starts)[:, np.newaxis] + np.arange(1, n_starts + 1)
    length = ends[np.minimum(last, n_starts)] - ends[:-1, np.newaxis]
    is_segment = (last <= n_starts) & (length <= width)
    between = values[ends[:-1, np.newaxis], np.where(is_segment, length - 1, 0)]
    return np.where(is_segment, between, -np.inf)


def _counting(values: FloatArray, n_segments: int | None) -> FloatArray:
    """Return the values of tiles by count: each tile counts 1, or 0 if the number of tiles is free."""
    tiles = values[:, :, np.newaxis]
    if n_segments is None:
        return tiles
    return np.concatenate([np.full_like(tiles, -np.inf), tiles], axis=2)


def _parts(table: FloatArray, start: int, end: int, count: int) -> list[tuple[int, int, int]]:
    """Return the best tiles of a segment, with their counts."""
    starts, counts = kernel.active_segmenting.tiling(table, start, end, count)
    return list(zip(starts.tolist(), [*starts[1:].tolist(), end], counts.tolist(), strict=True))

"""HBT: hierarchical Bayesian segmentation, in which each word belongs to a topic of one of several levels.

Eisenstein (2009), Hierarchical text segmentation from multi-scale lexical cohesion, NAACL.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray
from caesura.declaration import number, optional_whole, whole
from caesura.errors import ParameterError
from caesura.segmenters.bands import check_memory
from caesura.segmenters.base import Segmenter
from caesura.segmenters.text import (
    TermCounts,
    Terms,
    UnitsLike,
    count_terms,
    texts_of,
    words_parameter,
)
from caesura.values.hierarchy import Hierarchy
from caesura.values.segmentation import Segmentation

ASSIGNMENT_ROUNDS = 5
"""How often the words are assigned to levels, between two searches for the segmentation."""

LARGEST_COST = 1e9
COST_STEPS = 30
"""How often the interval in which the cost of a segment lies is halved."""


@dataclass(frozen=True, repr=False)
class HBT(Segmenter):
    """HBT: nested segmentations under which the words are likeliest, each drawn from a topic of one level.

    On every level each segment has a topic, a Dirichlet compound multinomial with the symmetric prior β.
    With γ(t, ℓ) the share of the token t that is drawn on level ℓ and n_w = Σ γ(t, ℓ) over the tokens w of
    a segment,

    Σ_ℓ Σ_segments [ln Γ(Vβ) − ln Γ(Vβ + Σ n_w) + Σ_w ln Γ(n_w + β) − ln Γ(β) + ln p_ℓ(length) − δ_ℓ]

    is maximised over nested segmentations by dynamic programming, and γ is found for them (mean field):
    γ(t, ℓ) ∝ λ_ℓ exp(ψ(n_w + β) − ψ(Vβ + Σ n_w)), λ the share of each level; in turns, until the segmentation
    stays the same. p_ℓ are negative binomial lengths around the mean of the level, and δ_ℓ, which is found by
    bisection, is what a segment has to cost so that there are as many as this mean says. A wanted number of
    segments is that of the finest level, and is met.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> HBT(length=1.5, growth=2.0).hierarchy(text).level(1).masses
    (3, 3)
    """

    name = "HBT"
    title = "hierarchical Bayesian segmentation, HBT"
    meaning = "nested segmentations with the greatest likelihood of the words, each of one level's topic"
    citation = "Eisenstein (2009), Hierarchical text segmentation from multi-scale lexical cohesion, NAACL"
    cost = (
        "time n³ × levels × rounds (K: × K, K² from three levels on), memory 16 n² × levels bytes "
        "(K: 16 K n² more); with longest=l n l in place of n², n l² of n³"
    )
    has_hierarchy = True
    is_hierarchical = True

    levels: int = whole(2, "levels of the hierarchy", minimum=1)
    length: float = number(
        10.0, "mean units of a segment on the finest level, where the number is open", exclusive=True
    )
    growth: float = number(3.0, "mean length of a level, by that of the level below it", exclusive=True)
    shape: float = number(
        5.0, "of the lengths' distribution: 1 is geometric, more is nearer to the mean", exclusive=True
    )
    prior: float = number(0.2, "β, the pseudo-count of each term", exclusive=True)
    rounds: int = whole(10, "most searches for the segmentation", minimum=1)
    longest: int | None = optional_whole("most units of a segment; bounds time and memory", minimum=1)
    words: str | Terms = words_parameter("mit")

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        return self.nested(units, n_segments)[-1]

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return the levels with ranks; ``n_segments`` is the number of the finest."""
        n_units, wanted = self.checked(units, n_segments)
        found = [Segmentation.over(n_units, positions) for positions in self.nested(units, wanted)]
        return Hierarchy.from_levels(found)

    def nested(self, units: UnitsLike, n_segments: int | None) -> list[IntArray]:
        """Return the boundaries of each level, from the coarsest; a finer one has those of the coarser."""
        counts = count_terms(texts_of(units), self.words)
        self._check_size(counts.n_units, n_segments)
        # Each level starts as if all words were its own: shares of single words would make single units
        # the likeliest segments.
        shares = np.ones((self.levels, len(counts.terms)))
        found: list[IntArray] = []
        for _ in range(self.rounds):
            latest = self.best(counts, shares, n_segments)
            if found and all(map(np.array_equal, found, latest)):
                break
            found = latest
            shares = self._assigned(counts, shares, found)
        return found

    def best(self, counts: TermCounts, shares: FloatArray, n_segments: int | None) -> list[IntArray]:
        """Return the best boundaries of each level; ``shares[ℓ]`` of each entry's tokens are level ℓ's."""
        width = self._width(counts.n_units)
        wanted = counts.n_units / self.length if n_segments is None else n_segments
        numbers = [max(1, round(wanted / self.growth**above)) for above in reversed(range(self.levels))]
        values = [
            log_likelihoods(counts, share * counts.weights, self.prior, width)
            + log_durations(width, counts.n_units / number, self.shape)
            for share, number in zip(shares, numbers, strict=True)
        ]
        return nested_tilings(with_lengths(values, numbers), counts.n_units, n_segments)

    def _assigned(self, counts: TermCounts, shares: FloatArray, found: list[IntArray]) -> FloatArray:
        """Return the shares of levels in each entry's tokens, given the boundaries of each level."""
        from scipy.special import digamma

        unit = np.repeat(np.arange(counts.n_units), np.diff(counts.offsets))
        segments = [np.searchsorted(positions, unit, side="right") for positions in found]
        spread = max(counts.n_terms, 1) * self.prior
        shares = shares / shares.sum(axis=0)
        for _ in range(ASSIGNMENT_ROUNDS if len(unit) else 0):
            weights = shares * counts.weights
            level_shares = (weights.sum(axis=1) + 1.0) / (weights.sum() + len(shares))
            logs = np.empty_like(shares)
            for level, segment in enumerate(segments):
                cell, place = np.unique(segment * counts.n_terms + counts.terms, return_inverse=True)
                n_w = np.bincount(place, weights[level], minlength=len(cell))[place]
                total = np.bincount(segment, weights[level])[segment]
                logs[level] = (
                    digamma(n_w + self.prior) - digamma(total + spread) + math.log(level_shares[level])
                )
            shares = np.exp(logs - logs.max(axis=0))
            shares /= shares.sum(axis=0)
        return shares

    def _width(self, n_units: int) -> int:
        return n_units if self.longest is None else min(self.longest, n_units)

    def _check_size(self, n_units: int, n_segments: int | None) -> None:
        width = self._width(n_units)
        if n_segments is not None and n_segments * width < n_units:
            raise ParameterError(
                f"{self.name}: {n_segments} segments of at most {width} units do not fill {n_units:,}; "
                "take more segments, or a greater longest"
            )
        tables = 2 * self.levels if n_segments is None else 2 * self.levels + 2 * (n_segments + 1)
        remedy = f"{self.name}(longest=100) has no longer segments and takes less"
        check_memory(self.name, n_units, 8 * n_units * width * tables, remedy)


# -------------------------------------------------------------------- values of segments


def log_likelihoods(counts: TermCounts, weights: FloatArray, prior: float, width: int) -> FloatArray:
    """Return the logarithms of Dirichlet compound multinomials of all segments: ``[s, m]`` of [s, s + m + 1).

    ``weights`` are the tokens of each entry, which need not be whole. Segments beyond the end have −∞.
    """
    from scipy.special import gammaln

    n_units, spread = counts.n_units, max(counts.n_terms, 1) * prior
    unit = np.repeat(np.arange(n_units), np.diff(counts.offsets))
    up_to = _before_of_term(counts.terms, weights)
    tokens = np.concatenate([[0.0], np.cumsum(np.bincount(unit, weights, minlength=n_units))])
    before_start = np.zeros(max(counts.n_terms, 1))
    values = np.full((n_units, width), -np.inf)
    for start in range(n_units):
        end = min(start + width, n_units)
        inside = slice(counts.offsets[start], counts.offsets[end])
        # Rounding must not make a count that is 0 less than that.
        seen = np.maximum(up_to[inside] - before_start[counts.terms[inside]], 0.0)
        gains = gammaln(seen + weights[inside] + prior) - gammaln(seen + prior)
        by_unit = np.bincount(unit[inside] - start, gains, minlength=end - start)
        total = tokens[start + 1 : end + 1] - tokens[start]
        values[start, : end - start] = np.cumsum(by_unit) + gammaln(spread) - gammaln(spread + total)
        first = slice(counts.offsets[start], counts.offsets[start + 1])
        before_start[counts.terms[first]] += weights[first]
    return values


def log_durations(longest: int, mean: float, shape: float) -> FloatArray:
    """Return ln of the probabilities of the lengths 1 .. longest: length − 1 is negative binomial."""
    from scipy.special import gammaln

    more = np.arange(longest, dtype=np.float64)
    success = shape / (shape + max(mean - 1.0, 1e-6))
    ways = gammaln(more + shape) - gammaln(more + 1.0) - gammaln(shape)
    return np.asarray(ways + shape * math.log(success) + more * math.log1p(-success))


def _before_of_term(terms: IntArray, weights: FloatArray) -> FloatArray:
    """Return for each entry the weights of its term's entries before it."""
    order = np.argsort(terms, kind="stable")
    sums = np.cumsum(weights[order]) - weights[order]
    is_first = np.diff(terms[order], prepend=-1) != 0
    starts = np.flatnonzero(is_first)
    before = np.empty(len(terms))
    before[order] = sums - np.repeat(sums[starts], np.diff(starts, append=len(terms)))
    return before


# -------------------------------------------------------------------- nested tilings


def with_lengths(values: list[FloatArray], numbers: list[int]) -> list[FloatArray]:
    """Return the values less what a segment costs on each level, so that it has about so many segments.

    From the finest level on: a segment of a level is worth its own value and that of the best segmentation
    inside it.
    """
    found: list[FloatArray] = []
    inside = np.zeros_like(values[0])
    for level in range(len(values) - 1, -1, -1):
        both = values[level] + inside
        cost = _cost(both, numbers[level])
        found.insert(0, values[level] - cost)
        if level:
            inside = kernel.active_cutting.tilings((both - cost)[:, :, np.newaxis], 0)[:, :, 0]
    return found


def _cost(values: FloatArray, number: int) -> float:
    """Return what a segment has to cost for the best segmentation to have so many, or else fewer."""

    def is_enough(cost: float) -> bool:
        priced = (values - cost)[:, :, np.newaxis]
        return len(kernel.active_cutting.tiling(priced, 0, len(values), 0)[0]) <= number

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

    ``values[ℓ][s, m]`` is the value of the segment [s, s + m + 1) on level ℓ. A wanted number of segments
    is that of the finest level.
    """
    most = n_segments or 0
    finest = values[-1][:, :, np.newaxis]
    if n_segments is not None:
        finest = np.concatenate([np.full_like(finest, -np.inf), finest], axis=2)
    tables = [np.ascontiguousarray(finest)]
    for level in reversed(values[:-1]):
        inside = kernel.active_cutting.tilings(tables[0], most)
        tables.insert(0, inside + level[:, :, np.newaxis])
    segments = [(0, n_units, most)]
    boundaries = []
    for table in tables:
        segments = [part for segment in segments for part in _parts(table, *segment)]
        boundaries.append(np.array([start for start, _, _ in segments[1:]], dtype=np.int64))
    return boundaries


def _parts(table: FloatArray, start: int, end: int, count: int) -> list[tuple[int, int, int]]:
    """Return the best tiles of a segment, with their counts."""
    starts, counts = kernel.active_cutting.tiling(table, start, end, count)
    return list(zip(starts.tolist(), [*starts[1:].tolist(), end], counts.tolist(), strict=True))

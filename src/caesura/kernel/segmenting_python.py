"""The kernels of the segmenters in readable Python: the definition of segmenting.pyx.

Units are rows of a sparse matrix (offsets, terms, weights); results are positions. Floats are added in the
same order as in the compiled kernels, so both give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from caesura.arrays import FloatArray, IntArray, bincount, repeat

NAME = "python"

TIE = 1e-12
"""The relative difference below which densities are equal, so that rounding never decides a boundary."""


def gram(
    offsets: IntArray,
    terms: IntArray,
    weights: FloatArray,
    n_terms: int,
    rows: tuple[int, int],
    columns: tuple[int, int],
) -> FloatArray:
    """Return the dot products of the units ``rows`` with the units ``columns``, both [first, last)."""
    first, last = offsets[columns[0]], offsets[columns[1]]
    inside_terms, inside_weights = terms[first:last], weights[first:last]
    n_columns = columns[1] - columns[0]
    unit = repeat(np.arange(n_columns), np.diff(offsets[columns[0] : columns[1] + 1]))
    products = np.empty((rows[1] - rows[0], n_columns))
    for index, row in enumerate(range(*rows)):
        dense = np.zeros(n_terms)
        dense[terms[offsets[row] : offsets[row + 1]]] = weights[offsets[row] : offsets[row + 1]]
        products[index] = bincount(unit, dense[inside_terms] * inside_weights, minlength=n_columns)
    return products


def ranks(similarities: FloatArray, mask: int) -> FloatArray:
    """Return the share of each cell's neighbors that are smaller (C99's rank).

    Neighbors are the other cells of the mask × mask square around it that lie in the matrix.
    """
    n_rows, n_columns = similarities.shape
    reach = mask // 2
    smaller = np.zeros((n_rows, n_columns))
    for down in range(-min(reach, n_rows - 1), min(reach, n_rows - 1) + 1):
        for right in range(-min(reach, n_columns - 1), min(reach, n_columns - 1) + 1):
            here = (
                slice(max(0, -down), n_rows - max(0, down)),
                slice(max(0, -right), n_columns - max(0, right)),
            )
            there = (
                slice(max(0, down), n_rows + min(0, down)),
                slice(max(0, right), n_columns + min(0, right)),
            )
            smaller[here] += similarities[there] < similarities[here]
    n_cells = np.outer(_clipped(n_rows, reach), _clipped(n_columns, reach))
    return np.asarray(smaller / np.maximum(n_cells - 1.0, 1.0))


def _clipped(length: int, reach: int) -> FloatArray:
    """Return the number of indices within reach of each index."""
    index = np.arange(length)
    return (np.minimum(index + reach, length - 1) - np.maximum(index - reach, 0) + 1).astype(np.float64)


def divide(sums: FloatArray, starts: IntArray, window: int, n_splits: int) -> tuple[IntArray, FloatArray]:
    """Split a document repeatedly (C99); return the positions in the order of splits, and the densities.

    Row i of ``sums`` holds the cumulative ranks of row i from column ``starts[i]`` on (the first is 0);
    cells more than ``window`` from the diagonal do not count. A density is the sum of ranks inside segments
    over the number of their cells: for the whole document, then after each split. Each segment's candidate
    is the split that makes the segment densest; the candidate that makes the document densest is taken. Ties
    go to the last.
    """
    n_units = len(sums)
    positions, densities = np.empty(n_splits, dtype=np.int64), np.empty(n_splits + 1)
    segments = [_best_split(sums, starts, window, 0, n_units)]
    _, _, _, inside, _ = segments[0]
    cells = _area(n_units, window)
    densities[0] = inside / cells
    for step in range(n_splits):
        best, chosen = -1.0, -1
        for index in range(len(segments) - 1, -1, -1):
            start, end, middle, whole, parts = segments[index]
            if end - start > 1:
                density = (inside - whole + parts) / (cells + _gained(start, middle, end, window))
                if density > best * (1.0 + TIE):
                    best, chosen = density, index
        start, end, middle, whole, parts = segments[chosen]
        inside = inside - whole + parts
        cells += _gained(start, middle, end, window)
        positions[step], densities[step + 1] = middle, best
        segments[chosen : chosen + 1] = [
            _best_split(sums, starts, window, start, middle),
            _best_split(sums, starts, window, middle, end),
        ]
    return positions, densities


def _area(length: int, window: int) -> float:
    """Return the cells of a segment that are within the window of the diagonal."""
    if length <= window + 1:
        return float(length) * length
    return float(length) * (2 * window + 1) - float(window) * (window + 1)


def _gained(start: int, middle: int, end: int, window: int) -> float:
    """Return the change in the number of cells inside segments by a split."""
    parts = _area(middle - start, window) + _area(end - middle, window)
    return parts - _area(end - start, window)


def _best_split(
    sums: FloatArray, starts: IntArray, window: int, start: int, end: int
) -> tuple[int, int, int, float, float]:
    """Return a segment, its best split, its sum of ranks, and that of the two parts."""
    row = np.arange(start, end)
    column = row - starts[start:end]
    low = np.maximum(start, row - window) - starts[start:end]
    high = np.minimum(end, row + window + 1) - starts[start:end]
    before = sums[row, column] - sums[row, low]
    itself = sums[row, column + 1] - sums[row, column]
    after = sums[row, high] - sums[row, column + 1]
    left = np.cumsum(2.0 * before + itself)
    right = np.cumsum((2.0 * after + itself)[::-1])[::-1]
    best, middle, parts = -1.0, start, 0.0
    for position in range(end - 1, start, -1):
        inside = float(left[position - start - 1] + right[position - start])
        density = inside / (_area(position - start, window) + _area(end - position, window))
        if density > best * (1.0 + TIE):
            best, middle, parts = density, position, inside
    return start, end, middle, float(left[-1]), parts


class SegmentCosts(NamedTuple):
    """The terms of units, and the tables of segment costs.

    A segment of m units with t tokens, n_w of them the term w, costs
    ``by_length[m] + by_tokens[t] − Σ_w by_count[n_w]``.
    """

    offsets: IntArray  # the start of each unit's terms, and the end of the last
    terms: IntArray
    counts: IntArray  # the frequency of each term in the unit
    n_terms: int
    by_tokens: FloatArray
    by_count: FloatArray
    by_length: FloatArray


def least_cost(tables: SegmentCosts, n_segments: int) -> tuple[IntArray, float]:
    """Return the least-cost segmentation into ``n_segments`` (0: any number), and its cost.

    Ties go to the segmentation with the longest segments at the end.
    """
    n_units = len(tables.offsets) - 1
    best, before = _nothing_yet(n_units, max(n_segments, 1))
    costs_from = _segment_costs(tables)
    for start in range(n_units):
        cost = costs_from(start)
        if n_segments:
            costs = best[start, None, :-1] + cost[:, None]
            known, origin = best[start + 1 :, 1:], before[start + 1 :, 1:]
        else:
            costs = (best[start, 0] + cost)[:, None]
            known, origin = best[start + 1 :, :1], before[start + 1 :, :1]
        is_less = costs < known
        known[is_less] = costs[is_less]
        origin[is_less] = start
    return _traced(before, n_segments), float(best[n_units, n_segments])


def boundary_gains(tables: SegmentCosts) -> FloatArray:
    """Return for each gap how much more the best segmentation costs without a boundary than with one.

    Costs are those of ``least_cost`` for any number of segments. With a boundary, the best segmentations
    before and after it add up. Without one, a segment lies across the gap.
    """
    n_units = len(tables.offsets) - 1
    costs_from = _segment_costs(tables)
    up_to, after = np.full(n_units + 1, np.inf), np.full(n_units + 1, np.inf)
    without = np.full(n_units + 1, np.inf)
    up_to[0] = after[n_units] = 0.0
    for start in range(n_units):
        up_to[start + 1 :] = np.minimum(up_to[start + 1 :], up_to[start] + costs_from(start))
    for start in range(n_units - 1, -1, -1):
        across = np.minimum.accumulate((costs_from(start) + after[start + 1 :])[::-1])[::-1]
        after[start] = across[0]
        without[start + 1 : n_units] = np.minimum(without[start + 1 : n_units], up_to[start] + across[1:])
    gains: FloatArray = (without - (up_to + after))[1:n_units]
    return gains


def _segment_costs(tables: SegmentCosts) -> Callable[[int], FloatArray]:
    """Return a function from a unit to the costs of all segments that start there, by their ends."""
    offsets, terms, counts, n_terms, by_tokens, by_count, by_length = tables
    n_units = len(offsets) - 1
    seen, tokens = _occurrences(offsets, terms, counts, n_terms)

    def costs_from(start: int) -> FloatArray:
        first = offsets[start]
        at_start = bincount(terms[:first], counts[:first], minlength=n_terms).astype(np.int64)
        n_w = seen[first:] - at_start[terms[first:]]
        gains = np.cumsum(by_count[n_w + counts[first:]] - by_count[n_w])
        spread = np.concatenate(([0.0], gains))[offsets[start + 1 :] - first]
        length = np.arange(1, n_units - start + 1)
        costs: FloatArray = by_length[length] + by_tokens[tokens[start + 1 :] - tokens[start]] - spread
        return costs

    return costs_from


def _occurrences(
    offsets: IntArray, terms: IntArray, counts: IntArray, n_terms: int
) -> tuple[IntArray, IntArray]:
    """Return the earlier occurrences of each entry's term, and the tokens before each unit."""
    seen = np.empty(len(terms), dtype=np.int64)
    total = [0] * n_terms
    for entry, (term, count) in enumerate(zip(terms.tolist(), counts.tolist(), strict=True)):
        seen[entry] = total[term]
        total[term] += count
    tokens = np.concatenate(([0], np.cumsum(counts)))[offsets]
    return seen, tokens.astype(np.int64)


def _nothing_yet(n_units: int, n_levels: int) -> tuple[FloatArray, IntArray]:
    """Return empty tables of least costs up to each unit by number of segments, and of last starts."""
    best = np.full((n_units + 1, n_levels + 1), np.inf)
    best[0, 0] = 0.0
    return best, np.zeros((n_units + 1, n_levels + 1), dtype=np.int64)


def _traced(before: IntArray, n_segments: int) -> IntArray:
    """Follow the last boundaries back from the document's end."""
    positions: list[int] = []
    end, level = len(before) - 1, n_segments
    while True:
        end, level = int(before[end, level]), max(level - 1, 0)
        if not end:
            return np.array(positions[::-1], dtype=np.int64)
        positions.append(end)


# -------------------------------------------------------------------- normalized cuts


def normalised_cut(band: FloatArray, n_segments: int, longest: int, far_only: bool) -> tuple[IntArray, float]:
    """Return the segmentation into ``n_segments`` with the least normalized cut, and the cut (MinCut).

    No segment is longer than ``longest`` units; ``n_segments`` of that length must cover the document.
    ``band[i, d]`` is the weight of the edge between units i and i + d. A segment A costs
    (vol(A) − inner(A)) / vol(A): vol sums the edges from its units to all units, inner the edges among its
    units, both counted from both ends. ``far_only`` excludes edges of units less than two apart from inner.
    Ties go to the segmentation with the earliest last boundary.
    """
    n_units = len(band)
    inside, volumes = _sums(band, far_only)
    best, before = _nothing_yet(n_units, n_segments)
    reach = band.shape[1] - 1
    for start in range(n_units):
        ends = np.arange(start, min(n_units, start + longest))
        inner = np.cumsum(inside[ends, np.minimum(ends - start, reach)])
        volume = volumes[ends + 1] - volumes[start]
        cost = (volume - inner) / volume
        for level in range(1, min(n_segments, start + 1) + 1):
            total = best[start, level - 1] + cost
            better = total < best[ends + 1, level]
            best[ends[better] + 1, level] = total[better]
            before[ends[better] + 1, level] = start
    return _traced(before, n_segments), float(best[n_units, n_segments])


def _sums(band: FloatArray, far_only: bool) -> tuple[FloatArray, FloatArray]:
    """Return what a unit adds to the inner sum of a segment with d units before it, and degree sums."""
    n_units, width = band.shape
    inside = np.empty_like(band)
    degrees = np.zeros(n_units)
    for unit in range(n_units):
        inside[unit, 0] = 0.0 if far_only else band[unit, 0]
        for d in range(1, width):
            weight = band[unit - d, d] if d <= unit else 0.0
            degrees[unit] += weight
            inside[unit, d] = inside[unit, d - 1] + (0.0 if d == 1 and far_only else 2.0 * weight)
        for d in range(min(width, n_units - unit)):
            degrees[unit] += band[unit, d]
    return inside, np.concatenate([[0.0], np.cumsum(degrees)])


# -------------------------------------------------------------------- affinity propagation


def propagate(
    similarities: FloatArray,
    responsibilities: FloatArray,
    availabilities: FloatArray,
    damping: float,
    most_rounds: int,
    patience: int,
) -> tuple[FloatArray, int]:
    """Pass messages until the exemplars are stable (APS); return each unit's evidence, and the rounds.

    Matrices have a row per distance: ``similarities[reach + d, i]`` is how well unit i + d represents unit
    i; row d = 0 holds the preferences. Both messages change in place, so a later call continues.

    A unit has one exemplar; the units of an exemplar are a block around it. With s the similarities,

    ρ(i, j) = s(i, j) − max over k ≠ j of [α(i, k) + s(i, k)]

    and α(i, j) is the best sum of the other ρ(·, j) over blocks around j that include i, minus the best over
    blocks without i (0: no block).
    """
    n_units, reach = similarities.shape[1], similarities.shape[0] // 2
    exemplars = np.zeros(n_units, dtype=bool)
    unchanged = n_rounds = 0
    while n_rounds < most_rounds and (unchanged < patience or not exemplars.any()):
        n_rounds += 1
        _respond(similarities, responsibilities, availabilities, damping)
        _offer(responsibilities, availabilities, damping)
        latest = responsibilities[reach] + availabilities[reach] > 0.0
        unchanged = unchanged + 1 if np.array_equal(latest, exemplars) else 0
        exemplars = latest
    return responsibilities[reach] + availabilities[reach], n_rounds


def _respond(s: FloatArray, rho: FloatArray, alpha: FloatArray, damping: float) -> None:
    n_units, reach = s.shape[1], s.shape[0] // 2
    best, second = np.full(n_units, -np.inf), np.full(n_units, -np.inf)
    for row in range(len(s)):
        here = _units(row - reach, n_units)
        value = alpha[row, here] + s[row, here]
        second[here] = np.maximum(second[here], np.minimum(best[here], value))
        best[here] = np.maximum(best[here], value)
    for row in range(len(s)):
        here = _units(row - reach, n_units)
        # If two are best, the second equals the best.
        is_best = alpha[row, here] + s[row, here] == best[here]
        rival = np.where(is_best, second[here], best[here])
        rho[row, here] = damping * rho[row, here] + (1.0 - damping) * (s[row, here] - rival)


def _units(distance: int, n_units: int) -> slice:
    """Return the units that have another unit at this distance."""
    return slice(max(0, -distance), n_units - max(0, distance))


def _offer(rho: FloatArray, alpha: FloatArray, damping: float) -> None:
    left, right = _extensions(rho, 1), _extensions(rho, -1)
    reach = rho.shape[0] // 2
    itself = rho[reach].copy()
    alpha[reach] = damping * alpha[reach] + (1.0 - damping) * (left[0] + right[0])
    for side, own, rest in ((1, left, itself + right[0]), (-1, right, itself + left[0])):
        total, best = np.zeros(rho.shape[1]), np.zeros(rho.shape[1])  # of blocks up to i, i left out
        for d in range(1, reach + 1):
            of, here = _column(rho, side * d)
            inside = total[of] + own[d, of] + rest[of]
            outside = np.maximum(0.0, rest[of] + best[of])
            row = reach + side * d
            alpha[row, here] = damping * alpha[row, here] + (1.0 - damping) * (inside - outside)
            total[of] += rho[row, here]
            best[of] = np.maximum(best[of], total[of])


def _extensions(rho: FloatArray, side: int) -> FloatArray:
    """Return the best sums of ρ that a block gains beyond the unit at each distance before (after) j."""
    reach, n_units = rho.shape[0] // 2, rho.shape[1]
    gains = np.zeros((reach + 1, n_units))
    for d in range(reach, 0, -1):
        of, here = _column(rho, side * d)
        gains[d - 1, of] = np.maximum(0.0, rho[reach + side * d, here] + gains[d, of])
    return gains


def _column(rho: FloatArray, distance: int) -> tuple[slice, slice]:
    """Return the exemplars with a unit at this distance before them, and these units."""
    n_units = rho.shape[1]
    return _units(-distance, n_units), _units(distance, n_units)


# -------------------------------------------------------------------- tilings


def tilings(values: FloatArray, width: int, most: int) -> FloatArray:
    """Return the value of the best tiling of every interval, by the total count of its tiles (HBT).

    ``values[s, m, j]`` is the value of a tile over the units [s, s + m + 1) with count j. In the result,
    ``[s, m, c]`` is the greatest sum of tiles that cover [s, s + m + 1), at most ``width`` units, with total
    count c ≤ ``most``.
    """
    n_units = len(values)
    best = np.full((n_units, width, most + 1), -np.inf)
    for start in range(n_units):
        table, _, _ = _tile(values, start, min(n_units, start + width), most)
        best[start, : len(table) - 1] = table[1:]
    return best


def tiling(values: FloatArray, start: int, end: int, count: int) -> tuple[IntArray, IntArray]:
    """Return the starts of the tiles in the best tiling of [start, end) with this count, and their counts.

    An interval may be longer than any tile. Ties go to the tiling with the earliest last tile.
    """
    _, before, counted = _tile(values, start, end, count)
    starts, counts = [], []
    here = end - start
    while here:
        n = int(counted[here, count])
        here = int(before[here, count])
        starts.append(start + here)
        counts.append(n)
        count -= n
    return np.array(starts[::-1], dtype=np.int64), np.array(counts[::-1], dtype=np.int64)


def _tile(values: FloatArray, start: int, end: int, most: int) -> tuple[FloatArray, IntArray, IntArray]:
    _, width, n_counts = values.shape
    length = end - start
    best = np.full((length + 1, most + 1), -np.inf)
    before = np.zeros((length + 1, most + 1), dtype=np.int64)
    counted = np.zeros((length + 1, most + 1), dtype=np.int64)
    best[0, 0] = 0.0
    for middle in range(length):
        for here in range(middle + 1, min(length, middle + width) + 1):
            for n in range(min(n_counts, most + 1)):
                sums = best[middle, : most + 1 - n] + values[start + middle, here - middle - 1, n]
                better = sums > best[here, n:]
                best[here, n:][better] = sums[better]
                before[here, n:][better] = middle
                counted[here, n:][better] = n
    return best, before, counted

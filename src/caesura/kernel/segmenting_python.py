"""The kernels of the segmenters, readable: the definition of what segmenting.pyx compiles.

Arrays alone: units are rows of a sparse matrix (offsets, terms, weights), results are positions. Floats are
added in the same order as in the compiled twin, so that both give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from caesura.arrays import FloatArray, IntArray

NAME = "python"

TIE = 1e-12
"""Densities that differ by less than this share of them are equal: rounding must not choose a boundary."""


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
    unit = np.repeat(np.arange(n_columns), np.diff(offsets[columns[0] : columns[1] + 1]))
    products = np.empty((rows[1] - rows[0], n_columns))
    for place, row in enumerate(range(*rows)):
        dense = np.zeros(n_terms)
        dense[terms[offsets[row] : offsets[row + 1]]] = weights[offsets[row] : offsets[row + 1]]
        products[place] = np.bincount(unit, dense[inside_terms] * inside_weights, minlength=n_columns)
    return products


def ranks(similarities: FloatArray, mask: int) -> FloatArray:
    """Return the share of each cell's neighbours that are smaller (C99's rank).

    Neighbours are the other cells of the mask × mask square around it, as far as it lies in the matrix.
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
    """Return how many places within reach of each there are."""
    place = np.arange(length)
    return (np.minimum(place + reach, length - 1) - np.maximum(place - reach, 0) + 1).astype(np.float64)


def divide(sums: FloatArray, starts: IntArray, window: int, n_splits: int) -> tuple[IntArray, FloatArray]:
    """Divide a document again and again (C99): the positions in the order of the splits, and densities.

    Row i of ``sums`` has the sums of the ranks of row i from column ``starts[i]`` up to each column (its
    first is 0); cells more than ``window`` from the diagonal do not count. A density is the ranks inside
    segments by their cells: that of the whole document, then that after each split. Each segment has one
    candidate, the split that makes the segment itself densest; the candidate that makes the document densest
    is taken. Of equal ones the last.
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
    """Return how many more cells a split leaves inside segments (fewer: it is negative)."""
    parts = _area(middle - start, window) + _area(end - middle, window)
    return parts - _area(end - start, window)


def _best_split(
    sums: FloatArray, starts: IntArray, window: int, start: int, end: int
) -> tuple[int, int, int, float, float]:
    """Return a segment, its best split, its ranks, and those of the two parts."""
    row = np.arange(start, end)
    place = row - starts[start:end]
    low = np.maximum(start, row - window) - starts[start:end]
    high = np.minimum(end, row + window + 1) - starts[start:end]
    before = sums[row, place] - sums[row, low]
    itself = sums[row, place + 1] - sums[row, place]
    after = sums[row, high] - sums[row, place + 1]
    left = np.cumsum(2.0 * before + itself)
    right = np.cumsum((2.0 * after + itself)[::-1])[::-1]
    best, middle, parts = -1.0, start, 0.0
    for position in range(end - 1, start, -1):
        inside = float(left[position - start - 1] + right[position - start])
        density = inside / (_area(position - start, window) + _area(end - position, window))
        if density > best * (1.0 + TIE):
            best, middle, parts = density, position, inside
    return start, end, middle, float(left[-1]), parts


def least_cost(
    offsets: IntArray,
    terms: IntArray,
    counts: IntArray,
    n_terms: int,
    by_tokens: FloatArray,
    by_count: FloatArray,
    by_length: FloatArray,
    n_segments: int,
) -> tuple[IntArray, float]:
    """Return the positions of the segmentation of least cost into ``n_segments`` (0: any number), and it.

    A segment of m units with t tokens, n_w of them the term w, costs
    ``by_length[m] + by_tokens[t] − Σ_w by_count[n_w]``. Of equal ones the segments at the end are longest.
    """
    n_units = len(offsets) - 1
    n_levels = max(n_segments, 1)
    best = np.full((n_units + 1, n_levels + 1), np.inf)
    best[0, 0] = 0.0
    before = np.zeros((n_units + 1, n_levels + 1), dtype=np.int64)
    costs_from = _segment_costs(offsets, terms, counts, n_terms, by_tokens, by_count, by_length)
    for start in range(n_units):
        cost = costs_from(start)
        if n_segments:
            found = best[start, None, :-1] + cost[:, None]
            known, origin = best[start + 1 :, 1:], before[start + 1 :, 1:]
        else:
            found = (best[start, 0] + cost)[:, None]
            known, origin = best[start + 1 :, :1], before[start + 1 :, :1]
        is_less = found < known
        known[is_less] = found[is_less]
        origin[is_less] = start
    return _traced(before, n_segments), float(best[n_units, n_segments])


def boundary_gains(
    offsets: IntArray,
    terms: IntArray,
    counts: IntArray,
    n_terms: int,
    by_tokens: FloatArray,
    by_count: FloatArray,
    by_length: FloatArray,
) -> FloatArray:
    """Return for each gap what the best segmentation without a boundary there costs more than the best with.

    Costs are those of ``least_cost``, and the number of segments is open. With a boundary the document is
    two: the best up to it, and the best after it. Without one some segment lies across the gap.
    """
    n_units = len(offsets) - 1
    costs_from = _segment_costs(offsets, terms, counts, n_terms, by_tokens, by_count, by_length)
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


def _segment_costs(
    offsets: IntArray,
    terms: IntArray,
    counts: IntArray,
    n_terms: int,
    by_tokens: FloatArray,
    by_count: FloatArray,
    by_length: FloatArray,
) -> Callable[[int], FloatArray]:
    """Return what gives the costs of all segments that start at a unit, by their ends."""
    n_units = len(offsets) - 1
    seen, tokens = _occurrences(offsets, terms, counts, n_terms)

    def costs_from(start: int) -> FloatArray:
        first = offsets[start]
        at_start = np.bincount(terms[:first], counts[:first], minlength=n_terms).astype(np.int64)
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
    """Return how often each entry's term occurs before it, and how many tokens stand before each unit."""
    seen = np.empty(len(terms), dtype=np.int64)
    total = [0] * n_terms
    for entry, (term, count) in enumerate(zip(terms.tolist(), counts.tolist(), strict=True)):
        seen[entry] = total[term]
        total[term] += count
    tokens = np.concatenate(([0], np.cumsum(counts)))[offsets]
    return seen, tokens.astype(np.int64)


def _traced(before: IntArray, n_segments: int) -> IntArray:
    """Follow the last boundaries back from the document's end."""
    positions: list[int] = []
    end, level = len(before) - 1, n_segments
    while True:
        end, level = int(before[end, level]), max(level - 1, 0)
        if not end:
            return np.array(positions[::-1], dtype=np.int64)
        positions.append(end)

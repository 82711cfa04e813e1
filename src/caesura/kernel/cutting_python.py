"""The kernels of the segmenters that cut graphs, pass messages or nest, readable: what cutting.pyx compiles.

Arrays alone. Floats are added in the same order as in the compiled twin, so that both give the same bits.
"""

from __future__ import annotations

import numpy as np

from caesura.arrays import FloatArray, IntArray

NAME = "python"


# -------------------------------------------------------------------- normalised cuts


def normalised_cut(band: FloatArray, n_segments: int, longest: int, far_only: bool) -> tuple[IntArray, float]:
    """Return the segmentation into so many segments with the least normalised cut, and its cut (MinCut).

    No segment has more than ``longest`` units, and so many segments of this length must cover them all.
    ``band[i, d]`` is the weight of the edge between the units i and i + d. A segment A costs
    (vol(A) − inner(A)) / vol(A), where vol sums the edges of its units to all units and inner those among
    themselves, both from both ends; ``far_only`` leaves out of inner those of units less than two apart.
    Of equal ones the segmentation with the earliest last boundary.
    """
    n_units = len(band)
    inside, volumes = _sums(band, far_only)
    best = np.full((n_segments + 1, n_units + 1), np.inf)
    before = np.zeros((n_segments + 1, n_units + 1), dtype=np.int64)
    best[0, 0] = 0.0
    reach = band.shape[1] - 1
    for start in range(n_units):
        ends = np.arange(start, min(n_units, start + longest))
        inner = np.cumsum(inside[ends, np.minimum(ends - start, reach)])
        volume = volumes[ends + 1] - volumes[start]
        cost = (volume - inner) / volume
        for level in range(1, min(n_segments, start + 1) + 1):
            found = best[level - 1, start] + cost
            better = found < best[level, ends + 1]
            best[level, ends[better] + 1] = found[better]
            before[level, ends[better] + 1] = start
    return _traced(before, n_segments), float(best[n_segments, n_units])


def _sums(band: FloatArray, far_only: bool) -> tuple[FloatArray, FloatArray]:
    """Return what a unit adds to the inner sum of a segment with d units before it, and sums of degrees."""
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


def _traced(before: IntArray, n_segments: int) -> IntArray:
    end = before.shape[1] - 1
    positions = np.empty(n_segments - 1, dtype=np.int64)
    for level in range(n_segments, 1, -1):
        end = before[level, end]
        positions[level - 2] = end
    return positions


# -------------------------------------------------------------------- affinity propagation


def propagate(
    similarities: FloatArray,
    responsibilities: FloatArray,
    availabilities: FloatArray,
    damping: float,
    most_rounds: int,
    patience: int,
) -> tuple[FloatArray, int]:
    """Pass messages until the exemplars stay the same (APS): evidence for each unit as one, and rounds.

    Matrices have a row for each distance: ``similarities[reach + d, i]`` is how well the unit i + d stands
    for i; d = 0 are preferences. Both messages are changed in place, so that a later call goes on from them.

    A unit has one exemplar, and the units of an exemplar are a block around it. With s the similarities,

    ρ(i, j) = s(i, j) − max over k ≠ j of [α(i, k) + s(i, k)]

    and α(i, j) is the best sum of the other ρ(·, j) over blocks around j with i in it, less the best without
    i (or no block at all: 0).
    """
    n_units, reach = similarities.shape[1], similarities.shape[0] // 2
    exemplars = np.zeros(n_units, dtype=bool)
    unchanged = n_rounds = 0
    while n_rounds < most_rounds and (unchanged < patience or not exemplars.any()):
        n_rounds += 1
        _respond(similarities, responsibilities, availabilities, damping)
        _offer(responsibilities, availabilities, damping)
        found = responsibilities[reach] + availabilities[reach] > 0.0
        unchanged = unchanged + 1 if np.array_equal(found, exemplars) else 0
        exemplars = found
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
        # Where two are best, the second is as good as the best.
        is_best = alpha[row, here] + s[row, here] == best[here]
        other = np.where(is_best, second[here], best[here])
        rho[row, here] = damping * rho[row, here] + (1.0 - damping) * (s[row, here] - other)


def _units(distance: int, n_units: int) -> slice:
    """Return the units that have another at this distance."""
    return slice(max(0, -distance), n_units - max(0, distance))


def _offer(rho: FloatArray, alpha: FloatArray, damping: float) -> None:
    left, right = _extensions(rho, 1), _extensions(rho, -1)
    reach = rho.shape[0] // 2
    itself = rho[reach].copy()
    alpha[reach] = damping * alpha[reach] + (1.0 - damping) * (left[0] + right[0])
    for side, own, others in ((1, left, itself + right[0]), (-1, right, itself + left[0])):
        total, best = np.zeros(rho.shape[1]), np.zeros(rho.shape[1])  # of blocks up to i, i left out
        for d in range(1, reach + 1):
            of, here = _column(rho, side * d)
            inside = total[of] + own[d, of] + others[of]
            outside = np.maximum(0.0, others[of] + best[of])
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
    """Return the exemplars that have a unit at this distance before them, and these units."""
    n_units = rho.shape[1]
    return _units(-distance, n_units), _units(distance, n_units)


# -------------------------------------------------------------------- tilings


def tilings(values: FloatArray, width: int, most: int) -> FloatArray:
    """Return the value of the best tiling of every interval, by the number that its tiles count (HBT).

    ``values[s, m, j]`` is the value of a tile over the units [s, s + m + 1) that counts j. ``[s, m, c]`` of
    the result is the greatest sum of tiles that cover [s, s + m + 1), of up to ``width`` units, and count
    c ≤ ``most`` together.
    """
    n_units = len(values)
    best = np.full((n_units, width, most + 1), -np.inf)
    for start in range(n_units):
        table, _, _ = _tile(values, start, min(n_units, start + width), most)
        best[start, : len(table) - 1] = table[1:]
    return best


def tiling(values: FloatArray, start: int, end: int, count: int) -> tuple[IntArray, IntArray]:
    """Return where the tiles of the best tiling of [start, end) with this count start, and their counts.

    An interval may be longer than any tile. Of equal tilings the one with the earliest last tile.
    """
    _, before, counted = _tile(values, start, end, count)
    starts, counts = [], []
    here = end - start
    while here:
        one = int(counted[here, count])
        here = int(before[here, count])
        starts.append(start + here)
        counts.append(one)
        count -= one
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
            for one in range(min(n_counts, most + 1)):
                found = best[middle, : most + 1 - one] + values[start + middle, here - middle - 1, one]
                better = found > best[here, one:]
                best[here, one:][better] = found[better]
                before[here, one:][better] = middle
                counted[here, one:][better] = one
    return best, before, counted

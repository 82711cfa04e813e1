# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernels of segmenting_python.py, compiled: same names, same results, without the GIL."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memmove

import numpy as np

NAME = "native"

cdef double TIE = 1e-12  # as in segmenting_python.py

ctypedef const int64_t[::1] Ints
ctypedef const double[::1] Floats


# -------------------------------------------------------------------- similarities and ranks


def gram(Ints offsets, Ints terms, Floats weights, Py_ssize_t n_terms, tuple rows, tuple columns):
    cdef Py_ssize_t first = rows[0], last = rows[1], left = columns[0], right = columns[1]
    cdef Py_ssize_t row, column, entry
    cdef double total
    products = np.empty((last - first, right - left))
    cdef double[:, ::1] out = products
    cdef double[::1] dense = np.zeros(n_terms)
    with nogil:
        for row in range(first, last):
            for entry in range(offsets[row], offsets[row + 1]):
                dense[terms[entry]] = weights[entry]
            for column in range(left, right):
                total = 0.0
                for entry in range(offsets[column], offsets[column + 1]):
                    total += dense[terms[entry]] * weights[entry]
                out[row - first, column - left] = total
            for entry in range(offsets[row], offsets[row + 1]):
                dense[terms[entry]] = 0.0
    return products


cdef void count_smaller(
    const double* here, const double* there, double* smaller, Py_ssize_t length
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(length):
        smaller[i] += 1.0 if there[i] < here[i] else 0.0


def ranks(const double[:, ::1] similarities, Py_ssize_t mask):
    cdef Py_ssize_t n_rows = similarities.shape[0], n_columns = similarities.shape[1], reach = mask // 2
    cdef Py_ssize_t row, column, other, right, top, bottom, wide
    cdef double n_cells
    shares = np.zeros((n_rows, n_columns))
    cdef double[:, ::1] smaller = shares
    with nogil:
        for row in range(n_rows):
            top, bottom = max(row - reach, 0), min(row + reach, n_rows - 1)
            for other in range(top, bottom + 1):
                for right in range(-min(reach, n_columns - 1), min(reach, n_columns - 1) + 1):
                    if right >= 0:
                        count_smaller(
                            &similarities[row, 0], &similarities[other, right], &smaller[row, 0],
                            n_columns - right,
                        )
                    else:
                        count_smaller(
                            &similarities[row, -right], &similarities[other, 0], &smaller[row, -right],
                            n_columns + right,
                        )
            for column in range(n_columns):
                wide = min(column + reach, n_columns - 1) - max(column - reach, 0) + 1
                n_cells = <double> (bottom - top + 1) * <double> wide - 1.0
                smaller[row, column] /= n_cells if n_cells > 1.0 else 1.0
    return shares


# -------------------------------------------------------------------- divisive clustering


cdef struct Segment:
    Py_ssize_t start, end, middle
    double whole, parts  # ranks of the segment, and of the two parts of its best split


cdef inline double area(Py_ssize_t length, Py_ssize_t window) noexcept nogil:
    if length <= window + 1:
        return <double> length * length
    return <double> length * (2 * window + 1) - <double> window * (window + 1)


cdef inline double gained(Segment* one, Py_ssize_t window) noexcept nogil:
    cdef double parts = area(one.middle - one.start, window) + area(one.end - one.middle, window)
    return parts - area(one.end - one.start, window)


cdef Segment best_split(
    const double[:, ::1] sums, Ints starts, Py_ssize_t window, Py_ssize_t start, Py_ssize_t end, double* left
) noexcept nogil:
    cdef Segment found
    cdef Py_ssize_t row, place
    cdef double before, itself, after, total = 0.0, best = -1.0, density, inside
    found.start, found.end, found.middle, found.parts = start, end, start, 0.0
    for row in range(start, end):
        place = row - starts[row]
        before = sums[row, place] - sums[row, max(start, row - window) - starts[row]]
        itself = sums[row, place + 1] - sums[row, place]
        total += 2.0 * before + itself
        left[row] = total
    found.whole = total
    total = 0.0
    for row in range(end - 1, start, -1):
        place = row - starts[row]
        itself = sums[row, place + 1] - sums[row, place]
        after = sums[row, min(end, row + window + 1) - starts[row]] - sums[row, place + 1]
        total += 2.0 * after + itself
        inside = left[row - 1] + total
        density = inside / (area(row - start, window) + area(end - row, window))
        if density > best * (1.0 + TIE):
            best, found.middle, found.parts = density, row, inside
    return found


def divide(const double[:, ::1] sums, Ints starts, Py_ssize_t window, Py_ssize_t n_splits):
    cdef Py_ssize_t n_units = sums.shape[0], n_found = 1, step, index, chosen
    cdef double inside, cells, best, density
    cdef Segment* one
    cdef Segment first, second
    positions, densities = np.empty(n_splits, dtype=np.int64), np.empty(n_splits + 1)
    cdef int64_t[::1] position = positions
    cdef double[::1] dense = densities
    cdef double* left = <double*> malloc(n_units * sizeof(double))
    cdef Segment* segments = <Segment*> malloc((n_splits + 1) * sizeof(Segment))
    if left == NULL or segments == NULL:
        free(left)
        free(segments)
        raise MemoryError
    with nogil:
        segments[0] = best_split(sums, starts, window, 0, n_units, left)
        inside, cells = segments[0].whole, area(n_units, window)
        dense[0] = inside / cells
        for step in range(n_splits):
            best, chosen = -1.0, -1
            for index in range(n_found - 1, -1, -1):
                one = &segments[index]
                if one.end - one.start > 1:
                    density = (inside - one.whole + one.parts) / (cells + gained(one, window))
                    if density > best * (1.0 + TIE):
                        best, chosen = density, index
            one = &segments[chosen]
            inside = inside - one.whole + one.parts
            cells += gained(one, window)
            position[step] = one.middle
            dense[step + 1] = best
            first = best_split(sums, starts, window, one.start, one.middle, left)
            second = best_split(sums, starts, window, one.middle, one.end, left)
            memmove(&segments[chosen + 2], &segments[chosen + 1], (n_found - chosen - 1) * sizeof(Segment))
            segments[chosen] = first
            segments[chosen + 1] = second
            n_found += 1
        free(left)
        free(segments)
    return positions, densities


# -------------------------------------------------------------------- least cost by dynamic programming


cdef Py_ssize_t segment_costs(
    Ints offsets,
    Ints terms,
    Ints counts,
    Floats by_tokens,
    Floats by_count,
    Floats by_length,
    Py_ssize_t start,
    int64_t[::1] seen,
    double[::1] costs,
) noexcept nogil:
    """Fill in the costs of the segments that start here, by length; return the end of the longest possible.

    ``seen`` is 0 for all terms, before and after: so many of them are touched as the longest has, not all.
    """
    cdef Py_ssize_t n_units = offsets.shape[0] - 1, last = n_units, end, entry
    cdef int64_t tokens = 0, n_w
    cdef double spread = 0.0
    for end in range(start + 1, n_units + 1):
        if by_length[end - start] == INFINITY:
            last = end - 1  # every longer segment costs as much
            break
        for entry in range(offsets[end - 1], offsets[end]):
            n_w = seen[terms[entry]] + counts[entry]
            spread += by_count[n_w] - by_count[seen[terms[entry]]]
            seen[terms[entry]] = n_w
            tokens += counts[entry]
        costs[end - start] = by_length[end - start] + by_tokens[tokens] - spread
    for entry in range(offsets[start], offsets[last]):
        seen[terms[entry]] = 0
    return last


def least_cost(tables, Py_ssize_t n_segments):
    cdef Ints offsets = tables.offsets, terms = tables.terms, counts = tables.counts
    cdef Floats by_tokens = tables.by_tokens, by_count = tables.by_count, by_length = tables.by_length
    cdef Py_ssize_t n_units = offsets.shape[0] - 1, n_levels = max(n_segments, 1)
    cdef Py_ssize_t start, end, last, level, most
    cdef double cost, found
    cdef double[:, ::1] best = np.full((n_units + 1, n_levels + 1), np.inf)
    cdef int64_t[:, ::1] before = np.zeros((n_units + 1, n_levels + 1), dtype=np.int64)
    cdef int64_t[::1] seen = np.zeros(max(tables.n_terms, 1), dtype=np.int64)
    cdef double[::1] costs = np.zeros(n_units + 1)
    best[0, 0] = 0.0
    with nogil:
        for start in range(n_units):
            last = segment_costs(offsets, terms, counts, by_tokens, by_count, by_length, start, seen, costs)
            most = min(n_segments, start + 1)  # so many segments at most, with one that starts here
            for end in range(start + 1, last + 1):
                cost = costs[end - start]
                if n_segments == 0:
                    found = best[start, 0] + cost
                    if found < best[end, 0]:
                        best[end, 0] = found
                        before[end, 0] = start
                else:
                    for level in range(1, most + 1):
                        found = best[start, level - 1] + cost
                        if found < best[end, level]:
                            best[end, level] = found
                            before[end, level] = start
    return traced(before, n_segments), best[n_units, n_segments]


def boundary_gains(tables):
    cdef Ints offsets = tables.offsets, terms = tables.terms, counts = tables.counts
    cdef Floats by_tokens = tables.by_tokens, by_count = tables.by_count, by_length = tables.by_length
    cdef Py_ssize_t n_units = offsets.shape[0] - 1, start, end, last
    cdef double least, found
    cdef int64_t[::1] seen = np.zeros(max(tables.n_terms, 1), dtype=np.int64)
    cdef double[::1] costs = np.zeros(n_units + 1)
    cdef double[::1] up_to = np.full(n_units + 1, np.inf), after = np.full(n_units + 1, np.inf)
    cdef double[::1] without = np.full(n_units + 1, np.inf)
    up_to[0] = after[n_units] = 0.0
    with nogil:
        for start in range(n_units):
            last = segment_costs(offsets, terms, counts, by_tokens, by_count, by_length, start, seen, costs)
            for end in range(start + 1, last + 1):
                found = up_to[start] + costs[end - start]
                if found < up_to[end]:
                    up_to[end] = found
        for start in range(n_units - 1, -1, -1):
            last = segment_costs(offsets, terms, counts, by_tokens, by_count, by_length, start, seen, costs)
            least = INFINITY
            for end in range(last, start, -1):
                found = costs[end - start] + after[end]
                if found < least:
                    least = found
                if end - 1 > start and up_to[start] + least < without[end - 1]:
                    without[end - 1] = up_to[start] + least
            after[start] = least
    gains = np.asarray(without)[1:n_units] - (np.asarray(up_to)[1:n_units] + np.asarray(after)[1:n_units])
    return gains


cdef object traced(const int64_t[:, ::1] before, Py_ssize_t n_segments):
    cdef Py_ssize_t end = before.shape[0] - 1, level = n_segments
    positions = []
    while True:
        end, level = before[end, level], max(level - 1, 0)
        if end == 0:
            return np.array(positions[::-1], dtype=np.int64)
        positions.append(end)


# -------------------------------------------------------------------- normalized cuts


def normalised_cut(const double[:, ::1] band, Py_ssize_t n_segments, Py_ssize_t longest, bint far_only):
    cdef Py_ssize_t n_units = band.shape[0], reach = band.shape[1] - 1
    cdef Py_ssize_t start, end, level
    cdef double inner, volume, cost, found
    cdef double[:, ::1] inside = np.empty((n_units, reach + 1))
    cdef double[::1] volumes = np.zeros(n_units + 1)
    cdef double[:, ::1] best = np.full((n_units + 1, n_segments + 1), np.inf)
    cdef int64_t[:, ::1] before = np.zeros((n_units + 1, n_segments + 1), dtype=np.int64)
    best[0, 0] = 0.0
    with nogil:
        sum_edges(band, far_only, inside, volumes)
        for start in range(n_units):
            inner = 0.0
            for end in range(start, min(n_units, start + longest)):
                inner += inside[end, min(end - start, reach)]
                volume = volumes[end + 1] - volumes[start]
                cost = (volume - inner) / volume
                for level in range(1, min(n_segments, start + 1) + 1):
                    found = best[start, level - 1] + cost
                    if found < best[end + 1, level]:
                        best[end + 1, level] = found
                        before[end + 1, level] = start
    return traced(before, n_segments), best[n_units, n_segments]


cdef void sum_edges(
    const double[:, ::1] band, bint far_only, double[:, ::1] inside, double[::1] volumes
) noexcept nogil:
    cdef Py_ssize_t n_units = band.shape[0], width = band.shape[1], unit, d
    cdef double weight, degree
    for unit in range(n_units):
        inside[unit, 0] = 0.0 if far_only else band[unit, 0]
        degree = 0.0
        for d in range(1, width):
            weight = band[unit - d, d] if d <= unit else 0.0
            degree += weight
            inside[unit, d] = inside[unit, d - 1] + (0.0 if d == 1 and far_only else 2.0 * weight)
        for d in range(min(width, n_units - unit)):
            degree += band[unit, d]
        volumes[unit + 1] = volumes[unit] + degree


# -------------------------------------------------------------------- affinity propagation


def propagate(
    const double[:, ::1] similarities,
    double[:, ::1] responsibilities,
    double[:, ::1] availabilities,
    double damping,
    Py_ssize_t most_rounds,
    Py_ssize_t patience,
):
    cdef Py_ssize_t n_units = similarities.shape[1], reach = similarities.shape[0] // 2
    cdef Py_ssize_t n_rounds = 0, unchanged = 0, unit, n_exemplars = 0
    cdef bint is_exemplar, is_same
    cdef unsigned char[::1] exemplars = np.zeros(n_units, dtype=np.uint8)
    cdef double[::1] best = np.empty(n_units), second = np.empty(n_units)
    cdef double[:, ::1] left = np.zeros((reach + 1, n_units)), right = np.zeros((reach + 1, n_units))
    evidence = np.zeros(n_units)
    cdef double[::1] out = evidence
    with nogil:
        while n_rounds < most_rounds and (unchanged < patience or not n_exemplars):
            n_rounds += 1
            respond(similarities, responsibilities, availabilities, damping, best, second)
            offer(responsibilities, availabilities, damping, left, right, best, second)
            is_same, n_exemplars = True, 0
            for unit in range(n_units):
                out[unit] = responsibilities[reach, unit] + availabilities[reach, unit]
                is_exemplar = out[unit] > 0.0
                is_same = is_same and is_exemplar == exemplars[unit]
                exemplars[unit] = is_exemplar
                n_exemplars += is_exemplar
            unchanged = unchanged + 1 if is_same else 0
    return evidence, n_rounds


cdef void respond(
    const double[:, ::1] s,
    double[:, ::1] rho,
    const double[:, ::1] alpha,
    double damping,
    double[::1] best,
    double[::1] second,
) noexcept nogil:
    cdef Py_ssize_t n_units = s.shape[1], reach = s.shape[0] // 2, row, unit, first, last
    cdef double value, lower, other, other_share = 1.0 - damping
    for unit in range(n_units):
        best[unit], second[unit] = -INFINITY, -INFINITY
    for row in range(s.shape[0]):
        first, last = max(0, reach - row), n_units - max(0, row - reach)
        for unit in range(first, last):
            value = alpha[row, unit] + s[row, unit]
            lower = best[unit] if best[unit] < value else value
            second[unit] = second[unit] if second[unit] > lower else lower
            best[unit] = best[unit] if best[unit] > value else value
    for row in range(s.shape[0]):
        first, last = max(0, reach - row), n_units - max(0, row - reach)
        for unit in range(first, last):
            # Where two are best, the second is as good as the best.
            other = second[unit] if alpha[row, unit] + s[row, unit] == best[unit] else best[unit]
            rho[row, unit] = damping * rho[row, unit] + other_share * (s[row, unit] - other)


cdef void offer(
    const double[:, ::1] rho,
    double[:, ::1] alpha,
    double damping,
    double[:, ::1] left,
    double[:, ::1] right,
    double[::1] total,
    double[::1] best,
) noexcept nogil:
    cdef Py_ssize_t n_units = rho.shape[1], reach = rho.shape[0] // 2, unit
    cdef double other_share = 1.0 - damping
    extend(rho, 1, left)
    extend(rho, -1, right)
    for unit in range(n_units):
        alpha[reach, unit] = damping * alpha[reach, unit] + other_share * (left[0, unit] + right[0, unit])
    offer_side(rho, alpha, damping, 1, left, right, total, best)
    offer_side(rho, alpha, damping, -1, right, left, total, best)


cdef void extend(const double[:, ::1] rho, Py_ssize_t side, double[:, ::1] gains) noexcept nogil:
    cdef Py_ssize_t n_units = rho.shape[1], reach = rho.shape[0] // 2, d, j, row
    cdef double value
    for j in range(n_units):
        gains[reach, j] = 0.0
    for d in range(reach, 0, -1):
        row = reach + side * d
        for j in range(n_units):
            gains[d - 1, j] = 0.0
        for j in range(max(0, side * d), n_units - max(0, -side * d)):
            value = rho[row, j - side * d] + gains[d, j]
            gains[d - 1, j] = value if value > 0.0 else 0.0


cdef void offer_side(
    const double[:, ::1] rho,
    double[:, ::1] alpha,
    double damping,
    Py_ssize_t side,
    const double[:, ::1] own,
    const double[:, ::1] opposite,
    double[::1] total,
    double[::1] best,
) noexcept nogil:
    cdef Py_ssize_t n_units = rho.shape[1], reach = rho.shape[0] // 2, d, j, row, unit
    cdef double others, inside, outside, sum_, other_share = 1.0 - damping
    for j in range(n_units):
        total[j], best[j] = 0.0, 0.0
    for d in range(1, reach + 1):
        row = reach + side * d
        for j in range(max(0, side * d), n_units - max(0, -side * d)):
            unit = j - side * d
            others = rho[reach, j] + opposite[0, j]
            inside = total[j] + own[d, j] + others
            outside = others + best[j]
            outside = outside if outside > 0.0 else 0.0
            alpha[row, unit] = damping * alpha[row, unit] + other_share * (inside - outside)
            sum_ = total[j] + rho[row, unit]
            total[j] = sum_
            best[j] = sum_ if sum_ > best[j] else best[j]


# -------------------------------------------------------------------- tilings


def tilings(const double[:, :, ::1] values, Py_ssize_t width, Py_ssize_t most):
    cdef Py_ssize_t n_units = values.shape[0], start, length, here, count
    found = np.full((n_units, width, most + 1), -np.inf)
    cdef double[:, :, ::1] out = found
    cdef double[:, ::1] best = np.empty((width + 1, most + 1))
    cdef int64_t[:, ::1] before = np.empty((width + 1, most + 1), dtype=np.int64)
    cdef int64_t[:, ::1] counted = np.empty((width + 1, most + 1), dtype=np.int64)
    with nogil:
        for start in range(n_units):
            length = min(n_units - start, width)
            if most == 0 and values.shape[2] == 1:
                tile_plainly(values, start, length, &out[start, 0, 0])
                continue
            tile(values, start, length, most, best, before, counted)
            for here in range(1, length + 1):
                for count in range(most + 1):
                    out[start, here - 1, count] = best[here, count]
    return found


def tiling(const double[:, :, ::1] values, Py_ssize_t start, Py_ssize_t end, Py_ssize_t count):
    cdef Py_ssize_t here = end - start, one
    cdef double[:, ::1] best = np.empty((here + 1, count + 1))
    cdef int64_t[:, ::1] before = np.empty((here + 1, count + 1), dtype=np.int64)
    cdef int64_t[:, ::1] counted = np.empty((here + 1, count + 1), dtype=np.int64)
    with nogil:
        tile(values, start, here, count, best, before, counted)
    starts, counts = [], []
    while here:
        one = counted[here, count]
        here = before[here, count]
        starts.append(start + here)
        counts.append(one)
        count -= one
    return np.array(starts[::-1], dtype=np.int64), np.array(counts[::-1], dtype=np.int64)


cdef void tile_plainly(
    const double[:, :, ::1] values, Py_ssize_t start, Py_ssize_t length, double* best
) noexcept nogil:
    """Fill in the values of ``tile`` where nothing is counted: without a trace, so that it is vectorized."""
    cdef Py_ssize_t middle, here, n_ends
    cdef double so_far, found
    cdef const double* tiles
    cdef double* ends
    for middle in range(length):
        so_far = best[middle - 1] if middle else 0.0
        tiles, ends = &values[start + middle, 0, 0], best + middle
        n_ends = min(length - middle, values.shape[1])
        for here in range(n_ends):
            found = so_far + tiles[here]
            ends[here] = found if found > ends[here] else ends[here]


cdef void tile(
    const double[:, :, ::1] values,
    Py_ssize_t start,
    Py_ssize_t length,
    Py_ssize_t most,
    double[:, ::1] best,
    int64_t[:, ::1] before,
    int64_t[:, ::1] counted,
) noexcept nogil:
    cdef Py_ssize_t width = values.shape[1], n_counts = min(values.shape[2], most + 1)
    cdef Py_ssize_t middle, here, one, count
    cdef double value, found
    for here in range(length + 1):
        for count in range(most + 1):
            best[here, count], before[here, count], counted[here, count] = -INFINITY, 0, 0
    best[0, 0] = 0.0
    for middle in range(length):
        for here in range(middle + 1, min(length, middle + width) + 1):
            for one in range(n_counts):
                value = values[start + middle, here - middle - 1, one]
                if value == -INFINITY:
                    continue
                for count in range(one, most + 1):
                    found = best[middle, count - one] + value
                    if found > best[here, count]:
                        best[here, count] = found
                        before[here, count] = middle
                        counted[here, count] = one

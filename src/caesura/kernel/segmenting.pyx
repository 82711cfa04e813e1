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


def least_cost(
    Ints offsets,
    Ints terms,
    Ints counts,
    Py_ssize_t n_terms,
    Floats by_tokens,
    Floats by_count,
    Floats by_length,
    Py_ssize_t n_segments,
):
    cdef Py_ssize_t n_units = offsets.shape[0] - 1, n_levels = max(n_segments, 1)
    cdef Py_ssize_t start, end, last, level, most
    cdef double cost, found
    cdef double[:, ::1] best = np.full((n_units + 1, n_levels + 1), np.inf)
    cdef int64_t[:, ::1] before = np.zeros((n_units + 1, n_levels + 1), dtype=np.int64)
    cdef int64_t[::1] seen = np.zeros(max(n_terms, 1), dtype=np.int64)
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


def boundary_gains(
    Ints offsets,
    Ints terms,
    Ints counts,
    Py_ssize_t n_terms,
    Floats by_tokens,
    Floats by_count,
    Floats by_length,
):
    cdef Py_ssize_t n_units = offsets.shape[0] - 1, start, end, last
    cdef double least, found
    cdef int64_t[::1] seen = np.zeros(max(n_terms, 1), dtype=np.int64)
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

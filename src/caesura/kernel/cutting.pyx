# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernels of cutting_python.py, compiled: same names, same results, without the GIL."""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

import numpy as np

NAME = "native"


# -------------------------------------------------------------------- normalised cuts


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
        sums(band, far_only, inside, volumes)
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


cdef void sums(
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


cdef object traced(const int64_t[:, ::1] before, Py_ssize_t n_segments):
    cdef Py_ssize_t end = before.shape[0] - 1, level
    positions = np.empty(n_segments - 1, dtype=np.int64)
    for level in range(n_segments, 1, -1):
        end = before[end, level]
        positions[level - 2] = end
    return positions


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
    """Fill in the values of ``tile`` where nothing is counted: without a trace, so that it is vectorised."""
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

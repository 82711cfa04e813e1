# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernels of rows_python.py, compiled: same names, same results, without the GIL."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

import numpy as np

from caesura.kernel import rows_python

NAME = "native"

cdef uint64_t FNV_START = 0xCBF29CE484222325, FNV_PRIME = 0x100000001B3


def name_runs(const uint8_t[::1] data, const int64_t[::1] offsets):
    """See rows_python.name_runs; names are hashed as resampling.hash_names does."""
    cdef Py_ssize_t n = offsets.shape[0] - 1, row, at, n_runs = 0
    cdef int64_t length, before = 0, end = 0
    cdef const uint8_t* names = &data[0] if data.shape[0] else NULL
    cdef const uint8_t* name
    cdef const uint8_t* last = NULL
    cdef uint64_t number
    cdef int order
    cdef bint ascends = True, counts_up = True
    first_rows, numbers = np.empty(n + 1, dtype=np.int64), np.empty(n, dtype=np.uint64)
    ends, together = np.zeros(n + 1, dtype=np.int64), np.empty(offsets[n] - offsets[0], dtype=np.uint8)
    cdef int64_t[::1] starts = first_rows, name_ends = ends
    cdef uint64_t[::1] hashes = numbers
    cdef uint8_t[::1] kept = together
    with nogil:
        for row in range(n):
            name = names + offsets[row]
            length = offsets[row + 1] - offsets[row]
            if row:
                order = memcmp(name, last, <size_t> min(length, before))
                if order == 0:
                    if length == before:
                        continue
                    order = 1 if length > before else -1
                ascends &= order > 0
                counts_up &= length > before or (length == before and order > 0)
            number = FNV_START
            for at in range(length):
                kept[end + at] = name[at]
                number = (number ^ name[at]) * FNV_PRIME
            starts[n_runs] = row
            hashes[n_runs] = number
            n_runs += 1
            end += length
            name_ends[n_runs] = end
            last = name
            before = length
        starts[n_runs] = n
    return rows_python.Runs(
        first_rows[: n_runs + 1], together[:end], ends[: n_runs + 1], numbers[:n_runs], ascends, counts_up
    )


def codings_fit(
    const int64_t[::1] starts, const int64_t[::1] coder, Py_ssize_t n_coders,
    const int64_t[::1] n_units, const int64_t[::1] offsets, const int64_t[::1] positions, int64_t most,
):
    """See rows_python.codings_fit.

    What is wrong is the sign of a number: so one loop over all positions has no branches, and counts where
    they fall. That is right where codings begin, which the other loop counts.
    """
    cdef Py_ssize_t document, row, at, n_positions = positions.shape[0]
    cdef int64_t first, last, n
    cdef uint64_t wrong = 0, falls = 0, known_falls = 0
    cdef const int64_t* places = &positions[0] if n_positions else NULL
    cdef int64_t* seen = <int64_t*> calloc(n_coders + 1, sizeof(int64_t))  # the last document of each, from 1
    if seen == NULL:
        raise MemoryError
    with nogil:
        for at in range(n_positions - 1):
            wrong |= <uint64_t> places[at] | (<uint64_t> most - <uint64_t> places[at])
            falls += (<uint64_t> places[at + 1] - <uint64_t> places[at] - 1) >> 63
        if n_positions:
            wrong |= <uint64_t> places[n_positions - 1] | (<uint64_t> most - <uint64_t> places[n_positions - 1])
        for document in range(starts.shape[0] - 1):
            n = n_units[starts[document]]
            wrong |= <uint64_t> n - 1 | <uint64_t> n | (<uint64_t> most - <uint64_t> n)
            for row in range(starts[document], starts[document + 1]):
                wrong |= <uint64_t> (n_units[row] != n or seen[coder[row]] == document + 1) << 63
                seen[coder[row]] = document + 1
                first = offsets[row]
                last = offsets[row + 1] - 1
                if first <= last:
                    wrong |= <uint64_t> places[first] - 1 | (<uint64_t> n - 1 - <uint64_t> places[last])
                    known_falls += (<uint64_t> places[first] - <uint64_t> places[max(first - 1, 0)] - 1) >> 63
        known_falls -= n_positions > 0  # the first position was compared with itself
    free(seen)
    return wrong >> 63 == 0 and falls == known_falls

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernels of resampling_python.py, compiled: same names, same results, without the GIL."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

NAME = "native"

cdef uint64_t FNV_START = 0xCBF29CE484222325, FNV_PRIME = 0x100000001B3
cdef uint64_t STEP = 0x9E3779B97F4A7C15
cdef uint64_t FIRST_FACTOR = 0xBF58476D1CE4E5B9, SECOND_FACTOR = 0x94D049BB133111EB

cdef enum:
    LIMB = 26  # bits of the low part of a number that is squared
    DRAWS = 4
    BLOCK = 256  # documents whose weights are drawn together: sums of a block fit 32 bits

cdef enum:  # the least draws, less 2**15, that stand for the weights 1, 2 and so on
    LEAST_1 = 24107 - 32768
    LEAST_2 = LEAST_1 + 24113
    LEAST_3 = LEAST_2 + 12055
    LEAST_4 = LEAST_3 + 4017
    LEAST_5 = LEAST_4 + 1004
    LEAST_6 = LEAST_5 + 201
    LEAST_7 = LEAST_6 + 33
    LEAST_8 = LEAST_7 + 5


def hash_names(const uint8_t[::1] data, const int64_t[::1] offsets):
    cdef Py_ssize_t n = offsets.shape[0] - 1, name, at
    cdef uint64_t number
    found = np.empty(n, dtype=np.uint64)
    cdef uint64_t[::1] into = found
    with nogil:
        for name in range(n):
            number = FNV_START
            for at in range(offsets[name], offsets[name + 1]):
                number = (number ^ data[at]) * FNV_PRIME
            into[name] = number
    return found


def square_sum(const int64_t[::1] numbers):
    """See resampling_python.square_sum.

    A number is two parts, high and low; their products are summed in words of 64 bits, and carries counted.
    """
    cdef Py_ssize_t place
    cdef uint64_t number, high, low, part
    cdef uint64_t lows = 0, both = 0, highs = 0, low_carry = 0, both_carry = 0, high_carry = 0
    with nogil:
        for place in range(numbers.shape[0]):
            number = <uint64_t> (numbers[place] if numbers[place] >= 0 else -numbers[place])
            high = number >> LIMB
            low = number & ((1 << LIMB) - 1)
            part = low * low
            lows += part
            low_carry += lows < part
            part = high * low
            both += part
            both_carry += both < part
            part = high * high
            highs += part
            high_carry += highs < part
    return (
        (int(low_carry) << 64) + lows
        + (((int(both_carry) << 64) + both) << (LIMB + 1))
        + (((int(high_carry) << 64) + highs) << (2 * LIMB))
    )


cdef inline uint64_t mixed(uint64_t number) noexcept nogil:
    number = (number ^ (number >> 30)) * FIRST_FACTOR
    number = (number ^ (number >> 27)) * SECOND_FACTOR
    return number ^ (number >> 31)


cdef void draw(const uint64_t* keys, uint64_t counter, int16_t* weights) noexcept nogil:
    """Draw the weights of a block of documents in four resamples, one after the other.

    The loops are over all of a block and without branches, for the compiler to run on several at once.
    """
    cdef Py_ssize_t document, place
    cdef uint64_t word
    cdef int16_t drawn
    for document in range(BLOCK):
        word = mixed(keys[document] + counter * STEP)
        # A draw less 2**15 has the same 16 bits but for the first one.
        weights[document] = <int16_t> (word ^ 0x8000)
        weights[BLOCK + document] = <int16_t> ((word >> 16) ^ 0x8000)
        weights[2 * BLOCK + document] = <int16_t> ((word >> 32) ^ 0x8000)
        weights[3 * BLOCK + document] = <int16_t> ((word >> 48) ^ 0x8000)
    for place in range(DRAWS * BLOCK):
        drawn = weights[place]
        weights[place] = (
            <int16_t> (drawn >= <int16_t> LEAST_1)
            + <int16_t> (drawn >= <int16_t> LEAST_2)
            + <int16_t> (drawn >= <int16_t> LEAST_3)
            + <int16_t> (drawn >= <int16_t> LEAST_4)
            + <int16_t> (drawn >= <int16_t> LEAST_5)
            + <int16_t> (drawn >= <int16_t> LEAST_6)
            + <int16_t> (drawn >= <int16_t> LEAST_7)
            + <int16_t> (drawn >= <int16_t> LEAST_8)
        )


cdef int32_t dot(const int16_t* weights, const int16_t* counts) noexcept nogil:
    cdef Py_ssize_t document
    cdef int32_t total = 0
    for document in range(BLOCK):
        total += <int32_t> weights[document] * <int32_t> counts[document]
    return total


def poisson_weights(uint64_t seed, const uint64_t[::1] hashes, Py_ssize_t n_resamples):
    cdef Py_ssize_t n = hashes.shape[0], document, resample, start, size, number
    found = np.empty((n, n_resamples), dtype=np.int16)
    cdef int16_t[:, ::1] into = found
    cdef uint64_t[BLOCK] keys
    cdef int16_t[DRAWS * BLOCK] weights
    with nogil:
        for number in range((n + BLOCK - 1) // BLOCK):
            start = number * BLOCK
            size = min(BLOCK, n - start)
            for document in range(BLOCK):
                keys[document] = mixed(hashes[start + min(document, size - 1)] ^ seed)
            for resample in range(n_resamples):
                if resample % DRAWS == 0:
                    draw(keys, resample // DRAWS + 1, weights)
                for document in range(size):
                    into[start + document, resample] = weights[resample % DRAWS * BLOCK + document]
    return found


def poisson_sums(
    uint64_t seed, const uint64_t[::1] hashes, const int16_t[:, ::1] counts, Py_ssize_t n_resamples
):
    cdef Py_ssize_t n = hashes.shape[0], n_columns = counts.shape[0]
    cdef Py_ssize_t document, resample, column, start, size, number
    found = np.zeros((n_columns, n_resamples), dtype=np.int64)
    cdef int64_t[:, ::1] into = found
    cdef uint64_t[BLOCK] keys
    cdef int16_t[DRAWS * BLOCK] weights
    cdef int16_t* block = <int16_t*> malloc(max(1, n_columns) * BLOCK * sizeof(int16_t))
    if block == NULL:
        raise MemoryError
    try:
        with nogil:
            for number in range((n + BLOCK - 1) // BLOCK):
                start = number * BLOCK
                size = min(BLOCK, n - start)
                for document in range(BLOCK):
                    keys[document] = mixed(hashes[start + min(document, size - 1)] ^ seed)
                for column in range(n_columns):
                    for document in range(BLOCK):  # what fills the last block counts nothing
                        block[column * BLOCK + document] = (
                            counts[column, start + document] if document < size else 0
                        )
                for resample in range(n_resamples):
                    if resample % DRAWS == 0:
                        draw(keys, resample // DRAWS + 1, weights)
                    for column in range(n_columns):
                        into[column, resample] += dot(
                            weights + resample % DRAWS * BLOCK, block + column * BLOCK
                        )
    finally:
        free(block)
    return found

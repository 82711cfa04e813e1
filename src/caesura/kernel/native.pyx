# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernels of python.py, compiled: same names, same results, the batch ones without the GIL.

What the compiled code does not cover (a very large n_t, which needs another algorithm, or more boundaries
than a packed count holds) goes to python.py.
"""

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport exp, expm1, fabs
from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcpy, memset

import numpy as np

from caesura.kernel import python

NAME = "native"

ctypedef const int64_t[::1] Positions

# Up to this n_t a pass per distance is the fastest way; beyond it python.py's heap has the better bound.
cdef int64_t MAX_N_T = 64


cdef class Two:
    """Two arrays of positions as C sees them. A typed memoryview would do the same at three times the cost."""

    cdef Py_buffer a_view, b_view
    cdef bint has_a, has_b
    cdef const int64_t* a
    cdef const int64_t* b
    cdef Py_ssize_t n_a, n_b

    def __dealloc__(self):
        if self.has_a:
            PyBuffer_Release(&self.a_view)
        if self.has_b:
            PyBuffer_Release(&self.b_view)


cdef int view(object array, Py_buffer* buffer) except -1:
    PyObject_GetBuffer(array, buffer, PyBUF_ND | PyBUF_FORMAT)
    if buffer.ndim != 1 or buffer.itemsize != 8 or buffer.format[0] not in (c"l", c"q"):
        PyBuffer_Release(buffer)
        raise TypeError("expected a one-dimensional array of 64-bit integers")
    return 0


cdef Two two(object a, object b):
    cdef Two arrays = Two.__new__(Two)
    view(a, &arrays.a_view)
    arrays.has_a = True
    view(b, &arrays.b_view)
    arrays.has_b = True
    arrays.a = <const int64_t*> arrays.a_view.buf
    arrays.b = <const int64_t*> arrays.b_view.buf
    arrays.n_a = arrays.a_view.shape[0]
    arrays.n_b = arrays.b_view.shape[0]
    return arrays


# -------------------------------------------------------------------- boundary edit distance, one type

cdef struct EditCounts:
    int64_t matches
    int64_t only_a
    int64_t only_b
    int64_t transpositions
    int64_t span


cdef EditCounts count_edits(
    const int64_t* a, Py_ssize_t n_a, const int64_t* b, Py_ssize_t n_b, int64_t n_t, bint optimal,
    int64_t* work,
) noexcept nogil:
    """Count the edits of one pair. ``work`` has room for 4 * (n_a + n_b + 2) integers."""
    cdef EditCounts counts
    cdef Py_ssize_t i = 0, j = 0, m = 0
    cdef int64_t* points = work          # unmatched positions, ascending
    cdef int64_t* sides = work + n_a + n_b  # 1 for a, 0 for b
    counts.matches = counts.only_a = counts.only_b = counts.transpositions = counts.span = 0
    if n_t == 2:
        count_edits_adjacent(a, n_a, b, n_b, &counts)
        return counts
    while i < n_a or j < n_b:
        if j >= n_b or (i < n_a and a[i] < b[j]):
            points[m] = a[i]
            sides[m] = 1
            i += 1
            m += 1
            counts.only_a += 1
        elif i >= n_a or b[j] < a[i]:
            points[m] = b[j]
            sides[m] = 0
            j += 1
            m += 1
            counts.only_b += 1
        else:
            counts.matches += 1
            i += 1
            j += 1
    if n_t > 2 and counts.only_a and counts.only_b:
        if optimal:
            pair_optimal(points, sides, m, n_t, &counts, work + 2 * (n_a + n_b))
        else:
            pair_nearest(points, sides, m, n_t, &counts)
        counts.only_a -= counts.transpositions
        counts.only_b -= counts.transpositions
    return counts


cdef void count_edits_adjacent(
    const int64_t* a, Py_ssize_t n_a, const int64_t* b, Py_ssize_t n_b, EditCounts* counts
) noexcept nogil:
    """n_t = 2: one pass. An unmatched boundary waits one position for a partner from the other side.

    Leftmost first is also optimal here: a run of alternating neighbours is paired completely either way.
    """
    cdef Py_ssize_t i = 0, j = 0
    cdef int64_t waiting = -2, p
    cdef int waiting_side = 0, side
    while i < n_a and j < n_b:
        if a[i] == b[j]:
            counts.matches += 1
            i += 1
            j += 1
            continue
        if a[i] < b[j]:
            p = a[i]
            side = 1
            i += 1
            counts.only_a += 1
        else:
            p = b[j]
            side = 0
            j += 1
            counts.only_b += 1
        if waiting == p - 1 and waiting_side != side:
            counts.transpositions += 1
            waiting = -2
        else:
            waiting = p
            waiting_side = side
    # One side is used up: only its first leftover neighbour can still find a partner.
    if i < n_a:
        if waiting == a[i] - 1 and waiting_side == 0:
            counts.transpositions += 1
        counts.only_a += n_a - i
    if j < n_b:
        if waiting == b[j] - 1 and waiting_side == 1:
            counts.transpositions += 1
        counts.only_b += n_b - j
    counts.only_a -= counts.transpositions
    counts.only_b -= counts.transpositions
    counts.span = counts.transpositions


cdef void pair_nearest(
    int64_t* points, int64_t* sides, Py_ssize_t m, int64_t n_t, EditCounts* counts
) noexcept nogil:
    """Greedy: for each distance from the least on, pair neighbours of opposite sides from left to right.

    Taken points are removed, so the next pass sees their outer neighbours as adjacent.
    """
    cdef int64_t distance = 1, next_distance, gap
    cdef Py_ssize_t read, kept
    while distance < n_t and m > 1:
        next_distance = n_t
        kept = 0
        read = 0
        while read < m:
            if kept and sides[kept - 1] != sides[read]:
                gap = points[read] - points[kept - 1]
                if gap == distance:
                    counts.transpositions += 1
                    counts.span += distance
                    kept -= 1
                    read += 1
                    continue
                if distance < gap < next_distance:
                    next_distance = gap
            points[kept] = points[read]
            sides[kept] = sides[read]
            kept += 1
            read += 1
        m = kept
        distance = next_distance


cdef void pair_optimal(
    int64_t* points, int64_t* sides, Py_ssize_t m, int64_t n_t, EditCounts* counts, int64_t* work
) noexcept nogil:
    """Most pairs, then least total distance: the banded table of python.optimal_transpositions."""
    cdef Py_ssize_t n_a = counts.only_a, n_b = counts.only_b
    cdef int64_t* a = work
    cdef int64_t* b = work + n_a
    cdef Py_ssize_t i = 0, j = 0, t
    for t in range(m):
        if sides[t]:
            a[i] = points[t]
            i += 1
        else:
            b[j] = points[t]
            j += 1
    # best[j] is the best of the a's so far with the first j of b; beyond ``high`` it equals best[high].
    cdef int64_t* best = points  # the merged points are no longer needed: room for n_b + 1
    cdef int64_t worth = n_t * ((n_a if n_a < n_b else n_b) + 1)
    cdef int64_t diagonal, tail, up, value, gap
    cdef Py_ssize_t low = 0, high = 0
    best[0] = 0
    for i in range(n_a):
        while low < n_b and b[low] < a[i] - n_t + 1:
            low += 1
            if low > high:
                best[low] = best[high]
                high = low
        diagonal = best[low]
        tail = best[high]
        j = low
        while j < n_b and b[j] <= a[i] + n_t - 1:
            if j + 1 > high:
                best[j + 1] = tail
                high = j + 1
            up = best[j + 1]
            gap = a[i] - b[j]
            value = diagonal + worth - (gap if gap > 0 else -gap)
            if up > value:
                value = up
            if best[j] > value:
                value = best[j]
            best[j + 1] = value
            diagonal = up
            j += 1
    value = best[high]
    counts.transpositions = (value + worth - 1) // worth
    counts.span = counts.transpositions * worth - value


def edit_counts(a, b, int64_t n_t, bint optimal):
    """See python.edit_counts."""
    cdef Two arrays = two(a, b)
    cdef EditCounts counts
    cdef int64_t* work = NULL
    if n_t > MAX_N_T:
        return python.edit_counts(a, b, n_t, optimal)
    if n_t != 2:
        work = <int64_t*> malloc(4 * (arrays.n_a + arrays.n_b + 2) * sizeof(int64_t))
        if work == NULL:
            raise MemoryError
    counts = count_edits(arrays.a, arrays.n_a, arrays.b, arrays.n_b, n_t, optimal, work)
    free(work)
    return counts.matches, counts.only_a, counts.only_b, counts.transpositions, counts.span


def edit_counts_many(
    Positions positions, Positions offsets, Positions first, Positions second, int64_t n_t, bint optimal
):
    """See python.edit_counts_many."""
    cdef Py_ssize_t pair, n_pairs = first.shape[0], i, j, longest = 0
    if n_t > MAX_N_T:
        return python.edit_counts_many(
            np.asarray(positions), np.asarray(offsets), np.asarray(first), np.asarray(second), n_t, optimal
        )
    for i in range(offsets.shape[0] - 1):
        longest = max(longest, <Py_ssize_t> (offsets[i + 1] - offsets[i]))
    out = np.empty((n_pairs, 5), dtype=np.int64)
    cdef int64_t[:, ::1] rows = out
    cdef EditCounts counts
    cdef const int64_t* start = &positions[0] if positions.shape[0] else NULL
    cdef int64_t* work = <int64_t*> malloc(4 * (2 * longest + 2) * sizeof(int64_t))
    if work == NULL:
        raise MemoryError
    with nogil:
        for pair in range(n_pairs):
            i = first[pair]
            j = second[pair]
            counts = count_edits(
                start + offsets[i], offsets[i + 1] - offsets[i],
                start + offsets[j], offsets[j + 1] - offsets[j], n_t, optimal, work,
            )
            rows[pair, 0] = counts.matches
            rows[pair, 1] = counts.only_a
            rows[pair, 2] = counts.only_b
            rows[pair, 3] = counts.transpositions
            rows[pair, 4] = counts.span
    free(work)
    return out


# -------------------------------------------------------------------- windows

cdef struct WindowCounts:
    int64_t windows
    int64_t disagree
    int64_t false_alarms
    int64_t different
    int64_t difference
    int64_t common


cdef int64_t NEVER = INT64_MAX


cdef inline const int64_t* start_of(Positions positions) noexcept:
    return &positions[0] if positions.shape[0] else NULL


cdef inline int64_t boundary(
    const int64_t* positions, Py_ssize_t n, Py_ssize_t n_all, Py_ssize_t index, int64_t n_units
) noexcept nogil:
    """The index-th of n_all boundaries; those beyond n come round again after the document's end."""
    if index < n:
        return positions[index]
    return positions[index - n] + n_units if index < n_all else NEVER


cdef inline Py_ssize_t with_wrapped(const int64_t* positions, Py_ssize_t n, int64_t k) noexcept nogil:
    """How many boundaries windows meet when the first k - 1 positions follow the document's end."""
    cdef Py_ssize_t again = 0
    while again < n and positions[again] < k:
        again += 1
    return n + again


cdef WindowCounts count_windows(
    const int64_t* ref, Py_ssize_t n_ref, const int64_t* hyp, Py_ssize_t n_hyp,
    int64_t n_units, int64_t k, int edges,
) noexcept nogil:
    """Walk over the windows at which a boundary enters (p-k) or leaves (p), in order."""
    cdef WindowCounts counts
    cdef int64_t first = 0, end = n_units - k, window, event, run, r = 0, h = 0
    cdef Py_ssize_t r_all = n_ref, h_all = n_hyp, r_in = 0, r_out = 0, h_in = 0, h_out = 0
    counts.disagree = counts.false_alarms = counts.different = counts.difference = counts.common = 0
    if edges == 1:
        first = -k
        end = n_units
    elif edges == 2:
        end = n_units
        r_all = with_wrapped(ref, n_ref, k)
        h_all = with_wrapped(hyp, n_hyp, k)
    cdef int64_t r_leaves = boundary(ref, n_ref, r_all, 0, n_units)
    cdef int64_t h_leaves = boundary(hyp, n_hyp, h_all, 0, n_units)
    cdef int64_t r_enters = NEVER if r_leaves == NEVER else r_leaves - k
    cdef int64_t h_enters = NEVER if h_leaves == NEVER else h_leaves - k
    window = first
    while window < end:
        event = min(min(r_enters, r_leaves), min(h_enters, h_leaves))
        if event > end:
            event = end
        if event > window:
            run = event - window
            window = event
            counts.different += run * (r != h)
            counts.difference += run * (r - h if r > h else h - r)
            counts.common += run * (r if r < h else h)
            counts.false_alarms += run * (r == 0 and h > 0)
            counts.disagree += run * ((r == 0) != (h == 0))
        if r_enters == event:
            r += 1
            r_in += 1
            r_enters = boundary(ref, n_ref, r_all, r_in, n_units)
            if r_enters != NEVER:
                r_enters -= k
        if r_leaves == event:
            r -= 1
            r_out += 1
            r_leaves = boundary(ref, n_ref, r_all, r_out, n_units)
        if h_enters == event:
            h += 1
            h_in += 1
            h_enters = boundary(hyp, n_hyp, h_all, h_in, n_units)
            if h_enters != NEVER:
                h_enters -= k
        if h_leaves == event:
            h -= 1
            h_out += 1
            h_leaves = boundary(hyp, n_hyp, h_all, h_out, n_units)
    counts.windows = end - first if end > first else 0
    return counts


def window_counts(reference, hypothesis, int64_t n_units, int64_t k, int edges):
    """See python.window_counts."""
    cdef Two arrays = two(reference, hypothesis)
    cdef WindowCounts counts = count_windows(
        arrays.a, arrays.n_a, arrays.b, arrays.n_b, n_units, k, edges
    )
    return (
        counts.windows, counts.disagree, counts.false_alarms, counts.different, counts.difference, counts.common
    )


def window_counts_many(
    Positions a_positions, Positions a_offsets, Positions first,
    Positions b_positions, Positions b_offsets, Positions second,
    Positions n_units, Positions k, int edges,
):
    """See python.window_counts_many."""
    cdef Py_ssize_t pair, n_pairs = first.shape[0], i, j
    out = np.empty((n_pairs, 6), dtype=np.int64)
    cdef int64_t[:, ::1] rows = out
    cdef WindowCounts counts
    cdef const int64_t* a = start_of(a_positions)
    cdef const int64_t* b = start_of(b_positions)
    with nogil:
        for pair in range(n_pairs):
            i = first[pair]
            j = second[pair]
            counts = count_windows(
                a + a_offsets[i], a_offsets[i + 1] - a_offsets[i],
                b + b_offsets[j], b_offsets[j + 1] - b_offsets[j], n_units[pair], k[pair], edges,
            )
            rows[pair, 0] = counts.windows
            rows[pair, 1] = counts.disagree
            rows[pair, 2] = counts.false_alarms
            rows[pair, 3] = counts.different
            rows[pair, 4] = counts.difference
            rows[pair, 5] = counts.common
    return out


# A window that holds r reference, c certain and m tied boundaries is of the kind r << 42 | c << 21 | m.
cdef int KIND_BITS = 21
cdef int64_t MAX_KIND = (1 << 21) - 1


cdef struct Kind:
    int64_t holds
    int64_t windows  # 0: this slot of the table is free


cdef struct Tally:
    Kind* kinds  # a hash table with 2 ** bits slots, never more than half full
    int bits
    Py_ssize_t used


cdef inline int add_windows(Tally* tally, int64_t holds, int64_t windows) noexcept nogil:
    """Count windows of one kind. Returns -1 where memory is short."""
    cdef uint64_t last = ((<uint64_t> 1) << tally.bits) - 1
    cdef uint64_t slot = (<uint64_t> holds * <uint64_t> 0x9E3779B97F4A7C15) >> (64 - tally.bits)
    while tally.kinds[slot].windows and tally.kinds[slot].holds != holds:
        slot = (slot + 1) & last
    if not tally.kinds[slot].windows:
        tally.kinds[slot].holds = holds
        tally.used += 1
    tally.kinds[slot].windows += windows
    if 2 * <uint64_t> tally.used > last:
        return enlarge(tally)
    return 0


cdef int enlarge(Tally* tally) noexcept nogil:
    cdef Kind* old = tally.kinds
    cdef Py_ssize_t slot, n_slots = (<Py_ssize_t> 1) << tally.bits
    cdef Kind* larger = <Kind*> calloc(2 * n_slots, sizeof(Kind))
    if larger == NULL:
        return -1
    tally.kinds = larger
    tally.bits += 1
    tally.used = 0
    for slot in range(n_slots):
        if old[slot].windows:
            add_windows(tally, old[slot].holds, old[slot].windows)
    free(old)
    return 0


cdef int compare_kinds(const void* a, const void* b) noexcept nogil:
    cdef int64_t one = (<const Kind*> a).holds, other = (<const Kind*> b).holds
    return (one > other) - (one < other)


cdef int tally_windows(
    const int64_t* positions, const int64_t* holds, int64_t first, int64_t end, int64_t k, Tally* tally
) noexcept nogil:
    """Walk over the windows at which a boundary enters (p-k) or leaves (p). ``positions`` end with NEVER."""
    cdef Py_ssize_t entering = 0, leaving = 0
    cdef int64_t window = first, now = 0, change, enters, leaves, event, is_entering
    while window < end:
        # Which comes first is unforeseeable: a product is faster than a branch that is guessed wrongly.
        enters = positions[entering] - k
        leaves = positions[leaving]
        is_entering = enters <= leaves
        event = leaves + is_entering * (enters - leaves)
        change = is_entering * (holds[entering] + holds[leaving]) - holds[leaving]
        entering += is_entering
        leaving += 1 - is_entering
        if event > window:
            if event > end:
                event = end
            if add_windows(tally, now, event - window) < 0:
                return -1
            window = event
        now += change
    return 0


cdef Py_ssize_t sort_kinds(Tally* tally) noexcept nogil:
    """Bring the kinds to the front of the table, ascending. The table is used up."""
    cdef Py_ssize_t slot, n = 0
    for slot in range((<Py_ssize_t> 1) << tally.bits):
        if tally.kinds[slot].windows:
            tally.kinds[n] = tally.kinds[slot]
            n += 1
    qsort(tally.kinds, n, sizeof(Kind), compare_kinds)
    return n


cdef int tally_sets(
    const int64_t** sets, const Py_ssize_t* sizes, int64_t n_units, int64_t k, int edges,
    int64_t* positions, int64_t* holds, Tally* tally,
) noexcept nogil:
    """Count the windows by what they hold of three sets.

    ``positions`` and ``holds`` have room for all boundaries, twice where windows wrap, and one more.
    """
    cdef int64_t first = -k if edges == 1 else 0, end = n_units - k if edges == 0 else n_units
    cdef Py_ssize_t totals[3]
    cdef Py_ssize_t nexts[3]
    cdef int64_t heads[3]
    cdef Py_ssize_t n = 0, i
    cdef int s, least
    for s in range(3):
        totals[s] = with_wrapped(sets[s], sizes[s], k) if edges == 2 else sizes[s]
        nexts[s] = 0
        heads[s] = boundary(sets[s], sizes[s], totals[s], 0, n_units)
        n += totals[s]
    for i in range(n):  # all three in one ascending row
        least = 0 if heads[0] <= heads[1] else 1
        least = least if heads[least] <= heads[2] else 2
        positions[i] = heads[least]
        holds[i] = (<int64_t> 1) << (KIND_BITS * (2 - least))
        nexts[least] += 1
        heads[least] = boundary(sets[least], sizes[least], totals[least], nexts[least], n_units)
    positions[n] = NEVER
    holds[n] = 0
    return tally_windows(positions, holds, first, end, k, tally)


cdef int empty(Tally* tally) noexcept nogil:
    """Make the table empty and small again. Returns -1 where memory is short."""
    if tally.kinds == NULL or tally.bits > 6:
        free(tally.kinds)
        tally.kinds = <Kind*> malloc(64 * sizeof(Kind))
    if tally.kinds == NULL:
        return -1
    memset(tally.kinds, 0, 64 * sizeof(Kind))
    tally.bits = 6
    tally.used = 0
    return 0


def window_kinds(reference, certain, tied, int64_t n_units, int64_t k, int edges):
    """See python.window_kinds."""
    cdef Two first_two = two(reference, certain), last = two(tied, tied)
    cdef const int64_t* sets[3]
    cdef Py_ssize_t sizes[3]
    cdef Py_ssize_t room, row
    cdef Tally tally
    cdef int failed
    sets[0], sets[1], sets[2] = first_two.a, first_two.b, last.a
    sizes[0], sizes[1], sizes[2] = first_two.n_a, first_two.n_b, last.n_a
    if 2 * max(sizes[0], max(sizes[1], sizes[2])) > MAX_KIND:
        return python.window_kinds(reference, certain, tied, n_units, k, edges)
    room = 2 * (sizes[0] + sizes[1] + sizes[2]) + 1
    cdef int64_t* positions = <int64_t*> malloc(2 * room * sizeof(int64_t))
    tally.kinds = NULL
    try:
        if positions == NULL or empty(&tally) < 0:
            raise MemoryError
        with nogil:
            failed = tally_sets(sets, sizes, n_units, k, edges, positions, positions + room, &tally)
        if failed:
            raise MemoryError
        return kind_rows(&tally)
    finally:
        free(tally.kinds)
        free(positions)


cdef object kind_rows(Tally* tally):
    """The tally as rows of (r, c, m, windows), ascending. The table is used up."""
    cdef Py_ssize_t row
    out = np.empty((sort_kinds(tally), 4), dtype=np.int64)
    cdef int64_t[:, ::1] rows = out
    for row in range(rows.shape[0]):
        rows[row, 0] = tally.kinds[row].holds >> (2 * KIND_BITS)
        rows[row, 1] = (tally.kinds[row].holds >> KIND_BITS) & MAX_KIND
        rows[row, 2] = tally.kinds[row].holds & MAX_KIND
        rows[row, 3] = tally.kinds[row].windows
    return out


# -------------------------------------------------------------------- levels of hierarchies

cdef struct Numbers:  # an array that grows
    int64_t* data
    Py_ssize_t n
    Py_ssize_t room


cdef int make_room(Numbers* numbers, Py_ssize_t more) noexcept nogil:
    """Provide for so many more numbers. Returns -1 where memory is short."""
    cdef Py_ssize_t room = numbers.n + more
    cdef int64_t* larger
    if room <= numbers.room:
        return 0
    room = max(room, 2 * numbers.room)
    larger = <int64_t*> realloc(numbers.data, room * sizeof(int64_t))
    if larger == NULL:
        return -1
    numbers.data = larger
    numbers.room = room
    return 0


cdef inline void put_kind(
    Numbers* kinds, int64_t r, int64_t c, int64_t low, int64_t high, int64_t windows
) noexcept nogil:
    cdef int64_t* row = kinds.data + kinds.n
    row[0] = r
    row[1] = c
    row[2] = low
    row[3] = high
    row[4] = windows
    kinds.n += 5


cdef object table(Numbers* numbers, Py_ssize_t n_columns):
    """The numbers as rows of an array."""
    out = np.empty((numbers.n // n_columns, n_columns), dtype=np.int64)
    cdef int64_t[:, ::1] rows = out
    if numbers.n:
        memcpy(&rows[0, 0], numbers.data, numbers.n * sizeof(int64_t))
    return out


cdef int compare_numbers(const void* a, const void* b) noexcept nogil:
    cdef int64_t one = (<const int64_t*> a)[0], other = (<const int64_t*> b)[0]
    return (one > other) - (one < other)


cdef struct Ranked:  # the boundaries of one side
    const int64_t* positions
    const int64_t* ranks
    Py_ssize_t n


cdef struct Level:
    Ranked reference
    Ranked hypothesis
    int64_t n_units
    const int64_t* ends  # of the units, in atoms; NULL: each unit is one
    int64_t n_atoms
    const int64_t* sorted_ranks  # of the hypothesis
    int64_t* sets[3]  # reference, certain and tied boundaries
    Py_ssize_t sizes[3]
    int64_t* merged  # all of them in one row, for tally_sets
    int64_t* holds
    int64_t n_tied
    int64_t needed


cdef inline int64_t place(const int64_t* ends, int64_t position) noexcept nogil:
    return position if ends == NULL else ends[position - 1]


cdef Py_ssize_t take(
    const Ranked* side, int64_t least, int64_t most, const int64_t* ends, int64_t* into
) noexcept nogil:
    """Copy the boundaries whose ranks are from ``least`` to ``most``; return how many."""
    cdef Py_ssize_t i, n = 0
    for i in range(side.n):
        into[n] = place(ends, side.positions[i])
        n += least <= side.ranks[i] <= most
    return n


cdef Py_ssize_t take_unmarked(const Level* level, int64_t* into) noexcept nogil:
    """Copy the positions that the hypothesis does not mark; return how many."""
    cdef Py_ssize_t i = 0, n = 0
    cdef int64_t position
    for position in range(1, level.n_units):
        if i < level.hypothesis.n and level.hypothesis.positions[i] == position:
            i += 1
        else:
            into[n] = place(level.ends, position)
            n += 1
    return n


cdef void take_level(Level* level, int64_t rank) noexcept nogil:
    """Fill the three sets of the level as python._Ranking.most_prominent does."""
    cdef Py_ssize_t number, n_hyp = level.hypothesis.n
    cdef const int64_t* ranks = level.sorted_ranks
    cdef int64_t position
    number = take(&level.reference, INT64_MIN, rank, level.ends, level.sets[0])
    level.sizes[0] = number
    level.sizes[2] = level.n_tied = level.needed = 0
    if number >= n_hyp:
        level.sizes[1] = take(&level.hypothesis, INT64_MIN, INT64_MAX, level.ends, level.sets[1])
        if number == n_hyp:
            return
        level.needed = number - n_hyp
        level.n_tied = level.n_units - 1 - n_hyp
        if level.needed == level.n_tied:  # so the reference, too, marks every position
            for position in range(1, level.n_units):
                level.sets[1][position - 1] = place(level.ends, position)
            level.sizes[1] = level.n_units - 1
            level.n_tied = level.needed = 0
        elif level.ends != NULL:
            level.sizes[2] = take_unmarked(level, level.sets[2])
    elif number == 0:
        level.sizes[1] = 0
    elif ranks[number - 1] != ranks[number]:
        level.sizes[1] = take(&level.hypothesis, INT64_MIN, ranks[number - 1], level.ends, level.sets[1])
    else:
        level.sizes[1] = take(&level.hypothesis, INT64_MIN, ranks[number] - 1, level.ends, level.sets[1])
        level.sizes[2] = level.n_tied = take(
            &level.hypothesis, ranks[number], ranks[number], level.ends, level.sets[2]
        )
        level.needed = number - level.sizes[1]


cdef inline int64_t from_edge(
    const int64_t* positions, Py_ssize_t n, Py_ssize_t index, int64_t n_atoms, bint at_end
) noexcept nogil:
    """How far the index-th boundary is from the document's start, or its end."""
    if index >= n:
        return NEVER
    return n_atoms - positions[n - 1 - index] if at_end else positions[index]


cdef void put_edge_kinds(const Level* level, int64_t k, bint at_end, Numbers* kinds) noexcept nogil:
    """See python._edge_kinds. ``kinds`` has the room."""
    cdef Py_ssize_t r = 0, c = 0
    cdef int64_t start = 0, end, r_next, c_next
    while start < k:
        r_next = from_edge(level.sets[0], level.sizes[0], r, level.n_atoms, at_end)
        c_next = from_edge(level.sets[1], level.sizes[1], c, level.n_atoms, at_end)
        end = min(k, min(r_next, c_next))
        if end > start:
            put_kind(kinds, r, c, start - c, end - 1 - c, end - start)
            start = end
        if r_next == end:
            r += 1
        if c_next == end:
            c += 1


cdef int put_kinds(Level* level, int64_t k, int edges, Tally* tally, Numbers* kinds) noexcept nogil:
    """Count the level's windows as python._level_kinds does. Returns -1 where memory is short."""
    cdef Py_ssize_t i, n_edge = 2 * (level.sizes[0] + level.sizes[1] + 1)
    cdef int64_t r, c, m
    cdef bint is_implicit = level.needed > 0 and level.ends == NULL and level.sizes[2] == 0
    cdef bint has_edges = is_implicit and edges == 1
    if is_implicit:
        if edges == 2:  # the document's end is a place in the window, and no position
            memcpy(level.sets[2], level.sets[1], level.sizes[1] * sizeof(int64_t))
            level.sets[2][level.sizes[1]] = level.n_atoms
            level.sizes[2] = level.sizes[1] + 1
        else:
            edges = 0
    if empty(tally) < 0:
        return -1
    if tally_sets(
        <const int64_t**> level.sets, level.sizes, level.n_atoms, k, edges, level.merged, level.holds, tally
    ) < 0:
        return -1
    if make_room(kinds, 5 * (tally.used + (2 * n_edge if has_edges else 0))) < 0:
        return -1
    if has_edges:
        put_edge_kinds(level, k, False, kinds)
    for i in range(sort_kinds(tally)):
        r = tally.kinds[i].holds >> (2 * KIND_BITS)
        c = (tally.kinds[i].holds >> KIND_BITS) & MAX_KIND
        m = tally.kinds[i].holds & MAX_KIND
        if is_implicit:
            m = k - (m if edges == 2 else c)
        put_kind(kinds, r, c, m, m, tally.kinds[i].windows)
    if has_edges:
        put_edge_kinds(level, k, True, kinds)
    return 0


def level_kinds_many(
    Positions a_positions, Positions a_ranks, Positions a_offsets, Positions first,
    Positions b_positions, Positions b_ranks, Positions b_offsets, Positions second,
    Positions n_units, Positions ends, Positions end_starts,
    Positions pair, Positions rank, Positions k, Py_ssize_t start, Py_ssize_t most_kinds, int edges,
):
    """See python.level_kinds_many."""
    cdef Py_ssize_t index, n_levels = pair.shape[0], before, room, i, j, seen = -1
    cdef const int64_t* a = start_of(a_positions)
    cdef const int64_t* a_rank = start_of(a_ranks)
    cdef const int64_t* b = start_of(b_positions)
    cdef const int64_t* b_rank = start_of(b_ranks)
    cdef const int64_t* unit_ends = NULL
    cdef Level level
    cdef Tally tally
    cdef Numbers made, kinds, work
    cdef int failed = 0
    tally.kinds = NULL
    made.data = kinds.data = work.data = NULL
    made.n = made.room = kinds.n = kinds.room = work.n = work.room = 0
    if ends is not None:
        unit_ends = start_of(ends)
    try:
        with nogil:
            for index in range(start, n_levels):
                if pair[index] != seen:
                    seen = pair[index]
                    i = first[seen]
                    j = second[seen]
                    level.reference.positions = a + a_offsets[i]
                    level.reference.ranks = a_rank + a_offsets[i]
                    level.reference.n = a_offsets[i + 1] - a_offsets[i]
                    level.hypothesis.positions = b + b_offsets[j]
                    level.hypothesis.ranks = b_rank + b_offsets[j]
                    level.hypothesis.n = b_offsets[j + 1] - b_offsets[j]
                    level.n_units = level.n_atoms = n_units[seen]
                    level.ends = NULL
                    room = max(level.reference.n, level.hypothesis.n) + 1
                    if unit_ends != NULL:
                        level.ends = unit_ends + end_starts[seen]
                        level.n_atoms = level.ends[level.n_units - 1]
                        room = level.n_units
                    if 2 * room > MAX_KIND:
                        break
                    # Sorted ranks, three sets, and all of these twice and one more in two arrays.
                    if make_room(&work, 16 * room + 2) < 0:
                        failed = -1
                        break
                    for i in range(level.hypothesis.n):
                        work.data[i] = level.hypothesis.ranks[i]
                    qsort(work.data, level.hypothesis.n, sizeof(int64_t), compare_numbers)
                    level.sorted_ranks = work.data
                    level.sets[0] = work.data + room
                    level.sets[1] = work.data + 2 * room
                    level.sets[2] = work.data + 3 * room
                    level.merged = work.data + 4 * room
                    level.holds = work.data + 10 * room + 1
                take_level(&level, rank[index])
                before = kinds.n
                if put_kinds(&level, k[index], edges, &tally, &kinds) < 0 or make_room(&made, 3) < 0:
                    failed = -1
                    break
                made.data[made.n] = level.n_tied
                made.data[made.n + 1] = level.needed
                made.data[made.n + 2] = (kinds.n - before) // 5
                made.n += 3
                if kinds.n >= 5 * most_kinds:
                    break
        if failed < 0:
            raise MemoryError
        if start < n_levels and not made.n:  # more boundaries than a kind has bits for
            return python.level_kinds_many(
                np.asarray(a_positions), np.asarray(a_ranks), np.asarray(a_offsets), np.asarray(first),
                np.asarray(b_positions), np.asarray(b_ranks), np.asarray(b_offsets), np.asarray(second),
                np.asarray(n_units), None if ends is None else np.asarray(ends),
                None if ends is None else np.asarray(end_starts),
                np.asarray(pair), np.asarray(rank), np.asarray(k), start, most_kinds, edges,
            )
        return table(&made, 3), table(&kinds, 5)
    finally:
        free(tally.kinds)
        free(made.data)
        free(kinds.data)
        free(work.data)


# -------------------------------------------------------------------- several references

cdef struct Mark:
    int64_t position
    Py_ssize_t coder


cdef int compare_marks(const void* a, const void* b) noexcept nogil:
    cdef int64_t one = (<const Mark*> a).position, other = (<const Mark*> b).position
    return (one > other) - (one < other)


cdef struct Guesses:
    int64_t error
    int64_t best
    int64_t worst


cdef Guesses count_guesses(
    const Mark* marks, Py_ssize_t n_marks, Py_ssize_t n_references, int64_t n_windows, int64_t k,
    int64_t* inside, int64_t* n_with, int64_t* support,
) noexcept nogil:
    """Count as python.mult_window_counts does. The last coder is the hypothesis.

    ``inside`` and ``n_with`` have an entry for each coder, ``support`` one for each number of boundaries.
    """
    cdef Guesses sums
    cdef Py_ssize_t entering = 0, leaving = 0, coder
    cdef int64_t window = 0, start, run, change, before, left, joined, most = n_references, least = 0
    sums.error = sums.best = sums.worst = 0
    support[0] = n_references
    n_with[0] = k
    n_with[n_references] = 1
    while window < n_windows:
        # Leaving comes before entering: no count passes k.
        if leaving == n_marks:
            start = n_windows
            change = 0
            coder = n_references
        elif entering == n_marks or marks[leaving].position <= marks[entering].position - k:
            start = marks[leaving].position
            coder = marks[leaving].coder
            change = -1
            leaving += 1
        else:
            start = marks[entering].position - k
            coder = marks[entering].coder
            change = 1
            entering += 1
        run = min(start, n_windows) - window
        if run > 0:
            window += run
            sums.error += run * (n_references - support[inside[n_references]])
            sums.best += run * (n_references - most)
            sums.worst += run * (n_references - least)
        before = inside[coder]
        inside[coder] = before + change
        if coder == n_references:
            continue
        left = support[before]
        joined = support[before + change]
        support[before] = left - 1
        support[before + change] = joined + 1
        n_with[left] -= 1
        n_with[left - 1] += 1
        n_with[joined] -= 1
        n_with[joined + 1] += 1
        most = max(most, joined + 1)
        least = min(least, left - 1)
        while not n_with[most]:
            most -= 1
        while not n_with[least]:
            least += 1
    return sums


def mult_window_counts(references, hypothesis, n_units, k):
    """See python.mult_window_counts."""
    rows = mult_window_counts_many(
        np.concatenate((hypothesis[:0], *references)),
        np.cumsum([0, *map(len, references)], dtype=np.int64),
        np.arange(len(references), dtype=np.int64),
        np.array([0, len(references)], dtype=np.int64),
        hypothesis,
        np.array([0, len(hypothesis)], dtype=np.int64),
        *(np.array([number], dtype=np.int64) for number in (0, n_units, k)),
    )
    return tuple(rows[0].tolist())


cdef inline void mark(
    Mark* marks, const int64_t* positions, Py_ssize_t n, Py_ssize_t coder
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        marks[i].position = positions[i]
        marks[i].coder = coder


def mult_window_counts_many(
    Positions a_positions, Positions a_offsets, Positions references, Positions reference_offsets,
    Positions b_positions, Positions b_offsets, Positions second, Positions n_units, Positions k,
):
    """See python.mult_window_counts_many."""
    cdef Py_ssize_t row, n_rows = second.shape[0], run, i, n, n_references, n_marks, longest
    cdef Py_ssize_t most_references = 0, most_marks = 0
    out = np.empty((n_rows, 3), dtype=np.int64)
    cdef int64_t[:, ::1] rows = out
    cdef const int64_t* a = start_of(a_positions)
    cdef const int64_t* b = start_of(b_positions)
    cdef Guesses sums
    for row in range(n_rows):
        i = second[row]
        n_marks = b_offsets[i + 1] - b_offsets[i]
        for run in range(reference_offsets[row], reference_offsets[row + 1]):
            i = references[run]
            n_marks += a_offsets[i + 1] - a_offsets[i]
        most_marks = max(most_marks, n_marks)
        most_references = max(most_references, <Py_ssize_t> (reference_offsets[row + 1] - reference_offsets[row]))
    cdef Mark* marks = <Mark*> malloc((most_marks + 1) * sizeof(Mark))
    cdef int64_t* inside = <int64_t*> malloc((most_references + 1) * sizeof(int64_t))
    cdef int64_t* n_with = <int64_t*> malloc((most_references + 1) * sizeof(int64_t))
    cdef int64_t* support = <int64_t*> malloc((most_marks + 1) * sizeof(int64_t))
    try:
        if marks == NULL or inside == NULL or n_with == NULL or support == NULL:
            raise MemoryError
        with nogil:
            for row in range(n_rows):
                n_references = reference_offsets[row + 1] - reference_offsets[row]
                i = second[row]
                n_marks = longest = b_offsets[i + 1] - b_offsets[i]
                mark(marks, b + b_offsets[i], n_marks, n_references)
                for run in range(n_references):
                    i = references[reference_offsets[row] + run]
                    n = a_offsets[i + 1] - a_offsets[i]
                    mark(marks + n_marks, a + a_offsets[i], n, run)
                    n_marks += n
                    longest = max(longest, n)
                qsort(marks, n_marks, sizeof(Mark), compare_marks)
                memset(inside, 0, (n_references + 1) * sizeof(int64_t))
                memset(n_with, 0, (n_references + 1) * sizeof(int64_t))
                memset(support, 0, (longest + 1) * sizeof(int64_t))
                sums = count_guesses(
                    marks, n_marks, n_references, n_units[row] - k[row], k[row], inside, n_with, support
                )
                rows[row, 0] = sums.error
                rows[row, 1] = sums.best
                rows[row, 2] = sums.worst
    finally:
        free(marks)
        free(inside)
        free(n_with)
        free(support)
    return out


# -------------------------------------------------------------------- matching, overlap, classics

cdef int64_t count_matched(
    const int64_t* a, Py_ssize_t n_a, const int64_t* b, Py_ssize_t n_b, int64_t tolerance
) noexcept nogil:
    cdef Py_ssize_t i = 0, j = 0
    cdef int64_t matched = 0, gap
    while i < n_a and j < n_b:
        gap = b[j] - a[i]
        if gap > tolerance:
            i += 1
        elif gap < -tolerance:
            j += 1
        else:
            matched += 1
            i += 1
            j += 1
    return matched


def matched_within(a, b, int64_t tolerance):
    """See python.matched_within."""
    cdef Two arrays = two(a, b)
    return count_matched(arrays.a, arrays.n_a, arrays.b, arrays.n_b, tolerance)


def matched_within_many(
    Positions a_positions, Positions a_offsets, Positions first,
    Positions b_positions, Positions b_offsets, Positions second, int64_t tolerance,
):
    """See python.matched_within_many."""
    cdef Py_ssize_t pair, n_pairs = first.shape[0], i, j
    out = np.empty(n_pairs, dtype=np.int64)
    cdef int64_t[::1] rows = out
    cdef const int64_t* a = start_of(a_positions)
    cdef const int64_t* b = start_of(b_positions)
    with nogil:
        for pair in range(n_pairs):
            i = first[pair]
            j = second[pair]
            rows[pair] = count_matched(
                a + a_offsets[i], a_offsets[i + 1] - a_offsets[i],
                b + b_offsets[j], b_offsets[j + 1] - b_offsets[j], tolerance,
            )
    return out


cdef int64_t sum_overlaps(
    const int64_t* a, Py_ssize_t n_a, const int64_t* b, Py_ssize_t n_b, int64_t n_units
) noexcept nogil:
    cdef Py_ssize_t i = 0, j = 0
    cdef int64_t total = 0, start = 0, largest = 0, end, a_end, b_end
    while i <= n_a:
        a_end = a[i] if i < n_a else n_units
        b_end = b[j] if j < n_b else n_units
        end = a_end if a_end < b_end else b_end
        if end - start > largest:
            largest = end - start
        start = end
        if end == b_end:
            j += 1
        if end == a_end:
            total += largest
            largest = 0
            i += 1
    return total


def largest_overlaps(a, b, int64_t n_units):
    """See python.largest_overlaps."""
    cdef Two arrays = two(a, b)
    return sum_overlaps(arrays.a, arrays.n_a, arrays.b, arrays.n_b, n_units)


def largest_overlaps_many(
    Positions a_positions, Positions a_offsets, Positions first,
    Positions b_positions, Positions b_offsets, Positions second, Positions n_units,
):
    """See python.largest_overlaps_many."""
    cdef Py_ssize_t pair, n_pairs = first.shape[0], i, j
    out = np.empty(n_pairs, dtype=np.int64)
    cdef int64_t[::1] rows = out
    cdef const int64_t* a = start_of(a_positions)
    cdef const int64_t* b = start_of(b_positions)
    with nogil:
        for pair in range(n_pairs):
            i = first[pair]
            j = second[pair]
            rows[pair] = sum_overlaps(
                a + a_offsets[i], a_offsets[i + 1] - a_offsets[i],
                b + b_offsets[j], b_offsets[j + 1] - b_offsets[j], n_units[pair],
            )
    return out


cdef int64_t sum_nearest(
    const int64_t* ref, Py_ssize_t n_ref, const int64_t* hyp, Py_ssize_t n_hyp
) noexcept nogil:
    cdef Py_ssize_t i, j = 0
    cdef int64_t total = 0, gap, other
    if n_hyp == 0:
        return 0
    for i in range(n_ref):
        while j < n_hyp and hyp[j] < ref[i]:
            j += 1
        if j == n_hyp:
            gap = ref[i] - hyp[j - 1]
        else:
            gap = hyp[j] - ref[i]
            if j:
                other = ref[i] - hyp[j - 1]
                if other < gap:
                    gap = other
        total += gap
    return total


def nearest_distances(reference, hypothesis):
    """See python.nearest_distances."""
    cdef Two arrays = two(reference, hypothesis)
    return sum_nearest(arrays.a, arrays.n_a, arrays.b, arrays.n_b)


def nearest_distances_many(
    Positions a_positions, Positions a_offsets, Positions first,
    Positions b_positions, Positions b_offsets, Positions second,
):
    """See python.nearest_distances_many."""
    cdef Py_ssize_t pair, n_pairs = first.shape[0], i, j
    out = np.empty(n_pairs, dtype=np.int64)
    cdef int64_t[::1] rows = out
    cdef const int64_t* a = start_of(a_positions)
    cdef const int64_t* b = start_of(b_positions)
    with nogil:
        for pair in range(n_pairs):
            i = first[pair]
            j = second[pair]
            rows[pair] = sum_nearest(
                a + a_offsets[i], a_offsets[i + 1] - a_offsets[i],
                b + b_offsets[j], b_offsets[j + 1] - b_offsets[j],
            )
    return out


cdef double least_cost(
    const int64_t* ref, Py_ssize_t n_ref, const int64_t* hyp, Py_ssize_t n_hyp,
    double insertion, double deletion, double shift, double* best,
) noexcept nogil:
    """Fill the table of python.generalized_hamming row by row; ``best`` has room for n_ref + 1 cells."""
    cdef Py_ssize_t i, j
    cdef double diagonal, up, shifted, other
    cdef int64_t gap
    for j in range(n_ref + 1):
        best[j] = insertion * j
    for i in range(n_hyp):
        diagonal = best[0]
        best[0] = deletion * (i + 1)
        for j in range(n_ref):
            up = best[j + 1]
            gap = hyp[i] - ref[j]
            shifted = shift * (gap if gap > 0 else -gap) + diagonal
            if gap == 0:
                other = diagonal
            elif gap > 0:
                other = deletion + up
            else:
                other = insertion + best[j]
            best[j + 1] = other if other < shifted else shifted
            diagonal = up
    return best[n_ref]


def generalized_hamming(reference, hypothesis, double insertion, double deletion, double shift):
    """See python.generalized_hamming."""
    cdef Two arrays = two(reference, hypothesis)
    cdef double cost
    cdef double* best = <double*> malloc((arrays.n_a + 1) * sizeof(double))
    if best == NULL:
        raise MemoryError
    with nogil:
        cost = least_cost(
            arrays.a, arrays.n_a, arrays.b, arrays.n_b, insertion, deletion, shift, best
        )
    free(best)
    return cost


def generalized_hamming_many(
    Positions a_positions, Positions a_offsets, Positions first,
    Positions b_positions, Positions b_offsets, Positions second,
    double insertion, double deletion, double shift,
):
    """See python.generalized_hamming_many."""
    cdef Py_ssize_t pair, n_pairs = first.shape[0], i, j, longest = 0
    out = np.empty(n_pairs, dtype=np.float64)
    cdef double[::1] rows = out
    cdef const int64_t* a = start_of(a_positions)
    cdef const int64_t* b = start_of(b_positions)
    for pair in range(n_pairs):
        longest = max(longest, <Py_ssize_t> (a_offsets[first[pair] + 1] - a_offsets[first[pair]]))
    cdef double* best = <double*> malloc((longest + 1) * sizeof(double))
    if best == NULL:
        raise MemoryError
    with nogil:
        for pair in range(n_pairs):
            i = first[pair]
            j = second[pair]
            rows[pair] = least_cost(
                a + a_offsets[i], a_offsets[i + 1] - a_offsets[i],
                b + b_offsets[j], b_offsets[j + 1] - b_offsets[j], insertion, deletion, shift, best,
            )
    free(best)
    return out


cdef struct Sum:
    double total
    double lost  # what rounding took from the total (Neumaier 1974), so that long sums keep their digits


cdef inline void add(Sum* sum, double term) noexcept nogil:
    cdef double total = sum.total + term
    if fabs(sum.total) >= fabs(term):
        sum.lost += (sum.total - total) + term
    else:
        sum.lost += (term - total) + sum.total
    sum.total = total


cdef inline double pair_weight(double length, double mu, double q, double gap) noexcept nogil:
    """Sum exp(−μ (j−i)) over the pairs i ≤ j of units in a segment (see python.p_mu)."""
    if mu * length < 1e-4:
        return length * (length + 1) / 2 * (1 - mu * (length - 1) / 3 * (1 - mu * length / 4))
    return length / gap + q * expm1(-mu * length) / (gap * gap)


cdef double judged_alike(
    const int64_t* ref, Py_ssize_t n_ref, const int64_t* hyp, Py_ssize_t n_hyp, int64_t n_units, double mu
) noexcept nogil:
    cdef Py_ssize_t i = 0, j = 0
    cdef int64_t r_start = 0, h_start = 0, start = 0, end = 0, r_end, h_end
    cdef double q = exp(-mu), gap = -expm1(-mu), wrong, right
    cdef Sum in_r, in_h, in_both
    in_r.total = in_r.lost = in_h.total = in_h.lost = in_both.total = in_both.lost = 0
    while end < n_units:
        r_end = ref[i] if i < n_ref else n_units
        h_end = hyp[j] if j < n_hyp else n_units
        end = r_end if r_end < h_end else h_end
        add(&in_both, pair_weight(end - start, mu, q, gap))
        start = end
        if r_end == end:
            add(&in_r, pair_weight(end - r_start, mu, q, gap))
            r_start = end
            i += 1
        if h_end == end:
            add(&in_h, pair_weight(end - h_start, mu, q, gap))
            h_start = end
            j += 1
    wrong = (in_r.total + in_r.lost) + (in_h.total + in_h.lost) - 2 * (in_both.total + in_both.lost)
    right = 1 - wrong / pair_weight(n_units, mu, q, gap)
    return 0 if right < 0 else 1 if right > 1 else right


def p_mu(reference, hypothesis, int64_t n_units, double mu):
    """See python.p_mu."""
    cdef Two arrays = two(reference, hypothesis)
    return judged_alike(arrays.a, arrays.n_a, arrays.b, arrays.n_b, n_units, mu)


def p_mu_many(
    Positions a_positions, Positions a_offsets, Positions first,
    Positions b_positions, Positions b_offsets, Positions second,
    Positions n_units, const double[::1] mu,
):
    """See python.p_mu_many."""
    cdef Py_ssize_t pair, n_pairs = first.shape[0], i, j
    out = np.empty(n_pairs, dtype=np.float64)
    cdef double[::1] rows = out
    cdef const int64_t* a = start_of(a_positions)
    cdef const int64_t* b = start_of(b_positions)
    with nogil:
        for pair in range(n_pairs):
            i = first[pair]
            j = second[pair]
            rows[pair] = judged_alike(
                a + a_offsets[i], a_offsets[i + 1] - a_offsets[i],
                b + b_offsets[j], b_offsets[j + 1] - b_offsets[j], n_units[pair], mu[pair],
            )
    return out

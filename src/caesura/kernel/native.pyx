# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernels of python.py, compiled: same names, same results, the batch ones without the GIL.

What does not fit into 64 bits (the distances of very many boundaries in a very long document, or more
boundaries than a packed count holds) goes to python.py.
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


cdef struct Coding:
    # The boundaries of one coding: positions ascend, and types (or ranks) where they share a position.
    const int64_t* positions
    const int64_t* types
    Py_ssize_t n


cdef inline const int64_t* start_of(Positions numbers) noexcept:
    return &numbers[0] if numbers is not None and numbers.shape[0] else NULL


cdef class Side:
    """A python.Side as C sees it."""

    cdef Positions positions, types, offsets, coding  # they keep the memory
    cdef const int64_t* first_position
    cdef const int64_t* first_type
    cdef const int64_t* starts
    cdef const int64_t* codings
    cdef Py_ssize_t n

    def __cinit__(self, side):
        self.positions, self.types, self.offsets, self.coding = side.positions, side.types, side.offsets, side.coding
        self.first_position = start_of(self.positions)
        self.first_type = start_of(self.types)
        self.starts = start_of(self.offsets)
        self.codings = start_of(self.coding)
        self.n = self.coding.shape[0]

    cdef inline Coding of(self, Py_ssize_t pair) noexcept nogil:
        cdef int64_t coding = self.codings[pair], start = self.starts[coding]
        return Coding(self.first_position + start, self.first_type + start, self.starts[coding + 1] - start)

    cdef Py_ssize_t longest(self) noexcept nogil:
        """Most boundaries that one coding has."""
        cdef Py_ssize_t i
        cdef int64_t most = 0
        for i in range(self.offsets.shape[0] - 1):
            most = max(most, self.starts[i + 1] - self.starts[i])
        return most


cdef int64_t* room_for(Side a, Side b, Py_ssize_t each) except NULL:
    """Room for so many integers for each boundary of the longest codings."""
    cdef int64_t* work = <int64_t*> malloc(each * (a.longest() + b.longest() + 2) * sizeof(int64_t))
    if work == NULL:
        raise MemoryError
    return work


# -------------------------------------------------------------------- boundary edit distance, one type

cdef struct EditCounts:
    int64_t matches
    int64_t only_a
    int64_t only_b
    int64_t transpositions
    int64_t span


cdef struct Distances:
    int64_t n
    int64_t total
    int64_t* each  # where they are written down; NULL: not asked for


cdef inline void add_distance(Distances* found, int64_t distance) noexcept nogil:
    if found.each != NULL:
        found.each[found.n] = distance
    found.n += 1
    found.total += distance


cdef EditCounts count_edits(
    const int64_t* a, Py_ssize_t n_a, const int64_t* b, Py_ssize_t n_b, int64_t n_t, bint optimal,
    int64_t* spans, int64_t* work,
) noexcept nogil:
    """Count the edits of one pair; write the distances of its transpositions to ``spans``, if it is not NULL.

    ``work`` has room for 8 * (n_a + n_b + 2) integers.
    """
    cdef EditCounts counts
    cdef Distances found = Distances(0, 0, spans)
    cdef Py_ssize_t i = 0, j = 0, m = 0
    cdef int64_t* points = work          # unmatched positions, ascending
    cdef int64_t* sides = work + n_a + n_b  # 1 for a, 0 for b
    counts.matches = counts.only_a = counts.only_b = counts.transpositions = counts.span = 0
    if n_t == 2:
        count_edits_adjacent(a, n_a, b, n_b, &counts)
        if spans != NULL:
            for i in range(counts.transpositions):
                spans[i] = 1
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
            pair_optimal(points, sides, m, n_t, &found, work + 2 * (n_a + n_b))
        else:
            pair_nearest(points, sides, m, n_t, &found, work + 2 * (n_a + n_b))
        counts.transpositions = found.n
        counts.span = found.total
        counts.only_a -= counts.transpositions
        counts.only_b -= counts.transpositions
    return counts


cdef bint distances_fit(
    const int64_t* a, Py_ssize_t n_a, const int64_t* b, Py_ssize_t n_b, int64_t n_t
) noexcept nogil:
    """Whether the distances of a pair's transpositions surely sum to less than 2**63 (positions: 2**53)."""
    cdef Py_ssize_t n = n_a if n_a < n_b else n_b
    cdef int64_t widest
    if n < 512 or n_t < 512:
        return True
    widest = max(a[n_a - 1], b[n_b - 1]) - min(a[0], b[0])
    return <double> n * min(widest, n_t) < 9e18


cdef void count_edits_adjacent(
    const int64_t* a, Py_ssize_t n_a, const int64_t* b, Py_ssize_t n_b, EditCounts* counts
) noexcept nogil:
    """n_t = 2: one pass. An unmatched boundary waits one position for a partner from the other side.

    Leftmost first is also optimal here: a run of alternating neighbors is paired completely either way.
    """
    cdef Py_ssize_t i = 0, j = 0
    cdef int64_t waiting = -2, p, of_a, of_b
    cdef int64_t matches = 0, transpositions = 0
    cdef int64_t from_a, from_b, is_match, is_near, waiting_side = 0
    # Which side comes next is a coin's toss, so nothing here branches on it.
    while i < n_a and j < n_b:
        of_a = a[i]
        of_b = b[j]
        from_a = of_a <= of_b
        from_b = of_b <= of_a
        is_match = from_a & from_b
        p = of_a if from_a else of_b
        is_near = (waiting == p - 1) & (waiting_side != from_a) & (1 - is_match)
        i += from_a
        j += from_b
        matches += is_match
        transpositions += is_near
        waiting = waiting if is_match else (-2 if is_near else p)
        waiting_side = waiting_side if is_match else from_a
    counts.matches = matches
    counts.transpositions = transpositions
    counts.only_a = i - matches
    counts.only_b = j - matches
    # One side is used up: only its first leftover neighbor can still find a partner.
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


# Rounds of ``pair_nearest`` over all points; what they leave goes to the heap.
cdef int MAX_ROUNDS = 16


cdef void pair_nearest(
    int64_t* points, int64_t* sides, Py_ssize_t m, int64_t n_t, Distances* found, int64_t* work
) noexcept nogil:
    """Greedy: for each distance from the least on, pair neighbors of opposite sides from left to right.

    Taken points are removed, so the next round sees their outer neighbors as adjacent. The few points that
    the first rounds leave go to a heap, so that many different distances do not cost a round each.
    """
    cdef int64_t distance = 1, next_distance, gap
    cdef Py_ssize_t read, kept
    cdef int rounds = 0
    while distance < n_t and m > 1:
        if rounds == MAX_ROUNDS:
            pair_nearest_by_heap(points, sides, m, n_t, found, work)
            return
        rounds += 1
        next_distance = n_t
        kept = 0
        read = 0
        while read < m:
            if kept and sides[kept - 1] != sides[read]:
                gap = points[read] - points[kept - 1]
                if gap == distance:
                    add_distance(found, distance)
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


cdef struct Candidate:
    int64_t distance
    int64_t order  # among equal distances
    int64_t one  # the two that would be paired
    int64_t other


cdef inline bint comes_before(Candidate* one, Candidate* other) noexcept nogil:
    return one.distance < other.distance or (one.distance == other.distance and one.order < other.order)


cdef void put_candidate(Candidate* heap, Py_ssize_t* size, Candidate candidate) noexcept nogil:
    """Add to a binary heap with the first candidate on top."""
    cdef Py_ssize_t at = size[0], parent
    size[0] += 1
    while at > 0:
        parent = (at - 1) // 2
        if not comes_before(&candidate, &heap[parent]):
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = candidate


cdef Candidate take_candidate(Candidate* heap, Py_ssize_t* size) noexcept nogil:
    cdef Candidate first = heap[0]
    size[0] -= 1
    if size[0]:
        sink_candidate(heap, size[0], 0, heap[size[0]])
    return first


cdef void sink_candidate(Candidate* heap, Py_ssize_t size, Py_ssize_t at, Candidate candidate) noexcept nogil:
    cdef Py_ssize_t child = 2 * at + 1
    while child < size:
        if child + 1 < size and comes_before(&heap[child + 1], &heap[child]):
            child += 1
        if not comes_before(&heap[child], &candidate):
            break
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = candidate


cdef void pair_nearest_by_heap(
    const int64_t* points, const int64_t* sides, Py_ssize_t m, int64_t n_t, Distances* found, int64_t* work
) noexcept nogil:
    """As edits.transpositions: neighbors in a linked list, the closest of opposite sides first."""
    cdef int64_t* following = work
    cdef int64_t* previous = work + m  # -1 before the first; -2: this point is taken
    cdef Candidate* heap = <Candidate*> (work + 2 * m)
    cdef Candidate candidate
    cdef Py_ssize_t size = 0, i, before, after
    for i in range(m):
        following[i] = i + 1
        previous[i] = i - 1
        if i + 1 < m and sides[i] != sides[i + 1] and points[i + 1] - points[i] < n_t:
            heap[size] = Candidate(points[i + 1] - points[i], i, i, i + 1)
            size += 1
    for i in range(size // 2 - 1, -1, -1):
        sink_candidate(heap, size, i, heap[i])
    while size:
        candidate = take_candidate(heap, &size)
        if previous[candidate.one] == -2 or previous[candidate.other] == -2:
            continue
        add_distance(found, candidate.distance)
        before = previous[candidate.one]
        after = following[candidate.other]
        previous[candidate.one] = previous[candidate.other] = -2
        if before >= 0:
            following[before] = after
        if after < m:
            previous[after] = before
            if before >= 0 and sides[before] != sides[after] and points[after] - points[before] < n_t:
                candidate = Candidate(points[after] - points[before], before, before, after)
                put_candidate(heap, &size, candidate)


cdef int64_t MAX_REACH = 1 << 60  # beyond every distance; added to a position it still fits


cdef void pair_optimal(
    const int64_t* points, const int64_t* sides, Py_ssize_t m, int64_t n_t, Distances* found, int64_t* work
) noexcept nogil:
    """Most pairs, then least total distance: edits.optimal_transpositions. ``work``: 6 * m + 1 integers.

    Points with more than the reach between them do not concern each other, so most problems are tiny.
    """
    cdef int64_t reach = min(n_t - 1, MAX_REACH)
    cdef Py_ssize_t start = 0, end, n_a
    while start < m:
        n_a = sides[start]
        end = start + 1
        while end < m and points[end] - points[end - 1] <= reach:
            n_a += sides[end]
            end += 1
        if 0 < n_a < end - start:
            if end == start + 2:
                add_distance(found, points[start + 1] - points[start])
            else:
                pair_connected(points + start, sides + start, n_a, end - start - n_a, reach, found, work)
        start = end


cdef void pair_connected(
    const int64_t* points, const int64_t* sides, Py_ssize_t n_a, Py_ssize_t n_b, int64_t reach,
    Distances* found, int64_t* work,
) noexcept nogil:
    cdef Py_ssize_t i = 0, j = 0, t, n_pairs = 0
    cdef int64_t gap
    cdef int64_t* a = work
    cdef int64_t* b = a + n_a
    cdef int64_t* partner_of_a = b + n_b  # an index, or -1
    cdef int64_t* partner_of_b = partner_of_a + n_a
    cdef int64_t* is_scarce_a = partner_of_b + n_b
    cdef int64_t* is_scarce_b = is_scarce_a + n_a
    cdef int64_t* rest = is_scarce_b + n_b
    for t in range(n_a + n_b):
        if sides[t]:
            a[i] = points[t]
            i += 1
        else:
            b[j] = points[t]
            j += 1
    memset(partner_of_a, -1, (n_a + n_b) * sizeof(int64_t))
    memset(is_scarce_a, 0, (n_a + n_b) * sizeof(int64_t))
    i = j = 0
    while i < n_a and j < n_b:
        gap = b[j] - a[i]
        if gap > reach:
            i += 1
        elif gap < -reach:
            j += 1
        else:
            partner_of_a[i] = j
            partner_of_b[j] = i
            n_pairs += 1
            i += 1
            j += 1
    if n_pairs < n_a:
        find_scarce(b, partner_of_b, n_b, a, partner_of_a, n_a, reach, is_scarce_b)
        pair_scarce(b, is_scarce_b, n_b, a, partner_of_a, n_a, reach, found, rest)
    if n_pairs < n_b:
        find_scarce(a, partner_of_a, n_a, b, partner_of_b, n_b, reach, is_scarce_a)
        pair_scarce(a, is_scarce_a, n_a, b, partner_of_b, n_b, reach, found, rest)
    for i in range(n_a):
        j = partner_of_a[i]
        if j >= 0 and not is_scarce_a[i] and not is_scarce_b[j]:
            add_distance(found, abs_difference(a[i], b[j]))


cdef void find_scarce(
    const int64_t* few, const int64_t* partner_of_few, Py_ssize_t n_few,
    const int64_t* many, const int64_t* partner_of_many, Py_ssize_t n_many, int64_t reach, int64_t* is_scarce,
) noexcept nogil:
    """As edits' ``_scarce``: first the intervals' growth to the right, then to the left."""
    cdef Py_ssize_t i, nearby = 0
    cdef int64_t bound = few[0] - 1
    for i in range(n_few):
        while nearby < n_many and many[nearby] - reach <= few[i]:
            if partner_of_many[nearby] < 0:
                bound = max(bound, many[nearby] + reach)
            nearby += 1
        is_scarce[i] = few[i] <= bound
        if is_scarce[i] and partner_of_few[i] >= 0:
            bound = max(bound, many[partner_of_few[i]] + reach)
    bound = few[n_few - 1] + 1
    nearby = n_many - 1
    for i in range(n_few - 1, -1, -1):
        while nearby >= 0 and many[nearby] + reach >= few[i]:
            if partner_of_many[nearby] < 0:
                bound = min(bound, many[nearby] - reach)
            nearby -= 1
        if few[i] >= bound:
            is_scarce[i] = 1
            if partner_of_few[i] >= 0:
                bound = min(bound, many[partner_of_few[i]] - reach)


cdef void pair_scarce(
    const int64_t* few, const int64_t* is_scarce, Py_ssize_t n_few,
    const int64_t* many, const int64_t* partner_of_many, Py_ssize_t n_many, int64_t reach,
    Distances* found, int64_t* work,
) noexcept nogil:
    """Pair the scarce with rivals: those that are left over and those whose partner is scarce."""
    cdef Py_ssize_t i, n_scarce = 0, n_rivals = 0
    cdef int64_t* rivals
    for i in range(n_few):
        if is_scarce[i]:
            work[n_scarce] = few[i]
            n_scarce += 1
    if n_scarce == 0:
        return
    rivals = work + n_scarce
    for i in range(n_many):
        if partner_of_many[i] < 0 or is_scarce[partner_of_many[i]]:
            rivals[n_rivals] = many[i]
            n_rivals += 1
    nearest_partners(work, n_scarce, rivals, n_rivals, reach, found, rivals + n_rivals)


cdef inline int64_t abs_difference(int64_t x, int64_t y) noexcept nogil:
    return x - y if x > y else y - x


cdef void nearest_partners(
    const int64_t* few, Py_ssize_t n_few, const int64_t* many, Py_ssize_t n_many, int64_t reach,
    Distances* found, int64_t* work,
) noexcept nogil:
    """See edits.nearest_partners. ``work``: 2 * n_many + n_few + 1 integers."""
    cdef int64_t* least_before = work
    cdef int64_t* rise = work + n_many
    cdef int64_t zero = n_many, least = n_many, ceiling = n_many, floor, bend
    cdef int64_t here = min(few[0], many[0]), end, length
    cdef Py_ssize_t so_far, passed = 0, behind = 0, ahead = 0, n_chosen = n_few
    memset(rise, 0, (n_many + n_few + 1) * sizeof(int64_t))
    for so_far in range(n_many):
        while here < many[so_far]:
            end = min(many[so_far], few[passed]) if passed < n_few else many[so_far]
            length = end - here
            bend = zero + passed - so_far
            if bend < ceiling:
                rise[bend] += 2 * length
                least = min(least, bend)
            while least < ceiling and rise[least] <= length:
                length -= rise[least]
                rise[least] = 0
                least += 1
            if least < ceiling:
                rise[least] -= length
            here = end
            if passed < n_few and here == few[passed]:
                passed += 1
        while behind < n_few and few[behind] < many[so_far] - reach:
            behind += 1
        floor = min(ceiling, zero + behind - so_far)
        while least < floor:
            rise[least + 1] += rise[least]
            rise[least] = 0
            least += 1
        while least < ceiling and rise[least] == 0:
            least += 1
        least_before[so_far] = least - zero + so_far
        while ahead < n_few and few[ahead] <= many[so_far] + reach:
            ahead += 1
        ceiling = min(ceiling, zero + ahead - so_far - 1)
        least = min(least, ceiling)
    for so_far in range(n_many - 1, -1, -1):
        if n_chosen > least_before[so_far]:
            n_chosen -= 1
            add_distance(found, abs_difference(many[so_far], few[n_chosen]))


def edit_counts(a, b, int64_t n_t, bint optimal):
    """See python.edit_counts."""
    cdef Two arrays = two(a, b)
    cdef EditCounts counts
    cdef int64_t* work = NULL
    if not distances_fit(arrays.a, arrays.n_a, arrays.b, arrays.n_b, n_t):
        return python.edit_counts(a, b, n_t, optimal)
    if n_t != 2:
        work = <int64_t*> malloc(8 * (arrays.n_a + arrays.n_b + 2) * sizeof(int64_t))
        if work == NULL:
            raise MemoryError
    counts = count_edits(arrays.a, arrays.n_a, arrays.b, arrays.n_b, n_t, optimal, NULL, work)
    free(work)
    return counts.matches, counts.only_a, counts.only_b, counts.transpositions, counts.span


def edit_counts_many(a, b, int64_t n_t, bint optimal):
    """See python.edit_counts_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair
    cdef bint fits = True
    out = np.empty((5, a_side.n), dtype=np.int64)  # what follows takes the numbers column by column
    cdef int64_t[:, ::1] columns = out
    cdef EditCounts counts
    cdef Coding one, other
    cdef int64_t* work = NULL if n_t == 2 else room_for(a_side, b_side, 8)
    with nogil:
        for pair in range(a_side.n):
            one = a_side.of(pair)
            other = b_side.of(pair)
            fits = distances_fit(one.positions, one.n, other.positions, other.n, n_t)
            if not fits:
                break
            counts = count_edits(one.positions, one.n, other.positions, other.n, n_t, optimal, NULL, work)
            columns[0, pair] = counts.matches
            columns[1, pair] = counts.only_a
            columns[2, pair] = counts.only_b
            columns[3, pair] = counts.transpositions
            columns[4, pair] = counts.span
    free(work)
    return out.T if fits else python.edit_counts_many(a, b, n_t, optimal)


def transposition_spans_many(a, b, int64_t n_t, bint optimal):
    """See python.transposition_spans_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair, used = 0, room = 1024
    starts = np.zeros(a_side.n + 1, dtype=np.int64)
    cdef int64_t[::1] offsets = starts
    cdef int64_t[::1] view_of_distances
    cdef EditCounts counts
    cdef Coding one, other
    cdef int64_t* larger
    cdef int64_t* work = room_for(a_side, b_side, 8)
    cdef int64_t* spans = <int64_t*> malloc(room * sizeof(int64_t))
    try:
        if spans == NULL:
            raise MemoryError
        with nogil:
            for pair in range(a_side.n):
                one = a_side.of(pair)
                other = b_side.of(pair)
                if used + min(one.n, other.n) > room:
                    room = 2 * (used + min(one.n, other.n))
                    larger = <int64_t*> realloc(spans, room * sizeof(int64_t))
                    if larger == NULL:
                        with gil:
                            raise MemoryError
                    spans = larger
                counts = count_edits(
                    one.positions, one.n, other.positions, other.n, n_t, optimal, spans + used, work
                )
                if optimal and n_t > 2:
                    qsort(spans + used, counts.transpositions, sizeof(int64_t), compare_numbers)
                used += counts.transpositions
                offsets[pair + 1] = used
        distances = np.empty(used, dtype=np.int64)
        if used:
            view_of_distances = distances
            memcpy(&view_of_distances[0], spans, used * sizeof(int64_t))
        return starts, distances
    finally:
        free(work)
        free(spans)


cdef int compare_numbers(const void* a, const void* b) noexcept nogil:
    cdef int64_t one = (<const int64_t*> a)[0], other = (<const int64_t*> b)[0]
    return (one > other) - (one < other)


# -------------------------------------------------------------------- boundary edit distance, several types

# Of a pair's boundaries, its work takes this many integers each.
cdef int TYPED_WORK = 50
cdef int RIGHT = 0, LEFT = 1  # the ways in which boundaries seek each other


cdef struct Keyed:
    int64_t key
    int64_t value


cdef struct Lanes:
    # As edits' ``_Lanes``: unmatched boundaries by type and position; 0 and ``end`` stand for the ends.
    Py_ssize_t end
    int64_t n_t
    int64_t* kind
    int64_t* position
    int64_t* is_a
    int64_t* order  # of the boundary by position and type
    int64_t* site  # its position's number
    int64_t* is_taken
    int64_t* next_free[4]  # by side and way: links to the next free boundary
    int64_t* waiting[2]  # by way: the root of the heap of those that wait for this one; 0: none
    int64_t* nearer_child[2]  # leftist heaps with the nearest on top
    int64_t* other_child[2]
    int64_t* rank[2]
    # Per position: unedited boundaries of either side, and its first member.
    Py_ssize_t n_sites
    int64_t* n_open[2]
    int64_t* first_member
    int64_t* members  # boundaries by position and type
    bint seeks_left  # only boundaries at two-sided positions need be sought from the right
    Candidate* candidates
    Py_ssize_t n_candidates
    Distances found
    int64_t* changes  # NULL, or per distance: of substitutions and of transpositions


cdef struct TypedCounts:
    int64_t matches
    int64_t only_a
    int64_t only_b
    int64_t substitutions
    int64_t transpositions
    int64_t span
    int64_t difference
    int64_t type_range
    int64_t n_types


cdef TypedCounts count_typed_edits(
    Coding a, Coding b, int64_t n_t, int64_t* changes, int64_t* work
) noexcept nogil:
    """Count the published edits of one pair.

    ``changes`` is NULL, or has room for 2 * n_t integers: for each distance, how the transpositions over it
    change the number of substitutions, and how many they are. ``work``: TYPED_WORK * (a.n + b.n + 2) integers.
    """
    cdef TypedCounts counts
    cdef Lanes lanes
    cdef Py_ssize_t site
    memset(&counts, 0, sizeof(counts))
    lanes.n_t = n_t
    lanes.changes = changes
    lanes.found = Distances(0, 0, NULL)
    place_lanes(&lanes, a, b, &counts, work)
    if changes != NULL:
        for site in range(lanes.n_sites):
            changes[0] += min(lanes.n_open[0][site], lanes.n_open[1][site])
    if n_t > 1 and counts.only_a and counts.only_b:
        pair_types_nearest(&lanes)
    counts.transpositions = lanes.found.n
    counts.span = lanes.found.total
    if changes == NULL:
        substitute(&lanes, &counts)
    counts.only_a -= counts.transpositions + counts.substitutions
    counts.only_b -= counts.transpositions + counts.substitutions
    return counts


cdef void place_lanes(Lanes* lanes, Coding a, Coding b, TypedCounts* counts, int64_t* work) noexcept nogil:
    """Find the matches, and put the rest in order by position and by type."""
    cdef Py_ssize_t n = a.n + b.n + 2, i = 0, j = 0, n_all = 0, m = 0, t, index
    cdef int64_t position, kind, site = -1
    cdef int side, way
    lanes.kind = work
    lanes.position = work + n
    lanes.is_a = work + 2 * n
    lanes.order = work + 3 * n
    lanes.site = work + 4 * n
    lanes.is_taken = work + 5 * n
    for t in range(4):
        lanes.next_free[t] = work + (6 + t) * n
    for way in range(2):
        lanes.waiting[way] = work + (10 + way) * n
        lanes.nearer_child[way] = work + (12 + way) * n
        lanes.other_child[way] = work + (14 + way) * n
        lanes.rank[way] = work + (16 + way) * n
        lanes.n_open[way] = work + (18 + way) * n
    lanes.first_member = work + 20 * n
    lanes.members = work + 21 * n
    cdef int64_t* positions = work + 22 * n  # of unmatched boundaries by position and type
    cdef int64_t* sides = work + 23 * n
    cdef int64_t* sites = work + 24 * n
    lanes.candidates = <Candidate*> (work + 25 * n)
    lanes.n_candidates = 0
    cdef Keyed* by_type = <Keyed*> lanes.candidates  # until there are candidates
    while i < a.n or j < b.n:
        if j >= b.n or (i < a.n and (
            a.positions[i] < b.positions[j] or (a.positions[i] == b.positions[j] and a.types[i] < b.types[j])
        )):
            position = a.positions[i]
            kind = a.types[i]
            side = 0
            i += 1
            counts.only_a += 1
        elif i >= a.n or b.positions[j] < a.positions[i] or b.types[j] < a.types[i]:
            position = b.positions[j]
            kind = b.types[j]
            side = 1
            j += 1
            counts.only_b += 1
        else:
            by_type[n_all] = Keyed(a.types[i], -1)
            n_all += 1
            counts.matches += 1
            i += 1
            j += 1
            continue
        if m == 0 or positions[m - 1] != position:
            site += 1
            lanes.first_member[site] = m
            lanes.n_open[0][site] = lanes.n_open[1][site] = 0
        lanes.n_open[side][site] += 1
        positions[m] = position
        sides[m] = side
        sites[m] = site
        by_type[n_all] = Keyed(kind, m)
        n_all += 1
        m += 1
    lanes.n_sites = site + 1
    lanes.first_member[lanes.n_sites] = m
    lanes.end = m + 1
    sort_keyed(by_type, n_all)
    index = 0
    for t in range(n_all):
        if t == 0 or by_type[t].key != by_type[t - 1].key:
            counts.n_types += 1
        if by_type[t].value >= 0:
            index += 1
            lanes.kind[index] = by_type[t].key
            lanes.order[index] = by_type[t].value
            lanes.position[index] = positions[by_type[t].value]
            lanes.is_a[index] = 1 - sides[by_type[t].value]
            lanes.site[index] = sites[by_type[t].value]
            lanes.members[by_type[t].value] = index
            lanes.is_taken[index] = 0
    if n_all:
        counts.type_range = by_type[n_all - 1].key - by_type[0].key


cdef void sort_keyed(Keyed* items, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, at
    cdef Keyed item
    if n > 40:
        qsort(items, n, sizeof(Keyed), compare_keyed)
        return
    for i in range(1, n):
        item = items[i]
        at = i
        while at > 0 and items[at - 1].key > item.key:
            items[at] = items[at - 1]
            at -= 1
        items[at] = item


cdef int compare_keyed(const void* a, const void* b) noexcept nogil:
    cdef Keyed one = (<const Keyed*> a)[0], other = (<const Keyed*> b)[0]
    if one.key != other.key:
        return 1 if one.key > other.key else -1
    return (one.value > other.value) - (one.value < other.value)


cdef void pair_types_nearest(Lanes* lanes) noexcept nogil:
    """As typed's ``_greedy_transpositions``: seekers wait for the first free one of their type."""
    cdef Py_ssize_t index, end = lanes.end, site
    cdef int64_t seeker, target
    cdef Candidate now
    cdef int side, way
    for index in range(end + 1):
        for way in range(2):
            lanes.waiting[way][index] = 0
        for side in range(2):
            if index == 0 or index == end or lanes.is_a[index] == side:
                lanes.next_free[2 * side][index] = lanes.next_free[2 * side + 1][index] = index
            else:
                lanes.next_free[2 * side][index] = index + 1
                lanes.next_free[2 * side + 1][index] = index - 1
    lanes.seeks_left = False
    for site in range(lanes.n_sites):
        lanes.seeks_left |= is_two_sided(lanes, site)
    for site in range(lanes.n_sites):
        if not is_two_sided(lanes, site):
            start_seekers(lanes, site, 0, -1)
    while lanes.n_candidates:
        now = take_candidate(lanes.candidates, &lanes.n_candidates)
        seeker = now.one
        target = now.other
        way = RIGHT if seeker < target else LEFT
        if lanes.waiting[way][target] != seeker:
            continue  # it waits elsewhere by now, or a nearer one came
        if not lanes.is_taken[seeker] and not lanes.is_taken[target]:
            add_distance(&lanes.found, now.distance)
            if lanes.changes != NULL:
                lanes.changes[2 * now.distance + 1] += 1
            take(lanes, seeker, &now)
            take(lanes, target, &now)
        if lanes.is_taken[target]:
            seeker = lanes.waiting[way][target]
            lanes.waiting[way][target] = 0
            wait_for(lanes, free_from(lanes, lanes.is_a[target], way, target), way, seeker)
        else:
            announce(lanes, target, way)


cdef inline bint is_two_sided(Lanes* lanes, Py_ssize_t site) noexcept nogil:
    return lanes.n_open[0][site] > 0 and lanes.n_open[1][site] > 0


cdef void start_seekers(Lanes* lanes, Py_ssize_t site, int64_t distance, int64_t order) noexcept nogil:
    """Let the free boundaries at a position seek, from the candidates after (distance, order) on."""
    cdef Py_ssize_t t, index
    cdef int64_t start
    for t in range(lanes.first_member[site], lanes.first_member[site + 1]):
        index = lanes.members[t]
        if lanes.is_taken[index]:
            continue
        start = index + 1
        if distance > 0:
            start = first_in_lane(
                lanes, lanes.kind[index], lanes.position[index] + distance + (lanes.order[index] <= order)
            )
        seek(lanes, index, RIGHT, start)
        if lanes.seeks_left:
            start = index - 1
            if distance > 0:
                start = first_in_lane(lanes, lanes.kind[index], lanes.position[index] - distance + 1) - 1
                if (
                    lanes.kind[start] == lanes.kind[index] and lanes.order[start] <= order
                    and lanes.position[start] == lanes.position[index] - distance
                ):
                    start -= 1
            seek(lanes, index, LEFT, start)


cdef Py_ssize_t first_in_lane(Lanes* lanes, int64_t kind, int64_t position) noexcept nogil:
    """The first boundary of this type from a position on, or the one after the type's last."""
    cdef Py_ssize_t low = 1, high = lanes.end, middle
    while low < high:
        middle = (low + high) // 2
        if lanes.kind[middle] < kind or (lanes.kind[middle] == kind and lanes.position[middle] < position):
            low = middle + 1
        else:
            high = middle
    return low


cdef inline void seek(Lanes* lanes, int64_t seeker, int way, int64_t start) noexcept nogil:
    cdef int64_t target = free_from(lanes, 1 - lanes.is_a[seeker], way, start)
    lanes.nearer_child[way][seeker] = lanes.other_child[way][seeker] = 0
    lanes.rank[way][seeker] = 1
    wait_for(lanes, target, way, seeker)


cdef int64_t free_from(Lanes* lanes, int64_t is_a, int way, int64_t index) noexcept nogil:
    """The first free boundary of a side from this index on."""
    cdef int64_t* links = lanes.next_free[2 * is_a + way]
    while links[index] != index:
        links[index] = links[links[index]]
        index = links[index]
    return index


cdef void wait_for(Lanes* lanes, int64_t target, int way, int64_t seeker) noexcept nogil:
    """Add a heap of seekers to those that wait for a target, if it is of their type and within reach."""
    if target == 0 or target == lanes.end or lanes.kind[target] != lanes.kind[seeker]:
        return
    if abs_difference(lanes.position[target], lanes.position[seeker]) >= lanes.n_t:
        return
    lanes.waiting[way][target] = meld(lanes, way, lanes.waiting[way][target], seeker)
    announce(lanes, target, way)


cdef int64_t meld(Lanes* lanes, int way, int64_t one, int64_t other) noexcept nogil:
    """Unite two leftist heaps; the depth of the recursion is logarithmic."""
    cdef int64_t* near = lanes.nearer_child[way]
    cdef int64_t* far = lanes.other_child[way]
    cdef int64_t* rank = lanes.rank[way]
    if one == 0:
        return other
    if other == 0:
        return one
    if (one < other) == (way == RIGHT):  # who comes from the left is nearer with a larger index
        one, other = other, one
    far[one] = meld(lanes, way, far[one], other)
    if near[one] == 0 or rank[near[one]] < rank[far[one]]:
        near[one], far[one] = far[one], near[one]
    rank[one] = 1 + (rank[far[one]] if far[one] else 0)
    return one


cdef void announce(Lanes* lanes, int64_t target, int way) noexcept nogil:
    """Make a candidate of the nearest free one that waits for a target."""
    cdef int64_t seeker = lanes.waiting[way][target], distance
    cdef Candidate candidate
    while seeker and lanes.is_taken[seeker]:
        seeker = meld(lanes, way, lanes.nearer_child[way][seeker], lanes.other_child[way][seeker])
    lanes.waiting[way][target] = seeker
    if seeker == 0:
        return
    distance = abs_difference(lanes.position[target], lanes.position[seeker])
    if distance < lanes.n_t:
        candidate = Candidate(distance, lanes.order[min(seeker, target)], seeker, target)
        put_candidate(lanes.candidates, &lanes.n_candidates, candidate)


cdef void take(Lanes* lanes, int64_t index, Candidate* now) noexcept nogil:
    cdef int64_t is_a = lanes.is_a[index]
    cdef Py_ssize_t site = lanes.site[index]
    cdef bint was_two_sided = is_two_sided(lanes, site)
    cdef int64_t before = min(lanes.n_open[0][site], lanes.n_open[1][site])
    lanes.is_taken[index] = 1
    lanes.next_free[2 * is_a + RIGHT][index] = index + 1
    lanes.next_free[2 * is_a + LEFT][index] = index - 1
    lanes.n_open[1 - is_a][site] -= 1
    if lanes.changes != NULL:
        lanes.changes[2 * now.distance] += min(lanes.n_open[0][site], lanes.n_open[1][site]) - before
    if was_two_sided and not is_two_sided(lanes, site):
        start_seekers(lanes, site, now.distance, now.order)


cdef void substitute(Lanes* lanes, TypedCounts* counts) noexcept nogil:
    """At each position pair the types that are left, at the least total difference."""
    cdef int64_t* work = <int64_t*> lanes.candidates  # there are none any more
    cdef int64_t* a
    cdef int64_t* b
    cdef Py_ssize_t site, t, n_a, n_b
    cdef int64_t index
    cdef Distances differences = Distances(0, 0, NULL)
    for site in range(lanes.n_sites):
        if not is_two_sided(lanes, site):
            continue
        a = work
        b = a + lanes.n_open[0][site]
        n_a = n_b = 0
        for t in range(lanes.first_member[site], lanes.first_member[site + 1]):
            index = lanes.members[t]
            if lanes.is_taken[index]:
                continue
            if lanes.is_a[index]:
                a[n_a] = lanes.kind[index]
                n_a += 1
            else:
                b[n_b] = lanes.kind[index]
                n_b += 1
        if n_a == n_b:
            for t in range(n_a):
                add_distance(&differences, abs_difference(a[t], b[t]))
        elif n_a < n_b:
            nearest_partners(a, n_a, b, n_b, MAX_REACH, &differences, b + n_b)
        else:
            nearest_partners(b, n_b, a, n_a, MAX_REACH, &differences, b + n_b)
    counts.substitutions = differences.n
    counts.difference = differences.total


cdef bint typed_sums_fit(Coding a, Coding b, int64_t n_t) noexcept nogil:
    """Whether distances and differences of types surely sum to less than 2**63 (types: 2**53)."""
    return min(a.n, b.n) < 256 or (
        distances_fit(a.positions, a.n, b.positions, b.n, n_t) and types_fit(a, b)
    )


cdef bint types_fit(Coding a, Coding b) noexcept nogil:
    cdef int64_t least = a.types[0], largest = a.types[0]
    cdef Py_ssize_t i
    for i in range(a.n):
        least = min(least, a.types[i])
        largest = max(largest, a.types[i])
    for i in range(b.n):
        least = min(least, b.types[i])
        largest = max(largest, b.types[i])
    return <double> (largest - least) * min(a.n, b.n) < 9e18


def typed_edit_counts_many(a, b, int64_t n_t):
    """See python.typed_edit_counts_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair
    cdef bint fits = True
    cdef Coding one, other
    out = np.empty((a_side.n, 9), dtype=np.int64)
    cdef int64_t[:, ::1] rows = out
    cdef int64_t* work = room_for(a_side, b_side, TYPED_WORK)
    with nogil:
        for pair in range(a_side.n):
            one = a_side.of(pair)
            other = b_side.of(pair)
            fits = typed_sums_fit(one, other, n_t)
            if not fits:
                break
            (<TypedCounts*> &rows[pair, 0])[0] = count_typed_edits(one, other, n_t, NULL, work)
    free(work)
    return out if fits else python.typed_edit_counts_many(a, b, n_t)


def typed_edit_sweep_many(a, b, int64_t n_t_max):
    """See python.typed_edit_sweep_many."""
    python._check_sweep(n_t_max)
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair
    cdef int64_t matches = 0, unmatched = 0
    cdef Coding one, other
    cdef TypedCounts counts
    all_changes = np.zeros((n_t_max, 2), dtype=np.int64)
    cdef int64_t[:, ::1] changes = all_changes
    cdef int64_t* work = room_for(a_side, b_side, TYPED_WORK)
    with nogil:
        for pair in range(a_side.n):
            one = a_side.of(pair)
            other = b_side.of(pair)
            counts = count_typed_edits(one, other, n_t_max, &changes[0, 0], work)
            matches += counts.matches
            unmatched += one.n + other.n - 2 * counts.matches
    free(work)
    return python._sweep_rows(matches, unmatched, all_changes)


# -------------------------------------------------------------------- windows

cdef struct WindowCounts:
    int64_t windows
    int64_t disagree
    int64_t false_alarms
    int64_t different
    int64_t difference
    int64_t common


cdef int64_t NEVER = INT64_MAX


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


def window_counts_many(a, b, Positions n_units, Positions k, int edges):
    """See python.window_counts_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair
    cdef Coding one, other
    out = np.empty((a_side.n, 6), dtype=np.int64)
    cdef int64_t[:, ::1] rows = out
    with nogil:
        for pair in range(a_side.n):
            one = a_side.of(pair)
            other = b_side.of(pair)
            (<WindowCounts*> &rows[pair, 0])[0] = count_windows(
                one.positions, one.n, other.positions, other.n, n_units[pair], k[pair], edges
            )
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


cdef struct Level:
    Coding reference
    Coding hypothesis
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


cdef Py_ssize_t take_ranks(
    const Coding* side, int64_t least, int64_t most, const int64_t* ends, int64_t* into
) noexcept nogil:
    """Copy the boundaries whose ranks are from ``least`` to ``most``; return how many."""
    cdef Py_ssize_t i, n = 0
    for i in range(side.n):
        into[n] = place(ends, side.positions[i])
        n += least <= side.types[i] <= most
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
    number = take_ranks(&level.reference, INT64_MIN, rank, level.ends, level.sets[0])
    level.sizes[0] = number
    level.sizes[2] = level.n_tied = level.needed = 0
    if number >= n_hyp:
        level.sizes[1] = take_ranks(&level.hypothesis, INT64_MIN, INT64_MAX, level.ends, level.sets[1])
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
        level.sizes[1] = take_ranks(&level.hypothesis, INT64_MIN, ranks[number - 1], level.ends, level.sets[1])
    else:
        level.sizes[1] = take_ranks(&level.hypothesis, INT64_MIN, ranks[number] - 1, level.ends, level.sets[1])
        level.sizes[2] = level.n_tied = take_ranks(
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


def level_kinds_many(a, b, units, levels, Py_ssize_t start, Py_ssize_t most_kinds, int edges):
    """See python.level_kinds_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Positions n_units = units.n_units, ends = units.ends, end_starts = units.starts
    cdef Positions pair = levels.pair, rank = levels.rank, k = levels.k
    cdef Py_ssize_t index, n_levels = pair.shape[0], before, room, i, current = -1
    cdef const int64_t* unit_ends = start_of(ends)
    cdef Level level
    cdef Tally tally
    cdef Numbers made, kinds, work
    cdef int failed = 0
    tally.kinds = NULL
    made.data = kinds.data = work.data = NULL
    made.n = made.room = kinds.n = kinds.room = work.n = work.room = 0
    try:
        with nogil:
            for index in range(start, n_levels):
                if pair[index] != current:
                    current = pair[index]
                    level.reference = a_side.of(current)
                    level.hypothesis = b_side.of(current)
                    level.n_units = level.n_atoms = n_units[current]
                    level.ends = NULL
                    room = max(level.reference.n, level.hypothesis.n) + 1
                    if unit_ends != NULL:
                        level.ends = unit_ends + end_starts[current]
                        level.n_atoms = level.ends[level.n_units - 1]
                        room = level.n_units
                    if 2 * room > MAX_KIND:
                        break
                    # Sorted ranks, three sets, and all of these twice and one more in two arrays.
                    if make_room(&work, 16 * room + 2) < 0:
                        failed = -1
                        break
                    for i in range(level.hypothesis.n):
                        work.data[i] = level.hypothesis.types[i]
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
            return python.level_kinds_many(a, b, units, levels, start, most_kinds, edges)
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
    a = python.Side(
        np.concatenate((hypothesis[:0], *references)),
        np.cumsum([0, *map(len, references)], dtype=np.int64),
        np.arange(len(references), dtype=np.int64),
    )
    b = python.Side(hypothesis, np.array([0, len(hypothesis)], dtype=np.int64), np.zeros(1, dtype=np.int64))
    runs, n_units, k = (np.array(numbers, dtype=np.int64) for numbers in ([0, len(references)], [n_units], [k]))
    return tuple(mult_window_counts_many(a, runs, b, n_units, k)[0].tolist())


cdef inline void mark(Mark* marks, Coding coding, Py_ssize_t coder) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(coding.n):
        marks[i].position = coding.positions[i]
        marks[i].coder = coder


def mult_window_counts_many(references, Positions runs, hypotheses, Positions n_units, Positions k):
    """See python.mult_window_counts_many."""
    cdef Side a = Side(references), b = Side(hypotheses)
    cdef Py_ssize_t row, i, n_references, n_marks, longest, most_references = 0, most_marks = 0
    out = np.empty((b.n, 3), dtype=np.int64)
    cdef int64_t[:, ::1] rows = out
    cdef Coding coding
    for row in range(b.n):
        n_marks = b.of(row).n
        for i in range(runs[row], runs[row + 1]):
            n_marks += a.of(i).n
        most_marks = max(most_marks, n_marks)
        most_references = max(most_references, <Py_ssize_t> (runs[row + 1] - runs[row]))
    cdef Mark* marks = <Mark*> malloc((most_marks + 1) * sizeof(Mark))
    cdef int64_t* inside = <int64_t*> malloc((most_references + 1) * sizeof(int64_t))
    cdef int64_t* n_with = <int64_t*> malloc((most_references + 1) * sizeof(int64_t))
    cdef int64_t* support = <int64_t*> malloc((most_marks + 1) * sizeof(int64_t))
    try:
        if marks == NULL or inside == NULL or n_with == NULL or support == NULL:
            raise MemoryError
        with nogil:
            for row in range(b.n):
                n_references = runs[row + 1] - runs[row]
                coding = b.of(row)
                n_marks = longest = coding.n
                mark(marks, coding, n_references)
                for i in range(n_references):
                    coding = a.of(runs[row] + i)
                    mark(marks + n_marks, coding, i)
                    n_marks += coding.n
                    longest = max(longest, coding.n)
                qsort(marks, n_marks, sizeof(Mark), compare_marks)
                memset(inside, 0, (n_references + 1) * sizeof(int64_t))
                memset(n_with, 0, (n_references + 1) * sizeof(int64_t))
                memset(support, 0, (longest + 1) * sizeof(int64_t))
                (<Guesses*> &rows[row, 0])[0] = count_guesses(
                    marks, n_marks, n_references, n_units[row] - k[row], k[row], inside, n_with, support
                )
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


def matched_within_many(a, b, int64_t tolerance):
    """See python.matched_within_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair
    cdef Coding one, other
    out = np.empty(a_side.n, dtype=np.int64)
    cdef int64_t[::1] values = out
    with nogil:
        for pair in range(a_side.n):
            one = a_side.of(pair)
            other = b_side.of(pair)
            values[pair] = count_matched(one.positions, one.n, other.positions, other.n, tolerance)
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


def largest_overlaps_many(a, b, Positions n_units):
    """See python.largest_overlaps_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair
    cdef Coding one, other
    out = np.empty(a_side.n, dtype=np.int64)
    cdef int64_t[::1] values = out
    with nogil:
        for pair in range(a_side.n):
            one = a_side.of(pair)
            other = b_side.of(pair)
            values[pair] = sum_overlaps(one.positions, one.n, other.positions, other.n, n_units[pair])
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


def nearest_distances_many(a, b):
    """See python.nearest_distances_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair
    cdef Coding one, other
    out = np.empty(a_side.n, dtype=np.int64)
    cdef int64_t[::1] values = out
    with nogil:
        for pair in range(a_side.n):
            one = a_side.of(pair)
            other = b_side.of(pair)
            values[pair] = sum_nearest(one.positions, one.n, other.positions, other.n)
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


def generalized_hamming_many(a, b, double insertion, double deletion, double shift):
    """See python.generalized_hamming_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair
    cdef Coding one, other
    out = np.empty(a_side.n, dtype=np.float64)
    cdef double[::1] values = out
    cdef double* best = <double*> malloc((a_side.longest() + 1) * sizeof(double))
    if best == NULL:
        raise MemoryError
    with nogil:
        for pair in range(a_side.n):
            one = a_side.of(pair)
            other = b_side.of(pair)
            values[pair] = least_cost(one.positions, one.n, other.positions, other.n, insertion, deletion, shift, best)
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


def p_mu_many(a, b, Positions n_units, const double[::1] mu):
    """See python.p_mu_many."""
    cdef Side a_side = Side(a), b_side = Side(b)
    cdef Py_ssize_t pair
    cdef Coding one, other
    out = np.empty(a_side.n, dtype=np.float64)
    cdef double[::1] values = out
    with nogil:
        for pair in range(a_side.n):
            one = a_side.of(pair)
            other = b_side.of(pair)
            values[pair] = judged_alike(one.positions, one.n, other.positions, other.n, n_units[pair], mu[pair])
    return out

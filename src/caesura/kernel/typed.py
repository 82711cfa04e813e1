"""Boundary edit distance when boundaries have several types (F13t, Algorithms 4.1 to 4.7).

Boundaries are (position, type) pairs. A transposition moves one type; a substitution exchanges two types at
one position. The result lists every edit, so that counts, confusion matrices and drawings agree.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from caesura.errors import ParameterError
from caesura.kernel.pairing import nearest_partners, optimal_transpositions, transpositions

MAX_PAIRINGS = 2 * 10**7
"""Most steps that an optimal alignment of touching types may take before it refuses the input."""

Boundary: TypeAlias = tuple[int, int]
Cost: TypeAlias = Callable[[int, int], float]  # of exchanging two types


class TypedEdits(NamedTuple):
    """What boundary edit distance finds between a and b."""

    matches: list[Boundary]
    only_a: list[Boundary]
    only_b: list[Boundary]
    substitutions: list[tuple[int, int, int]]  # position, type in a, type in b
    transpositions: list[tuple[int, int, int]]  # position in a, position in b, type


def greedy_edits(
    a: Iterable[Boundary], b: Iterable[Boundary], n_t: int, substitution_cost: Cost | None
) -> TypedEdits:
    """Return the published edits: transpositions by distance, position and type, then substitutions.

    ``substitution_cost`` chooses which types pair up at one position; None means their difference.
    """
    in_a, in_b = set(a), set(b)
    matches = sorted(in_a & in_b)
    open_a, open_b = in_a - in_b, in_b - in_a
    transposed = _greedy_transpositions(open_a, open_b, n_t)
    for position_a, position_b, kind in transposed:
        open_a.discard((position_a, kind))
        open_b.discard((position_b, kind))
    types_a, types_b = _by_position(open_a), _by_position(open_b)
    substitutions = []
    for position in sorted(types_a.keys() & types_b.keys()):
        pairs = pair_types(types_a[position], types_b[position], substitution_cost)
        for type_a, type_b in pairs:
            substitutions.append((position, type_a, type_b))
            open_a.discard((position, type_a))
            open_b.discard((position, type_b))
    return TypedEdits(matches, sorted(open_a), sorted(open_b), substitutions, sorted(transposed))


def _greedy_transpositions(
    open_a: set[Boundary], open_b: set[Boundary], n_t: int
) -> list[tuple[int, int, int]]:
    """Take candidates in the order (distance, left position, type), unless two substitutions are displaced.

    That is so where both positions have unedited boundaries on both sides. A candidate that may be taken has
    an end for which that is not, or no longer, so: a seeker. Each seeker waits, to the right and to the left,
    at the first free boundary of its type on the other side; only the nearest that waits there is a
    candidate, and when the place is taken all go on to the next one. So candidates that displace two
    substitutions are never looked at, and time is near-linear in the boundaries for any n_t.

    With fewer than two such positions nothing can be displaced, and each type is paired by itself.
    """
    if len({position for position, _ in open_a} & {position for position, _ in open_b}) < 2:
        in_a, in_b = _by_type(open_a), _by_type(open_b)
        kinds = in_a.keys() & in_b.keys()
        return [(i, j, kind) for kind in kinds for i, j in transpositions(in_a[kind], in_b[kind], n_t)]
    lanes = _Lanes(open_a, open_b, n_t)
    pairs = []
    while lanes.candidates:
        *now, seeker, target = heapq.heappop(lanes.candidates)
        step = 1 if seeker < target else -1
        if lanes.nearest_waiting(target, step) != seeker:
            continue  # it waits elsewhere by now, or a nearer one came
        if not lanes.is_taken[seeker] and not lanes.is_taken[target]:
            pairs.append(lanes.take(seeker, target, now))
        if lanes.is_taken[target]:
            lanes.go_on(target, step)
        else:
            lanes.announce(target, step)
    return pairs


class _Lanes:
    """The unmatched boundaries by type and position, and which of them wait for which.

    Boundaries are known by their index; 0 and the last index stand for the ends. A step of 1 leads to the
    right and -1 to the left.
    """

    def __init__(self, open_a: set[Boundary], open_b: set[Boundary], n_t: int) -> None:
        kinds = {kind for _, kind in open_a} & {kind for _, kind in open_b}
        placed = [(kind, position, True) for position, kind in open_a if kind in kinds]
        placed += [(kind, position, False) for position, kind in open_b if kind in kinds]
        placed.sort()
        self.n_t = n_t
        self.boundaries = [(0, 0, False), *placed, (0, 0, False)]  # type, position, is in a
        self.is_taken = [False] * len(self.boundaries)
        self.candidates: list[tuple[int, int, int, int, int]] = []  # distance, left, type, seeker, target
        self._end = len(placed) + 1
        self._n_open = {
            True: Counter(position for position, _ in open_a),
            False: Counter(position for position, _ in open_b),
        }
        self._at: dict[int, list[int]] = defaultdict(list)  # position -> boundaries
        for index, (_, position, _) in enumerate(placed, start=1):
            self._at[position].append(index)
        self._next_free = {
            (side, step): [
                index if is_a == side or index in (0, self._end) else index + step
                for index, (_, _, is_a) in enumerate(self.boundaries)
            ]
            for side in (True, False)
            for step in (1, -1)
        }
        self._waiting: dict[tuple[int, int], list[int]] = {}  # target, step -> heap of -step * seeker
        # Who is not at a two-sided position seeks to the right; to the left only others need be sought.
        self._sought = {kind for kind, position, _ in placed if self._is_two_sided(position)}
        for position in self._at:
            if not self._is_two_sided(position):
                self._start_seekers(position, [0, 0, 0])

    def _is_two_sided(self, position: int) -> bool:
        return bool(self._n_open[True][position] and self._n_open[False][position])

    def _start_seekers(self, position: int, now: list[int]) -> None:
        """Let the free boundaries at a position seek in both directions, from the candidates after now."""
        distance, *least = now
        for index in self._at[position]:
            if self.is_taken[index]:
                continue
            kind, _, is_a = self.boundaries[index]
            first = position + distance + ([position, kind] <= least)
            start = bisect_left(self.boundaries, (kind, first), index, self._end)
            self._wait(self._free(not is_a, 1, start), 1, [-index])
            if kind in self._sought:
                first = position - distance + ([position - distance, kind] > least)
                start = bisect_left(self.boundaries, (kind, first), 1, index) - 1
                self._wait(self._free(not is_a, -1, start), -1, [index])

    def _free(self, side: bool, step: int, index: int) -> int:
        """Return the first free boundary of a side from this index on."""
        links = self._next_free[side, step]
        while links[index] != index:
            links[index] = links[links[index]]
            index = links[index]
        return index

    def _wait(self, target: int, step: int, queue: list[int]) -> None:
        """Add seekers to those that wait for a target, if it is of their type and within reach."""
        kind, position, _ = self.boundaries[target]
        nearest_kind, nearest, _ = self.boundaries[abs(queue[0])]
        if target in (0, self._end) or kind != nearest_kind or abs(position - nearest) >= self.n_t:
            return
        others = self._waiting.get((target, step))
        if others is not None:
            small, queue = sorted((queue, others), key=len)
            for entry in small:
                heapq.heappush(queue, entry)
        self._waiting[target, step] = queue
        self.announce(target, step)

    def nearest_waiting(self, target: int, step: int) -> int:
        """Return the nearest of those that wait for a target; 0: nobody does."""
        queue = self._waiting.get((target, step))
        return abs(queue[0]) if queue else 0

    def announce(self, target: int, step: int) -> None:
        """Make a candidate of the nearest free one that waits for a target."""
        queue = self._waiting[target, step]
        while queue and self.is_taken[abs(queue[0])]:
            heapq.heappop(queue)
        if not queue:
            return
        seeker = abs(queue[0])
        kind, position, _ = self.boundaries[seeker]
        other = self.boundaries[target][1]
        if abs(position - other) < self.n_t:
            candidate = (abs(position - other), min(position, other), kind, seeker, target)
            heapq.heappush(self.candidates, candidate)

    def go_on(self, target: int, step: int) -> None:
        """Let those that wait for a taken target wait for the next one."""
        queue = self._waiting.pop((target, step))
        self._wait(self._free(self.boundaries[target][2], step, target), step, queue)

    def take(self, seeker: int, target: int, now: list[int]) -> tuple[int, int, int]:
        """Pair two boundaries: their positions in a and in b, and their type."""
        for index in (seeker, target):
            kind, position, is_a = self.boundaries[index]
            self.is_taken[index] = True
            for step in (1, -1):
                self._next_free[is_a, step][index] = index + step
            was_two_sided = self._is_two_sided(position)
            self._n_open[is_a][position] -= 1
            if was_two_sided and not self._is_two_sided(position):
                self._start_seekers(position, now)
        in_a, in_b = (seeker, target) if self.boundaries[seeker][2] else (target, seeker)
        return self.boundaries[in_a][1], self.boundaries[in_b][1], kind


def _by_type(boundaries: Iterable[Boundary]) -> dict[int, list[int]]:
    positions: dict[int, list[int]] = defaultdict(list)
    for position, kind in sorted(boundaries):
        positions[kind].append(position)
    return positions


def _by_position(boundaries: Iterable[Boundary]) -> dict[int, list[int]]:
    types: dict[int, list[int]] = defaultdict(list)
    for position, kind in sorted(boundaries):
        types[position].append(kind)
    return types


def pair_types(types_a: Sequence[int], types_b: Sequence[int], cost: Cost | None) -> list[tuple[int, int]]:
    """Pair ascending types at one position at the least total cost; the smaller list is paired completely.

    >>> pair_types([1, 5], [2, 4, 9], None)
    [(1, 2), (5, 4)]
    """
    if cost is not None:
        return _assign_types(types_a, types_b, cost)
    swapped = len(types_a) > len(types_b)
    short, long = (types_b, types_a) if swapped else (types_a, types_b)
    reach = max((*short, *long), default=0) - min((*short, *long), default=0)
    chosen = nearest_partners(short, long, reach)
    return [(y, x) if swapped else (x, y) for x, y in zip(short, chosen, strict=True)]


def _assign_types(types_a: Sequence[int], types_b: Sequence[int], cost: Cost) -> list[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment

    table = [[cost(x, y) for y in types_b] for x in types_a]
    rows, columns = linear_sum_assignment(table)
    return [(types_a[i], types_b[j]) for i, j in zip(rows.tolist(), columns.tolist(), strict=True)]


def optimal_edits(
    a: Iterable[Boundary],
    b: Iterable[Boundary],
    n_t: int,
    transposition_weight: Callable[[int], int],
    substitution_weight: Callable[[int, int], int],
) -> TypedEdits:
    """Return a truly minimal set of edits, of least total weight, with as few substitutions as possible.

    Transpositions and substitutions are the edges of a bipartite graph between the unmatched boundaries of
    a and of b; a maximum matching replaces most pairs of additions by one edit. Weights are whole numbers,
    so that equal ones are equal. Boundaries that cannot reach each other are matched on their own.
    """
    in_a, in_b = set(a), set(b)
    open_a, open_b = in_a - in_b, in_b - in_a
    substitutions, transpositions = [], []
    for part_a, part_b in _components(open_a, open_b, n_t):
        kinds = {kind for _, kind in (*part_a, *part_b)}
        if len(kinds) == 1:
            pairs = optimal_transpositions([p for p, _ in part_a], [p for p, _ in part_b], n_t)
            transpositions += [(i, j, part_a[0][1]) for i, j in pairs]
            continue
        edges = _edges(part_a, part_b, n_t, transposition_weight, substitution_weight)
        for i, j in _least_maximum_matching(len(part_a), len(part_b), edges):
            (position_a, type_a), (position_b, type_b) = part_a[i], part_b[j]
            if position_a == position_b:
                substitutions.append((position_a, type_a, type_b))
            else:
                transpositions.append((position_a, position_b, type_a))
    for position, type_a, type_b in substitutions:
        open_a.discard((position, type_a))
        open_b.discard((position, type_b))
    for position_a, position_b, kind in transpositions:
        open_a.discard((position_a, kind))
        open_b.discard((position_b, kind))
    return TypedEdits(
        sorted(in_a & in_b), sorted(open_a), sorted(open_b), sorted(substitutions), sorted(transpositions)
    )


def _components(
    open_a: set[Boundary], open_b: set[Boundary], n_t: int
) -> list[tuple[list[Boundary], list[Boundary]]]:
    """Split the unmatched boundaries where no chain of edits can connect them; drop one-sided parts."""
    nodes = [(boundary, True) for boundary in open_a] + [(boundary, False) for boundary in open_b]
    parent = {node: node for node in nodes}

    def root(node: tuple[Boundary, bool]) -> tuple[Boundary, bool]:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    lanes = sorted(nodes, key=lambda node: (node[0][1], node[0][0]))
    for one, other in pairwise(lanes):  # neighbours of one type within reach
        if one[0][1] == other[0][1] and other[0][0] - one[0][0] < n_t:
            parent[root(one)] = root(other)
    sites = sorted(nodes, key=lambda node: node[0][0])
    for one, other in pairwise(sites):  # at one position
        if one[0][0] == other[0][0]:
            parent[root(one)] = root(other)
    parts: dict[tuple[Boundary, bool], tuple[list[Boundary], list[Boundary]]] = {}
    for boundary, is_a in sorted(nodes):
        part = parts.setdefault(root((boundary, is_a)), ([], []))
        part[0 if is_a else 1].append(boundary)
    return [part for part in parts.values() if part[0] and part[1]]


def _edges(
    left: Sequence[Boundary],
    right: Sequence[Boundary],
    n_t: int,
    transposition_weight: Callable[[int], int],
    substitution_weight: Callable[[int, int], int],
) -> list[list[tuple[int, int]]]:
    """Return for each boundary of left the possible partners in right and what the pair costs.

    The cost orders by weight and then by the number of substitutions.
    """
    lanes: dict[int, list[tuple[int, int]]] = defaultdict(list)  # type -> (position, index in right)
    sites: dict[int, list[int]] = defaultdict(list)  # position -> indices in right
    for j, (position, kind) in enumerate(right):
        lanes[kind].append((position, j))
        sites[position].append(j)
    finer = min(len(left), len(right)) + 1
    edges: list[list[tuple[int, int]]] = []
    n_edges = 0
    for position, kind in left:
        found = [(j, substitution_weight(kind, right[j][1]) * finer + 1) for j in sites[position]]
        lane = lanes.get(kind, [])
        reach = range(
            bisect_right(lane, (position - n_t, len(right))), bisect_left(lane, (position + n_t, -1))
        )
        n_edges += len(found) + len(reach)
        if n_edges * finer > MAX_PAIRINGS:
            raise ParameterError(
                f"an optimal alignment of {len(left)} with {len(right)} boundaries of several types at "
                f"n_t={n_t} takes too long; use a smaller n_t or method='greedy'"
            )
        for index in reach:
            other, j = lane[index]
            found.append((j, transposition_weight(abs(position - other)) * finer))
        edges.append(found)
    return edges


def _least_maximum_matching(
    n_left: int, n_right: int, edges: Sequence[Sequence[tuple[int, int]]]
) -> list[tuple[int, int]]:
    """Return a maximum matching of least cost, by shortest augmenting paths with whole-number costs.

    Each round finds the cheapest way to match one more node, so the matching is the cheapest of its size
    after every round. Potentials keep the cost of every step at 0 or more, as Dijkstra's algorithm needs.
    """
    left_partner, right_partner = [-1] * n_left, [-1] * n_right
    left_potential, right_potential = [0] * n_left, [0] * n_right
    while True:
        heap = [(0, i) for i in range(n_left) if left_partner[i] < 0]
        distance: dict[int, int] = {}  # of right nodes
        came_from: dict[int, int] = {}
        settled: set[int] = set()
        while heap:
            so_far, i = heapq.heappop(heap)
            if i in settled:
                continue
            settled.add(i)
            for j, cost in edges[i]:
                step = so_far + cost + left_potential[i] - right_potential[j]
                if j != left_partner[i] and step < distance.get(j, step + 1):
                    distance[j], came_from[j] = step, i
                    if right_partner[j] >= 0:  # it may give up its partner for a better end of the path
                        heapq.heappush(heap, (step, right_partner[j]))
        free = [j for j in distance if right_partner[j] < 0]
        if not free:
            return [(i, j) for i, j in enumerate(left_partner) if j >= 0]
        j = min(free, key=lambda j: distance[j] + right_potential[j])
        for reached, step in distance.items():
            right_potential[reached] += step
            if right_partner[reached] >= 0:
                left_potential[right_partner[reached]] += step
        while j >= 0:
            i = came_from[j]
            right_partner[j] = i
            left_partner[i], j = j, left_partner[i]

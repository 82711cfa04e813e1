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
from caesura.kernel.pairing import optimal_transpositions, transpositions

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
    """Take candidates in the order (distance, left position, type); heap entries advance to the right.

    Where two substitutions can not be displaced, because fewer than two positions have boundaries on both
    sides, types do not touch each other and each is paired by itself, in near-linear time.
    """
    if len({position for position, _ in open_a} & {position for position, _ in open_b}) < 2:
        kinds = {kind for _, kind in open_a} & {kind for _, kind in open_b}
        return [(i, j, kind) for kind in kinds for i, j in _pair_lane(open_a, open_b, kind, n_t)]
    n_open_a = Counter(position for position, _ in open_a)
    n_open_b = Counter(position for position, _ in open_b)
    lanes: dict[int, list[tuple[int, bool]]] = defaultdict(list)  # type -> (position, is in a)
    for side, boundaries in ((True, open_a), (False, open_b)):
        for position, kind in boundaries:
            lanes[kind].append((position, side))
    for lane in lanes.values():
        lane.sort()
    taken: set[Boundary] = set()
    heap: list[tuple[int, int, int, int, int]] = []  # distance, left position, type, indices in the lane

    def push_next(kind: int, left: int, right: int) -> None:
        """Queue the next boundary right of ``left`` on the other side that may still be free."""
        lane = lanes[kind]
        position, side = lane[left]
        while right < len(lane) and lane[right][0] - position < n_t:
            if lane[right][1] != side and (lane[right][0], kind) not in taken:
                heapq.heappush(heap, (lane[right][0] - position, position, kind, left, right))
                return
            right += 1

    for kind, lane in lanes.items():
        for left in range(len(lane)):
            push_next(kind, left, left + 1)
    pairs = []
    while heap:
        _, position, kind, left, right = heapq.heappop(heap)
        if (position, kind) in taken:
            continue
        other = lanes[kind][right][0]
        displaces_two_substitutions = all(n_open_a[p] and n_open_b[p] for p in (position, other))
        if (other, kind) in taken or displaces_two_substitutions:
            push_next(kind, left, right + 1)
            continue
        taken.update([(position, kind), (other, kind)])
        in_a, in_b = (position, other) if lanes[kind][left][1] else (other, position)
        n_open_a[in_a] -= 1
        n_open_b[in_b] -= 1
        pairs.append((in_a, in_b, kind))
    return pairs


def _pair_lane(open_a: set[Boundary], open_b: set[Boundary], kind: int, n_t: int) -> list[tuple[int, int]]:
    only_a = sorted(position for position, other in open_a if other == kind)
    only_b = sorted(position for position, other in open_b if other == kind)
    return transpositions(only_a, only_b, n_t)


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
    chosen = _order_preserving(short, long)
    return [(y, x) if swapped else (x, y) for x, y in zip(short, chosen, strict=True)]


def _order_preserving(short: Sequence[int], long: Sequence[int]) -> list[int]:
    """Choose an ascending partner in ``long`` for each of ``short``: least total difference, then least."""
    slack = len(long) - len(short)
    # rest[i][s]: least cost of short[i:] when s members of long were passed over before short[i].
    rest = [[0] * (slack + 1) for _ in range(len(short) + 1)]
    for i in range(len(short) - 1, -1, -1):
        least = None
        for s in range(slack, -1, -1):
            here = abs(short[i] - long[i + s]) + rest[i + 1][s]
            least = here if least is None else min(least, here)
            rest[i][s] = least
    chosen = []
    s = 0
    for i in range(len(short)):
        while abs(short[i] - long[i + s]) + rest[i + 1][s] != rest[i][s]:
            s += 1
        chosen.append(long[i + s])
    return chosen


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
    so that equal ones are equal. Boundaries that can not reach each other are matched on their own.
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

"""Boundary edit distance when boundaries have several types (F13t, Algorithms 4.1 to 4.7).

Boundaries are (position, type) pairs. A transposition moves one type; a substitution exchanges two types at
one position. The result lists every edit, so that counts, confusion matrices and drawings agree.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

Boundary: TypeAlias = tuple[int, int]
Cost: TypeAlias = Callable[[int, int], float]


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
    """Take candidates in the order (distance, left position, type); heap entries advance to the right."""
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
    transposition_weight: Callable[[int], float],
    substitution_weight: Cost,
) -> TypedEdits:
    """Return a truly minimal set of edits, of least total weight, with as few substitutions as possible.

    Transpositions and substitutions are the edges of a bipartite graph between the unmatched boundaries of
    a and of b; a maximum matching replaces most pairs of additions by one edit.
    """
    in_a, in_b = set(a), set(b)
    matches = sorted(in_a & in_b)
    left, right = sorted(in_a - in_b), sorted(in_b - in_a)
    edges = _edges(left, right, n_t, transposition_weight, substitution_weight)
    paired = _least_maximum_matching(len(left), len(right), edges)
    substitutions, transpositions = [], []
    for i, j in paired:
        (position_a, type_a), (position_b, type_b) = left[i], right[j]
        if position_a == position_b:
            substitutions.append((position_a, type_a, type_b))
        else:
            transpositions.append((position_a, position_b, type_a))
    paired_a, paired_b = {i for i, _ in paired}, {j for _, j in paired}
    return TypedEdits(
        matches,
        [boundary for i, boundary in enumerate(left) if i not in paired_a],
        [boundary for j, boundary in enumerate(right) if j not in paired_b],
        sorted(substitutions),
        sorted(transpositions),
    )


def _edges(
    left: Sequence[Boundary],
    right: Sequence[Boundary],
    n_t: int,
    transposition_weight: Callable[[int], float],
    substitution_weight: Cost,
) -> list[tuple[int, int, float, bool]]:
    """All possible pairs (index in left, index in right, weight, is a substitution)."""
    lanes: dict[int, list[tuple[int, int]]] = defaultdict(list)  # type -> (position, index in right)
    sites: dict[int, list[int]] = defaultdict(list)  # position -> indices in right
    for j, (position, kind) in enumerate(right):
        lanes[kind].append((position, j))
        sites[position].append(j)
    edges = []
    starts = dict.fromkeys(lanes, 0)  # left and right ascend, so the reach of a type only moves right
    for i, (position, kind) in enumerate(left):
        for j in sites[position]:
            edges.append((i, j, substitution_weight(kind, right[j][1]), True))
        lane = lanes.get(kind, [])
        start = starts.get(kind, 0)
        while start < len(lane) and lane[start][0] <= position - n_t:
            start += 1
        starts[kind] = start
        for other, j in lane[start:]:
            if other >= position + n_t:
                break
            edges.append((i, j, transposition_weight(abs(position - other)), False))
    return edges


def _least_maximum_matching(
    n_left: int, n_right: int, edges: Sequence[tuple[int, int, float, bool]]
) -> list[tuple[int, int]]:
    """Return a maximum matching of least weight, then of fewest substitutions.

    SciPy solves full matchings: each node gets a twin on the other side that stands for "unmatched", and
    the twins of a matched pair take each other.
    """
    if not edges:
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    most = min(n_left, n_right)
    finer = most + 1  # the number of substitutions must not outweigh any difference of weight
    unmatched = (max(weight for _, _, weight, _ in edges) * finer + 1) * (most + 1)
    rows, columns, weights = [], [], []
    for i, j, weight, is_substitution in edges:
        rows += [i, n_left + j]
        columns += [j, n_right + i]
        weights += [weight * finer + is_substitution, 0]
    for i in range(n_left):
        rows.append(i)
        columns.append(n_right + i)
        weights.append(unmatched)
    for j in range(n_right):
        rows.append(n_left + j)
        columns.append(j)
        weights.append(unmatched)
    size = n_left + n_right
    # SciPy drops zero weights; a full matching always has `size` edges, so 1 more on each changes nothing.
    graph = coo_array(([weight + 1 for weight in weights], (rows, columns)), shape=(size, size)).tocsr()
    matched_rows, matched_columns = min_weight_full_bipartite_matching(graph)
    return [
        (int(i), int(j))
        for i, j in zip(matched_rows, matched_columns, strict=True)
        if i < n_left and j < n_right
    ]

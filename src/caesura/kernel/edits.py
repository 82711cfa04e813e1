"""Boundary edit distance: which boundaries pair up, and the edits (F13t, Algorithms 4.1 to 4.7).

Boundaries of one type are positions; boundaries of several types are (position, type) pairs. A transposition
moves a boundary of one type, a substitution changes the type at one position. The greedy method pairs the
nearest boundaries first; the optimal method pairs as many as possible at the least distance. F13t is
Fournier (2013), the thesis.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from caesura.errors import ParameterError

MAX_PAIRINGS = 2 * 10**7
"""Most steps that an optimal alignment of touching types may take before it refuses the input."""

Boundary: TypeAlias = tuple[int, int]
Moved: TypeAlias = tuple[int, int, int]
"""A substitution (position, type in a, type in b) or transposition (position in a, position in b, type)."""

Cost: TypeAlias = Callable[[int, int], float]  # of exchanging two types


class TypedEdits(NamedTuple):
    """The matches and edits between a and b."""

    matches: list[Boundary]
    only_a: list[Boundary]
    only_b: list[Boundary]
    substitutions: list[Moved]
    transpositions: list[Moved]


# -------------------------------------------------------------------- one type
# Positions ascend and are on one side only.


def transpositions(only_a: Sequence[int], only_b: Sequence[int], n_t: int) -> list[tuple[int, int]]:
    """Pair nearest boundaries first, leftmost first among equals (F13t, Algorithm 4.3).

    The closest two boundaries of opposite sides are neighbors, so a linked list of neighbors is enough.
    Taking a pair makes its outer neighbors adjacent.
    """
    points = sorted([(p, True) for p in only_a] + [(p, False) for p in only_b])
    following = list(range(1, len(points) + 1))
    previous = list(range(-1, len(points) - 1))
    taken = [False] * len(points)
    near = [
        (right[0] - left[0], i, i + 1)
        for i, (left, right) in enumerate(pairwise(points))
        if left[1] != right[1] and right[0] - left[0] < n_t
    ]
    heapq.heapify(near)
    pairs = []
    while near:
        _, left, right = heapq.heappop(near)
        if taken[left] or taken[right]:
            continue
        taken[left] = taken[right] = True
        first, second = points[left], points[right]
        pairs.append((first[0], second[0]) if first[1] else (second[0], first[0]))
        before, after = previous[left], following[right]
        if before >= 0:
            following[before] = after
        if after < len(points):
            previous[after] = before
        if before >= 0 and after < len(points) and points[before][1] != points[after][1]:
            distance = points[after][0] - points[before][0]
            if distance < n_t:
                heapq.heappush(near, (distance, before, after))
    return sorted(pairs)


def optimal_transpositions(only_a: Sequence[int], only_b: Sequence[int], n_t: int) -> list[tuple[int, int]]:
    """Pair as many boundaries as possible within distance n_t - 1, at the least total distance.

    A boundary is scarce if an unpaired boundary of the other side could replace its partner, directly or by
    a chain of exchanges; the boundaries that could are its rivals. Every maximum pairing pairs all scarce
    boundaries with rivals, and the rest among themselves (Dulmage–Mendelsohn decomposition). Uncrossing
    pairs never adds distance, so only the choice of rivals is open. Ties go to the leftmost. Linear time.
    """
    reach = n_t - 1
    partner_of_a, partner_of_b = _partners(only_a, only_b, reach)
    is_scarce_a = _scarce(only_a, partner_of_a, only_b, partner_of_b, reach)
    is_scarce_b = _scarce(only_b, partner_of_b, only_a, partner_of_a, reach)
    scarce_a = [p for p, is_scarce in zip(only_a, is_scarce_a, strict=True) if is_scarce]
    scarce_b = [p for p, is_scarce in zip(only_b, is_scarce_b, strict=True) if is_scarce]
    rivals_a = [p for p, j in zip(only_a, partner_of_a, strict=True) if j < 0 or is_scarce_b[j]]
    rivals_b = [p for p, i in zip(only_b, partner_of_b, strict=True) if i < 0 or is_scarce_a[i]]
    pairs = list(zip(nearest_partners(scarce_b, rivals_a, reach), scarce_b, strict=True))
    pairs += zip(scarce_a, nearest_partners(scarce_a, rivals_b, reach), strict=True)
    pairs += [
        (only_a[i], only_b[j])
        for i, j in enumerate(partner_of_a)
        if j >= 0 and not is_scarce_a[i] and not is_scarce_b[j]
    ]
    return sorted(pairs)


def _partners(a: Sequence[int], b: Sequence[int], reach: int) -> tuple[list[int], list[int]]:
    """Pair as many as possible from left to right; return the partner's index, or -1, for a and for b."""
    partner_of_a, partner_of_b = [-1] * len(a), [-1] * len(b)
    i = j = 0
    while i < len(a) and j < len(b):
        gap = b[j] - a[i]
        if gap > reach:
            i += 1
        elif gap < -reach:
            j += 1
        else:
            partner_of_a[i], partner_of_b[j] = j, i
            i += 1
            j += 1
    return partner_of_a, partner_of_b


def _scarce(
    few: Sequence[int],
    partner_of_few: Sequence[int],
    many: Sequence[int],
    partner_of_many: Sequence[int],
    reach: int,
) -> list[bool]:
    """Return whether each of ``few`` is scarce: an unpaired one of ``many`` can replace its partner.

    An unpaired boundary reaches an interval of ``few``. The partners in it reach further to both sides, and
    so on. Partners are in the order of ``few``, so each end of the interval grows independently.
    """
    left_over = [p for p, j in zip(many, partner_of_many, strict=True) if j < 0]
    partners = [many[i] if i >= 0 else p for p, i in zip(few, partner_of_few, strict=True)]
    to_the_right = _reached(few, partners, left_over, reach)
    to_the_left = _reached(_mirrored(few), _mirrored(partners), _mirrored(left_over), reach)
    return [right or left for right, left in zip(to_the_right, reversed(to_the_left), strict=True)]


def _reached(few: Sequence[int], partners: Sequence[int], left_over: Sequence[int], reach: int) -> list[bool]:
    reached = []
    bound = -1 - reach if not few else few[0] - 1
    nearby = 0
    for p, partner in zip(few, partners, strict=True):
        while nearby < len(left_over) and left_over[nearby] - reach <= p:
            bound = max(bound, left_over[nearby] + reach)
            nearby += 1
        reached.append(p <= bound)
        if p <= bound:
            bound = max(bound, partner + reach)
    return reached


def _mirrored(positions: Sequence[int]) -> list[int]:
    return [-p for p in reversed(positions)]


def nearest_partners(few: Sequence[int], many: Sequence[int], reach: int) -> list[int]:
    """Return an ascending partner in ``many`` within ``reach`` for each of ``few``, at the least distance.

    A choice must exist; ties go to the leftmost.

    Scan from left to right. If y of ``many`` are chosen where b of ``few`` were passed, the total distance
    is |y - b| summed over the line, and the least cost so far is convex in y. The table ``rise`` holds the
    growth of its slope right of the minimum, at index y minus the number of ``many`` so far: choosing or not
    choosing one of ``many`` shifts that part by one, so entries keep their index. y - b changes by one at a
    time, so the walk to the minimum is linear.

    >>> nearest_partners([10, 20], [9, 12, 17, 30], 100)
    [9, 17]
    """
    zero = len(many)  # index of 0 in rise
    rise = [0] * (len(many) + len(few) + 1)
    least = ceiling = zero  # the rightmost minimum; the most that can have been chosen
    passed = behind = ahead = 0  # of few: before this position, too far before it, within reach after it
    here = min([*few[:1], *many[:1]], default=0)
    least_before = []  # the rightmost minimum before each of many
    for so_far, p in enumerate(many):
        while here < p:
            end = min(p, few[passed]) if passed < len(few) else p
            length, bend = end - here, zero + passed - so_far
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
            if passed < len(few) and here == few[passed]:
                passed += 1
        while behind < len(few) and few[behind] < p - reach:
            behind += 1
        floor = min(ceiling, zero + behind - so_far)  # the fewest that can have been chosen
        while least < floor:
            rise[least + 1] += rise[least]
            rise[least] = 0
            least += 1
        while least < ceiling and rise[least] == 0:
            least += 1
        least_before.append(least - zero + so_far)
        while ahead < len(few) and few[ahead] <= p + reach:
            ahead += 1
        ceiling = min(ceiling, zero + ahead - so_far - 1)
        least = min(least, ceiling)
    chosen = []
    n_chosen = len(few)
    for p, rising in zip(reversed(many), reversed(least_before), strict=True):
        if n_chosen > rising:
            chosen.append(p)
            n_chosen -= 1
    return chosen[::-1]


# -------------------------------------------------------------------- several types


def greedy_edits(a: Iterable[Boundary], b: Iterable[Boundary], n_t: int, cost: Cost | None) -> TypedEdits:
    """Return the published edits: transpositions by distance, position and type, then substitutions.

    ``cost`` decides which types pair up at one position; None: their difference.
    """
    in_a, in_b = set(a), set(b)
    open_a, open_b = in_a - in_b, in_b - in_a
    transposed = _greedy_transpositions(open_a, open_b, n_t)
    types_a = _grouped(open_a.difference((i, kind) for i, _, kind in transposed), 0)
    types_b = _grouped(open_b.difference((j, kind) for _, j, kind in transposed), 0)
    substitutions = [
        (position, x, y)
        for position in types_a.keys() & types_b.keys()
        for x, y in pair_types(types_a[position], types_b[position], cost)
    ]
    return _all_edits(in_a, in_b, substitutions, transposed)


def _all_edits(a: set[Boundary], b: set[Boundary], exchanged: list[Moved], moved: list[Moved]) -> TypedEdits:
    """Return substitutions and transpositions with the matches and the boundaries on one side only."""
    used_a = {*((position, x) for position, x, _ in exchanged), *((i, kind) for i, _, kind in moved)}
    used_b = {*((position, y) for position, _, y in exchanged), *((j, kind) for _, j, kind in moved)}
    only_a, only_b = a - b - used_a, b - a - used_b
    return TypedEdits(sorted(a & b), sorted(only_a), sorted(only_b), sorted(exchanged), sorted(moved))


def _greedy_transpositions(open_a: set[Boundary], open_b: set[Boundary], n_t: int) -> list[Moved]:
    """Take transpositions in the order (distance, left position, type), unless they displace substitutions.

    A transposition displaces two substitutions if both its positions are two-sided: they have unedited
    boundaries in a and in b. So at least one end of an allowed transposition is not two-sided, or no longer:
    the seeker. A seeker waits, in each direction, at the first free boundary of its type on the other side.
    Only the nearest seeker at a target is a candidate; when the target is taken, all go on to the next one.
    Forbidden candidates are never visited, so time is near-linear in the boundaries for any n_t.

    With fewer than two two-sided positions nothing is displaced, and each type is paired by itself.
    """
    if len({position for position, _ in open_a} & {position for position, _ in open_b}) < 2:
        in_a, in_b = _grouped(open_a, 1), _grouped(open_b, 1)
        kinds = in_a.keys() & in_b.keys()
        return [(i, j, kind) for kind in kinds for i, j in transpositions(in_a[kind], in_b[kind], n_t)]
    lanes = _Lanes(open_a, open_b, n_t)
    pairs = []
    while lanes.candidates:
        *now, seeker, target = heapq.heappop(lanes.candidates)
        step = 1 if seeker < target else -1
        if lanes.nearest_waiting(target, step) != seeker:
            continue  # it went on, or a nearer one came
        if not lanes.is_taken[seeker] and not lanes.is_taken[target]:
            pairs.append(lanes.take(seeker, target, now))
        if lanes.is_taken[target]:
            lanes.go_on(target, step)
        else:
            lanes.announce(target, step)
    return pairs


class _Lanes:
    """The unmatched boundaries by type and position, and the seekers that wait for each.

    Boundaries are known by index; 0 and the last index are sentinels. A step of 1 goes right, -1 left.
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
        # All seekers look right; to the left they only look for types that have a two-sided position.
        self._sought = {kind for kind, position, _ in placed if self._is_two_sided(position)}
        for position in self._at:
            if not self._is_two_sided(position):
                self._start_seekers(position, [0, 0, 0])

    def _is_two_sided(self, position: int) -> bool:
        return bool(self._n_open[True][position] and self._n_open[False][position])

    def _start_seekers(self, position: int, now: list[int]) -> None:
        """Start the free boundaries at a position as seekers, for candidates after ``now``."""
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
        """Return the first free boundary of a side from this index."""
        links = self._next_free[side, step]
        while links[index] != index:
            links[index] = links[links[index]]
            index = links[index]
        return index

    def _wait(self, target: int, step: int, queue: list[int]) -> None:
        """Add seekers to the queue of a target of their type within reach."""
        kind, position, _ = self.boundaries[target]
        nearest_kind, nearest, _ = self.boundaries[abs(queue[0])]
        if target in (0, self._end) or kind != nearest_kind or abs(position - nearest) >= self.n_t:
            return
        waiting = self._waiting.get((target, step))
        if waiting is not None:
            small, queue = sorted((queue, waiting), key=len)
            for entry in small:
                heapq.heappush(queue, entry)
        self._waiting[target, step] = queue
        self.announce(target, step)

    def nearest_waiting(self, target: int, step: int) -> int:
        """Return the nearest seeker that waits for a target, or 0."""
        queue = self._waiting.get((target, step))
        return abs(queue[0]) if queue else 0

    def announce(self, target: int, step: int) -> None:
        """Make the nearest free seeker at a target a candidate."""
        queue = self._waiting[target, step]
        while queue and self.is_taken[abs(queue[0])]:
            heapq.heappop(queue)
        if not queue:
            return
        seeker = abs(queue[0])
        kind, position, _ = self.boundaries[seeker]
        opposite = self.boundaries[target][1]
        if abs(position - opposite) < self.n_t:
            candidate = (abs(position - opposite), min(position, opposite), kind, seeker, target)
            heapq.heappush(self.candidates, candidate)

    def go_on(self, target: int, step: int) -> None:
        """Move the seekers of a taken target to the next one."""
        queue = self._waiting.pop((target, step))
        self._wait(self._free(self.boundaries[target][2], step, target), step, queue)

    def take(self, seeker: int, target: int, now: list[int]) -> Moved:
        """Pair two boundaries; return their positions in a and in b, and their type."""
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


def _grouped(boundaries: Iterable[Boundary], by: int) -> dict[int, list[int]]:
    """Return the types at each position (by 0), or the positions of each type (by 1), ascending."""
    groups: dict[int, list[int]] = defaultdict(list)
    for boundary in sorted(boundaries):
        groups[boundary[by]].append(boundary[1 - by])
    return groups


def pair_types(types_a: Sequence[int], types_b: Sequence[int], cost: Cost | None) -> list[tuple[int, int]]:
    """Pair ascending types at one position at the least total cost; every type of the shorter list pairs.

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
    *,
    nearest_is_cheapest: bool = True,
) -> TypedEdits:
    """Return a minimal set of edits of least total weight, with as few substitutions as possible.

    Transpositions and substitutions are edges of a bipartite graph between the unmatched boundaries of a and
    b; a maximum matching replaces the most pairs of additions by one edit. Weights are whole numbers, so
    ties are exact. Components of the graph are matched one by one; a component of one type is matched by
    distance if ``nearest_is_cheapest``, that is, if less total distance never weighs more.
    """
    in_a, in_b = set(a), set(b)
    substitutions: list[Moved] = []
    transpositions: list[Moved] = []
    for part_a, part_b in _components(in_a - in_b, in_b - in_a, n_t):
        kinds = {kind for _, kind in (*part_a, *part_b)}
        if len(kinds) == 1 and nearest_is_cheapest:
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
    return _all_edits(in_a, in_b, substitutions, transpositions)


def _components(
    open_a: set[Boundary], open_b: set[Boundary], n_t: int
) -> list[tuple[list[Boundary], list[Boundary]]]:
    """Return the connected components of the unmatched boundaries; drop one-sided ones."""
    nodes = [(boundary, True) for boundary in open_a] + [(boundary, False) for boundary in open_b]
    parent = {node: node for node in nodes}

    def root(node: tuple[Boundary, bool]) -> tuple[Boundary, bool]:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    lanes = sorted(nodes, key=lambda node: (node[0][1], node[0][0]))
    for left, right in pairwise(lanes):  # neighbors of one type within reach
        if left[0][1] == right[0][1] and right[0][0] - left[0][0] < n_t:
            parent[root(left)] = root(right)
    sites = sorted(nodes, key=lambda node: node[0][0])
    for left, right in pairwise(sites):  # at one position
        if left[0][0] == right[0][0]:
            parent[root(left)] = root(right)
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
    """Return the possible partners in ``right`` of each boundary in ``left``, each with its cost.

    Costs order by weight, then by the number of substitutions.
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
        partners = [(j, substitution_weight(kind, right[j][1]) * finer + 1) for j in sites[position]]
        lane = lanes.get(kind, [])
        reach = range(
            bisect_right(lane, (position - n_t, len(right))), bisect_left(lane, (position + n_t, -1))
        )
        n_edges += len(partners) + len(reach)
        if n_edges * finer > MAX_PAIRINGS:
            types = " of several types" if len({kind for _, kind in left}) > 1 else ""
            numbers = f"{len(left)} with {len(right)} boundaries{types} at n_t={n_t}"
            fix = "use a smaller n_t or method='greedy'"
            raise ParameterError(f"an optimal alignment of {numbers} takes too long; {fix}")
        for index in reach:
            opposite, j = lane[index]
            partners.append((j, transposition_weight(abs(position - opposite)) * finer))
        edges.append(partners)
    return edges


def _least_maximum_matching(
    n_left: int, n_right: int, edges: Sequence[Sequence[tuple[int, int]]]
) -> list[tuple[int, int]]:
    """Return a maximum matching of least cost, by shortest augmenting paths with whole-number costs.

    Each round matches one more node in the cheapest way, so the matching is always the cheapest of its size.
    Potentials keep all costs nonnegative, as Dijkstra's algorithm requires.
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
                    if right_partner[j] >= 0:  # the path may continue over its partner
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

"""Which boundaries of one type pair up: the nearest first, or as many as possible at the least distance.

Positions ascend, and no position is on both sides. Papers: F13t is Fournier (2013), the thesis.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise


def transpositions(only_a: Sequence[int], only_b: Sequence[int], n_t: int) -> list[tuple[int, int]]:
    """Pair nearest boundaries first, leftmost first among equals (F13t, Algorithm 4.3).

    The closest two boundaries of opposite sides have none between them, so it is enough to look at
    neighbours in a linked list; a pair that is taken makes its outer neighbours adjacent.
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
    """Pair as many boundaries as possible within distance n_t - 1, with the least total distance.

    Some boundaries are scarce: one that is left over on the other side could take their partner's place,
    directly or by a chain of exchanges. Every largest pairing uses all scarce boundaries of a side, only
    with their rivals (those who could take a place), and pairs the rest among themselves (the decomposition
    of Dulmage and Mendelsohn). Crossing pairs can be uncrossed without a longer distance, so all that is to
    be chosen is which of the rivals are used. Among equals it is the leftmost. Linear time.
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
    """Pair as many as possible, from left to right: the partner's index of each of a and of b, or -1."""
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
    """Say of each of ``few`` whether one of ``many`` that is left over can get its place by exchanges.

    One that is left over reaches an interval of few; the partners there, if they give way, reach further to
    both sides, and so on. Their order is that of few, so that both ends of the interval grow on their own.
    """
    left_over = [p for p, j in zip(many, partner_of_many, strict=True) if j < 0]
    partners = [many[i] if i >= 0 else p for p, i in zip(few, partner_of_few, strict=True)]
    to_the_right = _reached(few, partners, left_over, reach)
    to_the_left = _reached(_mirrored(few), _mirrored(partners), _mirrored(left_over), reach)
    return [one or other for one, other in zip(to_the_right, reversed(to_the_left), strict=True)]


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
    """Choose from ``many`` an ascending partner within ``reach`` for each of ``few``: least total distance.

    There must be such a choice; among equals it is the leftmost one.

    Going from left to right, let y of many be chosen where few has passed b: the total distance is |y - b|
    summed over the whole line, and the least cost so far is a convex function of y. All that is needed of
    it is where it starts to rise and how its slope grows from there: ``rise`` at y minus the number of many
    so far, because each of many may be chosen or not, which moves that part of the function by one. So no
    bend ever moves in the table, and as y - b changes by one at a time, the walk to the minimum is linear.

    >>> nearest_partners([10, 20], [9, 12, 17, 30], 100)
    [9, 17]
    """
    zero = len(many)  # index of 0 in rise
    rise = [0] * (len(many) + len(few) + 1)
    least = ceiling = zero  # the rightmost minimum; no more than this can have been chosen
    passed = behind = ahead = 0  # of few: before this place, out of reach before it, within reach after it
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
        floor = min(ceiling, zero + behind - so_far)  # no fewer than this can have been chosen
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

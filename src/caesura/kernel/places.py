"""Places that the marks of several coders support together: the best positions, by dynamic programming.

Places are at least n_t apart. A mark supports the nearest place (of two equally near, the left one) if that
is fewer than n_t away. It supports one place only: if it counted for all places within reach, three coders
who mark 6 would give the places 5 and 7 (n_t = 2). The support of a place is its number of coders.

The marks of a place depend on the place itself and on its neighbors nearer than 2 n_t − 1, so the program
runs over (place, distance to the place before). A position that no mark reaches is never chosen. Marks at
least 3 n_t − 2 apart are independent: the positions that they reach are at least n_t apart. So time and
memory grow with the boundaries, not with the units.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from caesura.arrays import IntArray, bincount, changes, repeat
from caesura.checks import MAX_NUMBER


class Marks(NamedTuple):
    """Boundaries of many coders, sorted by group (a document, or a type in it), position and coder."""

    group: IntArray
    position: IntArray
    coder: IntArray

    @classmethod
    def in_order(cls, group: IntArray, position: IntArray, coder: IntArray) -> tuple[Marks, IntArray]:
        """Return the sorted marks, one per coder and position, and their indices in the input."""
        order = np.lexsort((coder, position, group))
        group, position, coder = group[order], position[order], coder[order]
        is_new = changes(group, position, coder)
        return cls(group[is_new], position[is_new], coder[is_new]), order[is_new]

    def runs(self, gap: int) -> IntArray:
        """Return the starts of runs, whose marks are fewer than ``gap`` apart, and the end of the last."""
        is_first = changes(self.group)
        is_first[1:] |= np.diff(self.position) >= gap
        return np.append(np.flatnonzero(is_first), len(self.group))


class Places(NamedTuple):
    """Chosen positions, group after group."""

    group: IntArray
    position: IntArray


class Supporters(NamedTuple):
    """The coders that support each place: one entry per place and coder, with the coder's mark."""

    place: IntArray
    coder: IntArray
    mark: IntArray  # the index of the coder's nearest mark; of two equally near, the left one


def near_places(
    marks: Marks, n_coders: IntArray, n_units: IntArray, reach: int, share: Fraction, strict: bool
) -> Places:
    """Return the places at least ``reach`` apart that maximize Σ (support − share · coders).

    Ties are broken by the most places whose support is exactly the share (``strict``: the fewest), then by
    the least total distance from the supporting marks, then by the leftmost places. ``n_coders`` and
    ``n_units`` are per group.
    """
    starts = marks.runs(3 * reach - 2)
    first, last = starts[:-1], starts[1:] - 1
    size = np.diff(starts)
    group = marks.group[first]
    # One place takes all marks of different coders within its reach: a second place would cost the share
    # again and add no support. The median has the least total distance; of two, take the left one.
    is_simple = (marks.position[last] - marks.position[first] < reach) & (_n_different(marks, starts) == size)
    margin = size * share.denominator - n_coders[group] * share.numerator
    is_enough = margin > 0 if strict else margin >= 0
    simple = np.flatnonzero(is_simple & is_enough)
    middle = first[simple] + (size[simple] - 1) // 2
    groups, positions = [group[simple]], [marks.position[middle]]
    for run in np.flatnonzero(~is_simple).tolist():
        start, end, of = int(first[run]), int(last[run]) + 1, int(group[run])
        chosen = _best_of_run(
            marks.position[start:end].tolist(),
            marks.coder[start:end].tolist(),
            reach,
            int(n_units[of]) - 1,
            Price(share.denominator, share.numerator * int(n_coders[of]), -1 if strict else 1),
        )
        groups.append(np.full(len(chosen), of, dtype=np.int64))
        positions.append(np.array(chosen, dtype=np.int64))
    all_groups, all_positions = np.concatenate(groups), np.concatenate(positions)
    order = np.lexsort((all_positions, all_groups))
    return Places(all_groups[order], all_positions[order])


def supporters(marks: Marks, places: Places, reach: int) -> Supporters:
    """Return the coders that support each place, each with the nearest of its marks."""
    nothing = np.empty(0, dtype=np.int64)
    if not len(places.position) or not len(marks.position):
        return Supporters(nothing, nothing, nothing)
    after = _following(places, marks)
    before = after - 1
    to_before, to_after = (_distance(places, marks, side) for side in (before, after))
    place = np.where(to_before <= to_after, before, after)
    distance = np.minimum(to_before, to_after)
    near = np.flatnonzero(distance < reach)
    order = near[np.lexsort((marks.position[near], distance[near], marks.coder[near], place[near]))]
    mark = order[changes(place[order], marks.coder[order])]
    return Supporters(place[mark], marks.coder[mark], mark)


def _distance(places: Places, marks: Marks, which: IntArray) -> IntArray:
    """Return the distance of each mark from its place, or ``MAX_NUMBER`` without a place."""
    inside = np.clip(which, 0, len(places.group) - 1)
    is_there = (inside == which) & (places.group[inside] == marks.group)
    return np.where(is_there, np.abs(places.position[inside] - marks.position), MAX_NUMBER)


def _following(places: Places, marks: Marks) -> IntArray:
    """Return the first place at or after each mark, in the order of groups and positions."""
    n = len(places.group)
    positions, rank = np.unique(np.concatenate((places.position, marks.position)), return_inverse=True)
    keys = np.concatenate((places.group, marks.group)) * len(positions) + rank
    return np.searchsorted(keys[:n], keys[n:])


def _n_different(marks: Marks, starts: IntArray) -> IntArray:
    """Return the number of coders of each run."""
    run = repeat(np.arange(len(starts) - 1), np.diff(starts))
    width = int(marks.coder.max(initial=0)) + 1
    return bincount(np.unique(run * width + marks.coder) // width, minlength=len(starts) - 1)


class Price(NamedTuple):
    """The value of a set of places, in whole numbers."""

    support: int  # the value of one coder's support
    place: int  # the cost of a place: the share of the coders
    bonus: int  # the value of a place between equal sums


class Candidate(NamedTuple):
    """A position that may be chosen.

    Its marks depend on its reach to the left and to the right. They change only at the distances of its
    coders, so a reach is stored as the number of such distances.
    """

    near: list[tuple[int, int]]  # the distance of each near coder to the left and to the right
    lefts: list[int]
    rights: list[int]
    best: dict[int, tuple[int, int]]
    """By left reach: the value of this place with the best places after it, and the next place."""


def _best_of_run(
    positions: Sequence[int], coders: Sequence[int], reach: int, last: int, price: Price
) -> list[int]:
    """Return the best places for the marks of one run, computed from right to left so that ties go left.

    The value is one number that orders by the sum, then the number of places, then the total distance.
    """
    base = len(positions) * reach + 1
    wide = 2 * reach - 1  # places this far apart share no mark
    candidates = {
        place: Candidate(near, _distances(near, 0, reach), _distances(near, 1, reach), {})
        for place, near in _near_coders(positions, coders, reach, last)
    }
    ordered = sorted(candidates, reverse=True)
    following: list[tuple[int, int]] = []  # for the candidates so far: the best value and its first place
    n_far = 0  # the number of them at least ``wide`` away
    for place in ordered:
        own = candidates[place]
        while n_far < len(following) and ordered[n_far] >= place + wide:
            n_far += 1
        rest = {len(own.rights): following[n_far - 1] if n_far else (0, 0)}  # by right reach: the best rest
        lefts = {len(own.lefts)}
        for gap in range(wide - 1, reach - 1, -1):
            after = candidates.get(place + gap)
            if after is not None:
                value = after.best.get(bisect_right(after.lefts, (gap + 1) // 2 - 1))
                reached = bisect_right(own.rights, gap // 2)
                if value is not None and (reached not in rest or value[0] >= rest[reached][0]):
                    rest[reached] = value[0], place + gap
            if place - gap in candidates:
                lefts.add(bisect_right(own.lefts, (gap + 1) // 2 - 1))
        for left in lefts:
            values = [
                (worth + then, -next_place)
                for right, (then, next_place) in rest.items()
                if (worth := _worth(own, left, right, price, base)) is not None
            ]
            if values:
                best, towards_left = max(values)
                own.best[left] = best, -towards_left
        alone = own.best.get(len(own.lefts), (-1, 0))
        known = following[-1] if following else (0, 0)
        following.append((alone[0], place) if alone[0] >= known[0] else known)  # of equal ones the left one
    return list(_unrolled(candidates, following[-1][1]))


def _unrolled(candidates: dict[int, Candidate], place: int) -> Iterator[int]:
    """Yield the places from the first on; 0 ends them."""
    left = len(candidates[place].lefts) if place else 0
    while place:
        yield place
        after = candidates[place].best[left][1]
        if after:
            left = bisect_right(candidates[after].lefts, (after - place + 1) // 2 - 1)
        place = after


def _distances(near: list[tuple[int, int]], side: int, reach: int) -> list[int]:
    """Return the distinct distances of coders on one side, ascending."""
    return sorted({both[side] for both in near if both[side] < reach})


def _near_coders(
    positions: Sequence[int], coders: Sequence[int], reach: int, last: int
) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield each position that a mark reaches, with the left and right distance of each near coder."""
    start = end = done = 0
    for mark in positions:
        for place in range(max(1, mark - reach + 1, done + 1), min(last, mark + reach - 1) + 1):
            done = place
            while end < len(positions) and positions[end] < place + reach:
                end += 1
            while positions[start] <= place - reach:
                start += 1
            near: dict[int, tuple[int, int]] = {}
            for index in range(start, end):
                left, right = near.get(coders[index], (reach, reach))
                distance = positions[index] - place
                near[coders[index]] = (-distance, right) if distance <= 0 else (left, min(right, distance))
            yield place, list(near.values())


def _worth(own: Candidate, left: int, right: int, price: Price, base: int) -> int | None:
    """Return the value of a place with this left and right reach; None without support."""
    to_left = own.lefts[left - 1] if left else -1
    to_right = own.rights[right - 1] if right else -1
    supported = [
        min(before if before <= to_left else after, after if after <= to_right else before)
        for before, after in own.near
        if before <= to_left or after <= to_right
    ]
    if not supported:
        return None
    value = len(supported) * price.support - price.place
    return (value * base + price.bonus) * base - sum(supported)

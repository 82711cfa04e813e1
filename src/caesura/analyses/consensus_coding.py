"""consensus(): one segmentation per document, of what enough of its coders mark, exactly or nearby.

Places that near marks support together are the best set of positions, by a dynamic programme. Positions are
chosen at least n_t apart. A boundary supports the nearest of them (of two equally near, the left one) if it
is fewer than n_t away, and no other: were it counted for all within reach, three coders who all mark 6 would
give 5 and 7 (n_t = 2). The support of a place is the number of coders with such a boundary.

Which marks a place gets depends on it, on the place before and on the one after, and only if those are
nearer than 2 n_t − 1; so the programme runs over (place, distance to the place before). Places that no mark
can reach gain nothing, so a position within reach of no mark is never chosen; and marks that are 3 n_t − 2
apart or more do not know of each other: what either reaches is at least n_t apart, and further from the
other mark than n_t − 1. Time and memory thus grow with the boundaries, and not with the units.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np

from caesura.arrays import IntArray, changes
from caesura.checks import MAX_NUMBER, N_T
from caesura.errors import ParameterError
from caesura.metrics.registry import reach_of
from caesura.pairs import coded
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE
from caesura.values.strings import Strings

MAX_DENOMINATOR = 10**6
"""A float share is read as the nearest fraction with at most this denominator, so 1 / 3 is one third."""


def consensus(
    corpus: Corpus,
    share: float | Fraction | str = 0.5,
    *,
    n_t: int | str = 1,
    strict: bool = False,
    name: str = "consensus",
) -> Corpus:
    """Return the corpus with one coder, ``name``, who marks what at least a share of the coders mark.

    Each document's own coders count. With several types each (position, type) needs its share; in
    hierarchies a boundary gets the highest rank that a share of the coders give it or exceed. ``share``
    is from 0 (marked by anyone) to 1 (by all), a number or text such as "1/3" or "0.3"; it is compared as
    a fraction, so that with three coders 1 / 3 means one of them. ``strict`` asks for more than the share:
    0.5 for a strict majority. Kazantseva & Szpakowicz (2012), §6, use the union, 30 % and 50 %.

    ``n_t`` (on a grid in time perhaps a duration, "3s") lets near marks count together: the places chosen
    are at least n_t apart and have the greatest Σ (support − share · coders), where the support of a place
    is the number of coders with a boundary fewer than n_t away from it. A boundary supports the nearest
    place only. Of equal sums the one with the least total distance of places from the boundaries that
    support them counts, then the leftmost; a place with just the share is taken unless ``strict``, as with
    exact marks (n_t = 1, the default). Each type has its own places; in hierarchies places are found
    whatever the ranks, and then get the highest rank that a share of the coders give them or exceed.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 9], "cy": [5, 6], "di": [2, 9]}})
    >>> consensus(corpus)["d", "consensus"].masses
    (2, 3, 6)
    >>> consensus(corpus, strict=True)["d", "consensus"].masses
    (2, 9)
    >>> near = Corpus.from_dict({"d": {"ann": [5, 6], "bob": [6, 5], "cy": [7, 4]}})
    >>> consensus(near)["d", "consensus"].positions, consensus(near, n_t=2)["d", "consensus"].positions
    ((), (6,))
    """
    least = as_share(share)
    if strict and least == 1:
        raise ParameterError("share is 1 and strict: more than all coders cannot mark a position")
    corpus = coded(corpus)
    reach = reach_of(n_t, corpus.step)
    rule = f"marked by {'more than' if strict else 'at least'} {least} of a document's coders"
    rule = rule if least else "marked by any coder"
    document, position, types, _ = agreed_places(corpus, reach, least, strict)
    codings = Columns.of_marks(corpus.document_units, document, position, types)
    remark = rule if reach == 1 else f"{rule}, exactly or nearby (n_t={reach})"
    return of_one_coder(corpus, codings, str(name), consensus=remark)


def of_one_coder(corpus: Corpus, codings: Columns, name: str, **metadata: Any) -> Corpus:
    """Return the corpus with one coder, who has one of the codings for each document, and more metadata."""
    n = len(codings)
    return replace(
        corpus,
        codings=codings,
        document=np.arange(n),
        coder=np.zeros(n, dtype=np.int64),
        coder_names=Strings.of([name]),
        metadata={**corpus.metadata, **metadata},
    )


def union(corpus: Corpus, *, name: str = "union") -> Corpus:
    """Return the corpus with one coder who marks what any coder marks."""
    return consensus(corpus, 0, name=name)


def majority(corpus: Corpus, *, name: str = "majority") -> Corpus:
    """Return the corpus with one coder who marks what more than half of the coders mark."""
    return consensus(corpus, Fraction(1, 2), strict=True, name=name)


def left_out(
    corpus: Corpus,
    agreed: Corpus,
    share: float | Fraction | str = 0.5,
    *,
    n_t: int = N_T,
    strict: bool = False,
) -> int:
    """Return how many places near marks would fill that a consensus of exact marks, ``agreed``, leaves out.

    These are the places of the consensus with ``n_t`` that have no boundary of the exact one fewer than n_t
    away, of whatever type.

    >>> near = Corpus.from_dict({"d": {"ann": [5, 6], "bob": [6, 5], "cy": [7, 4]}})
    >>> left_out(near, consensus(near))
    1
    """
    corpus = corpus.coded
    nearby = consensus(corpus, share, n_t=n_t, strict=strict).codings.marked
    exact = agreed.codings.marked
    each = np.arange(len(nearby.positions))
    marks, chosen = Marks(nearby.coding, nearby.positions, each), Places(exact.coding, exact.positions)
    return len(nearby.positions) - len(supporters(marks, chosen, n_t).mark)


def _needed(n_coders: IntArray, share: Fraction, strict: bool) -> IntArray:
    """Return how many of its coders must mark a boundary of each document."""
    different, which = np.unique(n_coders, return_inverse=True)
    exact = [share * n for n in different.tolist()]
    least = [math.floor(n) + 1 if strict else max(1, math.ceil(n)) for n in exact]
    return np.array(least, dtype=np.int64)[which.reshape(-1)]


class Agreed(NamedTuple):
    """Boundaries that enough coders support, by document, position and type."""

    document: IntArray
    position: IntArray
    type: IntArray
    support: IntArray
    """Coders who mark it, exactly or nearby."""


def agreed_places(corpus: Corpus, reach: int, share: Fraction, strict: bool) -> Agreed:
    """Return what enough coders of each document mark, fewer than ``reach`` positions from each other.

    In hierarchies, what enough coders mark on a level, they mark on all below, so the consensus of the
    levels nests: the rank of a place is the one that the last of the coders needed gives it. A share of 0
    asks for more than that, one coder: otherwise places would be split to have more of them.
    """
    codings = corpus.codings
    kinds, which = np.unique(codings.all_types, return_inverse=True)
    if corpus.is_hierarchical or not len(kinds):
        kinds, which = np.array([PLAIN_TYPE]), np.zeros_like(which)
    document = corpus.document[codings.coding]
    group = document * len(kinds) + which.reshape(-1)
    marks, rows = Marks.in_order(group, codings.positions, corpus.coder[codings.coding])
    n_coders = np.repeat(corpus.n_coders, len(kinds))
    n_units = np.repeat(corpus.document_units, len(kinds))
    places = near_places(marks, n_coders, n_units, reach, share, strict or not share)
    supporting = supporters(marks, places, reach)
    document, types = places.group // len(kinds), kinds[places.group % len(kinds)]
    if corpus.is_hierarchical:
        types = _ranks(supporting, codings.all_types[rows], _needed(corpus.n_coders, share, strict)[document])
    support = np.bincount(supporting.place, minlength=len(document))
    order = np.lexsort((types, places.position, document))
    return Agreed(document[order], places.position[order], types[order], support[order])


def _ranks(supporting: Supporters, ranks: IntArray, needed: IntArray) -> IntArray:
    """Return the rank of each place that the last of the coders needed gives it; all have enough."""
    ranks = ranks[supporting.mark]
    order = np.lexsort((ranks, supporting.place))
    starts = np.searchsorted(supporting.place, np.arange(len(needed)))
    chosen: IntArray = ranks[order][starts + needed - 1]
    return chosen


def as_share(share: float | Fraction | str) -> Fraction:
    """Return a share as the fraction that is meant, from 0 to 1.

    >>> as_share(1 / 3), as_share("0.3"), as_share(1)
    (Fraction(1, 3), Fraction(3, 10), Fraction(1, 1))
    """
    fault = f"share is {share!r}: expected 0 (any coder) to 1 (all coders), such as 0.5 or '1/3'"
    if isinstance(share, bool) or not isinstance(share, (str, Rational, float)):
        raise ParameterError(fault)
    try:
        least = Fraction(share)
    except (ValueError, OverflowError, ZeroDivisionError):  # no number, infinite, divided by 0
        raise ParameterError(fault) from None
    if isinstance(share, float):
        least = least.limit_denominator(MAX_DENOMINATOR)
    if not 0 <= least <= 1:
        raise ParameterError(fault)
    return least


# -------------------------------------------------------------------- near marks


class Marks(NamedTuple):
    """Boundaries of many coders, by group (a document, or a type of one), then position, then coder."""

    group: IntArray
    position: IntArray
    coder: IntArray

    @classmethod
    def in_order(cls, group: IntArray, position: IntArray, coder: IntArray) -> tuple[Marks, IntArray]:
        """Return the marks in order, each coder's once at a position, and which ones they are."""
        order = np.lexsort((coder, position, group))
        group, position, coder = group[order], position[order], coder[order]
        is_new = changes(group, position, coder)
        return cls(group[is_new], position[is_new], coder[is_new]), order[is_new]

    def runs(self, gap: int) -> IntArray:
        """Return where runs start, of marks fewer than ``gap`` from the next, and where the last ends."""
        is_first = changes(self.group)
        is_first[1:] |= np.diff(self.position) >= gap
        return np.append(np.flatnonzero(is_first), len(self.group))


class Places(NamedTuple):
    """Chosen positions, group after group."""

    group: IntArray
    position: IntArray


class Supporters(NamedTuple):
    """Who supports which place: one entry per place and coder, with the mark that does so."""

    place: IntArray
    coder: IntArray
    mark: IntArray
    """The number of the coder's nearest mark; of two equally near, the left one."""


def near_places(
    marks: Marks, n_coders: IntArray, n_units: IntArray, reach: int, share: Fraction, strict: bool
) -> Places:
    """Return the places at least ``reach`` apart with the greatest Σ (support − share · coders).

    Of equal sums the one with the most places that have just the share (``strict``: none of these), then
    least total distance of the places from the marks that support them, then the leftmost. ``n_coders`` and
    ``n_units`` are by group.
    """
    starts = marks.runs(3 * reach - 2)
    first, last = starts[:-1], starts[1:] - 1
    size = np.diff(starts)
    group = marks.group[first]
    # Of marks by different coders within one place's reach, one place takes all: a second would cost the
    # share once more and add no support. The least total distance is that of the median, the leftmost lower.
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
    """Return which coders support which place, each by the nearest of the marks that belong to it."""
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
    """Return how far each mark is from its place; more than any distance where it has none."""
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
    run = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    width = int(marks.coder.max(initial=0)) + 1
    return np.bincount(np.unique(run * width + marks.coder) // width, minlength=len(starts) - 1)


class Price(NamedTuple):
    """What a set of places is worth, in whole numbers."""

    support: int
    """Of one coder's support."""
    place: int
    """What a place costs: the share of the coders."""
    bonus: int
    """What a place is worth beyond that, where sums are equal."""


class Candidate(NamedTuple):
    """A position that may be chosen.

    Which marks belong to it depends on how far it reaches to the left and to the right, and changes only at
    the distances of its coders: so radii are told apart no further than that.
    """

    near: list[tuple[int, int]]
    """How far each coder near it is to the left and to the right."""
    lefts: list[int]
    rights: list[int]
    best: dict[int, tuple[int, int]]
    """By left reach: the value of this place and the best ones after it, and the next of these."""


def _best_of_run(
    positions: Sequence[int], coders: Sequence[int], reach: int, last: int, price: Price
) -> list[int]:
    """Return the best places for the marks of one run; from right to left, so that ties go to the left.

    The value of places is one number in which the sum counts first, then the number of places, then the
    total distance.
    """
    base = len(positions) * reach + 1
    wide = 2 * reach - 1  # places this far apart share no mark
    candidates = {
        place: Candidate(near, _distances(near, 0, reach), _distances(near, 1, reach), {})
        for place, near in _near_coders(positions, coders, reach, last)
    }
    ordered = sorted(candidates, reverse=True)
    following: list[tuple[int, int]] = []  # of the candidates so far: the value of the best, and its first
    n_far = 0  # how many of them are ``wide`` or more away
    for place in ordered:
        own = candidates[place]
        while n_far < len(following) and ordered[n_far] >= place + wide:
            n_far += 1
        rest = {len(own.rights): following[n_far - 1] if n_far else (0, 0)}  # by right reach: what follows
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
        following.append((alone[0], place) if alone[0] >= known[0] else known)  # if equal, the left one
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
    """Return the different distances of coders on one side, ascending."""
    return sorted({both[side] for both in near if both[side] < reach})


def _near_coders(
    positions: Sequence[int], coders: Sequence[int], reach: int, last: int
) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield each position that a mark reaches, with how far each coder near it is to the left and right."""
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
    """Return what a place is worth that reaches so many of the distances on each side; None: no support."""
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

"""A place: marks so near to each other that they are one question; and what may be decided of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

from caesura.errors import CorpusError
from caesura.wording import listed, short

ACCEPT, NONE = "accept", "none"
"""Decisions in a word: what is proposed, and no boundary at all."""

Decision: TypeAlias = str | int | Iterable[int | tuple[int, int]]
"""``ACCEPT``, ``NONE``, a position, or positions; with several types pairs of position and type."""


class Boundary(NamedTuple):
    """A boundary that was marked, is proposed or was decided."""

    position: int
    type: int


@dataclass(frozen=True)
class Place:
    """Marked positions of a document, each fewer than n_t from the next: one question.

    No edit of boundary edit distance reaches from one place to another.
    """

    document: str
    positions: tuple[int, ...]
    """The positions that anyone marks, ascending."""
    votes: Mapping[str, tuple[Boundary, ...]]
    """What each coder of the document marks here; nothing: no boundary."""
    proposal: tuple[Boundary, ...]
    """The consensus of the votes, near marks counted together; nothing: no boundary."""
    support: tuple[int, ...]
    """How many coders mark each proposed boundary, exactly or nearby."""
    cost: float
    """What the place costs the observed agreement: the costs of all places add up to 1 − A_o."""

    @property
    def first(self) -> int:
        """The leftmost marked position."""
        return self.positions[0]

    @property
    def last(self) -> int:
        """The rightmost marked position."""
        return self.positions[-1]

    @property
    def key(self) -> tuple[str, int]:
        """What names the place: document and first position."""
        return self.document, self.first

    @property
    def coders(self) -> int:
        """How many coders have coded the document."""
        return len(self.votes)

    @property
    def supporters(self) -> int:
        """How many coders support the proposal: all of its boundaries, or that there is none."""
        return min(self.support, default=sum(not marks for marks in self.votes.values()))

    @property
    def is_unanimous(self) -> bool:
        """Whether all coders mark the same."""
        return len(set(self.votes.values())) == 1

    def usual_type(self, position: int) -> int:
        """Return the type most often given at a position, or in the whole place if nobody marks it there."""
        marks = [mark for one in self.votes.values() for mark in one]
        here = [mark.type for mark in marks if mark.position == position]
        counts = Counter(here or [mark.type for mark in marks])
        return min(counts, key=lambda kind: (-counts[kind], kind))

    def __str__(self) -> str:
        return f"document {self.document}: place {self.first}" + (
            f" to {self.last}" if self.last > self.first else ""
        )


class Scope(NamedTuple):
    """What boundaries may be decided for."""

    n_t: int
    n_units: int
    types: tuple[int, ...]
    is_hierarchical: bool


def decided(place: Place, decision: Decision, scope: Scope) -> tuple[Boundary, ...]:
    """Return the boundaries of a decision, in order; CorpusError where it is none for this place."""
    if isinstance(decision, str):
        if decision not in (ACCEPT, NONE):
            raise CorpusError(
                f"{place}: the decision is {short(decision)}: expected {ACCEPT!r}, {NONE!r} or positions"
            )
        return place.proposal if decision == ACCEPT else ()
    given = [decision] if isinstance(decision, Integral) else _items(place, decision)
    found = sorted({_boundary(place, one, scope) for one in given})
    for before, after in pairwise(found):
        if scope.is_hierarchical and before.position == after.position:
            raise CorpusError(f"{place}: position {before.position} has two levels: decide for one")
    return tuple(found)


def _items(place: Place, decision: Any) -> list[Any]:
    try:
        return list(decision)
    except TypeError:
        raise CorpusError(
            f"{place}: the decision is {short(decision)}: expected {ACCEPT!r}, {NONE!r} or positions"
        ) from None


def _boundary(place: Place, given: Any, scope: Scope) -> Boundary:
    pair = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if len(pair) not in (1, 2) or not all(
        isinstance(one, Integral) and not isinstance(one, bool) for one in pair
    ):
        raise CorpusError(f"{place}: {short(given)} is no position, and no pair of position and type")
    position = int(pair[0])
    first = max(1, place.first - scope.n_t + 1)
    last = min(scope.n_units - 1, place.last + scope.n_t - 1)
    if not first <= position <= last:
        raise CorpusError(f"{place}: position {position} is outside it: expected {first} to {last}")
    kind = int(pair[1]) if len(pair) == 2 else place.usual_type(position)
    if kind not in scope.types:
        raise CorpusError(f"{place}: there is no type {kind}; known: {listed(scope.types)}")
    return Boundary(position, kind)

"""Ranges of names: two sorted datasets divided alike, so that references and hypotheses are counted in parts.

Both sides say between which names each of their row groups is. A range is read from all row groups that may
hold its names, and its documents are whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from typing import Any

from caesura.scale.addresses import absolute
from caesura.scale.documents import DocumentRows
from caesura.scale.parts import Edges, edges_of, joined_edges
from caesura.scale.pieces import BadFileError, Piece, SortedRows
from caesura.scale.readers import READERS
from caesura.values.strings import ENCODING, ERRORS, Strings

RANGE_ROWS = 2**18
"""Rows of both sides that a range has at least."""

ONCE_FOR_TWICE = 4
"""Rows of a range, for one that is read again because it may belong to the range before."""


@dataclass(frozen=True)
class NameRange:
    """The documents of both sides whose names are from ``low`` on and less than ``high``, byte by byte."""

    low: bytes | None
    high: bytes | None
    """None where it has no end."""
    people: tuple[Piece, ...]
    machine: tuple[Piece, ...]
    """Where such names may be."""

    @property
    def place(self) -> tuple[Any, ...]:
        """What tells it from all other ranges."""
        sides = (tuple(absolute(piece.path) for piece in side) for side in (self.people, self.machine))
        return *sides, self.low, self.high

    @property
    def states(self) -> dict[str, str]:
        """The state of each file that is read for it."""
        return {piece.path: piece.state for piece in (*self.people, *self.machine)}

    def within(self, documents: Iterator[DocumentRows]) -> Iterator[DocumentRows]:
        """Yield the documents of one side that belong to the range; all must ascend."""
        edges: Edges | None = None
        for rows in documents:
            edges = joined_edges(edges, edges_of(rows))
            if edges is None or not edges.ascends:
                raise BadFileError(
                    f"{rows.where}: the file says that its documents are sorted, and they are not; caesura "
                    "convert sorts them"
                )
            start = 0 if self.low is None else _place(rows.names, self.low)
            stop = len(rows) if self.high is None else _place(rows.names, self.high)
            if start < stop:
                yield rows.part(start, stop)


def _place(names: Strings, name: bytes) -> int:
    """Return how many of these names, which ascend, are less."""
    return bisect_left(names, name, key=lambda one: one.encode(ENCODING, ERRORS))


def name_ranges(people: Sequence[Piece], machine: Sequence[Piece]) -> list[NameRange] | None:
    """Divide both sides; None where one of them does not say that it is sorted."""
    sides = _Side.of(people), _Side.of(machine)
    if sides[0] is None or sides[1] is None:
        return None
    bounds = [None, *_bounds(sides[0], sides[1]), None]
    return [
        NameRange(low, high, sides[0].pieces(low, high), sides[1].pieces(low, high))
        for low, high in pairwise(bounds)
    ]


def _bounds(people: _Side, machine: _Side) -> Iterator[bytes]:
    """Yield the names at which ranges begin: those of row groups of the references.

    A bound inside a row group of the other side has it read for both ranges, which must be worth it.
    """
    done = 0
    for name in people.firsts:
        begun = people.n_begun(name) + machine.n_begun(name)
        twice = begun - people.n_ended(name) - machine.n_ended(name)
        if begun - done >= max(RANGE_ROWS, ONCE_FOR_TWICE * twice):
            yield name
            done = begun


class _Side:
    """The row groups of one side, in the order of their names."""

    def __init__(self, groups: Sequence[SortedRows]) -> None:
        self._groups = groups
        self.firsts = [group.first for group in groups]
        self._lasts = [group.last for group in groups]
        self._rows = [0, *accumulate(group.piece.n_rows or 0 for group in groups)]

    @classmethod
    def of(cls, pieces: Sequence[Piece]) -> _Side | None:
        """Look at what the files say; None where they say nothing, or one does not follow the other."""
        groups: list[SortedRows] = []
        for _, some in groupby(pieces, key=lambda piece: piece.path):
            every = [*some]
            found = READERS[every[0].reader].sorted_rows(replace(every[0], stop=every[-1].stop))
            if found is None:
                return None
            groups += found
        follow = all(one.last <= other.first for one, other in pairwise(groups))
        return cls(groups) if follow and all(one.first <= one.last for one in groups) else None

    def n_begun(self, name: bytes) -> int:
        """How many rows are in row groups that begin with less than a name."""
        return self._rows[bisect_left(self.firsts, name)]

    def n_ended(self, name: bytes) -> int:
        """How many rows are in row groups that end with less than a name."""
        return self._rows[bisect_left(self._lasts, name)]

    def pieces(self, low: bytes | None, high: bytes | None) -> tuple[Piece, ...]:
        """Return the rows that may have names of a range, row groups that follow each other in one piece."""
        start = 0 if low is None else bisect_left(self._lasts, low)
        stop = len(self._groups) if high is None else bisect_left(self.firsts, high)
        found = []
        for _, some in groupby(self._groups[start:stop], key=lambda group: group.piece.path):
            every = [group.piece for group in some]
            n_rows = sum(piece.n_rows or 0 for piece in every)
            found.append(replace(every[0], stop=every[-1].stop, n_rows=n_rows))
        return tuple(found)

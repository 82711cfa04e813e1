"""The edits of boundary edit distance, and matches, each with where it stands."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias


class Match(NamedTuple):
    """A boundary of one type at one position in both."""

    position: int
    type: int


class Addition(NamedTuple):
    """A full miss: a boundary in one of the two only (an addition or deletion)."""

    position: int
    type: int
    side: Literal["reference", "hypothesis"]


class Substitution(NamedTuple):
    """Two types at one position."""

    position: int
    reference_type: int
    hypothesis_type: int


class Transposition(NamedTuple):
    """A near miss: one type at nearby positions."""

    reference_position: int
    hypothesis_position: int
    type: int

    @property
    def start(self) -> int:
        """The left position."""
        return min(self.reference_position, self.hypothesis_position)

    @property
    def end(self) -> int:
        """The right position."""
        return max(self.reference_position, self.hypothesis_position)

    @property
    def distance(self) -> int:
        """Potential boundaries between the two."""
        return self.end - self.start


Edit: TypeAlias = Addition | Substitution | Transposition

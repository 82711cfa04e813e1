"""Matches and the edits of boundary edit distance, with where they stand; and all of two segmentations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from caesura.alignment.weights import Method, Weights
from caesura.values.segmentation import Segmentation


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


@dataclass(frozen=True)
class AlignedPair:
    """Two segmentations, what matches between them, and the edits that turn one into the other."""

    reference: Segmentation
    hypothesis: Segmentation
    method: Method
    weights: Weights
    matches: tuple[Match, ...]
    additions: tuple[Addition, ...]
    substitutions: tuple[Substitution, ...]
    transpositions: tuple[Transposition, ...]

    @property
    def n_t(self) -> int:
        """Transpositions span less than this many positions."""
        return self.weights.n_t

    @property
    def missed(self) -> tuple[Addition, ...]:
        """Full misses that only the reference has (false negatives)."""
        return tuple(addition for addition in self.additions if addition.side == "reference")

    @property
    def spurious(self) -> tuple[Addition, ...]:
        """Full misses that only the hypothesis has (false positives)."""
        return tuple(addition for addition in self.additions if addition.side == "hypothesis")

    @property
    def distance(self) -> int:
        """Boundary edit distance: the number of edits."""
        return len(self.additions) + len(self.substitutions) + len(self.transpositions)

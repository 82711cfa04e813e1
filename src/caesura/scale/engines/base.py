"""What an engine has to offer: an ordered map over pieces, and a join of references with hypotheses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from caesura.scale.parts import Part
from caesura.scale.pieces import Piece
from caesura.scale.tasks import Task

T = TypeVar("T")
R = TypeVar("R")


class Engine(Protocol):
    """Runs pure functions, here or elsewhere; what it computes twice is yielded once."""

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield ``function(item)`` in the order of the items; only few are held at a time."""

    def join(self, task: Task, people: Sequence[Piece], machine: Sequence[Piece]) -> Iterator[Part]:
        """Bring the rows of each document together from pieces of both sides, and yield what is counted."""


EngineMaker = Callable[[Any], Engine | None]
"""Makes an engine of what was given as ``engine``; None where that is meant for another one."""

"""What an engine has to offer: an ordered map, and two ways of counting the documents of files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from caesura.scale.grouping import Job
from caesura.scale.parts import Part

T = TypeVar("T")
R = TypeVar("R")


class Engine(Protocol):
    """Runs pure functions, here or elsewhere; what it computes twice is yielded once."""

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield ``function(item)`` in the order of the items; only few are held at a time."""

    def as_they_lie(self, job: Job) -> Iterator[Part] | None:
        """Count documents in the order of the rows; None where that is not worth trying."""

    def together(self, job: Job, n_parts: int, numbers: Sequence[int]) -> Iterator[Part]:
        """Bring the rows of each document together, and yield what is counted of each of these parts."""


EngineMaker = Callable[[Any], Engine | None]
"""Makes an engine of what was given as ``engine``; None where that is meant for another one."""

"""The threads of this machine: kernels and readers release the lock, so that all cores work."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from caesura.scale.parts import Part
from caesura.scale.pieces import Piece
from caesura.scale.tasks import Task

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 2
"""Items that wait for each thread: memory holds no more of them."""


@dataclass(frozen=True)
class Threads:
    """So many threads, or as many as this process may use cores."""

    number: int | None = None

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield ``function(item)`` in the order of the items."""
        n_threads = self.number or _n_cores()
        if n_threads == 1:
            yield from map(function, items)
            return
        with ThreadPoolExecutor(n_threads, thread_name_prefix="caesura") as pool:
            waiting: deque[Future[R]] = deque()
            try:
                for item in items:
                    waiting.append(pool.submit(function, item))
                    if len(waiting) >= AHEAD * n_threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def join(self, task: Task, people: Sequence[Piece], machine: Sequence[Piece]) -> Iterator[Part]:
        """Merge both sides, whose documents must stand in the same order."""
        return self(task, task.side_by_side(people, machine))


def _n_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def from_given(engine: Any) -> Threads | None:
    """Return the threads for None, "threads" or a number of them."""
    if engine is None or (isinstance(engine, str) and engine == "threads"):
        return Threads()
    if isinstance(engine, int) and not isinstance(engine, bool) and engine > 0:
        return Threads(engine)
    return None

"""The threads of this machine: kernels and readers release the lock, so that all cores work."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 2
"""Items that wait for each thread: memory holds no more of them."""


def run(function: Callable[[T], R], items: Iterable[T], n_threads: int | None = None) -> Iterator[R]:
    """Yield ``function(item)`` in the order of the items."""
    n_threads = n_threads or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else n_threads
    n_threads = n_threads or os.cpu_count() or 1
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

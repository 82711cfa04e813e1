"""This machine: DuckDB reads, and threads count, since kernels and readers release the lock."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from caesura.scale.documents import whole_documents
from caesura.scale.engines.base import in_order
from caesura.scale.grouping import Job, count_file, divide, naming_spill
from caesura.scale.parts import Part

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 1
"""Items that wait for each thread: memory holds no more of them."""


@dataclass(frozen=True)
class Threads:
    """So many threads, or as many as this process may use cores."""

    number: int | None = None

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield ``function(item)`` in the order of the items."""
        if self._n_threads == 1:
            yield from map(function, items)
            return
        with ThreadPoolExecutor(self._n_threads, thread_name_prefix="caesura") as pool:
            submitted = (pool.submit(function, item) for item in items)
            with closing(in_order(submitted, AHEAD * self._n_threads)) as futures:
                for future in futures:
                    yield future.result()

    def as_they_lie(self, job: Job) -> Iterator[Part]:
        """Read and count documents in the order of the rows, whether or not they prove to be whole."""
        return self(job.task, whole_documents(job.rows(mapped=self), job.task.batch_rows))

    def together(self, job: Job, n_parts: int, numbers: Sequence[int]) -> Iterator[Part]:
        """Bring the rows of each document together in parts, and count these parts."""
        tables = (job.on_its_way(table) for table in job.rows(mapped=self))
        if n_parts == 1:
            yield job.count_together([*tables])
            return
        with naming_spill():
            folder = tempfile.TemporaryDirectory(prefix="caesura-", ignore_cleanup_errors=True)
        with folder as name:
            files = divide(tables, job.schema, Path(name), n_parts, {*numbers})
            yield from self(partial(_counted, job), [files.get(number) for number in numbers])

    @property
    def _n_threads(self) -> int:
        if self.number is not None:
            return self.number
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _counted(job: Job, file: Path | None) -> Part:
    return Part({}) if file is None else count_file(job, file)


def from_given(engine: object) -> Threads | None:
    """Return the threads for None, "threads" or a number of them."""
    if engine is None or (isinstance(engine, str) and engine == "threads"):
        return Threads()
    if isinstance(engine, int) and not isinstance(engine, bool) and engine > 0:
        return Threads(engine)
    return None

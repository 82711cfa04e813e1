"""This machine: pyarrow reads, and threads count, since kernels and readers release the lock."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from caesura.io.layout import with_columns
from caesura.scale.documents import whole_documents
from caesura.scale.engines.base import Engine, R, T, in_order
from caesura.scale.grouping import Job, naming_spill
from caesura.scale.parts import Part


@dataclass(frozen=True)
class Threads(Engine):
    """A number of threads; None: one for each core that this process may use."""

    number: int | None = None

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield ``function(item)`` in the order of the items; one item waits for each thread."""
        if self._n_threads == 1:
            yield from map(function, items)
            return
        with ThreadPoolExecutor(self._n_threads, thread_name_prefix="caesura") as pool:
            submitted = (pool.submit(function, item) for item in items)
            with closing(in_order(submitted, self._n_threads)) as futures:
                for future in futures:
                    yield future.result()

    def in_row_order(self, job: Job) -> Iterator[Part]:
        """Read and count documents in the order of the rows, even if no file claims that they are whole."""
        return self(job.task, whole_documents(job.rows(job.pieces, self), job.task.batch_rows))

    def together(self, job: Job, numbers: Sequence[int]) -> Iterator[Part]:
        """Bring the rows of each document together in parts, and count these parts."""
        tables = job.rows(job.pieces, self)
        if job.n_parts == 1:
            yield job.count_together([with_columns(table, job.schema) for table in tables])
            return
        with naming_spill():
            folder = tempfile.TemporaryDirectory(prefix="caesura-", ignore_cleanup_errors=True)
        with folder as name:
            files = job.divide(tables, Path(name), job.n_parts, {*numbers})
            yield from self(
                lambda number: job.count_file(files[number]) if number in files else Part({}), numbers
            )

    @property
    def _n_threads(self) -> int:
        usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
        return self.number or len(usable) or os.cpu_count() or 1

"""Dask: workers read and count the pieces themselves; the client keeps the order and adds up.

Everything that is submitted is pure, under a key that depends on what is asked and on the state of the file.
So a task that is computed twice, or again because its worker died, changes nothing.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from caesura.errors import CaesuraError, EngineError, missing_extra
from caesura.scale.documents import hashes_of
from caesura.scale.engines.outcomes import engine_error, outcome, outcomes, result_of
from caesura.scale.grouping import Grouping, SidePiece, both_sides, n_groups
from caesura.scale.parts import Part
from caesura.scale.pieces import Piece
from caesura.scale.tasks import Task
from caesura.values.arrow import load_pyarrow, strings_of
from caesura.version import __version__

T = TypeVar("T")
R = TypeVar("R")

SCHEME = "dask://"

AHEAD = 3
"""Tasks that each thread of a worker has or waits for."""

LEAST_AHEAD = 16
"""Tasks that are submitted at least: workers may still be on their way."""

SHARES = 8
"""Tasks for each thread of a worker, if items are many: each costs milliseconds to send and collect."""

MOST_ITEMS = 32
"""Items of a task at most: so much is computed again where a worker dies."""

RETRIES = 3
"""How often a task may raise what is no error of ours."""

SECONDS = 10
"""How long a scheduler may take to answer, and to have a worker."""

GROUP_ROWS = 1 << 17
"""Rows of documents that are brought together in a task."""

BUCKETS = 4
"""Buckets of documents in each of these groups: with several their sizes even out."""


@dataclass(frozen=True)
class DaskCluster:
    """A client of a cluster, or the address of its scheduler."""

    client: Any

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Submit few tasks of some items at a time, and yield results in the order of the items.

        Items and the function are small: a place in a file, and names of metrics and coders. As a result
        of its own the function would go to each worker once, but tasks would wait where it is.
        """
        from dask.base import tokenize

        with _opened(self.client) as client:
            token = tokenize(__version__, function)
            n_threads = sum(client.nthreads().values())
            most = max(LEAST_AHEAD, AHEAD * n_threads)
            waiting: deque[Any] = deque()
            try:
                for some in _shares([*items], n_threads):
                    key = f"caesura-{tokenize(token, some)}"
                    task = client.submit(outcomes, __version__, function, some, key=key, retries=RETRIES)
                    waiting.append(task)
                    if len(waiting) >= most:
                        yield from map(result_of, _result(waiting.popleft()))
                while waiting:
                    yield from map(result_of, _result(waiting.popleft()))
            finally:
                _cancel(client, waiting)

    def join(self, task: Task, people: Sequence[Piece], machine: Sequence[Piece]) -> Iterator[Part]:
        """Shuffle rows by document, in blocks, and yield what is counted of each group of documents."""
        pieces = both_sides(people, machine)
        if not pieces:
            return
        with _opened(self.client) as client:
            futures = deque(client.compute(_shuffled(task, pieces), retries=RETRIES))
            try:
                while futures:
                    frame = _result(futures.popleft())
                    yield result_of(pickle.loads(frame["block"].iloc[0]))
            finally:
                _cancel(client, futures)


def _shares(items: Sequence[T], n_threads: int) -> Iterator[Sequence[T]]:
    """Divide items among tasks."""
    size = min(MOST_ITEMS, max(1, len(items) // (SHARES * max(1, n_threads))))
    return (items[start : start + size] for start in range(0, len(items), size))


def from_given(engine: Any) -> DaskCluster | None:
    """Return the engine of a client, which needs no import to be known, or of a scheduler's address."""
    if isinstance(engine, str) and engine.startswith(SCHEME):
        return DaskCluster(f"tcp://{engine.removeprefix(SCHEME)}")
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(engine).__mro__}
    return DaskCluster(engine) if "distributed.Client" in kinds else None


@contextmanager
def _opened(client: Any) -> Iterator[Any]:
    """Yield the client that was given, or one that is closed afterwards."""
    if not isinstance(client, str):
        if client.asynchronous:
            raise EngineError("the Dask client is asynchronous: give one with asynchronous=False")
        yield client
        return
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise missing_extra("a Dask scheduler needs distributed", "dask") from None
    try:
        opened = Client(client, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EngineError(f"no Dask scheduler answers at {client}: {_first_line(error)}") from None
    with opened:
        try:
            opened.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError:
            raise EngineError(
                f"the Dask scheduler at {client} has no workers: start some with 'dask worker {client}'"
            ) from None
        yield opened


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _cancel(client: Any, futures: Iterable[Any]) -> None:
    left = [*futures]
    if left:
        client.cancel(left)


def _result(future: Any) -> Any:
    try:
        return future.result()
    except CaesuraError:
        raise
    except Exception as error:
        raise engine_error("Dask", error) from error


# -------------------------------------------------------------------- the shuffle


def _shuffled(task: Task, pieces: list[SidePiece]) -> list[Any]:
    """Return a delayed frame per group of documents, whose only block is what was counted.

    Dask moves frames with a row per bucket of documents; their rows are in its block, as an Arrow stream.
    """
    try:
        from dask import dataframe
    except ModuleNotFoundError:
        raise missing_extra("joining two scans on Dask needs dask.dataframe", "dask") from None
    meta = _frame([], [])
    groups = n_groups(pieces, GROUP_ROWS)
    read = dataframe.from_map(partial(_blocks, Grouping(task), groups * BUCKETS), pieces, meta=meta)
    shuffled = read.shuffle("bucket", npartitions=groups)
    counted = shuffled.map_partitions(_count_blocks, __version__, Grouping(task), meta=meta)
    delayed: list[Any] = counted.to_delayed()
    return delayed


def _frame(buckets: Sequence[int], blocks: Sequence[bytes]) -> Any:
    import pandas

    pyarrow = load_pyarrow()
    binary = pandas.ArrowDtype(pyarrow.large_binary())
    return pandas.DataFrame(
        {"bucket": pandas.Series(buckets, dtype="int64"), "block": pandas.Series(blocks, dtype=binary)}
    )


def _blocks(grouping: Grouping, n_buckets: int, item: SidePiece) -> Any:
    """Read a piece and divide its rows by the number of their document's name."""
    pyarrow = load_pyarrow()
    tables = [*grouping.read(item)]
    if not tables:
        return _frame([], [])
    table = pyarrow.concat_tables(tables).combine_chunks()
    bucket = hashes_of(strings_of(table["document"])) % np.uint64(n_buckets)
    order = np.argsort(bucket, kind="stable")
    table, bucket = table.take(pyarrow.array(order)), bucket[order]
    starts = np.flatnonzero(np.diff(bucket, prepend=bucket[:1] + np.uint64(1)))
    ends = np.append(starts[1:], len(bucket))
    blocks = [_packed(table.slice(start, end - start)) for start, end in zip(starts, ends, strict=True)]
    return _frame(bucket[starts].tolist(), blocks)


def _packed(table: Any) -> bytes:
    pyarrow = load_pyarrow()
    sink = pyarrow.BufferOutputStream()
    options = pyarrow.ipc.IpcWriteOptions(compression="lz4")
    with pyarrow.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _count_blocks(frame: Any, version: str, grouping: Grouping) -> Any:
    """Count the documents of a group."""
    found = outcome(version, partial(_count_sorted, grouping), frame["block"])
    return _frame([0], [pickle.dumps(found)])


def _count_sorted(grouping: Grouping, blocks: Iterable[bytes]) -> Part:
    pyarrow = load_pyarrow()
    tables = [pyarrow.ipc.open_stream(block).read_all() for block in blocks]
    if not tables:
        return grouping.task.nothing
    table = pyarrow.concat_tables(tables)
    return grouping.count([table.sort_by("document")])

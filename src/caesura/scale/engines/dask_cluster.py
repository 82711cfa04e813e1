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

from caesura.errors import CaesuraError, EngineError, missing_extra
from caesura.scale.engines.base import engine_error, outcome, outcomes, result_of
from caesura.scale.grouping import Job, Piece, blocks
from caesura.scale.parts import Part, stream_of
from caesura.values.arrow import load_pyarrow
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

    def as_they_lie(self, job: Job) -> Iterator[Part] | None:
        """Have workers count pieces of files that say that no document is divided among these."""
        return self(job.count_piece, job.pieces) if job.is_grouped else None

    def together(self, job: Job, n_parts: int, numbers: Sequence[int]) -> Iterator[Part]:
        """Shuffle rows by the parts of their documents, in blocks, and yield what is counted of each part."""
        with _opened(self.client) as client:
            futures = deque(client.compute(_shuffled(job, n_parts, {*numbers}), retries=RETRIES))
            try:
                counted: dict[int, Part] = {}
                for number in numbers:
                    while number not in counted and futures:
                        for block in _result(futures.popleft())["block"]:
                            counted.update(result_of(pickle.loads(block)))
                    yield counted.pop(number, Part({}))
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


def _shuffled(job: Job, n_parts: int, numbers: set[int]) -> list[Any]:
    """Return a delayed frame per group of parts, whose blocks are what was counted.

    Dask moves frames with a row per part; the rows of its documents are in its block, as an Arrow stream.
    """
    try:
        from dask import dataframe
    except ModuleNotFoundError:
        raise missing_extra("rows in any order on Dask need dask.dataframe", "dask") from None
    meta = _frame([], [])
    read = dataframe.from_map(partial(_blocks, job, n_parts, numbers), job.pieces, meta=meta)
    shuffled = read.shuffle("part", npartitions=n_parts)
    counted = shuffled.map_partitions(_count_blocks, __version__, job, meta=meta)
    delayed: list[Any] = counted.to_delayed()
    return delayed


def _frame(parts: Sequence[int], streams: Sequence[bytes]) -> Any:
    import pandas

    binary = pandas.ArrowDtype(load_pyarrow().large_binary())
    columns = {"part": pandas.Series(parts, dtype="int64"), "block": pandas.Series(streams, dtype=binary)}
    return pandas.DataFrame(columns)


def _blocks(job: Job, n_parts: int, numbers: set[int], piece: Piece) -> Any:
    """Read a piece and divide its rows by the part of their document; a failure goes to any of them."""
    pyarrow = load_pyarrow()

    def divided(rows: Iterable[Any]) -> list[tuple[int, bytes]]:
        tables = [job.on_its_way(table) for table in rows]
        some = blocks(pyarrow.concat_tables(tables).combine_chunks(), n_parts) if tables else ()
        return [(number, stream_of(table, "lz4")) for number, table in some if number in numbers]

    found = outcome(__version__, divided, job.rows([piece]))
    if not isinstance(found, list):
        found = [(min(numbers), pickle.dumps(found))]
    return _frame([number for number, _ in found], [block for _, block in found])


def _count_blocks(frame: Any, version: str, job: Job) -> Any:
    """Count the documents of some parts."""
    found = outcome(version, partial(_counted, job), frame)
    return _frame([0], [pickle.dumps(found)])


def _counted(job: Job, frame: Any) -> dict[int, Part]:
    pyarrow = load_pyarrow()
    counted: dict[int, Part] = {}
    for number in sorted(set(frame["part"])):
        tables = []
        for block in frame["block"][frame["part"] == number]:
            if block.startswith(b"\x80"):  # a pickle, and not a stream
                result_of(pickle.loads(block))
            tables.append(pyarrow.ipc.open_stream(block).read_all())
        counted[number] = job.count_together(tables)
    return counted

"""Dask: workers read and count the pieces themselves; the client keeps the order and adds up.

Everything that is submitted is pure, under a key that depends on what is asked and on the state of the file.
So a task that is computed twice, or again because its worker died, changes nothing.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from caesura.errors import CaesuraError, EngineError, missing_extra
from caesura.scale.engines import base
from caesura.scale.engines.base import in_order, outcome, result_of
from caesura.scale.grouping import Job, Piece
from caesura.scale.parts import Part
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__

T = TypeVar("T")
R = TypeVar("R")

SCHEME = "dask://"

AHEAD = 256
"""Tasks that are submitted ahead of the one whose result is next."""

RETRIES = 3
"""How often a task may raise an error that is not ours."""

SECONDS = 10
"""How long a scheduler may take to answer, and to have a worker."""


@dataclass(frozen=True)
class DaskCluster:
    """A client of a cluster, or the address of its scheduler."""

    client: Any

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Submit few tasks at a time, and yield results in the order of the items.

        Items and the function are small: a place in a file, and names of metrics and coders. As a result
        of its own the function would go to each worker once, but tasks would wait where it is.
        """
        from dask.base import tokenize

        with _opened(self.client) as client:
            token = tokenize(__version__, function)

            def submitted(item: T) -> Any:
                key = f"caesura-{tokenize(token, item)}"
                return client.submit(outcome, __version__, function, item, key=key, retries=RETRIES)

            with closing(in_order(map(submitted, items), AHEAD)) as futures:
                for future in futures:
                    yield result_of(_result(future))

    def as_they_lie(self, job: Job) -> Iterator[Part] | None:
        """Have workers count pieces of files that say that no document is divided among these."""
        return self(job.count_piece, job.pieces) if job.is_grouped else None

    def together(self, job: Job, n_parts: int, numbers: Sequence[int]) -> Iterator[Part]:
        """Shuffle rows by the parts of their documents, in blocks, and yield what is counted of each part."""
        try:
            from dask import dataframe
        except ModuleNotFoundError:
            raise missing_extra("rows in any order on Dask need dask.dataframe", "dask") from None
        read = partial(_frame_of_piece, __version__, job, n_parts, {*numbers})
        shuffled = dataframe.from_map(read, job.pieces, meta=_frame([])).shuffle("part", npartitions=n_parts)
        counted = shuffled.map_partitions(_frame_of_counts, __version__, job, meta=_frame([]))
        with _opened(self.client) as client:
            parts: dict[int, bytes] = {}
            computed = client.compute(counted.to_delayed(), retries=RETRIES)
            with closing(in_order(computed, n_parts)) as futures:
                for number in numbers:
                    while number not in parts and (future := next(futures, None)) is not None:
                        frame = _result(future)
                        parts.update(zip(frame["part"], frame["block"], strict=True))
                    yield result_of(pickle.loads(parts.pop(number))) if number in parts else Part({})


def from_given(engine: Any) -> DaskCluster | None:
    """Return the engine of a client, or of a scheduler's address."""
    if isinstance(engine, str) and engine.startswith(SCHEME):
        return DaskCluster(f"tcp://{engine.removeprefix(SCHEME)}")
    return DaskCluster(engine) if base.is_of(engine, "distributed.Client") else None


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
        first_line = (str(error).splitlines() or [type(error).__name__])[0]
        raise EngineError(f"no Dask scheduler answers at {client}: {first_line}") from None
    with opened:
        try:
            opened.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError:
            raise EngineError(
                f"the Dask scheduler at {client} has no workers: start some with 'dask worker {client}'"
            ) from None
        yield opened


def _result(future: Any) -> Any:
    try:
        return future.result()
    except CaesuraError:
        raise
    except Exception as error:
        raise base.engine_error("Dask", error) from error


# -------------------------------------------------------------------- frames with a row per part


def _frame(blocks: Sequence[tuple[int, bytes]]) -> Any:
    import pandas

    binary = pandas.ArrowDtype(load_pyarrow().large_binary())
    parts, streams = zip(*blocks, strict=True) if blocks else ((), ())
    columns = {"part": pandas.Series(parts, dtype="int64"), "block": pandas.Series(streams, dtype=binary)}
    return pandas.DataFrame(columns)


def _frame_of_piece(version: str, job: Job, n_parts: int, numbers: set[int], piece: Piece) -> Any:
    return _frame(base.read_blocks(version, job, n_parts, numbers, piece))


def _frame_of_counts(frame: Any, version: str, job: Job) -> Any:
    parts = frame.groupby("part")["block"]
    return _frame([(number, base.count_blocks(version, job, part)) for number, part in parts])

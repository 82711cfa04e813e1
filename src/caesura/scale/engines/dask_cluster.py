"""Dask: workers read and count the pieces; the client keeps the order and adds up.

Everything that is submitted is pure, so a task that runs twice, or again because its worker died, changes
nothing.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from caesura.errors import CaesuraError, EngineError, missing_extra
from caesura.scale.engines import base
from caesura.scale.engines.base import R, T
from caesura.scale.grouping import Job, Piece
from caesura.scale.parts import Part
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__

AHEAD = 256
"""Tasks that are submitted ahead of the next result."""

RETRIES = 3
"""How often a task may raise an error that is not caesura's."""

SECONDS = 10
"""How long a scheduler may take to answer, and to have a worker."""


@dataclass(frozen=True)
class DaskCluster(base.Engine):
    """A client of a cluster, or the address of its scheduler."""

    client: Any

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Submit few tasks at a time, and yield results in the order of the items."""
        with _opened(self.client) as client:
            work = partial(base.outcome, __version__, function)
            submitted = (client.submit(work, item, pure=False, retries=RETRIES) for item in items)
            with closing(_results(submitted, AHEAD)) as values:
                yield from map(base.result_of, values)

    def together(self, job: Job, numbers: Sequence[int]) -> Iterator[Part]:
        """Shuffle blocks of rows by the parts of their documents, and yield the count of each part."""
        try:
            from dask import dataframe
        except ModuleNotFoundError:
            raise missing_extra("rows in any order on Dask need dask.dataframe", "dask") from None

        def read(piece: Piece) -> Any:
            return _frame(base.read_blocks(__version__, job, {*numbers}, piece))

        def count(frame: Any) -> Any:
            parts = frame.groupby("part")["block"]
            return _frame([(number, base.count_blocks(__version__, job, blocks)) for number, blocks in parts])

        shuffled = dataframe.from_map(read, job.pieces, meta=_frame([])).shuffle(
            "part", npartitions=job.n_parts
        )
        counted = shuffled.map_partitions(count, meta=_frame([]))
        with _opened(self.client) as client:
            parts: dict[int, bytes] = {}
            futures = client.compute(counted.to_delayed(), retries=RETRIES)
            with closing(_results(futures, job.n_parts)) as frames:
                for number in numbers:
                    while number not in parts and (frame := next(frames, None)) is not None:
                        parts.update(zip(frame["part"], frame["block"], strict=True))
                    yield base.result_of(pickle.loads(parts.pop(number))) if number in parts else Part({})


@contextmanager
def _opened(client: Any) -> Iterator[Any]:
    """Yield the given client, or one that is closed afterwards."""
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
            start = f"start some with 'dask worker {client}'"
            raise EngineError(f"the Dask scheduler at {client} has no workers: {start}") from None
        yield opened


def _results(futures: Iterable[Any], n_ahead: int) -> Generator[Any, None, None]:
    """Yield the results of futures, in order."""
    with closing(base.in_order(futures, n_ahead)) as ordered:
        for future in ordered:
            try:
                result = future.result()
            except CaesuraError:
                raise
            except Exception as error:
                raise base.engine_error("Dask", error) from error
            yield result


def _frame(blocks: Sequence[tuple[int, bytes]]) -> Any:
    """Return a data frame with a row per block."""
    import pandas

    binary = pandas.ArrowDtype(load_pyarrow().large_binary())
    parts, streams = zip(*blocks, strict=True) if blocks else ((), ())
    columns = {"part": pandas.Series(parts, dtype="int64"), "block": pandas.Series(streams, dtype=binary)}
    return pandas.DataFrame(columns)

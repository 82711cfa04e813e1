"""What an engine offers, and how results and errors come back from its workers.

Errors of caesura come back as values: raised on a worker, they would be tried again, logged with a traceback
and wrapped. The engine retries any other error. Engines shuffle blocks: the rows of a part in a piece, as an
Arrow stream, beside the number of the part.

Workers read with our readers, because those of the engines repair values in silence. Spark reads the JSON
name 7 as "7", takes the last of two equal keys and replaces bytes that are not UTF-8; Dask reads "5" as 5 and
an unsigned 5 as 5.0, and drops columns that the first file lacks. Spark also refuses times in nanoseconds,
files that differ in the type of integers, and file names with brackets; Dask cannot shuffle lists. Measured
with Spark 4.3: reading a million grouped documents takes twice as long as our reading and counting them.
"""

from __future__ import annotations

import pickle
import tempfile
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from caesura.errors import CaesuraError, EngineError
from caesura.scale.grouping import Job, Piece
from caesura.scale.parts import Part, stream_of
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__
from caesura.wording import shortened

T = TypeVar("T")
R = TypeVar("R")

LONGEST = 300
"""Most characters of an engine's message."""


class Engine:
    """Runs pure functions, here or elsewhere; each result is yielded once."""

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield ``function(item)`` in the order of the items, of which few are held at a time."""
        raise NotImplementedError

    def in_row_order(self, job: Job) -> Iterator[Part] | None:
        """Count documents in the order of the rows; None if no file claims that they are together."""
        return self(job.count_piece, job.pieces) if job.is_grouped else None

    def together(self, job: Job, numbers: Sequence[int]) -> Iterator[Part]:
        """Bring the rows of each document together, and yield the count of each of these parts."""
        raise NotImplementedError


def in_order(submitted: Iterable[Any], n_ahead: int) -> Generator[Any, None, None]:
    """Yield futures in the order of submission, few ahead; the rest are canceled."""
    waiting: deque[Any] = deque()
    try:
        for future in submitted:
            waiting.append(future)
            if len(waiting) > n_ahead:
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()
    finally:
        for future in waiting:
            future.cancel()


# -------------------------------------------------------------------- outcomes


def outcome(version: str, function: Callable[[Any], Any], item: Any) -> Any:
    """Return ``function(item)``, or its error; the worker must have the same caesura."""
    if version != __version__:
        return EngineError(f"a worker has caesura {__version__}, not {version}; install the same version")
    try:
        return function(item)
    except (CaesuraError, OSError) as error:
        return error


def result_of(value: Any) -> Any:
    """Return the result, or raise the error."""
    if isinstance(value, Exception):
        raise value
    return value


def engine_error(engine: str, error: BaseException) -> EngineError:
    """Return an engine's error in one line; of a traceback, the end.

    >>> engine_error("Dask", ValueError("too large\\nby far"))
    EngineError('Dask could not finish: ValueError: too large')
    >>> engine_error("Spark", ValueError("on a worker:\\nTraceback ...:\\n  line 3\\nKeyError: 5\\n at x"))
    EngineError('Spark could not finish: ValueError: KeyError: 5')
    """
    if "No module named 'caesura" in str(error):
        return EngineError(f"{engine} could not finish: a worker has no caesura: install it on all workers")
    message = str(error).rpartition("Traceback")[2] if "Traceback" in str(error) else f"\n{error}"
    lines = [line for line in message.splitlines()[1:] if line.strip() and not line.startswith(" ")]
    message = ": ".join([type(error).__name__, *lines[:1]])
    return EngineError(f"{engine} could not finish: {shortened(message, LONGEST)}")


# -------------------------------------------------------------------- the shuffle


def read_blocks(version: str, job: Job, numbers: Collection[int], piece: Piece) -> list[tuple[int, bytes]]:
    """Read a piece and divide its rows among these parts; an error goes to any of the parts."""

    def divided(rows: Iterable[Any]) -> list[tuple[int, bytes]]:
        tables = [*rows]
        whole = [load_pyarrow().concat_tables(tables, promote_options="default")] if tables else []
        return [(part, stream_of(table, "lz4")) for part, table in job.blocks(whole, job.n_parts, numbers)]

    blocks = outcome(version, divided, job.rows([piece]))
    return blocks if isinstance(blocks, list) else [(min(numbers), pickle.dumps(blocks))]


def count_blocks(version: str, job: Job, blocks: Iterable[bytes]) -> bytes:
    """Count the blocks of a part, and return the pickled outcome."""

    def counted(blocks: Iterable[bytes]) -> Part:
        with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
            return job.count_part(map(_table_of, blocks), Path(folder))

    return pickle.dumps(outcome(version, counted, blocks))


def _table_of(block: bytes) -> Any:
    if block.startswith(b"\x80"):  # a pickle; Arrow streams begin otherwise
        result_of(pickle.loads(block))
    return load_pyarrow().ipc.open_stream(block).read_all()

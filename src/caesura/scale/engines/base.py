"""What an engine offers, and what comes back from its workers: a result, or an error of ours as a value.

Raised on a worker, an error would be tried again, logged with its traceback and wrapped by the engine; as a
value it arrives as it is. What is raised all the same is the engine's to try again.

Engines shuffle blocks: the rows of a part that one piece has, as an Arrow stream, beside the number of the
part.
"""

from __future__ import annotations

import pickle
import tempfile
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from caesura.errors import CaesuraError, EngineError
from caesura.scale.grouping import Job, Piece, blocks, count_part
from caesura.scale.parts import Part, stream_of
from caesura.values.arrow import load_pyarrow
from caesura.version import __version__
from caesura.wording import shortened

T = TypeVar("T")
R = TypeVar("R")
F = TypeVar("F", bound=Any)

LONGEST = 300
"""Characters of what an engine says."""

PICKLED = b"\x80"
"""How the pickle of a failure begins, and no Arrow stream."""


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


def is_of(given: object, name: str) -> bool:
    """Whether an object is of a class of a library, which needs no import to be known."""
    return name in {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(given).__mro__}


def in_order(submitted: Iterable[F], n_ahead: int) -> Generator[F, None, None]:
    """Yield futures in the order in which they are submitted, few ahead; those left over are cancelled."""
    waiting: deque[F] = deque()
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
    """Return ``function(item)``, or the error; the worker must have the caesura that asks."""
    if version != __version__:
        return EngineError(
            f"a worker has caesura {__version__} where {version} asks: install the same version on all"
        )
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
    """Return what an engine says, in one line; of a traceback the end.

    >>> engine_error("Dask", ValueError("too large\\nby far"))
    EngineError('Dask could not finish: ValueError: too large')
    >>> engine_error("Spark", ValueError("on a worker:\\nTraceback ...:\\n  line 3\\nKeyError: 5\\n at x"))
    EngineError('Spark could not finish: ValueError: KeyError: 5')
    """
    if "No module named 'caesura" in str(error):
        return EngineError(f"{engine} could not finish: a worker has no caesura: install it on all of them")
    lines = [line for line in str(error).splitlines() if line.strip()]
    starts = [number for number, line in enumerate(lines) if line.startswith("Traceback")]
    if starts:
        lines = [line for line in lines[starts[-1] + 1 :] if not line.startswith(" ")]
    message = ": ".join([type(error).__name__, *lines[:1]])
    return EngineError(f"{engine} could not finish: {shortened(message, LONGEST)}")


# -------------------------------------------------------------------- the shuffle


def read_blocks(
    version: str, job: Job, n_parts: int, numbers: Collection[int], piece: Piece
) -> list[tuple[int, bytes]]:
    """Read a piece and divide its rows by the part of their document; a failure goes to any of the parts."""
    pyarrow = load_pyarrow()

    def divided(rows: Iterable[Any]) -> list[tuple[int, bytes]]:
        tables = [job.on_its_way(table) for table in rows]
        parts = blocks(pyarrow.concat_tables(tables).combine_chunks(), n_parts) if tables else ()
        return [(number, stream_of(table, "lz4")) for number, table in parts if number in numbers]

    rows = outcome(version, divided, job.rows([piece]))
    return rows if isinstance(rows, list) else [(min(numbers), pickle.dumps(rows))]


def count_blocks(version: str, job: Job, part: Iterable[bytes]) -> bytes:
    """Count the blocks of a part, and return the pickle of the outcome."""

    def counted(part: Iterable[bytes]) -> Part:
        with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
            return count_part(job, map(_table_of, part), Path(folder))

    return pickle.dumps(outcome(version, counted, part))


def _table_of(block: bytes) -> Any:
    if block.startswith(PICKLED):
        result_of(pickle.loads(block))
    return load_pyarrow().ipc.open_stream(block).read_all()

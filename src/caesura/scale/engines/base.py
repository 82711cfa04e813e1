"""What an engine offers, and what comes back from its workers: a result, or an error of ours as a value.

Raised on a worker, an error would be tried again, logged with its traceback and wrapped by the engine; as a
value it arrives as it is. What is raised all the same is the engine's to try again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from caesura.errors import CaesuraError, EngineError
from caesura.scale.grouping import Job
from caesura.scale.parts import Part
from caesura.version import __version__
from caesura.wording import shortened

T = TypeVar("T")
R = TypeVar("R")

LONGEST = 300
"""Characters of what an engine says."""


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


# -------------------------------------------------------------------- outcomes


class Failure(NamedTuple):
    """An error that was caught on a worker."""

    error: CaesuraError | OSError


def outcome(version: str, function: Callable[[Any], Any], item: Any) -> Any:
    """Return ``function(item)``, or the failure; the worker must have the caesura that asks."""
    if version != __version__:
        return Failure(
            EngineError(
                f"a worker has caesura {__version__} where {version} asks: install the same version on all"
            )
        )
    try:
        return function(item)
    except (CaesuraError, OSError) as error:
        return Failure(error)


def outcomes(version: str, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Return the outcome of each item, up to the first failure: nobody asks for what comes after it."""
    found = []
    for item in items:
        found.append(outcome(version, function, item))
        if isinstance(found[-1], Failure):
            break
    return found


def result_of(found: Any) -> Any:
    """Return the result, or raise the failure."""
    if isinstance(found, Failure):
        raise found.error
    return found


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
    starts = [place for place, line in enumerate(lines) if line.startswith("Traceback")]
    if starts:
        lines = [line for line in lines[starts[-1] + 1 :] if not line.startswith(" ")]
    said = ": ".join([type(error).__name__, *lines[:1]])
    return EngineError(f"{engine} could not finish: {shortened(said, LONGEST)}")

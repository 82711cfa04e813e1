"""What comes back from a worker: a result, or an error of ours as a value.

Raised on a worker, an error would be tried again, logged with its traceback and wrapped by the engine; as a
value it arrives as it is. What is raised all the same is the engine's to try again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from caesura.errors import CaesuraError, EngineError
from caesura.version import __version__
from caesura.wording import shortened

LONGEST = 300
"""Characters of what an engine says."""


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

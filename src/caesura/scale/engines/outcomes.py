"""What comes back from a worker: a result, or an error of ours as a value.

Raised on a worker, an error would be tried again, logged with its traceback and wrapped by the engine; as a
value it arrives as it is. What is raised all the same is the engine's to try again.
"""

from __future__ import annotations

from collections.abc import Callable
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


def result_of(found: Any) -> Any:
    """Return the result, or raise the failure."""
    if isinstance(found, Failure):
        raise found.error
    return found


def engine_error(engine: str, error: BaseException) -> EngineError:
    """Return what an engine says, in one line.

    >>> engine_error("Spark", ValueError("too large\\n  at line 3"))
    EngineError('Spark could not finish: ValueError: too large')
    """
    if "No module named 'caesura" in str(error):
        return EngineError(f"{engine} could not finish: a worker has no caesura: install it on all of them")
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = ": ".join([type(error).__name__, *lines[:1]])
    return EngineError(f"{engine} could not finish: {shortened(said, LONGEST)}")

"""The engines by what is given as ``engine``: None or a name, or an object of the engine's own library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

from caesura.errors import ParameterError
from caesura.scale.engines import threads
from caesura.wording import short

Engine: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""Runs a function over items and yields what it returns, in the order of the items."""


def engine_of(engine: Any) -> Engine:
    """Return the engine: threads for None, "threads" or a number of them."""
    if engine is None or engine == "threads":
        return threads.run
    if isinstance(engine, int) and not isinstance(engine, bool) and engine > 0:
        return partial(threads.run, n_threads=engine)
    raise ParameterError(f"engine is {short(engine)}: expected None, 'threads' or a number of threads")

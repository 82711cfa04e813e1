"""A loop over cases in place of a test for each: hundreds of trivial tests cost more than what they test."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run one test for all cases, given as to pytest.mark.parametrize; a failure names its case."""
    keys = [name.strip() for name in names.split(",")]
    rows = [case if len(keys) > 1 else (case,) for case in cases]
    assert rows, f"no cases of {names}"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def loop(**fixtures: Any) -> None:
            for row in rows:
                case = dict(zip(keys, row, strict=True))
                try:
                    test(**fixtures, **case)
                except BaseException as error:
                    error.add_note(f"for {', '.join(f'{name}={value!r}' for name, value in case.items())}")
                    raise

        others = [one for name, one in signature.parameters.items() if name not in keys]
        loop.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        del loop.__wrapped__  # pytest would look for fixtures in the test itself
        return loop

    return decorate

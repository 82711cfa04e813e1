"""Checks of parameters, which return a plain value or raise ParameterError, and shared defaults."""

from __future__ import annotations

import math
import numbers
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from caesura.errors import ParameterError, did_you_mean
from caesura.wording import short

if TYPE_CHECKING:
    import numpy as np

Seed: TypeAlias = "int | np.random.Generator | None"
"""Where randomness comes from: a seed, a generator, or None for fresh entropy."""

MAX_NUMBER = 2**53
"""Longest document and greatest type: sums must fit 64-bit integers, numbers a float."""

MAX_FLOAT = sys.float_info.max
"""Greatest finite number: a greater int or Fraction does not fit a float."""

MAX_RESAMPLES = 10_000_000

N_T = 2
"""Near misses span fewer than this many positions by default."""

ALPHA, CONFIDENCE = 0.05, 0.95
"""Default levels of significance and of intervals."""

EVALUATION_RESAMPLES, AGREEMENT_RESAMPLES, TEST_RESAMPLES = 999, 1000, 9999
"""Default resamples of intervals, and of tests, where they bound p."""


def check_whole(name: str, value: Any, minimum: int = 0) -> int:
    """Return a whole number from ``minimum`` to 2**53 as an int.

    >>> check_whole("n_t", 0, minimum=1)
    Traceback (most recent call last):
    caesura.errors.ParameterError: n_t is 0: expected a whole number from 1 to 2**53
    """
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or not minimum <= value <= MAX_NUMBER:
        raise ParameterError(f"{name} is {short(value)}: expected a whole number from {minimum} to 2**53")
    return int(value)


def check_number(
    name: str, value: Any, minimum: float = 0.0, maximum: float = math.inf, *, exclusive: bool = False
) -> float:
    """Return a finite number from ``minimum`` to ``maximum``; ``exclusive`` excludes the minimum."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    is_within = is_number and max(minimum, -MAX_FLOAT) <= value <= min(maximum, MAX_FLOAT)
    if not is_within or (exclusive and value == minimum):
        start = f"above {minimum:g}" if exclusive else f"from {minimum:g}"
        end = "" if maximum == math.inf else f"{', up' if exclusive else ''} to {maximum:g}"
        raise ParameterError(f"{name} is {short(value)}: expected a number {start}{end}")
    return value if isinstance(value, int) else float(value)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{name} is {short(value)}: {did_you_mean(str(value)[:60], choices)}")
    return value


def check_flag(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} is {short(value)}: expected True or False")
    return value


def check_share(name: str, value: Any) -> float:
    """Return a number above 0 and below 1."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 < value < 1:
        raise ParameterError(f"{name} is {short(value)}: expected a number between 0 and 1, such as 0.95")
    return float(value)


DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s?(us|µs|ms|s|min|h)")
SECONDS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def is_duration(value: object) -> bool:
    """Whether this is a duration such as "3s" or "1.5 min".

    >>> is_duration("500ms"), is_duration("3 apples")
    (True, False)
    """
    return isinstance(value, str) and DURATION.fullmatch(value) is not None


def seconds_of(name: str, value: Any) -> float:
    """Return a duration in seconds.

    >>> seconds_of("step", "500ms")
    0.5
    """
    match = DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None or not float(match[1]):
        raise ParameterError(f'{name} is {short(value)}: expected a duration such as "3s", "200ms" or "2min"')
    return float(match[1]) * SECONDS[match[2]]


def check_resamples(name: str, value: Any, minimum: int = 0) -> int:
    """Return a number of resamples that memory can hold."""
    number = check_whole(name, value, minimum)
    if number > MAX_RESAMPLES:
        raise ParameterError(f"{name} is {number}: expected a whole number up to {MAX_RESAMPLES:,}")
    return number


def known_seed(rng: Seed) -> int | None:
    """Return the seed that reproduces a result; None for a generator or without a seed."""
    return int(rng) if isinstance(rng, numbers.Integral) else None


def as_generator(rng: Seed) -> np.random.Generator:
    """Return the generator of a seed, a fresh one for None, or the generator itself.

    >>> as_generator(-1)
    Traceback (most recent call last):
    caesura.errors.ParameterError: rng is -1: expected a whole number from 0 on, a Generator or None
    """
    import numpy as np

    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    if isinstance(rng, bool) or not isinstance(rng, numbers.Integral) or rng < 0:
        raise ParameterError(f"rng is {short(rng)}: expected a whole number from 0 on, a Generator or None")
    return np.random.default_rng(int(rng))

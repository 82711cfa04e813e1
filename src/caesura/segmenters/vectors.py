"""Vectors of units in place of counted words: an array, or any function from texts to an array."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from caesura.arrays import FloatArray
from caesura.declaration import parameter
from caesura.errors import ParameterError
from caesura.wording import short

Encoder: TypeAlias = Callable[[Sequence[str]], Any]
"""From the texts of the units to a row of numbers for each."""


class FixedVectors:
    """The vectors of one document, in the order of its units."""

    def __init__(self, rows: FloatArray) -> None:
        self.rows = rows
        self.rows.flags.writeable = False

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        return self.rows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FixedVectors) and np.array_equal(self.rows, other.rows)

    def __hash__(self) -> int:
        return hash((self.rows.shape, self.rows.tobytes()))

    def __repr__(self) -> str:
        n_units, n_numbers = self.rows.shape
        digest = hashlib.sha256(self.rows.tobytes()).hexdigest()[:12]
        return f"<vectors of {n_units:,} units, {n_numbers:,} numbers each, sha256 {digest}>"


def check_vectors(name: str, value: Any) -> Encoder | None:
    """Return None, a function, or the rows of an array as one."""
    if value is None or callable(value):
        return value  # type: ignore[no-any-return]
    return FixedVectors(_rows(name, value))


def vectors_parameter() -> Encoder | None:
    """Declare vectors in place of words."""
    said = "vectors of the units in place of words: an array, or a function of the texts"
    return parameter(None, said, check_vectors)


def encoded(encoder: Encoder, texts: Sequence[str]) -> FloatArray:
    """Return a vector for each text."""
    rows = _rows("vectors", encoder(texts))
    if len(rows) != len(texts):
        raise ParameterError(f"{len(rows):,} vectors for {len(texts):,} units: expected one for each")
    return rows


def _rows(name: str, value: Any) -> FloatArray:
    try:
        rows = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        rows = np.empty(0)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        expected = "a row of finite numbers for each unit, or a function that gives them"
        raise ParameterError(f"{name} is {short(value)}: expected {expected}")
    return rows

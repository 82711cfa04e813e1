"""Vectors of units in place of words: an array, a function of the texts, or a vectorizer by its name.

A function gives each text a row of numbers that depends on this text alone. So a text is encoded once, in
batches with the other new ones, and every segmenter with the same function gets the same row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, cast
from weakref import WeakKeyDictionary

import numpy as np

from caesura.arrays import FloatArray
from caesura.declaration import parameter
from caesura.errors import ParameterError, did_you_mean, missing_extra
from caesura.wording import short

Encoder: TypeAlias = Callable[[Sequence[str]], Any]  # from texts to a row of numbers for each

Vectors: TypeAlias = Encoder | str  # a function, or the name of a vectorizer

BATCH = 256  # texts that are encoded at once

MOST_KNOWN = 2**17  # texts whose vectors are remembered, by function


# -------------------------------------------------------------------- vectorizers by name


@cache
def wordllama() -> Encoder:
    """Return WordLlama's static embeddings, whose weights are part of its package: nothing is downloaded."""
    try:
        import wordllama as package
    except ModuleNotFoundError:
        raise missing_extra("vectors='wordllama' need the package wordllama", "vectors") from None
    folder = Path(package.__file__).parent
    return cast(Encoder, package.WordLlama.load(cache_dir=folder, disable_download=True).embed)


VECTORIZERS: dict[str, Callable[[], Encoder]] = {"wordllama": wordllama}
"""What loads each vectorizer, by name."""


# -------------------------------------------------------------------- the parameter


class FixedVectors:
    """The vectors of one document, in the order of its units."""

    is_remembered = False

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


def check_vectors(name: str, value: Any) -> Vectors | None:
    """Return None, a function, the name of a vectorizer, or the rows of an array as a function."""
    if value is None or callable(value):
        return value  # type: ignore[no-any-return]
    if isinstance(value, str):
        if value not in VECTORIZERS:
            raise ParameterError(f"{name} is {short(value)}: {did_you_mean(value[:60], VECTORIZERS)}")
        return value
    return FixedVectors(_rows(name, value))


def vectors_parameter() -> Vectors | None:
    """Declare vectors in place of words."""
    known = ", ".join(VECTORIZERS)
    help = f"vectors of the units in place of words: an array, a function of the texts, or a name ({known})"
    return parameter(None, help, check_vectors)


# -------------------------------------------------------------------- encoding

_KNOWN: WeakKeyDictionary[Encoder, dict[str, FloatArray]] = WeakKeyDictionary()
"""The vectors of the texts that each function has encoded."""


def encoded(vectors: Vectors, texts: Sequence[str]) -> FloatArray:
    """Return a vector for each text."""
    encoder = _encoder(vectors)
    known = _known(encoder)
    if known is None:
        return _encode(encoder, texts)
    remember(vectors, texts)
    try:
        return np.array([known[text] for text in texts])
    except ValueError:
        lengths = sorted({len(known[text]) for text in texts})
        raise ParameterError(f"vectors have {lengths} numbers: expected as many for every text") from None


def remember(
    vectors: Vectors, texts: Iterable[str], progress: Callable[[int, int], None] | None = None
) -> None:
    """Encode the texts that are new, in batches, if this function is one whose vectors are remembered.

    ``progress`` is called with the number of batches that are done, and of all.
    """
    encoder = _encoder(vectors)
    known = _known(encoder)
    if known is None:
        return
    unique = dict.fromkeys(texts)
    if len(known) + len(unique) > MOST_KNOWN:
        known.clear()
    new = [text for text in unique if text not in known]
    starts = range(0, len(new), BATCH)
    for done, start in enumerate(starts, start=1):
        batch = new[start : start + BATCH]
        known.update(zip(batch, _encode(encoder, batch), strict=True))
        if progress is not None:
            progress(done, len(starts))


def _encoder(vectors: Vectors) -> Encoder:
    return VECTORIZERS[vectors]() if isinstance(vectors, str) else vectors


def _known(encoder: Encoder) -> dict[str, FloatArray] | None:
    """Return what a function has encoded; None if it is not remembered: no key, or as fast as remembering."""
    if not getattr(encoder, "is_remembered", True):
        return None
    try:
        return _KNOWN.setdefault(encoder, {})
    except TypeError:
        return None


def _encode(encoder: Encoder, texts: Sequence[str]) -> FloatArray:
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

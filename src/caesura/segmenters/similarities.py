"""Similarities of units: rows of term weights or vectors, their dot products, and cosines of near units.

Vectors are an array, a function of the texts, or a vectorizer by name. A function must return for each text
a row of numbers that depends on this text alone: each text is encoded once, in batches, and all segmenters
with the same function share its rows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast
from weakref import WeakKeyDictionary

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray, bincount, divided
from caesura.declaration import parameter
from caesura.errors import ParameterError, did_you_mean, missing_extra
from caesura.segmenters.text import TermCounts, TermRows, Terms, count_terms
from caesura.wording import short

Encoder: TypeAlias = Callable[[Sequence[str]], Any]  # from texts to a row of numbers for each

Vectors: TypeAlias = Encoder | str  # a function, or the name of a vectorizer

BATCH = 256  # texts that are encoded at once

MOST_KNOWN = 2**17  # texts with cached vectors, by function


# -------------------------------------------------------------------- vectorizers by name


@cache
def wordllama() -> Encoder:
    """Return WordLlama's static embeddings; the weights are part of its package."""
    try:
        import wordllama as package
    except ModuleNotFoundError:
        raise missing_extra("vectors='wordllama' need the package wordllama", "vectors") from None
    folder = Path(package.__file__).parent
    return cast(Encoder, package.WordLlama.load(cache_dir=folder, disable_download=True).embed)


VECTORIZERS: dict[str, Callable[[], Encoder]] = {"wordllama": wordllama}
"""Loaders of vectorizers, by name."""


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
    """Encode new texts in batches, if the vectors of this function are cached.

    ``progress`` is called with the numbers of finished and of all batches.
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
    """Return the cached vectors of a function; None if it is not hashable or as fast as a cache."""
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
        rows = np.empty(0) if np.iscomplexobj(value) else np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        rows = np.empty(0)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        expected = "a row of finite numbers for each unit, or a function that gives them"
        raise ParameterError(f"{name} is {short(value)}: expected {expected}")
    return rows


ROWS_AT_ONCE = 256  # units whose products are computed at once


@dataclass(frozen=True)
class TermWeights(TermRows):
    """Weights of the terms of each unit."""

    weights: FloatArray
    n_terms: int

    @classmethod
    def of(cls, units: IntArray, terms: IntArray, weights: FloatArray, shape: tuple[int, int]) -> TermWeights:
        """Return the rows of entries in any order; entries of the same unit and term are added."""
        n_units, n_terms = shape
        occurs = weights != 0.0
        keys, entry = np.unique(units[occurs] * n_terms + terms[occurs], return_inverse=True)
        sums = bincount(entry, weights[occurs], len(keys))
        lengths = bincount(keys // max(n_terms, 1), minlength=n_units)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(offsets, (keys % max(n_terms, 1)).astype(np.int64), sums, n_terms)


def tf_idf(
    counts: TermCounts,
    tf: FloatArray,
    n_chunks: int,
    n_after: int,
    decay: float,
    log: Callable[[FloatArray], FloatArray] = np.log,
    *,
    rest_to_last: bool = False,
) -> TermWeights:
    """Return tf · log(n_chunks / df) of each entry, plus e^(−decay · d) of the weight d units later.

    df is the number of the document's equal chunks that contain the term. Unit i of n is in chunk
    ⌊i · n_chunks / n⌋; with ``rest_to_last`` chunks have ⌊n / n_chunks⌋ units, and the last also the rest.
    d is at most ``n_after``.
    """
    unit, n_terms = counts.units, max(counts.n_terms, 1)
    length = max(counts.n_units // n_chunks, 1)
    chunk = np.minimum(unit // length, n_chunks - 1) if rest_to_last else unit * n_chunks // counts.n_units
    occurring = np.unique(chunk * n_terms + counts.terms)
    idf = log(n_chunks / bincount(occurring % n_terms, minlength=counts.n_terms))
    rows = TermWeights.of(unit, counts.terms, tf * idf[counts.terms], (counts.n_units, counts.n_terms))
    distances = range(1, min(n_after + 1, rows.n_units))
    return smoothed(rows, {distance: math.exp(-decay * distance) for distance in distances})


def smoothed(rows: TermWeights, shares: Mapping[int, float]) -> TermWeights:
    """Add shares of near units to each unit: ``shares[d]`` of the unit d after it (d < 0: before it)."""
    units, terms, weights = [rows.units], [rows.terms], [rows.weights]
    for distance, share in shares.items():
        unit = rows.units - distance
        inside = (unit >= 0) & (unit < rows.n_units)
        units.append(unit[inside])
        terms.append(rows.terms[inside])
        weights.append(share * rows.weights[inside])
    gathered = np.concatenate(units), np.concatenate(terms), np.concatenate(weights)
    return TermWeights.of(*gathered, (rows.n_units, rows.n_terms))


# -------------------------------------------------------------------- products and cosines

Range: TypeAlias = tuple[int, int]  # [first, last)


def blocks(n_units: int) -> Iterator[Range]:
    """Yield the ranges of units that are multiplied at once."""
    for first in range(0, n_units, ROWS_AT_ONCE):
        yield first, min(first + ROWS_AT_ONCE, n_units)


class Products(NamedTuple):
    """The dot products of units in two ranges, and the squared length of each unit."""

    between: Callable[[Range, Range], FloatArray]
    squares: FloatArray


def products_of_terms(rows: TermWeights | TermCounts) -> Products:
    """Return the dot products of units from their terms."""
    matrix = (rows.offsets, rows.terms, rows.weights, rows.n_terms)
    squares = bincount(rows.units, rows.weights**2, rows.n_units)
    return Products(lambda rows, columns: kernel.active_segmenting.gram(*matrix, rows, columns), squares)


def products_of_vectors(vectors: FloatArray) -> Products:
    """Return the dot products of units from their vectors."""
    squares = np.einsum("ij,ij->i", vectors, vectors)
    return Products(lambda rows, columns: vectors[slice(*rows)] @ vectors[slice(*columns)].T, squares)


def products_of(
    texts: Sequence[str],
    words: str | Terms,
    vectors: Vectors | None,
    weigh: Callable[[TermCounts], TermWeights | TermCounts] = lambda counts: counts,
) -> Products:
    """Return the dot products of the vectors of texts, or of the weights of their terms."""
    if vectors is not None:
        return products_of_vectors(encoded(vectors, texts))
    return products_of_terms(weigh(count_terms(texts, words)))


def unit_terms(counts: TermCounts) -> TermWeights:
    """Return the counts of terms with each unit scaled to length 1; a unit without terms stays empty."""
    lengths = np.sqrt(bincount(counts.units, counts.weights**2, counts.n_units))
    return TermWeights(counts.offsets, counts.terms, counts.weights / lengths[counts.units], counts.n_terms)


def unit_vectors(vectors: FloatArray) -> FloatArray:
    """Return the vectors scaled to length 1; a vector of zeros stays as it is."""
    # Dividing by the greatest number first avoids overflow.
    scaled = divided(vectors, np.abs(vectors).max(axis=1, keepdims=True, initial=0.0))
    return divided(scaled, np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, np.newaxis])


def unit_products(texts: Sequence[str], words: str | Terms, vectors: Vectors | None) -> Products:
    """Return the dot products of texts with terms or vectors scaled to length 1."""
    if vectors is None:
        return products_of_terms(unit_terms(count_terms(texts, words)))
    return products_of_vectors(unit_vectors(encoded(vectors, texts)))


Rows: TypeAlias = Any
"""Rows of numbers: a NumPy array or a sparse array of SciPy."""


def unit_rows(texts: Sequence[str], words: str | Terms, vectors: Vectors | None) -> Rows:
    """Return unit terms as a sparse array, or unit vectors."""
    if vectors is not None:
        return unit_vectors(encoded(vectors, texts))
    from scipy.sparse import csr_array

    rows = unit_terms(count_terms(texts, words))
    return csr_array((rows.weights, rows.terms, rows.offsets), shape=(rows.n_units, max(rows.n_terms, 1)))


def near_cosines(products: Products, reach: int) -> FloatArray:
    """Return the cosines of units with the next ``reach`` units: ``[i, d]`` is that of i and i + d.

    Beyond the end of the document, and for a unit without terms, it is 0.
    """
    between, squares = products
    n_units = len(squares)
    inverse = divided(np.ones(n_units), np.sqrt(squares))
    band = np.zeros((n_units, reach + 1))
    for first, last in blocks(n_units):
        products_here = between((first, last), (first, min(last + reach, n_units)))
        for unit in range(first, last):
            end = min(unit + reach + 1, n_units)
            near = products_here[unit - first, unit - first : end - first]
            band[unit, : end - unit] = near * (inverse[unit] * inverse[unit:end])
    return band

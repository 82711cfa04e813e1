"""Similarities of near units: terms weighted by how few chunks have them, smoothed; cosines in a band."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray
from caesura.errors import ParameterError
from caesura.segmenters.text import TermCounts

ROWS_AT_ONCE = 256
"""Units whose products with others are in memory at the same time."""

MAX_BYTES = 4 * 2**30
"""Most memory for the matrices of a segmenter."""


@dataclass(frozen=True)
class TermWeights:
    """Weights of the terms of each unit: the rows of a sparse matrix, end to end, terms ascending in each."""

    offsets: IntArray
    terms: IntArray
    weights: FloatArray
    n_terms: int

    @property
    def n_units(self) -> int:
        """The number of units."""
        return len(self.offsets) - 1

    @property
    def units(self) -> IntArray:
        """The unit of each entry."""
        return np.repeat(np.arange(self.n_units), np.diff(self.offsets))

    @classmethod
    def of(cls, units: IntArray, terms: IntArray, weights: FloatArray, shape: tuple[int, int]) -> TermWeights:
        """Gather entries in any order; those of one unit and term are added up."""
        n_units, n_terms = shape
        kept = weights != 0.0
        keys, place = np.unique(units[kept] * n_terms + terms[kept], return_inverse=True)
        found = sums_by(place, weights[kept], len(keys))
        lengths = np.bincount(keys // max(n_terms, 1), minlength=n_units)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(offsets, (keys % max(n_terms, 1)).astype(np.int64), found, n_terms)


def sums_by(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Return the sums of the values of each group."""
    return np.bincount(group, values, minlength=n_groups).astype(np.float64)


def chunk_frequencies(counts: TermCounts, n_chunks: int, *, rest_to_last: bool = False) -> IntArray:
    """Return in how many of the document's equal chunks each term occurs.

    Unit i of n is in chunk ⌊i · chunks / n⌋; with ``rest_to_last`` chunks have ⌊n / chunks⌋ units, and the
    last one what is left.
    """
    unit = np.repeat(np.arange(counts.n_units), np.diff(counts.offsets))
    length = max(counts.n_units // n_chunks, 1)
    chunk = np.minimum(unit // length, n_chunks - 1) if rest_to_last else unit * n_chunks // counts.n_units
    occurring = np.unique(chunk * max(counts.n_terms, 1) + counts.terms)
    return np.bincount(occurring % max(counts.n_terms, 1), minlength=counts.n_terms).astype(np.int64)


def weighted(counts: TermCounts, of_counts: FloatArray, of_terms: FloatArray) -> TermWeights:
    """Return the weight of each entry, that of its count times that of its term."""
    unit = np.repeat(np.arange(counts.n_units), np.diff(counts.offsets))
    weights = of_counts * of_terms[counts.terms]
    return TermWeights.of(unit, counts.terms, weights, (counts.n_units, counts.n_terms))


def smoothed(rows: TermWeights, shares: Mapping[int, float]) -> TermWeights:
    """Add to each unit shares of those near it: ``shares[d]`` of the unit d after it (d < 0: before it)."""
    units, terms, weights = [rows.units], [rows.terms], [rows.weights]
    for distance, share in shares.items():
        unit = rows.units - distance
        inside = (unit >= 0) & (unit < rows.n_units)
        units.append(unit[inside])
        terms.append(rows.terms[inside])
        weights.append(share * rows.weights[inside])
    gathered = np.concatenate(units), np.concatenate(terms), np.concatenate(weights)
    return TermWeights.of(*gathered, (rows.n_units, rows.n_terms))


# -------------------------------------------------------------------- bands

Products = Callable[[tuple[int, int], tuple[int, int]], FloatArray]
"""The dot products of units in one range with those in another."""


def cosines_of_terms(rows: TermWeights, reach: int) -> FloatArray:
    """Return the cosines of units with those up to ``reach`` after them: ``[i, d]`` is that of i and i + d.

    Beyond the end of the document, and for a unit without a single term, it is 0.
    """
    matrix = (rows.offsets, rows.terms, rows.weights, rows.n_terms)
    squares = sums_by(rows.units, rows.weights**2, rows.n_units)
    return _band(lambda one, other: kernel.active_segmenting.gram(*matrix, one, other), squares, reach)


def cosines_of_vectors(vectors: FloatArray, reach: int) -> FloatArray:
    """Return the same for vectors."""
    squares = np.einsum("ij,ij->i", vectors, vectors)
    return _band(lambda one, other: vectors[slice(*one)] @ vectors[slice(*other)].T, squares, reach)


def _band(products: Products, squares: FloatArray, reach: int) -> FloatArray:
    n_units = len(squares)
    lengths = np.sqrt(squares)
    inverse = np.divide(1.0, lengths, out=np.zeros(n_units), where=lengths > 0.0)
    band = np.zeros((n_units, reach + 1))
    for first in range(0, n_units, ROWS_AT_ONCE):
        last = min(first + ROWS_AT_ONCE, n_units)
        found = products((first, last), (first, min(last + reach, n_units)))
        for unit in range(first, last):
            end = min(unit + reach + 1, n_units)
            near = found[unit - first, unit - first : end - first]
            band[unit, : end - unit] = near * (inverse[unit] * inverse[unit:end])
    return band


def check_memory(name: str, n_units: int, n_bytes: int, remedy: str) -> None:
    """Refuse a document whose matrices would not fit; say what bounds them."""
    if n_bytes > MAX_BYTES:
        raise ParameterError(f"{name}: {n_units:,} units take {n_bytes / 1e9:,.1f} GB of memory; {remedy}")

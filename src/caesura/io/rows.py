"""The columns of a corpus as writers need them: lists of numbers, coding after coding."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from caesura.arrays import IntArray
from caesura.values.columns import BoolArray, Columns
from caesura.values.segmentation import PLAIN_TYPE

BLOCK = 10_000
"""Codings whose numbers are Python objects at one time."""


def lists_of(offsets: IntArray, numbers: IntArray) -> Iterator[list[int]]:
    """Yield the slices of a column.

    >>> list(lists_of(np.array([0, 2, 2, 3]), np.array([5, 6, 7])))
    [[5, 6], [], [7]]
    """
    for start in range(0, len(offsets) - 1, BLOCK):
        part = offsets[start : start + BLOCK + 1]
        block = numbers[part[0] : part[-1]].tolist()
        for begin, end in pairwise((part - part[0]).tolist()):
            yield block[begin:end]


def masses_of(codings: Columns) -> Iterator[list[int]]:
    """Yield the masses of each coding.

    >>> list(masses_of(Columns(np.array([5, 4]), np.array([0, 1, 1]), np.array([2]))))
    [[2, 3], [4]]
    """
    marked = codings.marked
    offsets = marked.offsets + np.arange(len(marked) + 1)
    is_last = np.zeros(int(offsets[-1]), dtype=bool)
    is_last[offsets[1:] - 1] = True
    ends = np.empty(len(is_last), dtype=np.int64)
    ends[is_last], ends[~is_last] = marked.n_units, marked.positions
    masses = ends.copy()
    masses[1:] -= np.where(is_last[:-1], 0, ends[:-1])
    return lists_of(offsets, masses)


def is_typed(codings: Columns) -> BoolArray:
    """Return which codings have boundaries of other types than 1."""
    found = np.zeros(len(codings), dtype=bool)
    if codings.types is not None:
        found[codings.coding[codings.types != PLAIN_TYPE]] = True
    return found

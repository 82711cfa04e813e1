"""The sizes of segments: of all codings, and of each level of hierarchies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.analyses.description.exact import exact
from caesura.analyses.description.results import MeanSD
from caesura.arrays import IntArray
from caesura.values.columns import Columns


def mean_sd(values: Sequence[float] | NDArray[Any]) -> MeanSD:
    """Return the mean with its population standard deviation; NaN without any values.

    In any order of the values it is the same, to the last bit.
    """
    if not len(values):
        return MeanSD(math.nan, math.nan, 0)
    array = np.asarray(values)
    if array.dtype.kind != "f":
        whole = exact(array, int(array.max()) ** 2 * len(array))
        return mean_sd_of(len(array), int(whole.sum()), int((whole**2).sum()))
    mean = math.fsum(array.tolist()) / len(array)
    return MeanSD(mean, math.sqrt(math.fsum(((array - mean) ** 2).tolist()) / len(array)), len(array))


def mean_sd_of(n: int, total: int, squares: int) -> MeanSD:
    """Return the mean and deviation of so many whole numbers with this sum and sum of squares."""
    if not n:
        return MeanSD(math.nan, math.nan, 0)
    return MeanSD(total / n, math.sqrt(n * squares - total**2) / n, n)


def with_edges(marked: Columns) -> tuple[IntArray, IntArray]:
    """Return the boundaries of each coding between 0 and its length, and where each coding's start.

    >>> from caesura.values.segmentation import Segmentation
    >>> places, starts = with_edges(Columns.of([Segmentation.from_masses([2, 3])] * 2))
    >>> places.tolist(), starts.tolist()
    ([0, 2, 5, 0, 2, 5], [0, 3])
    """
    each = np.arange(len(marked))
    starts = marked.offsets[:-1] + 2 * each
    places = np.zeros(len(marked.positions) + 2 * len(marked), dtype=np.int64)
    places[marked.offsets[1:] + 2 * each + 1] = marked.n_units
    places[np.arange(len(marked.positions)) + 2 * marked.coding + 1] = marked.positions
    return places, starts


def segment_sizes(marked: Columns) -> IntArray:
    """Return the size of every segment of every coding."""
    places, starts = with_edges(marked)
    is_size = np.ones(len(places), dtype=bool)
    is_size[starts] = False  # nothing lies between two codings
    sizes: IntArray = np.diff(places, prepend=0)[is_size]
    return sizes


def level_sizes(codings: Columns, ranks: Sequence[int]) -> dict[int, tuple[int, int, int]]:
    """Return number, sum and squares of the sizes of segments that each rank and those above leave.

    Boundaries are taken out from the least prominent rank on, and those between two that stay join their
    segments into one; so all levels together cost one pass. Whole numbers until the last division.
    """
    places, starts = with_edges(codings)
    places = exact(places, 2 * int(codings.n_units.max()) ** 2 * len(places))
    where = np.arange(len(codings.positions)) + 2 * codings.coding + 1
    order = np.argsort(codings.all_types, kind="stable")
    first, last = (np.searchsorted(codings.all_types[order], ranks, side=side) for side in ("left", "right"))
    before, after = np.arange(-1, len(places) - 1), np.arange(1, len(places) + 1)
    is_size = np.ones(len(places), dtype=bool)
    is_size[starts] = False
    all_sizes = np.diff(places, prepend=0)[is_size]
    n, total, squares = len(all_sizes), int(all_sizes.sum()), int((all_sizes**2).sum())
    sizes = {}
    for rank, start, end in zip(ranks[::-1], first[::-1].tolist(), last[::-1].tolist(), strict=True):
        sizes[rank] = (n, total, squares)
        taken = where[order[start:end]]
        if not len(taken):
            continue
        # Those that follow each other leave one gap together.
        is_new = np.ones(len(taken) + 1, dtype=bool)
        is_new[1:-1] = after[taken[:-1]] != taken[1:]
        left, right = before[taken[is_new[:-1]]], after[taken[is_new[1:]]]
        gone = (places[taken] - places[before[taken]]) ** 2
        rest = (places[right] - places[before[right]]) ** 2
        squares += int(((places[right] - places[left]) ** 2).sum()) - int(gone.sum()) - int(rest.sum())
        after[left], before[right] = right, left
        n -= len(taken)
    return sizes

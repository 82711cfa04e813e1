"""The kernels of tables with a row per coding in readable Python: the definition of rows.pyx.

They check rows before anything is counted: where each document begins, whether its codings are valid, and
whether names ascend, so that no document appears twice.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray, repeat
from caesura.kernel.resampling_python import hash_names

NAME = "python"


class Runs(NamedTuple):
    """Runs of rows with the same name."""

    starts: IntArray  # the first row of each run, and the number of rows
    data: NDArray[np.uint8]  # the names, end to end
    offsets: IntArray  # the start of each name, and the end of the last
    hashes: NDArray[np.uint64]  # the hash of each name, by ``hash_names``
    ascends: bool  # whether each name is greater than the one before, byte by byte
    counts_up: bool  # whether each is longer than the one before, or as long and greater: d9, d10, d11


def name_runs(data: NDArray[np.uint8], offsets: IntArray) -> Runs:
    """Return the runs of rows with the same name.

    >>> runs = name_runs(np.frombuffer(b"aabba", dtype=np.uint8), np.array([0, 1, 2, 4, 5]))
    >>> runs.starts.tolist(), runs.data.tobytes(), runs.offsets.tolist(), runs.ascends, runs.counts_up
    ([0, 2, 3, 4], b'abba', [0, 1, 3, 4], False, False)
    """
    names = [data[start:end].tobytes() for start, end in pairwise(offsets.tolist())]
    starts = [row for row, name in enumerate(names) if not row or name != names[row - 1]]
    distinct = [names[row] for row in starts]
    together = np.frombuffer(b"".join(distinct), dtype=np.uint8)
    ends = np.cumsum([0, *map(len, distinct)])
    ascends = all(later > name for name, later in pairwise(distinct))
    counts_up = all((len(later), later) > (len(name), name) for name, later in pairwise(distinct))
    rows, hashes = np.array([*starts, len(names)]), hash_names(together, ends)
    return Runs(rows, together, ends, hashes, ascends, counts_up)


def codings_fit(
    starts: IntArray,
    coder: IntArray,
    n_coders: int,
    n_units: IntArray,
    offsets: IntArray,
    positions: IntArray,
    most: int,
) -> bool:
    """Return whether the codings of documents, whose first rows are ``starts``, are valid.

    Positions ascend inside the document, all codings of a document have the same number of units, from 1 to
    ``most``, and no coder has two codings of it.

    >>> rows = np.array([0, 2]), np.array([0, 1]), 2, np.array([5, 5]), np.array([0, 1, 3])
    >>> [codings_fit(*rows, np.array(some), 9) for some in ([4, 1, 4], [5, 1, 4], [4, 4, 1])]
    [True, False, False]
    """
    document = repeat(np.arange(len(starts) - 1), np.diff(starts))
    coding = repeat(np.arange(len(n_units)), np.diff(offsets))
    first = n_units[starts[:-1]]
    return bool(
        (first[document] == n_units).all()
        and ((first >= 1) & (first <= most)).all()
        and ((positions >= 1) & (positions < n_units[coding])).all()
        and ((np.diff(positions) > 0) | (np.diff(coding) > 0)).all()
        and len(np.unique(document * n_coders + coder)) == len(coder)
    )

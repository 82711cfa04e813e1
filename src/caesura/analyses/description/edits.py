"""The edits between every two coders, for many n_t in one pass over all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from caesura.alignment.counts import count_edits_many
from caesura.alignment.weights import Weights
from caesura.analyses.description.results import EditTotals
from caesura.arrays import IntArray
from caesura.kernel.batch import PackedPairs

Progress: TypeAlias = Callable[[int, int], None]

AT_ONCE = 2**16
"""About as many boundaries are compared in one step: memory does not grow with the pairs."""


LARGEST_IN_ONE_PASS = 10_000
"""Largest n_t up to which one alignment of typed pairs serves every n_t."""


def edits_by_n_t(
    pairs: PackedPairs, wanted: Sequence[int], progress: Progress | None = None
) -> dict[int, EditTotals]:
    """Return the edits over all pairs for each n_t; ``progress`` takes (pairs done, pairs in all)."""
    n_t = np.unique(np.array(wanted, dtype=np.int64))
    count = _count_plain if pairs.is_plain else _count_typed
    totals = np.zeros((len(n_t), 4), dtype=np.int64)
    done = 0
    for part in _parts(pairs):
        totals += count(part, n_t)
        done += len(part)
        if progress is not None:
            progress(done, len(pairs))
    return {one: EditTotals(one, *row) for one, row in zip(n_t.tolist(), totals.tolist(), strict=True)}


def _parts(pairs: PackedPairs) -> Iterator[PackedPairs]:
    """Yield runs of pairs that have about the same number of boundaries together."""
    n_boundaries = pairs.reference.n_boundaries[pairs.first] + pairs.hypothesis.n_boundaries[pairs.second]
    step = np.cumsum(n_boundaries + 1) // AT_ONCE  # a pair without boundaries costs something, too
    ends = np.append(np.flatnonzero(np.diff(step)) + 1, len(pairs))
    start = 0
    for end in ends.tolist():
        if end > start:
            yield pairs.take(np.arange(start, end))
        start = end


def _count_plain(pairs: PackedPairs, n_t: IntArray) -> IntArray:
    """Return matches, additions, substitutions and transpositions of pairs without types, a row per n_t.

    The published algorithm takes all near misses over distance d before it looks at d + 1, so those below a
    smaller n_t are what that n_t would give.
    """
    matches = int(pairs.edit_counts(1, False)[:, 0].sum())
    _, distances = pairs.transposition_spans(int(n_t[-1]), False)
    just_fit = np.bincount(np.searchsorted(n_t, distances, side="right"), minlength=len(n_t))
    transpositions = np.cumsum(just_fit[: len(n_t)])
    additions = int((pairs.n_reference + pairs.n_hypothesis).sum()) - 2 * matches - 2 * transpositions
    nothing = np.zeros_like(additions)
    return np.stack((nothing + matches, additions, nothing, transpositions), axis=1)


def _count_typed(pairs: PackedPairs, n_t: IntArray) -> IntArray:
    """Return the same of pairs with types."""
    if n_t[-1] > LARGEST_IN_ONE_PASS:  # a row for each n_t in between would be too many
        return np.concatenate([_count_at(pairs, one) for one in n_t.tolist()])
    return pairs.typed_edit_sweep(int(n_t[-1]))[n_t - 1]


def _count_at(pairs: PackedPairs, n_t: int) -> IntArray:
    edits = count_edits_many(pairs, "greedy", Weights(n_t=n_t))
    kinds = (edits.matches, edits.additions, edits.substitutions, edits.transpositions)
    return np.array([[int(kind.sum()) for kind in kinds]], dtype=np.int64)

"""The edits between every two coders, for many n_t in one pass over all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from caesura.alignment.counts import count_edits_by_n_t
from caesura.analyses.description.exact import exact
from caesura.analyses.description.results import EditTotals
from caesura.kernel.batch import PackedPairs
from caesura.values.corpus import Corpus

Progress: TypeAlias = Callable[[int, int], None]

AT_ONCE = 2**16
"""About as many boundaries are compared in one step: memory does not grow with the pairs."""


def edits_by_n_t(
    pairs: PackedPairs, wanted: Sequence[int], progress: Progress | None = None
) -> dict[int, EditTotals]:
    """Return the edits over all pairs for each n_t; ``progress`` takes (pairs done, pairs in all)."""
    n_t = np.unique(np.array(wanted, dtype=np.int64))
    totals = np.zeros((len(n_t), 4), dtype=np.int64)
    done = 0
    for part in _parts(pairs):
        totals += count_edits_by_n_t(part, n_t)
        done += len(part)
        if progress is not None:
            progress(done, len(pairs))
    return {one: EditTotals(one, *row) for one, row in zip(n_t.tolist(), totals.tolist(), strict=True)}


def pair_positions(corpus: Corpus) -> int:
    """Return the potential boundaries of all pairs of codings."""
    n_pairs = corpus.n_coders * (corpus.n_coders - 1) // 2
    largest = int(corpus.document_units.max()) * int(n_pairs.max()) * len(n_pairs)
    return int((exact(corpus.document_units - 1, largest) * n_pairs).sum())


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

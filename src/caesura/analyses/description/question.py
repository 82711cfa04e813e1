"""Count documents for describe(): sums by name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from caesura.alignment.counts import count_edits_by_n_t
from caesura.alignment.packed import PackedPairs
from caesura.arrays import FloatArray, IntArray
from caesura.errors import CorpusError
from caesura.pairs import every_two
from caesura.stats.resampling import Progress
from caesura.sums.tallies import Name, Tally, exact, exact_sum, square_sum
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus

AT_ONCE = 2**16
"""About how many boundaries are compared in one step, so that memory does not grow with the pairs."""

MOST_NAMES = 1_000_000
"""Most sums that a stream keeps, of coders, and of coders and types."""


@dataclass(frozen=True)
class DescriptionQuestion:
    """What to count in the codings of documents."""

    n_t: int
    sweep: tuple[int, ...]

    @property
    def all_n_t(self) -> list[int]:
        """Every n_t to count edits for."""
        return sorted({self.n_t, *range(1, max(self.sweep, default=0) + 1)})

    def check(self, names: Collection[Name]) -> None:
        """Refuse more sums than memory should hold."""
        if len(names) > MOST_NAMES:
            fault = f"too many sums for streaming: {len(names):,} over coders, or coders and types"
            raise CorpusError(f"{fault}; load the data with cs.read")

    def count(self, corpus: Corpus, progress: Progress | None = None) -> dict[Name, Tally]:
        """Return the sums over all documents; ``progress`` takes (pairs done, pairs in all)."""
        corpus = corpus.coded
        codings, pairs, n_boundaries = corpus.codings, every_two(corpus), corpus.codings.n_boundaries
        numbers: dict[Name, int] = {
            ("documents",): len(corpus.document_names),
            ("codings",): len(corpus),
            ("boundaries",): int(n_boundaries.sum()),
            ("pairs",): len(pairs),
            ("pair_positions",): _pair_positions(corpus),
            ("pair_boundaries",): int((n_boundaries[pairs.first] + n_boundaries[pairs.second]).sum()),
        }
        sizes = segment_sizes(codings.marked)
        summed = {"units": corpus.document_units, "segments": codings.n_positions + 1, "sizes": sizes}
        for name, values in summed.items():
            numbers |= {(name,): exact_sum(values), (name, "squares"): square_sum(values)}
        edits = _edits(pairs, np.array(self.all_n_t, dtype=np.int64), progress)
        for n_t, row in zip(self.all_n_t, edits.tolist(), strict=True):
            numbers |= {("edits", n_t, kind): number for kind, number in enumerate(row)}
        columns = {
            "coded": np.ones(len(corpus), dtype=np.int64),
            "positions": codings.n_units - 1,
            "marks": n_boundaries,
            "typical": (2 * _median_boundaries(corpus)).astype(np.int64)[corpus.document],
        }
        coders = corpus.coders
        for kind, values in columns.items():
            whole = exact(values, int(values.max(initial=0)) * len(values))
            by_coder = np.zeros(len(coders), dtype=whole.dtype)
            np.add.at(by_coder, corpus.coder, whole)
            numbers |= {(kind, coder): n for coder, n in zip(coders, by_coder.tolist(), strict=True)}
        types, index = np.unique(codings.all_types, return_inverse=True)
        keys, uses = np.unique(corpus.coder[codings.coding] * len(types) + index, return_counts=True)
        for key, number in zip(keys.tolist(), uses.tolist(), strict=True):
            coder, kind_of_boundary = divmod(key, len(types))
            numbers["type", int(types[kind_of_boundary]), coders[coder]] = number
        if corpus.is_hierarchical:
            for rank in corpus.types:
                sizes = segment_sizes(codings.keep(codings.all_types <= rank))
                moments = len(sizes), exact_sum(sizes), square_sum(sizes)
                numbers |= {("level", rank, moment): number for moment, number in enumerate(moments)}
        return {name: Tally((number,)) for name, number in numbers.items()}


# -------------------------------------------------------------------- pairs of codings


def _edits(pairs: PackedPairs, n_t: IntArray, progress: Progress | None) -> IntArray:
    """Return matches, additions, substitutions and transpositions over all pairs, by n_t.

    Each step compares a run of pairs with about the same number of boundaries.
    """
    totals = np.zeros((len(n_t), 4), dtype=np.int64)
    n_boundaries = pairs.reference.n_boundaries[pairs.first] + pairs.hypothesis.n_boundaries[pairs.second]
    step = np.cumsum(n_boundaries + 1) // AT_ONCE  # a pair without boundaries has a cost, too
    for run in np.split(np.arange(len(pairs)), np.flatnonzero(np.diff(step)) + 1) if len(pairs) else ():
        totals += count_edits_by_n_t(pairs.take(run), n_t)
        if progress is not None:
            progress(int(run[-1]) + 1, len(pairs))
    return totals


def _pair_positions(corpus: Corpus) -> int:
    """Return the potential boundaries of all pairs of codings."""
    n_pairs = corpus.n_coders * (corpus.n_coders - 1) // 2
    largest = int(corpus.document_units.max()) * int(n_pairs.max()) * len(n_pairs)
    return int((exact(corpus.document_units - 1, largest) * n_pairs).sum())


def _median_boundaries(corpus: Corpus) -> FloatArray:
    """Return each document's median number of boundaries over its coders."""
    n_boundaries, starts = corpus.codings.n_boundaries, corpus.starts[:-1]
    ordered = n_boundaries[np.lexsort((n_boundaries, corpus.document))]
    low, high = (corpus.n_coders - 1) // 2, corpus.n_coders // 2
    medians: FloatArray = (ordered[starts + low] + ordered[starts + high]) / 2
    return medians


def segment_sizes(marked: Columns) -> IntArray:
    """Return the size of every segment of every coding.

    >>> from caesura.values.segmentation import Segmentation
    >>> segment_sizes(Columns.of([Segmentation.from_masses(masses) for masses in ([2, 3], [4, 1])])).tolist()
    [2, 3, 4, 1]
    """
    ends = np.insert(marked.positions, marked.offsets[1:], marked.n_units)
    sizes = np.diff(ends, prepend=0)
    first = marked.offsets[:-1] + np.arange(len(marked))
    sizes[first] = ends[first]
    return sizes

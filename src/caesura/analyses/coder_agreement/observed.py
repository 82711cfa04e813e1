"""What coders did, as counts: every two coders of a group compared once on every document.

Observed agreement, its expectation, resampling and leaving coders out are all sums of these counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from caesura.alignment.counts import count_edits_many
from caesura.alignment.weights import make_weights
from caesura.arrays import IntArray
from caesura.errors import ParameterError
from caesura.kernel.batch import PackedPairs
from caesura.metrics.base import Metric, Scores
from caesura.metrics.edit import EditMetric
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus, Group
from caesura.values.segmentation import PLAIN_TYPE

DEFAULT_N_T = 2
"""How far near misses reach when a metric does not know them."""


def check_similarity(metric: Metric) -> None:
    """Raise ParameterError when a metric is no similarity from 0 to 1, so that its value is no agreement."""
    if metric.direction != "higher" or (metric.low, metric.high) != (0.0, 1.0):
        raise ParameterError(
            f"{metric} is no similarity from 0 to 1, so chance can not be taken off; choose B, Ba, Bc or S "
            "(coder_matrix shows any metric between coders)"
        )


@dataclass(frozen=True, eq=False)
class PairCounts:
    """The counts of a group: coders who have all coded the same documents.

    Rows of ``scores`` are in the order of documents, and within one document of coder pairs. A metric that
    treats its two sides differently compares each two coders both ways.
    """

    metric: Metric
    coders: tuple[str, ...]
    documents: tuple[str, ...]
    types: tuple[int, ...]
    first: IntArray  # coder numbers of the pairs of one document
    second: IntArray
    codings: Columns  # in the order of documents, then coders
    packed: PackedPairs
    scores: Scores

    @property
    def n_pairs(self) -> int:
        """Number of pairs of codings: two coders on one document."""
        return len(self.documents) * len(self.coders) * (len(self.coders) - 1) // 2

    @property
    def positions(self) -> list[int]:
        """Potential boundaries of each document."""
        units: list[int] = self.codings.n_units[:: len(self.coders)].tolist()
        return [n - 1 for n in units]

    @cached_property
    def n_positions(self) -> int:
        """Potential boundaries of all documents."""
        return sum(self.positions)  # of Python integers: very long documents must not overflow

    @cached_property
    def boundaries(self) -> IntArray:
        """Number of boundaries by document, coder and type."""
        shape = (len(self.documents), len(self.coders), len(self.types))
        if self.types == (PLAIN_TYPE,):
            return self.codings.n_boundaries.reshape(shape)
        place = np.searchsorted(self.types, self.codings.all_types)
        cells = self.codings.coding * len(self.types) + place
        return np.bincount(cells, minlength=len(self.codings) * len(self.types)).reshape(shape)

    @cached_property
    def n_boundaries(self) -> int:
        """Boundaries in all codings."""
        return len(self.codings.positions)

    @cached_property
    def edits(self) -> tuple[int, int, int]:
        """Additions, substitutions and transpositions of all pairs, at the metric's n_t (else 2)."""
        if isinstance(self.metric, EditMetric):
            method, weights = self.metric.method, self.metric.weights
        else:
            method, weights = "greedy", make_weights(DEFAULT_N_T, "scaled", "scaled", 0.0, None)
        edits = count_edits_many(self.packed, method, weights)
        kinds = (edits.additions, edits.substitutions, edits.transpositions)
        additions, substitutions, transpositions = (int(kind.sum()) for kind in kinds)
        return additions, substitutions, transpositions


def count_pairs(corpus: Corpus, metric: Metric, group: Group) -> PairCounts:
    """Compare every two coders of a group on every one of its documents.

    >>> from caesura import load_stargazers, metric
    >>> corpus = load_stargazers()
    >>> count_pairs(corpus, metric("B"), corpus.find_groups()[0]).scores.micro
    <B 0.530055 = 97/183, 21 pairs>
    """
    n_documents, n = group.rows.shape
    first, second = _coder_pairs(n, metric.symmetric)
    codings = corpus.codings.take(group.rows.ravel())
    starts = n * np.arange(n_documents)[:, None]
    packed = PackedPairs(codings, codings, (starts + first).ravel(), (starts + second).ravel())
    if corpus.type_scheme is not None:
        types = corpus.type_scheme.types or (PLAIN_TYPE,)
    elif codings.is_plain:
        types = (PLAIN_TYPE,)
    else:
        types = tuple(np.unique(codings.all_types).tolist())
    coders = tuple(corpus.coders[i] for i in group.coders.tolist())
    documents = tuple(corpus.documents[i] for i in group.documents.tolist())
    return PairCounts(metric, coders, documents, types, first, second, codings, packed, metric.over(packed))


@lru_cache(maxsize=64)
def _coder_pairs(n: int, symmetric: bool) -> tuple[IntArray, IntArray]:
    """Return the numbers of the first and of the second coder of every pair, both ways unless symmetric."""
    first, second = np.triu_indices(n, 1)
    if not symmetric:
        first, second = np.concatenate((first, second)), np.concatenate((second, first))
    first.flags.writeable = second.flags.writeable = False
    return first, second

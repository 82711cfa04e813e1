"""What coders did, as counts: every two coders of a group compared once on every document.

Observed agreement, its expectation, resampling and leaving coders out are all sums of these counts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from caesura.alignment.counts import count_edits, count_edits_many
from caesura.alignment.weights import make_weights
from caesura.arrays import IntArray
from caesura.errors import ParameterError
from caesura.kernel.batch import PackedPairs, pack_pairs
from caesura.metrics.base import Metric, Scores
from caesura.metrics.edit import EditMetric
from caesura.metrics.registry import get_metric
from caesura.values.corpus import Corpus
from caesura.values.segmentation import PLAIN_TYPE, Segmentation
from caesura.values.type_scheme import TypeScheme

DEFAULT_N_T = 2
"""How far near misses reach when a metric does not know them."""


def metric_for(scheme: TypeScheme | None, spec: Metric | str, n_t: int | None = None) -> Metric:
    """Return the metric with this n_t, if one is given, and with the types that a corpus declares.

    Where it says that its types are nominal, a wrong type costs 1 however far the numbers are apart.
    """
    metric = get_metric(spec)
    changes: dict[str, object] = {}
    if n_t is not None:
        if "n_t" not in metric.parameters:
            raise ParameterError(f"{metric} has no n_t: leave it out, or choose B, Ba, Bc or S")
        changes["n_t"] = n_t
    if isinstance(metric, EditMetric) and scheme is not None and scheme.types != (PLAIN_TYPE,):
        if metric.types is None:
            changes["types"] = scheme.types
        if scheme.nominal and metric.substitution == "scaled":
            changes["substitution"] = "constant"
    return dataclasses.replace(metric, **changes) if changes else metric


def check_similarity(metric: Metric) -> None:
    """Raise ParameterError when a metric is no similarity from 0 to 1, so that its value is no agreement."""
    if metric.direction != "higher" or (metric.low, metric.high) != (0.0, 1.0):
        raise ParameterError(
            f"{metric} is no similarity from 0 to 1, so chance can not be taken off; choose B, Ba, Bc or S "
            "(coder_matrix shows any metric between coders)"
        )


def groups_of(corpus: Corpus) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return (coders, documents) of each group, as ``corpus.groups()`` finds them, without new corpora."""
    order = {coder: place for place, coder in enumerate(corpus.coders)}
    members: dict[frozenset[str], list[str]] = {}
    for document, coded in corpus.codings.items():
        members.setdefault(frozenset(coded), []).append(document)
    return [
        (tuple(sorted(coders, key=order.__getitem__)), tuple(documents))
        for coders, documents in members.items()
    ]


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
    packed: PackedPairs  # segmentations are in the order of documents, then coders
    scores: Scores

    @property
    def n_pairs(self) -> int:
        """Number of pairs of codings: two coders on one document."""
        return len(self.documents) * len(self.coders) * (len(self.coders) - 1) // 2

    @property
    def positions(self) -> list[int]:
        """Potential boundaries of each document."""
        units: list[int] = self.packed.n_units[:: len(self.coders)].tolist()
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
            return self.packed.n_boundaries.reshape(shape)
        place = {kind: i for i, kind in enumerate(self.types)}
        table = np.zeros((len(self.packed.segmentations), len(self.types)), dtype=np.int64)
        for row, segmentation in zip(table, self.packed.segmentations, strict=True):
            for _, kind in segmentation.boundaries:
                row[place[kind]] += 1
        return table.reshape(shape)

    @cached_property
    def n_boundaries(self) -> int:
        """Boundaries in all codings."""
        if self.types == (PLAIN_TYPE,):
            return len(self.packed.positions)
        return int(self.boundaries.sum())

    @cached_property
    def edits(self) -> tuple[int, int, int]:
        """Additions, substitutions and transpositions of all pairs, at the metric's n_t (else 2)."""
        if isinstance(self.metric, EditMetric):
            method, weights = self.metric.method, self.metric.weights
        else:
            method, weights = "greedy", make_weights(DEFAULT_N_T, "scaled", "scaled", 0.0, None)
        if self.packed.is_plain:
            many = count_edits_many(self.packed, method, weights)
            return int(many.additions.sum()), 0, int(many.transpositions.sum())
        total = np.zeros(3, dtype=np.int64)
        for reference, hypothesis in self.packed:
            one = count_edits(reference, hypothesis, method, weights)
            total += (one.additions, one.substitutions, one.transpositions)
        return int(total[0]), int(total[1]), int(total[2])


def count_pairs(
    corpus: Corpus, metric: Metric, coders: Sequence[str], documents: Sequence[str]
) -> PairCounts:
    """Compare every two of these coders on every one of these documents, all of which they have coded.

    >>> from caesura import load_stargazers, metric
    >>> corpus = load_stargazers()
    >>> count_pairs(corpus, metric("B"), corpus.coders, corpus.documents).scores.micro
    <B 0.530055 = 97/183, 21 pairs>
    """
    n = len(coders)
    first, second = _coder_pairs(n, metric.symmetric)
    codings = [corpus.codings[document] for document in documents]
    segmentations: list[Segmentation] = [coded[coder] for coded in codings for coder in coders]
    starts = n * np.arange(len(documents))[:, None]
    packed = pack_pairs(segmentations, (starts + first).ravel(), (starts + second).ravel())
    if corpus.type_scheme is not None:
        types = corpus.type_scheme.types or (PLAIN_TYPE,)
    elif packed.is_plain:
        types = (PLAIN_TYPE,)
    else:
        types = tuple(sorted({kind for segmentation in segmentations for kind in segmentation.types}))
    return PairCounts(
        metric, tuple(coders), tuple(documents), types, first, second, packed, metric.over(packed)
    )


@lru_cache(maxsize=64)
def _coder_pairs(n: int, symmetric: bool) -> tuple[IntArray, IntArray]:
    """Return the numbers of the first and of the second coder of every pair, both ways unless symmetric."""
    first, second = np.triu_indices(n, 1)
    if not symmetric:
        first, second = np.concatenate((first, second)), np.concatenate((second, first))
    first.flags.writeable = second.flags.writeable = False
    return first, second

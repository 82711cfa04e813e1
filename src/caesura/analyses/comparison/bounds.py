"""Bounds of performance (Fournier 2013, thesis, §4.3): segmenters without any skill, and the central coder.

Lower bounds are segmenters: random with the coders' boundary density, no boundaries, all boundaries, and as
many boundaries as the coders place, evenly spread. Each boundary type has its own density. In hierarchies a
position has at most one rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caesura.arrays import FloatArray, IntArray, bincount, repeat
from caesura.errors import CorpusError, ParameterError
from caesura.metrics.base import Metric
from caesura.pairs import every_two, sum_by
from caesura.simulation import sample_positions_many
from caesura.stats.resampling import pooled
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus
from caesura.values.segmentation import MAX_DENSE_UNITS, PLAIN_TYPE

# -------------------------------------------------------------------- lower bounds


@dataclass(frozen=True, eq=False)
class CodersHabits:
    """The number of boundaries of each type that the coders of each document place."""

    corpus: Corpus

    @cached_property
    def types(self) -> tuple[int, ...]:
        """The boundary types that are declared, otherwise those that occur; without any, the plain one."""
        return self.corpus.types or (PLAIN_TYPE,)

    @cached_property
    def n_positions(self) -> IntArray:
        """Potential boundaries of each document."""
        return self.corpus.document_units - 1

    @cached_property
    def boundaries(self) -> FloatArray:
        """Mean number of boundaries by document and type."""
        codings = self.corpus.codings
        index = np.searchsorted(self.types, codings.all_types)
        cell = self.corpus.document[codings.coding] * len(self.types) + index
        counts = bincount(cell, minlength=len(self.n_positions) * len(self.types))
        means: FloatArray = counts.reshape(-1, len(self.types)) / self.corpus.n_coders[:, None]
        return means

    @cached_property
    def density(self) -> FloatArray:
        """Boundaries per potential boundary, by document and type; 0 for a document of one unit."""
        return self.boundaries / np.maximum(1, self.n_positions)[:, None]


def _random(habits: CodersHabits, generator: np.random.Generator) -> Columns:
    """Mark each position with the density of each type."""
    numbers = generator.binomial(habits.n_positions[:, None], np.minimum(1.0, habits.density))
    if not habits.corpus.is_hierarchical:
        drawn = [sample_positions_many(habits.n_positions, own, generator) for own in numbers.T]
        return _of_each_type(habits, drawn, habits.types)
    # A position has one rank: with more boundaries than positions, the least prominent are left out.
    ends = np.minimum(np.cumsum(numbers, axis=1), habits.n_positions[:, None])
    owner, positions = sample_positions_many(habits.n_positions, ends[:, -1], generator)
    order = np.lexsort((generator.random(len(owner)), owner))
    index = np.arange(len(owner)) - np.searchsorted(owner, owner)
    rank = (index[:, None] >= ends[owner]).sum(axis=1)
    return _columns(habits, owner, positions[order], np.asarray(habits.types)[rank])


def _none(habits: CodersHabits, _: np.random.Generator) -> Columns:
    """Mark nothing."""
    return _columns(habits, *[np.empty(0, dtype=np.int64)] * 3)


def _all(habits: CodersHabits, _: np.random.Generator) -> Columns:
    """Mark every position with every type; in hierarchies with the most frequent rank."""
    longest = int(np.argmax(habits.n_positions))
    if habits.n_positions[longest] >= MAX_DENSE_UNITS:
        name, n_units = habits.corpus.documents[longest], habits.n_positions[longest] + 1
        raise ParameterError(f"document {name}: cannot mark every position of {n_units} units")
    types = habits.types
    if habits.corpus.is_hierarchical:
        types = (types[int(np.argmax(habits.boundaries.sum(axis=0)))],)
    owner = repeat(np.arange(len(habits.n_positions)), habits.n_positions)
    positions = np.arange(len(owner)) - np.searchsorted(owner, owner) + 1
    return _of_each_type(habits, [(owner, positions)] * len(types), types)


def _uniform(habits: CodersHabits, _: np.random.Generator) -> Columns:
    """Spread the coders' mean number of boundaries of each type evenly; in hierarchies of all ranks."""
    n_units, numbers = habits.n_positions + 1, np.rint(habits.boundaries).astype(np.int64)
    if not habits.corpus.is_hierarchical:
        return _of_each_type(habits, [_spread(n_units, own) for own in numbers.T], habits.types)
    ends = np.minimum(np.cumsum(numbers, axis=1), habits.n_positions[:, None])
    owner, positions = _spread(n_units, ends[:, -1])
    # Ranks take turns, each as often as the coders use it: the i-th of m comes at (i + 1/2) / m.
    shares = np.diff(ends, axis=1, prepend=0)
    turns = [_spread_turns(shares[:, i], rank) for i, rank in enumerate(habits.types)]
    whose, when, rank = (np.concatenate(sides) for sides in zip(*turns, strict=True))
    return _columns(habits, owner, positions, rank[np.lexsort((when, whose))])


def _spread(n_units: IntArray, n: IntArray) -> tuple[IntArray, IntArray]:
    """Put n boundaries into each document so that segments are as equal as whole numbers allow."""
    owner = repeat(np.arange(len(n)), n)
    index = np.arange(len(owner)) - np.searchsorted(owner, owner) + 1
    segments = n[owner] + 1
    return owner, (2 * index * n_units[owner] + segments) // (2 * segments)


def _spread_turns(n: IntArray, rank: int) -> tuple[IntArray, FloatArray, IntArray]:
    owner = repeat(np.arange(len(n)), n)
    index = np.arange(len(owner)) - np.searchsorted(owner, owner)
    return owner, (index + 0.5) / np.maximum(1, n)[owner], np.full(len(owner), rank)


def _of_each_type(
    habits: CodersHabits, parts: Sequence[tuple[IntArray, IntArray]], types: Sequence[int]
) -> Columns:
    """Return owners and positions of each type as columns."""
    owner, positions = (np.concatenate(sides) for sides in zip(*parts, strict=True))
    return _columns(habits, owner, positions, repeat(types, [len(own) for own, _ in parts]))


def _columns(habits: CodersHabits, owner: IntArray, positions: IntArray, types: IntArray) -> Columns:
    return Columns.of_marks(habits.n_positions + 1, owner, positions, types)


LOWER_BOUNDS = {"random": _random, "none": _none, "all": _all, "uniform": _uniform}
"""Every lower bound by name."""

CHANCE = "chance"
"""The name of "random" in tables and figures, since a segmenter may be called Random."""


def bound_columns(habits: CodersHabits, kind: str, generator: np.random.Generator) -> Columns:
    """Return one coding of each document by a lower bound; "random" draws one."""
    return LOWER_BOUNDS[kind](habits, generator)


# -------------------------------------------------------------------- upper bound


def coder_scores(corpus: Corpus, metric: Metric) -> dict[str, float]:
    """Return the pooled score of each coder against all others on the documents that they share.

    >>> from caesura import metric
    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 9], "cy": [11]}})
    >>> {coder: round(score, 2) for coder, score in coder_scores(corpus, metric("B")).items()}
    {'ann': 0.25, 'bob': 0.33, 'cy': 0.0}
    """
    pairs = every_two(corpus, both_ways=True)  # each coder of a pair is the hypothesis once
    if not len(pairs):
        raise CorpusError("no document has two coders, which a human upper bound needs")
    coders, number = np.unique(corpus.coder[pairs.second], return_inverse=True)
    values = pooled(metric, sum_by(metric.over(pairs).unscaled, number, len(coders)))
    return dict(zip((corpus.coders[coder] for coder in coders.tolist()), values.tolist(), strict=True))


def central_coder(corpus: Corpus, metric: Metric) -> str:
    """Return the coder with the best pooled score against the others; the first of equals."""
    scores = coder_scores(corpus, metric)
    return min(scores, key=lambda coder: metric.distance_from_best(scores[coder]))

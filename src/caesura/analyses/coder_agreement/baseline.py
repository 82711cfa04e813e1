"""What agreement would be if each coder placed as many boundaries at random: the real meaning of "chance".

A_e is the chance that two coders mark one slot, which is less than the similarity that random coders reach:
B leaves unmarked positions out and credits near misses, and S counts unmarked positions as agreement. So a
coefficient of 0 is not what chance gives, and z against 0 rejects too easily. This is a randomisation test
against codings with the same number of boundaries of each type in every document, at random positions; in
hierarchies no position has two ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.coefficients import Ratio, finish
from caesura.analyses.coder_agreement.groups import CoderGroups, summable
from caesura.analyses.coder_agreement.observed import PairTable
from caesura.kernel.batch import PackedPairs
from caesura.metrics.base import Metric
from caesura.pairs import every_two
from caesura.simulation import sample_positions_many
from caesura.values.columns import Columns
from caesura.values.corpus import Corpus

FEWEST_ROUNDS, MOST_ROUNDS = 20, 100
"""Fewest rounds of random codings that allow p ≤ 0.05, and most."""

MOST_BOUNDARIES = 20_000_000
"""Most boundaries that are compared unasked to say what chance would give (a second or two)."""

DEARER = 10
"""How much longer it takes to compare boundaries of several types."""


def quick_rounds(corpus: Corpus) -> int:
    """Return how many rounds of random codings to make where nobody has said; 0 if too few would be quick.

    >>> corpora = [Corpus.from_dict({"d": dict.fromkeys("abc", [1] * n)}) for n in (100, 50_000, 1_000_000)]
    >>> [quick_rounds(corpus) for corpus in corpora]
    [100, 44, 0]
    """
    coders = corpus.n_coders[corpus.document]
    compared = int((coders * (corpus.codings.n_boundaries + 1)).sum())
    if not corpus.codings.is_plain:
        compared *= DEARER
    rounds = min(MOST_ROUNDS, MOST_BOUNDARIES // max(1, compared))
    return rounds if rounds >= FEWEST_ROUNDS else 0


@dataclass(frozen=True)
class RandomAgreement:
    """The coefficient of random codings: its mean, and how often it was as high as the real one."""

    mean: float
    p_value: float
    """(rounds with at least the real value + 1) / (rounds + 1)."""
    values: tuple[float, ...] = field(repr=False)


class Asked(NamedTuple):
    """Of what random coders are measured."""

    group: int | None
    """The number of a group of the corpus; None: all documents with at least two coders."""
    expected: Ratio[float]
    """The real expected agreement, which stays where the numbers of boundaries do."""
    value: float
    """The real coefficient."""


def random_agreement(
    corpus: Corpus, metric: Metric, asked: Sequence[Asked], n_rounds: int, rng: np.random.Generator
) -> list[RandomAgreement]:
    """Measure random codings of a corpus n_rounds times, with the same numbers of boundaries."""
    groups = CoderGroups(corpus)
    pairs = every_two(corpus, both_ways=not metric.symmetric)
    found = np.empty((n_rounds, len(asked)))
    for by_asked in found:
        codings = shuffled(groups, rng)
        packed = PackedPairs(codings, codings, pairs.first, pairs.second)
        table = PairTable(metric, groups, packed, metric.over(packed))
        counts = groups.sum_documents(summable(table.by_document)).tolist()
        of_all = [sum(column) for column in zip(*counts, strict=True)]
        by_asked[:] = [
            finish(
                Ratio(*metric.fraction(tuple(of_all if one.group is None else counts[one.group]))[:2]),
                one.expected,
            )
            for one in asked
        ]
    p_values = ((found >= np.array([one.value for one in asked])).sum(axis=0) + 1) / (n_rounds + 1)
    return [
        RandomAgreement(float(by_round.mean()), float(p_value), tuple(by_round.tolist()))
        for by_round, p_value in zip(found.T, p_values, strict=True)
    ]


def shuffled(groups: CoderGroups, rng: np.random.Generator) -> Columns:
    """Move every boundary of a corpus to a random position, those of one type to different ones."""
    codings, marks = groups.corpus.codings, groups.marks
    positions_of = codings.n_units - 1
    if codings.types is None:
        _, positions = sample_positions_many(positions_of, codings.n_boundaries, rng)
        return Columns(codings.n_units, codings.offsets, positions)
    if groups.corpus.is_hierarchical:  # one rank each
        coding, positions = sample_positions_many(positions_of, codings.n_boundaries, rng)
        types = codings.types[np.lexsort((rng.random(len(coding)), coding))]
        return Columns(codings.n_units, codings.offsets, positions, types)
    coding = marks.owner
    owner, positions = sample_positions_many(positions_of[coding], marks.number, rng)
    types = groups.kinds[marks.kind[owner]]
    order = np.lexsort((types, positions, coding[owner]))
    return Columns(codings.n_units, codings.offsets, positions[order], types[order])

"""What agreement would be if each coder placed as many boundaries at random: the real meaning of "chance".

A_e is the chance that two coders mark one slot, which is less than the similarity that random coders reach:
B leaves unmarked positions out and credits near misses, and S counts unmarked positions as agreement. So a
coefficient of 0 is not what chance gives, and z against 0 rejects too easily. This is a randomisation test
against codings with the same number of boundaries of each type in every document, at random positions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient, Ratio, exact_sums, finish
from caesura.analyses.coder_agreement.observed import PairCounts
from caesura.kernel.batch import PackedPairs
from caesura.values.columns import Columns
from caesura.values.segmentation import Segmentation

FEWEST_ROUNDS, MOST_ROUNDS = 20, 100
"""Fewest rounds of random codings that allow p ≤ 0.05, and most."""

MOST_CODINGS = 50_000
"""Most random codings that are made unasked to say what chance would give (a second or two)."""


def quick_rounds(n_codings: int) -> int:
    """Return how many rounds of random codings to make where nobody has said; 0 if too few would be quick.

    >>> quick_rounds(108), quick_rounds(1000), quick_rounds(10_000)
    (100, 50, 0)
    """
    rounds = min(MOST_ROUNDS, MOST_CODINGS // max(1, n_codings))
    return rounds if rounds >= FEWEST_ROUNDS else 0


@dataclass(frozen=True)
class RandomAgreement:
    """The coefficient of random codings: its mean, and how often it was as high as the real one."""

    mean: float
    p_value: float
    """(rounds with at least the real value + 1) / (rounds + 1)."""
    values: tuple[float, ...] = field(repr=False)


def random_agreement(
    counts: PairCounts,
    name: Coefficient,
    chance: Chance,
    value: float,
    n_rounds: int,
    rng: np.random.Generator,
) -> RandomAgreement:
    """Measure random codings of a group n_rounds times, with the same numbers of boundaries."""
    # The numbers of boundaries stay, and so does expected agreement.
    expected = exact_sums(counts, chance).expected(name)
    values = []
    for _ in range(n_rounds):
        codings = counts.codings
        shuffled = Columns.of([_shuffle(codings.segmentation(i), rng) for i in range(len(codings))])
        packed = PackedPairs(shuffled, shuffled, counts.packed.first, counts.packed.second)
        similar, compared, _ = counts.metric.fraction(counts.metric.over(packed).micro.counts)
        values.append(finish(Ratio(similar, compared), expected))
    at_least = sum(other >= value for other in values)
    return RandomAgreement(float(np.mean(values)), (at_least + 1) / (n_rounds + 1), tuple(values))


def _shuffle(segmentation: Segmentation, rng: np.random.Generator) -> Segmentation:
    """Move every boundary to a random position, those of one type to different ones."""
    n_units = segmentation.n_units
    if segmentation.is_plain:
        drawn = rng.choice(n_units - 1, segmentation.n_boundaries, replace=False, shuffle=False)
        return Segmentation.from_positions(np.sort(drawn + 1).tolist(), n_units)
    numbers = Counter(kind for _, kind in segmentation.boundaries)
    boundaries = sorted(
        (position + 1, kind)
        for kind, number in sorted(numbers.items())
        for position in rng.choice(n_units - 1, number, replace=False, shuffle=False).tolist()
    )
    return Segmentation.from_positions([p for p, _ in boundaries], n_units, [kind for _, kind in boundaries])

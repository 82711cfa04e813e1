"""What coders did, as counts: every two codings of every document compared once.

Observed agreement, its expectation, resampling and leaving coders out are all sums of these counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from caesura.alignment.counts import count_edits_many
from caesura.alignment.weights import make_weights
from caesura.analyses.coder_agreement.groups import CoderGroups, sum_slices, summable
from caesura.arrays import IntArray, NumberArray
from caesura.errors import ParameterError
from caesura.kernel.batch import PackedPairs
from caesura.metrics.base import Metric, Scores
from caesura.metrics.edit import EditMetric
from caesura.pairs import coder_pairs, every_two
from caesura.sums.tallies import whole
from caesura.values.corpus import Corpus
from caesura.values.strings import offsets_of

DEFAULT_N_T = 2
"""How far near misses reach when a metric does not know them."""


def check_similarity(metric: Metric) -> None:
    """Raise ParameterError when a metric is no similarity from 0 to 1, so that its value is no agreement."""
    if metric.direction != "higher" or (metric.low, metric.high) != (0.0, 1.0):
        raise ParameterError(
            f"{metric} is no similarity from 0 to 1, so chance cannot be taken off; choose B, Ba, Bc or S "
            "(coder_matrix shows any metric between coders)"
        )


class Totals(NamedTuple):
    """What coders did, a group's or all, summed over their documents; whole numbers of Python."""

    n_coders: int
    n_documents: int
    n_pairs: int
    """Pairs of codings: two coders on one document."""
    n_types: int
    positions: int
    slots: int
    """Potential boundaries of all codings: for a group, positions × coders."""
    pair_slots: int
    """Potential boundaries of all pairs of codings."""
    similar: float
    compared: float
    boundaries: int
    marked: int
    """Codings' positions with a boundary, whatever the number of types there."""
    together: int
    """Sum over types of the square of all coders' boundaries."""
    cubes: int
    """Sum over types of the cube of all coders' boundaries."""


class Differences(NamedTuple):
    """Edits between the coders of a group."""

    additions: int
    substitutions: int
    transpositions: int


@dataclass(frozen=True, eq=False)
class PairTable:
    """Every two codings of every document of a corpus, compared.

    Pairs are in the order of documents, and within one of its coders. A metric that treats its two sides
    differently compares each two both ways.
    """

    metric: Metric
    groups: CoderGroups
    pairs: PackedPairs
    scores: Scores

    @property
    def corpus(self) -> Corpus:
        """Whose codings were compared."""
        return self.groups.corpus

    @cached_property
    def starts(self) -> IntArray:
        """Where each document's pairs start, and where the last ones end."""
        n = self.corpus.n_coders
        return offsets_of(n * (n - 1) // (2 if self.metric.symmetric else 1))

    @cached_property
    def by_document(self) -> NumberArray:
        """The metric's counts of each document, over all its pairs."""
        return sum_slices(summable(self.scores.rows), self.starts)

    @cached_property
    def totals(self) -> list[Totals]:
        """What each group did."""
        groups, metric = self.groups, self.metric
        counts = groups.sum_documents(self.by_document).tolist()
        boundaries = marked = groups.sum_documents(groups.boundaries_by_document).tolist()
        if len(groups.kinds) == 1:
            squares, cubes = [n * n for n in boundaries], [n**3 for n in boundaries]
        else:
            marked = groups.sum_documents(groups.marked_by_document).tolist()
            squares, cubes = (groups.marks_by_group.powers(exponent).tolist() for exponent in (2, 3))
        sizes = (groups.n_coders.tolist(), groups.n_documents.tolist(), groups.n_types.tolist())
        columns = (*sizes, groups.n_positions, counts, boundaries, marked, squares, cubes)
        return [
            Totals(
                *(coders, documents, documents * coders * (coders - 1) // 2, types),
                *(positions, positions * coders, positions * coders * (coders - 1) // 2),
                *metric.fraction(tuple(row))[:2],
                *marks,
            )
            for coders, documents, types, positions, row, *marks in zip(*columns, strict=True)
        ]

    @cached_property
    def own(self) -> list[int]:
        """Sum over the coders of each group and types of the square of a coder's boundaries."""
        groups = self.groups
        squares: NumberArray = groups.boundaries_by_cell**2
        if len(groups.kinds) > 1:
            squares = groups.marks_by_cell.powers(2)
        found: list[int] = groups.sum_cells(squares).tolist()
        return found

    @cached_property
    def differences(self) -> list[Differences]:
        """The edits between each group's coders, at the metric's n_t (else 2)."""
        if isinstance(self.metric, EditMetric):
            method, weights = self.metric.method, self.metric.weights
        else:
            method, weights = "greedy", make_weights(DEFAULT_N_T, "scaled", "scaled", 0.0, None)
        edits = count_edits_many(self.pairs, method, weights)
        kinds = np.column_stack((edits.additions, edits.substitutions, edits.transpositions))
        found = self.groups.sum_documents(sum_slices(kinds, self.starts))
        return [Differences(*row) for row in found.tolist()]

    def pairs_of(self, group: int) -> IntArray:
        """Return the pairs of a group: documents × pairs of coders."""
        found = self.groups.groups[group]
        n_pairs = len(self.coder_pairs(group)[0])
        pairs: IntArray = self.starts[found.documents][:, None] + np.arange(n_pairs)
        return pairs

    def coder_pairs(self, group: int) -> tuple[IntArray, IntArray]:
        """Return the first and the second coder of each pair of a document, by their places in the group."""
        return coder_pairs(len(self.groups.groups[group].coders), not self.metric.symmetric)

    def part(self, rows: IntArray) -> PairTable:
        """Return the table of some codings of the corpus, by number; nothing is compared again."""
        corpus = self.corpus.take(rows)
        pairs = every_two(corpus, both_ways=not self.metric.symmetric)
        where = self._numbers(rows[pairs.first], rows[pairs.second])
        scores = Scores(self.metric, self.scores.rows[where], self.scores.scale)
        return PairTable(self.metric, CoderGroups(corpus), pairs, scores)

    def _numbers(self, first: IntArray, second: IntArray) -> IntArray:
        """Return the numbers of the pairs of these codings, two by two of one document."""
        slot = self.groups.slot
        document, one, other = self.corpus.document[first], slot[first], slot[second]
        n = self.corpus.n_coders[document]
        low, high = np.minimum(one, other), np.maximum(one, other)
        number: IntArray = self.starts[document] + low * (2 * n - low - 1) // 2 + high - low - 1
        if self.metric.symmetric:
            return number
        return number + np.where(one < other, 0, n * (n - 1) // 2)


def count_pairs(corpus: Corpus, metric: Metric) -> PairTable:
    """Compare every two codings of every document.

    >>> from caesura import load_stargazers, metric
    >>> count_pairs(load_stargazers(), metric("B")).scores.micro
    <B 0.530055 = 97/183, 21 pairs>
    """
    pairs = every_two(corpus, both_ways=not metric.symmetric)
    found = metric.over(pairs)
    scores = Scores(found.metric, *whole(found.rows, found.scale))  # their sums are the same in any order
    return PairTable(metric, CoderGroups(corpus), pairs, scores)

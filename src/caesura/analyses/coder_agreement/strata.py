"""Values of a stratum in memory: with documents drawn, of single documents, and without each coder.

Documents are drawn with replacement, and what those drawn add to the sums is added up. A single document is
resampled by positions, which is rougher: every match and edit belongs to a position (a near miss to its left
end), all coders' marks and all pairs' counts at a position are drawn together, but neighbouring positions are
taken as independent, which in a text they are not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from caesura.alignment.alignment import align
from caesura.alignment.counts import EditCounts
from caesura.alignment.packed import PackedPairs
from caesura.analyses.coder_agreement.coefficients import (
    BOUNDARIES,
    Expectation,
    check_types,
    coefficient_slopes,
    coefficient_values,
    corrected,
    undefined_group,
)
from caesura.analyses.coder_agreement.finish import Finisher
from caesura.analyses.coder_agreement.marks import Marks, patterns
from caesura.analyses.coder_agreement.question import AgreementQuestion, Contributions, Pool
from caesura.arrays import FloatArray, IntArray
from caesura.metrics.edit import EditMetric
from caesura.stats.outcome import Interval
from caesura.stats.resampling import MANY_DOCUMENTS, alike, chunks, draw
from caesura.sums.named import Name

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ALIGN_OPTIONS = ("n_t", "method", "transposition", "substitution", "w0", "types")
"""The parameters that edit metrics share with align()."""


@dataclass(frozen=True, eq=False)
class Items:
    """What is drawn, documents or positions of one, as columns of what each adds to the sums."""

    expectation: Expectation
    matrix: csr_array
    """Sums × items; of those that are alike, one."""
    number: IntArray
    """How many items a column stands for."""
    constant: FloatArray | None = None
    """What every resample has, whatever is drawn."""

    @cached_property
    def transposed(self) -> csr_array:
        """Items × sums."""
        return self.matrix.T.tocsr()

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return the sums where each item counts as often: items × resamples → sums × resamples."""
        sums: FloatArray = self.matrix @ weights
        return sums if self.constant is None else sums + self.constant[:, None]

    def values(self, sums: FloatArray) -> FloatArray:
        """Return the coefficient of each resample; NaN where it is not defined."""
        return coefficient_values(self.expectation, sums)

    def slopes(self, sums: FloatArray) -> FloatArray:
        """Return how the coefficient moves with each sum: its derivative, sums × resamples."""
        return coefficient_slopes(self.expectation, sums)

    def drawn_values(self, n_resamples: int, rng: np.random.Generator) -> FloatArray:
        """Return the coefficient in each resample, of as many items as there are."""
        values = np.empty(n_resamples)
        for start, stop in chunks(n_resamples, max(self.matrix.shape)):
            weights = draw(self.number, stop - start, rng).T.copy()
            values[start:stop] = self.values(self.sums(weights))
        return values


@dataclass(frozen=True, eq=False)
class Stratum:
    """Some documents, as the question sees them."""

    pool: Pool
    question: AgreementQuestion
    counted: Contributions | None = None
    """What all documents of the corpus add to the sums, where that is counted already."""

    @cached_property
    def contributions(self) -> Contributions:
        """What each document adds to the sums."""
        if self.counted is None:
            return self.pool.contributions(self.question.chance)
        return self.counted.part(self.pool.documents)

    @cached_property
    def finisher(self) -> Finisher:
        """The sums of all documents, and what follows."""
        scheme = self.pool.table.corpus.type_scheme
        declared = None if scheme is None else len(scheme.types)
        finisher = Finisher(self.question, self.contributions.sums(), declared, order=self.pool.coders)
        check_types(finisher.totals.n_types, self.question.chance)
        return finisher

    @property
    def value(self) -> float:
        """The coefficient; NaN where it is not defined."""
        finisher = self.finisher
        if undefined_group(finisher.totals) is not None:
            return math.nan
        return corrected(finisher.ratios.observed, finisher.ratios.expected(self.question.coefficient))

    def items(self, expectation: Expectation | None = None) -> Items:
        """Return the documents as what is drawn; others' sums may stand beside theirs (``expectation``)."""
        rates = expectation or self.finisher.expectation
        matrix = self.contributions.matrix(rates.names, self.pool.observed)
        return Items(rates, matrix, np.ones(len(self.pool.documents), dtype=np.int64))

    def interval(
        self, value: float, n_resamples: int, confidence: float, rng: np.random.Generator
    ) -> Interval | None:
        """Return the expanded percentile interval of the value; None where there is none."""
        if len(self.pool.documents) == 1:
            items = self._positions()
            if items is None or int(items.number.sum()) < 2:
                return None
            n_positions = int(items.number.sum())
            return self.finisher.interval_of(
                value, items.drawn_values(n_resamples, rng), confidence, n_positions
            )
        return self.finisher.interval_of(value, self._documents().drawn_values(n_resamples, rng), confidence)

    def document_values(self) -> FloatArray:
        """Return the coefficient of each document as if it were the only one."""
        items = self.items()
        values = np.empty(len(self.pool.documents))
        for start, stop in chunks(len(values), items.matrix.shape[0]):
            values[start:stop] = items.values(items.matrix[:, start:stop].toarray())
        return values

    def values_without(self) -> dict[str, float]:
        """Return the coefficient without each coder; NaN where it is not defined."""
        items = self.items()
        removed, observed = self.pool.without(self.question.chance)
        matrix = removed.matrix(items.expectation.names, observed)
        totals = items.sums(np.ones((len(self.pool.documents), 1)))
        values = np.empty(len(self.pool.coders))
        for start, stop in chunks(len(values), matrix.shape[0]):
            values[start:stop] = items.values(totals - matrix[:, start:stop].toarray())
        return dict(zip(self.pool.coders, values.tolist(), strict=True))

    # ---------------------------------------------------------------- items that are alike

    def _documents(self) -> Items:
        """Return the documents; where the same coders have coded many, those that are alike are one."""
        items, pool = self.items(), self.pool
        if len(pool.documents) < MANY_DOCUMENTS or bool((pool.n_coders < len(pool.coders)).any()):
            return items
        marks = pool.table.marks_by_document.take(pool.documents)
        if self.question.coefficient == "kappa":
            marks = _by_coder(pool.table.marks.take(pool.rows), len(pool.documents), len(pool.coders))
        counts = pool.table.by_document[pool.documents]
        rows = np.column_stack((counts, pool.positions, patterns(marks))).astype(np.float64)
        columns, number = alike(rows)
        return Items(items.expectation, items.matrix[:, columns], number)

    def _positions(self) -> Items | None:
        """Return the positions of a single document; None if the metric has no edits."""
        metric, pool, table = self.pool.table.metric, self.pool, self.pool.table
        if not isinstance(metric, EditMetric):
            return None
        codings, c = table.corpus.codings.take(pool.rows), len(pool.coders)
        places = np.unique(codings.positions)
        n_items = len(places) + 1  # the last: all positions that nobody has marked
        number = np.append(np.ones(len(places), dtype=np.int64), int(pool.positions[0]) - len(places))
        counts = _counts_by_position(metric, table.pairs.take(pool.pairs), places)
        position, kind = (
            np.searchsorted(places, codings.positions),
            np.searchsorted(table.kinds, codings.all_types),
        )
        types, each = table.kinds.tolist(), np.ones(len(position), dtype=np.int64)
        one = np.ones(n_items, dtype=np.int64)
        added = Contributions(n_items)
        added.add(("slots",), c * one)
        added.add_many([("boundaries",)], 0 * each, position, each)
        added.add_many([("type", name) for name in types], kind, position, each)
        for coder in pool.coders:
            added.add(("coder", coder), one)
        names: list[Name] = [("marks", coder, name) for coder in pool.coders for name in types]
        added.add_many(names, codings.coding * len(types) + kind, position, each)
        for pair in pool.coder_pairs[0]:
            added.add(("shared", *pair), one)
        length = int(pool.positions[0])
        added.add_many([("ratio", length)], 0 * each, position, (c - 1) * each)
        rates = self.finisher.expectation
        similar, compared, _ = metric.fraction(counts.T)
        matrix = added.matrix(rates.names, (similar, compared))
        constant = None
        if self.question.chance == "published":  # a coding has one segment more than boundaries
            more = {"marks": 1, "ratio": (c - 1) * c, "rated": c * (c - 1)}
            rows = [0.0] * (BOUNDARIES + 1)
            constant = np.array([*rows, *(float(more.get(str(name[0]), 0)) for name in rates.names)])
        columns = kind
        if self.question.coefficient == "kappa":
            columns = kind * c + codings.coding
        n_columns = len(types) * (c if self.question.coefficient == "kappa" else 1)
        keys, marks = np.unique(position * n_columns + columns, return_counts=True)
        pattern = patterns(Marks.of_keys(keys, marks, n_items, n_columns))
        chosen, number = alike(np.column_stack((counts, pattern)).astype(np.float64), number)
        return Items(rates, matrix[:, chosen], number, constant)


def _by_coder(marks: Marks, n_documents: int, n_coders: int) -> Marks:
    """Return the marks of codings, document after document, as those of documents by type and coder."""
    document, coder = np.divmod(marks.owner, n_coders)
    key = (document * marks.n_kinds + marks.kind) * n_coders + coder
    order = np.argsort(key)
    return Marks.of_keys(key[order], marks.number[order], n_documents, marks.n_kinds * n_coders)


def _counts_by_position(metric: EditMetric, pairs: PackedPairs, places: IntArray) -> FloatArray:
    """Return the metric's counts of each position, over all pairs; the last row is of those not marked."""
    weights = metric.weights
    options = {name: getattr(metric, name) for name in ALIGN_OPTIONS}
    edits = np.zeros((7, len(places) + 1))
    slots = 0

    def add(row: int, positions: Sequence[int], amounts: FloatArray | float = 1.0) -> None:
        np.add.at(edits[row], np.searchsorted(places, np.array(positions, dtype=np.int64)), amounts)

    for reference, hypothesis in pairs:
        pair = align(reference, hypothesis, **options)
        slots += weights.n_types(reference, hypothesis)
        type_range = weights.type_range(reference, hypothesis)
        add(0, [match.position for match in pair.matches])
        add(1, [one.position for one in pair.missed])
        add(2, [one.position for one in pair.spurious])
        exchanged = [one.position for one in pair.substitutions]
        moved = [one.start for one in pair.transpositions]
        add(3, exchanged)
        add(4, moved)
        costs = [weights.of_substitution(one[1], one[2], type_range) for one in pair.substitutions]
        add(5, exchanged, np.array(costs, dtype=np.float64))
        spans = np.array([one.distance for one in pair.transpositions], dtype=np.int64)
        weight, scale = weights.of_transpositions(np.ones_like(spans), spans)
        add(6, moved, weight / scale)
    counted = EditCounts._make((*edits, np.full(len(places) + 1, float(slots)), 1))
    return np.column_stack(metric.combine(counted))

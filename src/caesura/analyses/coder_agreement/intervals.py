"""Bootstrap intervals of agreement, from stored counts.

Documents are the unit: they are drawn with replacement, and the counts of those drawn are summed. A single
document is resampled by positions, which is rougher: every match and edit belongs to a position (a near miss
to its left end), all coders' marks and all pairs' counts at a position are drawn together, but neighbouring
positions are taken as independent, which in a text they are not.

Intervals are expanded for small samples. The sample is as large as the number of documents that count: long
ones and those with many coders decide more of the value than others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura.alignment.alignment import align
from caesura.alignment.counts import EditCounts
from caesura.analyses.coder_agreement.coefficients import Chance, Coefficient, Ratio, Sums, finish_many
from caesura.analyses.coder_agreement.contributions import COMPARED, contributions
from caesura.analyses.coder_agreement.groups import Marks
from caesura.analyses.coder_agreement.observed import PairTable
from caesura.analyses.coder_agreement.pool import Pool
from caesura.arrays import FloatArray, IntArray, NumberArray
from caesura.kernel.batch import PackedPairs
from caesura.metrics.base import Metric
from caesura.metrics.edit import EditMetric
from caesura.stats.intervals import effective_number, expanded_levels
from caesura.stats.outcome import Interval
from caesura.stats.resampling import MANY_DOCUMENTS, chunks, draw, interval_of, kinds

ALIGN_OPTIONS = ("n_t", "method", "transposition", "substitution", "w0", "types")
"""The parameters that edit metrics share with align()."""


@dataclass(frozen=True, eq=False)
class Items:
    """What is drawn, documents or positions of one; those that are alike stand in one row.

    Marks of κ* are by coder and type, those of π*, which pools the coders, by type: ``columns`` lists them,
    and what is 0 takes no room.
    """

    metric: Metric
    coefficient: Coefficient
    chance: Chance
    n_coders: int
    n_types: int
    n_documents: int
    number: IntArray  # how many items a row stands for
    counts: FloatArray  # rows × the metric's counts, over all pairs
    positions: FloatArray
    ratios: FloatArray | None  # segments per potential boundary; documents and chance="published" only
    row: IntArray  # of each mark, in the order of columns
    marks: FloatArray
    columns: IntArray  # where the marks of each type, or of each coder and type, start
    types: IntArray  # where the columns of each type start

    def values(self, weights: FloatArray) -> FloatArray:
        """Return the coefficient for each row of weights: how often each item is drawn."""
        totals = np.einsum("rd,dc->cr", weights, self.counts)
        by_column = np.add.reduceat(weights[:, self.row] * self.marks, self.columns, axis=1)
        by_type = np.add.reduceat(by_column, self.types, axis=1)
        similar, compared, _ = self.metric.fraction(totals)
        marks, positions = by_type.sum(axis=1), np.einsum("rd,d->r", weights, self.positions)
        sums: Sums[NumberArray] = Sums(
            Ratio(similar, compared),
            positions,
            np.array(self.n_coders),
            np.array(self.n_types),
            (by_column**2).sum(axis=1),
            (by_type**2).sum(axis=1),
        )
        if self.chance == "published":
            sums = sums.of_segments(marks, np.array(self.n_documents), self._rate(weights, marks, positions))
        return finish_many(sums, marks, self.coefficient)

    def _rate(self, weights: FloatArray, marks: FloatArray, positions: FloatArray) -> Ratio[NumberArray]:
        """Return the mean ratio of segments to potential boundaries."""
        if self.ratios is None:  # the positions of one document
            return Ratio(marks + self.n_coders, self.n_coders * positions)
        known = ~np.isnan(self.ratios)
        n_known = weights[:, known].sum(axis=1)
        # None: without positions, and so undefined anyway.
        return Ratio(np.einsum("rd,d->r", weights[:, known], self.ratios[known]), np.maximum(n_known, 1))


def bootstrap(
    table: PairTable,
    group: int,
    name: Coefficient,
    chance: Chance,
    value: float,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Interval | None:
    """Return the expanded percentile interval of a group's coefficient; None where there is none."""
    is_single = len(table.groups.groups[group].documents) == 1
    items = (position_items if is_single else document_items)(table, group, name, chance)
    # As many are drawn as there are documents or positions, however many of them are alike.
    n: float = 0 if items is None else int(items.number.sum())
    if items is None or n < 2:
        return None
    if not is_single:
        _, compared, _ = table.metric.fraction(items.counts.T)
        n = effective_number(np.asarray(compared, dtype=np.float64), items.number)
    values = np.empty(n_resamples)
    for start, stop in chunks(n_resamples, max(len(items.number), len(items.row))):
        values[start:stop] = items.values(draw(items.number, stop - start, rng))
    known = values[~np.isnan(values)]
    return interval_of(value, known, expanded_levels(confidence, n)) if len(known) else None


def pooled_bootstrap(
    pool: Pool,
    name: Coefficient,
    chance: Chance,
    value: float,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Interval | None:
    """Return the expanded percentile interval of the whole corpus's coefficient, over its documents."""
    (of_documents,) = contributions([pool], name, chance)
    n = of_documents.n_documents
    values = np.empty(n_resamples)
    for start, stop in chunks(n_resamples, max(n, of_documents.matrix.shape[0])):
        weights = draw(np.ones(n, dtype=np.int64), stop - start, rng)
        values[start:stop] = of_documents.values(of_documents.sums(weights.T.copy()))
    known = values[~np.isnan(values)]
    effective = effective_number(of_documents.matrix[[COMPARED]].toarray()[0])
    return interval_of(value, known, expanded_levels(confidence, effective)) if len(known) else None


def _items(
    table: PairTable,
    group: int,
    name: Coefficient,
    chance: Chance,
    counts: FloatArray,
    positions: FloatArray,
    marks: Marks,
    number: IntArray | None = None,
) -> Items:
    """Put items that are alike into one row, and their marks into the order of columns."""
    totals = table.totals[group]
    n = len(positions)
    pattern = like = np.arange(n)
    if number is not None or n >= MANY_DOCUMENTS:
        pattern, like = patterns(marks)
    rows, number = kinds(np.column_stack((counts, positions, pattern)), number)
    marks = marks.take(like[rows[:, -1].astype(np.int64)])
    positions = rows[:, -2]
    ratios = None
    if chance == "published" and totals.n_documents > 1:
        ratios = np.full(len(rows), np.nan)
        segments = marks.powers(1) + totals.n_coders
        np.divide(segments, totals.n_coders * positions, out=ratios, where=positions > 0)
    order = np.argsort(marks.kind, kind="stable")
    column = marks.kind[order]
    columns = np.flatnonzero(np.diff(column, prepend=-1))
    kind = column[columns] // (totals.n_coders if name == "kappa" else 1)
    return Items(
        metric=table.metric,
        coefficient=name,
        chance=chance,
        n_coders=totals.n_coders,
        n_types=totals.n_types,
        n_documents=totals.n_documents,
        number=number,
        counts=rows[:, :-2],
        positions=positions,
        ratios=ratios,
        row=marks.owner[order],
        marks=marks.number[order].astype(np.float64),
        columns=columns,
        types=np.flatnonzero(np.diff(kind, prepend=-1)),
    )


def patterns(marks: Marks) -> tuple[IntArray, IntArray]:
    """Return a number for each owner that is the same where all marks are, and an owner with each number.

    Owners are told apart by their first mark, those that are left by their second, and so on: all of it
    looks at each mark once.

    >>> marks = Marks(np.array([0, 2, 3, 5, 5]), np.array([0, 1, 0, 0, 1]), np.array([1, 1, 1, 1, 1]), 2)
    >>> patterns(marks)[0].tolist()
    [2, 1, 2, 0]
    """
    codes = np.unique(marks.kind + marks.n_kinds * marks.number, return_inverse=True)[1]
    n_codes = len(codes) + 1
    lengths = np.diff(marks.offsets)
    pattern = np.zeros(len(lengths), dtype=np.int64)
    left = np.flatnonzero(lengths)
    used = 1  # the number of those without any mark
    for depth in range(int(lengths.max(initial=0))):
        left = left[lengths[left] > depth]
        key = pattern[left] * n_codes + codes[marks.offsets[left] + depth]
        found, place = np.unique(key, return_inverse=True)
        pattern[left] = used + place
        used += len(found)
    like = np.zeros(used, dtype=np.int64)
    like[pattern] = np.arange(len(pattern))
    return pattern, like


# -------------------------------------------------------------------- documents


def document_items(table: PairTable, group: int, name: Coefficient, chance: Chance) -> Items:
    """Return a group's documents."""
    groups, found = table.groups, table.groups.groups[group]
    if name == "pi":
        marks = groups.marks_by_document.take(found.documents)
    else:
        marks = _by_coder(groups.marks.take(found.rows.ravel()), *found.rows.shape)
    counts = table.by_document[found.documents].astype(np.float64)
    return _items(table, group, name, chance, counts, groups.positions[found.documents].astype(float), marks)


def _by_coder(marks: Marks, n_documents: int, n_coders: int) -> Marks:
    """Return the marks of codings, document after document, as those of documents by type and coder."""
    document, coder = np.divmod(marks.owner, n_coders)
    key = (document * marks.n_kinds + marks.kind) * n_coders + coder
    order = np.argsort(key)
    return Marks.of_keys(key[order], marks.number[order], n_documents, marks.n_kinds * n_coders)


# -------------------------------------------------------------------- positions


def position_items(table: PairTable, group: int, name: Coefficient, chance: Chance) -> Items | None:
    """Return the positions of a single document; None if the metric has no edits."""
    metric = table.metric
    if not isinstance(metric, EditMetric):
        return None
    groups, totals = table.groups, table.totals[group]
    codings = groups.corpus.codings.take(groups.groups[group].rows[0])
    places = np.unique(codings.positions)
    column, n_columns = np.searchsorted(groups.kinds, codings.all_types), len(groups.kinds)
    if name == "kappa":
        column, n_columns = column * totals.n_coders + codings.coding, n_columns * totals.n_coders
    key = np.searchsorted(places, codings.positions) * n_columns + column
    # One more row for all positions that nobody has marked.
    keys, number_of_marks = np.unique(key, return_counts=True)
    marks = Marks.of_keys(keys, number_of_marks, len(places) + 1, n_columns)
    number = np.append(np.ones(len(places), dtype=np.int64), totals.positions - len(places))
    counts = _counts_by_position(metric, table.pairs.take(table.pairs_of(group)[0]), places)
    return _items(table, group, name, chance, counts, np.ones(len(number)), marks, number)


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

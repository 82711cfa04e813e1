"""Bootstrap intervals of agreement, from stored counts.

Documents are the unit: they are drawn with replacement, and the counts of those drawn are summed. A single
document is resampled by positions, which is rougher: every match and edit belongs to a position (a near miss
to its left end), all coders' marks and all pairs' counts at a position are drawn together, but neighbouring
positions are taken as independent, which in a text they are not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.alignment.alignment import align
from caesura.alignment.counts import EditCounts
from caesura.analyses.coder_agreement.coefficients import (
    Chance,
    Coefficient,
    Ratio,
    Sums,
    coefficient,
    segment_ratios,
)
from caesura.analyses.coder_agreement.observed import PairCounts
from caesura.arrays import FloatArray
from caesura.metrics.edit import EditMetric
from caesura.stats.intervals import expanded_levels

MAX_DRAWS = 2_000_000
"""Most cells of the table of draws that are held at a time."""

ALIGN_OPTIONS = ("n_t", "method", "transposition", "substitution", "w0", "types")
"""The parameters that edit metrics share with align()."""


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


class Items(NamedTuple):
    """What is drawn, documents or positions: their counts, and how many there are of each."""

    counts: FloatArray  # items × the metric's counts, over all pairs
    marks: FloatArray  # items × coders × types
    positions: FloatArray
    ratios: FloatArray | None  # segments per potential boundary; chance="published" only
    multiplicity: FloatArray  # 1 for documents


def document_items(counts: PairCounts, chance: Chance) -> Items:
    """Return a group's documents."""
    n = len(counts.documents)
    rows = np.asarray(counts.scores.rows, dtype=np.float64).reshape(n, len(counts.first), -1).sum(axis=1)
    ratios = None
    if chance == "published":
        by_document = segment_ratios(counts, range(len(counts.coders)))
        ratios = np.array([np.nan if ratio is None else float(ratio) for ratio in by_document])
    positions = np.array(counts.positions, dtype=np.float64)
    return Items(rows, counts.boundaries.astype(np.float64), positions, ratios, np.ones(n))


def position_items(counts: PairCounts) -> Items | None:
    """Return the positions of a single document, alike ones as one item; None if the metric has no edits."""
    metric = counts.metric
    if not isinstance(metric, EditMetric):
        return None
    codings = counts.codings
    marked = np.unique(codings.positions)
    place = {position: i for i, position in enumerate(marked.tolist())}
    kinds = {kind: i for i, kind in enumerate(counts.types)}
    marks = np.zeros((len(marked) + 1, len(counts.coders), len(counts.types)))  # the last one: not marked
    columns = (codings.coding, codings.positions, codings.all_types)
    for coder, position, kind in zip(*(column.tolist() for column in columns), strict=True):
        marks[place[position], coder, kinds[kind]] += 1
    matches, only_ref, only_hyp, exchanges, moves, exchange_weight, move_weight = np.zeros((7, len(marks)))
    slots = 0
    options = {name: getattr(metric, name) for name in ALIGN_OPTIONS}
    for reference, hypothesis in counts.packed:
        pair = align(reference, hypothesis, **options)
        slots += metric.weights.n_types(reference, hypothesis)
        for match in pair.matches:
            matches[place[match.position]] += 1
        for addition in pair.additions:
            (only_ref if addition.side == "reference" else only_hyp)[place[addition.position]] += 1
        for exchange in pair.substitutions:
            exchanges[place[exchange.position]] += 1
            exchange_weight[place[exchange.position]] += float(pair.weight(exchange))
        for move in pair.transpositions:
            moves[place[move.start]] += 1
            move_weight[place[move.start]] += float(pair.weight(move))
    edits = EditCounts[FloatArray](
        matches,
        only_ref,
        only_hyp,
        exchanges,
        moves,
        exchange_weight,
        move_weight,
        slots=np.full(len(marks), float(slots)),
        scale=1,
    )
    rows = np.column_stack(metric.combine(edits))
    multiplicity = np.ones(len(marks))
    multiplicity[-1] = counts.n_positions - len(marked)
    # Positions with the same counts are drawn as one: it is the same distribution with far fewer cells.
    alike = np.column_stack((rows, marks.reshape(len(rows), -1)))
    _, index, inverse = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    alike_positions = np.bincount(inverse.ravel(), weights=multiplicity).astype(np.float64)
    return Items(rows[index], marks[index], np.ones(len(index)), None, alike_positions)


def values_of(
    items: Items, weights: FloatArray | None, counts: PairCounts, name: Coefficient, chance: Chance
) -> FloatArray:
    """Return the coefficient of each row of weights (how often each item is drawn), or of each item alone."""
    totals, marks, positions, ratios, _ = items
    if weights is not None:
        totals, positions = weights @ totals, weights @ positions
        marks = np.tensordot(weights, marks, axes=1)
        if ratios is not None:
            known = ~np.isnan(ratios)
            n_known = np.maximum(weights[:, known].sum(1), 1)  # 0: without positions, and so undefined anyway
            ratios = weights[:, known] @ ratios[known] / n_known
    empty = marks.sum((1, 2)) == 0
    if chance == "published":
        marks = marks + (1 if weights is None else len(counts.documents))
        if ratios is None:  # the positions of one document
            ratios = marks.mean((1, 2)) / positions
    similar, compared, _ = counts.metric.fraction(totals.T)
    sums = Sums(Ratio(similar, compared), marks, positions, ratios)
    expected = sums.expected(name)
    values = coefficient(sums.observed, expected)
    defined = ~empty & (expected.numerator < expected.denominator) & (values.denominator != 0)
    found = np.full(len(empty), np.nan)
    np.divide(values.numerator, values.denominator, out=found, where=defined)
    return found


def bootstrap(
    counts: PairCounts,
    name: Coefficient,
    chance: Chance,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Interval | None:
    """Return the expanded percentile interval of a group's coefficient; None where there is none."""
    single = len(counts.documents) == 1
    items = position_items(counts) if single else document_items(counts, chance)
    if items is None:
        return None
    n_items = len(items.positions)
    parts = []
    for start in range(0, n_resamples, max(1, MAX_DRAWS // n_items)):
        n = min(n_resamples - start, max(1, MAX_DRAWS // n_items))
        draws = _draw_positions(items, counts, n, rng) if single else _draw_documents(n_items, n, rng)
        parts.append(values_of(items, draws, counts, name, chance))
    values = np.concatenate(parts)
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    low, high = np.quantile(values, expanded_levels(confidence, n_items))
    return Interval(float(low), float(high))


def _draw_documents(n_items: int, n: int, rng: np.random.Generator) -> FloatArray:
    drawn = rng.integers(n_items, size=(n, n_items)) + n_items * np.arange(n)[:, None]
    return np.bincount(drawn.ravel(), minlength=n * n_items).reshape(n, n_items).astype(np.float64)


def _draw_positions(items: Items, counts: PairCounts, n: int, rng: np.random.Generator) -> FloatArray:
    shares = items.multiplicity / items.multiplicity.sum()
    return rng.multinomial(counts.n_positions, shares, size=n).astype(np.float64)


def values_by_document(counts: PairCounts, name: Coefficient, chance: Chance) -> FloatArray:
    """Return the coefficient of each document alone; NaN where it is not defined."""
    return values_of(document_items(counts, chance), None, counts, name, chance)

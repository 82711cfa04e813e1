"""Intervals and tests from resampled documents, by sums of stored counts: no metric is computed again.

Counts are an array documents × segmenters × counts, summed over the coders of each document. Documents are
drawn, or their segmenters exchanged, as wholes: what happens inside a document, where codings and boundary
pairs depend on each other, stays together. A value is the finisher of summed counts (a micro-average); for a
mean of documents' values, ``mean_counts`` and ``MEAN`` take the place of counts and metric.

Sums run without BLAS and draws in one stream, so a seed gives the same output whatever the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from caesura.arrays import FloatArray, IntArray
from caesura.checks import Seed, as_generator, check_share
from caesura.errors import ParameterError
from caesura.stats.choosing import holm
from caesura.stats.intervals import expanded_levels
from caesura.stats.outcome import Contrast, Interval, Intervals, Omnibus, TestReport, undefined

Progress = Callable[[int, int], None]

MAX_CELLS = 2_000_000
"""Most cells of a table of draws that are held at a time."""

FEW_TO_RESAMPLE = 40
"""Below, a bootstrap at α = 0.05 is wrong in over 6 % of cases: P(|t_{n−1}| > 1.96 √((n − 1) / n))."""

MANY_DOCUMENTS = 1000
"""From here on it pays to look for documents with the same counts."""

TOLERANCE = 1e-12
"""Differences that are equal but for rounding count as equal."""

WON = "documents won minus lost, share"


class Finisher(Protocol):
    """What a metric is for here: summed counts become numerator, denominator and the value without one."""

    def fraction(self, counts: Any) -> tuple[Any, Any, Any]: ...


@dataclass(frozen=True)
class MeanOfValues:
    """The finisher of ``mean_counts``."""

    def fraction(self, counts: Any) -> tuple[Any, Any, Any]:
        """Sum over number."""
        total, number = counts
        return total, number, math.nan


MEAN = MeanOfValues()


def mean_counts(values: ArrayLike) -> FloatArray:
    """Return values, documents × segmenters, as counts whose pooled value is their mean (a macro-average).

    >>> counts = mean_counts([[0.5, 1.0], [0.0, 0.5]])
    >>> pooled(MEAN, counts.sum(axis=0)).tolist()
    [0.25, 0.75]
    """
    table = np.asarray(values, dtype=np.float64)
    return np.stack((table, np.ones_like(table)), axis=-1)


def pooled(metric: Finisher, totals: ArrayLike) -> FloatArray:
    """Return the values of summed counts, whose last axis is the metric's counts.

    >>> from caesura import metric
    >>> pooled(metric("B"), [[3, 4], [0, 0]]).tolist()
    [0.75, 1.0]
    """
    numerator, denominator, empty = metric.fraction(np.moveaxis(np.asarray(totals), -1, 0))
    values = np.array(np.broadcast_to(empty, np.shape(numerator)), dtype=np.float64)
    np.divide(numerator, denominator, out=values, where=np.asarray(denominator) != 0)
    return values


# -------------------------------------------------------------------- bootstrap


def bootstrap_values(
    metric: Finisher, counts: ArrayLike, *, n_resamples: int, rng: Seed, progress: Progress | None = None
) -> FloatArray:
    """Return the segmenters' values in each resample of the documents, drawn with replacement."""
    table = _as_counts(counts)
    n_documents, n_segmenters, n_counts = table.shape
    rows, number = kinds(table.reshape(n_documents, n_segmenters * n_counts))
    flat = rows.T.copy()
    generator = as_generator(rng)
    values = np.empty((n_resamples, n_segmenters))
    for start, stop in chunks(n_resamples, len(rows), progress):
        weights = draw(number, stop - start, generator)
        totals = np.einsum("rd,cd->rc", weights, flat)
        values[start:stop] = pooled(metric, totals.reshape(-1, n_segmenters, n_counts))
    return values


def kinds(rows: FloatArray, number: IntArray | None = None) -> tuple[FloatArray, IntArray]:
    """Return the rows that differ, and how many there are of each; ``number`` says how many a row stands for.

    Documents with the same counts are drawn as one: it is the same distribution, with far fewer cells.

    >>> rows, number = kinds(np.array([[2.0], [1.0], [2.0]]), np.array([1, 5, 3]))
    >>> rows.tolist(), number.tolist()
    ([[1.0], [2.0]], [5, 4])
    """
    if number is None and len(rows) < MANY_DOCUMENTS:
        return rows, np.ones(len(rows), dtype=np.int64)
    order = np.lexsort(rows.T)
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (np.diff(rows[order], axis=0) != 0).any(axis=1)
    starts = np.flatnonzero(is_new)
    if number is not None:
        return rows[order[starts]], np.add.reduceat(number[order], starts)
    if len(starts) > len(rows) // 4:
        return rows, np.ones(len(rows), dtype=np.int64)
    return rows[order[starts]], np.diff(np.append(starts, len(rows)))


def draw(number: IntArray, n_resamples: int, generator: np.random.Generator) -> FloatArray:
    """Return how often each kind is drawn in each resample of as many as there are."""
    n_kinds, total = len(number), int(number.sum())
    if n_kinds == total:
        drawn = generator.integers(total, size=(n_resamples, total)) + total * np.arange(n_resamples)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=n_resamples * total).reshape(n_resamples, total)
    else:
        counts = generator.multinomial(total, number / total, size=n_resamples)
    return counts.astype(np.float64)


def bootstrap_intervals(
    metric: Finisher,
    counts: ArrayLike,
    *,
    n_resamples: int = 9999,
    confidence: float = 0.95,
    rng: Seed = None,
    progress: Progress | None = None,
    differences: bool = True,
) -> Intervals:
    """Return bootstrap intervals of the pooled values and of their differences, clustered by document.

    Documents are drawn with replacement; all segmenters are valued on the same draws, so that the interval of
    a difference is one of paired values. Percentile intervals of few documents are too narrow; these are the
    expanded ones of Hesterberg (2015), between the quantiles Φ(±√(n / (n − 1)) t_{n−1}) of the resamples
    (``benchmarks/false_positives.py`` measures how often they hold the true value).

    >>> from caesura import metric
    >>> counts = [[[1, 2], [2, 2]], [[3, 5], [4, 5]], [[0, 4], [2, 4]]]
    >>> intervals = bootstrap_intervals(metric("B"), counts, n_resamples=99, rng=1)
    >>> round(intervals.segmenters[0].estimate, 3), round(intervals.differences[0, 1].estimate, 3)
    (0.364, -0.364)
    """
    table = _as_counts(counts)
    n_documents, n_segmenters, n_counts = table.shape
    check_share("confidence", confidence)
    pairs = list(combinations(range(n_segmenters), 2)) if differences else []
    by_count = table.reshape(n_documents, n_segmenters * n_counts).T.copy()  # sums in the order of memory
    estimates = pooled(metric, by_count.sum(axis=1).reshape(n_segmenters, n_counts))
    if n_documents < 2 or n_resamples < 1:
        reason = "fewer than two documents" if n_documents < 2 else "no resamples were asked for"
        levels = math.nan, math.nan
        values = np.full((1, n_segmenters), np.nan)
    else:
        reason = None
        levels = expanded_levels(confidence, n_documents)
        values = bootstrap_values(metric, table, n_resamples=n_resamples, rng=rng, progress=progress)
    return Intervals(
        tuple(interval_of(estimates[i], values[:, i], levels) for i in range(n_segmenters)),
        {
            (i, j): interval_of(
                _minus(estimates[i], estimates[j]), _minus(values[:, i], values[:, j]), levels
            )
            for i, j in pairs
        },
        confidence,
        n_documents,
        0 if reason else n_resamples,
        reason,
    )


def interval_of(estimate: Any, values: FloatArray, levels: tuple[float, float]) -> Interval:
    """Return the interval between two quantiles of the resampled values, and their standard deviation."""
    known = values[np.isfinite(values)]
    if len(known) < len(values):  # an infinite or undefined resample has no place between the others
        return Interval(float(estimate), math.nan, math.nan, math.nan)
    low, high = np.quantile(known, levels)
    error = float(known.std(ddof=1)) if len(known) > 1 else math.nan
    return Interval(float(estimate), float(low), float(high), error)


def paired_bootstrap(
    metric: Finisher,
    counts: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    n_resamples: int = 9999,
    alpha: float = 0.05,
    rng: Seed = None,
    progress: Progress | None = None,
) -> TestReport:
    """Test each two segmenters by a bootstrap of the documents, shifted to the null hypothesis.

    p = (1 + #{|d* − d| ≥ |d|}) / (1 + resamples), two-sided, where d is the difference of pooled values and
    d* that of a resample: the spread of d* around d stands for that of d around 0 (Noreen 1989; Efron &
    Tibshirani 1993, §16.4). Pairs are adjusted by Holm. With few documents that spread is too narrow: with 20
    of them p < 0.05 comes in 8 % instead of 5 % of comparisons without a difference, and three documents, of
    which a test can say nothing, get this:

    >>> from caesura import metric
    >>> counts = [[[1, 2], [2, 2]], [[3, 5], [4, 5]], [[0, 4], [2, 4]]]
    >>> paired_bootstrap(metric("B"), counts, n_resamples=99, rng=1).contrasts[0].p_value
    0.01

    ``randomization`` does not have this fault.
    """
    table = _as_counts(counts)
    n_documents = len(table)
    pairs = _pairs(table)
    _check_resamples(n_resamples)
    observed = pooled(metric, table.sum(axis=0))
    reason = "fewer than two documents" if n_documents < 2 else None
    p_values = np.full(len(pairs), np.nan)
    if reason is None:
        values = bootstrap_values(metric, table, n_resamples=n_resamples, rng=rng, progress=progress)
        for index, (i, j) in enumerate(pairs):
            difference = _minus(observed[i], observed[j])
            as_extreme = _at_least(_minus(_minus(values[:, i], values[:, j]), difference), difference)
            p_values[index] = (1 + as_extreme) / (1 + n_resamples)
    notes = [f"{n_resamples:,} resamples of {n_documents} documents"]
    if n_documents < FEW_TO_RESAMPLE:
        notes.append("a bootstrap of few documents makes p too small; randomisation does not")
    return _report("paired bootstrap by document", metric, table, names, p_values, alpha, None, notes, reason)


# -------------------------------------------------------------------- randomisation


def randomization(
    metric: Finisher,
    counts: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    n_resamples: int = 9999,
    alpha: float = 0.05,
    rng: Seed = None,
    progress: Progress | None = None,
) -> TestReport:
    """Test each two segmenters by exchanging them, document by document.

    If two segmenters are equally good, their outputs for a document might as well have been exchanged. p is
    the share of exchanges whose |difference of pooled values| is at least the observed one (Noreen 1989;
    Yeh 2000): of all 2^documents where these are no more than ``n_resamples``, else of random ones,
    as (count + 1) / (n + 1), never 0. Pairs are adjusted by Holm. With three or more segmenters an omnibus
    test permutes all of them within documents; its statistic is the largest difference.

    >>> from caesura import metric
    >>> counts = [[[1, 2], [2, 2]], [[3, 5], [4, 5]], [[0, 4], [2, 4]]]
    >>> randomization(metric("B"), counts).contrasts[0].p_value  # 2 of 2**3 exchanges
    0.25
    """
    table = _as_counts(counts)
    n_documents, n_segmenters, n_counts = table.shape
    pairs = _pairs(table)
    _check_resamples(n_resamples)
    sums = table.sum(axis=0)
    observed = pooled(metric, sums)
    generator = as_generator(rng)
    is_exact = n_documents < 63 and 2**n_documents <= n_resamples
    n_swaps = 2**n_documents if is_exact else n_resamples
    first, second = [i for i, _ in pairs], [j for _, j in pairs]
    # Exchanging documents S moves Σ_S (b − a) from one total to the other.
    moved = (table[:, second] - table[:, first]).reshape(n_documents, len(pairs) * n_counts).T.copy()
    as_extreme = np.zeros(len(pairs))
    n_permutations = n_resamples if n_segmenters > 2 else 0
    for start, stop in chunks(n_swaps, n_documents, progress, after=n_permutations):
        if is_exact:
            swaps = (np.arange(start, stop)[:, None] >> np.arange(n_documents) & 1).astype(np.float64)
        else:
            swaps = (generator.random((stop - start, n_documents)) < 0.5).astype(np.float64)
        shift = np.einsum("rd,cd->rc", swaps, moved).reshape(-1, len(pairs), n_counts)
        swapped = _minus(pooled(metric, sums[first] + shift), pooled(metric, sums[second] - shift))
        for index in range(len(pairs)):
            difference = _minus(observed[first[index]], observed[second[index]])
            as_extreme[index] += _at_least(swapped[:, index], difference)
    p_values = as_extreme / n_swaps if is_exact else (as_extreme + 1) / (n_swaps + 1)
    title = f"{'exact' if is_exact else 'approximate'} randomisation by document"
    notes = [f"{n_swaps:,} {'exchanges, all there are' if is_exact else 'random exchanges'}"]
    reason = None if n_documents else "no documents"
    omnibus = None
    if n_permutations:
        parts = chunks(n_permutations, table.size, progress, before=n_swaps)
        omnibus = _permute(metric, table, observed, n_permutations, generator, parts)
    return _report(title, metric, table, names, p_values, alpha, omnibus, notes, reason)


def _permute(
    metric: Finisher,
    table: FloatArray,
    observed: FloatArray,
    n_resamples: int,
    generator: np.random.Generator,
    parts: Iterator[tuple[int, int]],
) -> Omnibus:
    """Test all segmenters at once: permute them within each document, compare the largest differences."""
    name, effect_name = "permutation of segmenters", "largest difference"
    n_documents, n_segmenters, _ = table.shape
    if not n_documents:
        return undefined(name, effect_name, "no documents")
    largest = float(np.ptp(observed))
    labels = np.arange(n_segmenters)
    rows = np.arange(n_documents)[:, None]
    as_extreme = 0
    for start, stop in parts:
        order = np.broadcast_to(labels, (stop - start, n_documents, n_segmenters))
        values = pooled(metric, table[rows, generator.permuted(order, axis=2)].sum(axis=1))
        as_extreme += _at_least(np.ptp(values, axis=1), largest)
    return Omnibus(name, largest, (), (as_extreme + 1) / (n_resamples + 1), largest, effect_name)


# -------------------------------------------------------------------- what they share


def _as_counts(counts: ArrayLike) -> FloatArray:
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 3:
        raise ParameterError(f"expected counts as documents × segmenters × counts, got shape {table.shape}")
    if not np.isfinite(table).all():
        document, segmenter, _ = np.argwhere(~np.isfinite(table))[0]
        raise ParameterError(f"document {document}, segmenter {segmenter}: a count is not finite")
    return table


def _pairs(table: FloatArray) -> list[tuple[int, int]]:
    if table.shape[1] < 2:
        raise ParameterError("a test needs at least two segmenters")
    return list(combinations(range(table.shape[1]), 2))


def _check_resamples(n_resamples: int) -> None:
    if n_resamples < 1:
        raise ParameterError(f"n_resamples is {n_resamples}; a test needs at least 1")


def chunks(
    total: int, cells_each: int, progress: Progress | None = None, before: int = 0, after: int = 0
) -> Iterator[tuple[int, int]]:
    """Split the work so that memory stays bounded, and tell the progress within all that is to be done."""
    size = max(1, MAX_CELLS // max(1, cells_each))
    for start in range(0, total, size):
        stop = min(total, start + size)
        yield start, stop
        if progress is not None:
            progress(before + stop, before + total + after)


def _minus(first: Any, second: Any) -> Any:
    """Return the difference; that of two infinite values is NaN, without a warning."""
    with np.errstate(invalid="ignore"):
        return np.subtract(first, second)


def _at_least(values: FloatArray, observed: Any) -> int:
    """Count values as extreme as the observed one, either sign; what is undefined counts as extreme."""
    bound = abs(float(observed)) * (1 - TOLERANCE) - TOLERANCE
    return int(np.count_nonzero(~(np.abs(values) < bound)))


def _report(
    title: str,
    metric: Finisher,
    table: FloatArray,
    names: Sequence[str] | None,
    p_values: FloatArray,
    alpha: float,
    omnibus: Omnibus | None,
    notes: Sequence[str],
    reason: str | None,
) -> TestReport:
    n_documents, n_segmenters, _ = table.shape
    labels = [str(i) for i in range(n_segmenters)] if names is None else list(names)
    if len(labels) != n_segmenters:
        raise ParameterError(f"{n_segmenters} segmenters but {len(labels)} names")
    observed = pooled(metric, table.sum(axis=0))
    by_document = pooled(metric, table)
    pairs = _pairs(table)
    differences = np.array([_minus(observed[i], observed[j]) for i, j in pairs])
    p_values = np.where(np.isnan(differences) | (reason is not None), np.nan, p_values)
    adjusted = holm(p_values)
    contrasts = []
    for index, (i, j) in enumerate(pairs):
        won = np.sign(np.round(_minus(by_document[:, i], by_document[:, j]), 12))
        effect = float(np.nansum(won)) / n_documents if n_documents else math.nan
        difference, p_value = float(differences[index]), float(p_values[index])
        contrast = Contrast(
            labels[i], labels[j], difference, difference, p_value, float(adjusted[index]), effect, WON
        )
        contrasts.append(contrast)
    if n_segmenters > 2:
        notes = [*notes, "pairs are adjusted by Holm"]
    shown = (reason, *notes) if reason else tuple(notes)
    return TestReport(title, n_documents, omnibus, tuple(contrasts), alpha, None, (), shown)

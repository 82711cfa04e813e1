"""Intervals and tests from resampled documents, by sums of stored counts: no metric is computed again.

Counts are an array documents × segmenters × counts, summed over the coders of each document. Documents are
drawn, or their segmenters exchanged, as wholes, since codings and boundary pairs of one document are not
independent. A value is the finisher of summed counts (a micro-average).

Sums do not use BLAS, and draws come from one stream: a seed gives the same output with any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import NormalDist
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.arrays import FloatArray, IntArray, bincount
from caesura.checks import ALPHA, CONFIDENCE, MAX_RESAMPLES, TEST_RESAMPLES, Seed, as_generator, check_share
from caesura.errors import ParameterError
from caesura.stats.choosing import holm, least_adjusted
from caesura.stats.intervals import expanded_levels
from caesura.stats.outcome import Contrast, Interval, Intervals, Omnibus, TestReport
from caesura.wording import counted

Progress = Callable[[int, int], None]

MAX_CELLS = 2_000_000
"""The most cells of a table of draws in memory."""

FEW_TO_RESAMPLE = 40
"""With fewer, a bootstrap at α = 0.05 is wrong in over 6 % of cases: P(|t_{n−1}| > 1.96 √((n − 1) / n))."""

BELOW_ALPHA = 20
"""The smallest possible p after correction is below α over this."""

FIRST_STAGE = 9999
"""Exchanges that are drawn for every pair of segmenters that needs any; more follow for small p."""

WEIGHTED = 1999
"""Weighted exchanges, which give a small p to about a tenth."""

MAX_ENUMERATED = 10**9
"""The most exchanges of pairs that are enumerated in place of random ones: some ten seconds."""

STAGES_GROW = 10
"""The factor from the exchanges of a stage to those of the next."""

ENOUGH_EXTREME = 100
"""Exchanges as extreme as the data from which p is known to a tenth."""

WORD, BITS = 64, 8
"""Documents in a word of random bits, and documents whose subsets are summed beforehand."""

IN_CACHE = 8
"""The factor by which parts of permutations are smaller, so that a processor's cache holds them."""

BLOCK, PAIRS_AT_ONCE = 512, 64
"""Exchanges and pairs that are counted together, so that a processor's cache holds them."""

MANY_DOCUMENTS = 1000
"""From this many on, documents with the same counts are drawn as one."""

TOLERANCE = 1e-12
"""Differences up to this are equal."""


class Finisher(Protocol):
    """A metric: summed counts become numerator, denominator and the value without a denominator."""

    def fraction(self, counts: Any) -> tuple[Any, Any, Any]: ...


def pooled(metric: Finisher, totals: ArrayLike) -> FloatArray:
    """Return the values of summed counts, whose last axis is the metric's counts.

    >>> from caesura import metric
    >>> pooled(metric("B"), [[3, 4], [0, 0]]).tolist()
    [0.75, 1.0]
    """
    numerator, denominator, empty = metric.fraction(np.moveaxis(np.asarray(totals), -1, 0))
    if np.ndim(denominator) and np.all(denominator):
        return np.asarray(numerator / denominator)
    values = np.array(np.broadcast_to(empty, np.shape(numerator)), dtype=np.float64)
    np.divide(numerator, denominator, out=values, where=np.asarray(denominator) != 0)
    return values


# -------------------------------------------------------------------- bootstrap


def bootstrap_values(
    metric: Finisher, counts: ArrayLike, *, n_resamples: int, rng: Seed, progress: Progress | None = None
) -> FloatArray:
    """Return the segmenters' values in each resample of the documents, drawn with replacement."""
    return np.concatenate([*_bootstrap_parts(metric, _as_counts(counts), n_resamples, rng, progress)])


def _bootstrap_parts(
    metric: Finisher, table: FloatArray, n_resamples: int, rng: Seed, progress: Progress | None
) -> Iterator[FloatArray]:
    """Yield these values, for as many resamples at a time as memory should hold."""
    n_documents, n_segmenters, n_counts = table.shape
    rows, number = kinds(table.reshape(n_documents, n_segmenters * n_counts))
    flat = rows.T.copy()
    generator = as_generator(rng)
    for start, stop in chunks(n_resamples, len(rows) + len(flat), progress):
        weights = draw(number, stop - start, generator)
        totals = np.einsum("rd,cd->rc", weights, flat)
        yield pooled(metric, totals.reshape(-1, n_segmenters, n_counts))


def kinds(rows: FloatArray, number: IntArray | None = None) -> tuple[FloatArray, IntArray]:
    """Return the different rows and their numbers; ``number`` is what each given row stands for.

    Documents with the same counts are drawn as one: it is the same distribution, with far fewer cells.

    >>> rows, number = kinds(np.array([[2.0], [1.0], [2.0]]), np.array([1, 5, 3]))
    >>> rows.tolist(), number.tolist()
    ([[1.0], [2.0]], [5, 4])
    """
    columns, number = alike(rows, number)
    return rows[columns], number


def alike(rows: FloatArray, number: IntArray | None = None) -> tuple[IntArray, IntArray]:
    """Return the first index of each different row, and their numbers."""
    every = np.arange(len(rows)), np.ones(len(rows), dtype=np.int64)
    if number is None and len(rows) < MANY_DOCUMENTS:
        return every
    order = np.lexsort(rows.T)
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (np.diff(rows[order], axis=0) != 0).any(axis=1)
    starts = np.flatnonzero(is_new)
    if number is not None:
        return order[starts], np.add.reduceat(number[order], starts)
    if len(starts) > len(rows) // 4:
        return every
    return order[starts], np.diff(np.append(starts, len(rows)))


def draw(number: IntArray, n_resamples: int, generator: np.random.Generator) -> FloatArray:
    """Return how often each kind is drawn in each resample."""
    n_kinds, total = len(number), int(number.sum())
    if n_kinds == total:
        drawn = generator.integers(total, size=(n_resamples, total)) + total * np.arange(n_resamples)[:, None]
        counts = bincount(drawn.ravel(), minlength=n_resamples * total).reshape(n_resamples, total)
    else:
        counts = generator.multinomial(total, number / total, size=n_resamples)
    return counts.astype(np.float64)


def bootstrap_intervals(
    metric: Finisher,
    counts: ArrayLike,
    *,
    n_resamples: int = TEST_RESAMPLES,
    confidence: float = CONFIDENCE,
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
        reason = "fewer than two documents" if n_documents < 2 else "no resamples"
        levels = math.nan, math.nan
        values = np.full((1, n_segmenters), np.nan)
    else:
        reason = None
        levels = expanded_levels(confidence, n_documents)
        values = np.empty((n_resamples, n_segmenters))
        generator = as_generator(rng)
        start = generator.bit_generator.state
        for group in [[*range(n_segmenters)]] if differences else _sharing_draws(table):
            generator.bit_generator.state = start
            values[:, group] = bootstrap_values(
                metric, table[:, group], n_resamples=n_resamples, rng=generator, progress=progress
            )
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


def _sharing_draws(table: FloatArray) -> list[list[int]]:
    """Return the segmenters that are drawn together, so that each has the draws that it would have alone.

    A segmenter with many documents of the same counts is drawn alone, since these documents are one kind.
    """
    is_alone = [len(kinds(counts)[0]) < len(counts) for counts in table.transpose(1, 0, 2)]
    together = [number for number, alone in enumerate(is_alone) if not alone]
    return [*filter(None, [together]), *([number] for number, alone in enumerate(is_alone) if alone)]


def interval_of(estimate: Any, values: FloatArray, levels: tuple[float, float]) -> Interval:
    """Return the interval between two quantiles of the resampled values, and their standard deviation."""
    known = values[np.isfinite(values)]
    if len(known) < len(values):
        return Interval(float(estimate), math.nan, math.nan, math.nan)
    low, high = np.quantile(known, levels)
    error = float(known.std(ddof=1)) if len(known) > 1 else math.nan
    return Interval(float(estimate), float(low), float(high), error)


@dataclass(frozen=True, eq=False)
class _Exchanges:
    """The differences of every pair of segmenters, as they are and after exchanges within documents."""

    metric: Finisher
    table: FloatArray
    first: IntArray
    second: IntArray

    @classmethod
    def of(cls, metric: Finisher, counts: ArrayLike, n_resamples: int) -> Self:
        """Check the counts that a test is given."""
        table = _as_counts(counts)
        if table.shape[1] < 2:
            raise ParameterError("a test needs at least two segmenters")
        if n_resamples < 1:
            raise ParameterError(f"n_resamples is {n_resamples}; a test needs at least 1")
        return cls(metric, table, *np.triu_indices(table.shape[1], 1))

    @cached_property
    def observed(self) -> FloatArray:
        """The pooled value of each segmenter."""
        return pooled(self.metric, self.table.sum(axis=0))

    @cached_property
    def differences(self) -> FloatArray:
        """The first's value minus the second's."""
        differences: FloatArray = _minus(self.observed[self.first], self.observed[self.second])
        return differences

    def report(
        self,
        title: str,
        names: Sequence[str] | None,
        p_values: FloatArray,
        alpha: float,
        notes: Sequence[str],
        reason: str | None,
        omnibus: Omnibus | None = None,
        power: tuple[NDArray[Any], ...] = (),
        subject: str = "document",
    ) -> TestReport:
        """Return the report; ``power``: each pair's smallest possible p and number of differing subjects."""
        n_documents, n_segmenters, _ = self.table.shape
        labels = [str(i) for i in range(n_segmenters)] if names is None else list(names)
        if len(labels) != n_segmenters:
            raise ParameterError(f"{n_segmenters} segmenters but {len(labels)} names")
        p_values = np.where(np.isnan(self.differences) | (reason is not None), np.nan, p_values)
        columns = self.differences, p_values, holm(p_values), *(power or np.zeros((2, len(p_values))))
        by_document = pooled(self.metric, self.table)
        effect_name = f"{subject}s won minus lost, share"
        rows = np.stack(columns, axis=1).tolist()
        contrasts = []
        for i, j, (difference, *p, least, n_apart) in zip(self.first, self.second, rows, strict=True):
            won = np.sign(np.round(_minus(by_document[:, i], by_document[:, j]), 12))
            effect = float(np.nansum(won)) / n_documents if n_documents else math.nan
            values = difference, difference, *p, effect, effect_name, least, int(n_apart)
            contrasts.append(Contrast(labels[i], labels[j], *values))
        if n_segmenters > 2:
            notes = [*notes, "pairs are adjusted by Holm"]
        shown = (reason, *notes) if reason else tuple(notes)
        return TestReport(title, n_documents, omnibus, tuple(contrasts), alpha, None, (), shown)

    def over_all(self, progress: Progress | None, after: int) -> FloatArray:
        """Return p over all exchanges.

        Exchanging the other documents only turns the sign of the difference, so the last one stays.
        """
        n_documents = len(self.table)
        number = 1 << max(0, n_documents - 1)
        every = np.arange(len(self.first))
        as_extreme: FloatArray = np.zeros(len(every))
        for start, stop in chunks(number, self._cells, progress, after=(1 << n_documents) - number + after):
            chosen = np.arange(start, stop, dtype=np.uint64)[:, None]
            as_extreme += self._count_extreme(chosen, every)
        if progress is not None and not after:
            progress(2**n_documents, 2**n_documents)
        return as_extreme / number

    def draw(
        self, n_resamples: int, generator: np.random.Generator, progress: Progress | None, after: int
    ) -> tuple[FloatArray, int, int]:
        """Return p from random exchanges, for how many pairs it needed none, and for how many weighted ones.

        A pair of which ``ENOUGH_EXTREME`` exchanges are as extreme as the data has a p that is known to a
        tenth; it is left out of what follows (Besag & Clifford 1991): weighted exchanges, or further stages
        where a value is not a quotient of sums. p stays valid: one of at most x stems from a stage in which a
        share of at most x of the exchanges was as extreme. Where an upper bound of p is below what the
        exchanges could show, none are needed.
        """
        n_words = -(-len(self.table) // WORD)
        is_sure = self.bound_of_p() <= 1 / (n_resamples + 1)
        as_extreme = np.zeros(len(self.first))
        drawn = np.full(len(self.first), n_resamples)
        active = np.flatnonzero(~is_sure)
        done = 0
        while done < n_resamples and len(active) and (not done or self.sides is None):
            stage = min(n_resamples, FIRST_STAGE if not done else STAGES_GROW * done)
            for start, stop in chunks(
                stage - done, self._cells, progress, before=done, after=n_resamples - stage + after
            ):
                size = (stop - start, n_words)
                words = generator.integers(0, 2**WORD, size=size, dtype=np.uint64)
                as_extreme[active] += self._count_extreme(words, active)
            done = stage
            drawn[active] = done
            active = active[as_extreme[active] < ENOUGH_EXTREME]
        p_values: FloatArray = (as_extreme + 1) / (drawn + 1)
        n_weighted = len(active) if done < n_resamples else 0
        if n_weighted:
            level = BELOW_ALPHA / (n_resamples + 1)
            least = np.maximum(1 / (n_resamples + 1), 2.0 ** (1 - self.n_apart()[active]))
            p_values[active] = np.maximum(least, self.weighted(active, level, generator))
        if progress is not None and done < n_resamples and not after:
            progress(n_resamples, n_resamples)
        return p_values, int(is_sure.sum()), n_weighted

    def weighted(self, pairs: IntArray, level: float, generator: np.random.Generator) -> FloatArray:
        """Return the pairs' p from exchanges that make differences as rare as ``level`` common.

        With the signs s and the sums of ``bound_of_p``, the difference of values grows with G = Σ s g, where
        g = M δn − a δm. The sign of a document is drawn with probabilities in proportion to exp(±λ g), and
        as often all signs are turned, which changes no |difference|. Such a draw stands for
        w = Π cosh(λ g) / cosh(λ G) of those with equal chances. p is (w of the data + Σ w of the draws as
        extreme as the data) / (draws + 1): valid, since λ does not depend on who was exchanged in the data
        (Harrison 2012), and with λ = 0 it is (count + 1) / (n + 1).
        """
        away = -NormalDist().inv_cdf(min(0.5, level / 2))
        weights = np.zeros(len(pairs))
        for start, stop in chunks(WEIGHTED, len(self.table)):
            uniform = generator.random((stop - start, len(self.table)))
            for at, pair in enumerate(pairs.tolist()):
                tilt = away * self._pull(pair)
                reached = self._reached(pair, tilt, uniform)
                if not start:  # the data is one of the draws
                    reached = np.append(reached, tilt.sum())
                weights[at] += np.exp(_log_cosh(tilt).sum() - _log_cosh(reached)).sum()
        return np.minimum(1.0, weights / (WEIGHTED + 1))

    def _pull(self, pair: int) -> FloatArray:
        """Return each document's g, in standard deviations of G."""
        assert self.sides is not None
        i, j = self.first[pair], self.second[pair]
        n, m = (side[:, [i, j]] for side in self.sides)
        g: FloatArray = m.sum() * (n[:, 0] - n[:, 1]) - n.sum() * (m[:, 0] - m[:, 1])
        spread = math.sqrt(float((g**2).sum()))
        return g / spread if spread else g

    def _reached(self, pair: int, tilt: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return λ G of those draws that are as extreme as the data."""
        i, j = self.first[pair], self.second[pair]
        is_exchanged = np.less(uniform, np.exp(-np.logaddexp(0, 2 * tilt)), out=np.empty_like(uniform))
        columns = np.ascontiguousarray(np.vstack(((self.table[:, j] - self.table[:, i]).T, tilt)))
        moved = np.einsum("rd,cd->cr", is_exchanged, columns)
        reached: FloatArray = tilt.sum() - 2 * moved[-1, self._is_extreme(pair, moved[:-1])]
        return reached

    def _is_extreme(self, pairs: Any, shift: FloatArray) -> NDArray[np.bool_]:
        """Whether a shift of counts from one total to the other is as extreme as the data, or undefined."""
        first, second = self._totals[:, self.first[pairs], None], self._totals[:, self.second[pairs], None]
        values = (pooled(self.metric, np.moveaxis(sums, 0, -1)) for sums in (first + shift, second - shift))
        is_less: NDArray[np.bool_] = np.abs(_minus(*values)) < self._bounds[pairs, None]
        return ~is_less

    @property
    def _cells(self) -> int:
        """Cells of memory that one exchange takes."""
        n_documents, n_segmenters, n_counts = map(int, self.table.shape)
        return 2 * n_segmenters * n_counts + n_documents // WORD + 1

    @cached_property
    def _totals(self) -> FloatArray:
        return np.ascontiguousarray(self.table.sum(axis=0).T)  # counts × segmenters

    @cached_property
    def _bounds(self) -> FloatArray:
        """How large a |difference| is as extreme as the data."""
        bounds: FloatArray = np.abs(self.differences) * (1 - TOLERANCE) - TOLERANCE
        return bounds

    def _count_extreme(self, words: NDArray[np.uint64], pairs: IntArray) -> FloatArray:
        """Count for each of the pairs the exchanges that are as extreme as the data.

        A word has a bit for each of 64 documents: whether it is exchanged.
        """
        n_documents, n_segmenters, n_counts = self.table.shape
        columns = self.table.transpose(0, 2, 1).reshape(n_documents, n_counts * n_segmenters)
        moved = subset_sums(columns, words).reshape(n_counts, n_segmenters, len(words))
        n_extreme = np.zeros(len(pairs))
        for start in range(0, len(words), BLOCK):
            part = np.ascontiguousarray(moved[:, :, start : start + BLOCK])
            for at in range(0, len(pairs), PAIRS_AT_ONCE):
                block = pairs[at : at + PAIRS_AT_ONCE]
                # Exchanging documents S moves Σ_S (b − a) from one total to the other.
                shift = part[:, self.second[block]] - part[:, self.first[block]]
                n_extreme[at : at + len(block)] += self._is_extreme(block, shift).sum(axis=1)
        return n_extreme

    def permute(
        self, n_resamples: int, generator: np.random.Generator, parts: Iterator[tuple[int, int]]
    ) -> Omnibus:
        """Test all segmenters at once: permute them within each document, compare the largest differences."""
        name, effect_name = "permutation of segmenters", "largest difference"
        n_documents, n_segmenters, n_counts = self.table.shape
        if not n_documents:
            return Omnibus(name, math.nan, (), math.nan, math.nan, effect_name, "no documents")
        largest = float(np.ptp(self.observed))
        labels = np.arange(n_segmenters)
        first = n_segmenters * np.arange(n_documents)[:, None]
        rows = self.table.reshape(n_documents * n_segmenters, n_counts)
        as_extreme = 0
        for start, stop in parts:
            order = np.broadcast_to(labels, (stop - start, n_documents, n_segmenters))
            permuted = np.take(rows, generator.permuted(order, axis=2) + first, axis=0)
            values = pooled(self.metric, permuted.sum(axis=1))
            as_extreme += _at_least(np.ptp(values, axis=1), largest)
        return Omnibus(name, largest, (), (as_extreme + 1) / (n_resamples + 1), largest, effect_name)

    @cached_property
    def sides(self) -> tuple[FloatArray, FloatArray] | None:
        """Numerators and denominators, documents × segmenters; None where values are not such quotients."""
        top, below, _ = self.metric.fraction(np.moveaxis(self.table, -1, 0))
        n, m = (np.broadcast_to(side, self.table.shape[:2]).astype(np.float64) for side in (top, below))
        sums_n, sums_m, _ = self.metric.fraction(np.moveaxis(self.table.sum(axis=0), -1, 0))
        if not (np.allclose(n.sum(axis=0), sums_n) and np.allclose(m.sum(axis=0), sums_m)) or (m < 0).any():
            return None
        return n, m

    def bound_of_p(self) -> FloatArray:
        """Return what p cannot exceed, from sums alone; 1 where that says nothing.

        Let n and m be a document's numerator and denominator, δn and δm their differences between the two
        segmenters, and a and M both segmenters' sums of n and m, which no exchange changes. With a sign s for
        each document, X = Σ s δn and Y = Σ s δm, the difference of values is 2 (M X − a Y) / (M² − Y²). Where
        it is at least d, |Σ s (M δn − a δm)| is at least d (M² − max Y²) / 2, and of that Hoeffding (1963)
        bounds the probability: 2 exp(−x² / 2 Σ (M δn − a δm)²). Y² is at most documents × Σ δm².
        """
        if self.sides is None:
            return np.ones(len(self.first))
        n, m = self.sides
        nn, nm, mm = (
            _of_differences(np.einsum("di,dj->ij", *sides), self.first, self.second)
            for sides in ((n, n), (n, m), (m, m))
        )
        both_n, both_m = (side.sum(axis=0)[self.first] + side.sum(axis=0)[self.second] for side in (n, m))
        spread = both_m**2 * nn - 2 * both_m * both_n * nm + both_n**2 * mm
        reach = np.abs(self.differences) * (both_m**2 - len(self.table) * mm) / 2
        bound = np.ones(len(self.first))
        known = (reach > 0) & (spread > TOLERANCE * both_m**2 * (nn + mm))
        bound[known] = np.minimum(1.0, 2 * np.exp(-(reach[known] ** 2) / (2 * spread[known])))
        return bound

    def n_apart(self) -> FloatArray:
        """Return how many documents tell the two segmenters apart; all where none does: they are the same.

        p cannot fall below 2^(1 − n): two of the 2^n exchanges that matter are as extreme as the most extreme
        one. From 64 documents on they are not counted further.
        """
        n_documents = len(self.table)
        n_apart = np.zeros(len(self.first))
        for at in range(0, n_documents, BLOCK):
            rows = self.table[at : at + BLOCK]
            for start in range(0, len(self.first), PAIRS_AT_ONCE):
                now = slice(start, start + PAIRS_AT_ONCE)
                is_apart = (rows[:, self.first[now]] != rows[:, self.second[now]]).any(axis=2)
                n_apart[now] += is_apart.sum(axis=0)
            if n_apart.min(initial=WORD) >= WORD:  # more would change nothing
                break
        n_apart[n_apart == 0] = n_documents
        return n_apart


def paired_bootstrap(
    metric: Finisher,
    counts: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    n_resamples: int = TEST_RESAMPLES,
    alpha: float = ALPHA,
    rng: Seed = None,
    progress: Progress | None = None,
) -> TestReport:
    """Test each two segmenters by a bootstrap of the documents, shifted to the null hypothesis.

    p = (1 + #{|d* − d| ≥ |d|}) / (1 + resamples), two-sided, where d is the difference of pooled values and
    d* that of a resample: the spread of d* around d estimates that of d around 0 (Noreen 1989; Efron &
    Tibshirani 1993, §16.4). Pairs have Holm's correction. With few documents that spread is too narrow: with
    20 documents, p < 0.05 in 8 % rather than 5 % of comparisons without a difference. Three documents, which
    cannot show anything, give:

    >>> from caesura import metric
    >>> counts = [[[1, 2], [2, 2]], [[3, 5], [4, 5]], [[0, 4], [2, 4]]]
    >>> paired_bootstrap(metric("B"), counts, n_resamples=99, rng=1).contrasts[0].p_value
    0.01

    ``randomization`` does not have this fault.
    """
    pairs = _Exchanges.of(metric, counts, n_resamples)
    n_documents = len(pairs.table)
    reason = "fewer than two documents" if n_documents < 2 else None
    as_extreme = np.zeros(len(pairs.first))
    for values in _bootstrap_parts(metric, pairs.table, n_resamples, rng, progress) if reason is None else ():
        shifted = _minus(_minus(values[:, pairs.first], values[:, pairs.second]), pairs.differences)
        as_extreme += (~(np.abs(shifted) < pairs._bounds)).sum(axis=0)
    p_values = (1 + as_extreme) / (1 + n_resamples)
    notes = [f"{n_resamples:,} resamples of {n_documents} documents"]
    if n_documents < FEW_TO_RESAMPLE:
        notes.append("a bootstrap of few documents makes p too small; randomization does not")
    return pairs.report("paired bootstrap by document", names, p_values, alpha, notes, reason)


# -------------------------------------------------------------------- randomization


def enough_resamples(n_contrasts: int, alpha: float) -> int:
    """Return the number of resamples with which a test of this many contrasts can decide.

    The smallest possible p of R resamples, 1 / (R + 1), is below α / 20 even after Holm's correction, which
    multiplies it by the number of contrasts.

    >>> enough_resamples(1, 0.05), enough_resamples(1770, 0.05)
    (400, 708000)
    """
    return min(MAX_RESAMPLES, math.ceil(round(BELOW_ALPHA * n_contrasts / alpha, 6)))


def randomization(
    metric: Finisher,
    counts: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    n_resamples: int = TEST_RESAMPLES,
    alpha: float = ALPHA,
    rng: Seed = None,
    progress: Progress | None = None,
    subject: str = "document",
) -> TestReport:
    """Test each two segmenters by exchanging them, document by document.

    If two segmenters are equally good, their outputs for a document might as well have been exchanged. p is
    the share of exchanges whose |difference of pooled values| is at least the observed one (Noreen 1989;
    Yeh 2000): of all 2^documents where ``n_resamples`` is not less, else of random ones,
    as (count + 1) / (n + 1), never 0. Pairs are adjusted by Holm, so many of them need a p far below what
    some thousand exchanges can give (``enough_resamples``): where ``n_resamples`` is above ``FIRST_STAGE``, a
    p below 0.01 comes from weighted exchanges, in which rare outcomes are drawn often and count for less; it
    is never below 1 / (``n_resamples`` + 1). With three or more segmenters an omnibus test permutes all of
    them within documents; its statistic is the largest difference.

    >>> from caesura import metric
    >>> counts = [[[1, 2], [2, 2]], [[3, 5], [4, 5]], [[0, 4], [2, 4]]]
    >>> randomization(metric("B"), counts).contrasts[0].p_value  # 2 of 2**3 exchanges
    0.25
    """
    exchange = _Exchanges.of(metric, counts, n_resamples)
    n_documents, n_segmenters, _ = exchange.table.shape
    n_pairs = len(exchange.first)
    generator = as_generator(rng)
    is_exact = n_documents < 63 and 2**n_documents <= n_resamples
    if is_exact and 2**n_documents > FIRST_STAGE:
        is_exact = n_pairs * 2**n_documents <= 2 * MAX_ENUMERATED
    n_permutations = 0
    if n_segmenters > 2:
        n_permutations = min(n_resamples, max(FIRST_STAGE, enough_resamples(1, alpha)))
    if is_exact:
        p_values = exchange.over_all(progress, n_permutations)
        notes = [f"{2**n_documents:,} exchanges, all there are"]
        floor = 0.0
    else:
        p_values, n_sure, n_weighted = exchange.draw(n_resamples, generator, progress, n_permutations)
        is_staged = n_resamples > FIRST_STAGE and exchange.sides is not None
        notes = [f"{FIRST_STAGE if is_staged else n_resamples:,} random exchanges"]
        if n_weighted:
            weighted = f"{WEIGHTED:,} weighted exchanges (importance sampling)"
            pairs = f"{counted(n_weighted, 'pair')} of {n_pairs:,}"
            notes.append(f"p of {pairs} comes from {weighted} and is at least 1 / {n_resamples + 1:,}")
        if n_sure:
            pairs = f"{counted(n_sure, 'pair')} of {n_pairs:,}"
            notes.append(f"p of {pairs} is at most 1 / {n_resamples + 1:,} by Hoeffding's inequality")
        floor = 1 / (n_resamples + 1)
    omnibus = None
    if n_permutations:
        before = 2**n_documents if is_exact else n_resamples
        parts = chunks(n_permutations, IN_CACHE * exchange.table.size, progress, before=before)
        omnibus = exchange.permute(n_permutations, generator, parts)
    title = f"{'exact' if is_exact else 'approximate'} randomization by {subject}"
    reason = None if n_documents else "no documents"
    n_apart = exchange.n_apart()
    least = np.maximum(floor, np.minimum(1.0, 2.0 ** (1 - n_apart)))
    power = least_adjusted(p_values, least), n_apart
    return exchange.report(title, names, p_values, alpha, notes, reason, omnibus, power, subject)


def _log_cosh(values: FloatArray) -> FloatArray:
    """Return log cosh, of large values as well."""
    return np.subtract(np.logaddexp(values, -values), math.log(2))


def _of_differences(products: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return Σ (a_i − a_j)(b_i − b_j) from the table of all Σ a_i b_j."""
    own = products.diagonal()
    return np.asarray(own[first] + own[second] - products[first, second] - products[second, first])


def subset_sums(rows: FloatArray, words: NDArray[np.uint64]) -> FloatArray:
    """Return the columns' sums over the subset of the rows that each list of words names, bit by bit.

    All subsets of eight rows are summed once, so that a subset costs an eighth of the additions; their order
    does not depend on how many there are.

    >>> subset_sums(np.array([[1.0, 10.0], [2.0, 20.0]]), np.array([[0], [2], [3]], dtype=np.uint64)).tolist()
    [[0.0, 2.0, 3.0], [0.0, 20.0, 30.0]]
    """
    sums = np.zeros((rows.shape[1], len(words)))
    chosen = np.empty_like(sums)
    for start in range(0, len(rows), BITS):
        subsets = np.zeros((rows.shape[1], 1))
        for row in rows[start : start + BITS]:
            subsets = np.concatenate((subsets, subsets + row[:, None]), axis=1)
        byte = words[:, start // WORD] >> np.uint64(start % WORD) & np.uint64(subsets.shape[1] - 1)
        np.take(subsets, byte.astype(np.intp), axis=1, out=chosen, mode="clip")
        sums += chosen
    return sums


# -------------------------------------------------------------------- helpers


def _as_counts(counts: ArrayLike) -> FloatArray:
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 3:
        raise ParameterError(f"expected counts as documents × segmenters × counts, got shape {table.shape}")
    if not np.isfinite(table).all():
        document, segmenter, _ = np.argwhere(~np.isfinite(table))[0]
        raise ParameterError(f"document {document}, segmenter {segmenter}: a count is not finite")
    return table


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
    """Count values as extreme as the observed one, of either sign; undefined values count as extreme."""
    bound = abs(float(observed)) * (1 - TOLERANCE) - TOLERANCE
    return int(np.count_nonzero(~(np.abs(values) < bound)))

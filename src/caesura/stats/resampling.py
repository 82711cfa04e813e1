"""Bootstrap intervals and randomization tests over documents, from sums of stored counts.

Counts are an array documents × segmenters × counts, summed over the coders of each document. The unit is the
document, because codings and boundary pairs of one document are not independent. A value is the finisher of
summed counts (a micro-average).

Sums do not use BLAS, and draws come from one stream: a seed gives the same output with any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.arrays import FloatArray, IntArray, bincount
from caesura.checks import (
    ALPHA,
    CONFIDENCE,
    MAX_RESAMPLES,
    TEST_RESAMPLES,
    Seed,
    as_generator,
    check_resamples,
    check_share,
    known_seed,
)
from caesura.errors import ParameterError
from caesura.results.notes import seed_part
from caesura.stats.choosing import holm, least_adjusted
from caesura.stats.intervals import expanded_levels
from caesura.stats.outcome import Contrast, Interval, Omnibus, TestReport
from caesura.wording import counted

Progress = Callable[[int, int], None]

MAX_CELLS = 2_000_000
"""Most cells of a table of draws in memory."""

FEW_TO_RESAMPLE = 40
"""With fewer documents, a bootstrap has over 6 % false positives: P(|t_{n−1}| > 1.96 √((n − 1) / n))."""

BELOW_ALPHA = 20
"""The smallest possible corrected p is below α divided by this."""

FIRST_STAGE = 9999
"""Permutations for every pair of segmenters that needs any; more follow for small p."""

WEIGHTED = 1999
"""Weighted permutations, which give a small p to about a tenth."""

MAX_ENUMERATED = 10**9
"""Most permutations of all pairs that are enumerated rather than drawn, about ten seconds."""

STAGES_GROW = 10
"""The factor from the permutations of a stage to those of the next."""

ENOUGH_EXTREME = 100
"""With this many permutations as extreme as the data, p is known to a tenth."""

WORD, BITS = 64, 8
"""Documents per word of random bits, and documents whose subsets are summed in advance."""

IN_CACHE = 8
"""The factor by which parts of permutations are smaller, to fit into the processor's cache."""

BLOCK, PAIRS_AT_ONCE = 512, 64
"""Permutations and pairs that are counted together, to fit into the processor's cache."""

MANY_DOCUMENTS = 1000
"""From this many documents on, those with the same counts are drawn as one."""

TOLERANCE = 1e-12
"""Differences up to this are equal."""


@dataclass(frozen=True, eq=False)
class Resampling:
    """How values are resampled: number of resamples, confidence of intervals, and seed.

    A base of results, which are not equal because they are resampled alike.
    """

    n_resamples: int
    """The number of resamples, and of permutations of tests; 0: no intervals."""
    confidence: float = CONFIDENCE
    seed: int | None = None
    """The seed, if it is known."""

    @classmethod
    def of(cls, n_resamples: int, confidence: float, rng: Seed) -> Resampling:
        """Check the parameters of an analysis."""
        return Resampling(
            check_resamples("n_resamples", n_resamples),
            check_share("confidence", confidence),
            known_seed(rng),
        )

    def interval_part(self, method: str = "bootstrap") -> str:
        """Return the part of signatures on intervals.

        >>> Resampling(99, seed=1).interval_part()
        '|interval=bootstrap,0.95,99,seed=1'
        """
        return f"|interval={method},{self.confidence:g},{self.n_resamples}{seed_part(self.seed)}"


class Finisher(Protocol):
    """A metric, which returns numerator, denominator and the value for denominator 0 of summed counts."""

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
    """Return the values of segmenters in each resample of the documents: resamples × segmenters."""
    return np.concatenate([*_bootstrap_parts(metric, _as_counts(counts), n_resamples, rng, progress)])


def _bootstrap_parts(
    metric: Finisher, table: FloatArray, n_resamples: int, rng: Seed, progress: Progress | None
) -> Iterator[FloatArray]:
    """Yield these values for some resamples at a time, to bound memory."""
    n_documents, n_segmenters, n_counts = table.shape
    rows, number = kinds(table.reshape(n_documents, n_segmenters * n_counts))
    flat = rows.T.copy()
    generator = as_generator(rng)
    for start, stop in chunks(n_resamples, len(rows) + len(flat), progress):
        weights = draw(number, stop - start, generator)
        totals = np.einsum("rd,cd->rc", weights, flat)
        yield pooled(metric, totals.reshape(-1, n_segmenters, n_counts))


def kinds(rows: FloatArray, number: IntArray | None = None) -> tuple[FloatArray, IntArray]:
    """Return the distinct rows and how often each occurs; ``number``: how often each given row occurs.

    Documents with the same counts are drawn as one, which is the same distribution with far fewer cells.

    >>> rows, number = kinds(np.array([[2.0], [1.0], [2.0]]), np.array([1, 5, 3]))
    >>> rows.tolist(), number.tolist()
    ([[1.0], [2.0]], [5, 4])
    """
    columns, number = alike(rows, number)
    return rows[columns], number


def alike(rows: FloatArray, number: IntArray | None = None) -> tuple[IntArray, IntArray]:
    """Return the first index of each distinct row, and how often it occurs."""
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
    """Return how often each kind is drawn in each resample: resamples × kinds."""
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
) -> list[Interval]:
    """Return the bootstrap interval of each segmenter's pooled value, clustered by document.

    All segmenters are valued on the same draws of documents. Percentile intervals of few documents are too
    narrow. These are the expanded ones of Hesterberg (2015), between the quantiles Φ(±√(n / (n − 1)) t_{n−1})
    of the resamples; ``benchmarks/false_positives.py`` measures how often they hold the true value. One
    document, or no resamples, has no bounds.

    >>> from caesura import metric
    >>> counts = [[[1, 2], [2, 2]], [[3, 5], [4, 5]], [[0, 4], [2, 4]]]
    >>> [round(each.estimate, 3) for each in bootstrap_intervals(metric("B"), counts, n_resamples=99, rng=1)]
    [0.364, 0.727]
    """
    table = _as_counts(counts)
    n_documents, n_segmenters, n_counts = table.shape
    check_share("confidence", confidence)
    by_count = table.reshape(n_documents, n_segmenters * n_counts).T.copy()  # sums in the order of memory
    estimates = pooled(metric, by_count.sum(axis=1).reshape(n_segmenters, n_counts))
    if n_documents < 2 or n_resamples < 1:
        return [interval_of(estimate, np.full(1, np.nan), (0.0, 1.0)) for estimate in estimates]
    levels = expanded_levels(confidence, n_documents)  # imports SciPy
    values, generator = np.empty((n_resamples, n_segmenters)), as_generator(rng)
    start = generator.bit_generator.state
    for group in _sharing_draws(table):
        generator.bit_generator.state = start
        values[:, group] = bootstrap_values(
            metric, table[:, group], n_resamples=n_resamples, rng=generator, progress=progress
        )
    return [interval_of(*each, levels) for each in zip(estimates, values.T, strict=True)]


def _sharing_draws(table: FloatArray) -> list[list[int]]:
    """Return groups of segmenters to draw together, so that each has the same draws as alone.

    A segmenter with many documents of the same counts is drawn alone, because these documents are one kind.
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
    """The differences of all pairs of segmenters, in the data and after permutations within documents."""

    metric: Finisher
    table: FloatArray
    first: IntArray
    second: IntArray

    @classmethod
    def of(cls, metric: Finisher, counts: ArrayLike, n_resamples: int) -> Self:
        """Check the counts."""
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

    @property
    def n_all(self) -> int:
        """The number of permutations that differ in more than the sign of the difference."""
        return 1 << max(0, len(self.table) - 1)

    @cached_property
    def differences(self) -> FloatArray:
        """The value of the first minus that of the second."""
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
        """Return the report; ``power``: the smallest possible p of each pair, and its differing subjects."""
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
        """Return p over all permutations.

        The last document stays: swapping all others only changes the sign of the difference.
        """
        every, number = np.arange(len(self.first)), self.n_all
        as_extreme: FloatArray = np.zeros(len(every))
        for start, stop in chunks(number, self._cells, progress, after=after):
            chosen = np.arange(start, stop, dtype=np.uint64)[:, None]
            as_extreme += self._count_extreme(chosen, every)
        return as_extreme / number

    def draw(
        self, n_resamples: int, generator: np.random.Generator, progress: Progress | None, after: int
    ) -> tuple[FloatArray, int, int]:
        """Return p from random permutations, and how many pairs needed none and how many weighted ones.

        A pair needs none if an upper bound of its p is below what permutations could show. After the first
        stage, a pair with ``ENOUGH_EXTREME`` permutations as extreme as the data is done (Besag & Clifford
        1991). The others continue with weighted permutations, or with further stages if a value is not a
        quotient of sums. p stays valid: a p of at most x comes from a stage in which at most a share x of the
        permutations was as extreme.
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
        """Return p of these pairs from permutations that make differences as rare as ``level`` common.

        With the signs s and the sums of ``bound_of_p``, the difference of values grows with G = Σ s g, where
        g = M δn − a δm. The sign of a document is drawn with probabilities in proportion to exp(±λ g). In
        half of the draws all signs are turned, which does not change |difference|. Such a draw has the weight
        w = Π cosh(λ g) / cosh(λ G). p is (w of the data + Σ w of the draws as extreme as the data) /
        (draws + 1). It is valid, because λ does not depend on the signs in the data (Harrison 2012). With
        λ = 0 it is (count + 1) / (n + 1).
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
        """Return λ G of the draws as extreme as the data."""
        i, j = self.first[pair], self.second[pair]
        is_exchanged = np.less(uniform, np.exp(-np.logaddexp(0, 2 * tilt)), out=np.empty_like(uniform))
        columns = np.ascontiguousarray(np.vstack(((self.table[:, j] - self.table[:, i]).T, tilt)))
        moved = np.einsum("rd,cd->cr", is_exchanged, columns)
        reached: FloatArray = tilt.sum() - 2 * moved[-1, self._is_extreme(pair, moved[:-1])]
        return reached

    def _is_extreme(self, pairs: Any, shift: FloatArray) -> NDArray[np.bool_]:
        """Return whether a shift of counts between the totals is as extreme as the data, or undefined."""
        first, second = self._totals[:, self.first[pairs], None], self._totals[:, self.second[pairs], None]
        values = (pooled(self.metric, np.moveaxis(sums, 0, -1)) for sums in (first + shift, second - shift))
        is_less: NDArray[np.bool_] = np.abs(_minus(*values)) < self._bounds[pairs, None]
        return ~is_less

    @property
    def _cells(self) -> int:
        """The cells in memory of one permutation."""
        n_documents, n_segmenters, n_counts = map(int, self.table.shape)
        return 2 * n_segmenters * n_counts + n_documents // WORD + 1

    @cached_property
    def _totals(self) -> FloatArray:
        return np.ascontiguousarray(self.table.sum(axis=0).T)  # counts × segmenters

    @cached_property
    def _bounds(self) -> FloatArray:
        """The smallest |difference| as extreme as the data."""
        bounds: FloatArray = np.abs(self.differences) * (1 - TOLERANCE) - TOLERANCE
        return bounds

    def _count_extreme(self, words: NDArray[np.uint64], pairs: IntArray) -> FloatArray:
        """Return how many permutations are as extreme as the data, for each pair.

        Bit i of a word says whether document i is swapped.
        """
        n_documents, n_segmenters, n_counts = self.table.shape
        columns = self.table.transpose(0, 2, 1).reshape(n_documents, n_counts * n_segmenters)
        moved = subset_sums(columns, words).reshape(n_counts, n_segmenters, len(words))
        n_extreme = np.zeros(len(pairs))
        for start in range(0, len(words), BLOCK):
            part = np.ascontiguousarray(moved[:, :, start : start + BLOCK])
            for at in range(0, len(pairs), PAIRS_AT_ONCE):
                block = pairs[at : at + PAIRS_AT_ONCE]
                # Swapping documents S moves Σ_S (b − a) from one total to the other.
                shift = part[:, self.second[block]] - part[:, self.first[block]]
                n_extreme[at : at + len(block)] += self._is_extreme(block, shift).sum(axis=1)
        return n_extreme

    def permute(
        self, n_resamples: int, generator: np.random.Generator, parts: Iterator[tuple[int, int]]
    ) -> Omnibus:
        """Test all segmenters at once by the largest difference, permuting them within documents."""
        name, effect_name = "permutation of segmenters", "largest difference"
        n_documents, n_segmenters, n_counts = self.table.shape
        if not n_documents:
            return Omnibus(name, math.nan, (), math.nan, math.nan, effect_name, "no documents")
        largest = float(np.ptp(self.observed))
        labels = np.arange(n_segmenters)
        first = n_segmenters * np.arange(n_documents)[:, None]
        rows = self.table.reshape(n_documents * n_segmenters, n_counts)
        as_extreme, bound = 0, largest * (1 - TOLERANCE) - TOLERANCE
        for start, stop in parts:
            order = np.broadcast_to(labels, (stop - start, n_documents, n_segmenters))
            permuted = np.take(rows, generator.permuted(order, axis=2) + first, axis=0)
            values = pooled(self.metric, permuted.sum(axis=1))
            as_extreme += int(np.count_nonzero(~(np.ptp(values, axis=1) < bound)))  # undefined ones count
        return Omnibus(name, largest, (), (as_extreme + 1) / (n_resamples + 1), largest, effect_name)

    @cached_property
    def sides(self) -> tuple[FloatArray, FloatArray] | None:
        """Numerators and denominators, documents × segmenters; None if values are not quotients of sums."""
        top, below, _ = self.metric.fraction(np.moveaxis(self.table, -1, 0))
        n, m = (np.broadcast_to(side, self.table.shape[:2]).astype(np.float64) for side in (top, below))
        sums_n, sums_m, _ = self.metric.fraction(np.moveaxis(self.table.sum(axis=0), -1, 0))
        if not (np.allclose(n.sum(axis=0), sums_n) and np.allclose(m.sum(axis=0), sums_m)) or (m < 0).any():
            return None
        return n, m

    def bound_of_p(self) -> FloatArray:
        """Return an upper bound of p from sums alone; 1 if there is none.

        Let n and m be the numerator and denominator of a document, δn and δm their differences between the
        two segmenters, and a and M the sums of n and m over both segmenters, which permutations do not
        change. With a sign s for each document, X = Σ s δn and Y = Σ s δm, the difference of values is
        2 (M X − a Y) / (M² − Y²). If it is at least d, |Σ s (M δn − a δm)| is at least d (M² − max Y²) / 2.
        Hoeffding (1963) bounds the probability of that: 2 exp(−x² / 2 Σ (M δn − a δm)²). Y² is at most
        documents × Σ δm².
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
        """Return in how many documents the two segmenters differ; all documents if they never differ.

        p cannot fall below 2^(1 − n): of the 2^n permutations that matter, two are as extreme as the most
        extreme one. Counting ends at 64 documents.
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
    d* that of a resample. The spread of d* around d estimates that of d around 0 (Noreen 1989; Efron &
    Tibshirani 1993, §16.4). Pairs have Holm's correction. With few documents that spread is too narrow: with
    20 documents, p < 0.05 in 8 % rather than 5 % of comparisons without a difference. Use ``randomization``
    instead. Three documents cannot show a difference, but here they do:

    >>> from caesura import metric
    >>> counts = [[[1, 2], [2, 2]], [[3, 5], [4, 5]], [[0, 4], [2, 4]]]
    >>> paired_bootstrap(metric("B"), counts, n_resamples=99, rng=1).contrasts[0].p_value
    0.01
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
        notes.append("A bootstrap of few documents makes p too small; a randomization test does not.")
    return pairs.report("paired bootstrap by document", names, p_values, alpha, notes, reason)


# -------------------------------------------------------------------- randomization


def enough_resamples(n_contrasts: int, alpha: float) -> int:
    """Return how many resamples a test of this many contrasts needs.

    The smallest possible p of R resamples, 1 / (R + 1), is then below α / 20 even after Holm's correction,
    which multiplies it by the number of contrasts.

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
    """Test each two segmenters by a randomization test over documents, with Holm's correction.

    If two segmenters are equally good, swapping their outputs for a document changes nothing. p is the share
    of permutations whose |difference of pooled values| is at least the observed one (Noreen 1989; Yeh 2000).
    It takes all 2^documents permutations if ``n_resamples`` allows, else random ones: (count + 1) / (n + 1).

    Many pairs need a p far below what a few thousand permutations can give (``enough_resamples``). With
    ``n_resamples`` above ``FIRST_STAGE``, a p below 0.01 therefore comes from weighted permutations, in which
    rare outcomes are drawn often and count for less. It is never below 1 / (``n_resamples`` + 1).

    With three or more segmenters, an omnibus test permutes all of them within documents. Its statistic is the
    largest difference.

    >>> from caesura import metric
    >>> counts = [[[1, 2], [2, 2]], [[3, 5], [4, 5]], [[0, 4], [2, 4]]]
    >>> randomization(metric("B"), counts).contrasts[0].p_value  # 2 of 2**3 permutations
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
        notes = [f"all {2**n_documents:,} permutations"]
        floor = 0.0
    else:
        p_values, n_sure, n_weighted = exchange.draw(n_resamples, generator, progress, n_permutations)
        is_staged = n_resamples > FIRST_STAGE and exchange.sides is not None
        notes = [f"{FIRST_STAGE if is_staged else n_resamples:,} random permutations"]
        if n_weighted:
            weighted = f"{WEIGHTED:,} weighted permutations (importance sampling)"
            pairs = f"{counted(n_weighted, 'pair')} of {n_pairs:,}"
            notes.append(f"p of {pairs} comes from {weighted} and is at least 1 / {n_resamples + 1:,}")
        if n_sure:
            pairs = f"{counted(n_sure, 'pair')} of {n_pairs:,}"
            notes.append(f"p of {pairs} is at most 1 / {n_resamples + 1:,} by Hoeffding's inequality")
        floor = 1 / (n_resamples + 1)
    omnibus = None
    if n_permutations:
        before = exchange.n_all if is_exact else n_resamples
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
    """Return the sum of each column over the rows whose bits are set: columns × lists of words.

    All subsets of eight rows are summed once, which saves seven of eight additions. The order of additions
    does not depend on the number of subsets.

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
    """Yield start and stop of parts that bound memory, and report progress among all steps."""
    size = max(1, MAX_CELLS // max(1, cells_each))
    for start in range(0, total, size):
        stop = min(total, start + size)
        yield start, stop
        if progress is not None:
            progress(before + stop, before + total + after)


def _minus(first: Any, second: Any) -> Any:
    """Return the difference; NaN for two infinite values, without a warning."""
    with np.errstate(invalid="ignore"):
        return np.subtract(first, second)

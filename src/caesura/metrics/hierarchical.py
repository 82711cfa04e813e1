"""Hierarchical error E_Pk and E_WD: window metrics over all levels of a hierarchy.

C10 is Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL. Each level of the reference is
compared with as many of the hypothesis's most prominent boundaries. If only some boundaries of a rank are
needed, the term is the expectation over all choices, in closed form. Run time grows with levels × boundaries,
not with units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura import kernel
from caesura.alignment.packed import PackedPairs
from caesura.arrays import FloatArray, IntArray, bincount, changes, divided, repeat
from caesura.declaration import choice, sentences
from caesura.errors import ParameterError
from caesura.kernel import python as readable
from caesura.kernel.python import Levels, Units
from caesura.metrics.base import Count, Score, Scores, Share, window_extent
from caesura.metrics.unit_sizes import UnitSizes, unequal
from caesura.metrics.window import EDGES, Edges, SizedMetric, check_windows
from caesura.values.columns import Columns
from caesura.values.hierarchy import Hierarchy, HierarchyLike, as_hierarchy
from caesura.values.segmentation import Segmentation, as_segmentation, check_comparable
from caesura.values.strings import offsets_of

Ints: TypeAlias = IntArray | int
SizeFrom: TypeAlias = Literal["level", "all"]
RanksOf: TypeAlias = Literal["both", "reference", "hypothesis"]

RANKS_OF: tuple[RanksOf, ...] = ("both", "reference", "hypothesis")

MAX_TERMS = 2**17  # probabilities computed at once, which bounds memory

MIN_ROWS = 1000
"""The number of probabilities from which it pays to compute equal ones once."""

# -------------------------------------------------------------------- expectation over ties


def hypergeometric(x: IntArray, n: Ints, m: Ints, r: Ints) -> FloatArray:
    """Return P(x of m are chosen) when r of n are: C(m, x) C(n − m, r − x) / C(n, r), at any size.

    Differences of log-gammas lose all digits at large n; Loader's saddle-point expansion (2000, Fast and
    accurate computation of binomial probabilities) does not. With p = r / n the probability is
    binomial(x; m, p) binomial(r − x; n − m, p) / binomial(r; n, p).

    >>> hypergeometric(np.array([0, 1, 2]), 4, 2, 2).round(12).tolist()
    [0.166666666667, 0.666666666667, 0.166666666667]
    """
    least, most = np.maximum(0, r - (n - m)), np.minimum(m, r)
    is_possible = (x >= least) & (x <= most)
    probabilities = is_possible.astype(np.float64)
    is_open = is_possible & (least < most)  # else only one x is possible
    x, n, m, r = (np.broadcast_to(numbers, is_open.shape)[is_open] for numbers in (x, n, m, r))
    log_p = _log_binomial(x, m, r, n) + _log_binomial(r - x, n - m, r, n) - _log_binomial(r, n, r, n)
    probabilities[is_open] = np.exp(np.minimum(0.0, log_p))
    return probabilities


def _sum_hypergeometric(x: IntArray, n: IntArray, low: IntArray, high: IntArray, r: IntArray) -> FloatArray:
    """Return the sum of ``hypergeometric`` over m = low .. high, term by term or as tails if that is less.

    C(m, x) C(n − m, r − x) counts the choices of r + 1 of n + 1 whose (x + 1)-th is at position m + 1. That
    is at low + 1 .. high + 1 if 0 .. x are chosen up to position low, but not up to high + 1: two tails.
    """
    number = high - low + 1
    is_tail = number > 2 * (x + 1)
    n_terms = np.where((x < 0) | (x > r), 0, np.where(is_tail, 2 * (x + 1), number))
    ends = np.cumsum(n_terms)
    if len(x) > 1 and ends[-1] > MAX_TERMS:
        halves = zip(*(np.array_split(numbers, 2) for numbers in (x, n, low, high, r)), strict=True)
        return np.concatenate([_sum_hypergeometric(*half) for half in halves])
    of = repeat(np.arange(len(x)), n_terms)
    term = np.arange(len(of)) - (ends - n_terms)[of]
    is_tail = is_tail[of]
    is_second = is_tail & (term > x[of])  # the tail from high + 1, which is subtracted
    y = np.where(is_tail, term - is_second * (x[of] + 1), x[of])
    m = np.where(is_second, high[of] + 1, low[of] + ~is_tail * term)
    p = hypergeometric(y, n[of] + is_tail, m, r[of] + is_tail)
    p *= np.where(is_tail, (n[of] + 1) / (r[of] + 1), 1.0) * np.where(is_second, -1, 1)
    return np.clip(bincount(of, p, minlength=len(x)), 0, number)  # rounding must not go below 0


def _log_binomial(x: IntArray, size: IntArray, r: IntArray, n: IntArray) -> FloatArray:
    """Return the logarithm of C(size, x) p^x (1 − p)^(size − x) for p = r / n, 0 < r < n, 0 ≤ x ≤ size."""
    rest = size - x
    p, q = r / n, (n - r) / n
    total, taken, left = size.astype(np.float64), x.astype(np.float64), rest.astype(np.float64)
    is_inner = (x > 0) & (rest > 0)  # else a simpler form replaces this one, which only must be finite
    spread = np.where(is_inner, 2 * math.pi * taken * left / np.maximum(total, 1.0), 1.0)
    stirling = _stirling_error(size) - (_stirling_error(x) + _stirling_error(rest))
    log_p = stirling - (_deviance(x, total * p) + _deviance(rest, total * q)) - 0.5 * np.log(spread)
    at_none = total * np.where(p < 0.5, np.log1p(-p), np.log(q))
    at_all = total * np.where(q < 0.5, np.log1p(-q), np.log(p))
    return np.where(x == 0, at_none, np.where(rest == 0, at_all, log_p))


_SMALL = 16
_HALF_LOG = 0.5 * math.log(2 * math.pi)
_SMALL_ERRORS = np.array(
    [0.0, *(math.lgamma(i + 1) - (i + 0.5) * math.log(i) + i - _HALF_LOG for i in range(1, _SMALL))]
)


def _stirling_error(number: IntArray) -> FloatArray:
    """Return log(number!) minus Stirling's approximation (0 for 0, where it is not used)."""
    large = np.maximum(number, _SMALL).astype(np.float64)
    square = large * large
    series = 1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188) / square) / square) / square) / square
    return np.where(number < _SMALL, _SMALL_ERRORS[np.minimum(number, _SMALL - 1)], series / large)


def _deviance(x: IntArray, mean: FloatArray) -> FloatArray:
    """Return x log(x / mean) + mean − x without cancellation near the mean."""
    value, center = np.maximum(x, 1).astype(np.float64), np.maximum(mean, 1e-300)
    far = value * np.log(value / center) + center - value
    v = (value - center) / (value + center)
    near = (value - center) * v
    term = 2 * value * v
    square = v * v
    for j in range(1, 9):  # |v| < 0.1: the ninth term is below 1e-17
        term = term * square
        near = near + term / (2 * j + 1)
    return np.where(np.abs(v) < 0.1, near, far)


def _distinct(columns: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """Return the first index of each distinct row, and for each row the number of its distinct row.

    Few rows, and rows that do not fit into one number, all count as distinct.
    """
    every = np.arange(len(columns[0]))
    if len(every) < MIN_ROWS:
        return every, every
    least, n_values = zip(*((int(column.min()), int(np.ptp(column)) + 1) for column in columns), strict=True)
    if math.prod(n_values) > readable.MAX_PACKED:
        return every, every
    keys = np.zeros(len(every), dtype=np.int64)
    for column, start, number in zip(columns, least, n_values, strict=True):
        keys = keys * number + (column - start)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which


def _expected_errors(levels: IntArray, kinds: IntArray, *, counting: bool) -> FloatArray:
    """Return each level's expected windows in error; ``counting`` compares numbers of boundaries (WD).

    Both tables are the kernel's (see ``level_kinds_many``).
    """
    r, c, low, high, windows = np.ascontiguousarray(kinds.T)
    n, needed, n_kinds = levels.T
    level = repeat(np.arange(len(levels)), n_kinds)
    # The expected windows with c + x hypothesis boundaries: as many as the reference, or none.
    x = r - c if counting else -c
    alike = (x == 0).astype(np.float64)  # without ties
    is_tied = needed[level] > 0
    of = level[is_tied]
    if len(of):
        columns = x[is_tied], n[of], low[is_tied], high[is_tied], needed[of]
        different, which = _distinct(columns)
        alike[is_tied] = _sum_hypergeometric(*(numbers[different] for numbers in columns))[which]
    alike = np.where(low == high, windows * alike, alike)
    errors = np.where((r > 0) & (not counting), alike, windows - alike)
    return bincount(level, errors, minlength=len(levels))


# -------------------------------------------------------------------- many hierarchies in a few arrays


def ranked(codings: Columns) -> Columns:
    """Return segmentations as hierarchies: types are ranks, and the most prominent at a position counts.

    >>> from caesura.values.segmentation import Segmentation
    >>> typed = Segmentation.from_positions([2, 2, 5], n_units=11, types=[1, 2, 3])
    >>> ranks = ranked(Columns.of([typed]))
    >>> ranks.positions.tolist(), ranks.all_types.tolist()
    ([2, 5], [1, 3])
    """
    first = codings.first_types()
    wrong = np.flatnonzero(first.all_types < 1)
    if len(wrong):
        as_hierarchy(codings.segmentation(int(first.coding[wrong[0]])))  # raises the error
    return first


def _segmented(values: Sequence[HierarchyLike]) -> list[Segmentation]:
    return [
        each.to_segmentation() if isinstance(each, Hierarchy) else as_segmentation(each) for each in values
    ]


def _levels_of(ranks: IntArray, offsets: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return rank, weight and boundaries of the levels of hierarchies, and the start of each hierarchy.

    A hierarchy without boundaries has one empty level.
    """
    of = repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    ordered = ranks[np.lexsort((ranks, of))]
    first = np.flatnonzero(changes(ordered, of))
    n_levels = bincount(of[first], minlength=len(offsets) - 1)
    rank, weight = ordered[first], np.diff(first, append=len(ordered))
    boundaries = first + weight - offsets[of[first]]
    lacking = n_levels == 0
    if lacking.any():
        at = offsets_of(n_levels)[:-1][lacking]
        rank = np.insert(rank, at, 1)
        weight, boundaries = np.insert(weight, at, 0), np.insert(boundaries, at, 0)
    return rank, weight, boundaries, offsets_of(np.maximum(1, n_levels))


# -------------------------------------------------------------------- the metrics


@dataclass(frozen=True)
class LevelError:
    """One level of the reference against as many of the hypothesis's most prominent boundaries."""

    rank: int
    """The reference's rank of the level, as given."""
    weight: int
    """The number of boundaries of exactly this rank: c."""
    boundaries: int
    """The number of compared boundaries: of this rank and above."""
    k: int
    """The window size in units, or in the atoms of ``unit_sizes``."""
    windows: int
    """The number of windows."""
    errors: float
    """The windows in error; the expected number if hypothesis boundaries are tied."""
    tied: int
    """The tied hypothesis boundaries to choose from; 0 if all are certain."""
    needed: int
    """The number of tied boundaries that complete the level."""

    @property
    def value(self) -> float:
        """Pk or WindowDiff of this level; 0 without windows."""
        return self.errors / self.windows if self.windows else 0.0


def total_error(levels: Sequence[LevelError]) -> tuple[float, int]:
    """Return Σ c × error of the level, and the number of reference boundaries."""
    return math.fsum(level.weight * level.value for level in levels), levels[-1].boundaries


@dataclass(frozen=True, repr=False, kw_only=True)
class HierarchicalMetric(Share, SizedMetric):
    """Base of E_Pk and E_WD: levels, window sizes and ties (C10 §2).

    Boundary types are ranks, 1 the most prominent; plain segmentations have one level. Types without an
    order, such as topics or speakers, are also read as ranks, which gives a meaningless value;
    ``Corpus.as_hierarchies`` refuses them by the type scheme.

    Counts of several documents add up: a document is weighted by its reference boundaries. With
    ``unit_sizes``, one for each unit, windows run over atoms. Sizes belong to one document and are part of
    the signature; the sizes of several documents are an argument of ``over``.
    """

    count_names = ("weighted_error", "reference_boundaries")
    citation = "Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL"
    biases = sentences("""
        - The hypothesis's boundaries beyond the number of the reference's are ignored: marking more costs
          nothing (Carroll 2010, §3.1).
        - With plain edges, boundaries near the document's start and end weigh less; Carroll prefers
          edges='wrap' (Carroll 2010, §2).
    """)
    direction = "lower"
    counting: ClassVar[bool]
    """Whether windows compare numbers of boundaries rather than their presence."""

    k: int | None = window_extent("window size; auto: half the mean reference segment", whose=())
    edges: Edges = choice("plain", "windows at the document's edges", tuple(EDGES))
    k_from: SizeFrom = choice("level", "mean segment of each level, or of all boundaries", ("level", "all"))
    ranks: RanksOf = choice("both", "whose ranks count; boundaries of the other side are alike", RANKS_OF)

    def levels(self, reference: HierarchyLike, hypothesis: HierarchyLike) -> tuple[LevelError, ...]:
        """Compare level by level, the most prominent first."""
        pair = _segmented([reference, hypothesis])
        check_comparable(*pair)
        n_units = pair[0].n_units
        if isinstance(self.unit_sizes, tuple) and len(self.unit_sizes) != n_units:
            raise ParameterError(unequal(len(self.unit_sizes), n_units))
        pairs = PackedPairs.of(*([side] for side in pair))
        _, columns = self._compare(pairs, self.sized(None, 1)[1], None)
        return tuple(map(LevelError, *(column.tolist() for column in columns)))

    def counts(self, reference: HierarchyLike, hypothesis: HierarchyLike) -> tuple[tuple[Count, ...], int]:
        """Return Σ c × error of the level, and the number of reference boundaries."""
        return total_error(self.levels(reference, hypothesis)), 1

    def __call__(self, reference: HierarchyLike, hypothesis: HierarchyLike) -> Score:
        counts, scale = self.counts(reference, hypothesis)
        return Score(self, counts, scale)

    def batch(self, references: Sequence[HierarchyLike], hypotheses: Sequence[HierarchyLike]) -> Scores:
        """Compare many pairs at once.

        >>> EPk().batch([[2, 3, 6], [5, 6]], [[2, 3, 6], [11]]).values.round(4).tolist()
        [0.0, 0.45]
        """
        if len(references) != len(hypotheses):
            raise ParameterError(f"{len(references)} references but {len(hypotheses)} hypotheses")
        return self.over(PackedPairs.of(_segmented(references), _segmented(hypotheses)))

    def over(self, pairs: PackedPairs, unit_sizes: UnitSizes | None = None) -> Scores:
        """Compare packed pairs at once; types are ranks.

        All documents have the ``unit_sizes`` of the parameter, or each its own sizes in the argument.
        """
        metric, unit_sizes = self.sized(unit_sizes, len(pairs))
        pair, (_, weight, counts, _, windows, errors, *_) = self._compare(pairs, unit_sizes, pairs.name_of)
        terms = (weight * divided(errors, windows)).tolist()
        starts = np.searchsorted(pair, np.arange(len(pairs) + 1))
        sums = [math.fsum(terms[start:end]) for start, end in pairwise(starts.tolist())]
        return Scores.from_columns(metric, (np.array(sums, dtype=np.float64), counts[starts[1:] - 1]))

    def _compare(
        self, pairs: PackedPairs, unit_sizes: UnitSizes | None, name_of: Callable[[int], str] | None
    ) -> tuple[IntArray, tuple[NDArray[Any], ...]]:
        """Return the pair of each level of all pairs, and the columns of ``LevelError``.

        ``MAX_TERMS`` limits the number of levels compared at once.
        """
        reference, hypothesis = ranked(pairs.reference), ranked(pairs.hypothesis)
        if self.ranks == "hypothesis":
            reference = reference.without_types()
        elif self.ranks == "reference":
            hypothesis = hypothesis.without_types()
        pairs = replace(pairs, reference=reference, hypothesis=hypothesis)
        units, n_atoms = Units(pairs.n_units), pairs.n_units
        if unit_sizes is not None:
            ends, end_starts = unit_sizes.ends(pairs.n_units)
            units, n_atoms = Units(pairs.n_units, ends, end_starts), ends[end_starts + pairs.n_units - 1]
        check_windows(self, self.fixed, n_atoms, name_of)
        first, offsets = pairs.first, pairs.reference.offsets
        *columns, starts = _levels_of(pairs.reference.all_types, offsets)
        n_levels = np.diff(starts)[first]
        pair = repeat(np.arange(len(first), dtype=np.int64), n_levels)
        level = np.arange(len(pair)) - (offsets_of(n_levels)[:-1] - starts[first])[pair]
        rank, weight, boundaries = (column[level] for column in columns)
        n_boundaries = boundaries if self.k_from == "level" else pairs.n_reference[pair]
        k = self.sizes(n_atoms[pair], n_boundaries + 1, n_atoms[pair])
        edges = EDGES[self.edges]
        more = {readable.PLAIN: -1, readable.PADDED: 1, readable.WRAP: 0}[edges]  # windows than atoms, in k
        windows = n_atoms[pair] + more * k
        errors, tied = np.empty(len(pair)), np.empty((len(pair), 3), dtype=np.int64)
        done = 0
        while done < len(pair):
            made, kinds = kernel.active.level_kinds_many(
                *pairs.typed_sides, units, Levels(pair, rank, k), done, MAX_TERMS, edges
            )
            now = slice(done, done + len(made))
            errors[now], tied[now] = _expected_errors(made, kinds, counting=self.counting), made
            done = now.stop
        return pair, (rank, weight, boundaries, k, windows, errors, tied[:, 0], tied[:, 1])


class EPk(HierarchicalMetric):
    """E_Pk: Pk averaged over all levels of the reference (Carroll 2010, §2)."""

    name = "EPk"
    title = "E_Pk"
    also = ("hierarchical_pk",)
    meaning = "Pk averaged over the levels of a hierarchy, as many boundaries on both sides"
    formula = "(1 / |R|) Σ c · Pk(R_level, H_level), mean over ties"
    biases = (
        HierarchicalMetric.biases[0],
        "As in Pk, errors in segments much shorter than the mean are counted too low (Carroll 2010, §3.3).",
        *HierarchicalMetric.biases[1:],
    )
    counting = False


class EWD(HierarchicalMetric):
    """E_WD: WindowDiff averaged over all levels of the reference (Carroll 2010, §2)."""

    name = "EWD"
    title = "E_WD"
    also = ("hierarchical_window_diff",)
    meaning = "WindowDiff averaged over the levels of a hierarchy, as many boundaries on both sides"
    formula = "(1 / |R|) Σ c · WD(R_level, H_level), mean over ties"
    counting = True

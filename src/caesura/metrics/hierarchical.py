"""Hierarchical error E_Pk and E_WD: window metrics over all levels of a hierarchy.

C10 is Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL. Each level of the reference is
compared with as many of the hypothesis's most prominent boundaries. Where only some boundaries of one rank
are needed, the term is the expectation over all choices, in closed form. Cost grows with levels ×
boundaries, not with the units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray, Number
from caesura.errors import ComparisonError, ParameterError
from caesura.kernel import python as readable
from caesura.kernel.batch import PackedPairs
from caesura.metrics.base import (
    Count,
    Counts,
    Direction,
    Metric,
    Quotient,
    Score,
    Scores,
    choice,
    optional_whole,
    whole,
)
from caesura.metrics.window import EDGES, ROUNDINGS, Edges, Rounding, half_mean_length
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table
from caesura.values.forms import MAX_NUMBER, as_list, whole_numbers
from caesura.values.hierarchy import HierarchyLike, as_hierarchy

Ints: TypeAlias = IntArray | int
SizeFrom: TypeAlias = Literal["level", "all"]

MAX_TERMS = 2**17
"""Probabilities that are calculated at once, so that memory stays small."""

# -------------------------------------------------------------------- expectation over ties


def hypergeometric(x: IntArray, n: Ints, m: Ints, r: Ints) -> FloatArray:
    """Return P(x of the m are chosen) where r of n are: C(m, x) C(n − m, r − x) / C(n, r), at any size.

    Differences of log-gammas lose all digits at large n. Loader's saddle-point expansion (2000, Fast and
    accurate computation of binomial probabilities) keeps them: with p = r / n the probability is
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


def _summed_hypergeometric(
    x: IntArray, n: IntArray, low: IntArray, high: IntArray, r: IntArray
) -> FloatArray:
    """Return the sum of ``hypergeometric`` over m = low .. high: one by one, or as tails where that is less.

    C(m, x) C(n − m, r − x) counts the choices of r + 1 of n + 1 whose (x + 1)-th is at place m + 1. It is at
    low + 1 .. high + 1 if there are 0 .. x up to place low, but not up to place high + 1: two tails.
    """
    number = high - low + 1
    is_tail = number > 2 * (x + 1)
    n_terms = np.where((x < 0) | (x > r), 0, np.where(is_tail, 2 * (x + 1), number))
    ends = np.cumsum(n_terms)
    if len(x) > 1 and ends[-1] > MAX_TERMS:
        halves = zip(*(np.array_split(numbers, 2) for numbers in (x, n, low, high, r)), strict=True)
        return np.concatenate([_summed_hypergeometric(*half) for half in halves])
    of = np.repeat(np.arange(len(x)), n_terms)
    term = np.arange(len(of)) - (ends - n_terms)[of]
    is_tail = is_tail[of]
    is_second = is_tail & (term > x[of])  # the tail from high + 1 on, to subtract
    y = np.where(is_tail, term - is_second * (x[of] + 1), x[of])
    m = np.where(is_second, high[of] + 1, low[of] + ~is_tail * term)
    p = hypergeometric(y, n[of] + is_tail, m, r[of] + is_tail)
    p *= np.where(is_tail, (n[of] + 1) / (r[of] + 1), 1.0) * np.where(is_second, -1, 1)
    return np.clip(np.bincount(of, p, minlength=len(x)), 0, number)  # no error is negative by rounding


def _log_binomial(x: IntArray, size: IntArray, r: IntArray, n: IntArray) -> FloatArray:
    """Return the logarithm of C(size, x) p^x (1 − p)^(size − x) for p = r / n, 0 < r < n, 0 ≤ x ≤ size."""
    rest = size - x
    p, q = r / n, (n - r) / n
    total, taken, left = size.astype(np.float64), x.astype(np.float64), rest.astype(np.float64)
    is_inner = (x > 0) & (rest > 0)  # else there is a simpler form, and here any finite number will do
    spread = np.where(is_inner, 2 * math.pi * taken * left / np.maximum(total, 1.0), 1.0)
    stirling = _stirling_error(size) - (_stirling_error(x) + _stirling_error(rest))
    log_p = stirling - (_deviance(x, total * p) + _deviance(rest, total * q)) - 0.5 * np.log(spread)
    at_none = total * np.where(p < 0.5, np.log1p(-p), np.log(q))
    at_all = total * np.where(q < 0.5, np.log1p(-q), np.log(p))
    return np.where(x == 0, at_none, np.where(rest == 0, at_all, log_p))


_SMALL = 16
_SMALL_ERRORS = np.array(
    [0.0]
    + [
        math.lgamma(i + 1) - (i + 0.5) * math.log(i) + i - 0.5 * math.log(2 * math.pi)
        for i in range(1, _SMALL)
    ]
)


def _stirling_error(number: IntArray) -> FloatArray:
    """Return log(number!) minus Stirling's approximation of it (0 for 0, where it is not used)."""
    large = np.maximum(number, _SMALL).astype(np.float64)
    square = large * large
    series = (
        1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188) / square) / square) / square) / square
    ) / large
    return np.where(number < _SMALL, _SMALL_ERRORS[np.minimum(number, _SMALL - 1)], series)


def _deviance(x: IntArray, mean: FloatArray) -> FloatArray:
    """Return x log(x / mean) + mean − x without cancellation where x is near the mean."""
    value, centre = np.maximum(x, 1).astype(np.float64), np.maximum(mean, 1e-300)
    far = value * np.log(value / centre) + centre - value
    v = (value - centre) / (value + centre)
    near = (value - centre) * v
    term = 2 * value * v
    square = v * v
    for j in range(1, 9):  # |v| < 0.1: the ninth term is below 1e-17
        term = term * square
        near = near + term / (2 * j + 1)
    return np.where(np.abs(v) < 0.1, near, far)


# -------------------------------------------------------------------- one level


class Tied(NamedTuple):
    """The hypothesis's boundaries for one level: some certain, ``needed`` of ``n`` tied ones."""

    certain: IntArray
    positions: IntArray | None  # of the tied; None: all positions that are not certain
    n: int
    needed: int


class Level(NamedTuple):
    """One level before probabilities: see ``LevelError``, and its windows, counted by what they hold.

    The rows of ``kinds``: r reference and c certain boundaries, m tied ones at the least and at the most, and
    the number of windows. Where the two m differ, m takes each value in between once.
    """

    rank: int
    weight: int
    boundaries: int
    k: int
    tied: int
    needed: int
    kinds: IntArray

    def with_errors(self, errors: float) -> LevelError:
        """Return the level for the user."""
        rank, weight, boundaries, k, tied, needed, kinds = self
        return LevelError(rank, weight, boundaries, k, int(kinds[4].sum()), errors, tied, needed)


def _kinds(reference: IntArray, tied: Tied, n_atoms: int, k: int, edges: int) -> IntArray:
    """Count the windows of one level by what they hold (see ``Level``).

    Unmarked positions are not looked at: a window holds all its positions but the marked ones.
    """

    def counted(third: IntArray, edges: int) -> IntArray:
        rows: IntArray = kernel.active.window_kinds(reference, tied.certain, third, n_atoms, k, edges)
        return rows.T

    if tied.positions is not None:
        kinds = counted(tied.positions, edges)[[0, 1, 2, 2, 3]]
    elif edges == readable.WRAP:
        # The document's end is a place in the window, and no position.
        r, c, no_position, windows = counted(np.append(tied.certain, n_atoms), edges)
        kinds = np.stack((r, c, k - no_position, k - no_position, windows))
    else:
        r, c, _, windows = counted(tied.certain[:0], readable.PLAIN)
        kinds = np.stack((r, c, k - c, k - c, windows))
        if edges == readable.PADDED:
            start = _edge_kinds(reference, tied.certain, k)
            end = _edge_kinds(n_atoms - reference[::-1], n_atoms - tied.certain[::-1], k)
            kinds = np.concatenate((start, kinds, end), axis=1)
    return kinds


def _edge_kinds(reference: IntArray, certain: IntArray, k: int) -> IntArray:
    """Count the padded windows over the document's start: they hold its first 0 .. k − 1 positions."""
    reference, certain = reference[reference < k], certain[certain < k]
    starts = np.unique(np.concatenate(([0], reference, certain)))
    windows = np.diff(np.append(starts, k))
    r, c = (np.searchsorted(positions, starts, side="right") for positions in (reference, certain))
    return np.stack((r, c, starts - c, starts - c + windows - 1, windows))


def _expected_errors(levels: Sequence[Level], *, counting: bool) -> list[float]:
    """Return each level's expected windows in error; ``counting`` compares numbers of boundaries (WD)."""
    r, c, low, high, windows = np.concatenate([level.kinds for level in levels], axis=1)
    of_level = np.array([(i, level.tied, level.needed) for i, level in enumerate(levels)])
    number, n, needed = np.repeat(of_level, [level.kinds.shape[1] for level in levels], axis=0).T
    # The windows expected to hold c + x hypothesis boundaries: as many as the reference, or none.
    x = r - c if counting else -c
    alike = _summed_hypergeometric(x, n, low, high, needed)
    alike = np.where(low == high, windows * alike, alike)
    errors = np.where((r > 0) & (not counting), alike, windows - alike)
    sums: list[float] = np.bincount(number, errors, minlength=len(levels)).tolist()
    return sums


class Ranking:
    """The hypothesis's boundaries by prominence, to take any number of the most prominent."""

    def __init__(self, positions: IntArray, ranks: IntArray, n_positions: int, possible: IntArray | None):
        self.positions = positions
        self.ranks = ranks
        self.levels, counts = np.unique(ranks, return_counts=True)
        self.totals = np.cumsum(counts)
        self.n_positions = n_positions
        self.possible = possible  # all positions that a boundary may have, where these are not all atoms

    @cached_property
    def unmarked(self) -> IntArray:
        """All positions without a boundary, where there are few enough to name them."""
        every = np.arange(1, self.n_positions + 1) if self.possible is None else self.possible
        return np.setdiff1d(every, self.positions, assume_unique=True)

    def most_prominent(self, number: int) -> Tied:
        """Return the ``number`` most prominent boundaries, as far as they are certain, and the tied ones."""
        # How many whole ranks fit.
        n_whole = int(np.searchsorted(self.totals, number, side="right"))
        taken = int(self.totals[n_whole - 1]) if n_whole else 0
        certain = self.positions[self.ranks <= self.levels[n_whole - 1]] if n_whole else self.positions[:0]
        needed = number - taken
        if not needed:
            return Tied(certain, self.positions[:0], 0, 0)
        if n_whole < len(self.levels):
            tied = self.positions[self.ranks == self.levels[n_whole]]
            return Tied(certain, tied, len(tied), needed)
        n_unmarked = self.n_positions - taken
        if needed == n_unmarked:  # so the reference, too, marks every position
            return Tied(np.sort(np.concatenate((certain, self.unmarked))), self.positions[:0], 0, 0)
        return Tied(certain, None if self.possible is None else self.unmarked, n_unmarked, needed)


# -------------------------------------------------------------------- the metrics


@dataclass(frozen=True)
class LevelError:
    """One level of the reference against as many of the hypothesis's most prominent boundaries."""

    rank: int
    """The reference's rank of the level, as given."""
    weight: int
    """Boundaries of exactly this rank: c."""
    boundaries: int
    """Boundaries of this rank and above: what is compared."""
    k: int
    """The window's size, in units, or in what ``unit_sizes`` counts."""
    windows: int
    """Number of windows."""
    errors: float
    """Windows in error; the expected number where hypothesis boundaries are tied."""
    tied: int
    """Tied hypothesis boundaries to choose from; 0 where all are certain."""
    needed: int
    """How many of the tied ones complete the level."""

    @property
    def value(self) -> float:
        """Pk or WindowDiff of this level; 0 where there is no window."""
        return self.errors / self.windows if self.windows else 0.0


@dataclass(frozen=True, repr=False)
class HierarchicalMetric(Metric):
    """What E_Pk and E_WD share: levels, window sizes and ties (C10 §2).

    Segmentations with types are hierarchies whose ranks are the types; plain ones have one level. Counts of
    several documents add up: each weighs as many as it has reference boundaries.
    """

    count_names: ClassVar[tuple[str, ...]] = ("weighted_error", "reference_boundaries")
    direction: ClassVar[Direction] = "lower"
    counting: ClassVar[bool]
    """Whether windows compare numbers of boundaries, or only whether there is any."""

    k: int | None = optional_whole("window size; auto: half the mean reference segment", minimum=1)
    rounding: Rounding = choice("half-even", "how half the mean is rounded", ROUNDINGS)
    k_min: int = whole(2, "least window size when k is not given", minimum=1)
    edges: Edges = choice("plain", "windows at the document's edges", tuple(EDGES))
    k_from: SizeFrom = choice("level", "mean segment of each level, or of all boundaries", ("level", "all"))

    def levels(
        self, reference: HierarchyLike, hypothesis: HierarchyLike, unit_sizes: Sequence[int] | None = None
    ) -> tuple[LevelError, ...]:
        """Compare level by level, from the most prominent on."""
        ref, hyp = as_hierarchy(reference), as_hierarchy(hypothesis)
        if ref.n_units != hyp.n_units:
            raise ComparisonError(
                f"the reference has {ref.n_units} units and the hypothesis {hyp.n_units}: "
                "both must segment the same units"
            )
        ends = None if unit_sizes is None else _unit_ends(unit_sizes, ref.n_units)
        n_atoms = ref.n_units if ends is None else int(ends[-1])
        ref_positions, hyp_positions = ref.position_array, hyp.position_array
        if ends is not None:
            ref_positions, hyp_positions = ends[ref_positions - 1], ends[hyp_positions - 1]
        ranking = Ranking(hyp_positions, hyp.rank_array, ref.n_units - 1, None if ends is None else ends[:-1])
        edges = EDGES[self.edges]
        ranks = ref.levels or (1,)  # without boundaries: one level without any
        levels: list[LevelError] = []
        batch: list[Level] = []
        above = n_kinds = 0
        for rank in ranks:
            marked = ref_positions[ref.rank_array <= rank]
            k = self._size(n_atoms, len(marked) if self.k_from == "level" else ref.n_boundaries)
            tied = ranking.most_prominent(len(marked))
            kinds = _kinds(marked, tied, n_atoms, k, edges)
            batch.append(Level(rank, len(marked) - above, len(marked), k, tied.n, tied.needed, kinds))
            above = len(marked)
            n_kinds += kinds.shape[1]
            if rank == ranks[-1] or n_kinds > MAX_TERMS:
                errors = _expected_errors(batch, counting=self.counting)
                levels += [level.with_errors(number) for level, number in zip(batch, errors, strict=True)]
                batch, n_kinds = [], 0
        return tuple(levels)

    def _size(self, n_atoms: int, n_boundaries: int) -> int:
        k = self.k
        if k is None:
            k = max(self.k_min, half_mean_length(n_atoms, n_boundaries + 1, self.rounding))
        return max(1, min(k, n_atoms - 1))

    def counts(self, reference: HierarchyLike, hypothesis: HierarchyLike) -> tuple[tuple[Count, ...], int]:
        """Σ c × error of the level, and the number of reference boundaries."""
        return _total(self.levels(reference, hypothesis)), 1

    def fraction(self, counts: Counts[Number]) -> Quotient[Number]:
        """The mean error over reference boundaries; 0 where there is none."""
        errors, boundaries = counts
        return errors, boundaries, 0.0

    def over(self, pairs: PackedPairs) -> Scores:
        """Compare packed pairs one by one."""
        return Scores.from_rows(self, [self.counts(ref, hyp) for ref, hyp in pairs])

    def __call__(self, reference: HierarchyLike, hypothesis: HierarchyLike) -> Score:
        counts, scale = self.counts(reference, hypothesis)
        return Score(self, counts, scale)

    def batch(self, references: Sequence[HierarchyLike], hypotheses: Sequence[HierarchyLike]) -> Scores:
        """Compare many pairs.

        >>> EPk().batch([[2, 3, 6], [5, 6]], [[2, 3, 6], [11]]).values.round(4).tolist()
        [0.0, 0.45]
        """
        if len(references) != len(hypotheses):
            raise ParameterError(f"{len(references)} references but {len(hypotheses)} hypotheses")
        rows = []
        for index, (reference, hypothesis) in enumerate(zip(references, hypotheses, strict=True)):
            try:
                rows.append(self.counts(reference, hypothesis))
            except ComparisonError as error:
                raise ComparisonError(f"pair {index}: {error}") from None
        return Scores.from_rows(self, rows)


class EPk(HierarchicalMetric):
    """Hierarchical Pk."""

    name: ClassVar[str] = "EPk"
    title: ClassVar[str] = "E_Pk"
    meaning: ClassVar[str] = "Pk averaged over the levels of a hierarchy, as many boundaries on both sides"
    formula: ClassVar[str] = "(1 / |R|) Σ c · Pk(R_level, H_level), mean over ties"
    citation: ClassVar[str] = "Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL"
    biases: ClassVar[tuple[str, ...]] = (
        (
            "Boundaries of the hypothesis beyond as many as the reference has are not looked at: marking "
            "more costs nothing (Carroll 2010, §3.1)."
        ),
        "As in Pk, errors in segments much shorter than the mean are counted too low (Carroll 2010, §3.3).",
        (
            "With plain edges, boundaries near the document's start and end weigh less; Carroll prefers "
            "edges='wrap' (Carroll 2010, §2)."
        ),
    )
    counting: ClassVar[bool] = False


class EWD(HierarchicalMetric):
    """Hierarchical WindowDiff."""

    name: ClassVar[str] = "EWD"
    title: ClassVar[str] = "E_WD"
    meaning: ClassVar[str] = (
        "WindowDiff averaged over the levels of a hierarchy, as many boundaries on both sides"
    )
    formula: ClassVar[str] = "(1 / |R|) Σ c · WD(R_level, H_level), mean over ties"
    citation: ClassVar[str] = "Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL"
    biases: ClassVar[tuple[str, ...]] = (
        (
            "Boundaries of the hypothesis beyond as many as the reference has are not looked at: marking "
            "more costs nothing (Carroll 2010, §3.1)."
        ),
        (
            "With plain edges, boundaries near the document's start and end weigh less; Carroll prefers "
            "edges='wrap' (Carroll 2010, §2)."
        ),
    )
    counting: ClassVar[bool] = True


def _total(levels: Sequence[LevelError]) -> tuple[float, int]:
    return math.fsum(level.weight * level.value for level in levels), levels[-1].boundaries


def _unit_ends(unit_sizes: Sequence[int], n_units: int) -> IntArray:
    """Return how many atoms there are up to the end of each unit."""
    sizes = whole_numbers(as_list(unit_sizes, "unit_sizes"), "unit_sizes")
    if len(sizes) != n_units:
        raise ParameterError(f"{len(sizes)} unit_sizes but {n_units} units: give one each")
    for index, size in enumerate(sizes):
        if size < 1:
            raise ParameterError(
                f"unit_sizes[{index}] is {size}: expected a whole number from 1 on; "
                "join units without words to a neighbour"
            )
    if sum(sizes) > MAX_NUMBER:
        raise ParameterError("unit_sizes add up to more than 2**53")
    return np.fromiter(accumulate(sizes), dtype=np.int64, count=len(sizes))


# -------------------------------------------------------------------- functions


@dataclass(frozen=True, repr=False)
class HierarchicalError(Result):
    """E_Pk or E_WD of one hypothesis, level by level; it converts to float."""

    score: Score
    """The value with its counts; scores of several documents add up."""
    levels: tuple[LevelError, ...]
    """One entry for each rank of the reference, from the most prominent on."""

    @property
    def value(self) -> float:
        """(1 / |R|) Σ c · error of the level."""
        return float(self.score)

    @property
    def signature(self) -> str:
        """The recipe behind the value."""
        return self.score.signature

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        levels = [{**vars(level), "value": level.value} for level in self.levels]
        return {"value": self.value, "signature": self.signature, "levels": levels}

    def to_table(self) -> Table:
        """Return a row for each level of the reference."""

        names = ("level", "weight", "boundaries", "k", "windows", "errors", "tied", "needed", "value")
        rows: list[list[Cell]] = [[*vars(level).values(), level.value] for level in self.levels]
        notes = [
            f"{self.score.metric.title} {self.value:.4f} is the mean of the values, weighted by the "
            "boundaries of just that rank; errors are expected ones where some of the tied are needed.",
            self.signature,
        ]
        return Table("", [Column(name) for name in names], rows, notes=notes)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        plural = "s" if len(self.levels) > 1 else ""
        return f"<{self.score.metric} {self.value:.6g} over {len(self.levels)} level{plural}>"


def _hierarchical(
    metric: HierarchicalMetric,
    reference: HierarchyLike,
    hypothesis: HierarchyLike,
    unit_sizes: Sequence[int] | None,
) -> HierarchicalError:
    levels = metric.levels(reference, hypothesis, unit_sizes)
    return HierarchicalError(Score(metric, _total(levels)), levels)


def hierarchical_pk(
    reference: HierarchyLike,
    hypothesis: HierarchyLike,
    *,
    edges: Edges = "plain",
    k: int | None = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
    k_from: SizeFrom = "level",
    unit_sizes: Sequence[int] | None = None,
) -> HierarchicalError:
    """Return E_Pk: Pk averaged over all levels of the reference (Carroll 2010, §2).

    E = (1 / |R|) Σ_l c_l · Pk(R_l, H_l), where R_l are the reference boundaries of the l most prominent
    ranks, c_l how many have exactly the l-th, and H_l the |R_l| most prominent boundaries of the
    hypothesis. Where r of n hypothesis boundaries of one rank are needed, the term is the expectation over
    all C(n, r) choices; a window with no certain and m of the tied boundaries has none with the probability
    C(n − m, r) / C(n, r). Positions that the hypothesis does not mark are its last rank, so a hypothesis is
    not punished for marking fewer or more boundaries than the reference. No reference boundary: 0.

    The default k is half the mean segment length of R_l (``k_from="all"``: of all of R). With
    ``unit_sizes`` (say, words in each sentence) windows run over words, k counts words, and boundaries are
    possible between sentences only. Carroll prefers ``edges="wrap"``, in which all positions weigh alike.

    >>> from caesura.values.hierarchy import Hierarchy
    >>> reference = Hierarchy.from_ranks({5: 1, 2: 2}, n_units=11)
    >>> hierarchical_pk(reference, Hierarchy.from_ranks({5: 1, 2: 2, 8: 3}, n_units=11))
    <EPk 0 over 2 levels>
    >>> result = hierarchical_pk(reference, [5, 3, 3], edges="wrap")
    >>> [(level.rank, level.boundaries, level.k, round(level.value, 4)) for level in result.levels]
    [(1, 1, 3, 0.2727), (2, 2, 2, 0.3636)]
    >>> round(float(result), 4)
    0.3182
    """
    return _hierarchical(EPk(k, rounding, k_min, edges, k_from), reference, hypothesis, unit_sizes)


def hierarchical_window_diff(
    reference: HierarchyLike,
    hypothesis: HierarchyLike,
    *,
    edges: Edges = "plain",
    k: int | None = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
    k_from: SizeFrom = "level",
    unit_sizes: Sequence[int] | None = None,
) -> HierarchicalError:
    """Return E_WD: WindowDiff averaged over all levels of the reference (Carroll 2010, §2).

    As ``hierarchical_pk``, with WindowDiff in the place of Pk: a window with c certain and m of the n tied
    boundaries, of which r are needed, holds c + x with the hypergeometric probability
    C(m, x) C(n − m, r − x) / C(n, r).

    >>> from caesura.values.hierarchy import Hierarchy
    >>> reference = Hierarchy.from_nested([[2, 3], [6]])
    >>> float(hierarchical_window_diff(reference, reference))
    0.0
    >>> round(float(hierarchical_window_diff(reference, [11], edges="wrap")), 4)
    0.4121
    """
    return _hierarchical(EWD(k, rounding, k_min, edges, k_from), reference, hypothesis, unit_sizes)

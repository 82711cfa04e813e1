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
from itertools import accumulate
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura import kernel
from caesura.errors import ComparisonError, ParameterError
from caesura.forms import MAX_NUMBER, as_list, whole_numbers
from caesura.hierarchy import HierarchyLike, as_hierarchy
from caesura.kernel import python as readable
from caesura.kernel.batch import PackedPairs
from caesura.metrics.base import (
    Count,
    Counts,
    Direction,
    Metric,
    Score,
    Scores,
    choice,
    optional_whole,
    whole,
)
from caesura.metrics.window import EDGES, MAX_NATIVE_UNITS, ROUNDINGS, Edges, Rounding, half_mean_length
from caesura.segmentation import IntArray

FloatArray: TypeAlias = NDArray[np.float64]
SizeFrom: TypeAlias = Literal["level", "all"]

MAX_EDGE_WINDOWS = 10**5
"""Padded windows over an edge that are looked at one by one; more are summed in closed form."""

# -------------------------------------------------------------------- expectation over ties


def hypergeometric(x: IntArray, n: int, m: IntArray, r: int) -> FloatArray:
    """Return P(x of the m are chosen) where r of n are: C(m, x) C(n − m, r − x) / C(n, r), at any size.

    Differences of log-gammas lose all digits at large n. Loader's saddle-point expansion (2000, Fast and
    accurate computation of binomial probabilities) keeps them: with p = r / n the probability is
    binomial(x; m, p) binomial(r − x; n − m, p) / binomial(r; n, p).

    >>> hypergeometric(np.array([0, 1, 2]), 4, np.array([2, 2, 2]), 2).round(12).tolist()
    [0.166666666667, 0.666666666667, 0.166666666667]
    """
    is_possible = (x >= 0) & (x <= np.minimum(m, r)) & (r - x <= n - m)
    some = np.where(is_possible, x, np.maximum(0, r - (n - m)))  # any value that is possible
    log_p = _log_binomial(some, m, r, n) + _log_binomial(r - some, n - m, r, n)
    all_of_them = _log_binomial(np.array([r]), np.array([n]), r, n)
    return np.where(is_possible, np.exp(np.minimum(0.0, log_p - all_of_them)), 0.0)


def _repeated_hypergeometric(x: IntArray, n: int, m: IntArray, r: int) -> FloatArray:
    """Return ``hypergeometric``, calculated once for equal x and m, as most windows have."""
    low = int(x.min())
    width = int(x.max()) - low + 1
    if int(m.max()) * width > MAX_NUMBER:
        return hypergeometric(x, n, m, r)
    keys, which = np.unique(m * width + (x - low), return_inverse=True)
    distinct = hypergeometric(keys % width + low, n, keys // width, r)
    probabilities: FloatArray = distinct[which.reshape(-1)]
    return probabilities


def _summed_hypergeometric(x: IntArray, n: int, low: IntArray, high: IntArray, r: int) -> FloatArray:
    """Return the sum of ``hypergeometric`` over m = low .. high.

    C(m, x) C(n − m, r − x) counts the choices of r + 1 of n + 1 whose (x + 1)-th is at place m + 1. Up to
    some place they are those that have at least x + 1 up to there: a hypergeometric tail.
    """
    total = np.zeros(len(x))
    for y in range(1, r + 2):
        gain = hypergeometric(np.full_like(x, y), n + 1, high + 1, r + 1)
        gain -= hypergeometric(np.full_like(x, y), n + 1, low, r + 1)
        total += np.where(y > x, gain, 0.0)
    return np.where(x < 0, 0.0, total * ((n + 1) / (r + 1)))


def _log_binomial(x: IntArray, size: IntArray, r: int, n: int) -> FloatArray:
    """Return the logarithm of C(size, x) p^x (1 − p)^(size − x) for p = r / n, 0 < r < n, 0 ≤ x ≤ size."""
    rest = size - x
    p, q = r / n, (n - r) / n
    total, taken, left = size.astype(np.float64), x.astype(np.float64), rest.astype(np.float64)
    is_inner = (x > 0) & (rest > 0)  # else there is a simpler form, and here any finite number will do
    spread = np.where(is_inner, 2 * math.pi * taken * left / np.maximum(total, 1.0), 1.0)
    stirling = _stirling_error(size) - (_stirling_error(x) + _stirling_error(rest))
    log_p = stirling - (_deviance(x, total * p) + _deviance(rest, total * q)) - 0.5 * np.log(spread)
    at_none = total * math.log1p(-p) if p < 0.5 else total * math.log(q)
    at_all = total * math.log1p(-q) if q < 0.5 else total * math.log(p)
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


class Track(NamedTuple):
    """What windows run over: atoms (units, or the words in them) and how windows treat the edges."""

    n_atoms: int
    edges: int

    def windows(self, k: int) -> tuple[int, int]:
        """The first and the last window."""
        if self.edges == readable.PADDED:
            return -k, self.n_atoms - 1
        return 0, self.n_atoms - 1 - (k if self.edges == readable.PLAIN else 0)

    def around(self, positions: IntArray, k: int) -> IntArray:
        """Positions, and with wrapped edges those that windows meet again after the end."""
        if self.edges != readable.WRAP:
            return positions
        return np.concatenate((positions, positions[positions < k] + self.n_atoms))


def _inside(positions: IntArray, windows: IntArray, k: int) -> IntArray:
    """How many of the ascending positions each window covers: those in i+1 .. i+k."""
    after = np.searchsorted(positions, windows + k, side="right")
    return (after - np.searchsorted(positions, windows, side="right")).astype(np.int64)


def _expected_errors(reference: IntArray, tied: Tied, track: Track, k: int, *, counting: bool) -> float:
    """Return the expected number of windows in error; ``counting`` compares numbers of boundaries (WD).

    Between two events, a boundary entering or leaving the window, nothing changes. Unmarked positions are
    no events: a window holds all its positions but the marked ones. Only padded windows over the edges
    hold fewer, each another number.
    """
    first, last = track.windows(k)
    ref, certain = track.around(reference, k), track.around(tied.certain, k)
    sets = [ref, certain]
    edge: list[IntArray] = []
    if tied.positions is not None:
        sets.append(track.around(tied.positions, k))
    elif track.edges == readable.WRAP:
        # The document's end is a place in the window, and no position.
        certain_and_end = np.concatenate((tied.certain, [track.n_atoms], certain[len(tied.certain) :]))
        sets.append(certain_and_end)
    elif track.edges == readable.PADDED:
        edge = [np.array([0, track.n_atoms - k])]
        if k <= MAX_EDGE_WINDOWS:
            edge = [np.arange(-k, 1), np.arange(track.n_atoms - k, track.n_atoms)]
    events = [change for positions in sets for change in (positions - k, positions)]
    starts = np.unique(np.concatenate([*events, *edge, np.array([first])]))
    starts = starts[(starts >= first) & (starts <= last)]
    runs = np.diff(starts, append=last + 1)

    r, c = _inside(ref, starts, k), _inside(certain, starts, k)
    if tied.positions is not None:
        m = _inside(sets[2], starts, k)
    elif track.edges == readable.WRAP:
        m = k - _inside(sets[2], starts, k)
    else:
        m = np.minimum(starts + k, track.n_atoms - 1) - np.maximum(starts, 0) - c
    # How many windows of each run are expected to hold c + x boundaries: as many as the reference, or none.
    x = r - c if counting else np.zeros_like(m)
    alike = runs * _repeated_hypergeometric(x, tied.n, m, tied.needed)
    if edge and k > MAX_EDGE_WINDOWS:
        rises, falls = starts < 0, starts >= track.n_atoms - k
        is_edge = rises | falls
        low = np.where(falls, m - runs + 1, m)[is_edge]
        high = np.where(rises, m + runs - 1, m)[is_edge]
        summed = _summed_hypergeometric(x[is_edge], tied.n, low, high, tied.needed)
        alike[is_edge] = np.clip(summed, 0, runs[is_edge])  # rounding must not make an error negative
    if counting:
        errors = runs - alike
    else:
        alike = np.where(c == 0, alike, 0.0)
        errors = np.where(r > 0, alike, runs - alike)
    return float(errors.sum())


class Ranking:
    """The hypothesis's boundaries by prominence, to take any number of the most prominent."""

    def __init__(self, positions: IntArray, ranks: IntArray, n_positions: int, possible: IntArray | None):
        self.positions = positions
        self.ranks = ranks
        self.levels, counts = np.unique(ranks, return_counts=True)
        self.totals = np.cumsum(counts)
        self.n_positions = n_positions
        self.possible = possible  # all positions that a boundary may have, where these are not all atoms

    def most_prominent(self, number: int) -> Tied:
        """Return the ``number`` most prominent boundaries, as far as they are certain, and the tied ones."""
        # How many whole ranks fit.
        n_whole = int(np.searchsorted(self.totals, number, side="right"))
        taken = int(self.totals[n_whole - 1]) if n_whole else 0
        certain = self.positions[self.ranks <= self.levels[n_whole - 1]] if n_whole else self.positions[:0]
        needed = number - taken
        if n_whole < len(self.levels):
            tied: IntArray | None = self.positions[self.ranks == self.levels[n_whole]]
            return Tied(certain, tied, int(self.totals[n_whole]) - taken, needed)
        n_unmarked = self.n_positions - taken
        if needed == n_unmarked or self.possible is not None:
            # Every position (so all are marked in the reference, too), or few enough to name them.
            every = np.arange(1, self.n_positions + 1) if self.possible is None else self.possible
            unmarked = np.setdiff1d(every, certain, assume_unique=True)
            if needed == n_unmarked:
                return Tied(np.sort(np.concatenate((certain, unmarked))), None, 0, 0)
            return Tied(certain, unmarked, n_unmarked, needed)
        return Tied(certain, None, n_unmarked, needed)


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

    k: int | None = optional_whole("window size; None: half the mean reference segment", minimum=1)
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
        track = Track(n_atoms, EDGES[self.edges])
        ref_positions, hyp_positions = ref.position_array, hyp.position_array
        if ends is not None:
            ref_positions, hyp_positions = ends[ref_positions - 1], ends[hyp_positions - 1]
        ranking = Ranking(hyp_positions, hyp.rank_array, ref.n_units - 1, None if ends is None else ends[:-1])
        levels = []
        above = 0
        for rank in ref.levels or (1,):  # without boundaries: one level without any
            marked = ref_positions[ref.rank_array <= rank]
            k = self._size(n_atoms, len(marked) if self.k_from == "level" else ref.n_boundaries)
            tied = ranking.most_prominent(len(marked))
            first, last = track.windows(k)
            windows = max(0, last - first + 1)
            if tied.needed:
                errors = _expected_errors(marked, tied, track, k, counting=self.counting)
            else:
                errors = self._errors(marked, tied.certain, track, k)
            tied_n = tied.n if tied.needed else 0
            levels.append(
                LevelError(rank, len(marked) - above, len(marked), k, windows, errors, tied_n, tied.needed)
            )
            above = len(marked)
        return tuple(levels)

    def _size(self, n_atoms: int, n_boundaries: int) -> int:
        k = self.k
        if k is None:
            k = max(self.k_min, half_mean_length(n_atoms, n_boundaries + 1, self.rounding))
        return max(1, min(k, n_atoms - 1))

    def _errors(self, reference: IntArray, hypothesis: IntArray, track: Track, k: int) -> int:
        is_native = track.n_atoms <= MAX_NATIVE_UNITS
        count = kernel.active.window_counts if is_native else readable.window_counts
        counted = count(reference, hypothesis, track.n_atoms, k, track.edges)
        return int(counted[3] if self.counting else counted[1])

    def counts(self, reference: HierarchyLike, hypothesis: HierarchyLike) -> tuple[tuple[Count, ...], int]:
        """Σ c × error of the level, and the number of reference boundaries."""
        return _total(self.levels(reference, hypothesis)), 1

    def fraction(self, counts: Counts) -> tuple[Count, Count, Count]:
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


@dataclass(frozen=True)
class HierarchicalError:
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

    >>> from caesura.hierarchy import Hierarchy
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

    >>> from caesura.hierarchy import Hierarchy
    >>> reference = Hierarchy.from_nested([[2, 3], [6]])
    >>> float(hierarchical_window_diff(reference, reference))
    0.0
    >>> round(float(hierarchical_window_diff(reference, [11], edges="wrap")), 4)
    0.4121
    """
    return _hierarchical(EWD(k, rounding, k_min, edges, k_from), reference, hypothesis, unit_sizes)

"""The kernels in readable Python: the definition that the compiled kernels must equal, and the fallback.

Functions take ascending arrays of boundary positions (and types) and return counts, or values where nothing
is counted. Time and memory do not depend on the number of units.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from caesura.arrays import FloatArray, IntArray, repeat
from caesura.errors import ParameterError
from caesura.kernel.edits import Boundary, greedy_edits, optimal_transpositions, transpositions

NAME = "python"

PLAIN, PADDED, WRAP = 0, 1, 2  # how windows treat the document's edges (see ``window_runs``)

MAX_CELLS = 10**8  # the most table cells of generalized Hamming distance; larger input is refused

MAX_SWEEP = 10**6  # the largest n_t of a sweep, which has a row for each n_t

MAX_PACKED = 2**63 - 1  # the largest number in a 64-bit array


# -------------------------------------------------------------------- boundary edit distance, one type


def edit_counts(a: IntArray, b: IntArray, n_t: int, optimal: bool) -> tuple[int, int, int, int, int]:
    """Return (matches, only in a, only in b, transpositions, sum of their distances)."""
    matches, spans = _matches_and_spans(a, b, n_t, optimal)
    paired = matches + len(spans)
    return matches, len(a) - paired, len(b) - paired, len(spans), sum(spans)


def _matches_and_spans(a: IntArray, b: IntArray, n_t: int, optimal: bool) -> tuple[int, list[int]]:
    """Return the number of matches, and the distances of the transpositions, ascending."""
    in_a, in_b = set(a.tolist()), set(b.tolist())
    only_a, only_b = sorted(in_a - in_b), sorted(in_b - in_a)
    pairs = optimal_transpositions(only_a, only_b, n_t) if optimal else transpositions(only_a, only_b, n_t)
    return len(in_a & in_b), sorted(abs(i - j) for i, j in pairs)


# -------------------------------------------------------------------- windows


def first_and_last(n_units: int, k: int, edges: int) -> tuple[int, int]:
    """Return the first and last window: PLAIN 0 .. n-k-1, PADDED -k .. n-1, WRAP 0 .. n-1."""
    if edges == PADDED:
        return -k, n_units - 1
    return 0, n_units - 1 if edges == WRAP else n_units - k - 1


def window_runs(
    reference: IntArray, hypothesis: IntArray, n_units: int, k: int, edges: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield runs of equal windows as (first window, number of windows, r, h), in order and without gaps.

    Window i covers positions i+1 .. i+k and holds r and h boundaries. PADDED windows reach over both ends
    (Lamprier et al. 2007); WRAP takes positions modulo n_units (Carroll 2010).
    """
    ref, hyp = reference.tolist(), hypothesis.tolist()
    window, last = first_and_last(n_units, k, edges)
    if edges == WRAP:
        ref += [p + n_units for p in ref if p < k]
        hyp += [p + n_units for p in hyp if p < k]
    # A boundary at p is inside windows p-k .. p-1: it enters at p-k and leaves at p.
    changes = [(p - k, 1, 0) for p in ref] + [(p, -1, 0) for p in ref]
    changes += [(p - k, 0, 1) for p in hyp] + [(p, 0, -1) for p in hyp]
    changes.sort()
    r = h = 0
    for start, r_change, h_change in [*changes, (last + 1, 0, 0)]:
        run = min(start, last + 1) - window
        if run > 0:
            yield window, run, r, h
            window += run
        r += r_change
        h += h_change


def window_counts(
    reference: IntArray, hypothesis: IntArray, n_units: int, k: int, edges: int
) -> tuple[int, int, int, int, int, int]:
    """Slide a window of k positions over both sides and count windows by kind (see ``window_runs``).

    Return (windows, windows with (r>0) != (h>0), those of them with r=0, windows with r != h, sum of
    abs(r-h), sum of min(r, h)).
    """
    disagree = false_alarms = different = difference = common = 0
    for _, run, r, h in window_runs(reference, hypothesis, n_units, k, edges):
        common += run * min(r, h)
        if r != h:
            different += run
            difference += run * abs(r - h)
            false_alarms += run * (not r)
            disagree += run * (not r or not h)
    first, last = first_and_last(n_units, k, edges)
    return max(0, last - first + 1), disagree, false_alarms, different, difference, common


def window_kinds(
    reference: IntArray, certain: IntArray, tied: IntArray, n_units: int, k: int, edges: int
) -> IntArray:
    """Count windows by their numbers of reference, certain and tied boundaries: r, c and m.

    Return rows of (r, c, m, windows), ascending, for windows as in ``window_counts``.
    """
    first, last = first_and_last(n_units, k, edges)
    sets = [reference, certain, tied]
    if edges == WRAP:
        sets = [np.concatenate((positions, positions[positions < k] + n_units)) for positions in sets]
    # One number holds the counts of a window: (r * of_r + c) * of_c + m.
    of_c = len(sets[2]) + 1
    of_r = of_c * (len(sets[1]) + 1)
    fits = of_r * (len(sets[0]) + 1) <= MAX_PACKED
    worth = np.array([of_r, of_c, 1], dtype=np.int64 if fits else object)
    # A boundary at p enters at window p-k and leaves at p.
    starts = np.concatenate([change for positions in sets for change in (positions - k, positions)])
    changes = repeat(np.outer(worth, [1, -1]).ravel(), repeat([len(positions) for positions in sets], 2))
    order = np.argsort(starts, kind="stable")
    starts = np.concatenate(([first], starts[order], [last + 1])).clip(first, last + 1)
    holds = np.concatenate(([0], np.cumsum(changes[order])))
    runs = np.diff(starts)
    kinds, which = np.unique(holds[runs > 0], return_inverse=True)
    windows = np.zeros(len(kinds), dtype=np.int64)
    np.add.at(windows, which, runs[runs > 0])
    return np.stack((kinds // of_r, kinds % of_r // of_c, kinds % of_c, windows), axis=1).astype(np.int64)


class _Tied(NamedTuple):
    """The hypothesis's boundaries for one level: the certain ones, and ``needed`` of ``n`` tied ones."""

    certain: IntArray
    positions: IntArray | None  # of the tied ones; None: all positions that are not certain
    n: int
    needed: int


class _Ranking:
    """The hypothesis's boundaries by prominence."""

    def __init__(self, positions: IntArray, ranks: IntArray, n_positions: int, possible: IntArray | None):
        self.positions = positions
        self.ranks = ranks
        self.levels, counts = np.unique(ranks, return_counts=True)
        self.totals = np.cumsum(counts)
        self.n_positions = n_positions
        self.possible = possible  # the positions that a boundary may have; None: all

    @cached_property
    def unmarked(self) -> IntArray:
        """All positions without a boundary; only used where they are few."""
        every = np.arange(1, self.n_positions + 1) if self.possible is None else self.possible
        return np.setdiff1d(every, self.positions, assume_unique=True)

    def most_prominent(self, number: int) -> _Tied:
        """Return the ``number`` most prominent boundaries: certain ones, and ties for the rest."""
        # The number of whole ranks that fit.
        n_whole = int(np.searchsorted(self.totals, number, side="right"))
        taken = int(self.totals[n_whole - 1]) if n_whole else 0
        certain = self.positions[self.ranks <= self.levels[n_whole - 1]] if n_whole else self.positions[:0]
        needed = number - taken
        if not needed:
            return _Tied(certain, self.positions[:0], 0, 0)
        if n_whole < len(self.levels):
            tied = self.positions[self.ranks == self.levels[n_whole]]
            return _Tied(certain, tied, len(tied), needed)
        n_unmarked = self.n_positions - taken
        if needed == n_unmarked:  # so the reference, too, marks every position
            return _Tied(np.sort(np.concatenate((certain, self.unmarked))), self.positions[:0], 0, 0)
        return _Tied(certain, None if self.possible is None else self.unmarked, n_unmarked, needed)


def _level_kinds(reference: IntArray, tied: _Tied, n_atoms: int, k: int, edges: int) -> IntArray:
    """Count the windows of one level by their numbers of boundaries (see ``level_kinds_many``).

    Unmarked positions need no visit: a window holds all its positions except the marked ones.
    """
    if tied.positions is not None:
        kinds = window_kinds(reference, tied.certain, tied.positions, n_atoms, k, edges)
        return kinds[:, [0, 1, 2, 2, 3]]
    if edges == WRAP:
        # The document's end takes room in the window but is not a position.
        no_position = np.append(tied.certain, n_atoms)
        r, c, m, windows = window_kinds(reference, tied.certain, no_position, n_atoms, k, edges).T
        return np.stack((r, c, k - m, k - m, windows), axis=1)
    r, c, _, windows = window_kinds(reference, tied.certain, tied.certain[:0], n_atoms, k, PLAIN).T
    kinds = np.stack((r, c, k - c, k - c, windows), axis=1)
    if edges == PADDED:
        start = _edge_kinds(reference, tied.certain, k)
        end = _edge_kinds(n_atoms - reference[::-1], n_atoms - tied.certain[::-1], k)
        kinds = np.concatenate((start, kinds, end))
    return kinds


def _edge_kinds(reference: IntArray, certain: IntArray, k: int) -> IntArray:
    """Count the padded windows over the document's start, which hold its first 0 .. k − 1 positions."""
    reference, certain = reference[reference < k], certain[certain < k]
    starts = np.unique(np.concatenate(([0], reference, certain)))
    windows = np.diff(np.append(starts, k))
    r, c = (np.searchsorted(positions, starts, side="right") for positions in (reference, certain))
    return np.stack((r, c, starts - c, starts - c + windows - 1, windows), axis=1)


def mult_window_counts(
    references: Sequence[IntArray], hypothesis: IntArray, n_units: int, k: int
) -> tuple[int, int, int]:
    """Return the errors of the hypothesis, of the best and of the worst guesses over references × windows.

    Windows are PLAIN (see ``window_counts``). Counts change only at events, where a boundary enters or leaves
    the window. ``support[n]`` is the number of references with n boundaries in it; ``n_with[s]`` is the
    number of values n in 0 .. k with support s. So the greatest and least support move by at most one step
    per event.
    """
    n_references, n_windows = len(references), n_units - k
    # A boundary at p is inside windows p-k .. p-1. Leaving sorts before entering, so no count exceeds k.
    events = [
        event
        for coder, positions in enumerate([*references, hypothesis])
        for p in positions.tolist()
        for event in ((p - k, 1, coder), (p, -1, coder))
    ]
    events.sort()
    events.append((n_windows, 0, n_references))
    inside = [0] * (n_references + 1)
    support = {0: n_references}
    n_with = [k] + [0] * n_references
    n_with[n_references] = 1
    most, least = n_references, 0
    error = best = worst = window = 0
    for start, change, coder in events:
        run = min(start, n_windows) - window
        if run > 0:
            window += run
            error += run * (n_references - support.get(inside[n_references], 0))
            best += run * (n_references - most)
            worst += run * (n_references - least)
        before = inside[coder]
        after = inside[coder] = before + change
        if coder == n_references:
            continue
        left, joined = support[before], support.get(after, 0)
        support[before], support[after] = left - 1, joined + 1
        n_with[left] -= 1
        n_with[left - 1] += 1
        n_with[joined] -= 1
        n_with[joined + 1] += 1
        most, least = max(most, joined + 1), min(least, left - 1)
        while not n_with[most]:
            most -= 1
        while not n_with[least]:
            least += 1
    return error, best, worst


# -------------------------------------------------------------------- matching, overlap, classics


def matched_within(a: IntArray, b: IntArray, tolerance: int) -> int:
    """Return the size of a maximum one-to-one matching of boundaries at most ``tolerance`` apart."""
    left, right = a.tolist(), b.tolist()
    i = j = matched = 0
    while i < len(left) and j < len(right):
        gap = right[j] - left[i]
        if gap > tolerance:
            i += 1
        elif gap < -tolerance:
            j += 1
        else:
            matched += 1
            i += 1
            j += 1
    return matched


def largest_overlaps(a: IntArray, b: IntArray, n_units: int) -> int:
    """Return the sum over the segments of a of the largest overlap with one segment of b."""
    a_ends, b_ends = [*a.tolist(), n_units], [*b.tolist(), n_units]
    total = start = i = j = largest = 0
    while i < len(a_ends):
        end = min(a_ends[i], b_ends[j])
        largest = max(largest, end - start)
        start = end
        if end == b_ends[j]:
            j += 1
        if end == a_ends[i]:
            total += largest
            largest = 0
            i += 1
    return total


def nearest_distances(reference: IntArray, hypothesis: IntArray) -> int:
    """Return the sum over reference boundaries of the distance to the nearest hypothesis boundary.

    Without any hypothesis boundary there is no distance to sum: 0.
    """
    hyp = hypothesis.tolist()
    total = 0
    if not hyp:
        return total
    for position in reference.tolist():
        after = bisect_left(hyp, position)
        total += min(abs(position - p) for p in hyp[max(0, after - 1) : after + 1])
    return total


def generalized_hamming(
    reference: IntArray, hypothesis: IntArray, insertion: float, deletion: float, shift: float
) -> float:
    """Return the generalized Hamming distance by dynamic programming over the boundaries."""
    ref, hyp = reference.tolist(), hypothesis.tolist()
    above = [insertion * j for j in range(len(ref) + 1)]
    for i, hyp_position in enumerate(hyp):
        row = [deletion * (i + 1)]
        for j, ref_position in enumerate(ref):
            shifted = shift * abs(hyp_position - ref_position) + above[j]
            if hyp_position == ref_position:
                alternative = above[j]
            elif hyp_position > ref_position:
                alternative = deletion + above[j + 1]
            else:
                alternative = insertion + row[j]
            row.append(min(alternative, shifted))
        above = row
    return float(above[-1])


def p_mu(reference: IntArray, hypothesis: IntArray, n_units: int, mu: float) -> float:
    """Return the share of pairs of units i ≤ j, weighted by exp(−μ (j−i)), on which both sides agree.

    They disagree on the pairs in one segment of r, plus those in one segment of h, minus twice those in one
    segment of both.
    """
    ref, hyp = reference.tolist(), hypothesis.tolist()
    in_r, in_h = _pair_weight(ref, n_units, mu), _pair_weight(hyp, n_units, mu)
    in_both = _pair_weight(sorted({*ref, *hyp}), n_units, mu)
    wrong = (in_r + in_h - 2 * in_both) / _pair_weight([], n_units, mu)
    return min(1.0, max(0.0, 1.0 - wrong))


def _pair_weight(positions: list[int], n_units: int, mu: float) -> float:
    """Sum exp(−μ (j−i)) over all pairs i ≤ j of units in one segment, in closed form per segment."""
    q, gap = math.exp(-mu), -math.expm1(-mu)  # gap = 1 − q

    def weight(length: float) -> float:
        if mu * length < 1e-4:  # the closed form loses digits; its series does not
            return length * (length + 1) / 2 * (1 - mu * (length - 1) / 3 * (1 - mu * length / 4))
        return length / gap + q * math.expm1(-mu * length) / (gap * gap)

    return math.fsum(weight(float(end - start)) for start, end in pairwise([0, *positions, n_units]))


# -------------------------------------------------------------------- many pairs at once


@dataclass(frozen=True, eq=False, slots=True)
class Side:
    """One side of many pairs: all its codings end to end, and the coding of each pair.

    The two sides may share their arrays.
    """

    positions: IntArray
    offsets: IntArray  # the start of each coding's boundaries, and the end of the last
    coding: IntArray  # the coding of each pair, by its number
    types: IntArray | None = None
    """Type (or rank) of each boundary; kernels without types ignore them."""

    def __len__(self) -> int:
        return len(self.coding)

    def __iter__(self) -> Iterator[IntArray]:
        """Yield the positions of each pair's coding."""
        return (self.positions[self.part(pair)] for pair in range(len(self)))

    def part(self, pair: int) -> slice:
        """Return the slice of a pair's coding."""
        coding = self.coding[pair]
        return slice(self.offsets[coding], self.offsets[coding + 1])

    def typed(self) -> Iterator[list[Boundary]]:
        """Yield the (position, type) pairs of each pair's coding."""
        assert self.types is not None
        for part in map(self.part, range(len(self))):
            yield list(zip(self.positions[part].tolist(), self.types[part].tolist(), strict=True))


def edit_counts_many(a: Side, b: Side, n_t: int, optimal: bool) -> IntArray:
    """Return ``edit_counts`` of every pair, one row each."""
    return _edit_rows([edit_counts(*pair, n_t, optimal) for pair in zip(a, b, strict=True)], 5)


def transposition_spans_many(a: Side, b: Side, n_t: int, optimal: bool) -> tuple[IntArray, IntArray]:
    """Return the distances of all transpositions, after the offsets of each pair's distances.

    ``spans[offsets[i] : offsets[i + 1]]`` are those of pair i, ascending. The greedy method's distances below
    a smaller n_t are the result for that n_t, so one call serves all n_t.
    """
    spans = [_matches_and_spans(*pair, n_t, optimal)[1] for pair in zip(a, b, strict=True)]
    offsets = np.cumsum([0, *map(len, spans)], dtype=np.int64)
    return offsets, np.array([span for of_pair in spans for span in of_pair], dtype=np.int64)


def typed_edit_counts_many(a: Side, b: Side, n_t: int) -> IntArray:
    """Return the published edits of every pair of typed segmentations, one row each.

    A row is (matches, only in a, only in b, substitutions, transpositions, sum of their distances, sum of the
    differences of substituted types, largest minus least type, number of types). Types are those of both
    sides; the last two columns are 0 without any. Boundaries ascend by position, then by type.
    """
    rows = []
    for in_a, in_b in zip(a.typed(), b.typed(), strict=True):
        edits = greedy_edits(in_a, in_b, n_t, None)
        span = sum(abs(i - j) for i, j, _ in edits.transpositions)
        difference = sum(abs(x - y) for _, x, y in edits.substitutions)
        types = {kind for _, kind in in_a + in_b}
        type_range = max(types, default=0) - min(types, default=0)
        rows.append((*(len(of_kind) for of_kind in edits), span, difference, type_range, len(types)))
    return _edit_rows(rows, 9)


def typed_edit_sweep_many(a: Side, b: Side, n_t_max: int) -> IntArray:
    """Return (matches, additions, substitutions, transpositions) summed over pairs, for n_t = 1 .. n_t_max.

    Row n_t - 1 is for n_t. The published transpositions at a smaller n_t are those of a larger one over
    shorter distances, so one alignment of each pair serves all n_t.
    """
    _check_sweep(n_t_max)
    matches = unmatched = 0
    changes = np.zeros((n_t_max, 2), dtype=np.int64)  # of substitutions and transpositions
    for in_a, in_b in zip(a.typed(), b.typed(), strict=True):
        edits = greedy_edits(in_a, in_b, n_t_max, None)
        matches += len(edits.matches)
        unmatched += len(in_a) + len(in_b) - 2 * len(edits.matches)
        matched = set(edits.matches)
        open_a, open_b = (
            Counter(position for position, kind in side if (position, kind) not in matched)
            for side in (in_a, in_b)
        )
        changes[0, 0] += sum(min(n, open_b[position]) for position, n in open_a.items())
        for p, q, _ in sorted(edits.transpositions, key=lambda edit: abs(edit[0] - edit[1])):
            changes[abs(p - q), 1] += 1
            for counter, position in ((open_a, p), (open_b, q)):
                before = min(open_a[position], open_b[position])
                counter[position] -= 1
                changes[abs(p - q), 0] += min(open_a[position], open_b[position]) - before
    return _sweep_rows(matches, unmatched, changes)


def _check_sweep(n_t_max: int) -> None:
    if not 1 <= n_t_max <= MAX_SWEEP:
        raise ParameterError(f"n_t_max is {n_t_max}: a sweep over n_t goes from 1 to {MAX_SWEEP:,} at most")


def _sweep_rows(matches: int, unmatched: int, changes: IntArray) -> IntArray:
    """Return the rows of a sweep from the changes at each distance."""
    substitutions, transposed = np.cumsum(changes, axis=0).T
    additions = unmatched - 2 * (substitutions + transposed)
    return np.stack((np.full_like(additions, matches), additions, substitutions, transposed), axis=1)


def _edit_rows(rows: Sequence[tuple[int, ...]], n_columns: int) -> IntArray:
    try:
        return np.array(rows, dtype=np.int64).reshape(len(rows), n_columns)
    except OverflowError:
        fault = "the distances of one pair's edits sum to 2**63 or more"
        raise ParameterError(f"{fault}; use a smaller n_t") from None


def window_counts_many(a: Side, b: Side, n_units: IntArray, k: IntArray, edges: int) -> IntArray:
    """Return ``window_counts`` of every pair, one row each; ``n_units`` and ``k`` are per pair."""
    pairs = zip(a, b, n_units.tolist(), k.tolist(), strict=True)
    rows = [window_counts(*pair, edges) for pair in pairs]
    return np.array(rows, dtype=np.int64).reshape(len(rows), 6)


def matched_within_many(a: Side, b: Side, tolerance: int) -> IntArray:
    """Return ``matched_within`` of every pair."""
    return np.array([matched_within(*pair, tolerance) for pair in zip(a, b, strict=True)], dtype=np.int64)


def largest_overlaps_many(a: Side, b: Side, n_units: IntArray) -> IntArray:
    """Return ``largest_overlaps`` of every pair; ``n_units`` is per pair."""
    pairs = zip(a, b, n_units.tolist(), strict=True)
    return np.array([largest_overlaps(*pair) for pair in pairs], dtype=np.int64)


def nearest_distances_many(a: Side, b: Side) -> IntArray:
    """Return ``nearest_distances`` of every pair."""
    return np.array([nearest_distances(*pair) for pair in zip(a, b, strict=True)], dtype=np.int64)


def generalized_hamming_many(a: Side, b: Side, insertion: float, deletion: float, shift: float) -> FloatArray:
    """Return ``generalized_hamming`` of every pair."""
    costs = insertion, deletion, shift
    return np.array([generalized_hamming(*pair, *costs) for pair in zip(a, b, strict=True)], dtype=np.float64)


def p_mu_many(a: Side, b: Side, n_units: IntArray, mu: FloatArray) -> FloatArray:
    """Return ``p_mu`` of every pair; ``n_units`` and ``mu`` are per pair."""
    pairs = zip(a, b, n_units.tolist(), mu.tolist(), strict=True)
    return np.array([p_mu(*pair) for pair in pairs], dtype=np.float64)


def mult_window_counts_many(
    references: Side, runs: IntArray, hypotheses: Side, n_units: IntArray, k: IntArray
) -> IntArray:
    """Return ``mult_window_counts`` of every hypothesis, one row each.

    The references of hypothesis i are ``runs[i]`` to ``runs[i + 1]`` of their side. ``n_units`` and ``k``
    are per hypothesis.
    """
    every = list(references)
    several = zip(pairwise(runs.tolist()), hypotheses, n_units.tolist(), k.tolist(), strict=True)
    rows = [mult_window_counts(every[slice(*run)], *against) for run, *against in several]
    return np.array(rows, dtype=np.int64).reshape(len(rows), 3)


class Units(NamedTuple):
    """The units of pairs, over whose atoms, such as words, windows may run."""

    n_units: IntArray
    """The number of units of each pair."""
    ends: IntArray | None = None
    """The number of atoms up to the end of each unit of a document; None: each unit is one atom."""
    starts: IntArray | None = None
    """The start of each pair in ``ends``."""


class Levels(NamedTuple):
    """Levels, pair after pair: the reference's boundaries up to a rank, and the window size."""

    pair: IntArray
    rank: IntArray
    k: IntArray


def level_kinds_many(
    a: Side, b: Side, units: Units, levels: Levels, start: int, most_kinds: int, edges: int
) -> tuple[IntArray, IntArray]:
    """Count the windows of levels by their numbers of boundaries, for E_Pk and E_WD (Carroll 2010, §2).

    A level compares the reference's boundaries up to a rank with as many of the hypothesis's most prominent
    ones. If only some of a rank are needed, the boundaries of that rank are tied; positions without a
    boundary are the last rank. The types of both sides are ranks.

    Levels are taken from ``start`` until the end or until there are ``most_kinds`` rows. Return for each
    level (tied, needed of them, number of kinds), and the kinds, level after level: (r, c, least m, greatest
    m, windows) with r reference, c certain and m tied boundaries. If the two m differ, m takes each value
    between them once.
    """
    assert a.types is not None
    assert b.types is not None
    made, parts, n_kinds, current = [], [np.empty((0, 5), dtype=np.int64)], 0, -1
    for level in range(start, len(levels.pair)):
        pair = int(levels.pair[level])
        if pair != current:
            current = pair
            of_a, of_b, n = a.part(pair), b.part(pair), int(units.n_units[pair])
            ref, hyp = a.positions[of_a], b.positions[of_b]
            n_atoms, possible = n, None
            if units.ends is not None and units.starts is not None:
                ends = units.ends[units.starts[pair] : units.starts[pair] + n]
                ref, hyp = ends[ref - 1], ends[hyp - 1]
                n_atoms, possible = int(ends[-1]), ends[:-1]
            ranking = _Ranking(hyp, b.types[of_b], n - 1, possible)
        marked = ref[a.types[of_a] <= levels.rank[level]]
        tied = ranking.most_prominent(len(marked))
        kinds = _level_kinds(marked, tied, n_atoms, int(levels.k[level]), edges)
        made.append((tied.n, tied.needed, len(kinds)))
        parts.append(kinds)
        n_kinds += len(kinds)
        if n_kinds >= most_kinds:
            break
    return np.array(made, dtype=np.int64).reshape(len(made), 3), np.concatenate(parts)

"""Properties that follow from the definitions, and naive transcriptions of the definitions, on random pairs.

Source of truth: SPEC §1-5. Where a value is expected it comes from a slow transcription of the definition in
this file or from arithmetic on the listed edits, never from the function under test.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from statistics import fmean

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura import Segmentation
from caesura.alignment import Addition, Alignment, Substitution, Transposition
from caesura.metrics.classic import coverage, density_ratio, purity

from . import strategies as own

EDGES = ("plain", "padded", "wrap")
WEIGHTINGS = ("scaled", "equation", "constant")
COSTS = {(x, y): Fraction(x + y, 10) for x in own.TYPES for y in own.TYPES if x < y}

# Specifications with non-default parameters; w0 stays 0, as it may lift the weight of an edit above 1.
VARIANTS = [
    "B(n_t=4)",
    "B(n_t=4, method='optimal')",
    "B(transposition='constant', substitution='constant')",
    "B(n_t=3, transposition='equation', substitution='equation')",
    "B(transposition=0.3, substitution=0.6)",
    "B(n_t=4, transposition={1: 0.2, 2: 0.9, 3: 0.1}, method='optimal')",
    "BF(n_t=4, transposition={1: 0.2, 2: 0.9, 3: '1/3'}, substitution={1: 0, 2: 0.5, 3: 0.4, 4: 1})",
    "Ba(n_t=4, method='optimal')",
    "Bc(n_t=4, method='optimal')",
    "S(n_t=4, method='optimal')",
    "S(types=(1, 2, 3, 4, 5))",
    "BP(n_t=4)",
    "BR(credit_substitutions=True)",
    "BF(n_t=3, credit_substitutions=True)",
    "BF(beta=0.5)",
    "P(tolerance=2)",
    "R(tolerance=2)",
    "F(tolerance=2)",
    "F(beta=2.0)",
    "Pk(k=3, edges='padded')",
    "PkPrime(edges='wrap')",
    "WD(edges='padded')",
    "WD(edges='wrap', k=1)",
    "WinP(k=4)",
    "WinF(rounding='ceil')",
    "GHD(insertion=1.0, deletion=3.0, shift=0.25)",
    "Pmu(mu=0.5)",
]
METRICS = [cs.metric(spec) for spec in (*cs.METRICS, *VARIANTS)]

weighting = st.fixed_dictionaries(
    {
        "n_t": st.integers(1, 6),
        "transposition": st.sampled_from(WEIGHTINGS),
        "substitution": st.sampled_from([*WEIGHTINGS, {pair: float(cost) for pair, cost in COSTS.items()}]),
        "w0": st.sampled_from([0.0, 0.25]),
        "method": st.sampled_from(["greedy", "optimal"]),
    }
)
edit_spec = st.builds(
    "{}(n_t={}, method={!r}, transposition={!r}, substitution={!r})".format,
    st.sampled_from(["B", "Ba", "Bc", "S", "BF"]),
    st.integers(1, 6),
    st.sampled_from(["greedy", "optimal"]),
    st.sampled_from(WEIGHTINGS),
    st.sampled_from(WEIGHTINGS),
)


# -------------------------------------------------------------------- helpers: the definitions, slowly


def unmatched(a: Segmentation, b: Segmentation) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    in_a, in_b = set(a.boundaries), set(b.boundaries)
    return in_a - in_b, in_b - in_a


def weight_of(edit: object, a: Segmentation, b: Segmentation, weights: dict) -> Fraction:
    """SPEC §3, the table of weights."""
    n_t, w0 = weights["n_t"], Fraction(str(weights["w0"]))
    if isinstance(edit, Addition):
        return Fraction(1)
    if isinstance(edit, Transposition):
        d = abs(edit.reference_position - edit.hypothesis_position)
        rule = weights["transposition"]
        return {"scaled": lambda: Fraction(d, n_t), "equation": lambda: w0 + Fraction(d, n_t - 1)}.get(
            rule, lambda: Fraction(1)
        )()
    x, y = sorted((edit.reference_type, edit.hypothesis_type))
    rule = weights["substitution"]
    if not isinstance(rule, str):
        return COSTS[x, y]
    types = {*a.types, *b.types}
    spread = max(types) - min(types)
    if rule == "scaled":
        return Fraction(y - x, spread + 1)
    return w0 + Fraction(y - x, spread) if rule == "equation" else Fraction(1)


def edits_of(alignment: Alignment) -> list[object]:
    return [*alignment.additions, *alignment.substitutions, *alignment.transpositions]


def greedy_by_definition(a: Segmentation, b: Segmentation, n_t: int) -> tuple[set, set]:
    """SPEC §2: the transpositions, and the (position, types of a, types of b) left for substitutions."""
    open_a, open_b = unmatched(a, b)
    types = sorted({t for _, t in open_a | open_b})
    moved = set()

    def both_sides_open(position: int) -> bool:
        return all(any(p == position for p, _ in side) for side in (open_a, open_b))

    for d in range(1, n_t):
        for i in range(1, a.n_units - d):
            for t in types:
                for here, there, flip in ((open_a, open_b, False), (open_b, open_a, True)):
                    if (i, t) not in here or (i + d, t) not in there:
                        continue
                    if both_sides_open(i) and both_sides_open(i + d):
                        continue
                    here.remove((i, t))
                    there.remove((i + d, t))
                    moved.add((i + d, i, t) if flip else (i, i + d, t))
    rest = {
        (p, tuple(sorted(t for q, t in open_a if q == p)), tuple(sorted(t for q, t in open_b if q == p)))
        for p in {p for p, _ in open_a} & {p for p, _ in open_b}
    }
    return moved, rest


def best_pairing(left: list, right: list, weight) -> tuple[int, Fraction]:
    """Most pairs, then least weight, by trying everything; ``weight`` gives None where no pair is allowed."""

    @cache
    def best(i: int, used: int) -> tuple[int, Fraction]:
        if i == len(left):
            return 0, Fraction(0)
        pairs, cost = best(i + 1, used)
        for j, other in enumerate(right):
            step = weight(left[i], other)
            if step is not None and not used >> j & 1:
                more, further = best(i + 1, used | 1 << j)
                pairs, cost = min((pairs, cost), (more + 1, further + step), key=lambda x: (-x[0], x[1]))
        return pairs, cost

    return best(0, 0)


def windows_by_definition(r: Segmentation, h: Segmentation, k: int, edges: str) -> list[tuple[int, int]]:
    """SPEC §5: (r_i, h_i) of every window; window i covers positions i+1 .. i+k."""
    n = r.n_units
    if n == 1:
        return []
    starts = {"plain": range(n - k), "padded": range(-k, n), "wrap": range(n)}[edges]
    counts = []
    for i in starts:
        inside = [p % n if edges == "wrap" else p for p in range(i + 1, i + k + 1)]
        counts.append(tuple(sum(p in s.positions for p in inside) for s in (r, h)))
    return counts


def mirrored(segmentation: Segmentation) -> Segmentation:
    n_units = segmentation.n_units
    boundaries = sorted((n_units - p, t) for p, t in segmentation.boundaries)
    return Segmentation.from_positions([p for p, _ in boundaries], n_units, [t for _, t in boundaries])


def changed(
    segmentation: Segmentation, *, before: int = 0, after: int = 0, types=lambda t: t
) -> Segmentation:
    """Units without boundaries added at the edges, or types renamed."""
    boundaries = segmentation.boundaries
    return Segmentation.from_positions(
        [p + before for p, _ in boundaries],
        segmentation.n_units + before + after,
        types=[types(t) for _, t in boundaries],
    )


def default_k(reference: Segmentation) -> int:
    """SPEC §5, with Python's own round-half-even of an exact fraction."""
    half = round(Fraction(reference.n_units, 2 * len(reference.masses)))
    return min(max(2, half), reference.n_units - 1)


def exact(score: cs.Score) -> tuple[Fraction, ...]:
    return tuple(Fraction(count) / score.scale for count in score.counts)


# -------------------------------------------------------------------- what every metric promises


@given(pair=own.pairs())
def test_values_are_within_the_declared_range(pair):
    for metric in METRICS:
        if own.has_window(metric, pair[0]):
            assert metric.low <= metric(*pair) <= metric.high


@given(pair=own.plain_pairs())
def test_weighted_window_diff_is_within_its_declared_range(pair):
    metric = cs.metric("WD(weighted=True)")
    assert metric.low <= metric(*pair) <= metric.high


@given(pair=own.pairs())
def test_a_base_weight_keeps_similarities_within_their_declared_range(pair):
    for name in ("B", "Ba", "Bc", "S"):
        metric = cs.metric(f"{name}(n_t=3, transposition='equation', substitution='equation', w0=0.5)")
        assert metric.low <= metric(*pair) <= metric.high


@given(segmentation=st.one_of(own.plain(), own.typed()))
def test_a_perfect_hypothesis_gets_the_best_value(segmentation):
    for metric in (*METRICS, cs.metric("WD(weighted=True)")):
        if own.has_window(metric, segmentation):
            assert metric(segmentation, segmentation) == metric.best


SYMMETRIC = [name for name, cls in cs.METRICS.items() if cls.symmetric]


def test_the_similarities_are_declared_symmetric():
    """SPEC §4."""
    assert {"B", "Ba", "Bc", "S"} <= set(SYMMETRIC)


@given(pair=own.pairs())
def test_metrics_declared_symmetric_are(pair):
    one, other = pair
    for metric in map(cs.metric, SYMMETRIC):
        assert metric(one, other) == metric(other, one)


@given(pair=own.pairs(), spec=edit_spec)
def test_edit_metrics_are_symmetric_with_any_parameters(pair, spec):
    one, other = pair
    assert cs.metric(spec)(one, other) == cs.metric(spec)(other, one)


@given(pair=own.pairs(), tolerance=st.integers(0, 5))
def test_boundary_f_is_symmetric_and_precision_is_recall_of_the_exchange(pair, tolerance):
    one, other = pair
    assert cs.boundary_f(one, other, tolerance=tolerance) == cs.boundary_f(other, one, tolerance=tolerance)
    precision = cs.boundary_precision(one, other, tolerance=tolerance)
    assert precision == cs.boundary_recall(other, one, tolerance=tolerance)
    assert purity(one, other) == coverage(other, one)
    assert cs.metric("BP")(one, other) == cs.metric("BR")(other, one)
    if one.n_units > 3:
        assert cs.win_pr(one, other, k=3).precision == cs.win_pr(other, one, k=3).recall


@pytest.mark.parametrize("edges", EDGES)
@given(pair=own.pairs(), k=st.integers(1, 8))
def test_window_errors_are_symmetric_at_one_k(edges, pair, k):
    one, other = pair
    assume(k < one.n_units)
    for function in (cs.pk, cs.window_diff):
        assert function(one, other, k=k, edges=edges) == function(other, one, k=k, edges=edges)


# -------------------------------------------------------------------- boundary edit distance


@given(pair=own.pairs(), weights=weighting)
def test_edits_and_matches_use_every_boundary_once(pair, weights):
    reference, hypothesis = pair
    edits = cs.align(reference, hypothesis, **weights)
    of_reference = [*edits.matches]
    of_reference += [(e.position, e.type) for e in edits.missed]
    of_reference += [(e.position, e.reference_type) for e in edits.substitutions]
    of_reference += [(e.reference_position, e.type) for e in edits.transpositions]
    of_hypothesis = [*edits.matches]
    of_hypothesis += [(e.position, e.type) for e in edits.spurious]
    of_hypothesis += [(e.position, e.hypothesis_type) for e in edits.substitutions]
    of_hypothesis += [(e.hypothesis_position, e.type) for e in edits.transpositions]
    assert sorted(of_reference) == list(reference.boundaries)
    assert sorted(of_hypothesis) == list(hypothesis.boundaries)
    assert set(edits.matches) == set(reference.boundaries) & set(hypothesis.boundaries)
    assert all(1 <= e.distance < weights["n_t"] for e in edits.transpositions)
    assert all(e.reference_type != e.hypothesis_type for e in edits.substitutions)
    assert sorted((*edits.missed, *edits.spurious)) == sorted(edits.additions)


@given(pair=own.pairs(), weights=weighting)
def test_the_similarities_follow_from_the_listed_edits(pair, weights):
    """SPEC §3 and §4."""
    reference, hypothesis = pair
    alignment = cs.align(reference, hypothesis, **weights)
    edits = edits_of(alignment)
    penalty = sum((weight_of(edit, reference, hypothesis, weights) for edit in edits), Fraction(0))
    n_pairs = len(edits) + len(alignment.matches)
    boundaries = reference.n_boundaries + hypothesis.n_boundaries
    unpaired = sum(map(len, unmatched(reference, hypothesis)))
    slots = len({*reference.types, *hypothesis.types}) * (reference.n_units - 1)
    additions = len(alignment.additions)

    def one_minus(numerator: Fraction, denominator: int) -> float:
        return float(1 - numerator / denominator) if denominator else 1.0

    assert alignment.distance == len(edits)
    assert alignment.penalty == penalty
    assert cs.boundary_similarity(reference, hypothesis, **weights) == one_minus(penalty, n_pairs)
    assert cs.boundary_similarity_a(reference, hypothesis, **weights) == one_minus(penalty, boundaries)
    assert cs.boundary_similarity_c(reference, hypothesis, **weights) == one_minus(
        penalty + additions, boundaries + unpaired
    )
    assert cs.segmentation_similarity(reference, hypothesis, **weights) == one_minus(penalty, slots)


@given(pair=own.pairs(), weights=weighting)
def test_boundary_similarity_is_the_mean_correctness(pair, weights):
    alignment = cs.align(*pair, **weights)
    correctness = alignment.correctness
    assert len(correctness) == alignment.distance + len(alignment.matches)
    expected = fmean(correctness) if correctness else 1.0
    assert cs.boundary_similarity(*pair, **weights) == pytest.approx(expected, abs=1e-12)
    score = cs.boundary_similarity(*pair, **weights)
    assert (score.numerator, score.denominator) == (
        pytest.approx(sum(correctness), abs=1e-9),
        len(correctness),
    )


@given(pair=own.pairs(), n_t=st.integers(1, 6))
def test_greedy_takes_the_transpositions_of_the_published_algorithm(pair, n_t):
    moved, rest = greedy_by_definition(*pair, n_t)
    alignment = cs.align(*pair, n_t=n_t)
    assert {tuple(edit) for edit in alignment.transpositions} == moved
    for position, types_a, types_b in rest:
        chosen = [e for e in alignment.substitutions if e.position == position]
        # The smaller list is paired completely, at the least total difference.
        n_pairs, least = best_pairing(list(types_a), list(types_b), lambda x, y: Fraction(abs(x - y)))
        assert len(chosen) == n_pairs == min(len(types_a), len(types_b))
        assert sum(abs(e.reference_type - e.hypothesis_type) for e in chosen) == least
    assert len(alignment.substitutions) == sum(min(len(a), len(b)) for _, a, b in rest)


@given(pair=st.one_of(own.plain_pairs(14), own.typed_pairs(6)), weights=weighting)
def test_optimal_is_a_maximum_matching_of_least_weight(pair, weights):
    reference, hypothesis = pair
    left, right = (sorted(side) for side in unmatched(reference, hypothesis))
    assume(min(len(left), len(right)) <= 7)

    def weight(x: tuple[int, int], y: tuple[int, int]) -> Fraction | None:
        if x[0] == y[0]:
            return weight_of(Substitution(x[0], x[1], y[1]), reference, hypothesis, weights)
        if x[1] == y[1] and abs(x[0] - y[0]) < weights["n_t"]:
            return weight_of(Transposition(x[0], y[0], x[1]), reference, hypothesis, weights)
        return None

    if len(right) <= len(left):
        n_pairs, least = best_pairing(left, right, weight)
    else:  # the search grows with the second list
        n_pairs, least = best_pairing(right, left, lambda y, x: weight(x, y))
    alignment = cs.align(reference, hypothesis, **{**weights, "method": "optimal"})
    assert alignment.distance == len(left) + len(right) - n_pairs
    assert alignment.penalty == len(alignment.additions) + least


@given(pair=own.pairs(), n_t=st.integers(1, 8))
def test_optimal_never_needs_more_edits_than_greedy(pair, n_t):
    greedy, optimal = (cs.align(*pair, n_t=n_t, method=method) for method in ("greedy", "optimal"))
    assert optimal.distance <= greedy.distance


@given(pair=own.plain_pairs())
def test_greedy_is_minimal_with_one_type_at_n_t_2(pair):
    """SPEC §2: never fails at n_t = 2 with one type."""
    assert cs.align(*pair).distance == cs.align(*pair, method="optimal").distance


@given(pair=own.pairs())
def test_more_reach_never_needs_more_edits(pair):
    distances = [cs.align(*pair, n_t=n_t, method="optimal").distance for n_t in (1, 2, 3, 5, 9, 100)]
    assert distances == sorted(distances, reverse=True)


@given(pair=own.pairs(), weights=weighting, before=st.integers(0, 50), after=st.integers(0, 50))
def test_units_without_boundaries_at_the_edges_change_nothing(pair, weights, before, after):
    longer = [changed(segmentation, before=before, after=after) for segmentation in pair]
    for function in (cs.boundary_similarity, cs.boundary_similarity_a, cs.boundary_similarity_c):
        assert function(*longer, **weights) == function(*pair, **weights)
    assert cs.boundary_f(*longer, tolerance=2) == cs.boundary_f(*pair, tolerance=2)


@given(pair=own.plain_pairs(), weights=weighting)
def test_the_name_of_a_single_type_does_not_matter(pair, weights):
    renamed = [changed(segmentation, types=lambda _: 7) for segmentation in pair]
    for name in ("boundary_similarity", "segmentation_similarity"):
        function = getattr(cs, name)
        assert function(*renamed, **weights) == function(*pair, **weights)


@given(pair=own.typed_pairs(), weights=weighting)
def test_only_differences_of_ordinal_types_matter(pair, weights):
    assume(isinstance(weights["substitution"], str))
    renamed = [changed(segmentation, types=lambda t: t + 10) for segmentation in pair]
    assert cs.boundary_similarity(*renamed, **weights) == cs.boundary_similarity(*pair, **weights)


# -------------------------------------------------------------------- confusion matrix


@pytest.mark.parametrize("credit", [False, True])
@given(pair=own.pairs(), weights=weighting)
def test_the_confusion_matrix_follows_from_the_listed_edits(credit, pair, weights):
    """SPEC §4: M adds 1, T its correctness, S 1 (or its weight and the rest), AD 1 on its side."""
    alignment = cs.align(*pair, **weights)
    matrix = cs.confusion_matrix(*pair, **weights, credit_substitutions=credit)
    weight = {edit: weight_of(edit, *pair, weights) for edit in edits_of(alignment)}
    wrong = sum((weight[e] if credit else Fraction(1) for e in alignment.substitutions), Fraction(0))
    near = sum((1 - weight[e] for e in alignment.transpositions), Fraction(0))
    right = len(alignment.substitutions) - wrong
    tp = len(alignment.matches) + near + right
    fp, fn = len(alignment.spurious) + wrong, len(alignment.missed) + wrong
    assert (matrix.tp, matrix.fp, matrix.fn) == (float(tp), float(fp), float(fn))
    assert sum(matrix.cells.values()) == tp + wrong + len(alignment.additions)
    if matrix.types == (1,):
        assert matrix.tn == float(pair[0].n_units - 1 - tp - fp - fn)

    def rate(numerator: Fraction, denominator: Fraction, empty: bool) -> float:
        return float(numerator / denominator) if denominator else float(empty)

    precision, recall = rate(tp, tp + fp, fn == 0), rate(tp, tp + fn, fp == 0)
    parameters = {**weights, "credit_substitutions": credit}
    by_name = {name: cs.METRICS[name](**parameters)(*pair) for name in ("BP", "BR", "BF")}
    assert precision == matrix.precision() == by_name["BP"]
    assert recall == matrix.recall() == by_name["BR"]
    f = rate(2 * tp, 2 * tp + fp + fn, True)
    assert f == matrix.f() == by_name["BF"]
    assert exact(by_name["BF"]) == (tp, fp, fn)


@given(pair=own.typed_pairs(), n_t=st.integers(1, 4))
def test_the_confusion_matrix_splits_by_type(pair, n_t):
    matrix = cs.confusion_matrix(*pair, n_t=n_t)
    parts = matrix.by_type()
    assert sum(part.tp for part in parts.values()) == pytest.approx(matrix.tp)
    assert sum(part.fp for part in parts.values()) == pytest.approx(matrix.fp)
    assert sum(part.fn for part in parts.values()) == pytest.approx(matrix.fn)
    assert matrix.precision("macro") == pytest.approx(fmean(part.precision() for part in parts.values()))
    assert matrix.recall("macro") == pytest.approx(fmean(part.recall() for part in parts.values()))
    assert matrix.f(average="macro") == pytest.approx(fmean(part.f() for part in parts.values()))


# -------------------------------------------------------------------- windows, matching, overlap


@pytest.mark.parametrize("edges", EDGES)
@given(pair=own.pairs(), k=st.one_of(st.none(), st.integers(1, 50)))
def test_window_metrics_equal_their_definitions(edges, pair, k, kernel_module):
    reference, hypothesis = pair
    if k is not None and k >= reference.n_units:
        for function in (cs.pk, cs.pk_prime, cs.window_diff):
            with pytest.raises(cs.ParameterError, match=f"k={k} has no window in {reference.n_units} unit"):
                function(*pair, k=k, edges=edges)
        return
    size = default_k(reference) if k is None else k
    windows = windows_by_definition(reference, hypothesis, size, edges)

    def share(errors: int) -> float:
        return errors / len(windows) if windows else 0.0

    assert cs.pk(*pair, k=k, edges=edges) == share(sum((r > 0) != (h > 0) for r, h in windows))
    doubled = sum(((r > 0) != (h > 0)) + (r == 0 and h > 0) for r, h in windows)
    assert cs.pk_prime(*pair, k=k, edges=edges) == share(doubled)
    assert cs.window_diff(*pair, k=k, edges=edges) == share(sum(r != h for r, h in windows))
    weighted = cs.window_diff(*pair, k=k, edges=edges, weighted=True)
    assert weighted == share(sum(abs(r - h) for r, h in windows))


@given(pair=own.plain_pairs(), k=st.one_of(st.none(), st.integers(1, 50)))
def test_win_pr_equals_its_definition(pair, k, kernel_module):
    """Scaiano & Inkpen (2012): sums of min(r, h), max(0, h-r), max(0, r-h) over padded windows."""
    reference = pair[0]
    assume(reference.n_units > 1)
    assume(k is None or k < reference.n_units)
    size = default_k(reference) if k is None else k
    windows = windows_by_definition(*pair, size, "padded")
    result = cs.win_pr(*pair, k=k)
    assert result.tp == sum(min(r, h) for r, h in windows)
    assert result.fp == sum(max(0, h - r) for r, h in windows)
    assert result.fn == sum(max(0, r - h) for r, h in windows)


@given(pair=own.plain_pairs(16), tolerance=st.integers(0, 6))
def test_boundary_rates_use_a_maximum_matching(pair, tolerance, kernel_module):
    reference, hypothesis = (list(segmentation.positions) for segmentation in pair)
    assume(len(reference) <= 10 and len(hypothesis) <= 10)
    allowed = {(x, y) for x in reference for y in hypothesis if abs(x - y) <= tolerance}
    hits, _ = best_pairing(reference, hypothesis, lambda x, y: Fraction(0) if (x, y) in allowed else None)
    score = cs.boundary_f(*pair, tolerance=tolerance)
    assert score.counts == (hits, len(hypothesis) - hits, len(reference) - hits)


@given(pair=own.pairs())
def test_coverage_and_purity_equal_their_definitions(pair, kernel_module):
    def covered(one: Segmentation, other: Segmentation) -> int:
        others = [set(range(*span)) for span in other.to_spans()]
        return sum(max(len(set(range(*span)) & units) for units in others) for span in one.to_spans())

    reference, hypothesis = pair
    assert coverage(*pair) == covered(reference, hypothesis) / reference.n_units
    assert purity(*pair) == covered(hypothesis, reference) / reference.n_units


@given(pair=own.plain_pairs(20), mu=st.one_of(st.none(), st.floats(1e-9, 20)))
def test_p_mu_equals_its_definition(pair, mu):
    """F13t eq. 2.6: pairs i ≤ j weighed by exp(-μ (j-i)), normalized."""
    reference, hypothesis = pair
    n_units = reference.n_units
    rate = len(reference.masses) / n_units if mu is None else mu
    r, h = reference.to_labels(), hypothesis.to_labels()
    units = [(i, j) for i in range(n_units) for j in range(i, n_units)]
    total = math.fsum(math.exp(-rate * (j - i)) for i, j in units)
    right = math.fsum(math.exp(-rate * (j - i)) for i, j in units if (r[i] == r[j]) == (h[i] == h[j]))
    assert cs.p_mu(*pair, mu=mu) == pytest.approx(right / total, abs=1e-7)


@given(pair=own.plain_pairs())
def test_break_distance_equals_its_definition(pair, kernel_module):
    """Brooke et al. (2012): distances to the nearest predicted break over N; N where there is none."""
    reference, hypothesis = pair
    n = reference.n_units
    total = sum(min((abs(r - h) for h in hypothesis.positions), default=n) for r in reference.positions)
    assert cs.break_distance(*pair) == pytest.approx(total / n)


# -------------------------------------------------------------------- the document reversed


@pytest.mark.parametrize("edges", EDGES)
@given(pair=own.pairs(), k=st.one_of(st.none(), st.integers(1, 50)))
def test_window_errors_do_not_depend_on_the_direction(edges, pair, k):
    assume(k is None or k < pair[0].n_units)
    mirror = [mirrored(segmentation) for segmentation in pair]
    for function in (cs.pk, cs.pk_prime, cs.window_diff):
        assert function(*mirror, k=k, edges=edges) == function(*pair, k=k, edges=edges)


@given(pair=own.pairs(), weights=weighting)
def test_optimal_similarities_overlap_and_rates_do_not_depend_on_the_direction(pair, weights):
    mirror = [mirrored(segmentation) for segmentation in pair]
    weights = {**weights, "method": "optimal"}
    for function in (cs.boundary_similarity, cs.boundary_similarity_c, cs.segmentation_similarity):
        assert function(*mirror, **weights) == function(*pair, **weights)
    for function in (purity, coverage, density_ratio, cs.break_distance):
        assert function(*mirror) == function(*pair)
    assert cs.boundary_f(*mirror, tolerance=2) == cs.boundary_f(*pair, tolerance=2)


# -------------------------------------------------------------------- round trips


@given(own.plain())
def test_every_conversion_reads_back(segmentation):
    assert Segmentation.from_masses(segmentation.masses) == segmentation
    assert Segmentation.from_positions(segmentation.positions, segmentation.n_units) == segmentation
    assert Segmentation.from_labels(segmentation.to_labels()) == segmentation
    assert Segmentation.from_gaps(segmentation.to_gaps()) == segmentation
    assert Segmentation.from_gaps(list(map(int, segmentation.to_gaps()))) == segmentation
    assert Segmentation.from_starts(segmentation.to_starts()) == segmentation
    assert Segmentation.from_ends(segmentation.to_ends()) == segmentation
    assert Segmentation.from_sets(segmentation.to_sets()) == segmentation
    assert Segmentation.from_spans(segmentation.to_spans()) == segmentation
    assert sum(segmentation.masses) == segmentation.n_units
    assert len(segmentation.masses) == segmentation.n_segments == segmentation.n_boundaries + 1


@given(own.typed())
def test_types_survive_round_trips(segmentation):
    assert Segmentation.from_sets(segmentation.to_sets()) == segmentation
    positions = [p for p, _ in segmentation.boundaries]
    types = [t for _, t in segmentation.boundaries]
    read = Segmentation.from_positions(positions, segmentation.n_units, types=types)
    assert read == segmentation
    assert hash(read) == hash(segmentation)
    assert Segmentation.from_masses(segmentation.masses).positions == segmentation.positions


# -------------------------------------------------------------------- sums


def pooled_by_definition(metric: cs.Metric, sample: list) -> tuple[Fraction, ...]:
    """Sums of the counts of single pairs."""
    return tuple(map(sum, zip(*(exact(metric(*pair)) for pair in sample), strict=True)))


def assert_same_counts(score: cs.Score, expected: tuple[Fraction, ...]) -> None:
    """Exactly where counts are whole numbers; where they are values per document, up to rounding."""
    if all(isinstance(count, int) for count in score.counts):
        assert exact(score) == expected
    else:
        assert score.counts == pytest.approx(tuple(map(float, expected)), rel=1e-12)


@pytest.mark.exhaustive
@settings(max_examples=50)
@given(sample=st.lists(st.one_of(own.plain_pairs(15), own.typed_pairs(6)), min_size=1, max_size=6))
def test_all_ways_to_pool_give_the_exact_micro_average(sample):
    for metric in METRICS:
        measured = [pair for pair in sample if own.has_window(metric, pair[0])]
        if measured:
            check_pooling(metric, measured)


def check_pooling(metric: cs.Metric, sample: list) -> None:
    references, hypotheses = zip(*sample, strict=True)
    one_by_one, at_once = cs.Accumulator(metric), cs.Accumulator(repr(metric))
    for pair in sample:
        one_by_one.update(*pair)
    at_once.update_many(references, hypotheses)
    pooled = [
        one_by_one.value,
        at_once.value,
        metric.batch(references, hypotheses).micro,
        sum(metric(*pair) for pair in sample),
    ]
    expected = pooled_by_definition(metric, sample)
    for score in pooled:
        assert_same_counts(score, expected)
        assert score.n_pairs == len(sample)
        assert float(score) == pytest.approx(float(pooled[0]), rel=1e-12, abs=0)


@given(
    spec=st.sampled_from(["B(n_t=3)", "S", "BF", "WD", "F", "Purity", "WinF", "Density"]),
    sample=st.lists(st.tuples(own.pairs(), st.integers(0, 3)), min_size=1, max_size=8),
    order=st.permutations(range(4)),
)
def test_accumulators_merge_in_any_split_and_order(spec, sample, order):
    parts = [cs.Accumulator(spec) for _ in range(4)]
    for pair, part in sample:
        parts[part].update(*pair)
    left = (parts[order[0]] + parts[order[1]]) + (parts[order[2]] + parts[order[3]])
    right = parts[order[3]] + (parts[order[2]] + (parts[order[1]] + parts[order[0]]))
    expected = pooled_by_definition(cs.metric(spec), [pair for pair, _ in sample])
    for merged in (left, right):
        assert exact(merged.value) == expected
        assert merged.n_pairs == len(sample)

"""Weights of one's own: a cost for each near miss or wrong type, costs by distance, and w0 for each kind.

Source of truth: equations 4.20 to 4.24 of F13t (Fournier 2013, thesis) and 5 and 6 of F13 (Fournier 2013,
ACL); the algorithms over all positions and all pairings tried one by one, those of test_brute_force.py, in
fractions; arithmetic by hand.
"""

from __future__ import annotations

import json
import pickle
import random
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.differential.test_brute_force import (
    all_strings,
    best_matching,
    dense_greedy,
    edits_of,
    exact,
    random_string_pairs,
    reach_of,
    segmentation,
    similarities,
    unmatched,
)
from tests.papers.test_fournier_2013_thesis import FIGURE_5_7, PRINTED_DIGITS
from tests.properties import strategies as own

import caesura as cs
from caesura import METRICS
from caesura.alignment import Transposition
from caesura.alignment.alignment import pair_correctness
from caesura.alignment.packed import PackedPairs
from caesura.cli import run
from caesura.kernel import native, python

SIMILARITIES = ("B", "Ba", "Bc", "S")

THIRD = Fraction(1, 3)

# Costs of near misses at n_t = 4: each the same, on a line, on a falling line, on none, and none at all.
COSTS_AT_4 = [
    0,
    1,
    0.25,
    "1/3",
    THIRD,
    {1: 0.2, 2: 0.4, 3: 0.6},
    {1: 0.9, 2: 0.5, 3: 0.1},
    {1: 0.2, 2: 0.9, 3: THIRD},
    {1: 1, 2: 0, 3: 1},
]


def cost_over(costs, distance):
    """The cost as it is written: 0.2 is 1/5."""
    return Fraction(str(costs[distance] if isinstance(costs, dict) else costs))


def penalty_of(edits, costs, of_types):
    """Equations 4.20 to 4.22 of F13t, with a cost for each edit by its distance."""
    total = Fraction(len(edits.missed) + len(edits.spurious))
    total += sum(cost_over(costs, abs(p - q)) for p, q, _ in edits.transpositions)
    return total + sum(cost_over(of_types, abs(x - y)) for _, x, y in edits.substitutions)


# -------------------------------------------------------------------- published


def test_fournier_2013_thesis_equations_4_20_to_4_22_give_the_published_agreement():
    """A near miss costs 0.5, as at n_t = 2: Stargazers' π*_B of F13 is 0.4405, and π*_S 0.7562."""
    corpus = cs.load_stargazers()
    halved = [f"{name}(transposition=0.5, substitution=1)" for name in ("B", "S")]
    values = [cs.agreement(corpus, metric=spec, chance="published", n_resamples=0).value for spec in halved]
    assert values == pytest.approx([0.4405, 0.7562], abs=5e-5)


@pytest.mark.parametrize("segmenter", FIGURE_5_7)
def test_fournier_2013_thesis_figure_5_7_by_costs_in_numbers(segmenter):
    """At n_t = 5 the figure weighs near misses 1 in S, and d / 5 in Ba, B and Bc."""
    masses, *printed = FIGURE_5_7[segmenter]
    by_distance = {1: 0.2, 2: 0.4, 3: 0.6, 4: 0.8}
    metrics = [METRICS["S"](n_t=5, transposition=1)]
    metrics += [METRICS[name](n_t=5, transposition=by_distance) for name in ("Ba", "B", "Bc")]
    values = [float(metric([8, 8, 8], masses)) for metric in metrics]
    assert values == pytest.approx(printed[:4], abs=PRINTED_DIGITS)


def test_fournier_2013_acl_equations_5_and_6_with_a_constant_for_each_kind():
    """A near miss over 1 of at most 2 costs w_t + 1/2; types 1 for 2 of {1, 2, 3} cost w_s + 1/2."""
    reference = cs.Segmentation.from_sets([{1}, set(), set(), {1}, set()])
    hypothesis = cs.Segmentation.from_sets([set(), {1}, set(), {2}, set()])
    base = {"transposition": 0.1, "substitution": 0.3}
    edits = cs.align(
        reference,
        hypothesis,
        n_t=3,
        transposition="equation",
        substitution="equation",
        w0=base,
        types=(1, 2, 3),
    )
    assert edits.penalty == (Fraction(1, 10) + Fraction(1, 2)) + (Fraction(3, 10) + Fraction(1, 2))
    metric = METRICS["B"](n_t=3, transposition="equation", substitution="equation", w0=base, types=(1, 2, 3))
    assert exact(metric(reference, hypothesis)) == (2 - Fraction(14, 10), 2)
    assert metric.batch([reference], [hypothesis]).values.tolist() == [pytest.approx(0.3)]
    assert metric.low == -0.3
    assert METRICS["B"](transposition="equation", w0=base).low == -0.1


def test_the_example_of_the_definition():
    """One near miss at distance 2 of cost 0.9: B = 1 − 0.9."""
    score = cs.boundary_similarity([2, 9], [4, 7], n_t=3, transposition={1: 0.2, 2: 0.9})
    assert (score, exact(score)) == (0.1, (Fraction(1, 10), 1))
    assert cs.boundary_similarity([2, 3, 6], [2, 2, 7], transposition=0) == 1


@pytest.mark.parametrize("costs", COSTS_AT_4, ids=str)
def test_prominence_of_one_coder_is_boundary_similarity(costs):
    """Near misses over 2 and 3 and a spurious boundary: 1 − (cost over 2 + cost over 3 + 1) / 3, by both."""
    pair = [10, 10, 10], [8, 15, 2, 5]
    expected = 1 - (cost_over(costs, 2) + cost_over(costs, 3) + 1) / 3
    for name in ("B", "Bw"):
        metric = METRICS[name](n_t=4, transposition=costs)
        assert metric(*pair) == pytest.approx(float(expected))
        assert metric.batch([pair[0]], [pair[1]]).values.tolist() == pytest.approx([float(expected)])


# -------------------------------------------------------------------- the definition, in fractions


@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize("costs", COSTS_AT_4, ids=str)
def test_greedy_one_type_all_pairs_on_4_positions(costs):
    pairs = list(product(all_strings(4), repeat=2))
    edits = [dense_greedy(a, b, 4) for a, b in pairs]
    expected = [
        similarities(a, b, of_pair, penalty_of(of_pair, costs, 1), 1)
        for (a, b), of_pair in zip(pairs, edits, strict=True)
    ]
    references, hypotheses = ([segmentation(side) for side in sides] for sides in zip(*pairs, strict=True))
    for name in SIMILARITIES:
        metric = METRICS[name](n_t=4, transposition=costs)
        fractions = [fraction[name] for fraction in expected]
        scores = metric.batch(references, hypotheses)
        assert [exact(scores[i]) for i in range(len(scores))] == fractions
        assert [exact(metric(*pair)) for pair in zip(references, hypotheses, strict=True)] == fractions
        assert exact(scores.micro) == tuple(map(sum, zip(*fractions, strict=True)))
    rates = METRICS["BF"](n_t=4, transposition=costs).batch(references, hypotheses)
    assert [exact(rates[i]) for i in range(len(rates))] == [
        (
            len(each.matches) + sum(1 - cost_over(costs, abs(p - q)) for p, q, _ in each.transpositions),
            len(each.spurious),
            len(each.missed),
        )
        for each in edits
    ]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("kernel_module")
@pytest.mark.parametrize(
    "of_types", [0, 0.3, "2/3", {1: 0.1, 2: 0.2, 3: 0.3}, {1: 0.3, 2: 0.6, 3: 0.9}], ids=str
)
@pytest.mark.parametrize("costs", [0.25, {1: 0.9, 2: 0.5, 3: 0.1}, {1: 0.2, 2: 0.9, 3: THIRD}], ids=str)
def test_greedy_several_types(costs, of_types):
    """Costs of types that rise evenly pair them as their difference does, the published way."""
    for _, a, b in random_string_pairs(seed=11, n_pairs=60, types=(1, 2, 4)):
        edits = dense_greedy(a, b, 4)
        types = frozenset().union(*a, *b)
        expected = similarities(a, b, edits, penalty_of(edits, costs, of_types), len(types) or 1)
        for name in SIMILARITIES:
            metric = METRICS[name](n_t=4, transposition=costs, substitution=of_types)
            assert exact(metric(segmentation(a), segmentation(b))) == expected[name], (a, b)
            assert exact(metric.batch([segmentation(a)], [segmentation(b)])[0]) == expected[name]


def test_types_pair_up_at_the_least_cost():
    """Types 1 and 4 against 2 and 5: 1 for 2 and 4 for 5 costs 1 + 1, 1 for 5 and 4 for 2 costs 0 + 0.5."""
    reference, hypothesis = (cs.Segmentation.from_sets([types]) for types in ({1, 4}, {2, 5}))
    costs = {1: 1, 2: 0.5, 3: 0, 4: 0}
    for method in ("greedy", "optimal"):
        edits = cs.align(reference, hypothesis, method=method, substitution=costs)
        assert edits.penalty == Fraction(1, 2)
        assert {edit[1:] for edit in edits.substitutions} == {(1, 5), (4, 2)}
    assert cs.align(reference, hypothesis, substitution=0.5).penalty == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("types", [(1,), (1, 2, 5)])
@pytest.mark.parametrize("costs", COSTS_AT_4, ids=str)
def test_optimal_is_the_cheapest_of_the_largest_matchings(costs, types):
    of_types = {1: 0.7, 3: 0.1, 4: 0.4}

    def weight(x, y):
        (position_a, type_a), (position_b, type_b) = x, y
        distance = abs(position_a - position_b)
        if distance == 0:
            return cost_over(of_types, abs(type_a - type_b))
        return cost_over(costs, distance) if type_a == type_b and distance < 4 else None

    for _, a, b in random_string_pairs(
        seed=12, n_pairs=80, types=types, most_positions=7 if types == (1,) else 4
    ):
        only_a, only_b = unmatched(a, b)
        n_pairs, total = best_matching(only_a, only_b, weight)
        n_edits = len(only_a) + len(only_b) - n_pairs
        options = {"n_t": 4, "method": "optimal", "transposition": costs, "substitution": of_types}
        edits = cs.align(segmentation(a), segmentation(b), **options)
        assert (edits.distance, edits.penalty) == (n_edits, n_edits - n_pairs - total), (a, b)
        declared = len(frozenset().union(*a, *b)) or 1
        expected = similarities(a, b, edits_of(edits), n_edits - n_pairs - total, declared)
        for name in SIMILARITIES:
            metric = METRICS[name](**options)
            assert exact(metric(segmentation(a), segmentation(b))) == expected[name]
            assert exact(metric.batch([segmentation(a)], [segmentation(b)])[0]) == expected[name]


def test_the_cheapest_near_miss_may_be_the_farther_one():
    """2 can go to 3 or to 4; over distance 2 it costs less."""
    reference, hypothesis = (cs.Segmentation.from_positions(at, 9) for at in ([2], [3, 4]))
    edits = cs.align(reference, hypothesis, n_t=3, method="optimal", transposition={1: 0.8, 2: 0.1})
    assert edits.transpositions == (Transposition(2, 4, 1),)
    assert edits.penalty == 1 + Fraction(1, 10)


# -------------------------------------------------------------------- properties

costs_of_4 = st.one_of(
    st.sampled_from([0, 1, 0.1, "1/7"]),
    st.fixed_dictionaries({distance: st.sampled_from([0, 0.1, 0.25, "1/3", 1]) for distance in (1, 2, 3)}),
)
of_some_types = st.one_of(
    st.sampled_from([0, 0.35, 1]),
    st.fixed_dictionaries({d: st.sampled_from([0, 0.3, "1/3", 1]) for d in (1, 2, 3, 4)}),
)
methods = st.sampled_from(["greedy", "optimal"])


@given(
    pair=own.pairs(),
    costs=costs_of_4,
    of_types=of_some_types,
    method=methods,
    name=st.sampled_from([*SIMILARITIES, "BF"]),
)
def test_a_value_is_between_those_of_free_and_of_whole_edits(pair, costs, of_types, method, name):
    make = partial(METRICS[name], n_t=4, method=method)
    value = make(transposition=costs, substitution=of_types)(*pair)
    assert 0 <= value <= 1
    if method == "greedy":  # the cheapest edits may be others
        assert make(transposition=1, substitution=1)(*pair) - 1e-12 <= value
        assert value <= make(transposition=0, substitution=0)(*pair) + 1e-12


@given(pair=own.pairs(), method=methods)
def test_free_edits_leave_the_full_misses(pair, method):
    edits = cs.align(*pair, n_t=4, method=method, transposition=0, substitution=0)
    pairs = len(edits.matches) + edits.distance
    score = cs.boundary_similarity(*pair, n_t=4, method=method, transposition=0, substitution=0)
    assert exact(score) == (pairs - len(edits.additions), pairs)


@given(pair=own.pairs(), name=st.sampled_from([*SIMILARITIES, "BF"]), method=methods)
def test_the_weightings_as_tables_are_the_weightings(pair, name, method):
    make = partial(METRICS[name], n_t=4, method=method, types=own.TYPES)
    reach = reach_of(*own.TYPES)
    tables = {
        "scaled": ({d: Fraction(d, 4) for d in (1, 2, 3)}, {d: Fraction(d, reach + 1) for d in range(1, 5)}),
        "equation": ({d: Fraction(d, 3) for d in (1, 2, 3)}, {d: Fraction(d, reach) for d in range(1, 5)}),
        "constant": (1, 1),
    }
    for weighting, (costs, of_types) in tables.items():
        by_name = make(transposition=weighting, substitution=weighting)(*pair)
        assert exact(make(transposition=costs, substitution=of_types)(*pair)) == exact(by_name)


@given(
    sample=st.lists(own.pairs(), min_size=1, max_size=6),
    costs=costs_of_4,
    of_types=of_some_types,
    method=methods,
)
def test_batches_singles_and_both_kernels_are_the_same(sample, costs, of_types, method):
    metric = METRICS["B"](n_t=4, method=method, transposition=costs, substitution=of_types)
    rows = []
    for kernel in (native, python):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cs.kernel, "active", kernel)
            scores = metric.batch(*zip(*sample, strict=True))
            rows.append([exact(scores[i]) for i in range(len(scores))])
            assert rows[-1] == [exact(metric(*pair)) for pair in sample]
            total = sum(metric(*pair) for pair in sample)
            assert exact(scores.micro) == exact(total) == tuple(map(sum, zip(*rows[-1], strict=True)))
    assert rows[0] == rows[1]


@given(pair=own.pairs(), costs=costs_of_4, of_types=of_some_types, method=methods)
def test_correctness_is_one_minus_the_cost(pair, costs, of_types, method):
    edits = cs.align(*pair, n_t=4, method=method, transposition=costs, substitution=of_types)
    penalty = penalty_of(edits_of(edits), costs, of_types)
    assert edits.penalty == penalty
    assert sum(edits.correctness) == pytest.approx(float(len(edits.matches) + edits.distance - penalty))


@given(sample=st.lists(own.plain_pairs(), min_size=1, max_size=5), costs=costs_of_4, method=methods)
def test_the_correctness_of_many_pairs_is_that_of_their_alignments(sample, costs, method, kernel_module):
    metric = METRICS["B"](n_t=4, method=method, transposition=costs)
    found = pair_correctness(PackedPairs.of(*zip(*sample, strict=True)), method, metric.weights)
    for number, pair in enumerate(sample):
        values = cs.align(*pair, n_t=4, method=method, transposition=costs).correctness
        assert sorted(found.values[found.coding == number]) == pytest.approx(sorted(values))


def test_sums_of_costs_beyond_64_bits_are_exact():
    costs = {1: 0.1234567890123457, 2: 0.9999999999999999, 3: 1e-16}
    reference = cs.Segmentation.from_positions([3, 20, 40], 10**15)
    hypothesis = cs.Segmentation.from_positions([4, 22, 43], 10**15)
    metric = METRICS["S"](n_t=4, transposition=costs)
    expected = 10**15 - 1 - sum(Fraction(str(cost)) for cost in costs.values())
    assert exact(metric(reference, hypothesis)) == (expected, 10**15 - 1)
    twice = metric.batch([reference] * 2, [hypothesis] * 2)
    assert exact(twice.micro) == (2 * expected, 2 * (10**15 - 1))


# -------------------------------------------------------------------- by name, in streams, by command


@pytest.mark.parametrize(
    ("parameters", "shown"),
    [
        ({"transposition": 0}, "B(transposition=0.0)"),
        ({"transposition": {1: 0.2}}, "B(transposition={1: 0.2})"),
        ({"transposition": {2: 0.9, 1: 0.2}, "n_t": 3}, "B(n_t=3, transposition={1: 0.2, 2: 0.9})"),
        ({"transposition": THIRD}, "B(transposition='1/3')"),
        ({"transposition": Fraction(1, 5)}, "B(transposition=0.2)"),
        ({"transposition": Decimal("0.2")}, "B(transposition=0.2)"),
        ({"transposition": np.float64(0.5)}, "B(transposition=0.5)"),
        ({"transposition": {np.int64(1): THIRD}}, "B(transposition={1: '1/3'})"),
        ({"substitution": {1: 0.2, 2: 1}}, "B(substitution={1: 0.2, 2: 1.0})"),
        ({"substitution": 0.25}, "B(substitution=0.25)"),
        (
            {"w0": {"substitution": 0.3, "transposition": 0.1}},
            "B(w0={'transposition': 0.1, 'substitution': 0.3})",
        ),
    ],
)
def test_repr_parses_back_and_stands_in_the_signature(parameters, shown):
    metric = METRICS["B"](**parameters)
    assert repr(metric) == shown
    assert cs.metric(shown) == metric
    assert cs.metric(shown).settings == metric.settings
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert hash(cs.metric(shown)) == hash(metric)
    (parameter, value), *_ = [
        item for item in metric.parameters.items() if item[0] in parameters and item[0] != "n_t"
    ]
    assert f"|{parameter}={value}|" in metric([2, 3, 6], [2, 2, 7]).signature


def test_signatures_of_the_weightings_are_as_they_were():
    assert cs.metric("B").settings == (
        "B|n_t=2|method=greedy|transposition=scaled|substitution=scaled|w0=0.0|types=auto"
    )
    table = METRICS["B"](substitution={(2, 1): 0.5, (1, 3): 1})
    assert repr(table) == "B(substitution=(((1, 3), 1.0), ((2, 1), 0.5)))"
    assert "|substitution=((1, 3), 1.0),((2, 1), 0.5)|" in table.settings


def test_a_table_is_checked_when_a_duration_becomes_a_number():
    metric = cs.metric("B(n_t='3s', transposition={1: 0.2, 2: 0.9})")
    assert metric.on_grid(1.0) == cs.metric("B(n_t=3, transposition={1: 0.2, 2: 0.9})")
    with pytest.raises(cs.ParameterError, match=r"no cost of distance 3.*n_t=6"):
        metric.on_grid(0.5)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "spec", ["B(n_t=4)", "B(n_t=4, transposition='equation')", "S(transposition='constant')"]
)
def test_analyses_by_a_table_are_those_by_the_rule(spec):
    """The same weights by name and by distance: the same agreement and comparison, intervals and p."""
    by_name = cs.metric(spec)
    reach = by_name.n_t
    steps = {"scaled": Fraction(1, reach), "equation": Fraction(1, max(1, reach - 1)), "constant": None}
    step = steps[by_name.transposition]
    table = {d: 1 if step is None else d * step for d in range(1, reach)}
    by_distance = type(by_name)(n_t=reach, transposition=table)
    corpus = cs.load_stargazers()
    one, other = (
        cs.agreement(corpus, metric=each, n_resamples=200, rng=1) for each in (by_name, by_distance)
    )
    assert (one.value, one.interval) == (other.value, other.interval)
    several = cs.simulate(8, 3, n_units=30, mean_segment=5, near_miss=0.3, full_miss=0.2, rng=2)
    for subject in ("documents", "pairs"):
        first, second = (
            cs.compare(several, segmenters=["c1", "c2"], metric=each, rng=1).test(subject).to_dict()
            for each in (by_name, by_distance)
        )
        assert json.dumps(first, default=str).replace(repr(by_name), "") == (
            json.dumps(second, default=str).replace(repr(by_distance), "")
        )


def test_streams_agree_with_memory(tmp_path):
    rng = random.Random(3)
    codings = {
        f"d{i}": {
            coder: cs.Segmentation.from_sets(
                [{kind for kind in (1, 2, 3) if rng.random() < 0.2} for _ in range(12)]
            )
            for coder in ("ann", "bob", "cat")
        }
        for i in range(8)
    }
    corpus = cs.Corpus.from_dict(codings)
    cs.write(corpus, tmp_path / "x.parquet")
    metric = METRICS["B"](n_t=4, transposition={1: 0.2, 2: 0.9, 3: THIRD}, substitution={1: 0.1, 2: 0.7})
    in_memory = cs.agreement(corpus, metric=metric, n_resamples=0)
    streamed = cs.agreement(cs.scan(tmp_path / "x.parquet"), metric=metric, n_resamples=0)
    assert streamed.value == in_memory.value
    pairs = [
        metric(one[a], one[b])
        for one in codings.values()
        for a, b in (("ann", "bob"), ("ann", "cat"), ("bob", "cat"))
    ]
    numerator, denominator = (sum(column) for column in zip(*map(exact, pairs), strict=True))
    assert in_memory.observed == pytest.approx(float(numerator / denominator))


def test_the_command_takes_costs(tmp_path, capsys):
    cs.write(cs.Corpus.from_dict({"d": {"ann": [2, 9], "bob": [4, 7]}}), tmp_path / "x.json")
    spec = "B(n_t=3, transposition={1: 0.2, 2: 0.9})"
    assert run(["agree", str(tmp_path / "x.json"), "-m", spec, "-f", "json"]) == 0
    out = capsys.readouterr().out
    assert "transposition={1: 0.2, 2: 0.9}" in out
    assert run(["agree", str(tmp_path / "x.json"), "-m", "B(n_t=4, transposition={1: 0.2, 2: 0.9})"]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "no cost of distance 3" in err


# -------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("spec", "fragments"),
    [
        ("B(n_t=4, transposition={1: 0.2, 3: 0.9})", ["transposition", "no cost of distance 2", "n_t=4"]),
        ("B(transposition={1: 0.2, 2: 0.9})", ["transposition", "distance 2", "cannot occur", "n_t=2"]),
        ("B(transposition={})", ["no cost of distance 1"]),
        ("B(n_t=1, transposition={1: 0.5})", ["distance 1", "cannot occur"]),
        ("B(n_t=9007199254740992, transposition={1: 0.5})", ["no cost of distance 2"]),
        ("B(transposition={0: 0.5})", ["transposition", "distance is 0"]),
        ("B(transposition={-1: 0.5})", ["distance is -1"]),
        ("B(transposition={1.5: 0.5})", ["distance is 1.5"]),
        ("B(transposition={'a': 0.5})", ["distance is 'a'"]),
        ("B(transposition={True: 0.5})", ["distance is True"]),
        ("B(transposition={(1, 2): 0.5})", ["distance is (1, 2)"]),
        ("B(transposition={1: -0.1})", ["over distance 1 is -0.1", "from 0 to 1"]),
        ("B(transposition={1: 1.1})", ["over distance 1 is 1.1", "from 0 to 1"]),
        ("B(transposition={1: None})", ["over distance 1 is None"]),
        ("B(transposition={1: 'scaled'})", ["over distance 1 is 'scaled'"]),
        ("B(transposition=-0.5)", ["transposition is -0.5", "from 0 to 1"]),
        ("B(transposition=1.5)", ["transposition is 1.5"]),
        ("B(transposition=True)", ["transposition is True"]),
        ("B(transposition='4/3')", ["transposition is", "from 0 to 1"]),
        ("B(transposition='1/0')", ["transposition is '1/0'"]),
        ("B(transposition='scale')", ["did you mean 'scaled'"]),
        ("B(transposition=[0.5])", ["transposition is [0.5]", "{distance: cost}"]),
        ("B(transposition=(0.5,))", ["transposition is (0.5,)"]),
        ("B(substitution={1: 0.2}, types=(1, 2, 3))", ["substitution", "no cost of distance 2", "(1, 2, 3)"]),
        ("B(substitution={1: 0.2, 2: 0.3}, types=(1, 3))", ["substitution", "distance 1", "cannot occur"]),
        ("B(substitution={1: 2})", ["substitution over distance 1 is 2"]),
        ("B(substitution={1: 0.5, (1, 2): 0.5})", ["substitution"]),
        ("B(substitution=-0.5)", ["substitution is -0.5"]),
        ("B(w0={'transposition': 0.1})", ["w0", "'substitution'"]),
        ("B(w0={'transposition': 0.1, 'substitution': 2})", ["w0 of substitution is 2"]),
        ("B(w0={'near': 0.1, 'wrong': 0.2})", ["w0"]),
        ("B(w0=(0.1, 0.2))", ["w0"]),
    ],
)
def test_what_is_wrong_is_named_in_one_line(spec, fragments):
    with pytest.raises(cs.ParameterError) as caught:
        cs.metric(spec)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("B: ")
    for fragment in fragments:
        assert fragment in message


@pytest.mark.parametrize(
    "cost",
    [
        float("nan"),
        float("inf"),
        Decimal("nan"),
        Decimal("inf"),
        Decimal("1.1"),
        Fraction(-1, 3),
        1j,
        b"1/3",
        Decimal("1E+999999999999"),
        Decimal("1E-999999999999"),
        Decimal("0E+999999999999"),
        10**5000,
        Fraction(10**5000, 3),
        "9" * 5000 + "/7",
        [0.5],
        None,
    ],
    ids=lambda cost: type(cost).__name__,
)
def test_a_cost_is_a_number_from_0_to_1(cost):
    for value in (cost, {1: cost}):
        with pytest.raises(cs.ParameterError, match="transposition") as caught:
            cs.align([2, 3], [3, 2], transposition=value)
        assert len(str(caught.value)) < 200


def test_a_fraction_of_very_many_digits_is_refused():
    with pytest.raises(cs.ParameterError, match="100 digits"):
        cs.align([2, 3], [3, 2], transposition=Fraction(1, 3**999))


@pytest.mark.parametrize("method", ["greedy", "optimal"])
def test_types_without_a_cost_are_named_when_they_meet(method):
    reference, hypothesis = (cs.Segmentation.from_sets([types]) for types in ({1}, {4}))
    with pytest.raises(cs.ParameterError, match=r"lack distance 3, that of types 1 and 4"):
        cs.boundary_similarity(reference, hypothesis, method=method, substitution={1: 0.5})
    apart = cs.Segmentation.from_sets([{1}, set()]), cs.Segmentation.from_sets([set(), {4}])
    assert cs.boundary_similarity(*apart, method=method, substitution={1: 0.5}) == 0


def test_costs_of_types_play_no_part_without_types():
    reference, hypothesis = (cs.Segmentation.from_sets([types]) for types in ({1}, {4}))
    assert cs.boundary_similarity(reference, hypothesis, substitution={1: 0.5}, types=()) == 1

"""Artificial data. Source of truth: what each function promises, and the binomial law of its rates.

The numbers of Pevzner & Hearst (2002) are in papers/test_pevzner_hearst_2002.py.
"""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura import Corpus, ParameterError, Segmentation, cli, simulation
from caesura.simulation import (
    ERROR_KINDS,
    pseudo_coder,
    pseudo_coders,
    random_coder,
    segment_sizes,
    simulate,
    with_errors,
)

REFERENCE = segment_sizes(2000, low=15, high=35, rng=0)
CORPUS = {"n_units": 200, "mean_segment": 6, "near_miss": 0.1, "full_miss": 0.2}
MOONSTONE = {"n_units": 1077, "distribution": "exponential", "mean": 5.8148}

MAKERS = {
    "uniform": lambda rng: segment_sizes(50, low=3, high=9, rng=rng),
    "uniform, cut": lambda rng: segment_sizes(n_units=500, low=3, high=9, rng=rng),
    "exponential": lambda rng: segment_sizes(**MOONSTONE, rng=rng),
    **{kind: lambda rng, kind=kind: with_errors(REFERENCE, kind, 0.3, rng=rng) for kind in ERROR_KINDS},
    "pseudo": lambda rng: pseudo_coder(REFERENCE, 0.2, 0.2, n_t=4, rng=rng),
    "random": lambda rng: random_coder(500, 0.1, rng=rng),
    "coders": lambda rng: pseudo_coders(REFERENCE, 3, near_miss=0.2, full_miss=0.2, rng=rng),
    "simulate": lambda rng: simulate(3, 2, **CORPUS, rng=rng).segmentations(),
    "typed": lambda rng: simulate(3, 2, **CORPUS, types=["a", "b"], wrong_type=0.3, rng=rng).segmentations(),
}


def assert_rate(found: int, n: int, p: float) -> None:
    """A binomial count is within five standard deviations, or one."""
    assert abs(found - n * p) <= max(5 * math.sqrt(n * p * (1 - p)), 1)


def removed(hypothesis: Segmentation, reference: Segmentation = REFERENCE) -> set[int]:
    return set(reference.positions) - set(hypothesis.positions)


def added(hypothesis: Segmentation, reference: Segmentation = REFERENCE) -> set[int]:
    return set(hypothesis.positions) - set(reference.positions)


# -------------------------------------------------------------------- seeds


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_same_seed_same_output_and_other_seed_another(make):
    assert make(1) == make(1)
    assert make(1) == make(np.random.default_rng(1))
    assert make(1) == make(np.int64(1))
    assert make(1) != make(2)
    assert make(None) != make(None)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_generator_goes_on(make):
    generator = np.random.default_rng(1)
    assert make(generator) != make(generator)


@pytest.mark.parametrize("rng", ["1", 1.5, -1, True, [1]])
def test_bad_seeds(rng):
    with pytest.raises(ParameterError, match="rng"):
        random_coder(10, 0.5, rng=rng)


# -------------------------------------------------------------------- segment sizes


def test_uniform_sizes_are_in_the_range_and_reach_both_ends():
    sizes = segment_sizes(5000, low=20, high=30, rng=1).masses
    assert len(sizes) == 5000
    assert set(sizes) == set(range(20, 31))
    assert np.mean(sizes) == pytest.approx(25, abs=5 * math.sqrt(10 / 5000))


def test_exponential_sizes_have_their_mean_and_deviation():
    sizes = segment_sizes(20_000, distribution="exponential", mean=5.8148, rng=1).masses
    deviation = math.sqrt(5.8148 * 4.8148)
    assert min(sizes) == 1
    assert np.mean(sizes) == pytest.approx(5.8148, abs=5 * deviation / math.sqrt(20_000))
    assert np.std(sizes) == pytest.approx(deviation, rel=0.05)


@given(
    n_units=st.integers(1, 500),
    low=st.integers(1, 40),
    more=st.integers(0, 40),
    mean=st.floats(1, 50),
    seed=st.integers(0, 9),
)
def test_length_is_exact_and_only_the_last_segment_is_cut(n_units, low, more, mean, seed):
    sizes = segment_sizes(n_units=n_units, low=low, high=low + more, rng=seed).masses
    assert sum(sizes) == n_units
    assert all(low <= size <= low + more for size in sizes[:-1])
    assert sizes[-1] <= low + more
    assert (
        sum(segment_sizes(n_units=n_units, distribution="exponential", mean=mean, rng=seed).masses) == n_units
    )


def test_mean_one_is_all_boundaries():
    assert segment_sizes(n_units=9, distribution="exponential", mean=1).masses == (1,) * 9


def test_long_documents_cost_as_much_as_their_boundaries():
    made = segment_sizes(n_units=2**53, distribution="exponential", mean=2**50, rng=1)
    assert made.n_units == 2**53
    assert made.n_segments < 100


@pytest.mark.parametrize(
    "arguments",
    [
        {"low": 1, "high": 2},
        {"n_segments": 3, "n_units": 3, "low": 1, "high": 2},
        {"n_segments": 0, "low": 1, "high": 2},
        {"n_segments": 2.5, "low": 1, "high": 2},
        {"n_units": 0, "low": 1, "high": 2},
        {"n_segments": 3, "low": 0, "high": 2},
        {"n_segments": 3, "low": 3, "high": 2},
        {"n_segments": 3, "low": 3},
        {"n_segments": 3, "high": 3},
        {"n_segments": 3},
        {"n_segments": 3, "low": 1, "high": 2, "mean": 2},
        {"n_segments": 3, "distribution": "exponential"},
        {"n_segments": 3, "distribution": "exponential", "mean": 0.9},
        {"n_segments": 3, "distribution": "exponential", "mean": math.nan},
        {"n_segments": 3, "distribution": "exponential", "mean": 3, "low": 1},
        {"n_segments": 3, "distribution": "exponential", "mean": 2**53},
        {"n_segments": 3, "distribution": "normal", "low": 1, "high": 2},
        {"n_segments": 10**9, "low": 1, "high": 2},
        {"n_segments": 10**6, "low": 1, "high": 2**40},
        {"n_units": 10**12, "low": 1, "high": 2},
    ],
)
def test_bad_sizes(arguments):
    with pytest.raises(ParameterError):
        segment_sizes(**arguments)


# -------------------------------------------------------------------- errors


@pytest.mark.parametrize("kind", ERROR_KINDS)
@pytest.mark.parametrize("p", [0.05, 0.25, 0.5])
def test_each_kind_removes_and_adds_at_its_rate(kind, p):
    hypothesis = with_errors(REFERENCE, kind, p, rng=5)
    assert hypothesis.n_units == REFERENCE.n_units
    n_boundaries, n_segments = REFERENCE.n_boundaries, REFERENCE.n_segments
    if kind.startswith("FN"):
        assert_rate(len(removed(hypothesis)), n_boundaries, p)
    else:
        assert removed(hypothesis) == set()
    n_added = len(added(hypothesis))
    if kind == "FN":
        assert n_added == 0
    elif kind.endswith("3"):
        rate = p * n_segments / REFERENCE.n_units
        assert_rate(n_added, REFERENCE.n_units - n_segments, rate)
    else:
        assert_rate(n_added, n_segments if kind.endswith("1") else n_boundaries, p)


@pytest.mark.parametrize("kind", ERROR_KINDS)
def test_probability_zero_changes_nothing(kind):
    assert with_errors(REFERENCE, kind, 0) == REFERENCE


def test_probability_one():
    assert with_errors(REFERENCE, "FN", 1).n_boundaries == 0
    assert with_errors(REFERENCE, "FP1", 1, rng=1).n_segments == 2 * REFERENCE.n_segments
    assert with_errors(REFERENCE, "FP2", 1, rng=1).n_boundaries == 2 * REFERENCE.n_boundaries
    for kind in ("FNP1", "FNP2"):  # no false positive where a boundary was
        assert removed(with_errors(REFERENCE, kind, 1, rng=1)) == set(REFERENCE.positions)


def test_fp1_is_one_per_segment_uniform_inside():
    reference = Segmentation.from_masses([10] * 9000)
    inside = np.array(sorted(added(with_errors(reference, "FP1", 1, rng=2), reference))) % 10
    for place in range(1, 10):
        assert_rate(int((inside == place).sum()), 9000, 1 / 9)


def test_fp2_is_normal_around_boundaries():
    reference = Segmentation.from_masses([400] * 3000)
    places = np.array(sorted(added(with_errors(reference, "FP2", 1, rng=2), reference)))
    # Within one standard deviation (100) of a boundary, or beyond three, which is as near to its neighbor.
    distances = np.abs((places + 200) % 400 - 200)
    assert_rate(int((distances <= 100).sum()), len(places), math.erf(1 / math.sqrt(2)) + 0.0027)
    assert 0 not in distances


def test_fp3_is_anywhere_alike():
    reference = Segmentation.from_masses([10, 990] * 1000)
    places = np.array(sorted(added(with_errors(reference, "FP3", 1, rng=2), reference))) % 1000
    assert_rate(int((places > 500).sum()), len(places), 499 / 998)


@pytest.mark.parametrize("kind", ERROR_KINDS)
@pytest.mark.parametrize("masses", [[1], [2], [1, 1], [1] * 30, [1, 5]])
def test_no_room(kind, masses):
    hypothesis = with_errors(masses, kind, 1, rng=1)
    assert hypothesis.n_units == sum(masses)


@pytest.mark.parametrize(
    ("kind", "p"),
    [("FP4", 0.5), ("fn", 0.5), (None, 0.5), ("FN", -0.1), ("FN", 1.1), ("FN", "1"), ("FN", True)],
)
def test_bad_errors(kind, p):
    with pytest.raises(ParameterError):
        with_errors([5, 5], kind, p)


def test_errors_know_no_types():
    with pytest.raises(ParameterError, match="types"):
        with_errors(Segmentation.from_positions([2], 5, [2]), "FN", 0.5)


# -------------------------------------------------------------------- coders


@pytest.mark.parametrize(("near", "full"), [(0.1, 0.0), (0.0, 0.3), (0.0921, 0.2), (1.0, 0.5)])
@pytest.mark.parametrize("n_t", [2, 5])
def test_rates_of_misses_are_those_that_align_finds(near, full, n_t):
    coder = pseudo_coder(REFERENCE, near, full, n_t=n_t, rng=3)
    found = cs.align(REFERENCE, coder, n_t=n_t)
    n = REFERENCE.n_boundaries
    assert coder.n_boundaries == n - len(found.additions)
    assert_rate(len(found.additions), n, full)
    assert_rate(len(found.transpositions), n, near * (1 - full))


def test_near_misses_go_both_ways_and_all_distances():
    coder = pseudo_coder(REFERENCE, 1, 0, n_t=4, rng=1)
    moved = np.array(coder.positions) - np.array(REFERENCE.positions)
    for distance in (-3, -2, -1, 1, 2, 3):
        assert_rate(int((moved == distance).sum()), len(moved), 1 / 6)


@given(
    masses=st.lists(st.integers(1, 4), min_size=1, max_size=30), n_t=st.integers(2, 6), seed=st.integers(0, 9)
)
def test_dense_references_keep_the_number_of_boundaries(masses, n_t, seed):
    coder = pseudo_coder(masses, 1, 0, n_t=n_t, rng=seed)
    assert (coder.n_units, coder.n_segments) == (sum(masses), len(masses))


def test_no_room_for_a_near_miss():
    assert pseudo_coder([1] * 9, 1, 0).masses == (1,) * 9


def test_types_stay_with_their_boundaries():
    typed = Segmentation.from_positions([5, 5, 10, 15], 20, [1, 2, 3, 2])
    coder = pseudo_coder(typed, 1, 0, rng=1)
    assert [kind for _, kind in coder.boundaries] == [1, 2, 3, 2]
    assert len(coder.positions) == 3
    assert pseudo_coder(typed, 0, 0) == typed
    assert pseudo_coder(typed, 0, 1).n_boundaries == 0


def test_random_coder():
    coder = random_coder(50_000, 0.1, rng=1)
    assert coder.n_units == 50_000
    assert_rate(coder.n_boundaries, 49_999, 0.1)
    assert random_coder(1, 0.5).masses == (1,)
    assert random_coder(9, 0).masses == (9,)
    assert random_coder(9, 1).masses == (1,) * 9
    assert random_coder(2**53, 1e-15, rng=1).n_units == 2**53


def test_coders_are_independent():
    made = pseudo_coders(REFERENCE, 4, near_miss=0.1, full_miss=0.1, rng=1)
    assert len(set(made)) == 4
    both = len(removed(made[0]) & removed(made[1]))
    assert_rate(both, REFERENCE.n_boundaries, (0.1 + 0.9 * 0.1) ** 2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: pseudo_coder([5, 5], -0.1, 0),
        lambda: pseudo_coder([5, 5], 0, 1.1),
        lambda: pseudo_coder([5, 5], 0, None),
        lambda: pseudo_coder([5, 5], 0, 0, n_t=1),
        lambda: random_coder(0, 0.5),
        lambda: random_coder(5, 2),
        lambda: random_coder(10**12, 0.5),
        lambda: pseudo_coders([5, 5], 0, near_miss=0, full_miss=0),
        lambda: pseudo_coders([5, 5], 10**9, near_miss=0, full_miss=0),
        lambda: pseudo_coders([5, 5], 2, near_miss=2, full_miss=0),
        lambda: simulate(0, 1, **CORPUS),
        lambda: simulate(1, 0, **CORPUS),
        lambda: simulate(10**6, 10**6, **CORPUS),
        lambda: simulate(1, 1, **CORPUS | {"n_units": 0}),
        lambda: simulate(1, 1, **CORPUS | {"mean_segment": 0.5}),
        lambda: simulate(1, 1, **CORPUS | {"near_miss": 3}),
        lambda: simulate(1, 1, **CORPUS, n_t=1),
        lambda: simulate(1, 1, **CORPUS, reference="yes"),
        lambda: simulate(1, 1, **CORPUS, types="ab"),
        lambda: simulate(1, 1, **CORPUS, types=[]),
        lambda: simulate(1, 1, **CORPUS, types=["a", "a"]),
        lambda: simulate(1, 1, **CORPUS, types=[1, 2]),
        lambda: simulate(1, 1, **CORPUS, types=3),
        lambda: simulate(1, 1, **CORPUS, wrong_type=0.1),
        lambda: simulate(1, 1, **CORPUS, types=["a"], wrong_type=0.1),
        lambda: simulate(1, 1, **CORPUS, types=["a", "b"], wrong_type=1.5),
    ],
)
def test_bad_parameters(make):
    with pytest.raises(ParameterError):
        make()


# -------------------------------------------------------------------- Fournier (2013), figures 5.25 to 5.28


def pi(metric: str, n_coders: int, near: float, full: float) -> float:
    """The mean coefficient of three references with pseudo-coders; the reference is the first coder."""
    generator = np.random.default_rng(7)
    values = []
    for _ in range(3):
        reference = segment_sizes(**MOONSTONE, rng=generator)
        made = pseudo_coders(reference, n_coders - 1, near_miss=near, full_miss=full, rng=generator)
        corpus = Corpus.from_dict({"d": {str(i): coding for i, coding in enumerate((reference, *made))}})
        values.append(float(cs.agreement(corpus, metric=metric, n_resamples=0).groups[0].pi))
    return float(np.mean(values))


def test_figure_5_25_agreement_falls_with_near_misses():
    for metric in ("B", "S"):
        for n_coders in (2, 6):
            found = [pi(metric, n_coders, near, 0.0) for near in (0.0, 0.3, 0.6)]
            assert found[0] == 1
            assert found[0] > found[1] > found[2]


def test_figure_5_26_b_falls_with_full_misses_but_s_rises_for_many_coders():
    found = [pi("B", 6, 0.0, full) for full in (0.1, 0.4, 0.7)]
    assert found[0] > found[1] > found[2]
    assert pi("S", 10, 0.0, 0.9) > pi("S", 10, 0.0, 0.5)  # "increases in agreement as opposed to decreasing"
    assert pi("S", 2, 0.0, 0.9) < pi("S", 2, 0.0, 0.5)  # "not ... similarly for varying numbers of coders"


def test_figure_5_27_b_falls_with_full_misses_among_near_misses():
    found = [pi("B", 6, 0.0921, full) for full in (0.1, 0.4, 0.7)]
    assert found[0] > found[1] > found[2]


@pytest.mark.parametrize("n_coders", [2, 6])
def test_figure_5_28_random_coders_agree_little_by_b_and_much_by_s(n_coders):
    generator = np.random.default_rng(7)
    made = {str(i): random_coder(1077, 1 / 5.8148, rng=generator) for i in range(n_coders)}
    found = {
        m: cs.agreement(Corpus.from_dict({"d": made}), metric=m, n_resamples=0).groups[0].pi for m in "BS"
    }
    assert found["B"] < 0.25
    assert found["S"] > 0.6


# -------------------------------------------------------------------- corpora


def test_corpus_has_what_was_asked_for():
    corpus = simulate(4, 3, **CORPUS, rng=1)
    assert corpus.documents == ("d1", "d2", "d3", "d4")
    assert corpus.coders == ("c1", "c2", "c3")
    assert corpus.n_codings == 12
    assert all(coding.n_units == 200 and coding.is_plain for _, _, coding in corpus)
    assert corpus.type_scheme is None


def test_corpus_has_the_rates_that_were_asked_for():
    corpus = simulate(
        40, 5, n_units=1077, mean_segment=5.8148, near_miss=0.1, full_miss=0.2, reference=True, rng=1
    )
    references = [corpus[document, "reference"] for document in corpus.documents]
    n = sum(reference.n_boundaries for reference in references)
    assert_rate(n, 40 * 1076, 1 / 5.8148)
    missed = sum(
        r.n_boundaries - corpus[d, c].n_boundaries
        for d, r in zip(corpus.documents, references, strict=True)
        for c in corpus.coders
    )
    assert_rate(missed, 5 * n, 0.2)


def test_types_are_drawn_alike_and_mistaken_at_their_rate():
    corpus = simulate(
        30,
        2,
        n_units=500,
        mean_segment=5,
        near_miss=0,
        full_miss=0,
        types=["act", "scene", "beat"],
        wrong_type=0.25,
        reference=True,
        rng=1,
    )
    assert corpus.type_scheme == cs.TypeScheme({1: "act", 2: "scene", 3: "beat"}, nominal=True)
    right = [kind for d in corpus.documents for _, kind in corpus[d, "reference"].boundaries]
    for kind in (1, 2, 3):
        assert_rate(right.count(kind), len(right), 1 / 3)
    for coder in ("c1", "c2"):
        given_types = [kind for d in corpus.documents for _, kind in corpus[d, coder].boundaries]
        pairs = list(zip(right, given_types, strict=True))
        assert_rate(sum(a != b for a, b in pairs), len(pairs), 0.25)
        assert_rate(pairs.count((1, 2)), right.count(1), 0.125)


@pytest.mark.parametrize("options", [{}, {"types": ["a", "b"], "wrong_type": 0.2}, {"levels": 3}])
def test_what_is_made_in_many_steps_keeps_its_rates(monkeypatch, options):
    """Steps of few boundaries draw other numbers, and as many of each kind."""
    monkeypatch.setattr(simulation, "AT_ONCE", 50)
    corpus = simulate(
        40, 5, **CORPUS | {"full_miss": 0.3, "near_miss": 0.2}, reference=True, rng=1, **options
    )
    assert corpus.coders == ("reference", "c1", "c2", "c3", "c4", "c5")
    n = moved = missed = 0
    for document in corpus.documents:
        right = set(corpus[document, "reference"].positions)
        for coder in corpus.coders[1:]:
            coding = corpus[document, coder]
            assert list(coding.positions) == sorted(set(coding.positions))
            n += len(right)
            moved += len(set(coding.positions) - right)
            missed += len(right) - len(coding.positions)
    assert_rate(missed, n, 0.3)
    assert 0 < moved <= 0.2 * 0.7 * n + 5 * math.sqrt(n * 0.14)  # a little less: some have no room


def test_documents_of_one_unit_and_without_boundaries():
    assert simulate(2, 2, **CORPUS | {"n_units": 1}, rng=1).to_dict() == {
        document: {"c1": [1], "c2": [1]} for document in ("d1", "d2")
    }
    full = simulate(2, 1, **CORPUS | {"mean_segment": 1, "near_miss": 1, "full_miss": 0}, rng=1)
    assert full["d2", "c1"].masses == (1,) * 200
    longest = simulate(3, 2, **CORPUS | {"n_units": 2**53, "mean_segment": 2**51}, types=["a", "b"], rng=1)
    assert {coding.n_units for _, _, coding in longest} == {2**53}


def test_one_type_is_plain():
    corpus = simulate(2, 2, **CORPUS, types=["topic"], rng=1)
    assert corpus.types == (1,)
    assert all(coding.is_plain for _, _, coding in corpus)


# -------------------------------------------------------------------- command line


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(["simulate", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_command_writes_what_the_function_returns(run):
    options = "--documents 4 --coders 2 --units 200 --mean-segment 6 --near-miss 0.1 --full-miss 0.2 --seed 5"
    code, out, err = run("-o", "out.jsonl", *options.split())
    assert (code, out) == (0, "")
    assert err == "simulated with seed 5: 4 documents, 2 coders, 8 codings -> out.jsonl (jsonl)\n"
    assert cs.read("out.jsonl").segmentations() == simulate(4, 2, **CORPUS, rng=5).segmentations()


def test_command_says_a_seed_that_gives_the_same_again(run):
    _, _, err = run("-o", "a.json")
    seed = err.split(":")[0].split()[-1]
    run("-o", "b.json", "--seed", seed)
    assert cs.read("a.json").segmentations() == cs.read("b.json").segmentations()


def test_command_with_types_reference_and_a_format(run):
    code, _, err = run("-o", "out.txt", "--to", "jsonl", "--type", "a", "--type", "b", "--wrong-type", "0.1",
                       "--reference", "--seed", "1", "-n", "3")  # fmt: skip
    assert code == 0
    assert "(jsonl)" in err
    corpus = cs.read("out.txt", format="jsonl")
    assert corpus.coders == ("reference", "c1", "c2", "c3")
    assert corpus.types == (1, 2)


def test_command_does_not_overwrite(run):
    assert run("-o", "a.json")[0] == 0
    code, _, err = run("-o", "a.json")
    assert code == 2
    assert "--force" in err
    assert run("-o", "a.json", "--force")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 2),
        (("-o", "out"), 2),
        (("-o", "a.json", "--to", "jso"), 2),
        (("-o", "a.json", "--documents", "0"), 2),
        (("-o", "a.json", "--mean-segment", "0.5"), 2),
        (("-o", "a.json", "--near-miss", "2"), 2),
        (("-o", "a.json", "--wrong-type", "0.5"), 2),
        (("-o", "a.json", "--seed", "-1"), 2),
        (("-o", "a.json", "--documents", "999999999"), 2),
        (("-o", "no/folder/a.json"), 1),
    ],
)
def test_command_refuses_in_one_line(run, arguments, code):
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert err.startswith("caesura: ")
    assert err.count("\n") == 1


def test_import_needs_numpy_only():
    program = "import sys, caesura.simulation; print('scipy' in sys.modules, 'rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]

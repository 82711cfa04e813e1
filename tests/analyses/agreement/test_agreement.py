"""Agreement on columns: many groups, many types, crowds, what is drawn, and results as values.

Source of truth: the definitions written out here (brute force over parts of the corpus), a bootstrap written
here, and counts done by hand. Costs are tested by their causes: what is compared and held, and how often.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import math
import pickle
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csc_array

import caesura as cs
from caesura import cli, kernel
from caesura.analyses.agreement_difference import agreement_drop
from caesura.analyses.coder_agreement import agreement, coder_matrix, finish, strata
from caesura.analyses.coder_agreement.matrix import MOST_CODERS
from caesura.analyses.coder_agreement.question import PairTable, count_pairs
from caesura.analyses.coder_agreement.strata import MOST_BOUNDARIES, patterns, quick_rounds, shuffled
from caesura.analyses.coder_agreement.words import agreement_table
from caesura.io.writing import write
from caesura.sums.tallies import sum_slices, summable


def crowd(seed: int, n_documents: int, n_coders: int, *, kinds: tuple[int, ...] = (1,)) -> cs.Corpus:
    """Return documents that a few of many coders have coded: many groups, of one to four coders."""
    rng = random.Random(seed)
    codings = {}
    for d in range(n_documents):
        n_units = rng.randint(2, 30)
        codings[f"d{d}"] = {
            f"c{c}": cs.Segmentation.from_sets(
                [{t for t in kinds if rng.random() < 0.25} for _ in range(n_units - 1)]
            )
            for c in rng.sample(range(n_coders), rng.randint(1, min(4, n_coders)))
        }
    return cs.Corpus.from_dict(codings)


@pytest.fixture
def calls(monkeypatch):
    """Count the calls of the kernel, and the pairs of each."""
    found = []
    count = kernel.active.edit_counts_many

    def counting(a, b, *parameters):
        found.append(len(a))
        return count(a, b, *parameters)

    monkeypatch.setattr(kernel.active, "edit_counts_many", counting)
    return found


def same(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=0, abs_tol=1e-12)


# -------------------------------------------------------------------- many groups


@pytest.mark.exhaustive
@pytest.mark.parametrize("coefficient", ["pi", "kappa"])
@pytest.mark.parametrize("metric", ["B", "S(n_t=3)", "F(tolerance=1)"])
@pytest.mark.parametrize("kinds", [(1,), (1, 2, 5)])
@pytest.mark.parametrize("seed", range(3))
def test_each_group_of_a_crowd_is_the_agreement_of_its_part(seed, kinds, metric, coefficient):
    corpus = crowd(seed, 40, 5, kinds=kinds)
    options = {"metric": metric, "coefficient": coefficient, "n_resamples": 0}
    result = agreement(corpus, **options)
    assert [set(group.coders) for group in result.groups] == [set(part.coders) for part in corpus.groups()]
    for group, part in zip(result.groups, corpus.groups(), strict=True):
        assert group.documents == part.documents
        if len(part.coders) < 2:
            assert group.reason == "only one coder: agreement needs two"
            continue
        alone = agreement(part, **options)
        for name in ("value", "observed", "expected", "pi", "kappa", "bias", "z", "p_value"):
            assert same(getattr(group, name), getattr(alone, name)), name
        for name in ("reason", "n_pairs", "n_boundaries", "n_positions", "documents"):
            assert getattr(group, name) == getattr(alone, name)
        assert set(group.silent) == set(alone.silent)
        assert same(group.near_miss_share, alone.near_miss_share)
        assert all(same(alone.influence[coder], value) for coder, value in group.influence.items())
        for row, other in zip(group.by_document, alone.by_document, strict=True):
            assert row[:3] == other[:3]
            assert same(row.observed, other.observed)
            assert same(row.value, other.value)
        assert all(
            same(getattr(group.strict, name), getattr(alone.strict, name))
            for name in ("percent", "fleiss_kappa", "davies_fleiss_kappa", "krippendorff_alpha", "cochran_q")
        )


def test_all_pairs_of_all_groups_are_compared_in_one_call(calls):
    corpus = crowd(1, 60, 6)
    result = agreement(corpus, n_resamples=0)
    assert len(result.groups) > 30
    assert calls == [sum(len(coded) * (len(coded) - 1) // 2 for coded in corpus.segmentations().values())]


def test_further_numbers_of_all_groups_take_no_further_call(calls):
    result = agreement(crowd(1, 60, 6), n_resamples=0)
    calls.clear()
    result.to_dict()
    result.to_table()
    for part in result.parts:
        result.to_table(part)
    assert not calls


def test_notes_of_many_groups_do_not_grow_with_them():
    few, many = (agreement(crowd(2, n, 40), n_resamples=0) for n in (30, 300))
    assert len(many.groups) > 200
    assert len(many.notes) <= len(few.notes) + 2
    assert max(len(note.text) for note in many.notes) < 500
    shared = [note.text for note in many.notes if "a single boundary more or less" in note.text]
    assert len(shared) == 1
    assert "more: Fewer than 30 boundaries" in shared[0]


def test_of_many_groups_the_largest_are_shown_and_csv_has_all():
    result = agreement(crowd(2, 300, 40), n_resamples=0)
    n = sum(len(group.coders) > 1 for group in result.groups)
    short, full = agreement_table([result]), result.to_table()
    assert (len(short.rows), len(full.rows)) == (1 + 20, 1 + n)
    assert short.rows[0] == full.rows[0]
    assert any(f"Of {n:,} groups, the 20 largest are shown" in note.text for note in short.notes)
    least = min(row[3] for row in short.rows[1:])
    assert sum(row[3] > least for row in full.rows[1:]) <= 20
    assert len(repr(result)) < 100


def test_sums_of_very_long_documents_do_not_overflow():
    """1200 documents of 2**53 units: potential boundaries and counts of S are beyond 64 bits."""
    n_units, n = 2**53, 1200
    coded = {
        "a": cs.Segmentation.from_positions([5, 2**40], n_units),
        "b": cs.Segmentation.from_positions([5, 2**41], n_units),
    }
    corpus = cs.Corpus.from_dict({f"d{i}": coded for i in range(n)})
    result = agreement(corpus, metric="S", n_resamples=0)
    assert result.n_positions == n * (n_units - 1)
    observed = 1 - Fraction(2, n_units - 1)
    chance = Fraction(2, n_units - 1) ** 2
    assert result.observed == float(observed)
    assert result.expected == float(chance)
    assert result.pi == float((observed - chance) / (1 - chance))


def test_what_is_summed_as_python_numbers_is_what_would_overflow():
    assert summable(np.array([2**62, 1])).dtype == object
    assert summable(np.array([-(2**62), 1])).dtype == object
    assert summable(np.array([2**40, 1])).dtype == np.int64
    assert summable(np.array([0.5])).dtype == np.float64
    assert sum_slices(summable(np.array([2**62] * 4)), np.array([0, 3, 3, 4])).tolist() == [
        3 * 2**62,
        0,
        2**62,
    ]


def test_published_chance_of_documents_of_many_lengths():
    """The mean over documents of segments per coder and position, of more lengths than are summed exactly."""
    lengths = range(10, 1210)
    codings = {f"d{n}": {"a": [n // 2, n - n // 2], "b": [n]} for n in lengths}
    result = agreement(cs.Corpus.from_dict(codings), chance="published", n_resamples=0)
    rate = sum(Fraction(2 + 1, 2 * (n - 1)) for n in lengths) / len(lengths)
    assert result.expected == pytest.approx(float(rate**2), rel=1e-14)


# -------------------------------------------------------------------- many types


N_RANKS = 10_000


@pytest.fixture(scope="module")
def many_ranks() -> cs.Corpus:
    """Two coders' hierarchies in which every boundary has a rank of its own: a file of about 474 KB."""
    rng = random.Random(0)
    coded = {}
    for coder in "ab":
        positions = rng.sample(range(1, 3 * N_RANKS), N_RANKS)
        ranks = {position: rank for rank, position in enumerate(positions, start=1)}
        coded[coder] = cs.Hierarchy.from_ranks(ranks, 3 * N_RANKS)
    return cs.Corpus.from_dict({"d": coded})


@pytest.mark.exhaustive
@pytest.mark.parametrize("coefficient", ["pi", "kappa"])
def test_what_is_drawn_of_10_000_ranks_is_held_sparsely(many_ranks, coefficient):
    whole = agreement(many_ranks, coefficient=coefficient, n_resamples=0)
    stratum = whole.stratum
    items = stratum._positions()
    n_boundaries = 2 * N_RANKS
    # Boundaries, types, slots, coders' positions and marks; positions × coders × ranks would be 4 · 10**8.
    assert items.matrix.nnz <= 8 * n_boundaries
    assert len(stratum.table.marks.number) <= n_boundaries
    assert whole.n_boundaries == n_boundaries
    # Every coder has one boundary of every rank: P(t) = 1 / positions for all types.
    assert whole.expected == pytest.approx(1 / (3 * N_RANKS - 1) ** 2, rel=1e-12)
    # Each position drawn once.
    assert items.values(items.sums(items.number[:, None].astype(float)))[0] == pytest.approx(
        whole.value, abs=1e-12
    )


@pytest.mark.exhaustive
def test_agree_of_10_000_ranks_ends(many_ranks, tmp_path, capsys):
    path = tmp_path / "ranks.jsonl"
    write(many_ranks, path)
    assert cli.run(["agree", str(path), "--resamples", "20", "-f", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert float(row["boundaries"]) == 2 * N_RANKS
    assert float(row["low 95 %"]) <= float(row["π*_B"]) <= float(row["high 95 %"])


def test_ranges_of_types_that_differ_from_pair_to_pair_are_counted():
    """Without a scheme the range of types is each pair's: the common scale of all pairs is a huge number."""
    codings = {
        f"d{n}": {
            coder: cs.Segmentation.from_positions([3, 6], 12, types=types)
            for coder, types in (("a", [1, n]), ("b", [2, n]), ("c", [1, 1]))
        }
        for n in range(3, 103)
    }
    result = agreement(cs.Corpus.from_dict(codings), n_resamples=0)
    similar = sum(2 - Fraction(1, n) for n in range(3, 103))  # a and b: 1 for 2 at position 3
    similar += sum(1 + 1 - Fraction(n - 1, n) for n in range(3, 103))  # a and c: n for 1 at position 6
    similar += sum(2 - Fraction(1, n) - Fraction(n - 1, n) for n in range(3, 103))  # b and c: both
    assert result.observed == pytest.approx(float(similar / 600), abs=1e-12)
    assert result.near_miss_share == 0


# -------------------------------------------------------------------- without each coder


@pytest.mark.parametrize("coefficient", ["pi", "kappa"])
@pytest.mark.parametrize("metric", ["B", "F(tolerance=1)", "WinF"])
@pytest.mark.parametrize("kinds", [(1,), (1, 2, 5)])
def test_influence_is_the_agreement_of_the_others(kinds, metric, coefficient):
    rng = random.Random(7)
    types = cs.TypeScheme({kind: str(kind) for kind in kinds})
    sites = {
        f"d{d}": {c: [{t for t in kinds if rng.random() < 0.2} for _ in range(20)] for c in "abcde"}
        for d in range(3)
    }
    corpus = cs.Corpus.from_dict(
        {d: {c: cs.Segmentation.from_sets(one) for c, one in coded.items()} for d, coded in sites.items()},
        type_scheme=types,
    )
    options = {"metric": metric, "coefficient": coefficient, "n_resamples": 0}
    influence = agreement(corpus, **options).influence
    for coder in corpus.coders:
        rest = corpus.select(coders=[other for other in corpus.coders if other != coder])
        assert influence[coder] == pytest.approx(agreement(rest, **options).value, abs=1e-12)


def test_influence_reads_the_pairs_once_for_all_coders(monkeypatch):
    read = []
    without = PairTable.without
    monkeypatch.setattr(
        PairTable, "without", lambda self, chance: read.append(chance) or without(self, chance)
    )
    rng = random.Random(3)
    coded = {f"c{c}": "".join(rng.choice("0001") for _ in range(30)) for c in range(40)}
    result = agreement(cs.Corpus.from_dict({"d": coded}), n_resamples=0)
    assert len(result.influence) == 40
    assert read == ["boundaries"]


# -------------------------------------------------------------------- intervals


def test_the_interval_of_one_document_expands_by_its_positions(monkeypatch):
    """Two coders, 999 positions, n_t=1: positions are of four kinds, and there are 999 of them.

    The bootstrap here draws positions one by one; the levels are Hesterberg's (2015) for 999 items.
    """
    n, rng = 999, np.random.default_rng(5)
    opinion = rng.random(n) < 0.2
    marks = [np.where(rng.random(n) < 0.15, rng.random(n) < 0.2, opinion) for _ in "ab"]
    first, second = (cs.Segmentation.from_gaps(own.astype(int).tolist()) for own in marks)
    corpus = cs.Corpus.from_dict({"d": {"a": first, "b": second}})

    def value(one, other):
        both, either = (one & other).sum(axis=-1), (one | other).sum(axis=-1)
        observed, chance = both / either, ((one.sum(axis=-1) + other.sum(axis=-1)) / (2 * n)) ** 2
        return (observed - chance) / (1 - chance)

    drawn = rng.integers(n, size=(20_000, n))
    values = value(marks[0][drawn], marks[1][drawn])
    level = stats.norm.cdf(-math.sqrt(n / (n - 1)) * stats.t.isf(0.025, n - 1))
    low, high = np.quantile(values, [level, 1 - level])

    asked = []
    levels = finish.expanded_levels
    monkeypatch.setattr(
        finish, "expanded_levels", lambda confidence, n: asked.append(n) or levels(confidence, n)
    )
    found = agreement(corpus, n_t=1, n_resamples=20_000, rng=1)
    assert asked == [n]
    assert found.value == pytest.approx(value(*marks), abs=1e-12)
    assert found.interval.estimate == found.value
    assert found.interval.low == pytest.approx(low, abs=0.004)
    assert found.interval.high == pytest.approx(high, abs=0.004)
    assert found.interval.standard_error == pytest.approx(values.std(), rel=0.03)


def test_documents_that_are_alike_are_drawn_as_one_and_counted_as_many(monkeypatch):
    kinds = [{"a": [2, 3, 6], "b": [2, 9]}, {"a": [4, 7], "b": [5, 6]}, {"a": [1, 4, 6], "b": [1, 2, 8]}]
    corpus = cs.Corpus.from_dict({f"d{i}": kinds[i % 3] for i in range(1500)})
    asked = []
    levels = finish.expanded_levels
    monkeypatch.setattr(
        finish, "expanded_levels", lambda confidence, n: asked.append(n) or levels(confidence, n)
    )
    for coefficient in ("pi", "kappa"):
        result = agreement(corpus, coefficient=coefficient, n_resamples=500, rng=0)
        items = result.stratum.drawn()
        assert sorted(items.number.tolist()) == [500, 500, 500]
        assert items.values(items.sums(items.number[:, None].astype(float)))[0] == pytest.approx(
            result.value, abs=1e-12
        )
        # As if all 1500 were drawn one by one.
        some = corpus.select(documents=corpus.documents[:3])
        three = agreement(some, coefficient=coefficient, n_resamples=0).stratum.items()
        draws = np.random.default_rng(1).multinomial(1500, [1 / 3] * 3, size=20_000).astype(float)
        values = three.values(three.sums(draws.T.copy()))
        assert result.interval.standard_error == pytest.approx(values.std(), rel=0.15)
    compared = [cs.metric("B")(one["a"], one["b"]).denominator for one in kinds]
    effective = 500 * sum(compared) ** 2 / sum(n**2 for n in compared)
    assert asked == pytest.approx([effective] * 2)


def test_documents_that_decide_more_make_the_sample_smaller(monkeypatch):
    """One long document among short ones: as many as count, (Σ compared)² / Σ compared², are expanded for."""
    asked = []
    monkeypatch.setattr(finish, "expanded_levels", lambda confidence, n: asked.append(n) or (0.025, 0.975))
    short = {"a": [2, 3, 6], "b": [2, 2, 7]}  # one match, one near miss
    long = {"a": [1] * 9, "b": [1] * 9}  # eight matches
    coded = {"d1": short, "d2": short, "d3": short, "d4": long}
    agreement(cs.Corpus.from_dict(coded), n_resamples=20, rng=0)
    several = {**coded, "d5": {"a": [4, 4], "c": [4, 4]}}  # one match, by others
    agreement(cs.Corpus.from_dict(several), n_resamples=20, rng=0)
    one_group = 14**2 / (3 * 2**2 + 8**2)
    assert asked == pytest.approx([one_group, one_group, 7, 15**2 / (3 * 2**2 + 8**2 + 1)])  # 7 positions


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 2)), max_size=4), min_size=1, max_size=8)
)
def test_patterns_are_the_same_where_all_marks_are(rows):
    owners = [sorted(dict(row).items()) for row in rows]
    offsets = np.cumsum([0, *map(len, owners)])
    flat = [mark for row in owners for mark in row]
    kind, number = (np.array([mark[i] for mark in flat], dtype=np.int64) for i in (0, 1))
    found = patterns(csc_array((number, kind, offsets), shape=(4, len(owners))))
    for i, j in combinations(range(len(owners)), 2):
        assert (found[i] == found[j]) == (owners[i] == owners[j])


def test_one_position_has_no_interval():
    result = agreement(cs.Corpus.from_dict({"d": {"a": [1, 1], "b": [2]}}), rng=0)
    assert result.interval is None
    assert not any("resamples positions" in note.text for note in result.notes)


# -------------------------------------------------------------------- random coders


def test_rounds_of_random_codings_are_bounded_by_boundaries():
    def one_document(n_boundaries: int) -> cs.Corpus:
        coding = cs.Segmentation.from_positions(range(1, n_boundaries + 1), n_boundaries + 2)
        return cs.Corpus.from_dict({"d": dict.fromkeys("ab", coding)})

    assert quick_rounds(one_document(10)) == 100
    for n in (10_000, 100_000, 1_000_000):
        rounds = quick_rounds(one_document(n))
        assert rounds * 4 * n <= MOST_BOUNDARIES
    assert quick_rounds(one_document(3_000_000)) == 0


def test_what_random_coders_get_is_a_number_of_the_result_and_said_everywhere(capsys):
    result = agreement(cs.load_stargazers(), rng=0)
    assert result.random == result.at_random(100, rng=0)
    mean, p_value = result.random.mean, result.random.p_value
    assert result.to_dict()["random"] == {"mean": mean, "p_value": p_value, "rounds": 100}
    sentence = f"Random coders with the same number of boundaries would score {mean:.2f}"
    assert any(sentence in said for said in result.findings)
    cli.run(["demo"])
    assert sentence in " ".join(capsys.readouterr().out.split())
    without = agreement(cs.load_stargazers(), n_resamples=0)
    assert (without.random, without.to_dict()["random"]) == (None, None)


def test_rounds_are_of_all_groups_at_once(calls):
    corpus = crowd(1, 60, 6)
    result = agreement(corpus, n_resamples=0)
    calls.clear()
    found = [group.random for group in result.with_random(7, rng=0).groups]
    assert len(calls) == 1  # and of all rounds
    assert [one is None for one in found] == [group.reason is not None for group in result.groups]
    assert all(len(one.values) == 7 for one in found if one is not None)


@pytest.mark.parametrize("at_once", [70, 100_000])  # the first: several rounds at a time, not all
def test_random_coders_of_a_group_get_what_random_placement_gives(monkeypatch, at_once):
    """Three coders, one boundary each on 5 positions, n_t=1: two meet with probability 1/5."""
    codings = {"d": {"a": [3, 3], "b": [3, 3], "c": [2, 4]}, "e": {"x": [1, 9], "y": [1, 9]}}
    result = agreement(cs.Corpus.from_dict(codings), n_t=1, n_resamples=0)
    monkeypatch.setattr(strata, "BOUNDARIES_AT_ONCE", at_once)
    group, other = (one.random for one in result.with_random(3000, rng=0).groups)
    values = []
    for places in permutations_with_repetition(5, 3):
        pairs = list(combinations(places, 2))
        matches = sum(one == two for one, two in pairs)
        observed = Fraction(matches, 2 * len(pairs) - matches)
        values.append((observed - Fraction(1, 25)) / (1 - Fraction(1, 25)))
    assert group.mean == pytest.approx(float(sum(values) / len(values)), abs=0.02)
    assert other.p_value == pytest.approx(1 / 9, abs=0.02)
    alone = result.groups[0].at_random(3000, rng=1)
    assert alone.mean == pytest.approx(group.mean, abs=0.03)


@pytest.mark.parametrize("metric", ["B", "WinF", "WinF(k='document')"])
def test_where_nothing_can_move_random_coders_get_the_value_itself(metric):
    """Coders who mark every position, or none: windows are those of the documents, too."""
    every = {12: [1] * 12, 7: [1] * 7}
    codings = {
        "d": {"a": every[12], "b": [12], "c": every[12]},
        "e": {"a": every[7], "b": [7], "c": [7]},
    }
    result = agreement(cs.Corpus.from_dict(codings), metric=metric, n_resamples=0)
    assert set(result.at_random(9, rng=1).values) == {result.value}


def permutations_with_repetition(n: int, length: int) -> list[tuple[int, ...]]:
    return sorted(set(permutations([*range(n)] * length, length)))


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_codings_keep_their_numbers_of_boundaries_of_each_type(seed):
    corpus = crowd(seed, 10, 3, kinds=(1, 2, 5))
    moved = shuffled(count_pairs(corpus, cs.metric("B")), 2, np.random.default_rng(seed))
    for row, (_, _, coding) in enumerate([*corpus, *corpus]):
        other = moved.segmentation(row)
        assert other.n_units == coding.n_units
        assert sorted(kind for _, kind in other.boundaries) == sorted(kind for _, kind in coding.boundaries)
        assert len(set(other.boundaries)) == len(other.boundaries)
        assert all(0 < position < coding.n_units for position, _ in other.boundaries)


def test_shuffled_hierarchies_have_one_rank_at_a_position():
    corpus = cs.simulate(5, 3, n_units=40, mean_segment=2, near_miss=0.1, full_miss=0, levels=3, rng=1)
    places = []
    moved = shuffled(count_pairs(corpus, cs.metric("B")), 20, np.random.default_rng(1))
    for row, coding in enumerate([coding for _, _, coding in corpus] * 20):
        other = moved.segmentation(row)
        assert len(other.positions) == len(other.boundaries)
        ranks = sorted(rank for _, rank in other.boundaries)
        assert ranks == sorted(rank for _, rank in coding.boundaries)
        places += [position for position, rank in other.boundaries if rank == 1]
    assert np.mean(places) == pytest.approx(20, abs=1)  # any rank may stand anywhere


# -------------------------------------------------------------------- every two coders


@pytest.mark.parametrize("metric", ["B", "WD", "BP"])
def test_a_matrix_of_a_crowd_pools_what_pairs_share(metric):
    corpus = crowd(4, 40, 6)
    measure = cs.metric(metric)
    matrix = coder_matrix(corpus, metric)
    numbers = matrix.to_dict()
    shared = {name: coded for name, coded in corpus.segmentations().items() if len(coded) > 1}
    assert matrix.documents == tuple(shared)
    for one, other in permutations(corpus.coders, 2):
        scores = [
            measure(coded[one], coded[other]) for coded in shared.values() if {one, other} <= coded.keys()
        ]
        value = float(sum(scores[1:], scores[0])) if scores else math.nan
        i, j = corpus.coders.index(one), corpus.coders.index(other)
        assert same(matrix.values[i, j], value)
        assert same(numbers["values"][one].get(other, math.nan), value)
    for name, coded in shared.items():
        part = matrix.document(name)
        assert set(part.coders) == set(coded)
        for one, other in permutations(coded, 2):
            value = float(measure(coded[one], coded[other]))
            assert part.values[part.coders.index(one), part.coders.index(other)] == pytest.approx(value)
            assert numbers["by_document"][name][one][other] == pytest.approx(value)
        assert float(part.scores.micro) == pytest.approx(
            matrix.document_values()[matrix.documents.index(name)], abs=1e-12
        )
    for coder in corpus.coders:
        theirs = [
            measure(coded[one], coded[other])
            for coded in shared.values()
            for one, other in (combinations if measure.symmetric else permutations)(coded, 2)
            if coder in (one, other)
        ]
        assert same(matrix.means[coder], float(sum(theirs[1:], theirs[0])) if theirs else math.nan)


def test_a_matrix_of_too_many_coders_is_refused_and_its_pairs_are_not():
    n = MOST_CODERS + 1
    codings = {f"d{i}": {f"c{i}": [2, 3], f"c{(i + 1) % n}": [3, 2]} for i in range(n)}
    matrix = coder_matrix(cs.Corpus.from_dict(codings))
    for refused in (lambda: matrix.values, matrix.to_table, lambda: str(matrix)):
        with pytest.raises(cs.CorpusError, match=r"1,001 coders is too large; select up to 1,000") as error:
            refused()
        assert "\n" not in str(error.value)
    assert len(matrix.to_table("documents").rows) == n
    numbers = matrix.to_dict()
    assert sum(map(len, numbers["values"].values())) == 2 * n
    assert numbers["by_document"]["d3"] == {"c3": {"c4": 0.5}, "c4": {"c3": 0.5}}
    assert len(matrix.means) == n


def test_an_unknown_document_of_a_matrix_is_named():
    matrix = coder_matrix(cs.Corpus.from_dict({"d": {"a": [2, 3], "b": [3, 2]}, "e": {"a": [2]}}))
    with pytest.raises(cs.UnknownNameError, match="unknown document 'e' with two coders"):
        matrix.document("e")


# -------------------------------------------------------------------- segmenters that join


@pytest.mark.exhaustive
@pytest.mark.parametrize("chance", ["boundaries", "published", "segeval"])
@pytest.mark.parametrize("coefficient", ["pi", "kappa"])
@pytest.mark.parametrize("metric", ["B", "F(tolerance=1)"])
def test_drops_in_a_crowd_are_those_of_its_parts(metric, coefficient, chance):
    rng = random.Random(9)
    people = crowd(5, 30, 5)
    machines = {
        document: {
            name: "".join(rng.choice("001") for _ in range(people.n_units(document) - 1))
            for name in ("m1", "m2")
            if rng.random() < 0.8
        }
        for document in people.documents
        if people.n_units(document) > 1
    }
    machines = {document: coded for document, coded in machines.items() if coded}
    corpus = cs.Corpus.merge(people, cs.Corpus.from_dict(machines))
    options = {"metric": metric, "coefficient": coefficient, "chance": chance}
    drops = agreement_drop(corpus, ["m1", "m2"], **options).drops
    expected = []
    for name in ("m1", "m2"):
        part = people.select(documents=[document for document in machines if name in machines[document]])
        expected += [(name, group) for group in part.groups()]
    assert len(drops) == len(expected) > 10
    for drop, (name, group) in zip(drops, expected, strict=True):
        assert (drop.segmenter, set(drop.coders), drop.documents) == (
            name,
            set(group.coders),
            group.documents,
        )
        joined = corpus.select(documents=group.documents, coders=[*group.coders, name])
        assert same(drop.joined, agreement(joined, **options, n_resamples=0).value)
        alone = math.nan
        if len(group.coders) > 1:
            alone = agreement(group, **options, n_resamples=0).value
        assert same(drop.without, alone)


def test_drops_of_all_segmenters_and_groups_take_one_call(calls):
    corpus = crowd(5, 60, 8)
    agreement_drop(corpus, ["c0", "c1"])
    assert len(calls) == 1


# -------------------------------------------------------------------- parameters, copies, tables


WRONG = [
    ({"rng": -1}, "rng is -1"),
    ({"rng": 1.5}, "rng is 1.5"),
    ({"rng": -1, "n_resamples": 0}, "rng is -1"),
    ({"n_resamples": 10.5}, "n_resamples is 10.5"),
    ({"n_resamples": -1}, "n_resamples is -1"),
    ({"confidence": 1.0}, "confidence is 1.0"),
    ({"confidence": 0}, "confidence is 0"),
    ({"confidence": "x"}, "confidence is 'x'"),
    ({"coefficient": "alpha"}, "coefficient is 'alpha'"),
    ({"chance": None}, "chance is None"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_parameters_are_refused_in_one_line(options, message):
    with pytest.raises((cs.ParameterError, cs.UnknownNameError)) as caught:
        agreement(cs.load_stargazers(), **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rounds", [0, -1, 2.5])
def test_rounds_are_at_least_one(rounds):
    result = agreement(cs.load_stargazers(), n_resamples=0)
    with pytest.raises(cs.ParameterError, match="n_rounds is"):
        result.at_random(rounds)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
@pytest.mark.parametrize("looked", [False, True])
def test_results_are_copied_and_pickled(duplicate, looked):
    corpus = crowd(6, 12, 4, kinds=(1, 2))
    results = [
        agreement(corpus, n_resamples=20, rng=1),
        agreement(cs.load_stargazers(), n_resamples=20, rng=1),
        coder_matrix(corpus, "BP"),
        agreement_drop(corpus, ["c0"]),
    ]
    for result in results:
        if looked:
            result.to_dict()
        other = duplicate(result)
        assert type(other) is type(result)
        assert json.dumps(other.to_dict()) == json.dumps(result.to_dict())
        assert str(other) == str(result)
        assert repr(other) == repr(result)
    one = duplicate(results[0].groups[0])
    assert json.dumps(one.numbers()) == json.dumps(results[0].groups[0].numbers())
    again = duplicate(results[1]).at_random(5, rng=0)
    assert again == results[1].at_random(5, rng=0)


def test_members_are_whole_wherever_numbers_are_read_from():
    coders = [f"coder {i}" for i in range(9)]
    corpus = cs.Corpus.from_dict({"d": dict.fromkeys(coders, "0100")})
    result = agreement(corpus, n_resamples=0)
    drop = agreement_drop(corpus, coders[-1:])
    for shown, names in ((result, coders), (drop, coders[:-1])):
        table = shown.to_table()
        (row,) = csv.DictReader(io.StringIO(table.to_csv()))
        assert row["members"] == ", ".join(names)
        assert [*shown.to_frame()["members"][0]] == names
        assert table.to_dict()["rows"][0]["members"] == names
        assert f"and {len(names) - 4} more" in replace(table, width=None).to_text()
    (row,) = csv.DictReader(io.StringIO(result.to_table("strict").to_csv()))
    assert row["members"] == ", ".join(coders)
    assert result.to_dict()["groups"][0]["coders"] == coders


def test_the_parts_of_a_result_are_its_tables():
    result = agreement(crowd(1, 10, 3), n_resamples=0)
    assert result.parts == ("main", "documents", "strict", "strict_intervals", "influence")
    assert len(result.to_table().rows) == 1 + sum(len(group.coders) > 1 for group in result.groups)
    assert len(result.to_table("documents").rows) == sum(len(group.by_document) for group in result.groups)
    shared = [group for group in result.groups if len(group.coders) > 1]
    assert len(result.to_table("influence").rows) == sum(len(part.coders) for part in (result, *shared))
    with pytest.raises(cs.UnknownNameError, match="did you mean 'strict'"):
        result.to_table("strickt")
    assert coder_matrix(cs.load_stargazers()).parts == ("main", "documents")


def test_notes_have_kinds():
    result = agreement(cs.load_stargazers(), rng=0)
    kinds = [note.kind for note in result.notes]
    assert set(kinds) == {"finding", "caveat", "reading", "signature"}
    assert result.notes[kinds.index("signature")].text == result.signature
    assert result.to_table().of_kind("caveat") == tuple(
        note for note in result.notes if note.kind == "caveat"
    )
    assert [note["kind"] for note in result.to_dict()["notes"]] == kinds


def test_the_interval_of_a_single_document_is_expanded_by_its_positions(monkeypatch):
    """SPEC §14: 499 positions are drawn, of which most are alike; the expansion is that of 499 items."""
    asked = []
    monkeypatch.setattr(finish, "expanded_levels", lambda confidence, n: asked.append(n) or (0.025, 0.975))
    coded = {"a": [100, 200, 200], "b": [101, 199, 200], "c": [100, 400]}
    agreement(cs.Corpus.from_dict({"d": coded}), n_resamples=20, rng=0)
    assert asked == [499]


def test_results_are_not_equal_because_they_are_resampled_alike():
    options = {"n_units": 30, "mean_segment": 5, "near_miss": 0.1, "full_miss": 0.2}
    corpora = [cs.simulate(4, 3, rng=seed, **options) for seed in (1, 2)]
    first, second = (agreement(corpus, n_resamples=0) for corpus in corpora)
    assert first != second
    assert first.groups[0] != second.groups[0]
    assert cs.plan(corpora[0], n_resamples=0, rng=0) != cs.plan(corpora[1], n_resamples=0, rng=0)
    assert first == first

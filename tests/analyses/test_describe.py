"""describe() and support(). Source of truth: naive loops over codings, pairs and edits, and counts by hand.

The published numbers are in papers/test_description_published.py.
"""

from __future__ import annotations

import copy
import json
import math
import pickle
import time
from fractions import Fraction
from itertools import combinations, product
from statistics import fmean, median, pstdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura import Corpus, Segmentation, TypeScheme, align, load_stargazers
from caesura.analyses.description import by_document, describe, question, support
from caesura.analyses.description.documents import window_sizes
from caesura.analyses.description.words import findings
from caesura.errors import CorpusError, ParameterError, UnknownNameError
from caesura.results.notes import signature
from caesura.stats import exchange
from caesura.stats.choosing import holm
from caesura.stats.exchange import exchange_test

MIXED = Corpus.from_dict(
    {
        "one": {"ann": [2, 3, 6], "bob": [2, 2, 7], "cy": [5, 6]},
        "two": {"bob": [4, 4], "dan": [1, 7]},
        "three": {"dan": [5]},
        "four": {"ann": [1], "cy": [1]},
    }
)


def coding_of(n_units: int, types: tuple[int, ...]) -> st.SearchStrategy[Segmentation]:
    """Positions have no type (most often), one or all. One number is quicker to draw than a list."""
    sites = [(), (), *((kind,) for kind in types), types]

    def build(number: int) -> Segmentation:
        digits = []
        for _ in range(n_units - 1):
            number, digit = divmod(number, len(sites))
            digits.append(sites[digit])
        return Segmentation.from_sets(digits)

    return st.integers(0, len(sites) ** (n_units - 1) - 1).map(build)


def corpora(types: tuple[int, ...] = (1,), max_units: int = 14) -> st.SearchStrategy[Corpus]:
    """Documents of different lengths, each coded by some of five coders."""

    def document(n_units: int) -> st.SearchStrategy:
        coding = st.none() | coding_of(n_units, types)
        return st.tuples(coding_of(n_units, types), coding, coding, coding, coding)

    def build(drawn: list[tuple[Segmentation | None, ...]]) -> Corpus:
        codings = {}
        for number, coded in enumerate(drawn):
            names = "abcde"[number:] + "abcde"[:number]
            codings[f"d{number}"] = {
                name: one for name, one in zip(names, coded, strict=True) if one is not None
            }
        return Corpus.from_dict(codings)

    lengths = st.integers(1, max_units)
    return st.lists(lengths.flatmap(document), min_size=1, max_size=4).map(build)


def pairs_of(corpus: Corpus) -> list[tuple[Segmentation, Segmentation]]:
    return [pair for coded in corpus.segmentations().values() for pair in combinations(coded.values(), 2)]


# -------------------------------------------------------------------- totals and means


@given(corpora(types=(1, 2, 4)))
def test_totals_and_means_as_counted_one_by_one(corpus):
    found = describe(corpus, sweep=())
    lengths = [corpus.n_units(document) for document in corpus.documents]
    codings = [segmentation for _, _, segmentation in corpus]
    assert (found.documents, found.coders, found.codings) == (
        len(corpus.documents),
        len(corpus.coders),
        len(codings),
    )
    n_types = max(1, len({kind for one in codings for _, kind in one.boundaries}))
    assert (found.units, found.potential_boundaries) == (sum(lengths), n_types * sum(n - 1 for n in lengths))
    assert found.boundaries == sum(len(one.boundaries) for one in codings)
    assert found.segments == sum(len(one.masses) for one in codings)
    by_coder = {
        name: [one for _, coder, one in corpus if coder == name] for name in corpus.coders
    }  # every coder has a coding
    per_coder = {name: sum(len(one.boundaries) for one in own) for name, own in by_coder.items()}
    positions = {name: sum(one.n_units - 1 for one in own) for name, own in by_coder.items()}
    expected = {
        "document_size": lengths,
        "segment_size": [mass for one in codings for mass in one.masses],
        "segments_per_coding": [len(one.masses) for one in codings],
        "boundaries_per_coder": list(per_coder.values()),
        "boundaries_per_position_per_coder": [
            per_coder[name] / positions[name] for name in by_coder if positions[name]
        ],
    }
    for name, values in expected.items():
        mean, sd, n = getattr(found, name)
        assert n == len(values)
        if values:
            assert mean == pytest.approx(fmean(values))
            assert sd == pytest.approx(pstdev(values), abs=1e-9)
        else:
            assert math.isnan(mean)
    for rate in found.coder_rates:
        assert rate.boundaries == per_coder[rate.coder]
        assert rate.potential_boundaries == positions[rate.coder]
        assert rate.documents == len(by_coder[rate.coder])


# -------------------------------------------------------------------- pairs, sweep, spans


@pytest.mark.parametrize("types", [(1,), (1, 2, 4)], ids=["plain", "typed"])
def test_edits_as_listed_by_align(types, kernel_module):
    @given(corpora(types), st.integers(1, 5), st.sampled_from([(), (1, 3), range(2, 6)]))
    def check(corpus, n_t, sweep):
        found = describe(corpus, n_t=n_t, sweep=sweep)
        pairs = pairs_of(corpus)
        assert found.pairs == len(pairs)
        n_types = max(1, len({kind for _, _, one in corpus for _, kind in one.boundaries}))
        assert found.pair_potential_boundaries == n_types * sum(one.n_units - 1 for one, _ in pairs)
        assert found.pair_boundaries == sum(
            len(one.boundaries) + len(other.boundaries) for one, other in pairs
        )
        edits = [align(one, other, n_t=n_t) for one, other in pairs]
        assert found.pair_matches == sum(len(one.matches) for one in edits)
        assert found.pair_additions == sum(len(one.additions) for one in edits)
        assert found.pair_substitutions == sum(len(one.substitutions) for one in edits)
        assert found.pair_transpositions == sum(len(one.transpositions) for one in edits)
        assert [totals.n_t for totals in found.sweep] == list(sweep)
        for totals in found.sweep:
            edits = [align(one, other, n_t=totals.n_t) for one, other in pairs]
            assert totals.edits == sum(one.distance for one in edits)
            assert totals.matches == sum(len(one.matches) for one in edits)
            assert totals.transpositions == sum(len(one.transpositions) for one in edits)
        widest = max(sweep, default=1)
        edits = [align(one, other, n_t=widest) for one, other in pairs]
        spans = [near.distance for one in edits for near in one.transpositions]
        assert found.spans == {span: spans.count(span) for span in range(1, widest)}

    check()


@given(corpora(types=(1, 2)))
def test_shares_sum_to_one_and_probabilities_divide_counts(corpus):
    found = describe(corpus, sweep=())
    if not found.pair_boundaries:
        assert all(math.isnan(share) for share in found.shares)
        return
    assert sum(found.shares) == pytest.approx(1)
    assert found.shares.missed == found.probabilities.addition
    assert found.shares.matched == pytest.approx(2 * found.probabilities.match)
    assert found.shares.near_missed == pytest.approx(2 * found.probabilities.transposition)
    assert found.probabilities.boundary == found.pair_boundaries / found.pair_potential_boundaries


def test_f13t_equation_4_10_three_types_at_ten_positions_are_30_potential_boundaries():
    """|T_b| × (|D| - 1); ranks are not several boundaries at a position, so that they leave 10."""
    sets = [set(), {2, 3}, set(), set(), set(), {1}, set(), set(), {3}, set()]
    coded = {"s1": [2, 3, 6], "s3": cs.Segmentation.from_sets(sets)}
    found = describe(cs.Corpus.from_dict({"d": coded}))
    assert (found.potential_boundaries, found.pair_potential_boundaries, found.units) == (30, 30, 11)
    ranked = cs.Corpus.from_dict({"d": {"a": cs.Hierarchy.from_ranks({2: 1, 5: 2, 9: 3}, n_units=11)}})
    assert describe(ranked).potential_boundaries == 10


def test_by_hand():
    """One has 2 5, 2 4 and 5: ann-bob M 1 T 1, ann-cy M 1 AD 1, bob-cy T 1 AD 1. Two has 4 and 1: AD 2."""
    found = describe(MIXED)
    assert (found.pairs, found.pair_potential_boundaries, found.pair_boundaries) == (5, 37, 12)
    assert (found.pair_matches, found.pair_transpositions, found.pair_additions) == (2, 2, 4)
    # At n_t = 4 the two of document two, three apart, are a near miss.
    assert [totals.edits for totals in found.sweep[:3]] == [6, 6, 5]
    assert (found.spans[1], found.spans[2], found.spans[3]) == (2, 0, 1)


def test_progress_counts_the_pairs(monkeypatch):
    seen = []
    describe(MIXED, n_t=7, sweep=[2, 4], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(5, 5)]
    # Pairs of 4, 3, 3, 2 and 0 boundaries; each counts as one more: 5, 9, 13, 16, 17 in all.
    monkeypatch.setattr(question, "AT_ONCE", 5)
    seen.clear()
    in_parts = describe(MIXED, n_t=7, sweep=[2, 4], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(2, 5), (3, 5), (5, 5)]
    assert in_parts == describe(MIXED, n_t=7, sweep=[2, 4])


def test_a_large_n_t_needs_no_sweep_up_to_it():
    found = describe(MIXED, n_t=10**9, sweep=())
    assert found.pair_additions == 2  # ann-cy and bob-cy have unequal numbers of boundaries
    assert (found.sweep, found.spans) == ((), {})


# -------------------------------------------------------------------- coders


@given(corpora())
def test_typical_rate_is_that_of_the_median_coder_of_each_document(corpus):
    for rate in describe(corpus, sweep=()).coder_rates:
        own = [document for document in corpus.documents if rate.coder in corpus[document]]
        typical = sum(median(one.n_boundaries for one in corpus[document].values()) for document in own)
        positions = sum(corpus.n_units(document) - 1 for document in own)
        assert rate.typical_rate == pytest.approx(typical / positions if positions else 0)
        assert rate.rate == pytest.approx(rate.boundaries / positions if positions else 0)


def marked(n: int, n_units: int = 101) -> Segmentation:
    return Segmentation.from_positions(range(1, n + 1), n_units)


def counted_corpus(counts: list[list[int]]) -> Corpus:
    """A document per list, with as many boundaries by a, b, c … as it says."""
    names = "abcdefghijklmnopqrstuvwxyzABCDEFG"
    return Corpus.from_dict(
        {
            f"d{i}": {name: marked(n) for name, n in zip(names, own, strict=False)}
            for i, own in enumerate(counts)
        }
    )


def exchanged(counts: list[list[int]], own: int) -> float:
    """Take one number of each document in every way: how many sums are as far from the mean as this one."""
    sums = [sum(chosen) for chosen in product(*counts)]
    mean = Fraction(sum(sums), len(sums))
    return sum(abs(total - mean) >= abs(own - mean) for total in sums) / len(sums)


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=1, max_size=5)
    )
)
def test_outliers_are_tested_by_exchanging_coders_within_documents(counts):
    found = describe(counted_corpus(counts), sweep=()).coder_rates
    n = len(counts[0])
    raw = [exchanged(counts, sum(row[coder] for row in counts)) for coder in range(n)]
    adjusted = [0.0] * n
    for rank, coder in enumerate(sorted(range(n), key=raw.__getitem__)):  # Holm
        before = max(adjusted[other] for other in sorted(range(n), key=raw.__getitem__)[:rank]) if rank else 0
        adjusted[coder] = max(before, min(1.0, raw[coder] * (n - rank)))
    for coder, rate in enumerate(found):
        assert rate.p_value == pytest.approx(adjusted[coder])
        others = [sum(row) - row[coder] for row in counts]
        difference = sum(row[coder] - other / (n - 1) for row, other in zip(counts, others, strict=True))
        assert rate.difference == pytest.approx(difference / len(counts))  # of 100 positions each
        expected = "more" if difference > 0 else "fewer"
        assert rate.outlier == (expected if adjusted[coder] <= 0.05 else "")
        extreme = max(product(*counts), key=lambda chosen: abs(sum(chosen) - sum(map(sum, counts)) / n))
        assert rate.least_p == pytest.approx(min(1.0, n * exchanged(counts, sum(extreme))))


def test_coders_who_share_no_document_are_not_tested():
    found = describe(
        Corpus.from_dict({"d": {"a": marked(5)}, "e": {"b": marked(9), "c": marked(9)}}), sweep=()
    )
    alone, *others = found.coder_rates
    assert all(math.isnan(value) for value in (alone.difference, alone.p_value, alone.least_p))
    assert [(rate.difference, rate.p_value, rate.outlier) for rate in others] == [(0, 1, ""), (0, 1, "")]


def test_a_coder_of_denser_documents_is_no_outlier():
    """Two groups of coders; in the second group's documents everyone marks ten times as much."""
    sparse = [dict(zip("abcd", map(marked, (4, 5, 5, 6)), strict=True)) for _ in range(6)]
    dense = [dict(zip("efgh", map(marked, (49, 50, 50, 51)), strict=True)) for _ in range(6)]
    both = {f"d{i}": one for i, one in enumerate([*sparse, *dense])}
    rates = {rate.coder: rate for rate in describe(Corpus.from_dict(both), sweep=()).coder_rates}
    assert {coder for coder, rate in rates.items() if rate.outlier} == set("adeh")  # always one off
    assert rates["e"].difference == pytest.approx(49 - 151 / 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n_coders", "n_documents"), [(3, 6), (5, 8), (8, 20)])
def test_outliers_by_chance_are_rare(n_coders, n_documents):
    """Coders who mark alike: a corpus has an outlier in at most 5 % of all, and not in none."""
    rng = np.random.default_rng(13)
    rounds, false = 1000, 0
    for _ in range(rounds):
        rates = rng.uniform(0.05, 0.3, n_documents)
        counts = rng.binomial(100, np.repeat(rates, n_coders))
        document = np.repeat(np.arange(n_documents), n_coders)
        coder = np.tile(np.arange(n_coders), n_documents)
        found = exchange_test(counts, document, coder, n_coders)
        false += holm([one.p_value for one in found]).min() <= 0.05
    assert 0.01 < false / rounds < 0.07


def test_many_documents_are_taken_as_normal(monkeypatch):
    """The enumerated and the normal distribution of a sum are close where the documents are many."""
    rng = np.random.default_rng(3)
    counts = rng.binomial(100, 0.1, 4 * 80)
    document, coder = np.repeat(np.arange(80), 4), np.tile(np.arange(4), 80)
    exact = exchange_test(counts, document, coder, 4)
    monkeypatch.setattr(exchange, "MOST_STEPS", 0)
    normal = exchange_test(counts, document, coder, 4)
    for one, other in zip(exact, normal, strict=True):
        assert one.p_value != other.p_value
        assert one.p_value == pytest.approx(other.p_value, abs=0.02)


# -------------------------------------------------------------------- support


def supporters(codings: list[Segmentation], position: int, tolerance: float) -> int:
    return sum(any(abs(position - p) <= tolerance for p in coding.positions) for coding in codings)


@given(corpora(types=(1, 2)), st.none() | st.integers(1, 5))
def test_support_as_counted_one_by_one(corpus, k):
    expected = []
    for document, coded in corpus.segmentations().items():
        codings = list(coded.values())
        size = cs.window_size(*codings) if k is None else max(1, min(k, codings[0].n_units - 1))
        for position in sorted({p for coding in codings for p in coding.positions}):
            near = [supporters(codings, position, tolerance) for tolerance in (0, size / 2, size)]
            expected.append((document, position, *near, len(codings), size))
    assert [tuple(one) for one in support(corpus, k=k).positions] == expected


@given(corpora())
def test_window_sizes_are_those_of_the_metrics(corpus):
    expected = [cs.window_size(*coded.values()) for coded in corpus.segmentations().values()]
    assert window_sizes(corpus).tolist() == expected


@given(corpora())
def test_prominence_is_the_distribution_of_support(corpus):
    found = {one.tolerance: one for one in describe(corpus, sweep=()).prominence}
    shared = [place for place in support(corpus).positions if place.coders > 1]
    if not shared:
        assert found == {}
        return
    for name, counts in {
        "exact": [place.exact for place in shared],
        "k/2": [place.half_window for place in shared],
        "k": [place.window for place in shared],
    }.items():
        shares = [count / place.coders for count, place in zip(counts, shared, strict=True)]
        one = found[name]
        assert one.positions == len(shared)
        assert one[2:7] == pytest.approx(tuple(np.percentile(shares, [0, 25, 50, 75, 100])))
        assert one.by_one == pytest.approx(fmean(count == 1 for count in counts))
        assert one.by_half == pytest.approx(fmean(share >= 0.5 for share in shares))
        assert one.by_all == pytest.approx(fmean(share == 1 for share in shares))


def test_support_of_one_document():
    found = describe(MIXED).support("two")
    assert [(place.position, place.exact, place.prominence) for place in found.positions] == [
        (1, 1, 0.5),
        (4, 1, 0.5),
    ]
    assert len(describe(MIXED).support().positions) == 3 + 2
    with pytest.raises(UnknownNameError, match="unknown document 'twoo'"):
        describe(MIXED).support("twoo")


def test_prominence_of_coders_who_agree():
    same = Corpus.from_dict({"d": {name: [3, 3, 3] for name in "abc"}})
    exact, *_ = describe(same).prominence
    assert (exact.positions, exact.least, exact.median, exact.by_all, exact.by_one) == (2, 1.0, 1.0, 1.0, 0.0)


# -------------------------------------------------------------------- long documents


@pytest.mark.parametrize("n_units", [10**12, 2**53])
def test_long_documents_cost_nothing_and_do_not_overflow(n_units):
    far = n_units - 1
    codings = {f"c{i}": Segmentation.from_positions([5 + i % 2, far], n_units) for i in range(600)}
    corpus = Corpus.from_dict({f"d{i}": codings for i in range(4)})
    found = describe(corpus, sweep=range(2, 4))
    assert found.units == 4 * n_units
    assert found.pair_potential_boundaries == 4 * (600 * 599 // 2) * (n_units - 1)
    assert found.coder_rates[0].potential_boundaries == 4 * (n_units - 1)
    assert found.segment_size.mean == pytest.approx(n_units / 3)
    assert found.pair_transpositions == 4 * 300 * 300
    places = describe(corpus, sweep=()).support("d1").positions
    assert [(place.position, place.exact) for place in places] == [(5, 300), (6, 300), (far, 600)]
    assert places[0].k == round(n_units / 6)
    assert {place.half_window for place in places} == {600}
    # All documents together, where keys beyond 64 bits are needed.
    many = Corpus.from_dict({f"d{i}": {"a": codings["c0"], "b": codings["c1"]} for i in range(400)})
    places = support(many).positions
    assert (len(places), {place.half_window for place in places}) == (3 * 400, {2})


# -------------------------------------------------------------------- degenerate corpora, errors


def test_one_unit_and_one_coder():
    found = describe(Corpus.from_dict({"d": {"a": [1]}}))
    assert (found.units, found.potential_boundaries, found.boundaries, found.segments) == (1, 0, 0, 1)
    assert found.pairs == 0
    assert found.prominence == ()
    assert math.isnan(found.probabilities.boundary)
    assert math.isnan(found.boundaries_per_position_per_coder.mean)
    assert "nothing to compare" in findings(found)[0]
    json.dumps(found.to_dict())
    assert "pairs" not in str(found)


def test_no_boundary_anywhere():
    found = describe(Corpus.from_dict({"d": {"a": [9], "b": [9]}}))
    assert (found.pair_boundaries, found.pairs) == (0, 1)
    assert "No coder marks any boundary" in findings(found)[0]
    assert found.sweep[0].edits == 0
    assert "Edits by n_t" in str(found.to_table("sweep"))


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"n_t": 0}, "n_t is 0"),
        ({"n_t": 2.5}, "n_t is 2.5"),
        ({"n_t": True}, "n_t is True"),
        ({"sweep": [2, 0]}, "n_t is 0"),
        ({"sweep": range(2, 2000)}, "the sweep goes to n_t=1999: expected at most 1000"),
    ],
)
def test_wrong_parameters(keywords, message):
    with pytest.raises(ParameterError, match=message):
        describe(MIXED, **keywords)


@pytest.mark.parametrize("k", [0, -1, 1.5])
def test_wrong_k_of_support(k):
    with pytest.raises(ParameterError, match="k is"):
        support(MIXED, k=k)


def test_an_empty_corpus_is_refused():
    for analysis in (describe, support):
        with pytest.raises(CorpusError, match=r"the corpus has no (annotations|documents)"):
            analysis(Corpus.from_dict({}))


def test_declared_types_are_described():
    scheme = TypeScheme({1: "minor", 2: "major"})
    coded = {"a": Segmentation.from_sets([set(), {1}, {2}]), "b": Segmentation.from_sets([set(), {2}, {2}])}
    found = describe(Corpus.from_dict({"d": coded}, type_scheme=scheme))
    assert (found.pair_matches, found.pair_substitutions, found.pair_additions) == (1, 1, 0)
    assert found.shares.substituted == 0.5
    assert "have another type" in findings(found)[0]


# -------------------------------------------------------------------- presentation


def test_main_table_of_stargazers():
    table = describe(load_stargazers()).to_table()
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["boundaries"] == [49, None, None]
    assert rows["segments per coding"] == [8.0, pytest.approx(1.8516, abs=5e-5), 7]
    assert rows["pair matches"] == [83, None, None]
    assert rows["P(boundary)"] == [pytest.approx(0.7), None, 420]
    # 166, 56 and 72 of the 294 boundaries.
    assert table.notes[0].text == (
        "When two coders are compared, 56 % of their boundaries match, 19 % are near misses and 24 % are "
        "full misses; n_t=3 would need 7 % fewer edits."
    )
    assert (
        table.notes[-1].text == f"describe|n_t=2|method=greedy|SD=population|k=auto|caesura {cs.__version__}"
    )


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([[10, 10, 10, 20]] * 6, "d marks 10.0 more boundaries per 100 positions than the other coders of "
         "the same documents (permutation test by document, Holm, p ≤ "),
        ([[10, 10, 10, 10, 20, 1]] * 8, "e marks 11.8 more and f 11.0 fewer boundaries per 100 positions"),
        ([[10, 11, 12, 13], [13, 12, 11, 10]] * 3, "No coder's boundary rate differs significantly from"),
        ([[10, 11, 12, 90]], "with 1 document by 4 coders the smallest possible p is 1."),
        ([[10]], "No document has two coders, so their rates cannot be compared."),
    ],
)  # fmt: skip
def test_findings_name_the_outliers_or_why_not(counts, sentence):
    assert sentence in findings(describe(counted_corpus(counts)))[1]


@given(corpora())
def test_documents_by_disagreement(corpus):
    found = by_document(corpus, n_t=3)
    assert sorted(row.document for row in found.rows) == sorted(corpus.documents)
    lost = {}
    for row in found.rows:
        pairs = [align(*two, n_t=3) for two in combinations(corpus[row.document].values(), 2)]
        lost[row.document] = float(sum(pair.penalty for pair in pairs))
        compared = sum(len(pair.correctness) for pair in pairs)
        expected = 1 - lost[row.document] / compared if compared else (1.0 if pairs else math.nan)
        assert row.value == pytest.approx(expected, nan_ok=True)
        assert (row.pairs, row.coders) == (len(pairs), len(corpus[row.document]))
        assert row.boundaries == sum(one.n_boundaries for one in corpus[row.document].values())
        assert row.near_misses == sum(len(pair.transpositions) for pair in pairs)
        assert row.full_misses == sum(len(pair.additions) for pair in pairs)
        assert row.matches == sum(len(pair.matches) for pair in pairs)
    for row in found.rows:
        if sum(lost.values()):
            assert row.lost == pytest.approx(lost[row.document] / sum(lost.values()))
    values = [row.value for row in found.rows]
    known = [value for value in values if not math.isnan(value)]
    assert known == sorted(known) == values[: len(known)]


def test_tables_and_data():
    found = describe(MIXED)
    assert [row[0] for row in found.to_table("coders").rows] == ["ann", "bob", "cy", "dan"]
    assert [row[0] for row in found.to_table("sweep").rows] == list(range(2, 16))
    assert [row[0] for row in found.to_table("prominence").rows] == ["exact", "k/2", "k"]
    (said,) = found.to_table("sweep").of_kind("finding")
    assert "The number of edits drops most (17 %) from n_t=3 to n_t=4." in said.text
    assert found.parts == (
        "main",
        "coders",
        "outliers",
        "types",
        "sweep",
        "prominence",
        "documents",
        "support",
    )
    for part in found.parts[:-2]:
        assert found.to_table(part).notes[-1] == signature(found.signature)
    assert found.to_table("support") == support(MIXED).to_table()
    assert [note.text for note in found.notes] == [*findings(found), found.signature]
    data = json.loads(json.dumps(found.to_dict()))
    assert data["pair_matches"] == 2
    assert data["segment_size"]["n"] == found.segments
    assert data["coder_rates"][3]["coder"] == "dan"
    assert data["sweep"][0] == {
        "n_t": 2,
        "matches": 2,
        "additions": 4,
        "substitutions": 0,
        "transpositions": 2,
    }
    assert data["spans"]["1"] == 2
    assert data["prominence"][0]["positions"] == 5
    assert "corpus" not in data
    frame = found.to_frame()
    assert list(frame.columns) == ["quantity", "value", "SD", "n"]
    assert repr(found) == "<Description of 4 documents, 4 coders: 7 boundaries, 5 pairs>"
    assert repr(support(MIXED)) == "<Support of 5 marked positions>"
    assert support(MIXED).to_dict()["positions"][0]["document"] == "one"
    assert "k=3|" in support(MIXED, k=3).to_table().notes[-1].text


@pytest.mark.parametrize("again", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_results_can_be_copied_and_pickled(again):
    found = describe(MIXED)
    assert again(found) == found
    assert again(found).corpus == MIXED
    assert again(found).to_dict() == found.to_dict()
    assert again(support(MIXED)).positions == support(MIXED).positions


def test_equal_corpora_have_equal_descriptions():
    again = Corpus.from_dict(MIXED.to_dict())
    assert describe(MIXED) == describe(again)


# -------------------------------------------------------------------- speed


def test_many_documents_take_seconds():
    """100,000 documents with three coders in seconds; a tenth of that here, with room for slow machines."""
    rng = np.random.default_rng(1)
    drawn = [Segmentation.from_positions(np.unique(rng.integers(1, 40, 6)), 40) for _ in range(300)]
    corpus = Corpus.from_dict(
        {f"d{i}": {c: drawn[(7 * i + j * j) % 300] for j, c in enumerate("abc")} for i in range(10_000)}
    )
    start = time.process_time()
    found = describe(corpus)
    assert time.process_time() - start < 3
    assert (found.documents, found.pairs) == (10_000, 30_000)


# -------------------------------------------------------------------- time


def test_ks12_section_4_the_minutes_of_each_coder_by_hand():
    """Ann took 2 and 4 minutes, Bob 3; Cy's time is not known, and a page that says 0 was not timed."""
    corpus = Corpus.from_dict(
        {"d1": {"ann": [2, 3], "bob": [5], "cy": [1, 4]}, "d2": {"ann": [4], "cy": [2, 2]}}
    )
    seconds = {("d1", "ann"): 120, ("d1", "bob"): 180.0, ("d2", "ann"): 240, ("d2", "cy"): 0}
    timed = corpus.with_details({"seconds": [seconds.get((d, c)) for d, c, _ in corpus]})
    time = describe(timed).time
    assert time.coders == {"ann": 6.0, "bob": 3.0}
    assert time.per_coding == pytest.approx((3.0, math.sqrt(2 / 3), 3))
    assert time.per_coder == pytest.approx((4.5, 1.5, 2))
    rows = {row[0]: row[1:] for row in describe(timed).to_table().rows}
    assert rows["minutes per coder"] == pytest.approx([4.5, 1.5, 2])
    coders = describe(timed).to_table("coders")
    assert coders.columns[-1].name == "minutes"
    assert [row[-1] for row in coders.rows] == [6.0, 3.0, None]
    assert describe(timed.select(coders=["bob"])).to_dict()["time"]["coders"] == {"bob": 3.0}
    assert describe(corpus).time is None
    assert "minutes per coder" not in [row[0] for row in describe(corpus).to_table().rows]


@pytest.mark.parametrize("seconds", ["40", -1, math.inf, True])
def test_a_time_that_is_none_is_refused_with_its_coding(seconds):
    corpus = Corpus.from_dict({"d1": {"ann": [2, 3]}}).with_details({"seconds": [seconds]})
    with pytest.raises(
        CorpusError, match=r"document d1: coder ann has seconds=.*: expected a number from 0 on"
    ):
        _ = describe(corpus).time

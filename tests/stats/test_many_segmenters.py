"""Tests of many segmenters can answer, or say that they cannot (SPEC §14).

Source of truth: enumeration of all exchanges, sums over subsets one by one, and Holm's definition; simulated
segmenters are in test_false_positives.py.
"""

from __future__ import annotations

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura.analyses.comparison.words import conclusion
from caesura.results.table import Table
from caesura.stats import resampling
from caesura.stats.choosing import holm, least_adjusted, power_note
from caesura.stats.resampling import _Exchanges, enough_resamples, randomization, subset_sums

B = cs.metric("B")
QUICK = {"bounds": (), "human": False, "metrics": (), "n_resamples": 99, "rng": 0}


def counts_of(n_documents: int, rates: list[float], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    compared = rng.integers(8, 20, size=(n_documents, len(rates)))
    return np.stack((rng.binomial(compared, rates), compared), axis=-1).astype(np.float64)


# -------------------------------------------------------------------- sums and bounds


@given(st.integers(0, 150), st.integers(1, 4), st.integers(0, 10**6))
def test_sums_over_subsets_equal_sums_one_by_one(n_rows, n_columns, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 50, size=(n_rows, n_columns)).astype(float)
    words = rng.integers(0, 2**64, size=(5, -(-n_rows // 64)), dtype=np.uint64)
    expected = np.zeros((n_columns, 5))
    for number, word in enumerate(words.tolist()):
        for row in range(n_rows):
            if word[row // 64] >> row % 64 & 1:
                expected[:, number] += rows[row]
    assert subset_sums(rows, words).tolist() == expected.tolist()


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6), st.integers(0, 6)),
        min_size=2,
        max_size=8,
    )
)
def test_the_bound_of_p_is_never_below_the_exact_p(documents):
    """By enumeration of all exchanges, in fractions."""
    table = [[(min(a, b), b), (min(c, d), d)] for a, b, c, d in documents]

    def value(totals: list[int]) -> Fraction:
        return Fraction(totals[0], totals[1]) if totals[1] else Fraction(1)

    def difference(swaps: tuple[int, ...]) -> Fraction:
        sides = [
            [sum(row[swap ^ side][i] for row, swap in zip(table, swaps, strict=True)) for i in (0, 1)]
            for side in (0, 1)
        ]
        return abs(value(sides[0]) - value(sides[1]))

    observed = difference((0,) * len(table))
    every = list(itertools.product((0, 1), repeat=len(table)))
    exact = sum(difference(swaps) >= observed for swaps in every) / len(every)
    exchanges = _Exchanges(B, np.array(table, dtype=float), np.array([0]), np.array([1]))
    assert exchanges.bound_of_p()[0] >= exact - 1e-12
    assert 2.0 ** (1 - exchanges.n_apart()[0]) <= exact + 1e-12 or observed == 0


def test_clear_pairs_are_bounded_and_close_ones_are_not():
    table = counts_of(100, [0.9, 0.1, 0.5, 0.5])
    exchanges = _Exchanges(B, table, *np.array(list(itertools.combinations(range(4), 2))).T)
    bounds = exchanges.bound_of_p()
    assert bounds[0] < 1e-9
    assert bounds[-1] > 0.05


@pytest.mark.parametrize("name", ["B", "WD", "BF", "GHD", "Density"])
def test_stages_give_the_p_of_all_exchanges(name):
    """12 documents: all 4,096 exchanges against random ones, in stages, for every kind of finisher."""
    metric = cs.metric(name)
    rng = np.random.default_rng(4)
    counts = rng.integers(1, 9, size=(12, 4, len(metric.count_names))).astype(float)
    exact = randomization(metric, counts, n_resamples=4096)
    sampled = _Exchanges(metric, counts, *np.array(list(itertools.combinations(range(4), 2))).T)
    p_values, *_ = sampled.draw(120_000, np.random.default_rng(1), None, 0)
    for contrast, p_value in zip(exact.contrasts, p_values, strict=True):
        # Stopped pairs have p from 9,999 exchanges.
        error = math.sqrt(contrast.p_value * (1 - contrast.p_value) / 9_999)
        assert p_value == pytest.approx(contrast.p_value, abs=4.5 * error + 2e-4)


class SquaredShare:
    """A finisher whose value is no quotient of sums."""

    def fraction(self, counts):
        return counts[0] ** 2, counts[1] ** 2, 1.0


def test_further_stages_where_a_value_is_no_quotient_of_sums():
    counts = counts_of(15, [0.8, 0.62, 0.5, 0.3], seed=3)
    metric = SquaredShare()
    exact = [one.p_value for one in randomization(metric, counts, n_resamples=2**15).contrasts]
    assert min(exact) < 0.001 < max(exact)
    exchanges = _Exchanges(metric, counts, *np.array(list(itertools.combinations(range(4), 2))).T)
    p_values, _, n_weighted = exchanges.draw(400_000, np.random.default_rng(1), None, 0)
    assert n_weighted == 0
    for p_value, expected in zip(p_values, exact, strict=True):
        error = math.sqrt(expected * (1 - expected) / (9_999 if expected > 0.01 else 99_990))
        assert p_value == pytest.approx(expected, abs=4.5 * error + 2e-5)


# -------------------------------------------------------------------- weighted exchanges


def exact_p(table: np.ndarray) -> float:
    """The share of exchanges, one by one and in fractions, that are as extreme as the data."""
    rows = [[[int(2 * count) for count in counts] for counts in row] for row in table.tolist()]

    def difference(swaps: tuple[int, ...]) -> Fraction:
        sides = [
            [sum(row[swap ^ side][i] for row, swap in zip(rows, swaps, strict=True)) for i in (0, 1)]
            for side in (0, 1)
        ]
        return abs(Fraction(*sides[0]) - Fraction(*sides[1]))

    observed = difference((0,) * len(rows))
    every = list(itertools.product((0, 1), repeat=len(rows)))
    return sum(difference(swaps) >= observed for swaps in every) / len(every)


@pytest.mark.parametrize("rate", [0.58, 0.6, 0.64, 0.68, 0.8])
@pytest.mark.parametrize("level", [0.05, 0.001, 0.00001])
def test_weighted_exchanges_give_the_p_of_all_exchanges(rate, level):
    """11 documents with halves as counts; each p is unbiased but for the data, which is one of the draws."""
    table = counts_of(11, [rate, 0.5])
    table[:, :, 0] -= 0.5 * (table[:, :, 0] > 3)
    table[:, 1, 1] += np.arange(11) % 3  # denominators that differ
    exchanges = _Exchanges(B, table, np.array([0]), np.array([1]))
    generator = np.random.default_rng(3)
    found = [exchanges.weighted(np.array([0]), level, generator)[0] for _ in range(30)]
    error = np.std(found, ddof=1) / math.sqrt(len(found))
    expected = exact_p(table)
    assert np.mean(found) == pytest.approx(expected, abs=4 * error + 0.01 * expected)
    if level < expected < 0.01:
        assert np.std(found) < 0.15 * expected


@pytest.mark.exhaustive
def test_weighted_p_of_few_draws_is_valid_whoever_was_exchanged(monkeypatch):
    """Under the hypothesis all 2⁹ exchanges of the data are as likely: p ≤ x in at most x of them."""
    monkeypatch.setattr(resampling, "WEIGHTED", 5)
    table = counts_of(9, [0.8, 0.5], seed=1)
    generator = np.random.default_rng(2)
    found = []
    for swaps in itertools.product((False, True), repeat=len(table)):
        exchanged = np.where(np.array(swaps)[:, None, None], table[:, ::-1], table)
        exchanges = _Exchanges(B, exchanged, np.array([0]), np.array([1]))
        found += [exchanges.weighted(np.array([0]), 0.01, generator)[0] for _ in range(20)]
    for x in (0.005, 0.01, 0.02, 0.05, 0.1, 0.3):
        assert np.mean(np.array(found) <= x) <= x + 3.3 * math.sqrt(x / len(found))
    assert min(found) < 0.01


def test_weighted_p_does_not_depend_on_how_many_are_drawn_at_a_time(monkeypatch):
    counts = counts_of(70, [0.6, 0.5, 0.4, 0.55])
    whole = randomization(B, counts, n_resamples=100_000, rng=5)
    monkeypatch.setattr(resampling, "MAX_CELLS", 9_000)
    parts = randomization(B, counts, n_resamples=100_000, rng=5)
    assert any("weighted" in note for note in whole.remarks)
    assert [one.p_value for one in parts.contrasts] == pytest.approx(
        [one.p_value for one in whole.contrasts], rel=1e-12
    )
    assert parts.p_value == whole.p_value


def test_weighted_p_is_never_below_what_the_documents_allow():
    """Eighteen documents in all of which the first is better: two of 2¹⁸ exchanges are as extreme."""
    counts = np.array([[[9, 10], [1, 10], [1, 10]]] * 18, dtype=float)
    report = randomization(B, counts, n_resamples=2**18 - 1, rng=0)
    clear = [one for one in report.contrasts if one.first == "0"]
    assert [one.p_value for one in clear] == pytest.approx([2.0**-17] * 2, rel=0.3)
    assert all(one.p_value >= 2.0**-17 for one in clear)
    assert report.contrasts[2].p_value == 1


@pytest.mark.exhaustive
def test_two_hundred_segmenters_on_a_hundred_documents_take_seconds():
    counts = counts_of(100, np.linspace(0.3, 0.7, 200).tolist())
    start = time.process_time()
    report = randomization(B, counts, n_resamples=enough_resamples(math.comb(200, 2), 0.05), rng=0)
    assert time.process_time() - start < 30
    adjusted = holm([one.p_value for one in report.contrasts])
    assert [one.adjusted_p for one in report.contrasts] == pytest.approx(adjusted.tolist())
    assert report.contrasts[198].adjusted_p < 0.05 / 20  # the first and the last
    assert not report.cannot_tell


# -------------------------------------------------------------------- enough resamples


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.2])
@pytest.mark.parametrize("n_contrasts", [1, 3, 496, 1770])
def test_the_least_adjusted_p_is_below_a_twentieth_of_alpha(n_contrasts, alpha):
    resamples = enough_resamples(n_contrasts, alpha)
    assert n_contrasts / (resamples + 1) < alpha / 20
    assert n_contrasts / resamples >= alpha / 20 - 1e-12


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=8), st.data())
def test_the_least_adjusted_p_is_holms_of_the_least_p(p_values, data):
    least = [data.draw(st.floats(0.0005, p)) for p in p_values]
    expected = []
    for index, lowest in enumerate(least):
        changed = [lowest if i == index else p for i, p in enumerate(p_values)]
        expected.append(holm(changed)[index])
    assert least_adjusted(p_values, least).tolist() == pytest.approx(expected)


def test_thirty_two_segmenters_are_told_apart():
    """B 0.69 against 0.06: once p × Holm's factor exceeded α, and compare said "no difference"."""
    counts = counts_of(30, [0.69] * 16 + [0.06] * 16)
    n_pairs = math.comb(32, 2)
    report = randomization(B, counts, n_resamples=enough_resamples(n_pairs, 0.05), rng=1)
    clear = [one for one in report.contrasts if int(one.first) < 16 <= int(one.second)]
    assert len(clear) == 256
    assert all(one.adjusted_p < 0.05 / 20 for one in clear)
    assert {(one.first, one.second) for one in clear} <= {
        (one.first, one.second) for one in report.significant
    }
    adjusted = holm([one.p_value for one in report.contrasts])
    assert [one.adjusted_p for one in report.contrasts] == pytest.approx(adjusted.tolist())


def test_long_lists_of_those_beaten_are_in_order_and_short():
    """Thirty segmenters, each better than the next: letters, then numbers, and neighbors as first–last."""
    n, n_documents = 30, 24
    corpus = cs.Corpus.from_dict(
        {
            f"d{i}": {
                "ann": [2] * n,
                **{f"s{j:02d}": [2] * (n - 1 - j) + [2 * (j + 1)] for j in range(n)},
            }
            for i in range(n_documents)
        }
    )
    found = cs.compare(corpus, segmenters=list(corpus.coders)[1:], references=["ann"], **QUICK)
    assert len(found.beats("s00")) == n - 1
    table = found.to_table()
    beats = cells_of(table, "beats")
    assert beats[0] == "b–30"
    assert beats[n - 6] == "z–30"  # the 25th, y
    assert beats[n - 4] == "28 29 30"
    assert beats[-1] == ""
    latex = found.to_latex()
    assert "$^{b–30}$" in latex
    assert "$^{28,29,30}$" in latex


def cells_of(table: Table, name: str) -> list[object]:
    """The cells of the column of this name."""
    column = [column.name for column in table.columns].index(name)
    return [row[column] for row in table.rows]


# -------------------------------------------------------------------- cannot tell


def corpus_of(n_documents: int, n_segmenters: int) -> cs.Corpus:
    """The first segmenter is right, the others mark nothing at all."""
    return cs.Corpus.from_dict(
        {
            f"d{i}": {
                "ann": [3, 3, 4 + i],
                **{f"s{j}": [3, 3, 4 + i] if not j else [10 + i] for j in range(k)},
            }
            for i in range(n_documents)
            for k in [n_segmenters]
        }
    )


@pytest.mark.parametrize(("n_documents", "n_segmenters"), [(1, 2), (3, 2), (5, 2), (6, 4), (7, 10)])
def test_too_few_documents_cannot_tell(n_documents, n_segmenters):
    corpus = corpus_of(n_documents, n_segmenters)
    found = cs.compare(corpus, segmenters=[f"s{j}" for j in range(n_segmenters)], references=["ann"], **QUICK)
    words = conclusion(found)
    least = min(1.0, 2.0 ** (1 - n_documents) * math.comb(n_segmenters, 2))
    documents = f"{n_documents} document{'s' if n_documents > 1 else ''}"
    assert f"with {documents} the smallest possible p is {least:.2g}" in words
    assert "no significant difference" not in words.lower()
    assert "not significant" not in str(found).lower()
    assert {row[4] for row in found.to_table("tests").rows} == {"inconclusive"}
    assert found.report is not None
    assert not found.report.significant


def test_enough_documents_can_tell():
    found = cs.compare(corpus_of(6, 2), segmenters=["s0", "s1"], references=["ann"], **QUICK)
    assert conclusion(found).startswith("s0 is better than s1")
    assert power_note(5, 2).endswith("use 6 or more.")


def test_documents_in_which_two_do_not_differ_do_not_count():
    """Of 20 documents only 3 tell the two apart: of 2³ exchanges that matter, two are as extreme."""
    codings = {
        f"d{i}": {"ann": [3, 3, 4], "one": [3, 3, 4], "two": [3, 3, 4] if i > 2 else [10]} for i in range(20)
    }
    found = cs.compare(cs.Corpus.from_dict(codings), segmenters=["one", "two"], **QUICK)
    assert "with the 3 documents in which they differ the smallest possible p is 0.25" in conclusion(found)

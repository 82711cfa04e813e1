"""Strict coefficients. Source of truth: scikit-learn, statsmodels and krippendorff on the same codings."""

from __future__ import annotations

import math
import random

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import caesura as cs
from caesura.analyses.coder_agreement import agreement


def random_corpus(rng: random.Random, n_coders: int, n_documents: int):
    """Return a corpus and its marks, positions of all documents × coders; coders lean on a common opinion."""
    codings: dict[str, dict[str, list[int]]] = {}
    blocks = []
    for d in range(n_documents):
        n_positions = rng.randint(5, 40)
        opinion = np.array([rng.random() < 0.3 for _ in range(n_positions)])
        habits = [rng.uniform(0.0, 0.5) for _ in range(n_coders)]
        marks = np.array([[rng.random() < habit for habit in habits] for _ in range(n_positions)])
        marks ^= opinion[:, None]
        marks[0], marks[1] = True, False  # no coefficient is undefined
        marks[2, 0] ^= True
        codings[f"d{d}"] = {
            f"c{c}": cs.Segmentation.from_gaps(marks[:, c].astype(int).tolist()) for c in range(n_coders)
        }
        blocks.append(marks)
    return cs.Corpus.from_dict(codings), np.concatenate(blocks).astype(int)


CASES = [
    (seed, random.Random(seed).randint(2, 7), random.Random(seed + 100).randint(1, 5)) for seed in range(40)
]


@pytest.mark.parametrize(("seed", "n_coders", "n_documents"), CASES)
def test_equals_the_libraries(seed, n_coders, n_documents):
    corpus, marks = random_corpus(random.Random(seed), n_coders, n_documents)
    strict = agreement(corpus, n_resamples=0).strict
    table, _ = aggregate_raters(marks)
    assert strict.n_positions == len(marks)
    assert strict.fleiss_kappa == pytest.approx(fleiss_kappa(table, method="fleiss"), abs=1e-12)
    alpha = krippendorff.alpha(reliability_data=marks.T.astype(float), level_of_measurement="nominal")
    assert strict.krippendorff_alpha == pytest.approx(alpha, abs=1e-12)
    q = cochrans_q(marks)
    assert strict.cochran_q == pytest.approx(q.statistic, abs=1e-9)
    assert strict.cochran_p == pytest.approx(q.pvalue, abs=1e-12)
    assert strict.cochran_df == q.df
    assert strict.cochran_coders == (strict.cochran_q, strict.cochran_df, strict.cochran_p)
    q = cochrans_q(marks.T)
    assert strict.cochran_positions.q == pytest.approx(q.statistic, abs=1e-9)
    assert strict.cochran_positions.p_value == pytest.approx(q.pvalue, abs=1e-12)
    assert strict.cochran_positions.df == q.df
    pairs = [(i, j) for i in range(n_coders) for j in range(i)]
    equal = [np.mean(marks[:, i] == marks[:, j]) for i, j in pairs]
    assert strict.percent == pytest.approx(np.mean(equal), abs=1e-12)
    assert strict.reasons == {}


@pytest.mark.parametrize("seed", range(20))
def test_two_coders_are_scott_and_cohen(seed):
    corpus, marks = random_corpus(random.Random(seed), 2, 2)
    strict = agreement(corpus, n_resamples=0).strict
    cohen = cohen_kappa_score(marks[:, 0], marks[:, 1])
    assert strict.cohen_kappa == pytest.approx(cohen, abs=1e-12)
    assert strict.davies_fleiss_kappa == strict.cohen_kappa
    rate = marks.mean()
    chance = rate**2 + (1 - rate) ** 2
    assert strict.scott_pi == pytest.approx(((marks[:, 0] == marks[:, 1]).mean() - chance) / (1 - chance))
    assert strict.scott_pi == strict.fleiss_kappa


@pytest.mark.parametrize("seed", range(20))
def test_davies_and_fleiss_expectation_is_the_mean_of_cohens_over_pairs(seed):
    """Artstein & Poesio (2008): multi-κ, with observed agreement and the expectation averaged over pairs."""
    corpus, marks = random_corpus(random.Random(seed), 5, 2)
    strict = agreement(corpus, n_resamples=0).strict
    rates = marks.mean(axis=0)
    pairs = [(i, j) for i in range(5) for j in range(i)]
    chance = np.mean([rates[i] * rates[j] + (1 - rates[i]) * (1 - rates[j]) for i, j in pairs])
    observed = np.mean([np.mean(marks[:, i] == marks[:, j]) for i, j in pairs])
    assert strict.davies_fleiss_kappa == pytest.approx((observed - chance) / (1 - chance), abs=1e-12)
    assert strict.scott_pi is None
    assert strict.cohen_kappa is None


@pytest.mark.parametrize("seed", range(20))
def test_krippendorff_alpha_with_missing_codings(seed):
    rng = random.Random(seed)
    corpus, marks = random_corpus(rng, 5, 4)
    data = marks.T.astype(float)
    codings = {}
    start = 0
    for document in corpus.documents:
        n_positions = corpus.n_units(document) - 1
        present = rng.sample(corpus.coders, rng.randint(1, 5))
        codings[document] = {coder: corpus[document, coder] for coder in present}
        for c, coder in enumerate(corpus.coders):
            if coder not in present:
                data[c, start : start + n_positions] = np.nan
        start += n_positions
    if all(len(coded) < 2 for coded in codings.values()):
        pytest.skip("no two coders share a document in this draw")
    alpha = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal", value_domain=[0.0, 1.0])
    part = cs.Corpus.from_dict(codings)
    assert agreement(part, n_resamples=0).krippendorff_alpha == pytest.approx(alpha, abs=1e-12)


def test_types_do_not_matter_and_shared_positions_count_once():
    plain = {"a": cs.Segmentation.from_positions([2, 5], 9), "b": cs.Segmentation.from_positions([2, 6], 9)}
    typed = {
        "a": cs.Segmentation.from_positions([2, 2, 5], 9, types=[1, 2, 3]),
        "b": cs.Segmentation.from_positions([2, 6], 9, types=[2, 1]),
    }
    both = [agreement(cs.Corpus.from_dict({"d": coded}), n_resamples=0).strict for coded in (plain, typed)]
    assert both[0] == both[1]


def test_very_long_documents_cost_nothing_and_stay_exact():
    n_units = 10**12 + 1
    coded = {
        "a": cs.Segmentation.from_positions([5, 10**11], n_units),
        "b": cs.Segmentation.from_positions([5, 10**11 + 1], n_units),
        "c": cs.Segmentation.from_positions([5], n_units),
    }
    strict = agreement(cs.Corpus.from_dict({"d": coded}), rng=0).strict
    assert strict.n_positions == 10**12
    assert strict.percent == pytest.approx(1 - 2 * 2 / 3 / 10**12, abs=1e-16)
    # Cochran's Q leaves out positions that nobody marked: rows 111, 100, 010, by hand.
    assert strict.cochran_q == pytest.approx(2 * (3 * (4 + 4 + 1) - 25) / (3 * 5 - (9 + 1 + 1)))


def test_f13t_equation_2_9_stargazers_are_tested_by_coders_and_by_positions():
    """By hand from Hearst (1997): seven coders, 49 boundaries, 20 positions; in table 2.4 coders are rows.

    T is the columns' totals, u the rows'; Q = (c-1)·(c·Σ T² - M²) / (c·M - Σ u²).
    """
    stargazers = cs.load_stargazers()
    rows = np.array([[int(mark) for mark in s.to_gaps()] for s in stargazers["stargazers"].values()])
    strict = agreement(stargazers, n_resamples=0).strict
    for name, marks in (("cochran_coders", rows.T), ("cochran_positions", rows)):
        c, t, u, m = marks.shape[1], marks.sum(axis=0), marks.sum(axis=1), marks.sum()
        by_hand = (c - 1) * (c * (t**2).sum() - m**2) / (c * m - (u**2).sum())
        assert getattr(strict, name).q == pytest.approx(by_hand)
    assert (round(strict.cochran_coders.q, 1), strict.cochran_coders.df) == (7.9, 6)
    assert (round(strict.cochran_positions.q, 1), strict.cochran_positions.df) == (58.9, 19)
    assert strict.cochran_positions.p_value == pytest.approx(6e-6, rel=0.05)
    assert strict.to_dict()["cochran_positions"].keys() == {"q", "df", "p_value"}


def test_coders_who_mark_all_positions_or_none_have_no_q_of_positions():
    strict = agreement(cs.Corpus.from_dict({"d": {"a": [3], "b": [1, 1, 1]}}), n_resamples=0).strict
    assert strict.cochran_coders.q == 2  # (2-1)·(2·(2² + 0²) - 2²) / (2·2 - 2·1²), by hand
    assert math.isnan(strict.cochran_positions.q)
    assert strict.reasons["cochran_positions"] == "every coder marks all positions or none"


UNDEFINED = {
    "no boundary": ([4], [4], "no coder placed a boundary"),
    "all marked": ([1, 1, 1], [1, 1, 1], "every position is marked by all"),
    "one unit": ([1], [1], "every document has only one unit"),
}


@pytest.mark.parametrize("case", UNDEFINED)
def test_undefined_is_nan_with_a_reason(case):
    first, second, reason = UNDEFINED[case]
    corpus = cs.Corpus.from_dict({"d": {"a": first, "b": second}})
    strict = agreement(corpus, n_resamples=0).strict
    for name in ("fleiss_kappa", "davies_fleiss_kappa", "scott_pi", "cohen_kappa", "krippendorff_alpha"):
        assert math.isnan(getattr(strict, name))
        assert strict.reasons[name] == reason
    assert math.isnan(strict.cochran_q)
    assert math.isnan(strict.percent) == (case == "one unit")


# -------------------------------------------------------------------- by document, majority, S, intervals


def with_gaps(seed: int, n_documents: int = 8) -> cs.Corpus:
    """Return a corpus of three coders in which every third document lacks one of them."""
    corpus, _ = random_corpus(random.Random(seed), 3, n_documents)
    return cs.Corpus.from_dict(
        {
            document: {
                coder: corpus[document, coder]
                for coder in (corpus.coders if number % 3 else corpus.coders[:2])
            }
            for number, document in enumerate(corpus.documents)
        }
    )


@pytest.mark.parametrize("seed", range(5))
def test_bennett_s_is_twice_percent_agreement_less_one(seed):
    """F13t figure 3.12, after Bennett, Alpert & Goldstein (1954): A_e is 1/2 of two categories."""
    corpus, marks = random_corpus(random.Random(seed), 4, 2)
    pairs = [(i, j) for i in range(4) for j in range(i)]
    percent = np.mean([np.mean(marks[:, i] == marks[:, j]) for i, j in pairs])
    assert agreement(corpus, n_resamples=0).strict.bennett_s == pytest.approx(2 * percent - 1, abs=1e-12)


def test_f13t_equation_2_8_counts_the_marks_at_majority_positions():
    """By hand from Hearst (1997): what four of the seven readers mark is marked by them 64 of 84 times."""
    stargazers = cs.load_stargazers()
    rows = np.array([[int(mark) for mark in s.to_gaps()] for s in stargazers["stargazers"].values()])
    majority = rows.sum(axis=0) >= 4
    of_coders = [row[majority].sum() / majority.sum() for row in rows]  # eq. 2.8 of each coder
    strict = agreement(stargazers, n_resamples=0).strict
    assert strict.majority_percent == pytest.approx(np.mean(of_coders), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_ks12_table_1_strict_coefficients_of_each_document(seed):
    corpus = with_gaps(seed)
    result = agreement(corpus, n_resamples=0)
    for row in result.by_document:
        alone = agreement(corpus.select(documents=[row.document]), n_resamples=0).strict
        for name in ("percent", "fleiss_kappa", "davies_fleiss_kappa", "krippendorff_alpha"):
            assert getattr(row, name) == pytest.approx(getattr(alone, name), abs=1e-12, nan_ok=True)
    (group, *_) = result.groups
    assert {"percent", "fleiss_kappa"} <= group.to_dict()["by_document"][0].keys()
    table = result.to_table("documents")
    assert [column.name for column in table.columns][-4:] == [
        *("percent", "Fleiss κ", "Davies & Fleiss κ", "Krippendorff α")
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(3))
def test_strict_intervals_resample_documents(seed):
    """A naive bootstrap: marks of drawn documents one after the other, and the libraries' coefficients."""
    rng, n_documents = np.random.default_rng(seed), 12
    corpus, _ = random_corpus(random.Random(seed), 3, n_documents)
    blocks = [
        np.array([[int(m) for m in corpus[d, c].to_gaps()] for c in corpus.coders]).T
        for d in corpus.documents
    ]
    drawn = []
    for _ in range(1000):
        marks = np.concatenate([blocks[i] for i in rng.integers(0, n_documents, n_documents)])
        drawn.append(fleiss_kappa(aggregate_raters(marks)[0], method="fleiss"))
    result = agreement(corpus, n_resamples=4000, rng=seed)
    interval = result.strict_intervals()["fleiss_kappa"]
    low, high = np.quantile(drawn, [0.025, 0.975])
    width = high - low
    # Ours is expanded for few documents: t instead of normal quantiles, n - 1 instead of n.
    assert low - 0.25 * width < interval.low < low + 0.02 * width
    assert high - 0.02 * width < interval.high < high + 0.25 * width
    assert interval.low < result.strict.fleiss_kappa < interval.high
    assert result.strict_intervals() == result.strict_intervals()  # the seed is that of the result


def test_strict_intervals_where_codings_are_missing():
    result = agreement(with_gaps(1), n_resamples=500, rng=0)
    intervals = result.strict_intervals()
    for name, interval in intervals.items():
        assert interval.low < getattr(result.strict, name) < interval.high, name
    rows = result.to_table("strict_intervals").rows
    assert {len(row) for row in rows} == {5}
    assert len(rows) == len(intervals) * (1 + len(result.shared_groups))


def test_a_single_document_has_no_strict_intervals():
    assert agreement(cs.load_stargazers(), rng=0).strict_intervals() == {}

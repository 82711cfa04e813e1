"""Sections 4 to 6 of KS12: Kazantseva & Szpakowicz (2012), Topical segmentation.

Source of truth: the printed numbers and naive counting by the paper's equations. The data at hand lacks one
paragraph of chapter 20 (docs/published-numbers.md).
"""

from __future__ import annotations

from collections import Counter
from statistics import fmean, stdev

import pytest
from tests.real_data import data_path

import caesura as cs
from caesura.papers.recompute import Data, load_facts, recompute

FACTS = {fact.id: fact for fact in load_facts() if fact.paper == "KS12"}


def ours(name):
    return recompute(FACTS[f"KS12 {name}"], Data(data_path()))


@pytest.fixture(scope="module")
def chapters():
    """Each chapter's codings, as their masses."""
    corpus = cs.read(data_path("moonstone", "moonstone_masses.json"))
    return {d: [coding.masses for coding in corpus[d].values()] for d in corpus.documents}


def test_section_4_means_and_deviations(chapters):
    """53.85 ± 29.31 paragraphs and segments of 9.25 ± 9.77, with n - 1."""
    sizes = [sum(codings[0]) for codings in chapters.values()]
    masses = [mass for codings in chapters.values() for coding in codings for mass in coding]
    assert ours("section 4, paragraphs of a chapter") == pytest.approx((fmean(sizes), stdev(sizes)))
    assert ours("section 4, segment length") == pytest.approx((fmean(masses), stdev(masses)))
    sizes[-1] += 1  # whichever chapter: the mean is that of 1,077 paragraphs
    assert fmean(sizes) == 53.85


def test_section_4_episodes_vary_by_coder_not_by_coding(chapters):
    """5.80 ± 2.45: the deviation of the 27 coders' means is 2.43, that of the 108 codings 3.95."""
    mean, deviation = ours("section 4, segments of a coding")
    assert (mean, deviation) == pytest.approx((5.80, 2.45), abs=0.02)
    assert stdev(len(coding) for codings in chapters.values() for coding in codings) == pytest.approx(
        3.95, abs=0.01
    )


def gaps(masses):
    ends = [sum(masses[:i]) for i in range(1, len(masses))]
    return [position in ends for position in range(1, sum(masses))]


def fleiss(codings):
    """Equations 1 to 3."""
    items, c = [*zip(*map(gaps, codings), strict=True)], len(codings)
    observed = sum(sum(n * (n - 1) for n in Counter(item).values()) for item in items) / (
        len(items) * c * (c - 1)
    )
    totals = Counter(label for item in items for label in item)
    expected = sum(n * n for n in totals.values()) / (len(items) * c) ** 2
    return (observed - expected) / (1 - expected)


def test_table_1_and_section_4_2_kappa(chapters):
    values = [fleiss(codings) for codings in chapters.values()]
    assert ours("table 1 Fleiss kappa mean") == pytest.approx((fmean(values),))
    assert ours("table 1 Fleiss kappa SD") == pytest.approx((stdev(values),))
    assert stdev(values) == pytest.approx(0.15, abs=0.01)  # table 1
    assert ours("section 4.2, kappa of chapter 1") == pytest.approx((fleiss(chapters["ch1"]),))


def test_section_4_1_contradicts_table_1():
    """The text says κ = .38 and WD = .34, the table .29 and .38."""
    assert (
        FACTS["KS12 section 4.1 kappa"].published == FACTS["KS12 table 1 pairwise WD mean"].published == 0.38
    )
    assert FACTS["KS12 section 4.1 WD"].published == 0.34
    assert FACTS["KS12 table 1 Fleiss kappa mean"].published == 0.29
    assert "contradicts table 1" in FACTS["KS12 section 4.1 kappa"].note


def test_section_6_bounds(chapters):
    """Equations 8 and 9 over windows of k units, by chapter: printed .21 and 1.0, for 16 test chapters."""
    best, worst = [], []
    for name, codings in chapters.items():
        if name in ("ch1", "ch2", "ch3", "ch4"):
            continue
        n, h = sum(codings[0]), len(codings)
        k = max(2, round(n * h / (2 * sum(map(len, codings)))))
        marks = [gaps(coding) for coding in codings]
        lows, highs = [], []
        for i in range(n - k):
            opinions = Counter(sum(own[i : i + k]) for own in marks)
            lows.append(h - max(opinions.values()))
            highs.append(h - min(opinions.get(number, 0) for number in range(k + 1)))
        best.append(sum(lows) / (h * (n - k)))
        worst.append(sum(highs) / (h * (n - k)))
    assert len(best) == 16
    assert ours("section 6, best case") == pytest.approx((fmean(best),))
    assert ours("section 6, worst case") == pytest.approx((fmean(worst),))
    assert fmean(best) == pytest.approx(0.21, abs=0.012)
    assert fmean(worst) == 1.0


def test_section_4_2_chapter_1(chapters):
    """Two, five, two and four segments; mean length 4, window 2 (§4.2)."""
    codings = chapters["ch1"]
    assert [len(coding) for coding in codings] == [2, 5, 2, 4]
    assert ours("section 4.2, window size of chapter 1") == (2,)
    assert ours("section 4.2, segment length of chapter 1") == (4 * sum(codings[0]) / 13,)

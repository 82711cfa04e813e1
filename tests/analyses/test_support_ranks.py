"""cs.prominence: the support of consensus places as ranks (SPEC §17; KS12 §7).

Source of truth: the definition, by every set of places of small documents; hand-made documents.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura import Corpus, Segmentation


def supporters(place, codings, places, n_t):
    """Count coders whose nearest place, of a boundary fewer than n_t away, is this one (left of two)."""
    return sum(
        any(
            abs(position - place) < n_t
            and min(places, key=lambda other: (abs(other - position), other)) == place
            for position in coding.positions
        )
        for coding in codings
    )


def naive(codings, n_t):
    """Try every set of places at least n_t apart; the greatest support, fewest places, least distance."""
    positions = range(1, codings[0].n_units)
    best, best_worth = (), None
    for size in range(len(positions) + 1):
        for places in itertools.combinations(positions, size):
            if any(b - a < n_t for a, b in itertools.pairwise(places)):
                continue
            support = [supporters(place, codings, places, n_t) for place in places]
            if 0 in support:
                continue
            worth = sum(support), -size
            if best_worth is None or worth > best_worth:
                best, best_worth = support, worth
    return sorted(best), best_worth


@st.composite
def documents(draw):
    n_units = draw(st.integers(2, 8))
    marks = st.lists(st.integers(1, n_units - 1), unique=True, max_size=n_units - 1)
    return [Segmentation.from_positions(sorted(draw(marks)), n_units) for _ in range(draw(st.integers(1, 4)))]


@given(documents(), st.integers(1, 3))
def test_the_support_of_places_is_the_greatest_there_is(codings, n_t):
    corpus = Corpus.from_dict({"d": {f"c{i}": coding for i, coding in enumerate(codings)}})
    made = cs.prominence(corpus, n_t=n_t)["d", "prominence"]
    places = made.positions
    support = [supporters(place, codings, places, n_t) for place in places]
    assert all(b - a >= n_t for a, b in itertools.pairwise(places))
    if places:
        assert (sum(support), -len(places)) == naive(codings, n_t)[1]
    levels = sorted(set(support), reverse=True)
    assert [rank for _, rank in made.boundaries] == [levels.index(each) + 1 for each in support]


def test_exact_marks_are_ranked_by_their_coders():
    codings = {"ann": [2, 3, 6], "bob": [2, 9], "cy": [5, 6], "di": [2, 9]}
    ranked = cs.prominence(Corpus.from_dict({"d": codings, "e": {"ann": [3, 3], "bob": [6]}}), n_t=1)
    assert ranked["d", "prominence"].boundaries == ((2, 1), (5, 2))  # 3 and 2 coders
    assert ranked["e", "prominence"].boundaries == ((3, 1),)  # ranks are each document's own
    assert ranked.is_hierarchical
    assert ranked.coders == ("prominence",)


def test_hierarchical_error_takes_it_as_a_reference():
    corpus = cs.load_stargazers()
    ranked = cs.prominence(corpus)
    hypothesis = ranked.rename({"prominence": "same"})
    evaluation = cs.evaluate(ranked, hypothesis, ["EPk", "EWD"], n_resamples=0)
    assert [float(summary.micro) for summary in evaluation.summaries] == [0.0, 0.0]


@pytest.mark.parametrize("codings", [{"ann": [5]}, {"ann": [5], "bob": [5]}])
def test_no_boundaries_have_no_ranks(codings):
    ranked = cs.prominence(Corpus.from_dict({"d": codings}))
    assert ranked["d", "prominence"].positions == ()
    assert ranked.is_hierarchical


def test_types_are_left_aside():
    typed = Segmentation.from_positions([2, 2, 5], 8, types=[1, 2, 3])
    ranked = cs.prominence(Corpus.from_dict({"d": {"ann": typed, "bob": typed}}))
    assert ranked["d", "prominence"].boundaries == ((2, 1), (5, 1))

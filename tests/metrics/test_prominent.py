"""Bw: boundary similarity weighted by prominence (SPEC §17; KS12 §7).

Source of truth: the sums over edits of the alignment with the places of cs.prominence, in fractions.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura import Corpus, Segmentation

SPECS = ["Bw", "Bw(n_t=3)", "Bw(n_t=1)", "Bw(n_t=3, method='optimal')", "Bw(transposition='constant')"]


@st.composite
def documents(draw):
    n_units = draw(st.integers(2, 12))
    marks = st.lists(st.integers(1, n_units - 1), unique=True, max_size=6)
    coders = draw(st.integers(1, 4))
    return [Segmentation.from_positions(sorted(draw(marks)), n_units) for _ in range(coders + 1)]


def naive(references, hypothesis, metric):
    """Sum w × correctness and w, one edit after the other."""
    coders = {f"c{i}": coding for i, coding in enumerate(references)}
    n_t = metric.n_t
    places = cs.prominence(Corpus.from_dict({"d": coders}), n_t=n_t)["d", "prominence"].without_types()
    if len(references) == 1:  # of one coder it is B, however near the coder's boundaries are
        places = references[0]
    weight = {}
    for place in places.positions:
        nearest = [
            any(
                abs(p - place) < n_t and min(places.positions, key=lambda q: (abs(q - p), q)) == place
                for p in coding.positions
            )
            for coding in references
        ]
        weight[place] = Fraction(sum(nearest), len(references))
    alignment = cs.align(
        places, hypothesis, n_t=n_t, method=metric.method, transposition=metric.transposition, w0=metric.w0
    )
    similar = compared = Fraction(0)
    for match in alignment.matches:
        similar, compared = similar + weight[match.position], compared + weight[match.position]
    for near in alignment.transpositions:
        own = weight[near.reference_position]
        similar, compared = similar + own * (1 - alignment.weight(near)), compared + own
    compared += sum((weight[missed.position] for missed in alignment.missed), Fraction(0))
    compared += len(alignment.spurious)
    return similar, compared


@given(documents(), st.sampled_from(SPECS))
def test_sums_are_those_over_edits(codings, spec):
    *references, hypothesis = codings
    metric = cs.metric(spec)
    score = metric(references, hypothesis)
    similar, compared = naive(references, hypothesis, metric)
    assert (Fraction(score.counts[0], score.scale), Fraction(score.counts[1], score.scale)) == (
        similar,
        compared,
    )
    assert float(score) == (float(similar / compared) if compared else 1.0)


@given(documents())
def test_where_all_coders_support_every_place_it_is_b(codings):
    reference, hypothesis = codings[0], codings[-1]
    places = cs.prominence(Corpus.from_dict({"d": {"ann": reference}}))["d", "prominence"].without_types()
    assert float(cs.metric("Bw")([reference, reference], hypothesis)) == pytest.approx(
        float(cs.boundary_similarity(places, hypothesis))
    )


@given(documents())
def test_of_one_coder_it_is_b(codings):
    reference, hypothesis = codings[0], codings[-1]
    score = cs.metric("Bw")(reference, hypothesis)
    assert float(score) == float(cs.boundary_similarity(reference, hypothesis))


def test_missing_what_all_see_costs_more():
    """By hand: three coders see 4, one sees 9; of weights 1 and 1/3 the one that is missed is lost."""
    references = [[4, 5, 3], [4, 8], [4, 8]]
    assert float(cs.metric("Bw")(references, [4, 8])) == pytest.approx(1 / (1 + 1 / 3))
    assert float(cs.metric("Bw")(references, [9, 3])) == pytest.approx((1 / 3) / (1 + 1 / 3))


def test_evaluate_takes_it_as_a_weight_of_b():
    rng = np.random.default_rng(2)
    codings = {
        f"d{i}": {
            name: Segmentation.from_gaps((rng.random(11) < 0.3).astype(int).tolist())
            for name in ("ann", "bob", "cy", "x")
        }
        for i in range(6)
    }
    corpus = Corpus.from_dict(codings)
    roles = {"references": ["ann", "bob", "cy"], "segmenters": ["x"], "rng": 0}
    weighted = cs.evaluate(corpus, metrics=["B(n_t=3)", "WD"], weights="prominence", **roles)
    named = cs.evaluate(corpus, metrics=["Bw(n_t=3)", "WD"], **roles)
    assert weighted.summaries[0].micro == named.summaries[0].micro
    sums = np.sum(
        [
            naive([own[c] for c in ("ann", "bob", "cy")], own["x"], cs.metric("Bw(n_t=3)"))
            for own in codings.values()
        ],
        axis=0,
    )
    assert float(weighted.summaries[0].micro) == pytest.approx(float(sums[0] / sums[1]))
    assert weighted.summaries[0].n == 6
    assert "Bw|n_t=3" in weighted.summaries[0].micro.signature
    with pytest.raises(cs.ParameterError, match="weights"):
        cs.evaluate(corpus, weights="support", **roles)

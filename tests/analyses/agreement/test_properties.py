"""What holds for the agreement of any coders. Source of truth: the definitions (SPEC §7)."""

from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.loops import each
from tests.properties import strategies as own

import caesura as cs
from caesura.analyses.agreement_difference import agreement_drop
from caesura.analyses.coder_agreement import agreement, coder_matrix
from caesura.results.as_json import json_safe
from caesura.results.table import RENDERERS

METRICS = ["B", "S", "Ba", "Bc", "B(n_t=1)", "B(n_t=4)", "B(n_t=3, method='optimal')", "F(tolerance=1)"]
COEFFICIENTS = ["pi", "kappa"]


@st.composite
def corpora(draw, subsets=((), (1,)), nominal: bool | None = None) -> cs.Corpus:
    """Corpora in which every coder coded every document."""
    n_coders = draw(st.integers(2, 4))
    codings = {}
    for d in range(draw(st.integers(1, 3))):
        sites = draw(
            st.lists(st.tuples(*[st.sampled_from(list(subsets))] * n_coders), min_size=1, max_size=9)
        )
        codings[f"d{d}"] = {f"c{c}": own.from_sites([site[c] for site in sites]) for c in range(n_coders)}
    scheme = None
    if nominal is not None:
        scheme = cs.TypeScheme({kind: f"type {kind}" for kind in own.TYPES}, nominal=nominal)
    return cs.Corpus.from_dict(codings, type_scheme=scheme)


def same(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=0, abs_tol=1e-12)


def numbers(result) -> list[float]:
    group = result.groups[0]
    strict = group.strict
    return [
        *(group.value, group.observed, group.pi, group.kappa, group.bias, group.z, group.p_value),
        *(group.near_miss_share, strict.percent, strict.fleiss_kappa, strict.davies_fleiss_kappa),
        *(strict.krippendorff_alpha, strict.cochran_q),
    ]


@given(corpora(own.SUBSETS), st.sampled_from(METRICS), st.sampled_from(COEFFICIENTS), st.randoms())
def test_the_order_of_coders_and_documents_does_not_matter(corpus, metric, coefficient, rng):
    documents = rng.sample(corpus.documents, len(corpus.documents))
    coders = rng.sample(corpus.coders, len(corpus.coders))
    shuffled = cs.Corpus.from_dict({d: {c: corpus[d, c] for c in coders} for d in documents})
    one, other = (
        agreement(part, metric=metric, coefficient=coefficient, n_resamples=0) for part in (corpus, shuffled)
    )
    assert all(map(same, numbers(one), numbers(other)))
    influence = {coder: other.groups[0].influence[coder] for coder in corpus.coders}
    assert all(map(same, one.groups[0].influence.values(), influence.values()))
    assert same(one.krippendorff_alpha, other.krippendorff_alpha)


@given(corpora(own.SUBSETS, nominal=True), st.permutations(own.TYPES), st.sampled_from(METRICS))
def test_relabelling_nominal_types_changes_nothing(corpus, names, metric):
    new = dict(zip(own.TYPES, names, strict=True))

    def relabel(coding: cs.Segmentation) -> cs.Segmentation:
        renamed = sorted((p, new[t]) for p, t in coding.boundaries)
        return cs.Segmentation.from_positions(
            [p for p, _ in renamed], coding.n_units, types=[t for _, t in renamed]
        )

    other = cs.Corpus.from_dict(
        {
            d: {c: relabel(coding) for c, coding in coded.items()}
            for d, coded in corpus.segmentations().items()
        },
        type_scheme=corpus.type_scheme,
    )
    one, two = (agreement(part, metric=metric, n_resamples=0) for part in (corpus, other))
    assert all(map(same, numbers(one), numbers(two)))


@given(corpora(own.SUBSETS), st.sampled_from(METRICS), st.sampled_from(COEFFICIENTS))
def test_complete_agreement_is_one_or_undefined(corpus, metric, coefficient):
    first = corpus.coders[0]
    copies = {d: dict.fromkeys(coded, coded[first]) for d, coded in corpus.segmentations().items()}
    result = agreement(cs.Corpus.from_dict(copies), metric=metric, coefficient=coefficient, n_resamples=0)
    if result.reason is None:
        assert result.value == 1
        assert result.observed == 1
        assert math.isnan(result.near_miss_share)
    else:
        marked = [copies[d][first] for d in copies]
        nothing = all(coding.n_boundaries == 0 for coding in marked)
        kinds = len({t for coding in marked for t in coding.types})
        everything = all(coding.n_boundaries == kinds * (coding.n_units - 1) for coding in marked)
        assert nothing or everything
        assert math.isnan(result.value)


@given(corpora(own.SUBSETS), st.sampled_from(METRICS))
def test_bounds(corpus, metric):
    group = agreement(corpus, metric=metric, n_resamples=0).groups[0]
    if group.reason is not None:
        assert math.isnan(group.value)
        assert [note.text for note in group.notes if note.kind == "caveat"] == [group.reason]
        return
    assert 0 <= group.observed <= 1
    assert 0 <= group.expected <= 1
    assert group.bias >= -1e-15
    assert group.pi <= 1
    assert group.kappa >= group.pi - 1e-12  # less chance agreement leaves more
    assert 0 <= group.p_value <= 1 or math.isnan(group.p_value)


@given(corpora())
def test_segmentation_similarity_without_near_misses_is_percent_agreement(corpus):
    group = agreement(corpus, metric="S", n_t=1, n_resamples=0).groups[0]
    if group.reason is None:
        assert group.observed == pytest.approx(group.strict.percent, abs=1e-12)


@given(corpora(own.SUBSETS), corpora(), st.sampled_from(METRICS))
def test_each_group_is_measured_by_itself(one, other, metric):
    codings = {d: dict(coded) for d, coded in one.segmentations().items()}
    codings |= {f"{d}x": {f"{c}x": s for c, s in coded.items()} for d, coded in other.segmentations().items()}
    groups = agreement(cs.Corpus.from_dict(codings), metric=metric, n_resamples=0).groups
    alone = [agreement(part, metric=metric, n_resamples=0).groups[0] for part in (one, other)]
    assert len(groups) == 2
    for group, single in zip(groups, alone, strict=True):
        assert same(group.value, single.value)
        assert same(group.z, single.z)
        assert group.strict == single.strict or math.isnan(single.strict.cochran_q)


@given(corpora(own.SUBSETS), st.sampled_from(METRICS), st.integers(0, 2**32))
def test_intervals_hold_finite_numbers_and_repeat(corpus, metric, seed):
    one, other = (agreement(corpus, metric=metric, n_resamples=20, rng=seed) for _ in "ab")
    interval = one.groups[0].interval
    assert interval == other.groups[0].interval
    if interval is not None:
        assert interval.low <= interval.high <= 1


@settings(max_examples=25)
@given(corpora(own.SUBSETS), st.sampled_from(METRICS))
def test_every_presentation_works(corpus, metric):
    result = agreement(corpus, metric=metric, n_resamples=5, rng=0)
    json.dumps(json_safe(result.to_dict()), allow_nan=False)
    matrix = coder_matrix(corpus, metric)
    json.dumps(json_safe(matrix.to_dict()), allow_nan=False)
    for shown in (result, result.groups[0], matrix):
        for part in shown.parts:
            for format in RENDERERS:
                assert shown.to_table(part).render(format)
    assert repr(result)
    assert result.to_frame().shape[0] == 1
    assert result.notes[0].kind == "finding"


# -------------------------------------------------------------------- undefined: NaN or an error, never 1

UNDEFINED = {
    "nothing marked": ({"a": [5], "b": [5]}, "no coder placed a boundary"),
    "everything marked": ({"a": [1, 1, 1], "b": [1, 1, 1]}, "every coder marked every position"),
    "one unit": ({"a": [1], "b": [1]}, "every document has only one unit"),
}


@each("case", UNDEFINED)
@each("metric", METRICS)
@each("coefficient", COEFFICIENTS)
@each("chance", ["boundaries", "published", "segeval"])
def test_undefined_is_nan_with_a_reason(case, metric, coefficient, chance):
    coded, reason = UNDEFINED[case]
    result = agreement(
        cs.Corpus.from_dict({"d": coded}), metric=metric, coefficient=coefficient, chance=chance, rng=0
    )
    assert math.isnan(result.value)
    assert math.isnan(result.z)
    assert result.interval is None
    assert result.reason is not None
    assert reason in result.reason or chance != "boundaries"
    assert result.groups[0].at_random(3, rng=0) is None
    assert "not defined" in result.notes[0].text
    assert all(math.isnan(value) for value in result.influence.values())


def test_a_lone_coder_gets_no_value_but_the_others_do():
    corpus = cs.Corpus.from_dict({"d": {"a": [2, 3], "b": [2, 3]}, "e": {"c": [2, 3]}})
    both, alone = agreement(corpus, n_resamples=0).groups
    assert both.value == 1
    assert math.isnan(alone.value)
    assert alone.reason == "only one coder: agreement needs two"
    assert alone.by_document == ()
    assert math.isnan(alone.strict.fleiss_kappa)


def test_no_shared_document_is_an_error():
    corpus = cs.Corpus.from_dict({"d": {"a": [2, 3]}, "e": {"b": [2, 3]}})
    for analysis in (agreement, coder_matrix):
        with pytest.raises(cs.CorpusError, match="no document has two coders"):
            analysis(corpus)


def test_one_document_few_boundaries_and_much_chance_are_warned_of():
    corpus = cs.Corpus.from_dict({"d": {"a": [1] * 30, "b": [1] * 30, "c": [1] * 28 + [2]}})
    notes = " / ".join(caveats(agreement(corpus, rng=0).groups[0]))
    assert "Only one document" in notes
    assert "Expected agreement is 0.98" in notes
    few = caveats(agreement(cs.Corpus.from_dict({"d": {"a": [2, 3], "b": [5]}}), rng=0).groups[0])
    assert any(note.startswith("Only 1 boundary from 2 coders") for note in few)
    assert "b placed no boundaries." in few


def caveats(result) -> list[str]:
    return [note.text for note in result.notes if note.kind == "caveat"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"metric": "WD"}, cs.ParameterError, "not a similarity"),
        ({"metric": "GHD"}, cs.ParameterError, "not a similarity"),
        ({"metric": "F", "n_t": 3}, cs.ParameterError, "no n_t"),
        ({"coefficient": "Pi"}, cs.UnknownNameError, "did you mean 'pi'"),
        ({"chance": "xyz"}, cs.UnknownNameError, "known: boundaries, published and segeval"),
        ({"n_resamples": -1}, cs.ParameterError, "n_resamples"),
        ({"confidence": 95}, cs.ParameterError, "confidence"),
    ],
)
def test_bad_parameters_are_named(options, error, message):
    with pytest.raises(error, match=message):
        agreement(cs.load_stargazers(), **options)


def test_published_chance_refuses_several_types():
    typed = cs.Segmentation.from_positions([1, 2], 4, types=[1, 2])
    with pytest.raises(cs.ParameterError, match="one boundary type"):
        agreement(cs.Corpus.from_dict({"d": {"a": typed, "b": typed}}), chance="published")


def test_n_t_of_the_metric_stays_unless_another_is_given():
    corpus = cs.load_stargazers()
    by_spec, by_keyword = agreement(corpus, metric="B(n_t=5)", rng=0), agreement(corpus, n_t=5, rng=0)
    assert by_spec.value == by_keyword.value
    assert by_spec.signature == by_keyword.signature
    assert "n_t=5" in by_spec.signature


def test_agreement_drop_refuses_what_is_not_there():
    corpus = cs.load_stargazers()
    with pytest.raises(cs.UnknownNameError, match="unknown coder 'x'"):
        agreement_drop(corpus, ["x"])
    with pytest.raises(cs.ParameterError, match="list"):
        agreement_drop(corpus, "1")
    with pytest.raises(cs.CorpusError, match="no coder"):
        agreement_drop(corpus, list(corpus.coders))


def test_very_long_documents_stay_exact():
    n_units = 10**15
    rng = random.Random(0)
    coded = {
        c: cs.Segmentation.from_positions(sorted(rng.sample(range(1, n_units), 20)), n_units) for c in "abc"
    }
    result = agreement(cs.Corpus.from_dict({"d": coded}), metric="S", rng=0)
    assert result.observed == pytest.approx(1 - 40 / (n_units - 1), abs=1e-15)
    assert result.interval is not None

"""Corpora of hierarchies: their levels, evaluated and agreed upon one by one."""

import warnings
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real_data import data_path

import caesura as cs
from caesura.analyses.levels import ByLevel, hierarchical_agreement
from caesura.cli import run
from caesura.errors import ComparisonError, CorpusError, ParameterError, SegmentationError
from caesura.values.type_scheme import TypeScheme, unite_schemes

ANN = cs.Hierarchy.from_nested([[2, 3], [6]])  # 2: rank 2, 5: rank 1
BOB = cs.Hierarchy.from_nested([[2, 3], [2, 4]])  # 2: rank 2, 5: rank 1, 7: rank 2
CY = cs.Hierarchy.from_ranks({2: 1, 6: 3}, n_units=11)


@pytest.fixture
def corpus() -> cs.Corpus:
    return cs.Corpus.from_dict({"d": {"ann": ANN, "bob": BOB, "cy": CY}})


# -------------------------------------------------------------------- corpora


def test_a_corpus_of_hierarchies_declares_the_ranks_that_occur(corpus):
    assert corpus.is_hierarchical
    assert corpus.type_scheme == TypeScheme({1: "level 1", 2: "level 2", 3: "level 3"}, ranks=True)
    assert cs.Hierarchy.from_segmentation(corpus["d", "cy"]) == CY


def test_a_corpus_of_segmentations_is_not_hierarchical():
    plain = cs.Corpus.from_dict({"d": {"ann": [2, 3]}})
    assert not plain.is_hierarchical
    with pytest.raises(CorpusError, match="no levels"):
        plain.level(1)


def test_level_keeps_the_boundaries_of_its_rank_and_above(corpus):
    assert corpus.level(1).to_dict() == {"d": {"ann": [5, 6], "bob": [5, 6], "cy": [2, 9]}}
    assert corpus.level(2).to_dict() == {"d": {"ann": [2, 3, 6], "bob": [2, 3, 2, 4], "cy": [2, 9]}}
    assert corpus.level(3).to_dict() == {"d": {"ann": [2, 3, 6], "bob": [2, 3, 2, 4], "cy": [2, 4, 5]}}


def test_level_keeps_text_and_refuses_what_is_no_rank(corpus):
    text = tuple("abcdefghijk")
    with_text = cs.Corpus.from_dict(corpus.segmentations(), units={"d": text}, type_scheme=corpus.type_scheme)
    assert with_text.level(1).units["d"] == text
    with pytest.raises(ParameterError, match="rank is 0"):
        corpus.level(0)


def test_one_position_has_one_rank():
    twice = cs.Segmentation.from_positions([3, 3], n_units=5, types=[1, 2])
    with pytest.raises(CorpusError, match="document d: coder ann: position 3 has two ranks"):
        cs.Corpus.from_dict({"d": {"ann": twice}}, type_scheme=TypeScheme.of_ranks([1, 2]))


def test_schemes_of_ranks_are_orders_from_one_on():
    with pytest.raises(CorpusError, match="cannot be nominal"):
        TypeScheme({1: "top"}, nominal=True, ranks=True)
    with pytest.raises(CorpusError, match="ranks start from 1"):
        TypeScheme({0: "top"}, ranks=True)


def test_merging_unites_hierarchies_of_different_depth(corpus):
    flat = cs.Corpus.from_dict({"e": {"ann": cs.Hierarchy.from_ranks({1: 1}, 4)}})
    assert cs.Corpus.merge(flat, corpus).type_scheme.types == (1, 2, 3)


def test_merging_refuses_ranks_that_are_named_differently():
    with pytest.raises(CorpusError, match="declared differently"):
        unite_schemes(TypeScheme({1: "chapter"}, ranks=True), TypeScheme({1: "part"}, ranks=True))
    with pytest.raises(CorpusError, match="declared differently"):
        unite_schemes(TypeScheme({1: "level 1"}), TypeScheme.of_ranks([1, 2]))


# -------------------------------------------------------------------- two hierarchies

METRICS = {"B": cs.boundary_similarity, "Pk": cs.pk, "WD": cs.window_diff}


@pytest.mark.parametrize("name", list(METRICS))
def test_a_metric_by_level_is_that_of_the_boundaries_of_each_level(name):
    found = cs.by_level(METRICS[name], ANN, CY)
    by_object = cs.by_level(cs.metric(name), ANN, CY)
    assert list(found.levels) == [1, 2, 3]
    assert found.names == ("level 1", "level 2", "level 3")
    for rank in (1, 2, 3):
        reference = cs.Segmentation.from_positions([p for p, r in ANN.boundaries if r <= rank], 11)
        hypothesis = cs.Segmentation.from_positions([p for p, r in CY.boundaries if r <= rank], 11)
        assert found[rank] == by_object[rank] == METRICS[name](reference, hypothesis)
        assert found.boundaries[rank] == (reference.n_boundaries, hypothesis.n_boundaries)


def test_boundary_similarity_by_level_by_hand():
    """Level 1: {5} against {2}, level 2: {2, 5} against {2}, level 3: {2, 5} against {2, 6} (a near miss)."""
    found = cs.by_level(cs.boundary_similarity, ANN, CY)
    assert list(map(float, found.levels.values())) == pytest.approx([0, 1 / 2, 1.5 / 2])
    assert found.boundaries == {1: (1, 1), 2: (2, 1), 3: (2, 2)}


def test_options_go_to_the_metric():
    narrow = cs.by_level(cs.boundary_similarity, ANN, CY, n_t=1)
    assert [score.metric.n_t for score in narrow.levels.values()] == [1, 1, 1]
    assert list(map(float, narrow.levels.values())) == pytest.approx([0, 1 / 2, 1 / 3])


def test_hierarchies_without_boundaries_have_one_level():
    nothing = cs.Hierarchy.from_ranks({}, 5)
    found = cs.by_level(cs.boundary_similarity, nothing, nothing)
    assert {rank: float(score) for rank, score in found.levels.items()} == {1: 1.0}


def test_segmentations_have_the_levels_of_their_types():
    typed = cs.Segmentation.from_positions([2, 5], 11, [2, 1])
    assert (
        cs.by_level(cs.boundary_similarity, typed, BOB)[2] == cs.by_level(cs.boundary_similarity, ANN, BOB)[2]
    )
    assert list(cs.by_level(cs.boundary_similarity, [5, 6], [5, 6]).levels) == [1]


def test_by_level_says_what_is_wrong(corpus):
    with pytest.raises(ComparisonError, match="11 units and the hypothesis 5"):
        cs.by_level(cs.boundary_similarity, ANN, [2, 3])
    for values in ((), (corpus, ["B"]), (ANN, corpus)):
        with pytest.raises(ParameterError, match="by_level takes corpora or hierarchies"):
            cs.by_level(cs.evaluate, *values)
    with pytest.raises(SegmentationError):
        cs.by_level(cs.boundary_similarity, ANN, None)
    with pytest.raises(KeyError):
        cs.by_level(cs.boundary_similarity, ANN, BOB)[4]


def test_scores_by_level_are_a_result():
    found = cs.by_level(cs.boundary_similarity, ANN, BOB)
    data = found.to_dict()
    assert data["levels"]["2"] == {"B": pytest.approx(2 / 3), "signature": found[2].signature}
    assert data["boundaries"] == {"1": [1, 1], "2": [2, 3]}
    assert data["names"] == {"1": "level 1", "2": "level 2"}
    table = found.to_table()
    assert [column.name for column in table.columns] == ["level", "in reference", "in hypothesis", "B"]
    assert table.rows == [["level 1", 1, 1, 1.0], ["level 2", 2, 3, pytest.approx(2 / 3)]]
    assert found.to_frame()["level"].tolist() == ["level 1", "level 2"]
    assert "B|caesura" in str(found)
    assert len(table.of_kind("signature")) == 1
    assert repr(found) == "<ByLevel of 2 levels: level 1 1.0000 and level 2 0.6667>"


def test_what_is_no_score_is_shown_as_it_is():
    errors = cs.by_level(cs.hierarchical_window_diff, ANN, BOB)
    names = [column.name for column in errors.to_table().columns]
    assert names[:2] == ["level", "level (2)"]
    assert [row[0] for row in errors.to_table().rows] == ["level 1", "level 2"]
    windows = cs.by_level(cs.window_size, ANN)
    assert windows.to_table().rows == [["level 1", 3.0], ["level 2", 2.0]]
    assert windows.to_dict()["levels"] == {"1": 3.0, "2": 2.0}
    text = cs.by_level(lambda value: "some text", ANN)
    assert text.to_table().rows[0] == ["level 1", "some text"]


def test_hierarchical_errors_are_a_result():
    error = cs.hierarchical_window_diff(ANN, BOB)
    # Level 1 is right; level 2 has one of {2, 7} at random: 4 of 9 windows wrong in half of the choices.
    frame = error.to_frame()
    assert frame["errors"].tolist() == pytest.approx([0, 2])
    assert frame["value"].tolist() == pytest.approx([0, 2 / 9])
    assert "E\\_WD 0.1111" in error.to_latex()


# -------------------------------------------------------------------- corpora of them


def test_evaluate_knows_the_ranks_of_both_sides():
    gold = cs.Corpus.from_dict({"d": {"ann": cs.Hierarchy.from_ranks({5: 1}, 11)}})
    mine = cs.Corpus.from_dict({"d": {"mine": CY}})
    # Where all are of rank 1, only the caller knows that they are ranks.
    evaluation = cs.evaluate(gold, mine, ["B", "EWD"], types=True, n_resamples=9, rng=0)
    assert evaluation["B"].metric.types == (1, 3)
    # {5:1} against {2:1, 6:3}: three full misses (a near miss must be of one type).
    assert float(evaluation["B"].micro) == 0
    assert float(evaluation["EWD"].micro) == float(cs.hierarchical_window_diff([5, 6], CY))


def test_evaluate_by_level_pools_each_level():
    gold = cs.Corpus.from_dict({"d": {"ann": ANN, "cy": CY}})
    mine = cs.Corpus.from_dict({"d": {"bob": BOB}})
    found = cs.by_level(cs.evaluate, gold, mine, metrics=["B"], n_resamples=9, rng=0)
    assert isinstance(found, ByLevel)
    for rank, evaluation in found.levels.items():
        pairs = [cs.boundary_similarity(one.up_to(rank), BOB.up_to(rank)) for one in (ANN, CY)]
        pooled = pairs[0] + pairs[1]
        assert float(evaluation["B"].micro) == pytest.approx(pooled.numerator / pooled.denominator)
    assert found.to_table().rows[0][0] == "level 1"
    assert set(found.to_dict()["levels"]) == {"1", "2", "3"}


def two_documents() -> tuple[cs.Corpus, cs.Corpus]:
    gold = cs.Corpus.from_dict({"d": {"ann": ANN}, "e": {"ann": BOB}})
    return gold, cs.Corpus.from_dict({"d": {"bob": BOB, "cy": CY}, "e": {"bob": BOB, "cy": ANN}})


def test_evaluations_by_level_have_a_row_each_and_all_rows_in_full():
    gold, mine = two_documents()
    found = cs.by_level(cs.evaluate, gold, mine, metrics=["B", "WD"], n_resamples=99, rng=0)
    table = found.to_table()
    names = [f"{name} {metric}" for name in ("bob", "cy") for metric in ("B", "WD")]
    assert [column.name for column in table.columns] == [
        "level",
        *(f"{name}{end}" for name in names for end in ("", " low 95 %", " high 95 %")),
    ]
    for row, evaluation in zip(table.rows, found.levels.values(), strict=True):
        assert row[1::3] == [float(summary.micro) for summary in evaluation.summaries]
        assert row[2::3] == [summary.interval.low for summary in evaluation.summaries]
    kinds = [note.kind for note in table.notes]
    assert kinds == ["finding", "finding", "reading", "reading", "signature", "signature"]
    assert "intervals resample the 2 documents" in table.notes[3].text
    full = found.to_table("full")
    assert [row[:2] for row in full.rows] == [
        [level, document] for level in ("level 1", "level 2", "level 3") for document in ("d", "e")
    ]
    assert [row[:2] for row in full.totals[:2]] == [["level 1", "micro"], ["level 1", "  low 95 %"]]
    assert full.rows[0][4:] == [summary.values[0] for summary in found[1].summaries]


def test_any_analysis_by_level(corpus):
    """Descriptions and matrices of the levels one by one; each name of a column once."""
    described = cs.by_level(cs.describe, corpus, sweep=())
    assert [one.boundaries for one in described.levels.values()] == [3, 6, 7]
    rows = [row for row in described.to_table().rows if row[1] == "boundaries"]
    assert [(row[0], row[2]) for row in rows] == [("level 1", 3), ("level 2", 6), ("level 3", 7)]
    assert described.to_dict()["levels"]["1"]["boundaries"] == 3
    matrices = cs.by_level(cs.coder_matrix, corpus, metric="B")
    for rank, matrix in matrices.levels.items():
        assert matrix.values[0, 1] == float(cs.boundary_similarity(ANN.up_to(rank), BOB.up_to(rank)))
    table = matrices.to_table()
    assert [column.name for column in table.columns] == ["level", "coder", "mean", "ann", "bob", "cy"]
    assert len(table.rows) == 9
    assert len(table.of_kind("signature")) == 1
    agreed = cs.by_level(cs.agreement, corpus, n_resamples=0)
    assert [row[0] for row in agreed.to_table().rows] == ["level 1", "level 2", "level 3"]
    assert repr(agreed) == "<ByLevel of 3 levels: Agreement>"


def test_notes_of_some_levels_name_them(corpus):
    notes = cs.by_level(cs.coder_matrix, corpus, metric="B").notes
    means = [note.text for note in notes if note.kind == "finding"]
    assert [text.split(":")[0] for text in means] == ["level 1", "level 2", "level 3"]
    same = cs.Corpus.from_dict({"d": {"a": BOB, "b": BOB}})
    (said,) = [note for note in cs.by_level(cs.coder_matrix, same).notes if note.kind == "finding"]
    assert said.text.startswith("B over all 1 pairs is 1.0000")


def test_names_of_levels_are_those_of_the_scheme():
    scheme = TypeScheme({1: "chapter", 2: "section"}, ranks=True)
    part = cs.Corpus.from_dict(
        {"d": {"a": ANN.to_segmentation(), "b": BOB.to_segmentation()}}, type_scheme=scheme
    )
    assert cs.by_level(cs.coder_matrix, part).names == ("chapter", "section")


def test_types_that_nothing_declares_are_ranks_and_declared_types_are_not():
    typed = cs.Corpus.from_dict({"d": {"ann": ANN.to_segmentation(), "bob": BOB.to_segmentation()}})
    assert typed.as_hierarchies().level(1).to_dict() == {"d": {"ann": [5, 6], "bob": [5, 6]}}
    declared = cs.Corpus.from_dict(typed.segmentations(), type_scheme=TypeScheme({1: "topic", 2: "aside"}))
    with pytest.raises(CorpusError, match="not declared as ranks"):
        hierarchical_agreement(declared)


# -------------------------------------------------------------------- agreement


def test_hierarchical_agreement_is_agreement_on_each_level(corpus):
    found = hierarchical_agreement(corpus, n_resamples=0)
    for rank, level in found.levels.items():
        alone = cs.agreement(corpus.level(rank), n_resamples=0)
        assert (level.observed, level.pi) == (alone.observed, alone.pi)
    # With ranks: 5 and 2 match between ann and bob, nothing else does; cy's 2 has another rank.
    assert found.ranked.metric.types == (1, 2, 3)


def test_ranks_are_ordinal_types():
    """A rank that is two off costs 2/3 of a full miss, one that is one off 1/3 (three ranks)."""
    reference = cs.Hierarchy.from_ranks({3: 1, 6: 3}, n_units=9)
    for rank, expected in ((1, 1.0), (2, (1 + 2 / 3) / 2), (3, (1 + 1 / 3) / 2)):
        other = cs.Hierarchy.from_ranks({3: rank, 6: 3}, n_units=9)
        part = cs.Corpus.from_dict(
            {"d": {"a": reference.to_segmentation(), "b": other.to_segmentation()}},
            type_scheme=TypeScheme.of_ranks([1, 2, 3]),
        )
        assert cs.agreement(part, n_resamples=0).observed == pytest.approx(expected)


def test_chance_with_ranks_is_the_mean_over_the_ranks():
    """Of 2 × 10 slots for each rank, rank 1 has 2 boundaries and rank 2 has 3; by coder 1 1 and 1 2."""
    found = hierarchical_agreement(cs.Corpus.from_dict({"d": {"ann": ANN, "bob": BOB}}), n_resamples=0).ranked
    expected = (0.1**2 + 0.15**2) / 2
    assert found.expected == pytest.approx(expected)
    assert found.value == pytest.approx((2 / 3 - expected) / (1 - expected))
    assert found.groups[0].bias == pytest.approx(expected - (0.1 * 0.1 + 0.1 * 0.2) / 2)


def test_levels_without_a_value_say_why():
    silent, low = cs.Hierarchy.from_ranks({}, 11), cs.Hierarchy.from_ranks({5: 2}, 11)
    part = cs.Corpus.from_dict({"d": {"a": silent, "b": silent}})
    assert "no coder placed a boundary" in hierarchical_agreement(part).to_markdown()
    both = cs.Corpus.from_dict({"d": {"a": ANN, "b": ANN}, "e": {"c": low, "f": low}})
    notes = hierarchical_agreement(both, n_resamples=0).to_markdown()
    assert "level 1, group 2: no coder placed a boundary" in notes


def test_hierarchical_agreement_of_one_document_say_what_the_interval_is(corpus):
    assert (
        "the interval resamples positions within it and does not generalize"
        in hierarchical_agreement(corpus).to_markdown()
    )


def test_strict_coefficients_know_no_ranks(corpus):
    table = hierarchical_agreement(corpus, n_resamples=0).to_table()
    assert table.columns[-1].name == "Fleiss κ"
    assert None not in [row[-1] for row in table.rows]
    assert [row[-1] for row in table.totals] == [None]


def test_too_many_levels_are_refused_at_once():
    many = cs.Hierarchy.from_ranks({position: position for position in range(1, 1002)}, 2000)
    part = cs.Corpus.from_dict({"d": {"a": many, "b": many}})
    one = part.select(coders=["a"])
    for compare in (
        lambda: cs.by_level(cs.boundary_similarity, many, many),
        lambda: cs.by_level(cs.agreement, part),
        lambda: hierarchical_agreement(part),
        lambda: cs.by_level(cs.evaluate, one, one),
    ):
        with pytest.raises(ParameterError, match="1001 levels are more than 1000"):
            compare()


def test_a_repr_shows_a_few_levels():
    deep = cs.Hierarchy.from_ranks({position: position for position in range(1, 10)}, 20)
    found = hierarchical_agreement(cs.Corpus.from_dict({"d": {"a": deep, "b": deep}}), n_resamples=0)
    assert repr(found).endswith("level 6 1.0000 and 3 more>")


def test_errors_of_hierarchical_agreement_are_e_wd_both_ways(corpus):
    found = hierarchical_agreement(corpus, n_resamples=0)
    coders = {"ann": ANN, "bob": BOB, "cy": CY}
    scores = [cs.hierarchical_window_diff(coders[a], coders[b]).score for a, b in permutations(coders, 2)]
    weighted = sum(score.counts[0] for score in scores) / sum(score.counts[1] for score in scores)
    assert float(found.errors.scores.micro) == pytest.approx(weighted)
    assert f"{weighted:.4f}" in found.to_markdown()


def test_identical_hierarchies_agree_on_everything():
    found = hierarchical_agreement(cs.Corpus.from_dict({"d": {"a": BOB, "b": BOB}}), n_resamples=0)
    assert [level.pi for level in found.levels.values()] == [1.0, 1.0]
    assert found.ranked.pi == 1.0
    assert float(found.errors.scores.micro) == 0.0


def test_description_of_hierarchies_counts_levels(corpus):
    types = cs.describe(corpus).types
    assert [(t.name, t.boundaries, t.coders) for t in types] == [
        ("level 1", 3, 3),
        ("level 2", 3, 2),
        ("level 3", 1, 1),
    ]
    sizes = [5, 6, 5, 6, 2, 9]
    assert types[0].segment_size == pytest.approx((np.mean(sizes), np.std(sizes), 6))
    assert cs.describe(corpus).to_dict()["types"][0]["segment_size"]["n"] == 6


@given(
    ranks=st.lists(st.dictionaries(st.integers(1, 11), st.integers(1, 4)), min_size=1, max_size=4),
)
def test_segment_sizes_of_levels_are_those_of_the_level_alone(ranks):
    coded = {str(i): cs.Hierarchy.from_ranks(given_ranks, 12) for i, given_ranks in enumerate(ranks)}
    corpus = cs.Corpus.from_dict({"d": coded})
    for kind in cs.describe(corpus, sweep=()).types:
        sizes = [mass for one in coded.values() for mass in _masses(one, kind.type)]
        assert kind.segment_size == pytest.approx((np.mean(sizes), np.std(sizes), len(sizes)))


def test_segment_sizes_of_levels_of_long_documents_are_exact():
    """Squares of lengths near 2**53 need more than 64 bits: halves and a quarter of the document."""
    n_units = 2**53
    coded = cs.Hierarchy.from_ranks({2**52: 1, 2**51: 2}, n_units)
    top, below = cs.describe(cs.Corpus.from_dict({"d": {"a": coded, "b": coded}}), sweep=()).types
    assert top.segment_size == (2.0**52, 0.0, 4)
    assert below.segment_size.n == 6
    assert below.segment_size.mean == pytest.approx(n_units / 3)
    assert below.segment_size.sd == pytest.approx(2**51 * np.std([1, 1, 2]))


def _masses(hierarchy, rank):
    edges = [0, *(p for p, r in hierarchy.boundaries if r <= rank), hierarchy.n_units]
    return [b - a for a, b in pairwise(edges)]


def test_description_of_plain_types_has_no_levels():
    typed = cs.Segmentation.from_positions([2, 5], n_units=8, types=[1, 2])
    types = cs.describe(cs.Corpus.from_dict({"d": {"a": typed, "b": [2, 6]}})).types
    assert [(t.boundaries, t.share, t.coders, t.segment_size) for t in types] == [
        (2, pytest.approx(2 / 3), 2, None),
        (1, pytest.approx(1 / 3), 1, None),
    ]


# -------------------------------------------------------------------- artificial hierarchies


def test_simulated_hierarchies_double_from_level_to_level():
    corpus = cs.simulate(
        20, 1, n_units=7000, mean_segment=5, near_miss=0.0, full_miss=0.0, levels=3, reference=True, rng=3
    )
    counts = [t.boundaries for t in cs.describe(corpus, sweep=()).types]
    assert corpus.is_hierarchical
    # 1 : 2 : 4 of about 46,000 boundaries: three standard deviations of the top share are below 0.006.
    assert np.array(counts) / sum(counts) == pytest.approx([1 / 7, 2 / 7, 4 / 7], abs=0.01)
    assert corpus["d1", "c1"] == corpus["d1", "reference"]


def test_simulated_coders_mistake_a_rank_for_the_one_beside():
    corpus = cs.simulate(
        5, 2, n_units=2000, mean_segment=5, near_miss=0.0, full_miss=0.0,
        levels=3, wrong_type=0.3, reference=True, rng=3,
    )  # fmt: skip
    off = []
    for document in corpus.documents:
        right = dict(corpus[document, "reference"].boundaries)
        for coder in ("c1", "c2"):
            off += [abs(rank - right[place]) for place, rank in corpus[document, coder].boundaries]
    assert set(off) == {0, 1}
    assert np.mean(off) == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": 0}, "levels is 0"),
        ({"levels": 51}, "levels is 51: expected at most 50"),
        ({"levels": 2, "types": ["a"]}, "give either types or levels"),
        ({"levels": 1, "wrong_type": 0.1}, "at least two types or levels"),
    ],
)
def test_simulating_hierarchies_says_what_is_wrong(options, message):
    with pytest.raises(ParameterError, match=message):
        cs.simulate(1, 1, n_units=10, mean_segment=3, near_miss=0, full_miss=0, **options)


# -------------------------------------------------------------------- real hierarchies


def test_moonstone_hierarchies_are_evaluated_level_by_level():
    """45 codings of 9 chapters in the files of Kazantseva & Szpakowicz."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of the files' levels do not nest
        corpus = cs.read(data_path("hierarchy") / "annots")
    assert (len(corpus.documents), corpus.n_codings) == (9, 45)
    found = hierarchical_agreement(corpus, n_resamples=0)
    assert list(found.levels) == sorted(found.levels)
    for level in found.levels.values():
        for group in level.groups:
            assert 0 <= group.observed <= 1
    assert 0 < float(found.errors.scores.micro) < 0.5


# -------------------------------------------------------------------- ranks of one side


HEADINGS = "# Trip\nWe left. It rained.\n## Noon\nWe ate.\n## Night\nWe slept.\n# Home\nWe drove.\n"


@pytest.fixture
def headings(tmp_path):
    """Gold with ranks, and a chunker that cuts at exactly every heading."""
    (tmp_path / "gold.md").write_text(HEADINGS)
    gold = cs.read(tmp_path / "gold.md")
    cuts = gold["gold", "reference"].positions
    mine = cs.Corpus.from_dict({"gold": {"mine": cs.Segmentation.from_positions(cuts, 4)}})
    cs.write(mine, tmp_path / "mine.jsonl")
    return tmp_path


def test_a_report_judges_a_flat_segmenter_without_the_ranks_of_the_references(headings):
    corpus = cs.read(headings / "gold.md").merge(cs.read(headings / "mine.jsonl"))
    found = cs.report(corpus, segmenters=["mine"], n_resamples=99)
    assert found.comparison["mine"].value == 1
    assert any(
        "without boundary types and ranks, because mine has none" in text for text in found.comparison.caveats
    )
    assert "without boundary types and ranks, because mine has none" in found.to_html()
    with_ranks = cs.report(corpus, segmenters=["mine"], types=True, n_resamples=99)
    assert with_ranks.comparison["mine"].value == pytest.approx(2 / 3)  # two levels are half right


def test_diff_draws_a_flat_hypothesis_without_the_ranks_of_the_reference(headings, capsys):
    files = [str(headings / "gold.md"), str(headings / "mine.jsonl")]
    assert run(["diff", *files]) == 0
    out = capsys.readouterr().out
    assert "3 matches" in out
    assert "B(types=()) 1.000" in out
    assert "because mine has none; --types keeps them" in " ".join(out.split())
    assert run(["diff", *files, "--types"]) == 0
    out = capsys.readouterr().out
    assert "2 wrong type" in out
    assert "without boundary types" not in out

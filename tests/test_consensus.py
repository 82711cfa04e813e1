"""consensus(), union() and majority(). Source of truth: the definition as set algebra, and counts by hand."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import Corpus, Hierarchy, Segmentation, TypeScheme, load_stargazers
from caesura.analyses.consensus_coding import as_share, consensus, majority, union
from caesura.errors import CorpusError, ParameterError

FOUR = Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 9], "cy": [5, 6], "di": [2, 9]}})


def codings(n_units: int = 8, types: tuple[int, ...] = (1, 2, 4)) -> st.SearchStrategy[Segmentation]:
    slots = [(position, kind) for position in range(1, n_units) for kind in types]

    def build(number: int) -> Segmentation:
        boundaries = [slot for place, slot in enumerate(slots) if number >> place & 1]
        return Segmentation.from_positions([p for p, _ in boundaries], n_units, [t for _, t in boundaries])

    return st.integers(0, 2 ** len(slots) - 1).map(build)


@given(st.lists(codings(), min_size=1, max_size=7), st.fractions(0, 1, max_denominator=12), st.booleans())
def test_marks_what_enough_coders_mark(coded, share, strict):
    if strict and share == 1:
        return
    corpus = Corpus.from_dict({"d": {str(i): coding for i, coding in enumerate(coded)}})
    found = consensus(corpus, share, strict=strict)["d", "consensus"]
    expected = set()
    for boundary in {boundary for coding in coded for boundary in coding.boundaries}:
        have = Fraction(sum(boundary in coding.boundaries for coding in coded), len(coded))
        if have > share or (have == share and not strict):
            expected.add(boundary)
    assert found.boundaries == tuple(sorted(expected))
    assert found.n_units == 8
    assert consensus(corpus, float(share), strict=strict)["d", "consensus"] == found
    assert consensus(corpus, str(share), strict=strict)["d", "consensus"] == found


@given(
    st.lists(st.lists(codings(types=(1, 2)), min_size=1, max_size=4), min_size=1, max_size=4),
    st.fractions(0, 1, max_denominator=6),
)
def test_documents_do_not_mix(documents, share):
    corpus = Corpus.from_dict(
        {f"d{i}": {f"c{i + j}": one for j, one in enumerate(coded)} for i, coded in enumerate(documents)}
    )
    found = consensus(corpus, share)
    assert (found.documents, found.coders) == (corpus.documents, ("consensus",))
    for document in corpus.documents:
        alone = Corpus.from_dict({document: corpus[document]})
        assert found[document, "consensus"] == consensus(alone, share)[document, "consensus"]


@given(
    st.lists(
        st.lists(st.dictionaries(st.integers(1, 7), st.integers(1, 4)), min_size=1, max_size=5),
        min_size=1,
        max_size=3,
    ),
    st.fractions(0, 1, max_denominator=6),
    st.booleans(),
)
def test_ranks_are_those_that_enough_coders_give_or_exceed(documents, share, strict):
    if strict and share == 1:
        return
    corpus = Corpus.from_dict(
        {
            str(i): {str(j): Hierarchy.from_ranks(ranks, 8) for j, ranks in enumerate(coded)}
            for i, coded in enumerate(documents)
        }
    )
    found = consensus(corpus, share, strict=strict)
    for number, coded in enumerate(documents):
        expected = {}
        for position in range(1, 8):
            for rank in (4, 3, 2, 1):
                marked = sum(ranks.get(position, 9) <= rank for ranks in coded)
                have = Fraction(marked, len(coded))
                if marked and (have > share or (have == share and not strict)):
                    expected[position] = rank  # a higher one if there is one
        assert dict(found[str(number), "consensus"].boundaries) == expected


@given(st.lists(codings(), min_size=1, max_size=6))
def test_union_all_and_majority(coded):
    corpus = Corpus.from_dict({"d": {str(i): coding for i, coding in enumerate(coded)}})
    sets = [set(coding.boundaries) for coding in coded]
    assert set(union(corpus)["d", "union"].boundaries) == set.union(*sets)
    assert set(consensus(corpus, 1)["d", "consensus"].boundaries) == set.intersection(*sets)
    often = {one for one in set.union(*sets) if sum(one in marks for marks in sets) > len(sets) / 2}
    assert set(majority(corpus)["d", "majority"].boundaries) == often


@given(st.integers(1, 1000), st.data())
def test_a_float_share_means_the_fraction_that_was_divided(n_coders, data):
    """k / n of n coders is k of them, whatever float k / n is."""
    k = data.draw(st.integers(0, n_coders))
    assert as_share(k / n_coders) == Fraction(k, n_coders)


def test_a_third_of_three_coders_is_one():
    corpus = Corpus.from_dict({"d": {"a": [2, 4], "b": [3, 3], "c": [3, 3]}})
    assert consensus(corpus, 1 / 3)["d", "consensus"].positions == (2, 3)
    assert consensus(corpus, 2 / 3)["d", "consensus"].positions == (3,)
    assert consensus(corpus, 0.34)["d", "consensus"].positions == (3,)


def test_at_least_half_or_more_than_half():
    """Position 2 has three of four coders, position 5 two."""
    assert consensus(FOUR)["d", "consensus"].positions == (2, 5)
    assert majority(FOUR)["d", "majority"].positions == (2,)


def test_each_document_has_its_own_coders():
    corpus = Corpus.from_dict({"d": {"a": [2, 2], "b": [4]}, "e": {"a": [2, 2]}})
    found = consensus(corpus, 0.6, name="gold")
    assert found.coders == ("gold",)
    assert found.to_dict() == {"d": {"gold": [4]}, "e": {"gold": [2, 2]}}


def test_stargazers_by_hand():
    """Of seven readers six mark 2, 9 and 12, five 5 and 18, four 13 (counted in Hearst 1997's table)."""
    corpus = load_stargazers()
    assert majority(corpus)["stargazers", "majority"].positions == (2, 5, 9, 12, 13, 18)
    assert consensus(corpus, "6/7")["stargazers", "consensus"].positions == (2, 9, 12)
    assert consensus(corpus, 1)["stargazers", "consensus"].positions == ()


def test_types_count_each_for_itself():
    coded = {
        "a": Segmentation.from_sets([{1}, {1, 2}, set()]),
        "b": Segmentation.from_sets([{2}, {2}, set()]),
        "c": Segmentation.from_sets([{2}, {1}, {1}]),
    }
    scheme = TypeScheme({1: "minor", 2: "major"})
    corpus = Corpus.from_dict(
        {"d": coded}, units={"d": ("v", "w", "x", "y")}, type_scheme=scheme, metadata={"source": "me"}
    )
    found = majority(corpus)
    assert found["d", "majority"].boundaries == ((1, 2), (2, 1), (2, 2))
    assert (found.units, found.type_scheme) == (corpus.units, scheme)
    assert found.metadata == {"source": "me", "consensus": "marked by more than 1/2 of a document's coders"}
    assert union(corpus).metadata["consensus"] == "marked by any coder"


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0, Fraction(0)),
        (1, Fraction(1)),
        (0.3, Fraction(3, 10)),
        ("0.3", Fraction(3, 10)),
        ("1/3", Fraction(1, 3)),
        (Fraction(2, 7), Fraction(2, 7)),
        (1 / 7, Fraction(1, 7)),
    ],
)
def test_shares(share, expected):
    assert as_share(share) == expected


@pytest.mark.parametrize(
    "share", [-0.1, 1.01, 2, "half", "1/0", "", float("nan"), float("inf"), None, True, [0.5], Decimal("0.5")]
)
def test_wrong_shares(share):
    with pytest.raises(ParameterError, match=r"share is .*: expected 0"):
        consensus(FOUR, share)


def test_more_than_all_and_nothing_to_agree_on():
    with pytest.raises(ParameterError, match="more than all coders"):
        consensus(FOUR, 1, strict=True)
    with pytest.raises(CorpusError, match="the corpus has no documents"):
        consensus(Corpus.from_dict({}))


def test_long_documents():
    n_units = 10**15
    corpus = Corpus.from_dict(
        {
            "d": {
                name: Segmentation.from_positions([p, 10**14], n_units)
                for name, p in zip("ab", (1, 2), strict=True)
            }
        }
    )
    assert majority(corpus)["d", "majority"].positions == (10**14,)


def test_consensus_of_hierarchies_is_that_of_each_level():
    """Position 2 has ranks 1, 2, 3: half of four coders give it rank 2 or a higher one."""
    ranks = [{2: 1, 5: 2}, {2: 2, 5: 2}, {2: 3, 5: 1}, {7: 1}]
    corpus = Corpus.from_dict(
        {"d": {f"c{i}": Hierarchy.from_ranks(marks, 9) for i, marks in enumerate(ranks)}}
    )
    assert consensus(corpus)["d", "consensus"].boundaries == ((2, 2), (5, 2))
    assert majority(corpus)["d", "majority"].boundaries == ((2, 3), (5, 2))
    assert union(corpus)["d", "union"].boundaries == ((2, 1), (5, 1), (7, 1))
    for rank in (1, 2, 3):
        of_level = consensus(corpus.level(rank))["d", "consensus"].positions
        level_of = consensus(corpus).level(rank)["d", "consensus"].positions
        assert of_level == level_of

"""consensus(), union() and majority(). Source of truth: the definition as set algebra, and counts by hand."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import Corpus, Hierarchy, Segmentation, TypeScheme, Units, load_stargazers
from caesura.analyses.consensus_coding import as_share, consensus, left_out, majority, union
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
    with pytest.raises(CorpusError, match="the corpus has no annotations"):
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


# -------------------------------------------------------------------- near marks


def best_places(
    coded: list[tuple[int, ...]], n_units: int, n_t: int, share: Fraction, strict: bool
) -> tuple[int, ...]:
    """Try every set of positions at least n_t apart: SPEC §14, with each boundary counted for one place."""

    def sets(chosen: tuple[int, ...], start: int):
        yield chosen
        for position in range(start, n_units):
            yield from sets((*chosen, position), position + n_t)

    def key(chosen: tuple[int, ...]):
        support: list[dict[int, int]] = [{} for _ in chosen]
        for coder, marks in enumerate(coded):
            for mark in marks:
                near = [(abs(mark - p), i) for i, p in enumerate(chosen) if abs(mark - p) < n_t]
                if near:
                    distance, place = min(near)
                    support[place][coder] = min(distance, support[place].get(coder, n_t))
        if not all(support):
            return None
        total = sum((len(one) - share * len(coded) for one in support), Fraction(0))
        just = len(chosen) if strict or not share else -len(chosen)
        return -total, just, sum(sum(one.values()) for one in support), chosen

    return min(found for chosen in sets((), 1) if (found := key(chosen)) is not None)[-1]


@given(
    st.lists(st.sets(st.integers(1, 8)), min_size=1, max_size=5),
    st.integers(1, 4),
    st.sampled_from(
        [Fraction(0), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1)]
    ),
    st.booleans(),
)
def test_near_marks_choose_the_best_of_all_sets_of_places(marks, n_t, share, strict):
    strict = strict and share < 1
    coded = [tuple(sorted(one)) for one in marks]
    corpus = Corpus.from_dict(
        {"d": {str(i): Segmentation.from_positions(one, 9) for i, one in enumerate(coded)}}
    )
    found = consensus(corpus, share, n_t=n_t, strict=strict)["d", "consensus"]
    assert found.positions == best_places(coded, 9, n_t, share, strict)


@pytest.mark.parametrize(
    ("marks", "n_t", "expected"),
    [
        ([(5,), (6,), (7,)], 2, (6,)),  # SPEC §14
        ([(5,), (6,), (7,)], 1, ()),
        ([(6,), (6,), (6,)], 2, (6,)),  # not 5 and 7, which each of the three would reach
        ([(5, 7), (5, 7), (5, 7)], 2, (5, 7)),
        ([(5,), (7,)], 2, (6,)),  # nobody marks it, and both are next to it
        ([(5,), (6,)], 2, (5,)),  # a tie goes to the left
        ([(1,), (), (10,)], 3, ()),
        ([(1,), (2,), (10,)], 3, (1,)),
    ],
)
def test_near_marks_by_hand(marks, n_t, expected):
    corpus = Corpus.from_dict(
        {"d": {str(i): Segmentation.from_positions(one, 11) for i, one in enumerate(marks)}}
    )
    assert consensus(corpus, n_t=n_t)["d", "consensus"].positions == expected


@given(st.lists(codings(), min_size=1, max_size=4), st.fractions(0, 1, max_denominator=4))
def test_each_type_has_its_own_places(coded, share):
    corpus = Corpus.from_dict({"d": {str(i): coding for i, coding in enumerate(coded)}})
    expected = []
    for kind in (1, 2, 4):
        marks = [tuple(p for p, own in coding.boundaries if own == kind) for coding in coded]
        expected += [(position, kind) for position in best_places(marks, 8, 2, share, False)]
    assert consensus(corpus, share, n_t=2)["d", "consensus"].boundaries == tuple(sorted(expected))


def test_near_marks_of_hierarchies_get_the_rank_that_enough_give_or_exceed():
    ranks = ({5: 1, 2: 2}, {6: 2}, {5: 3, 2: 1})
    corpus = Corpus.from_dict(
        {"d": {str(i): Hierarchy.from_ranks(one, n_units=11) for i, one in enumerate(ranks)}}
    )
    # At 5 or 6 the ranks are 1, 2, 3: two of three coders give it 2 or better; at 2 they are 2, 1, none.
    assert consensus(corpus, n_t=2)["d", "consensus"].boundaries == ((2, 2), (5, 2))
    assert consensus(corpus, 1, n_t=2)["d", "consensus"].boundaries == ((5, 3),)
    assert consensus(corpus, "1/3", n_t=2)["d", "consensus"].boundaries == ((2, 1), (5, 1))


@pytest.mark.exhaustive
def test_stargazers_by_all_sets_of_places():
    corpus = load_stargazers()
    coded = [coding.positions for coding in corpus["stargazers"].values()]
    expected = best_places(coded, 21, 2, Fraction(1, 2), False)
    assert consensus(corpus, n_t=2)["stargazers", "consensus"].positions == expected
    exact = consensus(corpus)
    near_exact = [
        p for p in expected if any(abs(p - q) < 2 for q in exact["stargazers", "consensus"].positions)
    ]
    assert left_out(corpus, exact) == len(expected) - len(near_exact) == 1


def test_durations_on_a_grid():
    units = Units.every(0.5, end=10, axis="seconds")
    codings = {"a": Segmentation.from_positions([5], 20), "b": Segmentation.from_positions([7], 20)}
    corpus = Corpus.from_dict({"d": codings}).with_spans({"d": units})
    assert consensus(corpus, 1, n_t="1500ms")["d", "consensus"].positions == (5,)
    assert consensus(corpus, 1, n_t="0.5s")["d", "consensus"].positions == ()


def test_what_exact_marks_leave_out():
    marks = {"a": (2, 10, 15), "b": (2, 11, 16), "c": (2, 12, 18)}
    corpus = Corpus.from_dict({"d": {c: Segmentation.from_positions(p, 21) for c, p in marks.items()}})
    assert consensus(corpus)["d", "consensus"].positions == (2,)
    assert consensus(corpus, n_t=2)["d", "consensus"].positions == (2, 11, 15)
    assert left_out(corpus, consensus(corpus)) == 2
    assert left_out(corpus, consensus(corpus, n_t=2)) == 0

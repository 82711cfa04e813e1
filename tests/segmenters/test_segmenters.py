"""Every registered segmenter keeps the same rules; degenerate texts have printed answers."""

from __future__ import annotations

import dataclasses
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loops import each

from caesura.errors import ParameterError, UnknownNameError
from caesura.papers.recompute import bisected
from caesura.segmenters.base import Segmenter
from caesura.segmenters.baselines import Bisection, Random, Uniform
from caesura.segmenters.c99 import C99, HC99
from caesura.segmenters.least_cost import U00
from caesura.segmenters.registry import SEGMENTERS, get_segmenter, segmenter
from caesura.segmenters.text import Words
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation
from caesura.values.units import Units

TOPICS = ["cats purr and cats sleep", "the cat sleeps", "a sleeping cat", "ships sail", "a ship sails far"]
EVERY = pytest.mark.parametrize("name", list(SEGMENTERS))
DETERMINISTIC = [name for name, cls in SEGMENTERS.items() if not cls.is_random]


def ready(name: str) -> Segmenter:
    """Return the segmenter; one that has to learn first has learnt from a small corpus."""
    cls = SEGMENTERS[name]
    if cls.asks_a_model:
        return segmenter(name, ask=starts)
    return LEARNT[name] if cls.is_fitted else segmenter(name)


def starts(prompt: str) -> str:
    """Answer with the first units, as many as are wanted, as a language model might."""
    wanted = re.search(r"exactly (\d+) segment", prompt)
    return str([*range(1, int(wanted[1]) + 1)] if wanted else [1])


OTHER_TEXTS = [
    "cats and dogs",
    "a dog sleeps",
    "ships on the sea",
    "the sea and the moon",
    "a moon",
    "cats sail",
]
OTHER = Corpus.from_dict({"other": {"ann": [6]}}, units={"other": OTHER_TEXTS})
LEARNT = {name: cls(rank=2, passage=1).fit(OTHER) for name, cls in SEGMENTERS.items() if cls.is_fitted}


def call(one: Segmenter, units, n_segments=None) -> Segmentation:
    return one(units, n_segments, rng=1) if isinstance(one, Random) else one(units, n_segments)


# -------------------------------------------------------------------- declarations


@EVERY
def test_the_declaration_is_complete(name):
    cls = SEGMENTERS[name]
    assert cls.name == name
    for text in (cls.title, cls.meaning, cls.citation, cls.cost, cls.needs):
        assert text
        assert not text.endswith(".")
    for field in dataclasses.fields(cls):
        assert field.metadata["help"]
        assert field.metadata["check"](field.name, field.default) == field.default


@EVERY
def test_the_repr_parses_back(name):
    one = segmenter(name)
    assert repr(one) == name
    assert segmenter(repr(one)) == one
    assert hash(segmenter(repr(one))) == hash(one)


def test_parameters_parse_back():
    assert segmenter("C99(mask=9, window=50)") == C99(mask=9, window=50)
    assert repr(C99(mask=9, window=50)) == "C99(mask=9, window=50)"
    assert get_segmenter(C99()) == get_segmenter("C99")


def test_what_a_specification_cannot_hold_is_a_keyword():
    assert segmenter("U00(longest=9)", words=str.split) == U00(longest=9, words=str.split)
    assert segmenter("C99", mask=9) == C99(mask=9)
    with pytest.raises(UnknownNameError, match="C99 has no parameter 'vector'; did you mean 'vectors'"):
        segmenter("C99", vector=[[1.0]])
    with pytest.raises(ParameterError, match="odd"):
        segmenter("C99", mask=10)


@pytest.mark.parametrize(
    ("spec", "error", "said"),
    [
        ("C98", UnknownNameError, "did you mean 'C99'"),
        ("C99(mask=10)", ParameterError, "odd"),
        ("C99(masks=9)", UnknownNameError, "did you mean 'mask'"),
        ("C99(words='choy')", ParameterError, "did you mean 'choi'"),
        ("BayesSeg(prior=0)", ParameterError, "from 1e-09 to 1e[+]09"),
        ("HBT(shape=5e-324)", ParameterError, "from 1e-09 to 1e[+]09"),
        ("BayesSeg(prior=9223372036854775808)", ParameterError, "from 1e-09 to 1e[+]09"),
        ("C99[", ParameterError, "not a segmenter"),
        (5, ParameterError, "expected a name"),
    ],
)
def test_what_is_wrong_is_said(spec, error, said):
    with pytest.raises(error, match=said):
        segmenter(spec)


@EVERY
def test_what_it_has_is_declared(name):
    one = ready(name)
    for has_it, method in ((one.has_scores, one.scores), (one.has_hierarchy, one.hierarchy)):
        if has_it:
            assert method(TOPICS) is not None
        else:
            with pytest.raises(ParameterError, match=f"{name} has no"):
                method(TOPICS)


@EVERY
def test_it_pickles(name):
    assert pickle.loads(pickle.dumps(segmenter(name))) == segmenter(name)


# -------------------------------------------------------------------- rules for all


words = st.sampled_from(["cat", "cats", "dog", "sail", "ship", "moon", "the", "of", "1960", "--", ".", "Mr."])
documents = st.lists(st.lists(words, max_size=6).map(" ".join), min_size=1, max_size=14)


@EVERY
@given(units=documents, n_segments=st.integers(1, 20))
def test_as_many_segments_as_are_asked_for(name, units, n_segments):
    one = ready(name)
    found = call(one, units, n_segments)
    assert found.n_units == len(units)
    if one.takes_n_segments:
        assert found.n_segments == min(n_segments, len(units))


@pytest.mark.parametrize("name", DETERMINISTIC)
@given(units=documents)
def test_the_same_text_gives_the_same(name, units):
    assert ready(name)(units) == ready(name)(tuple(units))


@pytest.mark.parametrize("name", ["C99", "U00", "BayesSeg"])
@given(units=documents, n_segments=st.integers(1, 6))
def test_what_terms_are_called_does_not_matter(name, units, n_segments):
    """The same counts under other names, in another order of first occurrence."""
    plain = SEGMENTERS[name](words=str.split)
    renamed = SEGMENTERS[name](words=lambda text: [f"<{word}>" for word in reversed(text.split())])
    if name == "C99":
        assert renamed(units, n_segments) == plain(units, n_segments)
    else:
        assert renamed.least(units, n_segments) == pytest.approx(plain.least(units, n_segments), abs=1e-9)


@pytest.mark.parametrize("name", ["C99", "MinCut", "APS"])
@given(units=documents, n_segments=st.integers(1, 6))
def test_a_vocabulary_twice_changes_no_cosine(name, units, n_segments):
    """Every term has a twin that stands wherever it does."""
    plain = SEGMENTERS[name](words=str.split)
    twice = SEGMENTERS[name](words=lambda text: [word + twin for word in text.split() for twin in "ab"])
    if name == "C99":  # whose cosines are exact; with others, ties may fall otherwise
        assert twice(units, n_segments) == plain(units, n_segments)
    elif name == "MinCut":
        assert twice.least(units, n_segments) == pytest.approx(plain.least(units, n_segments), abs=1e-9)
    else:
        assert twice.similarities(units) == pytest.approx(plain.similarities(units), abs=1e-12)


@pytest.mark.parametrize("name", ["U00", "BayesSeg"])
@given(units=documents, n_segments=st.integers(1, 6))
def test_a_reversed_text_costs_the_same(name, units, n_segments):
    one = segmenter(name)
    assert one.least(units[::-1], n_segments) == pytest.approx(one.least(units, n_segments), abs=1e-9)


@pytest.mark.parametrize("name", ["C99", "U00", "BayesSeg", "HBT"])
@pytest.mark.parametrize("seed", range(12))
def test_a_reversed_text_is_divided_at_the_mirrored_places(name, seed):
    """Few enough segments that no two segmentations are equally good: between such ones the order decides."""
    rng = np.random.default_rng(seed)
    letters = "abcdefghijklmnopqrstuvwx"
    units = [" ".join(rng.choice(list(letters[2 * (unit // 4) :][:9]), 9)) for unit in range(16)]
    one = SEGMENTERS[name](words=str.split)
    for n_segments in range(1, 6):
        assert one(units[::-1], n_segments).masses[::-1] == one(units, n_segments).masses


@pytest.mark.parametrize("name", ["C99", "MinCut", "APS", "TextTiling", "CVS", "KernelCPD"])
@pytest.mark.parametrize("seed", range(12))
def test_reversed_vectors_are_divided_at_the_mirrored_places(name, seed):
    """On words MinCut and APS smooth forwards, and TextTiling counts tokens from the start."""
    vectors = np.random.default_rng(seed).random((18, 6))
    units = [""] * len(vectors)
    forth, back = (SEGMENTERS[name](vectors=rows) for rows in (vectors, vectors[::-1]))
    for n_segments in range(1, 7):
        assert back(units, n_segments).masses[::-1] == forth(units, n_segments).masses


@pytest.mark.parametrize("name", ["HBT", "TextTiling"])
@given(units=documents)
def test_other_names_of_terms_give_the_same_boundaries(name, units):
    plain = SEGMENTERS[name](words=str.split)
    renamed = SEGMENTERS[name](words=lambda text: [f"<{word}>" for word in text.split()])
    assert renamed(units, 3) == plain(units, 3)


@given(units=documents, n_segments=st.integers(1, 6))
def test_a_vocabulary_twice_changes_no_similarity_of_texttiling(units, n_segments):
    """Twice the terms are twice the tokens, so sequences of twice as many have the same ones."""
    plain = SEGMENTERS["TextTiling"](w=2, k=2, words=str.split)
    twice = SEGMENTERS["TextTiling"](
        w=4, k=2, words=lambda text: [word + twin for word in text.split() for twin in "ab"]
    )
    assert twice(units, n_segments) == plain(units, n_segments)


def test_units_with_a_text_are_read():
    units = Units.from_text("\n".join(TOPICS), by="line")
    assert segmenter("U00")(units, 2) == segmenter("U00")(TOPICS, 2) == Segmentation.from_masses([3, 2])


# -------------------------------------------------------------------- degenerate texts


@EVERY
@each("n_segments", [None, 1, 3])
def test_one_unit_is_one_segment(name, n_segments):
    assert call(ready(name), ["only this"], n_segments).masses == (1,)


@EVERY
@each("units", [[""] * 5, ["the of"] * 5, ["..."] * 5])
def test_without_a_single_term(name, units):
    found = call(ready(name), units)
    assert found.n_units == 5
    if SEGMENTERS[name].needs.startswith("the texts of the units"):
        assert found.masses == (5,)
    assert call(ready(name), units, 2).n_units == 5


@EVERY
@each("n_segments", [None, 2, 30])
def test_one_word_repeated(name, n_segments):
    found = call(ready(name), ["cat"] * 30, n_segments)
    if n_segments and SEGMENTERS[name].takes_n_segments:
        assert found.n_segments == n_segments


@EVERY
def test_no_units_are_refused(name):
    with pytest.raises(ParameterError, match="at least one"):
        call(ready(name), [])


@EVERY
@each("wrong", [0, -1, 2.5, True, "3"])
def test_a_number_of_segments_is_a_whole_one(name, wrong):
    with pytest.raises(ParameterError, match="n_segments"):
        call(ready(name), TOPICS, wrong)


def test_c99_refuses_what_memory_does_not_hold_and_says_what_bounds_it():
    with pytest.raises(ParameterError, match=r"100,000 units take 80\.0 GB .* C99\(window=500\)"):
        C99()(["cat"] * 100_000)


@pytest.mark.parametrize("name", ["U00", "BayesSeg"])
def test_more_segments_than_memory_holds_are_refused(name):
    """The table of a number that is given has a row for each unit, a column for each segment."""
    with pytest.raises(ParameterError, match=r"100,000 units take 32\.0 GB .* fewer than 20,000 segments"):
        segmenter(name)(["cat"] * 100_000, 20_000)


@pytest.mark.parametrize("name", ["TextTiling", "U00(longest=20)", "BayesSeg(longest=20)", "Uniform", "All"])
def test_what_needs_little_memory_divides_many_units(name):
    units = ["a cat purrs", "dogs bark"] * 50_000
    assert segmenter(name)(units).n_units == len(units)


def test_units_that_can_be_read_once_are_refused():
    with pytest.raises(ParameterError, match="read only once: give a list"):
        C99()(iter(TOPICS))


def test_c99_in_a_wide_window_is_c99():
    assert C99(window=4)(TOPICS, 2) == C99()(TOPICS, 2)


def test_longest_segments_that_do_not_cover_the_text_are_refused():
    with pytest.raises(ParameterError, match="do not cover"):
        U00(longest=2)(TOPICS, 2)
    assert max(U00(longest=2)(TOPICS).masses) <= 2


# -------------------------------------------------------------------- C99


def test_scores_of_c99_reach_the_limit_where_it_takes_a_split():
    rng = np.random.default_rng(3)
    units = [" ".join(rng.choice(list("abcdefgh"[4 * (i // 15) :]), 6)) for i in range(30)]
    c99 = C99(words=str.split)
    positions, _ = c99.splits(units)
    scores = c99.scores(units)
    assert len(scores) == len(units) - 1
    assert (np.diff(scores[positions - 1]) <= 0).all()
    n_segments = c99(units).n_segments
    assert Segmentation.from_scores(scores, n_segments=n_segments).n_segments == n_segments


def test_hc99_ranks_all_gaps_and_nests():
    hierarchy = HC99().hierarchy(TOPICS)
    assert sorted(hierarchy.ranks) == [1, 2, 3, 4]
    for n_segments in range(1, 6):
        taken = {position for position, rank in hierarchy.boundaries if rank < n_segments}
        assert taken == set(HC99()(TOPICS, n_segments).positions)


def test_vectors_take_the_place_of_words():
    vectors = np.array([[1, 0], [2, 0.1], [1, 0.2], [0, 1], [0.1, 3]])
    for given_as in (vectors, vectors.tolist(), lambda texts: vectors):
        assert C99(vectors=given_as)(TOPICS, 2).masses == (3, 2)
    assert C99(vectors=vectors) == C99(vectors=vectors.copy())
    assert "vectors of 5 units" in repr(C99(vectors=vectors))


def test_vectors_that_are_counts_give_what_the_words_give():
    terms = sorted({term for text in TOPICS for term in text.split()})
    counts = [[text.split().count(term) for term in terms] for text in TOPICS]
    by_words, by_vectors = C99(words=str.split), C99(vectors=counts)
    assert by_vectors.hierarchy(TOPICS) == by_words.hierarchy(TOPICS)


@pytest.mark.parametrize("wrong", [[[1.0]], [1.0, 2.0], [[float("nan")]] * 5, "vectors", [["a"]] * 5])
def test_vectors_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ParameterError, match="vectors"):
        C99(vectors=wrong)(TOPICS)


def test_a_signature_of_words_is_a_function():
    signature = Words("letters", list)
    assert U00(words=signature)(["ab", "ab", "cd", "cd"], 2).masses == (2, 2)


# -------------------------------------------------------------------- baselines


@given(st.integers(1, 200))
def test_bisection_is_carrolls_bin(n_units):
    """The oracle is what recomputes Carroll (2010), figure 2, in caesura.papers."""
    assert Bisection().hierarchy([""] * n_units) == bisected(n_units)


@given(st.integers(1, 60), st.integers(1, 80))
def test_uniform_segments_differ_by_one_unit_at_most(n_units, n_segments):
    masses = Uniform()([""] * n_units, n_segments).masses
    assert max(masses) - min(masses) <= 1


def test_random_draws_every_choice_alike():
    found = [Random()(["a"] * 4, 2, rng=seed).positions[0] for seed in range(600)]
    assert all(150 < found.count(position) < 250 for position in (1, 2, 3))
    dense = [Random(density=0.3)(["a"] * 1001, rng=seed).n_boundaries for seed in range(50)]
    assert 280 < np.mean(dense) < 320


def test_random_needs_no_luck_to_be_repeated():
    assert Random()(["a"] * 50, rng=7) == Random()(["a"] * 50, rng=7)


@pytest.mark.parametrize(
    "spec", ["APS(smoothing=2**53)", "MinCut(smoothing=2**53)", "TextTiling(w=1, k=2**53)"]
)
def test_what_reaches_beyond_the_document_costs_no_more_than_the_document(spec):
    wide = segmenter(spec.replace("2**53", str(2**53)))
    assert wide(TOPICS) == segmenter(spec.replace("2**53", str(len(TOPICS))))(TOPICS)


def test_vectors_that_no_float_can_hold_are_refused():
    with pytest.raises(ParameterError, match=r"vectors is .*expected a row of finite numbers"):
        C99(vectors=[[10**400], [1]])

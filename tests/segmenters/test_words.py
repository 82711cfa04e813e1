"""Tokens, stop words and stems. Sources of truth: NLTK's stemmer, scikit-learn's list, SPEC §13."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from caesura.errors import ParameterError
from caesura.segmenters.porter import STEP_2, STEP_3, STEP_4, choi_stem, porter_stem
from caesura.segmenters.stop_words import CHOI_STOP_WORDS
from caesura.segmenters.text import WORDS, count_terms, texts_of
from caesura.values.units import Units

NLTK = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
ENDINGS = sorted({*STEP_2, *STEP_3, *STEP_4, "s", "sses", "ies", "eed", "ed", "ing", "y", "e", "ll", ""})
STARTS = ["", "a", "b", "tr", "hop", "hopp", "fall", "hiss", "fil", "ski", "oaten", "conflat", "troubl"]
STARTS += ["say", "toy", "dying", "ee", "agr", "controll", "rat", "generaliz", "vietnam", "probat", "ceas"]
STARTS += ["syzyg", "bow"]


def test_every_ending_and_every_two_of_them_as_nltk():
    words = {start + one + other for start, one, other in itertools.product(STARTS, ENDINGS, ENDINGS)} - {""}
    assert len(words) > 30_000
    assert [(word, porter_stem(word)) for word in words if porter_stem(word) != NLTK.stem(word)] == []


@given(st.text("aeiouybcdlstzrn", min_size=1, max_size=9), st.lists(st.sampled_from(ENDINGS), max_size=3))
def test_any_word_as_nltk(start, endings):
    word = start + "".join(endings)
    assert porter_stem(word) == NLTK.stem(word)


@pytest.mark.exhaustive
def test_every_word_of_the_texts_as_nltk(choi):
    words = {word.lower() for one in choi for unit in one.units for word in unit.split() if word.isalpha()}
    assert len(words) > 6_000
    assert {word for word in words if porter_stem(word) != NLTK.stem(word)} == set()


def test_choi_departs_in_sion_and_tion_alone():
    for word in ("relational", "adjustment", "hopping", "formality", "nation", "million"):
        assert choi_stem(word) == porter_stem(word)
    assert choi_stem("discussion") != choi_stem("discuss")


def test_stop_words_of_choi_are_scikit_learns_with_known_changes():
    """SPEC §13."""
    more = {"'m", "'s", "n't", "computer", "fify", "said", "versa", "vice", "yes"}
    assert (ENGLISH_STOP_WORDS - {"fifty"}) | more == CHOI_STOP_WORDS


def test_ordinary_text_has_the_terms_of_tokenised_text():
    plain = "Mr. Smith said, \"The dog's bone wasn't there.\" Later he found it."
    tokenised = "Mr. Smith said , `` The dog 's bone was n't there . '' Later he found it ."
    assert WORDS["choi"](plain) == WORDS["choi"](tokenised) == ["smith", "dog", "bone", "later"]


def test_mit_words_match_stop_words_by_their_stems():
    assert WORDS["mit"]("Was it everywhere? We'll be describing 2 things.") == ["ll", "2", "thing"]


def test_any_function_may_make_terms():
    counted = count_terms(["ab", "b"], list)
    assert counted.vocabulary == ("a", "b")
    assert counted.terms.tolist() == [0, 1, 1]


def test_units_are_read_in_one_place():
    units = Units.from_text("One line.\nAnother.", by="line")
    assert list(texts_of(units)) == ["One line.", "Another."]
    for wrong in ("one text", [], ["a", 1], Units.every(1, end=10)):
        with pytest.raises(ParameterError):
            texts_of(wrong)

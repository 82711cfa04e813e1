"""Tokens, stop words and stems.

Sources of truth: NLTK's stemmers, snowballstem.org's samples, scikit-learn's list, SPEC §13.
"""

from __future__ import annotations

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.stem.snowball import SnowballStemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from caesura.errors import MissingExtraError, ParameterError
from caesura.segmenters.registry import segmenter
from caesura.segmenters.text import (
    CHOI_STOP_WORDS,
    STEP_2,
    STEP_3,
    STEP_4,
    WORDS,
    choi_stem,
    count_terms,
    porter_stem,
    snowball,
    texts_of,
    words_of,
)
from caesura.values.units import Units

NLTK = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
ENDINGS = sorted({*STEP_2, *STEP_3, *STEP_4, "s", "sses", "ies", "eed", "ed", "ing", "y", "e", "ll", ""})
STARTS = ["", "a", "b", "tr", "hop", "hopp", "fall", "hiss", "fil", "ski", "oaten", "conflat", "troubl"]
STARTS += ["say", "toy", "dying", "ee", "agr", "controll", "rat", "generaliz", "vietnam", "probat", "ceas"]
STARTS += ["syzyg", "bow"]


@pytest.mark.exhaustive
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
    tokenized = "Mr. Smith said , `` The dog 's bone was n't there . '' Later he found it ."
    assert WORDS["choi"](plain) == WORDS["choi"](tokenized) == ["smith", "dog", "bone", "later"]


def test_mit_words_match_stop_words_by_their_stems():
    assert WORDS["mit"]("Was it everywhere? We'll be describing 2 things.") == ["we'll", "2", "thing"]
    assert WORDS["mit"]("We’ll") == WORDS["mit"]("'We'll'") == ["we'll"]


# The samples on snowballstem.org, of German, French and Spanish.
SAMPLES = {
    "german": {
        "aufeinander": "aufeinand",
        "aufeinanderfolgen": "aufeinanderfolg",
        "kategorie": "kategori",
        "kategorien": "kategori",
        "kater": "kat",
        "katers": "kat",
    },
    "french": {"continu": "continu", "continuait": "continu", "majestueusement": "majestu"},
    "spanish": {"chicas": "chic", "chicharrones": "chicharron", "torneado": "torn", "torneos": "torne"},
}


@pytest.mark.parametrize("language", SAMPLES)
def test_snowball_has_the_stems_of_its_samples(language):
    words = words_of(f"snowball:{language}")
    assert words(" ".join(SAMPLES[language])) == list(SAMPLES[language].values())


def test_snowball_stems_as_nltk():
    text = "Zwei Katzen schlafen im Haus, und die Häuser der Kategorien stehen aufeinander."
    stem = SnowballStemmer("german").stem
    assert words_of("snowball:german")(text) == [stem(word.strip(",.")) for word in text.lower().split()]


def test_texts_in_other_languages_are_segmented_by_their_stems():
    """No two units of a topic share a word as it is written."""
    german = ["Die Katze.", "Zwei Katzen.", "Ein Hund.", "Viele Hunde."]
    spec = "U00(words='snowball:german')"
    assert repr(segmenter(spec)) == spec
    assert segmenter(spec)(german, 2).masses == (2, 2)


def test_languages_that_snowball_has_not(monkeypatch):
    with pytest.raises(ParameterError, match=r"words is 'snowball:germna'.*did you mean 'german'"):
        segmenter("U00(words='snowball:germna')")
    snowball.cache_clear()
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(MissingExtraError, match=r" -m pip install .*\[languages\]'"):
        segmenter("U00(words='snowball:danish')")


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

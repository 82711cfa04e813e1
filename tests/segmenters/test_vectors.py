"""Vectors in place of words: what is encoded, how often, and the vectorizers with a name.

Sources of truth: calls counted by the function itself, a stand-in for the package wordllama that records how
it is loaded, and the package itself where it is installed.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import caesura as cs
from caesura.errors import MissingExtraError, ParameterError
from caesura.segmenters import similarities as vectors
from caesura.segmenters.similarities import BATCH, encoded, remember

TEXTS = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]


class Counting:
    """Letters of a text as a vector; it records what it is called with."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def __call__(self, texts):
        self.batches.append(list(texts))
        return np.array([[text.count(letter) for letter in "abcdefghijklmnoprstu"] for text in texts])


def test_each_text_is_encoded_once_in_batches():
    encoder = Counting()
    texts = [f"text {number}" for number in range(2 * BATCH + 1)]
    once = encoded(encoder, texts + texts[:5])
    assert [len(batch) for batch in encoder.batches] == [BATCH, BATCH, 1]
    assert once == pytest.approx(Counting()(texts + texts[:5]))
    assert encoded(encoder, ["text 1", "another", "text 0"]) == pytest.approx(
        Counting()(["text 1", "another", "text 0"])
    )
    assert encoder.batches[3:] == [["another"]]


def test_progress_counts_batches():
    steps: list[tuple[int, int]] = []
    remember(Counting(), map(str, range(BATCH + 1)), lambda done, of: steps.append((done, of)))
    assert steps == [(1, 2), (2, 2)]


def test_no_more_texts_are_remembered_than_allowed(monkeypatch):
    monkeypatch.setattr(vectors, "MOST_KNOWN", 4)
    encoder = Counting()
    for texts in (["a", "b", "c"], ["a", "d", "e"], ["a"]):
        encoded(encoder, texts)
    assert encoder.batches == [["a", "b", "c"], ["a", "d", "e"]]


def test_several_segmenters_on_a_corpus_encode_its_texts_once():
    corpus = cs.Corpus.from_dict(
        {"a": {"ann": [3, 3]}, "b": {"ann": [6]}}, units={"a": TEXTS, "b": TEXTS[::-1]}
    )
    encoder, steps = Counting(), []
    segmenters = [cs.segmenter(name, vectors=encoder) for name in ("C99", "TextTiling")]
    cs.segment(corpus, segmenters, 2, progress=lambda done, of: steps.append((done, of)))
    assert encoder.batches == [TEXTS]
    assert steps == [(1, 1), (0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_function_that_is_no_key_is_called_each_time():
    class Unhashable(Counting):
        __hash__ = None  # type: ignore[assignment]

    encoder = Unhashable()
    encoded(encoder, ["a", "a"])
    encoded(encoder, ["a", "a"])
    assert encoder.batches == [["a", "a"]] * 2


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda texts: [[1.0]] * (len(texts) + 1), "7 vectors for 6 units"),
        (lambda texts: "no", "expected a row of finite numbers"),
        (lambda texts: [[float("nan")]] * len(texts), "expected a row of finite numbers"),
        (lambda texts: [[1 + 2j]] * len(texts), "expected a row of finite numbers"),
    ],
)
def test_what_is_no_vector_for_each_text_is_refused(function, expected):
    with pytest.raises(ParameterError, match=expected):
        cs.segmenter("C99", vectors=function)(TEXTS)


def test_vectors_of_different_lengths_are_refused(monkeypatch):
    monkeypatch.setattr(vectors, "BATCH", 1)
    with pytest.raises(ParameterError, match=r"vectors have .4, 9, 11, 13. numbers: expected as many"):
        encoded(lambda texts: [[1.0] * len(text) for text in texts], TEXTS)


def test_a_name_is_looked_up_and_part_of_the_signature():
    c99 = cs.segmenter("C99(vectors='wordllama')")
    assert repr(c99) == "C99(vectors='wordllama')"
    assert "vectors=wordllama" in c99.settings
    with pytest.raises(ParameterError, match="vectors is 'wordlama': did you mean 'wordllama'"):
        cs.segmenter("C99(vectors='wordlama')")


@pytest.fixture
def without_a_loaded_model():
    vectors.wordllama.cache_clear()
    yield
    vectors.wordllama.cache_clear()


@pytest.mark.usefixtures("without_a_loaded_model")
def test_wordllama_is_loaded_from_its_package_without_download(monkeypatch, tmp_path):
    loaded: list[dict[str, object]] = []

    class WordLlama:
        @classmethod
        def load(cls, **settings):
            loaded.append(settings)
            return cls()

        def embed(self, texts):
            return Counting()(texts).astype(np.float32)

    package = ModuleType("wordllama")
    package.__file__ = str(tmp_path / "wordllama" / "__init__.py")
    package.WordLlama = WordLlama  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wordllama", package)
    segmenter = cs.segmenter("C99(vectors='wordllama')")
    assert segmenter(TEXTS, 2) == cs.segmenter("C99", vectors=Counting())(TEXTS, 2)
    assert segmenter(TEXTS[:3], 2).n_segments == 2
    assert loaded == [{"cache_dir": Path(tmp_path, "wordllama"), "disable_download": True}]


@pytest.mark.usefixtures("without_a_loaded_model")
def test_without_the_package_the_error_says_what_adds_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(MissingExtraError, match=r"vectors='wordllama' need the package wordllama: .*vectors"):
        cs.segmenter("C99(vectors='wordllama')")(TEXTS)


@pytest.mark.skipif(importlib.util.find_spec("wordllama") is None, reason="wordllama is not installed")
@pytest.mark.usefixtures("without_a_loaded_model")
def test_wordllama_knows_that_cats_are_nearer_to_dogs_than_to_shares():
    cat, dog, share, nothing = encoded("wordllama", ["a cat", "a dog", "the shares of a company", ""])
    assert cat @ dog / np.linalg.norm(dog) > cat @ share / np.linalg.norm(share)
    assert not nothing.any()

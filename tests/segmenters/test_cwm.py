"""CWM and HCWM. Sources of truth: a dense SVD, C99 on the same vectors, and what contamination must do."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest

from caesura.errors import ParameterError
from caesura.segmenters.aps import APS
from caesura.segmenters.c99 import C99, CWM, HCWM, Origin, latent_space
from caesura.segmenters.mincut import MinCut
from caesura.segmenters.registry import segmenter
from caesura.segmenters.texttiling import TextTiling
from caesura.values.corpus import Corpus

from .conftest import lectures
from .word_errors import choi_pk

TEXTS = [
    "cats purr",
    "a cat purrs softly",
    "cats sleep",
    "dogs bark",
    "the dog barks",
    "dogs run far",
    "cats run",
]


def corpus_of(texts: dict[str, list[str]]) -> Corpus:
    return Corpus.from_dict({name: {"ann": [len(units)]} for name, units in texts.items()}, units=texts)


@pytest.mark.parametrize("passage", [1, 2])
def test_vectors_have_the_products_of_a_dense_svd(passage):
    """U Uᵀ does not depend on the signs and rotations that an SVD leaves open."""
    documents = [TEXTS[:4], TEXTS[4:]]
    space = latent_space(documents, str.split, 3, passage, Origin("texts", "7"))
    passages = [
        " ".join(document[first : first + passage])
        for document in documents
        for first in range(0, len(document), passage)
    ]
    assert len(passages) == (7 if passage == 1 else 4)
    terms = list(space.numbers)
    counts = np.array([[text.split().count(term) for term in terms] for text in passages], dtype=float)
    share = counts / counts.sum(axis=0)
    entropy = -np.where(share > 0, share * np.log(np.where(share > 0, share, 1)), 0).sum(axis=0)
    weights = np.log1p(counts) * (1 - entropy / np.log(len(passages)))
    _, _, right = np.linalg.svd(weights)
    wanted = right[:3].T
    assert space.vectors @ space.vectors.T == pytest.approx(wanted @ wanted.T, abs=1e-9)
    rows = np.array([[text.split().count(term) for term in terms] for text in TEXTS])
    assert space(TEXTS) == pytest.approx(rows @ space.vectors)
    assert space(["unheard of"]).tolist() == [[0.0] * 3]


def test_it_is_c99_on_these_vectors():
    cwm = CWM(rank=2, passage=1).fit(corpus_of({"pets": TEXTS}))
    assert cwm.hierarchy(TEXTS) == C99(vectors=cwm.vectors).hierarchy(TEXTS)
    assert HCWM(rank=2, passage=1).fit(corpus_of({"pets": TEXTS})).hierarchy(TEXTS) == cwm.hierarchy(TEXTS)


def test_fitting_twice_gives_the_same_and_names_the_corpus():
    first, second = (CWM(rank=2, passage=1).fit(corpus_of({"pets": TEXTS})) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert "<LSA of texts: 1 document with 7 units, sha256" in first.settings
    named = CWM(rank=2, passage=1).fit(corpus_of({"pets": TEXTS}), "pets")
    assert repr(named) == "CWM(rank=2, passage=1) fitted on pets"
    assert "<LSA of pets: 1 document with 7 units, sha256" in named.settings
    assert first != CWM(rank=2, passage=1).fit(corpus_of({"pets": TEXTS[1:]}))


def test_what_is_missing_is_said():
    with pytest.raises(ParameterError, match=r"CWM has no space yet: call CWM\(\)\.fit"):
        CWM()(TEXTS, 2)
    with pytest.raises(ParameterError, match="expected a lower rank"):
        CWM(rank=100).fit(corpus_of({"pets": TEXTS}))
    with pytest.raises(ParameterError, match="has no texts"):
        CWM().fit(Corpus.from_dict({"pets": {"ann": [3, 4]}}))


def random_projection(texts: list[str]) -> np.ndarray:
    """Each word a random direction, the same in every call: an encoder that needs no download."""
    rows = np.zeros((len(texts), 64))
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().split():
            row += np.random.default_rng(list(word.encode())).standard_normal(64)
    return rows


@pytest.mark.parametrize("cls", [C99, APS, MinCut, TextTiling])
def test_encoders_plug_in(cls):
    rng = np.random.default_rng(4)
    words = [["cat", "purr", "mouse", "fur"], ["ship", "sail", "sea", "mast"], ["moon", "star", "sky", "sun"]]
    texts = [" ".join(rng.choice(words[i // 8], 6)) for i in range(24)]
    space = latent_space([texts], str.split, 3, 1, Origin("texts", "24"))
    for encoder in (random_projection, random_projection(texts), space):
        assert cls(vectors=encoder)(texts, 3).masses == (8, 8, 8)
        assert segmenter(cls.name, vectors=encoder) == cls(vectors=encoder)


@pytest.mark.exhaustive
def test_a_space_of_the_same_texts_is_contaminated_as_spec_13_says(choi):
    """.06 on documents that it has seen, .32 on others."""
    others = {one.name: one.units for course in ("ai", "physics") for one in lectures(course)}
    values = []
    for texts in (others, {one.name: one.units for one in choi}):
        cwm = CWM().fit(corpus_of(texts))
        values.append(fmean(choi_pk(one.masses, cwm(one.units, 10).masses, one.n_words) for one in choi))
    assert values == pytest.approx([0.32, 0.06], abs=0.01)

"""TextTiling. Source of truth: Hearst's definitions, with lists and loops; and the value of SPEC §13."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from statistics import fmean, pstdev

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caesura.segmenters.texttiling import TextTiling

from .word_errors import choi_pk

documents = st.lists(st.lists(st.sampled_from("abcdef"), max_size=7).map(" ".join), min_size=1, max_size=12)


def cosine(one: Counter, other: Counter) -> float:
    lengths = [math.sqrt(sum(count**2 for count in counts.values())) for counts in (one, other)]
    return sum(one[term] * other[term] for term in one) / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def plain_depths(values: list[float]) -> list[float]:
    depths = []
    for place, value in enumerate(values):
        left = right = place
        while left > 0 and values[left - 1] >= values[left]:
            left -= 1
        while right < len(values) - 1 and values[right + 1] >= values[right]:
            right += 1
        flanks = values[left] - value, values[right] - value
        depths.append(round(sum(flanks), 12) if min(flanks) > 0 else 0.0)
    return depths


def plain_texttiling(units: list[str], w: int, k: int) -> set[int]:
    """Hearst (1997), §5, with the decisions of SPEC §13."""
    tokens = [token for unit in units for token in unit.split()]
    ends = np.cumsum([len(unit.split()) for unit in units])[:-1].tolist()
    n_sequences = max(1, len(tokens) // w)
    cuts = [*range(0, n_sequences * w, w), len(tokens)]
    sequences = [tokens[a:b] for a, b in itertools.pairwise(cuts)]
    scores = []
    for place in range(1, n_sequences):
        before = Counter(token for one in sequences[max(0, place - k) : place] for token in one)
        scores.append(cosine(before, Counter(t for one in sequences[place : place + k] for t in one)))
    means = [round(fmean(scores[max(0, i - 1) : i + 2]), 12) for i in range(len(scores))]
    depths = plain_depths(means)
    valleys = [depth for depth in depths if depth > 0]
    cutoff = round(fmean(valleys) - pstdev(valleys) / 2, 12) if valleys else 0.0
    found = set()
    for place, depth in enumerate(depths, start=1):
        if depth > cutoff:
            distances = [abs(end - place * w) for end in ends]
            found.add(distances.index(min(distances)) + 1)
    return found


@given(documents, st.integers(1, 4), st.integers(1, 4))
@example(["b a a", "b a a b a a"], 1, 1)  # valleys of one depth: none is deeper than their mean
def test_boundaries_are_those_of_the_definition(units, w, k):
    if len(units) > 1:
        assert set(TextTiling(w=w, k=k, words=str.split)(units).positions) == plain_texttiling(units, w, k)


@given(documents, st.integers(1, 4))
def test_what_terms_are_called_does_not_matter(units, n_segments):
    plain = TextTiling(w=2, k=2, words=str.split)
    renamed = TextTiling(w=2, k=2, words=lambda text: [f"<{word}>" for word in text.split()])
    assert renamed(units, n_segments) == plain(units, n_segments)
    assert renamed.scores(units).tolist() == plain.scores(units).tolist()


@given(st.integers(2, 14), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_a_reversed_text_has_the_mirrored_scores_on_vectors(n_units, k, seed):
    """Units are the token sequences then, so that nothing depends on where the text starts."""
    vectors = np.random.default_rng(seed).random((n_units, 3))
    units = [""] * n_units
    forth = TextTiling(k=k, vectors=vectors).scores(units)
    back = TextTiling(k=k, vectors=vectors[::-1]).scores(units)
    assert back[::-1] == pytest.approx(forth, abs=1e-9)


def test_the_deepest_valleys_are_taken_first():
    rng = np.random.default_rng(5)
    units = [" ".join(rng.choice(list("abcdefghijkl"[3 * (i // 15) :][:4]), 8)) for i in range(60)]
    texttiling = TextTiling(k=2, w=10, words=str.split)
    scores = texttiling.scores(units)
    assert len(scores) == 59
    for n_segments in range(2, int((scores > 0).sum()) + 1):
        chosen = [position - 1 for position in texttiling(units, n_segments).positions]
        assert scores[chosen].min() >= np.delete(scores, chosen).max()


def test_stop_words_are_tokens_but_no_terms():
    with_stop_words = [
        "the cat of the cat",
        "the cat and a cat",
        "the ship of the ship",
        "the ship and a ship",
    ]
    valleys = TextTiling(w=5, k=1).valleys(with_stop_words)
    assert valleys.positions.tolist() == [1, 2, 3]
    assert valleys.similarities == pytest.approx([1 / 2, 2 / 3, 1 / 2])  # of 1, 0 and 1, averaged


def test_five_words_of_one_kind_have_no_valley():
    assert TextTiling(w=1, k=3)(["cat"] * 40).masses == (40,)


@pytest.mark.exhaustive
def test_choi_set_3_as_spec_13(choi):
    """300 documents; .31 is what TextTiling has at most."""
    documents = [one for one in choi if one.name.startswith("3/")]
    assert len(documents) == 300
    found = [choi_pk(one.masses, TextTiling()(one.units).masses, one.n_words) for one in documents]
    assert fmean(found) <= 0.31

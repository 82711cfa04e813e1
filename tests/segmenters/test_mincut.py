"""MinCut. Sources of truth: the definitions as loops, brute force, and the published values of SPEC §13."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import ParameterError
from caesura.segmenters.mincut import MinCut

from .conftest import lectures
from .word_errors import mit_errors

documents = st.lists(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=9
)


def plain_weights(units: list[str], edge: int, n_chunks: int = 15) -> np.ndarray:
    """Malioutov & Barzilay (2006), §3, with the numbers of SPEC §13, as loops."""
    n = len(units)
    tokens = [unit.split() for unit in units]
    vocabulary = {token for one in tokens for token in one}
    df = {term: len({i * n_chunks // n for i in range(n) if term in tokens[i]}) for term in vocabulary}
    rows = []
    for i in range(n):
        row: Counter = Counter()
        for d, unit in enumerate(tokens[i : i + 5]):
            for token in unit:
                row[token] += math.exp(-1.1 * d) * math.log(n_chunks / df[token])
        rows.append(row)
    weights = np.zeros((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        product = sum(rows[i][term] * rows[j][term] for term in rows[i])
        if i == j:
            weights[i, j] = math.e
        elif product > 0 and abs(i - j) <= edge:
            lengths = [math.sqrt(sum(x * x for x in row.values())) for row in (rows[i], rows[j])]
            weights[i, j] = math.exp(product / lengths[0] / lengths[1])
    return weights


def plain_least(weights: np.ndarray, n_segments: int) -> float:
    n = len(weights)
    costs = []
    for cuts in itertools.combinations(range(1, n), n_segments - 1):
        segments = list(itertools.pairwise([0, *cuts, n]))
        costs.append(sum(1 - weights[a:b, a:b].sum() / weights[a:b].sum() for a, b in segments))
    return min(costs)


@given(documents, st.integers(1, 8))
def test_edges_are_those_of_the_definition(units, edge):
    edges, vertices = MinCut(words=str.split, edge=edge).edges(units)
    assert vertices.tolist() == list(range(len(units)))
    weights = plain_weights(units, edge)
    for i, d in np.ndindex(*edges.shape):
        assert edges[i, d] == pytest.approx(weights[i, i + d] if i + d < len(units) else 0.0)


@given(documents, st.integers(1, 5), st.integers(1, 8))
def test_least_among_all_segmentations(units, n_segments, edge):
    wanted = min(n_segments, len(units))
    least = plain_least(plain_weights(units, edge), wanted)
    assert MinCut(words=str.split, edge=edge).least(units, wanted) == pytest.approx(least, abs=1e-9)


@given(documents, st.integers(1, 5))
def test_what_terms_are_called_does_not_matter(units, n_segments):
    renamed = MinCut(words=lambda text: [f"<{word}>" for word in reversed(text.split())])
    least = MinCut(words=str.split).least(units, n_segments)
    assert renamed.least(units, n_segments) == pytest.approx(least, abs=1e-9)


@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_a_reversed_text_has_the_mirrored_cut_on_vectors(n_units, n_segments, seed):
    vectors = np.random.default_rng(seed).random((n_units, 4))
    units = [""] * n_units
    forth, back = MinCut(vectors=vectors), MinCut(vectors=vectors[::-1])
    assert back.least(units, n_segments) == pytest.approx(forth.least(units, n_segments), abs=1e-9)
    assert back(units, n_segments).masses[::-1] == forth(units, n_segments).masses


def test_units_without_terms_belong_to_the_unit_before():
    units = ["", "cats purr", "the", "a cat purrs", "of", "dogs bark", "", "the dog barks"]
    assert MinCut()(units, 2).masses == (5, 3)
    assert MinCut()(units, 8).masses == (1,) * 8
    assert MinCut()([""] * 5, 3).n_segments == 3


def test_what_memory_does_not_hold_is_refused():
    said = r"100,000 units take 8\.3 GB of memory; take an edge below 95, or fewer segments than 5,000"
    with pytest.raises(ParameterError, match=said):
        MinCut()(["cat"] * 100_000)


def test_longest_segments_bound_the_search():
    units = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    assert MinCut(longest=2)(units, 3).masses == (2, 2, 2)
    assert MinCut(longest=6)(units, 2) == MinCut()(units, 2)
    with pytest.raises(ParameterError, match="2 segments of at most 2 units do not cover 6 units with terms"):
        MinCut(longest=2)(units, 2)


# SPEC §13 says that the original's inner sum leaves out edges of neighbors. It is silent about the units
# that are left when the document is divided into chunks, and about units without terms. What as_published
# does with them was chosen because it meets all four values: they do not confirm it, and the original's
# boundaries, which could, are not at hand.
LECTURES = [("ai", 19, 0.3889, 0.4177), ("physics", 30, 0.3511, 0.3656)]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("course", "n", "pk", "wd"), LECTURES)
def test_lectures_of_malioutov_and_barzilay_2006(course, n, pk, wd):
    documents = lectures(course)
    assert len(documents) == n
    mincut = MinCut(as_published=True)
    errors = [
        mit_errors(one.masses, mincut(one.units, len(one.masses)).masses, one.n_words) for one in documents
    ]
    assert fmean(error for error, _ in errors) == pytest.approx(pk, abs=0.004)
    assert fmean(error for _, error in errors) == pytest.approx(wd, abs=0.004)

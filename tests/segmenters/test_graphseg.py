"""GraphSeg. Source of truth: the paper's algorithm written out, with all maximal cliques (NetworkX)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from caesura.errors import ParameterError
from caesura.segmenters.graphseg import GraphSeg
from caesura.segmenters.registry import segmenter


def naive(cosines, threshold, minimum):
    """Return the segments, each a list of units: cliques, two merges, and that of short segments."""
    networkx = pytest.importorskip("networkx")
    n_units = len(cosines)
    graph = networkx.Graph()
    graph.add_nodes_from(range(n_units))
    pairs = itertools.combinations(range(n_units), 2)
    graph.add_edges_from((i, j) for i, j in pairs if cosines[i, j] >= threshold)
    cliques = [set(clique) for clique in networkx.find_cliques(graph)]

    def merged(segments):
        result = [list(segments[0])]
        for before, after in itertools.pairwise(segments):
            if any(clique & set(before) and clique & set(after) for clique in cliques):
                result[-1] += after
            else:
                result.append(list(after))
        return result

    segments = merged(merged([[unit] for unit in range(n_units)]))
    while len(segments) > 1:
        short = [index for index, segment in enumerate(segments) if len(segment) < minimum]
        if not short:
            break
        index = short[0]
        neighbors = [other for other in (index - 1, index + 1) if 0 <= other < len(segments)]
        near = max(neighbors, key=lambda other: cosines[np.ix_(segments[index], segments[other])].mean())
        first = min(index, near)
        segments[first : first + 2] = [segments[first] + segments[first + 1]]
    return segments


@pytest.mark.parametrize("minimum", [1, 2, 4])
@pytest.mark.parametrize("threshold", [None, 0.2, 0.6])
@pytest.mark.parametrize("seed", range(5))
def test_its_segments_are_those_of_the_cliques(minimum, threshold, seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(25, 6)) + np.repeat(rng.normal(size=(5, 6)), 5, axis=0)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = unit @ unit.T
    pairs = cosines[np.triu_indices(25, 1)]
    limit = pairs.mean() + pairs.std() if threshold is None else threshold
    expected = naive(cosines, limit, minimum)
    made = GraphSeg(threshold=threshold, minimum=minimum, vectors=rows)([""] * 25)
    assert list(made.masses) == [len(segment) for segment in expected]


def test_segments_are_merged_once_not_in_a_chain():
    """Of cliques {1, 2, 6}, {2, 4, 7}, {3, 4, 5} and {1, 8, 9}: unit 6 is related to 1, not to 3, 4 or 5."""
    related = np.zeros((9, 9))
    for clique in ((1, 2, 6), (2, 4, 7), (3, 4, 5), (1, 8, 9)):
        for first, second in itertools.permutations(clique, 2):
            related[first - 1, second - 1] = 1.0
    rows = np.linalg.cholesky(9 * np.eye(9) + related)
    assert GraphSeg(threshold=0.1, minimum=1, vectors=rows)([""] * 9).masses == (5, 1, 1, 2)


def test_the_number_of_segments_is_left_unread():
    text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    assert GraphSeg()(text, 5) == GraphSeg()(text)


def test_alike_units_are_related():
    assert GraphSeg()(["a cat"] * 20).masses == (20,)
    assert GraphSeg(threshold=1)(["a cat"] * 5 + ["dogs"] * 5).masses == (5, 5)


def test_a_threshold_is_a_cosine():
    with pytest.raises(ParameterError, match=r"threshold is 1\.5: expected a number from -1 to 1"):
        segmenter("GraphSeg(threshold=1.5)")

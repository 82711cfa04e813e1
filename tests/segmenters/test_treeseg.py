"""TreeSeg. Source of truth: the paper's algorithm written out, on means and squared distances as they are."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.segmenters.registry import segmenter
from caesura.segmenters.text import joined
from caesura.segmenters.treeseg import TreeSeg


def scaled(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def error(rows, balance):
    return float(((rows - rows.mean(axis=0)) ** 2).sum()) + balance * len(rows) ** 2


def naive_splits(rows, n_splits, minimum, balance):
    """Return the positions of splits in their order: the leaf with the greatest gain is split at its best."""
    leaves, positions = [(0, len(rows))], []
    while len(positions) < n_splits:
        candidates = []
        for start, end in leaves:
            for middle in range(start + minimum, end - minimum + 1):
                parts = error(rows[start:middle], balance) + error(rows[middle:end], balance)
                candidates.append((parts - error(rows[start:end], balance), middle, (start, end)))
        if not candidates:
            break
        _, middle, (start, end) = min(candidates)
        leaves.remove((start, end))
        leaves += [(start, middle), (middle, end)]
        positions.append(middle)
    return positions


@pytest.mark.parametrize("minimum", [1, 3, 5])
@pytest.mark.parametrize("balance", [0.0, 0.002, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_its_splits_are_those_of_the_algorithm_written_out(minimum, balance, seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(40, 5)) + np.repeat(rng.normal(size=(5, 5)), 8, axis=0)
    tree = TreeSeg(minimum=minimum, balance=balance, vectors=rows)
    expected = naive_splits(scaled(rows), 40, minimum, balance)
    assert tree.splits([""] * 40).tolist() == expected
    for n_segments in range(1, len(expected) + 2):
        assert list(tree([""] * 40, n_segments).positions) == sorted(expected[: n_segments - 1])
    ranks = dict(tree.hierarchy([""] * 40).boundaries)
    assert [ranks[position] for position in expected] == list(range(1, len(expected) + 1))


def test_more_segments_than_the_minimum_allows_are_split_off_all_the_same():
    rows = np.random.default_rng(1).normal(size=(12, 3))
    tree = TreeSeg(minimum=5, vectors=rows)
    assert tree([""] * 12, 2).masses in ((5, 7), (6, 6), (7, 5))
    assert [tree([""] * 12, number).n_segments for number in range(1, 14)] == [*range(1, 13), 12]
    assert len(tree.hierarchy([""] * 12).boundaries) == 1


def test_words_and_their_counts_as_vectors_give_the_same():
    texts = ["a b", "a a c", "b", "d e", "e f", "f f d", "g h", "h", "g g"]
    terms = "abcdefgh"
    counts = [[text.split().count(term) for term in terms] for text in joined(texts, 1, 0)]
    by_words = TreeSeg(before=1, minimum=1, words=str.split)
    assert by_words.splits(texts).tolist() == TreeSeg(minimum=1, vectors=counts).splits(texts).tolist()


def test_units_are_joined_with_those_before_them():
    read = []

    def encoder(texts):
        read.extend(texts)
        return [[len(text), 1.0] for text in texts]

    segmenter("TreeSeg", vectors=encoder, before=2)(["a", "b", "c", "d"], 2)
    assert read == ["a", "a b", "a b c", "b c d"]


def test_the_number_is_open():
    rows = np.random.default_rng(2).normal(size=(100, 4))
    assert TreeSeg(vectors=rows)([""] * 100).n_segments == 5
    assert TreeSeg(vectors=rows, length=10)([""] * 100).n_segments == 10

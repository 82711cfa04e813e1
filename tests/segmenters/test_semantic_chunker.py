"""SemanticChunker. Sources of truth: LlamaIndex's splitter, and LangChain's documented limits written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from caesura.errors import ParameterError
from caesura.segmenters.registry import segmenter
from caesura.segmenters.semantic_chunker import SemanticChunker

LETTERS = "abcdefghij"


def letters(texts):
    """Return how often each letter occurs: what stands between sentences makes no difference."""
    return np.array([[text.count(letter) + 0.01 for letter in LETTERS] for text in texts])


def sentences(seed, n_units=60):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(LETTERS[3 * (unit // 15) :][:6]), 7)) + ". " for unit in range(n_units)]


@pytest.mark.parametrize("buffer", [0, 1, 3])
@pytest.mark.parametrize("percentile", [50, 80, 95])
@pytest.mark.parametrize("seed", range(3))
def test_its_boundaries_are_those_of_llama_index(buffer, percentile, seed):
    from llama_index.core import Document
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    class Letters(BaseEmbedding):
        def _get_text_embedding(self, text):
            return letters([text])[0].tolist()

        _get_query_embedding = _get_text_embedding

        async def _aget_query_embedding(self, query):
            return self._get_text_embedding(query)

    units = sentences(seed)
    parser = SemanticSplitterNodeParser.from_defaults(
        embed_model=Letters(),
        breakpoint_percentile_threshold=percentile,
        buffer_size=buffer,
        sentence_splitter=lambda text: units,
    )
    nodes = parser.build_semantic_nodes_from_documents([Document(text="".join(units))])
    theirs = [node.text.count(". ") + node.text.endswith(".") for node in nodes]
    ours = SemanticChunker(amount=percentile, buffer=buffer, vectors=letters)(units)
    assert list(ours.masses) == theirs


def distances(units):
    """Return LangChain's distances: three sentences together, 1 − cosine of adjacent ones."""
    groups = [" ".join(units[max(0, i - 1) : i + 2]) for i in range(len(units))]
    rows = letters(groups)
    return np.array([1 - a @ b / np.sqrt((a @ a) * (b @ b)) for a, b in itertools.pairwise(rows)])


LANGCHAIN = {
    "percentile": lambda d: (d, np.percentile(d, 95)),
    "standard_deviation": lambda d: (d, np.mean(d) + 3 * np.std(d)),
    "interquartile": lambda d: (d, np.mean(d) + 1.5 * np.subtract(*np.percentile(d, [75, 25]))),
    "gradient": lambda d: (np.gradient(d), np.percentile(np.gradient(d), 95)),
}
"""What is compared, and the limit, by the documentation of its four types of breakpoint."""


@pytest.mark.parametrize("threshold", list(LANGCHAIN))
@pytest.mark.parametrize("seed", range(4))
def test_its_limits_are_those_of_langchain(threshold, seed):
    units = sentences(seed)
    values, limit = LANGCHAIN[threshold](distances(units))
    chunker = SemanticChunker(threshold=threshold, vectors=letters)
    assert chunker.scores(units) == pytest.approx(values, abs=1e-11)
    assert list(chunker(units).positions) == (np.flatnonzero(values > limit) + 1).tolist()


def test_a_number_of_segments_takes_the_greatest_distances():
    units = sentences(5)
    values = distances(units)
    for n_segments in (2, 4, 9):
        greatest = sorted((np.argsort(values)[::-1][: n_segments - 1] + 1).tolist())
        assert list(SemanticChunker(vectors=letters)(units, n_segments).positions) == greatest


def test_equal_distances_are_no_boundaries():
    for threshold in LANGCHAIN:
        assert SemanticChunker(threshold=threshold)(["a cat"] * 20).masses == (20,)
        assert SemanticChunker(threshold=threshold)(["a cat", "dogs"]).n_units == 2


def test_an_amount_that_is_no_percentile_is_refused():
    assert SemanticChunker(threshold="interquartile", amount=150).amount == 150
    for wrong in ("SemanticChunker(amount=101)", "SemanticChunker(threshold='gradient', amount=100.5)"):
        with pytest.raises(
            ParameterError, match=r"SemanticChunker: amount is 10.*: expected a number from 0 to 100"
        ):
            segmenter(wrong)
    with pytest.raises(ParameterError, match="did you mean 'percentile'"):
        segmenter("SemanticChunker(threshold='percentil')")

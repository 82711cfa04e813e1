"""Coded: all codings of a corpus as arrays, so that analyses of many documents need no loop over pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura.arrays import IntArray
from caesura.errors import CorpusError
from caesura.kernel.batch import PackedPairs, pack_pairs
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation


@dataclass(frozen=True)
class Coded:
    """The codings of a corpus, document after document; every two codings of a document are a pair."""

    documents: tuple[str, ...]
    coders: tuple[str, ...]
    packed: PackedPairs
    document: IntArray  # per coding
    coder: IntArray  # per coding
    starts: IntArray  # per document: its first coding
    n_coders: IntArray  # per document

    @property
    def n_units(self) -> IntArray:
        """Length of each document."""
        return self.packed.n_units[self.starts]

    @property
    def n_segments(self) -> IntArray:
        """Segments of each document, over all its codings."""
        return np.add.reduceat(self.packed.n_boundaries + 1, self.starts)


def pack_codings(corpus: Corpus) -> Coded:
    """Pack a corpus and all pairs of codings of one document.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [3, 2], "cy": [5]}, "e": {"bob": [4]}})
    >>> coded = pack_codings(corpus)
    >>> coded.packed.first.tolist(), coded.packed.second.tolist(), coded.n_coders.tolist()
    ([0, 0, 1], [1, 2, 2], [3, 1])
    """
    if not corpus.codings:
        raise CorpusError("the corpus has no documents")
    coder_index: dict[str, int] = {}
    coder: list[int] = []
    segmentations: list[Segmentation] = []
    for coded in corpus.codings.values():
        coder += [coder_index.setdefault(name, len(coder_index)) for name in coded]
        segmentations += coded.values()
    n_coders = np.array([len(coded) for coded in corpus.codings.values()], dtype=np.int64)
    starts = np.cumsum(n_coders) - n_coders
    return Coded(
        corpus.documents,
        tuple(coder_index),
        pack_pairs(segmentations, *_pairs(starts, n_coders)),
        np.repeat(np.arange(len(n_coders)), n_coders),
        np.array(coder, dtype=np.int64),
        starts,
        n_coders,
    )


def _pairs(starts: IntArray, n_coders: IntArray) -> tuple[IntArray, IntArray]:
    """Number every two codings of every document, all documents with as many coders at a time."""
    first: list[IntArray] = [np.empty(0, dtype=np.int64)]
    second: list[IntArray] = [np.empty(0, dtype=np.int64)]
    for n in np.unique(n_coders).tolist():
        one, other = np.triu_indices(n, 1)
        where = starts[n_coders == n, np.newaxis]
        first.append((where + one).ravel())
        second.append((where + other).ravel())
    return np.concatenate(first), np.concatenate(second)

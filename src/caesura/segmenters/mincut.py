"""MinCut: segments between which a graph of similarities has the least normalized cut.

Malioutov & Barzilay (2006), Minimum cut model for spoken lecture segmentation, ACL.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray
from caesura.declaration import flag, number, optional_whole, whole
from caesura.segmenters import similarities
from caesura.segmenters.base import Searching
from caesura.segmenters.text import Terms, UnitsLike, count_terms, texts_of, words_parameter


@dataclass(frozen=True, repr=False)
class MinCut(Searching):
    """MinCut: cut a graph of the units at the least normalized cut.

    Units are vertices. Two units at most ``edge`` apart that share a term have an edge of weight
    w(u, v) = e^cos of their terms. Dynamic programming finds the K segments A that minimize

    Σ cut(A, rest) / vol(A), cut(A, rest) = vol(A) − Σ_{u, v ∈ A} w(u, v), vol(A) = Σ_{u ∈ A, v} w(u, v)

    Terms weigh tf · ln(chunks / df), where df counts the document's equal chunks that contain the term;
    e^(−decay · d) of the d-th unit after a unit is added to it. A unit without terms would be a segment
    without cost, so it is not a vertex and belongs to the unit before it.

    With ``as_published`` sums inside segments omit edges between neighbors, as in the original program. Two
    more details of ``as_published`` are inferred: chunks have ⌊n / chunks⌋ units, and the last also the rest;
    units without terms are vertices. They were chosen because all four published errors on two courses of
    lectures are then met within .003, so these errors do not confirm them.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> MinCut()(text, 2).masses
    (3, 3)
    """

    name = "MinCut"
    title = "minimum normalized cut, MinCut"
    meaning = "the segments with the least similarity to the rest, relative to their similarity to all"
    citation = "Malioutov & Barzilay (2006), Minimum cut model for spoken lecture segmentation, ACL"
    cost = "time K n² + n edge × terms, memory 16 n (2 edge + K) bytes; with longest=l time K n l"

    edge: int = whole(95, "most units between two units with an edge", minimum=1)
    chunks: int = whole(15, "equal parts of the document; tf-idf counts them as documents", minimum=2)
    smoothing: int = whole(4, "units after one that are added to it", minimum=0)
    decay: float = number(1.1, "added weights fall by e^(−decay) with each unit")
    length: int = whole(20, "mean units of a segment if the number of segments is not given", minimum=1)
    longest: int | None = optional_whole("most units of a segment; bounds time", minimum=1)
    as_published: bool = flag(False, "sum, connect and divide into chunks as the original program does")
    words: str | Terms = words_parameter("mit")
    vectors: similarities.Vectors | None = similarities.vectors_parameter()

    def search(self, units: UnitsLike, n_segments: int | None) -> tuple[IntArray, float]:
        """Return the positions of the segmentation with the least normalized cut, and the cut."""
        n_units = len(texts_of(units))
        wanted = max(1, round(n_units / self.length)) if n_segments is None else n_segments
        n_bytes = 8 * n_units * (4 * min(self.edge + 1, n_units) + 2 * (wanted + 1))
        remedy = f"take an edge below {self.edge}, or fewer segments than {wanted:,} (n_segments, length)"
        self.check_memory(n_units, n_bytes, remedy)
        edges, vertices = self.edges(units)
        if not len(vertices):
            return np.arange(1, wanted, dtype=np.int64), 0.0
        n_cut = min(wanted, len(vertices))
        self.check_longest(n_cut, self.longest, len(vertices), "units with terms")
        options = n_cut, self.longest or len(vertices), self.as_published
        positions, cut = kernel.active_segmenting.normalised_cut(edges, *options)
        return _filled(vertices[positions], n_units, wanted), cut

    def edges(self, units: UnitsLike) -> tuple[FloatArray, IntArray]:
        """Return the weights of edges, ``[i, d]`` between i and i + d, and the units that are vertices."""
        texts = texts_of(units)
        if self.vectors is not None:
            vectors = similarities.encoded(self.vectors, texts)
            vertices = np.flatnonzero(vectors.any(axis=1))
            products = similarities.products_of_vectors(vectors[vertices])
        else:
            counts = count_terms(texts, self.words)
            vertices = np.arange(len(texts)) if self.as_published else np.flatnonzero(np.diff(counts.offsets))
            if len(vertices) < len(texts):
                counts = count_terms([texts[unit] for unit in vertices.tolist()], self.words)
            fading = self.chunks, self.smoothing, self.decay
            rows = similarities.tf_idf(counts, counts.weights, *fading, rest_to_last=self.as_published)
            products = similarities.products_of_terms(rows)
        cosines = similarities.near_cosines(products, max(0, min(self.edge, len(vertices) - 1)))
        edges = np.exp(np.minimum(cosines, 1.0))
        if self.vectors is None:
            edges[cosines <= 0.0] = 0.0
        edges[:, 0] = math.e
        for d in range(1, edges.shape[1]):
            edges[len(vertices) - d :, d] = 0.0
        return edges, vertices


def _filled(positions: IntArray, n_units: int, n_segments: int) -> IntArray:
    """Return the boundaries of ``n_segments`` segments, filled up at the first free gaps if needed."""
    free = np.setdiff1d(np.arange(1, n_units), positions)[: n_segments - 1 - len(positions)]
    return np.sort(np.concatenate([positions, free])).astype(np.int64)

"""C99 and CWM: divisive clustering of ranked similarities of units, of words or of LSA vectors.

Choi (2000), Advances in domain independent linear text segmentation, NAACL; as his program runs. Choi,
Wiemer-Hastings & Moore (2001), Latent semantic analysis for text segmentation, EMNLP. HC99 and HCWM are the
hierarchies of all splits: Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from caesura import kernel
from caesura.arrays import FloatArray, IntArray, bincount, divided
from caesura.checks import check_whole
from caesura.declaration import number, optional_whole, parameter, whole
from caesura.errors import ParameterError
from caesura.segmenters.base import Segmenter, ascending
from caesura.segmenters.similarities import Products, Range, Vectors, blocks, products_of, vectors_parameter
from caesura.segmenters.text import Terms, UnitsLike, count_terms, texts_of, words_of, words_parameter
from caesura.values.corpus import Corpus
from caesura.values.hierarchy import Hierarchy
from caesura.wording import counted

SMOOTHING = np.array([1.0, 2.0, 4.0, 8.0, 4.0, 2.0, 1.0])
"""Weights of the gradients around each, renormalized at both ends."""

SUGGESTED_WINDOW = 500


def _odd(name: str, value: Any) -> int:
    side = check_whole(name, value, 3)
    if not side % 2:
        raise ParameterError(f"{name} is {side}: expected an odd number, so that a cell is in the middle")
    return side


@dataclass(frozen=True, repr=False)
class C99(Segmenter):
    """C99: split where the ranks of similarities inside segments become densest.

    The rank of a cell of the matrix of cosines is the share of its neighbors in the mask that are smaller.
    The density of a segmentation is Σ rank inside segments / Σ cells inside segments. Each segment has one
    candidate, the split that makes the segment densest; C99 repeatedly takes the candidate that makes the
    document densest. If the number of segments is not given, the gradients of the density over the splits are
    smoothed, and splits are taken before the first that does not exceed mean + cutoff × standard deviation.

    The score of a gap is the least smoothed gradient up to its split; the boundaries of the automatic choice
    are the gaps with scores above that limit.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> C99()(text, 2).masses
    (3, 3)
    """

    name = "C99"
    title = "divisive clustering of ranked similarities, C99"
    meaning = "splits that make the ranks of cosines inside segments densest, the greatest gain first"
    citation = "Choi (2000), Advances in domain independent linear text segmentation, NAACL"
    cost = "time n² mask², memory 8 n² bytes; with window=w time n w mask², memory 16 n w bytes"
    has_scores = True
    has_hierarchy = True

    mask: int = parameter(11, "side of the square of neighbors a cell is ranked among, an odd number", _odd)
    cutoff: float = number(1.2, "standard deviations above the mean gradient of a split that is taken")
    window: int | None = optional_whole("most units between two compared units; bounds memory", minimum=1)
    words: str | Terms = words_parameter("choi")
    vectors: Vectors | None = vectors_parameter()

    def boundaries(self, units: UnitsLike, n_segments: int | None) -> IntArray:
        if n_segments is not None:
            return ascending(self.splits(units, n_segments - 1)[0])
        positions, densities = self.splits(units)
        return ascending(positions[: self._n_taken(_smoothed(np.diff(densities)))])

    def scores(self, units: UnitsLike) -> FloatArray:
        positions, densities = self.splits(units)
        scores = np.empty(len(positions))
        scores[positions - 1] = np.minimum.accumulate(_smoothed(np.diff(densities)))
        return scores

    def hierarchy(self, units: UnitsLike, n_segments: int | None = None) -> Hierarchy:
        """Return all splits, or the first n_segments − 1, ranked in order (HC99)."""
        n_units, wanted = self.checked(units, n_segments)
        positions, _ = self.splits(units, None if wanted is None else wanted - 1)
        ranks = {position: rank for rank, position in enumerate(positions.tolist(), start=1)}
        return Hierarchy.from_ranks(ranks, n_units)

    def splits(self, units: UnitsLike, n_splits: int | None = None) -> tuple[IntArray, FloatArray]:
        """Return the positions of the first splits, or all, and the densities before and after each."""
        texts = texts_of(units)
        n_units = len(texts)
        window = n_units if self.window is None else min(self.window, n_units)
        n_bytes, bounded = (
            8 * n_units * (_width(n_units, most) + 1) for most in (window, min(SUGGESTED_WINDOW, window))
        )
        remedy = f"{self.name}(window={SUGGESTED_WINDOW}) compares none further apart and takes"
        self.check_memory(n_units, n_bytes, f"{remedy} {bounded / 1e9:,.1f} GB")
        products = products_of(texts, self.words, self.vectors)
        sums, starts = _summed_ranks(products, n_units, self.mask, window)
        wanted = n_units - 1 if n_splits is None else n_splits
        return kernel.active_segmenting.divide(sums, starts, window, wanted)

    def _n_taken(self, gradients: FloatArray) -> int:
        """Return the number of splits before the first that does not exceed the limit."""
        if not len(gradients):
            return 0
        limit = gradients.mean() + self.cutoff * gradients.std()
        return int(np.append(gradients <= limit, True).argmax())


@dataclass(frozen=True, repr=False)
class HC99(C99):
    """HC99: all splits of C99, ranked in their order.

    >>> text = ["cats purr", "a cat purrs", "cats", "dogs bark", "the dog barks", "dogs"]
    >>> HC99().hierarchy(text).level(1).masses
    (3, 3)
    """

    name = "HC99"
    title = "hierarchy of C99's splits, HC99"
    meaning = "all splits of C99; a boundary's rank is its place in their order"
    citation = "Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL, §3"
    is_hierarchical = True


def _smoothed(gradients: FloatArray) -> FloatArray:
    if not len(gradients):
        return gradients
    inside = slice(len(SMOOTHING) // 2, len(SMOOTHING) // 2 + len(gradients))
    weights = np.convolve(np.ones(len(gradients)), SMOOTHING)[inside]
    return np.asarray(np.convolve(gradients, SMOOTHING)[inside] / weights)


# -------------------------------------------------------------------- similarities

# Ranks need the order of cosines, not their size. cos |cos| has the same order, and equal cosines of
# counts are equal to the last bit: it is one division of whole numbers. Square roots would break such ties.


def _signed_squares(products: Products, rows: Range, columns: Range) -> FloatArray:
    """Return cos |cos|; 0 for a unit without terms."""
    norms = np.outer(products.squares[slice(*rows)], products.squares[slice(*columns)])
    squares = products.between(rows, columns)
    squares *= np.abs(squares)
    return divided(squares, norms)


# -------------------------------------------------------------------- sums of ranks


def _width(n_units: int, window: int) -> int:
    """Return the number of stored cells of a row."""
    return min(n_units, 2 * window + 1)


def _summed_ranks(products: Products, n_units: int, mask: int, window: int) -> tuple[FloatArray, IntArray]:
    """Return the cumulative sums of each row's ranks, and the first column of each row."""
    width, reach = _width(n_units, window), mask // 2
    starts = np.clip(np.arange(n_units, dtype=np.int64) - window, 0, n_units - width)
    sums = np.zeros((n_units, width + 1))
    for first, last in blocks(n_units):
        # Include the neighbors of all cells, so that only the document's edges clip the mask.
        rows = max(first - reach, 0), min(last + reach, n_units)
        columns = max(int(starts[first]) - reach, 0), min(int(starts[last - 1]) + width + reach, n_units)
        similarities = _signed_squares(products, rows, columns)
        ranks = kernel.active_segmenting.ranks(similarities, mask)[first - rows[0] :]
        if width == n_units:
            np.cumsum(ranks[: last - first], axis=1, out=sums[first:last, 1:])
            continue
        for row in range(first, last):
            start = starts[row] - columns[0]
            np.cumsum(ranks[row - first, start : start + width], out=sums[row, 1:])
    return sums, starts


NOISE = 1e-10  # smaller numbers of a space are rounding errors


class Origin(NamedTuple):
    """The corpus of a space."""

    name: str
    size: str  # its size and its digest


class Space:
    """A space of latent semantic analysis: a vector for each term of the fitted corpus.

    A text's vector is the sum of the vectors of its tokens; unknown terms are ignored.
    """

    is_remembered = False

    def __init__(
        self, vectors: FloatArray, vocabulary: Sequence[str], words: str | Terms, corpus: Origin
    ) -> None:
        self.vectors = vectors
        self.vectors.flags.writeable = False
        self.numbers = {term: number for number, term in enumerate(vocabulary)}
        self.words = words
        self.corpus = corpus

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        terms_of = words_of(self.words)
        rows = np.zeros((len(texts), self.vectors.shape[1]))
        for row, text in zip(rows, texts, strict=True):
            numbers = [self.numbers[term] for term in terms_of(text) if term in self.numbers]
            np.sum(self.vectors[numbers], axis=0, out=row)
        return rows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.corpus, self.words, tuple(self.numbers), self.vectors.shape, self.vectors.tobytes()

    def __repr__(self) -> str:
        digest = hashlib.sha256(self.vectors.tobytes()).hexdigest()[:12]
        of = f"{self.corpus.name}: {self.corpus.size}"
        return f"<LSA of {of}, rank {self.vectors.shape[1]}, sha256 {digest}>"


def latent_space(
    documents: Iterable[Sequence[str]], words: str | Terms, rank: int, passage: int, corpus: Origin
) -> Space:
    """Return a space of documents: vectors of terms are the first left singular vectors of terms × passages.

    A passage is ``passage`` units in a row. Frequencies weigh ln(tf + 1) · (1 − entropy of the term over the
    passages / ln passages), as is usual for LSA (Landauer, Foltz & Laham 1998).
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import svds

    units = list(documents)
    counts = count_terms((unit for document in units for unit in document), words)
    of_unit = _passages([len(document) for document in units], passage)
    n_passages, n_terms = int(of_unit[-1]) + 1, counts.n_terms
    if min(n_passages, n_terms) <= rank:
        passages = f"{counted(n_passages, 'passage')} (of {counted(passage, 'unit')})"
        fault = f"rank is {rank}, but {corpus.name} has {passages} with {counted(n_terms, 'term')}"
        raise ParameterError(f"{fault}: expected a lower rank, shorter passages, or more texts")
    per_unit = csr_matrix((counts.weights, counts.terms, counts.offsets), shape=(counts.n_units, n_terms))
    members = csr_matrix((np.ones(len(of_unit)), (of_unit, np.arange(len(of_unit)))))
    matrix = (members @ per_unit).tocsr()
    total = bincount(matrix.indices, matrix.data, minlength=n_terms)
    share = matrix.data / total[matrix.indices]
    entropy = -bincount(matrix.indices, share * np.log(share), minlength=n_terms)
    matrix.data = np.log1p(matrix.data) * (1.0 - entropy / np.log(n_passages))[matrix.indices]
    # A given start vector makes ARPACK deterministic.
    _, sizes, terms = svds(matrix, k=rank, v0=np.ones(min(n_passages, n_terms)))
    vectors = terms[sizes > NOISE * sizes.max()].T
    vectors = np.where(np.abs(vectors) > NOISE, vectors, 0.0)
    return Space(_with_sign(vectors), counts.vocabulary, words, corpus)


def _passages(lengths: Sequence[int], passage: int) -> IntArray:
    """Return the passage of each unit; passages do not cross documents.

    >>> _passages([3, 1, 4], 2).tolist()
    [0, 0, 1, 2, 3, 3, 4, 4]
    """
    inside = np.concatenate([np.arange(length) % passage == 0 for length in lengths])
    return np.cumsum(inside) - 1


def _with_sign(vectors: FloatArray) -> FloatArray:
    """Return the vectors with positive maxima in each dimension: the SVD does not determine signs."""
    greatest = np.abs(vectors).argmax(axis=0)
    return np.ascontiguousarray(vectors * np.sign(vectors[greatest, np.arange(vectors.shape[1])]))


@dataclass(frozen=True, repr=False)
class CWM(C99):
    """CWM: C99 with cosines of units in a space of latent semantic analysis.

    ``CWM(rank=100).fit(corpus)`` learns the space and returns the segmenter; its signature names the corpus.
    The space has the first left singular vectors of terms × passages, weighted by logarithm and entropy; a
    unit's vector is the sum of those of its terms. Fit it on other texts than you segment: a corpus that
    shares texts contaminates the result (on Choi's documents Pk is .06 when fitted on them, .31 when fitted
    on lectures).

    >>> from caesura.values.corpus import Corpus
    >>> pets = ["cats purr", "a cat purrs", "cats sleep", "dogs bark", "the dog barks", "dogs run"]
    >>> corpus = Corpus.from_dict({"pets": {"ann": [3, 3]}}).with_texts({"pets": pets})
    >>> CWM(rank=2, passage=1).fit(corpus)(pets, 2).masses
    (3, 3)
    """

    name = "CWM"
    title = "C99 on latent semantic analysis, CWM"
    meaning = "C99's splits, with cosines of units in a space learned from a corpus"
    citation = "Choi, Wiemer-Hastings & Moore (2001), Latent semantic analysis for text segmentation, EMNLP"
    needs = "the texts of the units, and a corpus of other texts to fit"
    is_fitted = True

    rank: int = whole(100, "dimensions of the space", minimum=1)
    passage: int = whole(10, "adjacent units that form one text of the fitted corpus", minimum=1)

    def splits(self, units: UnitsLike, n_splits: int | None = None) -> tuple[IntArray, FloatArray]:
        if self.vectors is None:
            raise ParameterError(f"{self.name} has no space yet: call {self.name}().fit(corpus) first")
        return super().splits(units, n_splits)

    def __repr__(self) -> str:
        if not isinstance(self.vectors, Space):
            return super().__repr__()
        return f"{dataclasses.replace(self, vectors=None)!r} fitted on {self.vectors.corpus.name}"

    def fit(self, corpus: Corpus, name: str | None = None) -> Self:
        """Return the segmenter with the space of the corpus's passages."""
        if corpus.texts is None or not len(corpus.texts.strings):
            raise ParameterError(f"{self.name}: this corpus has no texts to learn from: read it with them")
        texts = list(corpus.texts.strings)
        digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
        size = f"{counted(len(corpus.documents), 'document')} with {counted(len(texts), 'unit')}"
        origin = Origin(name or "texts", f"{size}, sha256 {digest}")
        space = latent_space(corpus.units.values(), self.words, self.rank, self.passage, origin)
        return dataclasses.replace(self, vectors=space)


@dataclass(frozen=True, repr=False)
class HCWM(CWM):
    """HCWM: all splits of CWM, ranked in their order.

    >>> HCWM(rank=2)
    HCWM(rank=2)
    """

    name = "HCWM"
    title = "hierarchy of CWM's splits, HCWM"
    meaning = "all splits of CWM; a boundary's rank is its place in their order"
    citation = "Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL, §3"
    is_hierarchical = True

"""CWM and HCWM: C99 on the similarities of vectors from latent semantic analysis.

Choi, Wiemer-Hastings & Moore (2001), Latent semantic analysis for text segmentation, EMNLP. HCWM is the
hierarchy of all its splits: Carroll (2010), Evaluating hierarchical discourse segmentation, NAACL.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from caesura.arrays import FloatArray, IntArray, bincount
from caesura.declaration import whole
from caesura.errors import ParameterError
from caesura.segmenters.c99 import C99
from caesura.segmenters.text import Terms, UnitsLike, count_terms, words_of
from caesura.values.corpus import Corpus
from caesura.wording import counted

NOISE = 1e-10  # numbers of a space below this are rounding: a cosine of noise would be 1


class Origin(NamedTuple):
    """The corpus that a space was learnt from."""

    name: str
    size: str  # its size and its digest


class Space:
    """A space of latent semantic analysis: a vector for each term of the corpus that it was fitted on.

    A text's vector is the sum of those of its terms, each as often as it occurs; terms that the corpus does
    not have are left out.
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
    """Fit a space on documents: the vectors of terms are the first left singular vectors of terms × passages.

    A passage is so many units in a row. Frequencies in it weigh ln(tf + 1) · (1 − entropy of the term over
    the passages / ln passages), as is usual for LSA (Landauer, Foltz & Laham 1998).
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import svds

    units = list(documents)
    counts = count_terms((unit for document in units for unit in document), words)
    of_unit = _passages([len(document) for document in units], passage)
    n_passages, n_terms = int(of_unit[-1]) + 1, counts.n_terms
    if min(n_passages, n_terms) <= rank:
        raise ParameterError(
            f"rank is {rank}, but {corpus.name} has {counted(n_passages, 'passage')} (of "
            f"{counted(passage, 'unit')}) with {counted(n_terms, 'term')}: expected a lower rank, shorter "
            "passages, or more texts"
        )
    per_unit = csr_matrix((counts.weights, counts.terms, counts.offsets), shape=(counts.n_units, n_terms))
    members = csr_matrix((np.ones(len(of_unit)), (of_unit, np.arange(len(of_unit)))))
    matrix = (members @ per_unit).tocsr()
    total = bincount(matrix.indices, matrix.data, minlength=n_terms)
    share = matrix.data / total[matrix.indices]
    entropy = -bincount(matrix.indices, share * np.log(share), minlength=n_terms)
    matrix.data = np.log1p(matrix.data) * (1.0 - entropy / np.log(n_passages))[matrix.indices]
    # A start that is given makes ARPACK deterministic.
    _, sizes, terms = svds(matrix, k=rank, v0=np.ones(min(n_passages, n_terms)))
    vectors = terms[sizes > NOISE * sizes.max()].T
    vectors = np.where(np.abs(vectors) > NOISE, vectors, 0.0)
    return Space(_with_sign(vectors), counts.vocabulary, words, corpus)


def _passages(lengths: Sequence[int], passage: int) -> IntArray:
    """Return the passage of each unit; none reaches into another document.

    >>> _passages([3, 1, 4], 2).tolist()
    [0, 0, 1, 2, 3, 3, 4, 4]
    """
    inside = np.concatenate([np.arange(length) % passage == 0 for length in lengths])
    return np.cumsum(inside) - 1


def _with_sign(vectors: FloatArray) -> FloatArray:
    """Return the vectors with the greatest number of each dimension above 0: the SVD leaves signs open."""
    greatest = np.abs(vectors).argmax(axis=0)
    return np.ascontiguousarray(vectors * np.sign(vectors[greatest, np.arange(vectors.shape[1])]))


@dataclass(frozen=True, repr=False)
class CWM(C99):
    """CWM: C99, with cosines of the units' vectors in a space of latent semantic analysis.

    The space is learnt first: ``CWM(rank=100).fit(corpus)`` gives the segmenter with it, its signature names
    the corpus. It has the first left singular vectors of terms × passages, weighted by logarithm and entropy;
    a unit's vector is the sum of those of its terms. A corpus that shares texts with those that are segmented
    contaminates the result (on Choi's documents Pk is .06 when it is fitted on them, .31 when it is
    fitted on lectures): fit it on others.

    >>> from caesura.values.corpus import Corpus
    >>> pets = ["cats purr", "a cat purrs", "cats sleep", "dogs bark", "the dog barks", "dogs run"]
    >>> corpus = Corpus.from_dict({"pets": {"ann": [3, 3]}}).with_texts({"pets": pets})
    >>> CWM(rank=2, passage=1).fit(corpus)(pets, 2).masses
    (3, 3)
    """

    name = "CWM"
    title = "C99 on latent semantic analysis, CWM"
    meaning = "C99's splits, from cosines of units in a space that was learnt from a corpus"
    citation = "Choi, Wiemer-Hastings & Moore (2001), Latent semantic analysis for text segmentation, EMNLP"
    needs = "the texts of the units, and a corpus of other texts to fit"
    is_fitted = True

    rank: int = whole(100, "dimensions of the space", minimum=1)
    passage: int = whole(10, "units in a row that are one text of the corpus it is fitted on", minimum=1)

    def splits(self, units: UnitsLike, n_splits: int | None = None) -> tuple[IntArray, FloatArray]:
        if self.vectors is None:
            raise ParameterError(
                f"{self.name} has no space yet: {self.name}().fit(corpus) learns one from texts"
            )
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

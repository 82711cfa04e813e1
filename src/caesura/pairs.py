"""Which codings are compared with which: the only packer of a corpus, used by every analysis.

The columns of a corpus are read where they are; a pair is two numbers of codings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.arrays import IntArray
from caesura.errors import ComparisonError, CorpusError, UnknownNameError, did_you_mean
from caesura.kernel.batch import Documents, PackedPairs
from caesura.values.corpus import Corpus
from caesura.wording import listed

PROJECT = "; hypotheses.onto(references) (--units reference) puts them on the references' units"

LISTED = 3
"""How many documents a message names."""


class Pair(NamedTuple):
    """Two codings of one document."""

    document: str
    first: str
    second: str


def every_two(corpus: Corpus, *, both_ways: bool = False) -> PackedPairs:
    """Return every two codings of every document, in the order of documents and of their coders.

    With ``both_ways``, each two of a document follow again with the sides exchanged.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [3, 2], "cy": [5]}, "e": {"bob": [4]}})
    >>> pairs = every_two(corpus)
    >>> pairs.first.tolist(), pairs.second.tolist()
    ([0, 0, 1], [1, 2, 2])
    """
    # In the order of coders, each coding has those that follow it in its document as partners.
    place = np.arange(len(corpus))
    n_partners = corpus.starts[corpus.document + 1] - place - 1
    first = place.repeat(n_partners)
    before = n_partners.cumsum() - n_partners
    second = np.arange(len(first)) + (place + 1 - before).repeat(n_partners)
    if both_ways:
        first, second = np.concatenate((first, second)), np.concatenate((second, first))
        by_document = np.argsort(corpus.document[first], kind="stable")
        first, second = first[by_document], second[by_document]
    sides = corpus.in_order[first], corpus.in_order[second]
    return PackedPairs.among(corpus.codings, *sides, documents_of(corpus))


def documents_of(corpus: Corpus) -> Documents:
    """Return which document each coding of a corpus segments."""
    return Documents(corpus.document_names, corpus.document)


@lru_cache(maxsize=64)
def coder_pairs(n: int, both_ways: bool) -> tuple[IntArray, IntArray]:
    """Return the first and the second of every two of n coders; with ``both_ways``, then exchanged.

    >>> [side.tolist() for side in coder_pairs(3, both_ways=False)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(n, 1)
    if both_ways:
        first, second = np.concatenate((first, second)), np.concatenate((second, first))
    first.flags.writeable = second.flags.writeable = False
    return first, second


@dataclass(frozen=True, eq=False)
class Judged:
    """Every segmenter against every reference coding of every document.

    The subjects are the reference codings; all segmenters are compared with the same ones in the same
    order, so that tests can pair them.
    """

    references: Corpus
    segmenters: tuple[str, ...]
    pairs: tuple[PackedPairs, ...]
    """Reference and hypothesis of each coding, by segmenter."""

    @property
    def n_codings(self) -> int:
        """Number of reference codings: the comparisons of one segmenter."""
        return len(self.references)

    def by_document(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Sum rows of codings over the coders of each document."""
        return sum_by(rows, self.references.document, len(self.references.document_names))

    def by_coder(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Sum rows of codings over the documents of each coder."""
        return sum_by(rows, self.references.coder, len(self.references.coder_names))

    @cached_property
    def reference_rows(self) -> tuple[IntArray, IntArray]:
        """Where each document's reference codings start, and their numbers: what metrics of many take."""
        return self.references.starts, np.arange(len(self.references))


def judge(references: Corpus, hypotheses: Corpus, segmenters: Sequence[str] | None = None) -> Judged:
    """Pair every segmenter (a coder of ``hypotheses``) with every coding of ``references``.

    Every segmenter must have segmented every document of the references, so that all are judged on the
    same; a document that only the hypotheses have is refused too.
    """
    names = hypotheses.coders if segmenters is None else tuple(segmenters)
    if not references.n_codings:
        raise CorpusError("the references have no documents that anybody has coded")
    references, hypotheses = references.coded, hypotheses.coded
    if not names:
        raise CorpusError("the hypotheses have no segmenter")
    theirs = _same_documents(references, hypotheses)
    rows = []
    for name in names:
        coder = hypotheses.coder_numbers.get(name)
        if coder is None:
            raise UnknownNameError(f"there is no segmenter {name!r}; {did_you_mean(name, hypotheses.coders)}")
        found = hypotheses.rows(np.maximum(theirs, 0), np.full(len(theirs), coder))
        found[theirs < 0] = -1
        _check_documents(references, hypotheses, name, coder, found)
        _check_units(references, hypotheses, name, found)
        rows.append(found)
    _check_places(references, hypotheses, theirs)
    each = np.arange(len(references))
    return Judged(
        references,
        names,
        tuple(
            PackedPairs(
                references.codings,
                hypotheses.codings,
                each,
                found[references.document],
                documents_of(references),
            )
            for found in rows
        ),
    )


def _same_documents(references: Corpus, hypotheses: Corpus) -> IntArray:
    """Return the hypotheses' number of each document of the references; -1 where they lack it."""
    if references.document_names == hypotheses.document_names:
        return np.arange(len(references.document_names))
    known = hypotheses.document_numbers
    return np.array([known.get(name, -1) for name in references.documents], dtype=np.int64)


def _check_documents(
    references: Corpus, hypotheses: Corpus, segmenter: str, coder: int, rows: IntArray
) -> None:
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        raise CorpusError(
            f"segmenter {segmenter} lacks {_listed(references, missing)} of the {len(rows)} reference "
            "documents; add them, or select the documents that all segmenters have"
        )
    segmented = hypotheses.document[hypotheses.coder == coder]
    if len(segmented) > len(rows):
        judged = np.zeros(len(hypotheses.document_names), dtype=bool)
        judged[hypotheses.document[rows]] = True
        unknown = segmented[~judged[segmented]]
        raise CorpusError(
            f"segmenter {segmenter} has {_listed(hypotheses, unknown)}, which no reference coder has; "
            "remove them, or add references"
        )


def _check_units(references: Corpus, hypotheses: Corpus, segmenter: str, rows: IntArray) -> None:
    n_units = hypotheses.codings.n_units[rows]
    wrong = np.flatnonzero(n_units != references.document_units)
    if len(wrong):
        document = int(wrong[0])
        raise ComparisonError(
            f"document {references.documents[document]}: segmenter {segmenter} has {n_units[document]} "
            f"units where the references have {references.document_units[document]}: all must segment the "
            f"same units{PROJECT if hypotheses.spans else ''}"
        )


def _check_places(references: Corpus, hypotheses: Corpus, theirs: IntArray) -> None:
    """Refuse units of one number that stand at other places, where both are known."""
    one, other = references.unit_columns, hypotheses.unit_columns
    if one is None or other is None or one is other:
        return
    place = one.first_difference(np.arange(len(theirs)), other, theirs)
    if place is not None:
        raise ComparisonError(
            f"document {references.documents[place]}: the references have {one[place]!r} and the segmenters "
            f"{other[int(theirs[place])]!r}: all must segment the same units{PROJECT}"
        )


def _listed(corpus: Corpus, documents: IntArray) -> str:
    names = [corpus.documents[number] for number in documents.tolist()]
    return f"{len(names)} ({listed(names, LISTED)})"


def sum_by(rows: NDArray[Any], group: IntArray, n_groups: int) -> NDArray[Any]:
    """Sum rows over the members of each group.

    >>> sum_by(np.array([[1, 2], [3, 4], [5, 6]]), np.array([0, 0, 1]), 2).tolist()
    [[4, 6], [5, 6]]
    """
    step = np.diff(group)
    if len(group) and bool((step >= 0).all()) and np.count_nonzero(step) + 1 == n_groups:
        if len(group) == n_groups:
            return rows
        sums: NDArray[Any] = np.add.reduceat(rows, np.flatnonzero(np.append(1, step)), axis=0)
        return sums
    sums = np.zeros((n_groups, *rows.shape[1:]), dtype=rows.dtype)
    np.add.at(sums, group, rows)
    return sums

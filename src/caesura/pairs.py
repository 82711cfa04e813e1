"""Pairs of codings to compare; every analysis makes them here.

The columns of a corpus are not copied; a pair is two numbers of codings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.alignment.packed import Documents, PackedPairs
from caesura.arrays import IntArray, bincount, repeat
from caesura.errors import ComparisonError, CorpusError, unknown
from caesura.metrics.base import Metric
from caesura.metrics.edit import EditMetric
from caesura.metrics.registry import metric_for
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.strings import Strings, offsets_of
from caesura.values.type_scheme import unite_schemes
from caesura.wording import listed, short

PROJECT = "; hypotheses.onto(references) puts them on the references' units"

MOST_PAIRS = 1 << 27
"""Pairs of codings that are compared at a time: beyond that they take more than ten gigabytes."""

LISTED = 3
"""How many documents a message names."""


class Pair(NamedTuple):
    """Two codings of one document."""

    document: str
    first: str
    second: str


def coded(corpus: Corpus, name: str = "the corpus") -> Corpus:
    """Return the annotated documents; raise CorpusError without any."""
    if not isinstance(corpus, Corpus):
        raise CorpusError(f"{name} is {short(corpus)}: expected a Corpus, as cs.read returns it")
    if not corpus.n_codings:
        is_text = corpus.metadata.get("format") == "text"
        hint = "; marker= names the lines that separate segments" if is_text else ""
        raise CorpusError(f"{corpus.metadata.get('source', name)} has no annotations{hint}")
    return corpus.coded


def every_two(corpus: Corpus, *, both_ways: bool = False) -> PackedPairs:
    """Return every two codings of every document, in the order of documents and of their coders.

    With ``both_ways``, each two of a document follow again with the sides exchanged.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [3, 2], "cy": [5]}, "e": {"bob": [4]}})
    >>> pairs = every_two(corpus)
    >>> pairs.first.tolist(), pairs.second.tolist()
    ([0, 0, 1], [1, 2, 2])
    """
    _check_pairs(corpus)
    # In the order of coders, each coding is paired with the later codings of its document.
    coding = np.arange(len(corpus))
    n_partners = corpus.starts[corpus.document + 1] - coding - 1
    first = repeat(coding, n_partners)
    before = n_partners.cumsum() - n_partners
    second = np.arange(len(first)) + repeat(coding + 1 - before, n_partners)
    if both_ways:
        first, second = np.concatenate((first, second)), np.concatenate((second, first))
        by_document = np.argsort(corpus.document[first], kind="stable")
        first, second = first[by_document], second[by_document]
    sides = corpus.in_order[first], corpus.in_order[second]
    return PackedPairs.among(corpus.codings, *sides, documents_of(corpus))


def _check_pairs(corpus: Corpus) -> None:
    """Raise CorpusError for too many pairs; they grow with the square of a document's coders."""
    n_coders = corpus.n_coders
    n_pairs = int((n_coders * (n_coders - 1) // 2).sum())
    if n_pairs > MOST_PAIRS:
        most = int(np.argmax(n_coders))
        document = f"document {short_name(corpus.documents[most])} alone has {int(n_coders[most]):,} coders"
        fault = f"there are {n_pairs:,} pairs of codings, more than {MOST_PAIRS:,}"
        raise CorpusError(f"{fault}: {document}; select fewer coders or documents")


def documents_of(corpus: Corpus) -> Documents:
    """Return which document each coding of a corpus segments."""
    return Documents(corpus.document_names, corpus.document)


@dataclass(frozen=True, eq=False)
class Subjects:
    """Reference codings, by document; all segmenters are compared with them in this order."""

    corpus: Corpus
    rows: IntArray
    """Their numbers in the corpus."""
    document: IntArray
    """The document of each, numbered among documents with reference codings."""
    documents: IntArray
    """The corpus's numbers of these documents."""

    @classmethod
    def of(cls, corpus: Corpus, coders: Sequence[str] | None = None) -> Subjects:
        """Return the codings of these coders, or all, without a copy."""
        if coders is None:
            corpus = corpus.coded
            return cls(corpus, np.arange(len(corpus)), corpus.document, np.arange(len(corpus.document_names)))
        rows = corpus.rows_of_coders(coders)
        document = corpus.document[rows]
        is_new = np.diff(document, prepend=-1) != 0
        return cls(corpus, rows, np.cumsum(is_new) - 1, document[is_new])

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def document_names(self) -> Strings:
        """The names of the documents."""
        return self.corpus.document_names.take(self.documents)

    @cached_property
    def document_units(self) -> IntArray:
        """The length of each document."""
        return self.corpus.codings.n_units[self.rows[self.starts[:-1]]]

    @cached_property
    def n_coders(self) -> IntArray:
        """The reference codings of each document."""
        return bincount(self.document, minlength=len(self.documents))

    @cached_property
    def starts(self) -> IntArray:
        """The first reference coding of each document, and their number."""
        return offsets_of(self.n_coders)


class Typed(NamedTuple):
    """Coders of each side who mark boundaries of types or ranks other than 1; ``|`` merges parts."""

    references: frozenset[str] = frozenset()
    segmenters: frozenset[str] = frozenset()

    def __or__(self, more: Typed) -> Typed:
        return Typed(self.references | more.references, self.segmenters | more.segmenters)


def types_lacking(
    metrics: Sequence[Metric],
    types: bool | None,
    typed: Typed,
    references: Sequence[str],
    segmenters: Sequence[str],
) -> tuple[str, ...]:
    """Return the coders without types that the other side has and a metric compares; types are then ignored.

    One measure serves all segmenters, so all need types if references have them.

    >>> from caesura import metric
    >>> types_lacking([metric("B")], None, Typed(frozenset({"gold"})), ["gold"], ["mine"])
    ('mine',)
    """
    sees_types = any(isinstance(metric, EditMetric) and metric.types is None for metric in metrics)
    if types is not None or not sees_types:
        return ()
    if typed.references:
        return tuple(name for name in segmenters if name not in typed.segmenters)
    return tuple(references) if typed.segmenters else ()


@dataclass(frozen=True, eq=False)
class SegmenterPairs:
    """Every segmenter against every reference coding of every document.

    All segmenters are compared with the same subjects in the same order, so tests can pair them.
    """

    subjects: Subjects
    segmenters: tuple[str, ...]
    pairs: tuple[PackedPairs, ...]
    """Reference and hypothesis of each subject, by segmenter."""
    typed: Typed = Typed()

    def metrics(
        self, hypotheses: Corpus, requested: Sequence[Metric], types: bool | None = None
    ) -> tuple[list[Metric], tuple[str, ...]]:
        """Return the metrics with the types, time step and window of both sides, and who lacks types."""
        references = self.subjects.corpus
        lacking = types_lacking(requested, types, self.typed, references.coders, self.segmenters)
        with_types = types is not False and not lacking
        scheme = unite_schemes(references.type_scheme, hypotheses.type_scheme)
        step = references.step if hypotheses.step is None else hypotheses.step
        of_both = partial(metric_for, scheme, step=step, types=with_types, references=references)
        return [*map(of_both, requested)], lacking

    def by_document(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Sum rows of codings over the coders of each document."""
        return sum_by(rows, self.subjects.document, len(self.subjects.documents))


def pair_segmenters(
    references: Corpus,
    hypotheses: Corpus,
    segmenters: Sequence[str] | None = None,
    *,
    coders: Sequence[str] | None = None,
) -> SegmenterPairs:
    """Pair every segmenter (a coder of ``hypotheses``) with every coding of ``references``.

    Every segmenter must have segmented every reference document, and no other; otherwise one could win on
    easier documents. ``coders`` are the reference coders, by default all. One corpus may be both sides; it
    is not copied.
    """
    names = hypotheses.coders if segmenters is None else tuple(segmenters)
    subjects = Subjects.of(references, coders)
    if not len(subjects):
        coded(references, "the reference")
        raise CorpusError("the references have no annotations by these coders")
    if not names:
        coded(hypotheses, "the hypothesis")
        raise CorpusError("the hypotheses have no segmenter")
    numbers = _numbers_among(subjects, hypotheses)
    documents = documents_of(subjects.corpus)
    pairs = []
    for name in names:
        if name not in hypotheses.coder_numbers:
            raise unknown("segmenter", name, hypotheses.coders)
        rows = _rows_of(subjects, hypotheses, name, numbers)
        if hypotheses is not subjects.corpus:  # codings of a document in one corpus have the same units
            _check_units(subjects, hypotheses, name, rows)
        sides = subjects.corpus.codings, hypotheses.codings, subjects.rows, rows[subjects.document]
        pairs.append(PackedPairs(*sides, documents))
    _check_spans(subjects, hypotheses, numbers)
    people = subjects.corpus.coders if coders is None else coders
    typed = Typed(subjects.corpus.typed_coders & set(people), hypotheses.typed_coders & set(names))
    return SegmenterPairs(subjects, names, tuple(pairs), typed)


def _numbers_among(subjects: Subjects, hypotheses: Corpus) -> IntArray:
    """Return the hypotheses' number of each document of the subjects; -1 where they lack it."""
    if subjects.corpus is hypotheses:
        return subjects.documents
    if subjects.document_names == hypotheses.document_names:
        return np.arange(len(subjects.documents))
    known = hypotheses.document_numbers
    return np.array([known.get(name, -1) for name in subjects.document_names], dtype=np.int64)


def _rows_of(subjects: Subjects, hypotheses: Corpus, segmenter: str, numbers: IntArray) -> IntArray:
    """Return the segmenter's coding of each document; raise for documents that only one side has."""
    own = hypotheses.rows_of_coders([segmenter])
    of_document = np.full(len(hypotheses.document_names) + 1, -1, dtype=np.int64)  # the last: no document
    of_document[hypotheses.document[own]] = own
    rows = of_document[numbers]
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        lacking = f"{_listed(subjects.document_names, missing)} of the {len(rows)} reference documents"
        raise CorpusError(f"segmenter {segmenter} lacks {lacking}; add or deselect them")
    if len(own) > len(rows):
        of_document[numbers] = -1
        unknown = np.flatnonzero(of_document >= 0)
        more = f"{_listed(hypotheses.document_names, unknown)}, which no reference coder has"
        raise CorpusError(f"segmenter {segmenter} has {more}; remove them, or add references")
    return rows


def _check_units(subjects: Subjects, hypotheses: Corpus, segmenter: str, rows: IntArray) -> None:
    n_units = hypotheses.codings.n_units[rows]
    wrong = np.flatnonzero(n_units != subjects.document_units)
    if len(wrong):
        document = int(wrong[0])
        where = f"document {subjects.document_names[document]}: segmenter {segmenter}"
        numbers = f"{n_units[document]} units where the references have {subjects.document_units[document]}"
        fix = PROJECT if hypotheses.spans else ""
        raise ComparisonError(f"{where} has {numbers}: all must segment the same units{fix}")


def _check_spans(subjects: Subjects, hypotheses: Corpus, numbers: IntArray) -> None:
    """Raise ComparisonError for units whose spans differ, where both are known."""
    ours, theirs = subjects.corpus.unit_columns, hypotheses.unit_columns
    if ours is None or theirs is None or ours is theirs:
        return
    document = ours.first_difference(subjects.documents, theirs, numbers)
    if document is not None:
        first, second = ours[int(subjects.documents[document])], theirs[int(numbers[document])]
        both = f"the references have {first!r} and the segmenters {second!r}"
        where = f"document {subjects.document_names[document]}"
        raise ComparisonError(f"{where}: {both}: all must segment the same units{PROJECT}")


def _listed(names: Strings, documents: IntArray) -> str:
    return f"{len(documents)} ({listed(names.take(documents), LISTED)})"


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

"""Comparisons: every segmenter against every reference coding of every document, packed for the kernels.

The subjects are the reference codings, (document, coder); all segmenters are compared with the same ones in
the same order, so that tests can pair them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.alignment.alignment import align
from caesura.alignment.counts import EditCounts, count_edits_many
from caesura.alignment.weights import Method, Weights
from caesura.arrays import FloatArray, IntArray
from caesura.errors import ComparisonError, CorpusError
from caesura.kernel.batch import PackedPairs, pack_pairs
from caesura.metrics.base import Metric, Scores
from caesura.metrics.edit import EditMetric
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation


@dataclass(frozen=True)
class Comparisons:
    """The reference codings as subjects, and the pairs of each segmenter with them."""

    documents: tuple[str, ...]
    coders: tuple[str, ...]
    segmenters: tuple[str, ...]
    document: IntArray  # per coding: which of the documents, ascending
    coder: IntArray  # per coding: which of the coders
    pairs: tuple[PackedPairs, ...]  # per segmenter: reference and hypothesis of each coding

    @property
    def n_codings(self) -> int:
        """Number of reference codings: the comparisons of one segmenter."""
        return len(self.document)

    def scores(self, metric: Metric) -> tuple[Scores, ...]:
        """Return the counts of each segmenter, one row per coding."""
        return tuple(metric.over(pairs) for pairs in self.pairs)

    def by_document(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Sum rows of codings over the coders of each document."""
        return _sum_by(rows, self.document, len(self.documents))

    def by_coder(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Sum rows of codings over the documents of each coder."""
        return _sum_by(rows, self.coder, len(self.coders))


def _sum_by(rows: NDArray[Any], group: IntArray, n_groups: int) -> NDArray[Any]:
    sums = np.zeros((n_groups, *rows.shape[1:]), dtype=rows.dtype)
    np.add.at(sums, group, rows)
    return sums


def compare_all(
    references: Corpus, hypotheses: Corpus, segmenters: Sequence[str] | None = None
) -> Comparisons:
    """Pair every segmenter (a coder of ``hypotheses``) with every coding of ``references``.

    Every segmenter must have segmented every document of the references, so that all are judged on the
    same; a document that only the hypotheses have is refused too.
    """
    names = hypotheses.coders if segmenters is None else tuple(segmenters)
    if not references.documents:
        raise CorpusError("the references have no documents")
    _check_documents(references, hypotheses, names)
    coder_index = {coder: index for index, coder in enumerate(references.coders)}
    codings: list[Segmentation] = []
    document, coder = [], []
    for index, name in enumerate(references.documents):
        for who, segmentation in references[name].items():
            codings.append(segmentation)
            document.append(index)
            coder.append(coder_index[who])
    documents = np.array(document, dtype=np.int64)
    return Comparisons(
        references.documents,
        references.coders,
        names,
        documents,
        np.array(coder, dtype=np.int64),
        tuple(_pair(references, hypotheses, name, codings, documents) for name in names),
    )


def _pair(
    references: Corpus,
    hypotheses: Corpus,
    segmenter: str,
    codings: Sequence[Segmentation],
    document: IntArray,
) -> PackedPairs:
    segmented = [hypotheses[name, segmenter] for name in references.documents]
    for name, hypothesis in zip(references.documents, segmented, strict=True):
        if hypothesis.n_units != references.n_units(name):
            raise ComparisonError(
                f"document {name}: segmenter {segmenter} has {hypothesis.n_units} units where the references "
                f"have {references.n_units(name)}: all must segment the same units"
            )
    first = np.arange(len(codings), dtype=np.int64)
    return pack_pairs([*codings, *segmented], first, len(codings) + document)


def _check_documents(references: Corpus, hypotheses: Corpus, segmenters: Sequence[str]) -> None:
    known = set(references.documents)
    for segmenter in segmenters:
        segmented = {document for document in hypotheses.documents if segmenter in hypotheses[document]}
        missing = [document for document in references.documents if document not in segmented]
        if missing:
            raise CorpusError(
                f"segmenter {segmenter} lacks {_listed(missing)} of the {len(known)} reference documents; "
                "add them, or select the documents that all segmenters have"
            )
        unknown = [document for document in hypotheses.documents if document in segmented - known]
        if unknown:
            raise CorpusError(
                f"segmenter {segmenter} has {_listed(unknown)}, which no reference coder has; "
                "remove them, or add references"
            )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return f"{len(names)} ({shown}{', …' if len(names) > 3 else ''})"


# -------------------------------------------------------------------- boundary pairs


@dataclass(frozen=True)
class PairCorrectness:
    """The correctness of every boundary pair of one segmenter, and the coding that it comes from."""

    values: FloatArray
    coding: IntArray


def edit_counts(pairs: PackedPairs, metric: EditMetric) -> EditCounts[IntArray]:
    """Return the edits of every pair as arrays, whatever the types."""
    if pairs.is_plain and metric.types is None:
        return count_edits_many(pairs, metric.method, metric.weights)
    rows = [metric.edits(reference, hypothesis) for reference, hypothesis in pairs]
    scale = int(np.lcm.reduce([row.scale for row in rows])) if rows else 1
    columns = np.array(
        [[*row[:5], *(weight * (scale // row.scale) for weight in row[5:7]), row.slots] for row in rows],
        dtype=np.int64,
    ).reshape(len(rows), 8)
    return EditCounts._make((*columns.T, scale))


def pair_correctness(pairs: PackedPairs, metric: EditMetric) -> PairCorrectness:
    """Return the correctness of all boundary pairs: 1 for a match, 0 for a full miss, 1 − weight in between.

    Near misses are counted by their distance: the greedy algorithm takes all of distance d before it looks
    at d + 1, so those that appear when n_t grows by one have that distance.
    """
    if not pairs.is_plain or metric.types is not None or metric.method != "greedy":
        return _listed_correctness(pairs, metric)
    n_pairs = len(pairs)
    edits = count_edits_many(pairs, metric.method, metric.weights)
    values, counts = [1.0, 0.0], [edits.matches, edits.additions]
    fewer = np.zeros(n_pairs, dtype=np.int64)
    for n_t in range(2, metric.n_t + 1):
        near = count_edits_many(pairs, metric.method, Weights(n_t=n_t)).transpositions
        weight, scale = metric.weights.of_transpositions(1, n_t - 1)
        values.append(1 - weight / scale)
        counts.append(near - fewer)
        fewer = near
    table = np.column_stack(counts)
    coding = np.repeat(np.arange(n_pairs), table.sum(axis=1))
    return PairCorrectness(np.repeat(np.tile(values, n_pairs), table.ravel()), coding)


def _listed_correctness(pairs: PackedPairs, metric: EditMetric) -> PairCorrectness:
    method: Method = metric.method
    found = [
        align(
            reference,
            hypothesis,
            n_t=metric.n_t,
            method=method,
            transposition=metric.transposition,
            substitution=metric.substitution,
            w0=metric.w0,
            types=metric.types,
        ).correctness
        for reference, hypothesis in pairs
    ]
    coding = np.repeat(np.arange(len(found)), [len(values) for values in found])
    return PairCorrectness(np.array([value for values in found for value in values], dtype=float), coding)

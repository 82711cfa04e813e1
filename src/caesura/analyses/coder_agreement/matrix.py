"""coder_matrix(): any metric between all pairs of coders, over all documents and on each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.errors import CorpusError, unknown
from caesura.metrics.base import Metric, Scores, signature_of
from caesura.metrics.registry import metric_for
from caesura.pairs import Pair, every_two
from caesura.results.notes import Note, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table, distinct
from caesura.sums.tallies import sum_slices, summable
from caesura.values.corpus import Corpus

MOST_CODERS = 1000
"""Most coders of a full matrix."""


@dataclass(frozen=True, eq=False, repr=False)
class CoderMatrix(Result):
    """A metric between all pairs of coders; rows are references, columns are hypotheses."""

    metric: Metric
    coders: tuple[str, ...]
    documents: tuple[str, ...]
    """The documents with at least two coders."""
    pair_document: IntArray
    """The index of each pair's document, ascending."""
    first: IntArray
    """The index of each pair's first coder."""
    second: IntArray
    scores: Scores
    """The counts of each pair; ``scores.micro`` and ``scores.macro`` are averages over all of them."""

    @property
    def n_pairs(self) -> int:
        """Number of compared pairs of codings."""
        return len(self.scores)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The document and the coders of each pair."""
        columns = (self.pair_document.tolist(), self.first.tolist(), self.second.tolist())
        return tuple(
            Pair(self.documents[document], self.coders[first], self.coders[second])
            for document, first, second in zip(*columns, strict=True)
        )

    def _pooled_by(self, key: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the distinct keys, and the micro-average over the pairs of each.

        ``key`` may have several keys per pair, all first keys before all second ones.
        """
        order = np.argsort(key, kind="stable")
        starts = np.append(np.flatnonzero(np.diff(key[order], prepend=-1)), len(key))
        sums = sum_slices(summable(self.scores.rows)[order % self.n_pairs], starts)
        return key[order[starts[:-1]]], Scores(self.metric, sums, self.scores.scale).values

    @cached_property
    def pooled(self) -> tuple[IntArray, IntArray, FloatArray]:
        """First coder, second coder and micro-average of pairs that share documents."""
        key, values = self._pooled_by(self.first * len(self.coders) + self.second)
        return *np.divmod(key, len(self.coders)), values

    @cached_property
    def values(self) -> FloatArray:
        """The micro-average over shared documents, coders × coders; NaN on the diagonal and without any."""
        n = len(self.coders)
        if n > MOST_CODERS:
            raise CorpusError(f"a matrix of {n:,} coders is too large; select up to {MOST_CODERS:,} coders")
        values = np.full((n, n), np.nan)
        first, second, pooled = self.pooled
        values[first, second] = pooled
        if self.metric.symmetric:
            values[second, first] = pooled
        return values

    @cached_property
    def means(self) -> dict[str, float]:
        """The micro-average over all pairs of each coder; NaN without pairs."""
        means = np.full(len(self.coders), np.nan)
        coder, values = self._pooled_by(np.concatenate((self.first, self.second)))
        means[coder] = values
        return dict(zip(self.coders, means.tolist(), strict=True))

    def document_values(self) -> FloatArray:
        """Return the micro-average over the pairs of each document."""
        return self._pooled_by(self.pair_document)[1]

    def document_coder_values(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return document, coder and the micro-average over the coder's pairs in the document."""
        member = np.concatenate((self.first, self.second))
        key, values = self._pooled_by(np.tile(self.pair_document, 2) * len(self.coders) + member)
        return *np.divmod(key, len(self.coders)), values

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.documents)}

    def document(self, name: str) -> CoderMatrix:
        """Return the matrix of a document and its coders."""
        number = self._numbers.get(name)
        if number is None:
            raise unknown("document", name, self.documents, where=" with two coders")
        where = slice(*np.searchsorted(self.pair_document, (number, number + 1)).tolist())
        sides = np.stack((self.first[where], self.second[where]))
        present, index = np.unique(sides, return_inverse=True)
        first, second = index.reshape(sides.shape)
        coders = tuple(self.coders[i] for i in present.tolist())
        scores = Scores(self.metric, self.scores.rows[where], self.scores.scale)
        return CoderMatrix(self.metric, coders, (name,), np.zeros_like(first), first, second, scores)

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        return signature_of(self.metric, self.n_pairs)

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as plain data, without pairs that do not share a document."""
        by_document: dict[str, dict[str, dict[str, float]]] = {}
        for pair, value in zip(self.pairs, self.scores.values.tolist(), strict=True):
            self._put(by_document.setdefault(pair.document, {}), pair.first, pair.second, value)
        values: dict[str, dict[str, float]] = {coder: {} for coder in self.coders}
        for first, second, value in zip(*(column.tolist() for column in self.pooled), strict=True):
            self._put(values, self.coders[first], self.coders[second], value)
        own = {"metric": repr(self.metric), "signature": self.signature, "values": values}
        averages = {"micro": float(self.scores.micro), "macro": self.scores.macro}
        return own | {"means": self.means, "by_document": by_document} | averages

    def _put(self, cells: dict[str, dict[str, float]], first: str, second: str, value: float) -> None:
        cells.setdefault(first, {})[second] = value
        if self.metric.symmetric:
            cells.setdefault(second, {})[first] = value

    def __repr__(self) -> str:
        return f"<CoderMatrix of {self.metric}: {len(self.coders)} coders, {len(self.documents)} documents>"


def coder_matrix(
    corpus: Corpus,
    metric: Metric | str = "B",
    *,
    n_t: int | str | None = None,
    documents: Iterable[str] | None = None,
) -> CoderMatrix:
    """Return a metric between all pairs of coders, over these documents (by default all) and on each.

    Any metric will do; an asymmetric one is computed both ways.

    >>> from caesura import load_stargazers
    >>> matrix = coder_matrix(load_stargazers())
    >>> round(float(matrix.values[0, 1]), 4), round(matrix.means["3"], 4)
    (0.5, 0.582)
    """
    chosen = metric_for(corpus.type_scheme, metric, n_t, step=corpus.step, references=corpus)
    part = corpus.coded if documents is None else corpus.select(documents=documents)
    pairs = every_two(part, both_ways=not chosen.symmetric)
    if not len(pairs):
        raise CorpusError("no document has two coders to compare")
    shared = part.n_coders > 1
    names = part.documents if bool(shared.all()) else tuple(compress(part.documents, shared.tolist()))
    document = (np.cumsum(shared) - 1)[part.document[pairs.first]]  # index among shared documents
    coders = part.coder[pairs.first], part.coder[pairs.second]
    return CoderMatrix(chosen, part.coders, names, document, *coders, chosen.over(pairs))


# -------------------------------------------------------------------- tables and sentences


def matrix_notes(matrix: CoderMatrix) -> list[Note]:
    """Return the averages over all pairs, and the signature."""
    micro, macro = float(matrix.scores.micro), matrix.scores.macro
    values = f"{micro:.4f} pooled (micro) and {macro:.4f} on average (macro)"
    sides = "Rows are references, columns are hypotheses; means pool both directions."
    return [
        finding(f"{matrix.metric.name} over all {matrix.n_pairs} pairs is {values}."),
        *([] if matrix.metric.symmetric else [reading(sides)]),
        signature(matrix.signature),
    ]


def matrix_table(matrix: CoderMatrix) -> Table:
    """Return the matrix, with the mean over all pairs of each coder."""
    coders = distinct(matrix.coders, beside=("coder", "mean"))
    columns = [Column("coder"), *(Column(name, 2) for name in ("mean", *coders))]
    rows: list[list[Cell]] = [
        [coder, matrix.means[coder], *(None if math.isnan(value) else value for value in values)]
        for coder, values in zip(matrix.coders, matrix.values.tolist(), strict=True)
    ]
    return Table("", columns, rows, notes=matrix_notes(matrix))


def matrix_documents_table(matrix: CoderMatrix) -> Table:
    """Return a row for each pair of coders of each document."""
    sides = ("coder", "other coder") if matrix.metric.symmetric else ("reference", "hypothesis")
    rows = zip(matrix.pairs, matrix.scores.values.tolist(), strict=True)
    names = ("document", *sides, matrix.metric.name)
    return Table.under(names, ([*pair, value] for pair, value in rows), matrix_notes(matrix))


present(CoderMatrix, notes=matrix_notes, main=matrix_table, documents=matrix_documents_table)

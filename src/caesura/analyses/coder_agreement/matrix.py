"""coder_matrix(): any metric between every two coders, over all documents and on each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CorpusError, UnknownNameError, did_you_mean
from caesura.metrics.base import Metric, Scores, signature
from caesura.metrics.declared import metric_for
from caesura.pairs import Pair, every_two, named_pairs
from caesura.results.notes import Note, finding, recipe
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table, distinct
from caesura.values.corpus import Corpus


@dataclass(frozen=True, eq=False, repr=False)
class CoderMatrix(Result):
    """A metric between every two coders; the row's coder is the reference, the column's the hypothesis."""

    metric: Metric
    coders: tuple[str, ...]
    pairs: tuple[Pair, ...]
    scores: Scores
    """The counts of each pair; ``scores.micro`` and ``scores.macro`` are averages over all of them."""

    @cached_property
    def _rows_by_document(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = {}
        for row, pair in enumerate(self.pairs):
            rows.setdefault(pair.document, []).append(row)
        return rows

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents with at least two coders."""
        return tuple(self._rows_by_document)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Coders × coders: the micro-average over shared documents; NaN on the diagonal and without any."""
        place = {coder: i for i, coder in enumerate(self.coders)}
        cells: dict[tuple[int, int], list[int]] = {}
        for row, pair in enumerate(self.pairs):
            cells.setdefault((place[pair.first], place[pair.second]), []).append(row)
        values = np.full((len(self.coders), len(self.coders)), np.nan)
        for (i, j), rows in cells.items():
            values[i, j] = self._micro(rows)
            if self.metric.symmetric:
                values[j, i] = values[i, j]
        return values

    @cached_property
    def means(self) -> dict[str, float]:
        """Each coder's micro-average over all pairs that the coder is in; NaN where there are none."""
        rows: dict[str, list[int]] = {coder: [] for coder in self.coders}
        for row, pair in enumerate(self.pairs):
            rows[pair.first].append(row)
            rows[pair.second].append(row)
        return {coder: self._micro(theirs) if theirs else math.nan for coder, theirs in rows.items()}

    def _micro(self, rows: list[int]) -> float:
        return float(Scores(self.metric, self.scores.rows[rows], self.scores.scale).micro)

    def document(self, name: str) -> CoderMatrix:
        """Return the matrix of one document, of its coders."""
        if name not in self._rows_by_document:
            raise UnknownNameError(
                f"there is no document {name!r} with two coders; {did_you_mean(name, self.documents)}"
            )
        rows = self._rows_by_document[name]
        pairs = tuple(self.pairs[row] for row in rows)
        present = {coder for pair in pairs for coder in (pair.first, pair.second)}
        coders = tuple(coder for coder in self.coders if coder in present)
        scores = Scores(self.metric, self.scores.rows[rows], self.scores.scale)
        return CoderMatrix(self.metric, coders, pairs, scores)

    @property
    def signature(self) -> str:
        """The recipe of the numbers."""
        return signature(self.metric, len(self.pairs))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; pairs that share no document are left out."""
        return {
            "metric": repr(self.metric),
            "signature": self.signature,
            "values": self._cells(),
            "means": self.means,
            "by_document": {document: self.document(document)._cells() for document in self.documents},
            "micro": float(self.scores.micro),
            "macro": self.scores.macro,
        }

    def _cells(self) -> dict[str, dict[str, float]]:
        rows = zip(self.coders, self.values.tolist(), strict=True)
        return {
            coder: {other: value for other, value in zip(self.coders, row, strict=True) if value == value}
            for coder, row in rows
        }

    def to_table(self) -> Table:
        """Return the matrix, with each coder's mean over all pairs of that coder."""

        coders = distinct(self.coders, beside=("coder", "mean"))
        columns = [Column("coder"), *(Column(coder, 2) for coder in coders), Column("mean", 2)]
        return Table("", columns, self._rows(self.coders), notes=self._notes())

    def to_document_table(self) -> Table:
        """Return the matrices of all documents, one under the other."""

        columns = [
            Column("document"),
            Column("coder"),
            *(Column(coder, 2) for coder in distinct(self.coders, beside=("document", "coder", "mean"))),
            Column("mean", 2),
        ]
        rows = [
            [document, *row]
            for document in self.documents
            for row in self.document(document)._rows(self.coders)
        ]
        return Table("", columns, rows, notes=self._notes())

    def _rows(self, columns: tuple[str, ...]) -> list[list[Cell]]:
        place = {coder: i for i, coder in enumerate(self.coders)}
        rows: list[list[Cell]] = []
        for i, coder in enumerate(self.coders):
            cells = [self.values[i, place[other]] if other in place else math.nan for other in columns]
            shown = [None if math.isnan(cell) else float(cell) for cell in cells]
            rows.append([coder, *shown, self.means[coder]])
        return rows

    def _notes(self) -> list[Note]:
        micro, macro = float(self.scores.micro), self.scores.macro
        sides = ""
        if not self.metric.symmetric:
            sides = "rows are references, columns hypotheses, means pool both ways; "
        return [
            finding(
                f"{sides}{self.metric.name} over all {len(self.pairs)} pairs: {micro:.4f} pooled (micro), "
                f"{macro:.4f} on average (macro)"
            ),
            recipe(self.signature),
        ]

    def __repr__(self) -> str:
        return f"<CoderMatrix of {self.metric}: {len(self.coders)} coders, {len(self.documents)} documents>"


def coder_matrix(
    corpus: Corpus,
    metric: Metric | str = "B",
    *,
    n_t: int | None = None,
    documents: Iterable[str] | None = None,
) -> CoderMatrix:
    """Return a metric between every two coders, over these documents (all by default) and on each of them.

    Any metric will do; one that treats its two sides differently is computed both ways.

    >>> from caesura import load_stargazers
    >>> matrix = coder_matrix(load_stargazers())
    >>> round(float(matrix.values[0, 1]), 4), round(matrix.means["3"], 4)
    (0.5, 0.582)
    """
    chosen = metric_for(corpus.type_scheme, metric, n_t)
    part = corpus if documents is None else corpus.select(documents=documents)
    packed = every_two(part, both_ways=not chosen.symmetric)
    if not len(packed):
        raise CorpusError("no document has two coders: there is nothing to compare")
    return CoderMatrix(chosen, part.coders, tuple(named_pairs(part, packed)), chosen.over(packed))

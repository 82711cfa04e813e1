"""by_document(): documents ranked by how much their coders disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura.alignment.counts import count_edits_many
from caesura.errors import CorpusError
from caesura.metrics.declared import metric_for
from caesura.metrics.edit import B
from caesura.pairs import every_two, sum_by
from caesura.results.result import Result
from caesura.values.corpus import Corpus
from caesura.version import __version__
from caesura.wording import counted


class DocumentRow(NamedTuple):
    """How the coders of one document agree."""

    document: str
    units: int
    coders: int
    pairs: int
    boundaries: int
    """Of all coders together."""
    matches: int
    near_misses: int
    full_misses: int
    substitutions: int
    value: float
    """B over all pairs of coders; NaN where one person has coded the document."""
    lost: float
    """The document's part of what the corpus lacks to full agreement; NaN where nothing is lost."""


@dataclass(frozen=True, repr=False, eq=False)
class ByDocument(Result):
    """The documents of a corpus, those with the least agreement first; those with one coder come last."""

    rows: tuple[DocumentRow, ...]
    metric: B

    @property
    def signature(self) -> str:
        """The signature behind the numbers."""
        return f"documents|{self.metric!r}|n_t={self.metric.n_t}|average=micro|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return the rows as plain data."""
        return {"documents": [row._asdict() for row in self.rows], "signature": self.signature}

    def __repr__(self) -> str:
        return f"<ByDocument of {counted(len(self.rows), 'document')}>"


def by_document(corpus: Corpus, *, n_t: int | str = 2) -> ByDocument:
    """Return how the coders of each document agree, the document with the least B first.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [2, 3]}, "e": {"ann": [2, 3], "bob": [4, 1]}})
    >>> [(row.document, row.value) for row in by_document(corpus).rows]
    [('e', 0.0), ('d', 1.0)]
    """
    if not corpus.n_codings:
        raise CorpusError("the corpus has no documents that anybody has coded")
    corpus = corpus.coded
    metric = metric_for(corpus.type_scheme, "B", n_t, step=corpus.step)
    assert isinstance(metric, B)
    pairs = every_two(corpus)
    edits = count_edits_many(pairs, metric.method, metric.weights)
    kinds = (edits.matches, edits.transpositions, edits.additions, edits.substitutions)
    columns = np.column_stack((*kinds, edits.penalty, edits.pairs))
    n = len(corpus.document_names)
    sums = (
        sum_by(columns, corpus.document[pairs.first], n) if len(pairs) else np.zeros((n, 6), dtype=np.int64)
    )
    n_pairs = corpus.n_coders * (corpus.n_coders - 1) // 2
    penalty, compared = (sums[:, 4] / edits.scale).astype(float), sums[:, 5].astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(compared > 0, 1 - penalty / compared, np.where(n_pairs > 0, 1.0, np.nan))
        lost = penalty / penalty.sum()
    n_boundaries = np.add.reduceat(corpus.codings.n_boundaries, corpus.starts[:-1])
    counts = (corpus.document_units, corpus.n_coders, n_pairs, n_boundaries, *sums[:, :4].T)
    order = np.argsort(values, kind="stable")  # NaN comes last
    rows = zip(*(column.tolist() for column in counts), values.tolist(), lost.tolist(), strict=True)
    found = [DocumentRow(name, *row) for name, row in zip(corpus.documents, rows, strict=True)]
    return ByDocument(tuple(found[number] for number in order.tolist()), metric)

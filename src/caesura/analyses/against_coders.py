"""mult_window_diff_over(): segmenters against all coders of each document at once, over a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from caesura.errors import ComparisonError, CorpusError, UnknownNameError, did_you_mean
from caesura.metrics.base import Score
from caesura.metrics.multi import ErrorBounds, MultWindowDiff, mult_window_diff
from caesura.metrics.window import Rounding
from caesura.results.notes import recipe
from caesura.results.result import Result
from caesura.results.table import Cell, Column, Table
from caesura.values.corpus import Corpus
from caesura.values.segmentation import Segmentation


class DocumentMultWD(NamedTuple):
    """multWinDiff of one segmenter on one document."""

    document: str
    segmenter: str
    result: MultWindowDiff


@dataclass(frozen=True, repr=False)
class MultWindowDiffs(Result):
    """multWinDiff of segmenters: for each document, and pooled over all."""

    rows: tuple[DocumentMultWD, ...]

    @property
    def pooled(self) -> dict[str, Score]:
        """The micro-average of each segmenter: (Σ error − Σ best) / (Σ worst − Σ best)."""
        scores: dict[str, list[Score]] = {}
        for _, segmenter, result in self.rows:
            scores.setdefault(segmenter, []).append(result.score)
        return {segmenter: sum(found, start=found.pop()) for segmenter, found in scores.items()}

    @property
    def macro(self) -> dict[str, float]:
        """The mean over documents of each segmenter."""
        values: dict[str, list[float]] = {}
        for _, segmenter, result in self.rows:
            values.setdefault(segmenter, []).append(result.value)
        return {segmenter: sum(found) / len(found) for segmenter, found in values.items()}

    def __repr__(self) -> str:
        values = ", ".join(f"{segmenter} {float(score):.4f}" for segmenter, score in self.pooled.items())
        return f"<MultWindowDiffs: {values}>"

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain data."""
        documents = [dict(zip(COLUMNS, _cells(row), strict=True)) for row in self.rows]
        pooled = {
            segmenter: {"MultWD": float(score), **ErrorBounds.of(score)._asdict()}
            for segmenter, score in self.pooled.items()
        }
        return {"documents": documents, "pooled": pooled, "macro": self.macro}

    def to_table(self) -> Table:
        """Return a row for each document and segmenter, and the averages of each segmenter."""

        totals: list[list[Cell]] = []
        macro = self.macro
        for segmenter, score in self.pooled.items():
            totals.append(["micro", segmenter, float(score), *ErrorBounds.of(score), None, None])
            totals.append(["macro", segmenter, macro[segmenter], None, None, None, None, None])
        signatures = {score.signature: None for score in self.pooled.values()}
        notes = [*map(recipe, signatures)]
        return Table("", [*map(Column, COLUMNS)], [_cells(row) for row in self.rows], totals, notes)


COLUMNS = ("document", "segmenter", "MultWD", "error", "best", "worst", "k", "references")


def _cells(row: DocumentMultWD) -> list[Cell]:
    result = row.result
    return [
        *(row.document, row.segmenter, result.value),
        *(result.error, result.best, result.worst, result.k, result.n_references),
    ]


def mult_window_diff_over(
    references: Corpus,
    hypotheses: Corpus | str,
    *,
    k: int | None = None,
    rounding: Rounding = "half-even",
    k_min: int = 2,
) -> MultWindowDiffs:
    """Return multWinDiff of every segmenter in ``hypotheses`` against all coders in ``references``.

    Both corpora must have the same documents. Instead of a corpus, ``hypotheses`` may name a coder of
    ``references``: this one against the others, on the documents that it shares with any of them.

    >>> coders = Corpus.from_dict({"d": {"ann": [2, 3, 6], "bob": [2, 2, 7]}, "e": {"ann": [4, 4]}})
    >>> segmenter = Corpus.from_dict({"d": {"mine": [2, 9]}, "e": {"mine": [8]}})
    >>> mult_window_diff_over(coders, segmenter).pooled["mine"]
    <MultWD 0.181818 = 4/22, 2 pairs>
    >>> mult_window_diff_over(coders, "bob").macro
    {'bob': 0.2222222222222222}
    """
    if isinstance(hypotheses, str):
        tasks = _against_the_others(references, hypotheses)
    else:
        _check_documents(references, hypotheses)
        tasks = (
            (document, segmenter, references[document], hypothesis)
            for document, segmenter, hypothesis in hypotheses
        )
    rows = []
    for document, segmenter, coded, hypothesis in tasks:
        try:
            result = mult_window_diff(coded, hypothesis, k=k, rounding=rounding, k_min=k_min)
        except ComparisonError as error:
            raise ComparisonError(f"document {document}: segmenter {segmenter}: {error}") from None
        rows.append(DocumentMultWD(document, segmenter, result))
    return MultWindowDiffs(tuple(rows))


Task = tuple[str, str, Mapping[str, Segmentation], Segmentation]


def _against_the_others(corpus: Corpus, coder: str) -> Iterator[Task]:
    if coder not in corpus.coders:
        raise UnknownNameError(f"there is no coder {coder!r}; {did_you_mean(coder, corpus.coders)}")
    shared = [
        document for document in corpus.documents if coder in corpus[document] and len(corpus[document]) > 1
    ]
    if not shared:
        raise CorpusError(f"coder {coder} shares no document with another coder")
    for document in shared:
        others = {name: coding for name, coding in corpus[document].items() if name != coder}
        yield document, coder, others, corpus[document, coder]


def _check_documents(references: Corpus, hypotheses: Corpus) -> None:
    """Refuse documents that one side lacks: an average over the rest would not say so."""
    if not references.n_codings:
        raise CorpusError("the corpus has no documents")
    faults = []
    for segmenter in hypotheses.coders or ("",):
        coded = {document for document in hypotheses.documents if segmenter in hypotheses[document]}
        faults += [
            f"segmenter {segmenter} lacks {document}"
            for document in references.documents
            if document not in coded
        ]
    faults += [
        f"no coder has {document}"
        for document in hypotheses.documents
        if document not in references.document_numbers
    ]
    if faults:
        more = f", and {len(faults) - 3} more" if len(faults) > 3 else ""
        raise CorpusError(
            f"references and hypotheses must have the same documents: {', '.join(faults[:3])}{more}; "
            "Corpus.select takes a part"
        )

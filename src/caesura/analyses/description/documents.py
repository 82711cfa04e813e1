"""by_document() and support(): agreement within each document, and how many coders mark each position.

KS12 is Kazantseva & Szpakowicz (2012), Topical segmentation: a study of human performance and a new measure
of quality, NAACL. It approximates the prominence of a boundary by the share of coders who mark it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura.alignment.counts import count_edits_many
from caesura.arrays import IntArray, divided, repeat
from caesura.checks import N_T, check_whole
from caesura.errors import CorpusError
from caesura.metrics.edit import B
from caesura.metrics.registry import metric_for
from caesura.metrics.window import half_mean_length
from caesura.pairs import coded, every_two, sum_by
from caesura.results.as_json import plain_data
from caesura.results.notes import Note, finding, reading, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Column, Table
from caesura.sums.tallies import exact, exact_sum, sum_slices
from caesura.values.corpus import Corpus
from caesura.values.strings import Strings
from caesura.version import __version__
from caesura.wording import counted, shortened, whole_percent

K_MIN = 2
"""Least window size, as in the window metrics."""

NO_PAIRS = "No document has two coders, so there is nothing to compare."

# -------------------------------------------------------------------- documents


class DocumentRow(NamedTuple):
    """The agreement of the coders of one document."""

    document: str
    units: int
    coders: int
    pairs: int
    boundaries: int
    """The boundaries of all coders."""
    matches: int
    near_misses: int
    full_misses: int
    substitutions: int
    value: float
    """B over all pairs of coders; NaN with one coder."""
    lost: float
    """The document's share of the weight of all edits; NaN if there are no edits."""


@dataclass(frozen=True, repr=False, eq=False)
class ByDocument(Result):
    """The documents of a corpus, least agreement first; documents with one coder come last."""

    rows: tuple[DocumentRow, ...]
    metric: B

    @property
    def signature(self) -> str:
        """The signature behind the numbers."""
        return f"documents|{self.metric!r}|n_t={self.metric.n_t}|average=micro|caesura {__version__}"

    def numbers(self) -> dict[str, Any]:
        """Return the rows as plain data."""
        return {"documents": plain_data(self.rows), "signature": self.signature}

    def __repr__(self) -> str:
        return f"<ByDocument of {counted(len(self.rows), 'document')}>"


def by_document(corpus: Corpus, *, n_t: int | str = N_T) -> ByDocument:
    """Return the agreement within each document, the document with the least B first.

    >>> corpus = Corpus.from_dict({"d": {"ann": [2, 3], "bob": [2, 3]}, "e": {"ann": [2, 3], "bob": [4, 1]}})
    >>> [(row.document, row.value) for row in by_document(corpus).rows]
    [('e', 0.0), ('d', 1.0)]
    """
    corpus = coded(corpus)
    metric = metric_for(corpus.type_scheme, "B", n_t, step=corpus.step)
    assert isinstance(metric, B)
    pairs = every_two(corpus)
    edits = count_edits_many(pairs, metric.method, metric.weights)
    kinds = (edits.matches, edits.transpositions, edits.additions, edits.substitutions)
    columns = np.column_stack((*kinds, edits.penalty, edits.pairs))
    sums = sum_by(columns, corpus.document[pairs.first], len(corpus.document_names))
    n_pairs = corpus.n_coders * (corpus.n_coders - 1) // 2
    penalty, compared = (sums[:, 4] / edits.scale).astype(float), sums[:, 5].astype(float)
    values = np.where(n_pairs > 0, 1 - divided(penalty, compared), np.nan)
    lost = divided(penalty, penalty.sum(), np.nan)
    n_boundaries = np.add.reduceat(corpus.codings.n_boundaries, corpus.starts[:-1])
    counts = (corpus.document_units, corpus.n_coders, n_pairs, n_boundaries, *sums[:, :4].T)
    order = np.argsort(values, kind="stable")  # NaN comes last
    rows = zip(*(column.tolist() for column in counts), values.tolist(), lost.tolist(), strict=True)
    documents = [DocumentRow(name, *row) for name, row in zip(corpus.documents, rows, strict=True)]
    return ByDocument(tuple(documents[number] for number in order.tolist()), metric)


# -------------------------------------------------------------------- positions


class SupportedPosition(NamedTuple):
    """A position that at least one coder marks, with the number who mark it or one nearby."""

    document: str
    position: int
    exact: int
    half_window: int
    window: int
    coders: int
    k: int

    @property
    def prominence(self) -> float:
        """The share of the document's coders who mark exactly this position."""
        return self.exact / self.coders


@dataclass(frozen=True, repr=False, eq=False)
class Support(Result):
    """The support of every marked position of every document, as columns."""

    document_names: Strings
    document: IntArray
    """The index of each position's document."""
    position: IntArray
    exact: IntArray
    """Coders who mark exactly this position."""
    half_window: IntArray
    """Coders with a boundary at most k/2 away."""
    window: IntArray
    """Coders with a boundary at most k away."""
    n_coders: IntArray
    """Coders of the document."""
    sizes: IntArray
    """The document's window size."""
    k: int | None = None
    """The given window size; None: each document's own."""

    NUMBERS = ("positions",)

    def __len__(self) -> int:
        return len(self.position)

    def columns(self) -> tuple[list[Any], ...]:
        """Return the columns as plain lists, in the order of ``SupportedPosition``."""
        names = list(self.document_names)
        counts = (self.position, self.exact, self.half_window, self.window, self.n_coders, self.sizes)
        return [names[i] for i in self.document.tolist()], *(column.tolist() for column in counts)

    @property
    def positions(self) -> tuple[SupportedPosition, ...]:
        """The positions one by one."""
        return tuple(map(SupportedPosition, *self.columns()))

    def __repr__(self) -> str:
        return f"<Support of {counted(len(self), 'marked position')}>"


class Prominence(NamedTuple):
    """The distribution of the support of marked positions, as shares of each document's coders."""

    tolerance: str
    positions: int
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    greatest: float
    by_one: float
    """Share of the positions that one coder supports."""
    by_half: float
    """Share of the positions that at least half of the coders support."""
    by_all: float
    """Share of the positions that all coders support."""


def support(corpus: Corpus, *, k: int | None = None) -> Support:
    """Return how many coders support each position that at least one of them marks (KS12 §4.2, figure 3).

    A coder supports a position with a boundary at it (``exact``), at most k/2 away (``half_window``) or at
    most k away (``window``). By default k is half the mean segment length over all coders of the document,
    rounded half to even, at least 2 and at most N − 1. A position counts once, regardless of types.

    All documents are laid end to end with gaps wider than any tolerance. A coder's boundary at b, preceded
    by one at a, is the coder's first within tolerance t of q exactly when max(b − t, a + t + 1) ≤ q ≤ b + t.
    These intervals of one coder do not overlap, so the intervals around q count the coders near it.

    >>> near = support(Corpus.from_dict({"d": {"ann": [5, 6], "bob": [6, 5], "cy": [5, 3, 3]}}))
    >>> [(p.position, p.exact, p.half_window, p.window) for p in near.positions]
    [(5, 2, 3, 3), (6, 1, 3, 3), (8, 1, 1, 2)]
    """
    if not corpus.n_codings:
        raise CorpusError("the corpus has no documents")
    sizes = window_sizes(corpus)
    if k is not None:
        sizes = np.maximum(1, np.minimum(check_whole("k", k, 1), corpus.document_units - 1))
    marks = corpus.codings.marked
    n_units = exact(corpus.document_units, 3 * exact_sum(corpus.document_units))
    base = np.cumsum(3 * n_units) - 2 * n_units
    lengths = marks.n_boundaries
    document = repeat(corpus.document, lengths)
    keys = marks.positions + base[document]
    is_first = np.zeros(len(keys), dtype=bool)
    is_first[marks.offsets[:-1][lengths > 0]] = True
    marked, where, exactly = np.unique(keys, return_index=True, return_counts=True)

    def supporters(tolerance: IntArray) -> IntArray:
        reach = tolerance[document]
        before = np.where(is_first, keys - reach, np.roll(keys, 1) + reach + 1)
        first, last = np.sort(np.maximum(keys - reach, before)), np.sort(keys + reach)
        return np.searchsorted(first, marked, side="right") - np.searchsorted(last, marked, side="left")

    own, near = document[where], (supporters(sizes // 2), supporters(sizes))
    columns = marks.positions[where], exactly.astype(np.int64), *near, corpus.n_coders[own], sizes[own]
    return Support(corpus.document_names, own, *columns, k)


def prominence(corpus: Corpus) -> tuple[Prominence, ...]:
    """Return the distribution of support at each tolerance, over documents with at least two coders."""
    marked = support(corpus)
    several = marked.n_coders > 1
    if not several.any():
        return ()
    names = {"exact": marked.exact, "k/2": marked.half_window, "k": marked.window}
    n_coders, rows = marked.n_coders[several], []
    for name, supporters in ((name, counts[several]) for name, counts in names.items()):
        quartiles = np.quantile(supporters / n_coders, [0, 0.25, 0.5, 0.75, 1]).tolist()
        by = (supporters == 1, 2 * supporters >= n_coders, supporters == n_coders)
        rows.append(Prominence(name, len(supporters), *quartiles, *(float(share.mean()) for share in by)))
    return tuple(rows)


def window_sizes(corpus: Corpus) -> IntArray:
    """Return k for each document: half the mean segment length over all its codings."""
    n_segments = sum_slices(corpus.codings.n_positions + 1, corpus.starts)
    n_units = exact(corpus.document_units, int(corpus.n_coders.max()) * int(corpus.document_units.max()))
    half = half_mean_length(n_units * corpus.n_coders, n_segments, "half-even")
    sizes = np.maximum(1, np.minimum(np.maximum(K_MIN, half), corpus.document_units - 1))
    return sizes.astype(np.int64)


# -------------------------------------------------------------------- tables and sentences


def document_notes(by_document: ByDocument) -> list[Note]:
    """Return the documents in which most agreement is lost, and the signature."""
    compared = [row for row in by_document.rows if row.pairs]
    sentence = NO_PAIRS
    if compared and compared[0].value == 1:
        sentence = "No coder differs from another in any document."
    elif compared:
        least, most = compared[0], max(compared, key=lambda row: row.lost)
        loss = f"; {shortened(most.document)} loses most ({whole_percent(most.lost)})"
        sentence = f"The coders of {shortened(least.document)} agree least (B {least.value:.2f})"
        sentence += f"{loss if len(compared) > 1 else ''}."
    about = "B: over all pairs of coders; lost: share of the weight of all edits; boundaries: of all coders."
    return [finding(sentence), reading(about), signature(by_document.signature)]


def documents_table(by_document: ByDocument) -> Table:
    """Return one row per document, least agreement first."""
    names = ["document", "units", "coders", "pairs", "B", "lost", "boundaries", "matches", "near misses"]
    names += ["full misses", "other type"]
    columns = [Column(name, 2 if name == "lost" else 4) for name in names]
    # The numbers of the verdict come first, so that a narrow terminal shows them.
    rows: list[list[Cell]] = [[*row[:4], row.value, row.lost, *row[4:9]] for row in by_document.rows]
    return Table("Documents by disagreement", columns, rows, notes=document_notes(by_document))


def support_notes(support: Support) -> list[Note]:
    """Return how many positions have all coders and how many have one, and the columns' meaning."""
    everyone = int(((support.exact == support.n_coders) & (support.n_coders > 1)).sum())
    single, marked = int((support.exact == 1).sum()), counted(len(support), "marked position")
    return [
        finding(f"Of {marked}, all coders of the document agree on {everyone:,}; {single:,} have one coder."),
        reading("Coders who mark the position, or one at most k/2 or k away; prominence: exact / coders."),
        signature(f"support|k={support.k or 'auto'}|rounding=half-even|k_min={K_MIN}|caesura {__version__}"),
    ]


def support_table(support: Support) -> Table:
    """Return one row per marked position."""
    names = ["document", "position", "exact", "within k/2", "within k", "coders", "k"]
    shares = (support.exact / support.n_coders).tolist()
    rows = [*zip(*support.columns(), shares, strict=True)]
    columns = [*map(Column, names), Column("prominence", 2)]
    return Table("Support of each marked position", columns, rows, notes=support_notes(support))


present(ByDocument, notes=document_notes, main=documents_table)
present(Support, notes=support_notes, main=support_table)

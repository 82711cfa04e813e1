"""Subsets of coders and of documents that agree enough to train on (F13t §5.2.1.3).

The value by which a subset is chosen is too high. So each subset has a held-out value as well: coders are
chosen on some documents and valued on the others; documents are chosen by half of their coders and valued by
the other half.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from caesura.analyses.coder_agreement.coefficients import Measure
from caesura.analyses.coder_agreement.finish import finish
from caesura.analyses.coder_agreement.question import PairTable
from caesura.analyses.coder_agreement.strata import Stratum
from caesura.analyses.held_out import FOLDS
from caesura.arrays import FloatArray, IntArray, bincount
from caesura.checks import Seed, as_generator, known_seed
from caesura.results.notes import Note, caveat, finding, reading, seed_part, signature
from caesura.results.result import Result, present
from caesura.results.table import Cell, Table
from caesura.sums.tallies import Sums, added
from caesura.values.columns import BoolArray
from caesura.version import __version__
from caesura.wording import counted, listed

MOST_LEFT_OUT = 20
"""Most coders to omit, and most sizes of subsets of documents."""

SPLITS = 20
"""The number of random splits of the coders into halves."""

MOST_NAMED = 3
"""Most omitted documents that a row names."""

FEWEST_CODERS = 4
"""Two halves of two."""


class Subset(NamedTuple):
    """Coders and documents, as ``corpus.select(coders=…, documents=…)`` takes them."""

    coders: tuple[str, ...]
    documents: tuple[str, ...]
    left_out: tuple[str, ...]
    """The coder or documents that only the previous subset has."""
    value: float
    """The coefficient; too high because it chose the subset."""
    held_out: float
    """The coefficient of subsets of this size that other codings chose; NaN if unknown."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AgreementSubsets(Measure, Result):
    """Nested subsets of coders and of documents; the first is the whole."""

    NUMBERS = ("signature", "by_coder", "by_document", "reasons")

    seed: int | None
    by_coder: tuple[Subset, ...]
    """All documents, without one more coder each time: the one who lowers agreement most."""
    by_document: tuple[Subset, ...]
    """All coders, and the documents on which they agree most."""
    reasons: dict[str, str]
    """Why held-out values are missing."""

    @property
    def by_kind(self) -> dict[str, tuple[Subset, ...]]:
        """Both kinds of subsets, by what they omit."""
        return {"coders": self.by_coder, "documents": self.by_document}

    @property
    def signature(self) -> str:
        """The signature of the numbers."""
        subsets = f"subsets=folds {FOLDS},splits {SPLITS}{seed_part(self.seed)}"
        return f"{self.settings}|{subsets}|caesura {__version__}"

    def __repr__(self) -> str:
        return f"<AgreementSubsets: {len(self.by_coder)} of coders, {len(self.by_document)} of documents>"


def subsets_of(stratum: Stratum, rng: Seed) -> AgreementSubsets:
    """Return subsets of the coders and of the documents of a stratum, with held-out values."""
    generator, question = as_generator(rng), stratum.question
    whole = _whole(stratum, stratum.own)
    reasons = {}
    if len(whole.documents) < 2:
        reasons["coders"] = "only one document, so no other documents can value the choice"
    if (whole.table.corpus.n_coders < FEWEST_CODERS).any():
        reasons["documents"] = f"a document has fewer than {FEWEST_CODERS} coders: 2 to choose, 2 to measure"
    return AgreementSubsets(
        **vars(question.measure()),
        seed=known_seed(rng),
        by_coder=tuple(_by_coder(whole, None if "coders" in reasons else generator)),
        by_document=tuple(_by_document(whole, None if "documents" in reasons else generator)),
        reasons=reasons,
    )


def _whole(stratum: Stratum, table: PairTable) -> Stratum:
    """Return the stratum of all documents of a table."""
    documents = np.arange(len(table.corpus.documents))
    return Stratum(table, stratum.question, table.contributions(stratum.question.chance), documents)


def _part(whole: Stratum, is_there: BoolArray) -> Stratum:
    """Return the stratum of these codings."""
    return _whole(whole, whole.table.part(np.flatnonzero(is_there)))


# -------------------------------------------------------------------- coders


def _by_coder(whole: Stratum, generator: np.random.Generator | None) -> Iterator[Subset]:
    """Yield all coders, then fewer and fewer; held-out values need a generator."""
    corpus = whole.table.corpus
    order = [*_left_out(whole, np.ones(len(corpus), dtype=bool))]
    held_out = np.full(len(order) + 1, math.nan)
    if generator is not None:
        held_out = _on_others(whole, len(order), generator)
    for number, value in enumerate(held_out.tolist()):
        gone = order[:number]
        coders = tuple(name for i, name in enumerate(corpus.coders) if i not in gone)
        last = tuple(corpus.coders[i] for i in gone[-1:])
        chosen = _part(whole, ~np.isin(corpus.coder, gone)).finished.value
        yield Subset(coders, whole.document_names, last, chosen, value)


def _left_out(whole: Stratum, is_known: BoolArray) -> Iterator[int]:
    """Yield coders in the order to omit them, judging by the known codings; documents keep two coders."""
    corpus = whole.table.corpus
    is_there = np.ones(len(corpus), dtype=bool)
    for _ in range(MOST_LEFT_OUT):
        n_coders = bincount(corpus.document[is_there], minlength=len(corpus.documents))
        needed = set(corpus.coder[is_there & (n_coders[corpus.document] < 3)].tolist())
        values = _part(whole, is_there & is_known).values_without()
        without = {corpus.coder_numbers[name]: value for name, value in values.items()}
        free = [i for i, value in without.items() if i not in needed and not math.isnan(value)]
        if not free:
            return
        worst = max(free, key=without.__getitem__)
        yield worst
        is_there &= corpus.coder != worst


def _on_others(whole: Stratum, most: int, generator: np.random.Generator) -> FloatArray:
    """Return the value without 0, 1, … coders, on folds of documents that did not choose them."""
    corpus, n = whole.table.corpus, len(whole.documents)
    parts: list[list[Sums]] = [[] for _ in range(most + 1)]
    for fold in np.array_split(generator.permutation(n), min(FOLDS, n)):
        is_held = np.isin(corpus.document, fold)
        order = [*_left_out(whole, ~is_held)]
        for number, sums in enumerate(parts):
            is_there = is_held & ~np.isin(corpus.coder, order[:number])
            sums.append(_part(whole, is_there).contributions.sums())
    totals = (reduce(added, sums) for sums in parts)
    return np.array([finish(whole.question, sums, corpus.type_scheme).value for sums in totals])


# -------------------------------------------------------------------- documents


def _by_document(whole: Stratum, generator: np.random.Generator | None) -> Iterator[Subset]:
    """Yield all documents, then fewer and fewer; held-out values need a generator."""
    names, n = whole.document_names, len(whole.documents)
    sizes = np.unique(np.linspace(1, n, min(n, MOST_LEFT_OUT)).round().astype(int))[::-1]
    ranked = _ranked(whole)
    values, held_out = _values_of_first(whole, ranked, sizes), np.full(len(sizes), math.nan)
    if generator is not None:
        held_out = np.mean([_on_other_half(whole, sizes, generator) for _ in range(SPLITS)], axis=0)
    columns = ([n, *sizes[:-1].tolist()], *(column.tolist() for column in (sizes, values, held_out)))
    for before, size, value, held in zip(*columns, strict=True):
        own = tuple(names[i] for i in sorted(ranked[:size].tolist()))
        yield Subset(whole.finished.coders, own, tuple(names[i] for i in ranked[size:before]), value, held)


def _ranked(stratum: Stratum) -> IntArray:
    """Return documents by value, greatest first and undefined last."""
    values = stratum.items().column_values()
    return np.argsort(np.where(np.isnan(values), np.inf, -values), kind="stable")


def _values_of_first(stratum: Stratum, ranked: IntArray, sizes: IntArray) -> FloatArray:
    """Return the coefficient of the first documents of a ranking, for each size."""
    rank = np.argsort(ranked)
    items = stratum.items()
    return items.values(items.sums((rank[:, None] < sizes).astype(np.float64)))


def _on_other_half(whole: Stratum, sizes: IntArray, generator: np.random.Generator) -> FloatArray:
    """Return the values of documents chosen by half of their coders, for the other half."""
    corpus = whole.table.corpus
    order = np.lexsort((generator.random(len(corpus)), corpus.document))
    slot = np.empty(len(corpus), dtype=np.int64)  # of each coding in its document, at random
    slot[order] = np.arange(len(corpus)) - np.searchsorted(corpus.document[order], corpus.document[order])
    is_first = slot < corpus.n_coders[corpus.document] // 2
    halves = _part(whole, is_first), _part(whole, ~is_first)
    both = [_values_of_first(halves[1 - i], _ranked(halves[i]), sizes) for i in (0, 1)]
    return np.asarray(np.mean(both, axis=0))


# -------------------------------------------------------------------- in tables and words


def _table(result: AgreementSubsets) -> Table:
    """Return a row for each subset; the first of coders and of documents is the whole."""
    rows: list[list[Cell]] = [
        [
            *(of, len(subset.coders), len(subset.documents), subset.value),
            None if math.isnan(subset.held_out) else subset.held_out,
            listed(subset.left_out, most=MOST_NAMED) if subset.left_out else "none",
        ]
        for of, subsets in result.by_kind.items()
        for subset in subsets
    ]
    names = ("subsets of", "coders", "documents", result.label, "held out", "left out")
    return Table.under(names, rows, _notes(result))


EXPLAINED = (
    "Coders: each row leaves out the coder who lowers agreement most, while every document keeps two; held "
    "out: chosen on other documents (cross-validation).",
    "Documents: each row leaves out the one with the lowest agreement; held out: half of the coders choose "
    f"it, and the agreement is that of the others (mean of {SPLITS} random halves).",
)


def _notes(result: AgreementSubsets) -> list[Note]:
    notes = []
    for of, subsets in result.by_kind.items():
        if of in result.reasons:
            notes.append(caveat(f"Subsets of {of} have no held-out value: {result.reasons[of]}."))
        elif len(subsets) > 1 and not math.isnan(subsets[0].held_out):
            notes.append(finding(_best(of, subsets, result.label)))
    return [*notes, *map(reading, EXPLAINED), signature(result.signature)]


def _best(of: str, subsets: tuple[Subset, ...], name: str) -> str:
    """Return a sentence on the subset with the highest held-out value."""
    whole, known = subsets[0], [subset for subset in subsets if not math.isnan(subset.held_out)]
    best = max(known, key=lambda subset: subset.held_out)
    if best is whole:
        return f"No held-out subset of {of} agrees better: keep all of them."
    n = len(best.coders) if of == "coders" else len(best.documents)
    values = f"{name} {best.value:.2f} (all: {whole.value:.2f})"
    held_out = f"held out {best.held_out:.2f} (all: {whole.held_out:.2f})"
    return f"{counted(n, of[:-1])} {'has' if n == 1 else 'have'} {values}, {held_out}."


present(AgreementSubsets, notes=_notes, main=_table)

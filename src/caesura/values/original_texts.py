"""Codings of changed texts on the units of the originals, with an account of what is uncertain."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from caesura.arrays import FloatArray, IntArray
from caesura.errors import CorpusError, did_you_mean, within
from caesura.values.changed_text import TextAlignment, align_text, shares_shown
from caesura.values.corpus import Corpus
from caesura.values.forms import short_name
from caesura.values.projecting import project_columns
from caesura.values.unit_columns import TextColumns, UnitColumns
from caesura.values.units import Units
from caesura.wording import counted, whole_percent

LEAST_KEPT = 0.8
"""Share of the original's words that a changed text must have, unless something else is asked for."""


@dataclass(frozen=True)
class AlignedUnits:
    """The units of a changed text, whose boundaries stand in the original where the alignment says."""

    units: Units
    alignment: TextAlignment

    def between(self, positions: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the gap of each position in the original; a single place where it is not certain."""
        low, high = self.units.between(positions)
        end = self.alignment.map(high)
        start = np.where(self.alignment.uncertainty(high) > 0, end, self.alignment.map(low))
        return start.astype(np.float64), end.astype(np.float64)


def onto_originals(
    corpus: Corpus, original: Corpus, least_kept: float = LEAST_KEPT
) -> tuple[Corpus, str, list[str]]:
    """Return the codings on the units of the original texts, an account of it, and what should be known.

    Documents go by their names; one document each on both sides is the same one. A document without a text
    of its own must have as many units as the original. The account is empty where no text was changed.

    >>> copy = Corpus.from_dict({"d": {"llm": [1, 1]}}).with_texts({"d": ["one too", "three four"]})
    >>> gold = Corpus.from_dict({"d": {"ann": [3, 1]}}).with_texts({"d": ["one", "two", "three", "four"]})
    >>> moved, account, _ = onto_originals(copy, gold, least_kept=0.7)
    >>> moved["d", "llm"].masses
    (2, 2)
    >>> print(account.replace("; ", "\\n"))
    75 % kept, 25 % altered, 0 % lost of 4 words
    0 % added of 4 words
    1 of 1 boundary may be off, by up to 4 characters
    """
    if len(corpus.documents) == 1 == len(original.documents):
        corpus = corpus.rename(documents={corpus.documents[0]: original.documents[0]})
    wanted = [_original_units(name, original) for name in corpus.documents]
    source: list[Units | AlignedUnits] = []
    totals = np.zeros(6)
    for name, units in zip(corpus.documents, wanted, strict=True):
        own = _text_units(corpus, name)
        if own is None and corpus.n_units(name) == len(units):
            source.append(units)
        elif own is None:
            numbers = f"{counted(corpus.n_units(name), 'unit')} where the original has {len(units):,}"
            raise CorpusError(f"document {short_name(name)}: it has no text to align, and {numbers}")
        elif own.text == units.text:
            source.append(own)
        else:
            with within(f"document {short_name(name)}"):
                alignment = align_text(own.text or "", units.text or "")
            _check_kept(name, alignment, least_kept)
            source.append(AlignedUnits(own, alignment))
            totals += alignment.counts
    codings, moves = project_columns(
        corpus.codings,
        corpus.starts,
        source,
        wanted,
        corpus.documents,
        "nearest",
        ranks=corpus.is_hierarchical,
    )
    uncertain = list(_uncertain(corpus, source))
    texts = {i: original.units[name] for i, name in enumerate(corpus.documents) if name in original.units}
    moved = dataclasses.replace(
        corpus,
        codings=codings,
        texts=TextColumns.of(texts, len(wanted)) if texts else None,
        unit_columns=UnitColumns.of([original.spans.get(name) for name in corpus.documents]),
        details={},  # what was said of segments is not true of others
    )
    account = shares_shown(*totals) if totals.any() else ""
    n_off = sum(len(off) for _, off, _ in uncertain)
    if n_off:
        most = max(int(off.max()) for _, off, _ in uncertain)
        n_all = counted(len(corpus.codings.positions), "boundary", "boundaries")
        account += f"; {n_off:,} of {n_all} may be off, by up to {counted(most, 'character')}"
    if account and not moves.is_exact:
        account += f"; {moves}"
    return moved, account, [_in_lost(name, off[lost]) for name, off, lost in uncertain if len(lost)]


def _text_units(corpus: Corpus, document: str) -> Units | None:
    """Return the units of a document in its running text, or in their texts, one below the other."""
    units, texts = corpus.spans.get(document), corpus.units.get(document)
    if units is not None and units.text is not None:
        return units
    return None if texts is None else Units.joined(texts)


def _original_units(document: str, original: Corpus) -> Units:
    if document not in original.document_numbers:
        hint = did_you_mean(document, original.documents)
        raise CorpusError(f"document {short_name(document)} is not among the original texts; {hint}")
    units = _text_units(original, document)
    if units is None:
        raise CorpusError(f"document {short_name(document)}: the original has no text; name data with texts")
    return units


def _check_kept(document: str, alignment: TextAlignment, least_kept: float) -> None:
    if alignment.kept < least_kept:
        least = f"below {whole_percent(least_kept)} kept, is it the same text? least_kept= accepts less"
        raise CorpusError(f"document {short_name(document)}: {alignment}: {least}")


def _uncertain(
    corpus: Corpus, source: list[Units | AlignedUnits]
) -> Iterator[tuple[str, IntArray, IntArray]]:
    """Yield by how much boundaries of a document may be off, and which of those stand in lost text."""
    bounds = corpus.codings.offsets[corpus.starts]
    for number, units in enumerate(source):
        if not isinstance(units, AlignedUnits):
            continue
        positions = corpus.codings.positions[bounds[number] : bounds[number + 1]]
        offsets = units.units.between(positions)[1]
        off = units.alignment.uncertainty(offsets)
        if (off > 0).any():
            is_lost = units.alignment.is_in_lost(offsets)
            yield corpus.documents[number], off[off > 0], np.flatnonzero(is_lost[off > 0])


def _in_lost(document: str, off: IntArray) -> str:
    stand = "boundary stands" if len(off) == 1 else "boundaries stand"
    where = f"document {short_name(document)}: {len(off):,} {stand} in the middle of text that was lost"
    return f"{where}, and may be off by up to {counted(int(off.max()), 'character')}"
